"""What a full verification checks of prepared changes: their rows and notices against their entries."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from audit import clock
from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from games.models import ChangeNotice, PreparedChange
from games.separation.entry_types import (
    CHANGE_ACKNOWLEDGED,
    CHANGE_APPROVED,
    CHANGE_PREPARED,
    CHANGE_SENT_BACK,
    CHANGE_TAKEN_BACK,
    CHANGE_WITHDRAWN,
)
from games.separation.policy import sha256_of

CHANGE_DIFFERS = declare_finding(
    "change-differs", "%(change)s of %(facility)s differs from its entries in its %(column)s."
)
CHANGE_MISSING = declare_finding(
    "change-missing", "%(change)s of %(facility)s, which the record prepared, is not in the database."
)
CHANGE_UNRECORDED = declare_finding(
    "change-unrecorded", "No entry of the record prepared %(change)s of %(facility)s."
)
STATUSES = {
    CHANGE_APPROVED.name: "approved",
    CHANGE_SENT_BACK.name: "sent-back",
    CHANGE_TAKEN_BACK.name: "taken-back",
    CHANGE_WITHDRAWN.name: "withdrawn",
}


@dataclass
class RecordedChange:
    """A change as its entries leave it; people are codes, moments text.

    `does`: type and SHA-256 of what was checked; empty for a change of before entries had it. `notices`: who
    acknowledged it, by department; "" for nobody yet.
    """

    stream: str
    subject: str
    act: str
    params: dict[str, Any]
    makers: list[str]
    due_at: str
    prepared_by: str
    prepared_at: str
    prepared_seq: int
    does: dict[str, str]
    status: str = "waiting"
    decided_by: str = ""
    decided_at: str = ""
    why: str = ""
    notices: dict[str, str] = field(default_factory=dict)


@record_check
def check_changes(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every prepared change with what its entries say of it."""
    recorded = _recorded_changes()
    rows = PreparedChange.objects.select_related("facility", "prepared_by", "decided_by")
    acknowledgments = _acknowledgments()
    rows = rows.order_by("pk").defer(
        "prepared_by__password", "decided_by__password"
    )  # which an auditor may not read
    for change in rows.iterator(chunk_size=500):
        tick()
        where = {"change": change.code, "facility": change.facility.code}
        entry = recorded.pop((change.facility.code, change.code), None)
        if entry is None:
            yield Finding(CHANGE_UNRECORDED, where)
            continue
        for column, stored in _stored(change, entry, acknowledgments.get(change.pk, {})).items():
            if getattr(entry, column) != stored:
                yield Finding(CHANGE_DIFFERS, {**where, "column": column})
    for facility, code in recorded:
        yield Finding(CHANGE_MISSING, {"change": code, "facility": facility})


def _acknowledgments() -> dict[int, dict[str, str]]:
    """Who acknowledged each change (by id) for each department that was told; "" for nobody yet."""
    departments: dict[int, dict[str, str]] = {}
    rows = ChangeNotice.objects.values_list("change_id", "department", "acknowledged_by__code")
    for change_id, department, person in rows:
        departments.setdefault(change_id, {})[department] = person or ""
    return departments


def _stored(change: PreparedChange, entry: RecordedChange, notices: dict[str, str]) -> dict[str, Any]:
    does = {"type": change.entry_type, "sha256": sha256_of(change.entry_data)}
    return {
        "stream": change.stream,
        "subject": change.subject,
        "act": change.act,
        "params": change.params,
        "makers": change.makers,
        "due_at": clock.format_moment(change.due_at),
        "prepared_by": change.prepared_by.code,
        "prepared_at": clock.format_moment(change.prepared_at),
        "prepared_seq": change.prepared_seq,
        "does": does if entry.does else {},
        "status": change.status,
        "decided_by": change.decided_by.code if change.decided_by else "",
        "decided_at": clock.format_moment(change.decided_at) if change.decided_at else "",
        "why": change.why,
        "notices": notices,
    }


def _recorded_changes() -> dict[tuple[str, str], RecordedChange]:
    recorded: dict[tuple[str, str], RecordedChange] = {}
    entries = Entry.objects.filter(type__startswith="change.").order_by("stream", "seq")
    for stream, seq, body in entries.values_list("stream__name", "seq", "body").iterator(chunk_size=1000):
        try:
            content = json.loads(bytes(body))
            facility, _, place = stream.partition("/")
            key = facility, content["data"]["change"]
            if content["_type"] == CHANGE_PREPARED.name:
                recorded[key] = _prepared(place, seq, content)
            else:
                _apply(recorded[key], content)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return recorded


def _prepared(place: str, seq: int, content: dict[str, Any]) -> RecordedChange:
    data = content["data"]
    return RecordedChange(
        stream=place,
        subject=data["subject"],
        act=data["act"],
        params=data["params"],
        makers=data["makers"],
        due_at=data["due_at"],
        prepared_by=content["actor"],
        prepared_at=content["at"],
        prepared_seq=seq,
        does=data.get("does", {}),
    )


def _apply(change: RecordedChange, content: dict[str, Any]) -> None:
    type_, data = content["_type"], content["data"]
    if type_ == CHANGE_ACKNOWLEDGED.name:
        change.notices[data["department"]] = content["actor"]
        return
    change.status = STATUSES[type_]
    change.decided_by, change.decided_at = content["actor"] or "", content["at"]
    change.why = data.get("why", "")
    change.notices = dict.fromkeys(data.get("told", ()), "")
