"""Applications for certification and renewal: completed by the provider, filed by the certificate holder, decided by
the Board.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, Unpack

from audit.columns import AT, FACILITY, Body, Rows, declare, document_code
from audit.entry_types import entry_type
from games.act_forms import text, whole
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.models import Application
from games.models.providers import ApplicationKind
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import (
    DocumentReference,
    FiledDocument,
    Letter,
    OptionalDocument,
    document_reference,
)
from games.office.providers import register
from games.office.providers.people import PersonOnFile
from games.office.providers.register import (
    NO_APPLICATION_FILED,
    OF_PROVIDER,
    FileOfProvider,
    OptionalPastDay,
    PastDay,
    ProviderEntry,
    ProviderFile,
    iso_date,
    verify_investigated,
)
from games.params import MOST_CENTS

PackagePartName = Literal["form", "copy", "fee", "release", "statement", "general"]


CopyState = Literal["", "one", "waived"]


# Entries


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


@entry_type("application.completed")
def APPLICATION_COMPLETED(
    *,
    fee_paid_on: Annotated[str | None, "the day on which the fee was paid; null: not paid yet"],
    missing: Annotated[list[PackagePartName], "the parts that are still missing, a release for each person"],
    **data: Unpack[ApplicationPackage],
) -> None:
    """The package of a provider's application was completed or changed."""


@entry_type("application.release")
def APPLICATION_RELEASE(
    *,
    person: Annotated[int, "number of the person on the provider's file"],
    name: Annotated[str, "name of the person"],
    release: Annotated[DocumentReference, "the release: code of the document and SHA-256 of its bytes"],
    **data: Unpack[ProviderEntry],
) -> None:
    """A signed release was added to an application."""


@entry_type("application.filed")
def APPLICATION_FILED(
    *,
    filed_by: Annotated[str, "code of the person who filed it"],
    fee_paid_on: Annotated[str, "the day on which the fee was paid"],
    due_on: Annotated[str | None, "the last day for filing the renewal; null for a first application"],
    late: Annotated[bool, "whether it was filed after that day"],
    **data: Unpack[ApplicationPackage],
) -> None:
    """A provider's application was filed with its package."""


@entry_type("application.costs")
def APPLICATION_COSTS(
    *,
    costs_cents: Annotated[int, "what the regulator has charged for the review so far"],
    paid_cents: Annotated[int, "what is paid of it"],
    **data: Unpack[ProviderEntry],
) -> None:
    """The costs of the review of an application, and what was paid of them."""


@entry_type("application.decided")
def APPLICATION_DECIDED(
    *,
    kind: Annotated[ApplicationKind, "a first certification, or its renewal"],
    granted: bool,
    on: Annotated[str, "the day of the decision"],
    ends_on: Annotated[str | None, "the first day without the certification; null if it was denied"],
    letter: DocumentReference,
    outstanding: Annotated[list[str], "names of those who must still be found qualified"],
    **data: Unpack[ProviderEntry],
) -> None:
    """An application was decided by letter."""


# Refusals


APPLICATION_FILED_ALREADY = RefusalCode(
    "application-filed-already",
    "The package was filed on %(on)s and is waiting for a decision. It can no longer be changed.",
    "Already filed",
)


NO_APPLICATION = RefusalCode(
    "no-application",
    "%(name)s has no application in progress. Complete one first.",
    "No application",
)


ALREADY_CERTIFIED = RefusalCode(
    "already-certified",
    "%(name)s is certified. Complete a renewal instead.",
    "Already certified",
)


NOTHING_TO_RENEW = RefusalCode(
    "nothing-to-renew",
    "%(name)s has no certification in force. Complete a first application instead.",
    "Nothing to renew",
)


PART_MISSING_FORM = RefusalCode(
    "part-missing-form",
    "The application and disclosure form is missing. Attach it.",
    "Form missing",
)


PART_MISSING_COPY = RefusalCode(
    "part-missing-copy",
    "The copy of the form is missing. Add it, or record that the Board waived it.",
    "Copy missing",
)


PART_MISSING_FEE = RefusalCode(
    "part-missing-fee",
    "The fee is missing. Record its amount and the day on which it was paid.",
    "Fee missing",
)


