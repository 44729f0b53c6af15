"""`manage.py change_person`: another role, license, badge or PIN, or the end of somebody's access."""

import datetime as dt
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import people, staff
from audit.management.commands.add_person import add_answerable, read_pin
from audit.models import ROLES_OF_PEOPLE
from audit.staff import answerable_at_terminal


class Command(BaseCommand):
    help = (
        "Change a person's role, license, badge or PIN, or end their access. Two people of two departments answer for "
        "it, each with their own PIN here. The name stays on the record."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", help="the person's code")
        parser.add_argument("--role", default="", choices=["", *ROLES_OF_PEOPLE])
        parser.add_argument("--badge", default="", help="the number on the badge")
        parser.add_argument(
            "--license-ends", type=dt.date.fromisoformat, help="the last day, such as 2028-03-14"
        )
        parser.add_argument("--new-pin", action="store_true", help="they choose a new PIN at this terminal")
        parser.add_argument("--leaves", action="store_true", help="end their access at once")
        add_answerable(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        person = people.person_by_code(options["code"])
        if person is None or not person.is_active:
            raise CommandError(f"There is nobody with the code {options['code']}.")
        try:
            both = answerable_at_terminal(options, person.code)
            pin = read_pin(person.code, from_stdin=options["pin_from_stdin"]) if options["new_pin"] else ""
            devices = staff.change(
                person,
                both,
                role=options["role"],
                licence_ends_on=options["license_ends"],
                badge=options["badge"],
                pin=pin,
                leaves=options["leaves"],
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(f"The record has the change of {person.name}.")
        for name in devices:
            self.stdout.write(f"Signed off at {name}.")
