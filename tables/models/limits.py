"""Changes of the minimum and maximum wager at a table, § 521.8(c)."""

from django.db import models
from django.db.models import F, Q


class LimitsChange(models.Model):
    """One change of limits: requested, then in effect or canceled; posted and announced first if anybody plays.

    `effective_at` is set once the sign is posted and the change announced: 30 minutes after the later of the two
    (A05). The change applies from the first round that begins after that moment; `took_effect_at` is when it did.
    """

    class Status(models.TextChoices):
        PENDING = "pending", "announced for later"
        DONE = "done", "in effect"
        CANCELLED = "cancelled", "cancelled"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="limits_changes")
    number = models.PositiveIntegerField()
    was_min_cents = models.BigIntegerField()
    was_max_cents = models.BigIntegerField()
    min_cents = models.BigIntegerField()
    max_cents = models.BigIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    nobody_played = models.BooleanField(default=False, help_text="§ 521.8(c)(1): in effect at once")
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    posted_at = models.DateTimeField(null=True, blank=True, help_text="when the sign was posted at the table")
    announced_at = models.DateTimeField(null=True, blank=True)
    announced_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    effective_at = models.DateTimeField(null=True, blank=True)
    took_effect_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="limits_change_number_is_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="pending"), name="one_limits_change_is_pending"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "done", "cancelled"]),
                name="limits_change_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(min_cents__gt=0) & Q(max_cents__gte=F("min_cents")),
                name="limits_change_has_a_minimum_and_a_maximum",
            ),
        ]

    def __str__(self) -> str:
        return f"limits change {self.number}"
