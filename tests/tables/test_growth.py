"""Nothing costs more because the record is long: each operation reads a few rows, by an index. Not timed.

The same operations run at a table with a short history and at one with a long one. PostgreSQL counts the rows that each
reads and the indexes that it uses.
"""

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model

from audit import clock, export
from audit.models import Device, Person
from games.models import Facility
from script import history
from script.bench_load import deal_round
from script.floor_tables import Floor, add_tables, place_of
from tables.demo.seeding import do
from tables.desk.query import parse_query
from tables.desk.search import search_record
from tables.models import Round, Table, Throw, Wager
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.screens import snapshot

pytestmark = pytest.mark.postgres

# Entries and rounds of the table with a long history, and of the one with a short one.
LONG, SHORT = (20_000, 2_000), (200, 20)
SPAN = dt.timedelta(days=300)
# A search compares more entries than a page shows, and the report reads its day several times; neither reads it all.
MOST_ROWS = 1_500


@pytest.fixture
def floor(scene) -> Floor:
    """Two tables with a history, a long one and a short one."""
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[1, 2, 6])
    scene.finish()
    samples = history.samples_of(scene.table.stream, 10)
    first = history.first_sample(scene.table.stream)
    began = dt.datetime.now(dt.UTC) - SPAN
    floor = Floor()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '60s'")  # on a busy machine it takes seconds
        with history.guards_disabled(cursor):
            for number, (entries, _) in enumerate((LONG, SHORT), start=1):
                step = SPAN / (entries + 10)
                stream = history.write_stream(cursor, place_of(number), entries, samples, began, step, first)
                write_commands(cursor, stream)
        Facility.objects.update(keeps_inventory=True)  # as the demo that script/bench measures
        add_tables(floor, range(1, 3))
        for number, (_, rounds) in enumerate((LONG, SHORT), start=1):
            table = Table.objects.get(stream__name=place_of(number))
            write_rounds(cursor, table.pk, scene.last_round, rounds, began, SPAN / (rounds + 10))
        cursor.execute("ANALYZE")
    return floor


def costs_at(floor: Floor, number: int) -> "dict[str, Reads]":
    """What each operation reads at a table, the second time."""
    seat = floor.dealers[number - 1]
    operations = Operations(seat.table, seat.person, Device.objects.get(place=seat.place))
    costs = {}
    for name, operate in operations.all().items():
        operate()
        with measured() as costs[name]:
            operate()
    return costs


def test_every_operation_reads_a_few_rows_of_a_long_record(floor):
    costs = costs_at(floor, 1)
    assert {name: cost.scanned for name, cost in costs.items() if +cost.scanned} == {}
    assert {name: cost.fetched for name, cost in costs.items() if cost.rows > MOST_ROWS} == {}
    # An operation that reads nothing would show nothing.
    assert all(cost.rows for cost in costs.values())


def test_every_operation_needs_as_many_statements_at_a_table_with_a_long_history(floor):
    long, short = ({name: cost.statements for name, cost in costs_at(floor, n).items()} for n in (1, 2))
    assert long == short and all(short.values())


def test_a_screen_after_the_end_of_a_round_reads_no_earlier_round_of_a_long_day(floor):
    """The worker keeps the figures of the day: of 2,000 rounds it reads as much as of 20."""
    costs = []
    for number in (1, 2):
        seat = floor.dealers[number - 1]
        operations = Operations(seat.table, seat.person, Device.objects.get(place=seat.place))
        table, today = operations.table, operations.facility.gaming_day(clock.now())
        Round.objects.filter(table=table).update(gaming_day=today)
        assert snapshot.of_table(table.pk)["figures"]["rounds"] >= table.last_round
        operations.play_round()
        with measured() as cost:
            figures = snapshot.of_table(table.pk)["figures"]
        assert figures["rounds"] > table.last_round
        costs.append(cost)
    assert costs[0].statements == costs[1].statements
    long, short = (cost.scanned["tables_round"] + cost.fetched["tables_round"] for cost in costs)
    assert 0 < long <= 1.2 * short


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
            "snapshot": lambda: snapshot.of_table(self.table.pk),
            "search, newest": lambda: self.search({}),
            "search by person": lambda: self.search({"who": self.dealer.code}),
            "search by act": lambda: self.search({"type": "round.settled"}),
            "search by the commonest act": lambda: self.search({"type": "wagers.placed"}),
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


# Rows of a long history


def write_commands(cursor: Any, stream_id: int) -> None:
    """Write the answer of an act for each entry of a stream."""
    cursor.execute(
        "INSERT INTO audit_command (id, content_sha256, stream_id, seq, answer, at) "
        "SELECT gen_random_uuid(), hash, stream_id, seq, '{}', at FROM audit_entry WHERE stream_id = %s",
        [stream_id],
    )


def write_rounds(
    cursor: Any, table_id: int, played: Round, count: int, began: dt.datetime, step: dt.timedelta
) -> None:
    """Write so many ended rounds of a table with their wagers and throws, each like one that was played."""
    places = {
        "table_id": "%(table)s",
        "number": "n",
        "gaming_day": "(%(began)s::timestamptz + n * %(step)s::interval)::date",
        "opened_at": "%(began)s::timestamptz + n * %(step)s::interval",
        "ended_at": "%(began)s::timestamptz + n * %(step)s::interval",
    }
    values = {"table": table_id, "began": began, "step": step, "count": count, "round": played.pk}
    series = "generate_series(1, %(count)s) n"
    copy_rows(cursor, Round, places, series, "s.id = %(round)s", values)
    cursor.execute("UPDATE tables_table SET last_round = %s WHERE id = %s", [count, table_id])
    each = "s.round_id = %(round)s AND r.table_id = %(table)s AND r.number <= %(count)s"
    for model in (Wager, Throw):
        copy_rows(cursor, model, {"round_id": "r.id"}, "tables_round r", each, values)


def copy_rows(
    cursor: Any,
    model: type[Model],
    places: Mapping[str, str],
    source: str,
    where: str,
    values: Mapping[str, Any],
) -> None:
    """Copy rows `s` of a model once for each row of `source`, with the expressions of `places` in their columns."""
    columns = [str(field.column) for field in model._meta.concrete_fields if not field.primary_key]
    selected = ", ".join(places.get(name, f"s.{name}") for name in columns)
    table = model._meta.db_table
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {selected} FROM {table} s, {source} WHERE {where}",
        values,
    )
