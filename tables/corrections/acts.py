"""Corrections before money moves: until the first payment, signed by a floorperson.

Each correction is an entry of its own with both values. No earlier entry is changed.
"""

from collections.abc import Callable
from typing import cast

from audit.entry_types import EntryBody
from games.act_forms import Dice, Text
from games.engine import Placing, Refusal
from games.engine.state import RoundState
from games.engine.wagers import MadeIn
from games.params import MOST_CENTS, Params
from tables.core.alerts import end_alert
from tables.core.context import TableContext
from tables.core.held_back import raised_cents, raised_seats
from tables.core.permissions import AT_THE_TABLE
from tables.core.seats import take_seats
from tables.core.wager_input import MADE_IN, WagerInput, read_play
from tables.corrections.entry_types import (
    DICE_CORRECTED,
    WAGER_MISSED,
    WAGER_STRUCK,
    CorrectedDice,
    MissedWager,
    StruckWager,
)
from tables.corrections.held_slips import file_what_is_held
from tables.corrections.raises import newest_throw, verify_raise
from tables.corrections.refusals import MONEY_HAS_MOVED
from tables.corrections.reviews import moved_beside
from tables.limits import wager_flag
from tables.models import Round, Wager
from tables.money.inventory import verify_chips_exist
from tables.rounds.course import advance, at_the_end, newly_settled, require_round
from tables.rounds.settlement import NewSettlement, add_late_wager, counts_with_raises, settle_throw
from tables.rounds.wagers import report_over_max, verify_in_chips, verify_seated
from tables.rules.suspensions import verify_not_suspended_since_opening
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act

at_the_end(file_what_is_held)
counts_with_raises(moved_beside)


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def correct_dice(ctx: TableContext, *, dice: Dice, reason: Text) -> ActOutcome:
    """Correct dice that were entered wrongly, and settle every wager again."""
    round_ = verify_correctable(ctx)
    before, raised_before = list(ctx.state.dice), raised_cents(round_)
    state, _ = ctx.game.correct_dice(ctx.state, dice or ())
    corrected: CorrectedDice = {"before": before, "after": list(dice or ()), "reason": reason}
    outcome = settle_throw(
        ctx,
        round_,
        state,
        lambda data: DICE_CORRECTED({**data, "mended": corrected}),
        newly_settled(state),
        dice=state.dice,
        corrects=newest_throw(ctx),
    )
    verify_raise(ctx, "correct_dice", raised_before, raised_seats(round_))
    return outcome


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def record_missed_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Record a wager that was on the layout when bets closed and was not entered."""
    seat, code = params.integer("seat", 1, ctx.table.seats), params.text("wager")
    cents = params.integer("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    reason = params.text("reason")
    round_ = verify_correctable(ctx)
    verify_in_chips(ctx, cents)
    verify_seated(ctx, {seat})
    take_seats(ctx, {seat}, though_refused=True)
    verify_not_suspended_since_opening(ctx, code)
    raised_before, is_late = raised_cents(round_), ctx.state.may_dice_be_known
    state, missed = ctx.game.record_missed_wager(ctx.state, Placing(seat, code, cents, made_in, play))
    is_uncalled = state.may_be_known_uncalled((seat, code, play))
    verify_chips_exist(ctx.table, sum(wager.cents for wager in state.wagers))
    was_over = any(row.key == (seat, code, play) and row.flag == "over-max" for row in ctx.wagers)
    flag = wager_flag(ctx, code, cents)
    if is_late:
        add_late_wager(ctx, round_, (seat, code, play or 0), missed.before_cents)
    values = {"cents": cents, "made_in": made_in, "flag": flag, "missed": True, "struck": False}
    wager, _ = Wager.objects.update_or_create(
        round=round_, seat=seat, code=code, play=play or 0, defaults=values
    )
    ctx.wagers[:] = [*(row for row in ctx.wagers if row.pk != wager.pk), wager]
    missed_wager: MissedWager = {
        "seat": seat,
        "wager": code,
        "before_cents": missed.before_cents,
        "after_cents": cents,
        "made_in": cast(MadeIn, made_in),
        "flag": flag,
        "reason": reason,
    }
    if play:
        missed_wager["play"] = play
    if is_uncalled:
        missed_wager["uncalled"] = True
    outcome = resettle(ctx, round_, state, lambda data: WAGER_MISSED({**data, "mended": missed_wager}))
    wager_input = WagerInput(seat, code, cents, made_in, play)
    report_over_max(ctx, round_, wager_input, is_over=flag == "over-max", was_over=was_over)
    verify_raise(
        ctx,
        "record_missed_wager",
        raised_before,
        [seat],
        is_late=is_uncalled or (is_late and cents > missed.before_cents),
        frees_stakes=cents < missed.before_cents,
    )
    return outcome


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def strike_mistaken_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Strike a wager that was entered but was not on the layout. Its row stays, marked as struck."""
    seat, code, reason = (
        params.integer("seat", 1, ctx.table.seats),
        params.text("wager"),
        params.text("reason"),
    )
    play = read_play(params)
    round_ = verify_correctable(ctx)
    raised_before = raised_cents(round_)
    is_uncalled = ctx.state.may_be_known_uncalled((seat, code, play))
    state, _ = ctx.game.strike_mistaken_wager(ctx.state, seat, code, play)
    wager = next(row for row in ctx.wagers if row.key == (seat, code, play))
    if is_uncalled:
        add_late_wager(ctx, round_, (seat, code, play or 0), wager.cents)
    wager.struck = True
    wager.save(update_fields=["struck"])
    ctx.wagers.remove(wager)
    struck: StruckWager = {
        "seat": seat,
        "wager": code,
        "before_cents": wager.cents,
        "after_cents": 0,
        "reason": reason,
    }
    if play:
        struck["play"] = play
    if is_uncalled:
        struck["uncalled"] = True
    outcome = resettle(ctx, round_, state, lambda data: WAGER_STRUCK({**data, "mended": struck}))
    if wager.flag == "over-max":
        end_alert(ctx, f"over-max:{round_.number}:{seat}:{code}")
    verify_raise(ctx, "strike_mistaken_wager", raised_before, [seat], is_late=is_uncalled, frees_stakes=True)
    return outcome


def verify_correctable(ctx: TableContext) -> Round:
    """Return the live round, before its first payment and signed by the floor. Raises `Refusal` otherwise."""
    round_ = require_round(ctx)
    if ctx.state.money_moved:
        raise Refusal(MONEY_HAS_MOVED, round=round_.number)
    verify_signed_by_floor(ctx)
    return round_


def resettle(
    ctx: TableContext, round_: Round, state: RoundState, entry: Callable[[NewSettlement], EntryBody]
) -> ActOutcome:
    """Settle the newest throw again. Before the first throw, the round goes on with the corrected wagers."""
    throw = newest_throw(ctx)
    if throw is not None:
        return settle_throw(
            ctx,
            round_,
            state,
            lambda data: entry(cast(NewSettlement, data)),
            newly_settled(state),
            dice=state.dice,
            corrects=throw,
        )
    advance(ctx, state, wagered_cents=sum(wager.cents for wager in state.wagers))
    data: NewSettlement = {"round": round_.number, "wagered_cents": round_.wagered_cents}
    return ActOutcome(entry(data), changes="phase")
