"""What a page of figures shows, on paper: US Letter, landscape, fonts embedded, the same bytes for the same figures."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import Flowable, KeepTogether, Table

from games.office.pdf.paper import Cell, content_size, render, styles, table, text
from tables.figures.drawings import BandPlotDrawing, PeriodPlotDrawing
from tables.figures.formatting import dollars, percent, signed_dollars
from tables.figures.hold import HoldSums
from tables.figures.page import FiguresPage, FiguresRow
from tables.figures.query import BY, PLAYS

HEADS = (
    "Rounds",
    "Handle",
    "Win",
    "Expected",
    "± 2 std. dev.",
    "Std. dev.",
    "Win %",
    "Fees",
    "Cut",
    "Sold",
    "Drop",
    "Hold",
    "Pace",
    "Seats",
)
WIDTHS = (96, 42, 64, 62, 58, 52, 36, 42, 46, 46, 56, 60, 56, 40, 38)
PACE_NOTE = (
    "Win %: win over handle. Cut: what payout limits took off payouts. "
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
        f"The trays of these inventories won {signed_dollars(money.win_cents)}, {signed_dollars(money.void_cents)} of "
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
    cells: list[list[Cell]] = [[name, *HEADS], *(_cells(row) for row in rows)]
    return table(cells, WIDTHS, numbers=range(1, len(WIDTHS)))


def _cells(row: FiguresRow) -> list[Cell]:
    money = row.money
    drop = dollars(money.drop_cents) if money.is_counted else NOT_COUNTED
    return [
        " ".join(filter(None, [row.label, row.tag])),
        row.rounds,
        row.handle,
        row.win,
        row.expected,
        dollars(row.sums.band_cents) if row.sums.is_known else "–",
        row.sigmas,
        row.win_of_handle,
        row.fees if row.sums.fees_cents else "–",
        row.cut if row.sums.cut_cents else "–",
        *([dollars(money.sold_cents), drop, percent(money.hold)] if money.inventories else ["–", "–", "–"]),
        f"{row.pace}/{row.target_pace}" if row.target_pace else row.pace,
        row.occupancy,
    ]


def _families(page: FiguresPage) -> Flowable:
    rows: list[list[Cell]] = [["Wagers", "Game", "Of handle", "Of expected win", "Edge"]]
    rows += [
        [family.label, family.game_name, family.handle, family.expected, family.edge]
        for family in page.family_rows()
    ]
    return table(rows, (180, 140, 80, 80, 80), numbers=(2, 3, 4))
