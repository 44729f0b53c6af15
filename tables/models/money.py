"""Chips and cash at a table: its inventories, the transfers between table and cage, the drop boxes, discrepancies.

Counts are by denomination: {chip cents as text: number}, as JSON has only text keys. Money is integer cents.
"""

from django.db import models
from django.db.models import Q


class TableInventory(models.Model):
    """The chips of one table from an opener to its closer. While it is open, the table's row has the running figures.

    `Table.tray_cents` is exact at every moment between rounds: opener + fills − credits − sold + taken − paid +
    corrected. Taken, paid and corrected are copied here when the closer is signed.
    """

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="inventories")
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    gaming_day = models.DateField(help_text="gaming day of its opener")
    opened_seq = models.BigIntegerField(help_text="number of the entry of its opener")
    rounds_before = models.PositiveIntegerField(help_text="number of the table's last round at the opener")
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    opened_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    opener_chips = models.JSONField(default=dict)
    opener_cents = models.BigIntegerField()
    fills_cents = models.BigIntegerField(default=0)
    credits_cents = models.BigIntegerField(default=0)
    sold_cents = models.BigIntegerField(
        default=0, help_text="chips sold for cash, which is in the drop boxes"
    )
    counted_chips = models.JSONField(default=dict, help_text="the newest count by denomination")
    counted_cents = models.BigIntegerField()
    counted_at = models.DateTimeField()
    counted_exact_cents = models.BigIntegerField(help_text="the exact value at the newest count")
    taken_cents = models.BigIntegerField(default=0, help_text="set with the closer")
    paid_cents = models.BigIntegerField(default=0, help_text="set with the closer")
    corrected_cents = models.BigIntegerField(default=0, help_text="set with the closer")
    closer_chips = models.JSONField(default=dict)
    closer_cents = models.BigIntegerField(null=True, blank=True)
    closed_seq = models.BigIntegerField(null=True, blank=True, help_text="number of the entry of its closer")
    last_round = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of the table's last round at the closer"
    )
    closed_at = models.DateTimeField(null=True, blank=True, help_text="when the closer was signed")
    closed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    closed_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="inventory_number_is_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(closed_at=None), name="one_open_inventory_a_table"
            ),
            models.CheckConstraint(
                condition=Q(opener_cents__gte=0, fills_cents__gte=0, credits_cents__gte=0, sold_cents__gte=0),
                name="inventory_is_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} inventory {self.number}"


class SlipNumbers(models.Model):
    """The last slip number of each kind at a facility. Its row is locked while one is given, so none is missing."""

    facility = models.OneToOneField("games.Facility", models.PROTECT, related_name="slip_numbers")
    fill = models.PositiveIntegerField(default=0)
    credit = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "slip numbers"

    def __str__(self) -> str:
        return f"{self.facility_id}: F-{self.fill:04}, C-{self.credit:04}"


class ChipTransfer(models.Model):
    """A fill (cage to table) or a credit (table to cage): requested, prepared, handed over, received, or void.

    `number` counts the requests of a table. The cage gives the slip number when it prepares the transfer; a voided
    slip keeps its number. A fill is in the tray once it is received; a credit has left it once it is handed over.
    `carrier` is the security officer, who signs for a credit before its chips leave the tray. A request that is
    canceled before it is prepared has no slip.
    """

    class Kind(models.TextChoices):
        FILL = "fill", "fill"
        CREDIT = "credit", "credit"

    class Status(models.TextChoices):
        REQUESTED = "requested", "requested"
        PREPARING = "preparing", "preparing"
        ON_THE_WAY = "on-the-way", "on the way"
        RECEIVED = "received", "received"
        VOID = "void", "void"
        CANCELED = "canceled", "canceled"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="chip_transfers")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="chip_transfers")
    inventory = models.ForeignKey(TableInventory, models.PROTECT, related_name="transfers")
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    kind = models.CharField(max_length=6, choices=Kind)
    slip_number = models.PositiveIntegerField(null=True, blank=True, help_text="from 1 for each kind")
    status = models.CharField(max_length=10, choices=Status, default=Status.REQUESTED)
    chips = models.JSONField(default=dict)
    cents = models.BigIntegerField()
    gaming_day = models.DateField(help_text="gaming day of the request")
    requested_at = models.DateTimeField()
    requested_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField(null=True, blank=True)
    prepared_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    handed_at = models.DateTimeField(null=True, blank=True)
    handed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    handed_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    carrier = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    carrier_signed_at = models.DateTimeField(
        null=True, blank=True, help_text="of a credit; the carrier of a fill signs its hand-over"
    )
    refused_counts = models.PositiveIntegerField(default=0, help_text="counts of its chips that were refused")
    received_at = models.DateTimeField(null=True, blank=True)
    received_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    received_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True, help_text="when it was voided or canceled")
    ended_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    ended_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True, help_text="why it was voided or canceled")

    class Meta:
        ordering = ["facility", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="transfer_number_is_unique"),
            models.UniqueConstraint(
                fields=["facility", "kind", "slip_number"], name="transfer_slip_number_is_unique"
            ),
            models.CheckConstraint(condition=Q(kind__in=["fill", "credit"]), name="transfer_kind_is_known"),
            models.CheckConstraint(
                condition=Q(
                    status__in=["requested", "preparing", "on-the-way", "received", "void", "canceled"]
                ),
                name="transfer_status_is_known",
            ),
            models.CheckConstraint(condition=Q(cents__gt=0), name="transfer_is_positive"),
        ]
        indexes = [
            models.Index(
                fields=["facility"],
                condition=Q(status__in=["requested", "preparing", "on-the-way"]),
                name="transfer_under_way",
            ),
            models.Index(fields=["facility", "gaming_day"], name="transfer_by_gaming_day"),
        ]

    def __str__(self) -> str:
        return self.slip or f"{self.table_id} transfer {self.number}"

    @property
    def slip(self) -> str:
        """The slip number, such as F-0131 or C-0047; empty before the cage has given it."""
        return slip_of(self.kind, self.slip_number)


