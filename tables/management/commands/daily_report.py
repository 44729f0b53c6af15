"""Write the daily report of one gaming day as a PDF."""

import argparse
import datetime as dt
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import clock
from games.models import Facility
from games.params import read_day
from tables.figures.ranges import PLAYS
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.reports.page import report_pdf


def gaming_day(typed: str) -> dt.date:
    """Parse a gaming day from the command line."""
    day = read_day(typed)
    if day is None:
        raise argparse.ArgumentTypeError(f"{typed!r} is no gaming day such as 2026-11-21")
    return day


class Command(BaseCommand):
    help = "Write the daily report of a gaming day as a PDF: the same record gives the same bytes."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("facility", help="the code of the facility, such as larkfield")
        parser.add_argument("day", type=gaming_day, help="such as 2026-11-21")
        parser.add_argument("--output", type=Path, required=True, help="the file to write")
        parser.add_argument("--play", choices=list(PLAYS), default="live", help="live is real play")

    def handle(self, *args: Any, **options: Any) -> None:
        facility = Facility.objects.filter(code=options["facility"]).first()
        if facility is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        day = ReportDay(facility, options["day"], clock.now(), options["play"])
        if day.now < day.begins:
            raise CommandError("That gaming day has not begun.")
        report = build_report(day)
        written = report_pdf(report)
        try:
            options["output"].write_bytes(written)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from None
        state = "only a later slip can change it" if report.is_final else "not final: there is play to come"
        self.stdout.write(
            f"{options['output']}: {report.total.settled:,} rounds, {len(written):,} bytes, {state}."
        )
