"""`manage.py figures_report`: declare the reports of figures that the server writes by itself, list or write them."""

import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from audit import clock
from audit.staff import add_pins_argument, answerable_at_terminal
from games.models import Facility
from tables.figures.declared_reports import declare_reports, deliver_due, read_declaration
from tables.figures.rollup import roll_up_table, tables_behind
from tables.models import FiguresReport, FiguresSchedule


class Command(BaseCommand):
    help = (
        "Write and send the declared reports of figures that are due, each period once; the ticker does the same. "
        "--declare FILE replaces what is declared by a TOML file with a table [reports.NAME] for each report: every "
        "(shift, day or week), filters as in the address of the page, formats, folder, mail. Two people of two "
        "departments answer for it on the record."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what to do. Without a choice the reports that are due are written."""
        parser.add_argument("facility", help="the code of the facility, such as larkfield")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--declare", type=Path, metavar="FILE", help="a TOML file with the reports")
        what.add_argument("--list", action="store_true", help="list what is declared, and its last reports")
        what.add_argument(
            "--again", nargs=2, metavar=("NAME", "PERIOD"), help="write and send one report another time"
        )
        parser.add_argument("--by", default="", help="the code of the system administrator who declares")
        parser.add_argument(
            "--with", default="", dest="witness", help="the code of the second person, of another department"
        )
        add_pins_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Declare, list, or write what is due. Fails if a report could not be delivered."""
        facility = Facility.objects.filter(code=options["facility"]).first()
        if facility is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        if options["declare"]:
            self._declare(facility, options)
        elif options["list"]:
            self._list(facility)
        else:
            if options["again"]:
                self._make_due(facility, *options["again"])
            self._write(facility)

    def _declare(self, facility: Facility, options: dict[str, Any]) -> None:
        try:
            declared = tomllib.loads(options["declare"].read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"{options['declare']} cannot be read: {error}") from None
        try:
            reports = read_declaration(declared)
            declare_reports(facility, reports, answerable_at_terminal(options, ""))
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from None
        self.stdout.write(f"{facility.code}: {len(reports)} reports are declared.")

    def _list(self, facility: Facility) -> None:
        for schedule in FiguresSchedule.objects.filter(facility=facility, ended_at=None):
            targets = ", ".join(filter(None, [schedule.folder, *schedule.mail]))
            self.stdout.write(
                f"{schedule.name}: every {schedule.get_every_display()}, {', '.join(schedule.formats)} to {targets}; "
                f"declared by {schedule.declared_by.name} and {schedule.declared_with.name}"
            )
            for report in schedule.reports.order_by("-first_day", "-pk")[:10]:
                self._say(report)

    def _say(self, report: FiguresReport) -> None:
        self.stdout.write(
            f"{report.schedule.name} {report.period}: {report.get_status_display()}"
            + (f", after {report.attempts} attempts: {report.error}" if report.error else "")
        )

    def _make_due(self, facility: Facility, name: str, period: str) -> None:
        reports = FiguresReport.objects.filter(
            schedule__facility=facility, schedule__name=name, schedule__ended_at=None, period=period
        )
        ended = reports.filter(status__in=(FiguresReport.Status.DONE, FiguresReport.Status.UNSURE))
        if not ended.update(status=FiguresReport.Status.DUE, next_try_at=clock.now()):
            raise CommandError(f"There is no report {name} {period} that was delivered.")

    def _write(self, facility: Facility) -> None:
        for table in tables_behind():
            if table.facility_id == facility.pk:
                roll_up_table(table)
        tried = deliver_due(facility)
        for report in tried:
            self._say(report)
        failed = [report for report in tried if report.status != FiguresReport.Status.DONE]
        if failed:
            raise CommandError(f"{len(failed)} of {len(tried)} reports were not delivered.")
        self.stdout.write(f"{len(tried)} reports were delivered.")
