"""Give somebody a one-time password: the first administrators, or people who lost their second factors."""

import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from audit import clock, factors, passwords, people
from audit.devices import append_sign_in, lock_sign_in_stream
from audit.entries import FACTOR_ENDED, PASSWORD_GIVEN, PasswordGiven
from audit.registration import facilities_of, facilities_on_record


class Command(BaseCommand):
    help = "Give a person a one-time password, and print it, once. The record says that the server's operator did."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("person", help="the person's code")
        parser.add_argument(
            "--lost", action="store_true", help="also end the second factors of the person, who lost them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = people.person_by_code(options["person"])
        if person is None or not person.is_active:
            raise CommandError(f"There is nobody with the code {options['person']}.")
        facilities = facilities_of(person, facilities_on_record())
        if not facilities:
            raise CommandError("There is no facility yet, so nobody can sign in.")
        with transaction.atomic():
            streams = [lock_sign_in_stream(facility) for facility in sorted(facilities)]
            moment = max(clock.never_before(stream, clock.now()) for stream in streams)
            ended = factors.end_all(person, moment) if options["lost"] else []
            row = passwords.give_one_time(person, uuid.uuid4(), moment, None)
            for stream in streams:
                for data in ended:
                    append_sign_in(stream, FACTOR_ENDED({**data, "by_operator": True}), moment=moment)
                given: PasswordGiven = {**passwords.statement_of(row), "by_operator": True}
                append_sign_in(stream, PASSWORD_GIVEN(given), moment=moment)
        hours = int(passwords.PRINTED_LIFETIME.total_seconds()) // 3600
        self.stderr.write(f"The one-time password of {person} works once, and for {hours} hours:")
        self.stdout.write(str(passwords.one_time_text(row)))
