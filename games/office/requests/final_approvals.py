"""The four conditions of a new game's final approval in New Jersey, and the acts that record them: N.J.A.C.
19:47-8.4(g)1 to 4.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from audit.days import day_in_words
from audit.entry_types import entry_type
from games import jurisdictions
from games.engine import Refusal, RefusalCode
from games.models import GameRequest
from games.office import documents
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import DocumentReference
from games.office.requests import parts
from games.office.requests.parts import DAY_NOT_COME, OTHER, RequestEntry, read_cents
from games.params import Params

ApplicationsState = Literal["filed", "not-needed"]


WaiversState = Literal["issued", "not-needed"]


# Entries


class Evidence(TypedDict):
    """The evidence of a condition."""

    reference: Annotated[str, "reference of the letter or document; empty if there is none"]
    document: DocumentReference | None


class SuitabilityEvidence(Evidence):
    on: Annotated[str, "the day on which the game was found suitable"]


class RequestSuitability(RequestEntry, SuitabilityEvidence):
    pass


REQUEST_SUITABILITY = entry_type(
    "request.suitability", RequestSuitability, "The regulator found a new game suitable for casino use."
)


class AmendmentEvidence(Evidence):
    needed: Annotated[bool, "whether the regulations must be amended"]
    on: Annotated[str, "the day on which the amendment takes effect; empty if none is needed"]


class RequestAmendment(RequestEntry, AmendmentEvidence):
    pass


REQUEST_AMENDMENT = entry_type(
    "request.amendment", RequestAmendment, "Whether a new game needs an amendment of the regulations."
)


class LicensingEvidence(Evidence):
    on: Annotated[str, "the day since which licensing is complete"]
    applications: Annotated[ApplicationsState, "license applications"]
    waivers: Annotated[WaiversState, "transactional waivers"]


class RequestLicensing(RequestEntry, LicensingEvidence):
    pass


REQUEST_LICENSING = entry_type(
    "request.licensing", RequestLicensing, "The license applications and waivers of a request are complete."
)


class AmountEvidence(Evidence):
    cents: Annotated[int, "the amount billed or paid"]
    on: Annotated[str, "the day of the bill or payment"]


class RequestAmount(RequestEntry, AmountEvidence):
    balance_cents: Annotated[int, "what is billed and unpaid after it"]


REQUEST_BILLED = entry_type(
    "request.billed", RequestAmount, "The regulator billed costs of a request; the bill may be zero."
)


REQUEST_PAID = entry_type("request.paid", RequestAmount, "A payment of the costs of a request was recorded.")


# Refusals


CONDITIONS_OPEN = RefusalCode(
    "conditions-open",
    "Final approval is not possible yet. Still open: %(open)s. Record what has been done, then decide.",
    "Conditions open",
)


AMENDMENT_WITHOUT_A_DAY = RefusalCode(
    "amendment-without-a-day",
    "Enter the day on which the amended regulations take effect, or tick that none are needed.",
    "Which day?",
)


LICENSING_OPEN = RefusalCode(
    "licensing-open",
    "%(what)s is not complete for this petitioner. Complete it first.",
    "Licensing is open",
)


MORE_THAN_IS_OPEN = RefusalCode(
    "more-than-is-open",
    "Only $%(left)s is open. Enter a smaller payment, or record another bill first.",
    "Too much",
)


# The conditions


SUITABLE, AMENDED, LICENSED, PAID = "suitability", "amendment", "licensing", "costs"
NAMES = {
    SUITABLE: "found suitable for casino use",
    AMENDED: "amended regulations in effect",
    LICENSED: "applications filed and waivers issued",
    PAID: "costs paid in full",
}
FILED: Literal["filed"] = "filed"
ISSUED: Literal["issued"] = "issued"
NOT_NEEDED: Literal["not-needed"] = "not-needed"


@dataclass(frozen=True)
class Condition:
    """One of the four conditions on a day, with what is recorded about it."""

    key: str
    cite: str
    is_met: bool
    state: str

    @property
    def name(self) -> str:
        return NAMES[self.key]


def conditions(request: GameRequest, today: dt.date) -> list[Condition]:
    """Return the four conditions in their order, as of today."""
    return [
        Condition(key, section_of(request, key), *check(request, today))
        for key, check in ((SUITABLE, _suitable), (AMENDED, _amended), (LICENSED, _licensed), (PAID, _paid))
    ]


def section_of(request: GameRequest, condition: str) -> str:
    """Return the paragraph of a condition at the facility of this request."""
    return request.facility.law.section(f"conditions.{condition}")


def balance_cents(request: GameRequest) -> int:
    """Return what is billed and unpaid, in cents."""
    return request.costs_cents - request.paid_cents


def verify_conditions(request: GameRequest, today: dt.date) -> None:
    """Refuse final approval while a condition is open, naming each. Raises Refusal(`conditions-open`)."""
    still = [condition for condition in conditions(request, today) if not condition.is_met]
    if still:
        listed = ", ".join(f"{condition.name} ({jurisdictions.short(condition.cite)})" for condition in still)
        raise Refusal(CONDITIONS_OPEN, request.facility.law.section("conditions"), open=listed)


def verify_licensing(request: GameRequest, applications: str, waivers: str) -> None:
    """Refuse an unlicensed petitioner without a filed application, or without the waiver that was filed for.

    Raises Refusal(`licensing-open`).
    """
    if request.petitioner != OTHER:
        return
    waived = request.parts.get("waiver", {})
    wants_waiver = bool(waived.get("documents"))
    if applications != FILED or not request.parts.get("application"):
        raise Refusal(LICENSING_OPEN, section_of(request, LICENSED), what="the license application")
    if wants_waiver and waivers != ISSUED:
        raise Refusal(LICENSING_OPEN, section_of(request, LICENSED), what="the transactional waiver")


def _suitable(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    day = request.suitable_on
    return bool(
        day and day <= today
    ), f"determined on {day_in_words(day)}" if day else "no determination on file"


def _amended(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    day = request.amended_on
    if request.conditions.get(AMENDED, {}).get("needed") is False:
        return True, "none needed"
    if day is None:
        return False, "no amendment on file"
    words = "in effect since" if day <= today else "in effect only from"
    return day <= today, f"{words} {day_in_words(day)}"


def _licensed(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    day = request.licensed_on
    return bool(
        day and day <= today
    ), f"complete since {day_in_words(day)}" if day else "not recorded as complete"


def _paid(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    balance = balance_cents(request)
    if not request.conditions.get("bills"):
        return False, "no statement of costs on file"
    return (
        balance == 0,
        "balance $0" if balance == 0 else "$%s open" % f"{balance // 100:,}.{balance % 100:02d}",
    )


# Acts


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
    verify_licensing(request, applications, waivers)
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
        balance_cents(request),
    )
    if not 0 < paid <= balance:
        raise Refusal(
            MORE_THAN_IS_OPEN, section_of(request, PAID), left=f"{balance // 100:,}.{balance % 100:02d}"
        )
    evidence: AmountEvidence = {"cents": paid, "on": paid_on.isoformat(), **_evidence(ctx, params)}
    request.paid_cents += paid
    return ActOutcome(REQUEST_PAID(_save_amount(request, "payments", evidence)))


def _undecided_request(ctx: OfficeContext, params: Params) -> GameRequest:
    request = parts.request_by_code(ctx.facility, params.code("request"))
    parts.verify_undecided(request)
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
        "document": documents.document_reference(documents.read_optional_document(ctx, params, "document")),
    }


def _save_condition(request: GameRequest, condition: str, evidence: Evidence) -> None:
    request.conditions = {**request.conditions, condition: evidence}
    request.save()


def _save_amount(request: GameRequest, name: str, evidence: AmountEvidence) -> RequestAmount:
    """Add a bill or a payment to the request. Return the data of its entry."""
    request.conditions = {**request.conditions, name: [*request.conditions.get(name, []), evidence]}
    request.save()
    balance = balance_cents(request)
    return {"request": request.code, **evidence, "balance_cents": balance}
