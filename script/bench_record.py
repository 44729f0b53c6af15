"""What the record costs a settlement: with it, without it, on one chain for the house, and two rivals in its place.

Every way has a process of its own, and they take turns, so that what the machine does besides falls on all of them.
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

TITLE = "The record: one settlement of 8 wagers, and what takes the record's place"
ROOT = Path(__file__).resolve().parents[1]
RIVALS = ("pghistory", "auditlog")
LEAST_TURNS = 20
CLIENTS = 4
HELD = (0.0, 0.005)
ACTS_A_ROUND = 7
WORDS = {
    "record": "with the record",
    "nothing": "without the record",
    "global": "one chain for the house",
    "pghistory": "django-pghistory instead",
    "saved": "without, rows saved singly",
    "auditlog": "django-auditlog instead",
}
# The first table is the settlement benchmark's own.
FIRST = {"record": 2, "global": 2 + CLIENTS, "nothing": 2 + 2 * CLIENTS, "saved": 3 + 2 * CLIENTS}


def measure(seconds: float) -> Iterator[str]:
    """One client in each way, in turns; then several at once, with a chain a table and with one for the house."""
    _tables()
    _rivals()
    with contextlib.ExitStack() as stack:

        def clients(way: str) -> "list[Client]":
            count = CLIENTS if way in ("record", "global") else 1
            return [stack.enter_context(_client(way, number)) for number in range(count)]

        ways = {way: clients(way) for way in WORDS}
        for client in [one for ones in ways.values() for one in ones]:
            client.settle(0)  # until it is ready
        yield from _told(_in_turns({way: ones[0] for way, ones in ways.items()}, seconds))
        yield from _many(ways["record"], ways["global"], seconds)


def _told(found: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Of each way its fastest tenth: what a settlement costs, and not what the machine did besides."""
    taken = {way: _fast([one for turn in turns for one in turn["taken"]]) for way, turns in found.items()}
    for way, milliseconds in taken.items():
        without = taken["saved" if way == "auditlog" else "nothing"]
        more = f"  {milliseconds - without:+6.2f} ms" if way not in ("nothing", "saved") else ""
        rows = statistics.mean(turn["rows"] for turn in found[way])
        wrote = f", {rows:.0f} rows of its own a round" if way in RIVALS else ""
        yield f"{WORDS[way]:<28}{milliseconds:7.2f} ms a settlement{more}{wrote}"
    share = 100 * (taken["record"] - taken["nothing"]) / taken["record"]
    yield f"the record's share of a settlement: {share:.0f} %   (goal under 25)"


def _fast(taken: list[float]) -> float:
    """In milliseconds."""
    return sorted(taken)[len(taken) // 10] * 1000


def _many(own: "list[Client]", one: "list[Client]", seconds: float) -> Iterator[str]:
    for held in HELD:
        rates = [_together(clients, seconds, held) for clients in (own, one)]
        longer = f", each transaction held {held * 1000:.0f} ms longer" if held else ""
        yield (
            f"{CLIENTS} clients{longer}: a chain a table {rates[0]:.0f} acts/s, "
            f"one for the house {rates[1]:.0f} acts/s, {rates[0] / rates[1]:.1f} times"
        )


# Clients


class Client:
    """A process that settles for so many seconds whenever it is told to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def settle(self, seconds: float) -> dict[str, Any]:
        self.begin(seconds)
        return self.end()

    def begin(self, seconds: float, held: float = 0.0) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds} {held}\n")
        self.process.stdin.flush()

    def end(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a client ended early; what it said stands above")
        return dict(json.loads(line))


@contextlib.contextmanager
def _client(way: str, number: int) -> Iterator[Client]:
    python = environment.python_of(_rivals_home()) if way in RIVALS else Path(sys.executable)
    table = f"SIM-{FIRST.get(way, FIRST['nothing']) + number:02d}"
    command: list[str | Path] = [python, "-m", "script.settling", way, table]
    said = {**os.environ, "DATABASE_URL": _database_of(way)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, env=said, stdin=pipe, stdout=pipe, text=True)
    try:
        yield Client(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def _in_turns(ways: dict[str, Client], seconds: float) -> dict[str, list[dict[str, Any]]]:
    """One settlement of each way after the other, for so many seconds a way."""
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    ends = time.perf_counter() + seconds * len(ways)
    while time.perf_counter() < ends or len(found["record"]) < LEAST_TURNS:
        for way, client in ways.items():
            found[way].append(client.settle(0))
    return found


def _together(clients: list[Client], seconds: float, held: float) -> float:
    """Acts a second of all these clients at once."""
    for client in clients:
        client.begin(seconds, held)
    found = [client.end() for client in clients]
    return float(sum(ACTS_A_ROUND * len(one["taken"]) / one["spent"] for one in found))


# Databases and environments


def _tables() -> None:
    """Simulated tables for every client, made before any of them begins."""
    from django.db import connection

    from games.models import Facility
    from tables.demo.simulation import simulated_tables

    simulated_tables(Facility.objects.get(code="larkfield"), max(FIRST.values()), "RS-0009")
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # a database is copied while nobody is connected to it


def _rivals() -> None:
    """An environment for the rivals, and a copy of the database for each."""
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
