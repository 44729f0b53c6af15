"""What the entries state of cases, their notes, documents, cameras, signatures and letters, and accepted reports."""

import hashlib
import json
from typing import Any

from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    SEQ,
    Body,
    Reading,
    Rows,
    Values,
    constant,
    declare,
    hashed,
    plain,
    same,
)
from tables.cases.entry_types import (
    CAMERA_SEEN,
    CASE_ASSIGNED,
    CASE_CLOSED,
    CASE_DOCUMENT_ADDED,
    CASE_NOTED,
    CASE_OPENED,
    CASE_REOPENED,
    CASE_TAKEN,
    LETTER_WRITTEN,
    OUTCOME_SIGNED,
    REPORT_ACCEPTED,
)
from tables.models import (
    CameraReference,
    Case,
    CaseDocument,
    CaseLetter,
    CaseNote,
    CaseSignature,
    ReportAcceptance,
)

CASE: Values = {"facility": FACILITY, "case": "case"}
CASE_READINGS = {
    "facility": Reading(("case__facility__code",), plain, ("case",)),
    "case": Reading(("case__code",), plain, ("case",)),
}


declare(
    Case,
    "case",
    key={"facility": FACILITY, "code": "case"},
    created={
        CASE_OPENED: {
            **same("kind", "subject", "due_at", "params", "table", "round", "seat"),
            "opened_at": AT,
            "opened_seq": SEQ,
            "opened_by": ACTOR,
            "owner": NONE,
            "status": constant("open"),
            **dict.fromkeys(("outcome", "cents", "reason", "closed_at", "closed_by", "closed_seq"), NONE),
        }
    },
    changed={
        CASE_TAKEN: {"owner": ACTOR},
        CASE_ASSIGNED: {"owner": "owner"},
        OUTCOME_SIGNED: same("outcome", "cents", "reason"),
        CASE_CLOSED: {"status": constant("closed"), "closed_at": AT, "closed_by": ACTOR, "closed_seq": SEQ},
        CASE_REOPENED: {
            "status": constant("open"),
            **dict.fromkeys(("outcome", "cents", "reason", "closed_at", "closed_by", "closed_seq"), NONE),
        },
    },
)
declare(
    CaseNote,
    "note",
    key={**CASE, "seq": SEQ},
    created={CASE_NOTED: {"text": "text", "written_at": AT, "written_by": ACTOR}},
    readings=CASE_READINGS,
)
declare(
    CaseDocument,
    "document",
    key={**CASE, "number": "number"},
    created={
        CASE_DOCUMENT_ADDED: {
            **same("title", "filename", "media_type", "size", "sha256"),
            "content": "sha256",
            "added_at": AT,
            "added_by": ACTOR,
            "seq": SEQ,
        }
    },
    readings={**CASE_READINGS, "content": hashed("content")},
)
declare(
    CameraReference,
    "camera",
    key={**CASE, "seq": SEQ},
    created={
        CAMERA_SEEN: {**same("camera", "clip", "begins", "ends", "shows"), "seen_at": AT, "seen_by": ACTOR}
    },
    readings=CASE_READINGS,
)


def signed(rows: Rows, body: Body) -> None:
    case, signer = (FACILITY(body), body["data"]["case"]), body["actor"]
    rows.memory.setdefault(case, []).append(body["seq"])
    rows.put(body, *case, body["seq"], person=signer, signed_at=body["at"], counts=True)


def signatures_void(rows: Rows, body: Body) -> None:
    case = FACILITY(body), body["data"]["case"]
    for seq in rows.memory.pop(case, ()):
        rows.put(body, *case, seq, counts=False)


declare(
    CaseSignature,
    "signature",
    key={**CASE, "seq": SEQ},
    folded={OUTCOME_SIGNED: signed, CASE_REOPENED: signatures_void},
    folded_columns=("person", "signed_at", "counts"),
    readings=CASE_READINGS,
)


def written(rows: Rows, body: Body) -> None:
    data, case = body["data"], (FACILITY(body), body["data"]["case"])
    letter_void(rows, body)
    rows.memory[case] = data["letter"]
    rows.put(
        body,
        *case,
        data["letter"],
        outcome=data["outcome"],
        cents=data["cents"],
        sha256=data["sha256"],
        words=data["sha256"],
        written_at=body["at"],
        written_by=body["actor"],
        seq=body["seq"],
        counts=True,
    )


def letter_void(rows: Rows, body: Body) -> None:
    case = FACILITY(body), body["data"]["case"]
    newest = rows.memory.pop(case, None)
    if newest is not None:
        rows.put(body, *case, newest, counts=False)


OF_LETTER = (
    "addressee",
    "case__code",
    "cents",
    "case__facility__code",
    "facts",
    "findings",
    "number",
    "outcome",
    "reason",
)


def words_sha256(*values: Any) -> str:
    """The SHA-256 of the words of a letter, in hex: of JSON with sorted keys, with the case's own words."""
    names = (
        "addressee",
        "case",
        "cents",
        "facility",
        "facts",
        "findings",
        "letter",
        "outcome",
        "reason",
        "says",
    )
    words = dict(zip(names, (*values[:-1], values[-1].get("about", "")), strict=True))
    text = json.dumps(words, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


declare(
    CaseLetter,
    "letter",
    key={**CASE, "number": "letter"},
    folded={LETTER_WRITTEN: written, CASE_REOPENED: letter_void},
    folded_columns=("outcome", "cents", "sha256", "words", "written_at", "written_by", "seq", "counts"),
    readings={
        **CASE_READINGS,
        "words": Reading(
            (*OF_LETTER, "case__params"), words_sha256, ("addressee", "findings", "reason", "facts")
        ),
    },
)
declare(
    ReportAcceptance,
    "acceptance of the report",
    key={"facility": FACILITY, "day": "day", "sha256": "sha256"},
    created={
        REPORT_ACCEPTED: {"opened_at": "opened_at", "accepted_at": AT, "accepted_by": ACTOR, "seq": SEQ}
    },
)
