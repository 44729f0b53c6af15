"""The reconciliation of a gaming day: what the counts say that each table won, beside what its record says.

By the counts: closer + credits + drop − opener − fills. By the record: what its rounds took less what they paid, fees
included, with what slips moved. The unit is an inventory, on the gaming day of its opener (docs/pit.md). A difference
is the sum of two: what is in the drop boxes beside what was sold, and the closer beside the exact value of the tray.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.glossary import MEANINGS
from tables.models import Table
from tables.money.inventory_paper import InventoryPaper, inventories_of_day


@dataclass(frozen=True)
class ReconciledInventory:
    """One line of the sheet. What is not known yet, before the closer or the count of each box, is None."""

    paper: InventoryPaper

    @property
    def opener_cents(self) -> int:
        return self.paper.inventory.opener_cents

    @property
    def fills_cents(self) -> int:
        return self.paper.inventory.fills_cents

    @property
    def credits_cents(self) -> int:
        return self.paper.inventory.credits_cents

    @property
    def sold_cents(self) -> int:
        return self.paper.inventory.sold_cents

    @property
    def drop_cents(self) -> int | None:
        return self.paper.drop_cents

    @property
    def closer_cents(self) -> int | None:
        return self.paper.inventory.closer_cents

    @property
    def rounds_cents(self) -> int:
        """Taken with fees, less paid, of the rounds that ended with a result."""
        tray = self.paper.tray
        return tray.taken_cents - tray.paid_cents - self.paper.void_cents

    @property
    def void_cents(self) -> int:
        return self.paper.void_cents

    @property
    def slips_cents(self) -> int:
        """What slips moved into the tray; negative: out of it."""
        return self.paper.tray.corrected_cents

    @property
    def record_win_cents(self) -> int:
        return self.paper.win_cents

    @property
    def counted_win_cents(self) -> int | None:
        return self.paper.counted_win_cents

    @property
    def difference_cents(self) -> int | None:
        return self.paper.difference_cents

    @property
    def in_drop_cents(self) -> int | None:
        """The part of the difference that is in the drop boxes."""
        return None if self.drop_cents is None else self.drop_cents - self.sold_cents

    @property
    def in_closer_cents(self) -> int | None:
        """The part of the difference that is in the closer."""
        return None if self.closer_cents is None else self.closer_cents - self.paper.tray.cents

    @property
    def missing(self) -> str:
        """What the counts still lack, in words; "" once everything is counted."""
        if self.paper.inventory.closed_at is None:
            return "open"
        uncounted = [box.box for box in self.paper.boxes if box.counted_cents is None]
        return f"drop of {', '.join(uncounted)} not counted" if uncounted else ""


@dataclass(frozen=True)
class SheetColumn:
    """An amount of the sheet. `is_signed`: written with its sign."""

    heading: str
    field: str
    cents: Callable[[ReconciledInventory], int | None]
    is_signed: bool = False
    is_strong: bool = False

    @property
    def meaning(self) -> str:
        """What the heading means, if it names a figure."""
        return MEANINGS.get(self.heading, "")


COLUMNS = (
    SheetColumn("Opener", "opener_cents", lambda row: row.opener_cents),
    SheetColumn("Fills", "fills_cents", lambda row: row.fills_cents),
    SheetColumn("Credits", "credits_cents", lambda row: row.credits_cents),
    SheetColumn("Drop", "drop_cents", lambda row: row.drop_cents),
    SheetColumn("Closer", "closer_cents", lambda row: row.closer_cents),
    SheetColumn(
        "Win by the counts",
        "counted_win_cents",
        lambda row: row.counted_win_cents,
        is_signed=True,
        is_strong=True,
    ),
    SheetColumn("Won in rounds", "rounds_cents", lambda row: row.rounds_cents, is_signed=True),
    SheetColumn("Won in void rounds", "void_rounds_cents", lambda row: row.void_cents, is_signed=True),
    SheetColumn("Slips in the tray", "slips_cents", lambda row: row.slips_cents, is_signed=True),
    SheetColumn(
        "Win by the record",
        "record_win_cents",
        lambda row: row.record_win_cents,
        is_signed=True,
        is_strong=True,
    ),
    SheetColumn(
        "Difference",
        "difference_cents",
        lambda row: row.difference_cents,
        is_signed=True,
        is_strong=True,
    ),
)


@dataclass(frozen=True)
class Reconciliation:
    """The sheet of a gaming day: a line for each inventory that was opened on it."""

    day: dt.date
    lines: tuple[ReconciledInventory, ...]

    def total(self, column: SheetColumn) -> int | None:
        """The sum of a column; None while a count that it needs is missing."""
        amounts = [column.cents(line) for line in self.lines]
        known = [cents for cents in amounts if cents is not None]
        return sum(known) if len(known) == len(amounts) else None

    @property
    def waiting(self) -> list[ReconciledInventory]:
        """The lines whose counts lack something."""
        return [line for line in self.lines if line.missing]

    @property
    def differing(self) -> list[ReconciledInventory]:
        """The lines whose counts and record differ, the largest difference first."""
        lines = [line for line in self.lines if line.difference_cents]
        return sorted(lines, key=lambda line: -abs(line.difference_cents or 0))

    @property
    def agreeing(self) -> int:
        """How many lines agree to the cent."""
        return sum(line.difference_cents == 0 for line in self.lines)


def reconcile(tables: Sequence[Table], day: dt.date) -> Reconciliation:
    """Return the sheet of these tables for a gaming day, in four statements."""
    return Reconciliation(day, tuple(map(ReconciledInventory, inventories_of_day(tables, day))))
