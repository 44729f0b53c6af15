"""The record of changes that one person prepares and another approves: refusals, entries, and what proves the rows.

`change.prepared` states the change and the entry that its act would write. Then it is approved, which does the act,
sent back, taken back by who prepared it, or withdrawn by the clock. A department that is told of it acknowledges it.
Acts are in `acts.py` and `games/facility_runner.py`; this module is below both.
"""

import hashlib
import json
from typing import Annotated, Any, NotRequired, TypedDict

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
from audit.entry_types import entry_type
from games.engine.refusals import RefusalCode
from games.models import ChangeNotice, PreparedChange

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


class ChangePrepared(Change):
    params: Annotated[dict[str, Any], "the parameters of the act, as the person who prepared it sent them"]
    makers: Annotated[list[str], "codes of the people who made it, none of whom may approve it"]
    due_at: Annotated[str, "the moment until which it is to be approved or sent back"]
    does: NotRequired[ActOfChange]


CHANGE_PREPARED = entry_type(
    "change.prepared",
    ChangePrepared,
    "A change was prepared. Nothing is done until somebody else approves it.",
)


class ChangeApproved(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    prepared_entry: Annotated[int, "number of its change.prepared on this stream"]
    entry: Annotated[int, "number of the entry of the act, on this stream, that the approval did"]
    told: NotRequired[Annotated[list[str], "departments that are told, and acknowledge it"]]


CHANGE_APPROVED = entry_type(
    "change.approved", ChangeApproved, "A second person approved a change, and its act was done."
)


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


class ChangeAcknowledged(Change):
    department: Annotated[str, "the department that was told of the change"]


CHANGE_ACKNOWLEDGED = entry_type(
    "change.acknowledged", ChangeAcknowledged, "A department that was told of a change acknowledged it."
)


# What the entries state of changes, and of the departments that are told of them


def json_sha256(value: Any) -> str:
    """The SHA-256 of JSON with sorted keys and without spaces, in hex."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


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
    readings={"entry_data": Reading(("entry_data",), json_sha256, ("entry_data",))},
)


def told(rows: Rows, body: Body) -> None:
    for department in body["data"].get("told", ()):
        key = FACILITY(body), body["data"]["change"], department
        rows.put(body, *key, acknowledged_by=None, acknowledged_at=None)


declare(
    ChangeNotice,
    "notice of change",
    key={"facility": FACILITY, "change": "change", "department": "department"},
    changed={CHANGE_ACKNOWLEDGED: {"acknowledged_by": ACTOR, "acknowledged_at": AT}},
    folded={CHANGE_APPROVED: told},
    readings={
        "facility": Reading(("change__facility__code",), plain, ("change",)),
        "change": Reading(("change__code",), plain, ("change",)),
    },
)
