"""What a full verification checks of rules submissions: their terms against the entries that approved them."""

import hashlib
from collections.abc import Callable, Iterator

from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from games.models import RulesSubmission
from games.office.core.runner import STREAM
from games.office.submissions.approvals import RecordedApproval, recorded_approvals

TERMS_DIFFER = declare_finding(
    "terms-differ",
    "The terms of %(submission)s differ from %(stream)s, entry %(seq)s, which approved it. The entry counts.",
)
TERMS_UNRECORDED = declare_finding(
    "terms-unrecorded",
    "No entry on %(stream)s approved %(submission)s, which the database has as approved.",
)
Status = RulesSubmission.Status


@record_check
def check_submissions(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the terms of every approved version with the entry that approved it."""
    approvals: dict[str, dict[tuple[str, int], RecordedApproval]] = {}
    rows = RulesSubmission.objects.filter(status__in=(Status.APPROVED, Status.SUPERSEDED))
    for row in rows.select_related("facility").order_by("facility", "code", "version"):
        tick()
        facility = row.facility.code
        if facility not in approvals:
            recorded = recorded_approvals(facility)
            approvals[facility] = {(approval.code, approval.version): approval for approval in recorded}
        where = {"submission": str(row), "stream": f"{facility}/{STREAM}"}
        approval = approvals[facility].get((row.code, row.version))
        digest = hashlib.sha256(row.terms.encode()).hexdigest()
        if approval is None:
            yield Finding(TERMS_UNRECORDED, where)
        elif {digest, row.terms_sha256} != {approval.terms_sha256} or row.edition != approval.edition:
            yield Finding(TERMS_DIFFER, {**where, "seq": approval.seq})
