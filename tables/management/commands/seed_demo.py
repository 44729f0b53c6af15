"""`manage.py seed_demo`: create the demo floor, once."""

import sys
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from tables.demo import floor
from tables.demo.evening import seed_evening
from tables.demo.seeding import let_a_client_in, seed


class Command(BaseCommand):
    help = "Create the demo floor (tables in every edition, people for every role). A second run changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--evening`, and `--show`, which only prints the sign-ins."""
        parser.add_argument(
            "--evening", action="store_true", help="deal the hour before at every table (about a minute)"
        )
        parser.add_argument(
            "--client", action="store_true", help="also a client of the API with a public secret"
        )
        parser.add_argument("--show", action="store_true", help="print the demo sign-ins and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the demo floor. Refused outside the demo: its PINs are public."""
        if not settings.DEMO:
            raise CommandError(
                "The demo floor has public PINs. It is created only if DEMO is on, never in production."
            )
        if not options["show"]:
            is_new = seed_evening(self._progress) if options["evening"] else seed()
            if options["client"]:
                let_a_client_in()
            self.stdout.write("The demo floor was created." if is_new else "The demo floor already exists.")
        if options["show"] or options["verbosity"] > 1:
            self.stdout.write("\n".join(floor.sign_ins()))

    def _progress(self, tables: range) -> Iterable[int]:
        """Show on standard error how much of the evening has been played, if that is a terminal."""
        return tqdm(
            tables, desc="Playing the evening", unit="table", disable=not sys.stderr.isatty(), file=sys.stderr
        )
