"""Placing wagers. A wager is the total that a seat has on one code."""

from typing import Any

from games.engine import Refusal
from games.params import Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.wager_input import WagerInput, read_wager_input
from tables.rounds.begin import live_round
from tables.rounds.seats import verify_seated
from tables.rounds.wagers import verify_seats, write_wagers
from tables.rules.suspensions import verify_wagers_dealt
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, depends_on="seats")
def place_wagers(ctx: TableContext, params: Params) -> ActOutcome:
    """Writes down wagers as they now lie on the layout, for one or several seats (and plays).

    Refused once no more bets was announced, for cash, for an unknown wager, seat or increment, and for a stake
    whose payout would be a fraction of a cent; and for a provider's wager that may not be dealt (§ 528.7). Outside the
    limits it is flagged and stands (§ 521.7(c)).
    """
    lying = params.each("wagers", read_wager_input)
    verify_seats(ctx, lying)
    if ctx.round is None and not any(one.cents for one in lying):
        raise Refusal("nothing-placed", ctx.rules.section("placement"))
    verify_seated(ctx, {one.seat for one in lying if one.cents})
    round_ = live_round(ctx)
    state, _ = ctx.game.place_wagers(ctx.state, tuple(one.placing for one in lying))
    verify_wagers_dealt(ctx, lying)
    flags = write_wagers(ctx, round_, lying)
    ctx.change_round(wagered_cents=sum(wager.cents for wager in state.wagers))
    return ActOutcome(
        "wagers.placed",
        {
            "round": round_.number,
            "placed": [_placed(one, flag) for one, flag in zip(lying, flags, strict=True)],
            "wagered_cents": round_.wagered_cents,
        },
        answer={"round": round_.number},
        changes="nothing",
        seats=tuple(sorted({one.seat for one in lying})),
    )


def _placed(one: WagerInput, flag: str) -> dict[str, Any]:
    said = {"seat": one.seat, "wager": one.wager, "cents": one.cents, "made_in": one.made_in, "flag": flag}
    return said if one.play is None else {**said, "play": one.play}
