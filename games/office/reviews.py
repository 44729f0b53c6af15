"""What guides, signs and requests have in common: they are drafted, filed, decided with a letter, and withdrawn.

The caller holds the lock of the office's stream.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated

from audit.columns import ACTOR, AT, NONE, Body, Values, constant, document_code
from games.act_forms import several, text
from games.engine import Refusal, RefusalCode
from games.jurisdictions import is_body
from games.models import Document, Facility, Review
from games.models.patrons import Reviewed
from games.office.core import OfficeContext
from games.office.documents import GrantOrDenial, Letter, document_reference

NOT_A_DRAFT = RefusalCode(
    "not-a-draft",
    "This is no longer a draft (%(status)s). Draft a new version to change it.",
    "Already filed",
)
NOT_FILED = RefusalCode("not-filed", "No decision is pending here (%(status)s). File it first.", "Not filed")
ALREADY_ENDED = RefusalCode("already-ended", "This has already ended (%(status)s).", "Already ended")
ANOTHER_BODY_DECIDES = RefusalCode(
    "another-body-decides",
    "The %(body)s decides on this, not the body that you entered (%(named)s). Check the letter.",
    "Another body decides",
)

# The duty under which a jurisdiction says who decides on a subject
DUTY_OF_DECISION = {
    "submissions": "submissions.start",
    "guides": "guide.sample",
    "signs": "signs.form",
    "requests": "requests",
}

# What entries state

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
    "decision": document_code("letter"),
}


# Steps


def file(ctx: OfficeContext, row: Reviewed) -> None:
    """Mark a draft as filed now. Raises Refusal(`not-a-draft`)."""
    if row.status != Review.DRAFT:
        raise Refusal(NOT_A_DRAFT, status=row.get_status_display())
    row.status, row.filed_at, row.filed_by = Review.FILED, ctx.now, ctx.actor
    row.save(update_fields=["status", "filed_at", "filed_by"])


@dataclass(frozen=True)
class Decision:
    """What a body decided by letter, as it was typed."""

    granted: bool
    body: str
    reference: str
    letter: Document


def _decision(ctx: OfficeContext, granted: bool, body: str, reference: str, letter: Document) -> Decision:
    return Decision(granted, body, reference, letter)


SentDecision = Annotated[
    Decision, several(_decision, granted=(bool, False), body=text(100), reference=text(60), letter=Letter)
]


def decide(ctx: OfficeContext, row: Reviewed, decision: Decision, *, of: str) -> GrantOrDenial:
    """Record the decision on a filed row.

    Who drafted or filed the row may not approve the decision. `of` is the subject by which the jurisdiction names the
    body that decides. Returns the data of the entry. Raises Refusal(`not-filed` or `another-body-decides`).
    """
    verify_body(ctx, decision.body, of)
    ctx.add_makers(row.drafted_by, row.filed_by)
    if row.status != Review.FILED:
        raise Refusal(NOT_FILED, status=row.get_status_display())
    row.status = Review.APPROVED if decision.granted else Review.DENIED
    row.decided_at, row.decided_by = ctx.now, decision.body
    row.reference, row.decision = decision.reference, decision.letter
    row.save(update_fields=["status", "decided_at", "decided_by", "reference", "decision"])
    return {
        "granted": decision.granted,
        "body": decision.body,
        "reference": decision.reference,
        "letter": document_reference(decision.letter),
    }


def verify_body(ctx: OfficeContext, body: str, subject: str, duty: str = "") -> None:
    """Raises Refusal(`another-body-decides`) unless it is the body that the jurisdiction names for this subject.

    The refusal cites `duty`, or else the duty of decisions on this subject.
    """
    deciding = ctx.facility.law.body(subject)
    if not is_body(body, deciding):
        section = ctx.facility.law.section(duty or DUTY_OF_DECISION[subject])
        raise Refusal(ANOTHER_BODY_DECIDES, section, named=body, body=deciding)


def withdraw(ctx: OfficeContext, row: Reviewed) -> None:
    """Mark a row as withdrawn now, unless it is denied or withdrawn already. Raises Refusal(`already-ended`)."""
    if row.status in (Review.WITHDRAWN, Review.DENIED):
        raise Refusal(ALREADY_ENDED, status=row.get_status_display())
    row.status, row.withdrawn_at = Review.WITHDRAWN, ctx.now
    row.save(update_fields=["status", "withdrawn_at"])


def review_due_on(row: Reviewed, facility: Facility) -> dt.date | None:
    """Return the last day of the review of a filed row, or None if no decision is pending."""
    if row.status != Review.FILED or row.filed_at is None:
        return None
    return facility.local(row.filed_at).date() + dt.timedelta(days=facility.law.review_days)
