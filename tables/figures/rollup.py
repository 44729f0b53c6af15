"""The rollups: sums of settled rounds by hour, gaming day and month, which every page of figures reads.

1. The ticker adds newly settled rounds every other second (`write_rollups`), off the path of the acts. A round that a
   slip changed is not new: then the whole gaming day of its table is written again from the record.
2. `rebuild` writes every day again (`manage.py figures_rollup --rebuild`), `differences` compares, and a full
   verification does so for every table (`check_rollups`).

A round belongs to the hour and the shift in which it was settled, within the gaming day in which it opened. The open
and staffed time of a gaming day (`tables.core.figure_sums`), up to its newest settled round, belongs to the hours,
shifts and dealers in which it passed: so an hour without a settled round may have a row. Both belong to the pit in
which the table was then (`PitHistory`): a table moves only while it is closed, and the record says when, from where and
to where.

`tables.figures.ranges` reads the rows; what nobody has counted yet is `uncounted_rounds`.
"""

import datetime as dt
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import Case, CharField, F, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest

from audit.columns import declare
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from games.models import Facility
from tables.core.entries import COLUMNS as ENTRY_COLUMNS
from tables.core.entries import read
from tables.core.figure_sums import COLUMNS, COUNTS, HOUR, MICROSECOND, FamilySums, RoundFigures, Sums
from tables.figures.round_figures import figures_of_rounds, round_figures
from tables.models import Round, Slip, Table
from tables.models.figures import DayFigures, HourFigures, MonthFigures, RollupProgress, RollupRow
from tables.opening.open_time import OpenSpan, OpenTime, continued_open_time, open_time_with_dealers
from tables.setup.floor_plan import TABLE_MOVED

SLOTS = 12  # of an hour, for the plot of a day
BATCH_ROUNDS = 100
TICK_SECONDS = 0.3  # longer than this no tick writes
DAY = dt.timedelta(days=1)
RowT = TypeVar("RowT", bound=RollupRow)
PeriodKey = tuple[
    dt.date, str, str
]  # a gaming day, or a month by its first day; the codes of a shift and a pit
ROLLUP_DIFFERS = declare_finding(
    "rollup-differs",
    "The rollups of figures differ from the record: %(row)s. manage.py figures_rollup --rebuild writes them again.",
)


def next_month(day: dt.date) -> dt.date:
    """Return the first day of the month after that of a day."""
    return (day.replace(day=1) + 32 * DAY).replace(day=1)


# In which pit a table was


class PitMove(NamedTuple):
    """A move of a table: when, and the codes of the pits before and after it."""

    moment: dt.datetime
    before: str
    after: str


PitMoves = Mapping[str, Sequence[PitMove]]  # by the code of the table


class PitHistory(NamedTuple):
    """The pit of one table now (its code), and its moves from pit to pit in their order."""

    now: str
    moves: tuple[PitMove, ...] = ()

    def pit_at(self, moment: dt.datetime) -> str:
        """Return the code of the table's pit at a moment; at the moment of a move, the pit before it."""
        return next((move.before for move in self.moves if moment <= move.moment), self.now)


def pit_history(table: Table) -> PitHistory:
    """Return the history of one table, in one statement."""
    moves = pit_moves(table.facility).get(table.code, [])
    return PitHistory(moves[-1].after if moves else table.pit.code, tuple(moves))


def pit_moves(facility: Facility) -> dict[str, list[PitMove]]:
    """Return the moves from pit to pit by the code of the table. An entry that was changed is left out."""
    entries = Entry.objects.filter(stream__name=f"{facility.code}/setup", type=TABLE_MOVED.name)
    moves: dict[str, list[PitMove]] = {}
    for row in entries.order_by("seq").values_list(*ENTRY_COLUMNS):
        entry = read(row)
        before, after = entry.data.get("pit_before"), entry.data.get("pit")
        if entry.is_intact and isinstance(before, str) and isinstance(after, str) and before != after:
            move = PitMove(dt.datetime.fromisoformat(entry.at), before, after)
            moves.setdefault(str(entry.data.get("table")), []).append(move)
    return moves


