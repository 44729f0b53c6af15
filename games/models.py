"""A casino facility, and what it filed to deal by."""

import datetime as dt
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q


class Facility(models.Model):
    """One casino. Several may live in one installation."""

    class Jurisdiction(models.TextChoices):
        PENNSYLVANIA = "PA", "Pennsylvania"
        NEW_JERSEY = "NJ", "New Jersey"

    code = models.SlugField(max_length=30, unique=True)
    name = models.CharField(max_length=100)
    jurisdiction = models.CharField(max_length=2, choices=Jurisdiction)
    time_zone = models.CharField(max_length=40, default="America/New_York")
    gaming_day_start = models.TimeField(default=dt.time(6), help_text="local time")

    class Meta:
        ordering = ["code"]
        verbose_name_plural = "facilities"
        constraints = [
            models.CheckConstraint(
                condition=Q(jurisdiction__in=["PA", "NJ"]), name="facility_jurisdiction_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def local(self, moment: dt.datetime) -> dt.datetime:
        """A moment as this facility's clocks show it."""
        return moment.astimezone(self.zone)

    def gaming_day(self, moment: dt.datetime) -> dt.date:
        """The gaming day that a moment belongs to: it begins at `gaming_day_start` by the local clock."""
        local = self.local(moment)
        before_start = local.time() < self.gaming_day_start
        return local.date() - dt.timedelta(days=1) if before_start else local.date()


class RulesSubmission(models.Model):
    """One version of what a facility filed for a game; a round pins the version that was in force."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        FILED = "filed", "filed"
        APPROVED = "approved", "approved"
        DENIED = "denied", "denied"
        SUPERSEDED = "superseded", "superseded"
        WITHDRAWN = "withdrawn", "withdrawn"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="submissions")
    code = models.CharField(max_length=20, help_text="for instance RS-0009")
    version = models.PositiveIntegerField(default=1)
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=60, help_text="the dated rules key")
    options = models.JSONField(default=dict, blank=True)
    terms = models.TextField(help_text="canonical JSON (RFC 8785)")
    terms_sha256 = models.CharField(max_length=64)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    filed_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=100, blank=True)
    in_force_from = models.DateTimeField(null=True, blank=True)
    letter = models.TextField(blank=True, help_text="the decision, as received")

    class Meta:
        ordering = ["facility", "code", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "code", "version"], name="submission_version_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "filed", "approved", "denied", "superseded", "withdrawn"]),
                name="submission_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["approved", "superseded"])
                | Q(decided_at__isnull=False, in_force_from__isnull=False),
                name="approved_submission_has_its_dates",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="submission_version_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.code} v{self.version}"
