"""Ratings of players at a table, and refused seats.

The floor rates a player at a taken seat (`start_rating`), records that they changed the seat (`move_rating`), and ends
the rating (`end_rating`). It ends by itself when the seat is freed, the table closes, or the player is excluded
(`end_with_seats`, `end_at_all_tables`); the floor is then alerted. Seats are anonymous otherwise.

A round counts for the player who is rated at the seat when the seat wagers in it. The first round is the one in play,
unless its wagers at the seat count for another rating, or else the next. The last one is that in play if the seat has
wagers in it, or else the one before.

Seats may be refused: no wager is accepted there until that is lifted (`refuse_seat`, `allow_seat`).

Everything is under the table's lock. No entry has personal data: a player is a random code
(`tables.players.register`).
"""

from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict

from django.db import connection

from audit import clock
from audit.clock import format_moment
from audit.columns import AT, FACILITY, NONE, STREAM, Body, RowFindings, Rows, Source, declare, named, same
from audit.entry_types import entry_type
from games.act_forms import Code, Seat
from games.engine import Refusal, RefusalCode
from tables.core.alerts import AlertKind, Level, raise_alert
from tables.core.context import TableContext, locked_table
from tables.core.duty import FLOOR
from tables.models import Player, Rating, Round
from tables.runner.facility import FacilityContext
from tables.runner.table import ActOutcome, act
from tables.words import overtaken_by

NO_SUCH_PLAYER = RefusalCode(
    "no-such-player",
    "No player %(player)s is on file here. Check the code, or register the player.",
    "No such player",
)
PLAYER_IS_ERASED = RefusalCode(
    "player-is-erased",
    "Player %(player)s was erased. Register the person under a new code.",
    "Player erased",
)
PLAYER_IS_MERGED = RefusalCode(
    "player-is-merged",
    "Player %(player)s is the same person as %(into)s. Use %(into)s.",
    "Recorded twice",
)
PLAYER_IS_BUSY = RefusalCode(
    "player-is-busy",
    "Somebody else is changing player %(player)s right now. Look at their page, then try again.",
    "Player busy",
)
PLAYER_IS_EXCLUDED = RefusalCode(
    "player-is-excluded",
    "Player %(player)s is excluded: %(reason)s. Do not seat them, and call Security.",
    "Excluded player",
)
PLAYER_IS_RATED = RefusalCode(
    "player-is-rated", "Player %(player)s is rated at %(table)s now. End that rating first.", "Rating runs"
)
RATED_SEAT_IS_OPEN = RefusalCode(
    "rated-seat-is-open", "Nobody is at seat %(seat)s. Seat the player first, then rate them.", "Seat open"
)
SEAT_IS_RATED = RefusalCode(
    "seat-is-rated", "Seat %(seat)s is rated as %(player)s. End that rating first.", "Seat rated"
)
SEAT_NOT_RATED = RefusalCode("seat-not-rated", "Nobody is rated at seat %(seat)s.", "Not rated")
RATED_IN_THIS_ROUND = RefusalCode(
    "rated-in-this-round",
    "The wagers at seat %(seat)s in round %(round)s are rated as another player's. Start with the next round.",
    "Round is rated",
)
RATED_SEAT_HAS_WAGERS = RefusalCode(
    "rated-seat-has-wagers",
    "Seat %(seat)s has wagers in this round. Change the seat when the round has ended.",
    "Wagers at the seat",
)
SEAT_REFUSED_ALREADY = RefusalCode(
    "seat-refused-already", "Seat %(seat)s is refused already.", "Refused already"
)
SEAT_NOT_REFUSED = RefusalCode("seat-not-refused", "Seat %(seat)s is not refused.", "Not refused")


# What the record says of ratings and refused seats


EndedBy = Literal["floor", "seat", "close", "exclusion"]
RefusedFor = Literal["excluded", "conduct", "intoxicated", "age", "other"]
REFUSED_FOR = {
    "excluded": "excluded person",
    "conduct": "conduct",
    "intoxicated": "intoxicated",
    "age": "under age",
    "other": "another reason",
}


