"""What entries state of guides, signs and requests alike: their drafts, filings, decisions and withdrawals."""

from audit.columns import ACTOR, AT, NONE, Body, Values, constant, letter

ENDED = ("filed_at", "filed_by", "decided_at", "decided_by", "reference", "decision", "withdrawn_at")
DRAFTED: Values = {
    "status": constant("draft"),
    "drafted_at": AT,
    "drafted_by": ACTOR,
    **dict.fromkeys(ENDED, NONE),
}
FILED: Values = {"status": constant("filed"), "filed_at": AT, "filed_by": ACTOR}
WITHDRAWN: Values = {"status": constant("withdrawn"), "withdrawn_at": AT}


def granted(body: Body) -> str:
    """The status after a decision."""
    return "approved" if body["data"]["granted"] else "denied"


DECIDED: Values = {
    "status": granted,
    "decided_at": AT,
    "decided_by": "body",
    "reference": "reference",
    "decision": letter("letter"),
}
