"""Requests for new games, wagers and features: draft each part, file, decide, withdraw (§ 521.4)."""

import datetime as dt
import hashlib
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict, Unpack, cast, get_args

from audit import chain
from audit.columns import (
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    document_code,
    if_given,
    plain,
    same,
)
from audit.entry_types import entry_type
from games.act_forms import Code, Day, Text, found, text
from games.engine import Refusal, RefusalCode, Rules
from games.facility_runner import next_code
from games.models import FurtherRequest, GameRequest
from games.models.submissions import Petitioner, RequestKind
from games.office import documents, reviews
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import DocumentReference, GrantOrDenial, OptionalDocument
from games.office.requests import final_approvals, parts
from games.office.requests.final_approvals import (
    REQUEST_AMENDMENT,
    REQUEST_BILLED,
    REQUEST_LICENSING,
    REQUEST_PAID,
    REQUEST_SUITABILITY,
)
from games.office.requests.parts import (
    DAY_NOT_COME,
    REQUEST_NOT_WAITING,
    ClassOfGame,
    FeePaid,
    LicenseApplication,
    NoSuchPart,
    OtherPlaces,
    PartContents,
    PartKey,
    PartText,
    PropertyRights,
    RequestEntry,
    TextOrDocuments,
    filed,
)
from games.office.reviews import DECIDED, DRAFTED, FILED, WITHDRAWN
from games.params import Params

ChangedPart = Literal["about", PartKey]


class PartDocuments(TypedDict):
    documents: Annotated[list[str], "codes of the documents"]


RequestParts = TypedDict(
    "RequestParts",
    {
        "play": Annotated[TextOrDocuments, "how it is played"],
        "wagering": Annotated[PartText, "how it is wagered on"],
        "class": Annotated[ClassOfGame, "variation, composite or new"],
        "layout": Annotated[PartDocuments | NoSuchPart, "drawings or photos of the layout"],
        "equipment": Annotated[PartDocuments, "drawings or photos of the equipment"],
        "reasons": Annotated[PartText, "why the casino proposes it"],
        "elsewhere": Annotated[OtherPlaces | NoSuchPart, "other jurisdictions that offer it"],
        "property": Annotated[PropertyRights | NoSuchPart, "copyrights, trademarks and patents"],
        "application": Annotated[LicenseApplication, "the license application"],
        "fee": Annotated[FeePaid, "the application fee"],
        "waiver": Annotated[PartDocuments | NoSuchPart, "the transactional waiver"],
    },
    total=False,
)


# Entries


class RequestSubject(TypedDict):
    """What a request is about."""

    title: Annotated[str, "title of the request"]
    kind: Annotated[RequestKind, "a new game, wager or feature"]
    rules: Annotated[str, "key of the edition whose rules it has; empty if it has rules of its own"]
    wagers: Annotated[list[str], "wager families that it is about, and names of wagers without a code"]
    petitioner: NotRequired[Annotated[Petitioner, "who asks; only where the law names petitioners"]]


class RequestDrafted(RequestEntry, RequestSubject):
    pass


REQUEST_DRAFTED = entry_type(
    "request.drafted", RequestDrafted, "A request for a new game or feature was drafted."
)


class RequestChanged(TypedDict, total=False):
    """A change of what the request is about has the fields of `RequestSubject`, any other `said` and `documents`."""

    request: Required[str]
    part: Required[
        Annotated[Literal["about"] | PartKey, "which part: about (title, kind, rules), or another"]
    ]
    said: Annotated[
        PartContents, "the new contents of the part; empty: removed; absent where `part` is about"
    ]
    documents: Annotated[list[DocumentReference], "the documents of the part; absent where `part` is about"]
    title: Annotated[str, "title of the request; this and the fields below only where `part` is about"]
    kind: Annotated[RequestKind, "a new game, wager or feature"]
    rules: Annotated[str, "key of the edition whose rules it has; empty if it has rules of its own"]
    wagers: Annotated[list[str], "wager families that it is about, and names of wagers without a code"]
    petitioner: Annotated[Petitioner, "who asks; only where the law names petitioners"]


REQUEST_CHANGED = entry_type(
    "request.changed", RequestChanged, "A part of a request for a new game or feature was changed."
)


class FiledOdds(TypedDict):
    rules: Annotated[str, "key of the edition of the figures"]
    sha256: Annotated[str, "SHA-256 of the figures in canonical JSON, in hex"]


