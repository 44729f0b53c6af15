"""A server without a free connection, lock or disk says that nothing was begun, and logs it in one line."""

import json
import logging
import re
import threading
import time
import uuid
from pathlib import Path
from sqlite3 import OperationalError as SqliteError

import psycopg
import pytest
from django.db import InternalError, OperationalError, connection, transaction
from psycopg.errors import DiskFull, LockNotAvailable, ReadOnlySqlTransaction
from psycopg_pool import PoolTimeout

from tables.models import Table
from tables.runner import table as table_runner
from tests.tables.cast import make_scene

ACT = "/floor/larkfield/T-01/acts/shake"


@pytest.fixture
def tablet(db):
    browser = make_scene().browser("tablet", "dealer")
    browser.raise_request_exception = False
    return browser


def shake(tablet, accept="application/json"):
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": {}}
    return tablet.post(ACT, json.dumps(body), content_type="application/json", headers={"accept": accept})


@pytest.mark.parametrize(
    "cause",
    [
        LockNotAvailable("lock timeout\nCONTEXT: a row"),
        DiskFull("could not extend file: No space left on device\nHINT: Check free disk space."),
        PoolTimeout("no connection"),
        SqliteError("database or disk is full"),
        SqliteError("database is locked"),
    ],
)
def test_an_act_without_a_lock_a_connection_or_a_disk_was_not_begun(tablet, monkeypatch, caplog, cause):
    def refuse(_request):
        raise OperationalError(str(cause)) from cause

    monkeypatch.setattr(table_runner.RUNNER, "lock", refuse)
    with caplog.at_level(logging.INFO):
        answer = shake(tablet)
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert answer.json()["refusal"]["code"] == "not-begun"
    assert "Nothing was begun" in shake(tablet, "text/html").content.decode()
    first = caplog.records[-1]
    assert first.getMessage() == f"Nothing was begun: {str(cause).splitlines()[0]}"
    assert [record for record in caplog.records if record.exc_info] == []


def test_a_database_that_accepts_no_writes_was_not_written_and_says_so_in_a_line(tablet, monkeypatch, caplog):
    def refuse(_request):
        cause = ReadOnlySqlTransaction("cannot execute SELECT FOR UPDATE in a read-only transaction")
        raise InternalError(str(cause)) from cause

    monkeypatch.setattr(table_runner.RUNNER, "lock", refuse)
    answer = shake(tablet)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (503, "not-begun")
    assert [record for record in caplog.records if record.exc_info] == []


def test_of_another_error_nobody_says_that_nothing_was_begun(tablet, monkeypatch):
    def fail(_request):
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(table_runner.RUNNER, "lock", fail)
    assert shake(tablet).status_code == 500


def waiting_shake(committed):
    """A tap for a thread of its own, and the list that gets the status of each answer."""
    browser = committed.browser("tablet", "dealer")
    browser.raise_request_exception = False
    answers: list[int] = []

    def wait() -> None:
        try:
            answers.append(shake(browser).status_code)
        finally:
            connection.close()

    return wait, answers


@pytest.mark.postgres
def test_an_act_waits_for_the_lock_of_its_table_and_for_a_connection_but_not_long(committed, caplog):
    wait, answers = waiting_shake(committed)

    def wait_in_a_thread() -> None:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(20)

    with transaction.atomic():
        Table.objects.select_for_update().get(pk=committed.table.pk)
        wait_in_a_thread()
    pool = connection.pool
    borrowed = [pool.getconn() for _ in range(pool.max_size - 1)]  # the last is that of this test
    try:
        wait_in_a_thread()
    finally:
        for lent in borrowed:
            pool.putconn(lent)
    assert answers == [503, 503]
    lines = [record.getMessage() for record in caplog.records if record.name == "tables.views.acts"]
    assert "lock timeout" in lines[0] and "after 3.00 sec" in lines[1]


def runbooks_query() -> str:
    """The SQL by which the person on call learns who holds the tables."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "runbook.md").read_text()
    return re.search(r"`(SELECT[^`]+pg_blocking_pids[^`]+)`", text.partition("### ConnectionsWait\n")[2])[1]


@pytest.mark.postgres
def test_the_query_of_the_runbook_names_a_holder_while_an_act_waits_and_nobody_between_two_acts(committed):
    given = connection.get_connection_params()
    server = {key: given[key] for key in ("host", "port", "user", "password", "dbname") if given.get(key)}
    wait, answers = waiting_shake(committed)

    with psycopg.connect(**server) as holder, psycopg.connect(**server, autocommit=True) as watcher:

        def state_of_holder() -> str | None:
            rows = watcher.execute(runbooks_query()).fetchall()
            return next((state for pid, _, state, *_ in rows if pid == holder.info.backend_pid), None)

        holder.execute("SELECT 1 FROM tables_table FOR UPDATE")
        assert state_of_holder() is None
        thread = threading.Thread(target=wait)
        thread.start()
        while (state := state_of_holder()) is None and thread.is_alive():
            time.sleep(0.05)
        thread.join(20)
        assert (state, answers) == ("idle in transaction", [503])
        assert state_of_holder() is None
