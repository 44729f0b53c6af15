"""`manage.py ticker`: the clock's own acts, in a process of its own."""

import asyncio
import contextlib
from typing import Any

from django.core.management.base import BaseCommand

from tables.clock.ticker import run_ticker


class Command(BaseCommand):
    help = "Records what the clock does (dice that reach their time) and tells the screens. Two of these are harmless."

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until it is stopped."""
        self.stdout.write("Ticking.")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run_ticker())
