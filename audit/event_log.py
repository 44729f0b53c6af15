"""The record as an event log: the entries of a facility in one order, in which a reader resumes exactly.

The order is that of the entries' ids, in which each stream's entries are in the order of their numbers. Acts at several
tables commit in any order, so an id may become visible after a larger one. A reader that had gone past it would never
see it. So nothing is read beyond `Horizon.read`: the id up to which no act that runs now can still write.

A `position` in this order is `id.hash`, with the first eight hex digits of the entry's hash, and "0" before the first
entry. After a restored backup the id may belong to another entry: then the position is refused (`PositionGone`), and
the reader must compare what it has with the record.

Only streams of real play are in the order of a whole facility; a stream that is named may be of training.
"""

import re
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import NamedTuple

from django.db import connection
from django.db.models import Max, Q, QuerySet

from audit.models import Entry, Stream

BEGINNING = "0"
HASH_DIGITS = 8
POSITION = re.compile(rf"([1-9][0-9]{{0,17}})\.([0-9a-f]{{{HASH_DIGITS}}})")
SETTLE_SECONDS = 0.1  # as long as a reader waits for acts that are about to commit
PAUSE_SECONDS = 0.01
MOST_WAITING = 100


class MalformedPosition(ValueError):
    """The text is not a position of any record."""


class PositionGone(LookupError):
    """The record has no entry of this facility at this position: a backup was restored, or it is of another record."""


class Ordered(NamedTuple):
    """An entry in the order of its facility. Hashes have 32 bytes."""

    id: int
    stream: Stream
    seq: int
    type: str
    hash: bytes
    prev: bytes
    body: bytes

    @property
    def position(self) -> str:
        """Where a reader resumes that has this entry."""
        return f"{self.id}.{self.hash.hex()[:HASH_DIGITS]}"

    def as_json(self) -> str:
        """The entry as JSON: the exact `body` as text, which was hashed, and the same parsed as `entry`."""
        body = self.body.decode()
        return (
            f'{{"position":"{self.position}","stream":{encode_basestring(self.stream.name)},"number":{self.seq},'
            f'"hash":"{self.hash.hex()}","prev":"{self.prev.hex()}","body":{encode_basestring(body)},"entry":{body}}}'
        )


# How far the order is settled


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one statement sees: the largest id, and the transactions of others that write entries now."""

    newest: int
    writing: frozenset[str]


class Horizon:
    """The id up to which the order of entries is settled, as this process knows it.

    It decreases only where the record went back: a backup was restored beside a running process.

    A transaction holds a lock on the table of entries from before it takes an id until it ends. So an id up to the
    largest that is visible, and that is not visible itself, is of a transaction that holds this lock now. Once all that
    hold it now have ended, that id is settled. In SQLite one transaction writes at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settled, self._settled_at = 0, 0.0
        self._waiting: list[_Reading] = []

    def read(self, wait_seconds: float = 0.0) -> int:
        """Return the settled id, after waiting up to so long for acts that are about to commit."""
        until = time.monotonic() + wait_seconds
        while True:
            began_at = time.monotonic()
            reading = _read_newest()
            settled = self._add(reading, began_at)
            if settled >= reading.newest or time.monotonic() >= until:
                return settled
            time.sleep(PAUSE_SECONDS)

    def _add(self, reading: _Reading, began_at: float) -> int:
        with self._lock:
            if reading.newest < self._settled and began_at > self._settled_at:
                self._settled, self._waiting = 0, []
            ended = [waiting.newest for waiting in self._waiting if not waiting.writing & reading.writing]
            settled = max(self._settled, *ended, 0 if reading.writing else reading.newest)
            if settled > self._settled:
                self._settled, self._settled_at = settled, time.monotonic()
            waiting = [*self._waiting, reading]
            self._waiting = [unsettled for unsettled in waiting if unsettled.newest > settled][-MOST_WAITING:]
            return settled


HORIZON = Horizon()
NEWEST_AND_WRITING = """
SELECT (SELECT coalesce(max(id), 0) FROM audit_entry), ARRAY(
    SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND relation = 'audit_entry'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted
    AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    AND pid IS DISTINCT FROM pg_backend_pid())
"""


