"""`manage.py record_rows`: state the rows of a facility that no entry states, from before entries did."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.columns import record_rows
from audit.models import Stream


class Command(BaseCommand):
    help = (
        "State on the record every row of a facility that no entry states, as it is now: what was there before "
        "entries stated such rows, or was put there by hand. From then on a full verification names each row without "
        "an entry. Look at the rows first, because this makes them part of the record."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("facility", help="the code of the facility, such as larkfield")

    def handle(self, *args: Any, **options: Any) -> None:
        facility = options["facility"]
        if not Stream.objects.filter(name__startswith=f"{facility}/").exists():
            raise CommandError(f"There is no facility {facility}.")
        rows = record_rows(facility)
        self.stdout.write(f"{facility}: {rows} rows stated.")
