"""Acts at a table: start, end and move a rating; refuse a seat, and lift the refusal."""

from games.act_forms import Code, Seat
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import FLOOR
from tables.models import Rating
from tables.players import ratings
from tables.players.entry_types import (
    RATING_ENDED,
    RATING_MOVED,
    RATING_STARTED,
    SEAT_ALLOWED,
    SEAT_REFUSED,
    RatingStarted,
    RefusedFor,
)
from tables.players.refusals import (
    PLAYER_IS_RATED,
    RATED_SEAT_HAS_WAGERS,
    RATED_SEAT_IS_OPEN,
    SEAT_IS_RATED,
    SEAT_NOT_REFUSED,
    SEAT_REFUSED_ALREADY,
)
from tables.runner.table import ActOutcome, act


@act(roles=FLOOR, depends_on="nothing")
def start_rating(ctx: TableContext, *, seat: Seat, player_code: Code) -> ActOutcome:
    """Rate a player at a taken seat, from the round in play or else from the next.

    A player may be rated at two seats of one table. Raises `rated-seat-is-open`, `seat-is-rated`, `no-such-player`,
    `player-is-excluded`, `player-is-rated` at another table, or `player-is-busy`.
    """
    player = ratings.player_of(ctx.table.facility_id, player_code, lock="skip")
    ratings.verify_admitted(player)
    _verify_free(ctx, seat)
    elsewhere = (
        Rating.objects.filter(player=player, ended_at=None).exclude(table=ctx.table).select_related("table")
    )
    if (rating := elsewhere.first()) is not None:
        raise Refusal(PLAYER_IS_RATED, player=player.code, table=rating.table.code)
    rating = ratings.start(ctx, player, seat)
    data: RatingStarted = {
        "rating": rating.pk,
        "player": player.code,
        "seat": seat,
        "first_round": rating.first_round,
    }
    return ActOutcome(RATING_STARTED(data), {"rating": rating.pk}, changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def end_rating(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """End the rating of a seat. Raises `seat-not-rated`."""
    rating = ratings.end(ctx, seat)
    return ActOutcome(RATING_ENDED(ratings.ended(rating, "floor")), {"rating": rating.pk}, changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def move_rating(ctx: TableContext, *, seat: Seat, to_seat: Seat) -> ActOutcome:
    """Record that a rated player changed the seat. Both ratings are linked.

    Raises `seat-not-rated`, `rated-seat-is-open`, `seat-is-rated`, or `rated-seat-has-wagers` while the new seat has
    wagers: they are another player's.
    """
    ratings.rated_player(ctx, seat)
    _verify_free(ctx, to_seat)
    if any(wager.seat == to_seat for wager in ctx.wagers):
        raise Refusal(RATED_SEAT_HAS_WAGERS, seat=to_seat)
    before = ratings.end(ctx, seat)
    assert before.last_round is not None
    rating = ratings.start(ctx, before.player, to_seat, before)
    return ActOutcome(
        RATING_MOVED(
            {
                "player": before.player.code,
                "rating": before.pk,
                "seat": seat,
                "last_round": before.last_round,
                "to_rating": rating.pk,
                "to_seat": to_seat,
                "first_round": rating.first_round,
            }
        ),
        {"rating": rating.pk},
        changes="nothing",
    )


@act(roles=FLOOR, depends_on="nothing", is_all_in_context=True)
def refuse_seat(ctx: TableContext, *, seat: Seat, reason: RefusedFor) -> ActOutcome:
    """Refuse a seat: no wager is accepted there until `allow_seat`. Wagers that lie there are settled in full.

    Raises `seat-refused-already`.
    """
    if seat in ctx.table.refused_seats:
        raise Refusal(SEAT_REFUSED_ALREADY, seat=seat)
    ctx.change_table(refused_seats=sorted([*ctx.table.refused_seats, seat]))
    return ActOutcome(SEAT_REFUSED({"seat": seat, "reason": reason}), changes="nothing")


@act(roles=FLOOR, depends_on="nothing", is_all_in_context=True)
def allow_seat(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Accept wagers at a refused seat again. Raises `seat-not-refused`."""
    if seat not in ctx.table.refused_seats:
        raise Refusal(SEAT_NOT_REFUSED, seat=seat)
    ctx.change_table(refused_seats=[refused for refused in ctx.table.refused_seats if refused != seat])
    return ActOutcome(SEAT_ALLOWED({"seat": seat}), changes="nothing")


def _verify_free(ctx: TableContext, seat: int) -> None:
    if seat not in ctx.table.seated:
        raise Refusal(RATED_SEAT_IS_OPEN, seat=seat)
    if (code := ctx.table.rated_seats.get(str(seat))) is not None:
        raise Refusal(SEAT_IS_RATED, seat=seat, player=code)
