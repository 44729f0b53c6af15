"""Write the wagers of the live round."""

from games.engine import Refusal
from games.refusals import MALFORMED
from tables.core.context import TableContext
from tables.core.seats import take_seats
from tables.core.wager_input import WagerInput
from tables.limits import wager_flag
from tables.models import Round, Wager
from tables.models.rounds import FlagOrNone
from tables.rounds.refusals import NO_SUCH_SEAT


def verify_seats(ctx: TableContext, wagers: tuple[WagerInput, ...]) -> None:
    """Raises `no-such-seat`, or `malformed` if one act names the same seat and area twice."""
    for wager in wagers:
        if wager.seat > ctx.table.seats:
            raise Refusal(NO_SUCH_SEAT, seat=wager.seat, seats=ctx.table.seats)
    if len({wager.key for wager in wagers}) != len(wagers):
        raise Refusal(MALFORMED, name="wagers")


def write_wagers(ctx: TableContext, round_: Round, wagers: tuple[WagerInput, ...]) -> list[FlagOrNone]:
    """Write the rows of these wagers and remove those of wagers taken off. Return the flag of each.

    A row that was struck as a mistake and is written again counts again.
    """
    flags = [wager_flag(ctx, wager.wager, wager.cents) for wager in wagers]
    rows = [
        (wager.seat, wager.wager, wager.play or 0, wager.cents, wager.made_in, flag)
        for wager, flag in zip(wagers, flags, strict=True)
        if wager.cents
    ]
    written = Wager.objects.upsert_many(round_, rows)
    if rows:
        take_seats(ctx, {wager.seat for wager in wagers if wager.cents})
    off = {wager.key for wager in wagers if not wager.cents}
    removed = {wager.pk for wager in ctx.wagers if wager.key in off}
    if removed:
        Wager.objects.filter(pk__in=removed).delete()
    by_id = {wager.pk: wager for wager in (*ctx.all_wagers, *written) if wager.pk not in removed}
    ctx.written_wagers = [by_id[pk] for pk in sorted(by_id)]
    return flags
