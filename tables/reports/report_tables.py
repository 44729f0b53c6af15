"""The tables of the daily report's figures, for its page and its PDF alike.

To add a column, add one `Column` to its table here or in `event_tables.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.formats import money, percent, signed
from games.models import Facility
from games.office.pdf.approval import moment
from games.templatetags.office import day as in_words
from tables.core.figure_sums import Sums
from tables.reports.charts import Bar, Whisker, bars, whiskers
from tables.reports.columns import Column, ReportTable
from tables.reports.figures import Figures, HourFigures, Report, ReportRow
from tables.reports.formatting import band_words, expected_words, pace_words, spans, thousands
from tables.reports.links import ReportLinks
from tables.reports.notes import hour_label
from tables.reports.slip_rows import SlipRow

# The figures of the whole day. On paper the amounts stand beside the counts.


def _total_url(figure: str, value: Callable[[Report], int]) -> Callable[[Report, ReportLinks], str]:
    return lambda report, links: links.of_day(figure) if value(report) else ""


def _money(heading: str, cents: Callable[[Report], int], **more: Any) -> Column[Report]:
    return Column(heading, cents, money, is_number=True, **more)


SUMMARY: tuple[Column[Report], ...] = (
    Column(
        "Rounds",
        lambda report: report.total.settled,
        thousands,
        notes=lambda report: [f"{report.total.sums.wagers:,} wagers"],
    ),
    _money("Handle", lambda report: report.total.sums.handle_cents),
    _money("Taken", lambda report: report.total.sums.taken_cents),
    _money("Fees", lambda report: report.total.sums.fees_cents),
    _money("Paid", lambda report: report.total.sums.paid_cents),
    Column("Win", lambda report: report.total.win_cents, signed, is_number=True, is_strong=True),
    Column("Win of handle", lambda report: report.total.win_share, percent),
    Column("Won in void rounds", lambda report: report.total.void_win_cents, signed, is_number=True),
    Column(
        "Changed by slips",
        lambda report: report.total.slips_cents,
        signed,
        is_number=True,
        notes=lambda report: _slip_notes(report.total),
    ),
    Column(
        "Moved by slips",
        lambda report: report.total.slips_moved_cents,
        signed,
        is_number=True,
    ),
)
COUNTS: tuple[Column[Report], ...] = (
    Column(
        "Settled",
        lambda report: report.total.settled,
        thousands,
        url=_total_url("rounds", lambda report: report.total.settled),
        is_on_paper=False,
    ),
    Column(
        "No roll",
        lambda report: report.total.no_roll,
        thousands,
        url=_total_url("no_roll", lambda report: report.total.no_roll),
    ),
    Column(
        "Void",
        lambda report: report.total.void,
        thousands,
        url=_total_url("void", lambda report: report.total.void),
    ),
    Column(
        "By hand",
        lambda report: report.total.by_hand,
        thousands,
        url=_total_url("by_hand", lambda report: report.total.by_hand),
    ),
    Column(
        "of them on paper",
        lambda report: report.total.on_paper,
        thousands,
        url=_total_url("on_paper", lambda report: report.total.on_paper),
    ),
    Column("Pace", lambda report: report.total.sums.pace, pace_words),
    Column(
        "Entries on the record",
        lambda report: report.events.entries,
        thousands,
        url=_total_url("all", lambda report: report.events.entries),
        is_on_paper=False,
    ),
)
PAPER_SUMMARY: tuple[Column[Report], ...] = (
    Column(
        "Outside the limits",
        lambda report: report.total.outside,
        thousands,
        notes=lambda report: [money(report.total.outside_cents)],
    ),
    Column(
        "Expected",
        lambda report: report.total.sums,
        expected_words,
        is_number=True,
        notes=lambda report: [band_words(report.total.sums)],
    ),
    _money("Cut", lambda report: report.total.sums.cut_cents),
)


def _slip_notes(figures: Figures) -> list[str]:
    notes = [_slip_count(figures)]
    if figures.earlier_slips_cents:
        notes.append(f"{signed(figures.earlier_slips_cents)} about earlier days")
    return notes


def _slip_count(figures: Figures) -> str:
    return f"{figures.slips} slip{'' if figures.slips == 1 else 's'}"


# Figures by table, by game and by hour


def _win_bars(rows: Sequence[ReportRow]) -> list[Bar]:
    return bars([row.figures.win_cents for row in rows])


def _handle_bars(rows: Sequence[ReportRow]) -> list[Bar]:
    return bars([row.figures.sums.handle_cents for row in rows])


def _round_notes(row: ReportRow) -> list[str]:
    figures = row.figures
    counts = ((figures.no_roll, "no roll"), (figures.void, "void"), (figures.in_play, "in play"))
    return [f"{count:,} {name}" for count, name in counts if count]


def _row_url(figure: str) -> Callable[[ReportRow, ReportLinks], str]:
    return lambda row, links: links.of_row(row, figure) if row.figures.settled or figure == "all" else ""


def _is_quiet(row: ReportRow | HourFigures) -> bool:
    return not row.figures.rounds and not row.figures.slips


def row_columns(report: Report, by: str) -> tuple[Column[ReportRow], ...]:
    """The columns of the figures by table or by game."""
    facility, is_by_table = report.day.facility, by == "table"
    return (
        Column(
            by.capitalize(),
            lambda row: row.label,
            width=84,
            is_strong=True,
            notes=lambda row: [spans(row.open_spans, facility)] if is_by_table else [],
            page_notes=lambda row: (
                [f"pace {pace_words(row.figures.sums.pace)}"]
                if is_by_table and row.figures.sums.pace is not None
                else []
            ),
            url=_row_url("all"),
        ),
        Column(
            "Rounds",
            lambda row: row.figures.settled,
            thousands,
            width=46,
            is_number=True,
            notes=_round_notes,
            page_notes=lambda row: [f"{row.figures.by_hand:,} by hand"] if row.figures.by_hand else [],
            url=_row_url("rounds"),
        ),
        Column(
            "Handle",
            lambda row: row.figures.sums.handle_cents,
            money,
            is_number=True,
            url=_row_url("settled"),
            draw=None if is_by_table else _handle_bars,
        ),
        Column("Taken", lambda row: row.figures.sums.taken_cents, money, width=58, is_number=True),
        *(
            [
                Column[ReportRow](
                    "Fees", lambda row: row.figures.sums.fees_cents, money, width=50, is_number=True
                )
            ]
            if report.total.sums.fees_cents
            else []
        ),
        Column("Paid", lambda row: row.figures.sums.paid_cents, money, is_number=True),
        Column(
            "Win of handle",
            lambda row: row.figures.win_share,
            lambda win_share: percent(win_share).replace(" ", "\u00a0"),
            is_number=True,
        ),
        Column(
            "Win",
            lambda row: row.figures.win_cents,
            signed,
            is_number=True,
            is_strong=True,
            draw=_win_bars,
        ),
    )


def row_table(report: Report, by: str) -> ReportTable[ReportRow]:
    """The figures by table or, with `by` "game", by game."""
    return ReportTable(
        "lines",
        f"Win by {by}",
        row_columns(report, by),
        report.games if by == "game" else report.tables,
        "of the settled rounds with their slips, drawn from zero",
        empty="Nothing was played.",
        is_quiet=_is_quiet,
    )


def _hour_columns(facility: Facility) -> tuple[Column[HourFigures], ...]:
    return (
        Column("Hour", lambda hour: hour_label(hour.begins, facility)),
        Column("Rounds", lambda hour: hour.figures.settled, thousands, is_number=True),
        Column("Handle", lambda hour: hour.figures.sums.handle_cents, money, 80, is_number=True),
        Column("Taken", lambda hour: hour.figures.sums.taken_cents, money, 80, is_number=True),
        Column("Paid", lambda hour: hour.figures.sums.paid_cents, money, 80, is_number=True),
        Column(
            "Win",
            lambda hour: hour.figures.win_cents,
            signed,
            80,
            is_number=True,
            is_strong=True,
            draw=lambda hours: bars([hour.figures.win_cents for hour in hours]),
        ),
        Column(
            "Changed by slips",
            lambda hour: hour.figures,
            lambda figures: signed(figures.slips_cents) if figures.slips else "",
            is_number=True,
            page_notes=lambda hour: [_slip_count(hour.figures)] if hour.figures.slips else [],
            is_on_paper=False,
        ),
    )


def hour_table(report: Report) -> ReportTable[HourFigures]:
    """The figures by hour; the PDF prints the hours with rounds."""
    return ReportTable(
        "hours",
        "Figures by hour",
        _hour_columns(report.day.facility),
        report.hours,
        is_quiet=_is_quiet,
        is_on_paper=lambda hour: bool(hour.figures.rounds),
    )


# Expected and actual win


@dataclass(frozen=True)
class ExpectedRow:
    """The figures of a table, of a game or of the whole day."""

    label: str
    sums: Sums


def _expected_whiskers(rows: Sequence[ExpectedRow]) -> list[Whisker]:
    return whiskers([row.sums for row in rows])


def _expected_columns(by: str) -> tuple[Column[ExpectedRow], ...]:
    return (
        Column(by.capitalize(), lambda row: row.label, width=76),
        Column("Handle", lambda row: row.sums.handle_cents, money, 80, is_number=True),
        Column("Expected", lambda row: row.sums, expected_words, 80, is_number=True),
        Column("± 2 σ", lambda row: row.sums, band_words, 80, is_number=True),
        Column(
            "Win",
            lambda row: row.sums.win_cents,
            signed,
            80,
            is_number=True,
            is_strong=True,
            warning=lambda row: "outside the band" if row.sums.is_outside else "",
            draw=_expected_whiskers,
            has_whiskers=True,
        ),
    )


def expected_table(report: Report, by: str) -> ReportTable[ExpectedRow]:
    """What the odds say, and what was won, by table or by game, with the whole day where several played."""
    rows = [
        ExpectedRow(row.label, row.figures.sums)
        for row in (report.games if by == "game" else report.tables)
        if row.figures.sums.rounds
    ]
    return ReportTable(
        "expected",
        "Expected and actual win",
        _expected_columns(by),
        rows,
        empty="No round was settled.",
        total=ExpectedRow("The casino", report.total.sums) if len(rows) > 1 else None,
    )


# Slips


def _slip_columns(facility: Facility) -> tuple[Column[SlipRow], ...]:
    return (
        Column(
            "Slip",
            lambda row: f"{row.slip.table.code} {row.slip.code}",
            width=84,
            notes=lambda row: [moment(row.slip.filed_at, facility)],
        ),
        Column(
            "Round",
            lambda row: row.slip.round,
            thousands,
            width=50,
            is_number=True,
            notes=lambda row: [f"of {in_words(row.slip.round_day)}"] if row.is_of_another_day else [],
            url=lambda row, links: (
                links.round(row.slip.table.code, row.slip.round)
                or links.entry(row.slip.table.code, row.slip.filed_seq)
            ),
        ),
        Column(
            "What was wrong",
            lambda row: row.slip.kind_label,
            width=150,
            css_class="why",
            notes=lambda row: [row.slip.reason],
        ),
        Column(
            "Signed",
            lambda row: row.slip.filed_by,
            width=72,
            notes=lambda row: [row.slip.filed_with],
        ),
        Column("Win before", lambda row: row.before_cents, money, 58, is_number=True),
        Column(
            "Win after",
            lambda row: row.after_cents,
            money,
            58,
            is_number=True,
            is_strong=True,
            page_notes=lambda row: [signed(row.effect_cents)],
        ),
        Column(
            "Moved",
            lambda row: row.moved_cents,
            lambda cents: "not yet" if cents is None else signed(cents),
            52,
            is_number=True,
            is_warning=lambda row: row.moved_cents is None,
        ),
    )


def slip_table(report: Report) -> ReportTable[SlipRow]:
    """The slips that were filed on the day."""
    return ReportTable(
        "slips",
        "Corrections filed on this day",
        _slip_columns(report.day.facility),
        report.slips,
        "Error Notification Slips; each counts in the figures of the day of its round",
    )


def later_slip_table(report: Report) -> ReportTable[SlipRow]:
    """The slips that were filed on later days about rounds of this one."""
    return ReportTable(
        "since",
        "Filed since, about rounds of this day",
        _slip_columns(report.day.facility),
        report.later_slips,
        "counted in the figures of this day",
    )
