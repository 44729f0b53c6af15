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
    """The stake goes back and nothing is decided."""
    return Settled(wager, RETURN, None, 0, wager.cents, cite, why)


def settlement_order(settled: Sequence[Settled]) -> list[int]:
    """Indexes in the order of settlement: by step and rank, losers before winners, by seat, and as entered."""

    def key(index: int) -> tuple[Any, ...]:
        line = settled[index]
        return line.step, line.rank, line.outcome == WIN, line.wager.seat, index

    return sorted(range(len(settled)), key=key)


def in_order(settled: Sequence[Settled]) -> tuple[Settled, ...]:
    """Settlements in the order of settlement."""
    return tuple(settled[index] for index in settlement_order(settled))


def cut_to_limit(
    settled: Sequence[Settled], limit_cents: int, exempt: Callable[[Wager], bool]
) -> tuple[Settled, ...]:
    """Payouts cut in the order of settlement, so that no seat wins more than the limit. Exempt wagers do not count."""
    remaining: dict[int, int] = {}  # cents by seat
    lines = list(settled)
    for index in settlement_order(settled):
        line = settled[index]
        if line.outcome != WIN or exempt(line.wager):
            continue
        limit = remaining.get(line.wager.seat, limit_cents)
        cut = max(line.paid_cents - limit, 0)
        remaining[line.wager.seat] = limit - line.paid_cents + cut
        if cut:
            lines[index] = replace(line, paid_cents=line.paid_cents - cut, cut_cents=cut)
    return tuple(lines)
