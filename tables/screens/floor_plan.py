"""The floor plan: where each pit and each table is drawn, in units of the plan.

Pits follow one another in rows. A pit has its tables in two rows, those above with their players to the top and those
below with their players to the bottom, and its name between them. A table with a declared place (`Pit.places`) is
drawn there, and the others take the free places in order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from games import registry
from games.snapshot_types import Snapshot
from games.table_shape import TableShape
from tables.models.floor import PLAN_ROWS as ROWS
from tables.screens.layout import game_screens

ROW_HEIGHT, MIDDLE_HEIGHT = 146, 92  # of a row of tables with seats and a line of text; between two rows
TABLE_GAP, PIT_GAP, EDGE = 34, 26, 14
SCREEN = (1090, 700)  # about what a podium has for the plan
MOST_SHRUNK = 1.3  # how far a plan is shrunk to fit
MOST_SHRUNK_LARGE = 2.4  # the same where only the state is drawn, with larger codes
Places = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class PlanTable:
    """A table on the plan: its middle, and whether its players sit at the bottom."""

    code: str
    x: float
    y: float
    is_turned: bool


@dataclass(frozen=True)
class PlanSpot:
    """A place for a table in its pit: row 1 or 2 and column, and its middle on the plan."""

    row: int
    column: int
    x: float
    y: float


@dataclass(frozen=True)
class PlanPit:
    """A pit on the plan: its island between the rows of tables, the middle of its name, and every place for a table."""

    name: str
    x: float
    y: float
    width: float
    height: float
    tables: tuple[PlanTable, ...]
    spots: tuple[PlanSpot, ...]

    @property
    def middle_x(self) -> float:
        return self.x + self.width / 2

    @property
    def middle_y(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class FloorPlan:
    """The whole plan."""

    width: float
    height: float
    pits: tuple[PlanPit, ...]

    @property
    def is_large(self) -> bool:
        """Whether it is too small to read on a podium: its state alone fits the screen, other lenses scroll."""
        return self._shrinks > MOST_SHRUNK

    @property
    def is_scrolled(self) -> bool:
        """Whether even the state would be too small, so that every lens scrolls."""
        return self._shrinks > MOST_SHRUNK_LARGE

    @property
    def _shrinks(self) -> float:
        return max(self.width / SCREEN[0], self.height / SCREEN[1])


@lru_cache(maxsize=64)
def shape_of(game: str) -> TableShape:
    """Return the outline of a game's tables: the game's own (`TABLE_SHAPE` of its screens), or a rectangle."""
    shape: TableShape = getattr(game_screens(game), "TABLE_SHAPE", TableShape())
    return shape


registry.clear_on_change(shape_of.cache_clear)


def floor_plan(pits: Iterable[tuple[str, Sequence[Snapshot], Places]], spare_columns: int = 0) -> FloorPlan:
    """Return the plan of pits: the name, the tables and the declared places of each.

    `spare_columns`: so many more places in each row, for somebody who arranges the tables.
    """
    drawn = [_pit(name, states, places, spare_columns) for name, states, places in pits]
    widths = [pit.width + 2 * EDGE for pit in drawn]
    rows = min(
        (_rows(widths, limit) for limit in {sum(widths[: number + 1]) for number in range(len(widths))}),
        key=_shrinks,
    )
    placed, height = list[PlanPit](), 0.0
    width = max(sum(row) for row in rows)
    remaining = iter(drawn)
    for row in rows:
        x, stretch, pits_of_row = 0.0, (width - sum(row)) / len(row), [next(remaining) for _ in row]
        for pit, pit_width in zip(pits_of_row, row, strict=True):
            placed.append(_moved(pit, x + stretch / 2, height))
            x += pit_width + stretch
        height += max(_space_below(pit) for pit in pits_of_row)
    return FloorPlan(width, height, tuple(placed))


_PIT_HEIGHT = ROWS * ROW_HEIGHT + MIDDLE_HEIGHT


def _rows(widths: Sequence[float], limit: float) -> list[list[float]]:
    """Return the widths of the pits by row: as many in a row as fit the limit."""
    rows: list[list[float]] = [[]]
    for width in widths:
        if rows[-1] and sum(rows[-1]) + width > limit:
            rows.append([])
        rows[-1].append(width)
    return rows


def _shrinks(rows: list[list[float]]) -> float:
    """By how much the plan shrinks to fit a screen."""
    return max(max(sum(row) for row in rows) / SCREEN[0], len(rows) * _PIT_HEIGHT / SCREEN[1])


def _pit(name: str, states: Sequence[Snapshot], places: Places, spare_columns: int) -> PlanPit:
    """Return a pit at the origin, as wide as its wider row."""
    shapes = {s["table"]["code"]: shape_of(s["table"]["game"]) for s in states}
    columns = max(-(-len(shapes) // ROWS), *(place[1] for code, place in places.items() if code in shapes), 1)
    declared = {(place[0], place[1]): code for code, place in places.items() if code in shapes}
    spots = {
        (row, column): declared.get((row, column), "")
        for row in range(1, ROWS + 1)
        for column in range(1, columns + 1)
    }
    waiting = [code for code in shapes if code not in spots.values()]
    free = [place for place, code in spots.items() if not code]
    spots |= dict(zip(free, waiting, strict=False))
    columns += spare_columns
    by_row = [
        [spots.get((row, column), "") for column in range(1, columns + 1)] for row in range(1, ROWS + 1)
    ]
    slot = max(shape.width for shape in shapes.values()) + TABLE_GAP
    width = slot * columns + PIT_GAP
    placed = tuple(
        (code, PlanSpot(row + 1, number + 1, PIT_GAP / 2 + slot * (number + 0.5), _table_y(row)))
        for row, codes in enumerate(by_row)
        for number, code in enumerate(codes)
    )
    tables = tuple(PlanTable(code, spot.x, spot.y, is_turned=spot.row > 1) for code, spot in placed if code)
    is_lower_empty = not any(by_row[-1]) and not spare_columns
    island = ROW_HEIGHT / 2, (ROW_HEIGHT / 2 + MIDDLE_HEIGHT if is_lower_empty else _PIT_HEIGHT - ROW_HEIGHT)
    return PlanPit(
        name, EDGE, island[0], width - 2 * EDGE, island[1], tables, tuple(spot for _code, spot in placed)
    )


def _space_below(pit: PlanPit) -> float:
    """The height of the plan that a pit takes."""
    has_lower = pit.y + pit.height > ROW_HEIGHT + MIDDLE_HEIGHT
    return pit.y + pit.height + (ROW_HEIGHT / 2 if has_lower else EDGE)


def _table_y(row: int) -> float:
    """The middle of the tables of a row. The line of text is on the side of the name."""
    return ROW_HEIGHT / 2 - 8 if row == 0 else _PIT_HEIGHT - ROW_HEIGHT / 2 + 8


def _moved(pit: PlanPit, x: float, y: float) -> PlanPit:
    tables = tuple(PlanTable(table.code, table.x + x, table.y + y, table.is_turned) for table in pit.tables)
    spots = tuple(replace(spot, x=spot.x + x, y=spot.y + y) for spot in pit.spots)
    return PlanPit(pit.name, pit.x + x, pit.y + y, pit.width, pit.height, tables, spots)
