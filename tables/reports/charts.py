"""The drawings of the daily report: geometry in tenths of a pixel for SVG attributes, the same for page and paper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.engine.odds import in_dollars
from games.office.odds.charts import px
from tables.reports.expected import Expected
from tables.reports.figures import Hour
from tables.reports.shares import root

BAR_WIDTH, BAR_HEIGHT = 240, 20
INSIDE = 5  # pixels left free at both ends of a bar's box
SIGMAS = 2

WIDTH, HEIGHT = 960, 236
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_FOOT = 58, 952, 26, 190
GAP = 6
LINES = 4


@dataclass(frozen=True)
class Bar:
    """One bar beside its row: from zero to its figure; `after` the mark of the figure as corrected, "" where equal."""

    x: str
    width: str
    zero: str
    is_loss: bool
    after: str = ""


def bars(figures: Sequence[tuple[int, int | None]]) -> list[Bar]:
    """Bars of one scale, with its zero where the lowest figure asks for it; each figure with another one to mark."""
    values = [value for pair in figures for value in pair if value is not None]
    at = _scale(values)
    return [
        Bar(
            px(min(at(0), at(value))),
            px(abs(at(value) - at(0))),
            px(at(0)),
            value < 0,
            "" if after is None or after == value else px(at(after)),
        )
        for value, after in figures
    ]


class _scale:
    """Cents to pixels, with zero inside."""

    def __init__(self, values: Iterable[int | Fraction]) -> None:
        told = [Fraction(0), *(Fraction(one) for one in values)]
        self.low, high = min(told), max(told)
        self.whole = (BAR_WIDTH - 2 * INSIDE) / ((high - self.low) or Fraction(1))

    def __call__(self, value: int | Fraction) -> Fraction:
        return INSIDE + (value - self.low) * self.whole


@dataclass(frozen=True)
class Whisker:
    """The expected win with the band of two standard deviations, and the win in fact; `band` is "" where none is known.

    `is_outside` says that the win lies beyond the band: one day in twenty or so does by chance.
    """

    zero: str
    band_x: str
    band: str
    expected: str
    won: str
    is_outside: bool


def whiskers(told: Sequence[Expected]) -> list[Whisker]:
    """One for each, of one scale."""
    ends: list[int | Fraction] = []
    for one in told:
        spread = SIGMAS * sigma(one) if one.variance is not None else 0
        ends += [one.win - spread, one.win + spread, one.won_cents]
    at = _scale(ends)
    return [_whisker(one, at) for one in told]


def _whisker(one: Expected, at: _scale) -> Whisker:
    spread = SIGMAS * sigma(one) if one.variance is not None else None
    return Whisker(
        px(at(0)),
        "" if spread is None else px(at(one.win - spread)),
        "" if spread is None else px(2 * spread * at.whole),
        px(at(one.win)),
        px(at(one.won_cents)),
        is_outside(one),
    )


def sigma(one: Expected) -> int:
    """The standard deviation in whole cents; 0 where it is not known."""
    return root(one.variance) if one.variance else 0


def is_outside(one: Expected) -> bool:
    """Whether the win lies further from the expected one than two standard deviations."""
    return one.variance is not None and (one.won_cents - one.win) ** 2 > SIGMAS**2 * one.variance


@dataclass(frozen=True)
class Column:
    """One hour: its column, how it is labelled beneath, and what it says."""

    x: str
    y: str
    width: str
    height: str
    middle: str
    label: str
    rounds: int
    told: str


@dataclass(frozen=True)
class Grid:
    """One line across, with its figure."""

    y: str
    label: str


@dataclass(frozen=True)
class Columns:
    """Rounds by hour; `told` says all of it in words."""

    columns: tuple[Column, ...]
    grid: tuple[Grid, ...]
    told: str
    size: tuple[int, int] = (WIDTH, HEIGHT)
    left: int = PLOT_LEFT
    right: int = PLOT_RIGHT
    foot: int = PLOT_FOOT
    label_y: int = PLOT_FOOT + 24


def columns(hours: Sequence[Hour], labels: Sequence[str]) -> Columns:
    """The settled rounds of each hour. Every third hour has its label, so that they stay apart on a tablet."""
    most = max((one.figures.settled for one in hours), default=0)
    step = _step(most)
    top = max(step, -(-most // step) * step)
    tall = Fraction(PLOT_FOOT - PLOT_TOP, top)
    across = Fraction(PLOT_RIGHT - PLOT_LEFT, len(hours) or 1)
    found = []
    for place, (hour, label) in enumerate(zip(hours, labels, strict=True)):
        rounds, x = hour.figures.settled, PLOT_LEFT + place * across
        found.append(
            Column(
                px(x + Fraction(GAP, 2)),
                px(PLOT_FOOT - rounds * tall),
                px(across - GAP),
                px(rounds * tall),
                px(x + across / 2),
                label if place % 3 == 0 else "",
                rounds,
                f"{label}: {_counted(rounds)}, win {in_dollars(hour.figures.win_cents)}",
            )
        )
    lines = tuple(Grid(px(PLOT_FOOT - at * tall), f"{at:,}") for at in range(0, top + 1, step))
    busy = [one.told for one in found if one.rounds]
    return Columns(tuple(found), lines, "Rounds by hour. " + ("; ".join(busy) or "None was settled") + ".")


def _counted(rounds: int) -> str:
    return f"{rounds:,} round{'' if rounds == 1 else 's'}"


def _step(most: int) -> int:
    """A round number of rounds, at most `LINES` of which reach the top."""
    step = 1
    while most > LINES * step:
        step = {"1": step * 2, "2": step * 5 // 2, "5": step * 2}[str(step)[0]]
    return step
