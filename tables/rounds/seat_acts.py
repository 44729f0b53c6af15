"""Acts on seats, in a game that only seated players may wager in (58 Pa. Code § 675a.2(c))."""

from games.engine import Refusal
from games.params import Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.refusals import ACT_OF_ANOTHER_GAME
from tables.rounds.entry_types import SEAT_FREED, SEAT_TAKEN
from tables.rounds.refusals import SEAT_HAS_A_WAGER, SEAT_IS_OPEN, SEAT_IS_TAKEN
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, depends_on="nothing")
def seat_player(ctx: TableContext, params: Params) -> ActOutcome:
    """Seat a player at an open seat, which may wager from now on."""
    seat = _seat(ctx, params)
    if seat in ctx.table.seated:
        raise Refusal(SEAT_IS_TAKEN, ctx.rules.section("seated"), seat=seat)
    ctx.change_table(seated=sorted([*ctx.table.seated, seat]))
    return ActOutcome(SEAT_TAKEN({"seat": seat}), changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def free_seat(ctx: TableContext, params: Params) -> ActOutcome:
    """Record that the player left. Refused while the seat has a wager in the live round."""
    seat = _seat(ctx, params)
    if seat not in ctx.table.seated:
        raise Refusal(SEAT_IS_OPEN, ctx.rules.section("seated"), seat=seat)
    if any(wager.seat == seat for wager in ctx.wagers):
        raise Refusal(SEAT_HAS_A_WAGER, ctx.rules.section("seated"), seat=seat)
    ctx.change_table(seated=[taken_seat for taken_seat in ctx.table.seated if taken_seat != seat])
    return ActOutcome(SEAT_FREED({"seat": seat}), changes="nothing")


def _seat(ctx: TableContext, params: Params) -> int:
    if not ctx.rules.section("seated"):
        raise Refusal(ACT_OF_ANOTHER_GAME, table=ctx.table.code)
    return params.integer("seat", 1, ctx.table.seats)
