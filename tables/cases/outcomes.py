"""Outcome of a case: the letter that tells it to a patron, its signatures, and the end of the case.

1. Where the kind writes letters, compliance may write one (`write_case_letter`): to whom, what was found, outcome and
   reason. The facts of the round come from the record. An earlier letter no longer counts. The words name a patron, so
   no entry has them; their SHA-256 fixes them, and a full verification hashes them again.
2. Two people sign the same outcome, reason and sum (`sign_case_outcome`), one after the review of a slip. Neither acted
   in what the case is about, and one at least is not of table games. Each signs the letter too, if there is one: its
   SHA-256 comes with the signature, and it must not be older than the record of the round.
3. Compliance closes the case (`close_case`). What is paid by slip needs a slip about the round. The signed letter may
   be printed (`print_letter`), on the record.
4. Compliance may reopen it (`reopen_case`): signatures and letter no longer count.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypedDict, Unpack

from reportlab.platypus import Flowable, KeepTogether, Spacer

from audit.columns import FACILITY, SEQ, Body, Reading, Rows, declare
from audit.entry_types import ABSENT, entry_type
from audit.models import Entry
from audit.models.people import Department
from games.act_forms import text
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.facility_runner import Forbidden
from games.jurisdictions import roles_added_to
from games.kit import paper as pdf
from games.params import MOST_CENTS, Params, malformed
from games.separation.signatures import PAPER_SIGNED_NEXT_BY, may_sign_as, nobody_at_post, who_signs
from tables.alerts.calls import NO_WORDS
from tables.cases.case import (
    CASE,
    CASE_CLOSED,
    CASE_READINGS,
    CASE_REOPENED,
    CASE_WORKERS,
    COMPLIANCE,
    MAX_REASON,
    OUTCOME,
    OUTCOME_SIGNED,
    CaseEntry,
    NamedCase,
    OpenCase,
    open_case_by_code,
    outcome_places,
    signatures_of,
)
from tables.cases.kinds import BY_SLIP, GOODWILL, kind_of, outcome_words
from tables.core.entries import of_round
from tables.desk.desk import DeskContext, desk_act
from tables.desk.entries import local_date_and_time
from tables.desk.round_paper import OUTCOME_WORDS, round_paper
from tables.desk.sheets import section_in_words
from tables.models import Case, CaseLetter, CaseSignature, Slip
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act

CASE_IS_OPEN = RefusalCode(
    "case-is-open",
    "%(case)s is open and nobody has signed its outcome. There is nothing to reopen.",
    "Case open",
)
CASE_NO_SUCH_OUTCOME = RefusalCode(
    "case-no-such-outcome",
    "That is not an outcome of this kind of case. Choose one from the list.",
    "No such outcome",
)
CASE_GOODWILL_CENTS = RefusalCode(
    "case-goodwill-cents", "Say how much is paid for goodwill. Other outcomes name no sum.", "How much?"
)
CASE_SIGNED_ALREADY = RefusalCode(
    "case-signed-already", "You have signed %(case)s. Somebody else has to sign too.", "Already signed"
)
CASE_SIGNED_BY_TWO = RefusalCode(
    "case-signed-by-two",
    "%(case)s has every signature. Close it, or reopen it and say why.",
    "Signed by two",
)
CASE_SIGNED_OTHERWISE = RefusalCode(
    "case-signed-otherwise",
    "%(person)s has signed another outcome or reason. Sign the same, or reopen the case and say why.",
    "Signed otherwise",
)
CASE_SIGNER_ACTED = RefusalCode(
    "case-signer-acted",
    "You acted in what this case is about. Somebody who did not has to sign it.",
    "You acted in it",
)
CASE_SIGNER_OUTSIDE = RefusalCode(
    "case-signer-outside",
    "%(person)s belongs to table games too. The second signature must come from outside table games.",
    "Outside table games",
)
CASE_NOT_SIGNED = RefusalCode(
    "case-not-signed", "%(case)s has %(count)s of %(needed)s signatures. It can be closed when none is missing.",
    "Signature missing",
)  # fmt: skip
CASE_SLIP_MISSING = RefusalCode(
    "case-slip-missing",
    "No slip about round %(number)s has been filed. File it at the table, then close the case.",
    "Slip missing",
)
CASE_NOT_READY = RefusalCode(
    "case-not-ready", "%(case)s waits for the %(waits_for)s. Sign it after that.", "Not ready"
)
NO_LETTER_HERE = RefusalCode(
    "no-letter-here", "A letter answers a dispute. Write a note about %(case)s instead.", "No letter here"
)
LETTER_IS_SIGNED = RefusalCode(
    "letter-is-signed",
    "Somebody has signed %(case)s. Reopen it and say why, then write another letter.",
    "Signed already",
)
LETTER_NOT_READ = RefusalCode(
    "letter-not-read",
    "The letter of %(case)s was written since you opened the page. Reload the page and read it.",
    "Read the letter",
)
LETTER_SAYS_OTHERWISE = RefusalCode(
    "letter-says-otherwise",
    "The letter of %(case)s tells the patron another outcome or reason. Sign the same, or write another letter.",
    "Letter says otherwise",
)
LETTER_OUTDATED = RefusalCode(
    "letter-outdated",
    "The record of round %(number)s has grown since the letter was written. Write it again.",
    "Letter outdated",
)
LETTER_ROUND_DAMAGED = RefusalCode(
    "letter-round-damaged",
    "Round %(number)s cannot be verified: %(fault)s. Find out why before a patron is told about it.",
    "Round not verified",
)
LETTER_NOT_SIGNED = RefusalCode(
    "letter-not-signed",
    "%(case)s has no letter that two people have signed. It can be printed after that.",
    "Nothing to print",
)


# What is decided


def read_outcome(case: Case, params: Params) -> tuple[str, str, int]:
    """Return outcome, reason and cents. Raises `case-no-such-outcome` or `case-goodwill-cents`."""
    outcome = params.text("outcome", max_length=20)
    reason = params.text("reason", max_length=MAX_REASON)
    cents = params.integer("cents", 0, MOST_CENTS, default=0)
    if outcome not in kind_of(case).outcomes:
        raise Refusal(CASE_NO_SUCH_OUTCOME)
    if (outcome == GOODWILL) != (cents > 0):
        raise Refusal(CASE_GOODWILL_CENTS)
    return outcome, reason, cents


def has_slip(case: Case) -> bool:
    """Whether a slip about the round of a case was filed."""
    return Slip.objects.filter(table=case.table, round__number=case.round or 0).exists()


# What the record says of letters and signatures


@entry_type("case.letter_written")
def LETTER_WRITTEN(
    *,
    cents: Annotated[int | None, "what is paid for goodwill; null for any other outcome"],
    letter: Annotated[int, "number of the letter in its case"],
    outcome: Annotated[str, "code of the outcome that it tells the patron"],
    sha256: Annotated[str, "SHA-256 of its words, in hex"],
    **data: Unpack[CaseEntry],
) -> str:
    """A letter to the patron was written. An earlier one no longer counts.

    The words stay off the record: they name a patron. The SHA-256 fixes them.
    """
    return f"{data['case']}, letter {letter} to the patron written: {outcome_words(outcome)}"


@entry_type("letter.printed")
def LETTER_PRINTED(
    *,
    bytes: Annotated[int, "size of the file"],
    letter: Annotated[int, "number of the letter in its case"],
    sha256: Annotated[str, "SHA-256 of the PDF, in hex"],
    **data: Unpack[CaseEntry],
) -> str:
    """A person printed a signed letter to a patron."""
    return f"Letter {letter} of {data['case']} printed"


def _signed(rows: Rows, body: Body) -> None:
    case, signer = (FACILITY(body), body["data"]["case"]), body["actor"]
    rows.memory.setdefault(case, []).append(body["seq"])
    rows.put(body, *case, body["seq"], person=signer, signed_at=body["at"], counts=True)


def _signatures_void(rows: Rows, body: Body) -> None:
    case = FACILITY(body), body["data"]["case"]
    for seq in rows.memory.pop(case, ()):
        rows.put(body, *case, seq, counts=False)


declare(
    CaseSignature,
    "signature",
    key={**CASE, "seq": SEQ},
    folded={OUTCOME_SIGNED: _signed, CASE_REOPENED: _signatures_void},
    folded_columns=("person", "signed_at", "counts"),
    readings=CASE_READINGS,
)


def _written(rows: Rows, body: Body) -> None:
    data, case = body["data"], (FACILITY(body), body["data"]["case"])
    _letter_void(rows, body)
    rows.memory[case] = data["letter"]
    rows.put(
        body,
        *case,
        data["letter"],
        outcome=data["outcome"],
        cents=data["cents"],
        sha256=data["sha256"],
        words=data["sha256"],
        written_at=body["at"],
        written_by=body["actor"],
        seq=body["seq"],
        counts=True,
    )


def _letter_void(rows: Rows, body: Body) -> None:
    case = FACILITY(body), body["data"]["case"]
    newest = rows.memory.pop(case, None)
    if newest is not None:
        rows.put(body, *case, newest, counts=False)


WORDS_OF_LETTER = {
    "addressee": "addressee",
    "case": "case__code",
    "cents": "cents",
    "facility": "case__facility__code",
    "facts": "facts",
    "findings": "findings",
    "letter": "number",
    "outcome": "outcome",
    "reason": "reason",
    "says": "case__params",
}  # what its SHA-256 is of, and where a row has it


def words_sha256(*values: Any) -> str:
    """The SHA-256 of the words of a letter, in hex: of canonical JSON, with the case's own words.

    `values` are those of WORDS_OF_LETTER, in order; the last are the params of the case.
    """
    words = dict(zip(WORDS_OF_LETTER, (*values[:-1], values[-1].get("about", "")), strict=True))
    canonical = json.dumps(words, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


declare(
    CaseLetter,
    "letter",
    key={**CASE, "number": "letter"},
    folded={LETTER_WRITTEN: _written, CASE_REOPENED: _letter_void},
    folded_columns=("outcome", "cents", "sha256", "words", "written_at", "written_by", "seq", "counts"),
    readings={
        **CASE_READINGS,
        "words": Reading(
            tuple(WORDS_OF_LETTER.values()), words_sha256, ("addressee", "findings", "reason", "facts")
        ),
    },
)


# 1. The letter: its words, and the facts of the round that it states


class LetterWager(TypedDict):
    """A wager of the patron's seat, as the record settled it. Amounts are cents."""

    label: str
    stake_cents: int
    outcome: str
    why: str
    section: str
    paid_cents: int
    returned_cents: int


