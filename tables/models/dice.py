"""Shakers, dice lots with the custody steps from receipt to destruction, and what the dice watch counts of them.

The dice room measures, counts and stores lots; a placed lot is in a shaker. The dice watch counts faces and totals of
lots and shakers, and keeps the evidence against fair dice (`games/dice_watch.py`).
"""

from typing import ClassVar, NotRequired, TypedDict

from django.db import models
from django.db.models import F, Q

from audit.rows import CompiledRead
from games.dice_watch import DiceTally, alarm_line
from games.snapshot_types import ShakerKind


class Shaker(models.Model):
    """A device that shakes the dice. `Approval` holds its approvals."""

    class Kind(models.TextChoices):
        MANUAL = "manual", "manual shaker"
        AUTOMATED_COVERED = "automated-covered", "automated shaker with a cover"
        AUTOMATED_UNCOVERED = "automated-uncovered", "automated shaker without a cover"
        PLAYER_ACTIVATED = "player-activated", "player-activated shaker"
        DICE_CUP = "dice-cup", "dice cup"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="shakers")
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, blank=True, related_name="shakers")
    code = models.CharField(max_length=20)
    kind: "models.CharField[str, ShakerKind]" = models.CharField(max_length=20, choices=Kind)
    out_of_order = models.BooleanField(default=False)
    secured = models.BooleanField(
        default=True,
        help_text="locked away, or locked to the table; false while its table is open",
    )

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="shaker_code_is_unique"),
            models.UniqueConstraint(
                fields=["table"],
                condition=Q(out_of_order=False, table__isnull=False),
                name="one_working_shaker_a_table",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "manual",
                        "automated-covered",
                        "automated-uncovered",
                        "player-activated",
                        "dice-cup",
                    ]
                ),
                name="shaker_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class DiceLotManager(models.Manager["DiceLot"]):
    """Read dice lots by where they are."""

    def in_use_at(self, table_id: int) -> "DiceLot | None":
        """Return the dice in the working shaker at a table, with that shaker."""
        return LOT_IN_USE.first(table_id)


class DiceLot(models.Model):
    """Dice that are received, used and destroyed together: a sleeve or a set.

    Their time limit starts when they are placed in a shaker and never restarts.
    """

    class Status(models.TextChoices):
        RECEIVED = "received", "received"
        REJECTED = "rejected", "rejected"
        STORED = "stored", "in storage"
        ISSUED = "issued", "issued"
        PLACED = "placed", "in use"
        REMOVED = "removed", "removed"
        DESTROYED = "destroyed", "cancelled or destroyed"

    class Colors(models.TextChoices):
        ALIKE = "alike", "all alike"
        GREEN_AND_RED = "green-red", "four green and two red"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="dice_lots")
    code = models.CharField(max_length=20)
    status = models.CharField(max_length=10, choices=Status, default=Status.RECEIVED)
    dice = models.PositiveSmallIntegerField(default=3)
    size_um = models.PositiveIntegerField(default=19_050, help_text="nominal side of a die, in micrometers")
    colors = models.CharField(max_length=10, choices=Colors, default=Colors.ALIKE)
    attested = models.BooleanField(
        default=False, help_text="attested to the requirements of § 603a.12 for its game"
    )
    maker = models.CharField(max_length=60, blank=True)
    serial = models.CharField(max_length=40, blank=True)
    seal_intact = models.BooleanField(
        null=True,
        blank=True,
        help_text="whether the seal of its box was intact on receipt; null: no entry says",
    )
    training = models.BooleanField(default=False, help_text="for training tables only")
    compartment = models.CharField(max_length=40, blank=True, help_text="where it is stored, under two locks")
    table = models.ForeignKey(
        "tables.Table",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the table it was issued to",
    )
    shaker = models.ForeignKey(Shaker, models.PROTECT, null=True, blank=True, related_name="lots")
    seal = models.CharField(max_length=40, blank=True, help_text="seal or lock put on the shaker")
    placed_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    clock_section = models.CharField(max_length=60, blank=True)
    warned = models.PositiveSmallIntegerField(
        default=0, help_text="last warning raised: 1 an hour, 2 ten minutes, 3 one minute before; 4 expired"
    )
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_why = models.CharField(max_length=20, blank=True)
    to_destroy_since = models.DateTimeField(
        null=True, blank=True, help_text="since when it is rejected or out of play"
    )
    examined_at = models.DateTimeField(null=True, blank=True, help_text="the last end-of-day inspection")
    tampered = models.BooleanField(default=False)

    objects: ClassVar[DiceLotManager] = DiceLotManager()

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="dice_lot_code_is_unique"),
            models.UniqueConstraint(
                fields=["shaker"], condition=Q(status="placed"), name="one_lot_in_a_shaker"
            ),
            models.CheckConstraint(
                condition=Q(placed_at=None, expires_at=None)
                | Q(placed_at__isnull=False, expires_at__isnull=False),
                name="placed_dice_have_a_clock",
            ),
            models.CheckConstraint(
                condition=~Q(status="placed")
                | Q(shaker__isnull=False, placed_at__isnull=False, removed_at=None),
                name="dice_in_use_are_in_a_shaker",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=["received", "rejected", "stored", "issued", "placed", "removed", "destroyed"]
                ),
                name="dice_lot_status_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["expires_at"], condition=Q(status="placed", warned__lt=4), name="dice_in_time"
            )
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def seal_broken(self) -> bool:
        """Whether an entry says that the seal of its box was broken on receipt."""
        return self.seal_intact is False


