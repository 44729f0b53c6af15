"""`manage.py sealer`: seals the record once a second, in the only process that has the key."""

import signal
import threading
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import metrics
from audit.management.health import report_health
from audit.sealing import keys, witnesses
from audit.sealing.process import run_sealer
from audit.sealing.status import health_problem


class Command(BaseCommand):
    help = "Seal the record once a second. A second sealer waits, and takes over when the first one ends."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="report whether the record is being sealed and exit"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped."""
        if options["check"]:
            report_health(self, health_problem)
            return
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        try:
            folder = keys.folder()
            witnesses.configured()
        except keys.KeyRefused as refusal:
            raise CommandError(refusal.sentence) from refusal
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        metrics.listen()
        self.stdout.write("Sealing.")
        self.stdout.flush()
        run_sealer(stop, folder)
