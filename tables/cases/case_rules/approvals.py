"""Approvals that are late or end: deadlines of the rules office, and changes that wait for a second person."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility, PreparedChange
from games.office.calendar import BEGINS, ENDS, day_text, deadlines
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.models import Case

DAY = dt.timedelta(days=1)


def approvals(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The deadlines that are near or past, and the changes that somebody prepared and nobody approves in time."""
    yield from _changes(facility, now)
    lead = facility.law.case_time("approval")
    for deadline in deadlines(facility, now):
        last_day = deadline.due_on if deadline.state == ENDS else deadline.due_on + DAY
        due_at = deadline.moment or facility.day_begins(last_day)
        if deadline.state == BEGINS or due_at - lead > now:
            continue
        params = {"summary": deadline.summary, "due_on": day_text(deadline.due_on), "state": deadline.state}
        yield CaseSubject(f"{deadline.key}:{deadline.due_on}", now, params, due_at=due_at)


def _changes(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    waiting = PreparedChange.objects.filter(facility=facility, status=PreparedChange.Status.WAITING)
    for change in waiting.filter(due_at__lte=now + DAY).select_related("prepared_by").order_by("pk"):
        params = {
            "summary": f"{change.code} waits for a second person",
            "due_on": day_text(facility.local(change.due_at).date()),
            "state": "prepared",
            "prepared_by": change.prepared_by.name,
            "people": change.makers,
        }
        yield CaseSubject(f"change:{change.code}", change.prepared_at, params, due_at=change.due_at)


def makers_of_change(case: Case) -> set[str]:
    """Those who made the change; nobody for a deadline."""
    return set(case.params.get("people", ()))


def describe_approval(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the deadline as the office's calendar says it, or the change, and its day."""
    if "prepared_by" in params:
        return params["summary"], f"Prepared by {params['prepared_by']}, to be approved by {params['due_on']}"
    verb = "Ends" if params["state"] == ENDS else "Due"
    return params["summary"], f"{verb} {params['due_on']}, in the rules office's calendar"


APPROVAL = case_kind(
    CaseKind(
        "approval",
        "Approval",
        {"renewed": "Renewed or decided", "not-needed": "No longer needed", "lapsed": "Lapsed"},
        describe_approval,
        approvals,
        makers_of_change,
        is_warning=False,
        is_slow=True,
    )
)
