"""The worker of the embedded default: a thread of the server looks for jobs, and a separate process does them.

A long export keeps Python busy. In a thread it would slow down every act and push of the floor, which share its
interpreter. A process uses another core, and runs at low priority if there is only one.
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
    """Does the waiting jobs with `manage.py exporter --once`.

    `stop` also stops that process, which puts its job back.
    """

    def run_next(self) -> bool:
        """Do all waiting jobs. Returns False if there were none or the process failed."""
        if not pending_jobs(clock.now()).exists():
            return False
        process = subprocess.Popen(command(), cwd=settings.BASE_DIR)
        _lower_priority(process)
        while process.poll() is None:
            if self.stop.wait(POLL_SECONDS / 10):
                _stop_process(process)
        if process.returncode and not self.stop.is_set():
            log.error("the process for the desk's jobs ended with status %s", process.returncode)
        return process.returncode == 0


def command() -> list[str]:
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
