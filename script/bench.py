"""Measure the speed of Pitside, and print the table of its figures with the machine that they were measured on.

Absolute figures depend on the machine, so judge a change by the ratios within one run. Nothing here is a test.
`--nightly` compares with the committed figures and fails if a ratio is more than 20 % worse.
"""

import argparse
import contextlib
import dataclasses
import importlib
import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from script.figures import Committed, Comparison, Figure, Run, better_of, commit_of_the_tree, compare, table
from script.service_finder import ROOT


@dataclass(frozen=True)
class Part:
    """One part of the benchmark: `script/bench_<name>.py`, in a process of its own.

    `is_scene`: it starts an installation of its own; others are given a database with the demo floor. `is_nightly`:
    measured by `--nightly`.
    """

    title: str
    is_scene: bool = False
    is_nightly: bool = True


PARTS = {
    "acts": Part("an act over HTTP, from the POST to its screens", is_scene=True),
    "floor": Part("a floor of many tables", is_scene=True, is_nightly=False),
    "dashboard": Part("the dashboard of a large floor in Chromium", is_scene=True, is_nightly=False),
    "settlement": Part("one act that settles 8 wagers, and what the record adds to it"),
    "disk": Part("what a round takes on the disk"),
    "evidence": Part("exporting and verifying a long record"),
    "adjudicate": Part("rounds adjudicated from JSON lines"),
    "api": Part("the record over the API, and idle subscribers", is_scene=True, is_nightly=False),
}
# For how many tables a floor holds for five minutes, at most those of its goal.
LONG = ("--find", "--tables=400", "--floor-seconds=300")
TITLES = {name: part.title for name, part in PARTS.items()} | {
    "saturation": "for how many tables a floor holds (`--only floor --find`)"
}


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    options.add_argument("--only", nargs="+", choices=PARTS, default=None, help="measure these parts")
    options.add_argument("--write", action="store_true", help="write the figures into docs/bench.json")
    options.add_argument(
        "--nightly",
        action="store_true",
        help="fail if a ratio is more than 20 %% worse than the committed one",
    )
    for name, default, words in (
        ("seconds", 6.0, "of `settlement` and `adjudicate`: about how long each figure is measured"),
        ("entries", 50_000, "of `evidence` and `api`: how many are read"),
        ("rounds", 20, "of `acts`: rounds for each number of screens"),
        ("tables", 20, "of `floor`: tables that play (the goal is 1,000)"),
        ("rounds-an-hour", 60.0, "of `floor`: rounds at each table"),
        ("wagers", 10, "of `floor`: wagers of a round, each an act"),
        ("workers", 2, "of `floor`: web workers"),
        ("floor-seconds", 60.0, "of `floor`: how long all tables play"),
        ("tiles", 300, "of `dashboard`: its tiles"),
        ("tiles-playing", 75, "of `dashboard`: tiles that change"),
    ):
        options.add_argument(f"--{name}", type=type(default), default=default, help=words)
    options.add_argument("--dashboards", type=int, help="of `floor`: three for a hundred tables unless given")
    options.add_argument(
        "--durable", action="store_true", help="of `floor`: let commits wait for the disk (fsync)"
    )
    options.add_argument(
        "--find", action="store_true", help="of `floor`: for how many tables it holds, at most --tables"
    )
    options.add_argument(
        "--long",
        action="store_true",
        help="also find for how many tables a floor holds for five minutes (up to an hour)",
    )
    options.add_argument("--child", choices=PARTS, help=argparse.SUPPRESS)
    return options


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if options.child:
        measure_here(options)
        return 0
    names = options.only or [name for name, part in PARTS.items() if part.is_nightly or not options.nightly]
    run = Run.begin(commit_of_the_tree())
    print(f"{run.machine}. Load average before the run: {run.load}.", flush=True)
    figures, failed = _measure(names, arguments)
    if options.long:
        found, failed_long = _measure(["floor"], [*arguments, *LONG])
        figures, failed = figures + found, failed + failed_long
    committed = Committed.read()
    if options.nightly and (worse := _worse(figures, committed)):
        # Other work of the machine may have done it: what is worse twice is worse.
        print("\nMeasured again, because it is more than 20 % worse:", flush=True)
        parts = list(dict.fromkeys(comparison.figure.part for comparison in worse))
        again, failed_again = _measure(parts, arguments)
        figures, failed = better_of(figures, again), failed + failed_again
    run = dataclasses.replace(run, figures=tuple(figures))
    print("", *table(run.figures), sep="\n")
    _report(run, committed, is_written=options.write)
    for name in failed:
        print(f"The part {name} failed; see its output above.", file=sys.stderr)
    return int(bool(failed) or (options.nightly and bool(_worse(run.figures, committed))))


def _worse(figures: Sequence[Figure], committed: Committed) -> list[Comparison]:
    return [comparison for comparison in compare(figures, committed) if comparison.is_worse]


def _report(run: Run, committed: Committed, *, is_written: bool) -> None:
    """Compare with the committed figures, and write the new ones if asked."""
    if comparisons := [row for row in compare(run.figures, committed) if row.figure.is_portable]:
        print("\nBeside the committed figures (ratios, bytes and counts; seconds depend on the machine):")
        for comparison in comparisons:
            print(f"  {'WORSE ' if comparison.is_worse else ''}{comparison}")
    if is_written and run.figures:
        committed.replace(run)
        committed.write()
        print("\nWritten to docs/bench.json; python -m script.reference makes pages of it.")


def _measure(names: Sequence[str], arguments: Sequence[str]) -> tuple[list[Figure], list[str]]:
    """Measure these parts, each in a process of its own. Returns the figures, and the names of those that failed."""
    figures, failed = [], []
    for name in names:
        command = [sys.executable, "-m", "script.bench", *arguments, "--child", name]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                figures.append(Figure(**json.loads(line)))
                line = f"  {figures[-1].label}: {figures[-1].text}"
            print(line.rstrip(), flush=True)
        failed += [name] if process.wait() else []
    return figures, failed


def measure_here(options: argparse.Namespace) -> None:
    """Measure a part in this process, and print each figure as a line of JSON."""
    from script.installation import Installation

    logging.disable(logging.CRITICAL)  # of this process, whose settings log every request that it sends
    with contextlib.ExitStack() as stack:
        if not PARTS[options.child].is_scene:
            Installation(stack, 0).start()
        bench = importlib.import_module(f"script.bench_{options.child}")
        print(f"\n{bench.TITLE}", flush=True)
        for result in bench.measure(options):
            is_figure = isinstance(result, Figure)
            print(json.dumps(dataclasses.asdict(result)) if is_figure else f"  {result}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
