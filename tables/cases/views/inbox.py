"""The inbox: the first page of compliance."""

import datetime as dt

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from games.models import Facility
from games.office.calendar import BEGINS, Deadline, deadlines
from games.separation.acts import changes_to_acknowledge
from tables.cases.inbox import FILTERS, MAX_CLOSED, case_rows, cases_of, figures, in_filter
from tables.cases.page import inbox_context
from tables.cases.reports import report_panel
from tables.cases.roles import authorize_cases
from tables.desk.integrity import read_integrity
from tables.models import Case, Table

MAX_CLOSED_LINE = 6
MAX_COMING = 4


@require_GET
def inbox(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show the cases of one filter (`?show=`), the next due on top with its single next step."""
    person, facility = authorize_cases(request, facility_code)
    filter_code = request.GET.get("show", "all")
    filter_code = filter_code if filter_code in FILTERS else "all"
    context = inbox_context(person, facility, "inbox")
    now: dt.datetime = context["now"]
    open_rows = case_rows(cases_of(facility).filter(status=Case.Status.OPEN), person, now)
    counts = figures(facility, open_rows, person, now)
    if filter_code == "closed":
        closed = cases_of(facility).filter(status=Case.Status.CLOSED).order_by("-closed_at")[:MAX_CLOSED]
        first, rows = None, case_rows(closed, person, now)
    else:
        rows = in_filter(open_rows, filter_code, person)
        first, rows = (rows[0], rows[1:]) if rows else (None, [])
    context |= {
        "counts": counts,
        "filters": [
            {"code": code, "label": label, "count": counts.by_filter[code], "is_current": code == filter_code}
            for code, label in FILTERS.items()
        ],
        "filter_code": filter_code,
        "first": first,
        "rows": rows,
        "closed_since": _closed_since_yesterday(facility, now) if filter_code != "closed" else [],
        "panel": report_panel(facility, now),
        "integrity": read_integrity(facility, now),
        "told_changes": changes_to_acknowledge(facility, person),
        "coming": _coming_due(facility, now),
        "tables": Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).order_by("code"),
    }
    return render(request, "cases/inbox.html", context)


def _closed_since_yesterday(facility: Facility, now: dt.datetime) -> list[Case]:
    since = facility.day_begins(facility.gaming_day(now) - dt.timedelta(days=1))
    closed = cases_of(facility).filter(status=Case.Status.CLOSED, closed_at__gte=since)
    return list(closed.order_by("-closed_at")[:MAX_CLOSED_LINE])


def _coming_due(facility: Facility, now: dt.datetime) -> list[Deadline]:
    """The next deadlines that are too far away for a case."""
    lead, today = facility.law.case_time("approval"), facility.local(now).date()
    later = (deadline for deadline in deadlines(facility, now) if deadline.state != BEGINS)
    return [deadline for deadline in later if deadline.due_on > today + lead][:MAX_COMING]


urlpatterns = [path("inbox/<slug:facility_code>/", inbox, name="inbox")]
