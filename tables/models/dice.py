"""Shakers and dice lots."""

from django.db import models
from django.db.models import Q


class Shaker(models.Model):
    """A device that shakes the dice, and what has been approved of it."""

    class Kind(models.TextChoices):
        MANUAL = "manual", "manual shaker"
        AUTOMATED_COVERED = "automated-covered", "automated shaker with a cover"
        AUTOMATED_UNCOVERED = "automated-uncovered", "automated shaker without a cover"
        PLAYER_ACTIVATED = "player-activated", "player-activated shaker"
        DICE_CUP = "dice-cup", "dice cup"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="shakers")
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, blank=True, related_name="shakers")
    code = models.CharField(max_length=20)
    kind = models.CharField(max_length=20, choices=Kind)
    approval = models.CharField(max_length=60)
    out_of_order = models.BooleanField(default=False)

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="shaker_code_is_unique"),
            models.UniqueConstraint(
                fields=["table"],
                condition=Q(out_of_order=False, table__isnull=False),
                name="one_working_shaker_a_table",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "manual",
                        "automated-covered",
                        "automated-uncovered",
                        "player-activated",
                        "dice-cup",
                    ]
                ),
                name="shaker_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class DiceLot(models.Model):
    """Dice that live and die together. The clock starts when they go into a shaker and never restarts."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="dice_lots")
    code = models.CharField(max_length=20)
    dice = models.PositiveSmallIntegerField(default=3)
    attested = models.BooleanField(default=False, help_text="attested to what its game asks of § 603a.12")
    shaker = models.ForeignKey(Shaker, models.PROTECT, null=True, blank=True, related_name="lots")
    placed_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    clock_section = models.CharField(max_length=60, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    expiry_recorded = models.BooleanField(default=False)

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="dice_lot_code_is_unique"),
            models.UniqueConstraint(
                fields=["shaker"],
                condition=Q(removed_at=None, shaker__isnull=False),
                name="one_lot_in_a_shaker",
            ),
            models.CheckConstraint(
                condition=Q(placed_at=None, expires_at=None)
                | Q(placed_at__isnull=False, expires_at__isnull=False),
                name="placed_dice_have_a_clock",
            ),
        ]

    def __str__(self) -> str:
        return self.code
