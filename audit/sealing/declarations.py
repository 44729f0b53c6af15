"""What two people declare about the record: a new incarnation of it, or the end of a damaged stream.

They are of two departments, one of them compliance, and give a reason. The declaration is recorded on
`installation/system`, the stream for what belongs to no facility, whose gaming days are in UTC.

The first incarnation opens by itself; after a restored backup two people declare the next (`declare_incarnation`). That
holds for the log of each facility. As the stream is in every facility's bundles, the entry has the last known state of
the previous first log, and digests of those of the others. The signal `incarnation_declared` is sent in the
transaction, with `incarnation`, `at`, `actor` and `witness`, so that halted tables resume.

An entry of the year 9999 leaves no time for the next one, and nobody may remove it. So its stream is closed as it is
(`close_stream`), and `larkfield/T-04` continues as `larkfield/T-04-2`. The first entry of the new stream names the head
of the closed one, and `record.lock_stream` follows the continuation. The signal `stream_continued` is sent in the
transaction, with `closed`, `stream`, `at`, `actor` and `witness`.
"""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import transaction
from django.dispatch import Signal

from audit import chain, clock, notes, record
from audit.entries import (
    INCARNATION_DECLARED,
    INCARNATION_OPENED,
    STREAM_CLOSED,
    STREAM_CONTINUED,
    StreamClosing,
    StreamContinued,
)
from audit.entry_types import ABSENT, EntryBody
from audit.models import Checkpoint, Department, Entry, Incarnation, Person, Stream
from audit.refusals import AuditRefusal, RefusalCode, SamePerson
from audit.sealing.log import current_incarnation, logs_of
from audit.sealing.state import State


def write_on_system(
    entry: EntryBody,
    moment: dt.datetime,
    actor: Person | None = None,
    witness: Person | None = None,
) -> record.Appended:
    """Append one entry. Call it in a transaction: it locks the stream. Raises the same as `record.append`."""
    stream = record.lock_stream(record.INSTALLATION)
    entry_time = clock.never_before(stream, moment)
    day = clock.gaming_day_in_utc(entry_time)
    return record.append(stream, entry=entry, moment=entry_time, gaming_day=day, actor=actor, witness=witness)


def entries_on_system(type: str) -> Any:
    """The entries of this type, oldest first."""
    return Entry.objects.filter(stream__name=record.INSTALLATION, type=type).order_by("seq")


# Incarnations


incarnation_declared = Signal()
WHY_LENGTH_MAX = 500

DEPARTMENTS = RefusalCode(
    "declaration-departments", "The two people who declare must be from different departments."
)
COMPLIANCE = RefusalCode(
    "declaration-compliance", "One of the two people who declare must be from compliance."
)
WHY = RefusalCode("declaration-why", "Give a reason of at most %(most)s characters.")
NOTE = RefusalCode("declaration-note", "This file is not a signed checkpoint.")


class DeclarationRefused(AuditRefusal):
    """A declaration was refused. The code says why."""

    code = RefusalCode("declaration-refused", "A new incarnation cannot be declared like this.")


def origin_of(number: int) -> str:
    """The name of an incarnation's first log, which is the first line of each of its checkpoints."""
    return f"{settings.LOG_ORIGIN}/{number}"


def open_first() -> Incarnation:
    """Create the first incarnation and record it."""
    with transaction.atomic():
        moment = clock.now()
        write_on_system(INCARNATION_OPENED(number=1, origin=origin_of(1)), moment)
        return Incarnation.objects.create(number=1, origin=origin_of(1), opened_at=moment)


def is_declared(incarnation: Incarnation) -> bool:
    """Whether the record has an entry that declares this incarnation."""
    declared = entries_on_system(INCARNATION_DECLARED.name).values_list("body", flat=True)
    pattern = b'"number":%d,"origin":"%b"' % (incarnation.number, incarnation.origin.encode())
    return any(pattern in bytes(body) for body in declared)


