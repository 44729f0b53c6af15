"""The figures of a gaming day: by table, by game, by hour and in total. The database adds them; nothing is rounded.

Wagered, rounds and the expectation cover settled rounds. Taken, paid and win also include what earlier throws of a
void round had moved. A correction belongs to the day on which its slip was filed, like its money.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from django.db import connection, transaction
from django.db.models import Case, Count, IntegerField, Max, Min, Q, Sum, Value, When
from django.db.models.functions import Coalesce

from audit.models import Entry
from games.registry import game_by_code
from tables.failures.entry_types import ROUND_RECORDED_BY_HAND
from tables.models import Round, Wager
from tables.reports import expected, settled_rounds
from tables.reports.events import DayEvents, day_events
from tables.reports.expected import Expected
from tables.reports.report_day import ReportDay
from tables.reports.slip_rows import SlipRow, filed_on, filed_since

MINUTE_US = 60_000_000  # microseconds
MIN_PLAY_US = 5 * MINUTE_US  # the least play for a rate of rounds an hour, with MIN_ROUNDS
MIN_ROUNDS = 3


@dataclass(frozen=True)
class Figures:
    """Sums that can be added; money in cents. `aside_cents` was staked in rounds that ended void or with no roll.

    `paced` rounds were settled in `paced_us` microseconds of play, from each table's first round to its last.
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
    paced: int = 0
    paced_us: int = 0
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
    def hold(self) -> Fraction | None:
        """The share of the amount wagered that the casino won, as settled."""
        return Fraction(self.win_cents, self.wagered_cents) if self.wagered_cents else None

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

    @property
    def is_final(self) -> bool:
        """Whether only a slip can change the report: the day is over, and so is each of its rounds."""
        return self.day.is_over and not self.total.in_play

    @property
    def is_empty(self) -> bool:
        return not (self.total.rounds or self.slips or self.events.entries)


def build_report(day: ReportDay) -> Report:
    """Build the whole report. The number of queries does not grow with the play, because the database adds.

    On PostgreSQL all queries see one moment while play goes on. On SQLite that would block the tables.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return _build_report(day)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _build_report(day)


def _build_report(day: ReportDay) -> Report:
    events, slips = day_events(day), filed_on(day)
    by_hour = _figures_by_table_and_hour(day)
    per_table = _figures_by_table(day, by_hour, slips)
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
        later_slips=filed_since(day),
        events=events,
    )


def _figures_by_table(
    day: ReportDay, by_hour: Mapping[tuple[int, int], Figures], slips: Iterable[SlipRow]
) -> dict[int, Figures]:
    """The figures of each table, by id."""
    figures_by_table: dict[int, Figures] = defaultdict(Figures)
    for (table, _hour), figures in by_hour.items():
        figures_by_table[table] += figures
    for table, expectation in expected.expected_by_table(day, settled_rounds.settled_by_table(day)).items():
        figures_by_table[table] += Figures(expected=expectation)
    for extra in (_wager_figures(day), _paper_figures(day), _pace_figures(day)):
        for table, figures in extra.items():
            figures_by_table[table] += figures
    for slip in slips:
        figures_by_table[slip.table] += _slip_figures(slip)
    return figures_by_table


def _slip_figures(slip: SlipRow) -> Figures:
    return Figures(slips=1, corrections_cents=slip.effect_cents)


def _figures_by_table_and_hour(day: ReportDay) -> dict[tuple[int, int], Figures]:
    """The figures by table and hour of the day."""
    cleared, ended = Q(phase="cleared"), Q(ended_at__isnull=False)
    hour = Case(
        *[When(opened_at__lt=begins, then=Value(number)) for number, begins in enumerate(day.hours[1:])],
        default=Value(len(day.hours) - 1),
        output_field=IntegerField(),
    )
    rows = (
        _rounds_of_day(day)
        .annotate(hour=hour)
        .values("table", "hour")
        .annotate(
            of_settled=Count("pk", filter=cleared),
            of_no_roll=Count("pk", filter=Q(phase="no-roll")),
            of_void=Count("pk", filter=Q(phase="void")),
            of_in_play=Count("pk", filter=~ended),
            of_by_hand=Count("pk", filter=ended & Q(by_hand=True)),
            of_wagered_cents=Coalesce(Sum("wagered_cents", filter=cleared), 0),
            of_aside_cents=Coalesce(Sum("wagered_cents", filter=ended & ~cleared), 0),
            of_taken_cents=Coalesce(Sum("taken_cents", filter=ended), 0),
            of_paid_cents=Coalesce(Sum("paid_cents", filter=ended), 0),
        )
        .order_by("table", "hour")
    )
    return {(row.pop("table"), row.pop("hour")): _figures(row) for row in rows}


def _figures(row: Mapping[str, Any]) -> Figures:
    """Figures from a row of sums, whose names begin with `of_`: an annotation cannot have a column's name."""
    sums: dict[str, Any] = {name.removeprefix("of_"): int(value) for name, value in row.items()}
    return Figures(**sums)


def _rounds_of_day(day: ReportDay) -> Any:
    return Round.objects.filter(table__in=day.table_ids, gaming_day=day.date)


def _wager_figures(day: ReportDay) -> dict[int, Figures]:
    """The number of wagers in ended rounds, and those outside the limits."""
    outside = ~Q(flag="")
    rows: Any = (
        Wager.objects.filter(
            round__table__in=day.table_ids,
            round__gaming_day=day.date,
            round__ended_at__isnull=False,
            struck=False,
        )
        .values("round__table")
        .annotate(
            of_wagers=Count("pk"),
            of_outside=Count("pk", filter=outside),
            of_outside_cents=Coalesce(Sum("cents", filter=outside), 0),
        )
        .order_by()
    )
    return {row.pop("round__table"): _figures(row) for row in rows}


def _paper_figures(day: ReportDay) -> dict[int, Figures]:
    """Rounds that were played on paper while the tablet was out, and recorded afterwards."""
    figures_by_table: dict[int, Figures] = defaultdict(Figures)
    numbers_by_table = defaultdict(list)
    for table, number in (
        _rounds_of_day(day).filter(by_hand=True, ended_at__isnull=False).values_list("table", "number")
    ):
        numbers_by_table[table].append(number)
    for table, numbers in numbers_by_table.items():
        entries = Entry.objects.filter(
            stream=day.tables[table].stream_id, round__in=numbers, type=ROUND_RECORDED_BY_HAND.name
        )
        figures_by_table[table] += Figures(on_paper=entries.values("round").distinct().count())
    return figures_by_table


def _pace_figures(day: ReportDay) -> dict[int, Figures]:
    rows = (
        _rounds_of_day(day)
        .filter(phase="cleared")
        .values("table")
        .annotate(rounds=Count("pk"), first=Min("opened_at"), last=Max("ended_at"))
        .order_by()
    )
    figures_by_table = {}
    for row in rows:
        duration_us = (row["last"] - row["first"]) // dt.timedelta(microseconds=1)
        if row["rounds"] >= MIN_ROUNDS and duration_us >= MIN_PLAY_US:
            figures_by_table[row["table"]] = Figures(paced=row["rounds"], paced_us=duration_us)
    return figures_by_table


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
