"""Who works where: assignments, qualifications, planned moves, and the handovers of shifts.

An assignment says who is on duty where, a qualification who may deal which game. A planned move says who takes which
post next, and how the plan ended. At the end of a shift each open item is taken over by somebody, and two people sign
the handover.
"""

import datetime as dt
from typing import TYPE_CHECKING, Literal, Self, get_args

from django.db import models
from django.db.models import Expression, Q

if TYPE_CHECKING:
    from games.models import Facility

    from .floor import Table

FACILITY = "games.Facility"
PERSON = "audit.Person"

Key = int | Expression  # an id, or an expression for one

# Games not run with Pitside, whose tables a floorperson may supervise as well.
GameElsewhere = Literal["baccarat", "midibaccarat", "craps", "mini-craps", "pai-gow", "other-banking"]
GAMES_ELSEWHERE: tuple[GameElsewhere, ...] = get_args(GameElsewhere)


class AssignmentSet(models.QuerySet["Assignment"]):
    """Assignments, by what they cover. The duty rule is here; `tables.core.duty` asks it of people and tables."""

    def unended(self) -> Self:
        """Return assignments that have not ended, supervision elsewhere included."""
        return self.filter(ended_at=None)

    def at_facility(self, facility: "Facility | Key") -> Self:
        """Return unended assignments at this facility. Supervision elsewhere is no duty."""
        return self.unended().filter(facility=facility, elsewhere="")

    def at(self, table: "Table") -> Self:
        """Return unended assignments that cover this table."""
        return self.covering(table.facility_id, table.pit_id, table.pk)

    def covering(self, facility: "Key", pit: "Key", table: "Key") -> Self:
        """Return unended assignments to this table, to its pit, or to its whole facility."""
        return self.at_facility(facility).filter(Q(table=table) | Q(pit=pit) | Q(pit=None, table=None))


class Assignment(models.Model):
    """A person's duty at one table, at all tables of a pit, or (both empty) at the whole facility.

    With `elsewhere` it is the supervision of one table of a game that is not dealt with Pitside. Such an assignment
    gives no rights at any table here, but counts in the floorperson's span.
    """

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="assignments")
    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="+")
    pit = models.ForeignKey("tables.Pit", models.PROTECT, null=True, blank=True, related_name="+")
    table = models.ForeignKey(
        "tables.Table", models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    elsewhere = models.CharField(
        max_length=20, blank=True, help_text="a game that is not dealt with Pitside: craps, …"
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    works_since = models.DateTimeField(
        null=True, blank=True, help_text="since when the person has worked at tables without a break"
    )
    rests_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when the person last left a post; empty at a post, and before the first",
    )

    objects = AssignmentSet.as_manager()

    class Meta:
        ordering = ["person", "started_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(pit=None) | Q(table=None), name="assignment_is_to_a_pit_or_a_table"
            ),
            models.CheckConstraint(
                condition=Q(elsewhere="") | Q(pit=None, table=None), name="elsewhere_is_not_here"
            ),
        ]
        indexes = [models.Index(fields=["person", "facility"], name="assignment_by_person")]

    def __str__(self) -> str:
        return f"{self.person_id} at {self.table_id or self.pit_id or self.facility_id}"

    def covers(self, table: "Table") -> bool:
        """Return whether this unended assignment covers a table, as `AssignmentSet.at` does in the database."""
        if self.facility_id != table.facility_id or self.elsewhere:
            return False
        return self.table_id in (None, table.pk) and self.pit_id in (None, table.pit_id)


class QualificationSet(models.QuerySet["Qualification"]):
    """Qualifications on file, by date."""

    def in_effect(self, day: dt.date) -> Self:
        """Return qualifications in effect on a day of the facility's calendar."""
        return self.filter(Q(ends_on=None) | Q(ends_on__gt=day), since__lte=day)


class Qualification(models.Model):
    """A person's training to deal a game, on file with the casino."""

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="qualifications")
    game = models.CharField(max_length=30)
    reference = models.CharField(max_length=60)
    since = models.DateField()
    ends_on = models.DateField(
        null=True, blank=True, help_text="the first day on which it is no longer in effect"
    )

    objects = QualificationSet.as_manager()

    class Meta:
        ordering = ["person", "game", "since"]
        constraints = [
            models.UniqueConstraint(fields=["person", "game", "since"], name="qualification_is_filed_once")
        ]

    def __str__(self) -> str:
        return f"{self.person_id} {self.game}"


# Planned moves of dealers


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


# Handovers


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
