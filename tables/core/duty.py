"""Who is on duty where, who is at work at a table, and what a person may do and see there.

Acts, the ticker and the screens all ask here. `AssignmentSet.covering` is the rule of duty; the statements written out
here are compiled from it. Role, assignment and device are all three checked for every act and every view of a table
(`verify_may`, `may_see_table`).

Which tables of a facility are a person's: their scope says whose figures they see, whose totals a page adds up, where
they act. Floor, Money, Rotation and the proposals all ask `scope_of`, so that one person reads one total. A person who
sees the floor may open the page of every table there; what they may do at it is their duty's.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from audit.models import Device, Person
from audit.people import person_by_code
from audit.runner import Act
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden
from games.models import Facility
from games.refusals import DEVICE_NOT_ENROLLED, DEVICE_OF_ANOTHER_TABLE, ROLE_MAY_NOT
from games.registry import game_by_code
from games.separation import policy
from tables.models import Assignment, Table

NO_SUCH_PERSON = RefusalCode(
    "no-such-person",
    "Nobody at this facility has the code %(person)s. Check the code.",
)
PERSON_ON_LEAVE = RefusalCode(
    "person-on-leave",
    "%(person)s is on leave %(until)s. Choose somebody else, or have the return recorded under People first.",
    "On leave",
)
NOT_ASSIGNED = RefusalCode("not-assigned", "You are not assigned to %(table)s.")
AT_NO_POST = RefusalCode(
    "at-no-post",
    "You work at no post of %(table)s. Sign in at its tablet and take it over first.",
    "Take over first",
)
WITNESS_NOT_ASSIGNED = RefusalCode(
    "witness-not-assigned",
    "%(witness)s is not assigned to %(table)s and cannot sign here.",
)
MACHINE_WITHOUT_TABLE = RefusalCode(
    "machine-without-table",
    "%(device)s serves the whole facility. A dice reader or a sign serves one table: have it connected for that.",
    "Serves no table",
)


# On duty


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


# Role, assignment and device


DEALERS = frozenset({"dealer", "stickperson"})
CAGE = frozenset({"cage"})
MACHINES = frozenset({"machine"})  # a reader, a shaker, a sign, another system: never on duty, and at no post
FLOOR = frozenset({"floorperson", "casino-supervisor", "pit-manager", "shift-manager"})
AT_THE_TABLE = DEALERS | FLOOR
# Roles with the table games key of the dice storage (there is no role for an assistant shift manager).
DICE_KEEPERS = policy.roles_of("dice", "prepare")
STAFFERS = frozenset({"pit-manager", "shift-manager"})
SEES_EVERYTHING = frozenset({"surveillance", "compliance", "gaming-agent", "shift-manager"})
SEES_THE_FLOOR = FLOOR | SEES_EVERYTHING | {"games-administrator"}


def verify_may(
    person: Person, act: Act[Any, Any], table: Table, device: Device | None, *, assigned: bool
) -> None:
    """Raises `Forbidden` unless this person may do this act at this table from this device.

    `assigned`: whether an unended assignment covers the table; the locking statement reads it along with the table. A
    machine has no duty: its device says where it acts.
    """
    if person.role not in act.roles or not has_work_for(person, table):
        raise Forbidden(ROLE_MAY_NOT, act=act.name, role=person.role)
    verify_device(device, table)
    if not assigned and person.role not in MACHINES:
        raise Forbidden(NOT_ASSIGNED, table=table.code)


def verify_at_post(person: Person, table: Table) -> None:
    """Raises `Forbidden` for a dealer or stickperson at no post of this table. A simulated table has no people."""
    if person.role not in DEALERS or table.kind == Table.Kind.SIMULATED:
        return
    if person.pk not in (table.dealer_id, table.dealer_left_id, table.stickperson_id):
        raise Forbidden(AT_NO_POST, table=table.code)


def verify_device(device: Device | None, table: Table) -> None:
    """Raises `Forbidden` for a device of another table or facility. A podium serves its whole facility."""
    if device is None:
        raise Forbidden(DEVICE_NOT_ENROLLED)
    if not serves(device, table):
        raise Forbidden(DEVICE_OF_ANOTHER_TABLE, device=device.name)


def verify_of_one_table(device: Device) -> None:
    """Raises `Forbidden` for a device of the whole facility, which says of no table what it alone can see."""
    if not device.place:
        raise Forbidden(MACHINE_WITHOUT_TABLE, device=device.name)


def serves(device: Device, table: Table) -> bool:
    """Whether this device serves this table. A podium serves its whole facility."""
    return device.facility == table.facility.code and device.place in ("", table.stream.name)


def verify_may_sign(witness: Person | None, table: Table) -> None:
    """Raises `Forbidden` if the second person who signs is not on duty at this table."""
    if witness is not None and not is_on_duty(witness, table):
        raise Forbidden(WITNESS_NOT_ASSIGNED, witness=witness.name, table=table.code)


def may_see_table(person: Person, table: Table, *, on_duty: bool) -> bool:
    """Whether this person may see this table: dealers their own, other roles what they cover.

    `on_duty`: whether an unended assignment of this person covers the table.
    """
    if person.facility not in ("", table.facility.code):
        return False
    if person.role in SEES_EVERYTHING:
        return True
    return person.role in AT_THE_TABLE and has_work_for(person, table) and on_duty


def may_read_table(person: Person, table: Table, device: Device | None) -> bool:
    """Whether this person may read the page of any table here, as at a podium that shows it, on duty or not."""
    is_podium = device is not None and not device.place
    return is_podium and may_see_floor(person, table.facility.code)


def has_work_for(person: Person, table: Table) -> bool:
    """Whether this role exists at this table's game: a stickperson needs a game with a stick."""
    return person.role != "stickperson" or "stick" in game_by_code(table.game).posts


