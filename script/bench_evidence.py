"""Measure exporting and verifying a long record, against a bare COPY and a bare SHA-256, with the memory used.

Each runs in its own process, over a tenth of the record and over all of it, which shows whether memory grows. The
seconds for a tenth are subtracted, so that the rates leave out starting up.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from games.models import Facility
from script import history
from script.figures import Figure, ratio
from script.service_finder import ROOT
from tables.demo.simulation import play_round, simulated_tables

TITLE = "Evidence: exporting a record and checking it as an outsider does; all cores share the contents"
ROUNDS = 20
# The fastest turn of each counts: starting up takes ten times as long as what is measured, and varies by as much.
TURNS = 3
FACILITY = "larkfield"
# Of a facility that approved the terms of the rounds: without them no round is settled.
STREAMS = f"{FACILITY}/B-"
COPY = """import os, psycopg, sys
with psycopg.connect(os.environ["DATABASE_URL"]) as one, one.cursor() as cursor, open(sys.argv[1], "wb") as file:
    with cursor.copy("COPY (SELECT e.seq, e.prev, e.hash, e.body FROM audit_entry e JOIN audit_stream s"
        " ON s.id = e.stream_id WHERE s.name LIKE '" + sys.argv[3] + "%' AND e.stream_id <= " + sys.argv[2] +
        " ORDER BY s.name, e.seq) TO STDOUT (FORMAT BINARY)") as rows:
        for block in rows:
            file.write(block)
"""
# A process starts with the peak memory of the process that forked it, so a small process forks it.
LAUNCH = """import json, os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as file:
    json.dump([time.perf_counter() - began, used.ru_maxrss, os.waitstatus_to_exitcode(status)], file)
"""
HASH = """import hashlib, sys
with open(sys.argv[1], "rb") as file:
    for line in file:
        hashlib.sha256(line).digest()
"""


@dataclass(frozen=True)
class Run:
    """One process: its duration in seconds, its peak memory in MB, and what it printed."""

    seconds: float
    most: float
    output: str


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The rates over the whole record, and their memory over a tenth and over all of it."""
    ids, entries = write(options.entries)
    with tempfile.TemporaryDirectory() as folder:
        small = _runs(Path(folder), ids[: len(ids) // 10])
        full = _runs(Path(folder), ids)
        if "NOT SETTLED" in full["verify.py"].output:
            raise RuntimeError("rounds were not settled, which takes most of the time")
        megabytes = (Path(folder) / "export.jsonl").stat().st_size / 1e6
    yield f"{entries} entries on {len(ids)} streams, {megabytes:.0f} MB as an export"
    more = {name: run.seconds - small[name].seconds for name, run in full.items()}
    for name, run in full.items():
        rate, memory = (
            0.9 * entries / more[name],
            f"{run.most:.0f} MB ({small[name].most:.0f} MB over a tenth)",
        )
        yield f"{name:<14}{rate:9,.0f} entries/s{run.seconds:9.2f} s in all   {memory}"
    for key, label, base, measured, goal in (
        ("export_ratio", "export, beside a bare COPY", "COPY", "export", None),
        ("hashes_ratio", "`verify.py`, hashes and chain, beside bare SHA-256", "SHA-256", "hashes only", 0.8),
        (
            "contents_ratio",
            "`verify.py` with all contents and every round settled, beside bare SHA-256",
            "SHA-256",
            "verify.py",
            0.1,
        ),
    ):
        yield ratio(f"evidence.{key}", label, more[base] / more[measured], goal, "higher")
    for key, measured in (("export", "export"), ("verify", "verify.py")):
        label = f"memory of {measured} over all of it, beside a tenth"
        yield ratio(f"evidence.{key}_memory_ratio", label, full[measured].most / small[measured].most)


def _runs(folder: Path, ids: Sequence[int]) -> dict[str, Run]:
    export, copy = folder / "export.jsonl", folder / "copy"
    python, verify = sys.executable, ROOT / "audit" / "verify.py"
    streams = [part for number in range(len(ids)) for part in ("--stream", _name(number))]
    commands: dict[str, tuple[list[str | Path], Path | None]] = {
        "COPY": ([python, "-c", COPY, copy, str(ids[-1]), STREAMS], None),
        "export": ([python, ROOT / "manage.py", "audit_export", *streams], export),
        "SHA-256": ([python, "-c", HASH, export], None),
        "hashes only": ([python, verify, "--hashes-only", export], None),
        "verify.py": ([python, verify, export], None),
    }
    turns = [{name: _run(*command) for name, command in commands.items()} for _ in range(TURNS)]
    return {name: min((turn[name] for turn in turns), key=lambda run: run.seconds) for name in commands}


def _run(command: Sequence[str | Path], into: Path | None = None) -> Run:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        report = Path(folder) / "report"
        launch: list[str | Path] = [sys.executable, "-I", "-S", "-c", LAUNCH, report, *command]
        with open(into or os.devnull, "wb") as out:
            subprocess.run(launch, cwd=ROOT, stdout=out if into else output, stderr=output, check=True)
        seconds, most, failed = json.loads(report.read_text())
        output.seek(0)
        printed = output.read().decode()
        if failed:
            raise RuntimeError(printed)
    return Run(seconds, most / (1024 if sys.platform == "linux" else 1024**2), printed)


def write(entries: int) -> tuple[list[int], int]:
    """Write about so many entries: streams like one of simulated play. Returns their ids, and how many entries."""
    played = simulated_tables(Facility.objects.get(code=FACILITY), 1, "RS-0009")[0]
    draw = random.Random(7)
    for _ in range(ROUNDS):
        play_round(played, draw)
    samples = history.samples_of(played.table.stream)
    streams = max(10, entries // len(samples))
    address = os.environ["DATABASE_URL"]
    with (
        psycopg.connect(address) as connection,
        connection.cursor() as cursor,
        history.guards_disabled(cursor),
    ):
        ids = [
            history.write_stream(cursor, _name(number), len(samples), samples) for number in range(streams)
        ]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE audit_entry")
    return ids, streams * len(samples)


def _name(number: int) -> str:
    return f"{STREAMS}{number:05d}"
