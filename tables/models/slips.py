"""Error Notification Slips: errors found in a round after money had moved, and their correction."""

from django.db import models
from django.db.models import Q


class Slip(models.Model):
    """One slip, filed and signed by two people, and settled once its money has been handed over.

    The corrected round is never edited. `corrects_seq` is the sequence number of the entry it corrects. `before` and
    `after` are totals (`taken_cents`, `paid_cents`, `returned_cents`). `due` is what each seat is owed:
    [{"seat": 3, "cents": 3000}], negative where the player owes the casino. `handed_over`, in the same form, is what
    was in fact handed over; it is set when the slip is settled.
    """

    class Kind(models.TextChoices):
        DICE = "dice", "dice were entered wrongly"
        WAGER = "wager", "a wager was entered wrongly, or not at all"
        PAYMENT = "payment", "another sum was handed over than was recorded"
        VOID = "void", "the settled round is void"

    class Status(models.TextChoices):
        FILED = "filed", "filed"
        SETTLED = "settled", "settled"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="slips")
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    round = models.ForeignKey("tables.Round", models.PROTECT, related_name="slips")
    gaming_day = models.DateField(help_text="gaming day of its filing")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=8, choices=Status, default=Status.FILED)
    reason = models.CharField(max_length=500)
    corrects_seq = models.BigIntegerField()
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    due = models.JSONField(default=list)
    filed_seq = models.BigIntegerField()
    filed_at = models.DateTimeField()
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    filed_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    handed_over = models.JSONField(default=list)
    settled_seq = models.BigIntegerField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    settled_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="slip_number_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["dice", "wager", "payment", "void"]), name="slip_kind_is_known"
            ),
            models.CheckConstraint(condition=Q(status__in=["filed", "settled"]), name="slip_status_is_known"),
        ]
        indexes = [models.Index(fields=["gaming_day"], name="slip_by_gaming_day")]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """Return the slip's code, such as `ENS-0003`; unique at its table."""
        return f"ENS-{self.number:04}"
