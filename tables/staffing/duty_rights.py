"""Who may change whose duty, as the row `duties` of the policy says: each department its own, and an administrator with
a second person.

Table games neither starts nor ends the duty of people who watch it: security, surveillance, compliance, the regulator.
"""

from audit.models import Department, Person
from games.engine import Refusal
from games.jurisdictions import SeparationRow
from games.models import Facility
from games.separation import policy
from tables.models import Assignment
from tables.runner.facility import FacilityContext
from tables.staffing.refusals import (
    ALREADY_ASSIGNED,
    COLLEAGUE_STARTS_YOUR_DUTY,
    DUTY_OF_ANOTHER_DEPARTMENT,
    SECOND_PERSON_FOR_DUTY,
)

DUTIES = "duties"  # the row of the policy
DUTY_ROLES = policy.roles_of(DUTIES, "alone", "prepare")
OWN_DUTY_ROLES = policy.roles_of(DUTIES, "alone")


def departments_of(person: Person, facility: Facility) -> frozenset[str]:
    """The departments whose duty this person may change here; some only with a second person."""
    row = policy.row_of(facility.law, DUTIES)
    if policy.may_prepare(row, person):
        return frozenset(Department.values)
    return frozenset({person.department} if policy.may_do_alone(row, person, person.department) else ())


def needs_second_person(person: Person, facility: Facility) -> bool:
    """Whether this person changes duties only together with a second person."""
    return policy.may_prepare(policy.row_of(facility.law, DUTIES), person)


def second_departments_for_duty(facility: Facility) -> str:
    """Return who may sign for a duty beside an administrator, in words: `compliance or regulator or …`."""
    row = policy.row_of(facility.law, DUTIES)
    words = policy.departments_in_words(row.approve.values())
    return f"{words} or the department of the duty" if row.signed_by_own_department else words


def why_not_begin_own_duty(person: Person, facility: Facility) -> Refusal | None:
    """Why this person may not start their own duty now, or None.

    They may where nobody on duty starts it: they change the duty of their department alone, and so does nobody else
    of it who is on duty.
    """
    row = policy.row_of(facility.law, DUTIES)
    on_duty = Assignment.objects.at_facility(facility)
    if on_duty.filter(person=person).exists():
        return Refusal(ALREADY_ASSIGNED, person=person.name, place=facility.name)
    if not policy.may_do_alone(row, person, person.department):
        department = Department(person.department)
        who = _who(row, department)
        return Refusal(DUTY_OF_ANOTHER_DEPARTMENT, person=person.name, department=department.label, who=who)
    colleagues = Person.objects.filter(
        assignments__in=on_duty, is_active=True, department=person.department, role__in=row.alone
    )
    colleague = colleagues.order_by("name").first()
    if colleague is not None:
        return Refusal(COLLEAGUE_STARTS_YOUR_DUTY, colleague=colleague.name)
    return None


def verify_may_change_duty(ctx: FacilityContext, person: Person) -> None:
    """Raises `duty-of-another-department`, or `second-person-for-duty` for an administrator alone.

    The second person belongs to the department, to compliance or to the regulator, and is not whom it is about.
    """
    department = Department(person.department)
    row = policy.row_of(ctx.facility.law, DUTIES)
    if policy.may_do_alone(row, ctx.actor, department):
        return
    if not policy.may_prepare(row, ctx.actor):
        raise Refusal(
            DUTY_OF_ANOTHER_DEPARTMENT,
            person=person.name,
            department=department.label,
            who=_who(row, department),
        )
    signer = ctx.witness
    if signer is None or signer == person or not policy.may_sign(row, signer, department):
        raise Refusal(SECOND_PERSON_FOR_DUTY, person=person.name)


def _who(row: SeparationRow, department: Department) -> str:
    administrator = f"a {policy.roles_in_words(row.prepare)} with a second person"
    return f"{department.label} or {administrator}" if department in row.alone.values() else administrator
