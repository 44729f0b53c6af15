"""What the entries state of prepared changes, and of the departments that are told of them."""

import hashlib
import json
from typing import Any

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
from games.models import ChangeNotice, PreparedChange
from games.separation.entry_types import (
    CHANGE_ACKNOWLEDGED,
    CHANGE_APPROVED,
    CHANGE_PREPARED,
    CHANGE_SENT_BACK,
    CHANGE_TAKEN_BACK,
    CHANGE_WITHDRAWN,
)


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
