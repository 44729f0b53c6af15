"""`manage.py close_stream`: two people close a damaged stream, which continues under another name."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.closing import close_stream
from audit.errors import AuditRefusal
from audit.management.pins import read_pins
from audit.sealing.incarnations import authenticate


class Command(BaseCommand):
    help = (
        "Close a damaged stream of the record, such as larkfield/T-04, and continue it under another name. It takes "
        "two people from different departments, one of them compliance, each with their own PIN."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("stream", help="the name of the stream")
        parser.add_argument("actor", help="the code of the person who declares")
        parser.add_argument("witness", help="the code of the second person")
        parser.add_argument("--why", required=True, help="what happened")
        parser.add_argument(
            "--pins-from-stdin", action="store_true", help="read the two PINs as lines, for scripts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        codes = (options["actor"], options["witness"])
        try:
            pins = read_pins(codes, options["pins_from_stdin"])
            actor, witness = (authenticate(code, pin) for code, pin in zip(codes, pins, strict=True))
            stream = close_stream(options["stream"], actor, witness, options["why"])
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write(f"{options['stream']} is closed. {stream.name} continues it.")
