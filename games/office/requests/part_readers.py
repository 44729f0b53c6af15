"""Reads the parameters of one part of a request. A part without contents is removed."""

import re
from collections.abc import Callable
from typing import Any, TypeVar, get_args

from games.engine import Refusal
from games.models import Document, GameRequest, Provider
from games.office.core.runner import OfficeContext
from games.office.documents import filing
from games.office.requests.contents import CLASSES, MOST_PROSE
from games.office.requests.entry_types import (
    ClassOfGame,
    FeePaid,
    GameClass,
    LicenseApplication,
    NoContents,
    NoSuchPart,
    OtherPlaces,
    PartContents,
    PartKey,
    PropertyRight,
    PropertyRights,
    RightKind,
    RightState,
    RightSubject,
    TextOrDocuments,
)
from games.office.requests.refusals import (
    AMOUNT_UNREADABLE,
    CLASS_OF_WHAT,
    DAY_NOT_COME,
    DRAWING_IS_NO_PICTURE,
    NO_SUCH_HOLDER,
    NONE_AND_SOME,
)
from games.params import Params, malformed

Stored = dict[str, Any]  # a part as the request stores it
Part = TypeVar("Part", bound=PartContents)
Reader = Callable[[OfficeContext, Params, Stored], Part]
AMOUNT = re.compile(r"\$?(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d\d))?")
RIGHTS: tuple[RightKind, ...] = get_args(RightKind)
STATES: tuple[RightState, ...] = get_args(RightState)
ABOUT: tuple[RightSubject, ...] = get_args(RightSubject)
MOST_PLACES = 40


def read_part(ctx: OfficeContext, params: Params, request: GameRequest, key: PartKey) -> PartContents:
    """Return the new value of one part. Raises what its reader raises, and Refusal(`malformed`)."""
    return READERS[key](ctx, params, request.parts.get(key, {}))


def read_cents(params: Params, name: str, section: str) -> int:
    """Return the cents of an amount such as "1,250" or "$1,250.50". Raises Refusal(`amount-unreadable`)."""
    text = params.text(name, max_length=20)
    match = AMOUNT.fullmatch(text)
    if match is None:
        raise Refusal(AMOUNT_UNREADABLE, section, said=text)
    return int(match[1].replace(",", "")) * 100 + int(match[2] or 0)


def read_attachments(ctx: OfficeContext, params: Params, before: list[str]) -> list[str]:
    """Return the codes of the documents that stay and of the one that is added. Raises Refusal(`no-such-document`)."""
    keep = set(params.texts("keep"))
    if not keep <= set(before):
        raise malformed("keep")
    added = filing.read_optional_document(ctx, params, "document")
    codes = [code for code in before if code in keep]
    return codes + [added.code] if added and added.code not in codes else codes


def _read_prose(ctx: OfficeContext, params: Params, before: Stored) -> TextOrDocuments:
    text = params.prose("text", max_length=MOST_PROSE)
    return {"text": text} if text else {}


def _read_play(ctx: OfficeContext, params: Params, before: Stored) -> TextOrDocuments:
    return {**_read_prose(ctx, params, before), **_read_papers(ctx, params, before)}


def _read_papers(ctx: OfficeContext, params: Params, before: Stored) -> TextOrDocuments:
    codes = read_attachments(ctx, params, before.get("documents", []))
    return {"documents": codes} if codes else {}


def _pictures_reader(part: str) -> Reader[TextOrDocuments]:
    """Return a reader of drawings or photos, which refuses plain text. It raises Refusal(`drawing-is-no-picture`)."""

    def reader(ctx: OfficeContext, params: Params, before: Stored) -> TextOrDocuments:
        papers = _read_papers(ctx, params, before)
        rows = Document.objects.filter(facility=ctx.facility, code__in=papers.get("documents", []))
        for document in rows.defer("content"):
            if document.media_type == filing.TEXT:
                raise Refusal(
                    DRAWING_IS_NO_PICTURE,
                    ctx.facility.law.section(f"requests.{part}"),
                    document=document.code,
                )
        return papers

    return reader


def _reader_or_none(of: Reader[Part], part: str) -> Reader[Part | NoSuchPart]:
    """Return a reader of a part that may be declared as "none". It raises Refusal(`none-and-some`) for both."""

    def reader(ctx: OfficeContext, params: Params, before: Stored) -> Part | NoSuchPart:
        none, value = params.boolean("none"), of(ctx, params, before)
        if none and value:
            raise Refusal(NONE_AND_SOME, ctx.facility.law.section(f"requests.{part}"))
        return {"none": True} if none else value

    return reader


