"""Measure the speed of settlement, record, push, verification, evidence and adjudication against simple baselines.

Absolute figures depend on the machine, so judge a change by the ratios within one run. Nothing here is a test.
"""

import argparse
import importlib
import os
import sys

from script import services

PARTS = ("settlement", "record", "push", "verify", "evidence", "adjudicate")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=6.0, help="about how long each figure is measured")
    parser.add_argument(
        "--entries", type=int, default=50_000, help="of `evidence`: how many it exports and verifies"
    )
    options = parser.parse_args(arguments)
    with services.running({"postgres", "redis"}, set(), install_system=False) as running:
        notes = {name: service.note for name, service in running.items()}
        print(f"PostgreSQL: {notes['postgres']}. Redis: {notes['redis']}. {os.cpu_count()} cores.")
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
        for part in options.only:
            _run(part, options.seconds, options.entries)
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


def _run(part: str, seconds: float, entries: int) -> None:
    bench = importlib.import_module(f"script.bench_{part}")
    print(f"\n{bench.TITLE}")
    for line in bench.measure(*([entries] if part == "evidence" else [seconds])):
        print(f"  {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
