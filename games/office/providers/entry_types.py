"""Entries about service providers, their applications and services."""

from typing import Any, TypedDict

from audit.entry_types import entry_type


class ApplicationCompletedPart(TypedDict):
    copy: str
    form: str
    general: bool
    releases: dict[str, Any]
    statement: str


class ApplicationCompleted(TypedDict):
    completed_by: str
    fee_cents: int
    fee_paid_on: str | None
    kind: str
    missing: list[str]
    parts: ApplicationCompletedPart
    provider: str


APPLICATION_COMPLETED = entry_type(
    "application.completed",
    ApplicationCompleted,
    "The package of a provider's application was completed or changed.",
)


class ApplicationCosts(TypedDict):
    costs_cents: int
    paid_cents: int
    provider: str


APPLICATION_COSTS = entry_type(
    "application.costs",
    ApplicationCosts,
    "The costs of the review of an application, and what was paid of them.",
)


class ApplicationDecided(TypedDict):
    ends_on: str | None
    granted: bool
    kind: str
    letter: dict[str, str] | None
    on: str | None
    outstanding: list[Any]
    provider: str


APPLICATION_DECIDED = entry_type(
    "application.decided", ApplicationDecided, "An application was decided by letter."
)


class ApplicationFiledPart(TypedDict):
    copy: str
    form: str
    general: bool
    releases: dict[str, str]
    statement: str


class ApplicationFiled(TypedDict):
    completed_by: str
    due_on: str | None
    fee_cents: int
    fee_paid_on: str | None
    filed_by: str
    kind: str
    late: bool
    parts: ApplicationFiledPart
    provider: str


APPLICATION_FILED = entry_type(
    "application.filed", ApplicationFiled, "A provider's application was filed with its package."
)


class ApplicationRelease(TypedDict):
    name: str
    person: int
    provider: str
    release: dict[str, str] | None


APPLICATION_RELEASE = entry_type(
    "application.release", ApplicationRelease, "A signed release was added to an application."
)


class ProviderCredential(TypedDict):
    kind: str
    listed_on: str | None
    name: str
    need: str | None
    number: str
    on: str | None
    permission: str | None
    person: int
    provider: str


PROVIDER_CREDENTIAL = entry_type(
    "provider.credential", ProviderCredential, "A person of a provider got a credential."
)


class ProviderCredentialEnded(TypedDict):
    number: str
    on: str | None
    person: int
    provider: str


PROVIDER_CREDENTIAL_ENDED = entry_type(
    "provider.credential_ended", ProviderCredentialEnded, "A credential of a person of a provider ended."
)


class ProviderInvestigated(TypedDict):
    adverse: str | None
    on: str | None
    provider: str
    report: dict[str, str] | None


PROVIDER_INVESTIGATED = entry_type(
    "provider.investigated", ProviderInvestigated, "The casino investigated a provider."
)


class ProviderListed(TypedDict):
    on: str | None
    provider: str


PROVIDER_LISTED = entry_type(
    "provider.listed", ProviderListed, "A provider was listed with the service that the laboratory approved."
)


class ProviderNoteClosed(TypedDict):
    asked_on: str | None
    document: dict[str, str] | None
    done_on: str | None
    kind: str
    note: int
    provider: str


PROVIDER_NOTE_CLOSED = entry_type(
    "provider.note_closed", ProviderNoteClosed, "A note about a provider was closed."
)


class ProviderNoted(TypedDict):
    document: dict[str, str] | None
    done_on: str | None
    due_on: str | None
    kind: str
    note: int
    on: str | None
    provider: str
    text: str


PROVIDER_NOTED = entry_type("provider.noted", ProviderNoted, "A note about a provider was made.")


class ProviderPermitted(TypedDict):
    acknowledgement: dict[str, str] | None
    diligence: dict[str, str] | None
    on: str | None
    provider: str
    reference: str


PROVIDER_PERMITTED = entry_type(
    "provider.permitted", ProviderPermitted, "A provider got permission to trade before its certification."
)


ProviderPersonChangedBeforeMustQualify = TypedDict(
    "ProviderPersonChangedBeforeMustQualify",
    {
        "as": str,
        "section": str,
    },
)


