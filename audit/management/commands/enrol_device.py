"""Enroll a device, and print the token that its browser needs once."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import devices
from audit.models import Person, Station


class Command(BaseCommand):
    help = "Enroll a device and print its token, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the name on its label, such as tablet-17")
        parser.add_argument("--facility", required=True, help="the code of the facility, such as larkfield")
        parser.add_argument("--station", required=True, choices=Station.values)
        parser.add_argument(
            "--place", default="", help="the only table that it serves, such as larkfield/T-04"
        )
        parser.add_argument("--by", default="", help="the code of the person who enrolls it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            by = Person.objects.get(code=options["by"]) if options["by"] else None
            device, token = devices.enroll(
                options["name"], options["facility"], options["station"], options["place"], by
            )
        except Person.DoesNotExist:
            raise CommandError(f"There is nobody with the code {options['by']}.") from None
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        minutes = int(devices.TOKEN_LIFETIME.total_seconds()) // 60
        self.stderr.write(
            f"Enrolled {device}. Its token is shown this once, works once, and for {minutes} minutes:"
        )
        self.stdout.write(token)
