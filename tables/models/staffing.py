"""Who is assigned where, and who is qualified to deal what. An act needs the role and the assignment."""

from django.db import models
from django.db.models import Q


class Assignment(models.Model):
    """A person's duty at one table, at all tables of a pit, or (both empty) at the whole facility.

    With `elsewhere` it is the supervision of one table of a game that is not dealt with Pitside; it gives no right
    at any table here, and counts in a floorperson's span.
    """

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="assignments")
    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="+")
    pit = models.ForeignKey("tables.Pit", models.PROTECT, null=True, blank=True, related_name="+")
    table = models.ForeignKey(
        "tables.Table", models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    elsewhere = models.CharField(
        max_length=20, blank=True, help_text="a game that is not dealt here: craps, …"
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

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


class Qualification(models.Model):
    """A person's training to deal a game, on file with the house."""

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="qualifications")
    game = models.CharField(max_length=30)
    reference = models.CharField(max_length=60)
    since = models.DateField()
    ends_on = models.DateField(null=True, blank=True, help_text="the first day on which it no longer holds")

    class Meta:
        ordering = ["person", "game", "since"]
        constraints = [
            models.UniqueConstraint(fields=["person", "game", "since"], name="qualification_is_filed_once")
        ]

    def __str__(self) -> str:
        return f"{self.person_id} {self.game}"
