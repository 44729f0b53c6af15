"""The act that places wagers. A wager is the total that a seat has on one code."""

from typing import Annotated, cast

from games.act_forms import objects
from games.engine import Refusal
from games.engine.refusals import NOTHING_PLACED
from games.engine.wagers import MadeIn
from tables.core.alerts import end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.wager_input import WagerInput, read_wager_input
from tables.limits import section_of
from tables.models import Round
from tables.models.rounds import FlagOrNone
from tables.money.chips import verify_chips_exist
from tables.rounds.alert_rules import OVER_MAX
from tables.rounds.begin import ensure_round
from tables.rounds.entry_types import WAGERS_PLACED, PlacedWager
from tables.rounds.payable import verify_payable
from tables.rounds.seats import verify_seated
from tables.rounds.wagers import verify_seats, write_wagers
from tables.rules.suspensions import verify_not_suspended
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, depends_on="seats", is_all_in_context=True)
def place_wagers(
    ctx: TableContext, *, wagers: Annotated[tuple[WagerInput, ...], objects(read_wager_input)]
) -> ActOutcome:
    """Record wagers as they are on the layout now, for one or several seats (and plays).

    Refused after no more bets, for cash, for an unknown wager, seat or increment, for a stake whose payout would be
    a fraction of a cent or that the chips of the house cannot pay, and for a suspended wager of a provider (§ 528.7).
    A wager outside the limits is accepted and flagged (§ 521.7(c)).
    """
    verify_seats(ctx, wagers)
    if ctx.round is None and not any(wager.cents for wager in wagers):
        raise Refusal(NOTHING_PLACED, ctx.rules.section("placement"))
    verify_seated(ctx, {wager.seat for wager in wagers if wager.cents})
    round_ = ensure_round(ctx)
    state, _ = ctx.game.place_wagers(ctx.state, tuple(wager.placing for wager in wagers))
    verify_payable(ctx, wagers)
    wagered_cents = sum(wager.cents for wager in state.wagers)
    verify_chips_exist(ctx.table, wagered_cents)
    verify_not_suspended(ctx, wagers)
    over_before = {wager.key for wager in ctx.wagers if wager.flag == "over-max"}
    flags = write_wagers(ctx, round_, wagers)
    for wager, flag in zip(wagers, flags, strict=True):
        report_over_max(ctx, round_, wager, is_over=flag == "over-max", was_over=wager.key in over_before)
    ctx.change_round(wagered_cents=wagered_cents)
    return ActOutcome(
        WAGERS_PLACED(
            {
                "round": round_.number,
                "placed": [_placed(wager, flag) for wager, flag in zip(wagers, flags, strict=True)],
                "wagered_cents": round_.wagered_cents,
            }
        ),
        answer={"round": round_.number},
        changes="nothing",
        seats=tuple(sorted({wager.seat for wager in wagers})),
    )


def report_over_max(
    ctx: TableContext, round_: Round, wager: WagerInput, *, is_over: bool, was_over: bool
) -> None:
    """Raise an alert about a wager over the maximum, before no more bets (§ 521.7(c)); end it once it is lowered."""
    if was_over and not is_over:
        end_alert(ctx, f"over-max:{round_.number}:{wager.seat}:{wager.wager}")
    if is_over and not was_over:
        alert = OVER_MAX.expected(
            ctx.table.pk,
            section=section_of(ctx.table, "limits.outside"),
            round=round_.number,
            seat=wager.seat,
            wager=wager.wager,
            cents=wager.cents,
        )
        raise_alert(ctx, alert)


def _placed(wager: WagerInput, flag: FlagOrNone) -> PlacedWager:
    data: PlacedWager = {
        "seat": wager.seat,
        "wager": wager.wager,
        "cents": wager.cents,
        "made_in": cast(MadeIn, wager.made_in),
        "flag": flag,
    }
    if wager.play is not None:
        data["play"] = wager.play
    return data
