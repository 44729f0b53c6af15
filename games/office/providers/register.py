"""The register of service providers: each one's file, certifications, and who must be found qualified with it.

A provider of the class that chapter 528 covers is registered, investigated and listed, and notes are added to its file.
How long a certification lasts, and whether it may trade on a day, follows from §§ 528.4 and 528.8; who must be found
qualified, from § 528.3. Shares are in basis points.

Days are gaming days of the facility. What ends on a day may be dealt until 06:00 local time of that day, when the
previous gaming day ends. Callers pass the rows, so that one query serves many providers.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, TypedDict, Unpack, overload

from audit.columns import AT, FACILITY, NONE, Body, Reading, Rows, declare, document_code, plain, same
from audit.entry_types import entry_type
from games.act_forms import Code, Day, OptionalDay, Text, found, text, whole
from games.engine import Refusal, RefusalCode
from games.facility_runner import next_code
from games.jurisdictions import Jurisdiction
from games.models import Application, Facility, InterimPermission, Provider, ProviderNote, Qualifier, Service
from games.models.providers import NoteKind
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import DocumentReference, FiledDocument, OptionalDocument, document_reference

DutyName = Literal["officer", "director", "owner", "salesperson", "votes", "named"]


class ProviderEntry(TypedDict):
    """The provider that an entry is about."""

    provider: str


# Entries


@entry_type("provider.registered")
def PROVIDER_REGISTERED(
    *,
    name: Annotated[str, "name of the provider"],
    game: Annotated[str, "the table game that the innovation is for, in words"],
    innovation: Annotated[str, "what the provider supplies, in words"],
    patent: Annotated[str, "number of the patent or of the pending application"],
    no_other_license: Annotated[Literal[True], "that the provider needs no other license"],
    **data: Unpack[ProviderEntry],
) -> None:
    """A provider was registered."""


@entry_type("provider.investigated")
def PROVIDER_INVESTIGATED(
    *,
    on: Annotated[str, "the day on which the investigation was concluded"],
    report: Annotated[DocumentReference, "the report: code of the document and SHA-256 of its bytes"],
    adverse: Annotated[str | None, "the adverse finding, in words; null if there is none"],
    **data: Unpack[ProviderEntry],
) -> None:
    """The casino investigated a provider."""


@entry_type("provider.listed")
def PROVIDER_LISTED(
    *,
    on: Annotated[str | None, "the day since which it is listed; null: it is no longer listed"],
    **data: Unpack[ProviderEntry],
) -> None:
    """A provider was put on the regulator's list of providers, or taken off."""


@entry_type("provider.noted")
def PROVIDER_NOTED(
    *,
    note: Annotated[int, "number of the note"],
    kind: Annotated[NoteKind, "what the note is about"],
    on: Annotated[str, "the day of the request or event"],
    text: Annotated[str, "the note, in a person's words"],
    due_on: Annotated[str | None, "the day by which it must be answered, met or reported; null: no day"],
    done_on: Annotated[str | None, "the day on which it was answered, met or reported; null: still open"],
    document: DocumentReference | None,
    **data: Unpack[ProviderEntry],
) -> None:
    """A note about a provider was made."""


@entry_type("provider.note_closed")
def PROVIDER_NOTE_CLOSED(
    *,
    note: Annotated[int, "number of the note"],
    kind: Annotated[NoteKind, "what the note is about"],
    asked_on: Annotated[str, "the day of the request or event"],
    done_on: Annotated[str, "the day on which it was answered, met or reported"],
    document: DocumentReference | None,
    **data: Unpack[ProviderEntry],
) -> None:
    """A note about a provider was closed."""


# Refusals


CHAPTER_528_IS_NOT_HERE = RefusalCode(
    "chapter-528-is-not-here",
    "%(facility)s is in a jurisdiction without this certification. Nothing was recorded.",
    "Not in this state",
)


PROVIDER_WITHOUT_INNOVATION = RefusalCode(
    "provider-without-innovation",
    "Say what %(name)s adds to the game. A provider that adds nothing new needs no certification of "
    "this kind.",
    "Not of this class",
)


PROVIDER_WITHOUT_PATENT = RefusalCode(
    "provider-without-patent",
    "Enter the number of %(name)s's patent, or of its pending application. A provider with neither "
    "is not in this class.",
    "Not of this class",
)


