"""Measure exporting and verifying a long record, against a bare COPY and a bare SHA-256, with the memory used.

Each runs in its own process, over a tenth of the record and over all of it, which shows whether memory grows.
"""

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from script import history
from script.figures import Figure

TITLE = (
    "Evidence: exporting a record and checking it as an outsider does; one core each, in separate processes"
)
ROOT = Path(__file__).resolve().parents[1]
STREAMS = 100
BEGAN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
STEP = dt.timedelta(seconds=1)
SAMPLES = 120
COPY = """import os, psycopg, sys
with psycopg.connect(os.environ["DATABASE_URL"]) as one, one.cursor() as cursor, open(sys.argv[1], "wb") as file:
    with cursor.copy("COPY (SELECT e.seq, e.prev, e.hash, e.body FROM audit_entry e JOIN audit_stream s"
        " ON s.id = e.stream_id WHERE s.name LIKE 'bench/%' AND e.stream_id <= " + sys.argv[2] +
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
    """One process: its duration in seconds, and its peak memory in MB."""

    seconds: float
    most: float


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The rates over the whole record, and their memory over a tenth and over all of it."""
    entries: int = options.entries
    ids = write(entries)
    with tempfile.TemporaryDirectory() as folder:
        small = _runs(Path(folder), ids[: STREAMS // 10])
        full = _runs(Path(folder), ids)
        size = (Path(folder) / "export.jsonl").stat().st_size / 1e6
    yield f"{entries} entries on {STREAMS} streams, {size:.0f} MB as an export"
    # The time for a tenth is subtracted, so that the rates leave out starting up.
    more = {name: run.seconds - small[name].seconds for name, run in full.items()}
    for name, run in full.items():
        yield (
            f"{name:<14}{0.9 * entries / more[name]:9.0f} entries/s{run.seconds:9.2f} s in all"
            f"   {run.most:6.0f} MB ({small[name].most:.0f} MB over a tenth)"
        )
    for key, label, base, measured in (
        ("export_ratio", "export, beside a bare COPY", "COPY", "export"),
        ("hashes_ratio", "`verify.py` of hashes and chain, beside SHA-256", "SHA-256", "hashes only"),
        ("contents_ratio", "`verify.py` of all of it, beside SHA-256", "SHA-256", "verify.py"),
    ):
        ratio = more[base] / more[measured]
        yield Figure(f"evidence.{key}", label, ratio, "×", better="higher", is_portable=True)
    for measured in ("export", "verify.py"):
        ratio = full[measured].most / small[measured].most
        label = f"memory of {measured} over all of it, beside a tenth"
        yield Figure(
            f"evidence.{measured.partition('.')[0]}_memory_ratio", label, ratio, "×", is_portable=True
        )


def _runs(folder: Path, ids: Sequence[int]) -> dict[str, Run]:
    export, copy = folder / "export.jsonl", folder / "copy"
    manage, verify = ROOT / "manage.py", ROOT / "audit" / "verify.py"
    streams = [part for number in range(len(ids)) for part in ("--stream", _name(number))]
    copying: list[str | Path] = [sys.executable, "-c", COPY, copy, str(ids[-1])]
    return {
        # The fastest of three: a tenth of a second, and the first one reads what was just written from the disk.
        "COPY": min((_run(copying) for _ in range(3)), key=lambda run: run.seconds),
        "export": _run([sys.executable, manage, "audit_export", *streams], export),
        "SHA-256": _run([sys.executable, "-c", HASH, export]),
        "hashes only": _run([sys.executable, verify, "--hashes-only", export]),
        "verify.py": _run([sys.executable, verify, export]),
    }


def _run(command: Sequence[str | Path], into: Path | None = None) -> Run:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        report = Path(folder) / "told"
        launch: list[str | Path] = [sys.executable, "-I", "-S", "-c", LAUNCH, report]
        with open(into or os.devnull, "wb") as out:
            subprocess.run(
                [*launch, *command], cwd=ROOT, stdout=out if into else output, stderr=output, check=True
            )
        seconds, most, failed = json.loads(report.read_text())
        if failed:
            output.seek(0)
            raise RuntimeError(output.read().decode())
    return Run(seconds, most / (1024 if sys.platform == "linux" else 1024**2))


# The record


def write(entries: int) -> list[int]:
    """Write this many entries on the benchmark's own streams. Returns the streams' ids."""
    samples = _samples()
    with (
        psycopg.connect(os.environ["DATABASE_URL"]) as connection,
        connection.cursor() as cursor,
        history.guards_disabled(cursor),
    ):
        ids = [
            history.write_stream(cursor, _name(number), entries // STREAMS, samples, BEGAN, STEP)
            for number in range(STREAMS)
        ]
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE audit_entry")
    return ids


def _samples() -> list[history.Sample]:
    """The entries of the rounds that a simulated table played."""
    import random

    from games.models import Facility
    from tables.demo.simulation import play_round, simulated_tables

    played = simulated_tables(Facility.objects.get(code="larkfield"), 1, "RS-0009")[0]
    draw = random.Random(7)
    for _ in range(20):
        play_round(played, draw)
    return history.samples_of(played.table.stream, SAMPLES)


def _name(number: int) -> str:
    return f"bench/T-{number:03d}"
