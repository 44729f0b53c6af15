"""`manage.py exporter`: the worker for the desk's exports and verifications, in its own process."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit import metrics
from audit.exporting.jobs import Worker, health_problem
from audit.management.health import report_health


class Command(BaseCommand):
    help = "Do the desk's exports and verifications of the record. Several exporters share the jobs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do the waiting jobs and exit")
        parser.add_argument(
            "--check", action="store_true", help="report whether jobs are being done and exit"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped. A running job is then put back for the next worker."""
        if options["check"]:
            report_health(self, health_problem)
            return
        worker = Worker()
        with _stopping_on_signals(worker):
            if options["once"]:
                while not worker.stop.is_set() and worker.run_next():
                    pass
                worker.tidy()
                return
            metrics.listen()
            self.stdout.write(f"Waiting for jobs. Exports go to {worker.folder}.")
            worker.run()


@contextlib.contextmanager
def _stopping_on_signals(worker: Worker) -> Iterator[None]:
    """Stop the worker when the process gets SIGTERM or SIGINT."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: worker.stop.set()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
