"""What every page of the office needs, and its pages about no single topic: documents on file, and deadlines.

The frame of a page has the facility, the person, the tabs, and where acts are sent. Each document can be saved as an
attachment. Deadlines are also calendar feeds with a secret address.
"""

import calendar as months
import datetime as dt
import uuid
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from audit import clock
from audit.identity import Denied, enrolled_device
from audit.models import Person
from audit.runner import ActRequest
from games.access import open_to_all, opened_by
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.kit.files import file_response
from games.kit.searches import Month, Search, Words
from games.models import CalendarFeed, Document, Facility, PreparedChange
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
    open_reminders,
)
from games.office.core import OFFICE, may_act
from games.office.documents import usage_of
from games.params import malformed
from games.separation.acts import changes_to_acknowledge

TABS = (
    ("submissions", "Submissions", "submissions"),
    ("changes", "Approvals", "changes"),
    ("odds", "Odds sheet", "odds"),
    ("signs", "Signs", "signs"),
    ("guide", "Guide", "guides"),
    ("requests", "New games", "game-requests"),
    ("providers", "Providers", "providers"),
    ("documents", "Documents", "documents"),
    ("calendar", "Deadlines", "calendar"),
)


def page_context(
    person: Person,
    facility: Facility,
    tab: str,
    now: dt.datetime | None = None,
    listed: tuple[Deadline, ...] | None = None,
) -> dict[str, Any]:
    """Return the context of a page under one of the tabs. `listed`: the deadlines, if the page has read them."""
    now = now or clock.now()
    listed = deadlines(facility, now) if listed is None else listed
    today = facility.local(now).date()
    groups = [deadline.group(today) for deadline in listed]
    return {
        "facility": facility,
        "section": "rules",
        "tab": tab,
        "due": {"overdue": groups.count(OVERDUE), "week": groups.count(THIS_WEEK)},
        "waiting_changes": PreparedChange.objects.filter(
            facility=facility, status=PreparedChange.Status.WAITING
        ).count(),
        "told_changes": changes_to_acknowledge(facility, person),
        "reminders": open_reminders(facility, listed, today),
        "tabs": [
            {"code": code, "label": label, "url": reverse(name, args=[facility.code])}
            for code, label, name in TABS
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "acts_here": may_act(person),
        "today": today,
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("office-act", args=[facility.code, "__act__"]),
            "file": reverse("office-act", args=[facility.code, "file_document"]),
        },
    }


def landing_url(facility: str) -> str:
    """Return the address of the first tab, where the navigation bar leads."""
    return reverse(TABS[0][-1], args=[facility])


# Documents


SHOWN = 100
LEAST_HASH = 8


class DocumentSearch(Search):
    """`q`: a part of a title or file name, a code, or at least the first 8 digits of a SHA-256."""

    q = Words(max_length=64)


