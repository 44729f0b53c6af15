"""The declared reports of a facility as a page shows them: what each writes, where to, and how its last ones ended."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Facility
from tables.models import FiguresReport, FiguresSchedule

LAST = 14  # reports of each that the page lists
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


def missing_reports(facility: Facility) -> QuerySet[FiguresReport]:
    """The reports of what is declared now that failed, or of which nobody knows whether they left."""
    reports = FiguresReport.objects.filter(schedule__facility=facility, schedule__ended_at=None)
    return reports.exclude(error="").exclude(status=Status.DONE)


def schedule_rows(facility: Facility) -> list[ScheduleRow]:
    """Return every declared report that runs, by name, each with its last reports, the newest first."""
    schedules = FiguresSchedule.objects.filter(facility=facility, ended_at=None)
    return [_schedule_row(schedule) for schedule in schedules.select_related("declared_by", "declared_with")]


def _schedule_row(schedule: FiguresSchedule) -> ScheduleRow:
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
        [_report_row(report) for report in schedule.reports.order_by("-first_day", "-pk")[:LAST]],
    )


def _report_row(report: FiguresReport) -> ReportRow:
    is_missing = bool(report.error) and report.status != Status.DONE
    is_retried = is_missing and report.status != Status.UNSURE
    return ReportRow(
        report.period,
        _state(report),
        report.error if is_missing else "",
        is_missing,
        report.done_at,
        report.next_try_at if is_retried else None,
        report.files,
    )


def _state(report: FiguresReport) -> str:
    if report.status == Status.UNSURE:
        return "Not known whether the e-mail left"
    if report.status == Status.DONE:
        return "Delivered"
    if report.error:
        return f"Not delivered in {report.attempts} attempt{'' if report.attempts == 1 else 's'}"
    return {Status.DUE: "Due", Status.WRITING: "Being written", Status.SENDING: "Being sent"}[
        Status(report.status)
    ]
