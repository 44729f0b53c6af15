"""PostgreSQL whose pool survives a restart of the server, and a cursor for all short statements of a connection.

psycopg_pool can check each connection that it lends, but pauses longer after each dead one: with four of them, a
request would wait until its timeout. After a restart or a failover all of them are dead, so the first one empties the
pool, and no request gets a connection that is dead.
"""

from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg import Connection, OperationalError
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's, checked when it is borrowed."""

    _shared_cursor: CursorWrapper | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Borrow a connection that works. Raises psycopg_pool's PoolTimeout if there is none in time."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or _works(connection):
            return connection
        pool.putconn(connection)  # it is closed, so the pool replaces it
        pool.drain()
        return super().get_new_connection(conn_params)

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


def _works(connection: Connection) -> bool:
    """Whether the server answers on this connection. It costs one round trip, and no statement."""
    try:
        ConnectionPool.check_connection(connection)
    except OperationalError:
        return False
    return True
