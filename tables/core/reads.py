"""Hand-written statements that every act and every push reads by; `audit.rows` says why they avoid the ORM."""

import datetime as dt
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from audit import runner
from audit.clock import clock
from audit.models import Command, Person, Stream
from audit.record import INCARNATION
from audit.rows import Aliased, read, statement_cursor
from games.models import Facility, RulesSubmission
from tables.core import duty
from tables.models import DiceLot, Pit, Round, Shaker, Table
from tables.models.cases import SHOWN_SQL

SERVICES = """EXISTS (SELECT 1 FROM games_service x JOIN games_provider y ON y.id = x.provider_id
                WHERE y.facility_id = t.facility_id AND x.game = t.game)"""


@dataclass
class Locked:
    """A table whose row and stream are locked, the moment of the act, and whether the person is on duty there.

    `incarnation` was read when the statement began; a request that waited for the lock may have missed a newer one.
    `play` is None until it is read, under the lock.
    """

    table: Table
    now: dt.datetime
    on_duty: bool
    incarnation: int
    play: "Play | None" = None


def locked_table(facility: str, code: str, person: Person | None = None) -> Locked:
    """Lock a table and its stream until the transaction ends (on SQLite the whole database: IMMEDIATE).

    Locks both rows: a row that is only joined would be read as it was before the wait. Raises `Table.DoesNotExist`.
    """
    postgres = connection.vendor == "postgresql"
    moment = "clock_timestamp()" if postgres else "NULL"
    lock = "FOR UPDATE OF t, s" if postgres else ""
    for table, (on_duty, incarnation, now) in _table_at(
        facility, code, person, f"{INCARNATION}, {moment}", lock
    ):
        return Locked(table, clock.read(now), bool(on_duty), int(incarnation))
    raise Table.DoesNotExist(f"{facility}/{code}")


def table_with_duty(facility: str, code: str, person: Person | None) -> tuple[Table, bool] | None:
    """A table with its stream and facility, and whether the person is on duty there; None without such a table.

    Without a lock, for who opens a page or a socket.
    """
    for table, (on_duty,) in _table_at(facility, code, person):
        return table, bool(on_duty)
    return None


TableKey = tuple[str, str, int | None]  # the codes of a facility and a table, and the id of a person or None


def tables_with_duty(keys: Iterable[TableKey]) -> dict[TableKey, tuple[Table, bool]]:
    """As `table_with_duty`, for several tables and people in one statement. Keys without a table are left out."""
    names = ("facility", "code", "person")
    asked = json.dumps([dict(zip(names, key, strict=True)) for key in keys])
    if connection.vendor == "postgresql":
        source = "jsonb_to_recordset(%s::jsonb) AS w(facility text, code text, person bigint)"
    else:
        columns = ", ".join(f"json_extract(value, '$.{name}') AS {name}" for name in names)
        source = f"(SELECT {columns} FROM json_each(%s)) w"
    on_duty_sql, on_duty_params = duty.on_duty_sql("w.person")
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM {source}
            JOIN games_facility f ON f.code = w.facility
            JOIN tables_table t ON t.facility_id = f.id AND t.code = w.code
            JOIN audit_stream s ON s.id = t.stream_id""",
        [*on_duty_params, asked],
        more=f"{on_duty_sql}, w.person",
    )
    tables: dict[TableKey, tuple[Table, bool]] = {}
    for (table, stream, facility), (on_duty, person_id) in rows:
        table.stream, table.facility = stream, facility
        tables[facility.code, table.code, person_id] = table, bool(on_duty)
    return tables


def _table_at(
    facility: str, code: str, person: Person | None, more: str = "", lock: str = ""
) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    on_duty_sql, on_duty_params = duty.on_duty_sql("%s", person.pk if person else None)
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM tables_table t
            JOIN games_facility f ON f.id = t.facility_id
            JOIN audit_stream s ON s.id = t.stream_id
            WHERE f.code = %s AND t.code = %s {lock}""",
        [*on_duty_params, facility, code],
        more=f"{on_duty_sql}, {more}" if more else on_duty_sql,
    )
    for (table, stream, facility_row), columns in rows:
        table.stream, table.facility = stream, facility_row
        yield table, columns