class RatingStarted(TypedDict):
    rating: Annotated[int, "number of the rating"]
    player: Annotated[str, "random code of the player"]
    seat: int
    first_round: Annotated[int, "number of the first round that counts"]


RATING_STARTED = entry_type(
    "rating.started",
    RatingStarted,
    "A player is rated at a seat.",
    lambda data: "Seat %(seat)s rated as %(player)s, from round %(first_round)s" % data,
)


class RatingEnded(RatingStarted):
    last_round: Annotated[int, "number of the last round that counts; before the first: none"]
    by: Annotated[
        EndedBy, "the floor ended it, the seat was freed, the table closed, or the player was excluded"
    ]


RATING_ENDED = entry_type(
    "rating.ended",
    RatingEnded,
    "A player is no longer rated at a seat.",
    lambda data: "Seat %(seat)s: rating of %(player)s ended after round %(last_round)s" % data,
)
overtaken_by(SEAT_NOT_RATED, RATING_ENDED)


@entry_type("rating.moved")
def RATING_MOVED(
    *,
    player: Annotated[str, "random code of the player"],
    rating: Annotated[int, "number of the rating that ended"],
    seat: int,
    last_round: Annotated[int, "number of its last round that counts"],
    to_rating: Annotated[int, "number of the rating that began"],
    to_seat: int,
    first_round: Annotated[int, "number of its first round that counts"],
) -> str:
    """A rated player changed the seat at the table."""
    return f"{player} moved from seat {seat} to seat {to_seat}"


@entry_type("seat.refused")
def SEAT_REFUSED(*, seat: int, reason: RefusedFor) -> str:
    """Wagers at a seat are refused until this is lifted."""
    return "Seat %s refused: %s" % (seat, REFUSED_FOR.get(reason, reason))


overtaken_by(SEAT_REFUSED_ALREADY, SEAT_REFUSED)


@entry_type("seat.allowed")
def SEAT_ALLOWED(*, seat: int) -> str:
    """Wagers at a seat are accepted again."""
    return f"Seat {seat} no longer refused"


overtaken_by(SEAT_NOT_REFUSED, SEAT_ALLOWED)


def _split(rows: Rows, body: Body) -> None:
    """The rounds of an ended rating from one on were another player's (`tables.players.register`)."""
    data = body["data"]
    table, number = f"{FACILITY(body)}/{data['table']}", data["first_round"]
    rating = rows.get(table, data["rating"])
    if rating is None:
        return
    if data["to_rating"] == data["rating"]:
        rows.put(body, table, data["rating"], player=data["to_player"])
        return
    rounds = Round.objects.filter(table__stream__name=table, number=number)
    (moment,) = map(format_moment, rounds.values_list("opened_at", flat=True))
    later = {"player": data["to_player"], "started_at": moment, "first_round": number, "moved_from": None}
    rows.put(body, table, data["to_rating"], **{**rating, **later})
    rows.put(body, table, data["rating"], last_round=number - 1, ended_at=moment)


_STARTED = {**same("player", "first_round"), "started_at": AT, "ended_at": NONE, "last_round": NONE}
_ENDED: dict[str, Source] = {"last_round": "last_round", "ended_at": AT}

declare(
    Rating,
    "rating",
    key={"stream": STREAM, "id": "rating"},
    created={
        RATING_STARTED: {**_STARTED, "seat": "seat", "moved_from": NONE},
        RATING_MOVED: {**_STARTED, "@id": "to_rating", "seat": "to_seat", "moved_from": "rating"},
    },
    changed={RATING_ENDED: _ENDED, RATING_MOVED: _ENDED},
    folded={"rating.split": _split},
    readings={"stream": named("table__stream__name", "table")},
    findings=RowFindings.declare("rating"),
)


# The player of a rating


EXCLUDED_BY: dict[str, str] = {str(value): str(label) for value, label in Player.Exclusion.choices}
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


# Rate a player, from the first round that counts to the last


