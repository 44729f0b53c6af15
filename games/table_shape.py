"""The outline of a table on the floor plan, and the places of its seats: geometry for attributes of SVG.

Units are those of the plan. The origin is the middle of the table, with its dealers at the bottom.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import cos, dist, pi, sin

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
