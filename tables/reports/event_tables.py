"""The tables of the daily report about what else happened: alerts, disputes, corrections, devices, dice and people.

Like `report_tables.py`, this is where a column is added: one `Column` in its table.
"""

import datetime as dt
from collections.abc import Callable

from games.engine.odds import in_dollars
from games.models import Facility
from games.office.pdf.approval import moment
from tables.core.entry_types import ALERT_RAISED
from tables.failures.entry_types import DEVICE_INCIDENT
from tables.reports.columns import Column, ReportTable
from tables.reports.events import (
    AlertRow,
    CorrectionCount,
    DisputeRow,
    IncidentRow,
    LotRow,
    PersonRow,
    StreamHead,
)
from tables.reports.figures import Report, ReportRow
from tables.reports.formatting import duration, thousands
from tables.reports.notes import hour_label
from tables.rounds.wagers import WAGERS_PLACED

OUTSIDE: tuple[Column[ReportRow], ...] = (
    Column("Table", lambda row: row.label),
    Column(
        "Wagers",
        lambda row: row.figures.outside,
        thousands,
        is_number=True,
        url=lambda row, links: links.record(type=WAGERS_PLACED.name, place=row.code),
    ),
    Column("Amount", lambda row: row.figures.outside_cents, in_dollars, is_number=True),
)


def outside_table(report: Report) -> ReportTable[ReportRow]:
    """The wagers outside the limits, by table."""
    rows = [row for row in report.tables if row.figures.outside]
    return ReportTable("outside", "Wagers outside the limits", OUTSIDE, rows)


CORRECTIONS: tuple[Column[CorrectionCount], ...] = (
    Column("Table", lambda row: row.table, list_part="title"),
    Column(
        "What",
        lambda row: row.name,
        list_part="title",
        url=lambda row, links: links.record(type=row.type, place=row.table),
    ),
    Column("Times", lambda row: row.count, is_number=True, list_part="main"),
)


def correction_table(report: Report) -> ReportTable[CorrectionCount]:
    """What was corrected at the tables before anyone was paid."""
    rows = report.events.corrections
    count = sum(row.count for row in rows)
    return ReportTable(
        "corrections", "Corrected before anyone was paid", CORRECTIONS, rows, count=count or None
    )


def _dispute_columns(facility: Facility) -> tuple[Column[DisputeRow], ...]:
    return (
        Column("Table", lambda row: row.table, list_part="title"),
        Column(
            "Round",
            lambda row: row.round,
            _number_or_nothing,
            is_number=True,
            list_part="title",
            url=lambda row, links: links.round(row.table, row.round) or links.entry(row.table, row.seq),
        ),
        Column("Seat", lambda row: row.seat, _number_or_nothing, is_number=True),
        Column("When", lambda row: moment(row.reported_at, facility)),
        Column("About", lambda row: row.about, list_part="main"),
    )


def _number_or_nothing(number: int | None) -> str:
    return f"{number:,}" if number else ""


def dispute_table(report: Report) -> ReportTable[DisputeRow]:
    """The disputes that were reported."""
    rows = report.events.disputes
    return ReportTable(
        "disputes", "Disputes", _dispute_columns(report.day.facility), rows, count=len(rows) or None
    )


ALERTS: tuple[Column[AlertRow], ...] = (
    Column("What", lambda row: row.name),
    Column(
        "Raised",
        lambda row: row.count,
        is_number=True,
        url=lambda row, links: links.record(type=ALERT_RAISED.name),
    ),
    Column("Open in all", lambda row: row.open_seconds, duration, is_number=True),
    Column("Longest", lambda row: row.longest_seconds, duration, is_number=True),
    Column(
        "Open at the end",
        lambda row: row.open_at_end,
        is_number=True,
        is_warning=lambda row: bool(row.open_at_end),
    ),
    Column("Not acknowledged", lambda row: row.unacknowledged, is_number=True),
)


def alert_table(report: Report) -> ReportTable[AlertRow]:
    """The alerts that were raised on the day, by kind."""
    subtitle = "raised on this day; how long they were open, up to its end"
    return ReportTable("alerts", "Alerts", ALERTS, report.events.alerts, subtitle)


