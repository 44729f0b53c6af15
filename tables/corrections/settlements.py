"""Settlement of a round by the record, and as an Error Notification Slip corrects it: what each seat is owed.

The outcome of a round (`outcome_of`) is read only from the entries of the table's stream, so that a slip builds on what
an outsider can read too: as settled at the table, or by the newest slip about it. A round with an altered entry cannot
be corrected. `read_correction` settles the whole round again; nothing is written by it. The caller holds the table's
lock where it writes the result.

The arithmetic is pure: engine and numbers only. A *line* is one settled wager as in the record and in `manage.py
adjudicate`. Money is integer cents, positive toward a player and negative toward the casino.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_args

from audit.models import Entry
from games import submissions
from games.engine import Refusal, Rules
from games.engine.refusals import TOO_FEW_THROWS, TOO_MANY_THROWS, WRONG_NUMBER_OF_DICE, RefusalCode
from games.engine.wagers import FEE, LOSE, RETURN, WIN, Settled, Wager, in_order
from games.params import MOST_CENTS, Params, malformed
from games.registry import game_of
from tables.core.context import TableContext
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.figure_sums import SettledStake
from tables.corrections.slips import (
    SLIP_FILED,
    Chips,
    CorrectedEntry,
    SeatAmount,
    SlipKind,
    SlipMistake,
    SlipPayment,
    SlipThrow,
    SlipWager,
)
from tables.models import Round, Slip
from tables.money.chips import verify_chips_exist
from tables.rounds.play import SEATS_SETTLED, WINNERS_PAID
from tables.rounds.settlement import SettledWager, Totals
from tables.rounds.wagers import NO_SUCH_SEAT, verify_in_chips

SLIP_MEND_IT = RefusalCode(
    "slip-mend-it",
    "Round %(round)s is in play and no one has been paid. Correct it at the table; that needs no slip.",
    "Correct it at the table",
)
SLIP_ROUND_IN_PLAY = RefusalCode(
    "slip-round-in-play",
    "Round %(round)s is in play, and some of its money has moved. Correct what the table still "
    "allows, finish the round as shown there, and file the slip when it has ended.",
    "Round in play",
)
SLIP_NOTHING_SETTLED = RefusalCode(
    "slip-nothing-settled",
    "Round %(round)s settled nothing, so there is nothing for a slip to correct.",
)
ROUND_UNREADABLE = RefusalCode(
    "round-unreadable",
    "The record of round %(round)s was altered, so the round cannot be corrected. Tell compliance "
    "now: Integrity shows which entry was changed.",
    "The record is damaged",
)
SLIP_NO_RESULT = RefusalCode(
    "slip-no-result",
    "Every open wager of round %(round)s was returned, and no dice decided it. If a wrong amount was "
    "paid or taken, file a payment slip.",
)
SLIP_IS_VOID = RefusalCode(
    "slip-is-void",
    "Slip %(slip)s made round %(round)s void. File a slip with its dice first, then this one.",
)
SLIP_NOTHING_TO_UNDO = RefusalCode(
    "slip-nothing-to-undo",
    "Nothing was taken or paid in round %(round)s, so there is nothing to undo.",
)
SLIP_CHANGES_NOTHING = RefusalCode(
    "slip-changes-nothing",
    "Round %(round)s was settled with these dice. Enter the dice that were on the layout.",
)
SLIP_WAGER_UNCHANGED = RefusalCode(
    "slip-wager-unchanged",
    "This is already recorded for seat %(seat)s. Enter the amount that was there, or 0 for nothing.",
)
SLIP_PAYMENT_UNCHANGED = RefusalCode(
    "slip-payment-unchanged",
    "This is what was settled with seat %(seat)s. Enter what was actually paid and taken.",
)
SLIP_ANOTHER_COURSE = RefusalCode(
    "slip-another-course",
    "With this correction the game would have gone on, or ended on another throw, so it cannot be "
    "settled again. Void the round.",
    "Void the round",
)
SLIP_SETTLE_FIRST = RefusalCode(
    "slip-settle-first",
    "Slip %(slip)s of this round is waiting for its money. Settle it first, then enter the total "
    "that was handed over.",
    "Settle the open slip",
)

SettlementLine = SettledWager
WagerKey = tuple[int, str, int | None]
NO_RESULT = frozenset({"void", "no-roll"})
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


def stake_of(line: SettlementLine) -> SettledStake:
    """The wager of a line with what it was paid, for the figures."""
    wager = Wager(line["seat"], line["wager"], line["cents"], line.get("play"))
    return SettledStake(wager, line["outcome"], line["paid_cents"], line.get("cut_cents", 0))


def lines_of_slip(data: Mapping[str, Any]) -> list[SettlementLine]:
    """The settlement of the whole round in the entry that files a slip. Raises one of MISSHAPEN."""
    return [settled_line(line) for line in data["settled"]]


def throws_of_slip(data: Mapping[str, Any]) -> list[list[int]]:
    """The faces of each valid throw by the entry that files a slip. Raises one of MISSHAPEN."""
    return [[int(face) for face in throw["dice"]] for throw in data["throws"]]


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


def due_between(before: Iterable[SettlementLine], after: Iterable[SettlementLine]) -> dict[int, int]:
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


# The outcome of a round by the record


PAYING_TYPES = (WINNERS_PAID.name, SEATS_SETTLED.name)
FILED = SLIP_FILED.name
OUTCOMES = frozenset({WIN, LOSE, RETURN, FEE})
MONEY_FIELDS = ("cents", "paid_cents", "returned_cents")


@dataclass(frozen=True)
class EntryReference:
    """A reference to an entry: its number on the stream, and its hash as 64 hex digits."""

    seq: int
    hash: str

    @property
    def as_data(self) -> CorrectedEntry:
        return {"seq": self.seq, "hash": self.hash}


@dataclass(frozen=True)
class RecordedThrow:
    """A valid throw: its number in the round, its faces, and the entry that gives them."""

    number: int
    dice: tuple[int, ...]
    entry: EntryReference


@dataclass(frozen=True)
class RoundOutcome:
    """The outcome of a round. `version` is the newest entry that settles it, `slip` the newest slip's code or "".

    `lines` are all its wagers, each settled once, in the order of settlement. `paid` refers, by seat, to the newest
    entry that paid it.
    """

    version: EntryReference
    ending: str
    throws: tuple[RecordedThrow, ...]
    lines: tuple[SettlementLine, ...]
    slip: str
    paid: dict[int, EntryReference]

    @property
    def has_result(self) -> bool:
        return self.ending not in NO_RESULT


def outcome_of(round_: Round) -> RoundOutcome | None:
    """Return the outcome of a round that has ended; None where no entry settles it.

    Raises `round-unreadable` where its record is damaged: an entry with a wrong hash or malformed data, or a slip or
    settlement that is missing.
    """
    entries = [read(row) for row in _rows(round_)]
    try:
        _verify_intact(round_, entries)
        return _newest_outcome(round_, entries)
    except MISSHAPEN:
        raise _unreadable(round_) from None


def filed_entry(slip: Slip) -> EntryReference:
    """Return the entry that filed a slip. Raises `round-unreadable` where it is damaged, or another amount is due."""
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq=slip.filed_seq).values_list(*COLUMNS)
    for entry in map(read, rows):
        if entry.is_intact and entry.type == FILED and _matches_slip(entry, slip):
            return _reference(entry)
    raise _unreadable(slip.round)


def _matches_slip(entry: RecordedEntry, slip: Slip) -> bool:
    """Whether an entry agrees with the slip's row."""
    recorded = entry.seq, entry.data.get("slip"), entry.data.get("due")
    return recorded == (slip.filed_seq, slip.code, slip.due)


