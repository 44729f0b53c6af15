"""Who must sign an act beyond the person at the tablet: each by their own sign-in."""

import itertools

from audit.models import Person
from games.engine import Refusal
from games.engine.refusals import RefusalCode
from games.models import Facility
from games.separation import policy
from tables.core.context import TableContext
from tables.core.permissions import FLOOR, STAFFERS
from tables.runner.facility import FacilityContext
from tables.runner.refusals import FLOORPERSON_MUST_SIGN, TWO_DEPARTMENTS_MUST_SIGN

DICE_ROW = "dice"  # the row of the policy


def floor_signer(ctx: TableContext) -> Person:
    """The floorperson or above who acts or signs as the second person. Raises `floorperson-must-sign`."""
    for person in (ctx.witness, ctx.actor):
        if person is not None and person.role in FLOOR:
            return person
    raise Refusal(FLOORPERSON_MUST_SIGN)


def verify_signed_by_floor(ctx: TableContext) -> None:
    """Raises `floorperson-must-sign` unless a floorperson or above acts or signs as the second person."""
    floor_signer(ctx)


def verify_signed_by_manager(ctx: TableContext, refusal: RefusalCode, section: str) -> None:
    """Raises the refusal unless a pit or shift manager acts or signs as the second person."""
    if not any(person is not None and person.role in STAFFERS for person in (ctx.witness, ctx.actor)):
        raise Refusal(refusal, section)


def verify_two_departments(ctx: TableContext | FacilityContext, section: str) -> None:
    """Raises `two-departments-must-sign` unless two people sign as the row `dice` of the policy says."""
    facility = ctx.facility if isinstance(ctx, FacilityContext) else ctx.table.facility
    row = policy.row_of(facility.law, DICE_ROW)
    signers = [person for person in (ctx.actor, ctx.witness) if person is not None]
    pairs = itertools.permutations(signers, 2)
    if not any(policy.may_prepare(row, first) and policy.may_sign(row, second) for first, second in pairs):
        raise Refusal(TWO_DEPARTMENTS_MUST_SIGN, section, departments=second_departments(facility))


def second_departments(facility: Facility) -> str:
    """Return who may sign for dice beside table games, in words: `security`."""
    return policy.departments_in_words(policy.row_of(facility.law, DICE_ROW).approve.values())
