"""Who signs for chips: two people of the roles that the act names, never the same person twice."""

from collections.abc import Callable, Set

from audit.models import Person
from games.engine import Refusal
from games.engine.refusals import RefusalCode
from games.jurisdictions import SeparationRow
from games.separation import policy
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import is_on_duty
from tables.core.permissions import CAGE, DEALERS, FLOOR
from tables.models import Table
from tables.money.inventory import section_of
from tables.money.refusals import (
    CAGE_AND_SECURITY_MUST_SIGN,
    CARRIER_MUST_SIGN,
    COUNT_ROOM_MUST_SIGN,
    DEALER_AND_FLOOR_MUST_SIGN,
    SECURITY_AND_FLOOR_MUST_SIGN,
)
from tables.runner.refusals import SECOND_PERSON_MUST_SIGN
from tables.runner.signatures import is_signed_by_two

CREDITS, PARS = "credits", "pars"  # rows of the policy
CARRIERS = policy.roles_of(CREDITS, "approve")
SECURITY = frozenset({"security"})
COUNT_WITNESSES = frozenset({"cage", "compliance"})
Signers = tuple[Person, Person]
HasRole = Callable[[Person], bool]


def dealer_and_floor(ctx: TableContext, duty: str) -> Signers:
    """The dealer who counted and the floorperson who observed. Raises `dealer-and-floor-must-sign`.

    The dealer works at a post of this table. A simulated table has no people at its posts.
    """

    def deals_here(person: Person) -> bool:
        is_at_post = posts.post_of(ctx.table, person) is not None
        return person.role in DEALERS and (is_at_post or ctx.table.kind == Table.Kind.SIMULATED)

    return _two(ctx, deals_here, _with_role(FLOOR), DEALER_AND_FLOOR_MUST_SIGN, duty)


def cage_and_security(ctx: TableContext, duty: str) -> Signers:
    """Return the cage cashier and the security officer. Raises `cage-and-security-must-sign`."""
    return _two(ctx, _with_role(CAGE), _with_role(SECURITY), CAGE_AND_SECURITY_MUST_SIGN, duty)


def security_and_floor(ctx: TableContext, duty: str) -> Signers:
    """Return the security officer and the floorperson. Raises `security-and-floor-must-sign`."""
    return _two(ctx, _with_role(SECURITY), _with_role(FLOOR), SECURITY_AND_FLOOR_MUST_SIGN, duty)


def count_room(ctx: TableContext, duty: str) -> Signers:
    """The cashier who enters the count room's figure, and who signs it. Raises `count-room-must-sign`."""
    return _two(ctx, _with_role(CAGE), _with_role(COUNT_WITNESSES), COUNT_ROOM_MUST_SIGN, duty)


def carrier_who_signs(ctx: TableContext, slip: str) -> Person:
    """Return who signs to carry a credit, on duty here and by the row `credits`. Raises `carrier-must-sign`."""
    row = policy.row_of(ctx.table.facility.law, CREDITS)
    for person in (ctx.actor, ctx.witness):
        if person is not None and policy.may_approve(row, person) and is_on_duty(person, ctx.table):
            return person
    raise _carrier_must_sign(ctx, slip, row)


def verify_carrier_signed(ctx: TableContext, carrier: Person | None, slip: str) -> Person:
    """Return the carrier of a credit, who signed and is still on duty here. Raises `carrier-must-sign`."""
    if carrier is None or not is_on_duty(carrier, ctx.table):
        raise _carrier_must_sign(ctx, slip, policy.row_of(ctx.table.facility.law, CREDITS))
    return carrier


def verify_par_is_signed(ctx: TableContext) -> None:
    """Raises `second-person-must-sign` unless two people sign as the row `pars` of the policy says."""
    row = policy.row_of(ctx.table.facility.law, PARS)
    if not is_signed_by_two(ctx, row):
        raise Refusal(SECOND_PERSON_MUST_SIGN, row.section, who=policy.in_words(row.approve))


def _carrier_must_sign(ctx: TableContext, slip: str, row: SeparationRow) -> Refusal:
    section = section_of(ctx.table, "transfer")
    return Refusal(CARRIER_MUST_SIGN, section, slip=slip, who=policy.in_words(row.approve))


def _with_role(roles: Set[str]) -> HasRole:
    return lambda person: person.role in roles


def _two(
    ctx: TableContext, is_first: HasRole, is_second: HasRole, refusal: RefusalCode, duty: str
) -> Signers:
    """Two different people, the first with the first right and the second with the second, in either order."""
    actor, witness = ctx.actor, ctx.witness
    if actor is not None and witness is not None and actor.pk != witness.pk:
        if is_first(actor) and is_second(witness):
            return actor, witness
        if is_first(witness) and is_second(actor):
            return witness, actor
    raise Refusal(refusal, section_of(ctx.table, duty))
