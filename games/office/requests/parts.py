"""The parts of a request for a new game, wager or feature: what each contains, which are present (58 Pa. Code § 521.4).

The text of New Jersey's regulation on the request itself is not available here. There the facility prepares the same
file, and only the parts that a test needs are required. The petitioner decides which further documents are required
(N.J.A.C. 19:47-8.4(f)1). A part without contents is removed.

Where the engine knows the rules, a request has the exact figures of its wagers (§ 521.4(1)(ii)). Filed figures are
plain JSON with fractions in lowest terms, so they never change with later versions of the engine.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal, TypedDict, TypeVar, get_args

from audit import chain
from audit.columns import FACILITY, Body, Rows
from games import jurisdictions
from games.engine import Refusal, RefusalCode, Rules
from games.engine.odds import Odds, Outcome, Pays, Prize
from games.models import Document, Facility, GameRequest, Provider
from games.models.submissions import Petitioner, RequestKind
from games.office import documents
from games.office import odds as odds_sheet
from games.office.core import OfficeContext
from games.office.odds import OddsSheet
from games.params import Params, malformed
from games.registry import game_by_code, game_of

# The exact figures of its wagers


class PayoutFigures(TypedDict):
    """One payout of a wager: fractions in lowest terms, and odds as the layout states them."""

    probability: str
    true_odds: str
    pays: str


class WagerFigures(TypedDict):
    """The figures of one wager."""

    wager: str
    family: str
    outcomes: list[PayoutFigures]
    house_advantage: str


class Figures(TypedDict):
    """The figures of a request, as they are filed."""

    rules: str
    wagers: list[WagerFigures]


def families(rules: str) -> list[tuple[str, str]]:
    """Return the wager families of a rules key with their names, in the order of the layout."""
    loaded = Rules.of(rules)
    return [(family, name) for family, name, _ in _families(loaded)]


def compute_figures(request: GameRequest) -> Figures | None:
    """Return every wager of the request with its exact figures, or None if the engine does not know the rules.

    A request that names none of the families is about all of them.
    """
    if not request.rules:
        return None
    rules = Rules.of(request.rules)
    known_families = {family for family, _, _ in _families(rules)}
    included = known_families.intersection(request.wagers) or known_families
    outcomes = game_of(rules).outcomes(rules)
    return {
        "rules": rules.key,
        "wagers": [
            {
                "wager": code,
                "family": family,
                "outcomes": [
                    {
                        "probability": str(outcome.probability),
                        "true_odds": str(1 / outcome.probability - 1),
                        "pays": str(outcome.pays),
                    }
                    for outcome in outcomes[code]
                ],
                "house_advantage": str(game_of(rules).advantage(rules, code, outcomes[code])),
            }
            for family, _, codes in _families(rules)
            if family in included
            for code in codes
        ],
    }


def unknown_wagers(request: GameRequest) -> list[str]:
    """Return the wagers that the engine does not know. Their figures come in a document."""
    known_families = {family for family, _ in families(request.rules)} if request.rules else set()
    return [wager for wager in request.wagers if wager not in known_families]


def figures_sha256(figures: Figures) -> str:
    """Return the SHA-256 of figures in canonical JSON, as the record names them."""
    return hashlib.sha256(chain.canonical(figures)).hexdigest()


def filed_or_computed(request: GameRequest) -> Figures | None:
    """Return the filed figures, or the computed ones if none are filed."""
    filed: Figures | None = request.parts.get("odds", {}).get("figures")
    return filed or compute_figures(request)


def figures_sheet(figures: Figures) -> OddsSheet:
    """Return figures as an odds sheet. Filed figures are not computed again."""
    rules = Rules.of(figures["rules"])
    filed = {entry["wager"]: entry for entry in figures["wagers"]}
    labels = {wager_type.code: str(wager_type.label) for wager_type in game_of(rules).wager_types(rules)}
    rows = []
    for row in odds_sheet.odds_sheet(rules).rows:
        codes = tuple(code for code in row.codes if code in filed)
        if codes:
            label = row.label if codes == row.codes else ", ".join(labels[code] for code in codes)
            entry = filed[codes[0]]
            outcomes, advantage = _outcomes(entry), Fraction(entry["house_advantage"])
            rows.append(replace(row, label=label, codes=codes, outcomes=outcomes, advantage=advantage))
    return OddsSheet(rules, tuple(rows))


def _outcomes(entry: WagerFigures) -> tuple[Outcome, ...]:
    return tuple(Outcome(Fraction(level["probability"]), _pays(level["pays"])) for level in entry["outcomes"])


def _pays(text: str) -> Pays:
    return Prize.parse(text) if text.startswith("$") else Odds.parse(text)


@lru_cache(maxsize=32)
def _families(rules: Rules) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return each family with its name and its codes."""
    types = game_by_code(rules.edition.game).wager_types(rules)
    priced = game_of(rules).outcomes(rules)
    by_family: dict[str, list[Any]] = {}
    for wager_type in types:
        if wager_type.code in priced:
            by_family.setdefault(wager_type.family, []).append(wager_type)
    return tuple(
        (family, _family_name(family, all_of), tuple(wager_type.code for wager_type in all_of))
        for family, all_of in by_family.items()
    )


