"""How one wager ended. Paid and returned are separate figures; nothing is ever rounded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.engine.odds import Odds
from games.engine.wagers import Wager

WIN, LOSE, RETURN, FEE = "win", "lose", "return", "fee"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a wager won or lost, as data; `games.wording.why` makes the sentence."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """A wager's end: `paid_cents` are winnings, `returned_cents` the stake, `cite` the paragraph behind it.

    `pays` is None unless the outcome is a win. `cut_cents` is what an aggregate payout limit took away.
    """

    wager: Wager
    outcome: str
    pays: Odds | None
    paid_cents: int
    returned_cents: int
    cite: str
    why: Reason
    cut_cents: int = 0


def win(wager: Wager, odds: Odds, cite: str, why: Reason) -> Settled:
    """The stake returned and the odds paid; raises `fraction-of-a-cent`."""
    return Settled(wager, WIN, odds, odds.win(wager.cents, cite), wager.cents, cite, why)


def lose(wager: Wager, cite: str, why: Reason) -> Settled:
    """Collected: nothing paid, nothing returned."""
    return Settled(wager, LOSE, None, 0, 0, cite, why)


def give_back(wager: Wager, cite: str, why: Reason) -> Settled:
    """The stake returned and nothing decided."""
    return Settled(wager, RETURN, None, 0, wager.cents, cite, why)


def losers_first(settled: Sequence[Settled]) -> list[int]:
    """Indexes in the order of settlement: losers before winners, each by seat and then as they were entered."""
    return sorted(range(len(settled)), key=lambda i: (settled[i].outcome == WIN, settled[i].wager.seat, i))