class RequestFiled(RequestEntry, RequestSubject):
    parts: Annotated[RequestParts, "the parts of the request, without the figures of its odds"]
    odds: Annotated[FiledOdds | None, "the computed figures; null if the rules are not known to the engine"]
    documents: Annotated[list[DocumentReference], "every document that the parts name"]


REQUEST_FILED = entry_type("request.filed", RequestFiled, "A request was filed with all its parts.")


class RequestDecided(RequestEntry, GrantOrDenial):
    pass


REQUEST_DECIDED = entry_type("request.decided", RequestDecided, "A request was decided by letter.")


@entry_type("request.withdrawn")
def REQUEST_WITHDRAWN(
    *, why: Annotated[str, "the reason, in a person's words"], **data: Unpack[RequestEntry]
) -> None:
    """A request was withdrawn."""


@entry_type("request.asked_further")
def REQUEST_ASKED_FURTHER(
    *,
    item: Annotated[int, "number of the question"],
    body: Annotated[str, "the body that asked"],
    what: Annotated[str, "the question, in words"],
    on: Annotated[str, "the day on which it was asked"],
    **data: Unpack[RequestEntry],
) -> None:
    """The regulator asked a further question about a request."""


@entry_type("request.answered_further")
def REQUEST_ANSWERED_FURTHER(
    *,
    item: Annotated[int, "number of the question"],
    on: Annotated[str, "the day on which it was answered"],
    document: DocumentReference | None,
    **data: Unpack[RequestEntry],
) -> None:
    """A further question about a request was answered."""


# Refusals


NO_SUCH_FURTHER_REQUEST = RefusalCode(
    "no-such-further-request",
    "There is no such question about %(request)s. Reload the page.",
    "No such question",
)


ANSWERED_ALREADY = RefusalCode(
    "answered-already",
    "This was already answered on %(day)s.",
    "Already answered",
)


ANSWERED_BEFORE_ASKED = RefusalCode(
    "answered-before-asked",
    "The question was asked on %(day)s. The answer cannot be earlier: check its day.",
    "Day too early",
)


# Acts


KINDS: tuple[RequestKind, ...] = get_args(RequestKind)
PETITIONERS: tuple[Petitioner, ...] = get_args(Petitioner)
CHANGED: tuple[ChangedPart, ...] = ("about", *parts.PART_KEYS)


def _filed_request(ctx: OfficeContext, code: str) -> GameRequest:
    request = parts.request_by_code(ctx.facility, code)
    parts.verify_filed(request)
    return request


_Filed = Annotated[GameRequest, found(Code, _filed_request)]


