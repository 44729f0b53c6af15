"""People and entities of a provider: who must be found qualified, the findings, and credentials."""

from typing import Annotated, TypedDict, Unpack, get_args

from audit.columns import NONE, Body, Rows, declare, same
from audit.entry_types import entry_type
from games.act_forms import Text, found, text, whole
from games.engine import Refusal, RefusalCode
from games.jurisdictions import Jurisdiction
from games.models import Credential, Qualifier
from games.models.providers import HUNDRED_PERCENT_BP, CredentialKind, QualifierKind
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.providers import register
from games.office.providers.register import (
    PROVIDER,
    DutyName,
    PastDay,
    ProviderEntry,
    ProviderFile,
    duties,
    iso_date,
)
from games.params import Params

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


@entry_type("provider.person_changed")
def PROVIDER_PERSON_CHANGED(
    *,
    before: Annotated[ProviderPersonNamed, "the same fields before the change"],
    **data: Unpack[ProviderPersonNamed],
) -> None:
    """What is known of a person or entity changed."""


@entry_type("provider.person_found")
def PROVIDER_PERSON_FOUND(
    *,
    qualified: Annotated[bool, "whether they were found qualified"],
    on: Annotated[str, "the day of the finding"],
    **data: Unpack[ProviderPersonEntry],
) -> None:
    """The regulator found a person or entity of a provider qualified or not."""


@entry_type("provider.person_left")
def PROVIDER_PERSON_LEFT(
    *,
    on: Annotated[str, "the first day without them"],
    credentials: Annotated[list[str], "numbers of the credentials that end on that day"],
    **data: Unpack[ProviderPersonEntry],
) -> None:
    """A person or entity left a provider."""


@entry_type("provider.credential")
def PROVIDER_CREDENTIAL(
    *,
    kind: Annotated[CredentialKind, "a temporary or a permanent credential"],
    number: Annotated[str, "number of the credential"],
    need: Annotated[str | None, "why the person is needed at the casino; null if nothing was said"],
    on: Annotated[str, "the day on which it was issued"],
    listed_on: Annotated[str | None, "the day since which the provider is listed; null: it is not listed"],
    permission: Annotated[
        str | None, "reference of the provider's permission to trade; null if there is none"
    ],
    **data: Unpack[ProviderPersonEntry],
) -> None:
    """A person of a provider got a credential."""


@entry_type("provider.credential_ended")
def PROVIDER_CREDENTIAL_ENDED(
    *,
    person: Annotated[int, "number of the person on the provider's file"],
    number: Annotated[str, "number of the credential"],
    on: Annotated[str, "the day on which it ended"],
    **data: Unpack[ProviderEntry],
) -> None:
    """A credential of a person of a provider ended."""


# Refusals


NO_SUCH_QUALIFIER = RefusalCode(
    "no-such-qualifier",
    "There is no such person or entity on file.",
    "No such person",
)


NO_FORM_FILED = RefusalCode(
    "no-form-filed",
    "No form of %(name)s is on file. First record the day on which it was filed.",
    "No form filed",
)


FOUND_BEFORE_FORM = RefusalCode(
    "found-before-form",
    "The form was filed on %(on)s. The finding cannot be earlier: check its day.",
    "Days do not agree",
)


GONE_ALREADY = RefusalCode("gone-already", "This person already left on %(on)s.", "Already left")


CREDENTIAL_NOT_ASKED = RefusalCode(
    "credential-not-asked",
    "%(name)s does not have to be found qualified, so no credential of this kind is issued.",
    "Need not qualify",
)


CREDENTIAL_WITHOUT_NEED = RefusalCode(
    "credential-without-need",
    "Say why the person is needed in the facility.",
    "Reason missing",
)


COMPANY_NOT_LISTED = RefusalCode(
    "company-not-listed",
    "%(name)s is neither on the Board's list nor permitted to trade. Record one of these first.",
    "Company not listed",
)


NOT_FOUND_QUALIFIED = RefusalCode(
    "not-found-qualified",
    "%(name)s has not been found qualified. Record the finding first.",
    "Not found qualified",
)


PROVIDER_NOT_CERTIFIED = RefusalCode(
    "provider-not-certified",
    "%(name)s is not certified. Issue a temporary credential if its conditions are met.",
    "Not certified",
)


NO_SUCH_CREDENTIAL = RefusalCode(
    "no-such-credential",
    "There is no open credential %(number)s.",
    "No such credential",
)


# Acts


KINDS: tuple[QualifierKind, ...] = get_args(QualifierKind)
TEMPORARY: CredentialKind = "temporary"
PERMANENT: CredentialKind = "permanent"


