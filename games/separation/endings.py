"""When a change that waits has nothing left to be approved: what it is about has ended, or who prepared it has left.

`ended_because` says why in words. The ticker withdraws such a change (`withdraw_ended_changes`).
"""

import datetime as dt
import logging
from collections.abc import Callable

from django.db import transaction

from audit import clock, record
from audit.logs import OutageLog
from audit.models import Person
from games.engine.editions import edition
from games.models import Facility, GameRequest, GameTest, Guide, PreparedChange, RulesSubmission, SignForm
from games.models.patrons import Review
from games.separation.changes import CHANGE_WITHDRAWN

FILED = RulesSubmission.Status.FILED


def ended_because(change: PreparedChange, today: dt.date) -> str:
    """Why this waiting change is withdrawn, in words; "" for one that can still be approved.

    `today`: the gaming day of its facility.
    """
    person = change.prepared_by
    if not person.is_active or not person.belongs_to(change.facility.code):
        return f"{person.name}, who prepared it, no longer works here."
    why_of_subject = ENDINGS.get(change.subject)
    return why_of_subject(change, today) if why_of_subject is not None else ""


def _rules(change: PreparedChange, today: dt.date) -> str:
    row = RulesSubmission.objects.filter(
        facility=change.facility, code=change.params.get("code"), version=change.params.get("version")
    ).first()
    if row is None:
        return ""
    if row.status != FILED:
        return f"{row.code} version {row.version} is {row.get_status_display()} by now."
    lapses_on = edition(row.edition).lapses_on
    if lapses_on is not None and lapses_on <= today and not row.lapsed_why:
        return f"The edition of {row.code} version {row.version} lapsed on {lapses_on:%d %b %Y}."
    return ""


def _guide(change: PreparedChange, today: dt.date) -> str:
    row = Guide.objects.filter(facility=change.facility, version=change.params.get("guide")).first()
    waits = {Review.FILED} if change.act == "decide_guide" else {Review.DRAFT}
    if row is None or row.status in waits:
        return ""
    return f"Guide version {row.version} is {row.get_status_display()} by now."


def _sign_form(change: PreparedChange, today: dt.date) -> str:
    row = SignForm.objects.filter(facility=change.facility, pk=change.params.get("form")).first()
    if row is None or row.status == Review.FILED:
        return ""
    return f"Form {row.version} is {row.get_status_display()} by now."


def _request(change: PreparedChange, today: dt.date) -> str:
    row = GameRequest.objects.filter(facility=change.facility, code=change.params.get("request")).first()
    if row is None:
        return ""
    if change.act == "decide_test":
        test = GameTest.objects.filter(request=row, number=int(change.params["test"])).first()
        if test is not None and test.status != Review.FILED:
            return f"Test {test.number} of {row.code} is {test.get_status_display()} by now."
    elif row.status != Review.FILED:
        return f"{row.code} is {row.get_status_display()} by now."
    return ""


def _equipment(change: PreparedChange, today: dt.date) -> str:
    ends_on = change.params.get("ends_on")
    if not isinstance(ends_on, str) or not ends_on or dt.date.fromisoformat(ends_on) > today:
        return ""
    return f"The approval itself ended on {dt.date.fromisoformat(ends_on):%d %b %Y}."


def _people(change: PreparedChange, today: dt.date) -> str:
    if change.act not in ("end_access", "replace_pin", "replace_sign_in", "record_leave", "record_return"):
        return ""
    person = Person.objects.filter(code=change.params.get("person"), is_active=False).first()
    return f"{person.name}, whom it is about, no longer works here." if person is not None else ""


ENDINGS: dict[str, Callable[[PreparedChange, dt.date], str]] = {
    "rules": _rules,
    "guides": _guide,
    "signs": _sign_form,
    "requests": _request,
    "equipment": _equipment,
    "people": _people,
    "leaves": _people,
}


# What the ticker does


log = logging.getLogger(__name__)
_outages: dict[str, OutageLog] = {}
Status = PreparedChange.Status


def withdraw_ended_changes() -> list[int]:
    """Withdraw each waiting change whose subject has ended, in a transaction of its own. No table shows them.

    A failure in one facility is logged, once until it works again, and does not stop the others.
    """
    for facility in Facility.objects.filter(changes__status=Status.WAITING).distinct().order_by("pk"):
        message = f"Withdrawing changes of {facility.code}"
        outage = _outages.setdefault(
            facility.code, OutageLog(log, message, "It is tried again.", traceback=True)
        )
        try:
            for change in _waiting_changes(facility):
                if ended_because(change, facility.gaming_day(clock.now())):
                    _withdraw(facility, change)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return []


def _waiting_changes(facility: Facility) -> list[PreparedChange]:
    rows = PreparedChange.objects.filter(facility=facility, status=Status.WAITING)
    return list(rows.select_related("facility", "prepared_by").order_by("pk"))


def _withdraw(facility: Facility, change: PreparedChange) -> None:
    """Withdraw one change, unless another ticker or a person was first."""
    with transaction.atomic(durable=True):
        stream = record.lock_stream(f"{facility.code}/{change.stream}")
        now = clock.displayed_moment(stream, clock.now())
        row = PreparedChange.objects.select_for_update(of=("self",)).filter(
            pk=change.pk, status=Status.WAITING
        )
        current = row.select_related("facility", "prepared_by").first()
        why = ended_because(current, facility.gaming_day(now)) if current else ""
        if current is None or not why:
            return
        current.status, current.decided_at, current.why = Status.WITHDRAWN, now, why
        current.save(update_fields=["status", "decided_at", "why"])
        entry = CHANGE_WITHDRAWN(
            {
                "change": current.code,
                "subject": current.subject,
                "act": current.act,
                "prepared_by": current.prepared_by.code,
                "why": why,
            }
        )
        record.append(stream, entry=entry, moment=now, gaming_day=facility.gaming_day(now))
