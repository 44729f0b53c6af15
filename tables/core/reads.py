"""Hand-written statements that every act and every push reads by; `audit.rows` says why they avoid the ORM."""

import datetime as dt
from dataclasses import dataclass

from django.db import connection

from audit.clock import clock
from audit.heads import INCARNATION
from audit.models import Person, Stream
from audit.rows import read
from games.models import Facility
from tables.core import duty
from tables.models import Pit, Table


@dataclass(frozen=True)
class Locked:
    """A table whose row and stream are locked, the moment of the act, and whether the person is on duty there.

    `incarnation` was read when the statement began; a request that waited for the lock may have missed a newer one.
    """

    table: Table
    now: dt.datetime
    on_duty: bool
    incarnation: int


def locked_table(facility: str, code: str, person: Person | None = None) -> Locked:
    """Lock a table and its stream until the transaction ends (on SQLite the whole database: IMMEDIATE).

    Locks both rows: a row that is only joined would be read as it was before the wait. Raises `Table.DoesNotExist`.
    """
    postgres = connection.vendor == "postgresql"
    on_duty_sql, on_duty_params = duty.on_duty_sql("%s", person.pk if person else None)
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM tables_table t
            JOIN games_facility f ON f.id = t.facility_id
            JOIN audit_stream s ON s.id = t.stream_id
            WHERE f.code = %s AND t.code = %s {"FOR UPDATE OF t, s" if postgres else ""}""",
        [*on_duty_params, facility, code],
        more=f"{on_duty_sql}, {INCARNATION}, {'clock_timestamp()' if postgres else 'NULL'}",
    )
    for (table, stream, facility_row), (on_duty, incarnation, moment) in rows:
        table.stream, table.facility = stream, facility_row
        return Locked(table, clock.read(moment), bool(on_duty), int(incarnation))
    raise Table.DoesNotExist(f"{facility}/{code}")


@dataclass(frozen=True)
class TableRead:
    """A table as a snapshot reads it, with its stream, facility, pit and people, and the moment.

    `issued`: codes of lots issued to this table and not yet placed. `calls`: whether any alert is open. `changes`:
    whether a change of the limits is pending. `incarnation`: that of the record.
    """

    table: Table
    now: dt.datetime
    issued: tuple[str, ...]
    calls: bool
    changes: bool
    incarnation: int


def read_table(table_id: int) -> TableRead:
    """Read what a snapshot begins with, in one statement and without locks. Raises `Table.DoesNotExist`."""
    postgres = connection.vendor == "postgresql"
    joined = "string_agg(l.code, ',')" if postgres else "group_concat(l.code)"
    more = f"""(SELECT {joined} FROM tables_dicelot l WHERE l.table_id = t.id AND l.status = 'issued'),
        EXISTS (SELECT 1 FROM tables_alert a
                WHERE a.table_id = t.id AND (a.ended_at IS NULL OR a.acknowledged_at IS NULL)),
        EXISTS (SELECT 1 FROM tables_limitschange c WHERE c.table_id = t.id AND c.status = 'pending'),
        {INCARNATION},
        {"clock_timestamp()" if postgres else "NULL"}"""
    people = ("dealer", "dealer_left", "stickperson", "floorperson")
    models = (
        ("t", Table),
        ("s", Stream),
        ("f", Facility),
        ("p", Pit),
        *((f"p_{role}", Person) for role in people),
    )
    rows = read(
        models,
        f"""FROM tables_table t
           JOIN audit_stream s ON s.id = t.stream_id
           JOIN games_facility f ON f.id = t.facility_id
           JOIN tables_pit p ON p.id = t.pit_id
           {" ".join(f"LEFT JOIN audit_person p_{role} ON p_{role}.id = t.{role}_id" for role in people)}
           WHERE t.id = %s""",
        [table_id],
        more=more,
    )
    for (table, stream, facility, pit, *persons), (codes, calls, changes, incarnation, moment) in rows:
        table.stream, table.facility, table.pit = stream, facility, pit
        for field, person in zip(people, persons, strict=True):
            setattr(table, field, person)
        issued = tuple(sorted((codes or "").split(",") if codes else ()))
        return TableRead(table, clock.read(moment), issued, bool(calls), bool(changes), int(incarnation))
    raise Table.DoesNotExist(str(table_id))
