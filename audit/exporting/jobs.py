"""The worker of the desk's long jobs: exports and verifications, one at a time, each done once.

A worker claims a job by writing the time at which it started. Every later write is conditional on that time, so a
worker that was thought dead cannot finish a job that another has restarted. A file is written under a temporary name
and moved into place in the transaction that records it.

In the embedded default a thread of the server looks for jobs, and a separate process does them (`SubprocessWorker`). A
long export keeps Python busy: in a thread it would slow down every act and push of the floor, which share its
interpreter. A process uses another core, and runs at low priority if there is only one.
"""

import asyncio
import contextlib
import datetime as dt
import errno
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection, transaction
from django.db.models import Q, QuerySet

from audit import clock, export, record
from audit.entries import (
    EXPORT_FAILED,
    EXPORT_FINISHED,
    RECORD_VERIFIED,
    VERIFICATION_FAILED,
    ExportFinished,
    FailureCode,
    JobFields,
)
from audit.entry_types import EntryBody
from audit.exporting import output
from audit.logs import OutageLog
from audit.models import Job, LegalHold
from audit.models.desk import JobKind

log = logging.getLogger(__name__)
POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 1.0
DEAD_AFTER = dt.timedelta(seconds=60)
TIDY_SECONDS = 600.0
LEFTOVER_SECONDS = 24 * 60 * 60
TRIES_MAX = 3
STOP_SECONDS = 3.0  # for a stopped worker to put its job back
RUNNING = Q(status=Job.Status.RUNNING)


class JobLost(Exception):
    """Another worker has restarted this job, so this one may write nothing more about it."""


class WorkerStopped(Exception):
    """The worker was asked to stop. The job waits for the next worker."""


class Worker:
    """Does jobs. Any thread may set `stop`; a running job is then put back."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(settings.EXPORTS_DIR)
        self.stop = threading.Event()
        self.tidied_at: float | None = None
        self.outage = OutageLog(log, "Looking for jobs", "It is tried again every second.", traceback=True)

    def run(self) -> None:
        """Do jobs until `stop` is set. A failure is logged and tried again."""
        while not self.stop.is_set():
            worked = False
            try:
                close_old_connections()
                worked = self.run_next()
                self.tidy_now_and_then()
                self.outage.worked()
            except Exception as error:
                self.outage.failed(error)
            finally:
                close_old_connections()
            if not worked:
                self.stop.wait(POLL_SECONDS)

    def run_next(self) -> bool:
        """Do the job that has waited longest. Returns whether there was one."""
        job = claim()
        if job is None:
            return False
        try:
            self._do(job)
        except JobLost:
            log.warning("job %s was restarted by another worker", job.pk)
        except DatabaseError:
            # A busy database may accept later what it refuses now; TRIES_MAX limits the tries.
            log.exception("job %s is put back", job.pk)
            own_row(job).update(status=Job.Status.WAITING, entries_done=0)
        except WorkerStopped:
            tries = job.results["tries"] - 1  # the job did not cause the stop, so this try does not count
            own_row(job).update(status=Job.Status.WAITING, entries_done=0, results={"tries": tries})
        return True

    def _do(self, job: Job) -> None:
        if job.results.get("tries", 0) > TRIES_MAX:
            fail(job, "gave-up")
            return
        part = self.folder / f".{job.pk}.{_token(job)}.part"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o750)
            with Heartbeat(job, self.stop) as beat:
                result = output.produce(job, part, beat)
            finish(job, result, part, file_path(job, self.folder))
        except (JobLost, WorkerStopped, DatabaseError):
            raise
        except Exception as error:
            fail(job, _failure_code(job, error))
        finally:
            part.unlink(missing_ok=True)

    def tidy_now_and_then(self) -> None:
        if self.tidied_at is None or time.monotonic() - self.tidied_at >= TIDY_SECONDS:
            self.tidied_at = time.monotonic()
            self.tidy()

    def tidy(self) -> None:
        """Remove files of jobs that ended EXPORTS_KEEP_DAYS ago, and leftovers of killed workers. The rows stay.

        A file that a legal hold covers stays as well.
        """
        now = clock.now()
        old = Job.objects.filter(
            status=Job.Status.DONE,
            finished_at__lt=now - dt.timedelta(days=settings.EXPORTS_KEEP_DAYS),
        ).exclude(Q(filename="") | Q(results__has_key="removed_at"))
        for job in old:
            if is_held(job, now):
                continue
            file_path(job, self.folder).unlink(missing_ok=True)
            job.results["removed_at"] = clock.format_moment(now)
            job.save(update_fields=["results"])
        for part in self.folder.glob(".*.part"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - part.stat().st_mtime > LEFTOVER_SECONDS:
                    shutil.rmtree(part) if part.is_dir() else part.unlink()


class Heartbeat:
    """Writes every second, on its own connection, that the worker is alive and how far it is.

    Call it with the entries done, and the first time with `total`. Raises JobLost and WorkerStopped.
    """

    def __init__(self, job: Job, stop: threading.Event) -> None:
        self.job, self.stop = job, stop
        self.done, self.total = 0, 0
        self.lost, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __call__(self, completed: int | None = None, total: int | None = None) -> None:
        self.done = self.done if completed is None else completed
        self.total = self.total if total is None else total
        if self.lost.is_set():
            raise JobLost
        if self.stop.is_set():
            raise WorkerStopped

    def __enter__(self) -> "Heartbeat":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def _run(self) -> None:
        try:
            while not self.over.wait(HEARTBEAT_SECONDS):
                try:
                    self._write()
                except DatabaseError:
                    log.warning("job %s cannot save its progress", self.job.pk, exc_info=True)
        finally:
            connection.close()

    def _write(self) -> None:
        if not own_row(self.job).update(entries_done=self.done, total=self.total, beat_at=clock.now()):
            self.lost.set()


def claim() -> Job | None:
    """Claim the job that has waited longest, or whose worker has not reported for `DEAD_AFTER`. None if none waits."""
    if not pending_jobs(clock.now()).exists():
        return None
    with transaction.atomic():
        now = clock.now()
        waiting = pending_jobs(now).select_for_update(
            skip_locked=connection.features.has_select_for_update_skip_locked, of=("self",)
        )
        job = waiting.order_by("asked_at").first()
        if job is None:
            return None
        job.status, job.started_at, job.beat_at = Job.Status.RUNNING, now, now
        job.entries_done = job.total = 0
        job.results = {"tries": job.results.get("tries", 0) + 1}
        job.save(update_fields=["status", "started_at", "beat_at", "entries_done", "total", "results"])
    return job


def pending_jobs(now: dt.datetime) -> QuerySet[Job]:
    """The jobs that wait, and those whose worker has not reported for `DEAD_AFTER`."""
    return Job.objects.filter(Q(status=Job.Status.WAITING) | (RUNNING & Q(beat_at__lt=now - DEAD_AFTER)))


def own_row(job: Job) -> QuerySet[Job]:
    """The job's row, as long as the caller still has the job."""
    return Job.objects.filter(RUNNING, pk=job.pk, started_at=job.started_at)


