"""Write the daily report of one gaming day as a PDF."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import clock
from games.models import Facility
from tables.desk.views.report import read_day
from tables.reports.figures import build_report
from tables.reports.pdf import report_pdf
from tables.reports.report_day import PLAYS, ReportDay


def gaming_day(typed: str) -> Any:
    """A gaming day of the command line."""
    found = read_day(typed)
    if found is None:
        raise argparse.ArgumentTypeError(f"{typed!r} is no gaming day such as 2026-11-21")
    return found


class Command(BaseCommand):
    help = "Write the daily report of a gaming day as a PDF: the same record gives the same bytes."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("facility", help="the code of the house, such as larkfield")
        parser.add_argument("day", type=gaming_day, help="such as 2026-11-21")
        parser.add_argument("--output", type=Path, required=True, help="the file to write")
        parser.add_argument("--play", choices=list(PLAYS), default="live", help="live is real play")

    def handle(self, *args: Any, **options: Any) -> None:
        house = Facility.objects.filter(code=options["facility"]).first()
        if house is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        day = ReportDay(house, options["day"], clock.now(), options["play"])
        if day.now < day.begins:
            raise CommandError("That gaming day has not begun.")
        found = build_report(day)
        written = report_pdf(found)
        try:
            options["output"].write_bytes(written)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from None
        state = "only a later slip can change it" if found.is_final else "not final: there is play to come"
        self.stdout.write(
            f"{options['output']}: {found.total.settled:,} rounds, {len(written):,} bytes, {state}."
        )
