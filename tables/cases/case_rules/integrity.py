"""Findings about the record itself: rolled back, an unknown state, a failed verification, and nothing that seals it."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from audit import verification_words
from audit.entries import RECORD_VERIFIED
from audit.models import Entry
from audit.record import INSTALLATION, names_with_continuations
from audit.sealing import problems
from audit.sealing.log import facility_log
from audit.sealing.status import sealer_status
from games.models import Facility
from tables.alerts.words import alert_words
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK
from tables.desk.integrity import RECORD_ALERTS
from tables.models import Alert
from tables.words.entries import data_of

SEALER_STOPPED_AFTER = dt.timedelta(minutes=5)  # a restart takes less


def findings(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The alerts about the record, the full verifications that found a fault, and a sealer that has stopped."""
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
        data = data_of(entry)
        if data.get("outcome") == "good":
            continue
        bad = data.get("first_bad")
        text = verification_words.say(bad) if isinstance(bad, dict) else "See the integrity page."
        params = {"title": "The full verification found a fault", "text": text}
        yield CaseSubject(f"{entry.stream.name}:{entry.seq}", entry.at, params)
    yield from _stopped_sealer(facility, now)


def _stopped_sealer(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The sealer that runs no more, or that cannot seal the log of this facility. One that never ran has no case."""
    log = facility_log(facility.code)
    status = sealer_status(log.facility if log else "")
    if status.beat_at is not None and now - status.beat_at > SEALER_STOPPED_AFTER:
        since = f"{facility.local(status.beat_at):%H:%M}"
        params = {
            "title": "The sealer has stopped",
            "text": f"Nothing was sealed since {since}. See its log.",
        }
        yield CaseSubject(f"sealer:{status.beat_at.isoformat()}", status.beat_at, params)
    elif status.problem and status.since is not None and now - status.since > SEALER_STOPPED_AFTER:
        params = {
            "title": "The record is not being sealed",
            "text": problems.say(status.problem, status.params),
        }
        yield CaseSubject(f"sealer:{status.since.isoformat()}", status.since, params)


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
