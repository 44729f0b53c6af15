"""People and entities of a provider: who must be found qualified, the findings, and credentials."""

from typing import Annotated, get_args

from games.act_forms import Text, found, text, whole
from games.engine import Refusal
from games.jurisdictions import Jurisdiction
from games.models import Credential, Qualifier
from games.models.providers import HUNDRED_PERCENT_BP, CredentialKind, QualifierKind
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.providers import files, qualifiers
from games.office.providers.entry_types import (
    PROVIDER_CREDENTIAL,
    PROVIDER_CREDENTIAL_ENDED,
    PROVIDER_PERSON_CHANGED,
    PROVIDER_PERSON_FOUND,
    PROVIDER_PERSON_LEFT,
    PROVIDER_PERSON_NAMED,
    ProviderCredential,
    ProviderCredentialEnded,
    ProviderPersonFound,
    ProviderPersonLeft,
    ProviderPersonNamed,
)
from games.office.providers.files import (
    PastDay,
    ProviderFile,
    iso_date,
)
from games.office.providers.qualifiers import duties
from games.office.providers.refusals import (
    COMPANY_NOT_LISTED,
    CREDENTIAL_NOT_ASKED,
    CREDENTIAL_WITHOUT_NEED,
    FOUND_BEFORE_FORM,
    GONE_ALREADY,
    NO_FORM_FILED,
    NO_SUCH_CREDENTIAL,
    NO_SUCH_QUALIFIER,
    NOT_FOUND_QUALIFIED,
    PROVIDER_NOT_CERTIFIED,
)
from games.params import Params

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
    file = files.file_of_provider(ctx, params.code("provider"))
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
    return ActOutcome(PROVIDER_PERSON_CHANGED({**_person_data(ctx, person), "before": before}))


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
    data: ProviderPersonFound = {
        "provider": person.provider.code,
        "person": person.pk,
        "name": person.name,
        "qualified": qualified,
        "on": iso_date(on),
    }
    return ActOutcome(PROVIDER_PERSON_FOUND(data))


@office_act()
def end_person(ctx: OfficeContext, *, person: PersonOnFile, on: PastDay) -> ActOutcome:
    """Record that a person has left the provider. Their credentials end on the same day."""
    if person.left_on is not None:
        raise Refusal(GONE_ALREADY, on=iso_date(person.left_on))
    person.left_on = on
    person.save(update_fields=["left_on"])
    ended = list(person.credentials.filter(ended_on=None))
    person.credentials.filter(ended_on=None).update(ended_on=on)
    data: ProviderPersonLeft = {
        "provider": person.provider.code,
        "person": person.pk,
        "name": person.name,
        "on": iso_date(on),
        "credentials": [credential.number for credential in ended],
    }
    return ActOutcome(PROVIDER_PERSON_LEFT(data))


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
    data: ProviderCredential = {
        "provider": person.provider.code,
        "person": person.pk,
        "name": person.name,
        "kind": kind,
        "number": number,
        "need": need or None,
        "on": iso_date(on),
        "listed_on": iso_date(person.provider.listed_on),
        "permission": file.trading.reference,
    }
    return ActOutcome(PROVIDER_CREDENTIAL(data))


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
    data: ProviderCredentialEnded = {
        "provider": person.provider.code,
        "person": person.pk,
        "number": number,
        "on": iso_date(on),
    }
    return ActOutcome(PROVIDER_CREDENTIAL_ENDED(data))


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
    if qualifiers.qualification_state(person) != "qualified":
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
    person.form_filed_on = files.verify_not_future(ctx, filed_on) if filed_on else None


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
