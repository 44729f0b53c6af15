"""Write the wagers of the round in play."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.wager_input import WagerInput
from tables.limits.rules import wager_flag
from tables.models import Round, Wager


def verify_seats(ctx: TableContext, wagers: tuple[WagerInput, ...]) -> None:
    """Raises `Refusal` for a seat that this table does not have, or the same seat and area twice in one act."""
    for wager in wagers:
        if wager.seat > ctx.table.seats:
            raise Refusal("no-such-seat", seat=wager.seat, seats=ctx.table.seats)
    if len({wager.key for wager in wagers}) != len(wagers):
        raise Refusal("malformed", name="wagers")


def write_wagers(ctx: TableContext, round_: Round, wagers: tuple[WagerInput, ...]) -> list[str]:
    """Writes the rows of what now lies, and removes those of what was taken off. Returns each one's flag.

    A row that was struck as a mistake and is written again lies there after all.
    """
    flags = [wager_flag(ctx, wager.wager, wager.cents) for wager in wagers]
    rows = [
        (wager.seat, wager.wager, wager.play or 0, wager.cents, wager.made_in, flag)
        for wager, flag in zip(wagers, flags, strict=True)
        if wager.cents
    ]
    if rows:
        Wager.objects.upsert_many(round_, rows)
    off = {wager.key for wager in wagers if not wager.cents}
    gone = [wager.pk for wager in ctx.wagers if wager.key in off]
    if gone:
        Wager.objects.filter(pk__in=gone).delete()
    return flags
