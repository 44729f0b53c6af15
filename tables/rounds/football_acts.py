"""Acts of Three Dice Football only: offer the dice, and throw them (58 Pa. Code ch. 577)."""

from games.act_forms import Seat
from games.catalog.football.engine import Football
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.seats import take_seats
from tables.rounds.begin import ensure_round
from tables.rounds.entry_types import DICE_OFFERED, DICE_THROWN, DiceOffered, DiceThrown
from tables.rounds.progress import advance, round_answer
from tables.rounds.quarterback import verify_quarterback_plays
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def offer_dice(ctx: TableContext, *, seat: Seat, accepted: bool = False) -> ActOutcome:
    """Offer the dice to a seat, clockwise among those that are taken. A player who accepts is the Quarterback.

    The Quarterback keeps two green dice and one red (§§ 577.4(b), (c), 577.7). The rest of the set returns to the
    cup.
    """
    game, round_ = ctx.game_as(Football), ensure_round(ctx)
    state, _ = game.offer_dice(ctx.state, seat, accepted)
    advance(ctx, state)
    if accepted:
        take_seats(ctx, {seat})
    data: DiceOffered = {
        "round": round_.number,
        "seat": seat,
        "accepted": accepted,
        "lot": ctx.lot.code if ctx.lot else None,
    }
    if accepted:
        data["chosen"] = {"green": 2, "red": 1}  # § 577.4(c); the rest of the set is in the cup
    return ActOutcome(DICE_OFFERED(data), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def throw_dice(ctx: TableContext) -> ActOutcome:
    """Record that the dice left the Quarterback's hand: the wagers on this play are closed (§§ 577.3(c), (e),
    577.5(a)).
    """
    game, round_ = ctx.game_as(Football), ensure_round(ctx)
    lot, _ = ctx.verify_dice_in_time()
    state, _ = game.throw_dice(ctx.state)
    verify_quarterback_plays(ctx)
    advance(ctx, state)
    data: DiceThrown = {
        "round": round_.number,
        "throw": round_.last_throw + 1,
        "quarterback": state.quarterback,
        "lot": lot.code,
        "wagered_cents": round_.wagered_cents,
    }
    return ActOutcome(DICE_THROWN(data), round_answer(round_), "phase")
