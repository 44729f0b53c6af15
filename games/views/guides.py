"""What the office does for patrons: the gaming guide, the rules book, permissions and incidents, and the sign forms.

Sign forms are those in force for each kind, those waiting for a decision, and earlier ones.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_safe

from audit import clock
from audit.identity import Denied
from audit.models import Person
from games.access import opened_by
from games.engine.editions import all_editions
from games.guide.content import (
    FORMATS,
    chapters_to_come,
    comes_as,
    desk,
    is_approved,
    missing_chapters,
    permissions_on,
    still_true,
    title_of,
    without_plan,
)
from games.guide.words import words
from games.jurisdictions import short
from games.kit.files import file_response
from games.models import (
    BoardPermission,
    DeviceIncident,
    Facility,
    Guide,
    Review,
    RulesBook,
    RulesInspection,
    SignForm,
)
from games.office import pdf
from games.office.core import OFFICE, floor
from games.office.guides.pdf import guide_pdf
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
from games.views.office import page_context

from .patrons import game_preview, guide_context, language_of

SHOWN = 50
SAMPLE = "Sample, not published: this guide is not approved."
NOT_OUT = "Approved, not published: this is not the guide that patrons read now."


@require_safe
@opened_by(OFFICE)
def guides(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the guide and its next step, the rules book, permissions and incidents."""
    now = clock.now()
    context = (
        page_context(person, facility, "guide", now)
        | _guide_context(facility)
        | _book_context(facility)
        | _device_context(facility)
    )
    return render(request, "games/office/guides.html", context)


def _guide_context(facility: Facility) -> dict[str, Any]:
    now = clock.now()
    overview = desk(facility, now)
    holds = still_true(overview.published, now) if overview.published else {}
    rows = Guide.objects.filter(facility=facility).select_related("drafted_by", "same_as", "decision")
    read = overview.published.content["games"] if overview.published else []
    return {
        "desk": overview,
        "without_plan": without_plan(facility, now),
        "versions": [_version(guide) for guide in rows[:SHOWN]],
        "read": [
            {"title": game["texts"]["en"]["title"], "variant": game["texts"]["en"]["variant"], **game}
            | {"holds": holds[game["slug"]]}
            for game in read
        ],
        "copies": overview.published.displays.filter(until=None) if overview.published else (),
        "languages": [(code, words(code)["language"]) for code in facility.law.languages],
        "formats": [(name, name in facility.law.guide.formats_without_approval) for name in FORMATS],
        "off_the_web": bool(
            facility.law.guide.web_always and overview.published and not comes_as(overview.published, "web")
        ),
        "body": facility.law.body("guides"),
        "cites": {
            duty: facility.law.section(f"guide.{duty}")
            for duty in ("book", "guide", "sample", "different", "display", "device", "web")
        },
    }


def _version(guide: Guide) -> dict[str, Any]:
    """Return a version for the list."""
    state = {"draft": "wait", "filed": "wait", "approved": "ok", "denied": "stop", "withdrawn": "past"}
    status = guide.get_status_display()
    color = state[guide.status]
    if guide.ended_at is not None:
        status, color = "ended" if guide.status == "approved" else status, "past"
    elif guide.published_at is not None:
        status = "published"
    return {"guide": guide, "status_text": status, "state": color, "approved": is_approved(guide)}


def _book_context(facility: Facility) -> dict[str, Any]:
    now = clock.now()
    book = RulesBook.objects.filter(facility=facility, replaced_at=None).select_related("document").first()
    chapters = chapters_to_come(facility, now)
    return {
        "book": book,
        "book_holds": [title_of(code) for code in book.games] if book else [],
        "book_missing": missing_chapters(facility, book.games if book else [], now),
        "books": RulesBook.objects.filter(facility=facility).select_related("document")[:SHOWN],
        "chapters": chapters.items(),
        "inspections": RulesInspection.objects.filter(book__facility=facility).select_related("book", "by")[
            :SHOWN
        ],
    }


def _device_context(facility: Facility) -> dict[str, Any]:
    today = facility.local(clock.now()).date()
    return {
        "permissions": BoardPermission.objects.filter(facility=facility).select_related("letter")[:SHOWN],
        "permitted": facility.law.results.approved or permissions_on(facility, today),
        "incidents": DeviceIncident.objects.filter(facility=facility).select_related("by")[:SHOWN],
        "table_codes": [table.table for table in floor().tables(facility)],
    }


@require_safe
@opened_by(OFFICE)
def preview(request: HttpRequest, _person: Person, facility: Facility, version: int) -> HttpResponse:
    """Show a version of the guide as patrons would read it, marked as a preview."""
    guide, context = _guide_and_context(request, facility, version)
    language = context["language"]
    games = [game_preview(guide, game["slug"], language) or {} for game in guide.content["games"]]
    for game in games:
        game["url"] = reverse("guide-preview-game", args=[facility.code, version, game["slug"]])
    context |= {"games": games, "print_url": reverse("guide-preview-print", args=[facility.code, version])}
    return render(request, "games/patrons/guide.html", context)


@require_safe
@opened_by(OFFICE)
def preview_game(
    request: HttpRequest, _person: Person, facility: Facility, version: int, slug: str
) -> HttpResponse:
    """Show one game of a version."""
    guide, context = _guide_and_context(request, facility, version)
    game = game_preview(guide, slug, context["language"])
    if game is None:
        raise Denied
    context |= {"game": game, "guide_url": reverse("guide-preview", args=[facility.code, version])}
    return render(request, "games/patrons/game.html", context)


@require_safe
@opened_by(OFFICE)
def preview_print(request: HttpRequest, _person: Person, facility: Facility, version: int) -> HttpResponse:
    """Return the printed version. The sample for the body says on every page that it is not approved (§ 521.9(c))."""
    guide, context = _guide_and_context(request, facility, version)
    language = context["language"]
    return file_response(guide_pdf(guide, language), f"guide-v{version}-{language}.pdf")


def _guide_and_context(
    request: HttpRequest, facility: Facility, version: int
) -> tuple[Guide, dict[str, Any]]:
    rows = Guide.objects.filter(facility=facility, version=version).select_related("facility", "same_as")
    guide = rows.first()
    if guide is None:
        raise Denied
    out = guide.published_at is not None and guide.ended_at is None
    sample = "" if out else NOT_OUT if is_approved(guide) else SAMPLE
    return guide, guide_context(guide, language_of(request, facility)) | {"sample": sample}


# Signs


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
@opened_by(OFFICE)
def signs(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show every kind of sign with its forms, drawn with example figures."""
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
    paper = pdf.SignSheet("", texts, rows, "", form.width_mm, form.height_mm)
    return {
        "form": form,
        "game": GAMES[form.game].name if form.game in GAMES else "every game",
        "due_on": review_due_on(form, facility),
        "lines": pdf.sign_lines(paper),
        **{language: form.wording.get(language, "") for language in LANGUAGES},
    }


urlpatterns = [
    path("office/<slug:facility>/guide/", guides, name="guides"),
    path("office/<slug:facility>/guide/<int:version>/", preview, name="guide-preview"),
    path("office/<slug:facility>/guide/<int:version>/guide.pdf", preview_print, name="guide-preview-print"),
    path(
        "office/<slug:facility>/guide/<int:version>/<slug:slug>/",
        preview_game,
        name="guide-preview-game",
    ),
    path("office/<slug:facility>/signs/", signs, name="signs"),
]
