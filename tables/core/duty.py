"""Who is on duty where, and who is at work at a table. Acts, the ticker and the screens all ask here.

`AssignmentSet.covering` is the rule; the statements written out here are compiled from it.
"""

import datetime as dt
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from audit.models import Person
from audit.people import person_by_code
from games.engine import Refusal
from games.models import Facility
from tables.core.refusals import NO_SUCH_PERSON, PERSON_ON_LEAVE
from tables.models import Assignment, Table

PERSON = object()  # stands for the person's id in a compiled statement
AT_ANOTHER_POST = """EXISTS (
    SELECT 1 FROM tables_table o
    WHERE o.id <> t.id AND o.status <> 'closed' AND p.id IN (o.dealer_id, o.dealer_left_id, o.stickperson_id))"""


def person_here(facility: Facility, code: str) -> Person:
    """The active person with this code who belongs to the facility. Raises `no-such-person`."""
    person = person_by_code(code)
    if person is None or not person.is_active or not person.belongs_to(facility.code):
        raise Refusal(NO_SUCH_PERSON, person=code)
    return person


def verify_not_on_leave(person: Person, gaming_day: dt.date) -> None:
    """Raises `person-on-leave` for somebody whose leave has begun by this gaming day."""
    if person.is_on_leave(gaming_day):
        raise Refusal(PERSON_ON_LEAVE, person=person.name, until=person.leave_end_in_words)


def locked_duty(person: Person) -> list[Assignment]:
    """Lock and return the unended assignments of a person, here and elsewhere, until the transaction ends.

    A caller that checks what a person supervises, or ends an assignment, locks these first and reads the tables
    afterward. An act locks its table before them; this order prevents deadlocks.
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


def is_on_duty(person: Person, table: Table) -> bool:
    """Whether an unended assignment of this person covers this table."""
    return Assignment.objects.at(table).filter(person=person.pk).exists()


def is_on_duty_at_facility(person: Person, facility: Facility) -> bool:
    """Whether this person has an unended assignment at this facility. Tables of other facilities do not count."""
    return Assignment.objects.at_facility(facility).filter(person=person).exists()


def on_duty_sql(person: str, person_id: int | None = None) -> tuple[str, list[Any]]:
    """Return SQL for whether a person (`p.id`, or `%s` for `person_id`) is on duty at table `t`, and its params."""
    sql, params = _on_duty_sql(connection.vendor, person)
    return sql, [person_id if param is PERSON else param for param in params]


@lru_cache
def _on_duty_sql(vendor: str, person: str) -> tuple[str, tuple[Any, ...]]:
    covering = Assignment.objects.covering(
        RawSQL("t.facility_id", ()), RawSQL("t.pit_id", ()), RawSQL("t.id", ())
    )
    person_param = (PERSON,) if "%s" in person else ()
    duty = covering.filter(person=RawSQL(person, person_param)).order_by().values("pk")
    sql, params = duty.query.sql_with_params()
    return f"EXISTS ({sql})", tuple(params)


def at_work(table: Table, people: list[int]) -> set[int]:
    """Those of these people (ids) who are active, on duty at this table, and at no post of another open table."""
    if not people:
        return set()
    on_duty, params = on_duty_sql("p.id")
    sql = f"""SELECT p.id FROM audit_person p JOIN tables_table t ON t.id = %s
              WHERE p.id IN ({", ".join(["%s"] * len(people))})
                AND p.is_active AND {on_duty} AND NOT {AT_ANOTHER_POST}"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [table.pk, *people, *params])
        return {int(pk) for (pk,) in cursor.fetchall()}


def at_work_by_table(tables: list[int]) -> dict[int, set[int]]:
    """The same for everybody at a post of these tables (ids), by table id, in one statement."""
    people_by_table: dict[int, set[int]] = {table_id: set() for table_id in tables}
    if not tables:
        return people_by_table
    on_duty, params = on_duty_sql("p.id")
    sql = f"""SELECT t.id, p.id FROM tables_table t
              JOIN audit_person p ON p.id IN (t.dealer_id, t.dealer_left_id, t.stickperson_id)
              WHERE t.id IN ({", ".join(["%s"] * len(tables))})
                AND p.is_active AND {on_duty} AND NOT {AT_ANOTHER_POST}"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [*tables, *params])
        for table_id, person_id in cursor.fetchall():
            people_by_table[int(table_id)].add(int(person_id))
    return people_by_table