PROVIDER_LICENSED_OTHERWISE = RefusalCode(
    "provider-licensed-otherwise",
    "This certification is for providers that need no other license. If %(name)s needs one, file it "
    "under that license; if not, confirm it.",
    "Not of this class",
)


NO_SUCH_PROVIDER = RefusalCode("no-such-provider", "No provider %(code)s is on file.", "No such provider")


PROVIDER_NOT_INVESTIGATED = RefusalCode(
    "provider-not-investigated",
    "%(name)s has not been investigated. Record your investigation first.",
    "Not investigated",
)


PROVIDER_ADVERSE = RefusalCode(
    "provider-adverse",
    "The investigation of %(name)s has an adverse finding: %(finding)s. Nothing can be linked or "
    "filed until a new investigation clears it.",
    "Adverse finding",
)


DAY_TO_COME = RefusalCode(
    "day-to-come",
    "%(on)s is in the future. Record it after it has happened.",
    "Future day",
)


OWNERSHIP_WITHOUT_PAPERS = RefusalCode(
    "ownership-without-papers",
    "Attach the papers that show who owns %(name)s.",
    "Papers missing",
)


DONE_BEFORE_ASKED = RefusalCode(
    "done-before-asked",
    "It was noted on %(on)s and cannot have been done earlier. Check the day.",
    "Days do not agree",
)


NO_SUCH_NOTE = RefusalCode("no-such-note", "There is no such note on file.", "No such note")


NOTE_DONE_ALREADY = RefusalCode("note-done-already", "This was already done on %(on)s.", "Already done")


NO_APPLICATION_FILED = RefusalCode(
    "no-application-filed",
    "%(name)s has no application waiting for a decision. File one first.",
    "Not applied for",
)


# Certifications


TERM_YEARS = 4
RENEWAL_DAYS = 60
FIRST, RENEWAL = Application.Kind.FIRST, Application.Kind.RENEWAL


def certification_end(approved_on: dt.date) -> dt.date:
    """Return the first day without certification: four years after the approval (§ 528.4(a)).

    An approval on February 29 ends on February 28 of a year without a 29th.
    """
    try:
        return approved_on.replace(year=approved_on.year + TERM_YEARS)
    except ValueError:
        return approved_on.replace(year=approved_on.year + TERM_YEARS, day=28)


def renewal_due_on(ends: dt.date) -> dt.date:
    """Return the last day on which a renewal is on time: 60 days before the end (§ 528.4(b))."""
    return ends - dt.timedelta(days=RENEWAL_DAYS)


@dataclass(frozen=True)
class Certification:
    """Whether a provider is certified on a day.

    `state`: none, pending (a first application is undecided), certified, continued (past its end, while a renewal is
    undecided), ended or denied. `ends` is the first day without certification; None while it continues until the
    Board decides.
    """

    state: str
    since: dt.date | None = None
    ends: dt.date | None = None
    renewal: Application | None = None

    @property
    def holds(self) -> bool:
        """Return whether the provider is certified on that day."""
        return self.state in ("certified", "continued")

    def days_left(self, day: dt.date) -> int | None:
        """Return the days until the certification ends, or None if it has no known end."""
        return (self.ends - day).days if self.state == "certified" and self.ends else None

    def renewal_due(self) -> dt.date | None:
        """Return the last day to file a renewal, or None if no renewal is due."""
        return renewal_due_on(self.ends) if self.state == "certified" and self.ends else None

    def is_renewal_late(self, day: dt.date) -> bool:
        """Return whether the renewal is overdue: not filed by the 60th day before the end."""
        due = self.renewal_due()
        return due is not None and self.renewal is None and day > due


def certification_on(facility: Facility, applications: Sequence[Application], day: dt.date) -> Certification:
    """Return a provider's certification on a day, given all its applications."""
    granted = [
        application
        for application in applications
        if application.granted and application.decided_on and application.decided_on <= day
    ]
    if not granted:
        return _uncertified(applications, day)
    newest = max(granted, key=lambda application: (application.decided_on, application.pk))
    since, ends = newest.decided_on, newest.ends_on
    assert ends is not None
    renewal = _renewal_of(facility, applications, newest)
    if day < ends:
        waiting = renewal if renewal and _is_pending(renewal, day) else None
        return Certification("certified", since, ends, waiting)
    if renewal is not None and _is_pending(renewal, day):
        return Certification("continued", since, None, renewal)
    return Certification("ended", since, _end_after_renewal(ends, renewal))