@require_GET
@opened_by(OFFICE)
def documents(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the documents, the newest first."""
    query = DocumentSearch(request.GET).values["q"]
    matches = Document.objects.filter(facility=facility).defer("content").select_related("filed_by")
    if query:
        condition = Q(title__icontains=query) | Q(filename__icontains=query) | Q(code__iexact=query)
        if len(query) >= LEAST_HASH:
            condition |= Q(sha256__startswith=query.lower())
        matches = matches.filter(condition)
    listed = list(matches[:SHOWN])
    uses = usage_of(facility, listed)
    context = page_context(person, facility, "documents") | {
        "documents": [(document, uses.get(document.code, ())) for document in listed],
        "listed_count": SHOWN,
        "count": matches.count(),
        "query": query,
    }
    return render(request, "games/office/documents.html", context)


@require_GET
@opened_by(OFFICE)
def document(request: HttpRequest, _person: Person, facility: Facility, code: str) -> HttpResponse:
    """Download a document. It is never shown in place, so nothing in it runs."""
    row = Document.objects.filter(facility=facility, code=code).first()
    if row is None:
        raise Denied
    return attachment(row)


def attachment(document: Document) -> HttpResponse:
    """Return a document's bytes as a download."""
    ending = document.filename.rpartition(".")[2].lower()
    name = f"{document.code}.{ending}"
    return file_response(bytes(document.content), name, document.media_type, is_foreign=True)


# Deadlines


LABELS = {
    OVERDUE: "Overdue",
    THIS_WEEK: "This week",
    THIRTY_DAYS: "Within 30 days",
    LATER: "Later",
}
SUNDAY_FIRST = months.Calendar(firstweekday=6)
WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


class MonthQuery(Search):
    """The month of the calendar, such as 2026-11."""

    month = Month()


@require_safe
@opened_by(OFFICE)
def calendar(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show every deadline: a list by urgency, and the calendar of a month."""
    return render(request, "games/office/calendar.html", _calendar_context(request, person, facility))


@require_http_methods(["GET", "HEAD", "POST"])
@opened_by(OFFICE)
def feeds(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Make a secret address and show it once.

    The secret is made here, so that neither the entry nor the stored answer of the act contains it.
    """
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
        context = _calendar_context(request, person, facility) | {"refused": refusal}
        return render(request, "games/office/calendar.html", context, status=status)
    new_address = request.build_absolute_uri(reverse("feed", args=[secret]))
    response = render(
        request,
        "games/office/calendar.html",
        _calendar_context(request, person, facility)
        | {"new_address": new_address, "new_feed_name": params["name"].strip()},
    )
    add_never_cache_headers(response)
    return response


@require_safe
@open_to_all("its secret address is the key to a calendar: it opens the deadlines and nothing else")
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
    response = file_response(
        body, f"{facility.code}-deadlines.ics", "text/calendar; charset=utf-8", is_foreign=True
    )
    response["Cache-Control"] = "private, max-age=300"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _command(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("command", ""))
    except ValueError:
        raise malformed("command") from None


def _calendar_context(request: HttpRequest, person: Person, facility: Facility) -> dict[str, Any]:
    now = clock.now()
    listed, today = deadlines(facility, now), facility.local(now).date()
    month = MonthQuery(request.GET).values["month"] or today
    frame, groups = page_context(person, facility, "calendar", now, listed), in_groups(listed, today)
    reminded = {reminder.deadline.key for reminder in frame["reminders"]}
    return frame | {
        "groups": [
            {"code": name, "label": LABELS[name], "rows": _deadline_rows(groups[name], today, reminded)}
            for name in GROUPS
        ],
        "count": len(listed),
        "weekdays": WEEKDAYS,
        "month": month.replace(day=1),
        "weeks": _weeks(month.year, month.month, listed, today),
        "before": month.replace(day=1) - dt.timedelta(days=1),
        "after": month.replace(day=28) + dt.timedelta(days=4),
        "this_month": (month.year, month.month) == (today.year, today.month),
        "feeds": CalendarFeed.objects.filter(facility=facility, revoked_at=None).select_related("person"),
        "command": uuid.uuid4(),
    }


def _deadline_rows(listed: list[Deadline], today: dt.date, reminded: set[str]) -> list[dict[str, Any]]:
    """Deadlines of the list. `first`: of its day, to which the month links. `reminded`: it has an open reminder."""
    days: set[dt.date] = set()
    rows = []
    for deadline in listed:
        rows.append(
            {
                "deadline": deadline,
                "days_left": deadline.days_left(today),
                "first": deadline.due_on not in days,
                "reminded": deadline.key in reminded,
            }
        )
        days.add(deadline.due_on)
    return rows


def _weeks(year: int, month: int, listed: tuple[Deadline, ...], today: dt.date) -> list[list[dict[str, Any]]]:
    """The days of a month, whole weeks."""
    by_day: dict[dt.date, list[Deadline]] = {}
    for deadline in listed:
        by_day.setdefault(deadline.due_on, []).append(deadline)
    return [
        [
            {
                "date": day,
                "inside": day.month == month,
                "is_today": day == today,
                "overdue": _overdue(by_day.get(day, []), today),
                "deadlines": by_day.get(day, []),
            }
            for day in week
        ]
        for week in SUNDAY_FIRST.monthdatescalendar(year, month)
    ]


def _overdue(listed: list[Deadline], today: dt.date) -> int:
    return sum(deadline.days_left(today) < 0 for deadline in listed)


urlpatterns = [
    path("office/<slug:facility>/documents/", documents, name="documents"),
    path("office/<slug:facility>/documents/<slug:code>", document, name="document"),
    path("office/<slug:facility>/deadlines/", calendar, name="calendar"),
    path("office/<slug:facility>/deadlines/feeds", feeds, name="feeds"),
    path("office/feeds/<slug:secret>.ics", feed, name="feed"),
]
