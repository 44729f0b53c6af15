"""Speed in ratios within one run: settlement, push, verification and adjudication, beside their plainest rivals.

Absolute figures belong to the machine; the ratios are what a change is judged by. Nothing here is a test.
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
    chosen = parser.parse_args(arguments)
    with services.running({"postgres", "redis"}, set(), install_system=False) as found:
        notes = {name: service.note for name, service in found.items()}
        print(f"PostgreSQL: {notes['postgres']}. Redis: {notes['redis']}. {os.cpu_count()} cores.")
        if not all(service.address for service in found.values()):
            print("The figures need PostgreSQL and Redis.", file=sys.stderr)
            return 1
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings.local",
            DATABASE_URL=_own_database(found["postgres"].address),
            REDIS_URL=found["redis"].address,
            DEBUG="0",
        )
        _prepare()
        for part in chosen.only:
            _run(part, chosen.seconds, chosen.entries)
    return 0


def _own_database(address: str) -> str:
    """A database of the benchmark's own on that server."""
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
