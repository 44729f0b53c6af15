"""Writes the rollups: sums of settled rounds by hour, gaming day and month.

The ticker adds newly settled rounds every other second, off the path of the acts. A round that a slip changed is not
new: then the whole gaming day of its table is written again from the record. `rebuild` does that for every day, and
`differences` compares.

A round belongs to the hour and the shift in which it was settled, within the gaming day in which it opened. The open
and staffed time of a gaming day (`tables.core.pace`), up to its newest settled round, belongs to the hours, shifts and
dealers in which it passed: so an hour without a settled round may have a row. Both belong to the pit in which the table
was then.
"""

import datetime as dt
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Greatest

from games.models import Facility
from tables.core.figure_sums import COUNTS, ExactSum, FamilySums
from tables.core.pace import HOUR, MICROSECOND
from tables.figures.pit_history import PitHistory, pit_history
from tables.figures.query import DAY, next_month
from tables.figures.round_figures import RoundFigures, figures_of_rounds, round_figures
from tables.models import Round, Slip, Table
from tables.models.figures import DayFigures, HourFigures, MonthFigures, RollupProgress, RollupRow
from tables.opening.open_time import OpenSpan, OpenTime, continued_open_time, open_time_with_dealers

SLOTS = 12  # of an hour, for the plot of a day
BATCH_ROUNDS = 100
TICK_SECONDS = 0.3  # longer than this no tick writes


class Loss(NamedTuple):
    """What one round cost the casino, with its number and when it was settled."""

    cents: int
    number: int
    settled_at: dt.datetime


def larger_loss(first: Loss | None, second: Loss) -> Loss:
    """Return the larger loss; of equal ones that of the earlier round."""
    return max(filter(None, (first, second)), key=lambda loss: (loss.cents, -loss.number))


class Newest(NamedTuple):
    """The newest settled round of a table that the rows have: its gaming day, and when it was settled."""

    gaming_day: dt.date
    settled_at: dt.datetime


class Counted(NamedTuple):
    """Up to where a table is counted. Without a state of its open time that is read from its last opening."""

    newest: Newest | None = None
    open_state: dict[str, Any] | None = None


NOT_COUNTED = Counted()


@dataclass
class Delta:
    """What rounds add to a row."""

    counts: Counter[str] = field(default_factory=Counter)
    expected: ExactSum = field(default_factory=ExactSum)
    variance: ExactSum = field(default_factory=ExactSum)
    families: dict[str, FamilySums] = field(default_factory=dict)
    by_seat: Counter[int] = field(default_factory=Counter)
    win_slots: list[int] = field(default_factory=lambda: [0] * SLOTS)
    largest: Loss | None = None

    def add_round(self, round_: RoundFigures, seats: int, slot: int) -> None:
        """Add a settled round of a table with so many seats."""
        win_cents = round_.taken_cents + round_.fees_cents - round_.paid_cents
        self.counts.update(
            rounds=1,
            wagers=round_.wagers,
            handle_cents=round_.handle_cents,
            taken_cents=round_.taken_cents,
            paid_cents=round_.paid_cents,
            fees_cents=round_.fees_cents,
            cut_cents=round_.cut_cents,
            seats_wagering=len(round_.seats),
            seats_offered=seats,
        )
        if round_.expected_win is None or round_.variance is None:
            self.counts["unknown_rounds"] += 1
        else:
            self.expected.add(round_.expected_win)
            self.variance.add(round_.variance)
        self.by_seat.update(round_.seats)
        self.win_slots[slot] += win_cents
        for code, of_code in round_.by_code.items():
            family = self.families.setdefault(code.partition(":")[0], FamilySums())
            family.wagers += of_code.wagers
            family.handle_cents += of_code.handle_cents
            family.fees_cents += of_code.fees_cents
            family.expected.add(of_code.expected_win or Fraction(0))
        if win_cents < 0:
            loss = Loss(-win_cents, round_.round, round_.settled_at)
            self.largest = larger_loss(self.largest, loss)


class HourKey(NamedTuple):
    """The key of an hour row. `dealers` are their codes, with spaces."""

    gaming_day: dt.date
    begins_at: dt.datetime
    shift: str
    pit: str
    dealers: str

    @property
    def of_day(self) -> "DayKey":
        return DayKey(self.gaming_day, self.shift, self.pit)


class DayKey(NamedTuple):
    """The key of a day row."""

    gaming_day: dt.date
    shift: str
    pit: str

    @property
    def of_month(self) -> "MonthKey":
        return MonthKey(self.gaming_day.replace(day=1), self.shift, self.pit)


