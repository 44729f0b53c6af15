"""The worker of the embedded default: beside the floor and not in its way, begun and ended with the server."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from django.core.management import call_command

from audit import clock
from audit.exporting import jobs
from audit.models import Job
from tests.services.installation import ROOT, free_port

SEED = """
import django
django.setup()
from django.core.management import call_command
from audit import clock
from audit.models import Job
call_command("migrate", verbosity=0)
Job.objects.create(facility="larkfield", kind="xlsx", asked_at=clock.now())
"""


def test_a_server_does_its_jobs_and_stops_at_once_on_request(tmp_path):
    """As script/run starts it: the embedded default on a SQLite file."""
    kept = {name: said for name, said in os.environ.items() if not name.startswith("TEST_")}
    file = tmp_path / "floor.sqlite3"
    environment = kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATABASE_URL": f"sqlite:///{file}",
        "PITSIDE_EXPORTS_DIR": str(tmp_path / "exports"),
        "REDIS_URL": "",
    }
    subprocess.run([sys.executable, "-c", SEED], cwd=ROOT, env=environment, check=True)
    serving = ["uvicorn", "config.asgi:application", f"--port={free_port()}", "--log-level=warning"]
    process = subprocess.Popen(
        [sys.executable, "-m", *serving, "--ws=websockets-sansio"], cwd=ROOT, env=environment
    )
    with contextlib.closing(sqlite3.connect(file)) as database:
        try:
            _until(lambda: database.execute("SELECT status FROM audit_job").fetchone() == ("done",))
            assert [one.suffix for one in (tmp_path / "exports").iterdir()] == [".xlsx"]
        finally:
            process.send_signal(signal.SIGTERM)
        process.wait(jobs.STOP_SECONDS)


@pytest.fixture
def waiting(db):
    return Job.objects.create(facility="larkfield", kind="csv", asked_at=clock.now())


def python_that(monkeypatch, does):
    monkeypatch.setattr(jobs, "worker_command", lambda: [sys.executable, "-c", does])


def test_no_process_is_begun_while_nothing_waits(db, monkeypatch):
    python_that(monkeypatch, "raise SystemExit(3)")
    assert jobs.SubprocessWorker().run_next() is False


def test_a_failed_process_is_logged_and_started_again_later(waiting, monkeypatch, caplog):
    python_that(monkeypatch, "raise SystemExit(3)")
    assert jobs.SubprocessWorker().run_next() is False
    assert "ended with status 3" in caplog.text
    python_that(monkeypatch, "pass")
    assert jobs.SubprocessWorker().run_next() is True


@pytest.mark.parametrize("deaf", [True, False])
def test_its_process_ends_with_the_server_whether_it_listens_or_not(waiting, monkeypatch, tmp_path, deaf):
    monkeypatch.setattr(jobs, "STOP_SECONDS", 0.3)
    begun = tmp_path / "begun"
    heed = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " if deaf else ""
    python_that(
        monkeypatch, f"{heed}import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"
    )
    worker = jobs.SubprocessWorker()

    def stop_once_begun() -> None:
        _until(begun.exists)
        worker.stop.set()

    threading.Thread(target=stop_once_begun, daemon=True).start()
    assert worker.run_next() is False
    assert worker.stop.is_set()


def test_a_worker_that_must_stop_puts_its_job_back(waiting, monkeypatch, settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)

    def asked_to_stop(job, path, beat):
        os.kill(os.getpid(), signal.SIGTERM)
        beat()

    monkeypatch.setattr(jobs.output, "produce", asked_to_stop)
    before = signal.getsignal(signal.SIGTERM)
    assert jobs.worker_command()[1:] == [str(ROOT / "manage.py"), "exporter", "--once"]
    call_command("exporter", "--once")
    waiting.refresh_from_db()
    assert (waiting.status, waiting.results) == ("waiting", {"tries": 0})
    assert signal.getsignal(signal.SIGTERM) == before


def _until(holds):
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.02)
