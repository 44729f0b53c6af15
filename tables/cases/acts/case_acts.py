"""Acts on cases: open, take, assign, write, add, look, sign, close, reopen."""

import re
from typing import Annotated

from audit.models.people import Department
from games.act_forms import Code, one_of, prose, text, whole
from games.engine import Refusal
from games.office import documents
from games.params import Params, malformed
from tables.cases.case_rules.disputes import DISPUTE, dispute_key
from tables.cases.case_rules.others import OTHER
from tables.cases.entry_types import (
    CAMERA_SEEN,
    CASE_ASSIGNED,
    CASE_CLOSED,
    CASE_DOCUMENT_ADDED,
    CASE_NOTED,
    CASE_REOPENED,
    CASE_TAKEN,
    OUTCOME_SIGNED,
    CameraSeen,
    CaseDocumentAdded,
    OutcomeSigned,
)
from tables.cases.kinds import BY_SLIP, CaseSubject, kind_of
from tables.cases.letters import verify_signed_letter
from tables.cases.named_case import MAX_REASON, NamedCase, OpenCase, has_slip, open_case_by_code, read_outcome
from tables.cases.opening import case_of_subject, open_case_row
from tables.cases.refusals import (
    CAMERA_TIME,
    CASE_EXISTS,
    CASE_HAS_OWNER,
    CASE_IS_OPEN,
    CASE_NOT_READY,
    CASE_NOT_SIGNED,
    CASE_OWNER_MAY_NOT,
    CASE_SIGNED_ALREADY,
    CASE_SIGNED_BY_TWO,
    CASE_SIGNED_OTHERWISE,
    CASE_SIGNER_ACTED,
    CASE_SIGNER_OUTSIDE,
    CASE_SLIP_MISSING,
)
from tables.cases.roles import CASE_WORKERS, COMPLIANCE, SURVEILLANCE
from tables.core.duty import person_here
from tables.corrections.refusals import NO_SUCH_ROUND
from tables.models import CameraReference, Case, CaseDocument, CaseNote, CaseSignature, Round, Table
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act
from tables.staffing.refusals import NO_SUCH_PLACE

MAX_ABOUT = 500
MAX_NOTE = 1000
MAX_ROUND = 2**31 - 1
MAX_SEATS = 64
SHA256 = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d", re.ASCII)


@facility_act(CASES, roles=CASE_WORKERS)
def open_case(
    ctx: FacilityContext,
    *,
    kind: Annotated[str, one_of((DISPUTE.code, OTHER.code))],
    about: Annotated[str, prose(MAX_ABOUT)] = "",
    table_code: Annotated[str, text(20)] = "",
    number: Annotated[int, whole(0, MAX_ROUND)] = 0,
    seat: Annotated[int, whole(0, MAX_SEATS)] = 0,
) -> ActOutcome:
    """Open a case by hand: a dispute that a patron brings, or something else. `number` (a round) and `seat` may be 0.

    Raises `case-exists` where the same round and seat have one already.
    """
    opened = DISPUTE if kind == DISPUTE.code else OTHER
    if not about:
        raise malformed("about")
    table = _table(ctx, table_code) if table_code else None
    if table is not None and number and not Round.objects.filter(table=table, number=number).exists():
        raise Refusal(NO_SUCH_ROUND, table=table.code, round=number)
    key = f"by-hand:{ctx.stream.seq + 1}"
    if opened is DISPUTE and table is not None and number and seat:
        key = dispute_key(table.code, number, seat)
        case = case_of_subject(ctx.facility, opened, key)
        if case is not None:
            raise Refusal(CASE_EXISTS, case=case.code)
    subject = CaseSubject(
        key,
        ctx.now,
        {"table": table_code, "round": number or None, "seat": seat or None, "about": about},
        table,
        number or None if table is not None else None,
        seat or None,
    )
    case, entry = open_case_row(ctx.facility, opened, subject, ctx.stream, ctx.now, ctx.actor)
    return ActOutcome(entry, {"case": case.code}, changes="nothing")


