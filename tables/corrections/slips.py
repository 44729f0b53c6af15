"""The arithmetic of Error Notification Slips: the corrected settlement of a round, and what each seat is owed.

Pure: engine and numbers only. A *line* is one settled wager as in the record and in `manage.py adjudicate`. Money is
integer cents, positive toward a player and negative toward the casino.

A line is worth `paid + returned − staked` to its player. A seat is owed the worth of its lines after the slip, less
their worth before it. For $20 (2,000) at 1 to 1:

| what was wrong | before | after | due |
|---|---|---|---|
| dice: it lost, and should win | lost −2,000 | won +2,000 | +4,000 |
| dice: it won, and should lose | won +2,000 | lost −2,000 | −4,000 |
| a missed wager won: the player has its chips | nothing 0 | won +2,000 | +2,000 |
| a missed wager lost: the player has its chips | nothing 0 | lost −2,000 | −2,000 |
| a mistaken wager had won: it was paid for nothing | won +2,000 | nothing 0 | −2,000 |
| a mistaken wager had lost: the casino took other chips | lost −2,000 | nothing 0 | +2,000 |
| another amount, $50 instead of $20, won | won +2,000 | won +5,000 | +3,000 |
| another amount, $50 instead of $20, lost; $20 were taken | lost −2,000 | lost −5,000 | −3,000 |
| another code: struck from one and missed on the other | as above | as above | the sum |
| void: it had won | won +2,000 | returned 0 | −2,000 |
| void: it had lost, or was a fee | lost −2,000 | returned 0 | +2,000 |

By the record, the stake of a lost wager or a fee was taken, and that of any other wager was not. Where a wager's chips
in fact went elsewhere (`CHIPS`), the seat is owed that too. A missed $20 that the casino had taken adds 2,000: nothing
is due if it lost, and 4,000 if it won. A mistaken $20 that lost, with no chips there to take, subtracts 2,000: nothing
is due.

A payment slip leaves the settlement as it is. A seat is owed the winnings settled less those it received, and the
stakes taken less those that were to be taken: 11,000 settled and 8,000 paid is +3,000; a losing 2,000 left is −2,000.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

from games.engine import Refusal, Rules
from games.engine.refusals import TOO_FEW_THROWS, TOO_MANY_THROWS, WRONG_NUMBER_OF_DICE
from games.engine.settlement import FEE, LOSE, Settled, in_order
from games.engine.wagers import Wager
from games.registry import game_of
from tables.corrections.entry_types import Chips, SeatAmount
from tables.corrections.refusals import SLIP_ANOTHER_COURSE
from tables.rounds.settlement import SettledWager, Totals

SettlementLine = SettledWager
WagerKey = tuple[int, str, int | None]
CHIPS: tuple[Chips, ...] = get_args(Chips)
# Refusals of throws with which the game would have gone on, or ended earlier.
OTHER_GAME_CODES = frozenset({TOO_MANY_THROWS, TOO_FEW_THROWS, WRONG_NUMBER_OF_DICE})


class CorrectedWager(NamedTuple):
    """A corrected wager: what was recorded, what was in fact there (0: nothing), and who has its chips."""

    seat: int
    code: str
    play: int | None
    before_cents: int
    after_cents: int
    chips: Chips

    @property
    def key(self) -> WagerKey:
        return self.seat, self.code, self.play


class SeatPayment(NamedTuple):
    """What was in fact paid to and taken from one seat, in cents."""

    seat: int
    paid_cents: int
    taken_cents: int


# Settlements as lines


def key_of(line: SettlementLine) -> WagerKey:
    """The seat, code and play of a line."""
    return line["seat"], line["wager"], line.get("play")


def wagers_of(lines: Iterable[SettlementLine]) -> list[Wager]:
    """The wagers that these lines settle, in order."""
    return [Wager(line["seat"], line["wager"], line["cents"], line.get("play")) for line in lines]


def totals(lines: Iterable[SettlementLine]) -> Totals:
    """`taken_cents` (lost stakes and fees), `paid_cents` and `returned_cents` of a settlement."""
    settled_lines = list(lines)
    staked = sum(line["cents"] for line in settled_lines)
    returned = sum(line["returned_cents"] for line in settled_lines)
    paid = sum(line["paid_cents"] for line in settled_lines)
    return {"taken_cents": staked - returned, "paid_cents": paid, "returned_cents": returned}


def by_seat(lines: Iterable[SettlementLine]) -> dict[int, Totals]:
    """`totals` of each seat, lowest seat first."""
    seats: dict[int, list[SettlementLine]] = defaultdict(list)
    for line in lines:
        seats[line["seat"]].append(line)
    return {seat: totals(seat_lines) for seat, seat_lines in sorted(seats.items())}


# Settling the round again


def readjudicate(
    rules: Rules, throws: Sequence[Sequence[int]], wagers: Sequence[Wager]
) -> tuple[str, tuple[Settled, ...]]:
    """Settle the whole round again under the rules it pinned. Returns the ending and the wagers in order of settlement.

    Raises `slip-another-course` where the game would have ended at another throw, and what the engine raises for
    wagers.
    """
    try:
        ending, settled = game_of(rules).adjudicate(rules, throws, wagers)
    except Refusal as refusal:
        if refusal.code in OTHER_GAME_CODES:
            raise Refusal(SLIP_ANOTHER_COURSE, refusal.section) from None
        raise
    return ending, in_order(settled)


def return_all(rules: Rules, wagers: Sequence[Wager], reason: str) -> tuple[str, tuple[Settled, ...]]:
    """Return every wager. The ending is `void`."""
    return game_of(rules).adjudicate(rules, (), wagers, voided=reason)


def apply_corrections(wagers: Iterable[Wager], corrected: Iterable[CorrectedWager]) -> list[Wager]:
    """Apply the corrections: an amount replaced in its place, a missed wager added last, a mistaken one removed."""
    wagers_by_key = {wager.key: wager for wager in wagers}
    for wager in corrected:
        if wager.after_cents:
            wagers_by_key[wager.key] = Wager(wager.seat, wager.code, wager.after_cents, wager.play)
        else:
            wagers_by_key.pop(wager.key, None)
    return list(wagers_by_key.values())


# Amounts due


def due(before: Iterable[SettlementLine], after: Iterable[SettlementLine]) -> dict[int, int]:
    """What each seat is owed by the difference of two settlements, zero included."""
    owed: dict[int, int] = defaultdict(int)
    for sign, lines in ((-1, before), (1, after)):
        for line in lines:
            owed[line["seat"]] += sign * (line["paid_cents"] + line["returned_cents"] - line["cents"])
    return dict(owed)


def due_for_chips(before: Iterable[SettlementLine], corrected: Iterable[CorrectedWager]) -> dict[int, int]:
    """What a seat is owed in addition, because chips of corrected wagers went elsewhere than the record says."""
    taken_keys = {key_of(line) for line in before if line["outcome"] in (LOSE, FEE)}
    owed: dict[int, int] = defaultdict(int)
    for wager in corrected:
        recorded = wager.before_cents if wager.key in taken_keys else 0
        owed[wager.seat] += _taken_in_fact(wager, recorded) - recorded
    return dict(owed)


def _taken_in_fact(wager: CorrectedWager, recorded: int) -> int:
    if wager.chips == "house":
        return wager.after_cents or wager.before_cents
    return 0 if wager.chips == "player" else recorded


def due_for_payments(before: Iterable[SettlementLine], payments: Iterable[SeatPayment]) -> dict[int, int]:
    """What a seat is owed because it was paid, or paid in, another amount than was settled."""
    settled = by_seat(before)
    no_totals = totals(())
    owed: dict[int, int] = {}
    for payment in payments:
        seat_totals = settled.get(payment.seat, no_totals)
        owed[payment.seat] = (seat_totals["paid_cents"] - payment.paid_cents) + (
            payment.taken_cents - seat_totals["taken_cents"]
        )
    return owed


def sum_by_seat(*owed: Mapping[int, int]) -> list[SeatAmount]:
    """Add up these amounts by seat, lowest seat first, without seats that are owed nothing: `[{"seat", "cents"}]`."""
    total: dict[int, int] = defaultdict(int)
    for amounts in owed:
        for seat, cents in amounts.items():
            total[seat] += cents
    return [{"seat": seat, "cents": cents} for seat, cents in sorted(total.items()) if cents]
