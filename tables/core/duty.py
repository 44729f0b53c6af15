"""Who is on duty where: people of this house by their code, and their assignments under lock."""

from collections.abc import Iterable

from audit import people
from audit.models import Person
from games.engine import Refusal
from games.models import Facility
from tables.models import Assignment, Table


def person_here(facility: Facility, code: str) -> Person:
    """The active person of this code who belongs to the facility. Raises `no-such-person`."""
    person = people.named(code)
    if person is None or not person.is_active or not person.belongs_to(facility.code):
        raise Refusal("no-such-person", person=code)
    return person


def locked_duty(person: Person) -> list[Assignment]:
    """The assignments of a person that have not ended, here and elsewhere, locked until the transaction ends.

    Whoever asks what a person supervises, or ends a duty, locks these first and reads the tables afterwards. An act
    locks its table before them, so that nobody waits in a circle.
    """
    lock_duty_of([person.pk])
    # Read after the wait: a row that was written meanwhile is no part of what the lock found.
    return list(Assignment.objects.unended().filter(person=person).order_by("pk"))


def lock_duty_of(people: Iterable[int]) -> None:
    """Locks what these people (keys) have on duty until the transaction ends, so that nobody sends one of them home, or
    to another table, meanwhile. After the table's own lock, and before the tables are read that they stand at.
    """
    assignments = Assignment.objects.unended().filter(person__in=set(people)).order_by("pk")
    list(assignments.select_for_update(of=("self",)))


def covers(duty: Iterable[Assignment], table: Table) -> bool:
    """Whether one of these assignments is to this table, to its pit, or to its whole facility."""
    return any(assignment.covers(table) for assignment in duty)
