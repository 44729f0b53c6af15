"""The field of Three Dice Football as it is drawn: yards, marker, track of the plays, pucks (docs/architecture.md)."""

from typing import TypedDict, cast

from games.catalog.football.engine.game import Advance, FootballView
from games.snapshot_types import Snapshot

DOWNS = ("1st Down", "2nd Down", "3rd Down", "1st & Goal", "2nd & Goal", "3rd & Goal", "Extra Point")
KICK_OFF: FootballView = {
    "yard": 20, "down": 1, "goal": False, "play": 1, "track": [], "score": None, "locked": False,
    "extra_point": False, "quarterback": None, "offer": {"next": 1, "last": None},
}  # fmt: skip


class Yard(TypedDict):
    """One yard of the field, in hundredths of the width."""

    number: int
    x: str
    is_line: bool


class Band(TypedDict):
    """Five yards in another shade, in hundredths of the width."""

    left: str
    wide: str


class FarLine(TypedDict):
    """A yard line of the far half."""

    left: float
    number: int


class Arc(TypedDict):
    """A play drawn on the field: an SVG path from `start`."""

    play: int
    path: str
    still: bool
    start: str


class Field(TypedDict):
    """The field's coordinates. `here` is the Yard Marker's yard, None after a score."""

    yards: list[Yard]
    bands: list[Band]
    far_end: int
    far_lines: list[FarLine]
    goal: int
    near_wide: int
    near_middle: float
    marker: str
    here: int | None
    arcs: list[Arc]
    start: str


class Down(TypedDict):
    """An area for the down puck."""

    name: str
    on: bool
    first: bool


class Length(TypedDict):
    """An area for the game length puck."""

    play: int
    on: bool


def gridiron(s: Snapshot) -> FootballView:
    """Return the game's own view; before a round has begun, as at the kickoff."""
    return {**KICK_OFF, **cast(FootballView, s["round"].get("game") or {})}


# The field: the half in play to scale, the far half compressed


FAR_END, FAR_HALF, GOAL_LINE = 3, 9, 91  # hundredths of the width: far end zone, far half, goal line
YARDS = 23


def _at(yard: int) -> float:
    """Return where a yard is, in hundredths of the width; the goal line and beyond is yard 0."""
    return FAR_HALF + (GOAL_LINE - FAR_HALF) * (YARDS - yard + 0.5) / (YARDS + 0.5)


FIELD_YARDS: list[Yard] = [
    {"number": yard, "x": f"{_at(yard):.3f}", "is_line": yard in (10, 20)} for yard in range(YARDS, 0, -1)
]
BANDS: list[Band] = [
    {"left": f"{_at(high):.3f}", "wide": f"{_at(low) - _at(high):.3f}"} for high, low in ((20, 15), (10, 5))
]


def field(game: FootballView) -> Field:
    """Return the field's coordinates: yards, bands of five, the marker, and an arc for each play."""
    scored = game["score"] is not None
    return {
        "yards": FIELD_YARDS,
        "bands": BANDS,
        "far_end": FAR_END,
        "far_lines": [{"left": 5, "number": 10}, {"left": 7.2, "number": 20}],
        "goal": GOAL_LINE,
        "near_wide": 100 - GOAL_LINE,
        "near_middle": (GOAL_LINE + 100) / 2,
        "marker": f"{(GOAL_LINE + 100) / 2 if scored else _at(game['yard']):.3f}",
        "here": None if scored else game["yard"],
        "arcs": [_arc(play) for play in game["track"]],
        "start": f"{_at(20):.3f}",
    }


def _arc(play: Advance) -> Arc:
    """Return one play as a curve in a box of 1000 by 100; a loss bends below the marker's line."""
    start, end = 10 * _at(play["from"]), 10 * _at(max(0, play["to"]))
    if play["to"] <= 0:
        end = 10 * (GOAL_LINE + 1.5)
    bend = (end - start) / 4
    top, base = (72, 64) if end < start else (8, 34)
    path = f"M{start:.0f} {base}C{start + bend:.0f} {top} {end - bend:.0f} {top} {end:.0f} {base}"
    return {"play": play["play"], "path": path, "still": start == end, "start": f"{start / 10:.3f}"}


def play_words(play: Advance) -> str:
    """Return a play of the track in words: `gain of 8, to 12`."""
    meaning, to = play["what"], play["to"]
    if meaning == "gain":
        return f"gain of {play['yards']}, {f'to {to}' if to > 0 else 'touchdown'}"
    return {
        "penalty": f"penalty, to {to}",
        "no-gain": f"no gain, at {to}",
        "turnover": "turnover",
        "trips-td": "Trips TD",
    }[meaning]


def down_name(game: FootballView) -> str:
    """Return `2nd Down`, `1st & Goal`."""
    return DOWNS[min(max(game["down"], 1), 3) - 1 + (3 if game["goal"] else 0)]


def to_go(game: FootballView) -> str:
    """Return the number of the down and the distance to the end zone, as the dealer announces them."""
    yards = game["yard"]
    return f"{down_name(game)}, {yards} yard{'' if yards == 1 else 's'}"


def downs(s: Snapshot, game: FootballView) -> list[Down]:
    """Return the seven areas for the down puck; after a score it is on Extra Point."""
    scored = game["score"] is not None
    current = "Extra Point" if scored else down_name(game)
    over = s["round"]["phase"] == "paid" and not scored
    return [
        {"name": name, "on": name == current and not over, "first": name == "1st & Goal"} for name in DOWNS
    ]


def lengths(game: FootballView) -> list[Length]:
    """Return the six areas for the game length puck."""
    play = len(game["track"]) if game["score"] is not None else game["play"]
    return [{"play": n, "on": n == min(max(play, 1), 6)} for n in range(1, 7)]
