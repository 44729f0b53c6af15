"""`manage.py verify_record`: verify the whole record in the database, and record the result."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from tqdm import tqdm

from audit import clock, verification
from audit.entries import RECORD_VERIFIED, RecordVerified
from audit.findings import not_covered
from audit.sealing.declarations import write_on_system


class Command(BaseCommand):
    help = "Verify every entry, seal and signature in the database. The exit status is 1 if there is a fault."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--read-only", action="store_true", help="write nothing: do not record the result"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with tqdm(unit=" entries", disable=not sys.stderr.isatty()) as bar:
            verified = verification.verify(lambda completed, total: _show(bar, completed, total))
        if not options["read_only"]:
            with transaction.atomic():
                data: RecordVerified = {
                    "asked_by": "",
                    "facility": "",
                    "job": None,
                    "kind": "verification",
                    **verified.as_data(),
                }
                write_on_system(RECORD_VERIFIED(data), clock.now())
        for finding in verified.findings:
            self.stdout.write(f"bad: {finding}")
        if verified.bad > len(verified.findings):
            self.stdout.write(f"… and {verified.bad - len(verified.findings)} more")
        for finding in verified.declared:
            self.stdout.write(f"declared, and its stream closed: {finding}")
        outcome = "good" if verified.good else "BAD"
        self.stdout.write(
            f"{outcome}: {verified.entries} entries on {verified.streams} streams, {verified.unsealed} not sealed"
        )
        self.stdout.write(
            f"{verified.seals} seals, {verified.checkpoints} signed checkpoints, {verified.witnessed} cosignatures"
        )
        if verified.unknown_witnesses:
            self.stdout.write(
                f"{verified.unknown_witnesses} cosignatures of unknown witnesses were not verified"
            )
        for sentence in not_covered():
            self.stdout.write(f"not covered: {sentence}")
        if not verified.good:
            raise SystemExit(1)


def _show(bar: Any, completed: int, total: int) -> None:
    bar.total = total
    bar.update(completed - bar.n)
