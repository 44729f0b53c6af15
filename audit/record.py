"""Append to the record: one entry for each act, on the act's stream, in the act's own transaction; and a stream's head.

A screen's state carries the number and hash of its stream's newest entry, the incarnation of the record, and a MAC over
them that only this server can make (`signed_head`). The next act sends them back (`check_head`). So every tablet is a
witness: a head with our MAC that is not on the record shows that the record was rolled back or rewritten. The device
also stores the newest head of each table, because a restored backup takes the sessions back too: it sends them to sign
in, and with its first act.
"""

import datetime as dt
import enum
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, TypedDict

from django.conf import settings
from django.db import connection
from django.db.models import Max
from django.utils.crypto import constant_time_compare, salted_hmac

from audit import chain, clock
from audit.entry_types import ENTRY_TYPES, EntryBody
from audit.models import Device, Entry, Incarnation, Person, Stream
from audit.refusals import RecordRefused, StreamMoved
from audit.rows import CompiledRead, write

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
) -> Appended:
    """Write one entry and advance the stream's head, with a single statement on PostgreSQL, which may be collected.

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
    prev = bytes(stream.head)
    digest = chain.entry_hash(prev, body)
    if connection.vendor == "postgresql":
        _write_in_postgres(stream, body, content, entry_time, gaming_day)
    else:
        _write_in_sqlite(stream, body, content, entry_time, gaming_day, digest)
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
    stream: Stream, body: bytes, content: dict[str, Any], moment: dt.datetime, gaming_day: dt.date
) -> None:
    """Let the database write the entry. It computes the hash itself, from the head that it has."""
    name, at = stream.name, stream

    def explain(state: str) -> Exception | None:
        if state == SERIALIZATION_FAILURE:
            return StreamMoved(stream=name)
        return clock.time_ahead(at, moment) if state == TIME_AHEAD else None

    function = "audit_append_system" if stream.name == INSTALLATION else "audit_append"
    write(
        f"SELECT hash FROM {function}(%s, %s, %s, %s, %s, %s)",
        [stream.pk, stream.seq, body, content["_type"], moment, gaming_day],
        explain,
    )


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
    digest: bytes,
) -> None:
    prev, seq = bytes(stream.head), stream.seq + 1
    if moment > clock.latest():
        raise clock.time_ahead(stream, moment)
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


# The head of a stream, as a screen shows it and an act sends it back


HEAD_SALT = "pitside.head.v1"
FIRST_INCARNATION = 1  # also of a record that has no row for it yet
NUMBER_LIMIT = 2**53
HASH = re.compile(r"[0-9a-f]{64}")
MAC_LENGTH_MAX = 200
STORED_HEADS_MAX = 200
STORED_OF_STREAM_MAX = 8  # static/js/heads.js keeps fewer
STORED_HEADS_LENGTH_MAX = 300_000  # characters
# The number of the current incarnation, as a column of a larger statement.
INCARNATION = f"(SELECT coalesce(max(i.number), {FIRST_INCARNATION}) FROM audit_incarnation i)"


def current_incarnation_number() -> int:
    """The number of the current incarnation: 1 before the first sealer."""
    return Incarnation.objects.aggregate(newest=Max("number"))["newest"] or FIRST_INCARNATION


class HeadStatus(enum.Enum):
    """The result of checking a head that a screen sent back."""

    KNOWN = "known"  # on the record
    UNKNOWN = "unknown"  # has our MAC and is not on the record
    OLD = "old"  # the same, from an incarnation that has ended: the screen is only stale
    FORGED = "forged"  # does not have our MAC


class Head(TypedDict):
    """The newest entry of the table's stream. An act sends it back unchanged ([`docs/architecture.md`](acts.md))."""

    seq: Annotated[int, "sequence number of the newest entry"]
    head: Annotated[str, "hash of the newest entry, hex"]
    incarnation: Annotated[int, "incarnation of the record"]
    mac: Annotated[str, "the server's MAC over the other fields, hex"]


@dataclass(frozen=True, slots=True)
class ClaimedHead:
    """A head as a device sent it, not trusted until `check_head` has checked it. `head` is the hash in hex."""

    seq: int
    head: str
    incarnation: int
    mac: str


