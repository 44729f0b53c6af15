"""Pages of one case and of its letter: its steps, its timeline from the record, and the round that it is about.

The round is replayed from the record now (`CaseRound`), and checked against its entries.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from audit.identity import Denied
from audit.models import Entry, Person
from games.access import opened_by
from games.kit.files import file_response
from games.models import Facility
from tables.cases.bookmarks import bookmarks_of
from tables.cases.case import (
    CASE_PAGES,
    CASE_WORKERS,
    COMPLIANCE,
    SURVEILLANCE,
    due_words,
    may_sign_outcome,
    moment_words,
    outcome_places,
    signatures_of,
)
from tables.cases.inbox import CaseRow, case_row, inbox_context
from tables.cases.kinds import CaseKind, kind_of, outcome_words
from tables.cases.outcomes import LETTER_PRINTED, LetterPaper, letter_of, letter_parts, letter_pdf
from tables.core.entries import RecordedEntry, of_round
from tables.desk.desk import may_export, own_recent_entry, recorded_copy
from tables.desk.entries import EntryRow, entry_rows, entry_url, local_date_and_time
from tables.models import (
    Assignment,
    Bookmark,
    CameraReference,
    Case,
    CaseDocument,
    CaseLetter,
    CaseSignature,
    Slip,
)
from tables.replay.evidence import Evidence, evidence_of
from tables.replay.history import RoundHistory, WagerRow, layout_snapshot
from tables.replay.replayed_round import SETTLING_TYPES
from tables.rules import recorded_submission
from tables.runner.facility import CASES
from tables.words.entries import data_of

CASE_TYPES = "case."


@dataclass(frozen=True)
class CaseStep:
    """A stage of a case: done, now, or still to come (the empty state)."""

    label: str
    detail: str
    state: str


@dataclass(frozen=True)
class TimelineRow:
    """An entry about the case. `own`: it is of the case's own stream, and otherwise of its table."""

    moment: dt.datetime
    time: str
    words: str
    people: str
    seq: int
    url: str
    own: bool


class CaseRound:
    """The round that a case is about, replayed from the record now."""

    def __init__(self, case: Case) -> None:
        assert case.table is not None and case.round is not None
        self.case, self.table, self.number = case, case.table, case.round
        self.entries: Sequence[RecordedEntry] = of_round(self.table.stream, case.round)
        self.history = RoundHistory(
            case.facility.code, self.entries, submission=recorded_submission(self.table.stream_id)
        )

    @cached_property
    def evidence(self) -> Evidence:
        """The chain and the seal of its entries."""
        return evidence_of(self.table.stream, self.history.entries)

    @property
    def is_sound(self) -> bool:
        """Whether the entries are as they were written, and settle as recorded."""
        return self.evidence.holds and not self.history.differences and self.history.current_round is not None

    @cached_property
    def snapshot(self) -> Any:
        """The layout after the last settlement, as the floor's templates read it; None where it cannot be drawn."""
        places = [step.place for step in self.history.steps if step.entry.type in SETTLING_TYPES]
        replayed = self.history.round_after(places[-1] if places else len(self.history.steps) - 1)
        return layout_snapshot(replayed, self.table.seats) if replayed and replayed.has_begun else None

    @property
    def thrown(self) -> list[int]:
        """The dice of the newest throw, as the game arranges them."""
        replayed = self.history.current_round
        return list(replayed.game.arranged(replayed.throws[-1])) if replayed and replayed.throws else []

    @property
    def first_call(self) -> list[int]:
        """The dice as they were first entered, where they were corrected."""
        corrected = [row.dice[0] for row in self.history.corrections if row.dice]
        return corrected[0] if corrected else []

    @property
    def wagers(self) -> list[WagerRow]:
        """The wagers of the case's seat; those of every seat where it names none."""
        return [row for row in self.history.wager_rows if self.case.seat in (None, row.seat)]

    @property
    def staked_cents(self) -> int:
        return sum(row.stake_cents for row in self.wagers if row.outcome != "struck")

    @property
    def paid_cents(self) -> int:
        return sum(row.paid_cents for row in self.wagers if row.outcome != "struck")


