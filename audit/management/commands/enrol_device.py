"""Enroll a device, and print the token that its browser needs once."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import devices
from audit.models import Station
from audit.staff import add_pins_argument, verify_pins


class Command(BaseCommand):
    help = "Enroll a device and print its token, once. Without --by the record says that the server's operator did it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the name on its label, such as tablet-17")
        parser.add_argument("--facility", required=True, help="the code of the facility, such as larkfield")
        parser.add_argument(
            "--station",
            required=True,
            choices=[station for station in Station.values if station != Station.MACHINE],
        )
        parser.add_argument(
            "--place", default="", help="the only table that it serves, such as larkfield/T-04"
        )
        parser.add_argument(
            "--by", default="", help="the code of the person who enrolls it, with their own PIN"
        )
        add_pins_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        by = verify_pins([options["by"]], options)[0] if options["by"] else None
        try:
            device, token = devices.enroll(
                options["name"], options["facility"], options["station"], options["place"], by
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        minutes = int(devices.TOKEN_LIFETIME.total_seconds()) // 60
        self.stderr.write(
            f"Enrolled {device}. Its token is shown this once, works once, and for {minutes} minutes:"
        )
        self.stdout.write(token)
