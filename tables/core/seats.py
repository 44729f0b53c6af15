"""Which seats of a table are taken (`Table.seated`), and whose player is away or has left (`Table.seat_marks`).

A seat is taken from the moment a player sits down there (`seat_player`), wagers, or accepts the dice. It is left when
that is recorded (`free_seat`, or the floor for new limits), and when the table closes. In a game whose players keep no
seat (`Game.keeps_seats`), the end of a round with wagers leaves every seat without one.

A player who is away keeps the seat, also through a round without a wager, and is not offered the dice. A player who has
left before the wagers at the seat are decided is marked as left, and the seat is free once the round has ended. Either
mark ends when the seat wagers or accepts the dice. A marked seat is still taken, and counts as playing for new limits
until the floor records it as left.
"""

from collections.abc import Iterable

from games.engine import Refusal
from games.snapshot_types import SeatMark
from tables.core.context import TableContext
from tables.core.refusals import SEAT_IS_REFUSED


def take_seats(ctx: TableContext, seats: Iterable[int], *, though_refused: bool = False) -> None:
    """Take those of these seats that are open, and remove the marks of all of them.

    Raises `seat-is-refused` for a seat that the floor refuses, unless what happened there is only recorded
    (`though_refused`).
    """
    seats = set(seats)
    if not though_refused and (refused := seats & set(ctx.table.refused_seats)):
        raise Refusal(SEAT_IS_REFUSED, seat=min(refused))
    taken = sorted({*ctx.table.seated, *seats})
    if taken != ctx.table.seated:
        ctx.change_table(seated=taken)
    _unmark(ctx, seats)


def leave_seats(ctx: TableContext, seats: Iterable[int]) -> None:
    """Leave these seats. A Quarterback who leaves gives up the dice: they are offered clockwise from there."""
    left = set(seats)
    ctx.change_table(seated=[seat for seat in ctx.table.seated if seat not in left])
    _unmark(ctx, left)
    if ctx.table.quarterback in left:
        ctx.change_table(quarterback=None, offered=ctx.table.quarterback)
    if ctx.round is not None and ctx.round.quarterback in left:
        ctx.change_round(quarterback=None, offered=ctx.round.quarterback)


def mark_of(ctx: TableContext, seat: int) -> SeatMark:
    """Return the mark of a seat: here, away or left."""
    mark: SeatMark = ctx.table.seat_marks.get(str(seat), "here")
    return mark


def mark(ctx: TableContext, seat: int, new_mark: SeatMark) -> None:
    """Mark a taken seat."""
    marks = {key: old for key, old in ctx.table.seat_marks.items() if key != str(seat)}
    ctx.change_table(seat_marks=marks if new_mark == "here" else {**marks, str(seat): new_mark})


def leave_after_round(ctx: TableContext, wagering: set[int]) -> set[int]:
    """Free the seats that are left when a round ends in which these seats had wagers.

    Return those whose player has left, as the table recorded it.
    """
    gone = {seat for seat in ctx.table.seated if mark_of(ctx, seat) == "left"}
    left = set(gone)
    if not ctx.game.keeps_seats and wagering:  # in a round without any, nobody has played
        left |= {seat for seat in ctx.table.seated if seat not in wagering and mark_of(ctx, seat) == "here"}
    if left:
        ctx.change_table(seated=[seat for seat in ctx.table.seated if seat not in left])
        _unmark(ctx, left)
    return gone


def _unmark(ctx: TableContext, seats: set[int]) -> None:
    marks = {key: old for key, old in ctx.table.seat_marks.items() if int(key) not in seats}
    if marks != ctx.table.seat_marks:
        ctx.change_table(seat_marks=marks)
