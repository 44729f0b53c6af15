"""What patrons read without signing in: the gaming guide in their language, and the complete rules.

Nothing here knows a round: no roll, no history, no trend (§ 521.6). No page needs a cookie, and each may be kept by a
cache for a minute.
"""

from functools import lru_cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation.trans_real import parse_accept_lang_header
from django.views.decorators.http import require_safe

from audit import clock
from games.guide.authorized import title_of
from games.guide.standing import approval_of, comes_as, published, still_true
from games.guide.words import LANGUAGES, SWITCH, TAGS, day, place, words
from games.models import Facility, Guide, RulesBook
from games.office.guides.pdf import guide_pdf, standing

from .documents import attachment

KEPT_SECONDS = 60
LONG = 150  # letters of an example that need the whole width of a phone


def language_of(request: HttpRequest) -> str:
    """The language that the switch says, else the first of the browser's that the guide has, else English."""
    asked = request.GET.get("lang", "")
    if asked in LANGUAGES:
        return asked
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", "")[:200].lower())
    return next((tag[:2] for tag, _ in accepted if tag.split("-")[0] in LANGUAGES), LANGUAGES[0])


@require_safe
def guide(request: HttpRequest, facility: str) -> HttpResponse:
    """The published guide: its games."""
    house, language = _house(facility), language_of(request)
    found = _published(house)
    if found is None:
        return _none(request, house, language)
    holds = still_true(found, clock.now())
    games = [_game(game, language, holds) for game in found.content["games"]]
    for one in games:
        one["url"] = reverse("guide-game", args=[house.code, one["slug"]])
    context = about(found, language) | {"games": games, "renewed": not all(holds.values())}
    context["print_url"] = reverse("guide-print", args=[house.code])
    return _kept(render(request, "games/patrons/guide.html", context), language)


@require_safe
def game(request: HttpRequest, facility: str, slug: str) -> HttpResponse:
    """One game of the published guide.

    Where the submission in force has changed, its old text is left out at once: § 521.9(b) and N.J.A.C. 19:47-8.5(b)
    make the guide a short form of the rules, so odds that are not dealt have no place in it, and § 521.9(d) keeps the
    new ones out until their own sample is approved. What is left of the approved guide stands unaltered.
    """
    house, language = _house(facility), language_of(request)
    found = _published(house)
    one = _named(found, slug) if found else None
    if found is None or one is None:
        return _none(request, house, language)
    told = _game(one, language, still_true(found, clock.now()))
    context = about(found, language) | {"game": told, "alone": len(found.content["games"]) == 1}
    context["guide_url"] = reverse("guide", args=[house.code])
    return _kept(render(request, "games/patrons/game.html", context), language)


