"""What the dice watch counts: faces and totals of lots and shakers, and the evidence against fair dice."""

from django.db import models
from django.db.models import Q

from games.dice_watch import DiceTally, alarm_line

TABLE, LOT, SHAKER = "tables.Table", "tables.DiceLot", "tables.Shaker"


class CountedDice(models.Model):
    """Columns of a tally. `faces` are six counts for all dice, and for each color; `totals` counts by dice thrown."""

    rounds = models.PositiveIntegerField(default=0)
    throws = models.PositiveIntegerField(default=0)
    faces = models.JSONField(default=dict)
    totals = models.JSONField(default=dict)
    first_round = models.PositiveIntegerField(default=0)
    last_round = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def tally(self) -> DiceTally:
        """A copy of the counts."""
        return DiceTally(
            self.throws,
            {key: list(row) for key, row in self.faces.items()},
            {key: list(row) for key, row in self.totals.items()},
        )


class HourOfDice(CountedDice):
    """What was thrown with one lot in one shaker at one table within an hour. Recomputable from the throws."""

    lot = models.ForeignKey(LOT, models.PROTECT, related_name="hours")
    shaker = models.ForeignKey(SHAKER, models.PROTECT, related_name="hours")
    table = models.ForeignKey(TABLE, models.PROTECT, related_name="dice_hours")
    gaming_day = models.DateField()
    hour = models.DateTimeField(
        help_text="when it began, in UTC; a round belongs to the hour in which it ended"
    )

    class Meta:
        ordering = ["lot", "hour"]
        constraints = [
            models.UniqueConstraint(
                fields=["lot", "shaker", "table", "gaming_day", "hour"], name="hour_of_dice_is_unique"
            )
        ]
        indexes = [models.Index(fields=["table", "gaming_day"], name="dice_by_table_and_day")]

    def __str__(self) -> str:
        return f"{self.lot_id} {self.hour}"


class WatchedDice(CountedDice):
    """A lot, or a shaker in one calendar year, with the evidence against fair dice after its newest counted round.

    `place` is its place among the lots and shakers of the facility that came into use in that year. It fixes the alarm
    line (`games/dice_watch.py`). Live and simulated tables have places of their own.
    """

    class Kind(models.TextChoices):
        LIVE = "live", "live"
        SIMULATED = "simulated", "simulated"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LIVE)
    year = models.PositiveSmallIntegerField()
    place = models.PositiveIntegerField(help_text="from 1 in each year")
    lot = models.ForeignKey(LOT, models.PROTECT, null=True, blank=True, related_name="+")
    shaker = models.ForeignKey(SHAKER, models.PROTECT, related_name="+", help_text="the newest one of a lot")
    table = models.ForeignKey(TABLE, models.PROTECT, related_name="+", help_text="the newest one")
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    log_evidence = models.FloatField(default=0, help_text="natural logarithm; a statistic")
    highest = models.FloatField(default=0, help_text="the highest log_evidence after any round")
    found_at = models.DateTimeField(null=True, blank=True, help_text="when it first reached the alarm line")
    found_round = models.PositiveIntegerField(null=True, blank=True)
    found_rounds = models.PositiveIntegerField(null=True, blank=True, help_text="rounds that this took")
    found_log_evidence = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "year", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "kind", "year", "place"], name="watched_dice_have_a_place"
            ),
            models.UniqueConstraint(
                fields=["lot"], condition=Q(lot__isnull=False), name="lot_is_watched_once"
            ),
            models.UniqueConstraint(
                fields=["shaker", "year"], condition=Q(lot=None), name="shaker_is_watched_once_a_year"
            ),
        ]
        indexes = [models.Index(fields=["found_at"], condition=Q(found_at__isnull=False), name="found_dice")]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The code of the lot, or of the shaker."""
        return self.lot.code if self.lot else self.shaker.code

    @property
    def alarm_line(self) -> int:
        """The evidence at which it is a finding."""
        return alarm_line(self.place)


class DiceCursor(models.Model):
    """The last round of a table that the dice watch has counted. Locked while its next rounds are counted."""

    table = models.OneToOneField(TABLE, models.PROTECT, related_name="dice_cursor")
    last_round = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.table_id} {self.last_round}"
