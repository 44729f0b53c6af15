"""What a page of figures shows, on paper: US Letter, landscape, fonts embedded, the same bytes for the same figures."""

from collections.abc import Sequence

from reportlab.platypus import Flowable

from games.office.pdf.paper import Cell, render, styles, table, text
from tables.figures.formatting import dollars, percent
from tables.figures.page import FiguresPage, FiguresRow
from tables.figures.query import BY, PLAYS

HEADS = (
    "Rounds",
    "Handle",
    "Win",
    "Expected",
    "± 2 std. dev.",
    "Std. dev.",
    "Sold",
    "Drop",
    "Hold",
    "Pace",
    "Seats",
)
WIDTHS = (108, 44, 66, 64, 62, 58, 40, 58, 66, 62, 42, 42)
PACE_NOTE = (
    "Pace: settled rounds an hour of open and staffed time. Seats: with a wager, of the seats of the table."
)
HOLD_NOTE = "Hold: win over drop of the inventories that were opened in the range, once all of it is counted."
NOT_COUNTED = "not counted"


def write_pdf(page: FiguresPage) -> bytes:
    """Return the main table with its total, where the edge comes from, and the hours, days or months."""
    look, query = styles(), page.query
    title = f"Figures, {page.range_words()}"
    rows = page.group_rows()
    filters = [
        f"{choice.label}: {choice.value}" for choice in page.filters() if choice.label not in ("Day", "Days")
    ]
    story: list[Flowable] = [
        text(title, look["title"]),
        text(". ".join(filters) + ".", look["body"]),
        text(f"By {BY[query.by].lower()}", look["heading"]),
        _figures(BY[query.by], [*rows, page.total_row(rows)]),
        text(f"{PACE_NOTE} {HOLD_NOTE}", look["small"]),
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