def _uncertified(applications: Sequence[Application], day: dt.date) -> Certification:
    if any(application.filed_at and _is_pending(application, day) for application in applications):
        return Certification("pending")
    denied = any(
        application.granted is False and application.decided_on and application.decided_on <= day
        for application in applications
    )
    return Certification("denied" if denied else "none")


def _renewal_of(
    facility: Facility, applications: Sequence[Application], newest: Application
) -> Application | None:
    """Return the newest renewal that was filed, with its fee, after this approval and before its end (§ 528.4(c))."""
    assert newest.decided_on is not None and newest.ends_on is not None
    filed = [
        application
        for application in applications
        if application.kind == RENEWAL
        and application.pk != newest.pk
        and application.filed_at
        and newest.decided_on <= filed_on(facility, application.filed_at) < newest.ends_on
    ]
    return max(filed, key=lambda application: (application.filed_at, application.pk), default=None)


def _end_after_renewal(ends: dt.date, renewal: Application | None) -> dt.date:
    """Return the first day without certification: the end, or the day of the Board's later decision."""
    decided = renewal.decided_on if renewal else None
    return max(ends, decided) if decided else ends


def filed_on(facility: Facility, filed_at: dt.datetime) -> dt.date:
    """Return the local calendar day of a filing. Forms are dated by the calendar, not by the gaming day."""
    return facility.local(filed_at).date()


def _is_pending(application: Application, day: dt.date) -> bool:
    return application.decided_on is None or application.decided_on > day


@dataclass(frozen=True)
class Trading:
    """Permission to trade before certification on a day (§ 528.8). `state`: none, held, notice or ceased."""

    state: str
    permission: InterimPermission | None = None

    @property
    def reference(self) -> str | None:
        """Return the reference of the permission while it is valid."""
        return self.permission.reference if self.permission and self.holds else None

    @property
    def holds(self) -> bool:
        """Return whether the provider may trade. A rescission takes effect only on the day that it names."""
        return self.state in ("held", "notice")


def trading_permission(
    facility: Facility,
    applications: Sequence[Application],
    permissions: Sequence[InterimPermission],
    day: dt.date,
) -> Trading:
    """Return the newest permission granted by this day, and whether it is still valid.

    A permission belongs to an applicant: it ends when its application is decided.
    """
    granted = [item for item in permissions if item.granted_on <= day]
    if not granted:
        return Trading("none")
    newest = max(granted, key=lambda item: (item.granted_on, item.pk))
    if newest.cease_on is not None and newest.cease_on <= day:
        return Trading("ceased", newest)
    waiting = any(
        application.kind == FIRST
        and application.filed_at
        and filed_on(facility, application.filed_at) <= newest.granted_on
        and _is_pending(application, day)
        for application in applications
    )
    if not waiting:
        return Trading("ceased", newest)
    return Trading("held" if newest.cease_on is None else "notice", newest)


# Who must be found qualified


OWNER_BP = 1_000  # 10 % of ownership or beneficial interest, direct and indirect together
VOTER_BP = 2_000  # 20 % of the voting securities, held directly
OFFICERS = (
    "president",
    "chief executive officer",
    "chief financial officer",
    "chief operating officer",
)
ABBREVIATED = {"ceo", "cfo", "coo"}


@dataclass(frozen=True)
class Duty:
    """A reason why somebody must be found qualified.

    `words` is a key of the page's labels, `rule` a duty of the jurisdiction.
    """

    words: DutyName
    rule: str

    def section(self, law: Jurisdiction) -> str:
        """Return the paragraph that asks it."""
        return law.section(self.rule)


def is_officer(title: str) -> bool:
    """Return whether § 528.3(a)(1) names this title. An equivalent job is a separate flag on the file."""
    words = " ".join(title.lower().replace(".", "").replace("-", " ").split())
    if "vice president" in words:
        words = words.replace("vice president", "")
    return any(name in words for name in OFFICERS) or bool(ABBREVIATED & set(words.replace(",", " ").split()))


