"""Shift handovers: who took over which open item, and the handovers that two people signed."""

from django.db import models

FACILITY = "games.Facility"
PERSON = "audit.Person"


class ItemAcceptance(models.Model):
    """A person took over one open item of a shift that ends. The newest one of an item counts.

    `shift` and `item` are keys: `2026-11-20/swing`, `slip:T-04:ENS-0007`.
    """

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="+")
    shift = models.CharField(max_length=40)
    item = models.CharField(max_length=160)
    person = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField()
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["facility", "pk"]
        indexes = [models.Index(fields=["facility", "shift"], name="acceptance_by_shift")]

    def __str__(self) -> str:
        return f"{self.item} by {self.person_id}"


class Handover(models.Model):
    """A shift that was handed over and signed by both sides. Its entry has the items, the figures and the note."""

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="handovers")
    number = models.PositiveIntegerField(help_text="from 1 in each facility")
    shift = models.CharField(max_length=40)
    gaming_day = models.DateField()
    handed_over_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    taken_over_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    signed_at = models.DateTimeField()
    stream = models.ForeignKey("audit.Stream", models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["facility", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "number"], name="handover_number_is_unique"),
            models.UniqueConstraint(fields=["facility", "shift"], name="shift_is_handed_over_once"),
        ]

    def __str__(self) -> str:
        return f"handover {self.number}"
