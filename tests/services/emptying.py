"""Empties the tables between tests that commit, although the record refuses to be deleted or truncated.

`transactional_db` flushes the database after each test. The guards of the record would refuse that, as they should:
so they are put aside for the moment of the flush, by the owner of the tables, and stand again for the next test.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection, transaction

SQLITE_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
POSTGRES_TRIGGERS = """
    SELECT tgrelid::regclass::text, quote_ident(tgname), tgenabled::text
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace
"""
ENABLE = {"O": "ENABLE TRIGGER", "A": "ENABLE ALWAYS TRIGGER", "R": "ENABLE REPLICA TRIGGER"}


@contextlib.contextmanager
def guards_aside(connection: Any) -> Iterator[None]:
    """Inside the block no trigger fires; one transaction, so that the guards stand again whatever happens."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(SQLITE_TRIGGERS)
            triggers = cursor.fetchall()
            off = [f'DROP TRIGGER "{name}"' for name, _ in triggers]
            on = [sql for _, sql in triggers]
        else:
            cursor.execute(POSTGRES_TRIGGERS)
            armed = [
                (table, name, ENABLE[state]) for table, name, state in cursor.fetchall() if state in ENABLE
            ]
            off = [f"ALTER TABLE {table} DISABLE TRIGGER {name}" for table, name, _ in armed]
            on = [f"ALTER TABLE {table} {enable} {name}" for table, name, enable in armed]
        for statement in off:
            cursor.execute(statement)
        yield
        for statement in on:
            cursor.execute(statement)


@contextlib.contextmanager
def flush_past_the_guards() -> Iterator[None]:
    """For the whole session: Django's flush goes past the guards, and nothing else does."""
    # On the class: a browser's greenlet has a connection object of its own.
    operations: Any = type(connection.ops)
    plain = operations.execute_sql_flush

    def flush(self: Any, sql_list: Sequence[str]) -> None:
        with guards_aside(self.connection):
            plain(self, sql_list)

    operations.execute_sql_flush = flush
    try:
        yield
    finally:
        operations.execute_sql_flush = plain
