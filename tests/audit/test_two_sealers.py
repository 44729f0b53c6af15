"""Two processes of `manage.py sealer`: one seals, the other waits, and takes over when the first is killed."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.db import connection

from audit import clock, notes
from audit.models import Checkpoint, Department, Person, Role
from audit.sealing import keys, leader_lock, state
from audit.sealing import process as sealer_process
from audit.sealing.declarations import declare_incarnation
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.process import SealerSession, run_sealer
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem
from audit.sealing.status import health_problem, sealer_status
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

    def run(*words: str, database: str = "") -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment | ({"DATABASE_URL": database} if database else {}),
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
def people_who_declare(make_person) -> tuple[Person, Person]:
    """Two people of two departments, one of them compliance."""
    return (
        make_person("ruiz-c", Role.COMPLIANCE, "222222", department=Department.COMPLIANCE),
        make_person(
            "lind-s", Role.SYSTEM_ADMINISTRATOR, "333333", department=Department.INFORMATION_TECHNOLOGY
        ),
    )


def test_one_process_leads_until_it_lets_go(folder):
    one, other = LeaderLock(folder), LeaderLock(folder)
    assert (one.acquire(), other.acquire()) == (True, False)
    assert (one.is_held(), other.is_held()) == (True, False)
    one.release()
    assert (one.is_held(), other.acquire()) == (False, True)
    other.release()


def test_two_folders_do_not_make_two_leaders_of_one_database(folder, tmp_path):
    (tmp_path / "other").mkdir()
    one, other = LeaderLock(folder), LeaderLock(tmp_path / "other")
    assert (one.acquire(), other.acquire()) == (True, False)
    assert other.problem is None, "it waits"
    one.release()
    assert other.acquire()
    other.release()


@pytest.mark.postgres
def test_a_leader_whose_connection_the_database_ended_leads_no_more_until_it_takes_the_lease_again(folder):
    lead = LeaderLock(folder)
    assert lead.acquire()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [(pid,)] = cursor.fetchall()
    with psycopg.connect(**superuser()) as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [pid])
    lead.renewed_at = 0.0
    assert not lead.is_held()
    connection.close()
    assert lead.acquire() and lead.is_held()
    lead.release()


def superuser() -> dict[str, Any]:
    """The parameters of a connection of one's own to the test's database."""
    given = connection.get_connection_params()
    return {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}


def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of the sealer's folder, as of now, on another machine."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    return copy


def code_of(sealing: Sealer) -> str:
    """Why it does not seal."""
    with pytest.raises(SealingProblem) as problem:
        sealing.seal()
    return problem.value.code


@pytest.fixture
def impatient(monkeypatch) -> None:
    """A lease expires as soon as it has been seen twice, and is renewed each time."""
    monkeypatch.setattr(leader_lock, "EXPIRES_SECONDS", -1.0)
    monkeypatch.setattr(leader_lock, "RENEWED_SECONDS", 0.0)


def test_a_leader_that_was_frozen_while_another_took_over_writes_and_signs_nothing_more(
    folder, tmp_path, write, impatient
):
    keys.create(folder)
    first = LeaderLock(folder)
    assert first.acquire()
    sealing = Sealer(folder, lock=first)
    assert sealing.seal().size == 1
    copy = copied(folder, tmp_path)
    second = LeaderLock(copy)
    assert second.acquire(), "the first one has not renewed its lease"
    write()
    saved = state.read(folder)
    assert code_of(sealing) == "lease-lost"
    assert (Checkpoint.objects.count(), state.read(folder)) == (1, saved)
    assert Sealer(copy, lock=second).seal().size == 2
    assert not first.is_held()
    second.release()


def test_a_lease_is_taken_from_nobody_who_renews_it(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(leader_lock, "RENEWED_SECONDS", 0.0)
    first, second = LeaderLock(folder), LeaderLock(copied(folder, tmp_path))
    clock_hands = SimpleNamespace(now=0.0)
    monkeypatch.setattr(leader_lock, "time", SimpleNamespace(monotonic=lambda: clock_hands.now))
    assert first.acquire()
    for _ in range(20):
        clock_hands.now += 9.0
        assert not second.acquire() and first.is_held()
    assert not second.acquire()
    for seconds, taken in ((10.0, False), (0.1, True)):
        clock_hands.now += seconds
        assert second.acquire() == taken
    second.release()


def run_until(folder: Path, monkeypatch, holds: Callable[[], bool]) -> None:
    """Run a sealer with this folder until something holds."""
    monkeypatch.setattr(sealer_process, "SECONDS", 0.01)
    stop = threading.Event()
    thread = threading.Thread(target=run_sealer, args=(stop, folder))
    thread.start()
    try:
        until(holds)
    finally:
        stop.set()
        thread.join(PATIENCE)


def test_a_sealer_with_an_old_copy_of_the_folder_yields_and_says_what_is_wrong(
    folder, tmp_path, write, monkeypatch, caplog
):
    """It gives the lease back while it runs, and renews it no more: the other one need not wait until it expires."""
    keys.create(folder)
    first = LeaderLock(folder)
    assert first.acquire()
    sealing = Sealer(folder, lock=first)
    sealing.seal()
    copy = copied(folder, tmp_path)
    write()
    assert sealing.seal().size == 2
    first.release()
    run_until(copy, monkeypatch, lambda: "out of date: it has 1 seals" in caplog.text and first.acquire())
    assert "start the sealer with that one, and stop this one. Only if it is lost" in caplog.text
    assert first.is_held()
    write()
    assert sealing.seal().size == 3
    first.release()


@pytest.mark.parametrize("point", ["kept", "written"])
def test_an_old_copy_with_a_leaf_that_was_written_since_is_called_old_too(folder, tmp_path, write, point):
    class Stopped(Exception):
        pass

    def stop(step: str) -> None:
        if step == point:
            raise Stopped

    keys.create(folder)
    with pytest.raises(Stopped):
        Sealer(folder, stop).seal()
    copy = copied(folder, tmp_path)
    for _ in range(2):
        write()
        Sealer(folder).seal()
    assert code_of(Sealer(copy)) == "folder-behind"


def test_a_folder_that_is_not_the_one_on_record_seals_nothing_until_a_new_incarnation(
    folder, tmp_path, write, people_who_declare
):
    keys.create(folder)
    first = LeaderLock(folder)
    assert first.acquire()
    SealerSession(folder, first).run_once()
    first.release()
    other = tmp_path / "other"
    shutil.copytree(folder / "keys", other / "keys")
    second = LeaderLock(other)
    assert not second.acquire()
    assert second.problem is not None and second.problem.code == "another-folder"
    assert "Stop this sealer, or start it with that folder" in str(second.problem)
    assert first.acquire(), "it did not take the lease"
    first.release()
    declare_incarnation(*people_who_declare, "The folder is lost.", {"": state.read(folder)})
    assert second.acquire()
    write()
    session = SealerSession(other, second)
    session.run_once()
    assert Checkpoint.objects.filter(incarnation=2).count() == 1
    second.release()
    assert not first.acquire() and first.problem is not None and first.problem.code == "another-folder"


def test_a_check_beside_a_wrong_folder_says_so(folder, tmp_path, settings, write):
    keys.create(folder)
    lock = LeaderLock(folder)
    assert lock.acquire()
    SealerSession(folder, lock).run_once()
    assert health_problem(clock.now()) == ""
    other = tmp_path / "other"
    other.mkdir()
    leader_lock.folder_id(other)
    settings.SEALER_DIR = str(other)
    assert "is not the one from which the record is sealed" in health_problem(clock.now())
    lock.release()


@pytest.mark.postgres
def test_no_sealer_leads_on_a_standby(run, address, ask):
    """It uses every option of the address: here one that makes the database as read-only as a standby."""
    done(run("sealer_key", "create"))
    options = "-c%20default_transaction_read_only%3Don"
    separator = "&" if "?" in address else "?"
    waiting = run("sealer", database=f"{address}{separator}options={options}")
    patience = threading.Timer(PATIENCE, waiting.kill)
    patience.start()
    line = b""
    while b"a standby, or read-only" not in line:
        line = waiting.stdout.readline()
        assert line, "the sealer ended, or did not say that the database is a standby"
    patience.cancel()
    assert ask(CHECKPOINTS) == []
    waiting.send_signal(signal.SIGTERM)
    assert waiting.wait(PATIENCE) == 0


@pytest.mark.postgres
def test_nothing_is_signed_if_the_standby_did_not_confirm_what_it_lists(folder, write, monkeypatch):
    """PostgreSQL ends the wait for its standby with a warning, and commits on the primary alone."""
    keys.create(folder)
    lock = LeaderLock(folder)
    assert lock.acquire()
    sealing = Sealer(folder, lock=lock)
    sealing.seal()
    write()
    saved = state.read(folder)
    commit = connection.connection.commit

    def warned() -> None:
        connection.connection.execute(
            "DO $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; END $$"
        )
        commit()

    monkeypatch.setattr(connection.connection, "commit", warned)
    with pytest.raises(SealingProblem) as problem:
        sealing.seal()
    assert problem.value.code == "not-confirmed"
    assert "canceling wait for synchronous replication" in str(problem.value)
    assert (Checkpoint.objects.count(), state.read(folder)) == (1, saved)
    monkeypatch.undo()
    assert sealing.seal().size == 2
    lock.release()


@pytest.mark.postgres
def test_a_confirmed_commit_waits_for_the_standby_though_the_login_does_not():
    with connection.cursor() as cursor:
        for setting, expected in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
            cursor.execute(f"SET synchronous_commit = {setting}")
            with leader_lock.confirmed_commit():
                cursor.execute("SHOW synchronous_commit")
                assert cursor.fetchone() == (expected,)
        cursor.execute("RESET synchronous_commit")


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
