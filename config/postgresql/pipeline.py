"""Statements that PostgreSQL gets together: one round trip, and one transaction unless one is open.

They go through libpq's pipeline itself. psycopg's cursors would prepare, send and look at each statement by itself, for
which a worker needs five times as long. All statements of a pipeline are one transaction, without BEGIN and COMMIT, and
after an error none of them is done.

Values are sent as text, and the database knows their types from the statement. So a connection prepares a statement
once, whatever its values are.
"""

import select
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from psycopg import Connection, OperationalError, pq
from psycopg.abc import Transformer as AbstractTransformer
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import InvalidSqlStatementName, error_from_result

Statements = Sequence[tuple[str, Sequence[Any]]]
Results = list[pq.abc.PGresult]
MOST_PREPARED = 300  # at a connection; others are parsed each time
_numbers = count()


@dataclass
class Prepared:
    """What is kept for a connection: how values are written, and the names of its prepared statements."""

    transformer: AbstractTransformer
    names: dict[str, bytes] = field(default_factory=dict)


_prepared: "WeakKeyDictionary[Connection, Prepared]" = WeakKeyDictionary()


def execute_together(connection: Connection, statements: Statements) -> Results:
    """Execute statements, in which `%s` stands for each value. Returns their results.

    Raises the first error of the database. If the connection ends, which closes it, nobody knows whether anything was
    done: an OperationalError.
    """
    kept = _prepared.get(connection)
    if kept is None:
        kept = _prepared[connection] = Prepared(Transformer(connection))
    values = [
        kept.transformer.dump_sequence(params, [PyFormat.TEXT] * len(params)) for _, params in statements
    ]
    if not is_idle(connection):  # a transaction that is open would not survive what is handled below
        return _execute(connection, statements, values, None)
    try:
        return _execute(connection, statements, values, kept.names)
    except InvalidSqlStatementName:  # psycopg forgets all that is prepared once something is rolled back
        kept.names.clear()
        return _execute(connection, statements, values, kept.names)


def is_idle(connection: Connection) -> bool:
    """Whether no transaction is open."""
    return connection.pgconn.transaction_status == pq.TransactionStatus.IDLE


def _execute(
    connection: Connection, statements: Statements, values: Sequence[Any], names: dict[str, bytes] | None
) -> Results:
    """As `execute_together`. `names`: of prepared statements, to which new ones are added; None: prepare nothing."""
    libpq, new, places = connection.pgconn, dict[str, bytes](), list[int]()
    sent = 0
    libpq.enter_pipeline_mode()
    try:
        for (sql, _), row in zip(statements, values, strict=True):
            name = None if names is None else names.get(sql) or new.get(sql)
            if name is None and names is not None and len(names) + len(new) < MOST_PREPARED:
                name = new[sql] = b"together_%d" % next(_numbers)
                libpq.send_prepare(name, _numbered(sql))
                sent += 1
            if name is None:
                libpq.send_query_params(_numbered(sql), row)
            else:
                libpq.send_query_prepared(name, row)
            places.append(sent)
            sent += 1
        libpq.pipeline_sync()
        results = _received(libpq)
        libpq.exit_pipeline_mode()
    except BaseException:
        connection.close()
        raise
    for result in results:
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    if names is not None:
        names |= new
    return [results[place] for place in places]


def _received(libpq: pq.abc.PGconn) -> Results:
    """Send what is queued, and return the results of what was sent, with the error of its COMMIT if there was one."""
    poll = select.poll()
    while libpq.flush():
        poll.register(libpq.socket, select.POLLIN | select.POLLOUT)
        poll.poll()
        libpq.consume_input()
    poll.register(libpq.socket, select.POLLIN)
    results: Results = []
    while True:
        while libpq.is_busy():
            poll.poll()
            libpq.consume_input()
        result = libpq.get_result()
        if libpq.status == pq.ConnStatus.BAD:
            raise OperationalError(libpq.get_error_message())
        if result is None:  # between the results of two statements
            continue
        if result.status == pq.ExecStatus.PIPELINE_SYNC:
            return results
        results.append(result)


@lru_cache(maxsize=1_000)
def _numbered(sql: str) -> bytes:
    """A statement with `$1`, `$2` … for `%s`."""
    first, *others = sql.split("%s")
    return "".join((first, *(f"${number}{part}" for number, part in enumerate(others, 1)))).encode()
