"""What a request for a new game, wager or feature has to hold, and what of it is there (58 Pa. Code § 521.4).

New Jersey's text on the request itself is not with us: there the house asks for the same file, and only what a test
cannot do without must be there; who asks decides the extra papers (N.J.A.C. 19:47-8.4(f)1).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from games import jurisdictions
from games.engine import Refusal
from games.models import Document, Facility, GameRequest
from games.office.requests import odds_figures

GAME = GameRequest.Kind.GAME
CASINO, LICENSEE, OTHER = "casino", "csi-licensee", "other"
PETITIONERS = {
    CASINO: "casino licensee",
    LICENSEE: "CSI licensee",
    OTHER: "petitioner without a license",
}
CLASSES = {
    "variation": "variation of an authorized game",
    "composite": "composite of several authorized games",
    "new": "new game",
}
MOST_PROSE = 8_000  # characters of one part


@dataclass(frozen=True)
class Part:
    """One thing that a request holds: its key in `parts`, its name, and the paragraph that asks for it, if any."""

    key: str
    name: str
    hint: str = ""
    cite: str = ""


@dataclass(frozen=True)
class Line:
    """A part as it stands in one request: whether it must be there, whether it is, and what was said."""

    part: Part
    must: bool
    there: bool
    value: dict[str, Any]


ASKED = (
    Part("play", "how it is played", "The whole course of play, step by step."),
    Part("wagering", "how it is wagered on", "Each wager: when it is made, when it wins."),
    Part("class", "variation, composite or new"),
    Part("odds", "true odds, payout odds and house advantage"),
    Part("layout", "layout", "A drawing or a photo, where there is one."),
    Part("equipment", "equipment", "Drawings or photos of all that it is played with."),
    Part("reasons", "reasons", "Why the house proposes it."),
    Part("elsewhere", "other jurisdictions", "Where it is offered already, or nowhere."),
    Part("property", "copyrights, trademarks and patents", "Granted or pending, or none."),
)  # fmt: skip
OF_OTHERS = (
    Part("application", "license application", "Completed, for the right type of license."),
    Part("fee", "application fee", "Not refundable; the day on which it was paid."),
    Part("waiver", "transactional waiver", "Filed for, or not required."),
)  # fmt: skip
OPTIONAL_BUT_FOR_GAMES = {"class", "layout", "equipment"}  # reading A02
PARTS = {part.key: part for part in ASKED + OF_OTHERS}


def named(facility: Facility, code: str) -> GameRequest:
    """The request of this code, as it stands. Raises `no-such-request`."""
    request = GameRequest.objects.filter(facility=facility, code=code).select_related("facility").first()
    if request is None:
        raise Refusal("no-such-request", code=code)
    return request


def lines(request: GameRequest) -> list[Line]:
    """Every part that this request may hold, in the order of the section."""
    return [_line(request, part) for part in _parts(request)]


def missing(request: GameRequest) -> list[Part]:
    """The parts that must be there and are not."""
    return [line.part for line in lines(request) if line.must and not line.there]


def in_words(parts: list[Part]) -> str:
    """Parts with their paragraphs, as a refusal names them: "reasons (§ 521.4(2)), layout (§ 521.4(1)(iii))"."""
    return ", ".join(f"{part.name} ({_short(part.cite)})" if part.cite else str(part.name) for part in parts)


def verify_complete(request: GameRequest) -> None:
    """Raises `request-incomplete`, naming every part that is missing with its paragraph."""
    if absent := missing(request):
        section = request.facility.law.section("requests")
        raise Refusal("request-incomplete", section, missing=in_words(absent))


def verify_draft(request: GameRequest) -> None:
    """Raises `request-not-a-draft`: what was filed stays as it was filed."""
    if request.status != "draft":
        raise Refusal("request-not-a-draft", request=request.code)


def verify_filed(request: GameRequest) -> None:
    """Raises `request-not-waiting` unless it is filed and undecided."""
    if request.status != "filed":
        raise Refusal("request-not-waiting", request=request.code)


def documents(request: GameRequest) -> list[Document]:
    """Every document that its parts name, once, in the order of the parts; without its bytes."""
    codes = list(dict.fromkeys(_codes(request)))
    rows = Document.objects.filter(facility=request.facility, code__in=codes).defer("content")
    by_code = {document.code: document for document in rows}
    return [by_code[code] for code in codes if code in by_code]


def _parts(request: GameRequest) -> Iterator[Part]:
    law = request.facility.law
    parts = ASKED + OF_OTHERS if law.requests.asks_petitioner and request.petitioner == OTHER else ASKED
    for part in parts:
        yield replace(part, cite=law.section(f"requests.{part.key}"))


def _line(request: GameRequest, part: Part) -> Line:
    value = request.parts.get(part.key, {})
    return Line(part, _must(request, part.key), _there(request, part.key, value), value)


def _must(request: GameRequest, key: str) -> bool:
    always = request.facility.law.requests.parts_always
    if always:
        return key in always or any(part.key == key for part in OF_OTHERS)
    return request.kind == GAME or key not in OPTIONAL_BUT_FOR_GAMES


def _there(request: GameRequest, key: str, value: dict[str, Any]) -> bool:
    if key == "odds" and request.rules and not odds_figures.uncounted(request):
        return True  # the engine counts them all
    return any(
        value.get(field) for field in ("text", "documents", "class", "items", "places", "none", "cents")
    )


def _codes(request: GameRequest) -> Iterator[str]:
    for part in PARTS:
        yield from request.parts.get(part, {}).get("documents", [])


def _short(cite: str) -> str:
    return jurisdictions.short(cite)
