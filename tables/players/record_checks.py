"""What a full verification checks of players beyond their rows: the hashes of personal data, and the seats of tables.

The rows of players and ratings are declared beside their entries, and compared with them by
`audit.columns.check_columns`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from audit.columns import declare, may_read
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import Entry
from tables.core.entries import entry_bodies
from tables.models import Player, PlayerDetails, Rating, Table
from tables.players.ratings import RATING_ENDED, RATING_MOVED, RATING_STARTED, SEAT_ALLOWED, SEAT_REFUSED
from tables.players.register import PLAYER_REGISTERED, is_hash_of

PLAYER_DATA_DIFFER = declare_finding(
    "player-data-differ",
    "%(stream)s: the personal data of player %(player)s do not have the hash of entry %(seq)s. They, or the key of "
    "the server, were changed.",
)
SEATS_DIFFER = declare_finding(
    "seats-differ", "%(stream)s: the row of the table has other %(column)s than its entries."
)
AT_TABLE = (RATING_STARTED, RATING_ENDED, RATING_MOVED, SEAT_REFUSED, SEAT_ALLOWED)
# Whose rows entries state, one by one.
MODELS = (Player, Rating)


@record_check
def check_players(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare personal data with their hashes in the entries, and the rated and refused seats of every table."""
    tick()
    if may_read(PlayerDetails, ["name", "card", "salt"]):
        yield from _check_details()
    for table in Table.objects.select_related("stream").order_by("pk"):
        tick()
        yield from _check_seats(table)


@record_gap
def unread_data() -> Iterator[str]:
    """Say that the hashes of personal data were not computed again, where this login may not read the data."""
    if not may_read(PlayerDetails, ["name", "card", "salt"]):
        yield "players' personal data: this role of the database may not read it. Run it as the web role."


def _check_details() -> Iterator[Finding]:
    details = {
        (f"{row.player.facility.code}/players", row.player.code): row
        for row in PlayerDetails.objects.select_related("player__facility")
    }
    for body in entry_bodies(Entry.objects.filter(type=PLAYER_REGISTERED.name)):
        try:
            stream, code, hash_ = body["stream"], body["data"]["player"], body["data"]["hmac_sha256"]
            row = details.get((stream, code))
        except (KeyError, TypeError):
            continue  # the verification of the chain names it
        if row is not None and not is_hash_of(hash_, row.player.facility.code, row):
            yield Finding(PLAYER_DATA_DIFFER, {"stream": stream, "player": code, "seq": body["seq"]})


def _check_seats(table: Table) -> Iterator[Finding]:
    rated: dict[str, str] = {}
    refused: set[int] = set()
    types = [type_.name for type_ in AT_TABLE]
    for body in entry_bodies(Entry.objects.filter(stream=table.stream_id, type__in=types)):
        try:
            _note_seats(rated, refused, body["_type"], body["data"])
        except (KeyError, TypeError):
            continue  # the verification of the chain names it
    stream = table.stream.name
    if table.rated_seats != rated:
        yield Finding(SEATS_DIFFER, {"stream": stream, "column": "rated seats"})
    if table.refused_seats != sorted(refused):
        yield Finding(SEATS_DIFFER, {"stream": stream, "column": "refused seats"})


def _note_seats(rated: dict[str, str], refused: set[int], type_: str, data: dict[str, Any]) -> None:
    """Note what one entry says of who is rated at which seat now, and of refused seats."""
    seat = data["seat"]
    if type_ == SEAT_REFUSED.name:
        refused.add(seat)
    elif type_ == SEAT_ALLOWED.name:
        refused.discard(seat)
    elif type_ == RATING_STARTED.name:
        rated[str(seat)] = data["player"]
    else:
        rated.pop(str(seat), None)
        if type_ == RATING_MOVED.name:
            rated[str(data["to_seat"])] = data["player"]


CHECK = "tables.players.record_checks.check_players"
declare(
    PlayerDetails,
    "personal data",
    # Whose they are is stated with each player: whether there are any.
    derived={"player": "audit.columns.check_columns", "name": CHECK, "card": CHECK, "salt": CHECK},
)
