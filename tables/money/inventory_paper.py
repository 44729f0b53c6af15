"""The inventories of a table on paper: what opened it, what moved, what closed it, and whether the two wins agree.

The record knows the win by what rounds and slips moved; the counts know it as closer + credits + drop − opener − fills.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tables.models import ChipDiscrepancy, DropBox, Table, TableInventory
from tables.money.chips_page import KNOWN_DENOMINATIONS, Chips, chips_of, count_of
from tables.money.inventory import section_of, tray_of
from tables.money.tray import Tray
from tables.money.void_rounds import moved_in_void_rounds

LISTED = 30
RELATED = ("table", "table__facility", "opened_by", "opened_with", "closed_by", "closed_with")


@dataclass(frozen=True)
class CountedLine:
    """One denomination in the opener and in the closer. `closer` is None before the closer."""

    chip_cents: int
    opener: int
    closer: int | None


@dataclass(frozen=True)
class InventoryPaper:
    """One inventory, from its opener to its closer, with its drop boxes and the counts that differed."""

    table: Table
    inventory: TableInventory
    boxes: tuple[DropBox, ...]
    discrepancies: tuple[ChipDiscrepancy, ...]
    void_cents: int = 0  # of the win: what throws of rounds that were then voided had moved; in no figure

    @property
    def code(self) -> str:
        """What the slip is called: the table and the number of its inventory."""
        return f"{self.table.code} inventory {self.inventory.number}"

    @property
    def section(self) -> str:
        """The section of the closer's slip; "" where it is a practice."""
        return section_of(self.table, "closer")

    @property
    def tray(self) -> Tray:
        return tray_of(self.table, self.inventory)

    @property
    def opener(self) -> Chips:
        return chips_of(self.inventory.opener_chips)

    @property
    def closer(self) -> Chips | None:
        """What was counted at the end; None while the inventory is open."""
        return None if self.inventory.closed_at is None else chips_of(self.inventory.closer_chips)

    @property
    def lines(self) -> tuple[CountedLine, ...]:
        """The denominations of either count, the smallest first."""
        opener, closer = self.inventory.opener_chips, self.inventory.closer_chips
        is_closed = self.inventory.closed_at is not None
        return tuple(
            CountedLine(chip, count_of(opener, chip), count_of(closer, chip) if is_closed else None)
            for chip in KNOWN_DENOMINATIONS
            if count_of(opener, chip) or count_of(closer, chip)
        )

    @property
    def drop_cents(self) -> int | None:
        """The count room's figure; None before the closer, and until each of its boxes is counted."""
        figures = [box.counted_cents for box in self.boxes]
        return sum(filter(None, figures)) if self.inventory.closed_at and None not in figures else None

    @property
    def counts_that_differed(self) -> tuple[tuple[str, ChipDiscrepancy], ...]:
        """Each discrepancy, after what was counted."""
        return tuple((name_of_count(discrepancy), discrepancy) for discrepancy in self.discrepancies)

    @property
    def win_cents(self) -> int:
        """What the record says that the table won, without a round in play."""
        return self.tray.win_from_play_cents

    @property
    def counted_win_cents(self) -> int | None:
        """What the counts say that it won; None before the closer and the count of each box."""
        closer, drop = self.inventory.closer_cents, self.drop_cents
        return None if closer is None or drop is None else self.tray.win_from_money_cents(closer, drop)

    @property
    def difference_cents(self) -> int | None:
        """By how much the counts are above the record; None before everything is counted."""
        return None if self.counted_win_cents is None else self.counted_win_cents - self.win_cents


def name_of_count(discrepancy: ChipDiscrepancy) -> str:
    """Return what was counted: `Closer`, `Fill or credit F-0001`, `Drop box B-17`."""
    name = discrepancy.get_kind_display().capitalize()
    if discrepancy.transfer is not None:
        return f"{name} {discrepancy.transfer.slip}"
    return f"{name} {discrepancy.drop_box.box}" if discrepancy.drop_box is not None else name


def last_inventories(table: Table, before: int | None = None) -> list[InventoryPaper]:
    """Return the newest inventories of a table, those before a number if one is given, in four statements."""
    rows = TableInventory.objects.filter(table=table).select_related(*RELATED).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    return _papers(rows[:LISTED])


def inventory_paper(table: Table, number: int) -> InventoryPaper | None:
    """Return one inventory of a table; None where it has none of this number."""
    rows = TableInventory.objects.filter(table=table, number=number).select_related(*RELATED)
    return next(iter(_papers(rows)), None)


def inventories_of_day(tables: Sequence[Table], day: dt.date) -> list[InventoryPaper]:
    """Return the inventories that these tables opened on a gaming day, by table and number, in four statements."""
    rows = TableInventory.objects.filter(table__in=tables, gaming_day=day).select_related(*RELATED)
    return _papers(rows.order_by("table__code", "number"))


def _papers(rows: Iterable[TableInventory]) -> list[InventoryPaper]:
    inventories = list(rows)
    boxes: defaultdict[int, list[DropBox]] = defaultdict(list)
    discrepancies: defaultdict[int, list[ChipDiscrepancy]] = defaultdict(list)
    for box in DropBox.objects.filter(inventory__in=inventories).order_by("number"):
        boxes[box.inventory_id].append(box)
    differing = ChipDiscrepancy.objects.filter(inventory__in=inventories).order_by("number")
    for discrepancy in differing.select_related("transfer", "drop_box"):
        discrepancies[discrepancy.inventory_id].append(discrepancy)
    void_cents = moved_in_void_rounds(inventories)
    return [
        InventoryPaper(
            inventory.table,
            inventory,
            tuple(boxes[inventory.pk]),
            tuple(discrepancies[inventory.pk]),
            void_cents.get(inventory.pk, 0),
        )
        for inventory in inventories
    ]
