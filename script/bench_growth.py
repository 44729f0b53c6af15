"""Measure whether acts, snapshot, search, report and export cost more as the floor and the record grow.

The same operations run at a table among ten with ten thousand entries, then among a thousand tables at one whose own
history is a tenth of a long record. PostgreSQL counts the rows that each reads and the indexes that it uses. The
states are minutes apart, in which a machine changes: so a time is a multiple of that of a yardstick, measured in turns
with it.
"""

import argparse
import datetime as dt
import gc
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from audit import clock, export
from audit.models import Device, Entry, Person
from games.models import Facility
from script import history
from script.figures import Figure, ratio
from script.fingerprint.product import Product
from script.floor_tables import FACILITY, SUBMISSION, Floor, add_tables, place_of
from script.schedule import deal_round
from tables.demo.seeding import do
from tables.demo.simulation import play_round, simulated_tables
from tables.desk.query import parse_query
from tables.desk.search import search_record
from tables.models import Round, Table
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report

TITLE = "Growth: the same operations on a larger floor and a longer record"
FEW_TABLES = 10
FEW_ENTRIES = 10_000
HISTORY_DAYS = 300
ENTRIES_A_ROUND = 16
SAMPLES = 320
TURNS = 28
REPORT = "report of today"


@dataclass(frozen=True)
class Cost:
    """What an operation costs: statements, rows read, and time as a multiple of the yardstick's."""

    statements: int
    rows: float
    time: float


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Grow to `options.growth_tables` tables and `options.growth_entries` entries."""
    growth, tables, entries = Growth(), options.growth_tables, options.growth_entries
    few, many = f"{FEW_TABLES} tables, {FEW_ENTRIES:,} entries", f"{tables:,} tables, {entries:,} entries"
    small: dict[str, Cost] = {}
    large: dict[str, Cost] = {}
    yield few
    yield from growth.run(small, growth.add_history(FEW_ENTRIES))
    growth.add_tables(tables)
    yield many
    yield from growth.run(large, growth.add_history(entries))
    for name, cost in small.items():
        yield from _figures(name, cost, large[name], few, many)


def _figures(name: str, before: Cost, after: Cost, few: str, many: str) -> Iterator[Figure]:
    """The larger state beside the smaller."""
    key = "growth." + "".join(letter if letter.isalnum() else "_" for letter in name)
    each = " for an entry of the day" if name == REPORT else ""
    statements = f"{name}: statements"
    yield Figure(f"{key}_statements", f"{statements} at {many}", after.statements, is_portable=True)
    beside = after.statements / before.statements
    yield ratio(f"{key}_statements_ratio", f"{statements}, beside {few}", beside, 1.0)
    rows = after.rows / before.rows if before.rows else 1.0
    yield ratio(f"{key}_rows_ratio", f"{name}: rows read{each}, beside {few}", rows)
    times = after.time / before.time
    yield ratio(f"{key}_time_ratio", f"{name}: time{each}, beside {few}", times, 1.2, portable=False)


class Growth:
    """The database, which each step makes larger."""

    def __init__(self) -> None:
        self.floor, self.last_table = Floor(), 0
        played = simulated_tables(Facility.objects.get(code=FACILITY), 1, SUBMISSION)[0]
        draw = random.Random(14)
        for _ in range(SAMPLES // ENTRIES_A_ROUND):
            play_round(played, draw)
        self.samples = history.samples_of(played.table.stream, SAMPLES)
        self.first = history.first_sample(played.table.stream)
        self.round = Round.objects.filter(table=played.table, ended_at__isnull=False).latest("number")

    def add_tables(self, count: int) -> None:
        """Further tables without a history, up to so many."""
        add_tables(self.floor, range(self.last_table + 1, count + 1))
        self.last_table = max(count, self.last_table)

    def add_history(self, entries: int) -> int:
        """Ten more tables with a history of so many entries together. Returns the number of the first."""

        numbers = range(self.last_table + 1, self.last_table + FEW_TABLES + 1)
        each = entries // FEW_TABLES
        rounds = max(1, each * history.rounds_of(self.samples) // len(self.samples))
        span = dt.timedelta(days=HISTORY_DAYS)
        began = dt.datetime.now(dt.UTC) - span - dt.timedelta(days=2)
        with transaction.atomic(), connection.cursor() as cursor, history.guards_disabled(cursor):
            cursor.execute("SET LOCAL statement_timeout = 0")
            for number in numbers:
                own = (place_of(number), each, self.samples, began, span / each, self.first)
                history.write_commands(cursor, history.write_stream(cursor, *own))
        add_tables(self.floor, numbers)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            for number in numbers:
                table = Table.objects.get(stream__name=place_of(number))
                history.write_rounds(cursor, table.pk, self.round, rounds, began, span / rounds)
        self.last_table = numbers[-1]
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
            cursor.execute("VACUUM ANALYZE")
        return numbers[0]

    def run(self, costs: dict[str, Cost], number: int) -> Iterator[str]:
        """Run each operation some times at a table. Says which indexes it used."""
        seat = next(seat for seat in self.floor.dealers if seat.place == place_of(number))
        operations = Operations(seat.table, seat.person, Device.objects.get(place=seat.place)).all()
        for operate in operations.values():
            operate()
        gc.collect()
        gc.freeze()  # the growing floor of this process is no cost of an operation
        for name, operate in operations.items():
            milliseconds, yardstick_ms = fastest_quarters(operate, yardstick)
            with measured() as cost:
                operate()
            # A day's report costs what the day has, and each state adds to the same day.
            share = entries_of_today() if name == REPORT else 1
            costs[name] = Cost(cost.statements, cost.rows / share, milliseconds / yardstick_ms / share)
            scanned = "".join(
                f"; SCANNED {rows} rows of {table}" for table, rows in cost.scanned.items() if rows
            )
            what = f"{cost.statements} statements, {cost.rows} rows, {milliseconds:.1f} ms"
            yield f"  {name}: {what}, by {', '.join(sorted(cost.indexes)) or 'no index'}{scanned}"


def fastest_quarters(*operations: Callable[[], object]) -> list[float]:
    """The median of the fastest quarter of the turns of each, in milliseconds. They take turns.

    What else the machine does affects the fastest least, and all of them alike.
    """
    times: list[list[float]] = [[] for _ in operations]
    for _ in range(TURNS):
        for operate, taken in zip(operations, times, strict=True):
            began = time.perf_counter()
            operate()
            taken.append(1_000 * (time.perf_counter() - began))
    return [statistics.median(sorted(taken)[: TURNS // 4]) for taken in times]


def yardstick() -> None:
    """What does not depend on the floor or the record: statements without a table, and JSON."""
    with connection.cursor() as cursor:
        for number in range(10):
            cursor.execute("SELECT %s::int", [number])
            json.dumps(list(range(500 + cursor.fetchone()[0])))


def entries_of_today() -> int:
    """The entries of the facility's gaming day, at its tables."""
    facility = Facility.objects.get(code=FACILITY)
    streams = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).values("stream")
    return Entry.objects.filter(stream__in=streams, gaming_day=facility.gaming_day(clock.now())).count()