def _family_name(family: str, types: list[Any]) -> str:
    """Return the words that the names of a family's wagers begin with: "Three of a Kind"."""
    first = str(types[0].label)
    if len(types) == 1:
        return first
    words = first.split()
    while words and not all(str(wager_type.label).startswith(" ".join(words)) for wager_type in types):
        words.pop()
    return " ".join(words) or family


# Parts


GameClass = Literal["variation", "composite", "new"]


RightKind = Literal["copyright", "trademark", "patent"]


RightState = Literal["granted", "pending"]


RightSubject = Literal["the game", "its name", "its equipment"]


PartKey = Literal[
    "play",
    "wagering",
    "class",
    "odds",
    "layout",
    "equipment",
    "reasons",
    "elsewhere",
    "property",
    "application",
    "fee",
    "waiver",
]


class RequestEntry(TypedDict):
    """The request that an entry is about."""

    request: str


# The parts, as entries state them


class TextOrDocuments(TypedDict, total=False):
    """A part in words, in documents or both."""

    text: Annotated[str, "the part, in words"]
    documents: Annotated[list[str], "codes of the documents"]


class PartText(TypedDict):
    text: Annotated[str, "the part, in words"]


class NoSuchPart(TypedDict):
    none: Annotated[Literal[True], "that the request declares: there is none"]


class OtherPlaces(TypedDict):
    places: Annotated[list[str], "where it is offered already"]


class PropertyRight(TypedDict):
    right: Annotated[RightKind, "kind of right"]
    state: Annotated[RightState, "whether it is granted"]
    about: Annotated[RightSubject, "what it protects"]
    name: Annotated[str, "name of the right"]
    number: Annotated[str, "number of the right; empty if there is none"]
    holder: Annotated[str, "name of the holder; empty if unknown"]
    provider: Annotated[str, "code of the holder, if it is a provider on file; otherwise empty"]


class PropertyRights(TypedDict):
    items: Annotated[list[PropertyRight], "the rights"]


class LicenseApplication(TypedDict):
    license: Annotated[str, "type of license; empty if nothing was said"]
    documents: Annotated[list[str], "codes of the documents"]


class FeePaid(TypedDict):
    cents: Annotated[int, "the fee"]
    on: Annotated[str, "the day on which it was paid"]


# "class" and "from" are words of Python
ClassOfGame = TypedDict(
    "ClassOfGame",
    {
        "class": Annotated[GameClass, "whether it is a variation, a composite or a new game"],
        "of": Annotated[str, "the game or games on which it is based; empty for a new game"],
    },
)


class NoContents(TypedDict):
    pass


# what a reader of a part returns
PartContents = (
    TextOrDocuments
    | NoSuchPart
    | OtherPlaces
    | PropertyRights
    | LicenseApplication
    | FeePaid
    | ClassOfGame
    | NoContents
)


# Refusals


NO_SUCH_REQUEST = RefusalCode(
    "no-such-request",
    "There is no request %(code)s here. Choose it from the list.",
    "No such request",
)


REQUEST_INCOMPLETE = RefusalCode(
    "request-incomplete",
    "Still missing: %(missing)s. Add what is missing, then file it.",
    "Not complete",
)


