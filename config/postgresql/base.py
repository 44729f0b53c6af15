"""PostgreSQL whose pool survives a restart of the server, one cursor for short statements, and writes sent together.

psycopg_pool can check each connection that it lends, but pauses longer after each dead one: with four of them, a
request would wait until its timeout. After a restart or a failover all of them are dead, so the first one empties the
pool, and no request gets a connection that is dead. A connection that worked within the last second is asked only if
its socket has something to say, such as that the server is gone.

A block of `collecting` keeps the writes of `write`, and sends them in one round trip: with the COMMIT that follows, or
before the next statement, which may read what they wrote. A block of `at_once` reads nothing, and what it writes is a
transaction of one round trip. What is rolled back is not sent.

A commit whose wait for the synchronous standby is ended succeeds, and PostgreSQL warns. Here it fails: `NotConfirmed`.
"""

import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from django.db import DatabaseError, transaction
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper, debug_transaction
from psycopg import Connection, OperationalError
from psycopg.errors import Diagnostic
from psycopg_pool import ConnectionPool

from config.postgresql.pipeline import execute_together, is_idle

# What an error of a write means, or None; the argument is its SQLSTATE.
Explain = Callable[[str], Exception | None]
CHECKED_AFTER_SECONDS = 1.0
LEAST_IDS = 8
NEW_IDS = "SELECT nextval('{}_id_seq') FROM generate_series(1, {})"
WRITES = ("INSERT", "UPDATE", "DELETE")
_worked_at: "WeakKeyDictionary[Connection, float]" = WeakKeyDictionary()  # when they were given back


class NeedsRows(Exception):
    """A statement that reads in a block in which only writes are collected (`DatabaseWrapper.at_once`)."""


class NotConfirmed(OperationalError):
    """A commit that its standby did not confirm: somebody ended the wait. It may be lost with the primary.

    The tablet is told that nothing is known. If it asks again, the answer follows a commit that is confirmed.
    """


