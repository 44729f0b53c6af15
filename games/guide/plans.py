"""What a guide shows of a game: its wagers in a reader's order, the rows of each, and the throws of its examples.

Each game has its plan in `games/catalog/*/guide`. The engine decides what each wager pays and what wins in an
example.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from games import registry
from games.engine import Refusal
from games.guide.drawings import Draw
from games.guide.refusals import NO_GUIDE_PLAN

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
