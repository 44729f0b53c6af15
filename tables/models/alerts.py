"""Alerts: what calls a person to a table."""

from django.db import models
from django.db.models import Q

from games.snapshot_types import AlertLevel

# The alerts that screens show: open, not yet acknowledged, or decided and not yet read at the table.
SHOWN_SQL = (
    "(a.ended_at IS NULL OR a.acknowledged_at IS NULL OR (a.decided_at IS NOT NULL AND a.read_at IS NULL))"
)


class Alert(models.Model):
    """One alert at a table, open until its cause has ended and an entitled person has acknowledged it.

    `key` names the cause, so that the same alert is never raised twice at once.
    """

    class Level(models.TextChoices):
        STOP = "stop", "stop"
        WARN = "warn", "warning"
        INFO = "info", "notice"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="alerts")
    kind = models.CharField(max_length=30)
    key = models.CharField(max_length=80)
    level: "models.CharField[AlertLevel | Level, AlertLevel]" = models.CharField(max_length=5, choices=Level)
    params = models.JSONField(default=dict, help_text="values for its sentence")
    section = models.CharField(max_length=60, blank=True)
    raised_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True, help_text="when its cause ended")
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        "audit.Person", models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(max_length=200, blank=True)
    coming_at = models.DateTimeField(
        null=True, blank=True, help_text="when somebody said that they are coming"
    )
    coming_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decision = models.CharField(max_length=20, blank=True, help_text="code of the floor's decision")
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the table read the decision")
    asked_role = models.CharField(max_length=24, blank=True, help_text="whom it was passed on to, unanswered")
    asked_at = models.DateTimeField(null=True, blank=True)
    muted_until = models.DateTimeField(null=True, blank=True)
    muted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["table", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "key"], condition=Q(ended_at=None), name="alert_is_raised_once"
            ),
            models.CheckConstraint(
                condition=Q(level__in=["stop", "warn", "info"]), name="alert_level_is_known"
            ),
            models.CheckConstraint(
                condition=Q(acknowledged_at=None, acknowledged_by=None)
                | Q(acknowledged_at__isnull=False, acknowledged_by__isnull=False),
                name="alert_is_acknowledged_by_somebody",
            ),
        ]
        indexes = [
            models.Index(
                fields=["table"],
                condition=Q(ended_at=None)
                | Q(acknowledged_at=None)
                | Q(decided_at__isnull=False, read_at=None),
                name="alert_shown_at_a_table",
            )
        ]

    def __str__(self) -> str:
        return f"{self.table_id} {self.key}"