class LetterFacts(TypedDict):
    """What the record says of a round, in words, when a letter is written. `last` is its newest entry, `hash` in hex.

    Wagers, slips and `what_if` are those of the seat of the case; empty where it names none, because they would tell
    the patron what others wagered.
    """

    table: str
    round: int
    seat: int | None
    played: str
    rules: str
    dice: list[str]
    wagers: list[LetterWager]
    what_if: list[str]
    slips: list[str]
    sections: list[list[str]]
    stream: str
    last: int
    hash: str


def letter_facts(case: Case, moment: dt.datetime) -> LetterFacts | None:
    """Return what the record says of the round of a case; None where it names no round.

    Raises `letter-round-damaged` if the entries of the round are not as they were written, or settle otherwise.
    """
    if case.table is None or case.round is None:
        return None
    paper = round_paper(case.table, case.round, case.seat, moment=moment, printed_by="")
    if paper is None:
        return None
    if paper.faults:
        raise Refusal(LETTER_ROUND_DAMAGED, number=case.round, fault=paper.faults[0])
    rows = [row for row in paper.wagers if row.outcome != "struck"] if case.seat is not None else []
    sections = {row.cite: section_in_words(row.cite, row.code.partition(":")[0]) for row in rows if row.cite}
    return {
        "table": paper.table,
        "round": paper.number,
        "seat": case.seat,
        "played": paper.played,
        "rules": paper.rules,
        "dice": [
            f"Dice, {call.label[:1].lower()}{call.label[1:]}{', withdrawn' if call.is_withdrawn else ''}:"
            f" {' '.join(map(str, call.dice))}."
            for call in paper.calls
        ],
        "wagers": [
            {
                "label": f"{row.label}, play {row.play}" if row.play else row.label,
                "stake_cents": row.stake_cents,
                "outcome": OUTCOME_WORDS[row.outcome] + (f", {row.pays}" if row.pays else ""),
                "why": row.why,
                "section": row.section,
                "paid_cents": row.paid_cents,
                "returned_cents": row.returned_cents,
            }
            for row in rows
        ],
        "what_if": paper.what_if if case.seat is not None else [],
        "slips": paper.slips if case.seat is not None else [],
        "sections": [[cite, words] for cite, words in sorted(sections.items())],
        "stream": paper.stream,
        "last": paper.newest.seq,
        "hash": paper.newest.digest,
    }


