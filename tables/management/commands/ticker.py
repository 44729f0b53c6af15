"""`manage.py ticker`: the ticker in a process of its own."""

import asyncio
import contextlib
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit.management.health import report_health
from tables.clock.status import health_problem
from tables.clock.ticker import run_ticker


class Command(BaseCommand):
    help = "Run the ticker: record expired dice, raise alerts and push the screens. Running two of them is harmless."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="report whether the ticker runs and exit")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped."""
        if options["check"]:
            report_health(self, health_problem)
            return
        self.stdout.write("Ticking.")
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run_ticker())
