"""What only Sic Bo shows on live screens: a wager in a list, as its dice, or as a word or figure."""

from functools import cached_property, lru_cache
from typing import TypedDict

from games.drawing import TableShape
from games.snapshot_types import Snapshot
from games.stacks import EVERY_SEAT

TABLE_SHAPE = TableShape(height=72, far_corners=(56, 58), near_corner=6)  # round where the players sit
DICE_OF_KIND = {"one-of-a-kind": 1, "two-of-a-kind": 2, "three-of-a-kind": 3}


# How many owners of an area are a stack each; small and big have a place for every seat.
FULL_STACKS = {
    "small": EVERY_SEAT,
    "big": EVERY_SEAT,
    "any-three-of-a-kind": 2,
    "two-of-a-kind": 2,
    "two-dice": 2,
    "total": 2,
    "one-of-a-kind": 2,
    "three-of-a-kind": 1,
}


class Glyph(TypedDict):
    """The dice that represent a wager in a list; the word or figure of a wager without dice."""

    faces: list[str]
    sign: str


@lru_cache(maxsize=128)
def glyph(wager: str) -> Glyph:
    """Return how a wager is drawn; no dice for totals, small, big and any three of a kind."""
    family, _, value = wager.partition(":")
    faces = [value] * DICE_OF_KIND.get(family, 0)
    if family == "two-dice":
        faces = value.split("-")
    return {"faces": faces, "sign": value or {"any-three-of-a-kind": "ANY 3"}.get(family, family.upper())}


def printed(wager: str, odds: tuple[str, ...]) -> Glyph:
    """Return what the print of an area shows."""
    return glyph(wager)


def full_stacks(family: str) -> int:
    """Return how many owners of an area of a family are a stack each."""
    return FULL_STACKS.get(family, 2)


class Console:
    """What the dealer's console shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def glyphs(self) -> dict[str, Glyph]:
        """How each wager to take, to pay or to return is drawn, by its code."""
        take, pay = self.s["round"]["take"], self.s["round"]["pay"]
        codes = {line["wager"] for seat in take["seats"] for line in seat["lines"]}
        codes |= {line["wager"] for seat in pay["seats"] for line in seat["lines"]}
        back = self.s["returning"]
        codes |= {line["wager"] for seat in back["seats"] for line in seat["lines"]} if back else set()
        return {code: glyph(code) for code in codes}


class Table:
    """What the pit's table page shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def glyphs(self) -> dict[str, Glyph]:
        """How each wager of the layout is drawn, by its code."""
        return {area["wager"]: glyph(area["wager"]) for area in self.s["layout"]}
