"""The daily report: its page and its PDF."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit import clock
from audit.identity import Denied
from audit.models import Person
from games.access import opened_by
from games.kit.files import file_response
from games.kit.searches import DaySearch, OneOf
from games.models import Facility
from tables.desk.desk import DESK, desk_context
from tables.figures.ranges import PLAYS
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.reports.page import BY, page_context, report_pdf


class ReportQuery(DaySearch):
    """The report of a gaming day, of one kind of play, and how its rounds are listed."""

    play = OneOf(PLAYS, otherwise="live")
    by = OneOf(BY, otherwise="table")


@require_GET
@opened_by(DESK)
def page(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the report of one gaming day. A mistyped day gets a message above today's report."""
    day, search = _day_of(request, facility)
    context = (
        desk_context(person, facility, "report")
        | {"refused": f"{search.problem} This is today's report." if search.problem else ""}
        | page_context(build_report(day), search.values["by"])
    )
    return render(request, "desk/report.html", context)


@require_GET
@opened_by(DESK)
def paper(request: HttpRequest, _person: Person, facility: Facility) -> HttpResponse:
    """Serve the report as a PDF. Raises `Denied` for a mistyped day."""
    day, search = _day_of(request, facility)
    if search.problem:
        raise Denied
    return file_response(report_pdf(build_report(day)), filename(day), inline=True)


def filename(day: ReportDay) -> str:
    """`larkfield-2026-11-21.pdf`, with the kind of play unless it is real play."""
    kind = "" if day.play == "live" else f"-{day.play}"
    return f"{day.facility.code}-{day.date.isoformat()}{kind}.pdf"


def _day_of(request: HttpRequest, facility: Facility) -> tuple[ReportDay, ReportQuery]:
    """The requested day, or today if it cannot be reported."""
    now = clock.now()
    search = ReportQuery(request.GET, facility.gaming_day(now))
    return ReportDay(facility, search.values["day"] or search.today, now, search.values["play"]), search


urlpatterns = [
    path("record/<slug:facility>/report/", page, name="record-report"),
    path("record/<slug:facility>/report.pdf", paper, name="record-report-pdf"),
]
