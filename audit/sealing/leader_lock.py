"""One sealer at a time: a lock that is released when its process ends, however it ends.

It is an advisory lock on a separate connection in PostgreSQL, and a lock on a file beside the database with SQLite.
The sealer's folder is locked too, because it holds what was signed and two sealers must never share it.
"""

import fcntl
import os
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

LOCK = 0x5EA1_0001  # the only advisory lock of this product


class LeaderLock:
    """The right to seal. `acquire` does not wait; `is_held` checks that the lock is still ours."""

    def __init__(self, folder: Path) -> None:
        self.paths = [folder / "lock", *_database_lock_files()]
        self.files: list[int] = []
        self.database: psycopg.Connection[Any] | None = None

    def acquire(self) -> bool:
        """Try to become the leader. Returns whether it succeeded."""
        try:
            acquired = all(self._lock(path) for path in self.paths) and self._lock_database()
        except psycopg.Error:
            acquired = False
        if not acquired:
            self.release()
        return acquired

    def is_held(self) -> bool:
        """Whether this process is still the leader; the database may have closed its connection."""
        if not self.files:
            return False
        if self.database is None:
            return True
        try:
            self.database.execute("SELECT 1")
        except psycopg.Error:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Let another process become the leader."""
        for descriptor in self.files:
            os.close(descriptor)
        self.files = []
        if self.database is not None:
            self.database.close()
            self.database = None

    def _lock(self, path: Path) -> bool:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self.files.append(descriptor)
        return True

    def _lock_database(self) -> bool:
        if connection.vendor != "postgresql":
            return True
        # A separate connection: the pool's come and go, and this one must last as long as the lock.
        params = connection.get_connection_params()
        connection_params = {
            key: params[key] for key in ("host", "port", "user", "password", "dbname") if params.get(key)
        }
        self.database = psycopg.connect(**connection_params, autocommit=True, connect_timeout=3)
        row = self.database.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone()
        return bool(row and row[0])


def _database_lock_files() -> list[Path]:
    if connection.vendor != "sqlite":
        return []
    path = Path(str(connection.settings_dict["NAME"]))
    return [path.with_name(path.name + ".sealer-lock")] if path.is_file() else []
