"""Start and end ratings under the table's lock, each with the rounds that count.

A round counts for the player who is rated at the seat when the seat wagers in it. The first round is the one in play,
unless its wagers at the seat count for another rating, or else the next. The last one is that in play if the seat has
wagers in it, or else the one before.
"""

from collections.abc import Iterable
from typing import Literal

from django.db import connection

from audit import clock
from games.engine import Refusal
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.reads import locked_table
from tables.models import Player, Rating
from tables.players.alert_rules import EXCLUDED_PLAYER
from tables.players.entry_types import RATING_ENDED, EndedBy, RatingEnded
from tables.players.refusals import (
    NO_SUCH_PLAYER,
    PLAYER_IS_BUSY,
    PLAYER_IS_ERASED,
    PLAYER_IS_EXCLUDED,
    PLAYER_IS_MERGED,
    RATED_IN_THIS_ROUND,
    SEAT_NOT_RATED,
)
from tables.players.words import EXCLUDED_BY
from tables.runner.facility import FacilityContext

PlayerLock = Literal["", "wait", "skip"]


def player_of(facility_id: int, code: str, lock: PlayerLock = "") -> Player:
    """A player of this facility. Raises `no-such-player`, `player-is-erased` or `player-is-merged`.

    `lock`: lock the player's row until the transaction ends. An act without a table waits for it, and locks tables
    afterward. An act at a table holds its table's lock, so it never waits (`skip`): it raises `player-is-busy`.
    """
    if lock:
        _lock_player(facility_id, code, lock)
    player = (
        Player.objects.filter(facility_id=facility_id, code=code.upper())
        .select_related("merged_into")
        .first()
    )
    if player is None:
        raise Refusal(NO_SUCH_PLAYER, player=code)
    if player.erased_at is not None:
        raise Refusal(PLAYER_IS_ERASED, player=player.code)
    if player.merged_into is not None:
        raise Refusal(PLAYER_IS_MERGED, player=player.code, into=player.merged_into.code)
    return player


def _lock_player(facility_id: int, code: str, lock: PlayerLock) -> None:
    rows = Player.objects.filter(facility_id=facility_id, code=code.upper())
    if not connection.features.has_select_for_update or not rows.exists():
        return
    locked = rows.select_for_update(of=("self",), no_key=True, skip_locked=lock == "skip")
    if not locked.values_list("pk", flat=True):
        raise Refusal(PLAYER_IS_BUSY, player=code)


def verify_admitted(player: Player) -> None:
    """Raises `player-is-excluded`."""
    if player.exclusion:
        raise Refusal(PLAYER_IS_EXCLUDED, player=player.code, reason=EXCLUDED_BY[player.exclusion])


def rated_player(ctx: TableContext, seat: int) -> str:
    """The code of the player who is rated at a seat. Raises `seat-not-rated`."""
    code: str | None = ctx.table.rated_seats.get(str(seat))
    if code is None:
        raise Refusal(SEAT_NOT_RATED, seat=seat)
    return code


def start(ctx: TableContext, player: Player, seat: int, moved_from: Rating | None = None) -> Rating:
    """Rate a player at a seat from now on. Raises `rated-in-this-round`."""
    first_round = ctx.table.last_round if ctx.round is not None else ctx.table.last_round + 1
    earlier = Rating.objects.filter(table=ctx.table, seat=seat, last_round__gte=first_round).exists()
    if earlier and _wagers_at(ctx, seat):
        raise Refusal(RATED_IN_THIS_ROUND, seat=seat, round=first_round)
    rating = Rating.objects.create(
        player=player,
        table=ctx.table,
        seat=seat,
        started_at=ctx.now,
        first_round=first_round + 1 if earlier else first_round,
        moved_from=moved_from,
    )
    ctx.change_table(rated_seats={**ctx.table.rated_seats, str(seat): player.code})
    return rating


def end(ctx: TableContext, seat: int) -> Rating:
    """End the rating of a seat. Raises `seat-not-rated`."""
    rated_player(ctx, seat)
    rating = Rating.objects.select_related("player").get(table=ctx.table, seat=seat, ended_at=None)
    in_play = ctx.round is not None and not _wagers_at(ctx, seat)
    rating.last_round = max(ctx.table.last_round - in_play, rating.first_round - 1)
    rating.ended_at = ctx.now
    rating.save(update_fields=["ended_at", "last_round"])
    rated = {key: code for key, code in ctx.table.rated_seats.items() if key != str(seat)}
    ctx.change_table(rated_seats=rated)
    return rating


def end_with_seats(ctx: TableContext, seats: Iterable[int] | None = None, by: EndedBy = "seat") -> None:
    """End the ratings at these seats, or at all of them, because the seats are free: an entry for each follows."""
    if not ctx.table.rated_seats:
        return
    rated = sorted(map(int, ctx.table.rated_seats))
    for seat in rated if seats is None else sorted(set(rated) & set(seats)):
        ctx.extra_entries.append(RATING_ENDED(ended(end(ctx, seat), by)))


def end_at_all_tables(ctx: FacilityContext, player: Player) -> None:
    """End the ratings of an excluded player, each under the lock of its table, and alert the floor there.

    The caller holds the lock of the player's row, so that no rating starts meanwhile. Tables are locked in the order of
    their codes, as by every act without a table.
    """
    open_ratings = Rating.objects.filter(player=player, ended_at=None)
    for code in sorted(set(open_ratings.values_list("table__code", flat=True))):
        locked = locked_table(ctx.facility.code, code)
        table = locked.table
        if table.stream.closed_at is not None:  # another table continues it
            continue
        moment = clock.displayed_moment(table.stream, locked.now)
        at_table = TableContext(table, ctx.actor, ctx.device, ctx.witness, moment)
        seats = open_ratings.filter(table=table).order_by("seat")
        for rating, seat in list(seats.values_list("pk", "seat")):
            end_with_seats(at_table, [seat], "exclusion")
            alert = EXCLUDED_PLAYER.expected(table.pk, cause=rating, seat=seat, player=player.code)
            raise_alert(at_table, alert)
        at_table.save_changes("nothing", ())
        at_table.append_extra_entries()
        ctx.changed_tables.add(table.pk)


def ended(rating: Rating, by: EndedBy) -> RatingEnded:
    assert rating.last_round is not None
    return {
        "rating": rating.pk,
        "player": rating.player.code,
        "seat": rating.seat,
        "first_round": rating.first_round,
        "last_round": rating.last_round,
        "by": by,
    }


def _wagers_at(ctx: TableContext, seat: int) -> bool:
    return any(wager.seat == seat for wager in ctx.wagers)