class MonthKey(NamedTuple):
    """The key of a month row; `month` is its first day."""

    month: dt.date
    shift: str
    pit: str


def hour_deltas(
    table: Table, rounds: Iterable[RoundFigures], counted: Counted = NOT_COUNTED
) -> tuple[dict[HourKey, Delta], Counted]:
    """Sum rounds of a table, in the order of their numbers, by the rows to which they belong.

    `counted` is up to the settled round before them. Returns also up to which they are counted then.
    """
    deltas: dict[HourKey, Delta] = defaultdict(Delta)
    facility, days, pits = table.facility, DayEnds(table.facility, counted.newest), pit_history(table)
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
        return {}, counted
    first = min(begins for begins, _ends in days.uncounted.values())
    last = max(ends for _begins, ends in days.uncounted.values())
    if counted.open_state is None:
        open_time = open_time_with_dealers(table, first, last)
    else:
        open_time = continued_open_time(table, counted.open_state, last)
    for key, span_time in _open_times(facility, pits, days, open_time):
        deltas[key].counts["open_us"] += span_time // MICROSECOND
    return dict(deltas), Counted(days.newest, open_time.state)


def moment_within(round_: RoundFigures, day_begins: dt.datetime, day_ends: dt.datetime) -> dt.datetime:
    """Return the moment at which a round counts: when it was settled, within its own gaming day."""
    return max(day_begins, min(round_.settled_at, day_ends - MICROSECOND))


class DayEnds:
    """Between which moments the open time of each gaming day is still to be counted: up to its newest settled round."""

    def __init__(self, facility: Facility, newest: Newest | None) -> None:
        self.facility, self.newest = facility, newest
        self.limits: dict[dt.date, tuple[dt.datetime, dt.datetime]] = {}
        self.uncounted: dict[dt.date, tuple[dt.datetime, dt.datetime]] = {}

    def add(self, round_: RoundFigures) -> tuple[dt.datetime, dt.datetime]:
        """Add a settled round. Returns the first and the last moment of its gaming day."""
        day, newest = round_.gaming_day, self.newest
        if day not in self.limits:
            self.limits[day] = self.facility.day_begins(day), self.facility.day_begins(day + DAY)
        day_begins, day_ends = self.limits[day]
        until = max(day_begins, min(round_.settled_at, day_ends))
        if day in self.uncounted:
            begins = self.uncounted[day][0]
        else:
            begins = min(newest.settled_at, day_ends) if newest and newest.gaming_day == day else day_begins
        self.uncounted[day] = begins, max(begins, until)
        self.newest = Newest(day, round_.settled_at)
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
            deltas, counted = hour_deltas(table, rounds, Counted(_newest(progress), progress.open_state))
            _add_hours(table, deltas)
            _set_counted(progress, counted)
            settled = len(rounds)
            progress.last_round = numbers[-1]
        for day in sorted(corrected_days):
            counted = _write_day_again(table, day, progress.last_round)
            if day == progress.newest_day:  # a slip may have voided its newest round
                _set_counted(progress, counted)
        progress.save()
        return settled


def _set_counted(progress: RollupProgress, counted: Counted) -> None:
    progress.newest_day, progress.newest_settled_at = counted.newest or (None, None)
    progress.open_state = counted.open_state


def _newest(progress: RollupProgress) -> Newest | None:
    if progress.newest_day is None or progress.newest_settled_at is None:
        return None
    return Newest(progress.newest_day, progress.newest_settled_at)


def _add_hours(table: Table, deltas: dict[HourKey, Delta]) -> None:
    """Add to the hour rows, and the same to the rows of their days and months."""
    days: dict[DayKey, list[Delta]] = defaultdict(list)
    months: dict[MonthKey, list[Delta]] = defaultdict(list)
    for key, delta in deltas.items():
        row, _ = HourFigures.objects.get_or_create(table=table, **key._asdict())
        slots = row.win_slots or [0] * SLOTS
        row.win_slots = [cents + more for cents, more in zip(slots, delta.win_slots, strict=True)]
        _add(row, [delta])
        days[key.of_day].append(delta)
        months[key.of_day.of_month].append(delta)
    for day, of_day in days.items():
        _add(DayFigures.objects.get_or_create(table=table, **day._asdict())[0], of_day)
    for month, of_month in months.items():
        _add(MonthFigures.objects.get_or_create(table=table, **month._asdict())[0], of_month)


def _add(row: RollupRow, deltas: Sequence[Delta]) -> None:
    _add_to_columns(row, deltas)
    row.save()


