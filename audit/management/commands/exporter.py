"""`manage.py exporter`: the worker of the desk's exports and verifications, in a process of its own."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.exporting.health import health_problem
from audit.exporting.jobs import Worker
from audit.management.health import report_health


class Command(BaseCommand):
    help = "Write the exports that the desk asks for, and verify the record. Several of these share the jobs out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what waits now, and stop")
        parser.add_argument("--check", action="store_true", help="say whether work is done, and stop")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until it is stopped; a job that runs then is put back for the next worker."""
        if options["check"]:
            report_health(self, health_problem)
            return
        worker = Worker()
        with _heeding(worker):
            if options["once"]:
                while not worker.stop.is_set() and worker.run_next():
                    pass
                worker.tidy()
                return
            self.stdout.write(f"Waiting for exports, which go to {worker.folder}.")
            worker.run()


@contextlib.contextmanager
def _heeding(worker: Worker) -> Iterator[None]:
    """The worker stops where the process is asked to."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: worker.stop.set()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
