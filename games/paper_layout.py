"""A layout as it is drawn in black on white paper: its areas in units of their own, with words or dice in each.

Each game draws its own in `games/catalog/*/paper.py`; a game without one gets its wagers in rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games import registry
from games.engine.rules import Rules

WIDTH = 100.0
ROW = 6.0
COLUMNS = 6


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
    width: float = WIDTH

    def of_wagers(self, codes: Iterable[str]) -> "PaperLayout":
        """Return the layout with only the areas of these wagers, because an edition may deal fewer."""
        known = set(codes)
        return PaperLayout(self.height, tuple(area for area in self.areas if area.wager in known), self.width)


def row(y: float, wagers: Sequence[tuple[str, str]], *, height: float = ROW) -> list[PaperArea]:
    """Return a row of areas of equal width over the full width: (wager, words), "|" begins another line."""
    width = WIDTH / len(wagers)
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
    for place in range(0, len(types), COLUMNS):
        wagers = [(type_.code, type_.label) for type_ in types[place : place + COLUMNS]]
        areas += row(ROW * (place // COLUMNS), wagers)
    return PaperLayout(ROW * -(-len(types) // COLUMNS), tuple(areas))
