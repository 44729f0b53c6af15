"""People of a facility on the server: add one, change a role, a license or a PIN, end their access.

Each change is stated on the record with the two people who answer for it, who belong to two departments.
"""

import datetime as dt
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from audit import people, registration
from audit.models import Department, Person, Role

DEPARTMENTS = {
    Role.SECURITY: Department.SECURITY,
    Role.SURVEILLANCE: Department.SURVEILLANCE,
    Role.COMPLIANCE: Department.COMPLIANCE,
    Role.GAMES_ADMINISTRATOR: Department.COMPLIANCE,
    Role.GAMING_AGENT: Department.REGULATOR,
    Role.SYSTEM_ADMINISTRATOR: Department.INFORMATION_TECHNOLOGY,
}  # every other role belongs to table games


@dataclass(frozen=True)
class Answerable:
    """The two people who answer for a change."""

    by: Person
    witness: Person


def answerable(by: str, witness: str, about: str) -> Answerable:
    """Two active people of two departments by their codes: an administrator, and somebody else than `about`.

    Raises ValidationError.
    """
    first, second = people.person_by_code(by), people.person_by_code(witness)
    if first is None or second is None or not (first.is_active and second.is_active):
        raise ValidationError(f"There is nobody with the code {by if first is None else witness}.")
    if first.role != Role.SYSTEM_ADMINISTRATOR:
        raise ValidationError(f"{first.name} is no system administrator.")
    if first.department == second.department:
        raise ValidationError(
            f"{first.name} and {second.name} are of one department. Two departments answer."
        )
    if about in (first.code, second.code):
        raise ValidationError("Nobody answers for a change of their own access.")
    return Answerable(first, second)


def department_of(role: str) -> str:
    """The department to which a role belongs."""
    return str(DEPARTMENTS.get(Role(role), Department.TABLE_GAMES))


def add(
    code: str, name: str, *, facility: str, role: str, pin: str, badge: str, licence_ends_on: dt.date | None,
    answerable: Answerable,
) -> Person:  # fmt: skip
    """Save a new person with this PIN, and state them on the record. Raises ValidationError."""
    with transaction.atomic():
        person = Person.objects.create_person(
            code,
            pin,
            name=name,
            role=role,
            department=department_of(role),
            facility=facility,
            badge=badge,
            licence_ends_on=licence_ends_on,
        )
        registration.record_person(person, answerable.by, answerable.witness)
    return person


def change(
    person: Person, answerable: Answerable, *, role: str = "", licence_ends_on: dt.date | None = None,
    badge: str = "", pin: str = "", leaves: bool = False,
) -> list[str]:  # fmt: skip
    """Change what is given, and state the person on the record. Raises ValidationError.

    Who leaves, or gets another role or PIN, is signed off at once at every device but the tablets of tables, where
    a shaker may be theirs. Returns the names of these devices.
    """
    with transaction.atomic():
        person = Person.objects.select_for_update().get(pk=person.pk)
        if role:
            person.role, person.department = role, department_of(role)
        person.licence_ends_on = licence_ends_on or person.licence_ends_on
        person.badge = badge or person.badge
        if pin:
            person.set_pin(pin)
        person.is_active = person.is_active and not leaves
        person.full_clean()
        person.save()
        registration.record_person(person, answerable.by, answerable.witness)
        return people.end_sessions(person) if role or pin or leaves else []
