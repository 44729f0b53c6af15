"""The statements that every act reads by, written out.

The ORM takes several times as long to put such a statement together as the database to answer it, and these run under a
table's lock. Columns and conversions come from the models, so what is read is what the ORM would have read; a test
holds the two side by side.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Model

from audit.clock import clock
from audit.models import Person, Stream
from games.models import Facility, RulesSubmission

from .models import DiceLot, Pit, Round, Shaker, Table, Wager

ON_DUTY = """EXISTS (
    SELECT 1 FROM tables_assignment a
    WHERE a.person_id = %s AND a.facility_id = t.facility_id AND a.ended_at IS NULL
      AND (a.table_id = t.id OR a.pit_id = t.pit_id OR (a.table_id IS NULL AND a.pit_id IS NULL)))"""


@dataclass(frozen=True)
class Locked:
    """A table whose row and stream are locked, the moment of the act, and whether the person is on duty there."""

    table: Table
    now: dt.datetime
    on_duty: bool


def locked_table(facility: str, code: str, person: Person | None = None) -> Locked:
    """Locks a table and its stream until the transaction ends (the whole database on SQLite: IMMEDIATE).

    Both rows are locked: one that is only joined would be read as it was before the wait for the lock.
    Raises `Table.DoesNotExist`.
    """
    postgres = connection.vendor == "postgresql"
    rows = _rows(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM tables_table t
            JOIN games_facility f ON f.id = t.facility_id
            JOIN audit_stream s ON s.id = t.stream_id
            WHERE f.code = %s AND t.code = %s {"FOR UPDATE OF t, s" if postgres else ""}""",
        [person.pk if person else None, facility, code],
        more=f"{ON_DUTY}, {'clock_timestamp()' if postgres else 'NULL'}",
    )
    for (table, stream, found), (on_duty, moment) in rows:
        table.stream, table.facility = stream, found
        return Locked(table, clock.read(moment), bool(on_duty))
    raise Table.DoesNotExist(f"{facility}/{code}")


def shown_table(table_id: int) -> tuple[Table, dt.datetime]:
    """A table with its stream, facility, pit and dealer, and the moment; locks nothing.

    Raises `Table.DoesNotExist`.
    """
    rows = _rows(
        (("t", Table), ("s", Stream), ("f", Facility), ("p", Pit), ("d", Person)),
        """FROM tables_table t
           JOIN audit_stream s ON s.id = t.stream_id
           JOIN games_facility f ON f.id = t.facility_id
           JOIN tables_pit p ON p.id = t.pit_id
           LEFT JOIN audit_person d ON d.id = t.dealer_id
           WHERE t.id = %s""",
        [table_id],
        more="clock_timestamp()" if connection.vendor == "postgresql" else "NULL",
    )
    for (table, stream, facility, pit, dealer), (moment,) in rows:
        table.stream, table.facility, table.pit, table.dealer = stream, facility, pit, dealer
        return table, clock.read(moment)
    raise Table.DoesNotExist(str(table_id))


def version_of(stream_id: int) -> int:
    """The number of the newest entry of a stream."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq FROM audit_stream WHERE id = %s", [stream_id])
        return int(cursor.fetchone()[0])


def floorperson_of(table: Table) -> Person | None:
    """The floorperson on duty at a table or its pit; one of the table itself first."""
    sql = """FROM tables_assignment a JOIN audit_person p ON p.id = a.person_id
             WHERE a.facility_id = %s AND a.ended_at IS NULL AND (a.table_id = %s OR a.pit_id = %s)
               AND p.role IN ('floorperson', 'casino-supervisor')
             ORDER BY a.table_id IS NULL, p.name LIMIT 1"""
    for (person,), _ in _rows((("p", Person),), sql, [table.facility_id, table.pk, table.pit_id]):
        return person
    return None


def live_round(table_id: int) -> Round | None:
    """The round in play at a table, with the submission that it pinned."""
    sql = """FROM tables_round r JOIN games_rulessubmission x ON x.id = r.submission_id
             WHERE r.table_id = %s AND r.ended_at IS NULL"""
    for (round_, submission), _ in _rows((("r", Round), ("x", RulesSubmission)), sql, [table_id]):
        round_.submission = submission
        return round_
    return None


def lot_in_use(table_id: int) -> DiceLot | None:
    """The dice in the working shaker at a table, with that shaker."""
    sql = """FROM tables_dicelot l JOIN tables_shaker k ON k.id = l.shaker_id
             WHERE k.table_id = %s AND NOT k.out_of_order AND l.removed_at IS NULL"""
    for (lot, shaker), _ in _rows((("l", DiceLot), ("k", Shaker)), sql, [table_id]):
        lot.shaker = shaker
        return lot
    return None


def wagers_of(round_id: int) -> list[Wager]:
    """Every wager of a round, struck ones too, in the order in which they were first made."""
    sql = "FROM tables_wager w WHERE w.round_id = %s ORDER BY w.id"
    return [wager for (wager,), _ in _rows((("w", Wager),), sql, [round_id])]


# From columns to models

Aliased = tuple[tuple[str, type[Model]], ...]
Converters = tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]


def _rows(
    models: Aliased, sql: str, params: Sequence[Any], more: str = ""
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """For each row an instance of each model (None where an outer join found none), and the columns in `more`."""
    columns, converters = _columns(connection.vendor, models)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}{', ' + more if more else ''} {sql}", params)
        found = cursor.fetchall()
    for row in found:
        values = list(row)
        for place, converting, expression in converters:
            for convert in converting:
                values[place] = convert(values[place], expression, connection)
        yield _instances(models, values)


def _instances(models: Aliased, values: list[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    made, start = [], 0
    for _, model in models:
        names = [field.attname for field in model._meta.concrete_fields]
        part = values[start : start + len(names)]
        made.append(None if part[0] is None else model.from_db(connection.alias, names, part))
        start += len(names)
    return tuple(made), tuple(values[start:])


@lru_cache(maxsize=32)
def _columns(vendor: str, models: Aliased) -> tuple[str, Converters]:
    """The select list of these models, and the conversions that the ORM would make on this database."""
    fields = [(alias, field) for alias, model in models for field in model._meta.concrete_fields]
    converters = []
    for place, (_, field) in enumerate(fields):
        expression = field.get_col(field.model._meta.db_table)
        converting = connection.ops.get_db_converters(expression) + expression.get_db_converters(connection)
        if converting:
            converters.append((place, tuple(converting), expression))
    return ", ".join(f"{alias}.{field.column}" for alias, field in fields), tuple(converters)
