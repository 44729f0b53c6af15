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
from games.models import Facility
from games.params import read_day
from tables.desk.desk import DESK, desk_context
from tables.figures.ranges import PLAYS
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.reports.page import BY, page_context, report_pdf


@require_GET
@opened_by(DESK)
def page(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the report of one gaming day. A mistyped day gets a message above today's report."""
    day, refused = _day_of(request, facility)
    by = request.GET.get("by", "")
    context = (
        desk_context(person, facility, "report")
        | {"refused": refused}
        | page_context(build_report(day), by if by in BY else "table")
    )
    return render(request, "desk/report.html", context)


@require_GET
@opened_by(DESK)
def paper(request: HttpRequest, _person: Person, facility: Facility) -> HttpResponse:
    """Serve the report as a PDF. Raises `Denied` for a mistyped day."""
    day, refused = _day_of(request, facility)
    if refused:
        raise Denied
    return file_response(report_pdf(build_report(day)), filename(day), inline=True)


def filename(day: ReportDay) -> str:
    """`larkfield-2026-11-21.pdf`, with the kind of play unless it is real play."""
    kind = "" if day.play == "live" else f"-{day.play}"
    return f"{day.facility.code}-{day.date.isoformat()}{kind}.pdf"


def _day_of(request: HttpRequest, facility: Facility) -> tuple[ReportDay, str]:
    """The requested day, or today with a message about what was typed."""
    now, typed, play = clock.now(), request.GET.get("day", "").strip(), request.GET.get("play", "live")
    today = ReportDay(facility, facility.gaming_day(now), now, play if play in PLAYS else "live")
    if not typed:
        return today, ""
    date = read_day(typed)
    if date is None:
        return today, "A gaming day is a date, such as 2026-11-21. This is today's report."
    if date > today.date:
        return today, "That gaming day has not begun. This is today's report."
    return ReportDay(facility, date, now, today.play), ""


urlpatterns = [
    path("record/<slug:facility>/report/", page, name="record-report"),
    path("record/<slug:facility>/report.pdf", paper, name="record-report-pdf"),
]
