"""`manage.py ticker`: the ticker in a process of its own."""

import asyncio
import contextlib
from typing import Any

from django.core.management.base import BaseCommand

from tables.clock.ticker import run_ticker


class Command(BaseCommand):
    help = "Run the ticker: record expired dice, raise alerts and push the screens. Running two of them is harmless."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped."""
        self.stdout.write("Ticking.")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run_ticker())
