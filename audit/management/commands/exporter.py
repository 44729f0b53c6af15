"""`manage.py exporter`: the worker of the desk's exports and verifications, in a process of its own."""

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.exporting.jobs import Worker


class Command(BaseCommand):
    help = "Write the exports that the desk asks for, and verify the record. Several of these share the jobs out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what waits now, and stop")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until it is stopped; a job that runs then is put back for the next worker."""
        worker = Worker()
        if options["once"]:
            while worker.step():
                pass
            worker.tidy()
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop.set())
        self.stdout.write(f"Waiting for exports, which go to {worker.folder}.")
        worker.run()
