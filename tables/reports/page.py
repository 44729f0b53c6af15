"""What the report's page shows: its tables, its drawings, and links into the record."""

import datetime as dt
from typing import Any

from games.kit.html import PageTable, figures
from tables.core.typed_days import EARLIEST
from tables.reports.charts import hour_chart
from tables.reports.event_tables import (
    alert_table,
    correction_table,
    device_table,
    dispute_table,
    head_table,
    lot_table,
    outside_table,
    person_table,
)
from tables.reports.figures import Report
from tables.reports.links import ReportLinks
from tables.reports.notes import expected_notes, hour_label
from tables.reports.report_day import PLAYS
from tables.reports.report_tables import (
    COUNTS,
    SUMMARY,
    expected_table,
    hour_table,
    later_slip_table,
    row_table,
    slip_table,
)

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
        "previous_url": links.report(day.date - DAY, by=by) if day.date > EARLIEST else "",
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