def letter_sha256(letter: CaseLetter) -> str:
    """Return the SHA-256 of the words of a letter, in hex: of canonical JSON, with the case's own words."""
    case = letter.case
    return words_sha256(
        letter.addressee,
        case.code,
        letter.cents,
        case.facility.code,
        letter.facts,
        letter.findings,
        letter.number,
        letter.outcome,
        letter.reason,
        case.params,
    )


def letter_of(case: Case) -> CaseLetter | None:
    """Return the letter of a case that counts."""
    return case.letters.filter(counts=True).select_related("case__facility", "written_by").first()


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
    return ActOutcome(
        LETTER_WRITTEN(
            case=case.code, cents=letter.cents, letter=letter.number, outcome=outcome, sha256=letter.sha256
        ),
        {"letter": letter.number},
        changes="nothing",
    )


# 2. The signatures


def verify_signed_letter(case: Case, sha256: str, outcome: str, reason: str, cents: int) -> None:
    """Refuse a signature that does not fit the letter of the case. `sha256` is of the words that the person has read.

    Raises `letter-not-read`, `letter-says-otherwise`, or `letter-outdated` if the round got another entry.
    """
    letter = letter_of(case)
    if (letter.sha256 if letter else "") != sha256:
        raise Refusal(LETTER_NOT_READ, case=case.code)
    if letter is None:
        return
    if (letter.outcome, letter.reason, letter.cents or 0) != (outcome, reason, cents):
        raise Refusal(LETTER_SAYS_OTHERWISE, case=case.code)
    if letter.facts and case.table is not None:
        entries = of_round(case.table.stream, letter.facts["round"])
        if not entries or entries[-1].seq != letter.facts["last"]:
            raise Refusal(LETTER_OUTDATED, number=letter.facts["round"])


