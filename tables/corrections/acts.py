"""Corrections before money moves: until the first payment, signed by a floorperson.

Each correction is an entry of its own with both values. No earlier entry is changed.
"""

from typing import Any

from audit.entry_types import EntryType
from games.engine import Placing, Refusal
from games.engine.state import RoundState
from games.params import MOST_CENTS, Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.wager_input import MADE_IN, read_play
from tables.corrections.entry_types import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.refusals import MONEY_HAS_MOVED
from tables.limits.rules import wager_flag
from tables.models import Round, Wager
from tables.rounds.progress import advance, newly_settled, require_round
from tables.rounds.seats import verify_seated
from tables.rounds.settlement import settle_throw
from tables.rules.suspensions import verify_not_suspended_since_opening
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True)
def correct_dice(ctx: TableContext, params: Params) -> ActOutcome:
    """Correct dice that were entered wrongly, and settle every wager again."""
    dice = params.dice()
    reason = params.text("reason")
    round_ = verify_correctable(ctx)
    before = list(ctx.state.dice)
    state, _ = ctx.game.correct_dice(ctx.state, dice or ())
    return resettle(
        ctx, round_, state, DICE_CORRECTED, {"before": before, "after": list(dice or ()), "reason": reason}
    )


@act(roles=AT_THE_TABLE, witness=True)
def record_missed_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Record a wager that was on the layout when bets closed and was not entered."""
    seat, code = params.integer("seat", 1, ctx.table.seats), params.text("wager")
    cents = params.integer("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    reason = params.text("reason")
    round_ = verify_correctable(ctx)
    verify_seated(ctx, {seat})
    verify_not_suspended_since_opening(ctx, code)
    state, missed = ctx.game.record_missed_wager(ctx.state, Placing(seat, code, cents, made_in, play))
    flag = wager_flag(ctx, code, cents)
    values = {"cents": cents, "made_in": made_in, "flag": flag, "missed": True, "struck": False}
    wager, _ = Wager.objects.update_or_create(
        round=round_, seat=seat, code=code, play=play or 0, defaults=values
    )
    ctx.wagers[:] = [*(row for row in ctx.wagers if row.pk != wager.pk), wager]
    mistake = {"seat": seat, "wager": code, "before_cents": missed.before_cents, "after_cents": cents}
    mistake |= {"made_in": made_in, "flag": flag} | ({"play": play} if play else {})
    return resettle(ctx, round_, state, WAGER_MISSED, {**mistake, "reason": reason})


@act(roles=AT_THE_TABLE, witness=True)
def strike_mistaken_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Strike a wager that was entered but was not on the layout. Its row stays, marked as struck."""
    seat, code, reason = (
        params.integer("seat", 1, ctx.table.seats),
        params.text("wager"),
        params.text("reason"),
    )
    play = read_play(params)
    round_ = verify_correctable(ctx)
    state, _ = ctx.game.strike_mistaken_wager(ctx.state, seat, code, play)
    wager = next(row for row in ctx.wagers if row.key == (seat, code, play))
    wager.struck = True
    wager.save(update_fields=["struck"])
    ctx.wagers.remove(wager)
    struck = {"seat": seat, "wager": code, "before_cents": wager.cents, "after_cents": 0, "reason": reason}
    struck |= {"play": play} if play else {}
    return resettle(ctx, round_, state, WAGER_STRUCK, struck)


def verify_correctable(ctx: TableContext) -> Round:
    """Return the live round, before its first payment and signed by the floor. Raises `Refusal` otherwise."""
    round_ = require_round(ctx)
    if ctx.state.money_moved:
        raise Refusal(MONEY_HAS_MOVED, round=round_.number)
    verify_signed_by_floor(ctx)
    return round_


def resettle(
    ctx: TableContext, round_: Round, state: RoundState, entry_type: EntryType[Any], mistake: dict[str, Any]
) -> ActOutcome:
    """Settle the newest throw again. Before the first throw, the round goes on with the corrected wagers."""
    newest_throw = next((throw for throw in reversed(ctx.throws) if throw.dice), None)
    if newest_throw is not None:
        settled, extra = newly_settled(state), {"mended": mistake}
        return settle_throw(
            ctx, round_, state, entry_type, settled, dice=state.dice, corrects=newest_throw, more=extra
        )
    advance(ctx, state, wagered_cents=sum(wager.cents for wager in state.wagers))
    data = {"round": round_.number, "mended": mistake, "wagered_cents": round_.wagered_cents}
    return ActOutcome(entry_type(data), changes="phase")
