"""Rules submissions: the rules that a facility filed for a game."""

from django.db import models
from django.db.models import Q

from .facility import Facility


class RulesSubmission(models.Model):
    """One version of the rules that a facility filed for a game. A round pins the version that was in force.

    The terms are canonical JSON, so the same rules always have the same SHA-256. `options` is the form as the games
    administrator filled it in, `terms` the same as the engine reads it.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        FILED = "filed", "filed"
        APPROVED = "approved", "approved"
        DENIED = "denied", "denied"
        SUPERSEDED = "superseded", "superseded"
        WITHDRAWN = "withdrawn", "withdrawn"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="submissions")
    code = models.CharField(max_length=20, help_text="for instance RS-0009")
    version = models.PositiveIntegerField(default=1)
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=60, help_text="the dated rules key")
    options = models.JSONField(default=dict, blank=True)
    terms = models.TextField(help_text="canonical JSON (RFC 8785)")
    terms_sha256 = models.CharField(max_length=64)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    why = models.CharField(max_length=200, blank=True, help_text="what an amendment is for")
    lapsed_why = models.CharField(
        max_length=200, blank=True, help_text="why rules of a lapsed edition may be dealt"
    )
    drafted_at = models.DateTimeField(null=True, blank=True)
    drafted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    filed_at = models.DateTimeField(null=True, blank=True)
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=100, blank=True, help_text="the body that decided")
    reference = models.CharField(max_length=60, blank=True, help_text="of the letter of the decision")
    in_force_from = models.DateTimeField(null=True, blank=True)
    superseded_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_why = models.CharField(max_length=200, blank=True)
    decision = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["facility", "code", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "code", "version"], name="submission_version_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "filed", "approved", "denied", "superseded", "withdrawn"]),
                name="submission_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["approved", "superseded"])
                | Q(decided_at__isnull=False, in_force_from__isnull=False),
                name="approved_submission_has_its_dates",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="submission_version_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.code} v{self.version}"