@dataclass
class CasePage:
    """What the page of a case shows, as one person sees it at one moment."""

    case: Case
    person: Person
    now: dt.datetime

    @property
    def facility(self) -> Facility:
        return self.case.facility

    @property
    def kind(self) -> CaseKind:
        return kind_of(self.case)

    @cached_property
    def row(self) -> CaseRow:
        return case_row(self.case, self.person, self.now)

    @cached_property
    def round(self) -> CaseRound | None:
        """The round that it is about, if the record has it."""
        if self.case.table is None or self.case.round is None:
            return None
        round_ = CaseRound(self.case)
        return round_ if round_.entries else None

    @cached_property
    def signatures(self) -> Sequence[CaseSignature]:
        return signatures_of(self.case)

    @cached_property
    def cameras(self) -> Sequence[CameraReference]:
        return list(self.case.cameras.select_related("seen_by"))

    @cached_property
    def bookmarks(self) -> Sequence[Bookmark]:
        """The moments of video that a surveillance system marked of this case or its round."""
        return list(bookmarks_of(self.case, [*self.round.entries] if self.round else []))

    @property
    def missing_signatures(self) -> range:
        """The numbers of the signatures that are missing."""
        return range(len(self.signatures) + 1, self.needed + 1)

    @cached_property
    def needed(self) -> int:
        """How many people sign the outcome."""
        return len(outcome_places(self.case))

    @cached_property
    def letter(self) -> LetterPaper | None:
        """The letter that counts."""
        letter = letter_of(self.case) if self.kind.writes_letters else None
        return LetterPaper(letter) if letter else None

    @cached_property
    def earlier_letters(self) -> Sequence[CaseLetter]:
        """Letters that no longer count."""
        return list(self.case.letters.filter(counts=False)) if self.kind.writes_letters else []

    @property
    def may_write(self) -> bool:
        """Whether the act would take a letter by this person now."""
        is_unsigned = self._is_open and not self.signatures
        return is_unsigned and self.kind.writes_letters and self.person.role in COMPLIANCE

    @property
    def prints_letter(self) -> bool:
        """Whether this person may print the letter, which every signature is under."""
        return self.letter is not None and self.letter.is_signed and self.person.role in COMPLIANCE

    @property
    def print_letter_url(self) -> str:
        """The address of the act that records a printed letter."""
        return reverse("desk-act", args=[self.facility.code, "print_letter"])

    @property
    def printed_letter_url(self) -> str:
        """The address of a recorded letter, with 0 in place of its SHA-256."""
        number = self.letter.letter.number if self.letter else 0
        return reverse("case-letter-pdf", args=[self.facility.code, self.case.code, number, "0"])

    @property
    def decided(self) -> Case | CaseLetter | None:
        """What gives outcome, reason and sum of the next signature: the first signature, or the letter."""
        if self.case.outcome:
            return self.case
        return self.letter.letter if self.letter else None

    @property
    def outcome(self) -> str:
        return outcome_words(self.decided.outcome) if self.decided else ""

    @property
    def quote(self) -> str:
        """What the patron or a colleague says, in their words."""
        return str(self.case.params.get("about", ""))

    @property
    def may_sign(self) -> bool:
        """Whether the act would take this person's signature now."""
        has_signed = any(signature.person_id == self.person.pk for signature in self.signatures)
        return (
            self._is_open
            and may_sign_outcome(self.case, self.person)
            and not has_signed
            and not self.waits_for
            and not self.acted
        )

    @cached_property
    def acted(self) -> bool:
        """Whether this person acted in what the case is about."""
        return self.person.code in self.kind.actors(self.case)

    @cached_property
    def waits_for(self) -> str:
        """What has to be done elsewhere before anybody signs, in words."""
        return self.kind.waits_for(self.case) if self._is_open else ""

    @property
    def signed_label(self) -> str:
        return {1: "Signed", 2: "Signed by two"}.get(self.needed) or f"Signed by {self.needed}"

    @property
    def may_take(self) -> bool:
        return self._is_open and self.case.owner is None and self.person.role in CASE_WORKERS

    @property
    def may_close(self) -> bool:
        return self._is_open and len(self.signatures) >= self.needed and self.person.role in COMPLIANCE

    @property
    def may_reopen(self) -> bool:
        return self.person.role in COMPLIANCE and (not self._is_open or bool(self.signatures))

    @property
    def may_see_camera(self) -> bool:
        return self._is_open and self.person.role in SURVEILLANCE

    @property
    def may_assign(self) -> bool:
        return self._is_open and self.person.role in COMPLIANCE

    @property
    def _is_open(self) -> bool:
        return self.case.status == Case.Status.OPEN

    @cached_property
    def steps(self) -> list[CaseStep]:
        """The stages of the case; the first that is not done is the present one."""
        case, signed = self.case, self.signatures
        stages = [
            ("Opened", self._when(case.opened_at, case.opened_by, "by its rule"), True),
            ("Taken", case.owner.short_name if case.owner else "by somebody", case.owner is not None),
        ]
        if self.kind.needs_camera:
            cameras = self.cameras
            detail = self._when(cameras[-1].seen_at, cameras[-1].seen_by) if cameras else "by surveillance"
            stages.append(("Camera seen", detail, bool(cameras)))
        if self.round is not None:
            detail = "now, no difference" if self.round.is_sound else "now, it differs"
            stages.append(("Round checked", detail, self.round.is_sound))
        if self.waits_for:
            stages.append(("Slip reviewed", "on the round's page", False))
        if self.letter is not None:
            written = self.letter.letter
            stages.append(("Letter written", self._when(written.written_at, written.written_by), True))
        needed = self.needed
        stages.append((self.signed_label, f"{len(signed)} of {needed}", len(signed) >= needed))
        due = moment_words(case.due_at, self.facility, self.now)
        closed = self._when(case.closed_at, case.closed_by) if case.closed_at else f"by {due}"
        stages.append(("Closed", closed, not self._is_open))
        current = next((place for place, stage in enumerate(stages) if not stage[2]), len(stages))
        return [
            CaseStep(label, detail, "done" if is_done else "now" if place == current else "")
            for place, (label, detail, is_done) in enumerate(stages)
        ]

    @property
    def due_in(self) -> str:
        return due_words(self.case.due_at, self.now)

    @property
    def due(self) -> str:
        return moment_words(self.case.due_at, self.facility, self.now)

    @cached_property
    def timeline(self) -> list[tuple[str, list[TimelineRow]]]:
        """The entries of the round and of the case in the order of time, by local day."""
        rows = sorted([*self._round_rows(), *self._own_rows()], key=lambda row: row.moment)
        days: dict[str, list[TimelineRow]] = {}
        for row in rows:
            day, _time = local_date_and_time(row.moment, self.facility)
            days.setdefault(day, []).append(row)
        return list(days.items())

    @cached_property
    def slips(self) -> list[Slip]:
        """The slips about the round."""
        if self.case.table is None or self.case.round is None:
            return []
        return list(
            Slip.objects.filter(table=self.case.table, round__number=self.case.round).order_by("number")
        )

    @property
    def replay_url(self) -> str:
        """The page of the round."""
        if self.round is None:
            return ""
        return reverse("replay", args=[self.facility.code, self.round.table.code, self.round.number])

    @property
    def prints(self) -> bool:
        """Whether this person may take the report of the round out of the casino."""
        return self.round is not None and may_export(self.person)

    @property
    def print_url(self) -> str:
        """The address of the act that records a printed report."""
        return reverse("desk-act", args=[self.facility.code, "print_round"])

    @property
    def sheets_url(self) -> str:
        """The address of the act that requests the sheets of the round."""
        return reverse("desk-act", args=[self.facility.code, "ask_sheets"])

    @property
    def printed_url(self) -> str:
        """The address of a recorded report, with 0 in place of its SHA-256."""
        if self.round is None:
            return ""
        return reverse(
            "record-round-pdf", args=[self.facility.code, self.round.table.code, self.round.number, "0"]
        )

    def _round_rows(self) -> list[TimelineRow]:
        if self.round is None:
            return []
        table, history = self.round.table, self.round.history
        return [
            self._timeline_row(
                dt.datetime.fromisoformat(step.entry.at),
                step.text,
                step.detail,
                step.entry.seq,
                table.stream.name,
            )
            for step in history.steps
        ]

    def _own_rows(self) -> list[TimelineRow]:
        stream = f"{self.facility.code}/{CASES}"
        entries = Entry.objects.filter(stream__name=stream, type__startswith=CASE_TYPES)
        entries = entries.filter(seq__gte=self.case.opened_seq).select_related("stream").order_by("seq")
        own = [entry for entry in entries if _names(data_of(entry), self.case)]
        return [self._own_row(row) for row in entry_rows(own, self.facility)]

    def _own_row(self, row: EntryRow) -> TimelineRow:
        words = row.words.removeprefix(f"{self.case.code} ").removeprefix(f"{self.case.code}, ")
        people = ", ".join(row.people) or "by its rule"
        return TimelineRow(
            row.entry.at, row.time, words[:1].upper() + words[1:], people, row.entry.seq, row.url, True
        )

    def _timeline_row(
        self, moment: dt.datetime, words: str, people: str, seq: int, stream: str
    ) -> TimelineRow:
        time = f"{self.facility.local(moment):%H:%M:%S}"
        return TimelineRow(moment, time, words, people, seq, entry_url(stream, seq, self.facility), False)

    def _when(self, moment: dt.datetime, person: Person | None, nobody: str = "") -> str:
        local = self.facility.local(moment)
        return f"{local:%a %H:%M}, {person.short_name if person else nobody}"


