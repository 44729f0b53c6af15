"""The tables of the daily report about what else happened: alerts, disputes, corrections, devices, dice and people.

Like `report_tables.py`, this is where a column is added: one `Column` in its table.
"""

import datetime as dt
from collections.abc import Callable

from games.kit.tables import COUNT, MONEY, PLAIN, TEXT, Column, Kind, Table
from games.office.pdf.approval import moment
from tables.core.entry_types import ALERT_RAISED
from tables.failures import DEVICE_INCIDENT
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
from tables.reports.formatting import duration
from tables.reports.notes import hour_label
from tables.reports.report_tables import report_table
from tables.rounds.wagers import WAGERS_PLACED

DURATION = Kind(duration)
OUTSIDE: tuple[Column[ReportRow], ...] = (
    Column("Table", TEXT, lambda row: row.label),
    Column(
        "Wagers", COUNT, lambda row: row.figures.outside,
        link=lambda row, links: links.record(type=WAGERS_PLACED.name, place=row.code),
    ),
    Column("Amount", MONEY, lambda row: row.figures.outside_cents),
)  # fmt: skip


def outside_table(report: Report) -> Table[ReportRow]:
    """The wagers outside the limits, by table."""
    rows = [row for row in report.tables if row.figures.outside]
    return report_table("outside", "Wagers outside the limits", OUTSIDE, rows)


CORRECTIONS: tuple[Column[CorrectionCount], ...] = (
    Column("Table", TEXT, lambda row: row.table, list_part="title"),
    Column(
        "What", TEXT, lambda row: row.name, list_part="title",
        link=lambda row, links: links.record(type=row.type, place=row.table),
    ),
    Column("Times", PLAIN, lambda row: row.count, list_part="main"),
)  # fmt: skip


def correction_table(report: Report) -> Table[CorrectionCount]:
    """What was corrected at the tables before anyone was paid."""
    rows = report.events.corrections
    count = sum(row.count for row in rows)
    return report_table(
        "corrections", "Corrected before anyone was paid", CORRECTIONS, rows, count=count or None
    )


def dispute_table(report: Report) -> Table[DisputeRow]:
    """The disputes that were reported."""
    rows, facility = report.events.disputes, report.day.facility
    columns: tuple[Column[DisputeRow], ...] = (
        Column("Table", TEXT, lambda row: row.table, list_part="title"),
        Column(
            "Round", PLAIN, lambda row: _number_or_nothing(row.round), list_part="title",
            link=lambda row, links: links.round(row.table, row.round) or links.entry(row.table, row.seq),
        ),
        Column("Seat", PLAIN, lambda row: _number_or_nothing(row.seat)),
        Column("When", TEXT, lambda row: moment(row.reported_at, facility)),
        Column("About", TEXT, lambda row: row.about, list_part="main"),
    )  # fmt: skip
    return report_table("disputes", "Disputes", columns, rows, count=len(rows) or None)


def _number_or_nothing(number: int | None) -> str:
    return f"{number:,}" if number else ""


ALERTS: tuple[Column[AlertRow], ...] = (
    Column("What", TEXT, lambda row: row.name),
    Column(
        "Raised", PLAIN, lambda row: row.count,
        link=lambda row, links: links.record(type=ALERT_RAISED.name),
    ),
    Column("Open in all", DURATION, lambda row: row.open_seconds),
    Column("Longest", DURATION, lambda row: row.longest_seconds),
    Column(
        "Open at the end", PLAIN, lambda row: row.open_at_end, is_warning=lambda row: bool(row.open_at_end)
    ),
    Column("Not acknowledged", PLAIN, lambda row: row.unacknowledged),
)  # fmt: skip


def alert_table(report: Report) -> Table[AlertRow]:
    """The alerts that were raised on the day, by kind."""
    subtitle = "raised on this day; how long they were open, up to its end"
    return report_table("alerts", "Alerts", ALERTS, report.events.alerts, subtitle)


def device_table(report: Report) -> Table[IncidentRow]:
    """Prohibited devices that were found at a table."""
    facility = report.day.facility
    columns: tuple[Column[IncidentRow], ...] = (
        Column("Table", TEXT, lambda row: row.table, list_part="title"),
        Column(
            "When", TEXT, lambda row: moment(row.at, facility), list_part="title",
            link=lambda row, links: links.record(type=DEVICE_INCIDENT.name, place=row.table),
        ),
        Column("What", TEXT, lambda row: row.what, list_part="main"),
        Column("What was done", TEXT, lambda row: row.action),
    )  # fmt: skip
    return report_table("devices", "Prohibited devices at a table", columns, report.events.devices)


def lot_table(report: Report) -> Table[LotRow]:
    """The dice lots that were thrown, by table."""
    rows, hour = report.events.lots, _hour_of(report)
    columns: tuple[Column[LotRow], ...] = (
        Column(
            "Lot", TEXT, lambda row: row.lot,
            link=lambda row, links: links.record(lot=row.lot, place=row.table),
        ),
        Column("Table", TEXT, lambda row: row.table),
        Column("Rounds", COUNT, lambda row: row.rounds),
        Column("Throws", COUNT, lambda row: row.throws),
        Column("Round numbers", PLAIN, lambda row: f"{row.first:,} to {row.last:,}"),
        Column("First throw", TEXT, lambda row: hour(row.since), css_class="when"),
        Column("Last throw", TEXT, lambda row: hour(row.until), css_class="when"),
    )  # fmt: skip
    return report_table("lots", "Dice lots thrown", columns, rows, count=len(rows))


def person_table(report: Report) -> Table[PersonRow]:
    """The people who signed entries at the tables."""
    rows, hour = report.events.people, _hour_of(report)
    columns: tuple[Column[PersonRow], ...] = (
        Column("Table", TEXT, lambda row: row.table),
        Column("Who", TEXT, lambda row: row.name, notes=lambda row: [row.role.lower()]),
        Column(
            "Signed", COUNT, lambda row: row.acted,
            link=lambda row, links: links.record(who=row.code, place=row.table),
        ),
        Column("As second", COUNT, lambda row: row.witnessed),
        Column("First", TEXT, lambda row: hour(row.since), css_class="when"),
        Column("Last", TEXT, lambda row: hour(row.until), css_class="when"),
    )  # fmt: skip
    return report_table(
        "people",
        "People at the tables",
        columns,
        rows,
        "who signed what was recorded there",
        count=len(rows),
        empty="Nobody.",
    )


HEADS: tuple[Column[StreamHead], ...] = (
    Column("Stream", TEXT, lambda row: row.stream),
    Column("Entries", COUNT, lambda row: row.entries),
    Column("Last entry", COUNT, lambda row: row.seq, link=lambda row, links: links.entry(row.table, row.seq)),
    Column(
        "Its hash", TEXT, lambda row: f"{row.hash[:32]}\n{row.hash[32:]}", css_class="hash",
        short=lambda row: f"{row.hash[:16]}…",
    ),
)  # fmt: skip


def head_table(report: Report) -> Table[StreamHead]:
    """The last entry of the day on each stream."""
    rows, subtitle = report.events.heads, "the last entry of the day on each stream"
    return report_table(
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
