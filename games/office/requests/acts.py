"""Acts on requests for new games, wagers and features: draft each part, file, decide, withdraw (§ 521.4)."""

import datetime as dt
from typing import Annotated, cast, get_args

from games.act_forms import Code, Day, Text, found, text
from games.engine import Refusal, Rules
from games.models import FurtherRequest, GameRequest
from games.models.requests import Petitioner, RequestKind
from games.office import reviews
from games.office.core.next_code import next_code
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.documents.filing import OptionalDocument
from games.office.requests import contents, final_approval, odds_figures, part_readers
from games.office.requests.entry_types import (
    REQUEST_ANSWERED_FURTHER,
    REQUEST_ASKED_FURTHER,
    REQUEST_CHANGED,
    REQUEST_DECIDED,
    REQUEST_DRAFTED,
    REQUEST_FILED,
    REQUEST_WITHDRAWN,
    ChangedPart,
    RequestAnsweredFurther,
    RequestAskedFurther,
    RequestChanged,
    RequestDrafted,
    RequestFiled,
    RequestParts,
    RequestSubject,
)
from games.office.requests.refusals import (
    ANSWERED_ALREADY,
    ANSWERED_BEFORE_ASKED,
    DAY_NOT_COME,
    NO_SUCH_FURTHER_REQUEST,
    REQUEST_NOT_WAITING,
)
from games.params import Params

KINDS: tuple[RequestKind, ...] = get_args(RequestKind)
PETITIONERS: tuple[Petitioner, ...] = get_args(Petitioner)
CHANGED: tuple[ChangedPart, ...] = ("about", *contents.PART_KEYS)


def _filed_request(ctx: OfficeContext, code: str) -> GameRequest:
    request = contents.request_by_code(ctx.facility, code)
    contents.verify_filed(request)
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
    request = contents.request_by_code(ctx.facility, params.code("request"))
    contents.verify_draft(request)
    part = params.choice("part", CHANGED)
    if part == "about":
        _read_about(ctx, params, request)
        entry = REQUEST_CHANGED.of({"request": request.code, "part": part, **_subject_data(request)})
    else:
        value = part_readers.read_part(ctx, params, request, part)
        request.parts = {key: content for key, content in request.parts.items() if key != part}
        if value:
            request.parts[part] = value
        codes = request.parts.get(part, {}).get("documents", [])
        data: RequestChanged = {
            "request": request.code,
            "part": part,
            "said": value,
            "documents": [
                filing.document_reference(filing.document_by_code(ctx.facility, code)) for code in codes
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
    request = contents.request_by_code(ctx.facility, request_code)
    contents.verify_draft(request)
    contents.verify_complete(request)
    odds = odds_figures.compute_figures(request)
    if odds:
        request.parts["odds"] = {**request.parts.get("odds", {}), "figures": odds}
    request.save(update_fields=["parts"])
    reviews.file(ctx, request)
    data: RequestFiled = {
        "request": request.code,
        **_subject_data(request),
        "parts": cast(RequestParts, {key: value for key, value in request.parts.items() if key != "odds"}),
        "odds": {"rules": odds["rules"], "sha256": odds_figures.sha256(odds)} if odds else None,
        "documents": [filing.document_reference(document) for document in contents.documents_of(request)],
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
        final_approval.verify_conditions(request, ctx.today)
    return ActOutcome(REQUEST_DECIDED({"request": request.code, **decided}))


@office_act()
def withdraw_request(ctx: OfficeContext, *, request_code: Code, why: Text) -> ActOutcome:
    """Withdraw a request, with the reason. Raises Refusal(`already-ended`)."""
    request = contents.request_by_code(ctx.facility, request_code)
    reviews.withdraw(ctx, request)
    request.withdrawn_why = why
    request.save(update_fields=["withdrawn_why"])
    return ActOutcome(REQUEST_WITHDRAWN({"request": request.code, "why": why}))


@office_act()
def record_further_request(
    ctx: OfficeContext, *, request_code: Code, body: Annotated[str, text(100)], what: Text, on: Day
) -> ActOutcome:
    """Record a further question of a body: who asked what, and when. Raises Refusal(`day-not-come`)."""
    request = contents.request_by_code(ctx.facility, request_code)
    _verify_not_future(ctx, on)
    if request.status not in ("draft", "filed"):
        raise Refusal(REQUEST_NOT_WAITING, request=request.code)
    row = FurtherRequest.objects.create(request=request, body=body, what=what, asked_on=on)
    data: RequestAskedFurther = {
        "request": request.code,
        "item": row.pk,
        "body": body,
        "what": what,
        "on": on.isoformat(),
    }
    return ActOutcome(REQUEST_ASKED_FURTHER(data), {"item": row.pk})


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
    request = contents.request_by_code(ctx.facility, request_code)
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
    data: RequestAnsweredFurther = {
        "request": request.code,
        "item": row.pk,
        "on": on.isoformat(),
        "document": filing.document_reference(document),
    }
    return ActOutcome(REQUEST_ANSWERED_FURTHER(data))


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
    families = {family for family, _ in odds_figures.families(rules.key)} if rules else set()
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
