"""Empties the tables after a test that commits, although the record refuses to be deleted or truncated.

`transactional_db` flushes the database after each test. The guards of the record would refuse that, as they should:
so the owner of the tables disarms them for that one transaction, and they are armed again for the next test. Only
tables with rows in them are emptied, and content types and permissions stay, so nothing has to be filled again.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connections, transaction
from django.test import TransactionTestCase

from tests.services.restore import every_table, filled_tables

POSTGRES_TRIGGERS = """
    SELECT relname, quote_ident(tgname), tgenabled::text
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace AND relname = ANY (%s)
"""
ENABLE = {"O": "ENABLE TRIGGER", "A": "ENABLE ALWAYS TRIGGER", "R": "ENABLE REPLICA TRIGGER"}


def triggers(cursor: Any, tables: Sequence[str]) -> tuple[list[str], list[str]]:
    """The statements that disarm the triggers of some tables, and those that arm them as they were."""
    if cursor.db.vendor == "sqlite":
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        armed = [(name, sql) for name, table, sql in cursor.fetchall() if table in tables]
        return [f'DROP TRIGGER "{name}"' for name, _ in armed], [sql for _, sql in armed]
    cursor.execute(POSTGRES_TRIGGERS, [list(tables)])
    armed = [(table, name, ENABLE[state]) for table, name, state in cursor.fetchall() if state in ENABLE]
    disarm = [f'ALTER TABLE "{table}" DISABLE TRIGGER {name}' for table, name, _ in armed]
    return disarm, [f'ALTER TABLE "{table}" {enable} {name}' for table, name, enable in armed]


@contextlib.contextmanager
def guards_aside(connection: Any, tables: Sequence[str] | None = None) -> Iterator[None]:
    """Inside the block no trigger of these tables fires, or of any table.

    It is one transaction, so that the guards are armed again whatever happens.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred checks cannot be altered
        disarm, arm = triggers(cursor, every_table() if tables is None else tables)
        for statement in disarm:
            cursor.execute(statement)
        yield
        for statement in arm:
            cursor.execute(statement)


def empty(connection: Any) -> None:
    """Delete every row that a test committed."""
    tables = filled_tables(connection)
    if not tables:
        return
    with guards_aside(connection, tables), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SET LOCAL session_replication_role = replica"
            )  # no foreign key is checked meanwhile
        for table in tables:
            cursor.execute(f'DELETE FROM "{table}"')


@contextlib.contextmanager
def flush_past_the_guards() -> Iterator[None]:
    """For the whole session: what Django does after a test that committed empties the record too."""
    flush = TransactionTestCase._fixture_teardown

    def teardown(case: Any) -> None:
        for alias in case._databases_names(include_mirrors=False):
            empty(connections[alias])

    TransactionTestCase._fixture_teardown = teardown
    try:
        yield
    finally:
        TransactionTestCase._fixture_teardown = flush