def finish(job: Job, result: output.JobOutput, part: Path, place: Path) -> None:
    """Move the file into place, record it and end the job, all or nothing. Raises JobLost."""
    with transaction.atomic():
        _lock_row(job)
        if result.filename:
            os.replace(part, place)
        _append(*_finished_entry(job, result))
        own_row(job).update(
            status=Job.Status.DONE,
            finished_at=clock.now(),
            filename=result.filename,
            size_bytes=result.size_bytes,
            sha256=result.sha256,
            results={**job.results, **result.details},
            entries_done=result.entries,
            total=result.entries,
        )


def fail(job: Job, why: FailureCode) -> None:
    """End a job that failed, with the code of the reason. Raises JobLost."""
    with transaction.atomic():
        _lock_row(job)
        entry_type = VERIFICATION_FAILED if job.kind == Job.Kind.VERIFICATION else EXPORT_FAILED
        _append(f"{job.facility}/exports", entry_type({**_job_fields(job), "job": str(job.pk), "why": why}))
        own_row(job).update(status=Job.Status.FAILED, finished_at=clock.now(), failure_code=why)


def is_held(job: Job, now: dt.datetime) -> bool:
    """Whether a legal hold on exported files covers the days of a job."""
    today = clock.gaming_day(job.facility, now)
    days = [
        dt.date.fromisoformat(job.params[name]) if job.params.get(name) else None
        for name in ("day", "last_day")
    ]
    holds = LegalHold.objects.filter(facility=job.facility, released_at=None)
    return any("exports" in hold.kinds and hold.holds_on(today) and hold.covers(*days) for hold in holds)


def file_path(job: Job, folder: Path | None = None) -> Path:
    """The path of a job's file, whether or not it exists yet."""
    return (folder or Path(settings.EXPORTS_DIR)) / f"{job.pk}.{output.EXTENSIONS.get(job.kind, 'none')}"


def _lock_row(job: Job) -> None:
    """Lock the job's row until the transaction ends. Raises JobLost if the caller no longer has the job."""
    if own_row(job).select_for_update(of=("self",)).first() is None:
        raise JobLost


