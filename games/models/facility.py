"""A casino facility."""

import datetime as dt
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q

from games import jurisdictions
from games.chips import CHIPS_CENTS
from games.engine.editions import Edition, all_editions
from games.jurisdictions import Jurisdiction
from games.shifts import Shift, starts_of


class Facility(models.Model):
    """A casino. One installation may have several."""

    code = models.SlugField(max_length=30, unique=True)
    name = models.CharField(max_length=100)
    jurisdiction = models.CharField(max_length=8, choices=jurisdictions.choices)
    time_zone = models.CharField(max_length=40, default="America/New_York")
    gaming_day_start = models.TimeField(default=dt.time(6), help_text="local time")
    # House figures, not law. Where they are empty, no screen says when a break is due.
    work_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="house figure: how long a dealer works at tables before a break is due",
    )
    break_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="house figure: how long a break lasts; a shorter pause counts as work",
    )
    review_first_from_cents = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="slips from this sum on are reviewed before money moves; below that of the jurisdiction",
    )
    keeps_inventory = models.BooleanField(
        default=False,
        help_text="house choice: the chips of each table are counted at its opening and closing",
    )
    chips_cents = models.JSONField(
        default=list,
        blank=True,
        help_text="values in cents of the chips that the house has; empty: those without a half dollar",
    )
    target_paces = models.JSONField(
        default=dict,
        blank=True,
        help_text="rounds an hour that the house aims at, by the game's code: a house figure, not law",
    )
    floor_items = models.JSONField(
        default=list,
        blank=True,
        help_text="pits (by code) and landmarks of the floor plan with their rows, from left to right",
    )
    shifts = models.JSONField(
        default=dict,
        blank=True,
        help_text="local time at which each shift begins, by its code, such as 14:00: a house figure, not law",
    )

    class Meta:
        ordering = ["code"]
        verbose_name_plural = "facilities"
        constraints = [
            # `installation/system` is the stream of what belongs to no facility
            models.CheckConstraint(
                condition=~Q(code="installation"), name="facility_is_not_the_installation"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def law(self) -> Jurisdiction:
        """What the jurisdiction of this facility asks. Raises ImproperlyConfigured for a code without a file."""
        return jurisdictions.jurisdiction(self.jurisdiction)

    @property
    def chip_values(self) -> tuple[int, ...]:
        """The values of this house's chips in cents, largest first."""
        return tuple(sorted(self.chips_cents, reverse=True)) or CHIPS_CENTS

    def readable_editions(self) -> dict[str, Edition]:
        """Return the editions that this facility's office reads, by their dated key."""
        return {
            key: edition
            for key, edition in all_editions().items()
            if self.law.reads_other_editions or edition.jurisdiction == self.jurisdiction
        }

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def local(self, moment: dt.datetime) -> dt.datetime:
        """Return a moment in the facility's time zone."""
        return moment.astimezone(self.zone)

    def day_begins(self, day: dt.date) -> dt.datetime:
        """Return the moment in UTC at which a gaming day begins. A day has 23 or 25 hours when the clocks change."""
        return dt.datetime.combine(day, self.gaming_day_start, self.zone).astimezone(dt.UTC)

    def gaming_day(self, moment: dt.datetime) -> dt.date:
        """Return the gaming day of a moment. It begins at `gaming_day_start` local time."""
        local = self.local(moment)
        before_start = local.time() < self.gaming_day_start
        return local.date() - dt.timedelta(days=1) if before_start else local.date()

    def shifts_of(self, day: dt.date) -> list[Shift]:
        """Return the shifts of a gaming day in order. Together they cover it."""
        starts = [
            (code, self._local_moment(day, start))
            for code, start in starts_of(self.shifts, self.gaming_day_start)
        ]
        ends = [*(begins for _code, begins in starts[1:]), self.day_begins(day + dt.timedelta(days=1))]
        return [Shift(code, day, begins, end) for (code, begins), end in zip(starts, ends, strict=True)]

    def shift_of(self, moment: dt.datetime) -> Shift:
        """Return the shift of a moment."""
        shifts = self.shifts_of(self.gaming_day(moment))
        return next((shift for shift in reversed(shifts) if shift.begins <= moment), shifts[0])

    def _local_moment(self, day: dt.date, time: dt.time) -> dt.datetime:
        """Return the moment in UTC of a local time in a gaming day, which may be after midnight."""
        date = day + dt.timedelta(days=1) if time < self.gaming_day_start else day
        return dt.datetime.combine(date, time, self.zone).astimezone(dt.UTC)
