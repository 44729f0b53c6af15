"""Build a scene once in each process, and restore its rows for every later test that asks for the same one.

A scene of the pit takes 167 to 238 statements and a tenth of a second to build. `restored_later` remembers the rows
that the build left and its result, and writes the rows back by one statement for each table. The guards of the record
stay armed: streams are restored at their genesis, and each entry follows the one before it.
"""

import datetime as dt
import io
import pickle
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

from django.apps import apps
from django.db import connection, transaction

from audit import clock
from audit.models import Entry, Stream
from tables.models import Table

P = ParamSpec("P")
T = TypeVar("T")
# The migrations fill these tables; no test empties them.
FILLED_BY_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}
# A scene of the running clock is built again when it is older: nobody's duty or dice may have aged.
LONGEST_AGE = dt.timedelta(seconds=60)


class Pickler(pickle.Pickler):
    """Writes each UUID by its digits, so that a restored table can have another."""

    def persistent_id(self, obj: object) -> str | None:
        return obj.hex if isinstance(obj, uuid.UUID) else None


class Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, renewed: dict[str, uuid.UUID]) -> None:
        super().__init__(io.BytesIO(data))
        self.renewed = renewed

    def persistent_load(self, digits: str) -> uuid.UUID:
        return self.renewed.get(digits) or uuid.UUID(digits)


@dataclass(frozen=True)
class Snapshot:
    """The rows of all tables as SQL, and what the build returned."""

    statements: tuple[str, ...]
    result: bytes
    table_uids: tuple[uuid.UUID, ...]

    @classmethod
    def taken(cls, result: object) -> "Snapshot":
        pickled = io.BytesIO()
        Pickler(pickled).dump(result)
        uids = tuple(Table.objects.values_list("uid", flat=True))
        return cls(tuple(copied_rows()), pickled.getvalue(), uids)

    def restore(self) -> Any:
        """Each table of the floor gets a new `uid`: the process remembers what it showed of tables by it."""
        renewed = {uid.hex: uuid.uuid4() for uid in self.table_uids}
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.cursor.execute(";\n".join(self.renew(renewed)), prepare=False)
            else:
                for statement in self.renew(renewed):
                    cursor.execute(statement)
        return Unpickler(self.result, renewed).load()

    def renew(self, renewed: dict[str, uuid.UUID]) -> Iterable[str]:
        for statement in self.statements:
            if statement.startswith(f'INSERT INTO "{Table._meta.db_table}" '):
                for digits, uid in renewed.items():
                    old = uuid.UUID(digits)
                    statement = statement.replace(str(old), str(uid)).replace(digits, uid.hex)
            yield statement


def restored_later(build: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that fills an empty database, so that each set of arguments is built once.

    The caller gets a copy of the result each time. On a database with rows in it the function simply runs.
    """
    snapshots: dict[object, tuple[dt.datetime, Snapshot]] = {}

    @wraps(build)
    def restore_or_build(*args: P.args, **kwargs: P.kwargs) -> T:
        if filled_tables(connection):
            return build(*args, **kwargs)
        now = clock.now()
        key = (args, tuple(sorted(kwargs.items())), now if is_set() else None)
        built_at, snapshot = snapshots.get(key, (now, None))
        if snapshot is None or not dt.timedelta() <= now - built_at <= LONGEST_AGE:
            result = build(*args, **kwargs)
            snapshots[key] = now, Snapshot.taken(result)
            return result
        return cast(T, snapshot.restore())

    return restore_or_build


def is_set() -> bool:
    """Whether the test has set the clock: only a scene of the same moment is then the same."""
    return clock.clock._source is not None


@cache
def every_table() -> tuple[str, ...]:
    """Every table that tests fill, those of many-to-many relations included."""
    models = apps.get_models(include_auto_created=True)
    names = {model._meta.db_table for model in models if model._meta.managed and not model._meta.proxy}
    return tuple(sorted(names - FILLED_BY_MIGRATIONS))


def filled_tables(connection: Any) -> list[str]:
    """The tables that have rows which no migration made."""
    union = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in every_table()
    )
    with connection.cursor() as cursor:
        cursor.execute(union)
        return [table for (table,) in cursor.fetchall()]


def copied_rows() -> Iterable[str]:
    """The statements that fill an empty database with the rows of this one."""
    special = {Stream._meta.db_table, Entry._meta.db_table}
    for table in filled_tables(connection):
        if table not in special:
            columns = columns_of(table)
            yield insert(table, columns, literals(table, columns))
    yield from copied_record()


def copied_record() -> Iterable[str]:
    """Streams at their genesis, each entry as the successor of the one before, and streams as they ended."""
    table, columns = Stream._meta.db_table, columns_of(Stream._meta.db_table)
    streams = [dict(zip(columns, row, strict=True)) for row in literals(table, columns)]
    nothing_written = {"seq": "0", "last_at": "NULL", "closed_at": "NULL", "continued_by_id": "NULL"}
    entry_columns = columns_of(Entry._meta.db_table)
    entries = [
        dict(zip(entry_columns, row, strict=True)) for row in literals(Entry._meta.db_table, entry_columns)
    ]
    genesis = {entry["stream_id"]: entry["prev"] for entry in reversed(entries)}
    for stream in streams:
        first = {**stream, **nothing_written, "head": genesis.get(stream["id"], stream["head"])}
        yield insert(table, columns, [tuple(first.values())])
    for entry in entries:
        yield insert(Entry._meta.db_table, entry_columns, [tuple(entry.values())])
        yield (
            f'UPDATE "{table}" SET seq = {entry["seq"]}, head = {entry["hash"]}, last_at = {entry["at"]}'
            f" WHERE id = {entry['stream_id']}"
        )
    for stream in streams:
        ended = ", ".join(f"{column} = {stream[column]}" for column in ("closed_at", "continued_by_id"))
        if ended != "closed_at = NULL, continued_by_id = NULL":
            yield f'UPDATE "{table}" SET {ended} WHERE id = {stream["id"]}'


@cache
def columns_of(table: str) -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table}" WHERE 1 = 0')
        return tuple(column[0] for column in cursor.description)


def literals(table: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Every row of a table in the order of its key, each value as the database writes it in SQL."""
    quoted = "quote_nullable({}::text)" if connection.vendor == "postgresql" else "quote({})"
    selected = ", ".join(quoted.format(f'"{column}"') for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {selected} FROM "{table}" ORDER BY "{columns[0]}"')
        return cursor.fetchall()


def insert(table: str, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(f'"{column}"' for column in columns)
    return f'INSERT INTO "{table}" ({names}) VALUES {values}'
