"""The inbox: the cases of a facility as rows, by their due time, and their counts."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from audit.models import Person
from games.models import Facility
from tables.cases.kinds import kind_of, words_of_case
from tables.cases.next_steps import NextStep, next_step
from tables.models import Case

MAX_CLOSED = 100  # rows of closed cases on the page
FILTERS = {
    "all": "All open",
    "mine": "Mine",
    "free": "No owner",
    "waiting": "Waiting for others",
    "closed": "Closed",
}
MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)


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


def in_filter(rows: Iterable[CaseRow], filter_code: str, person: Person) -> list[CaseRow]:
    """The open rows that a filter shows."""
    return [row for row in rows if _is_in(row, filter_code, person)]


def _is_in(row: CaseRow, filter_code: str, person: Person) -> bool:
    if filter_code == "mine":
        return row.case.owner_id == person.pk
    if filter_code == "free":
        return row.case.owner_id is None
    return filter_code == "all" or (row.case.owner_id is not None and not row.step.is_mine)


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


def span_words(span: dt.timedelta) -> str:
    """`18 min`, `4 h 18 min`, `1 d 15 h`, `5 d`."""
    span = max(span, dt.timedelta())
    days, hours, minutes = span // DAY, span // HOUR % 24, span // MINUTE % 60
    if days >= 2:
        return f"{days} d"
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def due_words(due_at: dt.datetime, now: dt.datetime) -> str:
    """`in 4 h 18 min`, or `overdue by 20 min`."""
    return f"in {span_words(due_at - now)}" if due_at >= now else f"overdue by {span_words(now - due_at)}"


def moment_words(moment: dt.datetime, facility: Facility, now: dt.datetime) -> str:
    """`14:00` today, otherwise `Mon 23 Nov`."""
    local, today = facility.local(moment), facility.local(now).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%a} {local.day} {local:%b}"


def _closed_words(case: Case) -> str:
    assert case.closed_at is not None
    return "closed in time" if case.closed_at <= case.due_at else "closed late"
