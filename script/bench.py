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
from collections.abc import Iterator
from dataclasses import dataclass

from script import capacity, services
from script.figures import Committed, Figure, Run, compare, table, write_page
from script.process_usage import load_average
from script.service_finder import ROOT


@dataclass(frozen=True)
class Part:
    """One part of the benchmark: `script/bench_<name>.py`.

    `is_scene`: it starts processes of its own; the others share a database. `is_nightly`: measured by `--nightly`.
    """

    name: str
    title: str
    is_scene: bool = False
    is_nightly: bool = True


PARTS = {
    part.name: part
    for part in (
        Part("acts", "an act over HTTP, from the POST to its screens", is_scene=True),
        Part("floor", "a floor of many tables", is_scene=True, is_nightly=False),
        Part("dashboard", "the dashboard of a large floor in Chromium", is_scene=True, is_nightly=False),
        Part(
            "growth",
            "the same operations on a larger floor and a longer record",
            is_scene=True,
            is_nightly=False,
        ),
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
        "--seconds", type=float, default=6.0, help="about how long each figure of the old parts is measured"
    )
    options.add_argument(
        "--entries", type=int, default=50_000, help="of `evidence`: how many it exports and verifies"
    )
    options.add_argument(
        "--rounds", type=int, default=20, help="of `acts`: rounds for each number of screens"
    )
    floor = options.add_argument_group("floor")
    floor.add_argument("--tables", type=int, default=20, help="tables that play (the goal is 1,000)")
    floor.add_argument("--rounds-an-hour", type=float, default=60, help="rounds at each table")
    floor.add_argument("--wagers", type=int, default=10, help="wagers of a round, each an act")
    floor.add_argument("--dashboards", type=int, help="dashboards; three for a hundred tables unless given")
    floor.add_argument("--workers", type=int, default=2, help="web workers")
    floor.add_argument("--floor-seconds", type=float, default=60, help="how long all tables play")
    floor.add_argument("--durable", action="store_true", help="let commits wait for the disk (fsync)")
    floor.add_argument("--find", action="store_true", help="search for the number of tables that holds")
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
    options.add_argument("--scene", help=argparse.SUPPRESS)
    return options


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if options.scene:
        return measure_scene(options)
    names = options.only or [part.name for part in PARTS.values() if part.is_nightly or not options.nightly]
    run = Run.begin(load_average(), _commit())
    print(f"{run.machine}. Load average before the run: {run.load}.", flush=True)
    figures: list[Figure] = []
    for name in (name for name in names if PARTS[name].is_scene):
        print(f"\n{PARTS[name].title}", flush=True)
        figures += _scene(name, arguments)
    if shared := [name for name in names if not PARTS[name].is_scene]:
        figures += _with_database(shared, options)
    run = dataclasses.replace(run, figures=tuple(figures))
    print("", *table(run.figures), sep="\n")
    return _report(run, options)


def _report(run: Run, options: argparse.Namespace) -> int:
    """Compare with the committed figures, and write the new ones if asked. Returns the exit status."""
    committed = Committed.read()
    comparisons = compare(run.figures, committed)
    worse = [comparison for comparison in comparisons if comparison.is_worse]
    if comparisons:
        print("\nBeside the committed figures (ratios, bytes and counts; seconds depend on the machine):")
        for comparison in comparisons:
            if comparison.figure.is_portable:
                print(f"  {'WORSE ' if comparison.is_worse else ''}{comparison}")
    if options.write:
        committed.replace(run)
        committed.write()
        write_page(committed, {part.name: part.title for part in PARTS.values()})
        capacity.write_page(committed)
        print("\nWritten to docs/bench.json, docs/bench.md and docs/capacity.md.")
    return int(bool(worse) and options.nightly)


# Parts with processes of their own


def _scene(name: str, arguments: list[str]) -> list[Figure]:
    """Measure a part in a process of its own, because a process can be set up for one database only."""
    command = [sys.executable, "-m", "script.bench", *arguments, "--scene", name]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    figures = []
    for line in process.stdout:
        if line.startswith("{"):
            figures.append(Figure(**json.loads(line)))
            print(f"  {figures[-1].label}: {figures[-1].text}", flush=True)
        else:
            print(f"  {line.rstrip()}", flush=True)
    if process.wait():
        raise SystemExit(f"The part {name} failed.")
    return figures


def measure_scene(options: argparse.Namespace) -> int:
    """Measure one part here, and print each of its figures as a line of JSON."""
    logging.disable(logging.CRITICAL)  # of this process, whose settings log every request that it sends
    bench = importlib.import_module(f"script.bench_{options.scene}")
    for result in bench.measure(options):
        if isinstance(result, Figure):
            print(json.dumps(dataclasses.asdict(result)), flush=True)
        else:
            print(result, flush=True)
    return 0


# Parts that share a database


def _with_database(names: list[str], options: argparse.Namespace) -> list[Figure]:
    with services.running({"postgres", "redis"}, set(), install_system=False) as running:
        notes = {name: service.note for name, service in running.items()}
        print(f"\nPostgreSQL: {notes['postgres']}. Redis: {notes['redis']}.")
        if not all(service.address for service in running.values()):
            raise SystemExit("The figures need PostgreSQL and Redis.")
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.local",
            DEMO="1",
            DATABASE_URL=_own_database(running["postgres"].address),
            REDIS_URL=running["redis"].address,
            DEBUG="0",
        )
        _prepare()
        return [figure for name in names for figure in _measured(name, options)]


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


def _measured(name: str, options: argparse.Namespace) -> Iterator[Figure]:
    bench = importlib.import_module(f"script.bench_{name}")
    print(f"\n{bench.TITLE}")
    for result in bench.measure(options):
        if isinstance(result, Figure):
            yield result
            print(f"  {result.label}: {result.text}", flush=True)
        else:
            print(f"  {result}", flush=True)


def _commit() -> str:
    """The commit of this clone, or nothing outside of one."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
