"""Findings about the record itself: rolled back, a state that the server never showed, a failed verification."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from audit import verification_words
from audit.entries import RECORD_VERIFIED
from audit.models import Entry
from audit.record import INSTALLATION, names_with_continuations
from games.models import Facility
from tables.alerts.words import alert_words
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK
from tables.desk.integrity import RECORD_ALERTS
from tables.models import Alert
from tables.words.entries import said_by


def findings(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The alerts about the record, and the full verifications that found a fault."""
    alerts = Alert.objects.filter(
        table__facility=facility, table__kind="live", kind__in=RECORD_ALERTS, raised_at__gt=now - LOOKBACK
    )
    for alert in alerts.select_related("table").order_by("pk"):
        title, text = alert_words(alert.kind, alert.key, alert.params)
        params = {"title": f"{alert.table.code}: {title}", "text": text}
        yield CaseSubject(f"{alert.table.code}:alert:{alert.pk}", alert.raised_at, params, alert.table)
    streams = [INSTALLATION, *names_with_continuations(f"{facility.code}/exports")]
    entries = Entry.objects.filter(type=RECORD_VERIFIED.name, stream__name__in=streams, at__gt=now - LOOKBACK)
    for entry in entries.select_related("stream").order_by("at", "pk"):
        data = said_by(entry)
        if data.get("outcome") == "good":
            continue
        bad = data.get("first_bad")
        text = verification_words.say(bad) if isinstance(bad, dict) else "See the integrity page."
        params = {"title": "The full verification found a fault", "text": text}
        yield CaseSubject(f"{entry.stream.name}:{entry.seq}", entry.at, params)


def describe_finding(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the finding in the words of the alert or the verification."""
    return params["title"], params["text"]


INTEGRITY = case_kind(
    CaseKind(
        "integrity",
        "Integrity",
        {"explained": "Explained", "restored": "Record restored and declared", "tampered": "Tampered with"},
        describe_finding,
        findings,
    )
)
