"""Suspended wagers: wagers from a provider whose certification is not current (58 Pa. Code § 528.7).

Wagers accepted before the suspension stay and are settled in full. No new ones are taken and none is increased.
"""

from collections.abc import Iterable

from games.engine import Refusal
from games.office.providers.services import WHOLE_GAME, service_refusal, suspended_codes, wager_label
from games.snapshot_types import Reason
from tables.core.context import TableContext
from tables.core.wager_input import WagerInput
from tables.words.sentences import say, short


def verify_game_not_suspended(ctx: TableContext) -> None:
    """Raises `game-stopped-…` if the whole game is suspended: no table opens and no round begins."""
    use = ctx.stops.get(WHOLE_GAME)
    if use is not None:
        raise service_refusal(use)


def verify_not_suspended(ctx: TableContext, wagers: Iterable[WagerInput]) -> None:
    """Refuse a suspended wager that is new or increased.

    Raises `wager-stopped-…` with the provider's section.
    """
    current_cents = {wager.key: wager.cents for wager in ctx.wagers}
    for wager in wagers:
        if wager.cents > current_cents.get(wager.key, 0):
            refusal = suspension_refusal(ctx, wager.wager)
            if refusal is not None:
                raise refusal


def verify_not_suspended_since_opening(ctx: TableContext, wager: str) -> None:
    """Raises `wager-stopped-…` for a missed wager that was suspended during the whole round.

    A wager suspended while the round ran may have been accepted before, so it is recorded.
    """
    refusal, round_ = suspension_refusal(ctx, wager), ctx.round
    if refusal is None or round_ is None:
        return
    if {wager, WHOLE_GAME} & suspended_codes(ctx.table.facility, ctx.table.game, round_.opened_at):
        raise refusal


def suspension_refusal(ctx: TableContext, wager: str) -> Refusal | None:
    """The refusal of a wager that is suspended here now; None if it is not."""
    use = ctx.stops.get(WHOLE_GAME) or ctx.stops.get(wager)
    return service_refusal(use, wager_label(ctx.table.game, wager)) if use else None


def suspension_data(ctx: TableContext, wager: str) -> Reason | None:
    """The same refusal as the snapshot shows it."""
    refusal = suspension_refusal(ctx, wager) if ctx.stops else None
    return {"text": say(refusal), "section": short(refusal.section)} if refusal else None
