"""The PDF of a table inventory slip: the chips of opener and closer, what moved between them, and who signed."""

from collections.abc import Iterator

from reportlab.platypus import Flowable

from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from games.office.pdf.approval import calendar_day, moment
from games.registry import game_by_code
from tables.money.inventory_paper import InventoryPaper

NOT_YET = "not counted yet"


def inventory_pdf(paper: InventoryPaper) -> bytes:
    """Return the PDF of an inventory as it is now. The caller has loaded its table, facility and people."""
    look, facility, inventory = styles(), paper.table.facility, paper.inventory
    title = f"Table inventory slip, {paper.code}"
    differences = list(_differences(paper))
    story: list[Flowable] = [
        text(title, look["title"]),
        table(list(_facts(paper)), (1, 3), head=0),
        text("Chips", look["heading"]),
        table(list(_chips(paper)), (1.4, 1, 1.2, 1, 1.2), numbers=(1, 2, 3, 4)),
        text("Money", look["heading"]),
        table(list(_money(paper)), (3, 1.4), numbers=(1,), head=0),
        text("Signatures", look["heading"]),
        table(list(_signatures(paper)), (1, 1.8, 1.8, 1.6)),
        text("Each signature was given by the person's own PIN, and is on the record.", look["small"]),
    ]
    if differences:
        story += [
            text("Counts that differed", look["heading"]),
            table(
                [("", "Expected", "Counted", "Difference"), *differences], (2.6, 1, 1, 1), numbers=(1, 2, 3)
            ),
        ]
    closed = f", closed {moment(inventory.closed_at, facility)}" if inventory.closed_at else ", open"
    state = f"Opened {moment(inventory.opened_at, facility)}{closed}"
    return render(story, title=title, facility_name=facility.name, approved=state)


def _facts(paper: InventoryPaper) -> Iterator[tuple[Cell, Cell]]:
    inventory, facility = paper.inventory, paper.table.facility
    yield "Casino", facility.name
    yield "Table", f"{paper.table.code}, {game_by_code(paper.table.game).name}"
    shift = facility.shift_of(inventory.opened_at).name.lower()
    yield "Opened on gaming day, shift", f"{calendar_day(inventory.gaming_day)}, {shift}"
    if paper.section:
        yield "By", paper.section


def _chips(paper: InventoryPaper) -> Iterator[tuple[Cell, ...]]:
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


def _money(paper: InventoryPaper) -> Iterator[tuple[Cell, Cell]]:
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


def _signatures(paper: InventoryPaper) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
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


def _differences(paper: InventoryPaper) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
    for name, discrepancy in paper.counts_that_differed:
        note = f". {discrepancy.note}" if discrepancy.note else ""
        yield (
            f"{name}, {moment(discrepancy.recorded_at, paper.table.facility)}{note}",
            in_dollars(discrepancy.expected_cents),
            in_dollars(discrepancy.counted_cents),
            in_dollars(discrepancy.difference_cents),
        )
