"""Migrate one database, and copy it for every later run and every worker.

The migrations take ten seconds of a processor and always give the same database. The first worker that needs one keeps
it, and the others wait: on SQLite as a file in `.script`, on PostgreSQL as a database beside the test's own. The name
of both has a hash of all that the migrations are made of, so a changed migration is run again.
"""

import contextlib
import fcntl
import gc
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django
from django.core import management
from django.db import DatabaseError, connection

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".script"


def fingerprint() -> str:
    """A hash of every migration, of what they import, and of the requirements, whose migrations run too."""
    sources = [path for room in ("audit", "games", "tables") for path in ROOT.glob(f"{room}/migrations/*.py")]
    sources += [ROOT / "requirements" / "base.txt", ROOT / "audit" / "indexes.py", Path(__file__)]
    digest = hashlib.sha256(django.get_version().encode())
    for path in sorted(sources):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class SqliteTemplate:
    """A file; runs that make it at the same time put the same file in its place."""

    def __init__(self) -> None:
        self.path = FOLDER / f"migrated-{fingerprint()}.sqlite3"

    @property
    def exists(self) -> bool:
        return self.path.exists()

    def use(self) -> None:
        """Nothing is to be done before Django makes its database, which is empty."""

    def restore(self) -> None:
        connection.ensure_connection()
        with contextlib.closing(sqlite3.connect(self.path)) as file:
            file.backup(connection.connection)

    def save(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        for older in FOLDER.glob("migrated-*.sqlite3"):
            older.unlink(missing_ok=True)
        unfinished = self.path.with_suffix(f".{os.getpid()}")
        with contextlib.closing(sqlite3.connect(unfinished)) as file:
            connection.connection.backup(file)
        unfinished.replace(self.path)


class PostgresTemplate:
    """A database of the same server, from which PostgreSQL copies the database of the test."""

    def __init__(self) -> None:
        self.name = f"test_pitside_migrated_{fingerprint()}"

    @property
    def exists(self) -> bool:
        with connection._nodb_cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.name])
            return cursor.fetchone() is not None

    def use(self) -> None:
        """Have Django make its database as a copy."""
        connection.settings_dict["TEST"]["TEMPLATE"] = self.name

    def restore(self) -> None:
        """The database is a copy already."""

    def save(self) -> None:
        migrated = connection.settings_dict["NAME"]
        connection.close()
        connection.close_pool()
        with (
            connection._nodb_cursor() as cursor,
            contextlib.suppress(DatabaseError),
        ):  # another worker was first
            cursor.execute(f'CREATE DATABASE "{self.name}" TEMPLATE "{migrated}"')


Template = SqliteTemplate | PostgresTemplate


def find() -> Template:
    """The template of this run's database, whether it is there or not."""
    return PostgresTemplate() if connection.vendor == "postgresql" else SqliteTemplate()


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Within it no other worker of this checkout migrates."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "migrating.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def copy_to(path: Path) -> None:
    """Put a migrated SQLite database there, for processes that share it. The first that is needed is migrated."""
    template = SqliteTemplate()
    with alone():
        if not template.exists:
            unfinished = template.path.with_suffix(f".{os.getpid()}")
            environment = {
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "config.settings.test",
                "TEST_REDIS_URL": "",
            }
            environment["TEST_DATABASE_URL"] = f"sqlite:///{unfinished}"
            migrating = [sys.executable, "manage.py", "migrate", "--verbosity=0", "--run-syncdb"]
            subprocess.run(migrating, cwd=ROOT, env=environment, check=True)
            unfinished.replace(template.path)
    shutil.copyfile(template.path, path)


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """The migrations make models by the thousand: looking for garbage among them takes a fifth of their time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def migrated_once() -> Iterator[None]:
    """Within it Django's test database is a copy of the template; where there is none, the migrations make it."""
    call_command: Callable[..., Any] = management.call_command
    template = find()
    with contextlib.ExitStack() as lock:
        lock.enter_context(alone())
        is_migrated = template.exists
        if is_migrated:
            template.use()
            lock.close()

        def call(name: str, *arguments: Any, **options: Any) -> Any:
            if name == "migrate" and is_migrated:
                return template.restore()
            if name != "migrate":
                return call_command(name, *arguments, **options)
            with lock, without_garbage_collection():
                result = call_command(name, *arguments, **options)
                template.save()
            return result

        with patch.object(management, "call_command", call):
            yield
