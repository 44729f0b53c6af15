"""The worker of the embedded default: a thread of the server looks for jobs, and a process of its own does them.

A long export is Python without end. In a thread it would hold back every act and every push of the floor beside it, by
the time that Python gives a thread; a process takes another core, and steps back where there is none.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from django.conf import settings

from audit import clock
from audit.exporting.jobs import POLL_SECONDS, STOP_SECONDS, Worker, pending_jobs

log = logging.getLogger(__name__)
NICE = 10


class SubprocessWorker(Worker):
    """Does what waits by `manage.py exporter --once`. `stop` ends that too: its job is put back."""

    def run_next(self) -> bool:
        """Does all that waits, if something does, and says whether it did; False where the process came to nothing."""
        if not pending_jobs(clock.now()).exists():
            return False
        process = subprocess.Popen(command(), cwd=settings.BASE_DIR)
        _lower_priority(process)
        while process.poll() is None:
            if self.stop.wait(POLL_SECONDS / 10):
                _stop_process(process)
        if process.returncode and not self.stop.is_set():
            log.error("the process that does the jobs of the desk ended with %s", process.returncode)
        return process.returncode == 0


def command() -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "exporter", "--once"]


def _lower_priority(process: "subprocess.Popen[bytes]") -> None:
    """The floor first, where both want the same core."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)


def _stop_process(process: "subprocess.Popen[bytes]") -> None:
    """Asks it to put its job back. One that does not listen is ended: its job is begun anew once it is not heard."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def with_worker(application: Callable[..., Any]) -> Callable[..., Any]:
    """The application with the worker beside it, begun with the first scope and ended with the server."""
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
