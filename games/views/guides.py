"""The gaming guide, the rules book, permissions and incidents, for the office."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from audit import clock
from audit.doors import Denied
from games.guide.authorized import chapters_to_come, title_of
from games.guide.desk import desk, missing_chapters
from games.guide.history import permissions_on
from games.guide.sections import section
from games.guide.standing import FORMATS, FREE, comes_as, is_approved, still_true
from games.guide.words import LANGUAGES, words
from games.models import BoardPermission, DeviceIncident, Facility, Guide, RulesBook, RulesInspection
from games.office.core.access import office_of
from games.office.core.floor import floor
from games.office.guides.pdf import guide_pdf
from games.views.page_context import office

from .patrons import about, language_of, shown

SHOWN = 50
BODIES = {"PA": "Bureau of Gaming Operations", "NJ": "Casino Control Commission"}
SAMPLE = "Sample, not given out: this guide is not approved."
NOT_OUT = "Approved, not given out: this is not the guide that patrons read now."


@require_safe
def guides(request: HttpRequest, facility: str) -> HttpResponse:
    """The whole tab: the guide and its next step, the rules book, permissions and incidents."""
    person, house = office_of(request, facility)
    now = clock.now()
    context = office(person, house, "guide", now) | _guide(house) | _book(house) | _devices(house)
    return render(request, "games/office/guides.html", context)


def _guide(house: Facility) -> dict[str, Any]:
    now = clock.now()
    found = desk(house, now)
    holds = still_true(found.published, now) if found.published else {}
    rows = Guide.objects.filter(facility=house).select_related("drafted_by", "same_as", "decision")
    read = found.published.content["games"] if found.published else []
    return {
        "desk": found,
        "versions": [_version(one) for one in rows[:SHOWN]],
        "read": [
            {"title": game["texts"]["en"]["title"], "variant": game["texts"]["en"]["variant"], **game}
            | {"holds": holds[game["slug"]]}
            for game in read
        ],
        "lying": found.published.displays.filter(until=None) if found.published else (),
        "languages": [(code, words(code)["language"]) for code in LANGUAGES],
        "formats": [(one, one in FREE[house.jurisdiction]) for one in FORMATS],
        # § 521.9(f) wants it on the web site; New Jersey says nothing of one
        "off_the_web": bool(
            house.jurisdiction == "PA" and found.published and not comes_as(found.published, "web")
        ),
        "body": BODIES[house.jurisdiction],
        "cites": {
            duty: section(house, duty)
            for duty in ("book", "guide", "sample", "different", "display", "device", "web")
        },
    }


def _version(guide: Guide) -> dict[str, Any]:
    """A version as the list shows it."""
    state = {"draft": "wait", "filed": "wait", "approved": "ok", "denied": "stop", "withdrawn": "past"}
    said = guide.get_status_display()
    colour = state[guide.status]
    if guide.ended_at is not None:
        said, colour = "ended" if guide.status == "approved" else said, "past"
    elif guide.published_at is not None:
        said = "given out"
    return {"guide": guide, "said": said, "state": colour, "approved": is_approved(guide)}


def _book(house: Facility) -> dict[str, Any]:
    now = clock.now()
    book = RulesBook.objects.filter(facility=house, replaced_at=None).select_related("document").first()
    asked = chapters_to_come(house, now)
    return {
        "book": book,
        "book_holds": [title_of(code) for code in book.games] if book else [],
        "book_missing": missing_chapters(house, book.games if book else [], now),
        "books": RulesBook.objects.filter(facility=house).select_related("document")[:SHOWN],
        "chapters": asked.items(),
        "inspections": RulesInspection.objects.filter(book__facility=house).select_related("book", "by")[
            :SHOWN
        ],
    }


def _devices(house: Facility) -> dict[str, Any]:
    today = house.local(clock.now()).date()
    return {
        "permissions": BoardPermission.objects.filter(facility=house).select_related("letter")[:SHOWN],
        "permitted": permissions_on(house, today),
        "incidents": DeviceIncident.objects.filter(facility=house).select_related("by")[:SHOWN],
        "table_codes": [one.table for one in floor().tables(house)],
    }


@require_safe
def preview(request: HttpRequest, facility: str, version: int) -> HttpResponse:
    """A version of the guide as patrons would read it, marked while they do not."""
    found, context = _asked(request, facility, version)
    language = context["language"]
    games = [shown(found, game["slug"], language) or {} for game in found.content["games"]]
    for one in games:
        one["url"] = reverse("guide-preview-game", args=[facility, version, one["slug"]])
    context |= {"games": games, "print_url": reverse("guide-preview-print", args=[facility, version])}
    return render(request, "games/patrons/guide.html", context)


@require_safe
def preview_game(request: HttpRequest, facility: str, version: int, slug: str) -> HttpResponse:
    """One game of it."""
    found, context = _asked(request, facility, version)
    one = shown(found, slug, context["language"])
    if one is None:
        raise Denied
    context |= {"game": one, "guide_url": reverse("guide-preview", args=[facility, version])}
    return render(request, "games/patrons/game.html", context)


@require_safe
def preview_print(request: HttpRequest, facility: str, version: int) -> HttpResponse:
    """It to print: the sample that goes to the body says on every page that it is not approved (§ 521.9(c))."""
    found, context = _asked(request, facility, version)
    language = context["language"]
    response = HttpResponse(guide_pdf(found, language), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="guide-v{version}-{language}.pdf"'
    return response


def _asked(request: HttpRequest, facility: str, version: int) -> tuple[Guide, dict[str, Any]]:
    _, house = office_of(request, facility)
    rows = Guide.objects.filter(facility=house, version=version).select_related("facility", "same_as")
    found = rows.first()
    if found is None:
        raise Denied
    out = found.published_at is not None and found.ended_at is None
    sample = "" if out else NOT_OUT if is_approved(found) else SAMPLE
    return found, about(found, language_of(request)) | {"sample": sample}


urlpatterns = [
    path("office/<slug:facility>/guide/", guides, name="guides"),
    path("office/<slug:facility>/guide/<int:version>/", preview, name="guide-preview"),
    path("office/<slug:facility>/guide/<int:version>/guide.pdf", preview_print, name="guide-preview-print"),
    path("office/<slug:facility>/guide/<int:version>/<slug:slug>/", preview_game, name="guide-preview-game"),
]
