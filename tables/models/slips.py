"""Error Notification Slips: errors found in a round after money had moved, and their correction."""

from django.db import models
from django.db.models import Q


class Slip(models.Model):
    """One slip, filed and signed by two people, and settled once its money has been handed over.

    The corrected round is never edited. `corrects_seq` is the sequence number of the entry it corrects. `before` and
    `after` are totals (`taken_cents`, `paid_cents`, `returned_cents`). `due` is what each seat is owed:
    [{"seat": 3, "cents": 3000}], negative where the player owes the casino. `handed_over`, in the same form, is what
    was in fact handed over; it is set when the slip is settled.

    A slip that moves money has `review_due_at`: by then somebody outside the table reviews it. With
    `review_comes_first` no money moves before that. `elsewhere_cents`: how much more the tray holds by the slip than
    the record said until then, negative for less. Less is taken off the tray only once a review that comes first
    agrees.
    """

    class Kind(models.TextChoices):
        DICE = "dice", "dice were entered wrongly"
        WAGER = "wager", "a wager was entered wrongly, or not at all"
        PAYMENT = "payment", "another sum was handed over than was recorded"
        VOID = "void", "the settled round is void"

    class Status(models.TextChoices):
        FILED = "filed", "filed"
        SETTLED = "settled", "settled"

    class Verdict(models.TextChoices):
        AGREES = "agrees", "agrees"
        DIFFERS = "differs", "differs"

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
    elsewhere_cents = models.BigIntegerField(
        default=0, db_default=0, help_text="more in the tray than the record said until then"
    )
    filed_seq = models.BigIntegerField()
    filed_at = models.DateTimeField()
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    filed_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    handed_over = models.JSONField(default=list)
    settled_seq = models.BigIntegerField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    settled_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    review_due_at = models.DateTimeField(null=True, blank=True, help_text="null: it needs no review")
    review_comes_first = models.BooleanField(default=False, help_text="no money moves before its review")
    reviewed_seq = models.BigIntegerField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    review_verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    review_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="slip_number_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["dice", "wager", "payment", "void"]), name="slip_kind_is_known"
            ),
            models.CheckConstraint(condition=Q(status__in=["filed", "settled"]), name="slip_status_is_known"),
            models.CheckConstraint(
                condition=Q(review_verdict__in=["", "agrees", "differs"]), name="slip_verdict_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["gaming_day"], name="slip_by_gaming_day"),
            models.Index(
                fields=["review_due_at"],
                condition=Q(review_due_at__isnull=False, reviewed_at__isnull=True),
                name="slip_waiting_for_review",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """Return the slip's code, such as `ENS-0003`; unique at its table."""
        return f"ENS-{self.number:04}"

    @property
    def waits_for_review(self) -> bool:
        return self.review_due_at is not None and self.reviewed_at is None

    @property
    def due_cents(self) -> int:
        """The money that the slip moves: what is paid and what is collected, added up."""
        return sum(abs(amount["cents"]) for amount in self.due)

    @property
    def moving(self) -> list[dict[str, int]]:
        """What each seat got or gave back by this slip, or still may: nothing more once a review differs."""
        if self.status == self.Status.SETTLED:
            return list(self.handed_over)
        return [] if self.review_verdict == self.Verdict.DIFFERS else list(self.due)

    @property
    def agreed_first(self) -> bool:
        """Whether a review that comes before money agreed with the slip."""
        return self.review_comes_first and self.review_verdict == self.Verdict.AGREES

    @property
    def withheld_cents(self) -> int:
        """The chips, as a negative sum, that the slip says are gone, and no review has agreed to."""
        waits = self.review_comes_first and not self.agreed_first
        return min(0, self.elsewhere_cents) if waits else 0

    @property
    def apart_cents(self) -> int:
        """The chips that by the slip are not where the record says, beside the money that moves.

        Where money is due, chips that the tray holds beyond the record are that money; a payment slip wants the chips
        back that it says are gone. Nothing counts once a review that came first differs.
        """
        if self.review_comes_first and self.review_verdict == self.Verdict.DIFFERS:
            return 0
        gone_cents = -self.elsewhere_cents
        if gone_cents < 0:
            return 0 if self.due else -gone_cents
        is_payment = self.kind == self.Kind.PAYMENT
        return max(0, gone_cents - self.moving_cents) if is_payment else gone_cents

    @property
    def moving_cents(self) -> int:
        """What the slip moved or may still move, toward players and back."""
        return sum(abs(amount["cents"]) for amount in self.moving)

    @property
    def signer_ids(self) -> set[int]:
        """The people who have signed the slip so far, by primary key."""
        signers = (self.filed_by_id, self.filed_with_id, self.settled_by_id, self.settled_with_id)
        return {pk for pk in signers if pk is not None}