def pit_by_moment(tables: Iterable[Table], moves: PitMoves, *, table: str, moment: str) -> Case:
    """Return an expression for `PitHistory.pit_at`: `table` and `moment` are the columns of the row."""
    whens = [
        When(**{table: row.pk, f"{moment}__lte": move.moment}, then=Value(move.before))
        for row in tables
        for move in moves.get(row.code, ())
    ]
    return Case(*whens, default=F(f"{table}__pit__code"), output_field=CharField())


# What rounds add to the rows


@dataclass
class RowSums:
    """What a row sums, or what rounds add to one."""

    sums: Sums = field(default_factory=Sums)
    families: dict[str, FamilySums] = field(default_factory=lambda: defaultdict(FamilySums))
    by_seat: Counter[int] = field(default_factory=Counter)
    win_slots: list[int] = field(default_factory=lambda: [0] * SLOTS)

    @classmethod
    def of_row(cls, row: RollupRow) -> "RowSums":
        """What a row has."""
        read = cls(by_seat=Counter({int(seat): rounds for seat, rounds in row.by_seat.items()}))
        read.sums.add_row({name: getattr(row, name) for name in COLUMNS})
        for family, stored in row.by_family.items():
            read.families[family].add_stored(stored)
        if isinstance(row, HourFigures) and row.win_slots:
            read.win_slots = list(row.win_slots)
        return read

    def add_round(self, round_: RoundFigures, seats: int, slot: int) -> None:
        """Add a settled round of a table with so many seats."""
        self.sums.add_round(round_, seats)
        self.by_seat.update(round_.seats)
        self.win_slots[slot] += round_.win_cents
        for code, of_code in round_.by_code.items():
            self.families[code.partition(":")[0]].add_code(of_code)

    def add(self, addend: "RowSums") -> None:
        """Add the sums of other rounds of the table."""
        self.sums.add(addend.sums)
        self.by_seat.update(addend.by_seat)
        self.win_slots = [cents + more for cents, more in zip(self.win_slots, addend.win_slots, strict=True)]
        for family, sums in addend.families.items():
            self.families[family].add_family(sums)

    def write_to(self, row: RollupRow) -> None:
        """Set the columns of a row, without saving it."""
        for name in COUNTS:
            setattr(row, name, getattr(self.sums, name))
        expected, variance = self.sums.expected.value, self.sums.variance.value
        row.expected_win, row.variance = str(expected), str(variance)
        row.expected_float, row.variance_float = float(expected), float(variance)
        if loss := self.sums.largest:
            row.largest_cents, row.largest_round, row.largest_at = loss.cents, loss.round, loss.settled_at
        row.by_family = {family: self.families[family].stored for family in sorted(self.families)}
        row.by_seat = {str(seat): self.by_seat[seat] for seat in sorted(self.by_seat)}
        if isinstance(row, HourFigures):
            row.win_slots = self.win_slots


class HourKey(NamedTuple):
    """The key of an hour row. `dealers` are their codes, with spaces."""

    gaming_day: dt.date
    begins_at: dt.datetime
    shift: str
    pit: str
    dealers: str


