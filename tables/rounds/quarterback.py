"""The Quarterback of Three Dice Football must have a wager in the game (58 Pa. Code ch. 577)."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.rounds.refusals import QUARTERBACK_SITS_OUT


def verify_quarterback_plays(ctx: TableContext) -> None:
    """Raises `quarterback-sits-out` at the first throw of a game without a wager of the Quarterback.

    A seat without a wager sits the game out (A38), and a player who sits out does not throw (§ 577.6(b)).
    """
    seat, first = ctx.state.quarterback, not (ctx.state.throws or ctx.state.void_throws)
    if first and all(wager.seat != seat for wager in ctx.state.wagers):
        raise Refusal(QUARTERBACK_SITS_OUT, ctx.rules.section("first-wagers"), seat=seat)
