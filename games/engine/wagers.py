"""What a player may bet on, the wagers of a seat, and how each of them ended.

A dealer enters totals (`Placing`); `apply_placings` makes the wagers of them. The rules decide a wager by `win`,
`lose`, `fee` or `give_back`. Paid and returned are separate amounts; nothing is ever rounded.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, get_args

from games.engine.odds import Pays

MadeIn = Literal["chips", "plaques"]
MADE_IN: tuple[MadeIn, ...] = get_args(MadeIn)


class Place(NamedTuple):
    """The position of a wager: the name of an area of the layout, and the position in it, from 0."""

    area: str
    position: int


@dataclass(frozen=True, slots=True)
class WagerType:
    """One wager of an edition: its code, its name, the family that shares its odds, the section that defines it.

    `family_name` is what people call the family if no wager of it has that name alone.
    """

    code: str
    label: str
    family: str
    section: str
    place: Place
    family_name: str = ""


@dataclass(frozen=True, slots=True)
class Fee:
    """A price that a seat pays before the throw, and that never wins.

    `affects` begins the codes whose chances it changes, and `pays_by` the paytable rows by which they are then paid.
    `note` explains its figure on an odds sheet.
    """

    code: str
    affects: str
    pays_by: str
    note: str


@dataclass(frozen=True, slots=True)
class Wager:
    """The total, in cents, that a seat has on one code (and, in a game with plays, on one play)."""

    seat: int
    code: str
    cents: int
    play: int | None = None

    @property
    def key(self) -> tuple[int, str, int | None]:
        return self.seat, self.code, self.play


class Placing(NamedTuple):
    """What a dealer enters: the new total (0 removes the wager), and what it was made in."""

    seat: int
    code: str
    cents: int
    made_in: str = "chips"
    play: int | None = None

    @property
    def key(self) -> tuple[int, str, int | None]:
        """Return the seat, code and play of the line, as `Wager.key`."""
        return self.seat, self.code, self.play


def apply_placings(
    wagers: tuple[Wager, ...], placings: Iterable[Placing]
) -> tuple[tuple[Wager, ...], tuple[int, ...]]:
    """Return the wagers after these lines in turn, and the total before each line."""
    by_key = {wager.key: wager for wager in wagers}
    before = []
    for line in placings:
        wager = by_key.get(line.key)
        before.append(wager.cents if wager else 0)
        if line.cents:
            by_key[line.key] = Wager(line.seat, line.code, line.cents, line.play)
        else:
            by_key.pop(line.key, None)
    return tuple(by_key.values()), tuple(before)


# How one wager ended


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
