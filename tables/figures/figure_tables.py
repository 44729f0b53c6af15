"""The tables of a page of figures, and the paper and files that are made of them.

Each column is declared once with its heading, its kind and its value; layouts say which of them the page, its paper and
its files have. A new column is one `Column` and its place in a layout.

The paper (`write_pdf`) is US Letter, landscape, with fonts embedded, and has the same bytes for the same figures. The
files (`FORMATS`) are this paper, CSV, XLSX and JSON lines, in which each exact fraction is beside its rounded value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.html import format_html
from reportlab import platypus
from reportlab.platypus import Flowable, KeepTogether

from games.formats import signed
from games.kit.files import sections_csv, sections_jsonl, sections_xlsx
from games.kit.paper import PlotDrawing, column_table, content_size, render, styles, text
from games.kit.plots import Plot, parts, sigma_band
from games.kit.tables import (
    ABOUT,
    COUNT,
    EXACT_CENTS,
    MONEY,
    PLAIN,
    SHARE,
    SIGNED,
    SIGNED_ABOUT,
    TEXT,
    WHOLE_SHARE,
    Column,
    Kind,
    Table,
)
from tables.figures.page import (
    BAR_WIDTH,
    HOUR_BAR_WIDTH,
    FamilyRow,
    FiguresPage,
    FiguresRow,
    SeatRow,
    sigma_words,
)
from tables.figures.ranges import BY, PLAYS, HoldSums

NOT_COUNTED = "not counted"
SIGMAS_WRITTEN = Kind(sigma_words)
SIGMA_HEADS = format_html('<span class="sigma-heads"><span>{}</span><span>{}</span></span>', "−2 σ", "+2 σ")


def _known(name: str) -> Callable[[FiguresRow], Any]:
    """A figure that is known only with the odds of every round."""
    return lambda row: getattr(row.sums, name) if row.sums.is_known else None


def _exact(name: str) -> Callable[[FiguresRow], Any]:
    return lambda row: getattr(row.sums, name).value if row.sums.is_known else None


def _of_inventories(
    heading: str, kind: Kind, value: Callable[[FiguresRow], Any], **more: Any
) -> Column[FiguresRow]:
    """A figure of the inventories of a row, if it has any."""

    def has(row: FiguresRow) -> bool:
        return bool(row.money.inventories)

    return Column(heading, kind, value, has=has, shown_if=has, **more)


def _drop_on_paper(row: FiguresRow) -> str:
    return NOT_COUNTED if row.money.inventories and not row.money.is_counted else DROP.text(row)


def _paced(row: FiguresRow) -> str:
    return f"{PACE.text(row)}/{row.target_pace}" if row.target_pace else PACE.text(row)


def _hold_percent(row: FiguresRow) -> float | None:
    return None if row.money.hold is None else round(float(100 * row.money.hold), 2)


def _bands(rows: Sequence[FiguresRow]) -> list[Plot | None]:
    return [None if row.band_x is None else sigma_band(row.band_x, row.deviation) for row in rows]


def _handle_bars(rows: Sequence[FiguresRow]) -> list[Plot | None]:
    return [parts(HOUR_BAR_WIDTH, (row.bar, 4, 6, "h")) for row in rows]


C = Column[FiguresRow]
NAME = C(
    "", TEXT, lambda row: row.label,
    template="tables/figures/row_name.html", paper=lambda row: f"{row.label} {row.tag}".strip(),
)  # fmt: skip
ROUNDS = C("Rounds", COUNT, lambda row: row.sums.rounds, "rounds")
WAGERS = C("Wagers", COUNT, lambda row: row.sums.wagers, "wagers")
HANDLE = C("Handle", MONEY, lambda row: row.sums.handle_cents, "handle_cents")
TAKEN = C("Taken", MONEY, lambda row: row.sums.taken_cents, "taken_cents")
PAID = C("Paid", MONEY, lambda row: row.sums.paid_cents, "paid_cents")
WIN = C("Win", SIGNED, lambda row: row.sums.win_cents, "win_cents", css_class="main")
FEES = C(
    "Fees", MONEY, lambda row: row.sums.fees_cents, "fees_cents", shown_if=lambda row: row.sums.fees_cents > 0
)
CUT = C(
    "Cut", MONEY, lambda row: row.sums.cut_cents, "cut_cents", shown_if=lambda row: row.sums.cut_cents > 0
)
EXACT_EXPECTED = C("Exact expected win", EXACT_CENTS, _exact("expected"), "expected_win")
EXACT_VARIANCE = C("Exact variance", EXACT_CENTS, _exact("variance"), "variance")
EXPECTED = C("Expected", SIGNED_ABOUT, _known("expected_cents"), "expected_win_cents")
TWO_SIGMA = C("± 2 σ", ABOUT, _known("band_cents"), "two_sigma_cents")
BAND = C("Band", draw=_bands, css_class="dot", head=SIGMA_HEADS)
SIGMAS = C(
    "σ", SIGMAS_WRITTEN, lambda row: row.sums.sigmas, "sigmas_from_expected",
    template="tables/figures/sigmas.html", css_class="sigma",
)  # fmt: skip
WIN_OF_HANDLE = C("Win of handle", SHARE, lambda row: row.sums.win_share)
PACE = C(
    "Pace", PLAIN, lambda row: row.sums.pace, "rounds_per_hour",
    template="tables/figures/pace.html", paper=_paced,
)  # fmt: skip
TARGET_PACE = C(
    "Target pace", PLAIN, lambda row: row.target_pace, "target_rounds_per_hour",
    has=lambda row: row.target_pace is not None,
)  # fmt: skip
SEATS = C("Seats", WHOLE_SHARE, lambda row: row.sums.occupancy)
SEATS_WAGERING = C("Seats wagering", PLAIN, lambda row: row.sums.seats_wagering, "seats_wagering")
SEATS_OFFERED = C("Seats offered", PLAIN, lambda row: row.sums.seats_offered, "seats_offered")
INVENTORIES = _of_inventories("Inventories", PLAIN, lambda row: row.money.inventories, name="inventories")
SOLD = _of_inventories("Sold", MONEY, lambda row: row.money.sold_cents, name="sold_cents")
UNCOUNTED = _of_inventories(
    "Boxes not counted", PLAIN, lambda row: row.money.uncounted, name="boxes_not_counted"
)
DROP = _of_inventories(
    "Drop", MONEY, lambda row: row.money.counted_drop_cents, name="drop_cents", paper=_drop_on_paper
)
INVENTORY_WIN = _of_inventories(
    "Inventory win", SIGNED, lambda row: row.money.win_cents, name="inventory_win_cents"
)
INVENTORY_VOID = _of_inventories(
    "Inventory void rounds", SIGNED, lambda row: row.money.void_cents, name="inventory_void_rounds_cents"
)
HOLD = _of_inventories("Hold", SHARE, lambda row: row.money.hold, name="hold")
HOLD_PERCENT = _of_inventories("Hold percent", PLAIN, _hold_percent, name="hold_percent")
BARS = C("Handle, drawn", draw=_handle_bars, css_class="two")

PAGE = (NAME, ROUNDS, HANDLE, WIN, EXPECTED, BAND, SIGMAS, WIN_OF_HANDLE, FEES, CUT, HOLD, PACE, SEATS)
UNNAMED_BAND = replace(BAND, head="")
HOURS = (NAME, ROUNDS, HANDLE, BARS, WIN, EXPECTED, UNNAMED_BAND)
DAYS = (NAME, ROUNDS, HANDLE, WIN, EXPECTED, UNNAMED_BAND, SIGMAS)
PAPER = (
    NAME, ROUNDS, HANDLE, WIN, EXPECTED, TWO_SIGMA, SIGMAS, WIN_OF_HANDLE, FEES, CUT, SOLD, DROP, HOLD, PACE, SEATS,
)  # fmt: skip
FILE = (
    NAME, ROUNDS, WAGERS, HANDLE, TAKEN, PAID, WIN, FEES, CUT, EXACT_EXPECTED, EXACT_VARIANCE, EXPECTED, TWO_SIGMA,
    SIGMAS, PACE, SEATS_WAGERING, SEATS_OFFERED, TARGET_PACE,
    INVENTORIES, SOLD, UNCOUNTED, DROP, INVENTORY_WIN, INVENTORY_VOID, HOLD, HOLD_PERCENT,
)  # fmt: skip


def main_table(page: FiguresPage) -> Table[FiguresRow]:
    """The main table of the page, with its total."""
    rows, by = page.group_rows(), page.query.by
    name = replace(NAME, heading=BY[by])
    return Table(
        (name, *PAGE[1:]), rows, page.total_row(rows), row_class=_row_class, paper=(name, *PAPER[1:])
    )


def periods_table(page: FiguresPage) -> Table[FiguresRow]:
    """The hours, days or months of the page."""
    is_one_day, period = page.query.is_one_day, page.query.period.capitalize()
    return Table(
        (replace(NAME, heading="From" if is_one_day else period), *(HOURS if is_one_day else DAYS)[1:]),
        page.period_rows(),
        css_class="grid figures-periods",
        row_class=_row_class,
        paper=(replace(NAME, heading=period), *PAPER[1:]),
    )


def _row_class(row: FiguresRow) -> str:
    return " ".join(["off"] * row.is_outside + ["part"] * row.begins_group)


# Where the edge comes from


def _family_bars(rows: Sequence[FamilyRow]) -> list[Plot | None]:
    return [parts(BAR_WIDTH, (row.handle_bar, 1, 4, "h"), (row.expected_bar, 7, 6, "e")) for row in rows]


F = Column[FamilyRow]
FAMILY = F("Wagers", TEXT, lambda row: row.label, is_figure=False, template="tables/figures/family_name.html")
FAMILY_GAME = F("Game", TEXT, lambda row: row.game_name)
FAMILY_HANDLE = F("Handle", PLAIN, lambda row: row.handle, is_figure=False)
FAMILY_EXPECTED = F("Expected", SHARE, lambda row: row.expected_share, is_figure=False, css_class="main")
FAMILY_BARS = F("Drawn", draw=_family_bars, css_class="two")
EDGE = F("Edge", SHARE, lambda row: row.edge_share)
FAMILY_PAGE = (FAMILY, FAMILY_HANDLE, FAMILY_EXPECTED, FAMILY_BARS, EDGE)
FAMILY_PAPER = (
    FAMILY, FAMILY_GAME,
    replace(FAMILY_HANDLE, heading="Of handle"), replace(FAMILY_EXPECTED, heading="Of expected win"), EDGE,
)  # fmt: skip
FAMILY_FILE = (
    replace(FAMILY, value=lambda row: ", ".join(filter(None, [row.label, row.game_name]))),
    F("Wagers", COUNT, lambda row: row.sums.wagers, "wagers"),
    F("Handle", MONEY, lambda row: row.sums.handle_cents, "handle_cents"),
    F("Fees", MONEY, lambda row: row.sums.fees_cents, "fees_cents"),
    F("Exact expected win", EXACT_CENTS, lambda row: row.sums.expected.value, "expected_win"),
    F("Expected", SIGNED_ABOUT, lambda row: round(row.sums.expected.value), "expected_win_cents"),
)


def families_table(page: FiguresPage) -> Table[FamilyRow]:
    """Where the edge comes from: the families of wagers."""
    return Table(FAMILY_PAGE, page.family_rows(), css_class="grid figures-mix", paper=FAMILY_PAPER)


# Seats


def _seat_bars(rows: Sequence[SeatRow]) -> list[Plot | None]:
    return [parts(100, (100 * float(row.share or 0), 4, 6, "e")) for row in rows]


S = Column[SeatRow]
SEAT_PAGE = (
    S("Seat", TEXT, lambda row: row.seat),
    S("Rounds", COUNT, lambda row: row.rounds, is_figure=False),
    S("Drawn", draw=_seat_bars, css_class="two"),
    S("Share", WHOLE_SHARE, lambda row: row.share),
)


def seats_table(page: FiguresPage) -> Table[SeatRow]:
    """How often each seat of the only table had a wager."""
    return Table(SEAT_PAGE, page.seat_rows(), css_class="grid figures-seats")


# On paper


PACE_NOTE = (
    "Cut: what payout limits took off payouts. "
    "Pace: settled rounds an hour of open and staffed time. Seats: with a wager, of the seats of the table."
)
HOLD_NOTE = "Hold: win over drop of the inventories that were opened in the range, once all of it is counted."
GUTTER = 24.0  # points
UNPADDED = [
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
        yield KeepTogether([platypus.Table([cells], colWidths=[column + GUTTER, column], style=UNPADDED)])


# In files


def sections_of_files(page: FiguresPage) -> dict[str, Table[Any]]:
    """Everything that the page shows, as files have it."""
    rows = page.group_rows()
    return {
        BY[page.query.by].lower(): Table(FILE, rows),
        "total": Table(FILE, [replace(page.total_row(rows), label=page.range_words())]),
        "wagers": Table(FAMILY_FILE, page.family_rows()),
        page.query.period: Table(FILE, page.period_rows()),
    }


def write_jsonl(page: FiguresPage) -> bytes:
    """Return one JSON object a line; the amounts are integer cents."""
    return sections_jsonl(sections_of_files(page))


def write_csv(page: FiguresPage) -> bytes:
    """Return one table (RFC 4180, UTF-8), with the section and the name first. Amounts are in dollars."""
    return sections_csv(sections_of_files(page))


def write_xlsx(page: FiguresPage) -> bytes:
    """Return a workbook with a sheet for each table of the page."""
    title = f"{page.facility.name}, figures of {page.range_words()}"
    return sections_xlsx(sections_of_files(page), title, page.now)


@dataclass(frozen=True)
class Format:
    """A kind of file: what the link is called, its media type, and what writes it."""

    label: str
    media: str
    write: Callable[[FiguresPage], bytes]


FORMATS = {
    "csv": Format("CSV", "text/csv; charset=utf-8", write_csv),
    "xlsx": Format("XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", write_xlsx),
    "jsonl": Format("JSON lines", "application/jsonl; charset=utf-8", write_jsonl),
    "pdf": Format("PDF", "application/pdf", write_pdf),
}
