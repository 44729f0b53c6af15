"""`manage.py create_facility`: a facility, its first two people and its first device."""

import datetime as dt
import getpass
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import devices
from games import jurisdictions
from games.models import Facility
from tables.setup.first_day import Administrator, create_facility


def local_time(text: str) -> dt.time:
    """Read a local time such as 06:00."""
    try:
        return dt.time.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no time such as 06:00.") from None


class Command(BaseCommand):
    help = (
        "Create a facility with its jurisdiction, time zone and gaming day, two people (a system administrator and "
        "somebody of compliance, each with their own PIN) and a podium, whose enrollment token is printed once. "
        "docs/first-day.md says how to go on from there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", help="the code in addresses and on the record, such as larkfield")
        parser.add_argument("name", help="the name on screens and paper")
        parser.add_argument(
            "--jurisdiction", required=True, help="the code of its file in games/jurisdictions"
        )
        parser.add_argument("--time-zone", required=True, help="such as America/New_York")
        parser.add_argument(
            "--gaming-day-start",
            type=local_time,
            help="local time; that of the jurisdiction if it is left out",
        )
        for role in ("system-administrator", "compliance"):
            parser.add_argument(
                f"--{role}",
                nargs=2,
                required=True,
                metavar=("CODE", "NAME"),
                help="the first person of this role",
            )
        parser.add_argument("--podium", default="Podium 1", help="the name of the first device (Podium 1)")
        parser.add_argument(
            "--pins-from-stdin", action="store_true", help="read the two PINs as lines, for scripts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if Facility.objects.filter(code=options["code"]).exists():
            raise CommandError(f"There is a facility {options['code']} already.")
        try:
            law = jurisdictions.jurisdiction(options["jurisdiction"])
            ZoneInfo(options["time_zone"])
        except (ImproperlyConfigured, KeyError, OSError, ValueError):
            raise CommandError(
                f"Unknown: jurisdiction {options['jurisdiction']} or time zone {options['time_zone']}."
            ) from None
        people = (options["system_administrator"], options["compliance"])
        pins = [self._pin(code, from_stdin=options["pins_from_stdin"]) for code, _ in people]
        first, second = (
            Administrator(code, name, pin) for (code, name), pin in zip(people, pins, strict=True)
        )
        try:
            facility, token = create_facility(
                code=options["code"],
                name=options["name"],
                jurisdiction=options["jurisdiction"],
                time_zone=options["time_zone"],
                gaming_day_start=options["gaming_day_start"] or law.gaming_day_start,
                administrators=(first, second),
                podium=options["podium"],
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        minutes = int(devices.TOKEN_LIFETIME.total_seconds()) // 60
        self.stderr.write(
            f"{facility.name} is created. The token of {options['podium']} is shown this once, works once, and for "
            f"{minutes} minutes. Open /enrol in the browser of that device and enter it:"
        )
        self.stdout.write(token)
        if settings.SECOND_FACTORS:
            self.stderr.write("Then give each of the two a one-time password: manage.py give_password CODE")

    def _pin(self, code: str, *, from_stdin: bool) -> str:
        """The six digits that a person chooses; at a terminal typed twice."""
        if from_stdin:
            return sys.stdin.readline().strip()
        pin = getpass.getpass(f"PIN of {code}, six digits: ")
        if pin != getpass.getpass(f"PIN of {code} again: "):
            raise CommandError("The two PINs differ. Nothing was created.")
        return pin
