"""The drawing of a tray: tubes of chips by denomination, as last counted, with par and what is still to come."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tables.money.chips_page import DENOMINATIONS, ChipLine, count_of

TUBE_SIZES = (50, 100, 200, 500, 1_000)
MOST_TUBES = 26  # so many fit beside each other on a tablet
MOST_TUBES_OF_ONE = 16  # so many widths the style sheet has
PITCH, GAP, LEAST_WIDTH = 30, 4, 84  # units of the drawing
TOP, HEIGHT = 20, 225
CHIPS_OF_A_MARK = 20
CHIP_WIDTH, CHIP_HEIGHT = 26.0, 4.5
SPOT_WIDTH, SPOT_PITCH = 3.5, 12.0
TURNS = (1.6, 10.2, 9.2, 3.1, 5.9, 5.4, 7.8, 9.5, 1.1, 0.3)  # no two chips of a stack lie the same way


@dataclass(frozen=True)
class Tube:
    """One tube: where it stands, how high its chips are, and what comes into it or leaves it."""

    x: int
    filled_y: float
    filled: float
    change_y: float
    change: float
    marks: tuple[float, ...]
    par_y: float | None


@dataclass(frozen=True)
class DenominationTubes:
    """The tubes of one denomination."""

    line: ChipLine  # as last counted
    par: int
    to_come: int  # negative: chips of a credit that leave
    width: int
    tubes: tuple[Tube, ...]

    @property
    def style(self) -> str:
        """The class of its width."""
        return f"w{len(self.tubes)}"

    @property
    def is_leaving(self) -> bool:
        return self.to_come < 0

    @property
    def to_go(self) -> int:
        return -self.to_come


@dataclass(frozen=True)
class TubesDrawing:
    """All tubes of a tray. `size`: so many chips fit into a tube."""

    size: int
    denominations: tuple[DenominationTubes, ...]


def draw_tubes(
    counted: Mapping[str, int],
    par: Mapping[str, int],
    to_come: Mapping[str, int],
    values: Sequence[int] = DENOMINATIONS,
) -> TubesDrawing:
    """Draw stored counts. `to_come` adds what a fill brings, negative what a credit takes out.

    `values`: the denominations of the tray in cents, smallest first.
    """
    highest = {
        chip: max(
            count_of(counted, chip), count_of(counted, chip) + count_of(to_come, chip), count_of(par, chip), 1
        )
        for chip in values
    }
    size = next((size for size in TUBE_SIZES if _fits(highest.values(), size)), TUBE_SIZES[-1])
    return TubesDrawing(
        size,
        tuple(
            _denomination(
                ChipLine(chip, count_of(counted, chip)),
                count_of(par, chip),
                count_of(to_come, chip),
                highest[chip],
                size,
            )
            for chip in values
        ),
    )


def _fits(counts: Iterable[int], size: int) -> bool:
    tubes = [-(-count // size) for count in counts]
    return sum(tubes) <= MOST_TUBES and max(tubes) <= MOST_TUBES_OF_ONE


def _denomination(line: ChipLine, par: int, to_come: int, highest: int, size: int) -> DenominationTubes:
    number = min(-(-highest // size), MOST_TUBES_OF_ONE)
    width = max(LEAST_WIDTH, PITCH * number + 12)
    margin = (width - (PITCH * number - GAP)) // 2
    tubes = tuple(_tube(index, margin, line.count, par, to_come, size) for index in range(number))
    return DenominationTubes(line, par, to_come, width, tubes)


def _tube(index: int, margin: int, count: int, par: int, to_come: int, size: int) -> Tube:
    """Draw the tube with this index: the chips of the count that lie in it, and its part of the change."""
    chip_height, bottom, begins = HEIGHT / size, TOP + HEIGHT, index * size

    def part(low: int, high: int) -> tuple[float, float]:
        """Return where the chips from `low` to `high` of the denomination begin in this tube, and how high they are."""
        inside_low, inside_high = max(low - begins, 0), min(high - begins, size)
        chips = max(0, inside_high - inside_low)
        return round(bottom - (inside_low + chips) * chip_height, 2), round(chips * chip_height, 2)

    filled_y, filled = part(0, count)
    change_y, change = part(*sorted((count, max(0, count + to_come))))
    marks = tuple(
        round(bottom - mark * chip_height, 2)
        for mark in range(CHIPS_OF_A_MARK, size, CHIPS_OF_A_MARK)
        if size == TUBE_SIZES[0] and begins + mark < count
    )
    has_par = par > 0 and begins < par <= begins + size
    par_y = round(bottom - (par - begins) * chip_height, 2) if has_par else None
    return Tube(margin + PITCH * index, filled_y, filled, change_y, change, marks, par_y)


def stacked_chips() -> tuple[tuple[float, float, tuple[tuple[float, float], ...]], ...]:
    """Return the chips of a stack from their side, top first: where each lies, its seam, and its edge spots."""
    return tuple(
        (index * CHIP_HEIGHT, round(index * CHIP_HEIGHT + 3.7, 2), _edge_spots(turn))
        for index, turn in enumerate(TURNS)
    )


def _edge_spots(turn: float) -> tuple[tuple[float, float], ...]:
    """Return where the edge spots of a chip begin, and how wide they are, cut at its sides."""
    begins = (turn - SPOT_PITCH, turn, turn + SPOT_PITCH, turn + 2 * SPOT_PITCH)
    cut = ((max(0.0, begin), min(CHIP_WIDTH, begin + SPOT_WIDTH)) for begin in begins)
    return tuple((round(low, 2), round(high - low, 2)) for low, high in cut if high > low)
