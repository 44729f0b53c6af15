"""Measure what the record adds to a settlement: with it, without it, and on one global chain.

Each mode runs in its own process, and they take turns, so that other load on the machine affects all of them.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from script.figures import Figure

TITLE = "The record: one settlement of 8 wagers, with it, without it, and on one global chain"
ROOT = Path(__file__).resolve().parents[1]
LEAST_TURNS = 20
CLIENTS = 4
HELD_SECONDS = (0.0, 0.005)
ACTS_A_ROUND = 7
LABELS = {"record": "with the record", "nothing": "without the record", "global": "on one global chain"}
# The first table is the settlement benchmark's own.
FIRST_TABLES = {"record": 2, "global": 2 + CLIENTS, "nothing": 2 + 2 * CLIENTS}


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Measure one client in each mode, in turns; then several at once, with a chain per table and one global chain."""
    seconds: float = options.seconds
    _tables()
    with contextlib.ExitStack() as stack:

        def clients(mode: str) -> "list[Client]":
            count = 1 if mode == "nothing" else CLIENTS
            return [stack.enter_context(_client(mode, number)) for number in range(count)]

        modes = {mode: clients(mode) for mode in LABELS}
        for client in [client for mode_clients in modes.values() for client in mode_clients]:
            client.settle(0)  # waits until it is ready
        turns = _in_turns({mode: mode_clients[0] for mode, mode_clients in modes.items()}, seconds)
        yield from _figures(turns)
        yield from _together_figures(modes["record"], modes["global"], seconds)


def _figures(turns_by_mode: dict[str, list[dict[str, Any]]]) -> Iterator[Figure]:
    """Report the fastest tenth of each mode, which leaves out other load on the machine."""
    times = {
        mode: _fast([duration for turn in turns for duration in turn["times"]])
        for mode, turns in turns_by_mode.items()
    }
    for mode, milliseconds in times.items():
        yield Figure(f"record.{mode}_ms", f"a settlement {LABELS[mode]}", milliseconds, "ms")
    share = 100 * (times["record"] - times["nothing"]) / times["record"]
    yield Figure(
        "record.share", "the record's share of a settlement", share, "%", goal=12.0, is_portable=True
    )


def _fast(times: list[float]) -> float:
    """In milliseconds."""
    return sorted(times)[len(times) // 10] * 1000


def _together_figures(own: "list[Client]", shared: "list[Client]", seconds: float) -> Iterator[Figure]:
    for seconds_held in HELD_SECONDS:
        rates = [_together(clients, seconds, seconds_held) for clients in (own, shared)]
        longer = f", each transaction {seconds_held * 1000:.0f} ms longer" if seconds_held else ""
        yield Figure(
            f"record.chains_{seconds_held * 1000:.0f}_ratio",
            f"acts a second of {CLIENTS} clients with a chain for each table, beside one global chain{longer}",
            rates[0] / rates[1],
            "×",
            better="higher",
            is_portable=True,
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
def _client(mode: str, number: int) -> Iterator[Client]:
    command = [sys.executable, "-m", "script.settling", mode, f"SIM-{FIRST_TABLES[mode] + number:02d}"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    try:
        yield Client(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def _in_turns(clients: dict[str, Client], seconds: float) -> dict[str, list[dict[str, Any]]]:
    """Do one settlement in each mode after the other, for this many seconds per mode."""
    turns: dict[str, list[dict[str, Any]]] = {mode: [] for mode in clients}
    ends = time.perf_counter() + seconds * len(clients)
    while time.perf_counter() < ends or len(turns["record"]) < LEAST_TURNS:
        for mode, client in clients.items():
            turns[mode].append(client.settle(0))
    return turns


def _together(clients: list[Client], seconds: float, seconds_held: float) -> float:
    """The acts per second of all these clients together."""
    for client in clients:
        client.begin(seconds, seconds_held)
    results = [client.end() for client in clients]
    return float(sum(ACTS_A_ROUND * len(result["times"]) / result["spent"] for result in results))


def _tables() -> None:
    """Create the simulated tables of all clients before any of them starts."""
    from games.models import Facility
    from tables.demo.simulation import simulated_tables

    simulated_tables(Facility.objects.get(code="larkfield"), max(FIRST_TABLES.values()), "RS-0009")