class ProviderPersonChangedBefore(TypedDict):
    director: bool
    form_filed_on: str | None
    kind: str
    must_qualify: list[ProviderPersonChangedBeforeMustQualify]
    name: str
    named_by_board: None
    officer: bool
    owns_bp: int
    person: int
    provider: str
    salesperson: bool
    title: str
    votes_bp: int


ProviderPersonChangedMustQualify = TypedDict(
    "ProviderPersonChangedMustQualify",
    {
        "as": str,
        "section": str,
    },
)


class ProviderPersonChanged(TypedDict):
    before: ProviderPersonChangedBefore
    director: bool
    form_filed_on: str
    kind: str
    must_qualify: list[ProviderPersonChangedMustQualify]
    name: str
    named_by_board: None
    officer: bool
    owns_bp: int
    person: int
    provider: str
    salesperson: bool
    title: str
    votes_bp: int


PROVIDER_PERSON_CHANGED = entry_type(
    "provider.person_changed", ProviderPersonChanged, "What is known of a person of a provider changed."
)


class ProviderPersonFound(TypedDict):
    name: str
    on: str
    person: int
    provider: str
    qualified: bool


PROVIDER_PERSON_FOUND = entry_type(
    "provider.person_found", ProviderPersonFound, "A person of a provider was found qualified or not."
)


class ProviderPersonLeft(TypedDict):
    credentials: list[Any]
    name: str
    on: str
    person: int
    provider: str


PROVIDER_PERSON_LEFT = entry_type("provider.person_left", ProviderPersonLeft, "A person left a provider.")


ProviderPersonNamedMustQualify = TypedDict(
    "ProviderPersonNamedMustQualify",
    {
        "as": str,
        "section": str,
    },
)


class ProviderPersonNamed(TypedDict):
    director: bool
    form_filed_on: str | None
    kind: str
    must_qualify: list[ProviderPersonNamedMustQualify]
    name: str
    named_by_board: None
    officer: bool
    owns_bp: int
    person: int
    provider: str
    salesperson: bool
    title: str | None
    votes_bp: int


PROVIDER_PERSON_NAMED = entry_type(
    "provider.person_named", ProviderPersonNamed, "A person or entity of a provider was named."
)


class ProviderRegistered(TypedDict):
    game: str
    innovation: str
    name: str
    no_other_license: bool
    patent: str
    provider: str


PROVIDER_REGISTERED = entry_type("provider.registered", ProviderRegistered, "A provider was registered.")


class ProviderRescinded(TypedDict):
    cease_on: str | None
    notice: dict[str, str] | None
    on: str | None
    provider: str
    received_on: str | None
    reference: str


PROVIDER_RESCINDED = entry_type(
    "provider.rescinded", ProviderRescinded, "The permission of a provider to trade was rescinded by notice."
)


class ProviderRescissionReceived(TypedDict):
    provider: str
    received_on: str | None
    reference: str


PROVIDER_RESCISSION_RECEIVED = entry_type(
    "provider.rescission_received",
    ProviderRescissionReceived,
    "The provider received the notice of rescission.",
)


class ServiceCosts(TypedDict):
    costs_cents: int
    paid_on: str | None
    provider: str
    service: str


SERVICE_COSTS = entry_type(
    "service.costs", ServiceCosts, "The laboratory's costs for a service of a provider."
)


class ServiceEnded(TypedDict):
    on: str | None
    provider: str
    service: str
    why: str


SERVICE_ENDED = entry_type("service.ended", ServiceEnded, "A service of a provider ended.")


class ServiceLaboratory(TypedDict):
    approved_on: str | None
    provider: str
    reference: str | None
    service: str
    submitted_on: str | None


SERVICE_LABORATORY = entry_type(
    "service.laboratory", ServiceLaboratory, "The laboratory's approval of a service of a provider."
)


class ServiceRegistered(TypedDict):
    covers: list[str]
    game: str
    name: str
    provider: str
    service: str
    wagers: list[str]


SERVICE_REGISTERED = entry_type(
    "service.registered",
    ServiceRegistered,
    "A service of a provider was registered, with the wagers that it covers.",
)


class ServiceRequested(TypedDict):
    provider: str
    request: str
    service: str
    status: str


SERVICE_REQUESTED = entry_type(
    "service.requested", ServiceRequested, "A service was linked to the request for its game or feature."
)
