"""Who must sign an act beyond the person at the tablet: each by their own sign-in.

An act is signed by one or two people, `fitting` says in which places: the step of a paper (`step_signers`) by the rows
of its list, other acts by a row of the policy, or by the floor.
"""

from collections.abc import Callable, Mapping
from functools import partial

from audit.models import Person
from games.engine import Refusal, RefusalCode
from games.facility_runner import may_not_prepare
from games.jurisdictions import SIGNATURE, SeparationRow, practice_signers
from games.models import Facility
from games.separation import policy
from games.separation.signatures import fitting, may_sign_as, nobody_at_post, who_signs
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import FLOOR, STAFFERS, is_on_duty
from tables.models import Assignment, Table
from tables.runner.facility import FacilityContext

DICE_ROW = "dice"  # the row of the policy

TWO_DEPARTMENTS_MUST_SIGN = RefusalCode(
    "two-departments-must-sign",
    "Two people must sign, one of table games and one of %(departments)s, each with their own PIN. Ask %(departments)s "
    "to sign.",
    "Second department needed",
)
SECOND_PERSON_MUST_SIGN = RefusalCode(
    "second-person-must-sign",
    "A second person must sign with their own PIN: %(who)s. Ask one of them to sign.",
    "Second person needed",
)
FLOORPERSON_MUST_SIGN = RefusalCode(
    "floorperson-must-sign",
    "A floorperson must sign with their own PIN.",
    "Floorperson needed",
)
STEP_SIGNED_BY = RefusalCode(
    "step-signed-by", "This is signed by these, each with their own PIN: %(who)s.", "Signature needed"
)


# The steps of a paper


def step_signers(
    ctx: TableContext | FacilityContext, paper: str, step: str, refusal: Refusal
) -> tuple[Person, ...]:
    """Return who signs a step of a paper, in the order of its list: the two people of the act.

    Either may be the one at the tablet. Raises `refusal` where they do not fit the list, or `step-signed-by` where the
    list is not that of the trade.
    """
    law = facility_of(ctx).law
    at_post = nobody_at_post if isinstance(ctx, FacilityContext) else is_at_post(ctx.table)
    places = [row for row in law.signers(paper) if row.step == step]
    signers = fitting((ctx.actor, ctx.witness), *(partial(may_sign_as, law, row, at_post) for row in places))
    if signers is not None:
        return signers
    if places != [row for row in practice_signers(paper) if row.step == step]:
        who = "; ".join(f"{row.post}: {who_signs(law, row)}" for row in places)
        raise Refusal(STEP_SIGNED_BY, places[0].section or refusal.section, who=who)
    raise refusal


def facility_of(ctx: TableContext | FacilityContext) -> Facility:
    """The facility of an act."""
    return ctx.facility if isinstance(ctx, FacilityContext) else ctx.table.facility


def is_at_post(table: Table) -> Callable[[Person], bool]:
    """Whether a person works at a post of this table. A simulated table has no people at its posts."""
    is_simulated = table.kind == Table.Kind.SIMULATED
    return lambda person: is_simulated or posts.post_of(table, person) is not None


# Other acts


def floor_signer(ctx: TableContext) -> Person:
    """The floorperson or above who acts or signs as the second person. Raises `floorperson-must-sign`."""
    signers = fitting((ctx.witness, ctx.actor), lambda person: person.role in FLOOR)
    if signers is None:
        raise Refusal(FLOORPERSON_MUST_SIGN)
    return signers[0]


def verify_signed_by_floor(ctx: TableContext) -> None:
    """Raises `floorperson-must-sign` unless a floorperson or above acts or signs as the second person."""
    floor_signer(ctx)


def verify_signed_by_manager(ctx: TableContext, refusal: RefusalCode, section: str) -> None:
    """Raises the refusal unless a pit or shift manager acts or signs as the second person."""
    if fitting((ctx.witness, ctx.actor), lambda person: person.role in STAFFERS) is None:
        raise Refusal(refusal, section)