def floor_versions(facility: str) -> dict[int, tuple[str, int]]:
    """The code and the version of each table of a facility, by id, in the order of pits and codes."""
    with statement_cursor() as cursor:
        cursor.execute(
            """SELECT t.id, t.code, s.seq FROM tables_table t
               JOIN games_facility f ON f.id = t.facility_id
               JOIN tables_pit p ON p.id = t.pit_id
               JOIN audit_stream s ON s.id = t.stream_id
               WHERE f.code = %s ORDER BY p.code, t.code""",
            [facility],
        )
        return {table_id: (code, seq) for table_id, code, seq in cursor.fetchall()}


PEOPLE = ("dealer", "dealer_left", "stickperson", "floorperson")
PLAY_MODELS: Aliased = (
    ("p", Pit),
    ("r", Round),
    ("u", RulesSubmission),
    ("l", DiceLot),
    ("k", Shaker),
    *((f"p_{role}", Person) for role in PEOPLE),
)
PLAY_JOINS = f"""JOIN tables_pit p ON p.id = t.pit_id
   LEFT JOIN tables_round r ON r.table_id = t.id AND r.ended_at IS NULL
   LEFT JOIN games_rulessubmission u ON u.id = r.submission_id
   LEFT JOIN tables_shaker k ON k.table_id = t.id AND NOT k.out_of_order
   LEFT JOIN tables_dicelot l ON l.shaker_id = k.id AND l.status = 'placed'
   {" ".join(f"LEFT JOIN audit_person p_{role} ON p_{role}.id = t.{role}_id" for role in PEOPLE)}"""


# After the code of an issued lot whose box had a broken seal; no code has this sign.
BROKEN = "!"


class UnderWay(NamedTuple):
    """The columns of a fill or a credit under way that the screens of its table show."""

    number: int
    kind: str
    slip_number: int | None
    status: str
    cents: int
    requested_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Play:
    """What most acts at a table and each snapshot need beside its row, and the moment of the read.

    `round`: the round in play, with its submission. `shaker`: the working one. `lot`: the dice in it. `issued`: codes
    of lots issued to this table and not yet placed; `issued_broken`: those whose box had a broken seal. `services`:
    whether a provider supplies anything for the game of the table. `calls`: whether any alert shows. `changes`:
    whether a change of the limits is pending. `transfers`: the fills and credits under way, oldest first.
    `drop_box`: what is written on the drop box that is on the table, "" without one. `incarnation`: that of the
    record. `holders`: ids of the people at its posts. `at_work`: those of them who are active, on duty at this table
    and at no post of another open table; both are empty where only a snapshot is read.
    """

    now: dt.datetime
    round: Round | None
    shaker: Shaker | None
    lot: DiceLot | None
    issued: tuple[str, ...]
    issued_broken: tuple[str, ...]
    services: bool
    calls: bool
    changes: bool
    transfers: tuple[UnderWay, ...]
    drop_box: str
    incarnation: int
    holders: frozenset[int] = frozenset()
    at_work: frozenset[int] = frozenset()


def _facts_sql() -> str:
    """The columns of `Play` that are not rows, in the order in which `_play` takes them."""
    postgres = connection.vendor == "postgresql"
    code = f"i.code || CASE WHEN i.seal_intact IS FALSE THEN '{BROKEN}' ELSE '' END"
    joined = f"string_agg({code}, ',')" if postgres else f"group_concat({code})"
    columns = ", ".join(f"m.{name}" for name in UnderWay._fields)
    transfers = (
        f"json_agg(json_build_array({columns}))::text"
        if postgres
        else f"json_group_array(json_array({columns}))"
    )
    return f"""(SELECT {joined} FROM tables_dicelot i WHERE i.table_id = t.id AND i.status = 'issued'),
        {SERVICES},
        EXISTS (SELECT 1 FROM tables_alert a
                WHERE a.table_id = t.id AND {SHOWN_SQL}),
        EXISTS (SELECT 1 FROM tables_limitschange c WHERE c.table_id = t.id AND c.status = 'pending'),
        CASE WHEN t.tray_cents IS NOT NULL THEN (
            SELECT {transfers} FROM tables_chiptransfer m
            WHERE m.facility_id = t.facility_id AND m.table_id = t.id
              AND m.status IN ('requested', 'preparing', 'on-the-way')) END,
        CASE WHEN t.tray_cents IS NOT NULL THEN (
            SELECT b.box FROM tables_dropbox b WHERE b.table_id = t.id AND b.taken_off_at IS NULL) END,
        {INCARNATION},
        {"clock_timestamp()" if postgres else "NULL"}"""


