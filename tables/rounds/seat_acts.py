"""Acts on seats: a player sits down, is away, is back, and leaves (§§ 577.4(b), 675a.2(c)).

A wager takes its seat too. In a game that only seated players may wager in, the player sits down first. In a game whose
players keep no seat, a wager alone takes it.
"""

from games.act_forms import Seat
from games.engine import Refusal
from games.snapshot_types import SeatMark
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.refusals import ACT_OF_ANOTHER_GAME
from tables.core.seats import leave_seats, mark, take_seats
from tables.models import Wager
from tables.players.ratings import end_with_seats
from tables.rounds.entry_types import SEAT_FREED, SEAT_MARKED, SEAT_TAKEN
from tables.rounds.refusals import (
    SEAT_HAS_A_WAGER,
    SEAT_HAS_NO_WAGER,
    SEAT_HAS_THE_DICE,
    SEAT_HOLDS_THE_DICE,
    SEAT_IS_OPEN,
    SEAT_IS_TAKEN,
)
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def seat_player(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Seat a player at an open seat. Raises `seat-is-taken`, or `act-of-another-game` where players keep no seat."""
    if not ctx.game.keeps_seats:
        raise Refusal(ACT_OF_ANOTHER_GAME, table=ctx.table.code)
    if seat in ctx.table.seated:
        raise Refusal(SEAT_IS_TAKEN, ctx.rules.section("seated"), seat=seat)
    take_seats(ctx, {seat})
    return ActOutcome(SEAT_TAKEN({"seat": seat}), changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def free_seat(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Record that the player left.

    Raises `seat-is-open`, `seat-has-a-wager` while a wager of the seat is live (where only seated players wager: until
    the round ends), or `seat-has-the-dice` while the dice that the player threw are out.
    """
    if seat not in ctx.table.seated:
        raise Refusal(SEAT_IS_OPEN, ctx.rules.section("seated"), seat=seat)
    if any(wager.seat == seat for wager in _binding_wagers(ctx)):
        raise Refusal(SEAT_HAS_A_WAGER, ctx.rules.section("seated"), seat=seat)
    has_dice = ctx.round is not None and ctx.round.quarterback == seat
    if has_dice and ctx.state.phase == "ready":
        raise Refusal(SEAT_HAS_THE_DICE, ctx.rules.section("call-dice"), seat=seat)
    end_with_seats(ctx, {seat})
    leave_seats(ctx, {seat})
    return ActOutcome(SEAT_FREED({"seat": seat}), changes="phase" if has_dice else "nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def mark_seat(ctx: TableContext, *, seat: Seat, mark_: SeatMark) -> ActOutcome:
    """Record that the player of a taken seat is away and keeps it, has left while wagers are at the seat, or is back.

    Raises `seat-is-open`, `seat-holds-the-dice` for a Quarterback, who gives them up first, `seat-has-a-wager` where
    only seated players wager and stay until the round ends (§ 675a.2(c)), or `seat-has-no-wager` for a player who has
    left without a wager, which is recorded by `free_seat`.
    """
    if seat not in ctx.table.seated:
        raise Refusal(SEAT_IS_OPEN, ctx.rules.section("seated"), seat=seat)
    holder = ctx.round.quarterback if ctx.round is not None else ctx.table.quarterback
    if mark_ != "here" and holder == seat:
        raise Refusal(SEAT_HOLDS_THE_DICE, ctx.rules.section("pass-dice"), seat=seat)
    has_wager = any(wager.seat == seat for wager in ctx.wagers)
    if mark_ != "here" and has_wager and ctx.rules.section("seated"):
        raise Refusal(SEAT_HAS_A_WAGER, ctx.rules.section("seated"), seat=seat)
    if mark_ == "left" and not has_wager:
        raise Refusal(SEAT_HAS_NO_WAGER, seat=seat)
    mark(ctx, seat, mark_)
    return ActOutcome(SEAT_MARKED({"seat": seat, "mark": mark_}), changes="nothing")


def _binding_wagers(ctx: TableContext) -> list[Wager]:
    """The wagers of the live round that keep a player at the seat."""
    if ctx.rules.section("seated"):
        return ctx.wagers
    decided = {settled.wager.key for settled in ctx.state.settled}
    return [wager for wager in ctx.wagers if wager.key not in decided]