def declare_incarnation(
    actor: Person,
    witness: Person,
    why: str,
    states: Mapping[str, State] = MappingProxyType({}),
    signed: Sequence[str] = (),
) -> Incarnation:
    """Declare the next incarnation of every log. The caller has authenticated both people.

    `states` are those of the logs in the sealer's folder, by facility; "" is the first log. If the folder is lost, each
    of `signed` is the note of a checkpoint from a witness or a copy. Raises SamePerson, and DeclarationRefused:
    DEPARTMENTS, COMPLIANCE, WHY or NOTE.
    """
    verify_declarers(actor, witness)
    why = verified_reason(why)
    last = {facility: saved.signed for facility, saved in states.items()}
    checkpoints = [_log_of(note) for note in [*last.values(), *signed] if note]
    last |= {facility: note for note in signed if note for facility in [_log_of(note)[0]]}
    with transaction.atomic():
        moment = clock.now()
        before = current_incarnation()
        numbers = [saved.incarnation for saved in states.values()] + [number for _, number in checkpoints]
        number = 1 + max([before.number if before else 0, *numbers])
        newest = {log.facility: log.newest() for log in logs_of(before)} if before else {}
        facilities = sorted({"", *newest, *last})
        ends = {facility: _log_end(newest.get(facility), last.get(facility)) for facility in facilities}
        first = ends.pop("")
        others = {facility: end for facility, end in ends.items() if end["found"] or end["signed"]}
        after: dict[str, Any] = {**first, **({"logs": others} if others else {})}
        write_on_system(
            INCARNATION_DECLARED(
                number=number,
                origin=origin_of(number),
                why=why,
                found=first["found"],
                signed=first["signed"],
                other_logs=sorted(map(_digest, others.values())) if others else ABSENT,
            ),
            moment,
            actor,
            witness,
        )
        incarnation = _create_incarnation(number, moment, why, actor, witness, after)
        incarnation_declared.send(
            Incarnation, incarnation=incarnation, at=moment, actor=actor, witness=witness
        )
        return incarnation


def _log_end(newest: Checkpoint | None, signed: str | None) -> dict[str, str | None]:
    """The state of a log at a declaration: its last checkpoint in the database, and the last one that was signed."""
    return {"found": newest.note if newest else None, "signed": signed or None}


def _digest(end: dict[str, str | None]) -> str:
    """What the declaration says of a log that its other readers must not know. The signatures make it unguessable."""
    return hashlib.sha256(chain.canonical(end)).hexdigest()


def _create_incarnation(
    number: int, moment: dt.datetime, why: str, actor: Person, witness: Person, after: dict[str, Any]
) -> Incarnation:
    return Incarnation.objects.create(
        number=number,
        origin=origin_of(number),
        opened_at=moment,
        why=why,
        opened_by=actor,
        opened_with=witness,
        after=after,
    )


def verified_reason(why: str) -> str:
    """The reason of a declaration in one line. Raises DeclarationRefused(WHY) if it is empty or too long."""
    why = " ".join(why.split())
    if not why or len(why) > WHY_LENGTH_MAX:
        raise DeclarationRefused(WHY, most=WHY_LENGTH_MAX)
    return why


def verify_declarers(actor: Person, witness: Person) -> None:
    """Check that two people may declare something about the record: of two departments, one of them compliance.

    Raises SamePerson, and DeclarationRefused: DEPARTMENTS or COMPLIANCE.
    """
    if actor.pk == witness.pk:
        raise SamePerson(person=actor.code)
    departments = {actor.department, witness.department}
    if len(departments) == 1:
        raise DeclarationRefused(DEPARTMENTS)
    if Department.COMPLIANCE not in departments:
        raise DeclarationRefused(COMPLIANCE)


