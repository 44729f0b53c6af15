"""`manage.py close_stream`: two people close damaged streams, which continue under other names."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import clock
from audit.refusals import AuditRefusal
from audit.sealing.declarations import close_stream, streams_ahead
from audit.staff import add_declarer_arguments, authenticated_declarers


class Command(BaseCommand):
    help = (
        "Close a damaged stream of the record, such as larkfield/T-04, and continue it under another name; with "
        "--ahead every stream whose last entry is of the future. It takes two people from different departments, one "
        "of them compliance, each with their own PIN."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "stream", nargs="?", default="", help="the name of the stream, except with --ahead"
        )
        add_declarer_arguments(parser)
        parser.add_argument(
            "--ahead",
            action="store_true",
            help="close all streams that a clock ahead of the time has written on",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["stream"]) == options["ahead"]:
            raise CommandError("Name the stream, or give --ahead without a name.")
        names = streams_ahead(clock.now()) if options["ahead"] else [options["stream"]]
        if not names:
            self.stdout.write("No stream is ahead of the clock. Nothing was closed.")
            return
        try:
            actor, witness = authenticated_declarers(options)
            for name in names:
                stream = close_stream(name, actor, witness, options["why"])
                self.stdout.write(f"{name} is closed. {stream.name} continues it.")
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal
