"""The floorperson's inspection before a table opens."""

from django.db import models


class Inspection(models.Model):
    """Three values entered and every winning combination seen lit; an automated shaker run three times; and the lines
    that the edition has for the table, its signs and its boxes.
    """

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="inspections")
    by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    shaker = models.ForeignKey("tables.Shaker", models.PROTECT, null=True, related_name="+")
    terms_sha256 = models.CharField(
        max_length=64, blank=True, help_text="of the rules whose lines it went by"
    )
    dice = models.JSONField()
    lit = models.JSONField()
    tosses = models.PositiveSmallIntegerField(default=0)
    lines = models.JSONField(default=list, help_text="what else was confirmed, by code")
    cameras = models.JSONField(default=list, help_text="one for each end, where the edition asks for them")

    class Meta:
        ordering = ["table", "-at"]

    def __str__(self) -> str:
        return f"{self.table_id} {self.at:%Y-%m-%d %H:%M}"
