"""What a game draws with: its table on the floor plan, money and marks on its layout, and the layout on white paper.

1. The outline of a table on the floor plan (`TableShape`), and the places of its seats: geometry for attributes of SVG.
   Units are those of the plan. The origin is the middle of the table, with its dealers at the bottom.
2. How money and marks are written and drawn on a layout: amounts, chips, stars.
3. A layout in black on white paper (`PaperLayout`): its areas in units of their own, with words or dice in each. Each
   game draws its own in `games/catalog/*/paper.py`; a game without one gets its wagers in rows.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import cos, dist, pi, sin
from typing import Any

from games import registry
from games.engine.rules import Rules
from games.snapshot_types import Snapshot

Point = tuple[float, float]

CHAIR_DISTANCE = 9.0  # from the edge of the table
STEPS_OF_CORNER = 16


@dataclass(frozen=True)
class TableShape:
    """A rectangle with rounded corners.

    `far_corners` are the radii, across and along, of the two corners on the players' side, `near_corner` that of those
    on the dealers' side, of which `dealers` is the length without seats.
    """

    width: float = 112
    height: float = 68
    far_corners: tuple[float, float] = (8, 8)
    near_corner: float = 8
    dealers: float = 112

    @property
    def path(self) -> str:
        """The outline, as the `d` of a path."""
        x, y, near = self.width / 2, self.height / 2, self.near_corner
        across, along = self.far_corners
        return (
            f"M{-x:g} {y - near:g}V{along - y:g}A{across:g} {along:g} 0 0 1 {across - x:g} {-y:g}H{x - across:g}"
            f"A{across:g} {along:g} 0 0 1 {x:g} {along - y:g}V{y - near:g}A{near:g} {near:g} 0 0 1 {x - near:g} {y:g}"
            f"H{near - x:g}A{near:g} {near:g} 0 0 1 {-x:g} {y - near:g}Z"
        )

    def chairs(self, seats: int) -> tuple[Point, ...]:
        """Return the middle of each seat, clockwise from the dealers' right, at equal distances around the players."""
        return _chairs(self, seats)


@lru_cache(maxsize=64)
def _chairs(shape: TableShape, seats: int) -> tuple[Point, ...]:
    edge = _players_edge(shape)
    lengths = [0.0, *accumulate(dist(start, end) for start, end in pairwise(edge))]
    places = [lengths[-1] * (seat + 0.5) / seats for seat in range(seats)]
    return tuple(_point_on(edge, lengths, place) for place in places)


def _point_on(line: list[Point], lengths: list[float], place: float) -> Point:
    """Return the point of a line at this distance from its start; `lengths` are the distances of its points."""
    number = bisect_left(lengths, place, 1, len(line) - 1)
    start, end = line[number - 1], line[number]
    share = (place - lengths[number - 1]) / (lengths[number] - lengths[number - 1] or 1)
    return (
        round(start[0] + share * (end[0] - start[0]), 1),
        round(start[1] + share * (end[1] - start[1]), 1),
    )


def _players_edge(shape: TableShape) -> list[Point]:
    """Return the line on which the players sit, from the lower left around to the lower right."""
    x, y, near = shape.width / 2, shape.height / 2, shape.near_corner
    across, along = shape.far_corners
    half: list[Point] = []
    if shape.dealers < shape.width - 2 * near:
        half.append((-shape.dealers / 2, y + CHAIR_DISTANCE))
        half += _corner((near - x, y - near), (near + CHAIR_DISTANCE, near + CHAIR_DISTANCE), pi / 2, pi)
    else:
        half.append((-x - CHAIR_DISTANCE, y - near))
    half += _corner(
        (across - x, along - y), (across + CHAIR_DISTANCE, along + CHAIR_DISTANCE), pi, 3 * pi / 2
    )
    return half + [(-point[0], point[1]) for point in reversed(half)]


def _corner(center: Point, radii: Point, start: float, end: float) -> list[Point]:
    turns = (start + (end - start) * step / STEPS_OF_CORNER for step in range(STEPS_OF_CORNER + 1))
    return [(center[0] + radii[0] * cos(turn), center[1] + radii[1] * sin(turn)) for turn in turns]


# Marks on a layout


WINS = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>WINS</span>'
NOT_DEALT = '<span class="not-dealt" aria-hidden="true">not dealt</span>'
TAKE = '<svg class="icon mark mark--take" aria-hidden="true"><use href="#i-down"/></svg>'
CORRECTED = '<svg class="icon corrected-mark" aria-hidden="true"><use href="#i-edit"/></svg>'
PAYING = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-up"/></svg>PAY</span>'
PAID = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-check"/></svg>PAID</span>'


def listed(items: Sequence[Any]) -> str:
    """Return `3, 4, 7 and 8`."""
    words = [str(item) for item in items]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def marked_corrected(top: str) -> str:
    """Return the word of a result, if any, marked as corrected: a pencil in place of its star."""
    if "wins" not in top:
        return f"{top}{CORRECTED}"
    return top.replace('class="wins"', 'class="wins wins--corrected"').replace("#i-star", "#i-edit")


def is_dice_corrected(s: Snapshot) -> bool:
    """Return whether the faces of the newest valid throw were corrected at the table."""
    valid = [throw for throw in s["round"]["throws"] if not throw["void"]]
    return bool(valid) and valid[-1]["corrected"]


def corrected_areas(s: Snapshot) -> set[str]:
    """Return the areas of the wagers that were corrected in this round, and those that corrected dice light."""
    codes = {wager["wager"] for wager in s["round"]["wagers"] if wager["struck"] or wager["missed"]}
    return codes | set(s["round"]["lit"]) if is_dice_corrected(s) else codes


# A layout on paper


PAPER_WIDTH = 100.0
PAPER_ROW = 6.0
PAPER_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class PaperArea:
    """One area: the code of its wager, its box with the top left corner at x, y, and what is printed in it."""

    wager: str
    x: float
    y: float
    width: float
    height: float
    words: tuple[str, ...] = ()
    faces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperLayout:
    """The areas of a layout, and the size of the box around them."""

    height: float
    areas: tuple[PaperArea, ...]
    width: float = PAPER_WIDTH

    def of_wagers(self, codes: Iterable[str]) -> "PaperLayout":
        """Return the layout with only the areas of these wagers, because an edition may deal fewer."""
        known = set(codes)
        return PaperLayout(self.height, tuple(area for area in self.areas if area.wager in known), self.width)


def row(y: float, wagers: Sequence[tuple[str, str]], *, height: float = PAPER_ROW) -> list[PaperArea]:
    """Return a row of areas of equal width over the full width: (wager, words), "|" begins another line."""
    width = PAPER_WIDTH / len(wagers)
    return [
        PaperArea(wager, place * width, y, width, height, tuple(words.split("|")))
        for place, (wager, words) in enumerate(wagers)
    ]


def paper_layout(rules: Rules) -> PaperLayout:
    """Return the layout of a round's rules."""
    game = registry.game_of(rules)
    drawn = registry.parts("paper").get(game.code)
    types = game.wager_types(rules)
    if drawn is not None:
        layout: PaperLayout = drawn.layout(rules)
        return layout.of_wagers(type_.code for type_ in types)
    areas: list[PaperArea] = []
    for place in range(0, len(types), PAPER_COLUMNS):
        wagers = [(type_.code, type_.label) for type_ in types[place : place + PAPER_COLUMNS]]
        areas += row(PAPER_ROW * (place // PAPER_COLUMNS), wagers)
    return PaperLayout(PAPER_ROW * -(-len(types) // PAPER_COLUMNS), tuple(areas))
