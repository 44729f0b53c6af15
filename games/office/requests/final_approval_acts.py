"""Acts that record the conditions of a new game's final approval in New Jersey: N.J.A.C. 19:47-8.4(g)1 to 4."""

import datetime as dt
from typing import Any

from audit.entry_types import EntryType
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


@office_act()
def record_suitability(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record the day on which the Commission found the game suitable ((g)1). Raises Refusal(`day-not-come`)."""
    request, suitable_on = _undecided_request(ctx, params), _read_past_date(ctx, params, SUITABLE)
    data = {"on": suitable_on.isoformat(), **_evidence(ctx, params)}
    request.suitable_on = suitable_on
    return _record_condition(request, SUITABLE, data, REQUEST_SUITABILITY)


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
    data = {
        "needed": needed,
        "on": effective_on.isoformat() if effective_on else "",
        **_evidence(ctx, params),
    }
    return _record_condition(request, AMENDED, data, REQUEST_AMENDMENT)


@office_act()
def record_licensing(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record since when applications are filed and waivers issued, or not needed ((g)3).

    Raises Refusal(`licensing-open` or `day-not-come`).
    """
    request, licensed_on = _undecided_request(ctx, params), _read_past_date(ctx, params, LICENSED)
    applications = params.choice("applications", (FILED, NOT_NEEDED))
    waivers = params.choice("waivers", (ISSUED, NOT_NEEDED))
    final_approval.verify_licensing(request, applications, waivers)
    request.licensed_on = licensed_on
    data = {
        "on": licensed_on.isoformat(),
        "applications": applications,
        "waivers": waivers,
        **_evidence(ctx, params),
    }
    return _record_condition(request, LICENSED, data, REQUEST_LICENSING)


@office_act()
def record_costs(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record a bill of the Commission or the Division for review, testing and approval ((g)4). It may be zero."""
    request, billed_on = _undecided_request(ctx, params), _read_past_date(ctx, params, PAID)
    billed = read_cents(params, "amount", section_of(request, PAID))
    data = {"cents": billed, "on": billed_on.isoformat(), **_evidence(ctx, params)}
    request.costs_cents += billed
    return _record_amount(request, "bills", data, REQUEST_BILLED)


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
    data = {"cents": paid, "on": paid_on.isoformat(), **_evidence(ctx, params)}
    request.paid_cents += paid
    return _record_amount(request, "payments", data, REQUEST_PAID)


def _undecided_request(ctx: OfficeContext, params: Params) -> GameRequest:
    request = contents.request_by_code(ctx.facility, params.code("request"))
    final_approval.verify_undecided(request)
    return request


def _read_past_date(ctx: OfficeContext, params: Params, condition: str) -> dt.date:
    day: dt.date = params.date("on")
    if day > ctx.today:
        raise Refusal(DAY_NOT_COME, ctx.facility.law.section(f"conditions.{condition}"), day=day.isoformat())
    return day


def _evidence(ctx: OfficeContext, params: Params) -> dict[str, Any]:
    """Return the reference that proves the day, with a document if one was sent."""
    reference = params.text("reference", default="", max_length=100)
    return {
        "reference": reference,
        "document": filing.document_reference(filing.read_optional_document(ctx, params, "document")),
    }


def _record_condition(
    request: GameRequest, condition: str, data: dict[str, Any], entry_type: EntryType[Any]
) -> ActOutcome:
    request.conditions = {**request.conditions, condition: data}
    request.save()
    return ActOutcome(entry_type({"request": request.code, **data}))


def _record_amount(
    request: GameRequest, name: str, data: dict[str, Any], entry_type: EntryType[Any]
) -> ActOutcome:
    request.conditions = {**request.conditions, name: [*request.conditions.get(name, []), data]}
    request.save()
    balance = final_approval.balance_cents(request)
    return ActOutcome(entry_type({"request": request.code, **data, "balance_cents": balance}))