@contextmanager
def confirmed(connection: Connection) -> Iterator[None]:
    """A block that commits. Raises NotConfirmed if PostgreSQL, which then only warns, did not wait for its standby."""
    warnings: list[str] = []

    def collect(notice: Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warnings.append(notice.message_primary or "")

    connection.add_notice_handler(collect)
    try:
        yield
    finally:
        connection.remove_notice_handler(collect)
    if warnings:
        raise NotConfirmed(warnings[0])


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's, checked when it is borrowed."""

    _shared_cursor: CursorWrapper | None = None
    # None outside a block of `collecting`
    _collected: list[tuple[str, Sequence[Any], Explain | None]] | None = None
    _explanations: Sequence[Explain | None] = ()  # of the writes that were sent last
    _reads_are_refused = False
    # What `audit.rows.kept_reads` keeps; None: nothing
    kept_reads: dict[Any, list[list[Any]]] | None = None
    # By table, ids for new rows; more are taken from the sequence when the writes are sent
    _ids: dict[str, list[int]] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Borrow a connection that works. Raises psycopg_pool's PoolTimeout if there is none in time."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or _works(connection):
            return connection
        pool.putconn(connection)  # it is closed, so the pool replaces it
        pool.drain()
        return super().get_new_connection(conn_params)

    def _close(self) -> None:
        if self.connection is not None:
            _worked_at[self.connection] = time.monotonic()
        super()._close()  # type: ignore[misc]

    def shared_cursor(self) -> CursorWrapper:
        """Return the cursor for statements whose rows are fetched at once. The caller does not close it.

        It stays as long as the connection is borrowed. A new cursor looks up again how each type of value is written
        and read, which takes as long as a short statement.
        """
        if self.queries_logged:
            return self.cursor()
        if self._shared_cursor is None or self._shared_cursor.connection is not self.connection:
            self._shared_cursor = self.cursor()
        return self._shared_cursor

    # Writes that are sent together

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the writes of this block, around the transaction that they belong to."""
        if self._collected is not None:  # in a block around this one
            yield
            return
        self._collected = []
        try:
            with self.execute_wrapper(self._wrapped):
                yield
        except DatabaseError as error:
            _raise_explained(error, self._explanations)
        finally:
            self._collected, self._ids, self._reads_are_refused, self._explanations = None, None, False, []
            self.kept_reads = None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Collect the writes of this block, and send them at its end as one transaction. A read raises `NeedsRows`.

        Within a transaction, as that of a test, they are a savepoint of it.
        """
        with self.collecting():
            self._reads_are_refused = True
            if self.in_atomic_block:
                with transaction.atomic(self.alias, durable=True):
                    yield
                    self._send_collected(self.connection, ends=True)
                return
            yield
            with self._borrowed() as connection:
                self._send_collected(connection, ends=True)

    @contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        """The connection in use, or one of the pool for this block, without what Django sets up for its statements.

        One that ended in this block is given back, so that the next statement gets another.
        """
        if self.connection is not None or self.pool is None:
            self.ensure_connection()
            try:
                yield self.connection
            finally:
                if self.connection.closed:
                    self.close()
            return
        with self.wrap_database_errors:
            connection = self.get_new_connection({})
        try:
            yield connection
        finally:
            _worked_at[connection] = time.monotonic()
            self.pool.putconn(connection)

    def use_kept(self, ids: dict[str, list[int]], reads: dict[Any, list[list[Any]]]) -> None:
        """Take ids of new rows and `kept_reads` from here in the rest of this block, and leave more here for later."""
        if self._collected is not None:
            self._ids, self.kept_reads = ids, reads

    def taken_ids(self, table: str, count: int) -> list[int] | None:
        """So many ids, each higher than the one before, or None where too few are there."""
        ids = (self._ids or {}).get(table, [])
        if len(ids) < count:
            return None
        taken, ids[:count] = ids[:count], []
        return taken

    def write(self, sql: str, params: Sequence[Any], explain: Explain | None = None) -> None:
        """Execute a write now, or with the others that are collected. `explain`: what to raise for an error of it."""
        if self._collected is not None:
            self._collected.append((sql, params, explain))
            return
        try:
            self.shared_cursor().execute(sql, params)
        except DatabaseError as error:
            _raise_explained(error, [explain])

    def _send_collected(self, connection: Connection, *, ends: bool, commits: bool = False) -> None:
        """Send the writes in one round trip. The first error is raised, and then none of them is done.

        `ends`: they are the last ones of the block, so that ids for the next one are taken.
        """
        writes, self._collected = self._collected or [], []
        self._explanations = [explain for *_, explain in writes]
        statements: list[tuple[str, Sequence[Any]]] = [(sql, params) for sql, params, _ in writes]
        lacking = [table for table, ids in (self._ids or {}).items() if ends and len(ids) < LEAST_IDS]
        statements += [(NEW_IDS.format(table, 2 * LEAST_IDS), ()) for table in lacking]
        is_begun = not is_idle(connection)
        if commits and is_begun:
            statements.append(("COMMIT", ()))
        if self.queries_logged:
            self.queries_log.extend({"sql": sql, "time": "0"} for sql, _ in statements)
        with self.wrap_database_errors:
            if self.in_atomic_block and not (is_begun or commits):  # more follows in the transaction
                execute_together(connection, [("BEGIN", ())])
            with confirmed(connection) if ends or commits else nullcontext():
                results = execute_together(connection, statements)
        for table, result in zip(lacking, results[len(writes) :], strict=False):
            ids = (int(result.get_value(row, 0) or 0) for row in range(result.ntuples))
            self._ids[table].extend(ids)  # type: ignore[index]

    def before_statement(self, sql: str = "") -> None:
        """What a statement needs that is executed at once: the writes before it, unless reads are refused.

        Statements on savepoints are no reads.
        """
        is_about_savepoint = sql.startswith(("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT"))
        if self._reads_are_refused and not is_about_savepoint:
            raise NeedsRows(sql)
        if self.kept_reads and sql.startswith(WRITES):
            self.kept_reads.clear()
        if self._collected:
            self._send_collected(self.connection, ends=sql.startswith("RELEASE"))

    def _wrapped(self, execute: Any, sql: str, *arguments: Any) -> Any:
        self.before_statement(sql)
        return execute(sql, *arguments)

    def _commit(self) -> None:
        if not self._collected:
            if self.connection is not None:
                with self.wrap_database_errors, confirmed(self.connection):
                    super()._commit()  # type: ignore[misc]
            return
        with debug_transaction(self, "COMMIT"):
            self._send_collected(self.connection, ends=True, commits=True)

    def _forget_collected(self) -> None:
        if self._collected:
            self._collected = []

    def _rollback(self) -> None:
        self._forget_collected()
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        self._forget_collected()  # those before the savepoint were sent before it
        super()._savepoint_rollback(sid)  # type: ignore[misc]


def _raise_explained(error: DatabaseError, explanations: Sequence[Explain | None]) -> NoReturn:
    """Raise the first exception by which one of these writes explains an error, otherwise the error itself."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    for explain in explanations:
        if explain is not None and (explained := explain(state)) is not None:
            raise explained from error
    raise error


def _works(connection: Connection) -> bool:
    """Whether the server answers on this connection. At most one round trip, and no statement."""
    is_fresh = time.monotonic() - _worked_at.get(connection, -CHECKED_AFTER_SECONDS) < CHECKED_AFTER_SECONDS
    if is_fresh and not _has_news(connection):
        return True
    try:
        ConnectionPool.check_connection(connection)
    except OperationalError:
        return False
    return True


def _has_news(connection: Connection) -> bool:
    """Whether there is something to read on a connection that asked for nothing, such as its end."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
