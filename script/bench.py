"""Measure the speed of Pitside, and print the table of its figures with the machine that they were measured on.

Absolute figures depend on the machine, so judge a change by the ratios within one run. Nothing here is a test.
`--nightly` compares with the committed figures and fails if a ratio is more than 20 % worse.
"""

import argparse
import dataclasses
import importlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from script import capacity, services
from script.figures import Committed, Comparison, Figure, Run, better_of, compare, table, write_page
from script.process_usage import load_average
from script.service_finder import ROOT


@dataclass(frozen=True)
class Part:
    """One part of the benchmark: `script/bench_<name>.py`.

    `is_scene`: it starts processes of its own; the others share a database. `is_nightly`: measured by `--nightly`.
    `is_default`: measured unless other parts are named.
    """

    name: str
    title: str
    is_scene: bool = False
    is_nightly: bool = True
    is_default: bool = True


PARTS = {
    part.name: part
    for part in (
        Part("acts", "an act over HTTP, from the POST to its screens", is_scene=True),
        Part("profile", "where the processor time of an act goes", is_scene=True, is_nightly=False),
        Part("floor", "a floor of many tables", is_scene=True, is_nightly=False),
        Part("saturation", "for how many tables a floor holds", is_scene=True, is_default=False),
        Part("dashboard", "the dashboard of a large floor in Chromium", is_scene=True, is_nightly=False),
        Part(
            "growth",
            "the same operations on a larger floor and a longer record",
            is_scene=True,
            is_nightly=False,
        ),
        Part("figures", "the page of figures over a year", is_scene=True, is_nightly=False),
        Part("settlement", "one act that settles 8 wagers"),
        Part("record", "what the record adds to a settlement"),
        Part("verify", "`audit/verify.py` on an export"),
        Part("evidence", "exporting and verifying a long record"),
        Part("adjudicate", "rounds adjudicated from JSON lines"),
    )
}


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    options.add_argument("--only", nargs="+", choices=PARTS, default=None, help="measure these parts")
    options.add_argument(
        "--seconds",
        type=float,
        default=6.0,
        help="of `settlement`, `record` and `adjudicate`: about how long each figure is measured",
    )
    options.add_argument(
        "--entries", type=int, default=50_000, help="of `evidence`: how many it exports and verifies"
    )
    options.add_argument(
        "--rounds", type=int, default=20, help="of `acts` and `profile`: rounds for each number of screens"
    )
    floor = options.add_argument_group("floor")
    floor.add_argument("--tables", type=int, default=20, help="tables that play (the goal is 1,000)")
    floor.add_argument("--rounds-an-hour", type=float, default=60, help="rounds at each table")
    floor.add_argument("--wagers", type=int, default=10, help="wagers of a round, each an act")
    floor.add_argument("--dashboards", type=int, help="dashboards; three for a hundred tables unless given")
    floor.add_argument("--workers", type=int, default=2, help="web workers")
    floor.add_argument("--floor-seconds", type=float, default=60, help="how long all tables play")
    floor.add_argument("--durable", action="store_true", help="let commits wait for the disk (fsync)")
    floor.add_argument(
        "--find",
        action="store_true",
        help="measure `saturation` instead: for how many tables it holds, at most --tables",
    )
    dashboard = options.add_argument_group("dashboard")
    dashboard.add_argument("--tiles", type=int, default=300, help="tiles of the dashboard")
    dashboard.add_argument("--tiles-playing", type=int, default=75, help="tiles that change")
    growth = options.add_argument_group("growth")
    growth.add_argument("--growth-tables", type=int, default=1_000, help="tables of the larger floor")
    growth.add_argument("--growth-entries", type=int, default=200_000, help="entries of the longer record")
    options.add_argument(
        "--write", action="store_true", help="write the figures into docs (bench.json, bench.md, capacity.md)"
    )
    options.add_argument(
        "--nightly",
        action="store_true",
        help="fail if a ratio is more than 20 %% worse than the committed one",
    )
    options.add_argument("--child", nargs="+", choices=PARTS, help=argparse.SUPPRESS)
    return options


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if options.child:
        return measure_here(options)
    names = options.only or [
        part.name for part in PARTS.values() if part.is_default and (part.is_nightly or not options.nightly)
    ]
    if options.find:
        names = ["saturation" if name == "floor" else name for name in names]
    run = Run.begin(load_average(), _commit())
    print(f"{run.machine}. Load average before the run: {run.load}.", flush=True)
    figures, failed = _measure(names, arguments)
    committed = Committed.read()
    if options.nightly and (worse := _worse(figures, committed)):
        # Other work of the machine may have done it: what is worse twice is worse.
        print("\nMeasured again, because it is more than 20 % worse:", flush=True)
        parts = list(dict.fromkeys(comparison.figure.part for comparison in worse))
        again, failed_again = _measure(parts, arguments)
        figures, failed = better_of(figures, again), failed + failed_again
    run = dataclasses.replace(run, figures=tuple(figures))
    print("", *table(run.figures), sep="\n")
    _report(run, committed, options)
    for name in failed:
        print(f"The part {name} failed; see its output above.", file=sys.stderr)
    return int(bool(failed) or (options.nightly and bool(_worse(run.figures, committed))))


