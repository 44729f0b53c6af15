"""The rules that a facility filed for a game, and its requests for new games, wagers and features.

A request is made under § 521.4; New Jersey tests what it asks for (N.J.A.C. 19:47-8.4).
"""

from typing import Literal

from django.db import models
from django.db.models import Q

from games.models.facility import Facility

from .patrons import Review, Reviewed


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


# Requests and their tests


RequestKind = Literal["game", "wager", "feature"]
Petitioner = Literal["casino", "csi-licensee", "other"]


class GameRequest(Reviewed):
    """A written request to offer something that is not authorized yet.

    `parts` has the parts that the section requires, each an object: {"play": {"text": "…", "documents": ["D-0003"]},
    …}. Which parts are required depends on `kind` (A02); games/office/requests/parts.py reads them. They do not
    change once filed. `conditions` has what was recorded for a final approval in New Jersey, apart from its dates.
    """

    class Kind(models.TextChoices):
        GAME = "game", "new game"
        WAGER = "wager", "new wager"
        FEATURE = "feature", "new feature"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="game_requests")
    code = models.CharField(max_length=20, help_text="for instance NG-0001")
    title = models.CharField(max_length=100)
    kind: "models.CharField[RequestKind | Kind, RequestKind]" = models.CharField(max_length=10, choices=Kind)
    game = models.CharField(max_length=30, blank=True, help_text="of the engine, where it knows the game")
    rules = models.CharField(max_length=60, blank=True, help_text="a rules key; its odds sheet is computed")
    wagers = models.JSONField(default=list, help_text="codes or families that the request is about")
    parts = models.JSONField(default=dict)
    withdrawn_why = models.CharField(max_length=200, blank=True)
    # New Jersey alone: who asks, and the four conditions of final approval (g)1 to 4
    petitioner: 'models.CharField[Petitioner | Literal[""], Petitioner | Literal[""]]' = models.CharField(
        max_length=20, blank=True, help_text="casino, csi-licensee or other"
    )
    suitable_on = models.DateField(null=True, blank=True)
    amended_on = models.DateField(null=True, blank=True, help_text="regulation changes in effect")
    licensed_on = models.DateField(null=True, blank=True, help_text="applications filed and waivers issued")
    costs_cents = models.BigIntegerField(default=0)
    paid_cents = models.BigIntegerField(default=0)
    conditions = models.JSONField(default=dict)

    class Meta:
        ordering = ["facility", "-code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="game_request_code_is_unique"),
            models.CheckConstraint(
                condition=Q(costs_cents__gte=0, paid_cents__gte=0), name="request_costs_are_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.title}"


class GameTest(models.Model):
    """The test of a new game at casinos before its final approval (N.J.A.C. 19:47-8.4(f) and (g))."""

    request = models.ForeignKey(GameRequest, models.PROTECT, related_name="tests")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Review, default=Review.DRAFT)
    parts = models.JSONField(
        default=dict, help_text="casinos, dates, times, tables, sign, criteria, forms, …"
    )
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    filed_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=100, blank=True, help_text="the body that decided")
    reference = models.CharField(max_length=60, blank=True)
    conditions = models.TextField(blank=True)
    decision = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["request", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["request", "number"], name="game_test_number_is_unique"),
        ]

    def __str__(self) -> str:
        return f"test {self.number} of {self.request_id}"


class TestRules(models.Model):
    """One version of the rules during a test. They may be changed while it runs."""

    __test__ = False  # the test of a new game, not a unit test

    test = models.ForeignKey(GameTest, models.PROTECT, related_name="rules")
    version = models.PositiveIntegerField()
    text = models.TextField()
    why = models.CharField(max_length=200, blank=True)
    in_force_from = models.DateTimeField()

    class Meta:
        ordering = ["test", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["test", "version"], name="test_rules_version_is_unique"),
        ]

    def __str__(self) -> str:
        return f"rules v{self.version} of test {self.test_id}"


class TestRun(models.Model):
    """A new game was dealt at a table of its test. Its moments decide which rules applied."""

    __test__ = False

    test = models.ForeignKey(GameTest, models.PROTECT, related_name="runs")
    casino = models.CharField(max_length=100)
    table = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["test", "-started_at", "-pk"]

    def __str__(self) -> str:
        return f"run at {self.table} of test {self.test_id}"


class FurtherRequest(models.Model):
    """A further question of a body, and when it was answered."""

    request = models.ForeignKey(GameRequest, models.PROTECT, related_name="further")
    asked_on = models.DateField()
    body = models.CharField(max_length=100, help_text="who asked")
    what = models.CharField(max_length=200)
    answered_on = models.DateField(null=True, blank=True)
    document = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["asked_on", "pk"]

    def __str__(self) -> str:
        return self.what
