"""The tables of the daily report's figures, each column declared once for its page and its PDF.

To add a column, add one `Column` to its table here or in `event_tables.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.formats import about, money, signed
from games.kit.plots import Band, Plot, bars, whiskers
from games.kit.tables import COUNT, MONEY, PLAIN, SHARE, SIGNED, SIGNED_ABOUT, TEXT, Column, Kind, RowT, Table
from games.models import Facility
from games.office.pdf.approval import moment
from games.templatetags.office import day as in_words
from tables.core.figure_sums import Sums
from tables.reports.figures import Figures, HourFigures, Report, ReportRow
from tables.reports.formatting import spans
from tables.reports.links import ReportLinks
from tables.reports.notes import hour_label
from tables.reports.slip_rows import SlipRow

BAND = Kind(lambda cents: f"± {about(cents)}")
BESIDE, WIDE_BESIDE = "report-bar-cell", "report-bar-cell report-bar-cell--wide"


def report_table(
    code: str,
    heading: str,
    columns: Sequence[Column[RowT]],
    rows: Sequence[RowT],
    subtitle: str = "",
    **more: Any,
) -> Table[RowT]:
    """A table of the report, as wide as its page."""
    return Table(
        columns, rows, code=code, heading=heading, subtitle=subtitle, css_class="sheet report-sheet", **more
    )


# The figures of the whole day

R = Column[Report]


def _of_total(figure: str, heading: str, count: Callable[[Report], int]) -> Column[Report]:
    """A count of the day that leads to its entries."""

    def link(report: Report, links: ReportLinks) -> str:
        return links.of_day(figure) if count(report) else ""

    return Column(heading, COUNT, count, link=link)


def _slip_notes(figures: Figures) -> list[str]:
    notes = [_slip_count(figures)]
    if figures.earlier_slips_cents:
        notes.append(f"{signed(figures.earlier_slips_cents)} about earlier days")
    return notes


def _slip_count(figures: Figures) -> str:
    return f"{figures.slips} slip{'' if figures.slips == 1 else 's'}"


def _expected(sums: Sums) -> int | None:
    return sums.expected_cents if sums.is_known else None


def _band(sums: Sums) -> int | None:
    return sums.band_cents if sums.is_known else None


def _day_band(report: Report) -> list[str]:
    return [BAND_COLUMN.text(ExpectedRow("", report.total.sums))]


ROUNDS = R(
    "Rounds", COUNT, lambda report: report.total.settled,
    notes=lambda report: [f"{report.total.sums.wagers:,} wagers"],
)  # fmt: skip
HANDLE = R("Handle", MONEY, lambda report: report.total.sums.handle_cents)
TAKEN = R("Taken", MONEY, lambda report: report.total.sums.taken_cents)
FEES = R("Fees", MONEY, lambda report: report.total.sums.fees_cents)
PAID = R("Paid", MONEY, lambda report: report.total.sums.paid_cents)
WIN = R("Win", SIGNED, lambda report: report.total.win_cents, is_strong=True)
WIN_OF_HANDLE = R("Win of handle", SHARE, lambda report: report.total.win_share)
VOID_WIN = R("Won in void rounds", SIGNED, lambda report: report.total.void_win_cents)
BY_SLIPS = R(
    "Changed by slips", SIGNED, lambda report: report.total.slips_cents,
    notes=lambda report: _slip_notes(report.total),
)  # fmt: skip
MOVED_BY_SLIPS = R("Moved by slips", SIGNED, lambda report: report.total.slips_moved_cents)
SETTLED = _of_total("rounds", "Settled", lambda report: report.total.settled)
NO_ROLL = _of_total("no_roll", "No roll", lambda report: report.total.no_roll)
VOID = _of_total("void", "Void", lambda report: report.total.void)
BY_HAND = _of_total("by_hand", "By hand", lambda report: report.total.by_hand)
BY_PAPER = _of_total("on_paper", "of them on paper", lambda report: report.total.on_paper)
PACE = R("Pace", PLAIN, lambda report: report.total.sums.pace)
ENTRIES = _of_total("all", "Entries on the record", lambda report: report.events.entries)
OUTSIDE = R(
    "Outside the limits", COUNT, lambda report: report.total.outside,
    notes=lambda report: [money(report.total.outside_cents)],
)  # fmt: skip
EXPECTED = R("Expected", SIGNED_ABOUT, lambda report: _expected(report.total.sums), notes=_day_band)
CUT = R("Cut", MONEY, lambda report: report.total.sums.cut_cents)

SUMMARY = (ROUNDS, HANDLE, TAKEN, FEES, PAID, WIN, WIN_OF_HANDLE, VOID_WIN, BY_SLIPS, MOVED_BY_SLIPS)
COUNTS = (SETTLED, NO_ROLL, VOID, BY_HAND, BY_PAPER, PACE, ENTRIES)
PAPER_COUNTS = (ROUNDS, WIN_OF_HANDLE, NO_ROLL, VOID, BY_HAND, BY_PAPER, PACE, OUTSIDE)
PAPER_AMOUNTS = (HANDLE, TAKEN, FEES, PAID, WIN, VOID_WIN, BY_SLIPS, MOVED_BY_SLIPS, EXPECTED, CUT)


# Figures by table, by game and by hour


def _win_bars(rows: Sequence[ReportRow | HourFigures]) -> list[Plot]:
    return bars([row.figures.win_cents for row in rows])


def _handle_bars(rows: Sequence[ReportRow]) -> list[Plot]:
    return bars([row.figures.sums.handle_cents for row in rows])


def _round_notes(row: ReportRow) -> list[str]:
    figures = row.figures
    counts = ((figures.no_roll, "no roll"), (figures.void, "void"), (figures.in_play, "in play"))
    return [f"{count:,} {name}" for count, name in counts if count]


def _pace_note(row: ReportRow) -> list[str]:
    pace = row.figures.sums.pace
    return [] if pace is None else [f"pace {pace}"]


def _row_link(figure: str) -> Callable[[ReportRow, ReportLinks], str]:
    return lambda row, links: links.of_row(row, figure) if row.figures.settled or figure == "all" else ""


def _calm(row: ReportRow | HourFigures) -> str:
    """A row in which nothing happened is faint."""
    return "" if row.figures.rounds or row.figures.slips else "report-calm"


def row_columns(report: Report, by: str) -> tuple[Column[ReportRow], ...]:
    """The columns of the figures by table or by game."""
    facility, is_by_table, R = report.day.facility, by == "table", Column[ReportRow]
    return (
        R(
            by.capitalize(), TEXT, lambda row: row.label, is_strong=True, link=_row_link("all"),
            notes=lambda row: [spans(row.open_spans, facility)] if is_by_table else [],
            page_notes=lambda row: _pace_note(row) if is_by_table else [],
        ),
        R(
            "Rounds", COUNT, lambda row: row.figures.settled, link=_row_link("rounds"), notes=_round_notes,
            page_notes=lambda row: [f"{row.figures.by_hand:,} by hand"] if row.figures.by_hand else [],
        ),
        R("Handle", MONEY, lambda row: row.figures.sums.handle_cents, link=_row_link("settled")),
        *([] if is_by_table else [R("", draw=_handle_bars, css_class=BESIDE)]),
        R("Taken", MONEY, lambda row: row.figures.sums.taken_cents),
        R(
            "Fees", MONEY, lambda row: row.figures.sums.fees_cents,
            shown_if=lambda row: row.figures.sums.fees_cents > 0,
        ),
        R("Paid", MONEY, lambda row: row.figures.sums.paid_cents),
        R("Win of handle", SHARE, lambda row: row.figures.win_share),
        R("Win", SIGNED, lambda row: row.figures.win_cents, is_strong=True),
        R("", draw=_win_bars, css_class=BESIDE),
    )  # fmt: skip


def row_table(report: Report, by: str) -> Table[ReportRow]:
    """The figures by table or, with `by` "game", by game."""
    return report_table(
        "lines",
        f"Win by {by}",
        row_columns(report, by),
        report.games if by == "game" else report.tables,
        "of the settled rounds with their slips, drawn from zero",
        empty="Nothing was played.",
        row_class=_calm,
    )


def hour_table(report: Report) -> Table[HourFigures]:
    """The figures by hour; the PDF prints the hours with rounds."""
    facility, H = report.day.facility, Column[HourFigures]
    columns = (
        H("Hour", TEXT, lambda hour: hour_label(hour.begins, facility)),
        H("Rounds", COUNT, lambda hour: hour.figures.settled),
        H("Handle", MONEY, lambda hour: hour.figures.sums.handle_cents),
        H("Taken", MONEY, lambda hour: hour.figures.sums.taken_cents),
        H("Paid", MONEY, lambda hour: hour.figures.sums.paid_cents),
        H("Win", SIGNED, lambda hour: hour.figures.win_cents, is_strong=True),
        H("", draw=_win_bars, css_class=BESIDE),
    )
    by_slips = H(
        "Changed by slips", PLAIN,
        lambda hour: signed(hour.figures.slips_cents) if hour.figures.slips else "",
        page_notes=lambda hour: [_slip_count(hour.figures)] if hour.figures.slips else [],
    )  # fmt: skip
    return report_table(
        "hours",
        "Figures by hour",
        (*columns, by_slips),
        report.hours,
        row_class=_calm,
        paper=columns,
        is_on_paper=lambda hour: bool(hour.figures.rounds),
    )


# Expected and actual win


@dataclass(frozen=True)
class ExpectedRow:
    """The figures of a table, of a game or of the whole day."""

    label: str
    sums: Sums


def beside_rows(rows: Sequence[ExpectedRow]) -> list[Plot]:
    """Draw what was expected of each row in its band, and what was won."""
    return whiskers(
        [
            Band(row.sums.expected.value, row.sums.band_cents, row.sums.win_cents, row.sums.is_outside)
            for row in rows
        ]
    )


E = Column[ExpectedRow]
EXPECTED_COLUMN = E("Expected", SIGNED_ABOUT, lambda row: _expected(row.sums))
BAND_COLUMN = E("± 2 σ", BAND, lambda row: _band(row.sums))


def expected_table(report: Report, by: str) -> Table[ExpectedRow]:
    """What the odds say, and what was won, by table or by game, with the whole day where several played."""
    rows = [
        ExpectedRow(row.label, row.figures.sums)
        for row in (report.games if by == "game" else report.tables)
        if row.figures.sums.rounds
    ]
    columns = (
        E(by.capitalize(), TEXT, lambda row: row.label),
        E("Handle", MONEY, lambda row: row.sums.handle_cents),
        EXPECTED_COLUMN,
        BAND_COLUMN,
        E(
            "Win", SIGNED, lambda row: row.sums.win_cents, is_strong=True,
            warning=lambda row: "outside the band" if row.sums.is_outside else "",
        ),
        E("", draw=beside_rows, css_class=WIDE_BESIDE),
    )  # fmt: skip
    return report_table(
        "expected",
        "Expected and actual win",
        columns,
        rows,
        empty="No round was settled.",
        total=ExpectedRow("The casino", report.total.sums) if len(rows) > 1 else None,
    )


# Slips


def _slip_columns(facility: Facility) -> tuple[Column[SlipRow], ...]:
    S = Column[SlipRow]
    return (
        S(
            "Slip", TEXT, lambda row: f"{row.slip.table.code} {row.slip.code}",
            notes=lambda row: [moment(row.slip.filed_at, facility)],
        ),
        S(
            "Round", COUNT, lambda row: row.slip.round,
            notes=lambda row: [f"of {in_words(row.slip.round_day)}"] if row.is_of_another_day else [],
            link=lambda row, links: (
                links.round(row.slip.table.code, row.slip.round)
                or links.entry(row.slip.table.code, row.slip.filed_seq)
            ),
        ),
        S(
            "What was wrong", TEXT, lambda row: row.slip.kind_label, css_class="why",
            notes=lambda row: [row.slip.reason],
        ),
        S("Signed", TEXT, lambda row: row.slip.filed_by, notes=lambda row: [row.slip.filed_with]),
        S("Win before", MONEY, lambda row: row.before_cents),
        S(
            "Win after", MONEY, lambda row: row.after_cents, is_strong=True,
            page_notes=lambda row: [signed(row.effect_cents)],
        ),
        S(
            "Moved", PLAIN, lambda row: "not yet" if row.moved_cents is None else signed(row.moved_cents),
            is_warning=lambda row: row.moved_cents is None,
        ),
    )  # fmt: skip


def slip_table(report: Report) -> Table[SlipRow]:
    """The slips that were filed on the day."""
    return report_table(
        "slips",
        "Corrections filed on this day",
        _slip_columns(report.day.facility),
        report.slips,
        "Error Notification Slips; each counts in the figures of the day of its round",
    )


def later_slip_table(report: Report) -> Table[SlipRow]:
    """The slips that were filed on later days about rounds of this one."""
    return report_table(
        "since",
        "Filed since, about rounds of this day",
        _slip_columns(report.day.facility),
        report.later_slips,
        "counted in the figures of this day",
    )
