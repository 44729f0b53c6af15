"""The tables of the daily report, each column declared once for its page and its PDF.

To add a column, add one `Column` to its table here. First come the figures, then what else happened: alerts, disputes,
corrections, devices, dice and people. The links of the columns lead from a figure to its entries (`ReportLinks`).
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from games.formats import about, money, signed
from games.kit.plots import Band, Plot, bars, whiskers
from games.kit.tables import COUNT, MONEY, PLAIN, SHARE, SIGNED, SIGNED_ABOUT, TEXT, Column, Kind, RowT, Table
from games.models import Facility
from games.office.pdf import moment
from games.registry import game_by_code
from games.templatetags.office import day as in_words
from tables.core.alerts import ALERT_RAISED
from tables.core.figure_sums import Sums
from tables.failures import DEVICE_INCIDENT, ROUND_RECORDED_BY_HAND
from tables.reports.day_rounds import ReportDay
from tables.reports.events import (
    AlertRow,
    CorrectionCount,
    DisputeRow,
    IncidentRow,
    LotRow,
    PersonRow,
    StreamHead,
)
from tables.reports.figures import Figures, HourFigures, Report, ReportRow, SlipRow
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED
from tables.rounds.play import LAYOUT_CLEARED, ROUND_SETTLED
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.sentences import duration

# Words, the same on the page and in the PDF

UNREADABLE_MAX = 5  # entries that the note names


def long_day(date: dt.date) -> str:
    """`Saturday 21 November 2026`."""
    return f"{date:%A} {date.day} {date:%B %Y}"


def hour_label(begins: dt.datetime, facility: Facility) -> str:
    """`13:00`, local time."""
    return f"{facility.local(begins):%H:%M}"


def expected_notes(report: Report) -> Iterator[str]:
    """How the expected win is computed, and what it leaves out; first, entries that were changed."""
    if report.unreadable:
        entries = ", ".join(f"{table} entry {seq:,}" for table, seq in report.unreadable[:UNREADABLE_MAX])
        yield (
            f"This report cannot be relied on: {len(report.unreadable)} of its entries were changed or cannot be "
            f"read ({entries}). Have the record verified."
        )
    yield (
        "By the exact odds of each wager under the rules of its round. The dot is the actual win, the line the "
        "expected win, the band two standard deviations to each side. Extra Rolls and payout limits are included."
    )
    for game in (game_by_code(row.game) for row in report.games):
        if game.has_plays:
            yield (
                f"{game.name}: a wager on the game is computed from before its first throw, one on a play from the "
                "position of the marker when it was placed."
            )
    if not report.total.sums.is_known:
        count = report.total.sums.unknown_rounds
        yield (
            f"The odds of {count:,} round{'' if count == 1 else 's'} are not known, because an entry was changed or "
            "the terms cannot be read. So nothing is expected of the tables that dealt them."
        )


MAX_SPANS = 6  # listed one by one: a row of a page has no room for more


def spans(open_spans: tuple[tuple[dt.datetime | None, dt.datetime | None], ...], facility: Facility) -> str:
    """`open 10:00 to 14:30`; `open to 09:00, from 12:00`; `open all along`. Of many only the last are listed."""
    if not open_spans:
        return "not opened"
    texts = [_span(since, until, facility) for since, until in open_spans]
    if len(texts) > MAX_SPANS:
        texts = [f"{len(texts) - MAX_SPANS} times, then {texts[-MAX_SPANS]}", *texts[1 - MAX_SPANS :]]
    return f"open {', '.join(texts)}"


def _span(since: dt.datetime | None, until: dt.datetime | None, facility: Facility) -> str:
    start, end = (f"{facility.local(moment):%H:%M}" if moment else "" for moment in (since, until))
    if start and end:
        return f"{start} to {end}"
    return f"from {start}" if start else f"to {end}" if end else "all along"


# Links to the record


class ReportLinks:
    """Links from a day's figures to searches, rounds and entries; "" where a page does not exist."""

    def __init__(self, day: ReportDay) -> None:
        self.day, self.facility = day, day.facility.code

    def report(self, date: dt.date, name: str = "record-report", **parameters: str) -> str:
        """Another day, view or format of this report."""
        query = {"day": date.isoformat(), "play": self.day.play, **parameters}
        return _address(
            name, [self.facility], {name: value for name, value in query.items() if value != "live"}
        )

    def record(self, **parameters: str) -> str:
        """The entries of the day that match these search parameters."""
        training = {} if self.day.play == "live" else {"training": "1"}
        return _address(
            "record", [self.facility], {"day": self.day.date.isoformat(), **parameters, **training}
        )

    def round(self, table: str, number: int | None) -> str:
        return _address("replay", [self.facility, table, number]) if number else ""

    def entry(self, table: str, seq: int) -> str:
        return _address("record-entry", [self.facility, table, seq])

    def of_row(self, row: ReportRow, figure: str) -> str:
        """The entries behind a figure of one table. A game is dealt at several tables and has no place of its own."""
        return "" if row.code == row.game else self.record(place=row.code, **FIGURES[figure])

    def of_day(self, figure: str) -> str:
        """The entries behind a figure of the whole day."""
        return self.record(**FIGURES[figure])