PART_MISSING_RELEASE = RefusalCode(
    "part-missing-release",
    "The application and release of %(who)s is missing. Attach it.",
    "Release missing",
)


PART_MISSING_STATEMENT = RefusalCode(
    "part-missing-statement",
    "The certificate holder's own statement is missing. Attach it, signed.",
    "Statement missing",
)


PART_MISSING_GENERAL = RefusalCode(
    "part-missing-general",
    "The general requirements are not attested yet. Confirm that they are met.",
    "Attestation missing",
)


COSTS_UNPAID = RefusalCode(
    "costs-unpaid",
    "%(money)s of the review is unpaid. Record the payment, then the certification.",
    "Costs unpaid",
)


LABORATORY_UNPAID = RefusalCode(
    "laboratory-unpaid",
    "%(money)s of the laboratory's costs for %(service)s is unpaid. Record the payment, then the "
    "certification.",
    "Costs unpaid",
)


DECIDED_BEFORE_FILED = RefusalCode(
    "decided-before-filed",
    "The application was filed on %(on)s. The decision cannot be earlier: check its day.",
    "Days do not agree",
)


PART_MISSING = {
    "form": PART_MISSING_FORM,
    "copy": PART_MISSING_COPY,
    "fee": PART_MISSING_FEE,
    "release": PART_MISSING_RELEASE,
    "statement": PART_MISSING_STATEMENT,
    "general": PART_MISSING_GENERAL,
}


# Acts


FIRST: ApplicationKind = "certification"
RENEWAL: ApplicationKind = "renewal"


@dataclass(frozen=True)
class PackagePart:
    """A part of the application package, with the paragraph that requires it and whether it is present."""

    name: PackagePartName
    section: str
    is_present: bool
    person_name: str = ""


@office_act()
def complete_application(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    kind: ApplicationKind,
    completed_by: Annotated[str, text(100)],
    form: OptionalDocument = None,
    statement: OptionalDocument = None,
    copy: CopyState = "",
    general: bool = False,
    fee_cents: Annotated[int, whole(0, MOST_CENTS)] = 0,
    fee_paid_on: OptionalPastDay = None,
) -> ActOutcome:
    """Record what the provider has completed of its package. May be repeated until the package is filed.

    `kind`: certification or renewal. `copy`: `one`, or `waived` if the Board directed so. A form or statement that is
    not sent stays as it is. The releases of individuals have an act of their own.
    """
    application = provider_file.undecided
    if application is None:
        application = Application(provider=provider_file.provider, created_at=ctx.now)
    elif application.filed_at is not None:
        raise Refusal(APPLICATION_FILED_ALREADY, on=_filed_on(ctx, application))
    verify_kind(provider_file, kind)
    before = application.parts
    parts: ApplicationParts = {
        "form": form.code if form else before.get("form", ""),
        "statement": statement.code if statement else before.get("statement", ""),
        "copy": copy,
        "general": general,
        "releases": before.get("releases", {}),
    }
    application.kind, application.completed_by, application.parts = kind, completed_by, parts
    application.fee_cents, application.fee_paid_on = fee_cents, fee_paid_on
    application.save()
    return ActOutcome(
        APPLICATION_COMPLETED(
            provider=provider_file.provider.code,
            kind=kind,
            completed_by=completed_by,
            parts=parts,
            fee_cents=fee_cents,
            fee_paid_on=iso_date(fee_paid_on),
            missing=[part.name for part in missing_parts(provider_file, application)],
        )
    )


@office_act()
def attach_release(ctx: OfficeContext, *, person: PersonOnFile, document: FiledDocument) -> ActOutcome:
    """Attach the application and release of one individual who must qualify to the package."""
    file = ProviderFile(ctx.facility, person.provider, ctx.gaming_day)
    application = file.undecided
    if application is None:
        raise Refusal(NO_APPLICATION, file.law.section("package"), name=person.provider.name)
    if application.filed_at is not None:
        raise Refusal(APPLICATION_FILED_ALREADY, on=_filed_on(ctx, application))
    releases = {**application.parts.get("releases", {}), str(person.pk): document.code}
    application.parts = {**application.parts, "releases": releases}
    application.save(update_fields=["parts"])
    return ActOutcome(
        APPLICATION_RELEASE(
            provider=person.provider.code,
            person=person.pk,
            name=person.name,
            release=document_reference(document),
        )
    )


