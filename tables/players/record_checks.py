"""What a full verification checks of players, their ratings, and rated and refused seats: rows against entries.

Nothing else states the columns of players and ratings: this check folds their entries.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from audit.clock import format_moment
from audit.columns import RowFindings, declare, may_read
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import Entry
from games.models import Facility
from tables.core.entries import StatedRow, compare_rows, entry_bodies
from tables.models import Player, PlayerDetails, Rating, Round, Table
from tables.players.ratings import RATING_ENDED, RATING_MOVED, RATING_STARTED, SEAT_ALLOWED, SEAT_REFUSED
from tables.players.register import (
    PLAYER_ADMITTED,
    PLAYER_ERASED,
    PLAYER_EXCLUDED,
    PLAYER_REGISTERED,
    PLAYERS_MERGED,
    PLAYERS_UNMERGED,
    RATING_SPLIT,
    is_hash_of,
)

PLAYERS, RATINGS = RowFindings.declare("player"), RowFindings.declare("rating")
PLAYER_DATA_DIFFER = declare_finding(
    "player-data-differ",
    "%(stream)s: the personal data of player %(player)s do not have the hash of entry %(seq)s. They, or the key of "
    "the server, were changed.",
)
SEATS_DIFFER = declare_finding(
    "seats-differ", "%(stream)s: the row of the table has other %(column)s than its entries."
)
AT_TABLE = (RATING_STARTED, RATING_ENDED, RATING_MOVED, SEAT_REFUSED, SEAT_ALLOWED)
OF_PLAYERS = (
    PLAYER_REGISTERED,
    PLAYER_EXCLUDED,
    PLAYER_ADMITTED,
    PLAYERS_MERGED,
    PLAYERS_UNMERGED,
    PLAYER_ERASED,
    RATING_SPLIT,
)
Body = dict[str, Any]


@dataclass
class StatedSeats:
    """What the entries of one table state: its ratings by number, who is rated where now, and refused seats."""

    table_id: int
    ratings: dict[int, StatedRow] = field(default_factory=dict)
    rated: dict[str, str] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)

    def apply(self, body: Body) -> None:
        """Apply one entry. Raises KeyError or TypeError for one that is not as it was written."""
        type_, data = body["_type"], body["data"]
        if type_ == SEAT_REFUSED.name:
            self.refused.add(data["seat"])
        elif type_ == SEAT_ALLOWED.name:
            self.refused.discard(data["seat"])
        elif type_ == RATING_STARTED.name:
            self._start(body, data["rating"], data["seat"])
        else:
            self._end(body)
            if type_ == RATING_MOVED.name:
                self._start(body, data["to_rating"], data["to_seat"], moved_from=data["rating"])

    def _start(self, body: Body, rating: int, seat: int, moved_from: int | None = None) -> None:
        data = body["data"]
        self.rated[str(seat)] = data["player"]
        self.ratings[rating] = StatedRow(
            body["seq"],
            {
                "player": data["player"],
                "table": self.table_id,
                "seat": seat,
                "started_at": body["at"],
                "ended_at": None,
                "first_round": data["first_round"],
                "last_round": None,
                "moved_from": moved_from,
            },
        )

    def _end(self, body: Body) -> None:
        data = body["data"]
        self.rated.pop(str(data["seat"]), None)
        self.ratings[data["rating"]].change(body["seq"], last_round=data["last_round"], ended_at=body["at"])


@record_check
def check_players(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the players of every facility with its entries, and the ratings and seats of its tables."""
    for facility in Facility.objects.order_by("pk"):
        tick()
        entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/")
        splits: dict[str, list[Body]] = defaultdict(list)
        yield from _compare_players(facility, entries.filter(type__in=_names(OF_PLAYERS)), splits)
        for table in Table.objects.filter(facility=facility).select_related("stream").order_by("pk"):
            tick()
            yield from _compare_seats(table, splits[table.code])


def _names(types: tuple[Any, ...]) -> list[str]:
    return [type_.name for type_ in types]


def _compare_players(
    facility: Facility, entries: QuerySet[Entry], splits: dict[str, list[Body]]
) -> Iterator[Finding]:
    """Compare the players of a facility. Puts the entries that split a rating into `splits`, by table code."""
    stated: dict[str, StatedRow] = {}
    hashes: dict[str, tuple[int, str]] = {}
    for body in entry_bodies(entries):
        try:
            if body["_type"] == RATING_SPLIT.name:
                splits[body["data"]["table"]].append(body)
            else:
                _apply_to_players(stated, hashes, body)
        except (KeyError, TypeError):
            continue  # the verification of the chain names it
    details = PlayerDetails.objects.filter(player=OuterRef("pk"))
    rows = Player.objects.filter(facility=facility).select_related("merged_into")
    rows = rows.annotate(has_details=Exists(details))
    stored = {row.code: row for row in rows.order_by("pk")}
    stream = f"{facility.code}/players"
    yield from compare_rows(
        PLAYERS, stream, stated, stored, name=lambda code: f"player {code}", read=_stored_player
    )
    if not may_read(PlayerDetails, ["name", "card", "salt"]):
        return
    data = {row.player_id: row for row in PlayerDetails.objects.filter(player__facility=facility)}
    for code, (seq, hash_) in hashes.items():
        personal = data.get(stored[code].pk) if code in stored else None
        if personal is not None and not is_hash_of(hash_, facility.code, personal):
            yield Finding(PLAYER_DATA_DIFFER, {"stream": stream, "player": code, "seq": seq})


