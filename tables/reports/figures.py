"""The figures of a gaming day: by table, by game, by hour and in total. Nothing is rounded.

They are computed from the entries, never from the tables of play, which the record does not protect.

Wagered, rounds and the expectation cover settled rounds. Taken, paid and win also include what earlier throws of a
void round had moved. A correction belongs to the day on which its slip was filed, like its money.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from django.db import connection, transaction

from games.registry import game_by_code
from tables.core.pace import pace
from tables.opening.open_time import open_times
from tables.replay.round_records import RoundRecord
from tables.reports.day_rounds import DayRounds, Unreadable, rounds_of_day
from tables.reports.events import DayEvents, day_events
from tables.reports.expected import Expected, expected_by_table
from tables.reports.report_day import ReportDay
from tables.reports.slip_rows import SlipRow, read_slips


@dataclass(frozen=True)
class Figures:
    """Sums that can be added; money in cents. `aside_cents` was staked in rounds that ended void or with no roll.

    `open_time` is the time of `tables.core.pace`.
    """

    settled: int = 0
    no_roll: int = 0
    void: int = 0
    in_play: int = 0
    by_hand: int = 0
    on_paper: int = 0
    wagered_cents: int = 0
    aside_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    wagers: int = 0
    outside: int = 0
    outside_cents: int = 0
    slips: int = 0
    corrections_cents: int = 0
    open_time: dt.timedelta = dt.timedelta()
    expected: Expected = field(default_factory=Expected)

    def __add__(self, addend: "Figures") -> "Figures":
        names = [field_.name for field_ in fields(Figures)]
        return Figures(**{name: getattr(self, name) + getattr(addend, name) for name in names})

    @property
    def win_cents(self) -> int:
        """The win as settled."""
        return self.taken_cents - self.paid_cents

    @property
    def corrected_cents(self) -> int:
        """The win with the corrections filed on the day."""
        return self.win_cents + self.corrections_cents

    @property
    def returned_cents(self) -> int:
        """Stakes returned to players: of winners, of returned wagers, of void rounds."""
        return self.wagered_cents + self.aside_cents - self.taken_cents

    @property
    def win_share(self) -> Fraction | None:
        """Win over wagers: the share of the amount wagered that the casino won, as settled. Hold is win over drop."""
        return Fraction(self.win_cents, self.wagered_cents) if self.wagered_cents else None

    @property
    def pace(self) -> Fraction | None:
        return pace(self.settled, self.open_time)

    @property
    def rounds(self) -> int:
        return self.settled + self.no_roll + self.void + self.in_play


@dataclass(frozen=True)
class ReportRow:
    """The figures of one table or game. `label` is its code or name; `open_spans` is when a table was open."""

    code: str
    label: str
    game: str
    figures: Figures
    open_spans: tuple[tuple[dt.datetime | None, dt.datetime | None], ...] = ()


@dataclass(frozen=True)
class HourFigures:
    """The rounds that opened in one hour, and the slips filed in it."""

    begins: dt.datetime
    figures: Figures


@dataclass(frozen=True)
class Report:
    """Everything that the page and the PDF say about a day."""

    day: ReportDay
    total: Figures
    tables: list[ReportRow]
    games: list[ReportRow]
    hours: list[HourFigures]
    slips: list[SlipRow]
    later_slips: list[SlipRow]
    events: DayEvents
    unreadable: list[Unreadable] = field(default_factory=list)

    @property
    def is_final(self) -> bool:
        """Whether only a slip can change the report: the day is over, and so is each of its rounds."""
        return self.day.is_over and not self.total.in_play

    @property
    def is_empty(self) -> bool:
        return not (self.total.rounds or self.slips or self.events.entries)


def build_report(day: ReportDay) -> Report:
    """Build the whole report. The number of queries does not grow with the play.

    On PostgreSQL all queries see one moment while play goes on. On SQLite that would block the tables.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return _build_report(day)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _build_report(day)


def _build_report(day: ReportDay) -> Report:
    rounds = rounds_of_day(day)
    events, (slips, later_slips) = day_events(day, rounds), read_slips(day)
    by_hour = _figures_by_table_and_hour(rounds)
    per_table = _figures_by_table(rounds, by_hour, slips)
    tables = [
        ReportRow(table.code, table.code, table.game, per_table[key], events.open_spans.get(key, ()))
        for key, table in day.tables.items()
        if per_table[key] != Figures() or key in events.open_spans
    ]
    return Report(
        day=day,
        total=sum((row.figures for row in tables), Figures()),
        tables=tables,
        games=_game_rows(tables),
        hours=_hour_figures(day, by_hour, slips),
        slips=slips,
        later_slips=later_slips,
        events=events,
        unreadable=rounds.unreadable(),
    )