@office_act()
def file_application(ctx: OfficeContext, *, provider_file: FileOfProvider) -> ActOutcome:
    """File the package. Refused while a part that § 528.2 requires is missing."""
    application = provider_file.undecided
    if application is None:
        raise Refusal(NO_APPLICATION, provider_file.law.section("package"), name=provider_file.provider.name)
    if application.filed_at is not None:
        raise Refusal(APPLICATION_FILED_ALREADY, on=_filed_on(ctx, application))
    verify_investigated(provider_file)
    verify_kind(provider_file, application.kind)
    for part in missing_parts(provider_file, application):
        raise Refusal(PART_MISSING[part.name], part.section, who=part.person_name)
    application.filed_at, application.filed_by = ctx.now, ctx.actor
    application.save(update_fields=["filed_at", "filed_by"])
    assert application.fee_paid_on is not None  # the fee is a part of the package
    due = provider_file.certification.renewal_due() if application.kind == RENEWAL else None
    return ActOutcome(
        APPLICATION_FILED(
            provider=provider_file.provider.code,
            kind=application.kind,
            completed_by=application.completed_by,
            filed_by=ctx.actor.code,
            fee_cents=application.fee_cents,
            fee_paid_on=iso_date(application.fee_paid_on),
            parts=application.parts,
            due_on=iso_date(due),
            late=bool(due and ctx.today > due),
        )
    )


@office_act()
def record_application_costs(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    costs_cents: Annotated[int, whole(0, MOST_CENTS)],
    paid_cents: Annotated[int, whole(0, MOST_CENTS)],
) -> ActOutcome:
    """Record what the Board has charged for the review so far, and what of it is paid: totals in cents (§ 528.2(c))."""
    application = _filed_application(provider_file)
    application.costs_cents, application.costs_paid_cents = costs_cents, paid_cents
    application.save(update_fields=["costs_cents", "costs_paid_cents"])
    return ActOutcome(
        APPLICATION_COSTS(
            provider=provider_file.provider.code, costs_cents=costs_cents, paid_cents=paid_cents
        )
    )


@office_act(step_up="always")
def decide_application(
    ctx: OfficeContext, *, provider_file: FileOfProvider, granted: bool = False, on: PastDay, letter: Letter
) -> ActOutcome:
    """Record the Board's decision. All fees and costs must be paid before certification (§ 528.2(c)).

    People who are not found qualified yet do not stop the decision. The entry names them, and they stay outstanding.
    """
    application = _filed_application(provider_file)
    if on < dt.date.fromisoformat(_filed_on(ctx, application)):
        raise Refusal(DECIDED_BEFORE_FILED, on=_filed_on(ctx, application))
    if granted:
        verify_paid(provider_file, application)
        application.ends_on = register.certification_end(on)
    application.decided_on, application.granted, application.decision = on, granted, letter
    application.save(update_fields=["decided_on", "granted", "decision", "ends_on"])
    return ActOutcome(
        APPLICATION_DECIDED(
            provider=provider_file.provider.code,
            kind=application.kind,
            granted=granted,
            on=iso_date(on),
            ends_on=iso_date(application.ends_on),
            letter=document_reference(letter),
            outstanding=[person.name for person in provider_file.outstanding],
        )
    )


def missing_parts(file: ProviderFile, application: Application) -> list[PackagePart]:
    """Return the missing parts of the package, in the order of § 528.2."""
    return [part for part in package_parts(file, application) if not part.is_present]


def package_parts(file: ProviderFile, application: Application) -> list[PackagePart]:
    """Return every part of the package.

    These are the form and its copy, the fee, a release for each individual who must qualify, the certificate holder's
    statement, and the attestation of the general requirements.
    """
    parts, section = application.parts, file.law.section
    releases = parts.get("releases", {})
    return [
        PackagePart("form", section("package.form"), bool(parts.get("form"))),
        PackagePart("copy", section("package.copy"), bool(parts.get("copy"))),
        PackagePart("fee", section("package.fee"), bool(application.fee_cents and application.fee_paid_on)),
        *(
            PackagePart("release", section("package.release"), str(person.pk) in releases, person.name)
            for person in file.must_qualify
            if person.kind == "individual"
        ),
        PackagePart("statement", section("package.statement"), bool(parts.get("statement"))),
        PackagePart("general", section("package.general"), bool(parts.get("general"))),
    ]


