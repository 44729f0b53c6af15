"""The gaming guide, the rules book, permissions and incidents, for the office."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from audit import clock
from audit.identity import Denied
from games.guide.authorized import chapters_to_come, permissions_on, title_of
from games.guide.content import without_plan
from games.guide.standing import FORMATS, comes_as, desk, is_approved, missing_chapters, still_true
from games.guide.words import words
from games.models import BoardPermission, DeviceIncident, Facility, Guide, RulesBook, RulesInspection
from games.office.core import floor, person_and_facility
from games.office.guides.pdf import guide_pdf
from games.views.page_context import page_context

from .patrons import game_preview, guide_context, language_of

SHOWN = 50
SAMPLE = "Sample, not published: this guide is not approved."
NOT_OUT = "Approved, not published: this is not the guide that patrons read now."


@require_safe
def guides(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show the guide and its next step, the rules book, permissions and incidents."""
    person, facility = person_and_facility(request, facility_code)
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
        "permitted": permissions_on(facility, today),
        "incidents": DeviceIncident.objects.filter(facility=facility).select_related("by")[:SHOWN],
        "table_codes": [table.table for table in floor().tables(facility)],
    }


@require_safe
def preview(request: HttpRequest, facility_code: str, version: int) -> HttpResponse:
    """Show a version of the guide as patrons would read it, marked as a preview."""
    guide, context = _guide_and_context(request, facility_code, version)
    language = context["language"]
    games = [game_preview(guide, game["slug"], language) or {} for game in guide.content["games"]]
    for game in games:
        game["url"] = reverse("guide-preview-game", args=[facility_code, version, game["slug"]])
    context |= {"games": games, "print_url": reverse("guide-preview-print", args=[facility_code, version])}
    return render(request, "games/patrons/guide.html", context)


@require_safe
def preview_game(request: HttpRequest, facility_code: str, version: int, slug: str) -> HttpResponse:
    """Show one game of a version."""
    guide, context = _guide_and_context(request, facility_code, version)
    game = game_preview(guide, slug, context["language"])
    if game is None:
        raise Denied
    context |= {"game": game, "guide_url": reverse("guide-preview", args=[facility_code, version])}
    return render(request, "games/patrons/game.html", context)


@require_safe
def preview_print(request: HttpRequest, facility_code: str, version: int) -> HttpResponse:
    """Return the printed version. The sample for the body says on every page that it is not approved (§ 521.9(c))."""
    guide, context = _guide_and_context(request, facility_code, version)
    language = context["language"]
    response = HttpResponse(guide_pdf(guide, language), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="guide-v{version}-{language}.pdf"'
    return response


def _guide_and_context(
    request: HttpRequest, facility_code: str, version: int
) -> tuple[Guide, dict[str, Any]]:
    _, facility = person_and_facility(request, facility_code)
    rows = Guide.objects.filter(facility=facility, version=version).select_related("facility", "same_as")
    guide = rows.first()
    if guide is None:
        raise Denied
    out = guide.published_at is not None and guide.ended_at is None
    sample = "" if out else NOT_OUT if is_approved(guide) else SAMPLE
    return guide, guide_context(guide, language_of(request, facility)) | {"sample": sample}


urlpatterns = [
    path("office/<slug:facility_code>/guide/", guides, name="guides"),
    path("office/<slug:facility_code>/guide/<int:version>/", preview, name="guide-preview"),
    path(
        "office/<slug:facility_code>/guide/<int:version>/guide.pdf", preview_print, name="guide-preview-print"
    ),
    path(
        "office/<slug:facility_code>/guide/<int:version>/<slug:slug>/",
        preview_game,
        name="guide-preview-game",
    ),
]