def duties(person: Qualifier) -> tuple[Duty, ...]:
    """Return every reason why this person or entity must be found qualified.

    Individuals: officers by title or work, directors, owners of 10 % or more, salespeople. Entities: 20 % or more of
    the voting securities, held directly. Both: those whom the Board named.
    """
    duties_found = _entity_duties(person) if person.kind == "entity" else _individual_duties(person)
    if person.named_by_board:
        duties_found.append(Duty("named", "providers.named"))
    return tuple(duties_found)


def _individual_duties(person: Qualifier) -> list[Duty]:
    candidates = (
        (person.officer or is_officer(person.title), Duty("officer", "providers.officers")),
        (person.director, Duty("director", "providers.officers")),
        (person.owns_bp >= OWNER_BP, Duty("owner", "providers.owners")),
        (person.salesperson, Duty("salesperson", "providers.salespeople")),
    )
    return [duty for holds, duty in candidates if holds]


def _entity_duties(person: Qualifier) -> list[Duty]:
    return [Duty("votes", "providers.entities")] if person.votes_bp >= VOTER_BP else []


def is_with_provider(person: Qualifier, day: dt.date) -> bool:
    """Return whether the person is still with the provider on a day."""
    return person.left_on is None or day < person.left_on


def qualification_state(person: Qualifier) -> str:
    """Return `not-asked`, `no-form`, `waiting`, `qualified` or `unqualified`."""
    if person.unqualified_on and (
        person.qualified_on is None or person.unqualified_on >= person.qualified_on
    ):
        return "unqualified"
    if person.qualified_on:
        return "qualified"
    if not duties(person):
        return "not-asked"
    return "waiting" if person.form_filed_on else "no-form"


def is_outstanding(person: Qualifier, day: dt.date) -> bool:
    """Return whether somebody with the provider must be found qualified and is not yet."""
    return (
        is_with_provider(person, day) and bool(duties(person)) and qualification_state(person) != "qualified"
    )


# The file as acts and pages read it


@dataclass(frozen=True)
class ProviderFile:
    """The file of one provider on a day. In an act, the caller holds the lock of the office's stream."""

    facility: Facility
    provider: Provider
    day: dt.date

    @property
    def law(self) -> Jurisdiction:
        return self.facility.law

    @cached_property
    def applications(self) -> list[Application]:
        """Return all applications, the newest first."""
        return list(
            self.provider.applications.select_related("filed_by", "decision").defer("decision__content")
        )

    @cached_property
    def permissions(self) -> list[InterimPermission]:
        """Return all permissions to trade before certification, the newest first."""
        return list(
            self.provider.permissions.select_related("diligence", "acknowledgement", "notice").defer(
                "diligence__content", "acknowledgement__content", "notice__content"
            )
        )

    @cached_property
    def services(self) -> list[Service]:
        """Return every service that the provider supplies or supplied."""
        return list(self.provider.services.select_related("provider", "request"))

    @cached_property
    def people(self) -> list[Qualifier]:
        """Return everybody on file, including those who have left."""
        return list(self.provider.qualifiers.prefetch_related("credentials"))

    @property
    def certification(self) -> Certification:
        """Return the provider's certification on this day."""
        return certification_on(self.facility, self.applications, self.day)

    @property
    def trading(self) -> Trading:
        """Return the permission to trade before certification on this day."""
        return trading_permission(self.facility, self.applications, self.permissions, self.day)

    @property
    def undecided(self) -> Application | None:
        """Return the application that is drafted or undecided. There is at most one."""
        return next(
            (application for application in self.applications if application.decided_on is None), None
        )

    @property
    def must_qualify(self) -> list[Qualifier]:
        """Return those with the provider who must be found qualified."""
        return [person for person in self.people if is_with_provider(person, self.day) and duties(person)]

    @property
    def outstanding(self) -> list[Qualifier]:
        """Return those with the provider who must be found qualified and are not yet."""
        return [person for person in self.people if is_outstanding(person, self.day)]

    @property
    def unpaid(self) -> list[Service]:
        """Return the services whose laboratory costs are unpaid (§ 528.2(c))."""
        return [service for service in self.services if service.costs_cents and service.costs_paid_on is None]


