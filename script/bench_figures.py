"""Measure how long the page of figures takes over a year of a floor, beside one of a day, from rollups.

The rows are simulated: those of forty tables that were dealt 18 hours a day for a year, of about 20 million rounds. The
page is built and rendered as for a request, in this process, on PostgreSQL.
"""

import argparse
import contextlib
import datetime as dt
import statistics
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from script.figures import Figure
from script.installation import Installation

if TYPE_CHECKING:
    from django.http import HttpRequest

    from audit.models import Device, Person

TITLE = "Figures: a year of a floor beside a day"
TABLES, DAYS, ROUNDS_AN_HOUR = 40, 365, 76
TURNS = 15
GOAL_MS = 1_000


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Write the rows of a year, and time the page."""
    with contextlib.ExitStack() as stack:
        Installation(stack, 0).start()
        began = time.monotonic()
        rounds = _write()
        yield f"{TABLES} tables, {DAYS} days, {rounds:,} rounds: made in {time.monotonic() - began:.0f} s"
        today = _last_day()
        for key, label, first, goal in (
            ("day", "a day", today, None),
            ("year", "a year", today - dt.timedelta(days=DAYS - 1), GOAL_MS),
        ):
            milliseconds, size = _timed(first, today)
            yield f"  {label}: {milliseconds:.0f} ms, {size // 1000:,} kB"
            yield Figure(
                f"figures.{key}_ms", f"the page of {label} of {TABLES} tables", milliseconds, "ms", goal=goal
            )


def _write() -> int:
    from audit import clock
    from games.models import Facility
    from script.figures_history import write_rollups
    from script.floor_tables import FACILITY, PIT, SUBMISSION
    from tables.models import Pit
    from tables.opening.new_tables import make_table

    facility = Facility.objects.get(code=FACILITY)
    pit, _ = Pit.objects.get_or_create(facility=facility, code=PIT, defaults={"name": "Floor"})
    tables = [
        make_table(
            facility,
            code=f"Y-{number:02d}",
            pit=pit,
            submission=SUBMISSION,
            kind="live",
            seats=8,
            min_cents=1_000,
            max_cents=100_000,
        )
        for number in range(1, TABLES + 1)
    ]
    last = facility.gaming_day(clock.now()) - dt.timedelta(days=1)
    days = [last - dt.timedelta(days=number) for number in range(DAYS)]
    return write_rollups(tables, reversed(days), ROUNDS_AN_HOUR, seed=1)


def _last_day() -> dt.date:
    from audit import clock
    from games.models import Facility
    from script.floor_tables import FACILITY

    facility = Facility.objects.get(code=FACILITY)
    return facility.gaming_day(clock.now()) - dt.timedelta(days=1)


def _timed(first: dt.date, last: dt.date) -> tuple[float, int]:
    """The median of some turns of the page, in milliseconds, and its size."""
    from audit.devices import enroll
    from audit.models import Person
    from script.floor_tables import FACILITY
    from tables.views.figures import figures

    device, _ = enroll(f"Podium of figures {first}", FACILITY, "podium")
    person = Person.objects.get(facility=FACILITY, role="shift-manager")
    times, size = [], 0
    for _ in range(TURNS):
        request = _request(person, device, first, last)
        began = time.perf_counter()
        response = figures(request, FACILITY)
        times.append(1_000 * (time.perf_counter() - began))
        size = len(response.content)
    return statistics.median(times), size


def _request(person: "Person", device: "Device", first: dt.date, last: dt.date) -> "HttpRequest":
    from django.test import RequestFactory

    request = RequestFactory().get("/", {"from": first.isoformat(), "to": last.isoformat()})
    request.user, request.session = person, {}  # type: ignore[assignment]
    request.device, request.locked = device, False  # type: ignore[attr-defined]
    return request
