"""What a full verification checks of the rows of cases: their state, outcome and owner against their entries."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from tables.cases.entry_types import (
    CASE_ASSIGNED,
    CASE_CLOSED,
    CASE_OPENED,
    CASE_REOPENED,
    CASE_TAKEN,
    OUTCOME_SIGNED,
)
from tables.models import Case

CASE_DIFFERS = declare_finding(
    "case-differs", "%(case)s of %(facility)s differs from its entries in its %(column)s."
)
CASE_MISSING = declare_finding(
    "case-missing", "%(case)s of %(facility)s, which the record opened, is not in the database."
)
CASE_UNRECORDED = declare_finding(
    "case-unrecorded", "No entry of the record opened %(case)s of %(facility)s."
)


@dataclass
class RecordedCase:
    """A case as its entries leave it. `owner` is a person's code; `signatures` are those that count."""

    kind: str
    subject: str
    status: str = "open"
    owner: str = ""
    outcome: str = ""
    signatures: int = 0


@record_check
def check_cases(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every case with what its entries say of it."""
    recorded = _recorded_cases()
    cases = Case.objects.select_related("facility", "owner").prefetch_related("signatures").order_by("pk")
    cases = cases.defer("owner__password")  # which an auditor may not read
    for case in cases.iterator(chunk_size=500):
        tick()
        where = {"case": case.code, "facility": case.facility.code}
        entry = recorded.pop((case.facility.code, case.code), None)
        if entry is None:
            yield Finding(CASE_UNRECORDED, where)
            continue
        for column, stored in _stored(case).items():
            if getattr(entry, column) != stored:
                yield Finding(CASE_DIFFERS, {**where, "column": column})
    for facility, code in recorded:
        yield Finding(CASE_MISSING, {"case": code, "facility": facility})


def _stored(case: Case) -> dict[str, Any]:
    return {
        "kind": case.kind,
        "subject": case.subject,
        "status": case.status,
        "owner": case.owner.code if case.owner else "",
        "outcome": case.outcome,
        "signatures": sum(signature.counts for signature in case.signatures.all()),
    }


def _recorded_cases() -> dict[tuple[str, str], RecordedCase]:
    recorded: dict[tuple[str, str], RecordedCase] = {}
    entries = Entry.objects.filter(type__startswith="case.").order_by("stream", "seq")
    for stream, type_, actor, body in entries.values_list("stream__name", "type", "actor", "body").iterator():
        try:
            data = json.loads(bytes(body))["data"]
            key = stream.partition("/")[0], data["case"]
            if type_ == CASE_OPENED.name:
                recorded[key] = RecordedCase(data["kind"], data["subject"])
            else:
                _apply(recorded[key], type_, data, actor)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return recorded


def _apply(case: RecordedCase, type_: str, data: dict[str, Any], actor: str) -> None:
    if type_ == CASE_TAKEN.name:
        case.owner = actor
    elif type_ == CASE_ASSIGNED.name:
        case.owner = data["owner"]
    elif type_ == OUTCOME_SIGNED.name:
        case.outcome, case.signatures = data["outcome"], case.signatures + 1
    elif type_ == CASE_CLOSED.name:
        case.status = "closed"
    elif type_ == CASE_REOPENED.name:
        case.status, case.outcome, case.signatures = "open", "", 0
