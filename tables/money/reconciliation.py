"""Inventories on paper, and the reconciliation of a gaming day: what the counts say, beside the record.

By the counts a table won closer + credits + drop − opener − fills. By the record: what its rounds took less what they
paid, fees included, with what slips moved. The unit is an inventory (`InventoryPaper`), on the gaming day of its opener
(docs/pit.md). A difference is the sum of two: what is in the drop boxes beside what was sold, and the closer beside the
exact value of the tray. Nothing is adjusted by it.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, Sum
from reportlab.platypus import Flowable

from audit.days import day_in_words
from games.engine.odds import in_dollars
from games.kit import paper as pdf
from games.kit import tables as kit
from games.kit.files import csv_table
from games.kit.tables import MONEY, NUMBER, SIGNED, Column
from games.office.pdf import moment
from games.registry import game_by_code
from games.separation.signatures import signatures_on
from tables.models import ChipDiscrepancy, DropBox, Round, Table, TableInventory
from tables.money.cage import LINE_TO_SIGN
from tables.money.chips import KNOWN_DENOMINATIONS, Chips, chips_of, count_of
from tables.money.inventories import INVENTORIES
from tables.money.tray import Tray, section_of, tray_of

# What void rounds moved


def moved_in_void_rounds(inventories: Iterable[Any]) -> dict[int, int]:
    """Return the cents that void rounds brought into these trays, by inventory; negative where they paid more.

    `inventories` are their rows or ids, or a query of ids. Only those in which such a round moved money are returned.
    One statement.
    """
    of_inventory = "table__inventories"
    rounds = Round.objects.filter(
        Q(**{f"{of_inventory}__last_round": None}) | Q(number__lte=F(f"{of_inventory}__last_round")),
        Q(**{f"{of_inventory}__in": inventories}),
        number__gt=F(f"{of_inventory}__rounds_before"),
        phase="void",
        ended_at__isnull=False,
    ).exclude(taken_cents=0, paid_cents=0)
    sums = rounds.order_by().values_list(of_inventory).annotate(cents=Sum(F("taken_cents") - F("paid_cents")))
    return {pk: cents for pk, cents in sums if cents}


# An inventory, from its opener to its closer


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

    @property
    def in_drop_cents(self) -> int | None:
        """The part of the difference that is in the drop boxes."""
        return None if self.drop_cents is None else self.drop_cents - self.inventory.sold_cents

    @property
    def in_closer_cents(self) -> int | None:
        """The part of the difference that is in the closer."""
        closer = self.inventory.closer_cents
        return None if closer is None else closer - self.tray.cents

    @property
    def rounds_cents(self) -> int:
        """Taken with fees, less paid, of the rounds that ended with a result."""
        return self.tray.taken_cents - self.tray.paid_cents - self.void_cents

    @property
    def slips_cents(self) -> int:
        """What slips moved into the tray; negative: out of it."""
        return self.tray.corrected_cents

    @property
    def missing(self) -> str:
        """What the counts still lack, in words; "" once everything is counted."""
        if self.inventory.closed_at is None:
            return "open"
        uncounted = [box.box for box in self.boxes if box.counted_cents is None]
        return f"drop of {', '.join(uncounted)} not counted" if uncounted else ""


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


# An inventory as a PDF: chips of opener and closer, what moved between them, and who signed


NOT_YET = "not counted yet"


def inventory_pdf(paper: InventoryPaper) -> bytes:
    """Return the PDF of an inventory as it is now. The caller has loaded its table, facility and people."""
    look, facility, inventory = pdf.styles(), paper.table.facility, paper.inventory
    title = f"Table inventory slip, {paper.code}"
    differences = list(_differences(paper))
    story: list[Flowable] = [
        pdf.text(title, look["title"]),
        pdf.table(list(_facts_of_paper(paper)), (1, 3), head=0),
        pdf.text("Chips", look["heading"]),
        pdf.table(list(_chips(paper)), (1.4, 1, 1.2, 1, 1.2), numbers=(1, 2, 3, 4)),
        pdf.text("Money", look["heading"]),
        pdf.table(list(_money(paper)), (3, 1.4), numbers=(1,), head=0),
        pdf.text("Signatures", look["heading"]),
        pdf.table(list(_signatures(paper)), (1, 1.8, 1.8, 1.6)),
        *_further_signatures(paper),
        pdf.text("Each signature was given by the person's own PIN, and is on the record.", look["small"]),
    ]
    if differences:
        story += [
            pdf.text("Counts that differed", look["heading"]),
            pdf.table(
                [("", "Expected", "Counted", "Difference"), *differences], (2.6, 1, 1, 1), numbers=(1, 2, 3)
            ),
        ]
    closed = f", closed {moment(inventory.closed_at, facility)}" if inventory.closed_at else ", open"
    state = f"Opened {moment(inventory.opened_at, facility)}{closed}"
    return pdf.render(story, title=title, facility_name=facility.name, approved=state)


def _facts_of_paper(paper: InventoryPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell]]:
    inventory, facility = paper.inventory, paper.table.facility
    yield "Casino", facility.name
    yield "Table", f"{paper.table.code}, {game_by_code(paper.table.game).name}"
    shift = facility.shift_of(inventory.opened_at).name.lower()
    yield "Opened on gaming day, shift", f"{day_in_words(inventory.gaming_day)}, {shift}"
    if paper.section:
        yield "By", paper.section


def _chips(paper: InventoryPaper) -> Iterator[tuple[pdf.Cell, ...]]:
    yield "Chips", "Opener", "Value", "Closer", "Value"
    for line in paper.lines:
        closer = ("", "") if line.closer is None else _number(line.closer, line.chip_cents)
        yield (in_dollars(line.chip_cents), *_number(line.opener, line.chip_cents), *closer)
    closed = (
        ("", NOT_YET) if paper.closer is None else (f"{paper.closer.count:,}", in_dollars(paper.closer.cents))
    )
    yield "Total", f"{paper.opener.count:,}", in_dollars(paper.opener.cents), *closed


def _number(count: int, chip_cents: int) -> tuple[str, str]:
    return f"{count:,}", in_dollars(count * chip_cents)


def _money(paper: InventoryPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell]]:
    tray = paper.tray
    for name, cents in (
        ("Fills", tray.fills_cents),
        ("Credits", tray.credits_cents),
        ("Chips sold for cash", tray.sold_cents),
        ("Drop, by the count room", paper.drop_cents),
        ("Win by the record: taken − paid, with slips", paper.win_cents),
        *([("of it by throws of voided rounds, in no figure", paper.void_cents)] if paper.void_cents else []),
        ("Win by the counts: closer + credits + drop − opener − fills", paper.counted_win_cents),
        ("The counts above the record", paper.difference_cents),
    ):
        yield name, NOT_YET if cents is None else in_dollars(cents)


def _signatures(paper: InventoryPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell, pdf.Cell]]:
    inventory, facility = paper.inventory, paper.table.facility
    yield "", "Dealer", "Floor", "When"
    yield (
        "Opener",
        inventory.opened_by.name,
        inventory.opened_with.name,
        moment(inventory.opened_at, facility),
    )
    if inventory.closed_by is not None and inventory.closed_with is not None:
        when = moment(inventory.closed_at, facility)
        yield "Closer", inventory.closed_by.name, inventory.closed_with.name, when


def _further_signatures(paper: InventoryPaper) -> Iterator[Flowable]:
    """Who signed by themselves, or is to, where the jurisdiction asks for it."""
    places = [place for place in signatures_on(INVENTORIES, paper.inventory) if not place.row.step]
    facility = paper.table.facility
    if places:
        rows = [
            (place.post, place.person.name, moment(place.moment, facility))
            if place.person and place.moment
            else (place.post, LINE_TO_SIGN, "")
            for place in places
        ]
        yield pdf.table([("", "Who", "When"), *rows], (1.2, 2.2, 1.6))


def _differences(paper: InventoryPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell, pdf.Cell]]:
    for name, discrepancy in paper.counts_that_differed:
        note = f". {discrepancy.note}" if discrepancy.note else ""
        yield (
            f"{name}, {moment(discrepancy.recorded_at, paper.table.facility)}{note}",
            in_dollars(discrepancy.expected_cents),
            in_dollars(discrepancy.counted_cents),
            in_dollars(discrepancy.difference_cents),
        )


# The sheet of a day


@dataclass(frozen=True)
class SheetRow:
    """A row of the sheet: one inventory, or all of them. `is_chosen`: the page shows it in full beside the sheet."""

    papers: tuple[InventoryPaper, ...]
    is_total: bool = False
    is_chosen: bool = False

    @property
    def paper(self) -> InventoryPaper | None:
        """Its inventory; None in the total."""
        return None if self.is_total else self.papers[0]


def _sum(cents: Callable[[InventoryPaper], int | None]) -> Callable[[SheetRow], int | None]:
    """The sum of an amount; None while a count that it needs is missing."""

    def value(row: SheetRow) -> int | None:
        amounts = [cents(paper) for paper in row.papers]
        known = [amount for amount in amounts if amount is not None]
        return sum(known) if len(known) == len(amounts) else None

    return value


C = Column[SheetRow]
TABLE = C(
    "Table",
    value=lambda row: row.paper.table.code if row.paper else "Total",
    template="tables/money/reconciliation_line.html",
)
DIFFERENCE = C(
    "Difference",
    SIGNED,
    _sum(lambda paper: paper.difference_cents),
    is_strong=True,
    css_class="differs",
    template="tables/money/reconciliation_difference.html",
)
AMOUNTS = (
    C("Opener", MONEY, _sum(lambda paper: paper.inventory.opener_cents)),
    C("Fills", MONEY, _sum(lambda paper: paper.inventory.fills_cents)),
    C("Credits", MONEY, _sum(lambda paper: paper.inventory.credits_cents)),
    C("Drop", MONEY, _sum(lambda paper: paper.drop_cents)),
    C("Closer", MONEY, _sum(lambda paper: paper.inventory.closer_cents)),
    C("Win by the counts", SIGNED, _sum(lambda paper: paper.counted_win_cents), is_strong=True),
    C("Won in rounds", SIGNED, _sum(lambda paper: paper.rounds_cents)),
    C("Won in void rounds", SIGNED, _sum(lambda paper: paper.void_cents)),
    C("Slips in the tray", SIGNED, _sum(lambda paper: paper.slips_cents)),
    C("Win by the record", SIGNED, _sum(lambda paper: paper.win_cents), is_strong=True),
    DIFFERENCE,
)
OF_THE_FILE = (
    TABLE,
    C("Inventory", NUMBER, lambda row: row.paper.inventory.number if row.paper else None),
    *AMOUNTS,
    C("Missing", value=lambda row: row.paper.missing if row.paper else ""),
)
HEADLINE = tuple(column for column in AMOUNTS if column.is_strong)


@dataclass(frozen=True)
class Reconciliation:
    """The sheet of a gaming day: a line for each inventory that was opened on it."""

    day: dt.date
    lines: tuple[InventoryPaper, ...]

    @property
    def total(self) -> SheetRow:
        return SheetRow(self.lines, is_total=True)

    def table(self, chosen: InventoryPaper | None = None) -> kit.Table[SheetRow]:
        """Return the sheet as a page shows it."""
        return kit.Table(
            (TABLE, *AMOUNTS),
            [SheetRow((line,), is_chosen=line is chosen) for line in self.lines],
            self.total,
            css_class="grid sheet-grid",
            row_class=_row_class,
        )

    @property
    def csv(self) -> str:
        """The sheet as CSV (RFC 4180): a line for each inventory and the total, amounts in dollars."""
        return csv_table(kit.Table(OF_THE_FILE, self.table().rows_and_total))

    @property
    def waiting(self) -> list[InventoryPaper]:
        """The lines whose counts lack something."""
        return [line for line in self.lines if line.missing]

    @property
    def differing(self) -> list[InventoryPaper]:
        """The lines whose counts and record differ, the largest difference first."""
        lines = [line for line in self.lines if line.difference_cents]
        return sorted(lines, key=lambda line: -abs(line.difference_cents or 0))

    @property
    def agreeing(self) -> int:
        """How many lines agree to the cent."""
        return sum(line.difference_cents == 0 for line in self.lines)


def _row_class(row: SheetRow) -> str:
    differs = row.paper is not None and row.paper.difference_cents
    return " ".join(["off"] * bool(differs) + ["chosen"] * row.is_chosen)


def reconcile(tables: Sequence[Table], day: dt.date) -> Reconciliation:
    """Return the sheet of these tables for a gaming day, in four statements."""
    return Reconciliation(day, tuple(inventories_of_day(tables, day)))
