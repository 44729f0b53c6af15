"""Documents on file: letters, drawings, forms, the text of the rules. Their bytes never change."""

from typing import Literal

from django.db import models
from django.db.models import Q

from .facility import Facility

MediaType = Literal["application/pdf", "image/png", "image/jpeg", "text/plain"]


class Document(models.Model):
    """A file as it was received. Its bytes are in the database, and an entry has their SHA-256."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="documents")
    code = models.CharField(max_length=20, help_text="for instance D-0001")
    title = models.CharField(max_length=120)
    filename = models.CharField(max_length=120)
    media_type: "models.CharField[MediaType, MediaType]" = models.CharField(
        max_length=60, help_text="as its first bytes tell, not as its name claims"
    )
    size = models.PositiveIntegerField(help_text="bytes")
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(editable=False)
    is_about_several = models.BooleanField(
        default=False, help_text="filed as a letter that says several decisions"
    )
    filed_at = models.DateTimeField()
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["facility", "-filed_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="document_code_is_unique"),
            models.CheckConstraint(condition=Q(size__gt=0), name="document_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.title}"
