"""Reports of the figures that the house has written at the end of each shift, gaming day or week."""

from django.db import models
from django.db.models import Q

from audit.delivery import Delivery


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
