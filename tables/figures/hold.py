"""Sold, drop and hold of a range, from the inventories and drop boxes of the tables (docs/figures.md).

The unit is an inventory, from its opener to its closer, on the gaming day of the opener. Its own row and those of its
drop boxes have the sums, which a full verification and `manage.py figures_rollup --check` compare with the entries.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import TruncHour, TruncMonth

from tables.figures.pit_history import PitMoves, pit_by_moment
from tables.figures.query import FiguresQuery
from tables.models import ChipSale, DropBox, Table, TableInventory
from tables.money.reconciliation import moved_in_void_rounds


@dataclass
class HoldSums:
    """Sums of inventories. `win_cents` is what the record says that their trays won; `drop_cents` of counted boxes.

    `void_cents` of that win were moved by throws of rounds that were then voided, which no other figure counts.
    """

    inventories: int = 0
    open_inventories: int = 0
    boxes: int = 0
    boxes_counted: int = 0
    sold_cents: int = 0
    drop_cents: int = 0
    win_cents: int = 0
    void_cents: int = 0

    def add(self, addend: "HoldSums") -> None:
        """Add the sums of other inventories."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(addend, name))

    @property
    def uncounted(self) -> int:
        """Drop boxes that the count room has not counted yet, those at the tables included."""
        return self.boxes - self.boxes_counted

    @property
    def is_counted(self) -> bool:
        """Whether the drop is known: each inventory has its closer, and each box its count."""
        return bool(self.inventories) and not self.open_inventories and not self.uncounted

    @property
    def counted_drop_cents(self) -> int | None:
        """The drop; None before everything is counted."""
        return self.drop_cents if self.is_counted else None

    @property
    def hold(self) -> Fraction | None:
        """Win over drop; None before everything is counted, and without a drop."""
        return Fraction(self.win_cents, self.drop_cents) if self.is_counted and self.drop_cents else None


@dataclass
class RangeHold:
    """The sums by table (id), by the pit in which it was (code), and by the gaming days or months of the page."""

    by_table: dict[int, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))
    by_pit: dict[str, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))
    by_period: dict[dt.date, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))

    @property
    def total(self) -> HoldSums:
        return sum_of_hold(self.by_table.values())


def sum_of_hold(parts: Iterable[HoldSums]) -> HoldSums:
    """Return the sums of several together."""
    total = HoldSums()
    for part in parts:
        total.add(part)
    return total


def read_hold(query: FiguresQuery, tables: Sequence[Table], moves: PitMoves) -> RangeHold:
    """Read the inventories of these tables that were opened in the range of a query, in at most four statements.

    An inventory belongs to the pit in which its table was dealt, and to no shift and no dealer, so a query with such a
    filter has none.
    """
    read = RangeHold()
    if query.shift or query.dealer:
        return read
    of_range = Q(gaming_day__range=(query.first, query.last), table__in=[table.pk for table in tables])
    by_month = query.period == "month"
    pit = pit_by_moment(tables, moves, table="table", moment="closed_at")
    inventories = TableInventory.objects.filter(of_range).annotate(pit=pit).order_by()
    if query.pit:
        inventories = inventories.filter(pit=query.pit)
    period = TruncMonth("gaming_day") if by_month else F("gaming_day")
    rows = inventories.annotate(period=period).values("table", "pit", "period")
    running = {table.pk: _running_win(table) for table in tables}
    for row in rows.annotate(
        count=Count("pk"),
        open_count=Count("pk", filter=Q(closed_at=None)),
        sold=Sum("sold_cents"),
        win=Sum(F("taken_cents") - F("paid_cents") + F("corrected_cents")),
    ):
        sums = HoldSums(
            inventories=row["count"],
            open_inventories=row["open_count"],
            sold_cents=row["sold"],
            win_cents=row["win"] + (running[row["table"]] if row["open_count"] else 0),
        )
        _add(read, row["table"], row["pit"], row["period"], sums)
    void_cents = moved_in_void_rounds(inventories.values("pk"))
    if void_cents:
        of_voids = inventories.annotate(period=period).filter(pk__in=void_cents)
        for pk, table, code, day in of_voids.values_list("pk", "table", "pit", "period"):
            _add(read, table, code, day, HoldSums(void_cents=void_cents[pk]))
    boxes = DropBox.objects.filter(inventory__in=inventories.values("pk")).order_by()
    pit = pit_by_moment(tables, moves, table="table", moment="inventory__closed_at")
    period = TruncMonth("inventory__gaming_day") if by_month else F("inventory__gaming_day")
    of_boxes = boxes.annotate(pit=pit, period=period).values("table", "pit", "period")
    counts = of_boxes.annotate(count=Count("pk"), counted=Count("counted_cents"), drop=Sum("counted_cents"))
    columns = ("table", "pit", "period", "count", "counted", "drop")
    for table, code, day, count, counted, drop in counts.values_list(*columns):
        sums = HoldSums(boxes=count, boxes_counted=counted, drop_cents=drop or 0)
        _add(read, table, code, day, sums)
    return read


def sold_by_hour(query: FiguresQuery, tables: Sequence[Table], moves: PitMoves) -> dict[dt.datetime, int]:
    """Return the chips that the inventories of one gaming day sold for cash, in cents, by hour (UTC).

    A drop has no hours, so there is no hold of an hour: the win of an hour over the chips sold in it, or so far, says
    nothing, because players bring chips and take them away.
    """
    if not query.is_one_day or query.shift or query.dealer or query.facility.day_begins(query.first).minute:
        return {}
    ids = [table.pk for table in tables]
    pit = pit_by_moment(tables, moves, table="table", moment="closed_at")
    inventories = TableInventory.objects.filter(gaming_day=query.first, table__in=ids).annotate(pit=pit)
    if query.pit:
        inventories = inventories.filter(pit=query.pit)
    sales = ChipSale.objects.filter(inventory__in=inventories.order_by().values("pk")).order_by()
    hours = sales.annotate(hour=TruncHour("sold_at", tzinfo=dt.UTC)).values_list("hour")
    return dict(hours.annotate(sum=Sum("cents")))


def _add(read: RangeHold, table: int, pit: str, period: dt.date, sums: HoldSums) -> None:
    read.by_table[table].add(sums)
    read.by_pit[pit].add(sums)
    read.by_period[period].add(sums)


def _running_win(table: Table) -> int:
    """The win of the open inventory of a table so far, between rounds."""
    return table.tray_taken_cents - table.tray_paid_cents + table.tray_corrected_cents
