"""Approvals of layouts, devices, shakers and locations, each with its approving body and dates."""

import datetime as dt
from typing import Self

from django.db import models
from django.db.models import Q


class ApprovalSet(models.QuerySet["Approval"]):
    """Approvals on file, by date."""

    def in_effect(self, day: dt.date) -> Self:
        """Return approvals in effect on a day of the facility's calendar: granted, not ended, not withdrawn."""
        not_ended = Q(ends_on=None) | Q(ends_on__gt=day)
        return self.filter(not_ended, withdrawn_at=None, approved_on__lte=day)


class Approval(models.Model):
    """One approval on file: of a table's equipment, or of one shaker at any table."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="approvals")
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, blank=True, related_name="approvals")
    shaker = models.ForeignKey(
        "tables.Shaker", models.PROTECT, null=True, blank=True, related_name="approvals"
    )
    subject = models.CharField(max_length=30, help_text="as the edition names it: layout, device, shaker, …")
    body = models.CharField(max_length=60)
    reference = models.CharField(max_length=60)
    approved_on = models.DateField()
    ends_on = models.DateField(
        null=True, blank=True, help_text="the first day on which it is no longer in effect"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    lines = models.JSONField(default=list, help_text="lines of the edition that were confirmed")
    prints = models.JSONField(default=list, help_text="printed on a layout: odds, payout-limit")
    version = models.CharField(max_length=40, blank=True, help_text="software version of a device")
    further_versions = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="further software versions that it approves",
    )

    letter = models.ForeignKey(
        "games.Document",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the document that says it, if it is on file",
    )

    objects = ApprovalSet.as_manager()

    class Meta:
        ordering = ["facility", "subject", "-approved_on", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(table__isnull=False, shaker=None) | Q(table=None, shaker__isnull=False),
                name="approval_is_of_a_table_or_a_shaker",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.reference}"

    @property
    def versions(self) -> list[str]:
        """Every software version that it approves."""
        return [self.version, *self.further_versions] if self.version else []
