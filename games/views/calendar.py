"""The page of deadlines, and the calendar feeds."""

import calendar as months
import datetime as dt
import re
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods, require_safe

from audit import clock
from audit.identity import enrolled_device
from audit.models import Person
from audit.runner import ActRequest
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.models import CalendarFeed, Facility
from games.office import calendar as feeds_of
from games.office import core
from games.office.calendar import (
    GROUPS,
    LATER,
    OVERDUE,
    THIRTY_DAYS,
    THIS_WEEK,
    Deadline,
    deadlines,
    in_groups,
)
from games.office.core import person_and_facility
from games.params import malformed
from games.views.page_context import page_context

LABELS = {
    OVERDUE: "Overdue",
    THIS_WEEK: "This week",
    THIRTY_DAYS: "Within 30 days",
    LATER: "Later",
}
SUNDAY_FIRST = months.Calendar(firstweekday=6)
MONTH = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])")
WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


@dataclass(frozen=True)
class DeadlineRow:
    """A deadline in the list. `first`: the first of its day, to which the month links. `reminded`: it has an open
    reminder.
    """

    deadline: Deadline
    days_left: int
    first: bool
    reminded: bool


@dataclass(frozen=True)
class CalendarDay:
    """A day of the month."""

    date: dt.date
    inside: bool
    is_today: bool
    overdue: int = 0
    deadlines: list[Deadline] = field(default_factory=list)


@require_safe
def calendar(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show every deadline: a list by urgency, and the calendar of a month."""
    person, facility = person_and_facility(request, facility_code)
    return render(request, "games/office/calendar.html", _context(request, person, facility))


@require_http_methods(["GET", "HEAD", "POST"])
def feeds(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Make a secret address and show it once.

    The secret is made here, so that neither the entry nor the stored answer of the act contains it.
    """
    person, facility = person_and_facility(request, facility_code)
    if request.method != "POST":
        return redirect("calendar", facility.code)
    secret, sha256 = feeds_of.new_secret()
    try:
        params = {"name": request.POST.get("name", ""), "sha256": sha256}
        core.execute(
            ActRequest(
                facility.code,
                core.STREAM,
                "make_feed",
                _command(request),
                0,
                params,
                person,
                enrolled_device(request),
            )
        )
    except Refusal as refusal:
        status = 403 if isinstance(refusal, Forbidden) else 422
        context = _context(request, person, facility) | {"refused": refusal}
        return render(request, "games/office/calendar.html", context, status=status)
    new_address = request.build_absolute_uri(reverse("feed", args=[secret]))
    response = render(
        request,
        "games/office/calendar.html",
        _context(request, person, facility)
        | {"new_address": new_address, "new_feed_name": params["name"].strip()},
    )
    add_never_cache_headers(response)
    return response


@require_safe
def feed(request: HttpRequest, secret: str) -> HttpResponse:
    """Return the deadlines of a facility for a calendar with a secret address. It needs no sign-in and sets no
    cookie.
    """
    calendar_feed = feeds_of.open_feed(secret)
    if calendar_feed is None:
        return HttpResponse(status=404, headers={"Cache-Control": "no-store"})
    now = clock.now()
    facility = calendar_feed.facility
    body = feeds_of.calendar_bytes(
        facility, deadlines(facility, now), now, request.build_absolute_uri("/")[:-1]
    )
    response = HttpResponse(body, content_type="text/calendar; charset=utf-8")
    response["Cache-Control"] = "private, max-age=300"
    response["Content-Disposition"] = f'attachment; filename="{facility.code}-deadlines.ics"'
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _command(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("command", ""))
    except ValueError:
        raise malformed("command") from None


def _context(request: HttpRequest, person: Person, facility: Facility) -> dict[str, Any]:
    now = clock.now()
    listed, today = deadlines(facility, now), facility.local(now).date()
    year, month = _requested_month(request, today)
    frame, groups = page_context(person, facility, "calendar", now, listed), in_groups(listed, today)
    reminded = {reminder.deadline.key for reminder in frame["reminders"]}
    return frame | {
        "groups": [
            {"code": name, "label": LABELS[name], "rows": _rows(groups[name], today, reminded)}
            for name in GROUPS
        ],
        "count": len(listed),
        "weekdays": WEEKDAYS,
        "month": dt.date(year, month, 1),
        "weeks": _weeks(year, month, listed, today),
        "before": _month_before(year, month),
        "after": _month_after(year, month),
        "this_month": (year, month) == (today.year, today.month),
        "feeds": CalendarFeed.objects.filter(facility=facility, revoked_at=None).select_related("person"),
        "command": uuid.uuid4(),
    }


def _rows(listed: list[Deadline], today: dt.date, reminded: set[str]) -> list[DeadlineRow]:
    days: set[dt.date] = set()
    rows = []
    for deadline in listed:
        rows.append(
            DeadlineRow(
                deadline, deadline.days_left(today), deadline.due_on not in days, deadline.key in reminded
            )
        )
        days.add(deadline.due_on)
    return rows


def _weeks(year: int, month: int, listed: tuple[Deadline, ...], today: dt.date) -> list[list[CalendarDay]]:
    by_day: dict[dt.date, list[Deadline]] = {}
    for deadline in listed:
        by_day.setdefault(deadline.due_on, []).append(deadline)
    return [
        [
            CalendarDay(
                day,
                day.month == month,
                day == today,
                _overdue(by_day.get(day, []), today),
                by_day.get(day, []),
            )
            for day in week
        ]
        for week in SUNDAY_FIRST.monthdatescalendar(year, month)
    ]


def _overdue(listed: list[Deadline], today: dt.date) -> int:
    return sum(deadline.days_left(today) < 0 for deadline in listed)


def _requested_month(request: HttpRequest, today: dt.date) -> tuple[int, int]:
    """Return the month of the query, or this month."""
    match = MONTH.fullmatch(request.GET.get("month", ""))
    return (int(match[1]), int(match[2])) if match else (today.year, today.month)


def _month_before(year: int, month: int) -> dt.date:
    return dt.date(year, month, 1) - dt.timedelta(days=1)


def _month_after(year: int, month: int) -> dt.date:
    return dt.date(year, month, 28) + dt.timedelta(days=4)


urlpatterns = [
    path("office/<slug:facility_code>/deadlines/", calendar, name="calendar"),
    path("office/<slug:facility_code>/deadlines/feeds", feeds, name="feeds"),
    path("office/feeds/<slug:secret>.ics", feed, name="feed"),
]