# The query that finds the entries behind each figure.
FIGURES: dict[str, dict[str, str]] = {
    "all": {},
    "rounds": {"type": LAYOUT_CLEARED.name},
    "no_roll": {"type": ROUND_NO_ROLL.name},
    "void": {"type": ROUND_VOIDED.name},
    "settled": {"type": ROUND_SETTLED.name},
    "by_hand": {"type": ROUND_SETTLED_BY_HAND.name},
    "on_paper": {"type": ROUND_RECORDED_BY_HAND.name},
}


def _address(name: str, args: Iterable[Any], query: dict[str, str] | None = None) -> str:
    try:
        address = reverse(name, args=list(args))
    except NoReverseMatch:
        return ""
    return f"{address}?{urlencode(query)}" if query else address


# Tables of the report

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
    return [BAND_COLUMN.text(ReportRow("", "", "", report.total))]


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


def beside_rows(rows: Sequence[ReportRow]) -> list[Plot]:
    """Draw what was expected of each row in its band, and what was won."""
    figures = [row.figures.sums for row in rows]
    return whiskers(
        [Band(sums.expected.value, sums.band_cents, sums.win_cents, sums.is_outside) for sums in figures]
    )


E = Column[ReportRow]
EXPECTED_COLUMN = E("Expected", SIGNED_ABOUT, lambda row: _expected(row.figures.sums))
BAND_COLUMN = E("± 2 σ", BAND, lambda row: _band(row.figures.sums))


def expected_table(report: Report, by: str) -> Table[ReportRow]:
    """What the odds say, and what was won, by table or by game, with the whole day where several played."""
    rows = [row for row in (report.games if by == "game" else report.tables) if row.figures.sums.rounds]
    columns = (
        E(by.capitalize(), TEXT, lambda row: row.label),
        E("Handle", MONEY, lambda row: row.figures.sums.handle_cents),
        EXPECTED_COLUMN,
        BAND_COLUMN,
        E(
            "Win", SIGNED, lambda row: row.figures.sums.win_cents, is_strong=True,
            warning=lambda row: "outside the band" if row.figures.sums.is_outside else "",
        ),
        E("", draw=beside_rows, css_class=WIDE_BESIDE),
    )  # fmt: skip
    return report_table(
        "expected",
        "Expected and actual win",
        columns,
        rows,
        empty="No round was settled.",
        total=ReportRow("", "The casino", "", report.total) if len(rows) > 1 else None,
    )


# Slips


