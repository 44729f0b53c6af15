"""`manage.py alarms`: how many alarms the podiums of a facility got, from the record alone."""

import argparse
import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import clock
from games.models import Facility
from tables.alerts.rates import FLOOD, MOST_AN_HOUR, AlarmRates, Rate, alarm_rates
from tables.models import Alert

MOST_HOURS = 24 * 31
KIND_LINE = "{:<22} {:<16} {:>6} {:>6} {:>8} {:>8} {:>9}"
PODIUM_LINE = "{:<22} {:>6} {:>6} {:>8} {:>8} {:>8} {:>9}"


def moment(typed: str) -> dt.datetime:
    """Parse a moment from the command line. Without a time zone it is in UTC."""
    try:
        read = dt.datetime.fromisoformat(typed)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{typed!r} is no moment such as 2026-11-21T18:00Z") from None
    return read if read.tzinfo else read.replace(tzinfo=dt.UTC)


class Command(BaseCommand):
    help = (
        "Print for each kind of alert how many were raised, on how many lines, for each hour and podium, the most in "
        "any ten minutes, and those that stand. A pit in play is a podium. --check fails if a podium has more than "
        f"{MOST_AN_HOUR} an hour, or {FLOOD} in any ten minutes."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("facility", help="the code of the facility, such as larkfield")
        parser.add_argument("--hours", type=int, default=8, help="how many hours up to --until")
        parser.add_argument("--until", type=moment, help="such as 2026-11-21T22:00Z; without it, now")
        parser.add_argument("--check", action="store_true", help="fail if a podium is too loud")

    def handle(self, *args: Any, **options: Any) -> None:
        facility = Facility.objects.filter(code=options["facility"]).first()
        if facility is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        if not 1 <= options["hours"] <= MOST_HOURS:
            raise CommandError(f"--hours must be 1 to {MOST_HOURS}.")
        ends = options["until"] or clock.now()
        rates = alarm_rates(facility, ends - dt.timedelta(hours=options["hours"]), ends)
        for line in report(rates, facility):
            self.stdout.write(line)
        if options["check"] and rates.too_loud:
            raise CommandError(f"Too loud: {', '.join(podium.name for podium in rates.too_loud)}.")


def report(rates: AlarmRates, facility: Facility) -> Iterator[str]:
    """The rates as text: a table of the kinds, one of the podiums, and whether the goal is reached."""
    begins, ends = facility.local(rates.begins), facility.local(rates.ends)
    podiums = f"{len(rates.podiums)} podium{'s'[: len(rates.podiums) != 1]}"
    yield f"Alarms from {begins:%Y-%m-%d %H:%M} to {ends:%H:%M} at {podiums}, one for each pit in play."
    yield ""
    yield KIND_LINE.format("alert", "class", "raised", "lines", "/h,podium", "in 10 min", "standing")
    for rate in rates.kinds:
        yield KIND_LINE.format(
            rate.name, _classes(rate), *_counts(rate, rates.an_hour_and_podium(rate.lines))
        )
    yield ""
    yield PODIUM_LINE.format("podium", "raised", "lines", "an hour", "most/h", "in 10 min", "standing")
    for rate in rates.podiums:
        raised, lines, an_hour, flood, most_standing = _counts(rate, rates.an_hour(rate.lines))
        yield PODIUM_LINE.format(
            rate.name, raised, lines, an_hour, rate.most_in_an_hour, flood, most_standing
        )
    mean = rates.an_hour_and_podium(sum(rate.lines for rate in rates.podiums))
    yield ""
    yield f"{mean:.1f} an hour and podium. Goal: {MOST_AN_HOUR}, and fewer than {FLOOD} in any ten minutes."
    yield from (f"Too loud: {_loudness(rate, rates, facility)}." for rate in rates.too_loud)


def _loudness(rate: Rate, rates: AlarmRates, facility: Facility) -> str:
    flood = ""
    if rate.flood_at is not None:
        flood = f", {rate.most_in_ten_minutes} in ten minutes from {facility.local(rate.flood_at):%H:%M}"
    return f"{rate.name}, {rates.an_hour(rate.lines):.1f} an hour{flood}"


def _classes(rate: Rate) -> str:
    return ", ".join(str(Alert.Level(level).label) for level in rate.levels)


def _counts(rate: Rate, an_hour: float) -> tuple[int, int, str, int, int]:
    return rate.raised, rate.lines, f"{an_hour:.2f}", rate.most_in_ten_minutes, rate.standing
