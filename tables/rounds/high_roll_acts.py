"""Acts of High Roll Dice only: the lock-out, the fees, and the loose dice (58 Pa. Code § 675a.4)."""

from games.catalog.high_roll.engine import HighRoll
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.models import Round
from tables.rounds.entry_types import (
    DICE_GATHERED,
    DICE_MOVED,
    EXTRA_ROLLS_LOCKED_OUT,
    FEES_COLLECTED,
    DiceGathered,
    DiceMoved,
    ExtraRollFees,
)
from tables.rounds.progress import advance, require_round, round_answer
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def lock_out_extra_rolls(ctx: TableContext) -> ActOutcome:
    """Lock the sensors after no more bets: no Extra Roll is bought from now on (§ 675a.1(c)(2))."""
    game, round_ = ctx.game_as(HighRoll), require_round(ctx)
    state, _ = game.lock_out_extra_rolls(ctx.state)
    advance(ctx, state)
    return ActOutcome(EXTRA_ROLLS_LOCKED_OUT(_fees(ctx, round_)), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def collect_fees(ctx: TableContext) -> ActOutcome:
    """Record that the Extra Roll fees are in the table inventory, before the shake (§ 675a.4(a))."""
    game, round_ = ctx.game_as(HighRoll), require_round(ctx)
    state, _ = game.collect_fees(ctx.state)
    advance(ctx, state)
    return ActOutcome(FEES_COLLECTED(_fees(ctx, round_)), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def move_dice(ctx: TableContext) -> ActOutcome:
    """Record that the matching dice are in their box, uncovered and in surveillance's view throughout (§
    675a.4(e)).
    """
    game, round_ = ctx.game_as(HighRoll), require_round(ctx)
    state, record = game.move_dice(ctx.state)
    advance(ctx, state)
    data: DiceMoved = {
        "round": round_.number,
        "throw": round_.last_throw,
        "face": record.face,
        "count": record.count,
        "exposed": True,
    }
    return ActOutcome(DICE_MOVED(data), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def gather_loose_dice(ctx: TableContext) -> ActOutcome:
    """Record that the dice that do not match are in the shaker for the Extra Roll (§ 675a.4(g))."""
    game, round_ = ctx.game_as(HighRoll), require_round(ctx)
    state, _ = game.gather_loose_dice(ctx.state)
    advance(ctx, state)
    data: DiceGathered = {"round": round_.number, "dice": state.result.dice}
    return ActOutcome(DICE_GATHERED(data), round_answer(round_), "phase")


def _fees(ctx: TableContext, round_: Round) -> ExtraRollFees:
    bought = [wager for wager in ctx.state.wagers if ctx.game.is_fee(wager.code)]
    return {
        "round": round_.number,
        "seats": sorted(wager.seat for wager in bought),
        "fees_cents": sum(wager.cents for wager in bought),
    }
