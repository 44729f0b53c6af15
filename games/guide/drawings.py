"""What a guide shows of a game: its layout, its wagers in a reader's order, and the throws of its examples.

Each game has its plan in `games/catalog/*/guide`, and draws its own layout there with the shapes of this module. The
engine decides what each wager pays and what wins in an example.

A drawing is {"width", "height", "shapes"}: plain shapes that the page sets as SVG and the PDF draws. A shape is
["rect", x, y, width, height], ["circle", x, y, radius], ["line", x1, y1, x2, y2], ["die", face, x, y, size] or
["text", x, y, words, kind], in whole units of a page 350 wide. Text is set about its middle, on its baseline; its kind
is "plain" or "big" on felt, "ink" or "ink-big" on the paper.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games import registry
from games.engine import Refusal, RefusalCode

NO_GUIDE_PLAN = RefusalCode(
    "no-guide-plan",
    "No guide was written of %(game)s. Leave the game out, or have its guide plan added.",
    "No guide plan",
)


# The layout


WIDTH = 350
CHINESE_FROM = 0x2E80  # the first character of scripts that are written without spaces
Shape = list[Any]
Pays = Mapping[str, str]  # a row of the paytable to what it pays, as the language says it
Names = Mapping[str, str]  # a wager family to its name
Drawing = tuple[list[Shape], int]  # the shapes of a layout, and its height
# Draws a layout from the names, what each row pays, and the odds without "to 1" for places too small for more.
Draw = Callable[[Names, Pays, Pays], Drawing]


def wrapped(words: str, most: int) -> list[str]:
    """Return words on lines of at most this many Latin letters; a Chinese character counts as two."""
    if any(ord(sign) >= CHINESE_FROM for sign in words):
        signs = max(1, most // 2)
        return [words[place : place + signs] for place in range(0, len(words), signs)]
    lines: list[str] = []
    for word in words.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def text(x: int, y: int, words: str, kind: str = "plain") -> Shape:
    """Return words centered at x, on the baseline y."""
    return ["text", x, y, words, kind]


def box(x: int, y: int, width: int, height: int, name: str, pays: str, most: int) -> list[Shape]:
    """Return an area with its name on as many lines as needed, and its payout below."""
    lines, middle = wrapped(name, most), x + width // 2
    top = y + (height - 14 * (len(lines) + bool(pays))) // 2 + 11
    shapes: list[Shape] = [["rect", x, y, width, height]]
    shapes += [text(middle, top + 14 * place, line) for place, line in enumerate(lines)]
    return [*shapes, text(middle, top + 14 * len(lines) + 1, pays, "big")] if pays else shapes


# The plan


Throws = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Row:
    """A row of the paytable under a wager: its key, its label (a key of the text, or ""), its dice."""

    key: str
    label: str = ""
    number: str = ""
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A wager: its family, and the paytable keys that it pays by, or rows if each needs its own."""

    family: str
    pays: tuple[str, ...] = ()
    dice: tuple[int, ...] = ()
    rows: tuple[Row, ...] = ()
    group: str = ""
    squares: bool = False  # rows as small squares, the number above its payout


@dataclass(frozen=True)
class Plan:
    """The drawing of a game, its wagers, and the throws of its examples.

    `text` tells apart the texts of one game with different numbers of dice: the files are `en.toml` and
    `en-six.toml` beside the plan. `paid_by` names the wager for rows that another wager pays by. `not_in_examples`
    are families that would keep an example from ending.
    """

    draw: Draw
    entries: tuple[Entry, ...]
    examples: tuple[Throws, ...]
    text: str = ""
    paid_by: Mapping[str, str] = field(default_factory=dict)
    not_in_examples: frozenset[str] = frozenset()


def has_plan(game: str, dice: int) -> bool:
    """Return whether a game with this number of dice has a plan."""
    guide = registry.parts("guide").get(game)
    return guide is not None and dice in guide.PLANS


def plan_of(game: str, dice: int) -> Plan:
    """Return the plan of a game by the number of its dice. Raises `no-guide-plan` for a game without one."""
    if not has_plan(game, dice):
        raise Refusal(NO_GUIDE_PLAN, game=registry.game_by_code(game).full_name(dice))
    plan: Plan = registry.part(game, "guide").PLANS[dice]
    return plan
