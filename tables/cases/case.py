"""Case: something that somebody has to look into, from its opening until it is decided.

1. The ticker opens a case for each subject that a rule finds (`open_found_cases`), or somebody who works on cases does
   by hand (`open_case`). One subject has one case.
2. Somebody takes it (`take_case`), or compliance assigns it (`assign_case`).
3. Notes (`add_case_note`, also later), documents (`add_case_document`; their bytes never change) and what surveillance
   saw (`record_camera_seen`) are added.
4. It is decided and closed: `tables.cases.outcomes`. `next_step` says what it waits for, and whose step it is.

All of it is on the stream `facility/cases`, which an act locks. Compliance, surveillance and shift managers work on
cases; a gaming agent reads them. Drawn by `tables.cases.inbox` and `tables.cases.case_page`.
"""

import datetime as dt
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, Unpack

from django.db import DatabaseError, InterfaceError, connection, transaction

from audit import clock, record
from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    SEQ,
    Reading,
    Values,
    constant,
    declare,
    hashed,
    plain,
    same,
)
from audit.entry_types import ABSENT, EntryBody, entry_type
from audit.logs import OutageLog
from audit.models import Person, Stream
from games.access import Pages
from games.act_forms import Code, found, one_of, prose, text, whole
from games.engine import Refusal, RefusalCode
from games.facility_runner import next_code
from games.jurisdictions import SignerRow
from games.models import Facility
from games.office import documents
from games.params import Params, malformed
from games.separation.signatures import may_sign_as, nobody_at_post
from tables.cases.kinds import (
    CASE_KINDS,
    DAY,
    DISPUTE,
    HOUR,
    MINUTE,
    OTHER,
    CaseKind,
    CaseSubject,
    dispute_key,
    kind_of,
    outcome_words,
    words_of_case,
)
from tables.core.duty import person_here
from tables.corrections.slips import NO_SUCH_ROUND
from tables.models import CameraReference, Case, CaseDocument, CaseNote, CaseSignature, Round, Table
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act
from tables.staffing.assignments import NO_SUCH_PLACE
from tables.words.sentences import dollars

NO_SUCH_CASE = RefusalCode("no-such-case", "There is no case %(case)s here. Check the code.", "No such case")
CASE_IS_CLOSED = RefusalCode(
    "case-is-closed", "%(case)s is closed. Reopen it first, and say why.", "Case closed"
)
CASE_EXISTS = RefusalCode(
    "case-exists", "%(case)s is already about this. Add a note there instead.", "There is a case already"
)
CASE_HAS_OWNER = RefusalCode(
    "case-has-owner", "%(case)s belongs to %(owner)s. Ask compliance to assign it.", "Case taken"
)
CASE_OWNER_MAY_NOT = RefusalCode(
    "case-owner-may-not", "%(person)s may not work on cases. Choose somebody else.", "Cannot own a case"
)
CAMERA_TIME = RefusalCode(
    "camera-time", "A time of the clip is hours, minutes and seconds, such as 21:17:30.", "Time of the clip"
)


# Who reads cases, and who works on them


COMPLIANCE = frozenset({"compliance"})
SURVEILLANCE = frozenset({"surveillance"})
CASE_WORKERS = COMPLIANCE | SURVEILLANCE | {"shift-manager"}
CASE_PAGES = Pages(CASE_WORKERS | {"gaming-agent"})
may_see_cases = CASE_PAGES.may_see


# What the record says of a case


CaseCode = Annotated[str, "code of the case"]


class CaseEntry(TypedDict):
    case: CaseCode


@entry_type("case.opened")
def CASE_OPENED(
    *,
    about: Annotated[str, "what it is about, in a person's words; only of a case opened by hand"] = ABSENT,
    due_at: Annotated[str, "when it is due, UTC"],
    kind: Annotated[str, "kind of the case"],
    params: Annotated[dict[str, Any], "values for its sentences"] = ABSENT,
    round: Annotated[int | None, "number of the round that it is about; null without one"] = ABSENT,
    seat: Annotated[int | None, "the seat that it is about; null without one"] = ABSENT,
    subject: Annotated[str, "what it is about, as a key; one case for each"],
    table: Annotated[str | None, "code of the table that it is about; null without one"] = ABSENT,
    title: Annotated[str, "what it is about, in words"],
    **data: Unpack[CaseEntry],
) -> str:
    """A case was opened, by its rule or by a person.

    The entry names nobody where a rule opened the case. `about` is what a patron or a colleague says.
    """
    return f"{data['case']} opened: {title}"


CASE_TAKEN = entry_type(
    "case.taken",
    CaseEntry,
    "A person took a case: its owner is the person who acted.",
    lambda data: "%(case)s taken" % data,
)


