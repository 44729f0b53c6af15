"""Pages for patrons, without sign-in: the gaming guide in their language, and the complete rules.

Nothing here shows rounds: no roll, no history, no trend (§ 521.6). The pages need no cookie and may be cached for a
minute.
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
from games.access import CheckedBy, opened_by
from games.guide.content import approval_of, comes_as, published, still_true, title_of
from games.guide.content_types import GameContent, GuideExample
from games.guide.words import SWITCH, TAGS, day, place, words
from games.kit.files import file_response
from games.models import Facility, Guide, RulesBook
from games.office.guides.pdf import approval_line, guide_pdf
from games.views.office import attachment

CACHE_SECONDS = 60
LONG = 150  # examples with more letters take the full width of a phone


def language_of(request: HttpRequest, facility: Facility) -> str:
    """The language of the switch, otherwise the first of the browser's that the guide of this facility has."""
    languages = facility.law.languages
    language = request.GET.get("lang", "")
    if language in languages:
        return language
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", "")[:200].lower())
    return next((tag[:2] for tag, _ in accepted if tag.split("-")[0] in languages), languages[0])


def for_patrons(request: HttpRequest, facility: str) -> tuple[Facility, str]:
    """Everybody, without sign-in: the facility, and the language that the patron reads."""
    row = Facility.objects.filter(code=facility).first()
    if row is None:
        raise Http404
    return row, language_of(request, row)


FOR_PATRONS = CheckedBy(for_patrons, ("facility",))


@require_safe
@opened_by(FOR_PATRONS)
def guide(request: HttpRequest, facility: Facility, language: str) -> HttpResponse:
    """Show the games of the published guide."""
    published_guide = _published(facility)
    if published_guide is None:
        return _no_guide(request, facility, language)
    holds = still_true(published_guide, clock.now())
    games = [_game_page(game, language, holds) for game in published_guide.content["games"]]
    for game in games:
        game["url"] = reverse("guide-game", args=[facility.code, game["slug"]])
    context = guide_context(published_guide, language) | {"games": games, "renewed": not all(holds.values())}
    context["print_url"] = reverse("guide-print", args=[facility.code])
    return _cacheable(render(request, "games/patrons/guide.html", context), language)


@require_safe
@opened_by(FOR_PATRONS)
def game(request: HttpRequest, facility: Facility, language: str, slug: str) -> HttpResponse:
    """Show one game of the published guide.

    If the submission in force has changed, the old text is left out at once: § 521.9(b) and N.J.A.C. 19:47-8.5(b)
    make the guide a short form of the rules, so it may not state odds that are not dealt, and § 521.9(d) keeps the
    new odds out until their own sample is approved. The rest of the guide stays unaltered.
    """
    published_guide = _published(facility)
    content = _game_content(published_guide, slug) if published_guide else None
    if published_guide is None or content is None:
        return _no_guide(request, facility, language)
    game_page = _game_page(content, language, still_true(published_guide, clock.now()))
    context = guide_context(published_guide, language) | {
        "game": game_page,
        "alone": len(published_guide.content["games"]) == 1,
    }
    context["guide_url"] = reverse("guide", args=[facility.code])
    return _cacheable(render(request, "games/patrons/game.html", context), language)


@require_safe
@opened_by(FOR_PATRONS)
def guide_print(request: HttpRequest, facility: Facility, language: str) -> HttpResponse:
    """Return the published guide as a PDF, exactly as approved; nothing while a part of it is not dealt."""
    published_guide = _published(facility)
    if published_guide is None or not all(still_true(published_guide, clock.now()).values()):
        return _no_guide(request, facility, language)
    pdf = _printed(
        published_guide.pk, published_guide.content_sha256, approval_line(published_guide, language), language
    )
    return _cacheable(file_response(pdf, f"guide-{facility.code}-{language}.pdf"), language)


@lru_cache(maxsize=12)
def _printed(pk: int, content_sha256: str, approval_line: str, language: str) -> bytes:
    """Return the PDF of a guide, cached: anybody may ask for it, and these values determine all of it."""
    return guide_pdf(Guide.objects.select_related("facility", "same_as").get(pk=pk), language)