def hour_deltas(
    table: Table, rounds: Iterable[RoundFigures], counted: RollupProgress | None = None
) -> dict[HourKey, RowSums]:
    """Sum rounds of a table, in the order of their numbers, by the rows to which they belong.

    `counted` says up to which settled round before them the table is counted, and is set to the last of them; it is not
    saved. Without a state of the open time there, that is read from the table's last opening.
    """
    counted = counted or RollupProgress(table=table)
    deltas: dict[HourKey, RowSums] = defaultdict(RowSums)
    facility, days, pits = table.facility, DayEnds(table.facility, counted), pit_history(table)
    for round_ in rounds:
        day_begins, day_ends = days.add(round_)
        moment = moment_within(round_, day_begins, day_ends)
        hour = (moment - day_begins) // HOUR
        slot = ((moment - day_begins) % HOUR) * SLOTS // HOUR
        key = HourKey(
            round_.gaming_day,
            day_begins + hour * HOUR,
            facility.shift_of(moment).code,
            pits.pit_at(round_.settled_at),
            " ".join(round_.dealers),
        )
        deltas[key].add_round(round_, table.seats, slot)
    if not days.uncounted:
        return {}
    first = min(begins for begins, _ends in days.uncounted.values())
    last = max(ends for _begins, ends in days.uncounted.values())
    if counted.open_state is None:
        open_time = open_time_with_dealers(table, first, last)
    else:
        open_time = continued_open_time(table, counted.open_state, last)
    for key, span_time in _open_times(facility, pits, days, open_time):
        deltas[key].sums.open_us += span_time // MICROSECOND
    counted.open_state = open_time.state
    return dict(deltas)


def moment_within(round_: RoundFigures, day_begins: dt.datetime, day_ends: dt.datetime) -> dt.datetime:
    """Return the moment at which a round counts: when it was settled, within its own gaming day."""
    return max(day_begins, min(round_.settled_at, day_ends - MICROSECOND))


class DayEnds:
    """Between which moments the open time of each gaming day is still to be counted: up to its newest settled round."""

    def __init__(self, facility: Facility, counted: RollupProgress) -> None:
        self.facility, self.counted = facility, counted
        self.limits: dict[dt.date, tuple[dt.datetime, dt.datetime]] = {}
        self.uncounted: dict[dt.date, tuple[dt.datetime, dt.datetime]] = {}

    def add(self, round_: RoundFigures) -> tuple[dt.datetime, dt.datetime]:
        """Add a settled round. Returns the first and the last moment of its gaming day."""
        day, counted = round_.gaming_day, self.counted
        if day not in self.limits:
            self.limits[day] = self.facility.day_begins(day), self.facility.day_begins(day + DAY)
        day_begins, day_ends = self.limits[day]
        until = max(day_begins, min(round_.settled_at, day_ends))
        if day in self.uncounted:
            begins = self.uncounted[day][0]
        elif counted.newest_settled_at and counted.newest_day == day:
            begins = min(counted.newest_settled_at, day_ends)
        else:
            begins = day_begins
        self.uncounted[day] = begins, max(begins, until)
        counted.newest_day, counted.newest_settled_at = day, round_.settled_at
        return day_begins, day_ends


def _open_times(
    facility: Facility, pits: PitHistory, days: DayEnds, open_time: OpenTime
) -> Iterator[tuple[HourKey, dt.timedelta]]:
    """Yield the uncounted open time by the rows to which it belongs."""
    for day, (begins, ends) in days.uncounted.items():
        for span in open_time.spans(begins, ends):
            pit = pits.pit_at(span.ends)
            yield from _parts(facility, day, days.limits[day][0], span, pit)


def _parts(
    facility: Facility, day: dt.date, day_begins: dt.datetime, span: OpenSpan, pit: str
) -> Iterator[tuple[HourKey, dt.timedelta]]:
    """Cut a span at each hour of its day and at each shift."""
    shifts, moment = facility.shifts_of(day), span.begins
    while moment < span.ends:
        hour = day_begins + (moment - day_begins) // HOUR * HOUR
        shift = next(shift for shift in reversed(shifts) if shift.begins <= moment)
        until = min(hour + HOUR, shift.ends, span.ends)
        yield HourKey(day, hour, shift.code, pit, " ".join(span.dealers)), until - moment
        moment = until


# Newly settled rounds


