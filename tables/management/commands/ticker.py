"""`manage.py ticker`: the ticker in a process of its own."""

import asyncio
import contextlib
import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.management.health import report_health
from tables.monitoring import watch_installation
from tables.ticker import health_problem, run_ticker


class Command(BaseCommand):
    help = "Run the ticker: record expired dice, raise alerts and push the screens. Running two of them is harmless."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="report whether the ticker runs and exit")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped."""
        if options["check"]:
            report_health(self, health_problem)
            return
        watch_installation()
        self.stdout.write("Ticking.")
        self.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(_tick_until_stopped())


async def _tick_until_stopped() -> None:
    """Run the ticker until SIGTERM, which the system does not deliver to process 1 unless it is handled."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await run_ticker()
