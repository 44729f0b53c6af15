"""`manage.py verify_record`: the whole record in the database verified, with what was found on the record."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from tqdm import tqdm

from audit import clock, verification
from audit.sealing import system


class Command(BaseCommand):
    help = "Verify every entry, seal and signature in the database. Exit status 1 where anything is not as it must be."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--read-only", action="store_true", help="write nothing: do not tell the record what was found"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with tqdm(unit=" entries", disable=not sys.stderr.isatty()) as bar:
            found = verification.verify(lambda done, total: _show(bar, done, total))
        if not options["read_only"]:
            with transaction.atomic():
                told = {"asked_by": "", "facility": "", "job": None, "kind": "verification", **found.told()}
                system.write("record.verified", told, clock.now())
        for finding in found.findings:
            self.stdout.write(f"bad: {finding}")
        if found.bad > len(found.findings):
            self.stdout.write(f"… and {found.bad - len(found.findings)} more")
        outcome = "good" if found.good else "BAD"
        self.stdout.write(
            f"{outcome}: {found.entries} entries on {found.streams} streams, {found.unsealed} not sealed"
        )
        self.stdout.write(
            f"{found.seals} seals, {found.checkpoints} signed checkpoints, {found.witnessed} cosignatures"
        )
        if found.unknown_witnesses:
            self.stdout.write(
                f"{found.unknown_witnesses} cosignatures are of witnesses not known here: not verified"
            )
        if not found.good:
            raise SystemExit(1)


def _show(bar: Any, done: int, total: int) -> None:
    bar.total = total
    bar.update(done - bar.n)
