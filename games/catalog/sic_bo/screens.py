"""What only Sic Bo shows on live screens: a wager in a list, as its dice, or as a word or figure."""

from functools import cached_property, lru_cache
from typing import TypedDict

from games.snapshot_types import Snapshot

DICE_OF_KIND = {"one-of-a-kind": 1, "two-of-a-kind": 2, "three-of-a-kind": 3}


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


class Console:
    """What the dealer's console shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def glyphs(self) -> dict[str, Glyph]:
        """How each wager to take or to pay is drawn, by its code."""
        take, pay = self.s["round"]["take"], self.s["round"]["pay"]
        codes = {line["wager"] for seat in take["seats"] for line in seat["lines"]}
        codes |= {line["wager"] for seat in pay["seats"] for line in seat["lines"]}
        return {code: glyph(code) for code in codes}


class Table:
    """What the pit's table page shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def glyphs(self) -> dict[str, Glyph]:
        """How each wager of the layout is drawn, by its code."""
        return {area["wager"]: glyph(area["wager"]) for area in self.s["layout"]}
