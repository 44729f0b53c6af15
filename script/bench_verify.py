"""Measure entries verified per second, against a bare SHA-256 of the same bytes."""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management import call_command

from audit import chain
from games.models import Facility
from script.figures import Figure

TITLE = "Verification: python audit/verify.py, beside bare SHA-256 of the same bytes"
ROOT = Path(__file__).resolve().parents[1]
LINES_LEAST = 600_000  # so that starting a process, 50 ms, hardly counts
NAME = b"the name of the stream"


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Verify hashes only, then contents too, of simulated play repeated on many streams to be long enough."""
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder) / "export.jsonl"
        lines = _export(export)
        size = export.stat().st_size
        bare = _bare(export)
        yield f"{lines} entries, {size / 1e6:.0f} MB"
        hashes = _verify(export, "--hashes-only")
        contents = _verify(export)
        rates = {"bare SHA-256": bare, "hashes and chain": hashes, "hashes, chain and contents": contents}
        for label, seconds in rates.items():
            yield f"{label}: {lines / seconds:,.0f} entries a second"
    for key, label, seconds, goal in (
        ("hashes_ratio", "`verify.py`, hashes and chain, beside bare SHA-256", hashes, 0.8),
        (
            "contents_ratio",
            "`verify.py` with all contents and every round settled, beside bare SHA-256",
            contents,
            0.1,
        ),
    ):
        ratio = bare / seconds
        yield Figure(f"verify.{key}", label, ratio, "×", better="higher", goal=goal, is_portable=True)


def _export(path: Path) -> int:
    from tables.demo.simulation import play_round, simulated_tables

    draw = random.Random(7)
    # The first simulated table is for the settlement benchmark, which writes its rows without the record.
    tables = simulated_tables(Facility.objects.get(code="larkfield"), 5, "RS-0009")[1:]
    for _ in range(15):
        for table in tables:
            play_round(table, draw)
    once = path.with_suffix(".once")
    with once.open("w", encoding="ascii") as file:
        call_command("audit_export", stream=[table.table.stream.name for table in tables], stdout=file)
    return _longer(once, path)


def _longer(once: Path, path: Path) -> int:
    """Repeat the entries on renamed streams, each with its own chain, as one valid export that is long enough."""
    lines = once.read_bytes().splitlines()
    opening = json.loads(lines[0])["body"]
    bodies: dict[str, list[tuple[bytes, bytes]]] = defaultdict(list)  # before and after the stream's name
    for line in lines[1:-1]:
        body = json.loads(line)["body"]
        before, after = chain.canonical({**body, "stream": NAME.decode()}).split(NAME)
        bodies[body["stream"]].append((before, after))
    copies = range(LINES_LEAST // (len(lines) - 2) + 1)
    streams = {f"{name}-{copy:04d}": entries for name, entries in bodies.items() for copy in copies}
    return _write(path, opening, streams)


def _write(path: Path, opening: dict[str, Any], streams: dict[str, list[tuple[bytes, bytes]]]) -> int:
    names, count, closing = sorted(streams), 0, []
    opening["streams"] = [{"head": chain.genesis(name).hex(), "seq": 0, "stream": name} for name in names]
    digest = hashlib.sha256()
    with path.open("wb") as file:

        def put(prev: bytes, raw: bytes) -> bytes:
            entry = chain.entry_hash(prev, raw)
            line = b'{"hash":"%b","prev":"%b","body":%b}\n' % (entry.hex().encode(), prev.hex().encode(), raw)
            digest.update(line)
            file.write(line)
            return entry

        put(bytes(32), chain.canonical(opening))
        for name in names:
            head = chain.genesis(name)
            for before, after in streams[name]:
                head = put(head, before + name.encode() + after)
            closing.append(
                {"entries": len(streams[name]), "head": head.hex(), "seq": len(streams[name]), "stream": name}
            )
            count += len(streams[name])
        digest_before = digest.digest()
        closed = {"_format": 1, "_type": "export.closed", "entries": count, "streams": closing}
        put(digest_before, chain.canonical({**closed, "sha256": digest_before.hex()}))
    return count


def _bare(path: Path) -> float:
    """Read the lines and hash each once. Returns the seconds."""
    began = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            hashlib.sha256(line).digest()
    return time.perf_counter() - began


def _verify(path: Path, *options: str) -> float:
    began = time.perf_counter()
    process = subprocess.run(
        [sys.executable, ROOT / "audit" / "verify.py", *options, path], capture_output=True, check=False
    )
    spent = time.perf_counter() - began
    if process.returncode:
        raise RuntimeError(process.stdout.decode() + process.stderr.decode())
    return spent
