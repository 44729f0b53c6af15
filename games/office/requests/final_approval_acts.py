"""Acts that record the conditions of a new game's final approval in New Jersey: N.J.A.C. 19:47-8.4(g)1 to 4."""

import datetime as dt

from games.engine import Refusal
from games.models import GameRequest
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.requests import contents, final_approval
from games.office.requests.entry_types import (
    REQUEST_AMENDMENT,
    REQUEST_BILLED,
    REQUEST_LICENSING,
    REQUEST_PAID,
    REQUEST_SUITABILITY,
    AmendmentEvidence,
    AmountEvidence,
    ApplicationsState,
    Evidence,
    LicensingEvidence,
    RequestAmount,
    SuitabilityEvidence,
    WaiversState,
)
from games.office.requests.final_approval import (
    AMENDED,
    FILED,
    ISSUED,
    LICENSED,
    NOT_NEEDED,
    PAID,
    SUITABLE,
    section_of,
)
from games.office.requests.part_readers import read_cents
from games.office.requests.refusals import AMENDMENT_WITHOUT_A_DAY, DAY_NOT_COME, MORE_THAN_IS_OPEN
from games.params import Params

APPLICATIONS: tuple[ApplicationsState, ...] = (FILED, NOT_NEEDED)
WAIVERS: tuple[WaiversState, ...] = (ISSUED, NOT_NEEDED)


@office_act()
def record_suitability(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record the day on which the Commission found the game suitable ((g)1). Raises Refusal(`day-not-come`)."""
    request, suitable_on = _undecided_request(ctx, params), _read_past_date(ctx, params, SUITABLE)
    evidence: SuitabilityEvidence = {"on": suitable_on.isoformat(), **_evidence(ctx, params)}
    request.suitable_on = suitable_on
    _save_condition(request, SUITABLE, evidence)
    return ActOutcome(REQUEST_SUITABILITY({"request": request.code, **evidence}))


@office_act()
def record_amendment(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record the day on which the amended regulations take effect, or that none are needed ((g)2).

    The day may be in the future; the condition stays open until then. Raises Refusal(`amendment-without-a-day`).
    """
    request, needed = _undecided_request(ctx, params), not params.boolean("not_needed")
    effective_on = params.date("on", optional=True)
    if needed == (effective_on is None):
        raise Refusal(AMENDMENT_WITHOUT_A_DAY, section_of(request, AMENDED))
    request.amended_on = effective_on
    evidence: AmendmentEvidence = {
        "needed": needed,
        "on": effective_on.isoformat() if effective_on else "",
        **_evidence(ctx, params),
    }
    _save_condition(request, AMENDED, evidence)
    return ActOutcome(REQUEST_AMENDMENT({"request": request.code, **evidence}))


@office_act()
def record_licensing(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record since when applications are filed and waivers issued, or not needed ((g)3).

    Raises Refusal(`licensing-open` or `day-not-come`).
    """
    request, licensed_on = _undecided_request(ctx, params), _read_past_date(ctx, params, LICENSED)
    applications = params.choice("applications", APPLICATIONS)
    waivers = params.choice("waivers", WAIVERS)
    final_approval.verify_licensing(request, applications, waivers)
    request.licensed_on = licensed_on
    evidence: LicensingEvidence = {
        "on": licensed_on.isoformat(),
        "applications": applications,
        "waivers": waivers,
        **_evidence(ctx, params),
    }
    _save_condition(request, LICENSED, evidence)
    return ActOutcome(REQUEST_LICENSING({"request": request.code, **evidence}))


@office_act()
def record_costs(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record a bill of the Commission or the Division for review, testing and approval ((g)4). It may be zero."""
    request, billed_on = _undecided_request(ctx, params), _read_past_date(ctx, params, PAID)
    billed = read_cents(params, "amount", section_of(request, PAID))
    evidence: AmountEvidence = {"cents": billed, "on": billed_on.isoformat(), **_evidence(ctx, params)}
    request.costs_cents += billed
    return ActOutcome(REQUEST_BILLED(_save_amount(request, "bills", evidence)))


@office_act()
def record_payment(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record a payment ((g)4), never more than the balance. Raises Refusal(`more-than-is-open`)."""
    request, paid_on = _undecided_request(ctx, params), _read_past_date(ctx, params, PAID)
    paid, balance = (
        read_cents(params, "amount", section_of(request, PAID)),
        final_approval.balance_cents(request),
    )
    if not 0 < paid <= balance:
        raise Refusal(
            MORE_THAN_IS_OPEN, section_of(request, PAID), left=f"{balance // 100:,}.{balance % 100:02d}"
        )
    evidence: AmountEvidence = {"cents": paid, "on": paid_on.isoformat(), **_evidence(ctx, params)}
    request.paid_cents += paid
    return ActOutcome(REQUEST_PAID(_save_amount(request, "payments", evidence)))


def _undecided_request(ctx: OfficeContext, params: Params) -> GameRequest:
    request = contents.request_by_code(ctx.facility, params.code("request"))
    final_approval.verify_undecided(request)
    return request


def _read_past_date(ctx: OfficeContext, params: Params, condition: str) -> dt.date:
    day: dt.date = params.date("on")
    if day > ctx.today:
        raise Refusal(DAY_NOT_COME, ctx.facility.law.section(f"conditions.{condition}"), day=day.isoformat())
    return day


def _evidence(ctx: OfficeContext, params: Params) -> Evidence:
    """Return the reference that proves the day, with a document if one was sent."""
    reference = params.text("reference", default="", max_length=100)
    return {
        "reference": reference,
        "document": filing.document_reference(filing.read_optional_document(ctx, params, "document")),
    }


def _save_condition(request: GameRequest, condition: str, evidence: Evidence) -> None:
    request.conditions = {**request.conditions, condition: evidence}
    request.save()


def _save_amount(request: GameRequest, name: str, evidence: AmountEvidence) -> RequestAmount:
    """Add a bill or a payment to the request. Return the data of its entry."""
    request.conditions = {**request.conditions, name: [*request.conditions.get(name, []), evidence]}
    request.save()
    balance = final_approval.balance_cents(request)
    return {"request": request.code, **evidence, "balance_cents": balance}
