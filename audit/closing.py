"""Close a damaged stream and continue it on a new one, as two people declare.

An entry of the year 9999 leaves no time for the next one, and nobody may remove it. So its stream is closed as it is,
and `larkfield/T-04` continues as `larkfield/T-04-2`. The declaration is recorded on `installation/system`, the first
entry of the new stream names the head of the closed one, and `record.lock_stream` follows the continuation. The signal
`stream_continued` is sent in the transaction, with `closed`, `stream`, `at`, `actor` and `witness`.
"""

import datetime as dt
from itertools import count

from django.db import transaction
from django.dispatch import Signal

from audit import clock, record
from audit.entries import STREAM_CLOSED, STREAM_CONTINUED, StreamClosing, StreamContinued
from audit.models import Person, Stream
from audit.refusals import AuditRefusal, RefusalCode
from audit.sealing import system
from audit.sealing.incarnations import verified_reason, verify_declarers

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
        system.write(STREAM_CLOSED(data), moment, actor, witness)
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