def _slip_columns(facility: Facility) -> tuple[Column[SlipRow], ...]:
    S = Column[SlipRow]
    return (
        S(
            "Slip", TEXT, lambda row: f"{row.table.code} {row.code}",
            notes=lambda row: [moment(row.filed_at, facility)],
        ),
        S(
            "Round", COUNT, lambda row: row.round,
            notes=lambda row: [f"of {in_words(row.round_day)}"] if row.is_of_another_day else [],
            link=lambda row, links: (
                links.round(row.table.code, row.round)
                or links.entry(row.table.code, row.filed_seq)
            ),
        ),
        S(
            "What was wrong", TEXT, lambda row: row.kind_label, css_class="why",
            notes=lambda row: [row.reason],
        ),
        S("Signed", TEXT, lambda row: row.filed_by, notes=lambda row: [row.filed_with]),
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


# What else happened

DURATION = Kind(duration)
OUTSIDE_COLUMNS: tuple[Column[ReportRow], ...] = (
    Column("Table", TEXT, lambda row: row.label),
    Column(
        "Wagers", COUNT, lambda row: row.figures.outside,
        link=lambda row, links: links.record(type=WAGERS_PLACED.name, place=row.code),
    ),
    Column("Amount", MONEY, lambda row: row.figures.outside_cents),
)  # fmt: skip


def outside_table(report: Report) -> Table[ReportRow]:
    """The wagers outside the limits, by table."""
    rows = [row for row in report.tables if row.figures.outside]
    return report_table("outside", "Wagers outside the limits", OUTSIDE_COLUMNS, rows)


CORRECTIONS: tuple[Column[CorrectionCount], ...] = (
    Column("Table", TEXT, lambda row: row.table, list_part="title"),
    Column(
        "What", TEXT, lambda row: row.name, list_part="title",
        link=lambda row, links: links.record(type=row.type, place=row.table),
    ),
    Column("Times", PLAIN, lambda row: row.count, list_part="main"),
)  # fmt: skip


def correction_table(report: Report) -> Table[CorrectionCount]:
    """What was corrected at the tables before anyone was paid."""
    rows = report.events.corrections
    count = sum(row.count for row in rows)
    return report_table(
        "corrections", "Corrected before anyone was paid", CORRECTIONS, rows, count=count or None
    )


def dispute_table(report: Report) -> Table[DisputeRow]:
    """The disputes that were reported."""
    rows, facility = report.events.disputes, report.day.facility
    columns: tuple[Column[DisputeRow], ...] = (
        Column("Table", TEXT, lambda row: row.table, list_part="title"),
        Column(
            "Round", PLAIN, lambda row: _number_or_nothing(row.round), list_part="title",
            link=lambda row, links: links.round(row.table, row.round) or links.entry(row.table, row.seq),
        ),
        Column("Seat", PLAIN, lambda row: _number_or_nothing(row.seat)),
        Column("When", TEXT, lambda row: moment(row.reported_at, facility)),
        Column("About", TEXT, lambda row: row.about, list_part="main"),
    )  # fmt: skip
    return report_table("disputes", "Disputes", columns, rows, count=len(rows) or None)


def _number_or_nothing(number: int | None) -> str:
    return f"{number:,}" if number else ""


ALERTS: tuple[Column[AlertRow], ...] = (
    Column("What", TEXT, lambda row: row.name),
    Column(
        "Raised", PLAIN, lambda row: row.count,
        link=lambda row, links: links.record(type=ALERT_RAISED.name),
    ),
    Column("Open in all", DURATION, lambda row: row.open_seconds),
    Column("Longest", DURATION, lambda row: row.longest_seconds),
    Column(
        "Open at the end", PLAIN, lambda row: row.open_at_end, is_warning=lambda row: bool(row.open_at_end)
    ),
    Column("Not acknowledged", PLAIN, lambda row: row.unacknowledged),
)  # fmt: skip


def alert_table(report: Report) -> Table[AlertRow]:
    """The alerts that were raised on the day, by kind."""
    subtitle = "raised on this day; how long they were open, up to its end"
    return report_table("alerts", "Alerts", ALERTS, report.events.alerts, subtitle)


def device_table(report: Report) -> Table[IncidentRow]:
    """Prohibited devices that were found at a table."""
    facility = report.day.facility
    columns: tuple[Column[IncidentRow], ...] = (
        Column("Table", TEXT, lambda row: row.table, list_part="title"),
        Column(
            "When", TEXT, lambda row: moment(row.at, facility), list_part="title",
            link=lambda row, links: links.record(type=DEVICE_INCIDENT.name, place=row.table),
        ),
        Column("What", TEXT, lambda row: row.what, list_part="main"),
        Column("What was done", TEXT, lambda row: row.action),
    )  # fmt: skip
    return report_table("devices", "Prohibited devices at a table", columns, report.events.devices)


def lot_table(report: Report) -> Table[LotRow]:
    """The dice lots that were thrown, by table."""
    rows, hour = report.events.lots, _hour_of(report)
    columns: tuple[Column[LotRow], ...] = (
        Column(
            "Lot", TEXT, lambda row: row.lot,
            link=lambda row, links: links.record(lot=row.lot, place=row.table),
        ),
        Column("Table", TEXT, lambda row: row.table),
        Column("Rounds", COUNT, lambda row: row.rounds),
        Column("Throws", COUNT, lambda row: row.throws),
        Column("Round numbers", PLAIN, lambda row: f"{row.first:,} to {row.last:,}"),
        Column("First throw", TEXT, lambda row: hour(row.since), css_class="when"),
        Column("Last throw", TEXT, lambda row: hour(row.until), css_class="when"),
    )  # fmt: skip
    return report_table("lots", "Dice lots thrown", columns, rows, count=len(rows))


def person_table(report: Report) -> Table[PersonRow]:
    """The people who signed entries at the tables."""
    rows, hour = report.events.people, _hour_of(report)
    columns: tuple[Column[PersonRow], ...] = (
        Column("Table", TEXT, lambda row: row.table),
        Column("Who", TEXT, lambda row: row.name, notes=lambda row: [row.role.lower()]),
        Column(
            "Signed", COUNT, lambda row: row.acted,
            link=lambda row, links: links.record(who=row.code, place=row.table),
        ),
        Column("As second", COUNT, lambda row: row.witnessed),
        Column("First", TEXT, lambda row: hour(row.since), css_class="when"),
        Column("Last", TEXT, lambda row: hour(row.until), css_class="when"),
    )  # fmt: skip
    return report_table(
        "people",
        "People at the tables",
        columns,
        rows,
        "who signed what was recorded there",
        count=len(rows),
        empty="Nobody.",
    )


HEADS: tuple[Column[StreamHead], ...] = (
    Column("Stream", TEXT, lambda row: row.stream),
    Column("Entries", COUNT, lambda row: row.entries),
    Column("Last entry", COUNT, lambda row: row.seq, link=lambda row, links: links.entry(row.table, row.seq)),
    Column(
        "Its hash", TEXT, lambda row: f"{row.hash[:32]}\n{row.hash[32:]}", css_class="hash",
        short=lambda row: f"{row.hash[:16]}…",
    ),
)  # fmt: skip


def head_table(report: Report) -> Table[StreamHead]:
    """The last entry of the day on each stream."""
    rows, subtitle = report.events.heads, "the last entry of the day on each stream"
    return report_table(
        "heads", "Where the record stood", HEADS, rows, subtitle, count=len(rows), empty="No entry."
    )


def _hour_of(report: Report) -> Callable[[dt.datetime], str]:
    return lambda moment_: hour_label(moment_, report.day.facility)


EVENT_TABLES = (
    outside_table,
    correction_table,
    dispute_table,
    alert_table,
    device_table,
    lot_table,
    person_table,
    head_table,
)
