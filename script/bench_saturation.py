"""Find for how many tables a floor holds: nothing is lost, and 99 of 100 acts are on all screens in time."""

import argparse
import contextlib
from collections.abc import Iterator

from script.bench_floor import GOAL_MS, GOAL_TABLES, FloorBench, lines
from script.figures import Figure
from script.generator.schedule import percentiles

TITLE = "For how many tables a floor holds"
FIRST_TABLES = 25
STEP = 0.1  # the search ends within a tenth


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Double the tables until they do not hold, at most to `options.tables`, then halve the interval."""
    with contextlib.ExitStack() as stack:
        bench = FloorBench(stack, options)
        yield bench.open()
        most, least, broken = options.tables, 0, 0
        tables = min(most, FIRST_TABLES)
        while True:
            play = bench.play(tables, options.floor_seconds)
            yield from lines(play)
            (p99,) = percentiles(play.latencies, (0.99,))
            yield (
                f"{tables} tables {'hold' if play.holds else 'do not hold'}: p99 {p99:.0f} ms to all screens, "
                f"{len(play.problems)} lost"
            )
            least, broken = (tables, broken) if play.holds else (least, tables)
            if least == most or (broken and broken - least <= max(1, STEP * least)):
                break
            tables = (least + broken) // 2 if broken else min(most, 2 * tables)
    yield "more tables were not tried" if least == most else f"{broken} tables do not hold"
    yield Figure(
        "saturation.tables",
        f"tables that hold a p99 under {GOAL_MS:.0f} ms, {options.workers} workers",
        least,
        better="higher",
        goal=GOAL_TABLES,
    )
