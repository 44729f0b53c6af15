"""Who must sign an act beyond the person at the tablet: each by their own sign-in."""

from audit.models import Department, Person
from games.engine import Refusal
from games.models import Facility
from tables.core.context import TableContext
from tables.core.permissions import FLOOR, STAFFERS
from tables.runner.facility import FacilityContext
from tables.runner.refusals import FLOORPERSON_MUST_SIGN, MANAGER_MUST_SIGN, TWO_DEPARTMENTS_MUST_SIGN

TABLE_GAMES = Department.TABLE_GAMES


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
    """Raises `two-departments-must-sign` unless two people sign: one of table games, one of another department.

    The file of the jurisdiction says of which department the second may be.
    """
    facility = ctx.facility if isinstance(ctx, FacilityContext) else ctx.table.facility
    signed = [person.department for person in (ctx.actor, ctx.witness) if person is not None]
    others = [department for department in signed if department != TABLE_GAMES]
    if len(signed) < 2 or len(others) != 1 or others[0] not in facility.law.custody.second_departments:
        raise Refusal(TWO_DEPARTMENTS_MUST_SIGN, section, departments=second_departments(facility))


def second_departments(facility: Facility) -> str:
    """Return who may sign for dice beside table games, in words: `security`."""
    return " or ".join(Department(code).label.lower() for code in facility.law.custody.second_departments)
