"""What patrons read: the complete rules, the gaming guide, and the signs at the tables."""

from typing import Literal

from django.db import models
from django.db.models import Q

from games.guide.content_types import GuideContent, GuideFacts
from games.models.facility import Facility

ReviewStatus = Literal["draft", "filed", "approved", "denied", "withdrawn"]


class Review(models.TextChoices):
    """The state of something that a body must approve before it is used."""

    DRAFT = "draft", "draft"
    FILED = "filed", "sample filed"
    APPROVED = "approved", "approved"
    DENIED = "denied", "denied"
    WITHDRAWN = "withdrawn", "withdrawn"


class Reviewed(models.Model):
    """Something filed with a body and decided with a letter."""

    status = models.CharField(max_length=12, choices=Review, default=Review.DRAFT)
    drafted_at = models.DateTimeField()
    drafted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    filed_at = models.DateTimeField(null=True, blank=True)
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=100, blank=True, help_text="the body that decided")
    reference = models.CharField(max_length=60, blank=True)
    decision = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class RulesBook(models.Model):
    """The complete text of the rules of all authorized games, kept for the public (§ 521.9(a))."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="rules_books")
    version = models.PositiveIntegerField()
    document = models.ForeignKey("games.Document", models.PROTECT, related_name="+")
    games = models.JSONField(default=list, help_text="codes of the games whose rules it holds")
    place = models.CharField(max_length=80, help_text="where the printed copy lies")
    place_reference = models.CharField(
        max_length=60, blank=True, help_text="approval of a place that is not the security podium"
    )
    filed_at = models.DateTimeField()
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "version"], name="rules_book_version_is_unique"),
        ]

    def __str__(self) -> str:
        return f"rules book v{self.version}"


class RulesInspection(models.Model):
    """A member of the public asked to see the complete rules."""

    book = models.ForeignKey(RulesBook, models.PROTECT, related_name="inspections")
    at = models.DateTimeField()
    place = models.CharField(max_length=80)
    note = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.place} at {self.at}"


class Guide(Reviewed):
    """A gaming guide of the submissions in force, in every language, filed as one sample (§ 521.9(b)).

    Every page is drawn from `content`. `facts` are the parts whose change is material (A06): guides with the same
    SHA-256 of facts need only one approval.
    """

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="guides")
    version = models.PositiveIntegerField()
    content: "models.JSONField[GuideContent, GuideContent]" = models.JSONField()
    content_sha256 = models.CharField(max_length=64)
    facts: "models.JSONField[GuideFacts, GuideFacts]" = models.JSONField()
    facts_sha256 = models.CharField(max_length=64)
    formats = models.JSONField(default=list, help_text="print, web, video, other")
    submissions = models.ManyToManyField("games.RulesSubmission", related_name="guides")
    same_as = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, help_text="the approved guide whose approval covers it"
    )
    immaterial_because = models.CharField(max_length=200, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True, help_text="replaced, withdrawn, or no longer true")

    class Meta:
        ordering = ["facility", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "version"], name="guide_version_is_unique"),
            models.UniqueConstraint(
                fields=["facility"],
                condition=Q(published_at__isnull=False, ended_at=None),
                name="one_guide_is_published",
            ),
        ]

    def __str__(self) -> str:
        return f"guide v{self.version}"


class GuideDisplay(models.Model):
    """A place where an approved guide is on display (§ 521.9(e))."""

    guide = models.ForeignKey(Guide, models.PROTECT, related_name="displays")
    place = models.CharField(max_length=80)
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["place", "-since"]

    def __str__(self) -> str:
        return self.place


GuideFormat = Literal["print", "web", "video", "other"]
SignKind = Literal["odds", "limits", "limits-change", "payout-limit", "rules", "test"]


class SignForm(Reviewed):
    """The form of one kind of sign: its place, its size and its wording (§ 521.8(d)).

    `wording` has the text of each language, with placeholders such as {table} and {min}.
    """

    class Kind(models.TextChoices):
        ODDS = "odds", "payout odds"
        LIMITS = "limits", "minimum and maximum wagers"
        LIMITS_CHANGE = "limits-change", "change of the limits"
        PAYOUT_LIMIT = "payout-limit", "payout limit"
        RULES = "rules", "rules in effect"
        TEST = "test", "test of a new game"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="sign_forms")
    kind: "models.CharField[SignKind | Kind, SignKind]" = models.CharField(max_length=20, choices=Kind)
    game = models.CharField(max_length=30, blank=True, help_text="empty: for every game")
    version = models.PositiveIntegerField()
    location = models.CharField(max_length=80)
    width_mm = models.PositiveIntegerField()
    height_mm = models.PositiveIntegerField()
    wording = models.JSONField(help_text="language code to text with placeholders")

    class Meta:
        ordering = ["facility", "kind", "game", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "kind", "game", "version"], name="sign_form_version_is_unique"
            ),
            models.CheckConstraint(condition=Q(width_mm__gt=0, height_mm__gt=0), name="sign_has_a_size"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} v{self.version}"


class BoardPermission(models.Model):
    """A permission of the Board under § 521.6 to show patrons the history of rolls at these tables."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="board_permissions")
    subject = models.CharField(max_length=30, help_text="roll-history")
    tables = models.JSONField(default=list, help_text="codes; empty: every table")
    reference = models.CharField(max_length=60)
    granted_on = models.DateField()
    ends_on = models.DateField(null=True, blank=True, help_text="the first day on which it no longer holds")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    letter = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["facility", "-granted_on", "-pk"]

    def __str__(self) -> str:
        return f"{self.subject} {self.reference}"


class DeviceIncident(models.Model):
    """A prohibited device seen at a table (§ 521.6)."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="device_incidents")
    table = models.CharField(max_length=20)
    round = models.PositiveIntegerField(null=True, blank=True)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    at = models.DateTimeField()
    what = models.CharField(max_length=200)
    action = models.CharField(max_length=200, help_text="what was done about it")
    by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.table} at {self.at}"