@office_act()
def draft_request(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Draft a request: its title, its kind, and the rules if the engine knows them.

    New Jersey also asks who the petitioner is.
    """
    request = GameRequest(
        facility=ctx.facility,
        code=next_code(GameRequest.objects.filter(facility=ctx.facility), "NG"),
        drafted_at=ctx.now,
        drafted_by=ctx.actor,
    )
    _read_about(ctx, params, request)
    request.save()
    data: RequestDrafted = {"request": request.code, **_subject_data(request)}
    return ActOutcome(REQUEST_DRAFTED(data), {"request": request.code})


@office_act()
def change_request(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Change one part of a draft: `about`, or a part that the section requires.

    Raises Refusal(`request-not-a-draft`).
    """
    request = parts.request_by_code(ctx.facility, params.code("request"))
    parts.verify_draft(request)
    part = params.choice("part", CHANGED)
    if part == "about":
        _read_about(ctx, params, request)
        entry = REQUEST_CHANGED.of({"request": request.code, "part": part, **_subject_data(request)})
    else:
        value = parts.read_part(ctx, params, request, part)
        request.parts = {key: content for key, content in request.parts.items() if key != part}
        if value:
            request.parts[part] = value
        codes = request.parts.get(part, {}).get("documents", [])
        data: RequestChanged = {
            "request": request.code,
            "part": part,
            "said": value,
            "documents": [
                documents.document_reference(documents.document_by_code(ctx.facility, code)) for code in codes
            ],
        }
        entry = REQUEST_CHANGED(data)
    request.save()
    return ActOutcome(entry)


@office_act()
def file_request(ctx: OfficeContext, *, request_code: Code) -> ActOutcome:
    """File a complete draft, with the figures of its wagers as computed now.

    Raises Refusal(`request-not-a-draft` or `request-incomplete`).
    """
    request = parts.request_by_code(ctx.facility, request_code)
    parts.verify_draft(request)
    parts.verify_complete(request)
    odds = parts.compute_figures(request)
    if odds:
        request.parts["odds"] = {**request.parts.get("odds", {}), "figures": odds}
    request.save(update_fields=["parts"])
    reviews.file(ctx, request)
    data: RequestFiled = {
        "request": request.code,
        **_subject_data(request),
        "parts": cast(RequestParts, {key: value for key, value in request.parts.items() if key != "odds"}),
        "odds": {"rules": odds["rules"], "sha256": parts.figures_sha256(odds)} if odds else None,
        "documents": [documents.document_reference(document) for document in parts.documents_of(request)],
    }
    return ActOutcome(REQUEST_FILED(data))


@office_act(step_up="always", subject="requests")
def decide_request(ctx: OfficeContext, *, request: _Filed, decision: reviews.SentDecision) -> ActOutcome:
    """Record the decision with its letter.

    New Jersey grants no request while one of the four conditions of (g) is open. Raises Refusal(`conditions-open`),
    and what `reviews.decide` raises.
    """
    decided = reviews.decide(ctx, request, decision, of="requests")
    if decision.granted and request.facility.law.requests.tests:
        final_approvals.verify_conditions(request, ctx.today)
    return ActOutcome(REQUEST_DECIDED({"request": request.code, **decided}))


@office_act()
def withdraw_request(ctx: OfficeContext, *, request_code: Code, why: Text) -> ActOutcome:
    """Withdraw a request, with the reason. Raises Refusal(`already-ended`)."""
    request = parts.request_by_code(ctx.facility, request_code)
    reviews.withdraw(ctx, request)
    request.withdrawn_why = why
    request.save(update_fields=["withdrawn_why"])
    return ActOutcome(REQUEST_WITHDRAWN(request=request.code, why=why))


@office_act()
def record_further_request(
    ctx: OfficeContext, *, request_code: Code, body: Annotated[str, text(100)], what: Text, on: Day
) -> ActOutcome:
    """Record a further question of a body: who asked what, and when. Raises Refusal(`day-not-come`)."""
    request = parts.request_by_code(ctx.facility, request_code)
    _verify_not_future(ctx, on)
    if request.status not in ("draft", "filed"):
        raise Refusal(REQUEST_NOT_WAITING, request=request.code)
    row = FurtherRequest.objects.create(request=request, body=body, what=what, asked_on=on)
    return ActOutcome(
        REQUEST_ASKED_FURTHER(request=request.code, item=row.pk, body=body, what=what, on=on.isoformat()),
        {"item": row.pk},
    )


@office_act()
def answer_further_request(
    ctx: OfficeContext,
    *,
    request_code: Code,
    item: Annotated[str, text(20)],
    on: Day,
    document: OptionalDocument = None,
) -> ActOutcome:
    """Record the answer to a further question, with a document if one was sent.

    Raises Refusal(`no-such-further-request`, `answered-already`, `answered-before-asked` or `day-not-come`).
    """
    request = parts.request_by_code(ctx.facility, request_code)
    row = request.further.filter(pk=int(item)).first() if item.isdecimal() and item.isascii() else None
    if row is None:
        raise Refusal(NO_SUCH_FURTHER_REQUEST, request=request.code)
    if row.answered_on:
        raise Refusal(ANSWERED_ALREADY, day=row.answered_on.isoformat())
    _verify_not_future(ctx, on)
    if on < row.asked_on:
        raise Refusal(ANSWERED_BEFORE_ASKED, day=row.asked_on.isoformat())
    row.answered_on, row.document = on, document
    row.save(update_fields=["answered_on", "document"])
    return ActOutcome(
        REQUEST_ANSWERED_FURTHER(
            request=request.code,
            item=row.pk,
            on=on.isoformat(),
            document=documents.document_reference(document),
        )
    )


def _verify_not_future(ctx: OfficeContext, day: dt.date) -> None:
    if day > ctx.today:
        raise Refusal(DAY_NOT_COME, day=day.isoformat())


def _read_about(ctx: OfficeContext, params: Params, request: GameRequest) -> None:
    """Read what the request is about. Raises Refusal(`no-such-rules` or `which-paytable`)."""
    request.title, request.kind = params.text("title", max_length=100), params.choice("kind", KINDS)
    if ctx.facility.law.requests.asks_petitioner:
        request.petitioner = params.choice("petitioner", PETITIONERS)
    key = params.text("rules", default="", max_length=60)
    rules = Rules.of(key) if key else None
    request.rules, request.game = (rules.key, rules.edition.game) if rules else ("", "")
    families = {family for family, _ in parts.families(rules.key)} if rules else set()
    # families of other rules are dropped
    ticked = [family for family in params.texts("wagers") if family in families]
    names = [line.strip() for line in params.prose("named", max_length=2_000).split("\n")]
    request.wagers = list(dict.fromkeys([*ticked, *(line for line in names if line)]))


def _subject_data(request: GameRequest) -> RequestSubject:
    data: RequestSubject = {
        "title": request.title,
        "kind": request.kind,
        "rules": request.rules,
        "wagers": request.wagers,
    }
    if request.petitioner:
        data["petitioner"] = request.petitioner
    return data


declare(
    FurtherRequest,
    "question",
    key={"id": "item"},
    created={
        REQUEST_ASKED_FURTHER: {
            **same("request", "body", "what"),
            "asked_on": "on",
            "answered_on": NONE,
            "document": NONE,
        }
    },
    changed={
        REQUEST_ANSWERED_FURTHER: {
            "request": "request",
            "answered_on": "on",
            "document": document_code("document"),
        }
    },
    readings={"request": Reading(("request__code",), plain, ("request",))},
)


ABOUT = ("title", "kind", "rules", "wagers")


CONDITIONS = {
    REQUEST_SUITABILITY.name: ("suitability", "suitable_on"),
    REQUEST_AMENDMENT.name: ("amendment", "amended_on"),
    REQUEST_LICENSING.name: ("licensing", "licensed_on"),
}


AMOUNTS = {REQUEST_BILLED.name: ("bills", "costs_cents"), REQUEST_PAID.name: ("payments", "paid_cents")}


def plain_parts(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts of a request, with the SHA-256 of its figures in their place, as the entry of its filing has them."""
    odds = parts.get("odds")
    if not odds or "figures" not in odds:
        return parts
    digest = hashlib.sha256(chain.canonical(odds["figures"])).hexdigest()
    return {**parts, "odds": {**odds, "figures": digest}}


def changed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"])
    if data["part"] == "about":
        rows.put(body, *key, **{name: data[name] for name in ABOUT}, petitioner=data.get("petitioner"))
        return
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = {name: part for name, part in before.items() if name != data["part"]}
    if data["said"]:
        parts[data["part"]] = data["said"]
    rows.put(body, *key, parts=parts)


def condition(rows: Rows, body: Body) -> None:
    name, column = CONDITIONS[body["_type"]]
    key = FACILITY(body), body["data"]["request"]
    before: dict[str, Any] = (rows.get(*key) or {}).get("conditions", {})
    evidence = {field: value for field, value in body["data"].items() if field != "request"}
    rows.put(body, *key, conditions={**before, name: evidence}, **{column: evidence["on"]})


def amount(rows: Rows, body: Body) -> None:
    name, column = AMOUNTS[body["_type"]]
    key = FACILITY(body), body["data"]["request"]
    before = rows.get(*key) or {}
    conditions: dict[str, Any] = before.get("conditions", {})
    evidence = {
        field: value for field, value in body["data"].items() if field not in ("request", "balance_cents")
    }
    conditions = {**conditions, name: [*conditions.get(name, ()), evidence]}
    rows.put(body, *key, conditions=conditions, **{column: before.get(column, 0) + evidence["cents"]})


declare(
    GameRequest,
    "request",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "request"},
    created={
        REQUEST_DRAFTED: {
            **DRAFTED,
            **same(*ABOUT),
            "petitioner": if_given("petitioner"),
            "parts": constant({}),
            "conditions": constant({}),
            "costs_cents": constant(0),
            "paid_cents": constant(0),
            **dict.fromkeys(("withdrawn_why", "suitable_on", "amended_on", "licensed_on"), NONE),
        }
    },
    changed={
        REQUEST_FILED: {**FILED, **same(*ABOUT), "petitioner": if_given("petitioner")},
        REQUEST_DECIDED: DECIDED,
        REQUEST_WITHDRAWN: {**WITHDRAWN, "withdrawn_why": "why"},
    },
    folded={
        REQUEST_CHANGED: changed,
        REQUEST_FILED: filed,
        **dict.fromkeys((REQUEST_SUITABILITY, REQUEST_AMENDMENT, REQUEST_LICENSING), condition),
        **dict.fromkeys((REQUEST_BILLED, REQUEST_PAID), amount),
    },
    readings={"parts": Reading(("parts",), plain_parts, ("parts",))},
    unproven={"game": "the game of its rules, which are stated"},
)
