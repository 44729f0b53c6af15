"""The sealer at work: takes the lead, seals once a second, has witnesses asked and copies kept, until it is stopped.

It runs in a thread of the one process of the embedded default, or as `manage.py sealer`. A second one waits, and
takes over when the first is gone.
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
from audit.models import Incarnation, SigningKey
from audit.sealing import copies, keys, state, witnesses
from audit.sealing.leader_lock import Lead
from audit.sealing.log import current
from audit.sealing.sealer import Sealer
from audit.sealing.status import Status
from audit.sealing.troubles import Trouble

log = logging.getLogger(__name__)
SECONDS = 1.0
REMINDED_EVERY = 60.0
ENDING_SECONDS = 4.0
Application = Callable[..., Awaitable[None]]


class Shift:
    """One sealer's time in the lead: the sealing, its witnesses, its copies, and its status."""

    def __init__(self, folder: Path) -> None:
        self.sealer = Sealer(folder)
        self.askers = [witnesses.Asker(witness) for witness in witnesses.configured()]
        self.copies: dict[str, Any] = {"copied": "", "copied_at": None, "copy_said": ""}
        self.status = Status()
        self.copied: float | None = None
        self.warned: tuple[str, float] = ("", 0.0)

    def second(self) -> None:
        """Seal what moved; nothing that fails ends the shift."""
        trouble = None
        try:
            for asker in self.askers:
                if asker.trouble is not None:
                    self.sealer.stop_for(asker.trouble)
                    asker.trouble = None
            if self.sealer.second() is not None:
                for asker in self.askers:
                    asker.want()
            self._copy()
        except Trouble as error:
            trouble = error
        except Exception:
            log.exception("a second was not sealed")
            return
        self._warn(trouble)
        with contextlib.suppress(Exception):
            self.status.tell(
                trouble, {asker.witness.name: asker.report for asker in self.askers}, self.copies
            )

    def end(self) -> None:
        """The last copy, and no more requests."""
        for asker in self.askers:
            asker.stop()
        self.copied = None
        try:
            self._copy()
        except Exception:
            log.exception("the last copy was not made")

    def _copy(self) -> None:
        if not settings.CHECKPOINT_COPIES:
            return
        now = time.monotonic()
        if self.copied is not None and now - self.copied < copies.EVERY_SECONDS:
            return
        incarnation = current()
        if incarnation is None:
            return
        self.copied = now
        try:
            name = copies.keep(Path(settings.CHECKPOINT_COPIES), incarnation)
        except OSError:
            log.exception("no copy was made")
            self.copies = {**self.copies, "copy_said": "copy-failed"}
        except Trouble as trouble:
            self.sealer.stop_for(trouble)
            raise
        else:
            if name != self.copies["copied"]:
                self.copies = {"copied": name, "copied_at": clock.now(), "copy_said": ""}

    def _warn(self, trouble: Trouble | None) -> None:
        """Say a trouble loudly, at once and each minute."""
        code, warned_at = self.warned
        if trouble is None:
            self.warned = ("", 0.0)
        elif trouble.code != code or time.monotonic() - warned_at > REMINDED_EVERY:
            log.critical("NOT SEALED: %s", trouble)
            self.warned = (trouble.code, time.monotonic())


def keep_sealing(stop: threading.Event, folder: Path, first_key: bool = False) -> None:
    """Seal until `stop` is set. `first_key`: make the first key where the record has none (the embedded default)."""
    lead, shift, waits = Lead(folder), None, False
    while not stop.is_set():
        began = time.monotonic()
        try:
            if shift is not None and not lead.holds():
                shift.end()
                shift = None
            if shift is None and lead.take():
                if first_key:
                    begin(folder)
                shift, waits = Shift(folder), False
            if shift is not None:
                shift.second()
            elif not waits:
                log.warning("This sealer waits: another is at work, or the database does not answer.")
                waits = True
        except Exception:
            log.exception("the sealer stumbled")
        close_old_connections()
        stop.wait(max(0.0, SECONDS - (time.monotonic() - began)))
    if shift is not None:
        shift.end()
    lead.release()
    close_old_connections()


def begin(folder: Path) -> None:
    """The first key of a record that has none and was never sealed. The demo's floor may be made anew: what was signed
    of the old one is put aside."""
    if SigningKey.objects.exists():
        return
    if (folder / state.NAME).exists():
        if not settings.DEMO or Incarnation.objects.exists():
            return
        aside = folder / f"before-{clock.now():%Y%m%dT%H%M%S}"
        aside.mkdir()
        for path in (folder / state.NAME, folder / keys.FILES):
            path.rename(aside / path.name)
        log.warning("A new demo: what was signed of the old one is in %s.", aside)
    keys.create(keys.folder())


def with_sealer(application: Application) -> Application:
    """The application with the sealer in a thread of its process, from the first scope to the end of the server.

    Raises ImproperlyConfigured for witnesses that could not be asked.
    """
    witnesses.configured()
    stop, threads = threading.Event(), list[threading.Thread]()

    async def sealing(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not threads:
            work = threading.Thread(
                target=keep_sealing, args=(stop, keys.folder(), True), name="sealer", daemon=True
            )
            threads.append(work)
            work.start()
        await application(scope, receive, send)
        if scope["type"] == "lifespan":
            stop.set()
            await asyncio.to_thread(threads[0].join, ENDING_SECONDS)

    return sealing