def file_of_provider(ctx: OfficeContext, code: str) -> ProviderFile:
    """Return the file of the provider with this code. Raises Refusal(`no-such-provider`)."""
    provider = Provider.objects.filter(facility=ctx.facility, code=code).first()
    if provider is None:
        raise Refusal(NO_SUCH_PROVIDER, code=code)
    return ProviderFile(ctx.facility, provider, ctx.gaming_day)


def verify_investigated(file: ProviderFile) -> None:
    """Refuse to deal with a provider without an investigation or with an adverse finding (§ 528.9).

    Raises Refusal(`provider-not-investigated` or `provider-adverse`).
    """
    provider = file.provider
    if provider.investigated_on is None:
        raise Refusal(
            PROVIDER_NOT_INVESTIGATED, file.law.section("providers.investigation"), name=provider.name
        )
    if provider.adverse:
        raise Refusal(
            PROVIDER_ADVERSE,
            file.law.section("providers.finding"),
            name=provider.name,
            finding=provider.adverse,
        )


def verify_not_future(ctx: OfficeContext, day: dt.date) -> dt.date:
    """Return a date that is today or earlier. Raises Refusal(`day-to-come`)."""
    if day > ctx.today:
        raise Refusal(DAY_TO_COME, on=day.isoformat())
    return day


# The file of a provider that an act names by its code, and days of today or earlier.
FileOfProvider = Annotated[ProviderFile, found(Code, file_of_provider)]
PastDay = Annotated[dt.date, found(Day, verify_not_future)]
OptionalPastDay = Annotated[dt.date | None, found(Day, verify_not_future)]


@overload
def iso_date(day: dt.date) -> str: ...


@overload
def iso_date(day: dt.date | None) -> str | None: ...


def iso_date(day: dt.date | None) -> str | None:
    """Return a date as entries write it."""
    return day.isoformat() if day else None


# Acts


@office_act()
def register_provider(
    ctx: OfficeContext,
    *,
    name: Annotated[str, text(100)],
    game: Annotated[str, text(60)],
    innovation: Text = "",
    patent: Annotated[str, text(100)] = "",
    no_other_license: bool = False,
) -> ActOutcome:
    """Register a provider of the class that chapter 528 covers: § 528.1(1), (2) and (3) must all apply (A07)."""
    if not ctx.facility.law.certifies_providers:
        raise Refusal(CHAPTER_528_IS_NOT_HERE, facility=ctx.facility.name)
    if not innovation:
        raise Refusal(
            PROVIDER_WITHOUT_INNOVATION, ctx.facility.law.section("providers.innovation"), name=name
        )
    if not patent:
        raise Refusal(PROVIDER_WITHOUT_PATENT, ctx.facility.law.section("providers.patent"), name=name)
    if not no_other_license:
        raise Refusal(PROVIDER_LICENSED_OTHERWISE, ctx.facility.law.section("providers.license"), name=name)
    provider = Provider.objects.create(
        facility=ctx.facility,
        code=next_code(Provider.objects.filter(facility=ctx.facility), "SP"),
        name=name,
        game=game,
        innovation=innovation,
        patent=patent,
        no_other_license=no_other_license,
        created_at=ctx.now,
    )
    return ActOutcome(
        PROVIDER_REGISTERED(
            provider=provider.code,
            name=name,
            game=game,
            innovation=innovation,
            patent=patent,
            no_other_license=no_other_license,
        ),
        {"provider": provider.code},
    )


@office_act()
def record_investigation(
    ctx: OfficeContext, *, provider_: FileOfProvider, on: PastDay, document: FiledDocument, adverse: Text = ""
) -> ActOutcome:
    """Record the certificate holder's own investigation. An adverse finding blocks every link to a game (§ 528.9)."""
    provider = provider_.provider
    provider.investigated_on, provider.investigation, provider.adverse = on, document, adverse
    provider.save(update_fields=["investigated_on", "investigation", "adverse"])
    return ActOutcome(
        PROVIDER_INVESTIGATED(
            provider=provider.code,
            on=iso_date(on),
            report=document_reference(document),
            adverse=adverse or None,
        ),
        {"provider": provider.code},
    )