@require_safe
@opened_by(FOR_PATRONS)
def rules(request: HttpRequest, facility: Facility, language: str) -> HttpResponse:
    """Show the complete rules: their document, and where the printed copy is kept."""
    book = _book(facility)
    common = words(language)
    context = _page(facility, language) | {"book": book, "guide": _published(facility) is not None}
    if book is not None:
        context |= {
            "book_place": place(language, book.place),
            "contents": [title_of(code) for code in book.games],
            "book_version": common["book_version"].format(
                version=book.version, day=day(language, facility.local(book.filed_at).date())
            ),
        }
    return _cacheable(render(request, "games/patrons/rules.html", context), language)


@require_safe
@opened_by(FOR_PATRONS)
def rules_document(request: HttpRequest, facility: Facility, _language: str) -> HttpResponse:
    """Download the complete rules as they were filed."""
    book = _book(facility)
    if book is None:
        raise Http404
    response = attachment(book.document)
    patch_cache_control(response, public=True, max_age=CACHE_SECONDS)
    return response


def guide_context(guide: Guide, language: str) -> dict[str, Any]:
    """Return what every page of a guide needs: the facility, the languages and the approval."""
    common, facility = words(language), guide.facility
    first = approval_of(guide)
    decided_on = facility.local(first.decided_at).date() if first.decided_at else None
    key = "approved_under" if guide.same_as else "approved"
    params = {
        "version": guide.version,
        "other": first.version,
        "day": day(language, decided_on) if decided_on else "",
    }
    book = _book(facility)
    return _page(facility, language) | {
        "guide": guide,
        "approved": common[key].format(**params) if decided_on else "",
        "book_lies": common["book"].format(place=place(language, book.place)) if book else "",
    }


def _page(facility: Facility, language: str) -> dict[str, Any]:
    switch = [
        {"code": code, "tag": TAGS[code], "name": words(code)["language"]}
        for code in SWITCH
        if code in facility.law.languages
    ]
    return {
        "facility": facility,
        "language": language,
        "tag": TAGS[language],
        "words": words(language),
        "languages": switch,
    }


def _game_page(game: GameContent, language: str, holds: dict[str, bool]) -> dict[str, Any]:
    """Return one game for a page: with its text while it is dealt, otherwise only its name."""
    texts, is_dealt = game["texts"][language], holds[game["slug"]]
    page: dict[str, Any] = {"slug": game["slug"], "long": False, "dice": game["dice"], "holds": is_dealt}
    if not is_dealt:
        return page | {"title": texts["title"], "variant": texts["variant"]}
    examples = [_example(example) for example in texts["examples"]]
    long = any(len(example["text"]) > LONG for example in examples)
    return page | {**texts, "examples": examples, "long": long}


def _example(example: GuideExample) -> dict[str, Any]:
    """Return an example with each die and its color, "" if all dice are alike."""
    colors = example["colours"]
    dice = [list(zip(throw, colors or [""] * len(throw), strict=True)) for throw in example["throws"]]
    return {"dice": dice, "text": example["text"]}


def game_preview(guide: Guide, slug: str, language: str) -> dict[str, Any] | None:
    """Return one game of any guide for the office, whether it is dealt now or not."""
    content = _game_content(guide, slug)
    return _game_page(content, language, {slug: True}) if content else None


def _game_content(guide: Guide, slug: str) -> GameContent | None:
    return next((game for game in guide.content["games"] if game["slug"] == slug), None)


def _published(facility: Facility) -> Guide | None:
    """Return the guide for the web site: § 521.9(f); in New Jersey only if that format is approved."""
    guide = published(facility)
    return guide if guide is not None and comes_as(guide, "web") else None


def _book(facility: Facility) -> RulesBook | None:
    return RulesBook.objects.filter(facility=facility, replaced_at=None).select_related("document").first()


def _no_guide(request: HttpRequest, facility: Facility, language: str) -> HttpResponse:
    context = _page(facility, language) | {"book": _book(facility)}
    return _cacheable(render(request, "games/patrons/none.html", context, status=404), language)


def _cacheable(response: HttpResponse, language: str) -> HttpResponse:
    """Let caches share the response among requests for the same language."""
    response["Content-Language"] = TAGS[language]
    patch_vary_headers(response, ["Accept-Language"])
    patch_cache_control(response, public=True, max_age=CACHE_SECONDS)
    return response


urlpatterns = [
    path("guide/<slug:facility>/", guide, name="guide"),
    path("guide/<slug:facility>/guide.pdf", guide_print, name="guide-print"),
    path("guide/<slug:facility>/<slug:slug>/", game, name="guide-game"),
    path("rules/<slug:facility>/", rules, name="rules-book"),
    path("rules/<slug:facility>/document", rules_document, name="rules-book-document"),
]
