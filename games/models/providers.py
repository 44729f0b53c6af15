"""Gaming related gaming service providers, 58 Pa. Code Chapter 528. Ownership is in basis points."""

from typing import Literal

from django.db import models
from django.db.models import Q

from games.models.facility import Facility

QualifierKind = Literal["individual", "entity"]
CredentialKind = Literal["temporary", "permanent"]
ApplicationKind = Literal["certification", "renewal"]
NoteKind = Literal["information", "ownership", "cooperation", "condition", "change", "violation"]
HUNDRED_PERCENT_BP = 10_000  # basis points


class Provider(models.Model):
    """A provider, as this certificate holder deals with it."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="providers")
    code = models.CharField(max_length=20, help_text="for instance SP-0001")
    name = models.CharField(max_length=100)
    innovation = models.CharField(max_length=200, help_text="what it supplies (§ 528.1(1))")
    game = models.CharField(max_length=60, help_text="the table game that the innovation is for")
    patent = models.CharField(max_length=100, help_text="number, or the pending application (§ 528.1(2))")
    no_other_license = models.BooleanField(help_text="needs no other license (§ 528.1(3))")
    investigated_on = models.DateField(null=True, blank=True, help_text="§ 528.9(a)")
    investigation = models.ForeignKey(
        "games.Document", models.PROTECT, null=True, blank=True, related_name="+"
    )
    adverse = models.CharField(max_length=200, blank=True, help_text="an adverse finding (§ 528.9(b))")
    listed_on = models.DateField(null=True, blank=True, help_text="on the Board's list (§ 528.6)")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="provider_code_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


class Qualifier(models.Model):
    """A person or an entity who may have to be found qualified (§ 528.3)."""

    class Kind(models.TextChoices):
        INDIVIDUAL = "individual", "individual"
        ENTITY = "entity", "entity"

    provider = models.ForeignKey(Provider, models.PROTECT, related_name="qualifiers")
    kind: "models.CharField[QualifierKind | Kind, QualifierKind]" = models.CharField(
        max_length=12, choices=Kind
    )
    name = models.CharField(max_length=100)
    title = models.CharField(max_length=100, blank=True)
    officer = models.BooleanField(default=False, help_text="officer, or does the equivalent job")
    director = models.BooleanField(default=False)
    salesperson = models.BooleanField(default=False)
    owns_bp = models.PositiveIntegerField(
        default=0, help_text="direct and indirect, in hundredths of a percent"
    )
    votes_bp = models.PositiveIntegerField(default=0, help_text="direct voting securities of an entity")
    named_by_board = models.CharField(max_length=200, blank=True, help_text="why the Board called on them")
    form_filed_on = models.DateField(null=True, blank=True)
    qualified_on = models.DateField(null=True, blank=True)
    unqualified_on = models.DateField(null=True, blank=True)
    left_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["provider", "name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(owns_bp__lte=HUNDRED_PERCENT_BP, votes_bp__lte=HUNDRED_PERCENT_BP),
                name="nobody_owns_more_than_all",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Credential(models.Model):
    """A temporary or permanent credential of an individual (§ 528.3(d) and (e))."""

    class Kind(models.TextChoices):
        TEMPORARY = "temporary", "temporary"
        PERMANENT = "permanent", "permanent"

    qualifier = models.ForeignKey(Qualifier, models.PROTECT, related_name="credentials")
    kind: "models.CharField[CredentialKind | Kind, CredentialKind]" = models.CharField(
        max_length=10, choices=Kind
    )
    need = models.CharField(max_length=200, blank=True, help_text="why they are needed in the facility")
    number = models.CharField(max_length=60)
    issued_on = models.DateField()
    ended_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["qualifier", "-issued_on"]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


class Application(models.Model):
    """An application for certification or its renewal, with its parts, fees and costs (§§ 528.2 and 528.4)."""

    class Kind(models.TextChoices):
        FIRST = "certification", "certification"
        RENEWAL = "renewal", "renewal"

    provider = models.ForeignKey(Provider, models.PROTECT, related_name="applications")
    kind: "models.CharField[ApplicationKind | Kind, ApplicationKind]" = models.CharField(
        max_length=14, choices=Kind
    )
    completed_by = models.CharField(max_length=100, help_text="the provider's own hand")
    parts = models.JSONField(
        default=dict, help_text="form, copy, releases, statement, general: true or a document"
    )
    fee_cents = models.BigIntegerField(default=0)
    fee_paid_on = models.DateField(null=True, blank=True)
    costs_cents = models.BigIntegerField(default=0)
    costs_paid_cents = models.BigIntegerField(default=0)
    filed_at = models.DateTimeField(null=True, blank=True)
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decided_on = models.DateField(null=True, blank=True)
    granted = models.BooleanField(null=True)
    ends_on = models.DateField(
        null=True, blank=True, help_text="the first day without it: approval plus 4 years"
    )
    decision = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["provider", "-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.provider_id}"


class InterimPermission(models.Model):
    """Permission to trade before certification, and its rescission with a date to cease by (§ 528.8)."""

    provider = models.ForeignKey(Provider, models.PROTECT, related_name="permissions")
    diligence = models.ForeignKey("games.Document", models.PROTECT, related_name="+")
    acknowledgement = models.ForeignKey("games.Document", models.PROTECT, related_name="+")
    granted_on = models.DateField()
    reference = models.CharField(max_length=60)
    rescinded_on = models.DateField(null=True, blank=True, help_text="date of the notice")
    received_on = models.DateField(null=True, blank=True, help_text="by registered mail")
    cease_on = models.DateField(null=True, blank=True, help_text="the first gaming day without it")
    notice = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["provider", "-granted_on", "-pk"]

    def __str__(self) -> str:
        return self.reference


class Service(models.Model):
    """A service that a provider supplies: a whole game, or some of its wagers. Dealt only under § 528.7."""

    provider = models.ForeignKey(Provider, models.PROTECT, related_name="services")
    code = models.CharField(max_length=20)
    name = models.CharField(max_length=100)
    game = models.CharField(max_length=30)
    wagers = models.JSONField(default=list, help_text="codes or families; empty: the whole game")
    lab_submitted_on = models.DateField(null=True, blank=True)
    lab_approved_on = models.DateField(null=True, blank=True)
    lab_reference = models.CharField(max_length=60, blank=True)
    costs_cents = models.BigIntegerField(default=0)
    costs_paid_on = models.DateField(null=True, blank=True)
    request = models.ForeignKey(
        "games.GameRequest", models.PROTECT, null=True, blank=True, related_name="services"
    )
    ended_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["provider", "code"]
        constraints = [
            models.UniqueConstraint(fields=["provider", "code"], name="service_code_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


class ProviderNote(models.Model):
    """A note on a provider's file: a request and its answer, cooperation, a condition, a change, a violation."""

    class Kind(models.TextChoices):
        INFORMATION = "information", "information asked for"
        OWNERSHIP = "ownership", "ownership asked for"
        COOPERATION = "cooperation", "cooperation"
        CONDITION = "condition", "condition or order of the Board"
        CHANGE = "change", "changed circumstances"
        VIOLATION = "violation", "violation told to the Board"

    provider = models.ForeignKey(Provider, models.PROTECT, related_name="notes")
    kind: "models.CharField[NoteKind | Kind, NoteKind]" = models.CharField(max_length=12, choices=Kind)
    on = models.DateField()
    text = models.CharField(max_length=400)
    due_on = models.DateField(null=True, blank=True)
    done_on = models.DateField(null=True, blank=True, help_text="answered, met, or told to the Board")
    document = models.ForeignKey("games.Document", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["provider", "-on", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} on {self.on}"
