"""A casino facility."""

import datetime as dt
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q

from games import jurisdictions
from games.jurisdictions import Jurisdiction


class Facility(models.Model):
    """One casino. Several may live in one installation."""

    code = models.SlugField(max_length=30, unique=True)
    name = models.CharField(max_length=100)
    jurisdiction = models.CharField(max_length=8, choices=jurisdictions.choices)
    time_zone = models.CharField(max_length=40, default="America/New_York")
    gaming_day_start = models.TimeField(default=dt.time(6), help_text="local time")

    class Meta:
        ordering = ["code"]
        verbose_name_plural = "facilities"
        constraints = [
            # `installation/system` is the stream of what belongs to no house
            models.CheckConstraint(
                condition=~Q(code="installation"), name="facility_is_not_the_installation"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def law(self) -> Jurisdiction:
        """What the jurisdiction of this facility asks. Raises KeyError for a code without a file."""
        return jurisdictions.jurisdiction(self.jurisdiction)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def local(self, moment: dt.datetime) -> dt.datetime:
        """A moment as this facility's clocks show it."""
        return moment.astimezone(self.zone)

    def day_begins(self, day: dt.date) -> dt.datetime:
        """The moment in UTC at which a gaming day begins; it lasts 23 or 25 hours where the clocks are set."""
        return dt.datetime.combine(day, self.gaming_day_start, self.zone).astimezone(dt.UTC)

    def gaming_day(self, moment: dt.datetime) -> dt.date:
        """The gaming day that a moment belongs to: it begins at `gaming_day_start` by the local clock."""
        local = self.local(moment)
        before_start = local.time() < self.gaming_day_start
        return local.date() - dt.timedelta(days=1) if before_start else local.date()