@office_act()
def record_listing(
    ctx: OfficeContext, *, provider_file: FileOfProvider, on: OptionalPastDay = None
) -> ActOutcome:
    """Record since when the provider is on the Board's list; without a date it is no longer listed (§ 528.6)."""
    provider_file.provider.listed_on = on
    provider_file.provider.save(update_fields=["listed_on"])
    return ActOutcome(PROVIDER_LISTED(provider=provider_file.provider.code, on=iso_date(on)))


@office_act()
def note_on_provider(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    kind: NoteKind,
    on: PastDay,
    text: Text,
    due_on: OptionalDay = None,
    done_on: OptionalPastDay = None,
    document: OptionalDocument = None,
) -> ActOutcome:
    """Add a note to the file.

    A note is a request for information, ownership papers, cooperation, a condition of the Board, changed
    circumstances, or a suspected violation that was reported to the Board.
    """
    if kind == "ownership" and document is None:
        raise Refusal(
            OWNERSHIP_WITHOUT_PAPERS,
            ctx.facility.law.section("providers.owners"),
            name=provider_file.provider.name,
        )
    if done_on and done_on < on:
        raise Refusal(DONE_BEFORE_ASKED, on=iso_date(on))
    note = ProviderNote.objects.create(
        provider=provider_file.provider,
        kind=kind,
        on=on,
        text=text,
        due_on=due_on,
        done_on=done_on,
        document=document,
    )
    return ActOutcome(
        PROVIDER_NOTED(
            provider=provider_file.provider.code,
            note=note.pk,
            kind=kind,
            on=iso_date(on),
            text=text,
            due_on=iso_date(due_on),
            done_on=iso_date(done_on),
            document=document_reference(document),
        ),
        {"note": note.pk},
    )


@office_act()
def close_note(
    ctx: OfficeContext,
    *,
    note_id: Annotated[int, whole(1, 2**62)],
    done_on: PastDay,
    document: OptionalDocument = None,
) -> ActOutcome:
    """Close a note: it was answered, met, or reported to the Board."""
    note = ProviderNote.objects.filter(provider__facility=ctx.facility, pk=note_id).first()
    if note is None:
        raise Refusal(NO_SUCH_NOTE, note=note_id)
    if note.done_on is not None:
        raise Refusal(NOTE_DONE_ALREADY, on=iso_date(note.done_on))
    if done_on < note.on:
        raise Refusal(DONE_BEFORE_ASKED, on=iso_date(note.on))
    note.done_on, note.document = done_on, document or note.document
    note.save(update_fields=["done_on", "document"])
    return ActOutcome(
        PROVIDER_NOTE_CLOSED(
            provider=note.provider.code,
            note=note.pk,
            kind=note.kind,
            asked_on=iso_date(note.on),
            done_on=iso_date(done_on),
            document=document_reference(document),
        )
    )


OF_PROVIDER = {
    "facility": Reading(("provider__facility__code",), plain, ("provider",)),
    "provider": Reading(("provider__code",), plain, ("provider",)),
}


declare(
    Provider,
    "provider",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "provider"},
    created={
        PROVIDER_REGISTERED: {
            **same("name", "game", "innovation", "patent", "no_other_license"),
            **dict.fromkeys(("investigated_on", "investigation", "adverse", "listed_on"), NONE),
            "created_at": AT,
        }
    },
    changed={
        PROVIDER_INVESTIGATED: {
            "investigated_on": "on",
            "investigation": document_code("report"),
            "adverse": "adverse",
        },
        PROVIDER_LISTED: {"listed_on": "on"},
    },
)


PROVIDER = {"provider": Reading(("provider__code",), plain, ("provider",))}


def note_closed(rows: Rows, body: Body) -> None:
    """A document that came with the closing takes the place of the one before."""
    document = document_code("document")(body)
    rows.put(body, body["data"]["note"], done_on=body["data"]["done_on"])
    if document:
        rows.put(body, body["data"]["note"], document=document)


declare(
    ProviderNote,
    "note on provider",
    may_be_seeded=True,
    key={"id": "note"},
    created={
        PROVIDER_NOTED: {
            **same("provider", "kind", "on", "text", "due_on", "done_on"),
            "document": document_code("document"),
        }
    },
    folded={PROVIDER_NOTE_CLOSED: note_closed},
    readings=PROVIDER,
)
