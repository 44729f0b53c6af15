"""Simulated rollups of the figures: rows as if tables had been dealt for many days, without their rounds.

The sums agree with each other: the hours of a day make its day row, the days of a month its month row.
"""

import datetime as dt
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tables.models import Table

HOURS = range(4, 22)  # of the gaming day in which the tables are open
BATCH = 2_000
EDGE_DENOMINATOR, VARIANCE_DENOMINATOR = 216, 216**2
# Of Sic Bo: family, its part of the handle in percent, the house advantage in 216ths
FAMILIES = (
    ("small", 24, 6),
    ("big", 22, 6),
    ("total", 14, 30),
    ("two-of-a-kind", 8, 40),
    ("three-of-a-kind", 4, 35),
    ("any-triple", 6, 30),
    ("two-dice", 12, 36),
    ("one-of-a-kind", 10, 17),
)
HANDLE_A_ROUND = 31_000  # cents
DEVIATION_A_ROUND = 42_000


@dataclass
class Hour:
    """The sums of one hour; the expected win and its variance as numerators."""

    rounds: int = 0
    handle: int = 0
    win: int = 0
    expected: int = 0
    variance: int = 0
    seats: int = 0
    families: dict[str, list[int]] = field(default_factory=dict)
    largest: tuple[int, int, dt.datetime] | None = None

    def add(self, addend: "Hour") -> None:
        for name in ("rounds", "handle", "win", "expected", "variance", "seats"):
            setattr(self, name, getattr(self, name) + getattr(addend, name))
        for family, (handle, expected) in addend.families.items():
            of_family = self.families.setdefault(family, [0, 0])
            of_family[0] += handle
            of_family[1] += expected
        if addend.largest and (self.largest is None or addend.largest[0] > self.largest[0]):
            self.largest = addend.largest

    def columns(self, table: "Table", shift: str) -> dict[str, Any]:
        """As a row has them."""
        expected = Fraction(self.expected, EDGE_DENOMINATOR)
        variance = Fraction(self.variance, VARIANCE_DENOMINATOR)
        largest = self.largest or (0, None, None)
        return {
            "table": table,
            "pit": table.pit.code,
            "shift": shift,
            "rounds": self.rounds,
            "wagers": 9 * self.rounds,
            "handle_cents": self.handle,
            "taken_cents": max(0, self.win) + self.handle // 2,
            "paid_cents": max(0, -self.win) + self.handle // 2,
            "expected_win": str(expected),
            "variance": str(variance),
            "expected_float": float(expected),
            "variance_float": float(variance),
            "seats_wagering": self.seats,
            "seats_offered": self.rounds * table.seats,
            "open_us": self.rounds * 47_000_000,
            "largest_cents": largest[0],
            "largest_round": largest[1],
            "largest_at": largest[2],
            "by_family": {
                family: [handle // 2_500, handle, 0, str(Fraction(of_expected, EDGE_DENOMINATOR))]
                for family, (handle, of_expected) in sorted(self.families.items())
            },
            "by_seat": {str(seat): self.rounds * (10 - seat) // 10 for seat in range(1, table.seats + 1)},
        }


def write_rollups(tables: Iterable["Table"], days: Iterable[dt.date], rounds_an_hour: int, seed: int) -> int:
    """Write the rows of these tables and days. Returns of how many rounds they are the sums."""
    from tables.models import DayFigures, HourFigures, MonthFigures

    draw = random.Random(seed)
    all_days, rounds = list(days), 0
    for table in tables:
        by_day: dict[tuple[dt.date, str], Hour] = {}
        by_month: dict[tuple[dt.date, str], Hour] = {}
        hours = []
        for day in all_days:
            for begins_at, shift, hour in _hours_of(table, day, rounds_an_hour, draw):
                hours.append(
                    HourFigures(
                        **hour.columns(table, shift),
                        gaming_day=day,
                        begins_at=begins_at,
                        dealers=f"dealer-{draw.randrange(60):02d}",
                        win_slots=_slots(hour.win, draw),
                    )
                )
                by_day.setdefault((day, shift), Hour()).add(hour)
                by_month.setdefault((day.replace(day=1), shift), Hour()).add(hour)
                rounds += hour.rounds
        HourFigures.objects.bulk_create(hours, batch_size=BATCH)
        DayFigures.objects.bulk_create(
            [
                DayFigures(**hour.columns(table, shift), gaming_day=day)
                for (day, shift), hour in by_day.items()
            ],
            batch_size=BATCH,
        )
        MonthFigures.objects.bulk_create(
            [
                MonthFigures(**hour.columns(table, shift), month=month)
                for (month, shift), hour in by_month.items()
            ]
        )
    return rounds


def _hours_of(
    table: "Table", day: dt.date, rounds_an_hour: int, draw: random.Random
) -> Iterator[tuple[dt.datetime, str, Hour]]:
    begins = table.facility.day_begins(day)
    shifts = table.facility.shifts_of(day)
    for number in HOURS:
        begins_at = begins + number * dt.timedelta(hours=1)
        shift = next(shift for shift in reversed(shifts) if shift.begins <= begins_at)
        yield begins_at, shift.code, _hour(begins_at, rounds_an_hour, draw)


def _hour(begins_at: dt.datetime, rounds_an_hour: int, draw: random.Random) -> Hour:
    rounds = round(rounds_an_hour * draw.uniform(0.9, 1.1))
    handle = rounds * round(HANDLE_A_ROUND * draw.uniform(0.7, 1.3) / 500) * 500
    families = {}
    for family, percent, edge in FAMILIES:
        of_family = handle * percent // 100
        families[family] = [of_family, of_family * edge]
    expected = sum(of_expected for _handle, of_expected in families.values())
    variance = rounds * DEVIATION_A_ROUND**2 * VARIANCE_DENOMINATOR
    deviation = draw.gauss(0, DEVIATION_A_ROUND * rounds**0.5)
    win = 500 * round((expected / EDGE_DENOMINATOR + deviation) / 500)
    seats = sum(draw.randint(2, 7) for _ in range(rounds))
    loss = 500 * round(abs(draw.gauss(0, 2 * DEVIATION_A_ROUND)) / 500)
    moment = begins_at + dt.timedelta(minutes=draw.randrange(60))
    return Hour(
        rounds, handle, win, expected, variance, seats, families, (loss, draw.randrange(1, 9_999), moment)
    )


def _slots(win: int, draw: random.Random) -> list[int]:
    """The win of an hour in its twelfths."""
    slots = [500 * round(draw.gauss(win / 12, DEVIATION_A_ROUND * 2) / 500) for _ in range(11)]
    return [*slots, win - sum(slots)]