def _names(data: Mapping[str, Any], case: Case) -> bool:
    return data.get("case") == case.code


# The pages and the documents


LETTER_CHANGED = "A name or a case that this letter prints has changed since. Print it again."


@require_GET
@opened_by(CASE_PAGES)
def case_page(request: HttpRequest, person: Person, facility: Facility, case: str) -> HttpResponse:
    """Show a case: what is said, what is recorded, what is decided."""
    context = inbox_context(person, facility, "")
    row = _case(facility, case)
    page = CasePage(row, person, context["now"])
    context |= {
        "page": page,
        "case": row,
        "round": page.round,
        "documents": row.documents.defer("content").select_related("added_by"),
        "notes": row.notes.select_related("written_by"),
        "owners": _possible_owners(facility) if page.may_assign else (),
        **_wagers_context(page),
    }
    return render(request, "cases/case.html", context)


@require_GET
@opened_by(CASE_PAGES)
def case_document(
    request: HttpRequest, _person: Person, facility: Facility, case: str, number: int
) -> HttpResponse:
    """Download a document of a case. It is never shown in place, so nothing in it runs."""
    row = CaseDocument.objects.filter(case=_case(facility, case), number=number).first()
    if row is None:
        raise Http404
    ending = row.filename.rpartition(".")[2].lower()
    return file_response(bytes(row.content), f"{case}-{number}.{ending}", row.media_type, is_foreign=True)


