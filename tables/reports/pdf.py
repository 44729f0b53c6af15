"""The daily report as a PDF: US Letter, landscape, fonts embedded, the same bytes for the same record."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from reportlab.platypus import CondPageBreak, Flowable

from games.kit.paper import Cell, PlotDrawing, column_table, content_size, render, styles, table, text
from games.kit.tables import Column, Table
from games.office.pdf.approval import moment
from tables.reports.charts import hour_chart
from tables.reports.event_tables import EVENT_TABLES
from tables.reports.figures import Report
from tables.reports.notes import expected_notes, hour_label, long_day
from tables.reports.report_day import PLAYS
from tables.reports.report_tables import (
    PAPER_AMOUNTS,
    PAPER_COUNTS,
    expected_table,
    hour_table,
    later_slip_table,
    row_table,
    slip_table,
)

WIDTH = content_size(landscape=True)[0]
HEADS_NOTE = (
    "The last entry of the day on each table's stream. The same entries give the same PDF, byte for byte."
)


def report_pdf(report: Report) -> bytes:
    """The PDF. It does not say when it was made: a day that is over gives the same bytes until a slip is filed."""
    day, look = report.day, styles()
    title = f"Daily report, {long_day(day.date)}"
    flowables: list[Flowable] = [
        text(title, look["title"]),
        text(" ".join(status_sentences(report)), look["body"]),
        _summary(report),
        *draw_table(row_table(report, "table")),
        *draw_table(row_table(report, "game")),
        *_hours(report),
        *draw_table(expected_table(report, "table")),
        *_expected_notes(report),
        *draw_table(slip_table(report)),
        *(draw_table(later_slip_table(report)) if report.later_slips else ()),
        *(flowable for event_table in EVENT_TABLES for flowable in draw_table(event_table(report))),
        *([text(HEADS_NOTE, look["small"])] if report.events.heads else ()),
    ]
    return render(
        flowables,
        title=title,
        facility_name=day.facility.name,
        landscape=True,
        approved=f"{PLAYS[day.play]}. Made from {report.events.entries:,} entries of the record.",
    )


def status_sentences(report: Report) -> Iterator[str]:
    """What the report covers, and what may still change in it."""
    day, facility = report.day, report.day.facility
    yield f"{PLAYS[day.play]} from {moment(day.begins, facility)} to {moment(day.ends, facility)}, local time."
    if day.play != "live":
        yield "It contains no players' money."
    if not day.is_over:
        yield f"The day is not over: these are its figures at {moment(day.now, facility)}."
    if report.total.in_play:
        yield f"Rounds still in play: {report.total.in_play}. They count when they end."
    if report.later_slips:
        yield f"Slips filed since about rounds of this day: {len(report.later_slips)}, listed separately."


def draw_table(report_table: Table[Any], *, with_heading: bool = True) -> Iterator[Flowable]:
    """A table of the report on paper, under its heading."""
    if with_heading:
        yield text(report_table.heading, styles()["heading"])
    if report_table.paper_rows:
        yield column_table(report_table, WIDTH)
    else:
        yield text(report_table.empty, styles()["body"])


def _summary(report: Report) -> Flowable:
    """The counts on the left, the amounts on the right."""
    rows = [
        [*_summary_cells(count, report), *_summary_cells(amount, report)]
        for count, amount in zip_longest(PAPER_COUNTS, PAPER_AMOUNTS)
    ]
    return table(rows, (3, 3, 3, 3), numbers=(1, 3), head=0)


def _summary_cells(column: Column[Report] | None, report: Report) -> list[Cell]:
    if column is None:
        return ["", ""]
    return [column.heading, "\n".join([column.text(report), *column.notes(report)])]


def _hours(report: Report) -> Iterator[Flowable]:
    labels = [hour_label(hour.begins, report.day.facility) for hour in report.hours]
    chart = PlotDrawing(hour_chart(report.hours, labels), WIDTH)
    yield CondPageBreak(chart.height + 60)
    yield text("Rounds by hour", styles()["heading"])
    yield chart
    hours = hour_table(report)
    if hours.paper_rows:
        yield from draw_table(hours, with_heading=False)


def _expected_notes(report: Report) -> Iterator[Flowable]:
    if expected_table(report, "table").rows:
        yield text(" ".join(expected_notes(report)), styles()["small"])
