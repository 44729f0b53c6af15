"""Lines of the record about cases and accepted reports."""

from tables.cases.entry_types import (
    CAMERA_SEEN,
    CASE_ASSIGNED,
    CASE_CLOSED,
    CASE_DOCUMENT_ADDED,
    CASE_NOTED,
    CASE_OPENED,
    CASE_REOPENED,
    CASE_TAKEN,
    LETTER_PRINTED,
    LETTER_WRITTEN,
    OUTCOME_SIGNED,
    REPORT_ACCEPTED,
    LetterWritten,
    OutcomeSigned,
)
from tables.cases.kinds import CASE_KINDS
from tables.words.registry import line, register
from tables.words.sentences import dollars


def outcome_words(outcome: str) -> str:
    """An outcome in words; its code where no kind knows it."""
    return next((kind.outcomes[outcome] for kind in CASE_KINDS.values() if outcome in kind.outcomes), outcome)


def _signed(data: OutcomeSigned) -> str:
    sum_ = f", {dollars(data['cents'])}" if data["cents"] else ""
    return f"{data['case']}, signature {data['signature']}: {outcome_words(data['outcome'])}{sum_}"


def _written(data: LetterWritten) -> str:
    return f"{data['case']}, letter {data['letter']} to the patron written: {outcome_words(data['outcome'])}"


ACT_LINES = [
    line(CASE_OPENED, lambda data: "%(case)s opened: %(title)s" % data),
    line(CASE_TAKEN, lambda data: "%(case)s taken" % data),
    line(CASE_ASSIGNED, lambda data: "%(case)s assigned to %(owner)s" % data),
    line(CASE_NOTED, lambda data: "Note on %(case)s: %(text)s" % data),
    line(CASE_DOCUMENT_ADDED, lambda data: "Document added to %(case)s: %(title)s" % data),
    line(CAMERA_SEEN, lambda data: "Camera %(camera)s seen for %(case)s: %(shows)s" % data),
    line(LETTER_WRITTEN, _written),
    line(LETTER_PRINTED, lambda data: "Letter %(letter)s of %(case)s printed" % data),
    line(OUTCOME_SIGNED, _signed),
    line(CASE_CLOSED, lambda data: f"{data['case']} closed: {outcome_words(data['outcome'])}"),
    line(REPORT_ACCEPTED, lambda data: f"Report of {data['day']} accepted, win {dollars(data['win_cents'])}"),
    line(CASE_REOPENED, lambda data: "%(case)s reopened: %(reason)s" % data),
]


register(act_lines=ACT_LINES)