def _unreadable(round_: Round) -> Refusal:
    return Refusal(ROUND_UNREADABLE, round=round_.number)


def _rows(round_: Round) -> Iterable[Any]:
    """The entries that name this round, in order."""
    rows = Entry.objects.filter(stream=round_.table.stream_id, round=round_.number).order_by("seq")
    return rows.values_list(*COLUMNS)


def _verify_intact(round_: Round, entries: Iterable[RecordedEntry]) -> None:
    """Raise ValueError where an entry was altered, or a slip differs from its row."""
    filing_entries = []
    for entry in entries:
        if not entry.is_intact or entry.round != round_.number:
            raise ValueError
        if entry.type == FILED:
            filing_entries.append(entry)
    rows = list(Slip.objects.filter(round=round_).order_by("number"))
    if len(rows) != len(filing_entries) or not all(map(_matches_slip, filing_entries, rows)):
        raise ValueError


def _newest_outcome(round_: Round, entries: list[RecordedEntry]) -> RoundOutcome | None:
    """The outcome by the newest entry. Earlier entries are read too, so that damage in them is noticed."""
    paid, settling_entries = (
        _paid_entries(entries),
        [entry for entry in entries if "settled" in entry.data and entry.type != FILED],
    )
    if round_.phase == "cleared" and not settling_entries:  # a settled round has a settling entry
        raise ValueError
    outcome = _round_outcome(round_, settling_entries, paid) if settling_entries else None
    for slip_entry in (entry for entry in entries if entry.type == FILED):
        outcome = _slip_outcome(slip_entry, paid)
    return outcome