@facility_act(CASES, roles=CASE_WORKERS | roles_added_to(OUTCOME), step_up="office")
def sign_case_outcome(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Sign the outcome of a case. Two people sign the same outcome, sum and reason; one after the review of a slip.

    Neither of them acted in what the case is about, and one at least is not of table games. Where a letter was written,
    each signs it too, and sends the SHA-256 of its words. A jurisdiction may name further people, who sign after them.
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
    return ActOutcome(
        OUTCOME_SIGNED(
            case=case.code,
            outcome=outcome,
            reason=reason,
            cents=cents or None,
            signature=len(signed) + 1,
            letter=sha256 or ABSENT,
        ),
        {"signature": len(signed) + 1},
        changes="nothing",
    )


def _verify_signer(ctx: FacilityContext, case: Case, signed: list[CaseSignature]) -> None:
    if waits_for := kind_of(case).waits_for(case):
        raise Refusal(CASE_NOT_READY, case=case.code, waits_for=waits_for)
    if any(signature.person_id == ctx.actor.pk for signature in signed):
        raise Refusal(CASE_SIGNED_ALREADY, case=case.code)
    places = outcome_places(case)
    if len(signed) >= len(places):
        raise Refusal(CASE_SIGNED_BY_TWO, case=case.code)
    if ctx.actor.code in kind_of(case).actors(case):
        raise Refusal(CASE_SIGNER_ACTED)
    departments = {ctx.actor.department, *(signature.person.department for signature in signed)}
    if signed and departments == {Department.TABLE_GAMES}:
        raise Refusal(CASE_SIGNER_OUTSIDE, person=signed[0].person.name)
    place, law = places[len(signed)], case.facility.law
    if not may_sign_as(law, place, nobody_at_post, ctx.actor):
        who = {"person": ctx.actor.name, "who": who_signs(law, place)}
        raise Forbidden(PAPER_SIGNED_NEXT_BY, place.section, paper=case.code, post=place.post, **who)


# 3. The end


@facility_act(CASES, roles=COMPLIANCE, step_up="always")
def close_case(ctx: FacilityContext, *, case: OpenCase) -> ActOutcome:
    """Close a case that two people have signed. What is paid by slip needs a slip about the round."""
    count, needed = case.signatures.filter(counts=True).count(), len(outcome_places(case))
    if count < needed:
        raise Refusal(CASE_NOT_SIGNED, case=case.code, count=count, needed=needed)
    if case.outcome == BY_SLIP and not has_slip(case):
        raise Refusal(CASE_SLIP_MISSING, number=case.round or 0, case=case.code)
    case.status, case.closed_at, case.closed_by = Case.Status.CLOSED, ctx.now, ctx.actor
    case.closed_seq = ctx.stream.seq + 1
    case.save(update_fields=["status", "closed_at", "closed_by", "closed_seq"])
    return ActOutcome(CASE_CLOSED(case=case.code, outcome=case.outcome), changes="nothing")


# 4. Reopened


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
    return ActOutcome(CASE_REOPENED(case=case.code, reason=reason), changes="nothing")


# The letter as it is read: its words, who signed it, and their entries


@dataclass(frozen=True)
class LetterSigner:
    """A person who signed the letter, with the entry of the signature; `digest` is its hash in hex."""

    name: str
    role: str
    moment: str
    seq: int
    digest: str


@dataclass(frozen=True)
class LetterPaper:
    """A letter as it is read. Its signatures are those of the case, if the letter counts."""

    letter: CaseLetter

    @property
    def case(self) -> Case:
        return self.letter.case

    @property
    def facts(self) -> LetterFacts | None:
        facts: LetterFacts | None = self.letter.facts
        return facts

    @property
    def title(self) -> str:
        return f"Letter {self.letter.number}, case {self.case.code}"

    @property
    def heading(self) -> str:
        """What the letter answers."""
        if self.facts is None:
            return "Your dispute"
        seat = f", seat {self.facts['seat']}" if self.facts["seat"] else ""
        return f"Your dispute of round {self.facts['round']:,} at table {self.facts['table']}{seat}"

    @property
    def says(self) -> str:
        """What the record has of the dispute, with its moment."""
        about = str(self.case.params.get("about") or "").strip().rstrip(".")
        opened = " at ".join(local_date_and_time(self.case.opened_at, self.case.facility))
        complaint = "without words" if about in ("", NO_WORDS) else f"with these words: “{about}”"
        return f"Your dispute was recorded on {opened} as case {self.case.code}, {complaint}."

    @property
    def decision(self) -> str:
        """The outcome as a sentence for the patron."""
        letter = self.letter
        if letter.outcome == GOODWILL:
            return f"Without a finding about it, we pay {in_dollars(letter.cents or 0)} as goodwill."
        if letter.outcome == BY_SLIP:
            return "The round is corrected by slip. What the slip says is below."
        return "The round stands as it was settled." if self.facts else "What was decided stands."

    @property
    def camera(self) -> str:
        """Which recordings surveillance had looked at when the letter was written; "" for none."""
        cameras = self.case.cameras.filter(seen_at__lte=self.letter.written_at)
        names = [f"{row.camera}{f', clip {row.clip}' if row.clip else ''}" for row in cameras]
        return f"Surveillance looked at the recording of camera {'; '.join(names)}." if names else ""

    @cached_property
    def signers(self) -> list[LetterSigner]:
        """The people who signed it. Nobody signed a letter that no longer counts."""
        if not self.letter.counts:
            return []
        case, signatures = self.case, signatures_of(self.case)
        entries = Entry.objects.filter(
            stream__name=f"{case.facility.code}/{CASES}", seq__in=[signature.seq for signature in signatures]
        )
        digests = {entry.seq: bytes(entry.hash).hex() for entry in entries}
        return [
            LetterSigner(
                signature.person.name,
                signature.person.get_role_display().lower(),
                ", ".join(local_date_and_time(signature.signed_at, case.facility)),
                signature.seq,
                digests.get(signature.seq, ""),
            )
            for signature in signatures
        ]

    @property
    def is_signed(self) -> bool:
        """Whether nobody is missing."""
        return self.letter.counts and len(self.signers) >= len(outcome_places(self.case))

    @property
    def missing(self) -> int:
        """How many signatures are missing."""
        return max(0, len(outcome_places(self.case)) - len(self.signers))

    @property
    def date(self) -> str:
        """The day of the last signature; "" while one is missing."""
        if not self.is_signed:
            return ""
        local = self.case.facility.local(signatures_of(self.case)[-1].signed_at)
        return f"{local:%B} {local.day}, {local.year}"

    @property
    def stream(self) -> str:
        """The stream of the signatures."""
        return f"{self.case.facility.code}/{CASES}"


# The letter as it is laid out, on its page and on paper


NO_BREAK = "\u00a0"


class LetterText(NamedTuple):
    """A paragraph. `look`: address, date, title, heading, body, decision or small."""

    look: str
    text: str


class LetterTable(NamedTuple):
    """A table. `widths`: of its columns on paper, in percent; `numbers`: which columns are numbers, from 0.

    `is_named`: the first column names its row.
    """

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    widths: tuple[int, ...]
    numbers: tuple[int, ...] = ()
    is_named: bool = True


LetterPart = LetterText | LetterTable


def letter_parts(paper: LetterPaper) -> Iterator[list[LetterPart]]:
    """The parts of a letter from top to bottom, in groups that stay together on paper."""
    letter = paper.letter
    yield [LetterText("address", letter.addressee)]
    yield [LetterText("date", f"{paper.date or 'Dated when it is signed'}, case {paper.case.code}")]
    yield [LetterText("title", paper.heading)]
    yield [LetterText("body", paper.says)]
    yield [LetterText("heading", "What we found")]
    yield [LetterText("body", letter.findings)]
    if paper.camera:
        yield [LetterText("body", paper.camera)]
    yield [
        LetterText("heading", "Our decision"),
        LetterText("decision", paper.decision),
        LetterText("body", letter.reason),
    ]
    if paper.facts is not None:
        yield from ([part] for part in _round_parts(paper.facts))
    yield list(_signature_parts(paper))


def _round_parts(facts: LetterFacts) -> Iterator[LetterPart]:
    yield LetterText("heading", "The round, from the record")
    yield LetterTable(
        ("Played", "Game and rules"), [(facts["played"], facts["rules"])], (45, 55), is_named=False
    )
    yield LetterText("body", " ".join(facts["dice"]) or "No dice were called.")
    if facts["wagers"]:
        rows = [
            (
                wager["label"],
                in_dollars(wager["stake_cents"]),
                wager["outcome"],
                wager["why"],
                wager["section"].replace(" ", NO_BREAK),
                in_dollars(wager["paid_cents"]),
                in_dollars(wager["returned_cents"]),
            )
            for wager in facts["wagers"]
        ]
        head = ("Wager", "Stake", "Outcome", "Why", "Section", "Paid", "Returned")
        yield LetterTable(head, rows, (21, 10, 15, 24, 18, 11, 12), numbers=(1, 5, 6))
    for sentences in (facts["what_if"], facts["slips"]):
        if sentences:
            yield LetterText("body", " ".join(sentences))
    for cite, words in facts["sections"]:
        yield LetterText("small", f"{cite}: {words}" if words else cite)


def _signature_parts(paper: LetterPaper) -> Iterator[LetterPart]:
    letter, facts = paper.letter, paper.facts
    yield LetterText("heading", f"Signed on the record, {paper.stream}")
    if paper.signers:
        rows = [
            (f"{signer.name}, {signer.role}", signer.moment, f"{signer.seq:,}", signer.digest[:16])
            for signer in paper.signers
        ]
        head = ("Signed by", "When", "Entry", "Hash begins")
        yield LetterTable(head, rows, (35, 33, 10, 22), numbers=(2, 3))
    else:
        yield LetterText("body", "By nobody yet." if letter.counts else "By nobody.")
    about_round = (
        f" The facts of the round are those up to entry {facts['last']:,} of {facts['stream']}, whose hash is"
        f" {facts['hash']}."
        if facts
        else ""
    )
    yield LetterText(
        "small",
        f"The words of this letter are fixed by SHA-256 {letter.sha256}, in entry {letter.seq:,}"
        f" of {paper.stream}.{about_round}",
    )


def letter_pdf(paper: LetterPaper) -> bytes:
    """The PDF of a signed letter: US Letter, black on white, and the same bytes for the same letter."""
    story: list[Flowable] = []
    for group in letter_parts(paper):
        drawn = [flowable for part in group for flowable in _on_paper(part)]
        story += [KeepTogether(drawn)] if len(group) > 1 else drawn
    return pdf.render(
        story,
        title=paper.title,
        facility_name=paper.case.facility.name,
        approved=f"{paper.case.code}, letter {paper.letter.number}, signed {paper.date}",
    )


LOOKS_ON_PAPER = {"address": "body", "date": "body", "decision": "body"}
SPACE_AFTER = {"address": 6, "date": 4}  # points


def _on_paper(part: LetterPart) -> Iterator[Flowable]:
    looks = pdf.styles()
    if isinstance(part, LetterTable):
        rows: list[list[pdf.Cell]] = [list(part.head)]
        rows += [
            [pdf.text(name, looks["strong"]) if part.is_named else name, *others]
            for name, *others in part.rows
        ]
        yield pdf.table(rows, part.widths, numbers=part.numbers)
        return
    yield pdf.text(part.text, looks[LOOKS_ON_PAPER.get(part.look, part.look)])
    if part.look in SPACE_AFTER:
        yield Spacer(1, SPACE_AFTER[part.look])


@desk_act(roles=COMPLIANCE, step_up="always")
def print_letter(ctx: DeskContext, *, case: NamedCase) -> ActOutcome:
    """Make the signed letter of a case as a PDF for download, and record its SHA-256. Raises `letter-not-signed`."""
    letter = letter_of(case)
    paper = LetterPaper(letter) if letter else None
    if paper is None or not paper.is_signed:
        raise Refusal(LETTER_NOT_SIGNED, case=case.code)
    content = letter_pdf(paper)
    sha256 = hashlib.sha256(content).hexdigest()
    entry = LETTER_PRINTED(bytes=len(content), case=case.code, letter=paper.letter.number, sha256=sha256)
    return ActOutcome(entry, {"sha256": sha256})
