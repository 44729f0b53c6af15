"""Write on `installation/system`, the stream for what belongs to no facility. Its gaming days are in UTC."""

import datetime as dt
from typing import Any

from audit import clock, record
from audit.entry_types import EntryBody
from audit.models import Entry, Person


def write(
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


def entries(type: str) -> Any:
    """The entries of this type, oldest first."""
    return Entry.objects.filter(stream__name=record.INSTALLATION, type=type).order_by("seq")
