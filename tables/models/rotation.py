"""Planned moves of dealers: who takes which post next, and how each plan ended."""

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from games.models import Facility

FACILITY = "games.Facility"
PERSON = "audit.Person"


class PlannedMoveSet(models.QuerySet["PlannedMove"]):
    """Planned moves, by whether they are open."""

    def open_moves(self, facility: "Facility | None" = None) -> Self:
        """Return moves that have neither taken place nor ended, the first due first."""
        moves = (
            self.filter(ended_at=None) if facility is None else self.filter(ended_at=None, facility=facility)
        )
        return moves.order_by("planned_for", "number")


class PlannedMove(models.Model):
    """A plan that a dealer takes a post of a table next.

    It ends when the post gets another person, when the dealer's duty there ends, or when the floor cancels it.
    """

    class Outcome(models.TextChoices):
        TAKEN = "taken", "The dealer took the post"
        OVERTAKEN = "overtaken", "Somebody else took the post"
        OFF_DUTY = "off-duty", "The dealer's duty there ended"
        CANCELED = "canceled", "Canceled"

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(help_text="from 1 in each facility")
    person = models.ForeignKey(PERSON, models.PROTECT, related_name="planned_moves")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="planned_moves")
    post = models.CharField(max_length=20)
    planned_for = models.DateTimeField()
    planned_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    planned_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(PERSON, models.PROTECT, null=True, blank=True, related_name="+")
    outcome = models.CharField(max_length=10, blank=True, choices=Outcome.choices)

    objects = PlannedMoveSet.as_manager()

    class Meta:
        ordering = ["facility", "number"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "number"], name="planned_move_number_is_unique"),
            models.UniqueConstraint(
                fields=["person"], condition=Q(ended_at=None), name="one_planned_move_a_person"
            ),
            models.UniqueConstraint(
                fields=["table", "post"], condition=Q(ended_at=None), name="one_planned_move_a_post"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, outcome="") | (Q(ended_at__isnull=False) & ~Q(outcome="")),
                name="planned_move_ends_with_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"planned move {self.number}"