@record_gap
def unread_data() -> Iterator[str]:
    """Say that the hashes of personal data were not computed again, where this login may not read the data."""
    if not may_read(PlayerDetails, ["name", "card", "salt"]):
        yield "players' personal data: this role of the database may not read it. Run it as the web role."


def _apply_to_players(stated: dict[str, StatedRow], hashes: dict[str, tuple[int, str]], body: Body) -> None:
    type_, seq, data = body["_type"], body["seq"], body["data"]
    code = data["player"]
    if type_ == PLAYER_REGISTERED.name:
        values = {"added_at": body["at"], "exclusion": "", "merged_into": None, "erased_at": None}
        stated[code] = StatedRow(seq, {**values, "has_details": True})
        hashes[code] = seq, data["hmac_sha256"]
    elif type_ == PLAYERS_MERGED.name:
        _merge(stated, seq, code, data["into"])
    elif type_ == PLAYERS_UNMERGED.name:
        stated[code].change(seq, merged_into=None)
        for excluded, reason in data.get("exclusions", {}).items():
            stated[excluded].change(seq, exclusion=reason)
    elif type_ == PLAYER_ERASED.name:
        for erased in (code, *data.get("merged", ())):
            stated[erased].change(seq, erased_at=body["at"], has_details=False)
    else:
        stated[code].change(seq, exclusion=data.get("reason", ""))


def _merge(stated: dict[str, StatedRow], seq: int, code: str, into: str) -> None:
    for row in stated.values():
        if row.values["merged_into"] == code:
            row.change(seq, merged_into=into)
    stated[code].change(seq, merged_into=into)
    exclusion = stated[code].values["exclusion"]
    if exclusion and not stated[into].values["exclusion"]:
        stated[into].change(seq, exclusion=exclusion)


def _stored_player(row: Player, column: str) -> Any:
    if column == "merged_into":
        return row.merged_into.code if row.merged_into else None
    return _plain(getattr(row, column))


def _compare_seats(table: Table, splits: list[Body]) -> Iterator[Finding]:
    stated = StatedSeats(table.pk)
    for body in entry_bodies(Entry.objects.filter(stream=table.stream_id, type__in=_names(AT_TABLE))):
        try:
            stated.apply(body)
        except (KeyError, TypeError):
            continue  # the verification of the chain names it
    for body in splits:  # of ratings that had ended
        try:
            _split(table, stated.ratings, body)
        except (KeyError, TypeError, Round.DoesNotExist):
            continue  # the verification of the chain names it
    rows = Rating.objects.filter(table=table).select_related("player")
    stored = {row.pk: row for row in rows.order_by("pk")}
    stream = table.stream.name
    yield from compare_rows(
        RATINGS, stream, stated.ratings, stored, name=lambda key: f"rating {key}", read=_stored_rating
    )
    if table.rated_seats != stated.rated:
        yield Finding(SEATS_DIFFER, {"stream": stream, "column": "rated seats"})
    if table.refused_seats != sorted(stated.refused):
        yield Finding(SEATS_DIFFER, {"stream": stream, "column": "refused seats"})


def _split(table: Table, ratings: dict[int, StatedRow], body: Body) -> None:
    """Apply that the rounds of an ended rating from one on were another player's."""
    seq, data = body["seq"], body["data"]
    rating = ratings[data["rating"]]
    if data["to_rating"] == data["rating"]:
        rating.change(seq, player=data["to_player"])
        return
    number = data["first_round"]
    moment = format_moment(Round.objects.get(table=table, number=number).opened_at)
    later = {"player": data["to_player"], "started_at": moment, "first_round": number, "moved_from": None}
    ratings[data["to_rating"]] = StatedRow(seq, {**rating.values, **later})
    rating.change(seq, last_round=number - 1, ended_at=moment)


def _stored_rating(row: Rating, column: str) -> Any:
    if column == "player":
        return row.player.code
    return _plain(getattr(row, f"{column}_id" if column in ("table", "moved_from") else column))


def _plain(value: Any) -> Any:
    return format_moment(value) if isinstance(value, dt.datetime) else value


# What this check compares, column by column


CHECK = "tables.players.record_checks.check_players"


def _compared(names: str) -> dict[str, str]:
    """These columns, which the check of players compares."""
    return dict.fromkeys(names.split(), CHECK)


declare(Player, "player", derived=_compared("facility code added_at exclusion merged_into erased_at"))
declare(PlayerDetails, "personal data", derived=_compared("player name card salt"))
declare(
    Rating,
    "rating",
    derived=_compared("player table seat started_at ended_at first_round last_round moved_from"),
)
