"""Pits and tables."""

import uuid

from django.db import models
from django.db.models import F, Q


class Pit(models.Model):
    """A group of tables under one pit manager."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="pits")
    code = models.SlugField(max_length=20)
    name = models.CharField(max_length=60)

    class Meta:
        ordering = ["facility", "code"]
        constraints = [models.UniqueConstraint(fields=["facility", "code"], name="pit_code_is_unique")]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    """A gaming table. Its row is the lock of every act at it; its audit stream's number is its version."""

    class Kind(models.TextChoices):
        LIVE = "live", "live"
        TRAINING = "training", "training"
        SIMULATED = "simulated", "simulated"

    class Status(models.TextChoices):
        CLOSED = "closed", "closed"
        OPEN = "open", "open"
        CEASED = "ceased", "gaming ceased"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="tables")
    pit = models.ForeignKey(Pit, models.PROTECT, related_name="tables")
    stream = models.OneToOneField("audit.Stream", models.PROTECT, related_name="+")
    code = models.CharField(max_length=20)
    game = models.CharField(max_length=30)
    kind = models.CharField(max_length=10, choices=Kind)
    seats = models.PositiveSmallIntegerField()
    submission_code = models.CharField(
        max_length=20, help_text="the rules submission dealt here, whatever its version"
    )
    min_cents = models.BigIntegerField()
    max_cents = models.BigIntegerField()
    told_rules = models.CharField(
        max_length=200,
        blank=True,
        help_text="the rules and stopped wagers that the record last told of here",
    )
    told_signs = models.CharField(
        max_length=120, blank=True, help_text="keys of the forms of signs that the record last told of here"
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.CLOSED)
    ceased_what = models.CharField(max_length=20, blank=True)
    ceased_section = models.CharField(max_length=60, blank=True)
    ceased_since = models.DateTimeField(null=True, blank=True)
    repaired_at = models.DateTimeField(
        null=True, blank=True, help_text="what failed is repaired, and waits for its inspection"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    dealer = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    dealer_since = models.DateTimeField(null=True, blank=True)
    dealer_left = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    stickperson = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    floorperson = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    seated = models.JSONField(default=list, help_text="seats with a player, where only seated players wager")
    # What the last round of a game with a Quarterback leaves to the next one
    quarterback = models.PositiveSmallIntegerField(null=True, blank=True)
    offered = models.PositiveSmallIntegerField(null=True, blank=True)
    last_round = models.PositiveIntegerField(default=0)
    last_slip = models.PositiveIntegerField(
        default=0, help_text="the newest Error Notification Slip's number"
    )
    halted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="a screen had seen a record that is not there any more: no act until it is declared",
    )

    # What an act may depend on, as the stream number at which it last changed; a live round keeps its own.
    status_seq = models.BigIntegerField(
        default=0, help_text="status, equipment, or the end of the last round"
    )

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="table_code_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["live", "training", "simulated"]), name="table_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["closed", "open", "ceased"]), name="table_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(min_cents__gt=0) & Q(max_cents__gte=F("min_cents")),
                name="table_has_a_minimum_and_a_maximum",
            ),
            models.CheckConstraint(condition=Q(seats__gt=0), name="table_has_seats"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def place(self) -> str:
        """The name of this table's audit stream, `facility/table`."""
        return self.stream.name