def _reference(entry: RecordedEntry) -> EntryReference:
    return EntryReference(entry.seq, entry.digest)


def _paid_entries(entries: Iterable[RecordedEntry]) -> dict[int, EntryReference]:
    paying = (entry for entry in entries if entry.type in PAYING_TYPES)
    return {_integer(seat): _reference(entry) for entry in paying for seat in entry.data["seats"]}


def _slip_outcome(entry: RecordedEntry, paid: dict[int, EntryReference]) -> RoundOutcome:
    reference, data = _reference(entry), entry.data
    throws = tuple(
        RecordedThrow(_integer(throw["throw"]), _dice(throw["dice"]), reference) for throw in data["throws"]
    )
    lines = tuple(map(settled_line, data["settled"]))
    ending, code = _text(data["ending"]), _text(data["slip"])
    if not isinstance(data["mended"], dict) or not (throws or ending in NO_RESULT):
        raise ValueError
    return RoundOutcome(
        reference, ending, throws, lines, code, {**paid, **{line["seat"]: reference for line in lines}}
    )


def _round_outcome(
    round_: Round, settling_entries: list[RecordedEntry], paid: dict[int, EntryReference]
) -> RoundOutcome:
    """The outcome by the newest entry of each throw. A fee that was returned in the end counts as returned."""
    newest = {_integer(entry.data["throw"]): _settled_and_thrown(entry) for entry in settling_entries}
    lines = {key_of(line): line for lines, _ in newest.values() for line in lines}
    throws = tuple(thrown for _, throws in newest.values() for thrown in throws)
    if not throws and round_.phase == "cleared":
        raise ValueError
    return RoundOutcome(
        _reference(settling_entries[-1]), round_.ending, throws, tuple(lines.values()), "", paid
    )


def _settled_and_thrown(entry: RecordedEntry) -> tuple[list[SettlementLine], list[RecordedThrow]]:
    return [settled_line(line) for line in entry.data["settled"]], _recorded_throws(entry)


def _recorded_throws(entry: RecordedEntry) -> list[RecordedThrow]:
    """The throws with faces. An entry recorded by hand after play gives all of them."""
    data, reference = entry.data, _reference(entry)
    thrown = data.get("throws") or ([data["dice"]] if data["dice"] else [])
    first = data["throw"] - len(thrown) + 1
    return [RecordedThrow(first + place, _dice(dice), reference) for place, dice in enumerate(thrown)]


# The shape of recorded data. Each function raises one of MISSHAPEN.