@facility_act(CASES, roles=CASE_WORKERS)
def take_case(ctx: FacilityContext, *, case: OpenCase) -> ActOutcome:
    """Take a case that nobody owns."""
    if case.owner is not None:
        raise Refusal(CASE_HAS_OWNER, case=case.code, owner=case.owner.name)
    case.owner = ctx.actor
    case.save(update_fields=["owner"])
    return ActOutcome(CASE_TAKEN({"case": case.code}), changes="nothing")


@facility_act(CASES, roles=COMPLIANCE)
def assign_case(ctx: FacilityContext, *, case: OpenCase, person_code: Code) -> ActOutcome:
    """Give a case to somebody who may work on it."""
    person = person_here(ctx.facility, person_code)
    if person.role not in CASE_WORKERS:
        raise Refusal(CASE_OWNER_MAY_NOT, person=person.name)
    case.owner = person
    case.save(update_fields=["owner"])
    return ActOutcome(CASE_ASSIGNED({"case": case.code, "owner": person.code}), changes="nothing")


@facility_act(CASES, roles=CASE_WORKERS)
def add_case_note(
    ctx: FacilityContext, *, case: NamedCase, text: Annotated[str, prose(MAX_NOTE)] = ""
) -> ActOutcome:
    """Write a note. Notes may follow after a case is closed."""
    if not text:
        raise malformed("text")
    CaseNote.objects.create(
        case=case, text=text, written_at=ctx.now, written_by=ctx.actor, seq=ctx.stream.seq + 1
    )
    return ActOutcome(CASE_NOTED({"case": case.code, "text": text}), changes="nothing")


@facility_act(CASES, roles=CASE_WORKERS)
def add_case_document(
    ctx: FacilityContext,
    *,
    case: NamedCase,
    title: Annotated[str, text(120)],
    filename: Annotated[str, text(120)],
    sha256: Annotated[str, text(64)],
) -> ActOutcome:
    """Add the attachment of the request to a case: a statement, a letter, a picture. Its bytes never change.

    Raises what `documents.verify_document` raises.
    """
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    media_type = documents.verify_document(documents.Upload(title, filename, sha256, ctx.attachment))
    document = CaseDocument.objects.create(
        case=case,
        number=case.documents.count() + 1,
        title=title,
        filename=filename,
        media_type=media_type,
        size=len(ctx.attachment),
        sha256=sha256,
        content=ctx.attachment,
        added_at=ctx.now,
        added_by=ctx.actor,
        seq=ctx.stream.seq + 1,
    )
    data: CaseDocumentAdded = {
        "case": case.code,
        "number": document.number,
        "title": title,
        "filename": filename,
        "media_type": media_type,
        "size": document.size,
        "sha256": sha256,
    }
    return ActOutcome(CASE_DOCUMENT_ADDED(data), {"document": document.number}, changes="nothing")


