"""The worker: each job once, whichever worker dies; a file only where the record tells of it."""

import csv
import datetime as dt
import errno
import hashlib
import io
import json
import threading
import zipfile

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from audit import clock, export, verify
from audit.exporting import bundle, jobs, output
from audit.models import Entry, Job
from audit.sealing import keys
from audit.sealing.sealer import Sealer

from .conftest import MOMENT
from .test_record import SECOND

pytestmark = pytest.mark.both_databases

ASKED_AFTER = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path / "exports")
    return tmp_path / "exports"


@pytest.fixture
def record_of_three(write):
    for number in range(3):
        write(data={"round": number, "note": "=1"}, moment=MOMENT + number * SECOND)


@pytest.fixture
def asked(db, make_person):
    """`asked("csv")` is one more job."""
    person = make_person("reyes-c", "compliance", department="compliance")

    def ask(kind="csv", **params):
        return Job.objects.create(
            facility="larkfield", kind=kind, params=params, asked_by=person, asked_at=MOMENT + ASKED_AFTER
        )

    return ask


def told(type):
    """The data of the entries of a type, oldest first."""
    bodies = Entry.objects.filter(type=type).order_by("seq").values_list("body", flat=True)
    return [json.loads(bytes(body))["data"] for body in bodies]


@pytest.mark.django_db
def test_a_reading_copy_is_written_and_recorded(record_of_three, asked, folder):
    job = asked(**{"from": clock.format_moment(MOMENT + SECOND)})
    assert jobs.Worker().run_next() is True
    job.refresh_from_db()
    whole = (folder / f"{job.pk}.csv").read_bytes()
    digest = hashlib.sha256(whole).hexdigest()
    assert (job.status, job.sha256, job.size_bytes) == ("done", digest, len(whole))
    assert (job.entries_done, job.total, job.results["entries"], job.results["streams"]) == (2, 2, 2, 1)
    assert job.filename == "larkfield-2026-11-21-to-2026-11-22-reading-copy.csv"
    assert [row[1] for row in csv.reader(io.StringIO(whole.decode(), newline=""))] == ["seq", "2", "3"]
    assert told("export.finished") == [
        {"asked_by": "reyes-c", "bytes": len(whole), "entries": 2, "facility": "larkfield", "kind": "csv",
         "from": "2026-11-21T13:05:10.123456Z", "job": str(job.pk), "record_sha256": None, "sha256": digest,
         "streams": 1, "to": None, "training": False, "unsealed": 0}
    ]  # fmt: skip
    assert Entry.objects.get(type="export.finished").stream.name == "larkfield/exports"
    assert jobs.Worker().run_next() is False


@pytest.mark.django_db
def test_a_bundle_waits_for_the_sealer_and_verifies(
    record_of_three, asked, folder, tmp_path, settings, monkeypatch
):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    keys.create(keys.folder())
    sealer = Sealer(keys.folder())
    sealer.seal()
    job = asked("evidence", streams=["larkfield/T-04"])
    monkeypatch.setattr(bundle.time, "sleep", lambda seconds: sealer.seal())
    jobs.Worker().run_next()
    job.refresh_from_db()
    assert (job.status, job.results["unsealed"], job.results["entries"]) == ("done", 0, 3)
    with zipfile.ZipFile(folder / f"{job.pk}.zip") as archive:
        record = archive.read("record.jsonl")
    assert hashlib.sha256(record).hexdigest() == job.results["record_sha256"]
    assert told("export.finished")[0]["record_sha256"] == job.results["record_sha256"]
    assert verify.verify(io.BytesIO(record))[2][0].entries == 3


@pytest.mark.django_db
def test_a_bundle_waits_some_seconds_at_most_and_counts_what_is_not_sealed(
    record_of_three, write, tmp_path, settings, monkeypatch
):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    keys.create(keys.folder())
    Sealer(keys.folder()).seal()
    for number in (4, 5):
        write(data={"round": number}, moment=MOMENT + number * SECOND)
    waited = []
    monkeypatch.setattr(bundle, "SEAL_WAIT_SECONDS", 0.3)
    monkeypatch.setattr(bundle, "SEAL_POLL_SECONDS", 0.005)
    assert bundle.wait_for_seals(export.select(["larkfield/T-04"]), lambda: waited.append(1)) == 2
    assert waited


