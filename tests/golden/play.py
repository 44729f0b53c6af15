"""A short play through the addresses that tablets use, and the hashes of what it leaves: `python -m tests.golden.play`.

It seeds the demo floor, does everything that can happen to a round at one table, deals a round under each edition, and
asks `odds` and `adjudicate`. Time and randomness are fixed, so the same code gives the same bytes.
"""

import contextlib
import hashlib
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

# Where OpenTelemetry is installed, Redis's client imports it, which draws keys: before the draws of the play.
import redis  # noqa: F401

from tests.golden.floor import Floor
from tests.golden.games import play_a_round_everywhere, play_one_table
from tests.golden.installation import Clock, Randomness, installation, manage
from tests.golden.paper import adjudicated, odds

Json = dict[str, Any]
# Digests and sizes of documents, and of a guide's pages: they change with every word of them.
WRITTEN_IN_WORDS = re.compile(r'"(?:content_sha256|facts_sha256|sha256|size)":(?:"[0-9a-f]{64}"|\d+),?')


def play() -> tuple[Json, list[str]]:
    """The hashes of everything that holds no sentence of ours, and what was not answered as expected."""
    clock, randomness = Clock(), Randomness()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in ("os.urandom", "random._urandom"):
            stack.enter_context(patch(name, randomness))
        stack.enter_context(installation(folder))
        from audit.clock import override

        stack.enter_context(override(clock))
        accepted = [answer for answer in odds(folder) if not answer["status"]]
        settled = [
            {**line, "error": ""} if "error" in line else line
            for line in map(json.loads, adjudicated().splitlines())
        ]
        manage("seed_demo")
        floor = Floor(clock, randomness)
        floor.play(play_one_table)
        floor.play(play_a_round_everywhere)
        figures, exports = readjudicated(folder)
        return {
            "odds": sha256(accepted),
            "adjudicate": sha256(settled),
            "figures": sha256(figures),
            **exports,
            "entries": entries(),
        }, floor.unexpected


def readjudicated(folder: Path) -> tuple[list[Json], dict[str, str]]:
    """Every settlement settled again, and the hashes of the exports of tables and of training."""
    from tables.models import Table

    live = Table.objects.filter(kind="live").order_by("stream__name").values_list("stream__name", flat=True)
    tables = [word for name in live for word in ("--stream", name)]
    figures, exports = [], {}
    for name, words in (("live", ()), ("training", ("--training",)), ("tables", tables)):
        export = folder / f"{name}.jsonl"
        manage("audit_export", *words, "--output", str(export))
        figures.append({"readjudicate": name, "answer": manage("readjudicate", "--json", *words)})
        exports[f"export-{name}"] = hashlib.sha256(export.read_bytes()).hexdigest()
    return figures, {name: exports[name] for name in ("export-tables", "export-training")}


def entries() -> dict[str, str]:
    """The hash of each stream's entries, without the digests of papers that are written in words."""
    from audit.models import Entry

    streams: dict[str, Any] = {}
    for name, kind, body in Entry.objects.order_by("stream__name", "seq").values_list(
        "stream__name", "type", "body"
    ):
        worded = WRITTEN_IN_WORDS.sub("", bytes(body).decode())
        streams.setdefault(name, hashlib.sha256()).update(f"{kind} {worded}\n".encode())
    return {name: digest.hexdigest() for name, digest in sorted(streams.items())}


def sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    hashes, unexpected = play()
    for line in unexpected:
        print(f"not as expected: {line}", file=sys.stderr)
    print(json.dumps(hashes, indent=2))