@entry_type("case.assigned")
def CASE_ASSIGNED(*, owner: Annotated[str, "code of the new owner"], **data: Unpack[CaseEntry]) -> str:
    """A case was given to another person."""
    return f"{data['case']} assigned to {owner}"


@entry_type("case.noted")
def CASE_NOTED(*, text: Annotated[str, "the note, in a person's words"], **data: Unpack[CaseEntry]) -> str:
    """A person wrote a note about a case."""
    return f"Note on {data['case']}: {text}"


@entry_type("case.document_added")
def CASE_DOCUMENT_ADDED(
    *,
    filename: Annotated[str, "name of the file as it was sent"],
    media_type: Annotated[str, "the type of the file, decided by its first bytes"],
    number: Annotated[int, "number of the document in its case"],
    sha256: str,
    size: Annotated[int, "bytes"],
    title: Annotated[str, "title of the document"],
    **data: Unpack[CaseEntry],
) -> str:
    """A document was added to a case. The entry has its SHA-256."""
    return f"Document added to {data['case']}: {title}"


@entry_type("case.camera_seen")
def CAMERA_SEEN(
    *,
    begins: Annotated[str, "local time at which the clip begins; may be empty"],
    camera: str,
    clip: Annotated[str, "reference of the clip; empty where none is kept"],
    ends: Annotated[str, "local time at which the clip ends; may be empty"],
    shows: Annotated[str, "what it shows, in a person's words"],
    **data: Unpack[CaseEntry],
) -> str:
    """Surveillance looked at the camera of a case."""
    return f"Camera {camera} seen for {data['case']}: {shows}"


@entry_type("case.outcome_signed")
def OUTCOME_SIGNED(
    *,
    cents: Annotated[int | None, "what is paid for goodwill; null for any other outcome"],
    letter: Annotated[str, "SHA-256 of the words of the letter that is signed with it, in hex"] = ABSENT,
    outcome: Annotated[str, "code of the outcome"],
    reason: Annotated[str, "why, in a person's words"],
    signature: Annotated[int, "1 for the first signature, 2 for the second"],
    **data: Unpack[CaseEntry],
) -> str:
    """A person signed the outcome of a case."""
    sum_ = f", {dollars(cents)}" if cents else ""
    return f"{data['case']}, signature {signature}: {outcome_words(outcome)}{sum_}"


@entry_type("case.closed")
def CASE_CLOSED(*, outcome: Annotated[str, "code of the outcome"], **data: Unpack[CaseEntry]) -> str:
    """A case was closed, with its outcome signed."""
    return f"{data['case']} closed: {outcome_words(outcome)}"


@entry_type("case.reopened")
def CASE_REOPENED(*, reason: Annotated[str, "why, in a person's words"], **data: Unpack[CaseEntry]) -> str:
    """A case was reopened. Earlier signatures of its outcome no longer count."""
    return f"{data['case']} reopened: {reason}"


CASE: Values = {"facility": FACILITY, "case": "case"}
CASE_READINGS = {
    "facility": Reading(("case__facility__code",), plain, ("case",)),
    "case": Reading(("case__code",), plain, ("case",)),
}
NOT_DECIDED = dict.fromkeys(("outcome", "cents", "reason", "closed_at", "closed_by", "closed_seq"), NONE)

declare(
    Case,
    "case",
    key={"facility": FACILITY, "code": "case"},
    created={
        CASE_OPENED: {
            **same("kind", "subject", "due_at", "params", "table", "round", "seat"),
            "opened_at": AT,
            "opened_seq": SEQ,
            "opened_by": ACTOR,
            "owner": NONE,
            "status": constant("open"),
            **NOT_DECIDED,
        }
    },
    changed={
        CASE_TAKEN: {"owner": ACTOR},
        CASE_ASSIGNED: {"owner": "owner"},
        OUTCOME_SIGNED: same("outcome", "cents", "reason"),
        CASE_CLOSED: {"status": constant("closed"), "closed_at": AT, "closed_by": ACTOR, "closed_seq": SEQ},
        CASE_REOPENED: {"status": constant("open"), **NOT_DECIDED},
    },
)
declare(
    CaseNote,
    "note",
    key={**CASE, "seq": SEQ},
    created={CASE_NOTED: {"text": "text", "written_at": AT, "written_by": ACTOR}},
    readings=CASE_READINGS,
)
declare(
    CaseDocument,
    "document",
    key={**CASE, "number": "number"},
    created={
        CASE_DOCUMENT_ADDED: {
            **same("title", "filename", "media_type", "size", "sha256"),
            "content": "sha256",
            "added_at": AT,
            "added_by": ACTOR,
            "seq": SEQ,
        }
    },
    readings={**CASE_READINGS, "content": hashed("content")},
)
declare(
    CameraReference,
    "camera",
    key={**CASE, "seq": SEQ},
    created={
        CAMERA_SEEN: {**same("camera", "clip", "begins", "ends", "shows"), "seen_at": AT, "seen_by": ACTOR}
    },
    readings=CASE_READINGS,
)


