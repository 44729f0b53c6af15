"""Approvals that are late or end: the deadlines of the rules office, some days before their day."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from games.office.calendar.deadlines import BEGINS, ENDS, day_text, deadlines
from tables.cases.kinds import CaseKind, CaseSubject, case_kind

DAY = dt.timedelta(days=1)


def approvals(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The deadlines that are near or past: what waits for a decision or an answer, and what ends."""
    lead = facility.law.case_time("approval")
    for deadline in deadlines(facility, now):
        last_day = deadline.due_on if deadline.state == ENDS else deadline.due_on + DAY
        due_at = deadline.moment or facility.day_begins(last_day)
        if deadline.state == BEGINS or due_at - lead > now:
            continue
        params = {"summary": deadline.summary, "due_on": day_text(deadline.due_on), "state": deadline.state}
        yield CaseSubject(f"{deadline.key}:{deadline.due_on}", now, params, due_at=due_at)


def describe_approval(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the deadline as the office's calendar says it, and its day."""
    verb = "Ends" if params["state"] == ENDS else "Due"
    return params["summary"], f"{verb} {params['due_on']}, in the rules office's calendar"


APPROVAL = case_kind(
    CaseKind(
        "approval",
        "Approval",
        {"renewed": "Renewed or decided", "not-needed": "No longer needed", "lapsed": "Lapsed"},
        describe_approval,
        approvals,
        is_warning=False,
        is_slow=True,
    )
)
