"""The tables of the daily report's figures, for its page and its PDF alike.

To add a column, add one `Column` to its table here or in `event_tables.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.engine.odds import in_dollars
from games.models import Facility
from games.office.pdf.approval import moment
from games.templatetags.office import day as in_words
from tables.reports.charts import Bar, Whisker, bars, is_outside, whiskers
from tables.reports.columns import Column, ReportTable
from tables.reports.expected import Expected
from tables.reports.figures import Figures, HourFigures, Report, ReportRow
from tables.reports.formatting import (
    band,
    exact_dollars,
    exact_win_share,
    rounds_per_hour,
    share,
    signed_dollars,
    spans,
    thousands,
)
from tables.reports.links import ReportLinks
from tables.reports.notes import hour_label
from tables.reports.slip_rows import SlipRow

# The figures of the whole day. On paper the amounts stand beside the counts.


def _total_url(figure: str, value: Callable[[Report], int]) -> Callable[[Report, ReportLinks], str]:
    return lambda report, links: links.of_day(figure) if value(report) else ""


SUMMARY: tuple[Column[Report], ...] = (
    Column(
        "Rounds settled",
        lambda report: report.total.settled,
        thousands,
        notes=lambda report: [f"{report.total.wagers:,} wagers"],
    ),
    Column("Wagered", lambda report: report.total.wagered_cents, in_dollars, is_number=True),
    Column("Taken", lambda report: report.total.taken_cents, in_dollars, is_number=True),
    Column("Paid", lambda report: report.total.paid_cents, in_dollars, is_number=True),
    Column("Stakes returned", lambda report: report.total.returned_cents, in_dollars, is_number=True),
    Column(
        "Win as settled", lambda report: report.total.win_cents, in_dollars, is_number=True, is_strong=True
    ),
    Column(
        "Corrections",
        lambda report: report.total.corrections_cents,
        signed_dollars,
        is_number=True,
        notes=lambda report: [_slip_count(report.total)],
    ),
    Column(
        "After corrections",
        lambda report: report.total.corrected_cents,
        in_dollars,
        is_number=True,
        is_strong=True,
    ),
    Column(
        "Win over wagers",
        lambda report: report.total.win_share,
        share,
        notes=lambda report: [exact_win_share(report.total)],
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
    Column("Rounds an hour", lambda report: report.total, rounds_per_hour),
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
        notes=lambda report: [in_dollars(report.total.outside_cents)],
    ),
    Column(
        "Expected win",
        lambda report: report.total.expected.win,
        exact_dollars,
        is_number=True,
        notes=lambda report: [band(report.total.expected)],
    ),
    Column(
        "Win of the same wagers", lambda report: report.total.expected.won_cents, in_dollars, is_number=True
    ),
)


def _slip_count(figures: Figures) -> str:
    return f"{figures.slips} slip{'' if figures.slips == 1 else 's'}"


# Figures by table, by game and by hour


def _win_bars(rows: Sequence[ReportRow]) -> list[Bar]:
    return bars([(row.figures.win_cents, row.figures.corrected_cents) for row in rows])


def _wagered_bars(rows: Sequence[ReportRow]) -> list[Bar]:
    return bars([(row.figures.wagered_cents, None) for row in rows])


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
                [f"{rounds_per_hour(row.figures)} rounds an hour"]
                if is_by_table and row.figures.pace is not None
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
            "Wagered",
            lambda row: row.figures.wagered_cents,
            in_dollars,
            is_number=True,
            url=_row_url("settled"),
            draw=None if is_by_table else _wagered_bars,
        ),
        Column("Taken", lambda row: row.figures.taken_cents, in_dollars, width=58, is_number=True),
        Column("Paid", lambda row: row.figures.paid_cents, in_dollars, is_number=True),
        Column(
            "Win over wagers",
            lambda row: row.figures.win_share,
            lambda win_share: share(win_share).replace(" ", "\u00a0"),
            is_number=True,
            page_notes=lambda row: [exact_win_share(row.figures)],
        ),
        Column(
            "Win",
            lambda row: row.figures.win_cents,
            in_dollars,
            is_number=True,
            is_strong=True,
            draw=_win_bars,
        ),
        *([CORRECTED] if report.total.slips else []),
    )


CORRECTED: Column[ReportRow] = Column(
    "Corrected",
    lambda row: row.figures,
    lambda figures: in_dollars(figures.corrected_cents) if figures.slips else "",
    width=58,
    is_number=True,
    page_notes=lambda row: [signed_dollars(row.figures.corrections_cents)] if row.figures.slips else [],
)


def row_table(report: Report, by: str) -> ReportTable[ReportRow]:
    """The figures by table or, with `by` "game", by game."""
    subtitle = "as settled, drawn from zero"
    return ReportTable(
        "lines",
        f"Win by {by}",
        row_columns(report, by),
        report.games if by == "game" else report.tables,
        f"{subtitle}; brass: after corrections" if report.total.slips else subtitle,
        empty="Nothing was played.",
        is_quiet=_is_quiet,
    )


def _hour_columns(facility: Facility) -> tuple[Column[HourFigures], ...]:
    return (
        Column("Hour", lambda hour: hour_label(hour.begins, facility)),
        Column("Rounds", lambda hour: hour.figures.settled, thousands, is_number=True),
        Column("Wagered", lambda hour: hour.figures.wagered_cents, in_dollars, 80, is_number=True),
        Column("Taken", lambda hour: hour.figures.taken_cents, in_dollars, 80, is_number=True),
        Column("Paid", lambda hour: hour.figures.paid_cents, in_dollars, 80, is_number=True),
        Column(
            "Win",
            lambda hour: hour.figures.win_cents,
            in_dollars,
            80,
            is_number=True,
            is_strong=True,
            draw=lambda hours: bars([(hour.figures.win_cents, None) for hour in hours]),
        ),
        Column(
            "Corrections",
            lambda hour: hour.figures,
            lambda figures: signed_dollars(figures.corrections_cents) if figures.slips else "",
            is_number=True,
            page_notes=lambda hour: [_slip_count(hour.figures)] if hour.figures.slips else [],
            is_on_paper=False,
        ),
    )


def hour_table(report: Report) -> ReportTable[HourFigures]:
    """The figures by hour; the PDF prints the hours in which rounds began."""
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
    """The expected win of a table, of a game or of the whole day."""

    label: str
    expected: Expected


def _expected_whiskers(rows: Sequence[ExpectedRow]) -> list[Whisker]:
    return whiskers([row.expected for row in rows])


def _expected_columns(by: str) -> tuple[Column[ExpectedRow], ...]:
    return (
        Column(by.capitalize(), lambda row: row.label, width=76),
        Column("Wagered", lambda row: row.expected.staked_cents, in_dollars, 80, is_number=True),
        Column("Expected win", lambda row: row.expected.win, exact_dollars, 80, is_number=True),
        Column("Band", lambda row: row.expected, band, 80, is_number=True),
        Column(
            "Actual win",
            lambda row: row.expected.won_cents,
            in_dollars,
            80,
            is_number=True,
            is_strong=True,
            warning=lambda row: "outside the band" if is_outside(row.expected) else "",
            draw=_expected_whiskers,
            has_whiskers=True,
        ),
    )


def expected_table(report: Report, by: str) -> ReportTable[ExpectedRow]:
    """What the odds say, and what was won, by table or by game, with the whole day where several played."""
    rows = [
        ExpectedRow(row.label, row.figures.expected)
        for row in (report.games if by == "game" else report.tables)
        if row.figures.expected.staked_cents
    ]
    return ReportTable(
        "expected",
        "Expected and actual win",
        _expected_columns(by),
        rows,
        empty="No round was settled.",
        total=ExpectedRow("The casino", report.total.expected) if len(rows) > 1 else None,
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
        Column("Win before", lambda row: row.before_cents, in_dollars, 58, is_number=True),
        Column(
            "Win after",
            lambda row: row.after_cents,
            in_dollars,
            58,
            is_number=True,
            is_strong=True,
            page_notes=lambda row: [signed_dollars(row.effect_cents)],
        ),
        Column(
            "Moved",
            lambda row: row.moved_cents,
            lambda cents: "not yet" if cents is None else signed_dollars(cents),
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
        "Error Notification Slips; their rounds stay as they were settled",
    )


def later_slip_table(report: Report) -> ReportTable[SlipRow]:
    """The slips that were filed on later days about rounds of this one."""
    return ReportTable(
        "since",
        "Filed since, about rounds of this day",
        _slip_columns(report.day.facility),
        report.later_slips,
        "counted on the day they were filed, not on this one",
    )
