import hashlib

from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    Values,
    constant,
    declare,
    letter,
    same,
)
from games.engine.editions import edition as read_edition
from games.models import RulesSubmission
from games.office.submissions.filing import (
    RULES_CHANGED,
    RULES_DENIED,
    RULES_DRAFTED,
    RULES_FILED,
    RULES_WITHDRAWN,
)
from games.office.submissions.gate import RULES_APPROVED


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def header(body: Body) -> str | None:
    """The SHA-256 of the terms; nothing for a draft that the engine does not accept."""
    terms: str | None = body["terms"]
    return terms


def lapsed_why(body: Body) -> str | None:
    reason: str | None = body["data"].get("lapsed_why")
    return reason


VERSION: Values = {"edition": "edition", "lapsed_why": lapsed_why, "terms": header, "terms_sha256": header}


DRAFT: Values = {**VERSION, **same("options", "why"), "game": lambda body: game_of(body["data"]["edition"])}


DECISION: Values = {
    "decided_at": AT,
    "decided_by": "body",
    "reference": "reference",
    "decision": letter("letter"),
}


EMPTY = (
    *("filed_at", "filed_by", "decided_at", "decided_by", "reference", "in_force_from", "superseded_at"),
    *("withdrawn_at", "withdrawn_why", "decision"),
)


def game_of(edition: str) -> str:
    """The game of an edition."""
    return read_edition(edition).game


def approved(rows: Rows, body: Body) -> None:
    """The version before is superseded from the moment the new one is in force."""
    data = body["data"]
    if data.get("supersedes"):
        key = FACILITY(body), data["code"], data["supersedes"]
        rows.put(body, *key, status="superseded", superseded_at=data["in_force_from"])


def withdrawn(rows: Rows, body: Body) -> None:
    """A version that was not in force yet keeps the one before in force."""
    data, facility = body["data"], FACILITY(body)
    if data["was"] != "coming":
        return
    version = rows.get(facility, data["code"], data["version"]) or {}
    for number in range(1, data["version"]):
        before = rows.get(facility, data["code"], number) or {}
        is_superseded = before.get("status") == "superseded"
        if is_superseded and before.get("superseded_at") == version.get("in_force_from"):
            until = version.get("superseded_at")
            status = "superseded" if until else "approved"
            rows.put(body, facility, data["code"], number, status=status, superseded_at=until)


declare(
    RulesSubmission,
    "submission",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "code", "version": "version"},
    created={
        RULES_DRAFTED: {
            **DRAFT,
            "status": constant("draft"),
            "drafted_at": AT,
            "drafted_by": ACTOR,
            **dict.fromkeys(EMPTY, NONE),
        }
    },
    changed={
        RULES_CHANGED: DRAFT,
        RULES_FILED: {**VERSION, "status": constant("filed"), "filed_at": AT, "filed_by": ACTOR},
        RULES_APPROVED: {
            **VERSION,
            **DECISION,
            "status": constant("approved"),
            "in_force_from": "in_force_from",
        },
        RULES_DENIED: {**VERSION, **DECISION, "status": constant("denied")},
        RULES_WITHDRAWN: {
            **VERSION,
            "status": constant("withdrawn"),
            "withdrawn_at": AT,
            "withdrawn_why": "why",
        },
    },
    folded={RULES_APPROVED: approved, RULES_WITHDRAWN: withdrawn},
    readings={"terms": Reading(("terms",), text_sha256, ("terms",))},
)
