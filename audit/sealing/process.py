"""The sealer's loop: become the leader, then once a second seal, notify witnesses and copy checkpoints, until stopped.

It runs in a thread of the embedded default's only process, or as `manage.py sealer`. A second sealer waits and takes
over when the first one ends.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import close_old_connections

from audit import clock
from audit.logs import OutageLog
from audit.models import Incarnation, SigningKey
from audit.sealing import keys, state, witnesses
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.log import Log, current_incarnation, logs_of
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem
from audit.sealing.status import NO_COPY, LogReport, StatusWriter
from audit.sealing.witnesses import COPY_EVERY_SECONDS, save_newest_copy

log = logging.getLogger(__name__)
SECONDS = 1.0
REMINDER_SECONDS = 60.0
STOP_SECONDS = 4.0
YIELD_SECONDS = 10.0  # so long a sealer with an old folder leaves the lease to others
FAILED_CODE = "sealing-failed"
YIELDING_CODES = ("folder-behind", "state-missing", "lease-lost")
Application = Callable[..., Awaitable[None]]


class SealerSession:
    """A sealer while it is the leader: its sealing, witnesses, copies and status.

    `must_yield` is set once its folder is not the newest: another sealer may have that one. `warned` has what was
    logged as not sealed, by the log's facility: its code and when. It outlives the session.
    """

    def __init__(
        self,
        folder: Path,
        lock: LeaderLock | None = None,
        warned: dict[str, tuple[str, float]] | None = None,
    ) -> None:
        self.sealer = Sealer(folder, lock=lock)
        self.lock = lock
        self.must_yield = False
        self.noted = 0  # the incarnation for which the lease names this folder
        self.clients = [witnesses.WitnessClient(witness) for witness in witnesses.configured()]
        self.copies: dict[str, Mapping[str, Any]] = {}  # by the log's facility, "" for the first log
        self.status = StatusWriter()
        self.failure = OutageLog(log, "Sealing", "It is tried again every second.", traceback=True)
        self.copied_at: float | None = None
        self.warned = {} if warned is None else warned

    def run_once(self) -> None:
        """Do the work of one second. A failure does not end the session, and the status names it."""
        try:
            for client in self.clients:
                if client.problem is not None:
                    with contextlib.suppress(SealingProblem):  # sealing that log raises it again
                        self.sealer.record_problem(client.problem)
                        client.problem = None
            sealed = self.sealer.seal_logs()
            if "" not in sealed.errors:
                self._note_folder()
            if sealed.checkpoints:
                for client in self.clients:
                    client.request()
            errors = sealed.errors
            self._copy(errors)
        except Exception as error:
            errors = dict.fromkeys(["", *state.saved_facilities(self.sealer.folder)], error)
        problems = {facility: self._problem(error) for facility, error in errors.items()}
        if all(problem.code != FAILED_CODE for problem in problems.values()):
            self.failure.worked()
        self.must_yield = any(problem.code in YIELDING_CODES for problem in problems.values())
        self._warn(problems)
        with contextlib.suppress(Exception):
            self._write_status(problems)

    def end(self) -> None:
        """Stop asking witnesses and make the last copies."""
        for client in self.clients:
            client.stop()
        self.copied_at = None
        try:
            for error in self._copy({}).values():
                raise error
        except Exception:
            log.exception("cannot make the last copy")

    def _note_folder(self) -> None:
        """Note once in each incarnation that the record is sealed from this folder."""
        incarnation = current_incarnation()
        if self.lock is not None and incarnation is not None and self.noted != incarnation.number:
            self.lock.note_folder(incarnation.number)
            self.noted = incarnation.number

    def _problem(self, error: Exception) -> SealingProblem:
        """An error as a reason for not sealing. Logs one that should not happen."""
        if isinstance(error, SealingProblem):
            return error
        if isinstance(error, OSError):
            return SealingProblem("folder-unwritable", error=error.strerror or type(error).__name__)
        self.failure.failed(error)
        return SealingProblem(FAILED_CODE, error=type(error).__name__)

    def _copy(self, errors: dict[str, Exception]) -> dict[str, Exception]:
        """Copy the newest checkpoint of each log without an error, once a minute. Returns the errors, and new ones."""
        now = time.monotonic()
        waits = self.copied_at is not None and now - self.copied_at < COPY_EVERY_SECONDS
        incarnation = None if waits or not settings.CHECKPOINT_COPIES else current_incarnation()
        if incarnation is None:
            return errors
        logs = [record_log for record_log in logs_of(incarnation) if record_log.facility not in errors]
        if logs:
            self.copied_at = now
        for record_log in logs:
            try:
                self._copy_log(record_log)
            except Exception as error:
                errors[record_log.facility] = error
        return errors

    def _copy_log(self, record_log: Log) -> None:
        last = self.copies.get(record_log.facility, NO_COPY)
        try:
            name = save_newest_copy(Path(settings.CHECKPOINT_COPIES), record_log)
        except OSError:
            log.exception("cannot copy the checkpoint")
            self.copies[record_log.facility] = {**last, "copy_problem": "copy-failed"}
        except SealingProblem as problem:
            self.sealer.record_problem(problem)
            raise
        else:
            if name != last["newest_copy"]:
                fresh = {"newest_copy": name, "copied_at": clock.now(), "copy_problem": ""}
                self.copies[record_log.facility] = fresh

    def _warn(self, problems: dict[str, SealingProblem]) -> None:
        """Log each log's problem at once, and again every minute, and its end."""
        for facility in sorted(self.warned.keys() - problems.keys()):
            log.warning("SEALED AGAIN%s", f": {facility}" if facility else ".")
            del self.warned[facility]
        for facility, problem in problems.items():
            code, warned_at = self.warned.get(facility, ("", 0.0))
            if problem.code != code or time.monotonic() - warned_at > REMINDER_SECONDS:
                log.critical("NOT SEALED: %s", f"{facility}: {problem}" if facility else problem)
                self.warned[facility] = (problem.code, time.monotonic())

    def _write_status(self, problems: dict[str, SealingProblem]) -> None:
        reports = {client.witness.name: client.reports for client in self.clients}
        facilities = {*self.status.facilities, *problems, *self.copies}
        facilities.update(*(by_facility for by_facility in reports.values()))
        logs = {
            facility: LogReport(
                problems.get(facility),
                {name: by_log[facility] for name, by_log in reports.items() if facility in by_log},
                self.copies.get(facility, NO_COPY),
            )
            for facility in sorted(facilities | {""})
        }
        self.status.update(logs.pop(""), logs)


