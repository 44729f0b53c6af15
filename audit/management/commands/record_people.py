"""`manage.py record_people`: state on the record who may sign in, wherever a row is new or changed."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from audit import registration
from audit.staff import add_pins_argument, verify_pins


class Command(BaseCommand):
    help = (
        "State every new or changed person on the record: name, role, department, facility, and a digest of the PIN "
        "hash. Run it after people were added or changed; a verification finds every other change. Without --by the "
        "record says that the server's operator did it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--by", default="", help="the code of the person who answers for the changes, with their own PIN"
        )
        add_pins_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        by = verify_pins([options["by"]], options)[0] if options["by"] else None
        recorded = registration.record_people(by)
        for person in recorded:
            self.stdout.write(f"{person.code}: {person.name}, {person.get_role_display()}")
        self.stdout.write(f"{len(recorded)} people were recorded.")
