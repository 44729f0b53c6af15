"""Measure whether acts, snapshot, search, report and export cost more as the floor and the record grow.

The same operations run at a table among ten with ten thousand entries, then among a thousand tables, then at a table
whose own history is a tenth of a long record. PostgreSQL counts the rows that each reads and the indexes that it uses.
The states are minutes apart, in which a machine changes: so a time is given as a multiple of that of a yardstick,
measured in turns with it.
"""

import argparse
import contextlib
import datetime as dt
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from script.figures import Figure
from script.floor_tables import FACILITY, Floor, add_tables, place_of
from script.installation import Installation

TITLE = "Growth: the same operations on a larger floor and a longer record"
FEW_TABLES = 10
FEW_ENTRIES = 10_000
HISTORY_DAYS = 300
ENTRIES_A_ROUND = 16
SAMPLES = 320
TURNS = 28


@dataclass
class State:
    """How large the floor and the record are, and what each operation costs: statements, rows and time."""

    label: str
    statements: dict[str, int] = field(default_factory=dict)
    rows: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)  # as multiples of the yardstick's


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Grow to `options.growth_tables` tables and `options.growth_entries` entries."""
    with contextlib.ExitStack() as stack:
        Installation(stack, 0).start()
        growth = Growth()
        states = []
        tables, entries = options.growth_tables, options.growth_entries
        steps: tuple[tuple[str, Callable[[], int]], ...] = (
            (f"{FEW_TABLES} tables, {FEW_ENTRIES:,} entries", growth.begin),
            (f"{tables:,} tables, {FEW_ENTRIES:,} entries", lambda: growth.add_tables(tables)),
            (f"{tables:,} tables, {entries:,} entries", lambda: growth.add_entries(entries)),
        )
        for label, grow in steps:
            began = time.monotonic()
            number = grow()
            yield f"{label}: made in {time.monotonic() - began:.0f} s"
            state = State(label)
            yield from growth.run(state, number)
            states.append(state)
    yield from _figures(states)


class Growth:
    """The database, which each step makes larger."""

    def __init__(self) -> None:
        self.floor = Floor()
        self.last_table = 0

    def begin(self) -> int:
        """Ten tables that begin with a history. Returns the number of a table to measure."""
        import random

        from games.models import Facility
        from script import history
        from tables.demo.simulation import play_round, simulated_tables
        from tables.models import Round

        played = simulated_tables(Facility.objects.get(code=FACILITY), 1, "RS-0009")[0]
        draw = random.Random(14)
        for _ in range(SAMPLES // ENTRIES_A_ROUND):
            play_round(played, draw)
        self.samples = history.samples_of(played.table.stream, SAMPLES)
        self.first = history.first_sample(played.table.stream)
        self.round = Round.objects.filter(table=played.table, ended_at__isnull=False).latest("number")
        self._add_with_history(FEW_ENTRIES)
        return 1

    def add_tables(self, count: int) -> int:
        """Further tables without a history, up to so many. Returns the number of the first."""
        first = self.last_table + 1
        add_tables(self.floor, range(first, count + 1))
        self.last_table = max(count, first)
        self._analyze()
        return first

    def add_entries(self, count: int) -> int:
        """Ten more tables with a history of so many entries together. Returns the number of the first."""
        first = self.last_table + 1
        self._add_with_history(count)
        return first

    def _add_with_history(self, entries: int) -> None:
        from django.db import connection, transaction

        from script import history
        from tables.models import Table

        numbers = range(self.last_table + 1, self.last_table + FEW_TABLES + 1)
        each = entries // FEW_TABLES
        rounds = max(1, each * history.rounds_of(self.samples) // len(self.samples))
        span = dt.timedelta(days=HISTORY_DAYS)
        began = dt.datetime.now(dt.UTC) - span - dt.timedelta(days=2)
        with (
            transaction.atomic(),
            connection.cursor() as cursor,
            history.guards_disabled(cursor),
        ):
            cursor.execute("SET LOCAL statement_timeout = 0")
            for number in numbers:
                stream = history.write_stream(
                    cursor, place_of(number), each, self.samples, began, span / each, self.first
                )
                history.write_commands(cursor, stream)
        add_tables(self.floor, numbers)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            for number in numbers:
                table = Table.objects.get(stream__name=place_of(number))
                history.write_rounds(cursor, table.pk, self.round, rounds, began, span / rounds)
        self.last_table = numbers[-1]
        self._analyze()

    def _analyze(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
            cursor.execute("VACUUM ANALYZE")

    def run(self, state: State, number: int) -> Iterator[str]:
        """Run each operation some times at a table. Says which indexes it used."""
        from audit.models import Device
        from script.growth import Operations, measured

        seat = next(seat for seat in self.floor.dealers if seat.place == place_of(number))
        device = Device.objects.get(place=seat.place)
        operations = Operations(seat.table, seat.person, device).all()
        for operate in operations.values():
            operate()
        gc.collect()
        gc.freeze()  # the growing floor of this process is no cost of an operation
        for name, operate in operations.items():
            milliseconds, yardstick_ms = fastest_quarters(operate, yardstick)
            with measured() as cost:
                operate()
            # A day's report costs what the day has, and each state adds to the same day.
            share = entries_of_today() if name == "report of today" else 1
            state.statements[name], state.rows[name] = cost.statements, cost.rows / share
            state.times[name] = milliseconds / yardstick_ms / share
            scanned = ", ".join(f"{rows} rows of {table}" for table, rows in cost.scanned.items() if rows)
            yield (
                f"  {name}: {cost.statements} statements, {cost.rows} rows, {milliseconds:.1f} ms, by "
                f"{', '.join(sorted(cost.indexes)) or 'no index'}"
                + (f"; SCANNED {scanned}" if scanned else "")
            )


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
    from django.db import connection

    with connection.cursor() as cursor:
        for number in range(10):
            cursor.execute("SELECT %s::int", [number])
            json.dumps(list(range(500 + cursor.fetchone()[0])))


def entries_of_today() -> int:
    """The entries of the facility's gaming day, at its tables."""
    from audit import clock
    from audit.models import Entry
    from games.models import Facility
    from tables.models import Table

    facility = Facility.objects.get(code=FACILITY)
    streams = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).values("stream")
    return Entry.objects.filter(stream__in=streams, gaming_day=facility.gaming_day(clock.now())).count()


def _figures(states: list[State]) -> Iterator[Figure]:
    """The largest state beside the smallest."""
    first, last = states[0], states[-1]
    for name in first.statements:
        key = "growth." + "".join(letter if letter.isalnum() else "_" for letter in name)
        yield Figure(
            f"{key}_statements",
            f"{name}: statements at {last.label}",
            last.statements[name],
            is_portable=True,
        )
        for figure, label, smaller, larger, goal in (
            ("statements", "statements", first.statements[name], last.statements[name], 1.0),
            ("rows", "rows read", first.rows[name], last.rows[name], None),
            ("time", "time", first.times[name], last.times[name], 1.2),
        ):
            ratio = larger / smaller if smaller else 1.0
            words = f"{name}: {label}" + " for an entry of the day" * (
                name == "report of today" and figure != "statements"
            )
            words = f"{words}, beside {first.label}"
            yield Figure(f"{key}_{figure}_ratio", words, ratio, "×", goal=goal, is_portable=figure != "time")
