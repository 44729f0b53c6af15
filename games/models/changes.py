"""Changes that one person prepared and another approves."""

from django.db import models
from django.db.models import Q

from .facility import Facility


class PreparedChange(models.Model):
    """An act that was checked and stored, and is done when somebody else approves it.

    `stream` is the place of the stream whose lock protects it, such as `rules`. `params` are the parameters of the act.
    `makers` are the codes of the people who made it; none of them may approve it. The clock withdraws it when what it
    is about has ended: nobody has decided it then.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "waits for approval"
        APPROVED = "approved", "approved"
        SENT_BACK = "sent-back", "sent back"
        TAKEN_BACK = "taken-back", "taken back"
        WITHDRAWN = "withdrawn", "withdrawn"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="changes")
    code = models.CharField(max_length=20, help_text="for instance CH-0001")
    subject = models.CharField(max_length=30, help_text="the row of the policy")
    stream = models.CharField(max_length=60)
    act = models.CharField(max_length=60)
    params = models.JSONField(default=dict, blank=True)
    entry_type = models.CharField(max_length=60, help_text="of the entry that the act would write")
    entry_data = models.JSONField(default=dict, blank=True, help_text="of this entry, as it was checked")
    makers = models.JSONField(default=list)
    prepared_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField()
    prepared_seq = models.PositiveBigIntegerField(help_text="number of its change.prepared")
    due_at = models.DateTimeField()
    status = models.CharField(max_length=12, choices=Status, default=Status.WAITING)
    decided_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    why = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["facility", "-code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="change_code_is_unique"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "approved", "sent-back", "taken-back", "withdrawn"]),
                name="change_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(status="waiting", decided_by__isnull=True)
                | Q(status="withdrawn", decided_by__isnull=True, decided_at__isnull=False)
                | (
                    ~Q(status__in=["waiting", "withdrawn"])
                    & Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
                name="ended_change_says_by_whom",
            ),
            models.CheckConstraint(
                condition=~Q(status="approved") | ~Q(decided_by=models.F("prepared_by")),
                name="change_is_approved_by_another_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.act}"


class ChangeNotice(models.Model):
    """A department that is told of an approved change, until somebody of it acknowledges that."""

    change = models.ForeignKey(PreparedChange, models.PROTECT, related_name="notices")
    department = models.CharField(max_length=24)
    acknowledged_by = models.ForeignKey(
        "audit.Person", models.PROTECT, null=True, blank=True, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["change", "department"]
        constraints = [
            models.UniqueConstraint(fields=["change", "department"], name="change_notice_is_unique"),
            models.CheckConstraint(
                condition=Q(acknowledged_by__isnull=True, acknowledged_at__isnull=True)
                | Q(acknowledged_by__isnull=False, acknowledged_at__isnull=False),
                name="change_notice_says_by_whom",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.change_id} {self.department}"
