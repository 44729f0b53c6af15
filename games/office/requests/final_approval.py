"""The four conditions of a new game's final approval in New Jersey: N.J.A.C. 19:47-8.4(g)1 to 4."""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from games import jurisdictions
from games.engine import Refusal
from games.models import GameRequest
from games.office.requests import contents
from games.office.requests.contents import OTHER
from games.office.requests.refusals import CONDITIONS_OPEN, LICENSING_OPEN, NOT_IN_NEW_JERSEY

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


def verify_undecided(request: GameRequest) -> None:
    """Refuse a request outside New Jersey or one that is not filed and undecided.

    Raises Refusal(`not-in-new-jersey` or `request-not-waiting`).
    """
    if not request.facility.law.requests.tests:
        raise Refusal(NOT_IN_NEW_JERSEY)
    contents.verify_filed(request)


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
    return bool(day and day <= today), "determined on %s" % _day(day) if day else "no determination on file"


def _amended(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    day = request.amended_on
    if request.conditions.get(AMENDED, {}).get("needed") is False:
        return True, "none needed"
    if day is None:
        return False, "no amendment on file"
    return day <= today, ("in effect since %s" if day <= today else "in effect only from %s") % _day(day)


def _licensed(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    day = request.licensed_on
    return bool(day and day <= today), "complete since %s" % _day(day) if day else "not recorded as complete"


def _paid(request: GameRequest, today: dt.date) -> tuple[bool, str]:
    balance = balance_cents(request)
    if not request.conditions.get("bills"):
        return False, "no statement of costs on file"
    return (
        balance == 0,
        "balance $0" if balance == 0 else "$%s open" % f"{balance // 100:,}.{balance % 100:02d}",
    )


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%b %Y}"