def qualifier(ctx: OfficeContext, number: int) -> Qualifier:
    """Return the person or entity with this number. Raises Refusal(`no-such-qualifier`)."""
    rows = Qualifier.objects.filter(provider__facility=ctx.facility, pk=number)
    person = rows.select_related("provider").first()
    if person is None:
        raise Refusal(NO_SUCH_QUALIFIER, person=number)
    return person


PersonOnFile = Annotated[Qualifier, found(whole(1, 2**62), qualifier)]


@office_act()
def name_person(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Add a person or entity to a provider's file. The entry says whether and why they must be found qualified."""
    file = register.file_of_provider(ctx, params.code("provider"))
    person = Qualifier(provider=file.provider)
    _fill_person(ctx, params, person)
    person.save()
    return ActOutcome(PROVIDER_PERSON_NAMED(_person_data(ctx, person)), {"person": person.pk})


@office_act()
def change_person(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Change what the file says about a person: title, shares, votes, work, or the Board's reason to name them."""
    person = qualifier(ctx, params.integer("person", 1, 2**62))
    before = _person_data(ctx, person)
    _fill_person(ctx, params, person)
    person.save()
    return ActOutcome(PROVIDER_PERSON_CHANGED(**_person_data(ctx, person), before=before))


@office_act()
def record_qualification(
    ctx: OfficeContext, *, person: PersonOnFile, qualified: bool = False, on: PastDay
) -> ActOutcome:
    """Record the Board's finding on a person. Their form must have been filed before."""
    if person.form_filed_on is None:
        raise Refusal(NO_FORM_FILED, form_section(ctx.facility.law, person), name=person.name)
    if on < person.form_filed_on:
        raise Refusal(FOUND_BEFORE_FORM, on=iso_date(person.form_filed_on))
    person.qualified_on, person.unqualified_on = (on, None) if qualified else (None, on)
    person.save(update_fields=["qualified_on", "unqualified_on"])
    return ActOutcome(
        PROVIDER_PERSON_FOUND(
            provider=person.provider.code,
            person=person.pk,
            name=person.name,
            qualified=qualified,
            on=iso_date(on),
        )
    )


@office_act()
def end_person(ctx: OfficeContext, *, person: PersonOnFile, on: PastDay) -> ActOutcome:
    """Record that a person has left the provider. Their credentials end on the same day."""
    if person.left_on is not None:
        raise Refusal(GONE_ALREADY, on=iso_date(person.left_on))
    person.left_on = on
    person.save(update_fields=["left_on"])
    ended = list(person.credentials.filter(ended_on=None))
    person.credentials.filter(ended_on=None).update(ended_on=on)
    return ActOutcome(
        PROVIDER_PERSON_LEFT(
            provider=person.provider.code,
            person=person.pk,
            name=person.name,
            on=iso_date(on),
            credentials=[credential.number for credential in ended],
        )
    )


@office_act()
def issue_credential(
    ctx: OfficeContext,
    *,
    person: PersonOnFile,
    kind: CredentialKind,
    number: Annotated[str, text(60)],
    need: Text = "",
    on: PastDay,
) -> ActOutcome:
    """Record a credential of the Bureau of Licensing.

    A temporary credential needs a reason, and a company on the Board's list or with permission to trade (§ 528.3(d),
    A08). A permanent one needs a finding of qualification and a certified provider (§ 528.3(e)).
    """
    if person.left_on is not None:
        raise Refusal(GONE_ALREADY, on=iso_date(person.left_on))
    if person.kind != "individual" or not duties(person):
        raise Refusal(CREDENTIAL_NOT_ASKED, ctx.facility.law.section("providers.temporary"), name=person.name)
    file = ProviderFile(ctx.facility, person.provider, ctx.gaming_day)
    verify_temporary(file, need) if kind == TEMPORARY else verify_permanent(file, person)
    Credential.objects.create(qualifier=person, kind=kind, number=number, need=need, issued_on=on)
    return ActOutcome(
        PROVIDER_CREDENTIAL(
            provider=person.provider.code,
            person=person.pk,
            name=person.name,
            kind=kind,
            number=number,
            need=need or None,
            on=iso_date(on),
            listed_on=iso_date(person.provider.listed_on),
            permission=file.trading.reference,
        )
    )


@office_act()
def end_credential(
    ctx: OfficeContext, *, person: PersonOnFile, number: Annotated[str, text(60)], on: PastDay
) -> ActOutcome:
    """Record that a credential was returned, expired or was revoked."""
    credential = person.credentials.filter(number=number, ended_on=None).first()
    if credential is None:
        raise Refusal(NO_SUCH_CREDENTIAL, number=number)
    credential.ended_on = on
    credential.save(update_fields=["ended_on"])
    return ActOutcome(
        PROVIDER_CREDENTIAL_ENDED(
            provider=person.provider.code, person=person.pk, number=number, on=iso_date(on)
        )
    )


def verify_temporary(file: ProviderFile, need: str) -> None:
    """Refuse a temporary credential without a reason, or of a company that is neither listed nor permitted.

    Raises Refusal(`credential-without-need` or `company-not-listed`).
    """
    if not need:
        raise Refusal(CREDENTIAL_WITHOUT_NEED, file.law.section("providers.temporary-need"))
    if file.provider.listed_on is None and not file.trading.holds:
        raise Refusal(
            COMPANY_NOT_LISTED,
            file.law.section("providers.temporary-company"),
            name=file.provider.name,
        )


def verify_permanent(file: ProviderFile, person: Qualifier) -> None:
    """Refuse a permanent credential without qualification or certification.

    Raises Refusal(`not-found-qualified` or `provider-not-certified`).
    """
    if register.qualification_state(person) != "qualified":
        raise Refusal(NOT_FOUND_QUALIFIED, file.law.section("providers.permanent"), name=person.name)
    if not file.certification.holds:
        raise Refusal(
            PROVIDER_NOT_CERTIFIED, file.law.section("providers.permanent"), name=file.provider.name
        )


def form_section(law: Jurisdiction, person: Qualifier) -> str:
    """Return the paragraph that requires this person's form."""
    kind = "entities" if person.kind == "entity" else "individuals"
    return law.section(f"providers.{kind}")


def _fill_person(ctx: OfficeContext, params: Params, person: Qualifier) -> None:
    person.kind, person.name = (
        params.choice("kind", KINDS),
        params.text("name", max_length=100),
    )
    person.title = params.text("title", default="", max_length=100)
    person.officer, person.director = params.boolean("officer"), params.boolean("director")
    person.salesperson = params.boolean("salesperson")
    person.owns_bp = params.integer("owns_bp", 0, HUNDRED_PERCENT_BP, default=0)
    person.votes_bp = params.integer("votes_bp", 0, HUNDRED_PERCENT_BP, default=0)
    person.named_by_board = params.text("named_by_board", default="")
    filed_on = params.date("form_filed_on", optional=True)
    person.form_filed_on = register.verify_not_future(ctx, filed_on) if filed_on else None


def _person_data(ctx: OfficeContext, person: Qualifier) -> ProviderPersonNamed:
    return {
        "provider": person.provider.code,
        "person": person.pk,
        "kind": person.kind,
        "name": person.name,
        "title": person.title or None,
        "officer": person.officer,
        "director": person.director,
        "salesperson": person.salesperson,
        "owns_bp": person.owns_bp,
        "votes_bp": person.votes_bp,
        "named_by_board": person.named_by_board or None,
        "form_filed_on": iso_date(person.form_filed_on),
        "must_qualify": [
            {"as": duty.words, "section": duty.section(ctx.facility.law)} for duty in duties(person)
        ],
    }


PERSON = same(
    *("provider", "kind", "name", "title", "officer", "director", "salesperson", "owns_bp", "votes_bp"),
    *("named_by_board", "form_filed_on"),
)


declare(
    Qualifier,
    "person of provider",
    may_be_seeded=True,
    key={"id": "person"},
    created={
        PROVIDER_PERSON_NAMED: {
            **PERSON,
            **dict.fromkeys(("qualified_on", "unqualified_on", "left_on"), NONE),
        }
    },
    changed={
        PROVIDER_PERSON_CHANGED: PERSON,
        PROVIDER_PERSON_FOUND: {
            "qualified_on": lambda body: body["data"]["on"] if body["data"]["qualified"] else None,
            "unqualified_on": lambda body: None if body["data"]["qualified"] else body["data"]["on"],
        },
        PROVIDER_PERSON_LEFT: {"left_on": "on"},
    },
    readings=PROVIDER,
)


def credentials_ended(rows: Rows, body: Body) -> None:
    """The credentials of a person who left end on the same day."""
    for number in body["data"]["credentials"]:
        rows.put(body, body["data"]["person"], number, ended_on=body["data"]["on"])


declare(
    Credential,
    "credential",
    key={"qualifier": "person", "number": "number"},
    created={PROVIDER_CREDENTIAL: {**same("kind", "need"), "issued_on": "on", "ended_on": NONE}},
    changed={PROVIDER_CREDENTIAL_ENDED: {"ended_on": "on"}},
    folded={PROVIDER_PERSON_LEFT: credentials_ended},
)
