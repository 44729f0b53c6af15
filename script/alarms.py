"""Measure the alarms of an evening of forty tables for docs/alarms.md: `python -m script.alarms`.

`manage.py simulate --live` plays it on a demo floor of its own, in the past and without waiting, and the rules of the
alerts run at its tables each minute; then `manage.py alarms` reads the record. `--hours`, `--tables` and `--seed` play
another one, `--check` fails if a podium is too loud.
"""

import argparse
import datetime as dt
import sys

from script.looks import FACILITY, SUBMISSIONS, demo_database


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.alarms", description=__doc__)
    parser.add_argument("--tables", type=int, default=40, help="how many tables play")
    parser.add_argument("--hours", type=int, default=3, help="how many hours they play")
    parser.add_argument("--seed", type=int, default=40, help="another evening")
    parser.add_argument("--check", action="store_true", help="fail if a podium is too loud")
    options = parser.parse_args()
    with demo_database():
        from django.core.management import CommandError, call_command

        from audit import clock

        call_command("seed_demo", verbosity=0)
        ends = clock.now() + dt.timedelta(seconds=1)
        evening = {"tables": options.tables, "hours": options.hours, "seed": options.seed}
        call_command("simulate", live=True, submission=SUBMISSIONS, **evening)
        try:
            call_command("alarms", FACILITY, hours=options.hours, until=ends, check=options.check)
        except CommandError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