def settled_line(line: Mapping[str, Any]) -> SettlementLine:
    """Return a recorded line after checking its fields. Raises one of MISSHAPEN."""
    for name in ("seat", *MONEY_FIELDS):
        _integer(line[name])
    if line.get("play") is not None:
        _integer(line["play"])
    _text(line["wager"])
    if _text(line["outcome"]) not in OUTCOMES:
        raise ValueError
    return cast(SettlementLine, line)


def _dice(value: Any) -> tuple[int, ...]:
    dice = tuple(map(_integer, value))
    if not dice:
        raise ValueError
    return dice


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


# The correction that a slip would make


KINDS: tuple[SlipKind, ...] = get_args(SlipKind)
MAX_LINES, MAX_REASON, MAX_PLAYS = 64, 200, 6


@dataclass(frozen=True)
class Correction:
    """The correction of a round: `lines` are its whole settlement, `before` and `after` both totals, `due` by seat.

    `mistake` is what the record says about the mistake; `corrects` is the entry that the slip names.
    """

    kind: SlipKind
    corrects: EntryReference
    mistake: SlipMistake
    ending: str
    throws: list[SlipThrow]
    lines_before: tuple[SettlementLine, ...]
    lines: tuple[SettlementLine, ...]
    due: list[SeatAmount]

    @property
    def before(self) -> Totals:
        return totals(self.lines_before)

    @property
    def after(self) -> Totals:
        return totals(self.lines)


@dataclass(frozen=True)
class SlipCase:
    """What each kind of slip works on: the round, the rules that it pinned, and its outcome so far."""

    ctx: TableContext
    round: Round
    rules: Rules
    outcome: RoundOutcome
    to_line: Callable[[Settled], SettlementLine]  # a settled wager as a recorded line


def read_correction(
    ctx: TableContext,
    round_: Round,
    params: Params,
    reason: str,
    to_line: Callable[[Settled], SettlementLine],
) -> Correction:
    """Read `kind` and that kind's parameters, and settle the whole round again. Raises `Refusal`.

    `to_line` turns a settled wager into a recorded line.
    """
    kind = params.choice("kind", KINDS)
    verify_ended(ctx, round_)
    outcome = outcome_of(round_)
    if outcome is None:
        raise Refusal(SLIP_NOTHING_SETTLED, round=round_.number)
    case = SlipCase(ctx, round_, submissions.rules_of(round_.submission), outcome, to_line)
    if kind == "dice":
        return _dice_correction(case, params)
    if kind == "wager":
        return _wager_correction(case, params)
    if kind == "payment":
        return _payment_correction(case, params)
    return _void_correction(case, reason)


def verify_ended(ctx: TableContext, round_: Round) -> None:
    """Refuse a slip about a round in play. Raises `slip-mend-it` before its first payment, else `slip-round-in-play`.

    A round in play still pays by the settlement that its table shows. A slip beside it could pay one seat twice or not
    at all, so it waits for the end of the round.
    """
    if round_.ended_at is not None:
        return
    is_live = ctx.round is not None and ctx.round.pk == round_.pk
    has_moved = is_live and bool(
        ctx.state.money_moved or ctx.state.step
    )  # a settled step of an earlier throw counts too
    raise Refusal(SLIP_ROUND_IN_PLAY if has_moved else SLIP_MEND_IT, round=round_.number)


def _verify_has_result(round_: Round) -> None:
    """Refuse a round whose wagers were returned at the table, because no dice decided it. Raises `slip-no-result`."""
    if round_.phase != "cleared":
        raise Refusal(SLIP_NO_RESULT, round=round_.number)


# A slip of dice


