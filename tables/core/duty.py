"""Who is on duty where: people of a facility by their code, and their assignments under lock."""

from collections.abc import Iterable

from audit import people
from audit.models import Person
from games.engine import Refusal
from games.models import Facility
from tables.models import Assignment, Table


def person_here(facility: Facility, code: str) -> Person:
    """The active person with this code who belongs to the facility. Raises `no-such-person`."""
    person = people.person_by_code(code)
    if person is None or not person.is_active or not person.belongs_to(facility.code):
        raise Refusal("no-such-person", person=code)
    return person


def locked_duty(person: Person) -> list[Assignment]:
    """Lock and return the unended assignments of a person, here and elsewhere, until the transaction ends.

    A caller that checks what a person supervises, or ends an assignment, locks these first and reads the tables
    afterwards. An act locks its table before them; this order prevents deadlocks.
    """
    lock_duty_of([person.pk])
    # Read after the lock: the locking statement does not see rows that were written while it waited.
    return list(Assignment.objects.unended().filter(person=person).order_by("pk"))


def lock_duty_of(people: Iterable[int]) -> None:
    """Lock the unended assignments of these people (ids) until the transaction ends.

    Nobody can end or move their duty meanwhile. Locked after the table, and before the tables where they work are
    read.
    """
    assignments = Assignment.objects.unended().filter(person__in=set(people)).order_by("pk")
    list(assignments.select_for_update(of=("self",)))


def covers(duty: Iterable[Assignment], table: Table) -> bool:
    """Whether one of these assignments covers this table, its pit or its facility."""
    return any(assignment.covers(table) for assignment in duty)