# The case that an act names


def case_by_code(facility: Facility, code: str) -> Case:
    """Return the case with this code. Raises `no-such-case`."""
    rows = Case.objects.filter(facility=facility, code=code)
    case = rows.select_related("owner", "facility", "table__stream", "table__facility").first()
    if case is None:
        raise Refusal(NO_SUCH_CASE, case=code)
    return case


def open_case_by_code(facility: Facility, code: str) -> Case:
    """Return the open case with this code. Raises `no-such-case` or `case-is-closed`."""
    case = case_by_code(facility, code)
    if case.status == Case.Status.CLOSED:
        raise Refusal(CASE_IS_CLOSED, case=case.code)
    return case


NamedCase = Annotated[Case, found(Code, lambda ctx, code: case_by_code(ctx.facility, code))]
OpenCase = Annotated[Case, found(Code, lambda ctx, code: open_case_by_code(ctx.facility, code))]


# 1. Opened by its rule or by hand


def case_of_subject(facility: Facility, kind: CaseKind, key: str) -> Case | None:
    """Return the case about a subject, open or closed."""
    return Case.objects.filter(facility=facility, kind=kind.code, subject=key).first()


def open_case_row(
    facility: Facility,
    kind: CaseKind,
    subject: CaseSubject,
    stream: Stream,
    now: dt.datetime,
    person: Person | None = None,
) -> tuple[Case, EntryBody]:
    """Create the row of a case, and return it with its entry, which the caller appends next."""
    case = Case.objects.create(
        facility=facility,
        code=next_code(Case.objects.filter(facility=facility), "C"),
        kind=kind.code,
        subject=subject.key,
        params=subject.params,
        table=subject.table,
        round=subject.round,
        seat=subject.seat,
        opened_at=now,
        opened_seq=stream.seq + 1,
        opened_by=person,
        due_at=subject.due_at or subject.since + facility.law.case_time(kind.code),
    )
    return case, CASE_OPENED(
        case=case.code,
        kind=kind.code,
        subject=subject.key,
        title=words_of_case(case)[0],
        due_at=clock.format_moment(case.due_at),
        params=subject.params,
        table=subject.table.code if subject.table else None,
        round=subject.round,
        seat=subject.seat,
        about=str(subject.params.get("about", "")) if person is not None else ABSENT,
    )


def lock_cases(facility: Facility) -> Stream:
    """Lock the stream of the cases until the transaction ends."""
    return record.lock_stream(f"{facility.code}/{CASES}")


log = logging.getLogger(__name__)
_outages: dict[tuple[str, str], OutageLog] = {}


def open_found_cases(*, with_slow: bool = True) -> list[int]:
    """Open a case for each subject that has none, each in a transaction of its own. No table shows them.

    `with_slow`: by the rules that read much, too.
    A kind that fails in one facility is logged, once until it works again, and does not stop the others. Raises the
    error of a connection that was lost, which all the others would have, too.
    """
    now = clock.now()
    for facility in Facility.objects.order_by("pk"):
        for kind in CASE_KINDS.values():
            if kind.query is None or (kind.is_slow and not with_slow):
                continue
            outage = _outage(facility, kind)
            try:
                _open_cases(facility, kind, now)
            except Exception as error:
                if isinstance(error, DatabaseError | InterfaceError) and not connection.is_usable():
                    raise
                outage.failed(error)
            else:
                outage.worked()
    return []


def _open_cases(facility: Facility, kind: CaseKind, now: dt.datetime) -> None:
    assert kind.query is not None
    subjects = {subject.key: subject for subject in kind.query(facility, now)}
    if not subjects:
        return
    rows = Case.objects.filter(facility=facility, kind=kind.code, subject__in=subjects)
    subjects_with_case = set(rows.values_list("subject", flat=True))
    for subject in subjects.values():
        if subject.key not in subjects_with_case:
            _open_case(facility, kind, subject)


def _open_case(facility: Facility, kind: CaseKind, subject: CaseSubject) -> None:
    """Open one case, unless another ticker or a person was first."""
    with transaction.atomic(durable=True):
        stream = lock_cases(facility)
        if case_of_subject(facility, kind, subject.key) is not None:
            return
        now = clock.displayed_moment(stream, clock.now())
        _case, entry = open_case_row(facility, kind, subject, stream, now)
        record.append(stream, entry=entry, moment=now, gaming_day=facility.gaming_day(now))