def _dice_correction(case: SlipCase, params: Params) -> Correction:
    """Correct the faces of one throw. The game must go on and end at the same throws as before."""
    number, dice = params.integer("throw", 0, 64, default=0), params.dice() or ()
    outcome, round_ = case.outcome, case.round
    _verify_has_result(round_)
    wrong_throw = (
        next((throw for throw in outcome.throws if throw.number == number), None)
        if number
        else outcome.throws[-1]
    )
    if wrong_throw is None:
        raise malformed("throw")
    game = game_of(case.rules)
    faces = game.verify_dice(case.rules, dice, len(wrong_throw.dice))
    if outcome.has_result and game.arranged(faces) == game.arranged(wrong_throw.dice):
        raise Refusal(SLIP_CHANGES_NOTHING, round=round_.number)
    throws = [(throw.number, faces if throw is wrong_throw else throw.dice) for throw in outcome.throws]
    mistake: SlipMistake = {
        "throw": wrong_throw.number,
        "before": list(wrong_throw.dice),
        "after": list(faces),
    }
    ending, settled = readjudicate(case.rules, [throw for _, throw in throws], wagers_of(outcome.lines))
    return _settled_correction(
        case, "dice", wrong_throw.entry, mistake, ending, settled, _number_throws(throws)
    )


# A slip of wagers


def _wager_correction(case: SlipCase, params: Params) -> Correction:
    """Correct wagers: missed, mistaken or of another amount. Another code is one struck and one missed wager."""
    outcome, rules = case.outcome, case.rules
    corrected = _read_wagers(case, params)
    _verify_has_result(case.round)
    if not outcome.has_result:
        raise Refusal(SLIP_IS_VOID, round=case.round.number, slip=outcome.slip)
    wagers = apply_corrections(wagers_of(outcome.lines), corrected)
    verify_chips_exist(case.ctx.table, sum(wager.cents for wager in wagers))
    ending, settled = readjudicate(rules, [wager.dice for wager in outcome.throws], wagers)
    mistake: SlipMistake = {"wagers": [_wager_data(case, wager) for wager in corrected]}
    return _settled_correction(
        case,
        "wager",
        outcome.version,
        mistake,
        ending,
        settled,
        _throws_data(outcome),
        due_for_chips(outcome.lines, corrected),
    )


def _read_wagers(case: SlipCase, params: Params) -> tuple[CorrectedWager, ...]:
    recorded = {key_of(line): line["cents"] for line in case.outcome.lines}

    def read(wager: Params) -> CorrectedWager:
        seat, code = wager.integer("seat", 1, 64), wager.text("wager")
        cents = wager.integer("cents", 0, MOST_CENTS)
        play = wager.integer("play", 0, MAX_PLAYS, default=0) or None
        chips = wager.choice("chips", CHIPS, default=CHIPS[0])
        return CorrectedWager(seat, code, play, recorded.get((seat, code, play), 0), cents, chips)

    corrected = params.objects("wagers", read, max_items=MAX_LINES)
    if len({wager.key for wager in corrected}) != len(corrected):
        raise malformed("wagers")
    for item in corrected:
        _verify_corrected_wager(case, item)
    return corrected


def _verify_corrected_wager(case: SlipCase, wager: CorrectedWager) -> None:
    ctx, rules = case.ctx, case.rules
    if wager.seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=wager.seat, seats=ctx.table.seats)
    game_of(rules).wager_type(rules, wager.code)
    game_of(rules).verify_play(rules, wager.code, wager.play)
    if wager.before_cents == wager.after_cents:
        raise Refusal(SLIP_WAGER_UNCHANGED, seat=wager.seat, wager=wager.code)
    verify_in_chips(ctx, wager.after_cents)


def _wager_data(case: SlipCase, wager: CorrectedWager) -> SlipWager:
    data: SlipWager = {
        "seat": wager.seat,
        "wager": wager.code,
        "before_cents": wager.before_cents,
        "after_cents": wager.after_cents,
        "chips": wager.chips,
    }
    if wager.play:
        data["play"] = wager.play
    return data


# A slip of payments