def _log_of(note: str) -> tuple[str, int]:
    """The facility ("": the first log) and incarnation of a checkpoint's log. The number is 0 if it is not ours."""
    try:
        origin = notes.Checkpoint.read(notes.Note.read(note).text).origin
    except notes.Malformed as error:
        raise DeclarationRefused(NOTE) from error
    name, _slash, number = origin.rpartition("/")
    if not number.isdecimal() or not f"{name}/".startswith(f"{settings.LOG_ORIGIN}/"):
        return "", 0
    return name.removeprefix(settings.LOG_ORIGIN).removeprefix("/"), int(number)


# A damaged stream


stream_continued = Signal()

NO_STREAM = RefusalCode("no-such-stream", "There is no stream %(stream)s.")
ALREADY_CLOSED = RefusalCode(
    "stream-closed-already", "%(stream)s is closed already: %(continued)s continues it."
)
NOT_THIS_STREAM = RefusalCode(
    "stream-of-declarations", "%(stream)s cannot be closed: the declaration itself is recorded there."
)


class ClosingRefused(AuditRefusal):
    """A stream is not closed. The code says why."""

    code = RefusalCode("closing-refused", "This stream cannot be closed.")


def close_stream(name: str, actor: Person, witness: Person, why: str) -> Stream:
    """Close a stream and begin its continuation, which is returned. The caller has authenticated both people.

    Locks `installation/system`, and then the stream. Raises SamePerson, DeclarationRefused (DEPARTMENTS, COMPLIANCE or
    WHY), and ClosingRefused: NO_STREAM, ALREADY_CLOSED or NOT_THIS_STREAM. On PostgreSQL only the owner may do this.
    """
    verify_declarers(actor, witness)
    why = verified_reason(why)
    if name == record.INSTALLATION:
        raise ClosingRefused(NOT_THIS_STREAM, stream=name)
    with transaction.atomic():
        record.lock_stream(record.INSTALLATION)
        closed = Stream.objects.select_for_update(of=("self",)).filter(name=name).first()
        if closed is None:
            raise ClosingRefused(NO_STREAM, stream=name)
        if closed.continued_by is not None:
            raise ClosingRefused(ALREADY_CLOSED, stream=name, continued=closed.continued_by.name)
        moment = clock.now()
        stream = record.open_stream(_next_name(name), closed.real_play)
        data: StreamClosing = {
            "continued_by": stream.name,
            "head": bytes(closed.head).hex(),
            "last_at": clock.format_moment(closed.last_at) if closed.last_at else None,
            "seq": closed.seq,
            "stream": name,
            "why": why,
        }
        write_on_system(STREAM_CLOSED(data), moment, actor, witness)
        Stream.objects.filter(pk=closed.pk).update(closed_at=moment, continued_by=stream)
        closed.refresh_from_db()
        _begin(stream, closed, why, moment, actor, witness)
        stream_continued.send(Stream, closed=closed, stream=stream, at=moment, actor=actor, witness=witness)
        return stream


def streams_ahead(now: dt.datetime) -> list[str]:
    """The names of the open streams whose last entry is ahead of the clock, so that nothing follows until then."""
    ahead = Stream.objects.filter(closed_at=None, last_at__gt=now + clock.LARGEST_STEP_BACK)
    return list(ahead.exclude(name=record.INSTALLATION).order_by("name").values_list("name", flat=True))


def _next_name(name: str) -> str:
    names = (f"{name}-{number}" for number in count(2))
    return next(name for name in names if not Stream.objects.filter(name=name).exists())


def _begin(
    stream: Stream, closed: Stream, why: str, moment: dt.datetime, actor: Person, witness: Person
) -> None:
    """Write the first entry of a continuation."""
    data: StreamContinued = {
        "head": bytes(closed.head).hex(),
        "seq": closed.seq,
        "stream": closed.name,
        "why": why,
    }
    day = clock.gaming_day(stream.facility, moment)
    record.append(
        stream, entry=STREAM_CONTINUED(data), moment=moment, gaming_day=day, actor=actor, witness=witness
    )
