"""PostgreSQL whose pool survives a restart of the server: no request gets a connection that is dead.

psycopg_pool can check each connection that it lends, but pauses longer after each dead one: with four of them, a
request would wait until its timeout. After a restart or a failover all of them are dead, so the first one empties the
pool.

A connection that was given back within the last second is lent unchecked: the check would be one of twenty round trips
of an act. The first statement of a request reads who sends it, and is tried again if it finds its connection dead
(`audit/identity.py`). A dead connection that is given back makes the next ones be checked.
"""

import time
from typing import Any
from weakref import WeakKeyDictionary

from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError
from psycopg_pool import ConnectionPool

TRUSTED_SECONDS = 1.0
_worked_at: "WeakKeyDictionary[Connection[Any], float]" = WeakKeyDictionary()


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's, checked when it is borrowed."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Borrow a connection that works. Raises psycopg_pool's PoolTimeout if there is none in time."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or _is_trusted(connection) or _works(connection):
            return connection
        pool.putconn(connection)  # it is closed, so the pool replaces it
        pool.drain()
        return super().get_new_connection(conn_params)

    @property
    def is_dead(self) -> bool:
        """Whether the borrowed connection turned out to be closed by the server."""
        return self.connection is not None and bool(self.connection.closed)

    def _close(self) -> None:
        """Give the connection back, and note whether it worked to the end."""
        if self.connection is not None and self.pool is not None:
            if self.is_dead:
                _worked_at.clear()
            else:
                _worked_at[self.connection] = time.monotonic()
        super()._close()  # type: ignore[misc]


def _is_trusted(connection: "Connection[Any]") -> bool:
    """Whether the connection worked a moment ago."""
    worked_at = _worked_at.get(connection)
    return worked_at is not None and time.monotonic() - worked_at < TRUSTED_SECONDS


def _works(connection: "Connection[Any]") -> bool:
    """Whether the server answers on this connection. It costs one round trip, and no statement."""
    try:
        ConnectionPool.check_connection(connection)
    except OperationalError:
        return False
    return True