@facility_act(CASES, roles=SURVEILLANCE)
def record_camera_seen(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record what surveillance saw on a camera: the clip, from when to when, and what it shows."""
    case = open_case_by_code(ctx.facility, params.code("case"))
    camera, clip = params.text("camera", max_length=20), params.text("clip", default="", max_length=40)
    begins, ends = (params.text(name, default="", max_length=8) for name in ("begins", "ends"))
    shows = params.text("shows", max_length=MAX_REASON)
    if not all(TIME.fullmatch(time) for time in (begins, ends) if time):
        raise Refusal(CAMERA_TIME)
    CameraReference.objects.create(
        case=case,
        camera=camera,
        clip=clip,
        begins=begins,
        ends=ends,
        shows=shows,
        seen_at=ctx.now,
        seen_by=ctx.actor,
        seq=ctx.stream.seq + 1,
    )
    data: CameraSeen = {
        "case": case.code, "camera": camera, "clip": clip, "begins": begins, "ends": ends, "shows": shows,
    }  # fmt: skip
    return ActOutcome(CAMERA_SEEN(data), changes="nothing")


@facility_act(CASES, roles=CASE_WORKERS, step_up="office")
def sign_case_outcome(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Sign the outcome of a case. Two people sign the same outcome, sum and reason; one after the review of a slip.

    Neither of them acted in what the case is about, and one at least is not of table games. Where a letter was written,
    each signs it too, and sends the SHA-256 of its words.
    """
    case = open_case_by_code(ctx.facility, params.code("case"))
    outcome, reason, cents = read_outcome(case, params)
    sha256 = params.text("sha256", default="", max_length=64)
    signed = list(case.signatures.filter(counts=True).select_related("person"))
    _verify_signer(ctx, case, signed)
    if signed and (case.outcome, case.reason, case.cents or 0) != (outcome, reason, cents):
        raise Refusal(CASE_SIGNED_OTHERWISE, person=signed[0].person.name)
    verify_signed_letter(case, sha256, outcome, reason, cents)
    CaseSignature.objects.create(case=case, person=ctx.actor, signed_at=ctx.now, seq=ctx.stream.seq + 1)
    case.outcome, case.reason, case.cents = outcome, reason, cents or None
    case.save(update_fields=["outcome", "reason", "cents"])
    data: OutcomeSigned = {
        "case": case.code,
        "outcome": outcome,
        "reason": reason,
        "cents": cents or None,
        "signature": len(signed) + 1,
    }
    if sha256:
        data["letter"] = sha256
    return ActOutcome(OUTCOME_SIGNED(data), {"signature": len(signed) + 1}, changes="nothing")


@facility_act(CASES, roles=COMPLIANCE, step_up="always")
def close_case(ctx: FacilityContext, *, case: OpenCase) -> ActOutcome:
    """Close a case that two people have signed. What is paid by slip needs a slip about the round."""
    count = case.signatures.filter(counts=True).count()
    if count < kind_of(case).signatures:
        raise Refusal(CASE_NOT_SIGNED, case=case.code, count=count, needed=kind_of(case).signatures)
    if case.outcome == BY_SLIP and not has_slip(case):
        raise Refusal(CASE_SLIP_MISSING, number=case.round or 0, case=case.code)
    case.status, case.closed_at, case.closed_by = Case.Status.CLOSED, ctx.now, ctx.actor
    case.closed_seq = ctx.stream.seq + 1
    case.save(update_fields=["status", "closed_at", "closed_by", "closed_seq"])
    return ActOutcome(CASE_CLOSED({"case": case.code, "outcome": case.outcome}), changes="nothing")


@facility_act(CASES, roles=COMPLIANCE, step_up="always")
def reopen_case(
    ctx: FacilityContext, *, case: NamedCase, reason: Annotated[str, text(MAX_REASON)]
) -> ActOutcome:
    """Reopen a closed case, or one whose outcome somebody has signed. Signatures and letter no longer count."""
    signatures = case.signatures.filter(counts=True)
    if case.status == Case.Status.OPEN and not signatures.exists():
        raise Refusal(CASE_IS_OPEN, case=case.code)
    signatures.update(counts=False)
    case.letters.filter(counts=True).update(counts=False)
    case.status, case.closed_at, case.closed_by, case.closed_seq = Case.Status.OPEN, None, None, None
    case.outcome, case.cents, case.reason = "", None, ""
    case.save()
    return ActOutcome(CASE_REOPENED({"case": case.code, "reason": reason}), changes="nothing")


def _table(ctx: FacilityContext, code: str) -> Table:
    table = Table.objects.filter(facility=ctx.facility, code=code).first()
    if table is None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


def _verify_signer(ctx: FacilityContext, case: Case, signed: list[CaseSignature]) -> None:
    if waits_for := kind_of(case).waits_for(case):
        raise Refusal(CASE_NOT_READY, case=case.code, waits_for=waits_for)
    if any(signature.person_id == ctx.actor.pk for signature in signed):
        raise Refusal(CASE_SIGNED_ALREADY, case=case.code)
    if len(signed) >= kind_of(case).signatures:
        raise Refusal(CASE_SIGNED_BY_TWO, case=case.code)
    if ctx.actor.code in kind_of(case).actors(case):
        raise Refusal(CASE_SIGNER_ACTED)
    departments = {ctx.actor.department, *(signature.person.department for signature in signed)}
    if signed and departments == {Department.TABLE_GAMES}:
        raise Refusal(CASE_SIGNER_OUTSIDE, person=signed[0].person.name)
