"""Pits and tables, and what each table has: limits, approved equipment, inspections; the ticker's status.

A table's row holds what every act and screen reads of it. Its limits change by `LimitsChange` (§ 521.8(c)), its
equipment is approved by an `Approval`, and a floorperson inspects it (`Inspection`) before it opens or after a repair.
"""

import datetime as dt
import uuid
from typing import Literal, Self

from django.db import models
from django.db.models import F, Q

from games.snapshot_types import EquipmentKind

FailedEquipment = EquipmentKind | Literal[""]
PLAN_ROWS, PLAN_COLUMNS = 2, 40  # places for tables in a pit, on the floor plan
FLOOR_ROWS, FLOOR_ITEMS = 20, 120  # at most, of pits and landmarks on it
LANDMARK_LENGTH = 24  # characters


class Pit(models.Model):
    """A group of tables under one pit manager."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="pits")
    code = models.SlugField(max_length=20)
    name = models.CharField(max_length=60)
    places = models.JSONField(
        default=dict,
        blank=True,
        help_text="place of a table on the floor plan by its code, [row, column]; others follow in order",
    )

    class Meta:
        ordering = ["facility", "code"]
        constraints = [models.UniqueConstraint(fields=["facility", "code"], name="pit_code_is_unique")]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    """A gaming table. Every act at it locks this row; the sequence number of its audit stream is its version."""

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
        max_length=20, help_text="code of the rules submission dealt here, without its version"
    )
    min_cents = models.BigIntegerField()
    max_cents = models.BigIntegerField()
    recorded_rules_key = models.CharField(
        max_length=200,
        blank=True,
        help_text="key of the rules and suspended wagers last recorded for this table",
    )
    acknowledged_terms = models.CharField(
        max_length=60,
        blank=True,
        help_text="submission, version and terms under which the floor last let a round begin",
    )
    recorded_sign_ids = models.CharField(
        max_length=120, blank=True, help_text="ids of the sign forms last recorded for this table"
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.CLOSED)
    ceased_what: "models.CharField[FailedEquipment, FailedEquipment]" = models.CharField(
        max_length=20, blank=True
    )
    ceased_section = models.CharField(max_length=60, blank=True)
    ceased_since = models.DateTimeField(null=True, blank=True)
    repaired_at = models.DateTimeField(
        null=True, blank=True, help_text="when the failed equipment was repaired; its inspection is still due"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    dealer = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    dealer_since = models.DateTimeField(null=True, blank=True)
    dealer_left = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    stickperson = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    dealer_left_since = models.DateTimeField(null=True, blank=True)
    stickperson_since = models.DateTimeField(null=True, blank=True)
    # Since when the person at each post has worked at tables without a break (tables.staffing.dealers).
    dealer_works_since = models.DateTimeField(null=True, blank=True)
    dealer_left_works_since = models.DateTimeField(null=True, blank=True)
    stickperson_works_since = models.DateTimeField(null=True, blank=True)
    floorperson = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    seated = models.JSONField(
        default=list, help_text="seats that are taken, with a wager or without (tables.core.seats)"
    )
    seat_marks = models.JSONField(
        default=dict, help_text="of taken seats whose player is away or has left (tables.core.seats)"
    )
    rated_seats = models.JSONField(
        default=dict, help_text="codes of the players who are rated, by seat (tables.players.ratings)"
    )
    refused_seats = models.JSONField(
        default=list, help_text="seats where no wager is accepted (tables.players.ratings)"
    )
    # Carried over from the last round to the next at games with a Quarterback.
    quarterback = models.PositiveSmallIntegerField(null=True, blank=True)
    offered = models.PositiveSmallIntegerField(null=True, blank=True)
    last_round = models.PositiveIntegerField(default=0)
    last_slip = models.PositiveIntegerField(
        default=0, help_text="number of the newest Error Notification Slip"
    )
    halted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when the record was found rolled back; no acts until two people declare it",
    )

    # The chips of an open inventory (tables.models.money), so that an act and a screen read them with the table.
    tray_cents = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="exact value of the chips in the tray, without the round in play; null without an inventory",
    )
    tray_taken_cents = models.BigIntegerField(default=0, help_text="taken by ended rounds since the opener")
    tray_paid_cents = models.BigIntegerField(default=0, help_text="paid by ended rounds since the opener")
    tray_corrected_cents = models.BigIntegerField(
        default=0, help_text="what slips changed in the tray since the opener; negative where they paid"
    )
    closer_signed_at = models.DateTimeField(
        null=True, blank=True, help_text="when the closer was signed; no round begins until the next opener"
    )

    # Acts declare what they depend on; this is the sequence number at which it last changed. Rounds have their own.
    status_seq = models.BigIntegerField(
        default=0, help_text="last change of status or equipment, or end of a round"
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


# Limits


class LimitsChange(models.Model):
    """One change of limits: requested, then in effect or canceled; posted and announced first if anybody plays.

    `effective_at` is set once the sign is posted and the change announced: 30 minutes after the later of the two
    (A05). The change applies from the first round that begins after that moment; `took_effect_at` is when it did.
    """

    class Status(models.TextChoices):
        PENDING = "pending", "announced for later"
        DONE = "done", "in effect"
        CANCELLED = "cancelled", "cancelled"

    table = models.ForeignKey(Table, models.PROTECT, related_name="limits_changes")
    number = models.PositiveIntegerField()
    was_min_cents = models.BigIntegerField()
    was_max_cents = models.BigIntegerField()
    min_cents = models.BigIntegerField()
    max_cents = models.BigIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    nobody_played = models.BooleanField(default=False, help_text="§ 521.8(c)(1): in effect at once")
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    posted_at = models.DateTimeField(null=True, blank=True, help_text="when the sign was posted at the table")
    announced_at = models.DateTimeField(null=True, blank=True)
    announced_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    effective_at = models.DateTimeField(null=True, blank=True)
    took_effect_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="limits_change_number_is_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(status="pending"), name="one_limits_change_is_pending"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "done", "cancelled"]),
                name="limits_change_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(min_cents__gt=0) & Q(max_cents__gte=F("min_cents")),
                name="limits_change_has_a_minimum_and_a_maximum",
            ),
        ]

    def __str__(self) -> str:
        return f"limits change {self.number}"


class SignDisplay(models.Model):
    """What an electronic sign of limits said last that it shows: the limits in effect, and the change to come."""

    device = models.OneToOneField("audit.Device", models.PROTECT, primary_key=True, related_name="+")
    table = models.ForeignKey(Table, models.PROTECT, related_name="sign_displays")
    min_cents = models.BigIntegerField()
    max_cents = models.BigIntegerField()
    change = models.PositiveIntegerField(
        default=0, help_text="number of the pending change that it shows; 0 for none"
    )
    shown_at = models.DateTimeField()

    class Meta:
        ordering = ["table", "device"]

    def __str__(self) -> str:
        return f"{self.device_id} at {self.table_id}"


# Approvals of layouts, devices, shakers and locations


class ApprovalSet(models.QuerySet["Approval"]):
    """Approvals on file, by date."""

    def in_effect(self, day: dt.date) -> Self:
        """Return approvals in effect on a day of the facility's calendar: granted, not ended, not withdrawn."""
        not_ended = Q(ends_on=None) | Q(ends_on__gt=day)
        return self.filter(not_ended, withdrawn_at=None, approved_on__lte=day)