def write_rollups() -> list[int]:
    """Add what has been settled since the last time, for the ticker. No screen of a table changes."""
    until = time.monotonic() + TICK_SECONDS
    for table in tables_behind():
        roll_up_table(table, until)
        if time.monotonic() > until:
            break
    return []


def tables_behind() -> list[Table]:
    """Return the tables with ended rounds or entries about slips that the rollups do not have."""
    ended = Round.objects.filter(table=OuterRef("pk"), ended_at__isnull=False).order_by("-number")
    slip_seqs = Slip.objects.filter(table=OuterRef("pk")).order_by().values("table")
    newest_slip = slip_seqs.annotate(newest=Max(Greatest("filed_seq", Coalesce("settled_seq", 0))))
    tables = Table.objects.filter(last_round__gt=0).annotate(
        newest_round=Subquery(ended.values("number")[:1]),
        newest_slip=Subquery(newest_slip.values("newest")),
        counted_round=Coalesce(F("rollup_progress__last_round"), 0),
        counted_slip=Coalesce(F("rollup_progress__slip_seq"), 0),
    )
    behind = Q(newest_round__gt=F("counted_round")) | Q(newest_slip__gt=F("counted_slip"))
    return list(tables.filter(behind).select_related("facility", "stream").order_by("pk"))


def roll_up_table(table: Table, until: float | None = None) -> int:
    """Add the newly ended rounds of a table to its rows, in batches. Returns how many rounds were settled.

    `until`: begin no batch after this reading of the monotonic clock.
    """
    rounds = 0
    while (batch := _roll_up_batch(table)) is not None:
        rounds += batch
        if until is not None and time.monotonic() > until:
            break
    return rounds


def _roll_up_batch(table: Table) -> int | None:
    """Add one batch in a transaction; None if there is nothing to add. Of two tickers the second waits."""
    with transaction.atomic():
        RollupProgress.objects.get_or_create(table=table)
        progress = RollupProgress.objects.select_for_update().get(table=table)
        slips = Slip.objects.filter(
            Q(filed_seq__gt=progress.slip_seq) | Q(settled_seq__gt=progress.slip_seq),
            table=table,
            round__number__lte=progress.last_round,
        )
        corrected_days = set(slips.values_list("round__gaming_day", flat=True))
        newest_slips = table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq"))
        progress.slip_seq = max(filter(None, (*newest_slips.values(), progress.slip_seq)), default=0)
        ended = Round.objects.filter(
            table=table, number__gt=progress.last_round, ended_at__isnull=False
        ).order_by("number")
        numbers = list(ended.values_list("number", flat=True)[:BATCH_ROUNDS])
        if not numbers and not corrected_days:
            progress.save()
            return None
        settled = 0
        if numbers:
            rounds = list(figures_of_rounds(table, progress.last_round + 1, numbers[-1]))
            _add_hours(table, hour_deltas(table, rounds, progress))
            settled = len(rounds)
            progress.last_round = numbers[-1]
        for day in sorted(corrected_days):
            is_newest = day == progress.newest_day
            if is_newest:  # a slip may have voided its newest round
                progress.newest_day = progress.newest_settled_at = progress.open_state = None
            _write_day_again(table, day, progress.last_round, progress if is_newest else None)
        progress.save()
        return settled


def _add_hours(table: Table, deltas: dict[HourKey, RowSums]) -> None:
    """Add to the hour rows, and the same to the rows of their days and months."""
    for key, delta in deltas.items():
        _added(HourFigures.objects.get_or_create(table=table, **key._asdict())[0], [delta]).save()
    by_day = _by_day(deltas)
    for (day, shift, pit), of_day in by_day.items():
        day_row, _ = DayFigures.objects.get_or_create(table=table, gaming_day=day, shift=shift, pit=pit)
        _added(day_row, of_day).save()
    for (month, shift, pit), of_month in _by_month(by_day).items():
        month_row, _ = MonthFigures.objects.get_or_create(table=table, month=month, shift=shift, pit=pit)
        _added(month_row, of_month).save()