def _outage(facility: Facility, kind: CaseKind) -> OutageLog:
    name = f"The rule of cases about {kind.code} at {facility.code}"
    return _outages.setdefault(
        (facility.code, kind.code), OutageLog(log, name, "It is tried again.", traceback=True)
    )


MAX_ABOUT = 500
MAX_ROUND = 2**31 - 1
MAX_SEATS = 64


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


def _table(ctx: FacilityContext, code: str) -> Table:
    table = Table.objects.filter(facility=ctx.facility, code=code).first()
    if table is None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


# 2. Its owner


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
    return ActOutcome(CASE_ASSIGNED(case=case.code, owner=person.code), changes="nothing")


# 3. Notes, documents and cameras


MAX_REASON = 500
MAX_NOTE = 1000
SHA256 = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d", re.ASCII)


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
    return ActOutcome(CASE_NOTED(case=case.code, text=text), changes="nothing")


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
    return ActOutcome(
        CASE_DOCUMENT_ADDED(
            case=case.code,
            number=document.number,
            title=title,
            filename=filename,
            media_type=media_type,
            size=document.size,
            sha256=sha256,
        ),
        {"document": document.number},
        changes="nothing",
    )


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
    )  # fmt: skip
    return ActOutcome(
        CAMERA_SEEN(case=case.code, camera=camera, clip=clip, begins=begins, ends=ends, shows=shows),
        changes="nothing",
    )


# What it waits for


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
    places = outcome_places(case)
    if len(signed) >= len(places):
        return NextStep("Close", "Signed", "to be closed by compliance", person.role in COMPLIANCE)
    if waits_for := kind_of(case).waits_for(case):
        return NextStep(
            "Look into", "Waits", f"for the {waits_for}", person.role in COMPLIANCE | SURVEILLANCE
        )
    if kind_of(case).needs_camera and not case.cameras.all():
        return NextStep("Look into", "Camera not seen", "waits for surveillance", person.role in SURVEILLANCE)
    if signed:
        has_signed = any(signature.person_id == person.pk for signature in signed)
        missing = places[len(signed)]
        is_missing = f"{'a second signature' if missing.step else f'that of the {missing.post}'} is missing"
        detail = "somebody else's is missing" if has_signed else is_missing
        state = f"Signed by {', '.join(signature.person.short_name for signature in signed)}"
        return NextStep("Review and sign", state, detail, not has_signed and may_sign_outcome(case, person))
    detail = f"by {PEOPLE.get(len(places)) or f'{len(places)} people'}"
    return NextStep("Review and sign", "To be signed", detail, person.role in CASE_WORKERS)


def may_sign_outcome(case: Case, person: Person) -> bool:
    """Whether the next place of the outcome of a case is this person's to sign, whatever they did in the case."""
    missing = outcome_places(case)[len(signatures_of(case)) :]
    return bool(missing) and may_sign_as(case.facility.law, missing[0], nobody_at_post, person)


OUTCOME = "outcome"  # the paper: of whose list the people sign
PEOPLE = {1: "one person", 2: "two people"}


def outcome_places(case: Case) -> Sequence[SignerRow]:
    """Who signs the outcome of a case, in order: as many as its kind says, then further ones of its jurisdiction."""
    facility = case.facility
    places = [row for row in facility.law.signers(OUTCOME) if row.step][: kind_of(case).signatures]
    further = facility.law.further_signers(OUTCOME)
    opened = facility.gaming_day(case.opened_at) if further else None
    return [*places, *(row for row in further if row.since and opened and row.since <= opened)]


def signatures_of(case: Case) -> Sequence[CaseSignature]:
    """The signatures that count, in order."""
    return [signature for signature in case.signatures.all() if signature.counts]


# Moments and spans in words


def span_words(span: dt.timedelta) -> str:
    """`18 min`, `4 h 18 min`, `1 d 15 h`, `5 d`."""
    span = max(span, dt.timedelta())
    days, hours, minutes = span // DAY, span // HOUR % 24, span // MINUTE % 60
    if days >= 2:
        return f"{days} d"
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def due_words(due_at: dt.datetime, now: dt.datetime) -> str:
    """`in 4 h 18 min`, or `overdue by 20 min`."""
    return f"in {span_words(due_at - now)}" if due_at >= now else f"overdue by {span_words(now - due_at)}"


def moment_words(moment: dt.datetime, facility: Facility, now: dt.datetime) -> str:
    """`14:00` today, otherwise `Mon 23 Nov`."""
    local, today = facility.local(moment), facility.local(now).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%a} {local.day} {local:%b}"
