"""Append to the record: one entry for each act, on the act's stream, in the act's own transaction."""

import datetime as dt
import json
import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DataError, OperationalError, connection

from audit import chain, clock
from audit.compiled_reads import CompiledRead
from audit.entry_types import ENTRY_TYPES, EntryBody
from audit.errors import RecordRefused, StreamMoved
from audit.models import Command, Device, Entry, Person, Stream
from audit.rows import insert, insertion, statement_cursor

FORMAT = 1
INSTALLATION = "installation/system"  # the stream for what belongs to no facility
STREAM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
SERIALIZATION_FAILURE = "40001"
TIME_AHEAD = "22008"  # of an entry, ahead of the database's clock
TOTALS = ("wagered_cents", "taken_cents", "paid_cents", "returned_cents")


@dataclass(frozen=True, slots=True)
class Appended:
    """A new entry: its number on the stream, which is the table's version, its hash (32 bytes), and what it follows.

    `body` holds the bytes that were hashed; `prev` is the hash of the entry before.
    """

    seq: int
    hash: bytes
    prev: bytes
    type: str
    body: bytes
    moment: dt.datetime
    actor: Person | None
    witness: Person | None = None

    def entry(self, stream: Stream) -> Entry:
        """The entry without its primary key and gaming day, for words about it. Nothing is read."""
        round_, lot, cents = search_columns(json.loads(self.body)["data"])
        return Entry(
            stream=stream,
            seq=self.seq,
            prev=self.prev,
            hash=self.hash,
            body=self.body,
            type=self.type,
            at=self.moment,
            actor=self.actor.code if self.actor else "",
            witness=self.witness.code if self.witness else "",
            round=round_,
            lot=lot,
            cents=cents,
        )


def open_stream(name: str, real_play: bool = True) -> Stream:
    """Get the stream named `facility/place`, or create it at its genesis. Locks nothing.

    A closed stream's continuation is returned in its place. `real_play` is false for training and simulation, which no
    export of real play includes. It never changes: raises RecordRefused if the stream exists with the other value, or
    if the name is malformed.
    """
    stream = _get_or_create(name, real_play)
    while stream.continued_by is not None:
        stream = stream.continued_by
    if stream.real_play != real_play:
        raise RecordRefused(reason="stream-of-other-play", name=name)
    return stream


def _get_or_create(name: str, real_play: bool) -> Stream:
    if not STREAM_NAME.fullmatch(name):
        raise RecordRefused(reason="stream-name", name=name)
    fresh = Stream.at_genesis(name)
    made = {"seq": 0, "head": fresh.head, "real_play": real_play}
    stream, _made = Stream.objects.get_or_create(name=name, defaults=made)
    return stream


def lock_stream(name: str) -> Stream:
    """Lock the stream of this name until the transaction ends, creating it (for real play) if necessary.

    A closed stream's continuation is locked and returned in its place.
    Call it in a transaction. To avoid deadlocks, lock several streams in the order of their names.
    """
    stream = LOCKED_STREAM.first(name)
    if stream is None:
        _get_or_create(name, real_play=True)
        stream = LOCKED_STREAM(name)[0]
    if stream.continued_by is not None:
        return lock_stream(stream.continued_by.name)
    return stream


def names_with_continuations(name: str) -> list[str]:
    """The name of a stream, and those of the streams that continue it, in their order."""
    names = [name]
    while later := Stream.objects.filter(continues__name=names[-1]).values_list("name", flat=True).first():
        names.append(later)
    return names


LOCKED_STREAM = CompiledRead(lambda name: Stream.objects.select_for_update(of=("self",)).filter(name=name))