def _by_day(deltas: dict[HourKey, RowSums]) -> dict[PeriodKey, list[RowSums]]:
    by_day: dict[PeriodKey, list[RowSums]] = defaultdict(list)
    for key, delta in deltas.items():
        by_day[key.gaming_day, key.shift, key.pit].append(delta)
    return by_day


def _by_month(by_day: Mapping[PeriodKey, Iterable[RowSums]]) -> dict[PeriodKey, list[RowSums]]:
    by_month: dict[PeriodKey, list[RowSums]] = defaultdict(list)
    for (day, shift, pit), of_day in by_day.items():
        by_month[day.replace(day=1), shift, pit] += of_day
    return by_month


def _added(row: RowT, deltas: Iterable[RowSums]) -> RowT:
    """Return the row with these added to its columns. It is not saved."""
    total = RowSums.of_row(row)
    for delta in deltas:
        total.add(delta)
    total.write_to(row)
    return row


def uncounted_rounds(table: Table, day: dt.date) -> tuple[list[RoundFigures], bool]:
    """Return the settled rounds of a table's gaming day that its rows do not have, without writing anything.

    Also whether a slip about one that they have was filed since: then they are all rounds of the day.
    """
    progress = RollupProgress.objects.filter(table=table).first() or RollupProgress(table=table)
    slips = Slip.objects.filter(
        table=table,
        filed_seq__gt=progress.slip_seq,
        round__gaming_day=day,
        round__number__lte=progress.last_round,
    )
    if slips.exists():
        return list(round_figures(table.facility, day, day, table.code, table.kind)), True
    rounds = figures_of_rounds(table, progress.last_round + 1, table.last_round)
    return [round_ for round_ in rounds if round_.gaming_day == day], False


# Written again from the record


def rebuild(table: Table) -> int:
    """Write every row of a table again from the record. Returns the number of settled rounds."""
    with transaction.atomic():
        RollupProgress.objects.get_or_create(table=table)
        RollupProgress.objects.select_for_update().get(table=table)
        for model in (HourFigures, DayFigures, MonthFigures):
            model._default_manager.filter(table=table).delete()
        RollupProgress.objects.filter(table=table).update(
            last_round=0, newest_day=None, newest_settled_at=None, open_state=None, slip_seq=0
        )
        return roll_up_table(table)


def _write_day_again(table: Table, day: dt.date, last_round: int, counted: RollupProgress | None) -> None:
    """Write the rows of one gaming day of a table from the record, and the month's from its days."""
    HourFigures.objects.filter(table=table, gaming_day=day).delete()
    DayFigures.objects.filter(table=table, gaming_day=day).delete()
    month = day.replace(day=1)
    MonthFigures.objects.filter(table=table, month=month).delete()
    of_day = round_figures(table.facility, day, day, table.code, table.kind)
    rounds = [round_ for round_ in of_day if round_.round <= last_round]
    deltas = hour_deltas(table, rounds, counted)
    HourFigures.objects.bulk_create(_hour_rows(table, deltas))
    DayFigures.objects.bulk_create(_day_rows(table, deltas))
    days = DayFigures.objects.filter(table=table, gaming_day__gte=month, gaming_day__lt=next_month(month))
    MonthFigures.objects.bulk_create(_month_rows(table, days))


def _hour_rows(table: Table, deltas: dict[HourKey, RowSums]) -> Iterator[HourFigures]:
    for key, delta in deltas.items():
        yield _added(HourFigures(table=table, **key._asdict()), [delta])


def _day_rows(table: Table, deltas: dict[HourKey, RowSums]) -> Iterator[DayFigures]:
    for (day, shift, pit), of_day in _by_day(deltas).items():
        yield _added(DayFigures(table=table, gaming_day=day, shift=shift, pit=pit), of_day)


