"""Who may change whose duty: each department its own, and an administrator with a second person.

Table games neither starts nor ends the duty of people who watch it: security, surveillance, compliance, the regulator.
"""

from audit.models import Department, Person
from games.engine import Refusal
from tables.core.permissions import STAFFERS
from tables.runner.facility import FacilityContext
from tables.staffing.refusals import DUTY_OF_ANOTHER_DEPARTMENT, SECOND_PERSON_FOR_DUTY

ADMINISTRATOR = "system-administrator"
# Roles by the department whose duty they change alone. Nobody changes that of compliance or the regulator alone.
ROLES_BY_DEPARTMENT = {
    Department.TABLE_GAMES: STAFFERS,
    Department.SECURITY: frozenset({"security"}),
    Department.SURVEILLANCE: frozenset({"surveillance"}),
}
DUTY_ROLES = frozenset({ADMINISTRATOR}).union(*ROLES_BY_DEPARTMENT.values())
OVERSIGHT = frozenset(
    {Department.COMPLIANCE, Department.REGULATOR}
)  # their people may sign for any department


def departments_of(person: Person) -> frozenset[str]:
    """The departments whose duty this person may change; an administrator needs a second person to."""
    if person.role == ADMINISTRATOR:
        return frozenset(Department.values)
    return frozenset(
        str(department)
        for department, roles in ROLES_BY_DEPARTMENT.items()
        if person.department == department and person.role in roles
    )


def verify_may_change_duty(ctx: FacilityContext, person: Person) -> None:
    """Raises `duty-of-another-department`, or `second-person-for-duty` for an administrator alone.

    The second person belongs to the department, to compliance or to the regulator, and is not whom it is about.
    """
    department = Department(person.department)
    if department not in departments_of(ctx.actor):
        raise Refusal(
            DUTY_OF_ANOTHER_DEPARTMENT, person=person.name, department=department.label, who=_who(department)
        )
    if ctx.actor.role != ADMINISTRATOR:
        return
    signer = ctx.witness
    if signer is None or signer == person or signer.department not in OVERSIGHT | {department}:
        raise Refusal(SECOND_PERSON_FOR_DUTY, person=person.name)


def _who(department: Department) -> str:
    administrator = "a system administrator with a second person"
    return f"{department.label} or {administrator}" if department in ROLES_BY_DEPARTMENT else administrator
