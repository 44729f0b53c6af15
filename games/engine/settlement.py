"""How one wager ended. Paid and returned are separate amounts; nothing is ever rounded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from games.engine.odds import Pays
from games.engine.wagers import Wager

WagerOutcome = Literal["win", "lose", "return", "fee"]
WIN: Final = "win"
LOSE: Final = "lose"
RETURN: Final = "return"
FEE: Final = "fee"
STEPS_A_THROW = 10


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a wager won or lost, as data. `games.wording.reason_text` makes the sentence."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a wager: `paid_cents` are winnings, `returned_cents` the stake, `cite` the paragraph behind it.

    `pays` is None unless the outcome is a win. `cut_cents` is what an aggregate payout limit removed. `step` and
    `rank` give the edition's order of settlement: a step is settled at once, each throw has ten of them (10 to 19
    for the first), and within a step wagers are ordered by rank, losers before winners, and by seat.
    """

    wager: Wager
    outcome: WagerOutcome
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
    """Return the stake and pay the odds. Raises `fraction-of-a-cent`."""
    paid = pays.win(wager.cents, cite)
    return Settled(wager, WIN, pays, paid, wager.cents, cite, why, 0, step, rank)


def lose(
    wager: Wager, cite: str, why: Reason, step: int = STEPS_A_THROW, rank: tuple[int, ...] = ()
) -> Settled:
    """Collect the stake: nothing paid, nothing returned."""
    return Settled(wager, LOSE, None, 0, 0, cite, why, 0, step, rank)


def fee(wager: Wager, cite: str, why: Reason) -> Settled:
    """A fee collected before the throw: nothing paid, nothing returned."""
    return Settled(wager, FEE, None, 0, 0, cite, why, 0, 0)


def give_back(wager: Wager, cite: str, why: Reason) -> Settled:
    """Return the stake; nothing is decided."""
    return Settled(wager, RETURN, None, 0, wager.cents, cite, why)


def settlement_order(settled: Sequence[Settled]) -> list[int]:
    """Return indexes in the order of settlement: by step and rank, losers before winners, by seat, and as entered."""

    def key(index: int) -> tuple[Any, ...]:
        line = settled[index]
        return line.step, line.rank, line.outcome == WIN, line.wager.seat, index

    return sorted(range(len(settled)), key=key)


def in_order(settled: Sequence[Settled]) -> tuple[Settled, ...]:
    """Return settlements in the order of settlement."""
    return tuple(settled[index] for index in settlement_order(settled))


def cut_to_limit(
    settled: Sequence[Settled], limit_cents: int, exempt: Callable[[Wager], bool]
) -> tuple[Settled, ...]:
    """Cut payouts in the order of settlement, so that no seat wins more than the limit. Exempt wagers do not count."""
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
