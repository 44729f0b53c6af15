"""`manage.py figures`: the exact figures of tables or rounds as JSON lines, from the record alone."""

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import clock
from games.models import Facility
from tables.core.figure_sums import RoundFigures
from tables.figures.ranges import PLAYS
from tables.figures.round_figures import (
    FiguresLine,
    round_figures,
    round_line,
    table_lines,
    tables_that_dealt,
)
from tables.management.commands.daily_report import gaming_day
from tables.models import Table


class Command(BaseCommand):
    help = (
        "Write the rounds, wagers, win and exact expectation of tables as JSON lines, from the record. The exit status "
        "is 1 if entries cannot be read: the expectation of their rounds is then null."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("facility", help="the code of the facility, such as larkfield")
        parser.add_argument("--from", dest="first_day", type=gaming_day, required=True, metavar="DAY")
        parser.add_argument("--to", dest="last_day", type=gaming_day, required=True, metavar="DAY")
        parser.add_argument("--table", help="the code of one table, such as T-01")
        parser.add_argument("--play", choices=list(PLAYS), default="live", help="live is real play")
        parser.add_argument(
            "--by", choices=("table", "round"), default="table", help="one line for each of these"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        facility = Facility.objects.filter(code=options["facility"]).first()
        if facility is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        if options["first_day"] > options["last_day"]:
            raise CommandError("--from is after --to.")
        if options["table"] is not None:
            _verify_table(facility, options["table"], options["play"])
        last_day = min(options["last_day"], facility.gaming_day(clock.now()))  # the calendar ends too
        unknown = UnknownExpectations()
        which = (facility, options["first_day"], last_day, options["table"], options["play"])
        rounds = unknown.counted(round_figures(*which))
        for line in _lines(rounds, options["by"], tables_that_dealt(*which)):
            self.stdout.write(json.dumps(line))
        if unknown.count:
            raise CommandError(
                f"The expectation is not known of {unknown.count:,} round{'s'[: unknown.count != 1]}, first "
                f"{unknown.first}: an entry cannot be read, or the terms are missing. Run `manage.py verify_record`."
            )


class UnknownExpectations:
    """Counts the rounds whose expectation is not known."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def counted(self, rounds: Iterable[RoundFigures]) -> Iterator[RoundFigures]:
        for figures in rounds:
            if figures.expected_win is None:
                self.count += 1
                self.first = self.first or f"{figures.table}, round {figures.round}"
            yield figures


def _verify_table(facility: Facility, code: str, play: str) -> None:
    kind = Table.objects.filter(facility=facility, code=code).values_list("kind", flat=True).first()
    if kind is None:
        raise CommandError(f"There is no table {code} at {facility.code}.")
    if kind != play:
        raise CommandError(f"{code} is a {kind} table. Add --play {kind}.")


def _lines(rounds: Iterable[RoundFigures], by: str, dealt: Iterable[Table]) -> Iterator[FiguresLine]:
    if by == "round":
        return map(round_line, rounds)
    return table_lines(rounds, ((table.code, table.game) for table in dealt))