def _append(stream_name: str, entry: EntryBody) -> None:
    stream = record.lock_stream(stream_name)
    moment = clock.never_before(stream, clock.now())
    day = clock.gaming_day(stream.facility, moment)
    record.append(stream, entry=entry, moment=moment, gaming_day=day)


def _finished_entry(job: Job, result: output.JobOutput) -> tuple[str, EntryBody]:
    if job.kind == Job.Kind.VERIFICATION:
        assert result.figures is not None
        return f"{job.facility}/exports", RECORD_VERIFIED(
            {**_job_fields(job), "job": str(job.pk), "kind": "verification", **result.figures}
        )
    data: ExportFinished = {
        **_job_fields(job),
        "job": str(job.pk),
        "bytes": result.size_bytes,
        "entries": result.entries,
        "from": job.params.get("from"),
        "record_sha256": result.details.get("record_sha256"),
        "sha256": result.sha256,
        "streams": result.details.get("streams", 0),
        "to": job.params.get("to"),
        "training": bool(job.params.get("training")),
        "unsealed": result.details.get("unsealed", 0),
    }
    return f"{job.facility}/exports", EXPORT_FINISHED(data)


def _job_fields(job: Job) -> JobFields:
    asked_by = job.asked_by.code if job.asked_by else ""
    return {"asked_by": asked_by, "facility": job.facility, "kind": cast(JobKind, job.kind)}


def _failure_code(job: Job, error: Exception) -> FailureCode:
    if isinstance(error, export.MissingEntry):
        return "missing-entry"
    if isinstance(error, export.UnknownStream | export.MixedPlay):
        return "no-such-stream"
    log.error("job %s failed", job.pk, exc_info=error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "disk-full"
    return "not-written" if isinstance(error, OSError) else "unexpected"


def _token(job: Job) -> str:
    assert job.started_at is not None
    return job.started_at.strftime("%Y%m%d%H%M%S%f")


def jobs_ahead(job: Job) -> int:
    """The number of jobs ahead of a waiting one."""
    return (
        Job.objects.filter(RUNNING | Q(status=Job.Status.WAITING, asked_at__lt=job.asked_at))
        .exclude(pk=job.pk)
        .count()
    )


# The worker of the embedded default


NICE = 10


class SubprocessWorker(Worker):
    """Does the waiting jobs with `manage.py exporter --once`.

    `stop` also stops that process, which puts its job back.
    """

    def run_next(self) -> bool:
        """Do all waiting jobs. Returns False if there were none or the process failed."""
        if not pending_jobs(clock.now()).exists():
            return False
        process = subprocess.Popen(worker_command(), cwd=settings.BASE_DIR)
        _lower_priority(process)
        while process.poll() is None:
            if self.stop.wait(POLL_SECONDS / 10):
                _stop_process(process)
        if process.returncode and not self.stop.is_set():
            log.error("the process for the desk's jobs ended with status %s", process.returncode)
        return process.returncode == 0


def worker_command() -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "exporter", "--once"]


def _lower_priority(process: "subprocess.Popen[bytes]") -> None:
    """Let the floor go first when both need the same core."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)


def _stop_process(process: "subprocess.Popen[bytes]") -> None:
    """Ask the process to put its job back. If it does not, kill it; its job is restarted when its heartbeat stops."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def with_worker(application: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the application with a worker that starts with the first scope and stops with the server."""
    worker = SubprocessWorker()
    threads: list[threading.Thread] = []

    async def working(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not threads:
            threads.append(threading.Thread(target=worker.run, name="exporter", daemon=True))
            threads[0].start()
        await application(scope, receive, send)
        if scope["type"] == "lifespan":
            worker.stop.set()
            await asyncio.to_thread(threads[0].join, 2 * STOP_SECONDS)

    return working


# Whether the jobs are being done


def health_problem(now: dt.datetime) -> str:
    """Return a sentence if a job has waited longer than DEAD_AFTER and no worker is running; "" if all is well.

    A job may wait long behind another, whose worker then reports every second.
    """
    running = Job.objects.filter(status=Job.Status.RUNNING, beat_at__gt=now - DEAD_AFTER)
    since = now - DEAD_AFTER
    overdue = Q(status=Job.Status.WAITING, asked_at__lt=since) | Q(
        status=Job.Status.RUNNING, beat_at__lt=since
    )
    oldest = Job.objects.filter(overdue).order_by("asked_at").values_list("asked_at", flat=True).first()
    if oldest is None or running.exists():
        return ""
    return f"A job from {clock.format_moment(oldest)} is waiting and no exporter is running. See the exporter's log."
