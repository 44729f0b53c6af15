"""The daily report as people see it: the context of its page, and its PDF.

Both draw the same tables, the chart of settled rounds by hour, and the same sentences. The PDF is US Letter, landscape,
with fonts embedded, and the same bytes for the same record.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from reportlab.platypus import CondPageBreak, Flowable

from games.engine.odds import in_dollars
from games.kit.html import PageTable, figures
from games.kit.paper import Cell, PlotDrawing, column_table, content_size, render, styles, table, text
from games.kit.plots import Line, Mark, Plot, Rect, Scale, Text, round_steps
from games.kit.tables import Column, Table
from games.office.pdf import moment
from games.params import EARLIEST_DAY
from tables.figures.ranges import PLAYS
from tables.reports.figures import HourFigures, Report
from tables.reports.report_tables import (
    COUNTS,
    EVENT_TABLES,
    PAPER_AMOUNTS,
    PAPER_COUNTS,
    SUMMARY,
    ReportLinks,
    alert_table,
    correction_table,
    device_table,
    dispute_table,
    expected_notes,
    expected_table,
    head_table,
    hour_label,
    hour_table,
    later_slip_table,
    long_day,
    lot_table,
    outside_table,
    person_table,
    row_table,
    slip_table,
)

# The chart

WIDTH, HEIGHT = 960, 236
LEFT, RIGHT, TOP, FOOT = 58, 952, 26, 190
GAP = 6
MAX_STEPS = 4


def hour_chart(hours: Sequence[HourFigures], labels: Sequence[str]) -> Plot:
    """Chart the settled rounds of each hour. Every third hour has a label, so that labels do not touch on a tablet."""
    most_rounds = max((hour.figures.settled for hour in hours), default=0)
    step = next(step for step in round_steps(1) if most_rounds <= MAX_STEPS * step)
    top = max(step, -(-most_rounds // step) * step)
    y_of, room = Scale(0, top, FOOT, TOP), (RIGHT - LEFT) / (len(hours) or 1)
    marks: list[Mark] = []
    for rounds in range(0, top + 1, step):
        y = y_of(rounds)
        marks += [
            Line(LEFT, y, RIGHT, y, "report-grid"),
            Text(LEFT - 10, y, f"{rounds:,}", anchor="end", below=6),
        ]
    described = []
    for place, (hour, label) in enumerate(zip(hours, labels, strict=True)):
        rounds, x, y = hour.figures.settled, LEFT + place * room, y_of(hour.figures.settled)
        marks.append(Rect(x + GAP / 2, y, room - GAP, FOOT - y))
        if rounds:
            marks.append(Text(x + room / 2, y - 5, f"{rounds:,}", "report-count", "middle"))
            win = in_dollars(hour.figures.win_cents)
            described.append(f"{label}: {rounds:,} round{'' if rounds == 1 else 's'}, win {win}")
        if place % 3 == 0:
            marks.append(Text(x + room / 2, FOOT + 24, label, anchor="middle"))
    words = f"Rounds by hour. {'; '.join(described) or 'None was settled'}."
    return Plot(WIDTH, HEIGHT, marks, "report-plot", words, "plot-t")


# The page

DAY = dt.timedelta(days=1)
BY = {"table": "By table", "game": "By game", "hour": "By hour"}


def page_context(report: Report, by: str) -> dict[str, Any]:
    """The context of the page's templates; `by` is one of BY."""
    links = ReportLinks(report.day)
    return {
        "report": report,
        "day": report.day,
        "by": by,
        "summary": figures(SUMMARY, report, links),
        "counts": figures(COUNTS, report, links),
        "tables": _tables(report, by, links),
        "hour_chart": _hour_chart(report),
        "notes": list(expected_notes(report)),
        **_navigation(report, by, links),
    }


def _navigation(report: Report, by: str, links: ReportLinks) -> dict[str, Any]:
    """Links to other views, other days and the PDF."""
    day = report.day
    return {
        "views": [
            {"code": code, "label": label, "url": links.report(day.date, by=code)}
            for code, label in BY.items()
        ],
        "plays": [
            {"code": code, "label": label, "url": links.report(day.date, play=code, by=by)}
            for code, label in PLAYS.items()
        ],
        "previous_url": links.report(day.date - DAY, by=by) if day.date > EARLIEST_DAY else "",
        "next_url": links.report(day.date + DAY, by=by) if day.is_over else "",
        "pdf_url": links.report(day.date, "record-report-pdf"),
    }


def _tables(report: Report, by: str, links: ReportLinks) -> dict[str, Any]:
    """Every table of the page by its name in the templates."""
    view = "game" if by == "game" else "table"
    tables = {
        "figures": hour_table(report) if by == "hour" else row_table(report, view),
        "expected": expected_table(report, view),
        "slips": slip_table(report),
        "later_slips": later_slip_table(report),
        "outside": outside_table(report),
        "corrections": correction_table(report),
        "disputes": dispute_table(report),
        "alerts": alert_table(report),
        "devices": device_table(report),
        "lots": lot_table(report),
        "people": person_table(report),
        "heads": head_table(report),
    }
    return {name: PageTable(table, links) for name, table in tables.items()}


def _hour_chart(report: Report) -> Any:
    labels = [hour_label(hour.begins, report.day.facility) for hour in report.hours]
    return hour_chart(report.hours, labels)


# The PDF

PAPER_WIDTH = content_size(landscape=True)[0]
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
        yield column_table(report_table, PAPER_WIDTH)
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
    chart = PlotDrawing(hour_chart(report.hours, labels), PAPER_WIDTH)
    yield CondPageBreak(chart.height + 60)
    yield text("Rounds by hour", styles()["heading"])
    yield chart
    hours = hour_table(report)
    if hours.paper_rows:
        yield from draw_table(hours, with_heading=False)


def _expected_notes(report: Report) -> Iterator[Flowable]:
    if expected_table(report, "table").rows:
        yield text(" ".join(expected_notes(report)), styles()["small"])