def _read_class(ctx: OfficeContext, params: Params, before: Stored) -> ClassOfGame:
    """Read whether the game is a variation, a composite or new, and on which game it is based.

    Raises Refusal(`class-of-what`).
    """
    game_class, of = (
        params.choice("class", get_args(GameClass)),
        params.text("of", default="", max_length=100),
    )
    if game_class != "new" and not of:
        raise Refusal(
            CLASS_OF_WHAT, ctx.facility.law.section("requests.class"), **{"class": str(CLASSES[game_class])}
        )
    return {"class": game_class, "of": of if game_class != "new" else ""}


def _read_places(ctx: OfficeContext, params: Params, before: Stored) -> OtherPlaces | NoContents:
    lines = [line.strip() for line in params.prose("places", max_length=2_000).split("\n")]
    places = list(dict.fromkeys(line for line in lines if line))
    if len(places) > MOST_PLACES:
        raise malformed("places")
    return {"places": places} if places else {}


def _read_rights(ctx: OfficeContext, params: Params, before: Stored) -> PropertyRights | NoContents:
    """Read which rights stay, by their position in the list, and a further one if its name is sent."""
    items = before.get("items", [])
    keep = params.texts("keep")
    if not set(keep) <= {str(place) for place in range(len(items))}:
        raise malformed("keep")
    rights = [item for place, item in enumerate(items) if str(place) in keep]
    right, state, about = (
        params.choice("right", RIGHTS, default=RIGHTS[0]),
        params.choice("state", STATES, default=STATES[0]),
        params.choice("about", ABOUT, default=ABOUT[0]),
    )
    name, number = (
        params.text("name", default="", max_length=120),
        params.text("number", default="", max_length=60),
    )
    holder, provider = _read_holder(ctx, params)
    if name:
        right_data: PropertyRight = {
            "right": right,
            "state": state,
            "about": about,
            "name": name,
            "number": number,
            "holder": holder,
            "provider": provider,
        }
        rights.append(right_data)
    return {"items": rights} if rights else {}


def _read_holder(ctx: OfficeContext, params: Params) -> tuple[str, str]:
    """Return the holder of a right, and the code of the provider's file if there is one.

    Raises Refusal(`no-such-holder`).
    """
    holder, code = (
        params.text("holder", default="", max_length=100),
        params.text("provider", default="", max_length=20),
    )
    if not code:
        return holder, ""
    provider = Provider.objects.filter(facility=ctx.facility, code=code).first()
    if provider is None:
        raise Refusal(NO_SUCH_HOLDER, ctx.facility.law.section("requests.property"), provider=code)
    return provider.name, provider.code


def _read_application(ctx: OfficeContext, params: Params, before: Stored) -> LicenseApplication | NoContents:
    """Read the completed application with the type of license, which must be the right one."""
    license_type, papers = (
        params.text("license", default="", max_length=100),
        _read_papers(ctx, params, before),
    )
    codes = papers.get("documents", [])
    return {"license": license_type, "documents": codes} if codes else {}


def _read_fee(ctx: OfficeContext, params: Params, before: Stored) -> FeePaid | NoContents:
    """Read the fee in cents and the day on which it was paid. Raises Refusal(`amount-unreadable` or `day-not-come`)."""
    section = ctx.facility.law.section("requests.fee")
    paid, paid_on = read_cents(params, "amount", section), params.date("on")
    if paid_on > ctx.today:
        raise Refusal(DAY_NOT_COME, section, day=paid_on.isoformat())
    return {"cents": paid, "on": paid_on.isoformat()} if paid else {}


READERS: dict[PartKey, Reader[PartContents]] = {
    "play": _read_play,
    "wagering": _read_prose,
    "class": _read_class,
    "odds": _read_papers,
    "layout": _reader_or_none(_pictures_reader("layout"), "layout"),
    "equipment": _pictures_reader("equipment"),
    "reasons": _read_prose,
    "elsewhere": _reader_or_none(_read_places, "elsewhere"),
    "property": _reader_or_none(_read_rights, "property"),
    "application": _read_application,
    "fee": _read_fee,
    "waiver": _reader_or_none(_read_papers, "waiver"),
}
