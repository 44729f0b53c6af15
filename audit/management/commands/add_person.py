"""`manage.py add_person`: somebody new, who chooses a PIN at this terminal."""

import datetime as dt
import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import people, staff
from audit.models import ROLES_OF_PEOPLE
from audit.staff import add_pins_argument, answerable_at_terminal


def add_answerable(parser: ArgumentParser) -> None:
    """The two people who answer for a change of staff with their own PINs, and where PINs are read."""
    parser.add_argument("--by", required=True, help="the code of the system administrator who answers for it")
    parser.add_argument(
        "--with", required=True, dest="witness", help="the code of the second person, of another department"
    )
    add_pins_argument(parser)


def read_pin(code: str, *, from_stdin: bool) -> str:
    """The six digits that a person chooses; at a terminal typed twice. Raises CommandError if they differ."""
    if from_stdin:
        return sys.stdin.readline().strip()
    pin = getpass.getpass(f"PIN of {code}, six digits: ")
    if pin != getpass.getpass(f"PIN of {code} again: "):
        raise CommandError("The two PINs differ. Nothing was changed.")
    return pin


class Command(BaseCommand):
    help = (
        "Add a person to a facility, with the PIN that they choose at this terminal. Two people of two departments "
        "answer for it, each with their own PIN here. Who signs in at the office needs a one-time password too: "
        "give_password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", help="the code by which they sign, such as mei")
        parser.add_argument("name", help="first and last name")
        parser.add_argument("--facility", required=True, help="the code of the facility")
        parser.add_argument("--role", required=True, choices=ROLES_OF_PEOPLE)
        parser.add_argument("--badge", default="", help="the number on the badge")
        parser.add_argument(
            "--license-ends", type=dt.date.fromisoformat, help="the last day, such as 2028-03-14"
        )
        add_answerable(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if people.person_by_code(options["code"]) is not None:
            raise CommandError(f"There is somebody with the code {options['code']} already.")
        try:
            both = answerable_at_terminal(options, options["code"])
            person = staff.add(
                options["code"],
                options["name"],
                facility=options["facility"],
                role=options["role"],
                pin=read_pin(options["code"], from_stdin=options["pin_from_stdin"]),
                badge=options["badge"],
                licence_ends_on=options["license_ends"],
                answerable=both,
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(f"{person.name}, {person.get_role_display()}, may sign in once they are on duty.")
