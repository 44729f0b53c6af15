"""The record of changes that one person prepares and another approves: refusals, entries, and what proves the rows.

`change.prepared` states the change and the entry that its act would write. Then it is approved, which does the act,
sent back, taken back by who prepared it, or withdrawn by the clock. A department that is told of it acknowledges it.
Acts are in `acts.py` and `games/facility_runner.py`; this module is below both.

A change has nothing left to be approved when what it is about has ended, or who prepared it has left. `ended_because`
says why in words, and the ticker withdraws such a change (`withdraw_ended_changes`).
"""

import datetime as dt
import logging
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, Unpack

from django.db import transaction

from audit import clock, record
from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    PLACE,
    SEQ,
    UNSTATED,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    plain,
    same,
)
from audit.entry_types import ABSENT, entry_type
from audit.logs import OutageLog
from audit.models import Person
from games.engine.editions import edition
from games.engine.refusals import RefusalCode
from games.models import (
    ChangeNotice,
    Facility,
    GameRequest,
    GameTest,
    Guide,
    PreparedChange,
    RulesSubmission,
    SignForm,
)
from games.models.patrons import Review
from games.separation.policy import sha256_of

MAY_NOT_PREPARE = RefusalCode(
    "may-not-prepare",
    "%(title)s: a %(role)s of %(department)s does not prepare this. It is prepared by: %(who)s.",
    "Not yours to prepare",
)
MAY_NOT_APPROVE = RefusalCode(
    "may-not-approve",
    "%(title)s: a %(role)s of %(department)s does not approve this. It is approved by: %(who)s.",
    "Not yours to approve",
)
MADE_BY_YOU = RefusalCode(
    "made-by-you",
    "You made %(change)s or what it is about. Somebody else must approve it: %(who)s.",
    "A second person approves",
)
NOT_MADE_BY_YOU = RefusalCode(
    "not-made-by-you",
    "%(change)s was prepared by %(by)s, who alone may take it back. You may send it back with a reason.",
    "Not yours to take back",
)
NO_SUCH_CHANGE = RefusalCode("no-such-change", "There is no change %(change)s here.", "No such change")
CHANGE_HAS_ENDED = RefusalCode(
    "change-has-ended", "%(change)s no longer waits (%(status)s).", "Decided already"
)
CHANGE_WAITS = RefusalCode(
    "change-waits", "%(change)s says the same and waits for its approval.", "Prepared already"
)
NOT_TOLD = RefusalCode(
    "not-told",
    "A %(role)s of %(department)s is not told of %(change)s. Told are: %(who)s.",
    "Not yours to acknowledge",
)
APPROVED_BY_YOU = RefusalCode(
    "approved-by-you",
    "You approved %(change)s yourself. Somebody else of your department acknowledges it.",
    "Somebody else acknowledges",
)
CHANGE_ACKNOWLEDGED_ALREADY = RefusalCode(
    "change-acknowledged-already",
    "%(by)s acknowledged %(change)s for %(department)s.",
    "Acknowledged already",
)
CHANGE_NOT_APPROVED = RefusalCode(
    "change-not-approved", "%(change)s was not approved, so there is nothing to acknowledge."
)


# Entries


class Change(TypedDict):
    """The change that an entry is about."""

    change: Annotated[str, "code of the change, such as CH-0001"]
    subject: Annotated[str, "the row of the policy, such as rules"]
    act: Annotated[str, "name of the act that is done when the change is approved"]


class ActOfChange(TypedDict):
    """The entry that the act would write, as it was checked when the change was prepared."""

    type: Annotated[str, "its type"]
    sha256: Annotated[str, "SHA-256 of its data, as JSON with sorted keys and without spaces"]


@entry_type("change.prepared")
def CHANGE_PREPARED(
    *,
    params: Annotated[dict[str, Any], "the parameters of the act, as the person who prepared it sent them"],
    makers: Annotated[list[str], "codes of the people who made it, none of whom may approve it"],
    due_at: Annotated[str, "the moment until which it is to be approved or sent back"],
    does: ActOfChange = ABSENT,
    **data: Unpack[Change],
) -> None:
    """A change was prepared. Nothing is done until somebody else approves it."""


@entry_type("change.approved")
def CHANGE_APPROVED(
    *,
    prepared_by: Annotated[str, "code of the person who prepared it"],
    prepared_entry: Annotated[int, "number of its change.prepared on this stream"],
    entry: Annotated[int, "number of the entry of the act, on this stream, that the approval did"],
    told: Annotated[list[str], "departments that are told, and acknowledge it"] = ABSENT,
    **data: Unpack[Change],
) -> None:
    """A second person approved a change, and its act was done."""


class ChangeEnded(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    why: Annotated[str, "the reason, in a person's words, or what has ended"]


CHANGE_SENT_BACK = entry_type(
    "change.sent_back", ChangeEnded, "A change was sent back instead of approved. Nothing was done."
)
CHANGE_TAKEN_BACK = entry_type(
    "change.taken_back", ChangeEnded, "A change was taken back by somebody who made it. Nothing was done."
)
CHANGE_WITHDRAWN = entry_type(
    "change.withdrawn",
    ChangeEnded,
    "A change was withdrawn by the clock, because what it is about has ended. Nothing was done.",
)


@entry_type("change.acknowledged")
def CHANGE_ACKNOWLEDGED(
    *, department: Annotated[str, "the department that was told of the change"], **data: Unpack[Change]
) -> None:
    """A department that was told of a change acknowledged it."""


# What the entries state of changes, and of the departments that are told of them


def does(name: str) -> Any:
    """What was checked; a change of before entries had it says nothing."""
    return lambda body: body["data"]["does"][name] if "does" in body["data"] else UNSTATED


def ended(status: str) -> Any:
    return {"status": constant(status), "decided_by": ACTOR, "decided_at": AT, "why": "why"}


declare(
    PreparedChange,
    "change",
    key={"facility": FACILITY, "code": "change"},
    created={
        CHANGE_PREPARED: {
            **same("subject", "act", "params", "makers", "due_at"),
            "stream": PLACE,
            "entry_type": does("type"),
            "entry_data": does("sha256"),
            "prepared_by": ACTOR,
            "prepared_at": AT,
            "prepared_seq": SEQ,
            "status": constant("waiting"),
            "decided_by": NONE,
            "decided_at": NONE,
            "why": NONE,
        }
    },
    changed={
        CHANGE_APPROVED: {"status": constant("approved"), "decided_by": ACTOR, "decided_at": AT},
        CHANGE_SENT_BACK: ended("sent-back"),
        CHANGE_TAKEN_BACK: ended("taken-back"),
        CHANGE_WITHDRAWN: ended("withdrawn"),
    },
    readings={"entry_data": Reading(("entry_data",), sha256_of, ("entry_data",))},
)


def _add_notices(rows: Rows, body: Body) -> None:
    """A notice for each department that is told of an approved change."""
    for department in body["data"].get("told", ()):
        key = FACILITY(body), body["data"]["change"], department
        rows.put(body, *key, acknowledged_by=None, acknowledged_at=None)


declare(
    ChangeNotice,
    "notice of change",
    key={"facility": FACILITY, "change": "change", "department": "department"},
    changed={CHANGE_ACKNOWLEDGED: {"acknowledged_by": ACTOR, "acknowledged_at": AT}},
    folded={CHANGE_APPROVED: _add_notices},
    readings={
        "facility": Reading(("change__facility__code",), plain, ("change",)),
        "change": Reading(("change__code",), plain, ("change",)),
    },
)


# Changes with nothing left to be approved


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
