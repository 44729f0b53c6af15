"""The compliance desk's own data: its long jobs and each person's saved filters. None of it is evidence."""

import uuid
from typing import Literal

from django.db import models
from django.db.models import Q

from .people import Device, Person

JobKind = Literal["evidence", "csv", "xlsx", "verification"]


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
                name="audit_job_kind", condition=Q(kind__in=["evidence", "csv", "xlsx", "verification"])
            ),
            models.CheckConstraint(
                name="audit_job_status", condition=Q(status__in=["waiting", "running", "done", "failed"])
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


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