@pytest.mark.django_db
def test_a_workbook_and_a_verification_are_jobs_too(record_of_three, asked, folder):
    book, verification = asked("xlsx"), asked("verification")
    worker = jobs.Worker()
    assert [worker.run_next(), worker.run_next(), worker.run_next()] == [True, True, False]
    book.refresh_from_db()
    verification.refresh_from_db()
    assert zipfile.is_zipfile(folder / f"{book.pk}.xlsx") and book.results["cut"] == 0
    assert (verification.status, verification.results["outcome"], verification.filename) == (
        "done",
        "good",
        "",
    )
    assert told("record.verified")[0]["entries"] == verification.results["entries"] == 4
    assert Entry.objects.get(type="record.verified").stream.name == "larkfield/exports"


@pytest.mark.django_db
def test_the_oldest_job_is_next_and_the_job_of_a_dead_worker_is_restarted(record_of_three, asked):
    first, second = asked(), asked()
    assert (jobs.claim().pk, jobs.claim().pk, jobs.claim()) == (first.pk, second.pk, None)
    Job.objects.filter(pk=second.pk).update(beat_at=clock.now() - jobs.DEAD_AFTER - SECOND)
    again = jobs.claim()
    assert (again.pk, again.results["tries"]) == (second.pk, 2)


@pytest.mark.django_db
def test_a_worker_that_was_thought_dead_can_finish_nothing(record_of_three, asked, folder):
    asked()
    worker, late = jobs.Worker(), jobs.claim()
    folder.mkdir()
    part = folder / ".late.part"
    made = output.produce(late, part, lambda *done: None)
    Job.objects.update(beat_at=clock.now() - jobs.DEAD_AFTER - SECOND)
    assert worker.run_next() is True
    before = jobs.file_path(late).read_bytes()
    for act in (
        lambda: jobs.finish(late, made, part, jobs.file_path(late)),
        lambda: jobs.fail(late, "unexpected"),
    ):
        with pytest.raises(jobs.JobLost):
            act()
    assert jobs.file_path(late).read_bytes() == before and part.exists()
    assert (len(told("export.finished")), told("export.failed")) == (1, [])


@pytest.mark.django_db
def test_a_job_that_ends_its_worker_each_time_is_given_up(record_of_three, asked):
    job = asked()
    for _ in range(jobs.TRIES_MAX):
        assert jobs.claim().pk == job.pk
        Job.objects.update(beat_at=clock.now() - jobs.DEAD_AFTER - SECOND)
    jobs.Worker().run_next()
    job.refresh_from_db()
    assert (job.status, job.failure_code, told("export.failed")[0]["why"]) == ("failed", "gave-up", "gave-up")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "why"),
    [(OSError(errno.ENOSPC, "full"), "disk-full"), (PermissionError(13, "no"), "not-written"),
     (ZeroDivisionError(), "unexpected")],
)  # fmt: skip
def test_an_export_that_cannot_be_written_leaves_no_file_and_names_the_reason(
    record_of_three, asked, folder, monkeypatch, error, why
):
    def broken(path, selection, beat):
        path.write_bytes(b"half")
        raise error

    monkeypatch.setitem(output.WRITERS, "csv", broken)
    job = asked()
    jobs.Worker().run_next()
    job.refresh_from_db()
    assert (job.status, job.failure_code, list(folder.iterdir())) == ("failed", why, [])
    assert told("export.failed") == [
        {"asked_by": "reyes-c", "facility": "larkfield", "job": str(job.pk), "kind": "csv", "why": why}
    ]


@pytest.mark.django_db
def test_a_worker_that_is_stopped_puts_its_job_back(record_of_three, asked, folder):
    job = asked()
    worker = jobs.Worker()
    worker.stop.set()
    worker.run_next()
    job.refresh_from_db()
    assert (job.status, job.results["tries"], list(folder.iterdir())) == ("waiting", 0, [])


