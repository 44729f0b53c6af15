"""What a full verification checks of letters to patrons: their words, and which of them count."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from tables.cases.entry_types import CASE_REOPENED, LETTER_WRITTEN
from tables.cases.letters import letter_sha256
from tables.models import CaseLetter

LETTER_DIFFERS = declare_finding(
    "letter-differs",
    "Letter %(letter)s of %(case)s of %(facility)s differs from its entry in its %(column)s.",
)
LETTER_UNRECORDED = declare_finding(
    "letter-unrecorded", "No entry of the record wrote letter %(letter)s of %(case)s of %(facility)s."
)
LETTER_MISSING = declare_finding(
    "letter-missing",
    "Letter %(letter)s of %(case)s of %(facility)s is on the record and not in the database.",
)


@dataclass
class RecordedLetter:
    """A letter as its entries leave it."""

    words: str
    outcome: str
    cents: int | None
    counts: bool = True


@record_check
def check_case_letters(tick: Callable[[], None]) -> Iterator[Finding]:
    """Hash the words of every letter again, and compare it with its entry."""
    recorded = _recorded_letters()
    rows = CaseLetter.objects.select_related("case__facility").order_by("pk")
    for letter in rows.iterator(chunk_size=500):
        tick()
        facility, case = letter.case.facility.code, letter.case.code
        where = {"letter": letter.number, "case": case, "facility": facility}
        entry = recorded.pop((facility, case, letter.number), None)
        if entry is None:
            yield Finding(LETTER_UNRECORDED, where)
            continue
        stored = RecordedLetter(letter_sha256(letter), letter.outcome, letter.cents, letter.counts)
        for column, value in vars(stored).items():
            if getattr(entry, column) != value:
                yield Finding(LETTER_DIFFERS, {**where, "column": column})
        if letter.sha256 != entry.words:
            yield Finding(LETTER_DIFFERS, {**where, "column": "sha256"})
    for facility, case, number in recorded:
        yield Finding(LETTER_MISSING, {"letter": number, "case": case, "facility": facility})


def _recorded_letters() -> dict[tuple[str, str, int], RecordedLetter]:
    recorded: dict[tuple[str, str, int], RecordedLetter] = {}
    newest: dict[tuple[str, str], RecordedLetter] = {}
    entries = Entry.objects.filter(type__in=[LETTER_WRITTEN.name, CASE_REOPENED.name]).order_by(
        "stream", "seq"
    )
    for stream, type_, body in entries.values_list("stream__name", "type", "body").iterator():
        try:
            data = json.loads(bytes(body))["data"]
            facility, case = stream.partition("/")[0], data["case"]
            if (facility, case) in newest:
                newest[facility, case].counts = False
            if type_ == LETTER_WRITTEN.name:
                letter = RecordedLetter(data["sha256"], data["outcome"], data["cents"])
                recorded[facility, case, data["letter"]] = newest[facility, case] = letter
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return recorded
