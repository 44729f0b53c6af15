"""Whether the terms of a table's rules are those that were approved for that table's submission, by the record.

The rows say which submission a table deals and what its terms are, and the web role can write both. The record says
which submission the table was made for, and which terms were approved for it; a round opens only under these.
"""

import json

from audit.entries import STREAM_CONTINUED
from audit.models import Entry
from games.engine import Refusal
from games.office.submissions.gate import recorded_approvals
from tables.core.context import TableContext
from tables.rules.refusals import TERMS_NOT_APPROVED

TABLE_MADE = "table.made"  # declared by a higher package
MAX_VERIFIED = 10_000
_verified: set[tuple[object, ...]] = set()  # what the record has shown to this process; entries never change


def verify_terms_approved(ctx: TableContext) -> None:
    """Refuse terms that the record does not show as approved for this table's submission.

    Raises `terms-not-approved`. One query for each round; the approvals are read once for each version.
    """
    table, submission = ctx.table, ctx.submission
    key = (table.uid, submission.code, submission.version, submission.terms_sha256)
    if key in _verified:
        return
    is_of_table = submission.code == table.submission_code == recorded_submission(table.stream_id)
    approvals = recorded_approvals(table.facility.code, submission.code) if is_of_table else ()
    approved = {(approval.version, approval.terms_sha256) for approval in approvals}
    if (submission.version, submission.terms_sha256) not in approved:
        section = table.facility.law.section("submissions.start")
        raise Refusal(TERMS_NOT_APPROVED, section, code=table.submission_code)
    if len(_verified) >= MAX_VERIFIED:
        _verified.clear()
    _verified.add(key)


def recorded_submission(stream_id: int) -> str:
    """The code of the submission for which a table was made; empty where its first entry does not say so.

    On a stream that continues a closed one, the entry that says that comes before it.
    """
    first = Entry.objects.filter(stream=stream_id, seq__lte=2).order_by("seq")
    if first.filter(seq=1, type=STREAM_CONTINUED.name).exists():
        first = first.filter(seq=2)
    body = first.values_list("body", flat=True).first()
    try:
        content = json.loads(bytes(body or b""))
        return str(content["data"]["submission"]) if content["_type"] == TABLE_MADE else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