def _figures_by_table(
    rounds: DayRounds, by_hour: Mapping[tuple[int, int], Figures], slips: Iterable[SlipRow]
) -> dict[int, Figures]:
    """The figures of each table, by id."""
    figures_by_table: dict[int, Figures] = defaultdict(Figures)
    for (table, _hour), figures in by_hour.items():
        figures_by_table[table] += figures
    for table, expectation in expected_by_table(rounds).items():
        figures_by_table[table] += Figures(expected=expectation)
    for table, records in rounds.by_table.items():
        figures_by_table[table] += _wager_figures(records)
    for table, open_time in _open_times(rounds).items():
        figures_by_table[table] += Figures(open_time=open_time)
    for slip in slips:
        figures_by_table[slip.table] += _slip_figures(slip)
    return figures_by_table


def _slip_figures(slip: SlipRow) -> Figures:
    return Figures(slips=1, corrections_cents=slip.effect_cents)


def _figures_by_table_and_hour(rounds: DayRounds) -> dict[tuple[int, int], Figures]:
    """The figures by table and hour of the day."""
    sums_by_hour: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for table, records in rounds.by_table.items():
        for record in records:
            assert record.opened_at is not None
            sums_by_hour[table, rounds.day.hour_of(record.opened_at)].update(_round_sums(record))
    return {key: _figures(sums) for key, sums in sorted(sums_by_hour.items())}


def _figures(sums: Mapping[str, Any]) -> Figures:
    return Figures(**sums)


def _round_sums(record: RoundRecord) -> dict[str, int]:
    """What one round adds to the sums of its hour."""
    if not record.phase:
        return {"in_play": 1}
    is_cleared = record.phase == "cleared"
    return {
        "settled" if is_cleared else record.phase.replace("-", "_"): 1,
        "by_hand": int(record.by_hand),
        "wagered_cents" if is_cleared else "aside_cents": record.wagered_cents,
        "taken_cents": record.taken_cents,
        "paid_cents": record.paid_cents,
    }


def _wager_figures(records: Iterable[RoundRecord]) -> Figures:
    """The number of wagers in ended rounds, those outside the limits, and the rounds that were played on paper."""
    ended = [record for record in records if record.phase]
    wagers = [wager for record in ended for wager in record.wagers.values() if not wager.struck]
    outside = [wager for wager in wagers if wager.flag]
    return Figures(
        on_paper=sum(record.on_paper for record in ended),
        wagers=len(wagers),
        outside=len(outside),
        outside_cents=sum(wager.cents for wager in outside),
    )


def _open_times(rounds: DayRounds) -> dict[int, dt.timedelta]:
    """The open and staffed time of each table with settled rounds, up to the newest of them."""
    day = rounds.day
    last_by_table = {
        table: min(max(record.ended_at for record in records if record.ended_at), day.ends)
        for table, records in rounds.settled().items()
    }
    tables = [day.tables[table] for table in last_by_table]
    times = open_times(tables, day.begins, max(last_by_table.values(), default=day.begins))
    return {table: times[table].between(day.begins, last) for table, last in last_by_table.items()}


def _game_rows(tables: Iterable[ReportRow]) -> list[ReportRow]:
    figures_by_game: dict[str, Figures] = defaultdict(Figures)
    for row in tables:
        figures_by_game[row.game] += row.figures
    return [
        ReportRow(code, game_by_code(code).name, code, figures)
        for code, figures in sorted(figures_by_game.items())
    ]


def _hour_figures(
    day: ReportDay, rounds: Mapping[tuple[int, int], Figures], slips: Iterable[SlipRow]
) -> list[HourFigures]:
    figures_by_hour = [Figures() for _ in day.hours]
    for (_table, hour), figures in rounds.items():
        figures_by_hour[hour] += figures
    for slip in slips:
        figures_by_hour[day.hour_of(slip.slip.filed_at)] += _slip_figures(slip)
    return [HourFigures(begins, figures) for begins, figures in zip(day.hours, figures_by_hour, strict=True)]
