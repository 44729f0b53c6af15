"""Measure what the record adds to a settlement: with it, without it, on one global chain, and with two alternatives.

Each mode runs in its own process, and they take turns, so that other load on the machine affects all of them.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from script import environment

TITLE = "The record: one settlement of 8 wagers, and alternatives to the record"
ROOT = Path(__file__).resolve().parents[1]
RIVALS = ("pghistory", "auditlog")
LEAST_TURNS = 20
CLIENTS = 4
HELD = (0.0, 0.005)
ACTS_A_ROUND = 7
WORDS = {
    "record": "with the record",
    "nothing": "without the record",
    "global": "one global chain",
    "pghistory": "django-pghistory instead",
    "saved": "without, rows saved singly",
    "auditlog": "django-auditlog instead",
}
# The first table is the settlement benchmark's own.
FIRST = {"record": 2, "global": 2 + CLIENTS, "nothing": 2 + 2 * CLIENTS, "saved": 3 + 2 * CLIENTS}


def measure(seconds: float) -> Iterator[str]:
    """Measure one client in each mode, in turns; then several at once, with a chain per table and one global chain."""
    _tables()
    _rivals()
    with contextlib.ExitStack() as stack:

        def clients(way: str) -> "list[Client]":
            count = CLIENTS if way in ("record", "global") else 1
            return [stack.enter_context(_client(way, number)) for number in range(count)]

        ways = {way: clients(way) for way in WORDS}
        for client in [client for way_clients in ways.values() for client in way_clients]:
            client.settle(0)  # waits until it is ready
        yield from _told(_in_turns({way: way_clients[0] for way, way_clients in ways.items()}, seconds))
        yield from _many(ways["record"], ways["global"], seconds)


def _told(turns_by_way: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Report the fastest tenth of each mode, which leaves out other load on the machine."""
    times = {
        way: _fast([duration for turn in turns for duration in turn["taken"]])
        for way, turns in turns_by_way.items()
    }
    for way, milliseconds in times.items():
        without = times["saved" if way == "auditlog" else "nothing"]
        more = f"  {milliseconds - without:+6.2f} ms" if way not in ("nothing", "saved") else ""
        rows = statistics.mean(turn["rows"] for turn in turns_by_way[way])
        wrote = f", {rows:.0f} rows of its own a round" if way in RIVALS else ""
        yield f"{WORDS[way]:<28}{milliseconds:7.2f} ms a settlement{more}{wrote}"
    share = 100 * (times["record"] - times["nothing"]) / times["record"]
    yield f"the record's share of a settlement: {share:.0f} %   (goal under 25)"


def _fast(times: list[float]) -> float:
    """In milliseconds."""
    return sorted(times)[len(times) // 10] * 1000


def _many(own: "list[Client]", shared: "list[Client]", seconds: float) -> Iterator[str]:
    for seconds_held in HELD:
        rates = [_together(clients, seconds, seconds_held) for clients in (own, shared)]
        longer = f", each transaction held {seconds_held * 1000:.0f} ms longer" if seconds_held else ""
        yield (
            f"{CLIENTS} clients{longer}: a chain per table {rates[0]:.0f} acts/s, "
            f"one global chain {rates[1]:.0f} acts/s, {rates[0] / rates[1]:.1f} times"
        )


# Clients


class Client:
    """A process that settles for a number of seconds on request."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def settle(self, seconds: float) -> dict[str, Any]:
        self.begin(seconds)
        return self.end()

    def begin(self, seconds: float, seconds_held: float = 0.0) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds} {seconds_held}\n")
        self.process.stdin.flush()

    def end(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a client ended early; see its output above")
        return dict(json.loads(line))


@contextlib.contextmanager
def _client(way: str, number: int) -> Iterator[Client]:
    python = environment.python_of(_rivals_home()) if way in RIVALS else Path(sys.executable)
    table = f"SIM-{FIRST.get(way, FIRST['nothing']) + number:02d}"
    command: list[str | Path] = [python, "-m", "script.settling", way, table]
    environ = {**os.environ, "DATABASE_URL": _database_of(way)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdin=pipe, stdout=pipe, text=True)
    try:
        yield Client(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def _in_turns(ways: dict[str, Client], seconds: float) -> dict[str, list[dict[str, Any]]]:
    """Do one settlement in each mode after the other, for this many seconds per mode."""
    turns: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    ends = time.perf_counter() + seconds * len(ways)
    while time.perf_counter() < ends or len(turns["record"]) < LEAST_TURNS:
        for way, client in ways.items():
            turns[way].append(client.settle(0))
    return turns


def _together(clients: list[Client], seconds: float, seconds_held: float) -> float:
    """The acts per second of all these clients together."""
    for client in clients:
        client.begin(seconds, seconds_held)
    results = [client.end() for client in clients]
    return float(sum(ACTS_A_ROUND * len(result["taken"]) / result["spent"] for result in results))


# Databases and environments


def _tables() -> None:
    """Create the simulated tables of all clients before any of them starts."""
    from django.db import connection

    from games.models import Facility
    from tables.demo.simulation import simulated_tables

    simulated_tables(Facility.objects.get(code="larkfield"), max(FIRST.values()), "RS-0009")
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # a database is copied while nobody is connected to it


def _rivals() -> None:
    """Create an environment for the alternatives, and a copy of the database for each."""
    environment.make(_rivals_home(), ROOT / "requirements" / "bench.txt")
    import psycopg

    base = os.environ["DATABASE_URL"]
    with psycopg.connect(_named(base, "postgres"), autocommit=True) as connection:
        for rival in RIVALS:
            connection.execute(f"DROP DATABASE IF EXISTS pitside_bench_{rival} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE pitside_bench_{rival} TEMPLATE pitside_bench")


def _rivals_home() -> Path:
    return ROOT / ".script" / "bench"


def _database_of(way: str) -> str:
    base = os.environ["DATABASE_URL"]
    return _named(base, f"pitside_bench_{way}") if way in RIVALS else base


def _named(address: str, database: str) -> str:
    head, _, tail = address.partition("?")
    return head.rsplit("/", 1)[0] + f"/{database}" + (f"?{tail}" if tail else "")