def may_see_floor(person: Person, facility_code: str) -> bool:
    """Whether this person may open the pit dashboard of this facility."""
    return person.role in SEES_THE_FLOOR and person.facility in ("", facility_code)


# Which tables are a person's


WHOLE_FLOOR = "Whole floor"
MOST_NAMES = 3


@dataclass(frozen=True)
class Scope:
    """The tables of a person. `duty` is None for somebody whose they all are."""

    duty: tuple[Assignment, ...] | None

    @property
    def is_whole_floor(self) -> bool:
        return self.duty is None or any(
            row.pit_id is None and row.table_id is None and not row.elsewhere for row in self.duty
        )

    def has(self, table: Table) -> bool:
        """Whether a table is this person's."""
        return self.duty is None or covers(self.duty, table)

    def of(self, tables: Sequence[Table]) -> list[Table]:
        """Return those of these tables that are this person's, in their order."""
        return [table for table in tables if self.has(table)]

    @property
    def name(self) -> str:
        """How a total of these tables is named: `Whole floor`, `Pit 1 and T-42, yours`."""
        if self.is_whole_floor:
            return WHOLE_FLOOR
        pits = sorted({row.pit.name for row in self.duty or () if row.pit is not None})
        tables = sorted({row.table.code for row in self.duty or () if row.table is not None})
        names = [*pits, *tables]
        if not names:
            return "No table is yours"
        if len(names) > MOST_NAMES:
            counts = [(len(pits), "pit"), (len(tables), "table")]
            names = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
        *before, last = names
        return f"{', '.join(before)} and {last}, yours" if before else f"{last}, yours"


EVERYWHERE = Scope(None)


def scope_of(person: Person | None, facility: Facility) -> Scope:
    """Return the scope of a person at a facility; without a person, as for a declared report, it is the whole floor."""
    if person is None or person.role in SEES_EVERYTHING:
        return EVERYWHERE
    duty = Assignment.objects.at_facility(facility).filter(person=person).select_related("pit", "table")
    return Scope(tuple(duty.order_by("pk")))
