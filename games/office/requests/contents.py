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
class RequestPart:
    """One thing that a request holds: its key in `parts`, its name, and the paragraph that asks for it, if any."""

    key: str
    name: str
    hint: str = ""
    cite: str = ""


@dataclass(frozen=True)
class PartStatus:
    """A part as it stands in one request: whether it must be there, whether it is, and what was said."""

    part: RequestPart
    must: bool
    there: bool
    value: dict[str, Any]


SECTION_PARTS = (
    RequestPart("play", "how it is played", "The whole course of play, step by step."),
    RequestPart("wagering", "how it is wagered on", "Each wager: when it is made, when it wins."),
    RequestPart("class", "variation, composite or new"),
    RequestPart("odds", "true odds, payout odds and house advantage"),
    RequestPart("layout", "layout", "A drawing or a photo, where there is one."),
    RequestPart("equipment", "equipment", "Drawings or photos of all that it is played with."),
    RequestPart("reasons", "reasons", "Why the house proposes it."),
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


def request_by_code(facility: Facility, code: str) -> GameRequest:
    """The request of this code, as it stands. Raises `no-such-request`."""
    request = GameRequest.objects.filter(facility=facility, code=code).select_related("facility").first()
    if request is None:
        raise Refusal("no-such-request", code=code)
    return request


def part_statuses(request: GameRequest) -> list[PartStatus]:
    """Every part that this request may hold, in the order of the section."""
    return [_part_status(request, part) for part in _parts(request)]


def missing_parts(request: GameRequest) -> list[RequestPart]:
    """The parts that must be there and are not."""
    return [line.part for line in part_statuses(request) if line.must and not line.there]


def list_parts(parts: list[RequestPart]) -> str:
    """Parts with their paragraphs, as a refusal names them: "reasons (§ 521.4(2)), layout (§ 521.4(1)(iii))"."""
    return ", ".join(f"{part.name} ({_short(part.cite)})" if part.cite else str(part.name) for part in parts)


def verify_complete(request: GameRequest) -> None:
    """Raises `request-incomplete`, naming every part that is missing with its paragraph."""
    if absent := missing_parts(request):
        section = request.facility.law.section("requests")
        raise Refusal("request-incomplete", section, missing=list_parts(absent))


def verify_draft(request: GameRequest) -> None:
    """Raises `request-not-a-draft`: what was filed stays as it was filed."""
    if request.status != "draft":
        raise Refusal("request-not-a-draft", request=request.code)


def verify_filed(request: GameRequest) -> None:
    """Raises `request-not-waiting` unless it is filed and undecided."""
    if request.status != "filed":
        raise Refusal("request-not-waiting", request=request.code)


def documents_of(request: GameRequest) -> list[Document]:
    """Every document that its parts name, once, in the order of the parts; without its bytes."""
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
    if key == "odds" and request.rules and not odds_figures.unknown_wagers(request):
        return True  # the engine counts them all
    return any(
        value.get(field) for field in ("text", "documents", "class", "items", "places", "none", "cents")
    )


def _document_codes(request: GameRequest) -> Iterator[str]:
    for part in PARTS:
        yield from request.parts.get(part, {}).get("documents", [])


def _short(cite: str) -> str:
    return jurisdictions.short(cite)