# What an operation reads, as PostgreSQL counts it (`pg_stat_…_user_tables`)


# The tables whose rows grow with play.
GROWING = (
    "audit_entry",
    "audit_command",
    "tables_round",
    "tables_throw",
    "tables_wager",
    "tables_settlement",
    "tables_lotstep",
)
READS = """
    SELECT relname, sum(seq_tup_read)::bigint, sum(idx_tup_fetch)::bigint FROM (
        SELECT relname, seq_tup_read, idx_tup_fetch FROM pg_stat_xact_user_tables
        UNION ALL SELECT relname, seq_tup_read, idx_tup_fetch FROM pg_stat_user_tables) counts
    WHERE relname = ANY (%s) GROUP BY relname"""
INDEXES = "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes WHERE relname = ANY (%s)"


@dataclass
class Reads:
    """What an operation did: its statements, and the rows of growing tables that it read through them or by index.

    `indexes` are those that it used, counted outside of transactions only.
    """

    statements: int = 0
    scanned: Counter[str] = field(default_factory=Counter)
    fetched: Counter[str] = field(default_factory=Counter)
    indexes: set[str] = field(default_factory=set)

    @property
    def rows(self) -> int:
        return sum(self.scanned.values()) + sum(self.fetched.values())


@contextmanager
def measured() -> Iterator[Reads]:
    """Count what happens in the block on this connection."""
    cost = Reads()

    def count(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        cost.statements += 1
        return execute(sql, params, many, context)

    before, used_before = _reads(), _indexes()
    with connection.execute_wrapper(count):
        yield cost
    for name, (scanned, fetched) in _reads().items():
        cost.scanned[name] = scanned - before[name][0]
        cost.fetched[name] = fetched - before[name][1]
    cost.indexes = {name for name, scans in _indexes().items() if scans > used_before.get(name, 0)}


def _reads() -> dict[str, tuple[int, int]]:
    rows = _counted(READS)
    return {name: (scanned or 0, fetched or 0) for name, scanned, fetched in rows}


def _indexes() -> dict[str, int]:
    return dict(_counted(INDEXES))


def _counted(sql: str) -> list[Any]:
    """The counts of now: PostgreSQL otherwise writes them up to a second later, and repeats what it read once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        cursor.fetchall()
        cursor.execute(sql, [list(GROWING)])
        rows: list[Any] = cursor.fetchall()
    return rows


class Operations:
    """The operations at one table, each by the name under which it is reported."""

    def __init__(self, code: str, dealer: str, device: Device) -> None:
        self.table = Table.objects.select_related("facility", "stream").get(code=code)
        self.facility: Facility = self.table.facility
        self.dealer = Person.objects.get(code=dealer)
        self.device, self.draw = device, random.Random(14)

    def all(self) -> dict[str, Callable[[], object]]:
        return {
            "a round of 16 acts": self.play_round,
            "snapshot": lambda: Product.snapshot(self.table.pk),
            "search, newest": lambda: self.search({}),
            "search by person": lambda: self.search({"who": self.dealer.code}),
            "search by act": lambda: self.search({"type": "round.settled"}),
            "search by place": lambda: self.search({"place": self.table.code}),
            "search by round": lambda: self.search({"place": self.table.code, "round": "1"}),
            "report of today": self.report,
            "export of today": self.export,
        }

    def play_round(self) -> None:
        for act in deal_round(self.draw, wagers=10):
            do(self.dealer, self.device, self.facility.code, self.table.code, act.name, act.params)

    def search(self, fields: dict[str, str]) -> None:
        query = parse_query(fields, self.facility)
        assert not query.errors, query.errors
        assert search_record(query).entries, fields

    def report(self) -> None:
        now = clock.now()
        assert build_report(ReportDay(self.facility, self.facility.gaming_day(now), now))

    def export(self) -> None:
        """Export the day of this table."""
        now = clock.now()
        since: dt.datetime = self.facility.day_begins(self.facility.gaming_day(now))
        selection = export.select([self.table.stream.name], since=since)
        assert selection.entries
        for _ in export.lines(selection):
            pass