def append(
    stream: Stream,
    *,
    entry: EntryBody,
    moment: dt.datetime,
    gaming_day: dt.date,
    actor: Person | None = None,
    witness: Person | None = None,
    device: Device | None = None,
    command: Any = None,
    terms: str = "",
    answer: Command | None = None,
) -> Appended:
    """Write one entry and advance the stream's head, with a single statement on PostgreSQL.

    `answer`: the saved answer of the act whose only entry this is, which the same statement inserts.

    The caller holds the lock of the stream or its table in an open transaction, and read `stream` under that lock.
    `entry` is of a declared type (`round.settled`). Its data has ASCII keys, and integers below 2^53 (cents), text,
    lists, true, false and null. `moment` has a time zone. `terms` is the SHA-256 in hex of the round's canonical
    terms, or "". Updates `stream.seq`, `.head` and `.last_at`.

    Raises RecordRefused for a type or data that the record does not accept, ClockRefused if `moment` is more than two
    seconds before the stream's last entry or ahead of the clock (the database's, if it has one), StreamClosed, and
    StreamMoved if the lock was not held. On PostgreSQL only the sealer's role and the owner may write on
    `installation/system`, and only the web role and the owner elsewhere.
    """
    if entry.type not in ENTRY_TYPES:
        raise RecordRefused(reason="type", type=entry.type)
    entry_time = clock.never_before(stream, moment)
    seq = stream.seq + 1
    content = {
        "_format": FORMAT,
        "_type": entry.type,
        "actor": actor.code if actor else None,
        "at": clock.format_moment(entry_time),
        "build": settings.BUILD,
        "command": str(command) if command else None,
        "data": entry.data,
        "device": str(device.pk) if device else None,
        "gaming_day": gaming_day.isoformat(),
        "seq": seq,
        "stream": stream.name,
        "terms": terms or None,
        "witness": witness.code if witness else None,
    }
    body = _body(content)
    write = _write_in_postgres if connection.vendor == "postgresql" else _write_in_sqlite
    prev = bytes(stream.head)
    digest = write(stream, body, content, entry_time, gaming_day, answer)
    stream.seq, stream.head, stream.last_at = seq, digest, entry_time
    return Appended(seq, digest, prev, entry.type, body, entry_time, actor, witness)


def search_columns(data: dict[str, Any]) -> tuple[int | None, str, int | None]:
    """The round, dice lot and cents by which the desk searches for an entry. `audit_append` in PostgreSQL does the
    same.

    The cents are the largest of the entry's totals.
    """
    round_, lot = data.get("round"), data.get("lot")
    totals = [data[name] for name in TOTALS if type(data.get(name)) is int]
    return (
        round_ if type(round_) is int else None,
        lot[:40] if isinstance(lot, str) else "",
        max(totals, default=None),
    )


def _body(body: dict[str, Any]) -> bytes:
    try:
        return chain.canonical(body)
    except chain.NotCanonical as error:
        raise RecordRefused(reason="data", said=str(error)) from error


def _write_in_postgres(
    stream: Stream,
    body: bytes,
    content: dict[str, Any],
    moment: dt.datetime,
    gaming_day: dt.date,
    answer: Command | None,
) -> bytes:
    arguments: list[Any] = [stream.pk, stream.seq, body, content["_type"], moment, gaming_day]
    function = "audit_append_system" if stream.name == INSTALLATION else "audit_append"
    sql = f"SELECT hash FROM {function}(%s, %s, %s, %s, %s, %s)"
    if answer is not None:
        insert_answer, values = insertion(answer)
        sql, arguments = f"WITH answer AS ({insert_answer}) {sql}", [*values, *arguments]
    try:
        with statement_cursor() as cursor:
            cursor.execute(sql, arguments)
            return bytes(cursor.fetchone()[0])
    except (OperationalError, DataError) as error:
        sqlstate = getattr(error.__cause__, "sqlstate", None)
        if sqlstate == SERIALIZATION_FAILURE:
            raise StreamMoved(stream=stream.name) from error
        if sqlstate == TIME_AHEAD:
            raise clock.time_ahead(stream, moment) from error
        raise


INSERT_ENTRY = f"""
    INSERT INTO audit_entry
        (stream_id, seq, prev, hash, body, type, at, gaming_day, actor, witness, round, lot, cents)
    SELECT {", ".join(["%s"] * 13)}
    FROM audit_stream WHERE id = %s AND seq = %s AND head = %s AND closed_at IS NULL"""
ADVANCE_STREAM = "UPDATE audit_stream SET seq = %s, head = %s, last_at = %s WHERE id = %s"


def _write_in_sqlite(
    stream: Stream,
    body: bytes,
    content: dict[str, Any],
    moment: dt.datetime,
    gaming_day: dt.date,
    answer: Command | None,
) -> bytes:
    prev, seq = bytes(stream.head), stream.seq + 1
    if moment > clock.latest():
        raise clock.time_ahead(stream, moment)
    digest = chain.entry_hash(prev, body)
    round_, lot, cents = search_columns(content["data"])
    at = connection.ops.adapt_datetimefield_value(moment)
    entry = {
        "stream_id": stream.pk,
        "seq": seq,
        "prev": prev,
        "hash": digest,
        "body": body,
        "type": content["_type"],
        "at": at,
        "gaming_day": gaming_day.isoformat(),
        "actor": content["actor"] or "",
        "witness": content["witness"] or "",
        "round": round_,
        "lot": lot,
        "cents": cents,
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_ENTRY, [*entry.values(), stream.pk, stream.seq, prev])
        if not cursor.rowcount:
            raise StreamMoved(stream=stream.name)
        cursor.execute(ADVANCE_STREAM, [seq, digest, at, stream.pk])
    if answer is not None:
        insert(answer)
    return digest