def signed_head(stream: Stream, incarnation: int) -> Head:
    """The head of this stream for a screen, with the MAC in hex."""
    head = bytes(stream.head).hex()
    mac = _mac(settings.SECRET_KEY, stream.name, incarnation, stream.seq, head)
    return {"seq": stream.seq, "head": head, "incarnation": incarnation, "mac": mac}


def parse_head(value: Any) -> ClaimedHead | None:
    """Parse the head in the body of an act. None if none was sent. Raises ValueError if it is malformed."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError("a head is an object")
    head, mac = value.get("head"), value.get("mac")
    seq, incarnation = _integer(value.get("seq"), 0), _integer(value.get("incarnation"), FIRST_INCARNATION)
    if not (isinstance(head, str) and HASH.fullmatch(head)):
        raise ValueError("a head has a hash")
    if mac is not None and not (isinstance(mac, str) and mac.isascii() and len(mac) <= MAC_LENGTH_MAX):
        raise ValueError("a MAC is text")
    return ClaimedHead(seq, head, incarnation, mac or "")


def parse_stored_head(value: Any) -> ClaimedHead | None:
    """Parse a head that a device has shown; None if it is malformed, because what is stored may be of any age."""
    try:
        return parse_head(value)
    except ValueError:
        return None


def parse_stored(value: Any) -> tuple[ClaimedHead, ...]:
    """Parse the heads of a stream that a device has stored. Leaves out what is malformed, and all after the eighth."""
    values = value[:STORED_OF_STREAM_MAX] if isinstance(value, list) else []
    return tuple(head for head in map(parse_stored_head, values) if head is not None)


def parse_stored_heads(text: str) -> dict[str, tuple[ClaimedHead, ...]]:
    """Parse what a device has stored, as it sends it to sign in: a JSON object of lists of heads by their stream.

    Leaves out what is malformed, and everything after the first 200 streams.
    """
    try:
        values = json.loads(text[:STORED_HEADS_LENGTH_MAX])
    except (ValueError, RecursionError):
        return {}
    items = list(values.items())[:STORED_HEADS_MAX] if isinstance(values, dict) else []
    parsed = {stream: parse_stored(value) for stream, value in items}
    return {stream: heads for stream, heads in parsed.items() if heads}


def check_head(stream: Stream, incarnation: int, claim: ClaimedHead) -> HeadStatus:
    """Check a head against a stream that was read under its lock, in this incarnation of the record.

    Queries the database only for a head that is not the newest.
    """
    if not has_our_mac(stream, claim):
        return HeadStatus.FORGED
    if hash_on_record(stream, claim.seq) == claim.head:
        return HeadStatus.KNOWN
    return HeadStatus.OLD if claim.incarnation < incarnation else HeadStatus.UNKNOWN


def has_our_mac(stream: Stream, claim: ClaimedHead) -> bool:
    """Whether we made this MAC, with the secret key or one of its fallbacks (recently replaced keys)."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    made = [_mac(key, stream.name, claim.incarnation, claim.seq, claim.head) for key in keys]
    return any(constant_time_compare(mac, claim.mac) for mac in made)


def hash_on_record(stream: Stream, seq: int) -> str:
    """The hash on the record at this number, in hex; empty if there is no such entry."""
    if seq == stream.seq:
        return bytes(stream.head).hex()
    if seq > stream.seq:
        return ""
    if seq == 0:
        return bytes(Stream.at_genesis(stream.name).head).hex()
    digest = Entry.objects.filter(stream=stream.pk, seq=seq).values_list("hash", flat=True).first()
    return bytes(digest).hex() if digest is not None else ""


@lru_cache(maxsize=4096)  # a head that a screen was sent comes back with its next act
def _mac(key: Any, stream: str, incarnation: int, seq: int, head: str) -> str:
    message = f"{stream}\n{incarnation}\n{seq}\n{head}"  # a stream's name has no line feed
    return salted_hmac(HEAD_SALT, message, secret=key, algorithm="sha256").hexdigest()


def _integer(value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < NUMBER_LIMIT:
        raise ValueError("a head has whole numbers")
    return value
