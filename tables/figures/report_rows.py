"""The declared reports of a facility as a page shows them: what each writes, where to, and how its last ones ended."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from games.models import Facility
from tables.figures.schedules import ended_periods
from tables.models import FiguresReport, FiguresSchedule

REPORTS_SHOWN = 14  # of each declared report, beside the missing ones
OVERDUE_AFTER = dt.timedelta(minutes=40)  # the end of a period; it is due after ten
OVERDUE = "Overdue: see whether the ticker runs and counts the rounds"
Status = FiguresReport.Status


@dataclass(frozen=True)
class ReportRow:
    """One report for one period, with its state in words; `next_try_at` only where it failed and is tried again."""

    period: str
    state: str
    error: str
    is_missing: bool
    done_at: dt.datetime | None
    next_try_at: dt.datetime | None
    files: Sequence[str]


@dataclass(frozen=True)
class ScheduleRow:
    """One declared report; `url` leads to the page with its filters, `targets` are its folder and its addresses."""

    name: str
    every: str
    filters: str
    url: str
    formats: str
    targets: Sequence[str]
    declared_by: str
    declared_at: dt.datetime
    reports: Sequence[ReportRow]


def missing_count(facility: Facility, now: dt.datetime) -> int:
    """Return how many reports of what is declared now failed, are overdue, or may not have left."""
    schedules = FiguresSchedule.objects.filter(facility=facility, ended_at=None).select_related("facility")
    return sum(row.is_missing for schedule in schedules for row in _report_rows(schedule, now, 0))


def schedule_rows(facility: Facility, now: dt.datetime) -> list[ScheduleRow]:
    """Return every declared report that runs, by name, each with its last reports, the newest first."""
    schedules = FiguresSchedule.objects.filter(facility=facility, ended_at=None)
    related = schedules.select_related("facility", "declared_by", "declared_with")
    return [_schedule_row(schedule, now) for schedule in related]


def _schedule_row(schedule: FiguresSchedule, now: dt.datetime) -> ScheduleRow:
    address = reverse("figures", args=[schedule.facility.code])
    return ScheduleRow(
        schedule.name,
        schedule.get_every_display(),
        schedule.filters.replace("&", ", ").replace("=", " ") or "all tables",
        f"{address}?{schedule.filters}" if schedule.filters else address,
        ", ".join(schedule.formats).upper(),
        [*filter(None, [schedule.folder]), *schedule.mail],
        f"{schedule.declared_by.name} and {schedule.declared_with.name}",
        schedule.declared_at,
        _report_rows(schedule, now, REPORTS_SHOWN),
    )


def _report_rows(schedule: FiguresSchedule, now: dt.datetime, most: int) -> list[ReportRow]:
    """Return the last reports of a schedule and every missing one, the newest first.

    A period that ended some time ago without a report is overdue: nothing delivers, or its rounds are not counted.
    """
    overdue_since = now - OVERDUE_AFTER
    overdue = {period.key: period for period in ended_periods(schedule, now) if period.ends <= overdue_since}
    rows = []
    for place, report in enumerate(schedule.reports.order_by("-first_day", "-pk")):
        row = _report_row(report, is_overdue=report.period in overdue)
        overdue.pop(report.period, None)
        if place < most or row.is_missing:
            rows.append(row)
    never_tried = sorted(overdue.values(), key=lambda period: period.ends, reverse=True)
    return [
        *(ReportRow(period.key, OVERDUE, "", True, None, None, ()) for period in never_tried),
        *rows,
    ]


def _report_row(report: FiguresReport, *, is_overdue: bool) -> ReportRow:
    has_failed = bool(report.error) and report.status != Status.DONE
    is_retried = has_failed and report.status != Status.UNSURE
    is_late = is_overdue and not has_failed and report.status != Status.DONE
    return ReportRow(
        report.period,
        OVERDUE if is_late else _state(report),
        report.error if has_failed else "",
        has_failed or is_late,
        report.done_at,
        report.next_try_at if is_retried else None,
        report.files,
    )


def _state(report: FiguresReport) -> str:
    if report.status == Status.DONE:
        return "Delivered"
    if report.error and report.status != Status.UNSURE:
        return f"Not delivered in {report.attempts} attempt{'' if report.attempts == 1 else 's'}"
    label: str = report.get_status_display()
    return label.capitalize()
