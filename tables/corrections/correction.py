"""The correction that a slip would make to a round, computed before anyone signs: the same for the preview and the act.

Nothing is written here. The caller holds the table's lock where it writes the result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from games import submissions
from games.engine import Refusal, Rules
from games.engine.settlement import Settled
from games.params import MOST_CENTS, Params, malformed
from games.registry import game_of
from tables.core.context import TableContext
from tables.corrections import slips
from tables.corrections.entry_types import (
    SeatAmount,
    SlipKind,
    SlipMistake,
    SlipPayment,
    SlipThrow,
    SlipWager,
)
from tables.corrections.outcomes import EntryReference, RoundOutcome, outcome_of
from tables.corrections.refusals import (
    SLIP_CHANGES_NOTHING,
    SLIP_IS_VOID,
    SLIP_MEND_IT,
    SLIP_NO_RESULT,
    SLIP_NOTHING_SETTLED,
    SLIP_NOTHING_TO_UNDO,
    SLIP_PAYMENT_UNCHANGED,
    SLIP_ROUND_IN_PLAY,
    SLIP_SETTLE_FIRST,
    SLIP_WAGER_UNCHANGED,
)
from tables.corrections.slips import CHIPS, CorrectedWager, SeatPayment, SettlementLine
from tables.models import Round, Slip
from tables.money.inventory import verify_chips_exist
from tables.rounds.settlement import Totals
from tables.rounds.wagers import NO_SUCH_SEAT, verify_in_chips

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
        return slips.totals(self.lines_before)

    @property
    def after(self) -> Totals:
        return slips.totals(self.lines)


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


# Dice


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
    ending, settled = slips.readjudicate(
        case.rules, [throw for _, throw in throws], slips.wagers_of(outcome.lines)
    )
    return _settled_correction(
        case, "dice", wrong_throw.entry, mistake, ending, settled, _number_throws(throws)
    )


# Wagers


def _wager_correction(case: SlipCase, params: Params) -> Correction:
    """Correct wagers: missed, mistaken or of another amount. Another code is one struck and one missed wager."""
    outcome, rules = case.outcome, case.rules
    corrected = _read_wagers(case, params)
    _verify_has_result(case.round)
    if not outcome.has_result:
        raise Refusal(SLIP_IS_VOID, round=case.round.number, slip=outcome.slip)
    wagers = slips.apply_corrections(slips.wagers_of(outcome.lines), corrected)
    verify_chips_exist(case.ctx.table, sum(wager.cents for wager in wagers))
    ending, settled = slips.readjudicate(rules, [wager.dice for wager in outcome.throws], wagers)
    mistake: SlipMistake = {"wagers": [_wager_data(case, wager) for wager in corrected]}
    due_for_chips = slips.due_for_chips(outcome.lines, corrected)
    return _settled_correction(
        case,
        "wager",
        outcome.version,
        mistake,
        ending,
        settled,
        _throws_data(outcome),
        due_for_chips,
    )


def _read_wagers(case: SlipCase, params: Params) -> tuple[CorrectedWager, ...]:
    recorded = {slips.key_of(line): line["cents"] for line in case.outcome.lines}

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


# Payments


def _payment_correction(case: SlipCase, params: Params) -> Correction:
    """Correct a payment that differed from the settlement. The settlement stays as it is."""
    payments = params.objects("payments", _read_payment, max_items=MAX_LINES)
    if len({payment.seat for payment in payments}) != len(payments):
        raise malformed("payments")
    _verify_no_open_slip(case.round)
    handed_cents = sum(payment.paid_cents for payment in payments)
    taken_cents = sum(payment.taken_cents for payment in payments)
    verify_chips_exist(case.ctx.table, max(handed_cents, taken_cents))
    settled_by_seat, nothing = slips.by_seat(case.outcome.lines), slips.totals(())
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
    outcome, nothing = case.outcome, slips.totals(())
    settled_by_seat = slips.by_seat(outcome.lines)
    items = [_payment_data(payment, settled_by_seat.get(payment.seat, nothing)) for payment in payments]
    due = slips.sum_by_seat(slips.due_for_payments(outcome.lines, payments))
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


# Void


def _void_correction(case: SlipCase, reason: str) -> Correction:
    """Void a settled round: every wager is returned."""
    outcome, round_ = case.outcome, case.round
    before = slips.totals(outcome.lines)
    if not (before["taken_cents"] or before["paid_cents"]):
        raise Refusal(SLIP_NOTHING_TO_UNDO, round=round_.number)
    ending, settled = slips.return_all(case.rules, slips.wagers_of(outcome.lines), reason)
    return _settled_correction(case, "void", outcome.version, {}, ending, settled, _throws_data(outcome))


# Every kind


def _settled_correction(
    case: SlipCase,
    kind: SlipKind,
    corrects: EntryReference,
    mistake: SlipMistake,
    ending: str,
    settled: tuple[Settled, ...],
    throws: list[SlipThrow],
    due_for_chips: dict[int, int] | None = None,
) -> Correction:
    """A slip about a slip corrects the earlier slip's entry, because that entry holds the newest settlement."""
    lines_before, lines = case.outcome.lines, tuple(case.to_line(wager) for wager in settled)
    due = slips.sum_by_seat(slips.due(lines_before, lines), due_for_chips or {})
    return Correction(kind, corrects, mistake, ending, throws, lines_before, lines, due)


def _throws_data(outcome: RoundOutcome) -> list[SlipThrow]:
    return _number_throws([(throw.number, throw.dice) for throw in outcome.throws])


def _number_throws(throws: list[tuple[int, tuple[int, ...]]]) -> list[SlipThrow]:
    return [{"throw": number, "dice": list(dice)} for number, dice in throws]
