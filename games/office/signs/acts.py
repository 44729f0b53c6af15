"""Acts on sign forms: draft, file, decide, withdraw (58 Pa. Code § 521.8(d))."""

from typing import Annotated

from games.act_forms import Text, found, whole
from games.engine import Refusal
from games.models import SignForm
from games.office import reviews
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.signs import forms
from games.office.signs.entry_types import (
    SIGN_FORM_DECIDED,
    SIGN_FORM_DRAFTED,
    SIGN_FORM_FILED,
    SIGN_FORM_WITHDRAWN,
    SignFormDrafted,
    SignFormEntry,
)
from games.office.signs.refusals import NO_SUCH_SIGN_FORM
from games.params import Params
from games.registry import GAMES

MOST_WORDS = 400


def _form_by_number(ctx: OfficeContext, number: int) -> SignForm:
    form = SignForm.objects.filter(facility=ctx.facility, pk=number).first()
    if form is None:
        raise Refusal(NO_SUCH_SIGN_FORM)
    return form


_Form = Annotated[SignForm, found(whole(1, 2**31 - 1), _form_by_number)]


@office_act()
def draft_sign_form(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Draft the next version of a sign form, for one game or (`game` empty) for every game.

    A form has a location, a size in millimeters, and a wording for each language. Odds are never stated with "for".
    """
    kind = params.choice("kind", forms.KINDS)
    game = params.choice("game", ("", *GAMES), default="")
    location = params.text("location", max_length=80)
    width_mm = params.integer("width_mm", forms.LEAST_MM, forms.MOST_MM)
    height_mm = params.integer("height_mm", forms.LEAST_MM, forms.MOST_MM)
    texts = {language: params.prose(language, max_length=MOST_WORDS) for language in forms.LANGUAGES}
    wording = {language: text for language, text in texts.items() if text}
    section = ctx.facility.law.section("signs.form")
    forms.verify_wording(kind, wording, forms.rules_on_signs(ctx.facility, game), section=section)
    same = SignForm.objects.filter(facility=ctx.facility, kind=kind, game=game)
    newest = same.order_by("-version").values_list("version", flat=True).first() or 0
    form = SignForm.objects.create(
        facility=ctx.facility,
        kind=kind,
        game=game,
        version=newest + 1,
        location=location,
        width_mm=width_mm,
        height_mm=height_mm,
        wording=wording,
        drafted_at=ctx.now,
        drafted_by=ctx.actor,
    )
    data: SignFormDrafted = {
        **_form_data(form),
        "location": location,
        "width_mm": width_mm,
        "height_mm": height_mm,
        "wording": wording,
    }
    return ActOutcome(SIGN_FORM_DRAFTED(data), {"form": form.pk, **_form_data(form)})


@office_act()
def file_sign_form(ctx: OfficeContext, *, form: _Form) -> ActOutcome:
    """Mark a drafted form as filed for approval."""
    reviews.file(ctx, form)
    return ActOutcome(SIGN_FORM_FILED(_form_data(form)))


@office_act(step_up="always", subject="signs")
def decide_sign_form(ctx: OfficeContext, *, form: _Form, decision: reviews.SentDecision) -> ActOutcome:
    """Record the decision on a filed form with its letter. An approved form replaces the previous version."""
    decided = reviews.decide(ctx, form, decision, of="signs")
    return ActOutcome(SIGN_FORM_DECIDED({**_form_data(form), **decided}))


@office_act()
def withdraw_sign_form(ctx: OfficeContext, *, form: _Form, why: Text) -> ActOutcome:
    """Withdraw a form and its earlier versions, so that none of them can be displayed."""
    reviews.withdraw(ctx, form)
    earlier = SignForm.objects.filter(
        facility=ctx.facility, kind=form.kind, game=form.game, version__lt=form.version, status="approved"
    )
    for earlier_form in earlier:
        reviews.withdraw(ctx, earlier_form)
    return ActOutcome(SIGN_FORM_WITHDRAWN({**_form_data(form), "why": why}))


def _form_data(form: SignForm) -> SignFormEntry:
    return {"kind": form.kind, "game": form.game, "version": form.version}
