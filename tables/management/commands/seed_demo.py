"""`manage.py seed_demo`: the demo floor, once."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.demo import floor
from tables.demo.seeding import seed


class Command(BaseCommand):
    help = "Makes the demo floor (tables in every edition, people for every role). Doing it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--show` only prints the sign-ins."""
        parser.add_argument("--show", action="store_true", help="print the demo sign-ins and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuses outside the demo: known PINs open nothing in production."""
        if not settings.DEMO:
            raise CommandError(
                "The demo floor has known PINs. It is made only where DEMO is on, never in production."
            )
        if not options["show"]:
            made = seed()
            self.stdout.write("The demo floor is made." if made else "The demo floor is there already.")
        if options["show"] or options["verbosity"] > 1:
            self._show()

    def _show(self) -> None:
        for facility in floor.FACILITIES:
            self.stdout.write(f"\n{facility.name}  (/floor/{facility.code}/)")
            for person in floor.PEOPLE:
                if person.facility == facility.code:
                    where = ", ".join(where or "the whole floor" for where in person.where)
                    self.stdout.write(f"  {person.pin}  {person.name:<18} {person.role:<20} {where}")
        self.stdout.write("\nEvery facility")
        for person in floor.PEOPLE:
            if not person.facility:
                self.stdout.write(f"  {person.pin}  {person.name:<18} {person.role}")