def run_sealer(stop: threading.Event, folder: Path, first_key: bool = False) -> None:
    """Seal until `stop` is set. `first_key`: create the first key if the record has none (the embedded default)."""
    lock, session = LeaderLock(folder), None
    waiting, warned = (
        WaitingLog(),
        dict[str, tuple[str, float]](),
    )  # a sealer that yields leads every ten seconds
    retry_at = 0.0
    outage = OutageLog(log, "The sealer", "It is tried again every second.", traceback=True)
    while not stop.is_set():
        began = time.monotonic()
        try:
            if session is not None and not lock.is_held():
                session.end()
                session = None
            if session is None and began >= retry_at:
                if lock.acquire():
                    if first_key:
                        create_first_key(folder)
                    session = SealerSession(folder, lock, warned)
                    waiting.ended()
                else:
                    waiting.waits(lock.problem)
            if session is not None:
                session.run_once()
                if session.must_yield:
                    session.end()
                    lock.release()
                    session, retry_at = None, time.monotonic() + YIELD_SECONDS
            outage.worked()
        except Exception as error:
            outage.failed(error)
        close_old_connections()
        stop.wait(max(0.0, SECONDS - (time.monotonic() - began)))
    if session is not None:
        session.end()
    lock.release()
    close_old_connections()


class WaitingLog:
    """Logs why this sealer does not lead, once, and a problem of its own again every minute."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.logged_at = 0.0

    def waits(self, problem: SealingProblem | None) -> None:
        """This sealer does not lead: because of a problem, or because another one does."""
        reason = problem.code if problem else ""
        is_due = problem is not None and time.monotonic() - self.logged_at > REMINDER_SECONDS
        if reason == self.reason and not is_due:
            return
        self.reason, self.logged_at = reason, time.monotonic()
        if problem is None:
            log.warning("This sealer is waiting: another one is running.")
        else:
            log.critical("This sealer is waiting and seals nothing: %s", problem)

    def ended(self) -> None:
        """This sealer leads now."""
        if self.reason is not None:
            log.warning("This sealer leads now.")
        self.reason = None


def create_first_key(folder: Path) -> None:
    """Create the first key of a record that has none and was never sealed.

    When the demo is reset, move the previous demo's signed state aside first.
    """
    if SigningKey.objects.exists():
        return
    if (folder / state.NAME).exists():
        if not settings.DEMO or Incarnation.objects.exists():
            return
        aside = folder / f"before-{clock.now():%Y%m%dT%H%M%S}"
        aside.mkdir()
        for name in (state.NAME, state.LOGS_FOLDER, keys.KEY_FOLDER):
            if (folder / name).exists():
                (folder / name).rename(aside / name)
        log.warning("New demo: the previous one's signed state was moved to %s.", aside)
    keys.create(keys.folder())


def with_sealer(application: Application) -> Application:
    """Wrap the application with a sealer that starts in a thread with the first scope and stops with the server.

    Raises ImproperlyConfigured for invalid witnesses.
    """
    witnesses.configured()
    stop, threads = threading.Event(), list[threading.Thread]()

    async def sealing(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not threads:
            work = threading.Thread(
                target=run_sealer, args=(stop, keys.folder(), True), name="sealer", daemon=True
            )
            threads.append(work)
            work.start()
        await application(scope, receive, send)
        if scope["type"] == "lifespan":
            stop.set()
            await asyncio.to_thread(threads[0].join, STOP_SECONDS)

    return sealing
