"""The line on each printed page that says who approved the document, or that nobody did."""

import datetime as dt
from typing import Protocol

from games.models import Facility


class DecidedRecord(Protocol):
    """A row with a decision: a rules submission, or anything else that is filed with a body."""

    status: str
    filed_at: dt.datetime | None
    decided_at: dt.datetime | None
    decided_by: str
    reference: str
    withdrawn_at: dt.datetime | None


def approval_text(row: DecidedRecord, facility: Facility) -> str:
    """Return `Approved 12 Oct 2026 by the Board, reference RS-77` or `Draft, not approved`, with local dates."""
    withdrawn = f"withdrawn {day(row.withdrawn_at, facility)}" if row.withdrawn_at else ""
    if row.decided_at is None or row.status in ("draft", "filed"):
        filed = f"Filed {day(row.filed_at, facility)}" if row.filed_at else "Draft"
        return f"{filed}, {withdrawn or 'not approved'}"
    word = "Denied" if row.status == "denied" else "Approved"
    by = f" by {row.decided_by}" if row.decided_by else ""
    reference = f", reference {row.reference}" if row.reference else ""
    later = getattr(row, "superseded_at", None)
    since = withdrawn or (f"superseded from {day(later, facility)}" if later else "")
    return f"{word} {day(row.decided_at, facility)}{by}{reference}{f', {since}' if since else ''}"


def day(instant: dt.datetime | None, facility: Facility) -> str:
    """Return `12 Oct 2026` in the facility's time zone; "" for None."""
    return f"{(there := facility.local(instant)).day} {there:%b %Y}" if instant else ""


def calendar_day(date: dt.date) -> str:
    """Return `12 Oct 2026`."""
    return f"{date.day} {date:%b %Y}"


def moment(instant: dt.datetime | None, facility: Facility) -> str:
    """Return `12 Oct 2026 10:30` in the facility's time zone; "" for None."""
    return f"{day(instant, facility)} {facility.local(instant):%H:%M}" if instant else ""