def _month_rows(table: Table, days: Iterable[DayFigures]) -> Iterator[MonthFigures]:
    by_day = {(row.gaming_day, row.shift, row.pit): [RowSums.of_row(row)] for row in days}
    for (month, shift, pit), of_month in _by_month(by_day).items():
        yield _added(MonthFigures(table=table, month=month, shift=shift, pit=pit), of_month)


# Compared with the record


@record_check
def check_rollups(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the rollups of every table with its rounds. What differs is computed again while nobody writes it."""
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        tick()
        if not differences(table):
            continue
        with transaction.atomic():
            if _may_lock():
                RollupProgress.objects.select_for_update().filter(table=table).first()
            lines = differences(table)
        for line in lines:
            yield Finding(ROLLUP_DIFFERS, {"stream": table.stream.name, "row": line})


def _may_lock() -> bool:
    """Whether this role of the database may lock the row: that of an auditor may only read."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('tables_rollupprogress', 'UPDATE')")
        return bool(cursor.fetchone()[0])


def differences(table: Table) -> list[str]:
    """Return what the rows of a table have otherwise than the record, up to the round to which they are written."""
    progress = RollupProgress.objects.filter(table=table).first()
    last_round = progress.last_round if progress else 0
    deltas = hour_deltas(table, figures_of_rounds(table, 1, last_round) if last_round else ())
    day_rows = list(_day_rows(table, deltas))
    return [
        f"{table.place}: {difference}"
        for stored, computed in (
            (HourFigures.objects.filter(table=table), list(_hour_rows(table, deltas))),
            (DayFigures.objects.filter(table=table), day_rows),
            (MonthFigures.objects.filter(table=table), list(_month_rows(table, day_rows))),
        )
        for difference in _row_differences(stored, computed)
    ]


def _row_differences(stored: Iterable[RollupRow], computed: Collection[RollupRow]) -> Iterator[str]:
    stored_by_key = {_key(row): _columns(row) for row in stored}
    computed_by_key = {_key(row): _columns(row) for row in computed}
    for key in sorted(stored_by_key.keys() | computed_by_key.keys()):
        stored_columns, computed_columns = stored_by_key.get(key), computed_by_key.get(key)
        if stored_columns is None or computed_columns is None:
            yield f"{' '.join(key)}: {'no row' if stored_columns is None else 'a row without rounds'}"
        elif names := [name for name, value in computed_columns.items() if stored_columns[name] != value]:
            yield f"{' '.join(key)}: " + ", ".join(
                f"{name} {stored_columns[name]}, not {computed_columns[name]}" for name in names
            )


def _key(row: RollupRow) -> tuple[str, ...]:
    names = ("gaming_day", "begins_at", "month", "shift", "pit", "dealers")
    return (type(row).__name__, *(str(getattr(row, name)) for name in names if hasattr(row, name)))


def _columns(row: RollupRow) -> dict[str, Any]:
    return {
        field_.name: getattr(row, field_.name)
        for field_ in row._meta.concrete_fields
        if field_.name not in ("id", "table")
    }


ROLLUP = "tables.figures.rollup.check_rollups"
SUMS = ("table", *COLUMNS[1:], "expected_float", "variance_float", "by_family", "by_seat")
HOUR_COLUMNS = (*SUMS, "gaming_day", "begins_at", "dealers", "win_slots")
declare(HourFigures, "hour of figures", derived=dict.fromkeys(HOUR_COLUMNS, ROLLUP))
declare(DayFigures, "day of figures", derived=dict.fromkeys((*SUMS, "gaming_day"), ROLLUP))
declare(MonthFigures, "month of figures", derived=dict.fromkeys((*SUMS, "month"), ROLLUP))
declare(
    RollupProgress,
    "progress of rollups",
    derived={"last_round": ROLLUP},
    unproven=dict.fromkeys(
        ("table", "newest_day", "newest_settled_at", "open_state", "slip_seq"),
        "how far rounds are counted: what was counted is compared with them",
    ),
)