@act(roles=FLOOR, depends_on="nothing")
def start_rating(ctx: TableContext, *, seat: Seat, player_code: Code) -> ActOutcome:
    """Rate a player at a taken seat, from the round in play or else from the next.

    A player may be rated at two seats of one table. Raises `rated-seat-is-open`, `seat-is-rated`, `no-such-player`,
    `player-is-excluded`, `player-is-rated` at another table, or `player-is-busy`.
    """
    player = player_of(ctx.table.facility_id, player_code, lock="skip")
    verify_admitted(player)
    _verify_free(ctx, seat)
    elsewhere = (
        Rating.objects.filter(player=player, ended_at=None).exclude(table=ctx.table).select_related("table")
    )
    if (rating := elsewhere.first()) is not None:
        raise Refusal(PLAYER_IS_RATED, player=player.code, table=rating.table.code)
    rating = start(ctx, player, seat)
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
    rating = end(ctx, seat)
    return ActOutcome(RATING_ENDED(ended(rating, "floor")), {"rating": rating.pk}, changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def move_rating(ctx: TableContext, *, seat: Seat, to_seat: Seat) -> ActOutcome:
    """Record that a rated player changed the seat. Both ratings are linked.

    Raises `seat-not-rated`, `rated-seat-is-open`, `seat-is-rated`, or `rated-seat-has-wagers` while the new seat has
    wagers: they are another player's.
    """
    rated_player(ctx, seat)
    _verify_free(ctx, to_seat)
    if any(wager.seat == to_seat for wager in ctx.wagers):
        raise Refusal(RATED_SEAT_HAS_WAGERS, seat=to_seat)
    before = end(ctx, seat)
    assert before.last_round is not None
    rating = start(ctx, before.player, to_seat, before)
    return ActOutcome(
        RATING_MOVED(
            player=before.player.code,
            rating=before.pk,
            seat=seat,
            last_round=before.last_round,
            to_rating=rating.pk,
            to_seat=to_seat,
            first_round=rating.first_round,
        ),
        {"rating": rating.pk},
        changes="nothing",
    )


def _verify_free(ctx: TableContext, seat: int) -> None:
    if seat not in ctx.table.seated:
        raise Refusal(RATED_SEAT_IS_OPEN, seat=seat)
    if (code := ctx.table.rated_seats.get(str(seat))) is not None:
        raise Refusal(SEAT_IS_RATED, seat=seat, player=code)


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


# Ratings that end by themselves


EXCLUDED_PLAYER = AlertKind(
    "excluded-player",
    "excluded:{cause}",
    Level.STOP,
    "Excluded player",
    "Excluded player at seat %(seat)s",
    "Seat %(seat)s was rated as %(player)s, who is excluded now. The rating has ended. Refuse the seat, "
    "and call Security.",
    ends_when_acknowledged=True,
    at_the_pit=True,
)


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


# Refused seats


@act(roles=FLOOR, depends_on="nothing", is_all_in_context=True)
def refuse_seat(ctx: TableContext, *, seat: Seat, reason: RefusedFor) -> ActOutcome:
    """Refuse a seat: no wager is accepted there until `allow_seat`. Wagers that lie there are settled in full.

    Raises `seat-refused-already`.
    """
    if seat in ctx.table.refused_seats:
        raise Refusal(SEAT_REFUSED_ALREADY, seat=seat)
    ctx.change_table(refused_seats=sorted([*ctx.table.refused_seats, seat]))
    return ActOutcome(SEAT_REFUSED(seat=seat, reason=reason), changes="nothing")


@act(roles=FLOOR, depends_on="nothing", is_all_in_context=True)
def allow_seat(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Accept wagers at a refused seat again. Raises `seat-not-refused`."""
    if seat not in ctx.table.refused_seats:
        raise Refusal(SEAT_NOT_REFUSED, seat=seat)
    ctx.change_table(refused_seats=[refused for refused in ctx.table.refused_seats if refused != seat])
    return ActOutcome(SEAT_ALLOWED(seat=seat), changes="nothing")