REQUEST_NOT_A_DRAFT = RefusalCode(
    "request-not-a-draft",
    "%(request)s is no longer a draft and stays as filed. Draft a new request instead.",
    "Already filed",
)


REQUEST_NOT_WAITING = RefusalCode(
    "request-not-waiting",
    "%(request)s is not waiting for a decision. See its state at the top of its page.",
    "Not waiting",
)


CLASS_OF_WHAT = RefusalCode(
    "class-of-what",
    "A %(class)s is based on authorized games. Name them.",
    "Of which game?",
)


DRAWING_IS_NO_PICTURE = RefusalCode(
    "drawing-is-no-picture",
    "%(document)s is plain text. Attach a drawing or a photo: PDF, PNG or JPEG.",
    "Not a picture",
)


NONE_AND_SOME = RefusalCode(
    "none-and-some",
    "You ticked that there is none, and also entered one. Keep only one of the two.",
    "None, or some",
)


NO_SUCH_HOLDER = RefusalCode(
    "no-such-holder",
    "There is no provider %(provider)s on file. Leave the provider out, or register it first.",
    "No such provider",
)


AMOUNT_UNREADABLE = RefusalCode(
    "amount-unreadable",
    "%(said)s is not an amount in dollars. Write it as 1,250 or 1,250.50.",
    "Amount unreadable",
)


DAY_NOT_COME = RefusalCode(
    "day-not-come",
    "%(day)s is in the future. Record it after it has happened.",
    "Not yet",
)


NOT_IN_NEW_JERSEY = RefusalCode(
    "not-in-new-jersey",
    "This jurisdiction has no tests of new games. Nothing was recorded.",
    "Not in this state",
)


# What is required, and what is present


GAME: RequestKind = "game"
CASINO: Petitioner = "casino"
LICENSEE: Petitioner = "csi-licensee"
OTHER: Petitioner = "other"
PETITIONERS: dict[str, str] = {
    CASINO: "casino licensee",
    LICENSEE: "CSI licensee",
    OTHER: "petitioner without a license",
}
CLASSES: dict[GameClass, str] = {
    "variation": "variation of an authorized game",
    "composite": "composite of several authorized games",
    "new": "new game",
}
MOST_PROSE = 8_000  # characters of one part


@dataclass(frozen=True)
class RequestPart:
    """A part of a request: its key in `parts`, its name, and the paragraph that requires it, if any."""

    key: str
    name: str
    hint: str = ""
    cite: str = ""


@dataclass(frozen=True)
class PartStatus:
    """A part of one request: whether it is required, whether it is present, and its contents."""

    part: RequestPart
    is_required: bool
    is_present: bool
    value: dict[str, Any]


SECTION_PARTS = (
    RequestPart("play", "how it is played", "The whole course of play, step by step."),
    RequestPart("wagering", "how it is wagered on", "Each wager: when it is made, when it wins."),
    RequestPart("class", "variation, composite or new"),
    RequestPart("odds", "true odds, payout odds and house advantage"),
    RequestPart("layout", "layout", "A drawing or a photo, where there is one."),
    RequestPart("equipment", "equipment", "Drawings or photos of all that it is played with."),
    RequestPart("reasons", "reasons", "Why the casino proposes it."),
    RequestPart("elsewhere", "other jurisdictions", "Where it is offered already, or nowhere."),
    RequestPart("property", "copyrights, trademarks and patents", "Granted or pending, or none."),
)  # fmt: skip
UNLICENSED_PARTS = (
    RequestPart("application", "license application", "Completed, for the right type of license."),
    RequestPart("fee", "application fee", "Not refundable; the day on which it was paid."),
    RequestPart("waiver", "transactional waiver", "Filed for, or not required."),
)  # fmt: skip
REQUIRED_FOR_GAMES = {"class", "layout", "equipment"}  # reading A02
PARTS = {part.key: part for part in SECTION_PARTS + UNLICENSED_PARTS}
PART_KEYS: tuple[PartKey, ...] = get_args(PartKey)


