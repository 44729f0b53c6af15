"""Entries about service providers, their applications and services."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type
from games.models.patrons import ReviewStatus
from games.models.providers import ApplicationKind, CredentialKind, NoteKind, QualifierKind
from games.office.documents.entry_types import DocumentReference

DutyName = Literal["officer", "director", "owner", "salesperson", "votes", "named"]
PackagePartName = Literal["form", "copy", "fee", "release", "statement", "general"]
CopyState = Literal["", "one", "waived"]


class ProviderEntry(TypedDict):
    """The provider that an entry is about."""

    provider: str


# The file of a provider


class ProviderRegistered(ProviderEntry):
    name: Annotated[str, "name of the provider"]
    game: Annotated[str, "the table game that the innovation is for, in words"]
    innovation: Annotated[str, "what the provider supplies, in words"]
    patent: Annotated[str, "number of the patent or of the pending application"]
    no_other_license: Annotated[Literal[True], "that the provider needs no other license"]


PROVIDER_REGISTERED = entry_type("provider.registered", ProviderRegistered, "A provider was registered.")


class ProviderInvestigated(ProviderEntry):
    on: Annotated[str, "the day on which the investigation was concluded"]
    report: Annotated[DocumentReference, "the report: code of the document and SHA-256 of its bytes"]
    adverse: Annotated[str | None, "the adverse finding, in words; null if there is none"]


PROVIDER_INVESTIGATED = entry_type(
    "provider.investigated", ProviderInvestigated, "The casino investigated a provider."
)


class ProviderListed(ProviderEntry):
    on: Annotated[str | None, "the day since which it is listed; null: it is no longer listed"]


PROVIDER_LISTED = entry_type(
    "provider.listed",
    ProviderListed,
    "A provider was put on the regulator's list of providers, or taken off.",
)


class ProviderNoted(ProviderEntry):
    note: Annotated[int, "number of the note"]
    kind: Annotated[NoteKind, "what the note is about"]
    on: Annotated[str, "the day of the request or event"]
    text: Annotated[str, "the note, in a person's words"]
    due_on: Annotated[str | None, "the day by which it must be answered, met or reported; null: no day"]
    done_on: Annotated[str | None, "the day on which it was answered, met or reported; null: still open"]
    document: DocumentReference | None


PROVIDER_NOTED = entry_type("provider.noted", ProviderNoted, "A note about a provider was made.")


class ProviderNoteClosed(ProviderEntry):
    note: Annotated[int, "number of the note"]
    kind: Annotated[NoteKind, "what the note is about"]
    asked_on: Annotated[str, "the day of the request or event"]
    done_on: Annotated[str, "the day on which it was answered, met or reported"]
    document: DocumentReference | None


PROVIDER_NOTE_CLOSED = entry_type(
    "provider.note_closed", ProviderNoteClosed, "A note about a provider was closed."
)


# Applications


class ApplicationParts(TypedDict):
    """The package of an application."""

    form: Annotated[str, "code of the document with the form; empty: missing"]
    statement: Annotated[str, "code of the document with the statement; empty: missing"]
    copy: Annotated[CopyState, "one copy, or waived by the regulator; empty: missing"]
    general: Annotated[bool, "whether the general requirements are attested"]
    releases: Annotated[dict[str, str], "code of the document with the release, by the number of the person"]


class ApplicationPackage(ProviderEntry):
    """An application with its package."""

    kind: Annotated[ApplicationKind, "a first certification, or its renewal"]
    completed_by: Annotated[str, "name of the person who completed it for the provider"]
    parts: Annotated[ApplicationParts, "the package"]
    fee_cents: Annotated[int, "the application fee"]


class ApplicationCompleted(ApplicationPackage):
    fee_paid_on: Annotated[str | None, "the day on which the fee was paid; null: not paid yet"]
    missing: Annotated[list[PackagePartName], "the parts that are still missing, a release for each person"]


APPLICATION_COMPLETED = entry_type(
    "application.completed",
    ApplicationCompleted,
    "The package of a provider's application was completed or changed.",
)


class ApplicationRelease(ProviderEntry):
    person: Annotated[int, "number of the person on the provider's file"]
    name: Annotated[str, "name of the person"]
    release: Annotated[DocumentReference, "the release: code of the document and SHA-256 of its bytes"]


APPLICATION_RELEASE = entry_type(
    "application.release", ApplicationRelease, "A signed release was added to an application."
)


class ApplicationFiled(ApplicationPackage):
    filed_by: Annotated[str, "code of the person who filed it"]
    fee_paid_on: Annotated[str, "the day on which the fee was paid"]
    due_on: Annotated[str | None, "the last day for filing the renewal; null for a first application"]
    late: Annotated[bool, "whether it was filed after that day"]


APPLICATION_FILED = entry_type(
    "application.filed", ApplicationFiled, "A provider's application was filed with its package."
)


class ApplicationCosts(ProviderEntry):
    costs_cents: Annotated[int, "what the regulator has charged for the review so far"]
    paid_cents: Annotated[int, "what is paid of it"]


APPLICATION_COSTS = entry_type(
    "application.costs",
    ApplicationCosts,
    "The costs of the review of an application, and what was paid of them.",
)


class ApplicationDecided(ProviderEntry):
    kind: Annotated[ApplicationKind, "a first certification, or its renewal"]
    granted: bool
    on: Annotated[str, "the day of the decision"]
    ends_on: Annotated[str | None, "the first day without the certification; null if it was denied"]
    letter: DocumentReference
    outstanding: Annotated[list[str], "names of those who must still be found qualified"]


APPLICATION_DECIDED = entry_type(
    "application.decided", ApplicationDecided, "An application was decided by letter."
)


# People and entities of a provider


class ProviderPersonEntry(ProviderEntry):
    """The person or entity that an entry is about."""

    person: Annotated[int, "number of the person or entity on the provider's file"]
    name: Annotated[str, "name of the person or entity"]


# "as" is a word of Python
DutyToQualify = TypedDict(
    "DutyToQualify",
    {
        "as": Annotated[DutyName, "why the person or entity must be found qualified"],
        "section": str,
    },
)


class ProviderPersonNamed(ProviderPersonEntry):
    kind: Annotated[QualifierKind, "a person or an entity"]
    title: Annotated[str | None, "the title, in words; null if there is none"]
    officer: Annotated[bool, "whether the person is an officer or does the equivalent job"]
    director: Annotated[bool, "whether the person is a director"]
    salesperson: Annotated[bool, "whether the person is a salesperson"]
    owns_bp: Annotated[int, "share of the ownership, direct and indirect, in hundredths of a percent"]
    votes_bp: Annotated[int, "share of the voting securities held directly, in hundredths of a percent"]
    named_by_board: Annotated[str | None, "why the regulator's board named them; null if it did not"]
    form_filed_on: Annotated[str | None, "the day on which their form was filed; null: not filed"]
    must_qualify: Annotated[list[DutyToQualify], "every reason why they must be found qualified"]


PROVIDER_PERSON_NAMED = entry_type(
    "provider.person_named", ProviderPersonNamed, "A person or entity of a provider was named."
)


class ProviderPersonChanged(ProviderPersonNamed):
    before: Annotated[ProviderPersonNamed, "the same fields before the change"]


PROVIDER_PERSON_CHANGED = entry_type(
    "provider.person_changed", ProviderPersonChanged, "What is known of a person or entity changed."
)


class ProviderPersonFound(ProviderPersonEntry):
    qualified: Annotated[bool, "whether they were found qualified"]
    on: Annotated[str, "the day of the finding"]


PROVIDER_PERSON_FOUND = entry_type(
    "provider.person_found",
    ProviderPersonFound,
    "The regulator found a person or entity of a provider qualified or not.",
)


class ProviderPersonLeft(ProviderPersonEntry):
    on: Annotated[str, "the first day without them"]
    credentials: Annotated[list[str], "numbers of the credentials that end on that day"]


PROVIDER_PERSON_LEFT = entry_type(
    "provider.person_left", ProviderPersonLeft, "A person or entity left a provider."
)


class ProviderCredential(ProviderPersonEntry):
    kind: Annotated[CredentialKind, "a temporary or a permanent credential"]
    number: Annotated[str, "number of the credential"]
    need: Annotated[str | None, "why the person is needed at the casino; null if nothing was said"]
    on: Annotated[str, "the day on which it was issued"]
    listed_on: Annotated[str | None, "the day since which the provider is listed; null: it is not listed"]
    permission: Annotated[
        str | None, "reference of the provider's permission to trade; null if there is none"
    ]


PROVIDER_CREDENTIAL = entry_type(
    "provider.credential", ProviderCredential, "A person of a provider got a credential."
)


class ProviderCredentialEnded(ProviderEntry):
    person: Annotated[int, "number of the person on the provider's file"]
    number: Annotated[str, "number of the credential"]
    on: Annotated[str, "the day on which it ended"]


PROVIDER_CREDENTIAL_ENDED = entry_type(
    "provider.credential_ended", ProviderCredentialEnded, "A credential of a person of a provider ended."
)


# Permission to trade before certification


class ProviderPermitted(ProviderEntry):
    on: Annotated[str, "the day on which it was granted"]
    reference: Annotated[str, "reference of the permission"]
    diligence: Annotated[DocumentReference, "the certificate of due diligence: code and SHA-256"]
    acknowledgement: Annotated[DocumentReference, "the signed acknowledgement: code and SHA-256"]


PROVIDER_PERMITTED = entry_type(
    "provider.permitted", ProviderPermitted, "A provider got permission to trade before its certification."
)


class ProviderRescinded(ProviderEntry):
    reference: Annotated[str, "reference of the permission"]
    on: Annotated[str, "the day of the notice"]
    cease_on: Annotated[str, "the first gaming day without the permission"]
    received_on: Annotated[str | None, "the day on which the notice arrived; null: not known yet"]
    notice: Annotated[DocumentReference, "the notice: code of the document and SHA-256 of its bytes"]


PROVIDER_RESCINDED = entry_type(
    "provider.rescinded", ProviderRescinded, "The permission of a provider to trade was rescinded by notice."
)


class ProviderRescissionReceived(ProviderEntry):
    reference: Annotated[str, "reference of the permission"]
    received_on: Annotated[str, "the day on which the notice arrived"]


PROVIDER_RESCISSION_RECEIVED = entry_type(
    "provider.rescission_received",
    ProviderRescissionReceived,
    "The provider received the notice of rescission.",
)


# Services


class ServiceEntry(ProviderEntry):
    """The service that an entry is about."""

    service: str


class ServiceRegistered(ServiceEntry):
    name: Annotated[str, "name of the service"]
    game: str
    wagers: Annotated[list[str], "wager codes or families of the service; empty: the game as a whole"]
    covers: Annotated[list[str], "codes of all wagers that it covers"]


SERVICE_REGISTERED = entry_type(
    "service.registered",
    ServiceRegistered,
    "A service of a provider was registered, with the wagers that it covers.",
)


class ServiceLaboratory(ServiceEntry):
    submitted_on: Annotated[str, "the day on which the laboratory received the service"]
    approved_on: Annotated[str | None, "the day on which the laboratory approved it; null: not yet"]
    reference: Annotated[str | None, "reference of the laboratory; null if there is none"]


SERVICE_LABORATORY = entry_type(
    "service.laboratory",
    ServiceLaboratory,
    "When the laboratory received a service of a provider, and when it approved it.",
)


class ServiceCosts(ServiceEntry):
    costs_cents: Annotated[int, "the total cost of the laboratory's review"]
    paid_on: Annotated[str | None, "the day on which it was paid in full; null: not yet"]


SERVICE_COSTS = entry_type(
    "service.costs", ServiceCosts, "The laboratory's costs for a service of a provider."
)


class ServiceRequested(ServiceEntry):
    request: str
    status: Annotated[ReviewStatus, "status of the request"]


SERVICE_REQUESTED = entry_type(
    "service.requested", ServiceRequested, "A service was linked to the request for its game or feature."
)


class ServiceEnded(ServiceEntry):
    on: Annotated[str, "the first gaming day without the service"]
    why: Annotated[str, "the reason, in a person's words"]


SERVICE_ENDED = entry_type("service.ended", ServiceEnded, "A service of a provider ended.")
