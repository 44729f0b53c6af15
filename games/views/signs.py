"""Sign forms: those in force for each kind, those waiting for a decision, and earlier ones."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from games.engine.editions import all_editions
from games.jurisdictions import short
from games.models import Facility, Review, SignForm
from games.office.core import person_and_facility
from games.office.pdf import sign_paper
from games.office.reviews import review_due_on
from games.office.signs import (
    ALLOWED_PLACEHOLDERS,
    COMMON_PLACEHOLDERS,
    LANGUAGES,
    LEAST_MM,
    MOST_MM,
    fill_wording,
)
from games.registry import GAMES
from games.views.page_context import page_context

EXAMPLE = {
    "casino": "Larkfield Casino",
    "starts": "21 November 2026",
    "ends": "20 December 2026",
    "table": "T-01",
    "game": "Sic Bo",
    "min": "$10",
    "max": "$1,000",
    "new_min": "$25",
    "new_max": "$2,000",
    "from": "8:30 PM",
    "limit": "$75,000",
    "approved": "12 Jan 2026",
}
EXAMPLE_ODDS = (("Small", "1 to 1"), ("Total 4, 17", "50 to 1"), ("Three of a Kind", "150 to 1"))
WAITING = (Review.DRAFT, Review.FILED)


@require_GET
def signs(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show every kind of sign with its forms, drawn with example figures."""
    person, facility = person_and_facility(request, facility_code)
    forms = (
        SignForm.objects.filter(facility=facility)
        .select_related("decision", "drafted_by")
        .order_by("-version")
    )
    by_kind: dict[str, list[SignForm]] = {kind: [] for kind in SignForm.Kind.values}
    for form in forms:
        by_kind[form.kind].append(form)
    kinds = [_kind_context(kind, kind_forms, facility) for kind, kind_forms in by_kind.items()]
    context = page_context(person, facility, "signs") | {
        "kinds": kinds,
        "games": [(game.code, game.name) for game in GAMES.values()],
        "approved": sum(len(group["in_force"]) for group in kinds),
        "waits": sum(len(group["waiting"]) for group in kinds),
        "missing": [group["label"] for group in kinds if not group["in_force"] and group["kind"] != "test"],
        "least_mm": LEAST_MM,
        "most_mm": MOST_MM,
        "body": facility.law.body("signs"),
        "form_section": facility.law.section("signs.form"),
    }
    return render(request, "games/office/signs.html", context)


def _kind_context(kind: str, forms: list[SignForm], facility: Facility) -> dict[str, Any]:
    newest_approved: dict[str, SignForm] = {}
    for form in forms:
        if form.status == Review.APPROVED:
            newest_approved.setdefault(form.game, form)
    current_forms = list(newest_approved.values())
    return {
        "kind": kind,
        "label": SignForm.Kind(kind).label,
        "names": " ".join(
            f"{{{name}}}" for name in (*ALLOWED_PLACEHOLDERS[kind], *sorted(COMMON_PLACEHOLDERS))
        ),
        "in_force": [_form_context(form, facility) for form in current_forms],
        "waiting": [_form_context(form, facility) for form in forms if form.status in WAITING],
        "past": [form for form in forms if form not in current_forms and form.status not in WAITING],
    }


def _example(facility: Facility) -> dict[str, str]:
    """Return example figures, with an edition of the facility's jurisdiction as the rules."""
    own = [edition for edition in all_editions().values() if edition.jurisdiction == facility.jurisdiction]
    example = next((edition for edition in own if edition.paytable), own[0] if own else None)
    names = [short(example.title)] if example else []
    names += [f"Paytable {example.paytable}"] if example and example.paytable else []
    return EXAMPLE | {"rules": " · ".join(names) + ", RS-0009 v2"}


def _form_context(form: SignForm, facility: Facility) -> dict[str, Any]:
    """Return a form with its preview, its due day if undecided, and the name of its game."""
    texts = [
        (language, fill_wording(form.wording[language], _example(facility)))
        for language in LANGUAGES
        if language in form.wording
    ]
    rows = EXAMPLE_ODDS if form.kind == "odds" else ()
    paper = sign_paper.SignSheet("", texts, rows, "", form.width_mm, form.height_mm)
    return {
        "form": form,
        "game": GAMES[form.game].name if form.game in GAMES else "every game",
        "due_on": review_due_on(form, facility),
        "lines": sign_paper.sign_lines(paper),
        **{language: form.wording.get(language, "") for language in LANGUAGES},
    }


urlpatterns = [path("office/<slug:facility_code>/signs/", signs, name="signs")]
