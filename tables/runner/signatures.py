"""Who must sign an act beyond the person at the tablet: each by their own sign-in."""

from audit.models import Person
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import FLOOR, STAFFERS
from tables.runner.facility import FacilityContext
from tables.runner.refusals import FLOORPERSON_MUST_SIGN, MANAGER_MUST_SIGN, TWO_DEPARTMENTS_MUST_SIGN

OUTSIDE = frozenset({"information-technology", "regulator"})


def floor_signer(ctx: TableContext) -> Person:
    """The floorperson or above who acts or signs as the second person. Raises `floorperson-must-sign`."""
    for person in (ctx.witness, ctx.actor):
        if person is not None and person.role in FLOOR:
            return person
    raise Refusal(FLOORPERSON_MUST_SIGN)


def verify_signed_by_floor(ctx: TableContext) -> None:
    """Raises `floorperson-must-sign` unless a floorperson or above acts or signs as the second person."""
    floor_signer(ctx)


def verify_signed_by_manager(ctx: TableContext, section: str) -> None:
    """Raises `manager-must-sign` unless a pit or shift manager acts or signs as the second person."""
    if not any(person is not None and person.role in STAFFERS for person in (ctx.witness, ctx.actor)):
        raise Refusal(MANAGER_MUST_SIGN, section)


def verify_two_departments(ctx: TableContext | FacilityContext, section: str) -> None:
    """Raises `two-departments-must-sign` unless two people of different departments sign.

    One is of table games; the other is neither of information technology nor the regulator's.
    """
    signed = {person.department for person in (ctx.actor, ctx.witness) if person is not None}
    if len(signed) < 2 or "table-games" not in signed or signed & OUTSIDE:
        raise Refusal(TWO_DEPARTMENTS_MUST_SIGN, section)