def slip_of(kind: str, slip_number: int | None) -> str:
    """Return the name of a slip, such as F-0131 or C-0047; empty before the cage has given its number."""
    if slip_number is None:
        return ""
    return f"{'F' if kind == ChipTransfer.Kind.FILL else 'C'}-{slip_number:04}"


class DropBox(models.Model):
    """One drop box at a table: put on, taken off, counted. It belongs to one inventory.

    `sold_cents` is the cash that the record says is in it; `counted_cents` is the count room's figure.
    """

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="drop_boxes")
    inventory = models.ForeignKey(TableInventory, models.PROTECT, related_name="drop_boxes")
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    box = models.CharField(max_length=20, help_text="what is written on the box")
    sold_cents = models.BigIntegerField(default=0)
    put_on_at = models.DateTimeField()
    put_on_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    put_on_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    taken_off_at = models.DateTimeField(null=True, blank=True)
    taken_off_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    taken_off_with = models.ForeignKey(
        "audit.Person", models.PROTECT, null=True, blank=True, related_name="+"
    )
    counted_at = models.DateTimeField(null=True, blank=True)
    counted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    counted_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    counted_cents = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["table", "-number"]
        verbose_name_plural = "drop boxes"
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="drop_box_number_is_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(taken_off_at=None), name="one_drop_box_a_table"
            ),
        ]

    def __str__(self) -> str:
        return self.box


class ChipSale(models.Model):
    """Chips that the table sold for cash, which went into the drop box."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="chip_sales")
    inventory = models.ForeignKey(TableInventory, models.PROTECT, related_name="sales")
    drop_box = models.ForeignKey(DropBox, models.PROTECT, related_name="sales")
    gaming_day = models.DateField()
    seq = models.BigIntegerField(help_text="number of its entry")
    sold_at = models.DateTimeField()
    sold_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    cents = models.BigIntegerField()
    chips = models.JSONField(default=dict, help_text="empty where the denominations were not entered")

    class Meta:
        ordering = ["table", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "seq"], name="chip_sale_entry_is_unique"),
            models.CheckConstraint(condition=Q(cents__gt=0), name="chip_sale_is_positive"),
        ]
        indexes = [models.Index(fields=["table", "gaming_day"], name="chip_sale_by_gaming_day")]

    def __str__(self) -> str:
        return f"{self.table_id} sale {self.cents}"


class TrayPar(models.Model):
    """What the tray of a table should hold, by denomination: a house figure."""

    table = models.OneToOneField("tables.Table", models.PROTECT, related_name="par")
    chips = models.JSONField(default=dict)
    set_at = models.DateTimeField()
    set_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"par of {self.table_id}"


class ChipDiscrepancy(models.Model):
    """A count that differs from what the record says. Nothing is adjusted by it.

    `expected_chips` is empty where only the value is known: between counts, equal exchanges change the denominations.
    """

    class Kind(models.TextChoices):
        OPENER = "opener", "opener"
        COUNT = "count", "count of the tray"
        TRANSFER = "transfer", "fill or credit"
        DROP = "drop", "drop box"
        CLOSER = "closer", "closer"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="chip_discrepancies")
    inventory = models.ForeignKey(TableInventory, models.PROTECT, related_name="discrepancies")
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    gaming_day = models.DateField()
    kind = models.CharField(max_length=8, choices=Kind)
    transfer = models.ForeignKey(
        ChipTransfer, models.PROTECT, null=True, blank=True, related_name="discrepancies"
    )
    drop_box = models.ForeignKey(DropBox, models.PROTECT, null=True, blank=True, related_name="discrepancies")
    expected_chips = models.JSONField(default=dict)
    expected_cents = models.BigIntegerField()
    counted_chips = models.JSONField(default=dict)
    counted_cents = models.BigIntegerField()
    note = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField()
    recorded_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    recorded_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["table", "-number"]
        verbose_name_plural = "chip discrepancies"
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="discrepancy_number_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["opener", "count", "transfer", "drop", "closer"]),
                name="discrepancy_kind_is_known",
            ),
        ]
        indexes = [models.Index(fields=["gaming_day"], name="discrepancy_by_gaming_day")]

    def __str__(self) -> str:
        return f"{self.table_id} discrepancy {self.number}"

    @property
    def difference_cents(self) -> int:
        """What was counted, less what was expected: negative where chips or cash are missing."""
        return self.counted_cents - self.expected_cents
