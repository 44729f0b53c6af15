"""The arithmetic of Error Notification Slips: what a round comes to once it is put right, and what each seat is owed.

Pure: engine and numbers alone. A *line* is one settled wager as the record and `manage.py adjudicate` say it. Money is
integer cents; towards a player is positive, towards the house negative.

A line is worth `paid + returned − staked` to its player. A seat is owed what its lines are worth after the slip, less
what they were worth before it. So, for $20 (2,000) at 1 to 1:

| what was wrong | before | after | due |
|---|---|---|---|
| dice: it lost, and wins | lost −2,000 | won +2,000 | +4,000 |
| dice: it won, and loses | won +2,000 | lost −2,000 | −4,000 |
| a missed wager won: the player has its chips | nothing 0 | won +2,000 | +2,000 |
| a missed wager lost: the player has its chips | nothing 0 | lost −2,000 | −2,000 |
| a mistaken wager had won: it was paid for nothing | won +2,000 | nothing 0 | −2,000 |
| a mistaken wager had lost: the house took other chips | lost −2,000 | nothing 0 | +2,000 |
| another amount, $50 in place of $20, won | won +2,000 | won +5,000 | +3,000 |
| another amount, $50 in place of $20, lost; $20 were taken | lost −2,000 | lost −5,000 | −3,000 |
| another code: it is struck from one and missed on the other | as above | as above | the sum |
| void: it had won | won +2,000 | returned 0 | −2,000 |
| void: it had lost, or was a fee | lost −2,000 | returned 0 | +2,000 |

The record says of a wager that lost, or was a fee, that its stake was taken, and of one that won, went back or was
never entered that it was not. Where the chips of a wager went another way (`CHIPS`), the seat is owed that too: of a
missed $20 that the house had swept, 2,000 more, so that a lost one leaves nothing due and a won one 4,000; of a
mistaken $20 that had lost and where nothing lay to be taken, 2,000 less, which leaves nothing due.

A payment slip leaves the settlement as it is: a seat is owed the winnings settled less those that it got, and what was
taken of it less what was to be taken: 11,000 settled and 8,000 handed is +3,000; a losing 2,000 left lying is −2,000.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from games.engine import Refusal, Rules
from games.engine.settlement import FEE, LOSE, Settled, in_order
from games.engine.wagers import Wager
from games.registry import game_of

SettlementLine = Mapping[str, Any]
WagerKey = tuple[int, str, int | None]
CHIPS = ("recorded", "player", "house")  # who has a wager's chips: as recorded, or in fact
# What the engine says of throws that do not make this game: with these dice it went on, or had ended before.
OTHER_GAME_CODES = frozenset({"too-many-throws", "too-few-throws", "wrong-number-of-dice"})


class CorrectedWager(NamedTuple):
    """One wager put right: what was recorded and what lay there (0: nothing), and who has its chips."""

    seat: int
    code: str
    play: int | None
    before_cents: int
    after_cents: int
    chips: str  # of CHIPS

    @property
    def key(self) -> WagerKey:
        return self.seat, self.code, self.play


class SeatPayment(NamedTuple):
    """What in fact went over the table at one seat: winnings handed to it, and stakes taken of it, in cents."""

    seat: int
    paid_cents: int
    taken_cents: int


class SlipFigures(Protocol):
    """A slip as far as its figures go (`tables.models.Slip`)."""

    before: dict[str, int]
    after: dict[str, int]
    handed_over: list[dict[str, int]]


# A settlement as lines


def key_of(line: SettlementLine) -> WagerKey:
    """The seat, code and play of a line."""
    return line["seat"], line["wager"], line.get("play")


def wagers_of(lines: Iterable[SettlementLine]) -> list[Wager]:
    """The wagers that these lines settle, in their order."""
    return [Wager(line["seat"], line["wager"], line["cents"], line.get("play")) for line in lines]


def totals(lines: Iterable[SettlementLine]) -> dict[str, int]:
    """`taken_cents` (lost stakes and fees), `paid_cents` and `returned_cents` of a settlement."""
    settled_lines = list(lines)
    staked = sum(line["cents"] for line in settled_lines)
    returned = sum(line["returned_cents"] for line in settled_lines)
    paid = sum(line["paid_cents"] for line in settled_lines)
    return {"taken_cents": staked - returned, "paid_cents": paid, "returned_cents": returned}


def by_seat(lines: Iterable[SettlementLine]) -> dict[int, dict[str, int]]:
    """`totals` of each seat, lowest first."""
    seats: dict[int, list[SettlementLine]] = defaultdict(list)
    for line in lines:
        seats[line["seat"]].append(line)
    return {seat: totals(seat_lines) for seat, seat_lines in sorted(seats.items())}


# The round once more


def readjudicate(
    rules: Rules, throws: Sequence[Sequence[int]], wagers: Sequence[Wager]
) -> tuple[str, tuple[Settled, ...]]:
    """The ending of the whole round and its settlement in the order of settlement, under the rules it pinned.

    Raises `slip-another-course` where these throws do not make this game, and what the engine raises of the wagers.
    """
    try:
        ending, settled = game_of(rules).adjudicate(rules, throws, wagers)
    except Refusal as refusal:
        if refusal.code in OTHER_GAME_CODES:
            raise Refusal("slip-another-course", refusal.section) from None
        raise
    return ending, in_order(settled)


def return_all(rules: Rules, wagers: Sequence[Wager], reason: str) -> tuple[str, tuple[Settled, ...]]:
    """The ending `void`, and every wager returned."""
    return game_of(rules).adjudicate(rules, (), wagers, voided=reason)


def apply_corrections(wagers: Iterable[Wager], corrected: Iterable[CorrectedWager]) -> list[Wager]:
    """The wagers as they in truth lay: an amount in its place, a missed one last, a mistaken one gone."""
    wagers_by_key = {wager.key: wager for wager in wagers}
    for wager in corrected:
        if wager.after_cents:
            wagers_by_key[wager.key] = Wager(wager.seat, wager.code, wager.after_cents, wager.play)
        else:
            wagers_by_key.pop(wager.key, None)
    return list(wagers_by_key.values())


# What is owed


def due(before: Iterable[SettlementLine], after: Iterable[SettlementLine]) -> dict[int, int]:
    """What each seat is owed by the difference of two settlements, 0 too."""
    owed: dict[int, int] = defaultdict(int)
    for sign, lines in ((-1, before), (1, after)):
        for line in lines:
            owed[line["seat"]] += sign * (line["paid_cents"] + line["returned_cents"] - line["cents"])
    return dict(owed)


def due_for_chips(before: Iterable[SettlementLine], corrected: Iterable[CorrectedWager]) -> dict[int, int]:
    """What a seat is owed besides, because chips of mended wagers went another way than the record says."""
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
    """What a seat is owed because another sum went over the table than was settled."""
    settled = by_seat(before)
    no_totals = totals(())
    owed: dict[int, int] = {}
    for payment in payments:
        seat_totals = settled.get(payment.seat, no_totals)
        owed[payment.seat] = (seat_totals["paid_cents"] - payment.paid_cents) + (
            payment.taken_cents - seat_totals["taken_cents"]
        )
    return owed


def sum_by_seat(*owed: Mapping[int, int]) -> list[dict[str, int]]:
    """The sum of these by seat, lowest first, without the seats that are owed nothing: `[{"seat", "cents"}]`."""
    total: dict[int, int] = defaultdict(int)
    for amounts in owed:
        for seat, cents in amounts.items():
            total[seat] += cents
    return [{"seat": seat, "cents": cents} for seat, cents in sorted(total.items()) if cents]


# For reports


def win_change_cents(slip: SlipFigures) -> int:
    """By how much the slip changes the settled win of its round, in cents: negative where the house wins less.

    A payment slip changes nothing of it: what was settled was right.
    """
    return _win(slip.after) - _win(slip.before)


def moved_cents(slip: SlipFigures) -> int:
    """What settling the slip brought into the table inventory, in cents: negative where players were given more."""
    return -sum(amount["cents"] for amount in slip.handed_over)


def _win(figures: Mapping[str, int]) -> int:
    return figures["taken_cents"] - figures["paid_cents"]
