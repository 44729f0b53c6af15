"""A gaming day of a facility, at its tables of one kind: real play, training and simulation are never mixed."""

import datetime as dt
from dataclasses import dataclass
from functools import cached_property

from games.models import Facility
from tables.models import Table

HOUR = dt.timedelta(hours=1)
SLACK = dt.timedelta(seconds=5)  # a stream's clock may lag by two seconds at the end of a day
PLAYS = {
    "live": "Real play",
    "training": "Training",
    "simulated": "Simulation",
}


@dataclass(frozen=True)
class ReportDay:
    """One gaming day of one facility at its tables of one kind (`play`), as of `now`."""

    facility: Facility
    date: dt.date
    now: dt.datetime
    play: str = "live"

    @cached_property
    def begins(self) -> dt.datetime:
        return self.facility.day_begins(self.date)

    @cached_property
    def ends(self) -> dt.datetime:
        """The beginning of the next day: 23 or 25 hours later where the clocks change."""
        return self.facility.day_begins(self.date + dt.timedelta(days=1))

    @property
    def is_over(self) -> bool:
        return self.now >= self.ends

    @property
    def until(self) -> dt.datetime:
        """The end of what is reported: later events are not part of the day."""
        return min(self.now, self.ends)

    @cached_property
    def tables(self) -> dict[int, Table]:
        """The tables of this kind by id, in the order of their codes."""
        tables = Table.objects.filter(facility=self.facility, kind=self.play).select_related("stream")
        return {table.pk: table for table in tables.order_by("code")}

    @property
    def table_ids(self) -> list[int]:
        return list(self.tables)

    @cached_property
    def hours(self) -> list[dt.datetime]:
        """The beginnings of its hours."""
        count = -(-(self.ends - self.begins) // HOUR)
        return [self.begins + number * HOUR for number in range(count)]

    def hour_of(self, moment: dt.datetime) -> int:
        """The number of the hour that a moment is in. A moment just outside the day counts to the nearest hour."""
        return max(0, min(len(self.hours) - 1, (moment - self.begins) // HOUR))
