"""Acts on letters to patrons: writing them, and printing those that are signed."""

import hashlib

from games.engine import Refusal
from games.params import Params, malformed
from tables.cases.entry_types import LETTER_PRINTED, LETTER_WRITTEN, LetterPrinted, LetterWritten
from tables.cases.kinds import BY_SLIP, kind_of
from tables.cases.letter_paper import LetterPaper
from tables.cases.letter_pdf import letter_pdf
from tables.cases.letters import letter_facts, letter_of, letter_sha256
from tables.cases.named_case import NamedCase, has_slip, open_case_by_code, read_outcome
from tables.cases.refusals import CASE_SLIP_MISSING, LETTER_IS_SIGNED, LETTER_NOT_SIGNED, NO_LETTER_HERE
from tables.cases.roles import COMPLIANCE
from tables.desk.runner import DeskContext, desk_act
from tables.models import CaseLetter
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act

MAX_ADDRESSEE = 300
MAX_FINDINGS = 2000


@facility_act(CASES, roles=COMPLIANCE)
def write_case_letter(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Write the letter to the patron of a dispute: to whom, what was found, the outcome and its reason.

    The facts of the round come from the record. An earlier letter no longer counts. Once somebody has signed the
    outcome, the letter stays as it is.
    """
    case = open_case_by_code(ctx.facility, params.code("case"))
    addressee = params.prose("addressee", max_length=MAX_ADDRESSEE)
    findings = params.prose("findings", max_length=MAX_FINDINGS)
    if not addressee or not findings:
        raise malformed("findings" if addressee else "addressee")
    outcome, reason, cents = read_outcome(case, params)
    if not kind_of(case).writes_letters:
        raise Refusal(NO_LETTER_HERE, case=case.code)
    if case.signatures.filter(counts=True).exists():
        raise Refusal(LETTER_IS_SIGNED, case=case.code)
    if outcome == BY_SLIP and not has_slip(case):
        raise Refusal(CASE_SLIP_MISSING, number=case.round or 0, case=case.code)
    letter = CaseLetter(
        case=case,
        number=case.letters.count() + 1,
        addressee=addressee,
        findings=findings,
        outcome=outcome,
        cents=cents or None,
        reason=reason,
        facts=letter_facts(case, ctx.now),
        written_at=ctx.now,
        written_by=ctx.actor,
        seq=ctx.stream.seq + 1,
    )
    letter.sha256 = letter_sha256(letter)
    case.letters.filter(counts=True).update(counts=False)
    letter.save()
    data: LetterWritten = {
        "case": case.code,
        "cents": letter.cents,
        "letter": letter.number,
        "outcome": outcome,
        "sha256": letter.sha256,
    }
    return ActOutcome(LETTER_WRITTEN(data), {"letter": letter.number}, changes="nothing")


@desk_act(roles=COMPLIANCE, step_up="always")
def print_letter(ctx: DeskContext, *, case: NamedCase) -> ActOutcome:
    """Make the signed letter of a case as a PDF for download, and record its SHA-256. Raises `letter-not-signed`."""
    letter = letter_of(case)
    paper = LetterPaper(letter) if letter else None
    if paper is None or not paper.is_signed:
        raise Refusal(LETTER_NOT_SIGNED, case=case.code)
    content = letter_pdf(paper)
    data: LetterPrinted = {
        "bytes": len(content),
        "case": case.code,
        "letter": paper.letter.number,
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return ActOutcome(LETTER_PRINTED(data), {"sha256": data["sha256"]})
