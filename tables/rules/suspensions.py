"""Wagers that a provider supplies and that may not be dealt now (58 Pa. Code § 528.7), as a table asks.

A wager that was accepted before it stopped lies on and is settled whole; none is laid or raised after.
"""

from collections.abc import Iterable

from games.engine import Refusal
from games.office.providers.services import WHOLE_GAME, label, refusal, stopped
from tables.core.context import TableContext
from tables.core.wager_input import WagerInput
from tables.snapshot_types import Reason
from tables.words.sentences import say, short


def verify_game_not_suspended(ctx: TableContext) -> None:
    """Raises `game-stopped-…` where the whole game may not be dealt: no table opens, no round begins."""
    use = ctx.stops.get(WHOLE_GAME)
    if use is not None:
        raise refusal(use)


def verify_not_suspended(ctx: TableContext, wagers: Iterable[WagerInput]) -> None:
    """Raises `wager-stopped-…` for a wager that would be laid or raised though it may not be dealt."""
    before = {wager.key: wager.cents for wager in ctx.wagers}
    for wager in wagers:
        if wager.cents > before.get(wager.key, 0):
            refusal = suspension_refusal(ctx, wager.wager)
            if refusal is not None:
                raise refusal


def verify_not_suspended_since_opening(ctx: TableContext, wager: str) -> None:
    """Raises `wager-stopped-…` for a missed wager that was stopped when its round began, and still is.

    One that stopped while the round ran may have been accepted before, and is written down.
    """
    refusal, round_ = suspension_refusal(ctx, wager), ctx.round
    if refusal is None or round_ is None:
        return
    if {wager, WHOLE_GAME} & stopped(ctx.table.facility, ctx.table.game, round_.opened_at):
        raise refusal


def suspension_refusal(ctx: TableContext, wager: str) -> Refusal | None:
    """Why a wager is not dealt here now; None where it is."""
    use = ctx.stops.get(WHOLE_GAME) or ctx.stops.get(wager)
    return refusal(use, label(ctx.table.game, wager)) if use else None


def suspension_data(ctx: TableContext, wager: str) -> Reason | None:
    """The same as the snapshot shows it."""
    refusal = suspension_refusal(ctx, wager) if ctx.stops else None
    return {"text": say(refusal), "section": short(refusal.section)} if refusal else None
