"""Say where the processor time of an act goes: whole rounds at a table with one screen (`script/profiled.py`)."""

import argparse
import asyncio
import contextlib
from collections.abc import Iterator

import httpx

from script.bench_acts import WARM_ROUNDS, WEB, ActBench, Block
from script.faults.scene import HOST
from script.figures import Figure
from script.installation import Installation

TITLE = "One uvicorn worker, PostgreSQL and Redis: where the processor time of an act goes"
PROFILED = "script.profiled:application"
SCREENS = {"dealer": 1}
LABELS = {
    "event_loop": "the event loop: HTTP, sockets, Redis",
    "request": "middleware, views, reading and writing JSON",
    "identity": "who sends it: device, session, person",
    "act": "the act: lock, rules, its own writes",
    "record": "the record: the entry and the saved answer",
    "snapshot": "the snapshot: building it from rows, and its JSON",
    "render": "rendering the screen",
    "changes": "comparing the screen with the one before",
    "statements": "Django's cursors and psycopg, in every part",
}


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Deal `options.rounds` rounds."""
    with contextlib.ExitStack() as stack:
        bench = ActBench(Installation(stack, 1, application=PROFILED))
        asyncio.run(bench.sign_in())
        bench.play(Block(), SCREENS, WARM_ROUNDS)
        address = f"http://{HOST}:{bench.scene.ports[WEB]}/profile"
        httpx.get(address)
        block = Block()
        bench.play(block, SCREENS, options.rounds)
        totals: dict[str, list[float]] = httpx.get(address).json()
    acts = len(block.acts)
    used = sum(total[0] for total in totals.values())
    yield f"{acts} acts, {1_000 * used / acts:.1f} ms each, with what measuring takes"
    for part, (processor, _, _) in sorted(totals.items(), key=lambda total: -total[1][0]):
        yield Figure(f"profile.{part}", LABELS[part], 100 * processor / used, "%")
    _, elapsed, statements = totals["statements"]
    waited = elapsed - totals["statements"][0]
    yield Figure("profile.statements_each", "statements of an act", statements / acts)
    yield Figure(
        "profile.waiting_ms", "an act waits for PostgreSQL and for its turn", 1_000 * waited / acts, "ms"
    )