LOT_IN_USE = CompiledRead(
    lambda table: DiceLot.objects.filter(
        shaker__table=table, shaker__out_of_order=False, status=DiceLot.Status.PLACED
    ).select_related("shaker")[:1]
)


class LotStep(models.Model):
    """One entry of the record about a dice lot. In order, these are the lot's chain of custody."""

    lot = models.ForeignKey(DiceLot, models.PROTECT, related_name="steps", db_index=False)
    stream = models.ForeignKey("audit.Stream", models.PROTECT, related_name="+", db_index=False)
    seq = models.BigIntegerField(help_text="sequence number of the entry on its stream")

    class Meta:
        ordering = ["lot", "id"]
        constraints = [
            models.UniqueConstraint(fields=["lot", "stream", "seq"], name="step_is_told_once"),
            models.CheckConstraint(condition=Q(seq__gt=0), name="step_names_an_entry"),
        ]
        indexes = [models.Index(fields=["stream", "seq"], name="step_by_entry")]

    def __str__(self) -> str:
        return f"{self.lot_id} {self.stream_id}:{self.seq}"


class DiceMeasurement(models.Model):
    """Measurements of one die, in whole micrometers. One die out of tolerance rejects its lot."""

    lot = models.ForeignKey(DiceLot, models.PROTECT, related_name="measurements")
    die = models.PositiveSmallIntegerField(help_text="from 1")
    low_um = models.PositiveIntegerField(help_text="the smallest of its three sides")
    high_um = models.PositiveIntegerField(help_text="the largest of its three sides")
    balanced = models.BooleanField(help_text="by the balancing caliper")
    square = models.BooleanField(help_text="by the steel set square")
    unmarked = models.BooleanField(help_text="no marks on spots, edges and surfaces")
    good = models.BooleanField()

    class Meta:
        ordering = ["lot", "die"]
        constraints = [
            models.UniqueConstraint(fields=["lot", "die"], name="die_is_measured_once"),
            models.CheckConstraint(condition=Q(high_um__gte=F("low_um")), name="die_sides_are_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.lot_id} die {self.die}"


class Instrument(models.Model):
    """A measuring instrument of the dice room, with its newest calibration. The record has the earlier ones."""

    class Kind(models.TextChoices):
        MICROMETER = "micrometer", "micrometer"
        CALIPER = "caliper", "balancing caliper"
        SQUARE = "square", "steel set square"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="instruments")
    code = models.CharField(max_length=20)
    kind = models.CharField(max_length=12, choices=Kind)
    serial = models.CharField(max_length=40, blank=True)
    calibrated_on = models.DateField()
    calibration_ends_on = models.DateField(help_text="the last day on which it may be used")
    certificate = models.CharField(max_length=80, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_why = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["facility", "kind", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="instrument_code_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["micrometer", "caliper", "square"]), name="instrument_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(calibration_ends_on__gte=F("calibrated_on")),
                name="calibration_ends_after_it_begins",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class DiceCount(models.Model):
    """A physical count of the dice that are not at tables: lots by status, as counted and by the record."""

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="dice_counts")
    counted_at = models.DateTimeField()
    counted = models.JSONField()
    expected = models.JSONField()
    note = models.CharField(max_length=200, blank=True)
    counted_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    counted_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["facility", "-counted_at"]

    def __str__(self) -> str:
        return f"{self.facility_id} {self.counted_at}"


class OtherReading(TypedDict):
    """An earlier reading of the same throw, with other faces, in the order of its reader."""

    device: str
    number: int
    dice: list[int]


class PendingReading(TypedDict):
    """A reading of dice that nobody has called yet, as the round keeps it until they are called.

    `dice` in the order of the reader; `confidence` in percent; `read_at` a moment in UTC. `entered`: the dice that
    somebody entered, where they differ. `other`: an earlier reading of the same throw that had other faces.
    """

    device: str
    number: int
    dice: list[int]
    read_at: str
    confidence: int
    entered: NotRequired[list[int]]
    other: NotRequired[OtherReading]


class DiceReading(models.Model):
    """What a dice reader or an automated shaker read of one throw. It enters no dice by itself."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="readings")
    device = models.ForeignKey("audit.Device", models.PROTECT, related_name="+")
    number = models.BigIntegerField(help_text="the reader's own number of the reading; it never repeats one")
    dice = models.JSONField(help_text="faces, in the order of the reader")
    read_at = models.DateTimeField(help_text="when the dice were read, by the clock of the reader")
    received_at = models.DateTimeField()
    confidence = models.PositiveSmallIntegerField(help_text="in percent")
    firmware = models.CharField(max_length=40)
    round = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of the round; null without one"
    )
    throw = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="number of the throw in the round; null without one"
    )
    outcome = models.CharField(
        max_length=10,
        help_text="pending: the dealer calls; late, unapproved: for the record alone; automatic: it was the call",
    )

    class Meta:
        ordering = ["table", "received_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["device", "number"], name="reading_is_taken_once"),
            models.CheckConstraint(
                condition=Q(outcome__in=["pending", "late", "automatic", "unapproved"]),
                name="reading_outcome_is_known",
            ),
            models.CheckConstraint(condition=Q(confidence__lte=100), name="confidence_is_a_percentage"),
        ]

    def __str__(self) -> str:
        return f"{self.device_id} {self.number}"


# The dice watch


class CountedDice(models.Model):
    """Columns of a tally. `faces` are six counts for all dice, and for each color; `totals` counts by dice thrown."""

    rounds = models.PositiveIntegerField(default=0)
    throws = models.PositiveIntegerField(default=0)
    faces = models.JSONField(default=dict)
    totals = models.JSONField(default=dict)
    first_round = models.PositiveIntegerField(default=0)
    last_round = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def tally(self) -> DiceTally:
        """A copy of the counts."""
        return DiceTally(
            self.throws,
            {key: list(row) for key, row in self.faces.items()},
            {key: list(row) for key, row in self.totals.items()},
        )


class HourOfDice(CountedDice):
    """What was thrown with one lot in one shaker at one table within an hour. Recomputable from the throws."""

    lot = models.ForeignKey(DiceLot, models.PROTECT, related_name="hours")
    shaker = models.ForeignKey(Shaker, models.PROTECT, related_name="hours")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="dice_hours")
    gaming_day = models.DateField()
    hour = models.DateTimeField(
        help_text="when it began, in UTC; a round belongs to the hour in which it ended"
    )

    class Meta:
        ordering = ["lot", "hour"]
        constraints = [
            models.UniqueConstraint(
                fields=["lot", "shaker", "table", "gaming_day", "hour"], name="hour_of_dice_is_unique"
            )
        ]
        indexes = [models.Index(fields=["table", "gaming_day"], name="dice_by_table_and_day")]

    def __str__(self) -> str:
        return f"{self.lot_id} {self.hour}"


class WatchedDice(CountedDice):
    """A lot, or a shaker in one calendar year, with the evidence against fair dice after its newest counted round.

    `place` is its place among the lots and shakers of the facility that came into use in that year. It fixes the alarm
    line (`games/dice_watch.py`). Live and simulated tables have places of their own.
    """

    class Kind(models.TextChoices):
        LIVE = "live", "live"
        SIMULATED = "simulated", "simulated"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LIVE)
    year = models.PositiveSmallIntegerField()
    place = models.PositiveIntegerField(help_text="from 1 in each year")
    lot = models.ForeignKey(DiceLot, models.PROTECT, null=True, blank=True, related_name="+")
    shaker = models.ForeignKey(Shaker, models.PROTECT, related_name="+", help_text="the newest one of a lot")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="+", help_text="the newest one")
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    log_evidence = models.FloatField(default=0, help_text="natural logarithm; a statistic")
    highest = models.FloatField(default=0, help_text="the highest log_evidence after any round")
    found_at = models.DateTimeField(null=True, blank=True, help_text="when it first reached the alarm line")
    found_round = models.PositiveIntegerField(null=True, blank=True)
    found_rounds = models.PositiveIntegerField(null=True, blank=True, help_text="rounds that this took")
    found_log_evidence = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "year", "place"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "kind", "year", "place"], name="watched_dice_have_a_place"
            ),
            models.UniqueConstraint(
                fields=["lot"], condition=Q(lot__isnull=False), name="lot_is_watched_once"
            ),
            models.UniqueConstraint(
                fields=["shaker", "year"], condition=Q(lot=None), name="shaker_is_watched_once_a_year"
            ),
        ]
        indexes = [models.Index(fields=["found_at"], condition=Q(found_at__isnull=False), name="found_dice")]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The code of the lot, or of the shaker."""
        return self.lot.code if self.lot else self.shaker.code

    @property
    def alarm_line(self) -> int:
        """The evidence at which it is a finding."""
        return alarm_line(self.place)


class DiceCursor(models.Model):
    """The last round of a table that the dice watch has counted. Locked while its next rounds are counted."""

    table = models.OneToOneField("tables.Table", models.PROTECT, related_name="dice_cursor")
    last_round = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.table_id} {self.last_round}"
