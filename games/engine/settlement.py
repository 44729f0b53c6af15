"""How one wager ended. Paid and returned are separate figures; nothing is ever rounded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from games.engine.odds import Pays
from games.engine.wagers import Wager

WIN, LOSE, RETURN, FEE = "win", "lose", "return", "fee"
STEPS_A_THROW = 10


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a wager won or lost, as data; `games.wording.why` makes the sentence."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """A wager's end: `paid_cents` are winnings, `returned_cents` the stake, `cite` the paragraph behind it.

    `pays` is None unless the outcome is a win. `cut_cents` is what an aggregate payout limit took away. `step` and
    `rank` are its place in the edition's order of settlement: a step is what is settled at once, ten of them for
    each throw (10 to 19 for the first), and inside a step wagers go by rank, losers before winners, and by seat.
    """

    wager: Wager
    outcome: str
    pays: Pays | None
    paid_cents: int
    returned_cents: int
    cite: str
    why: Reason
    cut_cents: int = 0
    step: int = STEPS_A_THROW
    rank: tuple[int, ...] = ()


def win(
    wager: Wager,
    pays: Pays,
    cite: str,
    why: Reason,
    step: int = STEPS_A_THROW,
    rank: tuple[int, ...] = (),
) -> Settled:
    """The stake returned and the odds paid; raises `fraction-of-a-cent`."""
    paid = pays.win(wager.cents, cite)
    return Settled(wager, WIN, pays, paid, wager.cents, cite, why, 0, step, rank)


def lose(
    wager: Wager, cite: str, why: Reason, step: int = STEPS_A_THROW, rank: tuple[int, ...] = ()
) -> Settled:
    """Collected: nothing paid, nothing returned."""
    return Settled(wager, LOSE, None, 0, 0, cite, why, 0, step, rank)


def fee(wager: Wager, cite: str, why: Reason) -> Settled:
    """Bought and collected before the throw: nothing paid, nothing returned."""
    return Settled(wager, FEE, None, 0, 0, cite, why, 0, 0)


def give_back(wager: Wager, cite: str, why: Reason) -> Settled:
    """The stake returned and nothing decided."""
    return Settled(wager, RETURN, None, 0, wager.cents, cite, why)


def settlement_order(settled: Sequence[Settled]) -> list[int]:
    """Indexes in the order of settlement: by step and rank, losers before winners, by seat, and as entered."""

    def key(place: int) -> tuple[Any, ...]:
        one = settled[place]
        return one.step, one.rank, one.outcome == WIN, one.wager.seat, place

    return sorted(range(len(settled)), key=key)


def in_order(settled: Sequence[Settled]) -> tuple[Settled, ...]:
    """Settlements in the order of settlement."""
    return tuple(settled[place] for place in settlement_order(settled))


def cut_to_limit(
    settled: Sequence[Settled], limit_cents: int, exempt: Callable[[Wager], bool]
) -> tuple[Settled, ...]:
    """Payouts cut, in the order of settlement, so that no seat's winnings pass the limit; exempt ones do not count."""
    left: dict[int, int] = {}
    found = list(settled)
    for place in settlement_order(settled):
        one = settled[place]
        if one.outcome != WIN or exempt(one.wager):
            continue
        rest = left.get(one.wager.seat, limit_cents)
        cut = max(one.paid_cents - rest, 0)
        left[one.wager.seat] = rest - one.paid_cents + cut
        if cut:
            found[place] = replace(one, paid_cents=one.paid_cents - cut, cut_cents=cut)
    return tuple(found)
