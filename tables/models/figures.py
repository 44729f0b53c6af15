"""Rollups of the exact figures by hour, gaming day and month, and the reports that the house has written of them.

Rollups are sums of settled rounds and copies for reading: `manage.py figures_rollup` writes them again from the record.
Money is integer cents. The expected win (cents) and its variance (cents squared) are exact fractions as text, `123` or
`123/7`; the columns with `_float` are the same numbers for sums of the database, where a pixel is exact enough.

A declared report is written at the end of each shift, gaming day or week.
"""

from django.db import models
from django.db.models import Q

from audit.delivery import Delivery


class RollupRow(models.Model):
    """What the rows of all three kinds sum: settled rounds of one table in one shift and one pit."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="+")
    shift = models.CharField(max_length=30, help_text="code of the shift")
    pit = models.CharField(max_length=20, help_text="code of the pit in which the table was")
    rounds = models.PositiveIntegerField(default=0)
    unknown_rounds = models.PositiveIntegerField(default=0, help_text="rounds whose odds are not known")
    wagers = models.PositiveIntegerField(default=0)
    handle_cents = models.BigIntegerField(default=0)
    taken_cents = models.BigIntegerField(default=0)
    paid_cents = models.BigIntegerField(default=0)
    fees_cents = models.BigIntegerField(default=0)
    cut_cents = models.BigIntegerField(default=0)
    expected_win = models.TextField(default="0")
    variance = models.TextField(default="0")
    expected_float = models.FloatField(default=0)
    variance_float = models.FloatField(default=0)
    seats_wagering = models.PositiveIntegerField(default=0, help_text="seats with a wager, over the rounds")
    seats_offered = models.PositiveIntegerField(default=0, help_text="seats of the table, over the rounds")
    open_us = models.BigIntegerField(
        default=0, help_text="microseconds open and staffed (tables.core.figure_sums)"
    )
    largest_cents = models.BigIntegerField(default=0, help_text="the most that one round cost the casino")
    largest_round = models.PositiveIntegerField(null=True, blank=True)
    largest_at = models.DateTimeField(null=True, blank=True)
    by_family = models.JSONField(
        default=dict,
        help_text="by wager family: wagers, handle and fees in cents, exact expected win",
    )
    by_seat = models.JSONField(default=dict, help_text="by seat: rounds in which it had a wager")

    class Meta:
        abstract = True


class HourFigures(RollupRow):
    """The rounds that one table settled in one hour of its gaming day, with the same dealers, in one shift."""

    gaming_day = models.DateField()
    begins_at = models.DateTimeField(help_text="the hour counts from the beginning of the gaming day")
    dealers = models.CharField(max_length=120, blank=True, help_text="codes of the dealers, with spaces")
    win_slots = models.JSONField(default=list, help_text="win in cents in each twelfth of the hour")

    class Meta:
        ordering = ["table", "begins_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "gaming_day", "begins_at", "shift", "pit", "dealers"],
                name="hour_figures_are_unique",
            )
        ]
        indexes = [models.Index(fields=["gaming_day", "table"], name="hour_figures_by_day")]

    def __str__(self) -> str:
        return f"{self.table_id} {self.begins_at}"


class DayFigures(RollupRow):
    """The rounds of one table's gaming day in one shift."""

    gaming_day = models.DateField()

    class Meta:
        ordering = ["table", "gaming_day"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "gaming_day", "shift", "pit"], name="day_figures_are_unique"
            )
        ]
        indexes = [models.Index(fields=["gaming_day", "table"], name="day_figures_by_day")]

    def __str__(self) -> str:
        return f"{self.table_id} {self.gaming_day}"


class MonthFigures(RollupRow):
    """The rounds of one table in the gaming days of one month, in one shift."""

    month = models.DateField(help_text="its first day")

    class Meta:
        ordering = ["table", "month"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "month", "shift", "pit"], name="month_figures_are_unique"
            )
        ]
        indexes = [models.Index(fields=["month", "table"], name="month_figures_by_month")]

    def __str__(self) -> str:
        return f"{self.table_id} {self.month}"


class RollupProgress(models.Model):
    """Up to which round and which entry about a slip the rollups of a table are written."""

    table = models.OneToOneField("tables.Table", models.PROTECT, related_name="rollup_progress")
    last_round = models.PositiveIntegerField(default=0)
    newest_day = models.DateField(null=True, blank=True, help_text="gaming day of the newest settled round")
    newest_settled_at = models.DateTimeField(null=True, blank=True)
    open_state = models.JSONField(
        null=True, help_text="of the open time, up to the newest settled round (tables.opening.open_time)"
    )
    slip_seq = models.BigIntegerField(default=0, help_text="the newest entry about a slip that is counted")

    def __str__(self) -> str:
        return f"{self.table_id} up to round {self.last_round}"


# Reports


class FiguresSchedule(models.Model):
    """One declared report. What was declared, and by whom, is on the record; an ended one writes nothing more."""

    class Every(models.TextChoices):
        SHIFT = "shift", "shift"
        DAY = "day", "gaming day"
        WEEK = "week", "week, from Monday to Sunday"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="figures_schedules")
    name = models.SlugField(max_length=40)
    every = models.CharField(max_length=5, choices=Every)
    filters = models.CharField(max_length=300, blank=True, help_text="those of an address of the page")
    formats = models.JSONField(default=list)
    folder = models.CharField(max_length=300, blank=True)
    mail = models.JSONField(default=list, help_text="addresses")
    declared_at = models.DateTimeField()
    declared_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    declared_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "name"],
                condition=Q(ended_at=None),
                name="figures_schedule_name_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(every__in=["shift", "day", "week"]), name="figures_schedule_every_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FiguresReport(Delivery):
    """One report of a schedule for one period. The unique period and the claimed status write it once."""

    schedule = models.ForeignKey(FiguresSchedule, models.PROTECT, related_name="reports")
    period = models.CharField(max_length=60, help_text="as in its file names, such as 2026-11-21-swing")
    first_day = models.DateField()
    last_day = models.DateField()
    shift = models.CharField(max_length=30, blank=True)
    files = models.JSONField(default=list, help_text="names of the files")

    class Meta:
        ordering = ["schedule", "first_day", "period"]
        constraints = [
            models.UniqueConstraint(fields=["schedule", "period"], name="figures_report_period_is_unique"),
            models.CheckConstraint(
                condition=Q(status__in=["due", "writing", "sending", "done", "unsure"]),
                name="figures_report_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.schedule} {self.period}"
