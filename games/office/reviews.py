"""What guides, signs and requests have in common: filed with a body, decided by it with a letter, withdrawn.

Callers hold the office's stream.
"""

import datetime as dt
from typing import Any

from games.engine import Refusal
from games.models import Review
from games.models.patrons import Reviewed
from games.office.core.runner import OfficeContext
from games.office.documents.filing import document_reference, read_document
from games.params import Params

REVIEW_DAYS = 15  # calendar days of the Bureau's review, 58 Pa. Code § 601a.10(c)


def file(ctx: OfficeContext, row: Reviewed) -> None:
    """Marks a draft as filed now. Raises `not-a-draft`."""
    if row.status != Review.DRAFT:
        raise Refusal("not-a-draft", status=row.get_status_display())
    row.status, row.filed_at = Review.FILED, ctx.now
    row.save(update_fields=["status", "filed_at"])


def decide(ctx: OfficeContext, row: Reviewed, params: Params) -> dict[str, Any]:
    """Records the decision on what was filed, from `granted`, `body`, `reference` and `letter` (a document's code).

    Returns it as the record says it. Raises `not-filed`, `no-such-document`, `malformed`.
    """
    granted, body = params.boolean("granted"), params.text("body", max_length=100)
    reference, letter = params.text("reference", max_length=60), read_document(ctx, params, "letter")
    if row.status != Review.FILED:
        raise Refusal("not-filed", status=row.get_status_display())
    row.status = Review.APPROVED if granted else Review.DENIED
    row.decided_at, row.decided_by, row.reference, row.decision = ctx.now, body, reference, letter
    row.save(update_fields=["status", "decided_at", "decided_by", "reference", "decision"])
    return {"granted": granted, "body": body, "reference": reference, "letter": document_reference(letter)}


def withdraw(ctx: OfficeContext, row: Reviewed) -> None:
    """Marks what is not denied or withdrawn yet as withdrawn now. Raises `already-ended`."""
    if row.status in (Review.WITHDRAWN, Review.DENIED):
        raise Refusal("already-ended", status=row.get_status_display())
    row.status, row.withdrawn_at = Review.WITHDRAWN, ctx.now
    row.save(update_fields=["status", "withdrawn_at"])


def review_due_on(row: Reviewed, facility: Any) -> dt.date | None:
    """The last day of the body's review of what is filed; None where nothing is waiting."""
    if row.status != Review.FILED or row.filed_at is None:
        return None
    return facility.local(row.filed_at).date() + dt.timedelta(days=REVIEW_DAYS)
