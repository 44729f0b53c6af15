"""Who is assigned where. An act needs the role and the assignment."""

from django.db import models
from django.db.models import Q


class Assignment(models.Model):
    """A person's duty at one table, at all tables of a pit, or (both empty) at the whole facility."""

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="assignments")
    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="+")
    pit = models.ForeignKey("tables.Pit", models.PROTECT, null=True, blank=True, related_name="+")
    table = models.ForeignKey(
        "tables.Table", models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["person", "started_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(pit=None) | Q(table=None), name="assignment_is_to_a_pit_or_a_table"
            ),
        ]
        indexes = [models.Index(fields=["person", "facility"], name="assignment_by_person")]

    def __str__(self) -> str:
        return f"{self.person_id} at {self.table_id or self.pit_id or self.facility_id}"