def _read_newest() -> _Reading:
    """Read both in one statement: the locks are listed after its snapshot was taken."""
    if connection.vendor != "postgresql":
        return _Reading(Entry.objects.aggregate(newest=Max("pk"))["newest"] or 0, frozenset())
    with connection.cursor() as cursor:
        cursor.execute(NEWEST_AND_WRITING)
        newest, writing = cursor.fetchone()
    return _Reading(newest, frozenset(writing))


# Positions


def read_position(text: str, streams: Iterable[Stream]) -> int:
    """Return the id of a position among these streams; 0 for the beginning.

    Raises MalformedPosition or PositionGone.
    """
    if text == BEGINNING:
        return 0
    match = POSITION.fullmatch(text)
    if match is None:
        raise MalformedPosition(text)
    entry = Entry.objects.filter(pk=int(match[1])).values_list("stream_id", "hash").first()
    known = {stream.pk for stream in streams}
    if entry is None or entry[0] not in known or not bytes(entry[1]).hex().startswith(match[2]):
        raise PositionGone(text)
    return int(match[1])


def position_before(stream: Stream, seq: int) -> int:
    """Return the id after which a reader has the entry `seq` of a stream as its next one there. Raises PositionGone."""
    pk = Entry.objects.filter(stream=stream, seq=seq).values_list("pk", flat=True).first()
    if pk is None:
        raise PositionGone(f"{stream.name} {seq}")
    return int(pk) - 1


def position_at(streams: Iterable[Stream], id_: int) -> str:
    """Return the position of the last entry of these streams up to an id."""
    rows = Entry.objects.filter(stream__in=[stream.pk for stream in streams], pk__lte=id_).order_by("-pk")
    entry = rows.values_list("pk", "hash").first()
    return f"{entry[0]}.{bytes(entry[1]).hex()[:HASH_DIGITS]}" if entry else BEGINNING


# Reading


def streams_of(facility: str, *, with_training: bool = False) -> list[Stream]:
    """The streams of a facility (its code) by name."""
    streams = Stream.objects.filter(name__startswith=f"{facility}/")
    return list(streams if with_training else streams.filter(real_play=True))


def entries_between(
    streams: Sequence[Stream], after: int, until: int, limit: int, types: Sequence[str] = ()
) -> list[Ordered]:
    """Read up to `limit` entries of these streams with ids after one and up to another, in order.

    `types`: names of entry types, or beginnings that end in a dot, such as `round.`; all if empty.
    """
    by_id = {stream.pk: stream for stream in streams}
    rows = Entry.objects.filter(of_types(types), stream__in=list(by_id), pk__gt=after, pk__lte=until)
    return _read(by_id, rows.order_by("pk"), limit)


def entries_of(stream: Stream, after: int, limit: int, types: Sequence[str] = ()) -> list[Ordered]:
    """Read up to `limit` entries of a stream with numbers after one, in order. `types` as in `entries_between`."""
    rows = Entry.objects.filter(of_types(types), stream=stream, seq__gt=after)
    return _read({stream.pk: stream}, rows.order_by("seq"), limit)


def of_types(types: Sequence[str]) -> Q:
    """The condition of entries of these types, or of those that begin so; of all if there are none."""
    condition = Q(type__in=[name for name in types if not name.endswith(".")]) if types else Q()
    for beginning in types:
        if beginning.endswith("."):
            condition |= Q(type__startswith=beginning)
    return condition


def is_of_types(type_: str, types: Sequence[str]) -> bool:
    """Whether an entry's type is one of these, or begins so; any if there are none."""
    return not types or any(type_.startswith(name) if name.endswith(".") else type_ == name for name in types)


def _read(streams: dict[int, Stream], rows: QuerySet[Entry], limit: int) -> list[Ordered]:
    columns = ("pk", "stream_id", "seq", "type", "hash", "prev", "body")
    return [
        Ordered(pk, streams[stream], seq, type_, bytes(digest), bytes(prev), bytes(body))
        for pk, stream, seq, type_, digest, prev, body in rows.values_list(*columns)[:limit]
    ]
