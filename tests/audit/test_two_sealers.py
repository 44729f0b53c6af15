"""Two processes of `manage.py sealer`: one seals, the other waits, and takes over when the first is killed."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from audit import clock, notes
from audit.sealing import keys, state
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.process import run_sealer
from audit.sealing.status import sealer_status
from tests.services import installation

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
PATIENCE = 90


@pytest.fixture
def address(tmp_path) -> str:
    """A database that processes share: this run's own, or on SQLite a file with the same tables."""
    if connection.vendor == "postgresql":
        given = connection.get_connection_params()
        return installation.address(
            given, given["dbname"], str(given["user"]), str(given.get("password") or "")
        )
    connection.ensure_connection()
    with contextlib.closing(sqlite3.connect(tmp_path / "floor.sqlite3")) as file:
        connection.connection.backup(file)
    return f"sqlite:///{tmp_path / 'floor.sqlite3'}"


@pytest.fixture
def run(address, tmp_path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts `manage.py` with these words; ends what still runs after the test."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATABASE_URL": address,
        "PITSIDE_SEALER_DIR": str(tmp_path / "sealer"),
        "DEMO": "on",
        "DEBUG": "off",
        "REDIS_URL": "",
    }
    started: list[subprocess.Popen[bytes]] = []

    def run(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def ask(address) -> Callable[[str], list[tuple[Any, ...]]]:
    """The rows of a question to that database."""

    def ask(question: str) -> list[tuple[Any, ...]]:
        if address.startswith("sqlite"):
            with contextlib.closing(sqlite3.connect(address.removeprefix("sqlite:///"), timeout=10)) as file:
                return file.execute(question).fetchall()
        with psycopg.connect(address) as line:
            return line.execute(question.encode()).fetchall()

    return ask


def done(process: subprocess.Popen[bytes], status: int = 0) -> None:
    """The process ends with this status; what it said is told where it does not."""
    said = process.communicate(timeout=PATIENCE)[0].decode()
    assert process.returncode == status, said


def until(holds: Callable[[], bool], *processes: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        for process in processes:
            assert process.poll() is None, process.communicate()[0].decode()
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)


CHECKPOINTS = "SELECT size, note FROM audit_checkpoint ORDER BY size"


def test_a_second_sealer_waits_and_takes_over_from_a_killed_one(run, ask):
    done(run("sealer_key", "create"))
    first = run("sealer")
    until(lambda: len(ask(CHECKPOINTS)) == 1, first)
    second = run("sealer")
    patience = threading.Timer(PATIENCE, second.kill)
    patience.start()
    line = b""
    while b"is waiting" not in line:
        line = second.stdout.readline()
        assert line, "the second sealer ended, or did not say that it is waiting"
    patience.cancel()
    done(run("sealer_key", "rotate"))
    until(lambda: len(ask(CHECKPOINTS)) == 2, first, second)
    first.send_signal(signal.SIGKILL)
    first.wait(PATIENCE)
    done(run("sealer_key", "rotate"))
    until(lambda: len(ask(CHECKPOINTS)) == 3, second)
    signed = [notes.Checkpoint.read(notes.Note.read(note).text) for _, note in ask(CHECKPOINTS)]
    assert [checkpoint.size for checkpoint in signed] == [1, 2, 3]
    assert len({checkpoint.root for checkpoint in signed}) == 3
    assert ask("SELECT number FROM audit_seal ORDER BY number") == [(0,), (1,), (2,)]
    # A key that is made in the middle of a second may sign from the next one on.
    counts = [len(notes.Note.read(note).signatures) for _, note in ask(CHECKPOINTS)]
    assert counts[0] == 1 and counts[1] in (1, 2) and counts[2] in (2, 3)
    second.send_signal(signal.SIGTERM)
    assert second.wait(PATIENCE) == 0


ONE_SECOND = (
    "from audit.sealing import keys; from audit.sealing.sealer import Sealer; Sealer(keys.folder(){}).seal()"
)
DIES = ", lambda point: point == '{}' and __import__('os').kill(__import__('os').getpid(), 9)"


@pytest.mark.parametrize(("point", "written"), [("kept", 0), ("written", 1)])
def test_a_process_killed_between_its_file_and_the_database_loses_no_leaf(run, ask, tmp_path, point, written):
    done(run("sealer_key", "create"))
    done(run("shell", "-c", ONE_SECOND.format(DIES.format(point))), -signal.SIGKILL)
    signed = state.read(tmp_path / "sealer").pending.note
    assert len(ask(CHECKPOINTS)) == written
    done(run("shell", "-c", ONE_SECOND.format("")))
    assert ask(CHECKPOINTS) == [(1, signed)]
    assert state.read(tmp_path / "sealer").pending is None


@pytest.fixture
def folder(tmp_path, settings) -> Path:
    settings.SEALER_DIR = str(tmp_path / "sealer")
    return keys.folder()


def test_one_process_leads_until_it_lets_go(folder):
    one, other = LeaderLock(folder), LeaderLock(folder)
    assert (one.acquire(), other.acquire()) == (True, False)
    assert (one.is_held(), other.is_held()) == (True, False)
    one.release()
    assert (one.is_held(), other.acquire()) == (False, True)
    other.release()


@pytest.mark.postgres
def test_two_folders_do_not_make_two_leaders_of_one_database(folder, tmp_path):
    (tmp_path / "other").mkdir()
    one, other = LeaderLock(folder), LeaderLock(tmp_path / "other")
    assert (one.acquire(), other.acquire()) == (True, False)
    one.release()
    assert other.acquire()
    other.release()


@pytest.mark.postgres
def test_a_leader_whose_connection_the_database_ended_leads_no_more(folder):
    lead = LeaderLock(folder)
    assert lead.acquire()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [lead.database.info.backend_pid])
    assert not lead.is_held()
    assert lead.acquire()
    lead.release()


def test_it_seals_until_it_is_stopped_and_reports_that_it_runs(folder, write):
    keys.create(folder)
    stop = threading.Event()
    thread = threading.Thread(target=run_sealer, args=(stop, folder))
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while sealer_status().beat_at is None and time.monotonic() < deadline:
        time.sleep(0.05)
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert (sealer_status().problem, sealer_status().beat_at <= clock.now()) == ("", True)
    after = LeaderLock(folder)
    assert after.acquire()
    after.release()
