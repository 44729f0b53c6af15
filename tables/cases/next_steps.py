"""What a case waits for: its single next step, whose it is, and its state in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.models import Person
from tables.cases.kinds import kind_of
from tables.cases.roles import CASE_WORKERS, COMPLIANCE, SURVEILLANCE
from tables.cases.words import outcome_words
from tables.models import Case, CaseSignature


@dataclass(frozen=True)
class NextStep:
    """The next step of a case. `verb` begins the label of its button; `is_mine`: whether this person may do it now."""

    verb: str
    state: str
    detail: str
    is_mine: bool


def next_step(case: Case, person: Person) -> NextStep:
    """Return the next step of a case as this person sees it. Reads its signatures and cameras."""
    signed = signatures_of(case)
    if case.status == Case.Status.CLOSED:
        return NextStep("Read", "Closed", outcome_words(case.outcome), False)
    if case.owner is None:
        return NextStep("Take", "New", "nobody owns it", person.role in CASE_WORKERS)
    if len(signed) >= kind_of(case).signatures:
        return NextStep("Close", "Signed", "to be closed by compliance", person.role in COMPLIANCE)
    if waits_for := kind_of(case).waits_for(case):
        return NextStep(
            "Look into", "Waits", f"for the {waits_for}", person.role in COMPLIANCE | SURVEILLANCE
        )
    if kind_of(case).needs_camera and not case.cameras.all():
        return NextStep("Look into", "Camera not seen", "waits for surveillance", person.role in SURVEILLANCE)
    if signed:
        has_signed = any(signature.person_id == person.pk for signature in signed)
        detail = "somebody else's is missing" if has_signed else "a second signature is missing"
        state = f"Signed by {signed[0].person.short_name}"
        return NextStep("Review and sign", state, detail, not has_signed and person.role in CASE_WORKERS)
    detail = "by two people" if kind_of(case).signatures == 2 else "by one person"
    return NextStep("Review and sign", "To be signed", detail, person.role in CASE_WORKERS)


def signatures_of(case: Case) -> Sequence[CaseSignature]:
    """The signatures that count, in order."""
    return [signature for signature in case.signatures.all() if signature.counts]