def verify_two_departments(ctx: TableContext | FacilityContext, section: str) -> None:
    """Raises `two-departments-must-sign` unless two people sign as the row `dice` of the policy says."""
    facility = facility_of(ctx)
    if not is_signed_by_two(ctx, policy.row_of(facility.law, DICE_ROW)):
        raise Refusal(TWO_DEPARTMENTS_MUST_SIGN, section, departments=second_departments(facility))


def is_signed_by_two(ctx: TableContext | FacilityContext, row: SeparationRow) -> bool:
    """Whether two people sign, of whom one prepares and the other approves what this row of the policy covers."""
    signers = fitting(
        (ctx.actor, ctx.witness),
        lambda person: policy.may_prepare(row, person),
        lambda person: policy.may_sign(row, person),
    )
    return signers is not None


def verify_signed_by_policy(ctx: FacilityContext, subject: str) -> SeparationRow:
    """Return the row of a subject, whose people do the act: one alone, or both sign it.

    Raises `second-person-must-sign`, and, as Forbidden, `may-not-prepare`.
    """
    row = policy.row_of(ctx.facility.law, subject)
    if not policy.may_prepare(row, ctx.actor):
        raise may_not_prepare(row, ctx.actor)
    needs_second = row.control == SIGNATURE
    if needs_second and (ctx.witness is None or not policy.may_sign(row, ctx.witness)):
        raise Refusal(SECOND_PERSON_MUST_SIGN, row.section, who=policy.in_words(row.approve))
    return row


def verify_signed_at_table(ctx: TableContext, subject: str) -> None:
    """Verify that an act at a table is signed as the row of its subject says: by one of its people, or by a pair.

    Of a pair either may be the one at the tablet. Raises `second-person-must-sign`, and, as Forbidden,
    `may-not-prepare`.
    """
    row = policy.row_of(ctx.table.facility.law, subject)
    people = [person for person in (ctx.actor, ctx.witness) if person is not None]
    if row.control == SIGNATURE:
        if not is_signed_by_two(ctx, row):
            raise Refusal(SECOND_PERSON_MUST_SIGN, row.section, who=policy.in_words(_beside(row, people[0])))
    elif not any(policy.may_prepare(row, person) for person in people):
        raise may_not_prepare(row, people[0])


def _beside(row: SeparationRow, person: Person) -> Mapping[str, str]:
    """Who signs beside this person by a row: departments by role."""
    return row.approve if policy.may_prepare(row, person) else row.prepare


def signers_at_table(table: Table, subject: str, person: Person) -> list[Person]:
    """Return the people on duty at a table who may sign beside this person by the row of a subject, by name."""
    row = policy.row_of(table.facility.law, subject)
    if row.control != SIGNATURE:
        return []
    roles = _beside(row, person)
    on_duty = Person.objects.filter(
        assignments__in=Assignment.objects.at_facility(table.facility), is_active=True
    )
    people = on_duty.filter(role__in=roles).exclude(pk=person.pk).distinct().order_by("name")
    return [
        signer
        for signer in people
        if roles.get(signer.role) == signer.department and is_on_duty(signer, table)
    ]


def signers_of(facility: Facility, subject: str, person: Person) -> list[Person]:
    """Return the people on duty here who may sign beside this person by the row of a subject, by name."""
    row = policy.row_of(facility.law, subject)
    if row.control != SIGNATURE:
        return []
    on_duty = Person.objects.filter(assignments__in=Assignment.objects.at_facility(facility), is_active=True)
    people = on_duty.filter(role__in=row.approve).exclude(pk=person.pk).distinct().order_by("name")
    return [signer for signer in people if policy.may_sign(row, signer)]


def second_departments(facility: Facility) -> str:
    """Return who may sign for dice beside table games, in words: `security`."""
    return policy.departments_in_words(policy.row_of(facility.law, DICE_ROW).approve.values())
