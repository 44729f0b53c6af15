"""Inbox: the first page of compliance, with its cases by due time, yesterday's report, and what comes next."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person
from games.access import opened_by
from games.kit.searches import OneOf, Search
from games.models import Facility
from games.office.calendar import BEGINS, Deadline, deadlines
from games.separation.acts import changes_to_acknowledge
from tables.cases.case import (
    CASE_PAGES,
    CASE_WORKERS,
    COMPLIANCE,
    NextStep,
    due_words,
    moment_words,
    next_step,
    span_words,
)
from tables.cases.kinds import DAY, kind_of, words_of_case
from tables.cases.reports import report_panel
from tables.desk.integrity import read_integrity
from tables.models import Case, Table

# Cases as rows


MAX_CLOSED = 100  # rows of closed cases on the page
FILTERS = {
    "all": "All open",
    "mine": "Mine",
    "free": "No owner",
    "waiting": "Waiting for others",
    "closed": "Closed",
}


@dataclass(frozen=True)
class CaseRow:
    """A case as a row of the inbox; times are in words of the facility's clock."""

    case: Case
    label: str
    title: str
    text: str
    owner: str
    owner_detail: str
    due: str
    due_in: str
    age: str
    is_overdue: bool
    is_warning: bool
    step: NextStep
    url: str

    @property
    def button(self) -> str:
        """`Review and sign C-0041`; "Open" where the next step is somebody else's."""
        return f"{self.step.verb if self.step.is_mine else 'Open'} {self.case.code}"


def cases_of(facility: Facility) -> QuerySet[Case]:
    """The cases of a facility with what a row shows, the next due first."""
    rows = Case.objects.filter(facility=facility).select_related("owner", "table", "facility", "closed_by")
    return rows.prefetch_related("signatures__person", "cameras").order_by("due_at", "pk")


def open_count(facility_code: str) -> int:
    """How many cases of a facility are open."""
    return Case.objects.filter(facility__code=facility_code, status=Case.Status.OPEN).count()


def case_rows(cases: Iterable[Case], person: Person, now: dt.datetime) -> list[CaseRow]:
    """Return cases as rows, as this person sees them."""
    return [case_row(case, person, now) for case in cases]


def case_row(case: Case, person: Person, now: dt.datetime) -> CaseRow:
    """Return one case as a row."""
    title, text = words_of_case(case)
    is_closed = case.status == Case.Status.CLOSED
    owner = case.owner.name if case.owner else "Nobody yet"
    owner_detail = "take it"
    if case.owner is not None:
        owner_detail = "you" if case.owner.pk == person.pk else case.owner.get_role_display().lower()
    until = case.closed_at if is_closed and case.closed_at else now
    return CaseRow(
        case=case,
        label=kind_of(case).label,
        title=title,
        text=text,
        owner=owner,
        owner_detail=owner_detail,
        due=moment_words(case.due_at, case.facility, now),
        due_in=_closed_words(case) if is_closed else due_words(case.due_at, now),
        age=span_words(until - case.opened_at),
        is_overdue=not is_closed and case.due_at < now,
        is_warning=kind_of(case).is_warning,
        step=next_step(case, person),
        url=reverse("case", args=[case.facility.code, case.code]),
    )


def _closed_words(case: Case) -> str:
    assert case.closed_at is not None
    return "closed in time" if case.closed_at <= case.due_at else "closed late"


def in_filter(rows: Iterable[CaseRow], filter_code: str, person: Person) -> list[CaseRow]:
    """The open rows that a filter shows."""
    return [row for row in rows if _is_in(row, filter_code, person)]


def _is_in(row: CaseRow, filter_code: str, person: Person) -> bool:
    if filter_code == "mine":
        return row.case.owner_id == person.pk
    if filter_code == "free":
        return row.case.owner_id is None
    return filter_code == "all" or (row.case.owner_id is not None and not row.step.is_mine)


# The counts at the top


@dataclass(frozen=True)
class InboxFigures:
    """The counts at the top of the inbox."""

    open: int
    overdue: int
    due_today: int
    mine: int
    closed_in_week: int
    late_in_week: int
    by_filter: dict[str, int]

    @property
    def free(self) -> int:
        return self.by_filter["free"]


def figures(facility: Facility, rows: list[CaseRow], person: Person, now: dt.datetime) -> InboxFigures:
    """Return the counts. `rows` are all open cases."""
    today = facility.local(now).date()
    closed = Case.objects.filter(facility=facility, status=Case.Status.CLOSED)
    week = list(closed.filter(closed_at__gt=now - 7 * DAY).values_list("closed_at", "due_at"))
    return InboxFigures(
        open=len(rows),
        overdue=sum(row.is_overdue for row in rows),
        due_today=sum(facility.local(row.case.due_at).date() <= today for row in rows),
        mine=len(in_filter(rows, "mine", person)),
        closed_in_week=len(week),
        late_in_week=sum(closed_at > due_at for closed_at, due_at in week if closed_at),
        by_filter={
            **{code: len(in_filter(rows, code, person)) for code in FILTERS if code != "closed"},
            "closed": closed.count(),
        },
    )


# The page


TABS = (("inbox", "Cases", "inbox"), ("exceptions", "Exceptions", "inbox-exceptions"))


def inbox_context(person: Person, facility: Facility, tab: str) -> dict[str, Any]:
    """Return the context of a page under one of the tabs."""
    now = clock.now()
    return {
        "facility": facility,
        "section": "inbox",
        "tab": tab,
        "tabs": [
            {"code": code, "label": label, "url": reverse(name, args=[facility.code])}
            for code, label, name in TABS
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "works_here": person.role in CASE_WORKERS,
        "is_compliance": person.role in COMPLIANCE,
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("facility-act", args=[facility.code, "__act__"]),
        },
    }


MAX_CLOSED_LINE = 6
MAX_COMING = 4


class InboxFilter(Search):
    """Which cases are listed."""

    show = OneOf(FILTERS, otherwise="all")


@require_GET
@opened_by(CASE_PAGES)
def inbox_page(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the cases of one filter (`?show=`), the next due on top with its single next step."""
    filter_code = InboxFilter(request.GET).values["show"]
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
    since = facility.day_begins(facility.gaming_day(now) - DAY)
    closed = cases_of(facility).filter(status=Case.Status.CLOSED, closed_at__gte=since)
    return list(closed.order_by("-closed_at")[:MAX_CLOSED_LINE])


def _coming_due(facility: Facility, now: dt.datetime) -> list[Deadline]:
    """The next deadlines that are too far away for a case."""
    lead, today = facility.law.case_time("approval"), facility.local(now).date()
    later = (deadline for deadline in deadlines(facility, now) if deadline.state != BEGINS)
    return [deadline for deadline in later if deadline.due_on > today + lead][:MAX_COMING]


urlpatterns = [path("inbox/<slug:facility>/", inbox_page, name="inbox")]
