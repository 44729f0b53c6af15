"""Alerts as their entries record them: raised, ended, acknowledged and decided."""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from audit.models import Entry
from tables.core.entries import COLUMNS, RecordedEntry, read
from tables.core.entry_types import ALERT_ACKNOWLEDGED, ALERT_DECIDED, ALERT_ENDED, ALERT_RAISED

ALERT_TYPES = (ALERT_RAISED.name, ALERT_ENDED.name, ALERT_ACKNOWLEDGED.name, ALERT_DECIDED.name)


@dataclass
class RecordedAlert:
    """An alert of one table, as far as its entries were read. `seq` is the entry that raised it."""

    stream_id: int
    seq: int
    kind: str
    key: str
    raised_at: dt.datetime
    ended_at: dt.datetime | None = None
    acknowledged_at: dt.datetime | None = None
    decided_at: dt.datetime | None = None
    decision: str = ""
    level: str = ""


def alerts_between(streams: Collection[int], begins: dt.datetime, ends: dt.datetime) -> list[RecordedAlert]:
    """The alerts that were raised from `begins` up to `ends`, with their ends and acknowledgments up to `ends`."""
    in_time = Q(at__gte=begins, at__lte=ends)
    entries = Entry.objects.filter(in_time, stream__in=list(streams), type__in=ALERT_TYPES)
    rows = entries.order_by("stream", "seq").values_list("stream", *COLUMNS)
    return [alert for alert in fold_alerts(rows) if begins <= alert.raised_at < ends]


def fold_alerts(rows: Iterable[tuple[Any, ...]]) -> list[RecordedAlert]:
    """The alerts of rows of (stream, *COLUMNS), ordered by stream and number. Other entries are passed over.

    An end or acknowledgment of an alert that was raised before the first row changes nothing.
    """
    alerts: list[RecordedAlert] = []
    by_key: dict[tuple[int, str], list[RecordedAlert]] = {}
    for stream, *row in rows:
        entry = read((row[0], row[1], row[2], row[3]))
        key, kind = str(entry.data.get("key", "")), str(entry.data.get("kind", ""))
        raised = by_key.setdefault((stream, key), [])
        if entry.type == ALERT_RAISED.name:
            moment, level = dt.datetime.fromisoformat(entry.at), str(entry.data.get("level", ""))
            raised.append(RecordedAlert(stream, entry.seq, kind, key, moment, level=level))
            alerts.append(raised[-1])
        else:
            _apply(entry, raised)
    return alerts


def _apply(entry: RecordedEntry, raised: list[RecordedAlert]) -> None:
    """End, acknowledge or decide one of the alerts with the entry's key. At most one of them is open."""
    if entry.type == ALERT_ENDED.name:
        for alert in raised:
            if alert.ended_at is None:
                alert.ended_at = dt.datetime.fromisoformat(entry.at)
    elif entry.type == ALERT_ACKNOWLEDGED.name:
        waiting = [alert for alert in raised if alert.acknowledged_at is None]
        raised_at = entry.data.get("raised_at")  # only where several alerts with this key waited
        if isinstance(raised_at, str):
            waiting = [alert for alert in waiting if alert.raised_at == _moment(raised_at)]
        if waiting:
            waiting[-1].acknowledged_at = dt.datetime.fromisoformat(entry.at)
    elif entry.type == ALERT_DECIDED.name and raised:
        raised[-1].decided_at = dt.datetime.fromisoformat(entry.at)
        raised[-1].decision = str(entry.data.get("decision", ""))


def _moment(text: str) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return None
