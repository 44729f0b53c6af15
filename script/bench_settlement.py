"""Measure the settlement of 8 wagers: by the act runner, without the record, and the same writes by bare psycopg.

The three take turns, each at a table of its own, so that other load on the machine affects all of them. The bare writes
are those of a settlement that the act runner did a moment before and rolled back: the same statements and values.
"""

import argparse
import contextlib
import os
import re
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from audit import record, runner
from audit.models import Entry
from games.models import Facility
from script.figures import Figure, ms, ratio
from tables.demo.seeding import do
from tables.demo.simulation import SimulatedTable, simulated_tables
from tables.models import Table
from tables.runner import table
from tables.runner.table import TableRunner

TITLE = "Settlement: one act that settles 8 wagers, with its record and its saved answer"
WAGERS = (
    *("small", "big", "total:9", "total:12", "two-dice:2-5"),
    *("one-of-a-kind:3", "two-of-a-kind:5", "any-three-of-a-kind"),
)
DICE = [2, 5, 5]
WARM = 20
LEAST_TURNS = 20
WRITES = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|WITH changed)\b|.*\baudit_append\b", re.IGNORECASE | re.DOTALL
)
Statements = list[tuple[str, Any]]


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The durations of one settlement of each after the other, and their ratios."""
    played, unrecorded, written = simulated_tables(Facility.objects.get(code="larkfield"), 3, "RS-0009")
    acts: list[float] = []
    without: list[float] = []
    writes: list[float] = []
    before = Entry.objects.filter(stream=unrecorded.table.stream).count()
    with psycopg.connect(os.environ["DATABASE_URL"], prepare_threshold=1) as bare:
        ends = float("inf")
        while time.perf_counter() < ends or len(acts) < WARM + LEAST_TURNS:
            if len(acts) == WARM:
                ends = time.perf_counter() + 3 * options.seconds
            acts.append(settle(played, timed))
            with no_record():
                without.append(settle(unrecorded, timed))
            writes.append(settle(written, lambda act: write(bare, act)))
    if Entry.objects.filter(stream=unrecorded.table.stream).count() > before:
        raise SystemExit(
            "The act runner writes its entry elsewhere: a settlement without the record had one."
        )
    acts, without, writes = acts[WARM:], without[WARM:], writes[WARM:]
    act, bare_write = statistics.median(acts), statistics.median(writes)
    yield ms("settlement.act_ms", "a settlement by the act runner, median", 1_000 * act)
    yield ms("settlement.bare_ms", "the same rows written with psycopg, median", 1_000 * bare_write)
    beside = "settlement of 8 wagers, beside bare psycopg making the same writes"
    yield ratio("settlement.ratio", beside, bare_write / act, 1.0, "higher")
    counted: list[int] = []
    settle(played, lambda act: counted.append(statements_of(act)))
    yield Figure("settlement.statements", "statements of a settlement", counted[0], is_portable=True)
    fast, fast_without = fastest_tenth(acts), fastest_tenth(without)
    yield ms("settlement.unrecorded_ms", "a settlement without the record", fast_without)
    label = "the record's share of a settlement"
    share = 100 * (fast - fast_without) / fast
    yield Figure("settlement.record_share", label, share, "%", goal=12.0, is_portable=True)


def fastest_tenth(times: list[float]) -> float:
    """In milliseconds. Other load on the machine affects the fastest least."""
    return 1_000 * sorted(times)[len(times) // 10]


def settle(played: SimulatedTable, by: Callable[[Callable[[], object]], Any]) -> Any:
    """Play one round whose settling act is executed by `by`. Returns what that returned."""

    def act(name: str, **params: Any) -> None:
        do(played.dealer, played.device, "larkfield", played.table.code, name, params)

    wagers = [{"seat": seat, "wager": code, "cents": 1_000} for seat, code in enumerate(WAGERS, start=1)]
    act("place_wagers", wagers=wagers)
    act("shake", shakes=3)
    act("no_more_bets")
    version = Table.objects.values_list("stream__seq", flat=True).get(pk=played.table.pk)
    place, command = ("larkfield", played.table.code), uuid.uuid4()
    person = (played.dealer, played.device)
    call = table.ActRequest(*place, "call_dice", command, version, {"dice": DICE}, *person)
    outcome = by(lambda: table.execute(call))
    act("take_losers")
    act("pay_seats")
    act("clear_layout")
    return outcome


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def statements_of(act: Callable[[], object]) -> int:
    """How many statements an act executes."""
    noted: Statements = []
    with noting(noted):
        act()
    return len(noted)


@contextlib.contextmanager
def noting(statements: Statements) -> Iterator[None]:
    """Note the statements of the block, with their values, also those that are collected."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    write = database.write

    def note(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    def note_write(sql: str, params: Any, explain: Any = None) -> None:
        statements.append((sql, params))
        write(sql, params, explain)

    database.write = note_write
    try:
        with database.execute_wrapper(note):
            yield
    finally:
        del database.write


# The same writes without Django


def write(bare: "psycopg.Connection[Any]", act: Callable[[], object]) -> float:
    """Execute an act and roll it back, then do its writes with prepared statements. Returns how long these took."""
    noted: Statements = []
    with runner.one_transaction():
        with noting(noted):
            act()
        transaction.set_rollback(True)
    writes = [(sql, params) for sql, params in noted if WRITES.match(sql)]

    def execute() -> None:
        with bare.transaction():
            for sql, params in writes:
                bare.execute(sql, params)

    return timed(execute)


# Without the record


@contextlib.contextmanager
def no_record() -> Iterator[None]:
    """Acts write their rows and answers but no entry. A table then has no version, and nothing is stale."""

    def forget(stream: Any, **fields: Any) -> record.Appended:
        kind, moment, actor = fields["entry"].type, fields["moment"], fields["actor"]
        return record.Appended(stream.seq, b"", b"", kind, b"", moment, actor)

    append, is_stale = record.append, TableRunner.is_stale
    record.append = forget
    TableRunner.is_stale = lambda *_: False  # type: ignore[method-assign]
    try:
        yield
    finally:
        record.append = append
        TableRunner.is_stale = is_stale  # type: ignore[method-assign]
