"""Which seats of a table are taken (`Table.seated`).

A seat is taken from the moment a player sits down there (`seat_player`), wagers, or accepts the dice. It is left when
that is recorded (`free_seat`, or the floor for new limits), and when the table closes. In a game whose players keep no
seat (`Game.keeps_seats`), the end of a round with wagers leaves every seat without one.
"""

from collections.abc import Iterable

from tables.core.context import TableContext


def take_seats(ctx: TableContext, seats: Iterable[int]) -> None:
    """Take these seats, as far as they are open."""
    taken = sorted({*ctx.table.seated, *seats})
    if taken != ctx.table.seated:
        ctx.change_table(seated=taken)


def leave_seats(ctx: TableContext, seats: Iterable[int]) -> None:
    """Leave these seats. A Quarterback who leaves gives up the dice: they are offered clockwise from there."""
    left = set(seats)
    ctx.change_table(seated=[seat for seat in ctx.table.seated if seat not in left])
    if ctx.table.quarterback in left:
        ctx.change_table(quarterback=None, offered=ctx.table.quarterback)
    if ctx.round is not None and ctx.round.quarterback in left:
        ctx.change_round(quarterback=None, offered=ctx.round.quarterback)
