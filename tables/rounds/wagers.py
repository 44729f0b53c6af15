"""Write the wagers of the round in play."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.wager_input import WagerInput
from tables.limits.rules import wager_flag
from tables.models import Round, Wager


def verify_seats(ctx: TableContext, lying: tuple[WagerInput, ...]) -> None:
    """Raises `Refusal` for a seat that this table does not have, or the same seat and area twice in one act."""
    for one in lying:
        if one.seat > ctx.table.seats:
            raise Refusal("no-such-seat", seat=one.seat, seats=ctx.table.seats)
    if len({one.key for one in lying}) != len(lying):
        raise Refusal("malformed", name="wagers")


def write_wagers(ctx: TableContext, round_: Round, lying: tuple[WagerInput, ...]) -> list[str]:
    """Writes the rows of what now lies, and removes those of what was taken off. Returns each one's flag.

    A row that was struck as a mistake and is written again lies there after all.
    """
    flags = [wager_flag(ctx, one.wager, one.cents) for one in lying]
    rows = [
        (one.seat, one.wager, one.play or 0, one.cents, one.made_in, flag)
        for one, flag in zip(lying, flags, strict=True)
        if one.cents
    ]
    if rows:
        Wager.objects.lay(round_, rows)
    off = {one.key for one in lying if not one.cents}
    gone = [wager.pk for wager in ctx.wagers if wager.key in off]
    if gone:
        Wager.objects.filter(pk__in=gone).delete()
    return flags