@pytest.mark.django_db
def test_what_a_busy_database_refuses_is_tried_again_some_times(record_of_three, asked, monkeypatch):
    def busy(path, selection, beat):
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setitem(output.WRITERS, "csv", busy)
    job = asked()
    for tries in range(1, jobs.TRIES_MAX + 1):
        jobs.Worker().run_next()
        job.refresh_from_db()
        assert (job.status, job.results["tries"]) == ("waiting", tries)
    jobs.Worker().run_next()
    job.refresh_from_db()
    assert (job.status, job.failure_code) == ("failed", "gave-up")


async def test_the_embedded_worker_runs_from_the_first_scope_to_the_end_of_the_server(monkeypatch):
    began, ended = threading.Event(), threading.Event()

    def run(worker):
        began.set()
        worker.stop.wait(10)
        ended.set()

    async def application(scope, receive, send):
        pass

    monkeypatch.setattr(jobs.Worker, "run", run)
    served = jobs.with_worker(application)
    await served({"type": "http"}, None, None)
    assert began.wait(10) and not ended.is_set()
    await served({"type": "lifespan"}, None, None)
    assert ended.is_set()


@pytest.mark.django_db
def test_files_are_removed_after_their_days_and_the_row_stays(record_of_three, asked, folder, settings):
    job = asked()
    worker = jobs.Worker()
    worker.run_next()
    worker.tidy()
    assert jobs.file_path(job).exists()
    Job.objects.update(finished_at=clock.now() - dt.timedelta(days=settings.EXPORTS_KEEP_DAYS, seconds=1))
    worker.tidy()
    job.refresh_from_db()
    assert not jobs.file_path(job).exists()
    assert job.results["removed_at"] and job.sha256 and job.status == "done"


@pytest.mark.django_db(transaction=True)
def test_a_worker_reports_progress_and_notices_that_its_job_is_lost(record_of_three, asked, monkeypatch):
    monkeypatch.setattr(jobs, "HEARTBEAT_SECONDS", 0.01)
    asked()
    job = jobs.claim()
    with jobs.Heartbeat(job, threading.Event()) as beat:
        beat(2, 3)
        wait_until(lambda: Job.objects.get().entries_done == 2)
        assert (Job.objects.get().total, Job.objects.get().beat_at > job.beat_at) == (3, True)
        Job.objects.update(started_at=clock.now())
        wait_until(beat.lost.is_set)
        with pytest.raises(jobs.JobLost):
            beat(3)


def wait_until(holds):
    for _ in range(1000):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came about")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_many_workers_at_once_each_job_is_done_by_one(record_of_three, asked):
    for _ in range(6):
        asked()

    def work():
        try:
            while jobs.Worker().run_next():
                pass
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    finished = told("export.finished")
    assert len(finished) == len({one["job"] for one in finished}) == 6


@pytest.mark.django_db
def test_the_command_does_what_waits(record_of_three, asked):
    job = asked()
    call_command("exporter", "--once")
    job.refresh_from_db()
    assert job.status == "done"


@pytest.mark.django_db
def test_a_file_is_named_by_facility_range_and_kind(asked):
    days = {"day": "2026-11-20", "last_day": "2026-11-21", "from": None, "to": None}
    assert output.filename(asked("evidence", **days)) == "larkfield-2026-11-20-to-2026-11-21-evidence.zip"
    one = {"streams": ["larkfield/T-24"], "training": True, "day": "2026-11-20", "last_day": "2026-11-20"}
    assert output.filename(asked("xlsx", **one)) == "larkfield-T-24-training-2026-11-20-reading-copy.xlsx"


def test_an_exporter_without_its_database_logs_it_once_and_once_that_it_works_again(monkeypatch, caplog):
    worker, tries = jobs.Worker(), []

    def look() -> bool:
        tries.append(1)
        if len(tries) == 4:
            worker.stop.set()
            return False
        raise OperationalError("the database is away")

    monkeypatch.setattr(worker, "run_next", look)
    monkeypatch.setattr(worker, "tidy_now_and_then", lambda: None)
    monkeypatch.setattr(jobs, "close_old_connections", lambda: None)
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.001)
    worker.run()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "it failed 3 times" in caplog.records[1].getMessage()