class Approval(models.Model):
    """One approval on file: of a table's equipment, or of one shaker at any table."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="approvals")
    table = models.ForeignKey(Table, models.PROTECT, null=True, blank=True, related_name="approvals")
    shaker = models.ForeignKey(
        "tables.Shaker", models.PROTECT, null=True, blank=True, related_name="approvals"
    )
    subject = models.CharField(max_length=30, help_text="as the edition names it: layout, device, shaker, …")
    body = models.CharField(max_length=60)
    reference = models.CharField(max_length=60)
    approved_on = models.DateField()
    ends_on = models.DateField(
        null=True, blank=True, help_text="the first day on which it is no longer in effect"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    lines = models.JSONField(default=list, help_text="lines of the edition that were confirmed")
    prints = models.JSONField(default=list, help_text="printed on a layout: odds, payout-limit")
    version = models.CharField(max_length=40, blank=True, help_text="software version of a device")
    further_versions = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="further software versions that it approves",
    )

    letter = models.ForeignKey(
        "games.Document",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the document that says it, if it is on file",
    )

    objects = ApprovalSet.as_manager()

    class Meta:
        ordering = ["facility", "subject", "-approved_on", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(table__isnull=False, shaker=None) | Q(table=None, shaker__isnull=False),
                name="approval_is_of_a_table_or_a_shaker",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.reference}"

    @property
    def versions(self) -> list[str]:
        """Every software version that it approves."""
        return [self.version, *self.further_versions] if self.version else []


# Inspections


class Inspection(models.Model):
    """One inspection: lights checked with dice, an automated shaker tested, and lines confirmed."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="inspections")
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


# The ticker


class TickerStatus(models.Model):
    """The ticker's last report, in a single row (1). It is not part of the record and is overwritten.

    `beat_at` is when it last ticked, to five seconds. `failing` has the names of its checks that fail, sorted.
    `machines` is what each ticker found on its machine (tables/machines.py), by the machine's name.
    """

    beat_at = models.DateTimeField()
    failing = models.JSONField(default=list)
    machines = models.JSONField(default=dict)

    class Meta:
        verbose_name = "ticker's status"
        verbose_name_plural = "ticker's status"

    def __str__(self) -> str:
        return ", ".join(self.failing) or "ticking"