def _add_to_columns(row: RollupRow, deltas: Sequence[Delta]) -> None:
    expected, variance = ExactSum(), ExactSum()
    expected.add_text(row.expected_win)
    variance.add_text(row.variance)
    families: dict[str, FamilySums] = defaultdict(FamilySums)
    for family, stored in row.by_family.items():
        families[family].add_stored(stored)
    by_seat = Counter({int(seat): rounds for seat, rounds in row.by_seat.items()})
    for delta in deltas:
        for name in COUNTS:
            setattr(row, name, getattr(row, name) + delta.counts[name])
        expected.add_sum(delta.expected)
        variance.add_sum(delta.variance)
        by_seat.update(delta.by_seat)
        for family, sums in delta.families.items():
            families[family].add_family(sums)
        if delta.largest:
            loss = larger_loss(_loss_of(row), delta.largest)
            row.largest_cents, row.largest_round, row.largest_at = loss
    row.by_family = {family: families[family].stored for family in sorted(families)}
    row.by_seat = {str(seat): by_seat[seat] for seat in sorted(by_seat)}
    _write_exact(row, expected.value, variance.value)


def _write_exact(row: RollupRow, expected: Fraction, variance: Fraction) -> None:
    row.expected_win, row.variance = str(expected), str(variance)
    row.expected_float, row.variance_float = float(expected), float(variance)


# Written again from the record


def _write_day_again(table: Table, day: dt.date, last_round: int) -> Counted:
    """Write the rows of one gaming day of a table from the record, and the month's from its days.

    Returns up to where the day is counted.
    """
    HourFigures.objects.filter(table=table, gaming_day=day).delete()
    DayFigures.objects.filter(table=table, gaming_day=day).delete()
    month = day.replace(day=1)
    MonthFigures.objects.filter(table=table, month=month).delete()
    of_day = round_figures(table.facility, day, day, table.code, table.kind)
    rounds = [round_ for round_ in of_day if round_.round <= last_round]
    deltas, counted = hour_deltas(table, rounds)
    HourFigures.objects.bulk_create(_hour_rows(table, deltas))
    DayFigures.objects.bulk_create(_day_rows(table, deltas))
    days = DayFigures.objects.filter(table=table, gaming_day__gte=month, gaming_day__lt=next_month(month))
    MonthFigures.objects.bulk_create(_month_rows(table, days))
    return counted


def _hour_rows(table: Table, deltas: dict[HourKey, Delta]) -> Iterator[HourFigures]:
    for key, delta in deltas.items():
        row = HourFigures(table=table, win_slots=delta.win_slots, **key._asdict())
        _add_to_columns(row, [delta])
        yield row


def _day_rows(table: Table, deltas: dict[HourKey, Delta]) -> Iterator[DayFigures]:
    by_day: dict[DayKey, list[Delta]] = defaultdict(list)
    for key, delta in deltas.items():
        by_day[key.of_day].append(delta)
    for day, of_day in by_day.items():
        row = DayFigures(table=table, **day._asdict())
        _add_to_columns(row, of_day)
        yield row


def _month_rows(table: Table, days: Iterable[DayFigures]) -> Iterator[MonthFigures]:
    by_month: dict[MonthKey, list[Delta]] = defaultdict(list)
    for day in days:
        by_month[DayKey(day.gaming_day, day.shift, day.pit).of_month].append(_delta_of(day))
    for month, of_month in by_month.items():
        row = MonthFigures(table=table, **month._asdict())
        _add_to_columns(row, of_month)
        yield row


def _delta_of(row: DayFigures) -> Delta:
    delta = Delta(
        counts=Counter({name: getattr(row, name) for name in COUNTS}),
        by_seat=Counter({int(seat): rounds for seat, rounds in row.by_seat.items()}),
    )
    delta.expected.add_text(row.expected_win)
    delta.variance.add_text(row.variance)
    for family, stored in row.by_family.items():
        delta.families.setdefault(family, FamilySums()).add_stored(stored)
    delta.largest = _loss_of(row)
    return delta


def _loss_of(row: RollupRow) -> Loss | None:
    if not row.largest_round or not row.largest_at:
        return None
    return Loss(row.largest_cents, row.largest_round, row.largest_at)


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


def differences(table: Table) -> list[str]:
    """Return what the rows of a table have otherwise than the record, up to the round to which they are written."""
    progress = RollupProgress.objects.filter(table=table).first()
    last_round = progress.last_round if progress else 0
    deltas, _ = hour_deltas(table, figures_of_rounds(table, 1, last_round) if last_round else ())
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