def verify_kind(file: ProviderFile, kind: str) -> None:
    """Refuse a first application of a certified provider, and a renewal without a certification.

    Raises Refusal(`already-certified` or `nothing-to-renew`).
    """
    certified = file.certification
    if kind == FIRST and certified.holds:
        raise Refusal(ALREADY_CERTIFIED, file.law.section("providers.renewal"), name=file.provider.name)
    if kind == RENEWAL and not certified.holds:
        raise Refusal(NOTHING_TO_RENEW, file.law.section("providers.continued"), name=file.provider.name)


def verify_paid(file: ProviderFile, application: Application) -> None:
    """Refuse certification while costs are unpaid. Raises Refusal(`costs-unpaid` or `laboratory-unpaid`)."""
    owed_cents = application.costs_cents - application.costs_paid_cents
    if owed_cents > 0:
        raise Refusal(COSTS_UNPAID, file.law.section("providers.costs"), money=in_dollars(owed_cents))
    for service in file.unpaid:
        raise Refusal(
            LABORATORY_UNPAID,
            file.law.section("providers.costs"),
            service=service.name,
            money=in_dollars(service.costs_cents),
        )


def _filed_application(file: ProviderFile) -> Application:
    application = file.undecided
    if application is None or application.filed_at is None:
        raise Refusal(NO_APPLICATION_FILED, file.law.section("package"), name=file.provider.name)
    return application


def _filed_on(ctx: OfficeContext, application: Application) -> str:
    assert application.filed_at is not None
    return register.filed_on(ctx.facility, application.filed_at).isoformat()


def application(rows: Rows, body: Body) -> tuple[str, str, str] | None:
    """The key of the provider's application that is not decided."""
    key: tuple[str, str, str] | None = rows.memory.get((FACILITY(body), body["data"]["provider"]))
    return key


def completed(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    key = application(rows, body)
    if key is None:
        key = rows.memory[facility, data["provider"]] = (facility, data["provider"], body["at"])
        none = ("filed_at", "filed_by", "decided_on", "granted", "ends_on", "decision")
        rows.put(body, *key, costs_cents=0, costs_paid_cents=0, **dict.fromkeys(none))
    names = ("kind", "completed_by", "parts", "fee_cents", "fee_paid_on")
    rows.put(body, *key, **{name: data[name] for name in names})


def released(rows: Rows, body: Body) -> None:
    key = application(rows, body)
    if key is not None:
        parts: dict[str, Any] = (rows.get(*key) or {})["parts"]
        releases = {**parts.get("releases", {}), str(body["data"]["person"]): document_code("release")(body)}
        rows.put(body, *key, parts={**parts, "releases": releases})


def filed(rows: Rows, body: Body) -> None:
    key = application(rows, body)
    if key is not None:
        rows.put(
            body, *key, filed_at=body["at"], filed_by=body["data"]["filed_by"], parts=body["data"]["parts"]
        )


def costs(rows: Rows, body: Body) -> None:
    key, data = application(rows, body), body["data"]
    if key is not None:
        rows.put(body, *key, costs_cents=data["costs_cents"], costs_paid_cents=data["paid_cents"])


def decided(rows: Rows, body: Body) -> None:
    key, data = application(rows, body), body["data"]
    if key is not None:
        values = {name: data[name] for name in ("granted", "ends_on")}
        rows.put(body, *key, decided_on=data["on"], decision=document_code("letter")(body), **values)
        rows.memory.pop((FACILITY(body), data["provider"]))


declare(
    Application,
    "application",
    may_be_seeded=True,
    key={"facility": FACILITY, "provider": "provider", "created_at": AT},
    folded={
        APPLICATION_COMPLETED: completed,
        APPLICATION_RELEASE: released,
        APPLICATION_FILED: filed,
        APPLICATION_COSTS: costs,
        APPLICATION_DECIDED: decided,
    },
    folded_columns=(
        *("kind", "completed_by", "parts", "fee_cents", "fee_paid_on", "costs_cents", "costs_paid_cents"),
        *("filed_at", "filed_by", "decided_on", "granted", "ends_on", "decision"),
    ),
    readings=OF_PROVIDER,
)