def _worse(figures: Sequence[Figure], committed: Committed) -> list[Comparison]:
    return [comparison for comparison in compare(figures, committed) if comparison.is_worse]


def _report(run: Run, committed: Committed, options: argparse.Namespace) -> None:
    """Compare with the committed figures, and write the new ones if asked."""
    comparisons = [
        comparison for comparison in compare(run.figures, committed) if comparison.figure.is_portable
    ]
    if comparisons:
        print("\nBeside the committed figures (ratios, bytes and counts; seconds depend on the machine):")
        for comparison in comparisons:
            print(f"  {'WORSE ' if comparison.is_worse else ''}{comparison}")
    if options.write and run.figures:
        committed.replace(run)
        committed.write()
        write_page(committed, {part.name: part.title for part in PARTS.values()})
        capacity.write_page(committed)
        print("\nWritten to docs/bench.json, docs/bench.md and docs/capacity.md.")


def _measure(names: Sequence[str], arguments: Sequence[str]) -> tuple[list[Figure], list[str]]:
    """Measure these parts. Returns the figures, and the names of those that failed."""
    groups = [[name] for name in names if PARTS[name].is_scene]
    if shared := [name for name in names if not PARTS[name].is_scene]:
        groups.append(shared)
    figures, failed = [], []
    for group in groups:
        measured, is_complete = _measure_in_child(group, arguments)
        figures += measured
        failed += [] if is_complete else [", ".join(group)]
    return figures, failed


def _measure_in_child(names: Sequence[str], arguments: Sequence[str]) -> tuple[list[Figure], bool]:
    """Measure parts in a process of their own, because a process can be set up for one database only.

    Returns the figures, and whether the process came to its end.
    """
    command = [sys.executable, "-m", "script.bench", *arguments, "--child", *names]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    figures = []
    for line in process.stdout:
        if line.startswith("{"):
            figures.append(Figure(**json.loads(line)))
            print(f"  {figures[-1].label}: {figures[-1].text}", flush=True)
        else:
            print(line.rstrip(), flush=True)
    return figures, process.wait() == 0


def measure_here(options: argparse.Namespace) -> int:
    """Measure parts in this process, and print each figure as a line of JSON."""
    if all(PARTS[name].is_scene for name in options.child):
        logging.disable(logging.CRITICAL)  # of this process, whose settings log every request that it sends
        _print_parts(options)
        return 0
    return _with_database(options)


def _print_parts(options: argparse.Namespace) -> None:
    for name in options.child:
        bench = importlib.import_module(f"script.bench_{name}")
        print(f"\n{bench.TITLE}", flush=True)
        for result in bench.measure(options):
            is_figure = isinstance(result, Figure)
            print(json.dumps(dataclasses.asdict(result)) if is_figure else f"  {result}", flush=True)


# Parts that share a database


def _with_database(options: argparse.Namespace) -> int:
    """Measure the parts that share a database, on services of their own. Returns the exit status."""
    with services.running({"postgres", "redis"}, set(), install_system=False) as running:
        notes = {name: service.note for name, service in running.items()}
        print(f"\nPostgreSQL: {notes['postgres']}. Redis: {notes['redis']}.", flush=True)
        if not all(service.address for service in running.values()):
            print("The figures need PostgreSQL and Redis.", file=sys.stderr)
            return 1
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.local",
            DEMO="1",
            DATABASE_URL=_own_database(running["postgres"].address),
            REDIS_URL=running["redis"].address,
            DEBUG="0",
        )
        _prepare()
        _print_parts(options)
    return 0


def _own_database(address: str) -> str:
    """Create a database for the benchmark on that server. Returns its address."""
    import psycopg

    with psycopg.connect(_named(address, "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS pitside_bench WITH (FORCE)")
        connection.execute("CREATE DATABASE pitside_bench")
    return _named(address, "pitside_bench")


def _named(address: str, database: str) -> str:
    head, _, tail = address.partition("?")
    return head.rsplit("/", 1)[0] + f"/{database}" + (f"?{tail}" if tail else "")


def _prepare() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from tables.demo.seeding import seed

    seed()


def _commit() -> str:
    """The commit of this clone, or nothing outside of one."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
