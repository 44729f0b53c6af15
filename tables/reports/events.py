"""What happened on a gaming day, apart from its figures: people, dice, alerts, disputes, corrections, devices.

Everything is reported as of the end of the day, so that a report made later says the same.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Q

from audit.models import Entry, Person
from tables.alerts.calls import DISPUTE_REPORTED, alert_names
from tables.core.entries import RecordedAlert, alerts_between
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.failures import DEVICE_INCIDENT
from tables.models import Table
from tables.opening.opening import TABLE_CLOSED, TABLE_OPENED
from tables.replay.round_records import ThrowRecord
from tables.reports.day_rounds import DayRounds, ReportDay, day_entries
from tables.words.entries import data_of

CORRECTION_NAMES = {
    DICE_CORRECTED.name: "dice entered again",
    WAGER_MISSED.name: "missed wager written down",
    WAGER_STRUCK.name: "mistaken wager struck",
}
OPENED, CLOSED = TABLE_OPENED.name, TABLE_CLOSED.name
DISPUTE = DISPUTE_REPORTED.name
Spans = tuple[tuple[dt.datetime | None, dt.datetime | None], ...]


@dataclass(frozen=True)
class AlertRow:
    """Alerts of one kind: how many, and how many were open or unacknowledged at the end of the day.

    `open_seconds` is how long all of them were open, `longest_seconds` the longest, both in whole seconds.
    """

    kind: str
    name: str
    count: int
    open_at_end: int
    unacknowledged: int
    open_seconds: int
    longest_seconds: int


@dataclass(frozen=True)
class LotRow:
    """A dice lot at one table: `first` and `last` are numbers of rounds, `since` and `until` times of throws."""

    lot: str
    table: str
    rounds: int
    throws: int
    first: int
    last: int
    since: dt.datetime
    until: dt.datetime


@dataclass(frozen=True)
class PersonRow:
    """What one person signed at one table, as actor or as second person, from the first entry to the last."""

    code: str
    name: str
    role: str
    table: str
    acted: int
    witnessed: int
    since: dt.datetime
    until: dt.datetime


@dataclass(frozen=True)
class DisputeRow:
    """One dispute as its entry reports it."""

    table: str
    seq: int
    reported_at: dt.datetime
    round: int | None
    seat: int | None
    about: str


@dataclass(frozen=True)
class IncidentRow:
    """A prohibited device at a table: what it was, and what was done about it."""

    table: str
    at: dt.datetime
    what: str
    action: str


@dataclass(frozen=True)
class CorrectionCount:
    """Corrections of one kind at one table, before anyone was paid."""

    table: str
    type: str
    count: int

    @property
    def name(self) -> str:
        return str(CORRECTION_NAMES[self.type])


@dataclass(frozen=True)
class StreamHead:
    """The last entry of the day on one stream."""

    stream: str
    table: str
    entries: int
    seq: int
    hash: str


@dataclass(frozen=True)
class DayEvents:
    """All events of a day. `open_spans` are by table id."""

    open_spans: dict[int, Spans]
    alerts: list[AlertRow]
    lots: list[LotRow]
    people: list[PersonRow]
    disputes: list[DisputeRow]
    corrections: list[CorrectionCount]
    devices: list[IncidentRow]
    heads: list[StreamHead]

    @property
    def entries(self) -> int:
        """The number of entries recorded on the day."""
        return sum(head.entries for head in self.heads)


def day_events(day: ReportDay, rounds: DayRounds) -> DayEvents:
    """Read all events of a day, in about ten queries."""
    by_stream = {table.stream_id: table for table in day.tables.values()}
    signed = list(_signature_counts(day))
    return DayEvents(
        open_spans=_opened(day, by_stream, rounds),
        alerts=_alerts(day, by_stream),
        lots=_lots(rounds),
        people=_people(by_stream, signed),
        disputes=_disputes(day, by_stream),
        corrections=_corrections(day, by_stream),
        devices=_devices(day, by_stream),
        heads=_heads(by_stream, signed),
    )


def _signature_counts(day: ReportDay) -> Iterable[Any]:
    return (
        day_entries(day)
        .values("stream", "actor", "witness")
        .annotate(count=Count("pk"), since=Min("at"), until=Max("at"), last=Max("seq"))
        .order_by("stream", "actor", "witness")
    )


def _people(by_stream: dict[int, Table], signed: Iterable[dict[str, Any]]) -> list[PersonRow]:
    totals_by_person: dict[tuple[str, str], dict[str, Any]] = {}
    for row in signed:
        for part, code in (("acted", row["actor"]), ("witnessed", row["witness"])):
            if not code:
                continue
            key = by_stream[row["stream"]].code, code
            totals = totals_by_person.setdefault(
                key, {"acted": 0, "witnessed": 0, "since": row["since"], "until": row["until"]}
            )
            totals[part] += row["count"]
            totals["since"] = min(totals["since"], row["since"])
            totals["until"] = max(totals["until"], row["until"])
    people = {
        person.code: person
        for person in Person.objects.filter(code__in={code for _table, code in totals_by_person})
    }
    return [
        PersonRow(
            code,
            people[code].name if code in people else code,
            people[code].get_role_display() if code in people else "",
            table,
            **totals,
        )
        for (table, code), totals in sorted(totals_by_person.items())
    ]


def _heads(by_stream: dict[int, Table], signed: Iterable[dict[str, Any]]) -> list[StreamHead]:
    newest_seqs: dict[int, int] = defaultdict(int)
    counts: dict[int, int] = defaultdict(int)
    for row in signed:
        newest_seqs[row["stream"]] = max(newest_seqs[row["stream"]], row["last"])
        counts[row["stream"]] += row["count"]
    condition = Q()
    for stream, seq in newest_seqs.items():
        condition |= Q(stream=stream, seq=seq)
    entries = Entry.objects.filter(condition).only("stream", "seq", "hash") if newest_seqs else ()
    entries_by_stream = {entry.stream_id: entry for entry in entries}
    return [
        StreamHead(
            table.stream.name,
            table.code,
            counts[stream],
            newest_seqs[stream],
            bytes(entries_by_stream[stream].hash).hex(),
        )
        for stream, table in by_stream.items()
        if stream in entries_by_stream
    ]


def _opened(day: ReportDay, by_stream: dict[int, Table], rounds: DayRounds) -> dict[int, Spans]:
    """When each table was open; None means before the day, or after the part of it reported so far."""
    spans_by_table: dict[int, list[tuple[dt.datetime | None, dt.datetime | None]]] = defaultdict(list)
    entries = day_entries(day).filter(type__in=(OPENED, CLOSED)).order_by("stream", "seq")
    for stream, type_, moment in entries.values_list("stream", "type", "at"):
        spans = spans_by_table[by_stream[stream].pk]
        if type_ == OPENED:
            spans.append((moment, None))
        elif spans and spans[-1][1] is None:
            spans[-1] = (spans[-1][0], moment)
        else:
            spans.append((None, moment))
    for table in rounds.by_table:
        if table not in spans_by_table:
            spans_by_table[table].append((None, None))
    return {table: tuple(spans) for table, spans in spans_by_table.items()}


def _alerts(day: ReportDay, by_stream: dict[int, Table]) -> list[AlertRow]:
    names = alert_names()
    durations_by_kind: dict[str, list[tuple[int, bool, bool]]] = defaultdict(list)
    for alert in alerts_between(by_stream, day.begins, day.ends):
        seconds, is_open, is_unacknowledged = _duration(alert, day.until)
        durations_by_kind[alert.kind].append((seconds, is_open, is_unacknowledged))
    return [
        AlertRow(
            kind,
            str(names.get(kind, kind.replace("-", " ").capitalize())),
            len(durations),
            sum(is_open for _seconds, is_open, is_unacknowledged in durations),
            sum(is_unacknowledged for _seconds, _is_open, is_unacknowledged in durations),
            sum(seconds for seconds, _is_open, is_unacknowledged in durations),
            max(seconds for seconds, _is_open, is_unacknowledged in durations),
        )
        for kind, durations in sorted(durations_by_kind.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _duration(alert: RecordedAlert, until: dt.datetime) -> tuple[int, bool, bool]:
    """For how many seconds an alert was open until a moment, and whether it was open and unacknowledged then."""
    ended, acknowledged = alert.ended_at, alert.acknowledged_at
    end = until if ended is None else min(ended, until)
    seconds = (end - alert.raised_at) // dt.timedelta(seconds=1)
    return seconds, ended is None or ended > until, acknowledged is None or acknowledged > until


def _lots(rounds: DayRounds) -> list[LotRow]:
    """The lots thrown at each table. A throw that was corrected counts once."""
    throws_by_lot: dict[tuple[str, str], list[tuple[int, ThrowRecord]]] = defaultdict(list)
    for table, records in rounds.by_table.items():
        for record in records:
            for throw in record.throws:
                if throw.lot and throw.revision == 1 and (throw.dice or record.phase != "void"):
                    code = rounds.day.tables[table].code
                    throws_by_lot[code, throw.lot].append((record.number, throw))
    rows = [
        LotRow(
            lot=lot,
            table=table,
            rounds=len({number for number, _throw in throws}),
            throws=len(throws),
            first=min(number for number, _throw in throws),
            last=max(number for number, _throw in throws),
            since=min(throw.called_at for _number, throw in throws),
            until=max(throw.called_at for _number, throw in throws),
        )
        for (table, lot), throws in throws_by_lot.items()
    ]
    return sorted(rows, key=lambda row: (row.table, row.since, row.lot))


def _disputes(day: ReportDay, by_stream: dict[int, Table]) -> list[DisputeRow]:
    disputes = []
    for entry in day_entries(day).filter(type=DISPUTE).order_by("at", "pk"):
        data = data_of(entry)
        disputes.append(
            DisputeRow(
                by_stream[entry.stream_id].code,
                entry.seq,
                entry.at,
                data.get("round"),
                data.get("seat"),
                data.get("about", ""),
            )
        )
    return disputes


def _corrections(day: ReportDay, by_stream: dict[int, Table]) -> list[CorrectionCount]:
    rows = (
        day_entries(day)
        .filter(type__in=CORRECTION_NAMES)
        .values("stream", "type")
        .annotate(count=Count("pk"))
    )
    counts = [
        CorrectionCount(by_stream[row["stream"]].code, row["type"], row["count"]) for row in rows.order_by()
    ]
    return sorted(counts, key=lambda correction: (correction.table, correction.type))


def _devices(day: ReportDay, by_stream: dict[int, Table]) -> list[IncidentRow]:
    entries = Entry.objects.filter(
        stream__in=by_stream, type=DEVICE_INCIDENT.name, at__gte=day.begins, at__lt=day.ends
    )
    incidents = []
    for entry in entries.order_by("at", "pk"):
        data = data_of(entry)
        incidents.append(
            IncidentRow(
                by_stream[entry.stream_id].code,
                entry.at,
                str(data.get("what", "")),
                str(data.get("action", "")),
            )
        )
    return incidents
