"""`manage.py sealer`: seals the record once a second, in the one process that has the key."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.sealing import keys
from audit.sealing.process import keep_sealing
from audit.wording import say


class Command(BaseCommand):
    help = "Seals the record once a second. A second one waits, and takes over when the first is gone."

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until it is stopped."""
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        try:
            folder = keys.folder()
        except keys.KeyRefused as refusal:
            raise CommandError(say(refusal)) from refusal
        self.stdout.write("Sealing.")
        self.stdout.flush()
        keep_sealing(stop, folder)
