"""The report of a gaming day: its figures by table, by game, by hour and in total, its slips and its events.

They are computed from the entries, never from the tables of play, which the record does not protect. Nothing is
rounded.

The figures of settled rounds are those of every page (docs/figures.md): a slip counts on the day of its round, and a
round without a result counts nothing. What moved otherwise has names of its own: what was won in rounds that then ended
without a result, and what slips of this day changed and moved, about rounds of any day. Error Notification Slips are
read from their entries (`read_slips`): those filed on the day, and those filed later about its rounds, which change the
figures of this day too and are listed apart.

`build_report` makes the whole of it, for the page and the PDF (tables.reports.page), for `manage.py daily_report`, and
for whoever accepts the day (tables.cases.reports).
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction

from django.db import connection, transaction

from audit.models import Entry, Person
from games.registry import game_by_code
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.figure_sums import MICROSECOND, Sums
from tables.corrections.slips import SLIP_FILED, SLIP_SETTLED
from tables.figures.round_figures import SLACK
from tables.models import Slip, Table
from tables.opening.open_time import open_times
from tables.replay.round_records import RoundRecord
from tables.reports.day_rounds import DayRounds, ReportDay, rounds_of_day, settled_figures
from tables.reports.events import DayEvents, day_events

# Slips of the day

FILED, SETTLED = SLIP_FILED.name, SLIP_SETTLED.name


@dataclass(frozen=True)
class SlipRow:
    """A slip as its entry files it: the round's number and gaming day, the win before and after, and who signed.

    `effect_cents` is its effect on the settled win, `moved_cents` on the table inventory: None where the money had not
    moved by the end of the day.
    """

    table: Table
    code: str
    kind: str
    reason: str
    round: int
    round_day: dt.date
    gaming_day: dt.date
    filed_at: dt.datetime
    filed_seq: int
    filed_by: str
    filed_with: str
    before_cents: int
    after_cents: int
    has_due: bool
    moved_cents: int | None = None

    @property
    def kind_label(self) -> str:
        """What was wrong, in words."""
        return str(dict(Slip.Kind.choices).get(self.kind, self.kind))

    @property
    def effect_cents(self) -> int:
        return self.after_cents - self.before_cents

    @property
    def is_of_another_day(self) -> bool:
        """Whether its round was played on another day than the slip was filed."""
        return self.round_day != self.gaming_day


# When a slip was settled, and what that moved into the table inventory, by table (id) and code of the slip
Movements = dict[tuple[int, str], tuple[dt.datetime, int]]


def read_slips(day: ReportDay) -> tuple[list[SlipRow], list[SlipRow]]:
    """The slips of this day, about rounds of any day; and those of later days about its rounds, which change nothing.

    Both in the order of filing.
    """
    tables = {table.stream_id: table for table in day.tables.values()}
    rows = Entry.objects.filter(stream__in=tables, type__in=(FILED, SETTLED), at__gte=day.begins - SLACK)
    entries = [
        (tables[stream], read((row[0], row[1], row[2], row[3])))
        for stream, *row in rows.order_by("at", "pk").values_list("stream", *COLUMNS)
    ]
    names = _short_names(entries)
    filed: list[SlipRow] = []
    movements: Movements = {}
    for table, entry in entries:
        try:
            if entry.type == FILED:
                filed.append(_filed_slip(table, entry, names))
            elif entry.type == SETTLED:
                movements[table.pk, str(entry.data["slip"])] = _movement(entry)
        except MISSHAPEN:
            continue  # the pages of its round say so
    on_day = [slip for slip in filed if slip.gaming_day == day.date]
    since = [slip for slip in filed if slip.round_day == day.date < slip.gaming_day]
    return (
        [_with_movement(slip, movements, day.ends) for slip in on_day],
        [_with_movement(slip, movements, None) for slip in since],
    )


def _short_names(entries: list[tuple[Table, RecordedEntry]]) -> dict[str, str]:
    """The short names of those who signed, by code."""
    codes = {code for _table, entry in entries for code in (entry.actor, entry.witness)}
    return (
        {person.code: person.short_name for person in Person.objects.filter(code__in=codes)} if codes else {}
    )


def _filed_slip(table: Table, entry: RecordedEntry, names: Mapping[str, str]) -> SlipRow:
    data = entry.data
    return SlipRow(
        table=table,
        code=str(data["slip"]),
        kind=str(data["kind"]),
        reason=str(data["reason"]),
        round=int(data["round"]),
        round_day=dt.date.fromisoformat(data["played_on"]),
        gaming_day=dt.date.fromisoformat(entry.day),
        filed_at=dt.datetime.fromisoformat(entry.at),
        filed_seq=entry.seq,
        filed_by=names.get(entry.actor, entry.actor),
        filed_with=names.get(entry.witness, entry.witness),
        before_cents=int(data["before"]["taken_cents"]) - int(data["before"]["paid_cents"]),
        after_cents=int(data["taken_cents"]) - int(data["paid_cents"]),
        has_due=bool(data["due"]),
    )


def _movement(entry: RecordedEntry) -> tuple[dt.datetime, int]:
    cents = -sum(int(amount["cents"]) for amount in entry.data["moved"])
    return dt.datetime.fromisoformat(entry.at), cents


def _with_movement(slip: SlipRow, movements: Movements, until: dt.datetime | None) -> SlipRow:
    """`until` is the time by which money counts as moved; None means now. A slip with nothing due moves nothing."""
    movement = movements.get((slip.table.pk, slip.code)) if slip.has_due else (slip.filed_at, 0)
    if movement is None:
        return slip
    settled_at, cents = movement
    return replace(slip, moved_cents=cents) if until is None or settled_at < until else slip


# The figures


@dataclass(frozen=True)
class Figures:
    """Sums that can be added; money in cents. `sums` are the figures of the settled rounds (docs/figures.md).

    `void`: rounds that ended void, or that a slip voided. `void_win_cents`: what earlier throws of rounds without a
    result took less what they paid. `slips_cents`: what the slips filed on the day changed in the win of their rounds,
    and `earlier_slips_cents` the part about rounds of earlier days; `slips_moved_cents`: what these slips moved into
    the tray.
    """

    sums: Sums = field(default_factory=Sums)
    no_roll: int = 0
    void: int = 0
    in_play: int = 0
    by_hand: int = 0
    on_paper: int = 0
    outside: int = 0
    outside_cents: int = 0
    void_win_cents: int = 0
    slips: int = 0
    slips_cents: int = 0
    earlier_slips_cents: int = 0
    slips_moved_cents: int = 0

    def __add__(self, addend: "Figures") -> "Figures":
        names = [field_.name for field_ in fields(Figures) if field_.name != "sums"]
        sums = self.sums.copy()
        sums.add(addend.sums)
        return Figures(sums, **{name: getattr(self, name) + getattr(addend, name) for name in names})

    @property
    def settled(self) -> int:
        return self.sums.rounds

    @property
    def win_cents(self) -> int:
        return self.sums.win_cents

    @property
    def win_share(self) -> Fraction | None:
        """Win over handle. Hold is win over drop."""
        return self.sums.win_share

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
    """The rounds that were settled in one hour, those without a result that began in it, and the slips filed in it."""

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
    unreadable: list[tuple[str, int]] = field(default_factory=list)  # as `DayRounds.unreadable`

    @property
    def is_final(self) -> bool:
        """Whether only a slip can change the report: the day is over, and so is each of its rounds."""
        return self.day.is_over and not self.total.in_play

    @property
    def moved_win_cents(self) -> int:
        """The win as settled at the tables, void rounds included, with the slips filed on the day about any day.

        The field `win_cents` of `report.accepted` has always been this. No page shows it.
        """
        since = sum(slip.effect_cents for slip in self.later_slips)
        return self.total.win_cents - since + self.total.void_win_cents + self.total.earlier_slips_cents

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
    for table, records in rounds.by_table.items():
        figures_by_table[table] += _wager_figures(records)
    for table, open_time in _open_times(rounds).items():
        figures_by_table[table] += Figures(Sums(open_us=open_time // MICROSECOND))
    for slip in slips:
        figures_by_table[slip.table.pk] += _slip_figures(slip)
    return figures_by_table


def _slip_figures(slip: SlipRow) -> Figures:
    return Figures(
        slips=1,
        slips_cents=slip.effect_cents,
        earlier_slips_cents=slip.effect_cents if slip.is_of_another_day else 0,
        slips_moved_cents=slip.moved_cents or 0,
    )


def _figures_by_table_and_hour(rounds: DayRounds) -> dict[tuple[int, int], Figures]:
    """The figures by table and hour of the day."""
    figures = {key: Figures(sums) for key, sums in settled_figures(rounds).items()}
    counts_by_hour: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for table, records in rounds.by_table.items():
        for record in records:
            assert record.opened_at is not None
            moment = record.ended_at if record.is_settled and record.ended_at else record.opened_at
            counts_by_hour[table, rounds.day.hour_of(moment)].update(_round_counts(record))
    for key, counts in counts_by_hour.items():
        figures[key] = figures.get(key, Figures()) + Figures(Sums(), **counts)
    return dict(sorted(figures.items()))


def _round_counts(record: RoundRecord) -> dict[str, int]:
    """What one round adds to the counts of its hour, beside the figures of a settled one."""
    if not record.phase:
        return {"in_play": 1}
    if record.is_settled:
        return {"by_hand": int(record.by_hand)}
    ending = "void" if record.phase == "cleared" else record.phase.replace("-", "_")
    counts = {ending: 1, "by_hand": int(record.by_hand)}
    if record.phase != "cleared":  # what a slip voids it also returns
        counts["void_win_cents"] = record.taken_cents - record.paid_cents
    return counts


def _wager_figures(records: Iterable[RoundRecord]) -> Figures:
    """The wagers outside the limits in ended rounds, and the rounds that were played on paper."""
    ended = [record for record in records if record.phase]
    outside = [
        wager for record in ended for wager in record.wagers.values() if wager.flag and not wager.struck
    ]
    return Figures(
        on_paper=sum(record.on_paper for record in ended),
        outside=len(outside),
        outside_cents=sum(wager.cents for wager in outside),
    )


def _open_times(rounds: DayRounds) -> dict[int, dt.timedelta]:
    """The open and staffed time of each table with settled rounds, up to the newest of them."""
    day = rounds.day
    last_by_table = {
        table: min(max(record.ended_at for record in settled if record.ended_at), day.ends)
        for table, settled in rounds.settled().items()
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
        figures_by_hour[day.hour_of(slip.filed_at)] += _slip_figures(slip)
    return [HourFigures(begins, figures) for begins, figures in zip(day.hours, figures_by_hour, strict=True)]
