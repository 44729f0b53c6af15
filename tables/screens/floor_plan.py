"""The floor plan: where each pit and each table is drawn, in units of the plan.

Pits and landmarks stand in the rows that are declared (`Facility.floor_items`), and pits without a place follow one
another in rows below. A pit has its tables in two rows, those above with their players to the top and those
below with their players to the bottom, and its name between them. A table with a declared place (`Pit.places`) is
drawn there, and the others take the free places in order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby

from games import registry
from games.drawing import TableShape
from tables.models.floor import PLAN_ROWS as ROWS
from tables.screens.layout import game_screens
from tables.setup.floor_plan import FloorItem

ROW_HEIGHT, MIDDLE_HEIGHT = 146, 92  # of a row of tables with seats and a line of text; between two rows
TABLE_GAP, PIT_GAP, EDGE = 34, 26, 14
LANDMARK_HEIGHT, LANDMARK_LETTER = 76, 14  # of its row; of a letter of its name
NARROW_PIT_WIDTH, EMPTY_WIDTH = 440, 180
GAP = 40  # between items, for a finger that moves one
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
class Box:
    """A rectangle on the plan, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle_x(self) -> float:
        return self.x + self.width / 2

    @property
    def middle_y(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class PlanPit(Box):
    """A pit on the plan: the box is its island between the rows of tables, the spots are every place for a table."""

    name: str
    tables: tuple[PlanTable, ...]
    spots: tuple[PlanSpot, ...]

    @property
    def is_narrow(self) -> bool:
        """Whether only its name and its win fit between its tables where a large plan is shrunk to fit."""
        return self.width < NARROW_PIT_WIDTH


@dataclass(frozen=True)
class PlanLandmark(Box):
    """A landmark such as the cage."""

    name: str


@dataclass(frozen=True)
class PlanItem(Box):
    """The area of a pit (its code) or a landmark in its row: what is moved when the floor is arranged."""

    row: int
    name: str
    pit: str
    landmark: str


@dataclass(frozen=True)
class PlanGap(Box):
    """A place between two items of a row, or between two rows (`is_row`), to which an item can be moved."""

    row: int
    place: int
    is_row: bool = False


@dataclass(frozen=True)
class PitOnFloor:
    """A pit to draw: its code and name, its tables (code and game), and their declared places."""

    code: str
    name: str
    tables: Sequence[tuple[str, str]]
    places: Places


@dataclass(frozen=True)
class FloorPlan:
    """The whole plan. `items` and `gaps` are for somebody who arranges the floor."""

    width: float
    height: float
    pits: tuple[PlanPit, ...]
    landmarks: tuple[PlanLandmark, ...] = ()
    items: tuple[PlanItem, ...] = ()
    gaps: tuple[PlanGap, ...] = ()

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


def floor_plan(
    pits: Iterable[PitOnFloor], spare_columns: int = 0, declared: Iterable[FloorItem] = ()
) -> FloorPlan:
    """Return the plan of these pits, and of the landmarks among the declared items.

    `spare_columns`: so many more places in each row, for somebody who arranges the tables.
    """
    blocks = {pit.code: _pit_block(pit, spare_columns) for pit in pits}
    rows = _declared_rows(declared, blocks)
    placed = {block.pit for row in rows for block in row}
    rows += _best_rows([block for code, block in blocks.items() if code not in placed])
    width = max((_width(row) for row in rows), default=0.0)
    items = _items(rows, width)
    drawn = [block.within(item) for block, item in zip(chain.from_iterable(rows), items, strict=True)]
    return FloorPlan(
        width,
        items[-1].y + items[-1].height if items else 0.0,
        tuple(box for box in drawn if isinstance(box, PlanPit)),
        tuple(box for box in drawn if isinstance(box, PlanLandmark)),
        tuple(items),
        tuple(_gaps(items, width)),
    )


@dataclass(frozen=True)
class _Block:
    """What stands in a row: a pit (its code), drawn at the origin, or a landmark."""

    width: float
    height: float
    pit: str = ""
    landmark: str = ""
    plan: PlanPit | None = None

    def within(self, area: PlanItem) -> PlanPit | PlanLandmark:
        """Return it in the middle of its area; a pit begins at the top."""
        x = area.x + (area.width - self.width) / 2
        if self.plan is not None:
            return _moved(self.plan, x, area.y)
        height = LANDMARK_HEIGHT - 2 * EDGE
        return PlanLandmark(
            x + EDGE, area.middle_y - height / 2, self.width - 2 * EDGE, height, self.landmark
        )


def _pit_block(pit: PitOnFloor, spare_columns: int) -> _Block:
    plan = _pit(pit.name, pit.tables, pit.places, spare_columns)
    return _Block(plan.width + 2 * EDGE, _space_below(plan), pit=pit.code, plan=plan)


def _declared_rows(declared: Iterable[FloorItem], pits: Mapping[str, _Block]) -> list[list[_Block]]:
    """Return the declared rows, without pits that have no visible table."""
    rows: dict[int, list[_Block]] = {}
    for item in declared:
        row = rows.setdefault(item["row"], [])
        if item["landmark"]:
            width = LANDMARK_LETTER * len(item["landmark"]) + 4 * EDGE
            row.append(_Block(width, LANDMARK_HEIGHT, landmark=item["landmark"]))
        elif item["pit"] in pits:
            row.append(pits[item["pit"]])
    return [rows[number] for number in sorted(rows) if rows[number]]


def _best_rows(pits: Sequence[_Block]) -> list[list[_Block]]:
    """Return pits in rows in their order, so that the plan shrinks least to fit a screen."""
    limits = {_width(pits[: number + 1]) for number in range(len(pits))}
    return min((_rows(pits, limit) for limit in limits), key=_shrinks, default=[])


def _rows(pits: Sequence[_Block], limit: float) -> list[list[_Block]]:
    """Return as many pits in a row as fit the limit."""
    rows: list[list[_Block]] = [[]]
    for pit in pits:
        if rows[-1] and _width(rows[-1]) + pit.width > limit:
            rows.append([])
        rows[-1].append(pit)
    return rows


def _width(row: Sequence[_Block]) -> float:
    return sum(block.width for block in row)


_PIT_HEIGHT = ROWS * ROW_HEIGHT + MIDDLE_HEIGHT


def _shrinks(rows: list[list[_Block]]) -> float:
    """By how much the plan shrinks to fit a screen."""
    return max(max(map(_width, rows)) / SCREEN[0], len(rows) * _PIT_HEIGHT / SCREEN[1])


def _items(rows: Sequence[Sequence[_Block]], width: float) -> list[PlanItem]:
    """Return the area of each block, row by row; those of a row share what it leaves of the width."""
    items: list[PlanItem] = []
    y = 0.0
    for number, row in enumerate(rows, 1):
        height, spare, x = max(block.height for block in row), (width - _width(row)) / len(row), 0.0
        for block in row:
            name = block.plan.name if block.plan else block.landmark
            items.append(PlanItem(x, y, block.width + spare, height, number, name, block.pit, block.landmark))
            x += block.width + spare
        y += height
    return items


def _gaps(items: Sequence[PlanItem], width: float) -> Iterator[PlanGap]:
    """Yield a gap above each row, before and after each of its items, and one below the last row."""
    row, foot = 0, 0.0
    for row, items_of_row in groupby(items, key=lambda item: item.row):
        areas = list(items_of_row)
        y, height = areas[0].y, areas[0].height
        foot = y + height
        yield PlanGap(0, y - GAP / 2, width, GAP, row, 0, is_row=True)
        for place, x in enumerate([*(area.x for area in areas), width]):
            yield PlanGap(x - GAP / 2, y, GAP, height, row, place)
    yield PlanGap(0, foot - GAP / 2, width, GAP, row + 1, 0, is_row=True)


def _pit(name: str, tables_of_pit: Sequence[tuple[str, str]], places: Places, spare_columns: int) -> PlanPit:
    """Return a pit at the origin, as wide as its wider row."""
    shapes = {code: shape_of(game) for code, game in tables_of_pit}
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
    slot = max((shape.width for shape in shapes.values()), default=EMPTY_WIDTH) + TABLE_GAP
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
        EDGE, island[0], width - 2 * EDGE, island[1], name, tables, tuple(spot for _code, spot in placed)
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
    return replace(pit, x=pit.x + x, y=pit.y + y, tables=tables, spots=spots)
