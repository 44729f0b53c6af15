"""`manage.py readjudicate`: settle every recorded round again, with its rules and from the record alone."""

import argparse
import json
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from audit import export
from audit.management.commands.audit_export import moment, of_two_sorts
from tables.replay.readjudication import Readjudication


class Command(BaseCommand):
    help = (
        "Settle every recorded round again, with the engine and the rules that it pinned, and report what differs "
        "from the record. The exit status is 1 if anything differs."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the range and the streams, as for `audit_export`."""
        parser.add_argument("--stream", action="append", default=[], help="a table's stream; repeatable")
        parser.add_argument("--from", dest="since", type=moment, help="entries at or after this moment")
        parser.add_argument("--to", dest="until", type=moment, help="entries before this moment")
        parser.add_argument(
            "--training", action="store_true", help="training and simulation instead of real play"
        )
        parser.add_argument(
            "--json", action="store_true", help="print differences as JSON lines, then the figures"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print each difference at once, and the figures last."""
        again = Readjudication(self._selected(options))
        began = time.monotonic()
        total = again.selection.entries
        with tqdm(total=total, unit=" entries", disable=not sys.stderr.isatty(), file=sys.stderr) as bar:
            for stream, difference in again.differences(bar.update):
                line = json.dumps(difference.as_json(stream)) if options["json"] else f"{stream} {difference}"
                self.stdout.write(line)
        self._say(again.count, time.monotonic() - began, as_json=options["json"])
        if again.count["differences"]:
            raise SystemExit(1)

    def _selected(self, options: dict[str, Any]) -> export.Selection:
        since, until = options["since"], options["until"]
        if since and until and since > until:
            raise CommandError("--from is after --to.")
        try:
            return export.select(options["stream"], since, until, training=options["training"])
        except export.UnknownStream as error:
            raise CommandError(f"There is no stream {error}.") from None
        except export.MixedPlay as mixed:
            raise CommandError(of_two_sorts(mixed)) from None

    def _say(self, count: dict[str, int], seconds: float, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(count))
            return
        rounds, settlements, wagers, differences = count.values()
        pace = f", {rounds / seconds:,.0f} rounds a second" if seconds > 0 else ""
        self.stdout.write(
            f"{rounds:,} rounds settled again: {settlements:,} settlements of {wagers:,} wagers"
            f"{pace}. Differences: {differences:,}."
        )
