"""What a request for a new game, wager or feature must contain, and which parts are present (58 Pa. Code § 521.4).

The text of New Jersey's regulation on the request itself is not available here. There the facility prepares the same
file, and only the parts that a test needs are required. The petitioner decides which further documents are required
(N.J.A.C. 19:47-8.4(f)1).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

from games import jurisdictions
from games.engine import Refusal
from games.models import Document, Facility, GameRequest
from games.models.requests import Petitioner, RequestKind
from games.office.requests import odds_figures
from games.office.requests.entry_types import GameClass, PartKey
from games.office.requests.refusals import (
    NO_SUCH_REQUEST,
    REQUEST_INCOMPLETE,
    REQUEST_NOT_A_DRAFT,
    REQUEST_NOT_WAITING,
)

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
    if key == "odds" and request.rules and not odds_figures.unknown_wagers(request):
        return True  # the engine computes the odds of all wagers
    return any(
        value.get(field) for field in ("text", "documents", "class", "items", "places", "none", "cents")
    )


def _document_codes(request: GameRequest) -> Iterator[str]:
    for part in PARTS:
        yield from request.parts.get(part, {}).get("documents", [])


def _short(cite: str) -> str:
    return jurisdictions.short(cite)
