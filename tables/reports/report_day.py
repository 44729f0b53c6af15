"""A gaming day of a house, by whose tables it is reported: live play, training and simulation never in one."""

import datetime as dt
from dataclasses import dataclass
from functools import cached_property

from games.models import Facility
from tables.models import Table

HOUR = dt.timedelta(hours=1)
SLACK = dt.timedelta(seconds=5)  # a stream's clock may stand still for two seconds over the end of a day
PLAYS = {
    "live": "Real play",
    "training": "Training",
    "simulated": "Simulation",
}


@dataclass(frozen=True)
class ReportDay:
    """One gaming day of one house at its tables of one kind (`play`), as it stands at `now`."""

    facility: Facility
    date: dt.date
    now: dt.datetime
    play: str = "live"

    @cached_property
    def begins(self) -> dt.datetime:
        return self.facility.day_begins(self.date)

    @cached_property
    def ends(self) -> dt.datetime:
        """The first moment of the day after: 23 or 25 hours later where the clocks change."""
        return self.facility.day_begins(self.date + dt.timedelta(days=1))

    @property
    def is_over(self) -> bool:
        return self.now >= self.ends

    @property
    def until(self) -> dt.datetime:
        """Up to when things are told: what happened after the day is no part of it."""
        return min(self.now, self.ends)

    @cached_property
    def tables(self) -> dict[int, Table]:
        """The tables of this play by their keys, in the order of their codes."""
        tables = Table.objects.filter(facility=self.facility, kind=self.play).select_related("stream")
        return {table.pk: table for table in tables.order_by("code")}

    @property
    def table_ids(self) -> list[int]:
        return list(self.tables)

    @cached_property
    def hours(self) -> list[dt.datetime]:
        """The moments at which its hours begin."""
        count = -(-(self.ends - self.begins) // HOUR)
        return [self.begins + number * HOUR for number in range(count)]

    def hour_of(self, moment: dt.datetime) -> int:
        """Which of its hours a moment is in; one that a stream's clock held back counts to the nearest."""
        return max(0, min(len(self.hours) - 1, (moment - self.begins) // HOUR))
