"""People of a facility on the server: add one, change a role, a license or a PIN, end their access.

Each change is stated on the record with the two people who answer for it, who belong to two departments. At the
server's terminal each of them types their own PIN; so do the two who declare something about the record.
"""

import datetime as dt
import getpass
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from audit import people, registration
from audit.models import Department, OneTimeSecret, Person, Role
from audit.refusals import AuditRefusal

DEPARTMENTS = {
    Role.SECURITY: Department.SECURITY,
    Role.SURVEILLANCE: Department.SURVEILLANCE,
    Role.COMPLIANCE: Department.COMPLIANCE,
    Role.GAMES_ADMINISTRATOR: Department.COMPLIANCE,
    Role.GAMING_AGENT: Department.REGULATOR,
    Role.SYSTEM_ADMINISTRATOR: Department.INFORMATION_TECHNOLOGY,
    Role.CAGE: Department.CAGE,
}  # every other role belongs to table games


@dataclass(frozen=True)
class Answerable:
    """The two people who answer for a change. Without a witness it is only tried, and undone."""

    by: Person
    witness: Person | None


def answerable(by: str, witness: str, about: str) -> Answerable:
    """Two active people of two departments by their codes: an administrator, and somebody else than `about`.

    Raises ValidationError.
    """
    first, second = people.person_by_code(by), people.person_by_code(witness)
    if first is None or second is None or not (first.is_active and second.is_active):
        raise ValidationError(f"There is nobody with the code {by if first is None else witness}.")
    if first.role != Role.SYSTEM_ADMINISTRATOR:
        raise ValidationError(f"{first.name} is not a system administrator.")
    if first.department == second.department:
        raise ValidationError(
            f"{first.name} and {second.name} belong to one department. Two departments must answer."
        )
    if about in (first.code, second.code):
        raise ValidationError("Nobody answers for a change of their own access.")
    return Answerable(first, second)


def department_of(role: str) -> str:
    """The department to which a role belongs."""
    return str(DEPARTMENTS.get(Role(role), Department.TABLE_GAMES))


def add(
    code: str, name: str, *, facility: str, role: str, badge: str, licence_ends_on: dt.date | None,
    answerable: Answerable, pin: str = "", licence: str = "",
) -> Person:  # fmt: skip
    """Save a new person, with this PIN or none yet, and state them on the record. Raises ValidationError."""
    with transaction.atomic():
        person = Person.objects.create_person(
            code,
            pin,
            name=name,
            role=role,
            department=department_of(role),
            facility=facility,
            badge=badge,
            licence=licence,
            licence_ends_on=licence_ends_on,
        )
        registration.record_person(person, answerable.by, answerable.witness)
    return person


def change(
    person: Person, answerable: Answerable, *, role: str = "", licence_ends_on: dt.date | None = None,
    badge: str = "", pin: str = "", licence: str = "", loses_pin: bool = False, leaves: bool = False,
    at_tables: bool = False,
) -> list[str]:  # fmt: skip
    """Change what is given, and state the person on the record. Raises ValidationError.

    Who leaves, loses their PIN, or gets another role or PIN, is signed off at once at every device; at the tablets of
    tables only with `at_tables`, because a shaker may be theirs there. Returns the names of these devices.
    """
    with transaction.atomic():
        person = Person.objects.select_for_update().get(pk=person.pk)
        if role:
            person.role, person.department = role, department_of(role)
        person.licence_ends_on = licence_ends_on or person.licence_ends_on
        person.badge, person.licence = badge or person.badge, licence or person.licence
        if pin:
            person.set_pin(pin)
        if pin or loses_pin or leaves:
            secrets = OneTimeSecret.objects.filter(person=person)
            (secrets if leaves else secrets.filter(kind=OneTimeSecret.Kind.PIN)).delete()
            person.pin_must_change, person.pin_ends_at = False, None
        if loses_pin:
            person.set_unusable_password()
        person.is_active = person.is_active and not leaves
        person.full_clean()
        person.save()
        registration.record_person(person, answerable.by, answerable.witness)
        ends_sessions = role or pin or loses_pin or leaves
        return people.end_sessions(person, at_tables=at_tables) if ends_sessions else []


def set_leave(
    person: Person, answerable: Answerable, *, begins_on: dt.date | None = None, last_day: dt.date | None = None,
    reason: str = "",
) -> None:  # fmt: skip
    """Save a leave, or with nothing given that there is none any more, and state the person on the record.

    The PIN, the password and the second factors stay as they are: none is accepted while the leave lasts.
    """
    with transaction.atomic():
        person = Person.objects.select_for_update().get(pk=person.pk)
        person.leave_from, person.leave_until, person.leave_reason = begins_on, last_day, reason
        person.save(update_fields=["leave_from", "leave_until", "leave_reason"])
        registration.record_person(person, answerable.by, answerable.witness)


# Who answers at the server's terminal, each with their own PIN


def add_declarer_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that every declaration takes."""
    parser.add_argument("actor", help="the code of the person who declares")
    parser.add_argument("witness", help="the code of the second person")
    parser.add_argument("--why", required=True, help="what happened")
    parser.add_argument(
        "--pins-from-stdin", action="store_true", help="read the two PINs as lines, for scripts"
    )


def authenticated_declarers(options: dict[str, Any]) -> tuple[Person, Person]:
    """Ask for the PIN of each person, or read a line for each, and return the actor and the witness.

    Raises WrongPin or LockedOut.
    """
    actor, witness = authenticated(
        (options["actor"], options["witness"]), from_stdin=options["pins_from_stdin"]
    )
    return actor, witness


def add_pins_argument(parser: ArgumentParser) -> None:
    """Add where the PINs of those who answer for it are read."""
    parser.add_argument(
        "--pin-from-stdin", action="store_true", help="read each PIN as a line, in the order of the questions"
    )


def answerable_at_terminal(options: dict[str, Any], about: str) -> Answerable:
    """The two people who answer for a change, `by` and `witness`, each of whom typed their own PIN.

    Raises ValidationError for people who may not, and CommandError for a wrong PIN.
    """
    both = answerable(options["by"], options["witness"], about)
    verify_pins((options["by"], options["witness"]), options)
    return both


def verify_pins(codes: Sequence[str], options: dict[str, Any]) -> list[Person]:
    """Ask each of these people for their PIN, and return them. Raises CommandError for a wrong PIN, which counts."""
    try:
        return authenticated(codes, from_stdin=options["pin_from_stdin"])
    except AuditRefusal as refusal:
        raise CommandError(refusal.sentence) from None


def authenticated(codes: Sequence[str], *, from_stdin: bool) -> list[Person]:
    """These people, once each has typed their PIN, or a line was read for each. Raises WrongPin or LockedOut.

    All PINs are read before the first is looked at, so that a script's lines stay in order.
    """
    if from_stdin:
        pins = [sys.stdin.readline().strip() for _ in codes]
    else:
        pins = [getpass.getpass(f"PIN of {code}: ") for code in codes]
    return [people.authenticate_at_server(code, pin) for code, pin in zip(codes, pins, strict=True)]
