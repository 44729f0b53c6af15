"""The findings of a verification, as data and as sentences, and the checks that an app adds to it.

Chains, seals and closed streams are verified by `audit.verification`, declared columns by `audit.columns`. Beyond that,
a `record_check` compares rows of the database with the entries that state them. An app declares its own beside what it
checks, or in a module named `record_checks.py` or `…_record_checks.py`; its `registrations.py` imports it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

# code: the sentence
FINDINGS: dict[str, Any] = {
    "entry-missing": "%(stream)s has no entry %(seq)s: it was removed.",
    "entry-changed": "%(stream)s, entry %(seq)s was changed: its hash does not match its content.",
    "entry-does-not-follow": "%(stream)s, entry %(seq)s does not follow the entry before it.",
    "entry-unreadable": "%(stream)s, entry %(seq)s is not in the record's format.",
    "entry-of-elsewhere": "%(stream)s, entry %(seq)s belongs to another stream or number.",
    "time-goes-back": "%(stream)s, entry %(seq)s is older than the entry before it.",
    "column-differs": "%(stream)s, entry %(seq)s: the search column %(column)s differs from the entry. The entry itself is intact.",
    "device-not-enrolled": "%(stream)s, entry %(seq)s was entered at the device %(device)s, which no entry enrolled.",
    "head-differs": "The head of %(stream)s differs from the hash of its entry %(seq)s.",
    "entry-beyond-head": "%(stream)s, entry %(seq)s comes after the head of its stream.",
    "key-off-the-record": "No entry of the record created the key %(key)s.",
    "key-of-two-logs": "The key %(key)s is also the key of another log, and a key serves one log.",
    "seal-missing": "%(origin)s has no seal %(number)s: it was removed.",
    "seal-changed": "%(origin)s, seal %(number)s was changed: its hash does not match its content.",
    "seal-unreadable": "%(origin)s, seal %(number)s is not in the sealer's format.",
    "seal-index-differs": "%(origin)s, seal %(number)s: its search index differs from the heads that it lists. The seal itself is intact.",
    "sealed-entry-missing": "%(stream)s has no entry %(seq)s, but seal %(number)s lists it: the record was cut or rolled back.",
    "sealed-head-differs": "%(stream)s, entry %(seq)s differs from the one that seal %(number)s lists: the stream was rewritten.",
    "entry-after-seal": "%(stream)s, entry %(seq)s is dated after seal %(number)s, which covers it: it was dated into the future.",
    "time-ahead": "%(stream)s, entry %(seq)s is dated into the future: nothing can be recorded there until then.",
    "closing-undeclared": "%(stream)s is closed or continued in the database, but no entry of the record closed it.",
    "closing-differs": "%(stream)s was closed after entry %(seq)s, but the database has it otherwise.",
    "continuation-differs": "%(stream)s does not begin with the entry that continues %(closed)s after its entry %(seq)s.",
    "node-differs": "%(origin)s: the stored tree of seals has a wrong hash at level %(level)s, index %(index)s.",
    "checkpoint-unreadable": "%(origin)s: the checkpoint of %(size)s seals is not a valid checkpoint of this log.",
    "root-differs": "%(origin)s: the root of the checkpoint of %(size)s seals does not match these seals.",
    "signature-bad": "%(origin)s: no key of this log on the record signed the checkpoint of %(size)s seals.",
    "cosignature-bad": "%(origin)s: the cosignature of %(name)s on the checkpoint of %(size)s seals is wrong.",
    "seals-unsigned": "%(origin)s: no checkpoint covers its last seal, %(number)s.",
}
# Found no more; entries of earlier verifications have them.
FORMER: dict[str, Any] = {
    "planned-move-differs": "%(facility)s: planned move %(move)s differs from its entries in %(column)s. The entries count.",
    "planned-move-without-entry": "%(facility)s: planned move %(move)s is in the database, and no entry of the record states it.",
    "planned-move-without-row": "%(facility)s: planned move %(move)s of the record is not in the database.",
    "case-document-differs": "Document %(document)s of %(case)s differs from %(stream)s, entry %(seq)s, in %(column)s: it was replaced.",
    "case-document-unrecorded": "No entry of the record added document %(document)s of %(case)s of %(facility)s.",
    "case-document-missing": "Document %(document)s of %(case)s, which %(stream)s, entry %(seq)s added, is not in the database.",
    "case-differs": "%(case)s of %(facility)s differs from its entries in its %(column)s.",
    "case-missing": "%(case)s of %(facility)s, which the record opened, is not in the database.",
    "case-unrecorded": "No entry of the record opened %(case)s of %(facility)s.",
    "change-differs": "%(change)s of %(facility)s differs from its entries in its %(column)s.",
    "change-missing": "%(change)s of %(facility)s, which the record prepared, is not in the database.",
    "change-unrecorded": "No entry of the record prepared %(change)s of %(facility)s.",
    "document-differs": "The document %(document)s differs from %(stream)s, entry %(seq)s, in %(column)s: it was replaced after filing.",
    "document-unrecorded": "No entry of the record filed the document %(document)s of %(facility)s.",
    "document-missing": "The document %(document)s, which %(stream)s, entry %(seq)s filed, is not in the database.",
    "letter-differs": "Letter %(letter)s of %(case)s of %(facility)s differs from its entry in its %(column)s.",
    "letter-unrecorded": "No entry of the record wrote letter %(letter)s of %(case)s of %(facility)s.",
    "letter-missing": "Letter %(letter)s of %(case)s of %(facility)s is on the record and not in the database.",
    "inventory-keeping-differs": "%(facility)s: whether it keeps the inventory of its tables differs from the newest entry about that.",
    "declared-chips-differ": "%(facility)s: the chips that it has differ from the newest entry about them.",
}


def declare_finding(code: str, sentence: str) -> str:
    """Add a finding with its sentence, and return its code. Raises ValueError for a code in use."""
    if code in FINDINGS:
        raise ValueError(f"declared twice: {code}")
    FINDINGS[code] = sentence
    return code


@dataclass(frozen=True)
class Finding:
    """A fault in the record: its code, and where it is."""

    code: str
    where: dict[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """The finding as the record states it (`first_bad` of `record.verified`)."""
        return {"what": self.code, **self.where}

    def __str__(self) -> str:
        return say(self.as_data())


def say(finding: Mapping[str, Any]) -> str:
    """The sentence of a finding, from its data on the record (`first_bad` of `record.verified`)."""
    code = finding.get("what", "")
    sentence = FINDINGS.get(code) or FORMER.get(code)
    try:
        return str(sentence % finding) if sentence else "Unknown fault: %s" % finding.get("what")
    except KeyError:
        return str(finding.get("what"))


# The checks of an app


Tick = Callable[[], None]
RecordCheck = Callable[[Tick], Iterator[Finding]]
RecordGap = Callable[[], Iterator[str]]
RECORD_CHECKS: list[RecordCheck] = []
RECORD_GAPS: list[RecordGap] = []
Check = TypeVar("Check", bound=RecordCheck)


def record_check(check: Check) -> Check:
    """Make a function one of the checks of a full verification.

    It yields what it finds, and calls its argument at least once a second, so that the job counts as alive.
    """
    RECORD_CHECKS.append(check)
    return check


def record_gap(gap: RecordGap) -> RecordGap:
    """Make a function one that says what no entry states yet, so that nothing can be compared with it."""
    RECORD_GAPS.append(gap)
    return gap


def not_covered() -> list[str]:
    """What a full verification cannot compare, in words, sorted: the order of imports says nothing."""
    return sorted(sentence for gap in RECORD_GAPS for sentence in gap())
