"""What a page of figures shows, on paper: US Letter, landscape, fonts embedded, the same bytes for the same figures."""

from collections.abc import Callable, Iterator, Sequence

from reportlab.platypus import Flowable, KeepTogether, Table

from games.formats import NONE, about, money, percent, signed
from games.office.pdf.paper import Cell, content_size, render, styles, table, text, unbroken
from tables.figures.drawings import BandPlotDrawing, PeriodPlotDrawing
from tables.figures.hold import HoldSums
from tables.figures.page import FiguresPage, FiguresRow
from tables.figures.query import BY, PLAYS

PACE_NOTE = (
    "Cut: what payout limits took off payouts. "
    "Pace: settled rounds an hour of open and staffed time. Seats: with a wager, of the seats of the table."
)
HOLD_NOTE = "Hold: win over drop of the inventories that were opened in the range, once all of it is counted."
NOT_COUNTED = "not counted"
GUTTER = 24.0  # points
PLAIN = [
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 0),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
]


def write_pdf(page: FiguresPage) -> bytes:
    """Return the plots, the main table with its total, where the edge comes from, and the hours, days or months."""
    look, query = styles(), page.query
    title = f"Figures, {page.range_words()}"
    rows = page.group_rows()
    filters = [
        f"{choice.label}: {choice.value}" for choice in page.filters() if choice.label not in ("Day", "Days")
    ]
    story: list[Flowable] = [
        text(title, look["title"]),
        text(". ".join(filters) + ".", look["body"]),
        *_plots(page),
        text(f"By {BY[query.by].lower()}", look["heading"]),
        _figures(BY[query.by], [*rows, page.total_row(rows)]),
        text(" ".join(filter(None, [PACE_NOTE, HOLD_NOTE, void_note(page.money)])), look["small"]),
        text("Where the edge comes from", look["heading"]),
        _families(page),
        text(f"By {query.period}", look["heading"]),
        _figures(query.period.capitalize(), page.period_rows()),
    ]
    return render(
        story,
        title=title,
        facility_name=page.facility.name,
        landscape=True,
        approved=f"{PLAYS[query.play]}. {page.total.rounds:,} settled rounds.",
    )


def void_note(money: HoldSums) -> str:
    """Say what the trays won beside the win of settled rounds; "" where no voided round moved money."""
    if not money.void_cents:
        return ""
    return (
        f"The trays of these inventories won {signed(money.win_cents)}, {signed(money.void_cents)} of "
        "it by throws of rounds that were then voided, which Win leaves out."
    )


def _plots(page: FiguresPage) -> Iterator[Flowable]:
    """Yield the win in its band, and the plots by hour, day or month in two columns."""
    look, width = styles(), content_size(landscape=True)[0]
    if bands := page.plots():
        yield BandPlotDrawing(bands[0], width)
        yield text(page.plot_title() + ".", look["small"])
    of_periods = page.period_plots()
    column = (width - GUTTER) / 2
    for first in range(0, len(of_periods), 2):
        cells: list[list[Flowable]] = [
            [
                text(", ".join(filter(None, [plot.name, plot.note])), look["dim"]),
                PeriodPlotDrawing(plot, column),
            ]
            for plot in of_periods[first : first + 2]
        ]
        cells += [[]] * (2 - len(cells))
        yield KeepTogether([Table([cells], colWidths=[column + GUTTER, column], style=PLAIN)])


def _figures(name: str, rows: Sequence[FiguresRow]) -> Flowable:
    """Return a table whose numbers stay whole. Like on the page, what no row has is no column."""
    cells = [_cells(name, row) for row in rows]
    heads = [head for head in cells[0] if not rows_without(head, rows)] if cells else [name]
    lines = [heads, *([row[head] for head in heads] for row in cells)]
    widths, size = unbroken(lines, content_size(landscape=True)[0])
    return table(lines, widths, numbers=range(1, len(widths)), size=size)


def rows_without(head: str, rows: Sequence[FiguresRow]) -> bool:
    """Whether no row has the figure of a column."""
    is_there = COLUMN_IF_ANY.get(head)
    return is_there is not None and not any(is_there(row) for row in rows)


COLUMN_IF_ANY: dict[str, Callable[[FiguresRow], int]] = {
    "Fees": lambda row: row.sums.fees_cents,
    "Cut": lambda row: row.sums.cut_cents,
    **dict.fromkeys(("Sold", "Drop", "Hold"), lambda row: row.money.inventories),
}


def _cells(name: str, row: FiguresRow) -> dict[str, str]:
    inventories = row.money
    drop = money(inventories.drop_cents) if inventories.is_counted else NOT_COUNTED
    has_money = bool(inventories.inventories)
    return {
        name: " ".join(filter(None, [row.label, row.tag])),
        "Rounds": row.rounds,
        "Handle": row.handle,
        "Win": row.win,
        "Expected": row.expected,
        "± 2 std. dev.": about(row.sums.band_cents) if row.sums.is_known else NONE,
        "Std. dev.": row.sigmas,
        "Win of handle": row.win_of_handle,
        "Fees": row.fees if row.sums.fees_cents else NONE,
        "Cut": row.cut if row.sums.cut_cents else NONE,
        "Sold": money(inventories.sold_cents) if has_money else NONE,
        "Drop": drop if has_money else NONE,
        "Hold": percent(inventories.hold) if has_money else NONE,
        "Pace": f"{row.pace}/{row.target_pace}" if row.target_pace else row.pace,
        "Seats": row.occupancy,
    }


def _families(page: FiguresPage) -> Flowable:
    rows: list[list[Cell]] = [["Wagers", "Game", "Of handle", "Of expected win", "Edge"]]
    rows += [
        [family.label, family.game_name, family.handle, family.expected, family.edge]
        for family in page.family_rows()
    ]
    return table(rows, (180, 140, 80, 80, 80), numbers=(2, 3, 4))