def request_by_code(facility: Facility, code: str) -> GameRequest:
    """Return the request with this code. Raises Refusal(`no-such-request`)."""
    request = GameRequest.objects.filter(facility=facility, code=code).select_related("facility").first()
    if request is None:
        raise Refusal(NO_SUCH_REQUEST, code=code)
    return request


def part_statuses(request: GameRequest) -> list[PartStatus]:
    """Return every part that this request may contain, in the order of the section."""
    return [_part_status(request, part) for part in _parts(request)]


def missing_parts(request: GameRequest) -> list[RequestPart]:
    """Return the required parts that are missing."""
    return [line.part for line in part_statuses(request) if line.is_required and not line.is_present]


def list_parts(parts: list[RequestPart]) -> str:
    """Return parts with their paragraphs for a refusal: "reasons (§ 521.4(2)), layout (§ 521.4(1)(iii))"."""
    return ", ".join(f"{part.name} ({_short(part.cite)})" if part.cite else str(part.name) for part in parts)


def verify_complete(request: GameRequest) -> None:
    """Refuse a request with missing parts, naming each with its paragraph. Raises Refusal(`request-incomplete`)."""
    if absent := missing_parts(request):
        section = request.facility.law.section("requests")
        raise Refusal(REQUEST_INCOMPLETE, section, missing=list_parts(absent))


def verify_draft(request: GameRequest) -> None:
    """Refuse to change a request that was filed. Raises Refusal(`request-not-a-draft`)."""
    if request.status != "draft":
        raise Refusal(REQUEST_NOT_A_DRAFT, request=request.code)


def verify_filed(request: GameRequest) -> None:
    """Refuse a request that is not filed and undecided. Raises Refusal(`request-not-waiting`)."""
    if request.status != "filed":
        raise Refusal(REQUEST_NOT_WAITING, request=request.code)


def verify_undecided(request: GameRequest) -> None:
    """Refuse a request outside New Jersey or one that is not filed and undecided.

    Raises Refusal(`not-in-new-jersey` or `request-not-waiting`).
    """
    if not request.facility.law.requests.tests:
        raise Refusal(NOT_IN_NEW_JERSEY)
    verify_filed(request)


def documents_of(request: GameRequest) -> list[Document]:
    """Return each document that the parts name, in the order of the parts and without its bytes."""
    codes = list(dict.fromkeys(_document_codes(request)))
    rows = Document.objects.filter(facility=request.facility, code__in=codes).defer("content")
    by_code = {document.code: document for document in rows}
    return [by_code[code] for code in codes if code in by_code]


def _parts(request: GameRequest) -> Iterator[RequestPart]:
    law = request.facility.law
    parts = (
        SECTION_PARTS + UNLICENSED_PARTS
        if law.requests.asks_petitioner and request.petitioner == OTHER
        else SECTION_PARTS
    )
    for part in parts:
        yield replace(part, cite=law.section(f"requests.{part.key}"))


def _part_status(request: GameRequest, part: RequestPart) -> PartStatus:
    value = request.parts.get(part.key, {})
    return PartStatus(part, _is_required(request, part.key), _is_present(request, part.key, value), value)


def _is_required(request: GameRequest, key: str) -> bool:
    always = request.facility.law.requests.parts_always
    if always:
        return key in always or any(part.key == key for part in UNLICENSED_PARTS)
    return request.kind == GAME or key not in REQUIRED_FOR_GAMES


def _is_present(request: GameRequest, key: str, value: dict[str, Any]) -> bool:
    if key == "odds" and request.rules and not unknown_wagers(request):
        return True  # the engine computes the odds of all wagers
    return any(
        value.get(field) for field in ("text", "documents", "class", "items", "places", "none", "cents")
    )


def _document_codes(request: GameRequest) -> Iterator[str]:
    for part in PARTS:
        yield from request.parts.get(part, {}).get("documents", [])


def _short(cite: str) -> str:
    return jurisdictions.short(cite)


# How the parameters of a part are read


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
    added = documents.read_optional_document(ctx, params, "document")
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
            if document.media_type == documents.TEXT:
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


def filed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"])
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = dict(data["parts"])
    odds = dict(before.get("odds", {}))
    if data["odds"]:
        odds["figures"] = data["odds"]["sha256"]
    if odds:
        parts["odds"] = odds
    rows.put(body, *key, parts=parts)
