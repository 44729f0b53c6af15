"""The command: `python -m script.schedules --seed 7 --minutes 60` (docs/testing.md)."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

NOT_HERE = 5  # the exit status without Node, as pytest's for "no tests"
TAPS = 40
SEEDS_OF_A_DAY = 100_000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m script.schedules", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the first schedule; otherwise that of the day (UTC)")
    parser.add_argument("--minutes", type=float, help="so long schedules begin, of one seed after the other")
    parser.add_argument("--schedules", type=int, help="so many schedules; one, unless minutes are given")
    parser.add_argument("--workers", type=int, default=1, help="processes that take the seeds (1)")
    parser.add_argument("--taps", type=int, default=TAPS, help=f"acts that people tap in each ({TAPS})")
    parser.add_argument("--without", type=_numbers, default=(), help="numbers of faults that do not happen")
    parser.add_argument("--lines", action="store_true", help="print what happens in each")
    parser.add_argument("--as-it-is", action="store_true", help="look for no shorter one of what fails")
    parser.add_argument("--check", action="store_true", help="compare each kept statement with its query")
    parser.add_argument(
        "--plants",
        nargs="*",
        metavar="PLANT",
        help="plant defects, all or these, and say how each is noticed",
    )
    parser.add_argument("--results", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    seed = int(time.time() / 86_400) * SEEDS_OF_A_DAY if options.seed is None else options.seed
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["TEST_DATABASE_URL"] = os.environ["TEST_REDIS_URL"] = ""
    import django

    django.setup()
    from script.schedules.pages import NoEngine
    from script.schedules.plants import try_plants
    from script.schedules.runs import Kind, Runs

    try:
        if options.plants is not None:
            return try_plants(options.plants, seed)
        kind = Kind(options.taps, options.without, options.lines, not options.as_it_is, options.check)
        runs = Runs(seed, kind)
        most = options.schedules or (None if options.minutes else 1)
        runs.run(most, options.minutes, options.workers)
    except NoEngine as reason:
        print(f"No schedule is run: {reason}.", file=sys.stderr)
        return NOT_HERE
    print(runs.summary)
    if options.results:
        runs.write_results(options.results)
    return int(bool(runs.failed))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)


if __name__ == "__main__":
    sys.exit(main())