def _play(
    table: Table, rows: Sequence[Any], facts: Sequence[Any], holders: Iterable[int] = (), at_work: str = ""
) -> Play:
    """Make a play of the rows of `PLAY_MODELS` and the columns of `_facts_sql`. `at_work`: ids, joined by commas.

    The table gets its pit and people. People whom an act has replaced in the meantime are left out.
    """
    pit, round_, submission, lot, shaker, *people = rows
    codes, services, calls, changes, transfers, drop_box, incarnation, moment = facts
    marked = codes.split(",") if codes else []
    table.pit = pit
    for field, person in zip(PEOPLE, people, strict=True):
        if getattr(table, f"{field}_id") == (person.pk if person is not None else None):
            setattr(table, field, person)
    if round_ is not None:
        round_.submission = submission
    if lot is not None:
        lot.shaker = shaker
    return Play(
        now=clock.read(moment),
        round=round_,
        shaker=shaker,
        lot=lot,
        issued=tuple(sorted(code.removesuffix(BROKEN) for code in marked)),
        issued_broken=tuple(sorted(code.removesuffix(BROKEN) for code in marked if code.endswith(BROKEN))),
        services=bool(services),
        calls=bool(calls),
        changes=bool(changes),
        transfers=_under_way(transfers) if transfers else (),
        drop_box=drop_box or "",
        incarnation=int(incarnation),
        holders=frozenset(holders),
        at_work=frozenset(int(pk) for pk in at_work.split(",") if pk),
    )


def _under_way(text: str) -> tuple[UnderWay, ...]:
    """Return transfers from their columns as JSON, oldest first. A moment of SQLite has no time zone: it is UTC."""
    transfers = []
    for *columns, requested_at in sorted(json.loads(text)):
        moment = dt.datetime.fromisoformat(requested_at)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        transfers.append(UnderWay._make([*columns, aware]))
    return tuple(transfers)


def read_play(table: Table, command_id: uuid.UUID | None = None) -> tuple[Play, Command | None]:
    """Read the play at a table and the accepted act with this id, in one statement. Takes no lock."""
    joined = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    on_duty, params = duty.on_duty_sql("p.id")
    more = f"""{_facts_sql()},
        (SELECT {joined}(CAST(p.id AS text), ',') FROM audit_person p
         WHERE p.id IN (t.dealer_id, t.dealer_left_id, t.stickperson_id)
           AND p.is_active AND {on_duty} AND NOT {duty.AT_ANOTHER_POST})"""
    ((command, *rows), (*facts, at_work)), *_ = read(
        (("c", Command), *PLAY_MODELS),
        f"FROM tables_table t LEFT JOIN audit_command c ON c.id = %s {PLAY_JOINS} WHERE t.id = %s",
        [*params, runner.command_key(command_id), table.pk],
        more=more,
    )
    ids = (table.dealer_id, table.dealer_left_id, table.stickperson_id)
    return _play(table, rows, facts, (pk for pk in ids if pk is not None), at_work or ""), command


@dataclass(frozen=True, slots=True)
class TableRead:
    """A table as a snapshot reads it, with its stream, facility, pit and people, and its play."""

    table: Table
    play: Play


def read_table(table_id: int) -> TableRead:
    """Read what a snapshot begins with, in one statement and without locks. Raises `Table.DoesNotExist`."""
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility), *PLAY_MODELS),
        f"""FROM tables_table t
           JOIN audit_stream s ON s.id = t.stream_id
           JOIN games_facility f ON f.id = t.facility_id
           {PLAY_JOINS}
           WHERE t.id = %s""",
        [table_id],
        more=_facts_sql(),
    )
    for (table, stream, facility, *parts), facts in rows:
        table.stream, table.facility = stream, facility
        return TableRead(table, _play(table, parts, facts))
    raise Table.DoesNotExist(str(table_id))


def newest_seq(stream_id: int) -> int:
    """The number of a stream's newest entry, without a lock."""
    with statement_cursor() as cursor:
        cursor.execute("SELECT seq FROM audit_stream WHERE id = %s", [stream_id])
        return int(cursor.fetchone()[0])
