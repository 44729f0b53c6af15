"""`manage.py close_stream`: two people close a damaged stream, which continues under another name."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.closing import close_stream
from audit.errors import AuditRefusal
from audit.management.declarers import add_declarer_arguments, authenticated_declarers


class Command(BaseCommand):
    help = (
        "Close a damaged stream of the record, such as larkfield/T-04, and continue it under another name. It takes "
        "two people from different departments, one of them compliance, each with their own PIN."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("stream", help="the name of the stream")
        add_declarer_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            actor, witness = authenticated_declarers(options)
            stream = close_stream(options["stream"], actor, witness, options["why"])
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write(f"{options['stream']} is closed. {stream.name} continues it.")
