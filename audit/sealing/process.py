"""The sealer's loop: become the leader, then once a second seal, notify witnesses and copy checkpoints, until stopped.

It runs in a thread of the embedded default's only process, or as `manage.py sealer`. A second sealer waits and takes
over when the first one ends.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import close_old_connections

from audit import clock
from audit.logs import OutageLog
from audit.models import Incarnation, SigningKey
from audit.sealing import copies, keys, state, witnesses
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.log import current_incarnation
from audit.sealing.problems import SealingProblem
from audit.sealing.sealer import Sealer
from audit.sealing.status import StatusWriter

log = logging.getLogger(__name__)
SECONDS = 1.0
REMINDER_SECONDS = 60.0
STOP_SECONDS = 4.0
Application = Callable[..., Awaitable[None]]


class SealerSession:
    """A sealer while it is the leader: its sealing, witnesses, copies and status."""

    def __init__(self, folder: Path) -> None:
        self.sealer = Sealer(folder)
        self.clients = [witnesses.WitnessClient(witness) for witness in witnesses.configured()]
        self.copies: dict[str, Any] = {"newest_copy": "", "copied_at": None, "copy_problem": ""}
        self.status = StatusWriter()
        self.failure = OutageLog(log, "Sealing", "It is tried again every second.", traceback=True)
        self.copied_at: float | None = None
        self.warned: tuple[str, float] = ("", 0.0)

    def run_once(self) -> None:
        """Do the work of one second. A failure does not end the session, and the status names it."""
        problem = None
        try:
            for client in self.clients:
                if client.problem is not None:
                    self.sealer.record_problem(client.problem)
                    client.problem = None
            if self.sealer.seal() is not None:
                for client in self.clients:
                    client.request()
            self._copy()
            self.failure.worked()
        except SealingProblem as error:
            problem = error
        except OSError as error:
            problem = SealingProblem("folder-unwritable", error=error.strerror or type(error).__name__)
        except Exception as error:
            self.failure.failed(error)
            problem = SealingProblem("sealing-failed", error=type(error).__name__)
        self._warn(problem)
        with contextlib.suppress(Exception):
            self.status.update(
                problem, {client.witness.name: client.report for client in self.clients}, self.copies
            )

    def end(self) -> None:
        """Stop asking witnesses and make the last copy."""
        for client in self.clients:
            client.stop()
        self.copied_at = None
        try:
            self._copy()
        except Exception:
            log.exception("cannot make the last copy")

    def _copy(self) -> None:
        if not settings.CHECKPOINT_COPIES:
            return
        now = time.monotonic()
        if self.copied_at is not None and now - self.copied_at < copies.EVERY_SECONDS:
            return
        incarnation = current_incarnation()
        if incarnation is None:
            return
        self.copied_at = now
        try:
            name = copies.save_newest(Path(settings.CHECKPOINT_COPIES), incarnation)
        except OSError:
            log.exception("cannot copy the checkpoint")
            self.copies = {**self.copies, "copy_problem": "copy-failed"}
        except SealingProblem as problem:
            self.sealer.record_problem(problem)
            raise
        else:
            if name != self.copies["newest_copy"]:
                self.copies = {"newest_copy": name, "copied_at": clock.now(), "copy_problem": ""}

    def _warn(self, problem: SealingProblem | None) -> None:
        """Log a problem at once, and again every minute."""
        code, warned_at = self.warned
        if problem is None:
            self.warned = ("", 0.0)
        elif problem.code != code or time.monotonic() - warned_at > REMINDER_SECONDS:
            log.critical("NOT SEALED: %s", problem)
            self.warned = (problem.code, time.monotonic())


def run_sealer(stop: threading.Event, folder: Path, first_key: bool = False) -> None:
    """Seal until `stop` is set. `first_key`: create the first key if the record has none (the embedded default)."""
    lock, session, waits = LeaderLock(folder), None, False
    while not stop.is_set():
        began = time.monotonic()
        try:
            if session is not None and not lock.is_held():
                session.end()
                session = None
            if session is None and lock.acquire():
                if first_key:
                    create_first_key(folder)
                session, waits = SealerSession(folder), False
            if session is not None:
                session.run_once()
            elif not waits:
                log.warning(
                    "This sealer is waiting: another one is running, or the database does not answer."
                )
                waits = True
        except Exception:
            log.exception("the sealer failed, and tries again")
        close_old_connections()
        stop.wait(max(0.0, SECONDS - (time.monotonic() - began)))
    if session is not None:
        session.end()
    lock.release()
    close_old_connections()


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
        for path in (folder / state.NAME, folder / keys.KEY_FOLDER):
            path.rename(aside / path.name)
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
