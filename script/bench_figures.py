"""Measure how long the page of figures takes over a year of a floor, beside one of a day, from rollups.

One table is dealt sixty rounds, and its rows are copied to forty tables and the hours of a year. The page is
built and rendered as for a request, in this process, on PostgreSQL.
"""

import argparse
import datetime as dt
import random
import statistics
import time
from collections.abc import Iterator

from django.db import connection, transaction
from django.db.models import Sum
from django.http import HttpRequest
from django.test import RequestFactory

from audit import clock
from audit.devices import enroll
from audit.models import Device, Person
from games.models import Facility
from script import history
from script.figures import Figure, ms
from script.floor_tables import FACILITY, PIT, SUBMISSION
from tables.demo.simulation import play_round, simulated_tables
from tables.figures.rollup import roll_up_table
from tables.models import DayFigures, HourFigures, MonthFigures, Pit
from tables.opening.new_tables import make_table
from tables.views.figures import figures

TITLE = "Figures: a year of a floor beside a day"
TABLES, DAYS, HOURS = 40, 365, 18
ROUNDS = 60  # of the hour that is copied
TURNS = 15
GOAL_MS = 1_000


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Write the rows of a year, and time the page."""
    today, rounds = _write()
    yield f"{TABLES} tables, {DAYS} days, {rounds:,} rounds"
    for key, label, days, goal in (("day", "a day", 1, None), ("year", "a year", DAYS, GOAL_MS)):
        milliseconds, kilobytes = _timed(today - dt.timedelta(days=days - 1), today)
        yield f"{label}: {kilobytes:,} kB"
        yield ms(f"figures.{key}_ms", f"the page of {label} of {TABLES} tables", milliseconds, goal)


def _write() -> tuple[dt.date, int]:
    """Deal the rounds, roll them up, and copy the rows. Returns the last gaming day, and their rounds."""
    facility = Facility.objects.get(code=FACILITY)
    played, draw = simulated_tables(facility, 1, SUBMISSION)[0], random.Random(1)
    for _ in range(ROUNDS):
        play_round(played, draw)
    roll_up_table(played.table)
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
    values = {"tables": [table.pk for table in tables], "last": last, "begins": facility.day_begins(last)}
    own = {"table_id": "t.id", "pit": f"'{PIT}'"}
    day, hour = "%(last)s::date - d", "%(begins)s::timestamptz - d * interval '1 day' + h * interval '1 hour'"
    month = "(date_trunc('month', %(last)s::date) - m * interval '1 month')::date"
    each = "s.id = %(row)s AND t.id = ANY (%(tables)s)"
    days, hours = f"generate_series(0, {DAYS - 1}) d", f"generate_series(0, {HOURS - 1}) h"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        for model, places, series in (
            (HourFigures, {"gaming_day": day, "begins_at": hour}, f"{days}, {hours}"),
            (DayFigures, {"gaming_day": day}, days),
            (MonthFigures, {"month": month}, "generate_series(0, 12) m"),
        ):
            row = model.objects.filter(table=played.table).latest("rounds")
            source = f"tables_table t, {series}"
            history.copy_rows(cursor, model, own | places, source, each, {**values, "row": row.pk})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return last, HourFigures.objects.filter(table__in=tables).aggregate(rounds=Sum("rounds"))["rounds"]


def _timed(first: dt.date, last: dt.date) -> tuple[float, int]:
    """The median of some turns of the page, in milliseconds, and its size in kB."""
    device, _ = enroll(f"Podium of figures {first}", FACILITY, "podium")
    person = Person.objects.get(facility=FACILITY, role="shift-manager")
    times = []
    for _ in range(TURNS):
        request = _request(person, device, first, last)
        began = time.perf_counter()
        response = figures(request, FACILITY)
        times.append(1_000 * (time.perf_counter() - began))
    return statistics.median(times), len(response.content) // 1_000


def _request(person: Person, device: Device, first: dt.date, last: dt.date) -> HttpRequest:
    request = RequestFactory().get("/", {"from": first.isoformat(), "to": last.isoformat()})
    request.user, request.session = person, {}  # type: ignore[assignment]
    request.device, request.locked = device, False  # type: ignore[attr-defined]
    return request