@require_safe
def print_(request: HttpRequest, facility: str) -> HttpResponse:
    """The published guide to print, whole as it was approved: not at all while a part of it is not dealt."""
    house, language = _house(facility), language_of(request)
    found = _published(house)
    if found is None or not all(still_true(found, clock.now()).values()):
        return _none(request, house, language)
    pdf = _printed(found.pk, found.content_sha256, standing(found, language), language)
    response = HttpResponse(pdf, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="guide-{house.code}-{language}.pdf"'
    return _kept(response, language)


@lru_cache(maxsize=12)
def _printed(pk: int, content_sha256: str, standing: str, language: str) -> bytes:
    """The print of a guide, made once: anybody may ask for it, and everything on it is among these values."""
    return guide_pdf(Guide.objects.select_related("facility", "same_as").get(pk=pk), language)


@require_safe
def rules(request: HttpRequest, facility: str) -> HttpResponse:
    """The complete rules: their document, and where the printed copy lies."""
    house, language = _house(facility), language_of(request)
    book = _book(house)
    common = words(language)
    context = _page(house, language) | {"book": book, "guide": _published(house) is not None}
    if book is not None:
        context |= {
            "lies": place(language, book.place),
            "holds": [title_of(code) for code in book.games],
            "said": common["book_version"].format(
                version=book.version, day=day(language, house.local(book.filed_at).date())
            ),
        }
    return _kept(render(request, "games/patrons/rules.html", context), language)


@require_safe
def rules_document(request: HttpRequest, facility: str) -> HttpResponse:
    """The complete rules as they were filed, as a download."""
    book = _book(_house(facility))
    if book is None:
        raise Http404
    response = attachment(book.document)
    patch_cache_control(response, public=True, max_age=KEPT_SECONDS)
    return response


def about(guide: Guide, language: str) -> dict[str, Any]:
    """What every page of a guide has: the house, the languages, and under which approval it is given out."""
    common, house = words(language), guide.facility
    first = approval_of(guide)
    on = house.local(first.decided_at).date() if first.decided_at else None
    key = "approved_under" if guide.same_as else "approved"
    said = {"version": guide.version, "other": first.version, "day": day(language, on) if on else ""}
    book = _book(house)
    return _page(house, language) | {
        "guide": guide,
        "approved": common[key].format(**said) if on else "",
        "book_lies": common["book"].format(place=place(language, book.place)) if book else "",
    }


def _page(house: Facility, language: str) -> dict[str, Any]:
    switch = [{"code": one, "tag": TAGS[one], "name": words(one)["language"]} for one in SWITCH]
    return {
        "house": house,
        "language": language,
        "tag": TAGS[language],
        "words": words(language),
        "languages": switch,
    }


def _game(game: dict[str, Any], language: str, holds: dict[str, bool]) -> dict[str, Any]:
    """One game as a page shows it: with its text while that holds, else with its name alone."""
    told = game["texts"][language]
    if not holds[game["slug"]]:
        told = {name: told[name] for name in ("title", "variant")}
    else:
        told = told | {"examples": [_example(one) for one in told["examples"]]}
    long = any(len(one["text"]) > LONG for one in told.get("examples", ()))
    return {"slug": game["slug"], "long": long, "dice": game["dice"], "holds": holds[game["slug"]], **told}


def _example(example: dict[str, Any]) -> dict[str, Any]:
    """An example with each die and its colour, "" where all are alike."""
    colours = example["colours"]
    dice = [list(zip(throw, colours or [""] * len(throw), strict=True)) for throw in example["throws"]]
    return {"dice": dice, "text": example["text"]}


def shown(guide: Guide, slug: str, language: str) -> dict[str, Any] | None:
    """One game of any guide, for the office: as it will be read, whether it is dealt now or not."""
    one = _named(guide, slug)
    return _game(one, language, {slug: True}) if one else None


def _named(guide: Guide, slug: str) -> dict[str, Any] | None:
    return next((one for one in guide.content["games"] if one["slug"] == slug), None)


def _house(facility: str) -> Facility:
    found = Facility.objects.filter(code=facility).first()
    if found is None:
        raise Http404
    return found


def _published(house: Facility) -> Guide | None:
    """The guide as the web site shows it: § 521.9(f); in New Jersey only where that format is approved."""
    found = published(house)
    return found if found is not None and comes_as(found, "web") else None


def _book(house: Facility) -> RulesBook | None:
    return RulesBook.objects.filter(facility=house, replaced_at=None).select_related("document").first()


def _none(request: HttpRequest, house: Facility, language: str) -> HttpResponse:
    context = _page(house, language) | {"book": _book(house)}
    return _kept(render(request, "games/patrons/none.html", context, status=404), language)


def _kept(response: HttpResponse, language: str) -> HttpResponse:
    """The same for everybody who asks for the same language."""
    response["Content-Language"] = TAGS[language]
    patch_vary_headers(response, ["Accept-Language"])
    patch_cache_control(response, public=True, max_age=KEPT_SECONDS)
    return response


urlpatterns = [
    path("guide/<slug:facility>/", guide, name="guide"),
    path("guide/<slug:facility>/guide.pdf", print_, name="guide-print"),
    path("guide/<slug:facility>/<slug:slug>/", game, name="guide-game"),
    path("rules/<slug:facility>/", rules, name="rules-book"),
    path("rules/<slug:facility>/document", rules_document, name="rules-book-document"),
]