@require_GET
@opened_by(CASE_PAGES)
def letter_page(
    request: HttpRequest, person: Person, facility: Facility, case: str, number: int
) -> HttpResponse:
    """Show a letter to a patron as it is printed, and what is missing."""
    row = _case(facility, case)
    letter_ = row.letters.filter(number=number).select_related("written_by").first()
    if letter_ is None:
        raise Http404
    letter_.case = row
    context = inbox_context(person, facility, "")
    paper = LetterPaper(letter_)
    context |= {
        "page": CasePage(row, person, context["now"]),
        "case": row,
        "paper": paper,
        "parts": list(letter_parts(paper)),
    }
    return render(request, "cases/letter.html", context)


@require_GET
@opened_by(CASE_PAGES)
def letter_file(
    request: HttpRequest, person: Person, facility: Facility, case: str, number: int, digest: str
) -> HttpResponse:
    """Make the recorded PDF of a letter again, and serve it if it has the SHA-256 that was recorded."""
    letter_ = CaseLetter.objects.filter(case__facility=facility, case__code=case, number=number).first()
    expected = {"case": case, "letter": number, "sha256": digest}
    if letter_ is None or not own_recent_entry(person, facility, LETTER_PRINTED.name, expected):
        raise Denied
    letter_.case = _case(facility, case)
    content = letter_pdf(LetterPaper(letter_))
    name = f"{facility.code}-{case}-letter-{number}.pdf"
    return recorded_copy(content, digest, name, "application/pdf", LETTER_CHANGED)


def _case(facility: Facility, code: str) -> Case:
    rows = Case.objects.filter(facility=facility, code=code).prefetch_related("signatures__person", "cameras")
    row = rows.select_related(
        "facility", "owner", "opened_by", "closed_by", "table__stream", "table__facility"
    ).first()
    if row is None:
        raise Http404
    return row


def _possible_owners(facility: Facility) -> list[Person]:
    """The people on duty who may work on cases."""
    on_duty = Assignment.objects.at_facility(facility).values("person")
    return list(Person.objects.filter(pk__in=on_duty, role__in=CASE_WORKERS, is_active=True).order_by("name"))


def _wagers_context(page: CasePage) -> dict[str, Any]:
    """What the replay's layout reads."""
    if page.round is None:
        return {"s": None}
    return {"s": page.round.snapshot, "history": page.round.history}


urlpatterns = [
    path("inbox/<slug:facility>/<slug:case>/", case_page, name="case"),
    path("inbox/<slug:facility>/<slug:case>/letters/<int:number>/", letter_page, name="case-letter"),
    path(
        "inbox/<slug:facility>/<slug:case>/letters/<int:number>/<slug:digest>.pdf",
        letter_file,
        name="case-letter-pdf",
    ),
    path("inbox/<slug:facility>/<slug:case>/documents/<int:number>", case_document, name="case-document"),
]