def _device_columns(facility: Facility) -> tuple[Column[IncidentRow], ...]:
    return (
        Column("Table", lambda row: row.table, list_part="title"),
        Column(
            "When",
            lambda row: moment(row.at, facility),
            list_part="title",
            url=lambda row, links: links.record(type=DEVICE_INCIDENT.name, place=row.table),
        ),
        Column("What", lambda row: row.what, list_part="main"),
        Column("What was done", lambda row: row.action),
    )


def device_table(report: Report) -> ReportTable[IncidentRow]:
    """Prohibited devices that were found at a table."""
    return ReportTable(
        "devices",
        "Prohibited devices at a table",
        _device_columns(report.day.facility),
        report.events.devices,
    )


def _lot_columns(hour: Callable[[dt.datetime], str]) -> tuple[Column[LotRow], ...]:
    return (
        Column("Lot", lambda row: row.lot, url=lambda row, links: links.record(lot=row.lot, place=row.table)),
        Column("Table", lambda row: row.table),
        Column("Rounds", lambda row: row.rounds, thousands, is_number=True),
        Column("Throws", lambda row: row.throws, thousands, is_number=True),
        Column("Round numbers", lambda row: f"{row.first:,} to {row.last:,}", is_number=True),
        Column("First throw", lambda row: row.since, hour, css_class="when"),
        Column("Last throw", lambda row: row.until, hour, css_class="when"),
    )


def lot_table(report: Report) -> ReportTable[LotRow]:
    """The dice lots that were thrown, by table."""
    rows = report.events.lots
    return ReportTable("lots", "Dice lots thrown", _lot_columns(_hour_of(report)), rows, count=len(rows))


def _person_columns(hour: Callable[[dt.datetime], str]) -> tuple[Column[PersonRow], ...]:
    return (
        Column("Table", lambda row: row.table),
        Column("Who", lambda row: row.name, notes=lambda row: [row.role.lower()]),
        Column(
            "Signed",
            lambda row: row.acted,
            thousands,
            is_number=True,
            url=lambda row, links: links.record(who=row.code, place=row.table),
        ),
        Column("As second", lambda row: row.witnessed, thousands, is_number=True),
        Column("First", lambda row: row.since, hour, css_class="when"),
        Column("Last", lambda row: row.until, hour, css_class="when"),
    )


def person_table(report: Report) -> ReportTable[PersonRow]:
    """The people who signed entries at the tables."""
    rows, subtitle = report.events.people, "who signed what was recorded there"
    return ReportTable(
        "people",
        "People at the tables",
        _person_columns(_hour_of(report)),
        rows,
        subtitle,
        count=len(rows),
        empty="Nobody.",
    )


HEADS: tuple[Column[StreamHead], ...] = (
    Column("Stream", lambda row: row.stream, width=2),
    Column("Entries", lambda row: row.entries, thousands, 1, is_number=True),
    Column(
        "Last entry",
        lambda row: row.seq,
        thousands,
        1,
        is_number=True,
        url=lambda row, links: links.entry(row.table, row.seq),
    ),
    Column(
        "Its hash",
        lambda row: f"{row.hash[:32]}\n{row.hash[32:]}",
        width=4,
        css_class="hash",
        short=lambda row: f"{row.hash[:16]}…",
    ),
)


def head_table(report: Report) -> ReportTable[StreamHead]:
    """The last entry of the day on each stream."""
    rows, subtitle = report.events.heads, "the last entry of the day on each stream"
    return ReportTable(
        "heads", "Where the record stood", HEADS, rows, subtitle, count=len(rows), empty="No entry."
    )


def _hour_of(report: Report) -> Callable[[dt.datetime], str]:
    return lambda moment_: hour_label(moment_, report.day.facility)


EVENT_TABLES = (
    outside_table,
    correction_table,
    dispute_table,
    alert_table,
    device_table,
    lot_table,
    person_table,
    head_table,
)
