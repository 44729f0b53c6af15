"""What must not cost more as the record and the floor grow: acts, snapshot, search, report and export.

PostgreSQL itself counts what each reads (`pg_stat_…_user_tables`), so nothing depends on how a statement is sent.
"""

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from audit import clock, export
from audit.models import Device, Person
from games.models import Facility
from script.fingerprint.product import Product
from script.generator.schedule import deal_round
from tables.demo.seeding import do
from tables.desk.query import parse_query
from tables.desk.search import search_record
from tables.models import Table
from tables.reports.figures import build_report
from tables.reports.report_day import ReportDay

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
class Cost:
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
def measured() -> Iterator[Cost]:
    """Count what happens in the block on this connection."""
    cost = Cost()

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
