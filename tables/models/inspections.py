"""The floorperson's inspection of a table, before it opens or after a repair."""

from django.db import models


class Inspection(models.Model):
    """One inspection: lights checked with dice, an automated shaker tested, and lines confirmed."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="inspections")
    by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    inspected_at = models.DateTimeField()
    shaker = models.ForeignKey("tables.Shaker", models.PROTECT, null=True, related_name="+")
    terms_sha256 = models.CharField(
        max_length=64, blank=True, help_text="of the rules whose lines were confirmed"
    )
    dice = models.JSONField()
    lit = models.JSONField()
    tosses = models.PositiveSmallIntegerField(default=0)
    lines = models.JSONField(default=list, help_text="codes of the confirmed lines")
    cameras = models.JSONField(
        default=list, help_text="one per end of the table, where the edition requires cameras"
    )

    class Meta:
        ordering = ["table", "-inspected_at"]

    def __str__(self) -> str:
        return f"{self.table_id} {self.inspected_at:%Y-%m-%d %H:%M}"
