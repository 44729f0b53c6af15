"""`manage.py restore_drill`: verify a restored backup, and write the result on the record (audit/drill.py)."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audit import drill

STATUS = {"passed": 0, "failed": 1, "could-not-run": 2}


class Command(BaseCommand):
    help = (
        "Verify a backup that is restored into a throwaway database, compare it with the newest witnessed checkpoint, "
        "and write the result on the record of the live database. Run it as the owner. Exit status: 0 passed, "
        "1 failed, 2 could not run. deploy/backup/drill.sh restores the newest backup and calls this."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        limits = drill.Limits()
        parser.add_argument("--restored", default="", help="address of the throwaway database")
        parser.add_argument(
            "--wait", type=int, default=limits.wait_seconds, help="seconds until it is restored"
        )
        parser.add_argument(
            "--most-lost",
            type=int,
            default=limits.most_lost_seconds,
            help="seconds that may be missing at its end",
        )
        parser.add_argument(
            "--oldest", type=int, default=limits.oldest_days, help="days that the backup may be old"
        )
        parser.add_argument(
            "--examine", action="store_true", help="for the drill itself: examine DATABASE_URL"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["examine"]:
            witnessed = [drill.Witnessed(**checkpoint) for checkpoint in json.load(sys.stdin)]
            self.stdout.write(json.dumps(asdict(drill.examine(witnessed))))
            return
        limits = drill.Limits(options["wait"], options["most_lost"], options["oldest"])
        result = drill.Drill(options["restored"], limits=limits).run()
        self.stdout.write(f"{result.outcome}: {result.why or 'the backup is the record that was witnessed.'}")
        self.stdout.write(
            f"{result.entries} entries on {result.streams} streams verified, {result.compared} logs compared, "
            f"{result.seconds} s"
        )
        raise SystemExit(STATUS[result.outcome])