def _payment_correction(case: SlipCase, params: Params) -> Correction:
    """Correct a payment that differed from the settlement. The settlement stays as it is."""
    payments = params.objects("payments", _read_payment, max_items=MAX_LINES)
    if len({payment.seat for payment in payments}) != len(payments):
        raise malformed("payments")
    _verify_no_open_slip(case.round)
    handed_cents = sum(payment.paid_cents for payment in payments)
    taken_cents = sum(payment.taken_cents for payment in payments)
    verify_chips_exist(case.ctx.table, max(handed_cents, taken_cents))
    settled_by_seat, nothing = by_seat(case.outcome.lines), totals(())
    for payment in payments:
        if payment.seat > case.ctx.table.seats:
            raise Refusal(NO_SUCH_SEAT, seat=payment.seat, seats=case.ctx.table.seats)
        verify_in_chips(case.ctx, payment.paid_cents)
        verify_in_chips(case.ctx, payment.taken_cents)
        settled = settled_by_seat.get(payment.seat, nothing)
        if (payment.paid_cents, payment.taken_cents) == (settled["paid_cents"], settled["taken_cents"]):
            raise Refusal(SLIP_PAYMENT_UNCHANGED, seat=payment.seat)
    return payment_correction(case, payments)


def payment_correction(case: SlipCase, payments: tuple[SeatPayment, ...]) -> Correction:
    """Return the correction of payments that differ from the settlement."""
    outcome, nothing = case.outcome, totals(())
    settled_by_seat = by_seat(outcome.lines)
    items = [_payment_data(payment, settled_by_seat.get(payment.seat, nothing)) for payment in payments]
    due = sum_by_seat(due_for_payments(outcome.lines, payments))
    reference = outcome.paid.get(payments[0].seat, outcome.version)
    mistake: SlipMistake = {"payments": items}
    lines = outcome.lines
    return Correction("payment", reference, mistake, outcome.ending, _throws_data(outcome), lines, lines, due)


def _read_payment(item: Params) -> SeatPayment:
    return SeatPayment(
        item.integer("seat", 1, 64),
        item.integer("paid_cents", 0, MOST_CENTS),
        item.integer("taken_cents", 0, MOST_CENTS),
    )


def _payment_data(payment: SeatPayment, settled: Totals) -> SlipPayment:
    return {
        "seat": payment.seat,
        "settled_paid_cents": settled["paid_cents"],
        "handed_paid_cents": payment.paid_cents,
        "settled_taken_cents": settled["taken_cents"],
        "handed_taken_cents": payment.taken_cents,
    }


def _verify_no_open_slip(round_: Round) -> None:
    """Refuse while another slip of the round waits for its money: the total handed over is not known yet."""
    open_slip = Slip.objects.filter(round=round_, status=Slip.Status.FILED).order_by("number").first()
    if open_slip is not None:
        raise Refusal(SLIP_SETTLE_FIRST, slip=open_slip.code)


# A void


def _void_correction(case: SlipCase, reason: str) -> Correction:
    """Void a settled round: every wager is returned."""
    outcome, round_ = case.outcome, case.round
    before = totals(outcome.lines)
    if not (before["taken_cents"] or before["paid_cents"]):
        raise Refusal(SLIP_NOTHING_TO_UNDO, round=round_.number)
    ending, settled = return_all(case.rules, wagers_of(outcome.lines), reason)
    return _settled_correction(case, "void", outcome.version, {}, ending, settled, _throws_data(outcome))


# What every kind ends with


def _settled_correction(
    case: SlipCase,
    kind: SlipKind,
    corrects: EntryReference,
    mistake: SlipMistake,
    ending: str,
    settled: tuple[Settled, ...],
    throws: list[SlipThrow],
    chips_due: dict[int, int] | None = None,
) -> Correction:
    """A slip about a slip corrects the earlier slip's entry, because that entry holds the newest settlement."""
    lines_before, lines = case.outcome.lines, tuple(case.to_line(wager) for wager in settled)
    due = sum_by_seat(due_between(lines_before, lines), chips_due or {})
    return Correction(kind, corrects, mistake, ending, throws, lines_before, lines, due)


def _throws_data(outcome: RoundOutcome) -> list[SlipThrow]:
    return _number_throws([(throw.number, throw.dice) for throw in outcome.throws])


def _number_throws(throws: list[tuple[int, tuple[int, ...]]]) -> list[SlipThrow]:
    return [{"throw": number, "dice": list(dice)} for number, dice in throws]
