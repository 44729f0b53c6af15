"""The people and entities of a provider: who must be found qualified, what became of it, and their credentials."""

from typing import Any

from games.engine import Refusal
from games.models import Credential, Qualifier
from games.models.providers import WHOLE
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.providers import files, qualifiers
from games.office.providers.files import CHAPTER, File, in_days, past, past_if_any
from games.office.providers.qualifiers import duties
from games.params import Params

TEMPORARY, PERMANENT = Credential.Kind.TEMPORARY, Credential.Kind.PERMANENT


def asked(ctx: OfficeContext, params: Params) -> Qualifier:
    """The person or entity whose number an act names. Raises `no-such-person`."""
    number = params.whole("person", 1, 2**62)
    rows = Qualifier.objects.filter(provider__facility=ctx.facility, pk=number)
    found = rows.select_related("provider").first()
    if found is None:
        raise Refusal("no-such-qualifier", person=number)
    return found


@office_act()
def name_person(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Puts a person or an entity on a provider's file; the entry says whether and why they must be found qualified."""
    file = files.asked(ctx, params)
    one = Qualifier(provider=file.provider)
    _read(ctx, params, one)
    one.save()
    return ActOutcome("provider.person_named", _said(one), {"person": one.pk})


@office_act()
def change_person(ctx: OfficeContext, params: Params) -> ActOutcome:
    """What the file says of them changes: title, shares, votes, work, or the Board's reason to call on them."""
    one = asked(ctx, params)
    before = _said(one)
    _read(ctx, params, one)
    one.save()
    return ActOutcome("provider.person_changed", {**_said(one), "before": before})


@office_act()
def record_qualification(ctx: OfficeContext, params: Params) -> ActOutcome:
    """What the Board found of somebody who had to qualify: qualified, or not. Their form was filed before."""
    one, qualified, on = asked(ctx, params), params.yes("qualified"), past(ctx, params, "on")
    if one.form_filed_on is None:
        raise Refusal("no-form-filed", form_section(one), name=one.name)
    if on < one.form_filed_on:
        raise Refusal("found-before-form", on=in_days(one.form_filed_on))
    one.qualified_on, one.unqualified_on = (on, None) if qualified else (None, on)
    one.save(update_fields=["qualified_on", "unqualified_on"])
    said = {"provider": one.provider.code, "person": one.pk, "name": one.name, "qualified": qualified}
    return ActOutcome("provider.person_found", {**said, "on": in_days(on)})


@office_act()
def end_person(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Somebody is no longer with the provider; their credentials end with it."""
    one, on = asked(ctx, params), past(ctx, params, "on")
    if one.left_on is not None:
        raise Refusal("gone-already", on=in_days(one.left_on))
    one.left_on = on
    one.save(update_fields=["left_on"])
    ended = list(one.credentials.filter(ended_on=None))
    one.credentials.filter(ended_on=None).update(ended_on=on)
    said = {"provider": one.provider.code, "person": one.pk, "name": one.name, "on": in_days(on)}
    return ActOutcome("provider.person_left", {**said, "credentials": [each.number for each in ended]})


@office_act()
def issue_credential(ctx: OfficeContext, params: Params) -> ActOutcome:
    """A credential of the Bureau of Licensing. A temporary one is for who is needed in the facility, of a company on
    the Board's list or with permission to trade (§ 528.3(d), A08); a permanent one for who was found qualified, of a
    certified provider (§ 528.3(e)).
    """
    one, kind = asked(ctx, params), params.choice("kind", (TEMPORARY, PERMANENT))
    number, need = params.text("number", most=60), params.text("need", default="")
    on = past(ctx, params, "on")
    if one.left_on is not None:
        raise Refusal("gone-already", on=in_days(one.left_on))
    if one.kind != Qualifier.Kind.INDIVIDUAL or not duties(one):
        raise Refusal("credential-not-asked", CHAPTER + "§ 528.3(d)", name=one.name)
    file = File(ctx.facility, one.provider, ctx.gaming_day)
    verify_temporary(file, need) if kind == TEMPORARY else verify_permanent(file, one)
    Credential.objects.create(qualifier=one, kind=kind, number=number, need=need, issued_on=on)
    said = {
        "provider": one.provider.code,
        "person": one.pk,
        "name": one.name,
        "kind": kind,
        "number": number,
        "need": need or None,
        "on": in_days(on),
        "listed_on": in_days(one.provider.listed_on),
        "permission": file.trading.reference,
    }
    return ActOutcome("provider.credential", said)


@office_act()
def end_credential(ctx: OfficeContext, params: Params) -> ActOutcome:
    """A credential is given back, ends or is taken away."""
    one, number, on = asked(ctx, params), params.text("number", most=60), past(ctx, params, "on")
    credential = one.credentials.filter(number=number, ended_on=None).first()
    if credential is None:
        raise Refusal("no-such-credential", number=number)
    credential.ended_on = on
    credential.save(update_fields=["ended_on"])
    said = {"provider": one.provider.code, "person": one.pk, "number": number, "on": in_days(on)}
    return ActOutcome("provider.credential_ended", said)


def verify_temporary(file: File, need: str) -> None:
    """Raises `credential-without-need` or `company-not-listed`."""
    if not need:
        raise Refusal("credential-without-need", CHAPTER + "§ 528.3(d)(1)")
    if file.provider.listed_on is None and not file.trading.holds:
        raise Refusal("company-not-listed", CHAPTER + "§ 528.3(d)(2)", name=file.provider.name)


def verify_permanent(file: File, one: Qualifier) -> None:
    """Raises `not-found-qualified` or `provider-not-certified`."""
    if qualifiers.standing(one) != "qualified":
        raise Refusal("not-found-qualified", CHAPTER + "§ 528.3(e)", name=one.name)
    if not file.certification.holds:
        raise Refusal("provider-not-certified", CHAPTER + "§ 528.3(e)", name=file.provider.name)


def form_section(one: Qualifier) -> str:
    """The paragraph that asks for this one's form."""
    return CHAPTER + ("§ 528.3(b)" if one.kind == Qualifier.Kind.ENTITY else "§ 528.3(a)")


def _read(ctx: OfficeContext, params: Params, one: Qualifier) -> None:
    one.kind, one.name = params.choice("kind", tuple(Qualifier.Kind.values)), params.text("name", most=100)
    one.title = params.text("title", default="", most=100)
    one.officer, one.director = params.yes("officer"), params.yes("director")
    one.salesperson = params.yes("salesperson")
    one.owns_bp = params.whole("owns_bp", 0, WHOLE, default=0)
    one.votes_bp = params.whole("votes_bp", 0, WHOLE, default=0)
    one.named_by_board = params.text("named_by_board", default="")
    one.form_filed_on = past_if_any(ctx, params, "form_filed_on")


def _said(one: Qualifier) -> dict[str, Any]:
    return {
        "provider": one.provider.code,
        "person": one.pk,
        "kind": one.kind,
        "name": one.name,
        "title": one.title or None,
        "officer": one.officer,
        "director": one.director,
        "salesperson": one.salesperson,
        "owns_bp": one.owns_bp,
        "votes_bp": one.votes_bp,
        "named_by_board": one.named_by_board or None,
        "form_filed_on": in_days(one.form_filed_on),
        "must_qualify": [{"as": duty.words, "section": duty.section} for duty in duties(one)],
    }
