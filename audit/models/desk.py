"""The compliance desk's own data: its long jobs and each person's saved filters. None of it is evidence."""

import datetime as dt
import uuid
from typing import Literal

from django.db import models
from django.db.models import Q

from .people import Device, Person

JobKind = Literal["evidence", "csv", "xlsx", "sheets-xlsx", "sheets-csv", "verification"]


class Job(models.Model):
    """A long task that the desk requested: an export, or a verification of the whole record.

    `entries_done` of `total` is its progress. A file has its name, size and SHA-256 (hex), which are on the record too
    (`export.asked`, `export.finished`, `record.verified`). `beat_at` is when its worker last reported; if the worker
    dies, another restarts the job.
    """

    class Kind(models.TextChoices):
        EVIDENCE = "evidence", "Evidence bundle"
        CSV = "csv", "Table, CSV"
        XLSX = "xlsx", "Workbook, XLSX"
        SHEETS_XLSX = "sheets-xlsx", "Sheets, XLSX"
        SHEETS_CSV = "sheets-csv", "Sheets, CSV"
        VERIFICATION = "verification", "Full verification"

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    facility = models.CharField(max_length=40)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    params = models.JSONField(default=dict)
    asked_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="jobs")
    asked_at = models.DateTimeField()
    device = models.ForeignKey(Device, models.PROTECT, null=True, related_name="+")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    entries_done = models.BigIntegerField(default=0, db_column="done")
    total = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    beat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    failure_code = models.TextField(blank=True, db_column="said", help_text="Why it failed.")
    results = models.JSONField(
        default=dict, db_column="found", help_text="Counts, and the SHA-256 of the record in the file."
    )
    filename = models.CharField(max_length=160, blank=True)
    size_bytes = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name = "job"
        verbose_name_plural = "jobs"
        ordering = ("-asked_at",)
        constraints = (
            models.CheckConstraint(
                name="audit_job_kind",
                condition=Q(
                    kind__in=["evidence", "csv", "xlsx", "sheets-xlsx", "sheets-csv", "verification"]
                ),
            ),
            models.CheckConstraint(
                name="audit_job_status", condition=Q(status__in=["waiting", "running", "done", "failed"])
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class LegalHoldSet(models.QuerySet["LegalHold"]):
    """Legal holds, and which of them stand."""

    def standing(self, facility: str, day: dt.date) -> list["LegalHold"]:
        """The legal holds of a facility (its code) that stand on a day, the oldest first."""
        holds = self.filter(facility=facility, released_at=None).order_by("number")
        return [hold for hold in holds if hold.holds_on(day)]


class LegalHold(models.Model):
    """An order to keep what a retention period would let end: why, about which days, and until when.

    `kinds` are codes of what it covers (games/jurisdictions). Without `first_day` it covers the past without limit,
    without `last_day` also what is to come; without `until` it stands until it is released.
    """

    facility = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    reason = models.CharField(max_length=300)
    kinds = models.JSONField(default=list)
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    until = models.DateField(null=True)
    placed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    placed_at = models.DateTimeField()
    released_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    released_at = models.DateTimeField(null=True)
    release_reason = models.CharField(max_length=300, blank=True)

    objects = LegalHoldSet.as_manager()

    class Meta:
        verbose_name = "legal hold"
        verbose_name_plural = "legal holds"
        ordering = ("facility", "-number")
        constraints = (
            models.UniqueConstraint(name="audit_legalhold_number", fields=("facility", "number")),
            models.CheckConstraint(
                name="audit_legalhold_released",
                condition=Q(released_at__isnull=True, released_by__isnull=True)
                | Q(released_at__isnull=False, released_by__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """`LH-0001`."""
        return f"LH-{self.number:04}"

    def holds_on(self, day: dt.date) -> bool:
        """Whether the hold stands on a day."""
        return self.released_at is None and (self.until is None or day <= self.until)

    def covers(self, first: dt.date | None, last: dt.date | None) -> bool:
        """Whether it covers a range of days; None is a range without that end."""
        begins_after = self.first_day is not None and last is not None and last < self.first_day
        ends_before = self.last_day is not None and first is not None and first > self.last_day
        return not (begins_after or ends_before)


class SavedFilter(models.Model):
    """A search of the record that a person saved under a name. `query` is the page's query string."""

    facility = models.CharField(max_length=40)
    person = models.ForeignKey(Person, models.CASCADE, related_name="saved_filters")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=1000)
    saved_at = models.DateTimeField()

    class Meta:
        verbose_name = "saved filter"
        verbose_name_plural = "saved filters"
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(name="audit_savedfilter_name", fields=("facility", "person", "name")),
        )

    def __str__(self) -> str:
        return self.name
