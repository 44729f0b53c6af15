"""What a page of figures shows, on paper: US Letter, landscape, fonts embedded, the same bytes for the same figures."""

from collections.abc import Iterator

from reportlab.platypus import Flowable, KeepTogether, Table

from games.formats import signed
from games.kit.paper import PlotDrawing, column_table, content_size, render, styles, text
from tables.figures.figure_tables import families_table, main_table, periods_table
from tables.figures.hold import HoldSums
from tables.figures.page import FiguresPage
from tables.figures.query import BY, PLAYS

PACE_NOTE = (
    "Cut: what payout limits took off payouts. "
    "Pace: settled rounds an hour of open and staffed time. Seats: with a wager, of the seats of the table."
)
HOLD_NOTE = "Hold: win over drop of the inventories that were opened in the range, once all of it is counted."
GUTTER = 24.0  # points
PLAIN = [
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 0),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
]


def write_pdf(page: FiguresPage) -> bytes:
    """Return the plots, the main table with its total, where the edge comes from, and the hours, days or months."""
    look, query, width = styles(), page.query, content_size(landscape=True)[0]
    title = f"Figures, {page.range_words()}"
    filters = [
        f"{choice.label}: {choice.value}" for choice in page.filters() if choice.label not in ("Day", "Days")
    ]
    story: list[Flowable] = [
        text(title, look["title"]),
        text(". ".join(filters) + ".", look["body"]),
        *_plots(page),
        text(f"By {BY[query.by].lower()}", look["heading"]),
        column_table(main_table(page), width),
        text(" ".join(filter(None, [PACE_NOTE, HOLD_NOTE, void_note(page.money)])), look["small"]),
        text("Where the edge comes from", look["heading"]),
        column_table(families_table(page), width),
        text(f"By {query.period}", look["heading"]),
        column_table(periods_table(page), width),
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
        yield PlotDrawing(bands[0], width)
        yield text(page.plot_title() + ".", look["small"])
    of_periods = page.period_plots()
    column = (width - GUTTER) / 2
    for first in range(0, len(of_periods), 2):
        cells: list[list[Flowable]] = [
            [
                text(", ".join(filter(None, [plot.name, plot.note])), look["dim"]),
                PlotDrawing(plot.plot, column),
            ]
            for plot in of_periods[first : first + 2]
        ]
        cells += [[]] * (2 - len(cells))
        yield KeepTogether([Table([cells], colWidths=[column + GUTTER, column], style=PLAIN)])
