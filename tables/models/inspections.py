"""The floorperson's inspection before a table opens."""

from django.db import models


class Inspection(models.Model):
    """Three values entered and every winning combination seen lit; an automated shaker run three times."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="inspections")
    by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    dice = models.JSONField()
    lit = models.JSONField()
    tosses = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["table", "-at"]

    def __str__(self) -> str:
        return f"{self.table_id} {self.at:%Y-%m-%d %H:%M}"
