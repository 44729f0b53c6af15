"""Write the record, or a part of it, to standard output."""

import argparse
import datetime as dt
import os
import sys
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from audit import export


def moment(text: str) -> dt.datetime:
    """A moment of the command line: ISO 8601 with its time zone; a day alone is its beginning in UTC."""
    try:
        parsed = dt.datetime.fromisoformat(text)
        in_utc = parsed.replace(tzinfo=parsed.tzinfo or dt.UTC).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no moment such as 2026-11-21T06:00:00Z") from None
    if parsed.tzinfo is None and len(text) > len("2026-11-21"):
        raise argparse.ArgumentTypeError(f"{text!r} has no time zone; add Z for UTC")
    return in_utc


def of_two_sorts(mixed: export.MixedPlay) -> str:
    """What is wrong with an export of real play and training in one, and what to do instead."""
    if not mixed.other:
        return f"{mixed.real} is of real play: leave out --training to export it."
    return f"{mixed.real} is of real play and {mixed.other} is not: export them apart."


class Command(BaseCommand):
    help = "Write the record to standard output: lines that audit/verify.py checks, or a reading copy as CSV."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--stream", action="append", default=[], help="a stream such as larkfield/T-04; repeatable"
        )
        parser.add_argument("--from", dest="since", type=moment, help="entries at or after this moment")
        parser.add_argument("--to", dest="until", type=moment, help="entries before this moment")
        parser.add_argument(
            "--training",
            action="store_true",
            help="training and simulation, which no export of real play holds, instead of real play",
        )
        parser.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")

    def handle(self, *args: Any, **options: Any) -> None:
        since, until = options["since"], options["until"]
        if since and until and since > until:
            raise CommandError("--from is after --to.")
        try:
            selection = export.select(options["stream"], since, until, training=options["training"])
        except export.UnknownStream as error:
            raise CommandError(f"There is no stream {error}.") from None
        except export.MixedPlay as mixed:
            raise CommandError(of_two_sorts(mixed)) from None
        text: Any = self.stdout._out
        out: BinaryIO = getattr(text, "buffer", text)
        try:
            self._write(selection, options["format"], out)
        except BrokenPipeError:
            # The reader has gone. Python would complain once more when it flushes what is left.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None

    def _write(self, selection: export.Selection, format: str, out: BinaryIO) -> None:
        produce = export.lines if format == "jsonl" else export.rows
        show = sys.stderr.isatty()
        for line in tqdm(produce(selection), total=selection.entries, unit=" entries", disable=not show):
            out.write(line)
        out.flush()
