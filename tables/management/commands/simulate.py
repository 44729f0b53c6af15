"""`manage.py simulate`: play rounds at simulated tables, through the same acts as people."""

import datetime as dt
import random
import sys
import time
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from tqdm import tqdm

from audit import clock
from games.engine import Refusal
from games.models import Facility
from tables.demo.simulated_evening import Evening, play_evening
from tables.demo.simulation import play_round, simulated_tables, verify_simulated
from tables.models import Table
from tables.screens import push
from tables.ticker import is_ticking
from tables.words.sentences import say

MOST_HOURS = 24


def _seed(options: dict[str, Any]) -> int:
    seed: int | None = options["seed"]
    return random.randrange(2**32) if seed is None else seed


def _show(progress: Any, minutes: int, played: dt.timedelta) -> None:
    progress.n = min(int(played.total_seconds() // 60), minutes)
    progress.refresh()


class Command(BaseCommand):
    help = "Play rounds at simulated tables with random dice. Live tables are refused."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add how many tables and rounds, where, and from which seed."""
        parser.add_argument("--tables", type=int, default=1, help="how many simulated tables (1 to 200)")
        parser.add_argument("--rounds", type=int, default=10, help="rounds at each table")
        parser.add_argument(
            "--seed", type=int, default=None, help="the same seed draws the same dice and wagers"
        )
        parser.add_argument("--facility", default="larkfield")
        parser.add_argument(
            "--submission",
            default="RS-0009",
            help="the rules submission to deal under; with --hours several, with commas between them",
        )
        parser.add_argument(
            "--hours", type=int, default=0, help="play an evening of so many hours up to now, at new tables"
        )
        parser.add_argument(
            "--live", action="store_true", help="with --hours, in a demo only: the evening is at live tables"
        )
        parser.add_argument("--table", help="first check that this table, facility/table, may be simulated")
        parser.add_argument("--tell", action="store_true", help="push every act to the screens (needs Redis)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Play, and show progress if standard error is a terminal."""
        count, rounds = options["tables"], options["rounds"]
        if not 1 <= count <= 200 or not 1 <= rounds <= 1_000_000:
            raise CommandError("--tables must be 1 to 200, --rounds 1 to 1000000.")
        if options["hours"] or connection.vendor == "sqlite":
            self._verify_alone()
        try:
            if options["table"]:
                verify_simulated(self._named(options["table"]))
            if options["live"] and not options["hours"]:
                raise CommandError("--live needs --hours.")
            if options["hours"]:
                self._play_evening(options, count)
            else:
                self._play(options, count, rounds)
        except Refusal as refusal:
            raise CommandError(say(refusal)) from None

    def _verify_alone(self) -> None:
        """Refuse to play beside a server that ticks: it would write at the present into an evening of the past.

        SQLite has one writer. A simulation would keep the server waiting until its acts fail.
        """
        if is_ticking(clock.now()):
            raise CommandError(
                "A server is running on this database, and its ticker writes at the present. Stop it first, and start "
                "it again afterward: the evening is on its floor then."
            )

    def _facility(self, code: str) -> Facility:
        facility = Facility.objects.filter(code=code).first()
        if facility is None:
            raise CommandError(f"There is no facility {code}.")
        return facility

    def _play_evening(self, options: dict[str, Any], count: int) -> None:
        if not 1 <= options["hours"] <= MOST_HOURS:
            raise CommandError(f"--hours must be 1 to {MOST_HOURS}.")
        submissions = [code.strip() for code in options["submission"].split(",")]
        seed = _seed(options)
        evening = Evening(
            self._facility(options["facility"]), submissions, count, options["hours"], seed, options["live"]
        )
        minutes, started = 60 * options["hours"], time.monotonic()
        with tqdm(total=minutes, unit="min", disable=not sys.stderr.isatty(), file=sys.stderr) as progress:
            tables, rounds = play_evening(evening, partial(_show, progress, minutes))
        self.stdout.write(
            f"{rounds} rounds in {options['hours']} hours at {tables[0].code} to {tables[-1].code}, seed {seed}, "
            f"played in {time.monotonic() - started:.0f} s."
        )

    def _play(self, options: dict[str, Any], count: int, rounds: int) -> None:
        facility, seed = self._facility(options["facility"]), _seed(options)
        draw = random.Random(seed)
        tables = simulated_tables(facility, count, options["submission"])
        after_act = self._push if options["tell"] else lambda table: None
        for _ in tqdm(range(rounds), unit="round", disable=not sys.stderr.isatty(), file=sys.stderr):
            for simulated in tables:
                play_round(simulated, draw, after_act)
        self.stdout.write(f"{count * rounds} rounds at {count} simulated tables, seed {seed}.")

    def _push(self, table: Table) -> None:
        push.publish_from_thread(table.pk)

    def _named(self, place: str) -> Table:
        facility, _, code = place.partition("/")
        table = Table.objects.filter(facility__code=facility, code=code).first()
        if table is None:
            raise CommandError(f"There is no table {place}.")
        return table
