"""Acts of a round in the order of the edition: no more bets, shake, dice, take, pay, clear; no roll and void."""

from typing import Annotated, cast

from audit.entry_types import EntryBody
from audit.runner import Changes
from games.act_forms import Seats, Text, whole
from games.engine import Refusal
from games.engine.settlement import LOSE, RETURN
from games.params import Params
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.held_back import held_of_paid
from tables.core.permissions import AT_THE_TABLE
from tables.core.post_acts import seats_to_settle
from tables.rounds.alert_rules import CHEATING
from tables.rounds.begin import ensure_round
from tables.rounds.end_reasons import verify_no_roll_reason, verify_void_reason
from tables.rounds.entry_types import (
    BETS_CLOSED,
    DICE_SHAKEN,
    LAYOUT_CLEARED,
    LOSERS_TAKEN,
    ROUND_NO_ROLL,
    ROUND_SETTLED,
    ROUND_VOIDED,
    SEATS_SETTLED,
    THROW_NO_ROLL,
    THROW_SETTLED,
    WINNERS_PAID,
    DiceShaken,
    FaceRulings,
    LayoutCleared,
    Noted,
    RoundNoRoll,
    RoundVoided,
    SeatsSettled,
    ThrowData,
    ThrowNoRoll,
    ThrowSettled,
    WinnersPaid,
)
from tables.rounds.no_roll_control import (
    NO_ROLL_ROW,
    RETHROW_ROW,
    alert_if_many,
    are_bets_open,
    verify_may_undo,
)
from tables.rounds.progress import advance, newly_settled, require_round, round_answer
from tables.rounds.settlement import settle_throw, write_throw
from tables.runner.refusals import MANAGER_MUST_SIGN, TOSSED_DICE_ARE_SETTLED
from tables.runner.signatures import verify_signed_by_floor, verify_signed_by_manager
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def no_more_bets(ctx: TableContext) -> ActOutcome:
    """Announce no more bets. Later wagers are refused."""
    round_ = ensure_round(ctx)
    state, _ = ctx.game.no_more_bets(ctx.state)
    advance(ctx, state)
    return ActOutcome(
        BETS_CLOSED({"round": round_.number, "wagered_cents": round_.wagered_cents}),
        round_answer(round_),
        "phase",
    )


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def shake(
    ctx: TableContext,
    *,
    shakes: Annotated[int, whole(0, 99)] = 0,
    activated_by_seat: Annotated[int, whole(0, 64)] = 0,
) -> ActOutcome:
    """Record at least three shakes of a manual shaker, or who activated an automated one: the dealer, or a seat."""
    round_ = ensure_round(ctx)
    lot, shaker = ctx.verify_dice_in_time()
    state, _ = ctx.game.shake(ctx.state, times=shakes or 1, by_seat=activated_by_seat or None)
    advance(ctx, state)
    data: DiceShaken = {
        "round": round_.number,
        "lot": lot.code,
        "shaker": shaker.code,
        "shakes": shakes,
        "activated_by_seat": activated_by_seat,
    }
    return ActOutcome(DICE_SHAKEN(data), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def call_dice(ctx: TableContext, params: Params) -> ActOutcome:
    """Record the uncovered and announced dice, light the layout, and settle the wagers that they decide."""
    dice = params.dice()
    rulings = read_face_rulings(params, len(dice or ()))
    round_ = require_round(ctx)
    state, _ = ctx.game.call_dice(ctx.state, dice or ())
    ctx.verify_as_they_lie(state.dice)
    type_ = ROUND_SETTLED if state.result.ending else THROW_SETTLED
    return settle_throw(
        ctx,
        round_,
        state,
        lambda data: type_(cast(ThrowSettled, {**data, **rulings})),
        newly_settled(state),
        dice=state.dice,
    )


def read_face_rulings(params: Params, dice: int) -> FaceRulings:
    """Read how unclear faces were ruled on.

    `leaning`: the number of dice read by the face opposite to the one they lean on (§§ 577.5(f), 675a.4(c)).
    `disputed`: whether a face was disputed and decided (§ 577.5(g)).
    """
    leaning, disputed = params.integer("leaning", 0, dice, default=0), params.boolean("disputed")
    rulings: FaceRulings = {}
    if leaning:
        rulings["leaning"] = leaning
    if disputed:
        rulings["disputed"] = True
    return rulings


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def call_no_roll(ctx: TableContext, params: Params) -> ActOutcome:
    """Call a no roll.

    In Sic Bo the round ends and every wager is returned (A12, A44). In the other games wagers stay and the dice are
    thrown again (A33). The floor signs it, except for as many as the policy leaves free.

    `reason`: one of the edition's, or of the declared ones where it lists none; `note` says more and decides nothing.
    `faces_read`: the faces that could be read, [] where none could.
    """
    reason, faces_read = params.text("reason"), params.faces("faces_read")
    noted = read_note(params)
    round_ = require_round(ctx)
    state, called = ctx.game.call_no_roll(ctx.state, reason)
    if faces_read is not None:
        ctx.game.verify_faces_read(ctx.state, faces_read)
    subject = NO_ROLL_ROW if state.ended else RETHROW_ROW
    verify_no_roll_reason(ctx, reason)
    verify_may_undo(ctx, subject, called.section)
    alert_if_many(ctx, subject, round_number=round_.number)
    if state.ended:

        def entry(data: ThrowData) -> EntryBody:
            seen = {} if faces_read is None else {"faces_read": list(faces_read)}
            return ROUND_NO_ROLL(cast(RoundNoRoll, {**data, **seen, **noted}))

        return settle_throw(ctx, round_, state, entry, called.settled, reason=reason)
    throw = write_throw(ctx, round_, (), reason)
    if reason == "cheating-device":
        alert = CHEATING.expected(
            ctx.table.pk, section=called.section, round=round_.number, throw=throw.number
        )
        raise_alert(ctx, alert)
    advance(ctx, state, last_throw=throw.number)
    data: ThrowNoRoll = {
        "round": round_.number,
        "throw": throw.number,
        "reason": reason,
        "section": called.section,
        "lot": ctx.lot.code if ctx.lot else None,
        "shaker": ctx.shaker.code if ctx.shaker else None,
    }
    if noted:
        data["note"] = noted["note"]
    if faces_read is not None:
        data["faces_read"] = list(faces_read)
    return ActOutcome(THROW_NO_ROLL(data), round_answer(round_), "phase")


def read_note(params: Params) -> Noted:
    """Read what somebody notes beside a declared reason; nothing where they note nothing."""
    note = params.text("note", default="")
    return {"note": note} if note else {}


@act(roles=AT_THE_TABLE, witness=True)
def void_round(ctx: TableContext, params: Params) -> ActOutcome:
    """Void a round before its dice are entered and return every wager (A47). The floor signs.

    `reason` is one of `VOID_REASONS`; one that another act owns, such as a failed device, is refused with the name of
    that act. `note` says more and decides nothing. After no more bets two people sign, as the policy says. Dice that an
    automated shaker has tossed are a result, in view or covered: they are settled, and nobody voids them. Dice in view
    that people threw take a pit or shift manager, and the entry says so.

    Between two throws, wagers that the first one decided stay settled. The rest is returned, with a fee already
    paid.
    """
    reason, noted = params.text("reason"), read_note(params)
    round_ = require_round(ctx)
    verify_signed_by_floor(ctx)
    state, voided = ctx.game.void_round(ctx.state, reason)
    verify_void_reason(ctx, reason)
    if ctx.game.is_tossed(ctx.state):
        raise Refusal(TOSSED_DICE_ARE_SETTLED, ctx.rules.section("device-failure") or voided.section)
    is_in_view = ctx.game.is_in_view(ctx.state)
    if is_in_view:
        verify_signed_by_manager(ctx, MANAGER_MUST_SIGN, voided.section)
    if not are_bets_open(ctx.state):
        verify_may_undo(ctx, NO_ROLL_ROW, voided.section)
    alert_if_many(ctx, NO_ROLL_ROW, round_number=round_.number)
    returned = tuple(wager for wager in voided.settled if wager.outcome == RETURN)

    def entry(data: ThrowData) -> EntryBody:
        more = {"in_view": True} if is_in_view else {}
        return ROUND_VOIDED(cast(RoundVoided, {**data, **more, **noted}))

    return settle_throw(ctx, round_, state, entry, returned, reason=reason)


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def take_losers(ctx: TableContext) -> ActOutcome:
    """Record that all losing wagers were collected, before any winner is paid."""
    round_ = require_round(ctx)
    state, _ = ctx.game.take_losers(ctx.state)
    advance(ctx, state)
    return ActOutcome(
        LOSERS_TAKEN({"round": round_.number, "taken_cents": round_.taken_cents}),
        round_answer(round_),
        "phase",
    )


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def pay_seats(ctx: TableContext, *, seats: Seats = (), wager_code: Text = "") -> ActOutcome:
    """Record that winners were paid: at the named seats, or at all that are unpaid; with `wager`, only on that area.

    Only the last payment changes the phase, so that two payments may run at once. A list that was corrected since
    the screen was drawn is stale.
    """
    round_ = require_round(ctx)
    before = ctx.state
    state, paid = ctx.game.pay_seats(before, seats or None, wager_code)
    changes: Changes = "nothing" if state.phase == before.phase else "phase"
    advance(ctx, state)
    cents = sum(wager.paid_cents for wager in paid.settled)
    data: WinnersPaid = {"round": round_.number, "seats": list(paid.seats), "paid_cents": cents}
    if wager_code:
        data["wager"] = wager_code
    if held_cents := held_of_paid(round_, before, paid.settled):
        data["held_cents"] = held_cents
    return ActOutcome(WINNERS_PAID(data), round_answer(round_), changes)


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def settle_seats(ctx: TableContext, *, seats: Seats = ()) -> ActOutcome:
    """Settle the current step at the named seats, or at all that are left, in a game that settles in steps.

    Where dealers share the seats, each settles those of their own half, and all that are left are all of that half.
    Only the last seat of a step moves the round on, so that two dealers may each settle a side at once.
    """
    round_ = require_round(ctx)
    before = ctx.state
    named = seats_to_settle(ctx, seats, ctx.game.unsettled_seats(before))
    state, record = ctx.game.settle_seats(before, named)
    has_moved_on = (state.phase, state.step) != (before.phase, before.step)
    advance(ctx, state)
    data: SeatsSettled = {
        "round": round_.number,
        "throw": round_.last_throw,
        "seats": list(record.seats),
        "taken_cents": sum(wager.wager.cents for wager in record.settled if wager.outcome == LOSE),
        "paid_cents": sum(wager.paid_cents for wager in record.settled),
    }
    if held_cents := held_of_paid(round_, before, record.settled):
        data["held_cents"] = held_cents
    return ActOutcome(SEATS_SETTLED(data), round_answer(round_), "phase" if has_moved_on else "nothing")


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def clear_layout(ctx: TableContext) -> ActOutcome:
    """Clear the lit combinations, which ends the round."""
    round_ = require_round(ctx)
    state, _ = ctx.game.clear_layout(ctx.state)
    advance(ctx, state)
    data: LayoutCleared = {
        "round": round_.number,
        "taken_cents": round_.taken_cents,
        "paid_cents": round_.paid_cents,
    }
    return ActOutcome(LAYOUT_CLEARED(data), round_answer(round_))
