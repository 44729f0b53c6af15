"""Which seats of a table are taken (`Table.seated`), and whose player is away or has left (`Table.seat_marks`).

A seat is taken from the moment a player sits down there (`seat_player`), wagers, or accepts the dice. It is left when
that is recorded (`free_seat`, or the floor for new limits), and when the table closes. In a game whose players keep no
seat (`Game.keeps_seats`), the end of a round with wagers leaves every seat without one.

A player who is away keeps the seat, also through a round without a wager, and is not offered the dice. A player who has
left before the wagers at the seat are decided is marked as left, and the seat is free once the round has ended. Either
mark ends when the seat wagers or accepts the dice. A marked seat is still taken, and counts as playing for new limits
until the floor records it as left.

What a screen sends of a seat's wager is a `WagerInput`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from games.engine import Placing, Refusal, RefusalCode
from games.params import MOST_CENTS, Params
from games.snapshot_types import SeatMark
from tables.core.context import TableContext

SEAT_IS_REFUSED = RefusalCode(
    "seat-is-refused",
    "Seat %(seat)s is refused: take no wager there. What lies there is settled. Ask the floor.",
    "Seat refused",
)


# Taken, left and marked


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


# A wager as a screen sends it


MADE_IN = ("chips", "plaques", "cash")


MOST_PLAYS = 6


@dataclass(frozen=True)
class WagerInput:
    """The total that a seat has on one area, in cents; 0 takes the wager off.

    `play` is the play that the wager is made on, in a game that has such wagers.
    """

    seat: int
    wager: str
    cents: int
    made_in: str
    play: int | None

    @property
    def key(self) -> tuple[int, str, int | None]:
        return self.seat, self.wager, self.play

    @property
    def placing(self) -> Placing:
        """The same value for the engine."""
        return Placing(self.seat, self.wager, self.cents, self.made_in, self.play)


def read_wager_input(params: Params) -> WagerInput:
    """Read `{"seat", "wager", "cents", "made_in", "play"}`. Cash is accepted here, so that the engine can refuse
    it.
    """
    return WagerInput(
        params.integer("seat", 1, 64),
        params.text("wager"),
        params.integer("cents", 0, MOST_CENTS),
        params.choice("made_in", MADE_IN, default="chips"),
        read_play(params),
    )


def read_play(params: Params) -> int | None:
    """The play that a wager is made on; None where none is named."""
    return params.integer("play", 0, MOST_PLAYS, default=0) or None
