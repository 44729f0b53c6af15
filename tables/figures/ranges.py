"""The figures of a range of gaming days: what is asked, and what the rollups, inventories and drop boxes say of it.

1. `read_query` reads what an address asks for: days, and the filters that the links of a page set. `visible_tables`
   are those whose figures a person may see.
2. `read_range` adds up the rollups (`tables.figures.rollup`) from the coarsest rows that have what is asked for, by
   table, shift, pit, family of wagers, seat and period, with the points of the plot of the win.
3. `read_hold` adds up what was sold, dropped and held (docs/figures.md). The unit is an inventory, from its opener to
   its closer, on the gaming day of the opener. Its own row and those of its drop boxes have the sums, which a full
   verification and `manage.py figures_rollup --check` compare with the entries.

Drawn by `tables.figures.page`.
"""

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncHour, TruncMonth

from audit.models import Person
from games.models import Facility
from games.params import read_day
from tables.core.duty import scope_of
from tables.core.figure_sums import COLUMNS, FamilySums, Sums
from tables.figures.rollup import DAY, SLOTS, PitMoves, next_month, pit_by_moment
from tables.models import (
    ChipSale,
    DayFigures,
    DropBox,
    HourFigures,
    MonthFigures,
    Round,
    Table,
    TableInventory,
)
from tables.models.figures import RollupRow
from tables.money.reconciliation import moved_in_void_rounds

PLAYS = {"live": "Real play", "training": "Training", "simulated": "Simulation"}
BY = {"table": "Table", "pit": "Pit", "game": "Game", "shift": "Shift", "dealer": "Dealer"}
FILTERS = ("shift", "pit", "table", "game", "dealer")
BY_DAY_MAX = 62  # a longer range is by month
SLOT = dt.timedelta(minutes=5)
Moment = dt.datetime | dt.date


# What is asked


@dataclass(frozen=True)
class FiguresQuery:
    """Gaming days from the first to the last, of one kind of play; a filter that is "" leaves nothing out."""

    facility: Facility
    first: dt.date
    last: dt.date
    today: dt.date
    shift: str = ""
    pit: str = ""
    table: str = ""
    game: str = ""
    dealer: str = ""
    play: str = "live"
    by: str = "table"

    @property
    def days(self) -> int:
        return (self.last - self.first) // DAY + 1

    @property
    def is_one_day(self) -> bool:
        return self.first == self.last

    @property
    def has_today(self) -> bool:
        return self.last == self.today

    @property
    def period(self) -> str:
        """What the page lists in time: hours of one day, days of a short range, months of a long one."""
        return "hour" if self.is_one_day else "day" if self.days <= BY_DAY_MAX else "month"

    @property
    def parameters_without_days(self) -> list[tuple[str, str]]:
        """The names and values of the address that stay when somebody chooses other days."""
        return [(name, value) for name, value in self._parameters() if name not in ("from", "to")]

    def parameters(self, **changes: Any) -> str:
        """Return the query of an address with these changes, only with what is not the default."""
        return "?" + urlencode(replace(self, **changes)._parameters())

    def _parameters(self) -> list[tuple[str, str]]:
        parameters = {
            "from": self.first.isoformat(),
            "to": self.last.isoformat(),
            **{name: getattr(self, name) for name in FILTERS},
            "play": "" if self.play == "live" else self.play,
            "by": "" if self.by == "table" else self.by,
        }
        return [(name, value) for name, value in parameters.items() if value]


def read_query(
    facility: Facility, parameters: Mapping[str, str], today: dt.date, default_days: int = 1
) -> tuple[FiguresQuery, str]:
    """Return the query of an address, and a sentence about what was typed and could not be used."""
    first_typed, last_typed = parameters.get("from", ""), parameters.get("to", "")
    first, last = read_day(first_typed), read_day(last_typed)
    refused = ""
    if (first_typed and first is None) or (last_typed and last is None):
        refused = "A gaming day is a date, such as 2026-11-21."
    last = last or first or today
    if last > today or (first and first > today):
        refused = "That gaming day has not begun."
        last = min(last, today)
    first = first or (last if last_typed else last - (default_days - 1) * DAY)
    if first > last:
        refused = refused or "The range ends before it begins."
        first = last
    play, by = parameters.get("play", ""), parameters.get("by", "")
    query = FiguresQuery(
        facility,
        first,
        last,
        today,
        **{name: _read_code(parameters.get(name, "")) for name in FILTERS},
        play=play if play in PLAYS else "live",
        by=by if by in BY else "table",
    )
    return query, refused


def _read_code(typed: str) -> str:
    return typed if is_code(typed) else ""


def is_code(typed: str) -> bool:
    """Whether a filter may have this value: a code, which need not exist."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", typed, re.ASCII) is not None


def month_of(day: dt.date) -> tuple[dt.date, dt.date]:
    """Return the first and the last day of the month of a day."""
    return day.replace(day=1), next_month(day) - DAY


def visible_tables(person: Person | None, facility: Facility, play: str) -> list[Table]:
    """Return the tables of one kind whose figures a person may see: those of their duty, or all of the facility.

    Without a person, for a declared report, they are all of the facility.
    """
    tables = Table.objects.filter(facility=facility, kind=play).select_related("pit", "dealer")
    ordered = list(tables.order_by("pit__code", "code"))
    return scope_of(person, facility).of(ordered)


def selected_tables(query: FiguresQuery, tables: list[Table]) -> list[Table]:
    """Return those of these tables that the filters leave.

    The pit filter applies to rollup rows instead, because a table may have moved.
    """
    return [table for table in tables if query.table in ("", table.code) and query.game in ("", table.game)]


# Figures of the rollups


class PlotPoint(NamedTuple):
    """The win of a range up to a moment, what was expected of it, and its band, in cents."""

    moment: Moment
    win_cents: int
    expected_cents: float
    band_cents: float


@dataclass
class DaySums:
    """What the plot needs of a gaming day: the win and its expectation in cents, the variance in cents squared."""

    win_cents: int = 0
    expected_cents: float = 0.0
    variance: float = 0.0


@dataclass
class RangeFigures:
    """The figures of a query: by table (id), by hour, day or month, and in total, with the points of the plot.

    `by_shift` and `by_pit` are filled only if the query groups by them. Families are by the codes of the game and of
    the family. The seats are those of a single table, with the number of rounds in which each had a wager.
    """

    by_table: dict[int, Sums] = field(default_factory=lambda: defaultdict(Sums))
    by_shift: dict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))
    by_pit: dict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))
    by_period: dict[Moment, Sums] = field(default_factory=lambda: defaultdict(Sums))
    families: dict[tuple[str, str], FamilySums] = field(default_factory=lambda: defaultdict(FamilySums))
    by_seat: Counter[int] = field(default_factory=Counter)
    points: list[PlotPoint] = field(default_factory=list)

    @property
    def total(self) -> Sums:
        total = Sums()
        for sums in self.by_table.values():
            total.add(sums)
        return total


def read_range(query: FiguresQuery, tables: Sequence[Table]) -> RangeFigures:
    """Read the figures of these tables in the range and filters of a query."""
    figures = RangeFigures()
    games = {table.pk: table.game for table in tables}
    daily: dict[dt.date, DaySums] = defaultdict(DaySums)
    of_periods = list(_rows(query, games))
    for period, row in of_periods:
        table = row["table_id"]
        figures.by_table[table].add_row(row)
        figures.by_period[period].add_row(row)
        if query.by == "shift":
            figures.by_shift[row["shift"]].add_row(row)
        elif query.by == "pit":
            figures.by_pit[row["pit"]].add_row(row)
        for family, stored in row["by_family"].items():
            figures.families[games[table], family].add_stored(stored)
        if "by_seat" in row:
            figures.by_seat.update({int(seat): rounds for seat, rounds in row["by_seat"].items()})
        if "gaming_day" in row:
            of_day = daily[row["gaming_day"]]
            of_day.win_cents += row["taken_cents"] + row["fees_cents"] - row["paid_cents"]
            of_day.expected_cents += row["expected_float"]
            of_day.variance += row["variance_float"]
    if query.is_one_day:
        figures.points = _points_of_day([row for _period, row in of_periods])
    else:
        if query.period == "month" and not query.dealer:
            daily = _daily_sums(query, games)
        figures.points = _points_of_days(daily)
    return figures


def _rows(query: FiguresQuery, games: Mapping[int, str]) -> Iterator[tuple[Moment, dict[str, Any]]]:
    """Yield the period and the columns of every row. Days at the ends of a long range are no whole months.

    The column `by_seat` is there for a single table.
    """
    seats = ("by_seat",) if len(games) == 1 else ()
    if query.is_one_day or query.dealer:
        hours = _of_days(HourFigures.objects.all(), query, games)
        if query.dealer:
            hours = hours.filter(_has_dealer(query.dealer))
        for row in _values(hours, *seats, "gaming_day", "begins_at", "win_slots"):
            yield _period(query, row["gaming_day"], row["begins_at"]), row
        return
    months = whole_months(query.first, query.last) if query.period == "month" else []
    if months:
        in_months = MonthFigures.objects.filter(month__in=months)
        for row in _values(_filtered(in_months, query, games), *seats, "month"):
            yield row["month"], row
    days = Q(gaming_day__range=(query.first, query.last))
    if months:
        ends = next_month(months[-1])
        days = Q(gaming_day__gte=query.first, gaming_day__lt=months[0]) | Q(
            gaming_day__gte=ends, gaming_day__lte=query.last
        )
    for row in _values(_filtered(DayFigures.objects.filter(days), query, games), *seats, "gaming_day"):
        yield _period(query, row["gaming_day"]), row


def _period(query: FiguresQuery, day: dt.date, begins_at: dt.datetime | None = None) -> Moment:
    if query.is_one_day and begins_at:
        return begins_at
    return day if query.period == "day" else day.replace(day=1)


def whole_months(first: dt.date, last: dt.date) -> list[dt.date]:
    """Return the first days of the months that lie entirely in a range of days."""
    month = first if first.day == 1 else next_month(first)
    months = []
    while (following := next_month(month)) - DAY <= last:
        months.append(month)
        month = following
    return months


def _of_days(rows: QuerySet[Any], query: FiguresQuery, games: Mapping[int, str]) -> QuerySet[Any]:
    return _filtered(rows.filter(gaming_day__range=(query.first, query.last)), query, games)


def _filtered(rows: QuerySet[Any], query: FiguresQuery, games: Mapping[int, str]) -> QuerySet[Any]:
    chosen = {name: code for name in ("shift", "pit") if (code := getattr(query, name))}
    return rows.filter(table__in=list(games), **chosen).order_by()


def _has_dealer(code: str) -> Q:
    """Whether a dealer is among the dealers of a row, whose codes are separated by spaces."""
    return (
        Q(dealers=code)
        | Q(dealers__startswith=f"{code} ")
        | Q(dealers__endswith=f" {code}")
        | Q(dealers__contains=f" {code} ")
    )


def _values(rows: QuerySet[RollupRow], *more: str) -> Iterable[dict[str, Any]]:
    return rows.values(*COLUMNS, "expected_float", "variance_float", "by_family", *more)


def by_dealers(query: FiguresQuery, tables: Sequence[Table]) -> dict[str, Sums]:
    """Return the figures of a range by the dealers at the table: two codes where two deal together."""
    games = {table.pk: table.game for table in tables}
    hours = _of_days(HourFigures.objects.all(), query, games)
    if query.dealer:
        hours = hours.filter(_has_dealer(query.dealer))
    dealers: dict[str, Sums] = defaultdict(Sums)
    for row in hours.values(*COLUMNS, "dealers").iterator(chunk_size=2000):
        dealers[row["dealers"]].add_row(row)
    return dict(sorted(dealers.items()))


def dealers_of(query: FiguresQuery, tables: Sequence[Table]) -> list[str]:
    """Return the codes of the dealers of the last days of a range, for the filter."""
    first = max(query.first, query.last - 30 * DAY)
    rows = HourFigures.objects.filter(
        gaming_day__range=(first, query.last), table__in=[table.pk for table in tables]
    )
    return sorted(
        {
            code
            for dealers in rows.order_by().values_list("dealers", flat=True).distinct()
            for code in dealers.split()
        }
    )


def not_counted(query: FiguresQuery, tables: Sequence[Table]) -> int:
    """Return how many settled rounds of these tables in the range the rollups do not have yet."""
    behind = Q(number__gt=0) & (
        Q(table__rollup_progress=None) | Q(number__gt=F("table__rollup_progress__last_round"))
    )
    days = Q(gaming_day__range=(query.first, query.last))
    return Round.objects.filter(behind, days, table__in=tables, phase="cleared").count()


def share_of(part: Fraction | int, total: Fraction | int) -> Fraction | None:
    """Return the share of a part in a total; None where the total is zero."""
    return Fraction(part) / Fraction(total) if total else None


# The points of the plot


def _daily_sums(query: FiguresQuery, games: Mapping[int, str]) -> dict[dt.date, DaySums]:
    """Return the win, the expected win and its variance of each day, added up by the database."""
    rows = _of_days(DayFigures.objects.all(), query, games).values("gaming_day")
    sums = rows.annotate(
        win=Sum("taken_cents") + Sum("fees_cents") - Sum("paid_cents"),
        expected=Sum("expected_float"),
        spread=Sum("variance_float"),
    )
    return {row["gaming_day"]: DaySums(row["win"], row["expected"], row["spread"]) for row in sums}


def _points_of_days(daily: Mapping[dt.date, DaySums]) -> list[PlotPoint]:
    """Return the running sums after each day, from a point of nothing at the first day's beginning."""
    if not daily:
        return []
    days = sorted(daily)
    points, total = [PlotPoint(days[0], 0, 0.0, 0.0)], DaySums()
    for day in days:
        total.win_cents += daily[day].win_cents
        total.expected_cents += daily[day].expected_cents
        total.variance += daily[day].variance
        points.append(
            PlotPoint(day + DAY, total.win_cents, total.expected_cents, _band_cents(total.variance))
        )
    return points


def _points_of_day(rows: Sequence[Mapping[str, Any]]) -> list[PlotPoint]:
    """Return the running sums at each twelfth of an hour; expectation and variance grow evenly within an hour."""
    hours: dict[dt.datetime, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        hours[row["begins_at"]].append(row)
    if not hours:
        return []
    points: list[PlotPoint] = []
    win, expected, variance = 0, 0.0, 0.0
    for begins_at in sorted(hours):
        of_hour = hours[begins_at]
        points.append(PlotPoint(begins_at, win, expected, _band_cents(variance)))
        last_slot = SLOTS
        if begins_at == max(hours):
            last_slot = 1 + max(
                (slot for row in of_hour for slot, cents in enumerate(row["win_slots"]) if cents), default=0
            )
        hour_expected = sum(row["expected_float"] for row in of_hour)
        hour_variance = sum(row["variance_float"] for row in of_hour)
        for slot in range(last_slot):
            win += sum(row["win_slots"][slot] for row in of_hour)
            share = (slot + 1) / last_slot
            points.append(
                PlotPoint(
                    begins_at + (slot + 1) * SLOT,
                    win,
                    expected + share * hour_expected,
                    _band_cents(variance + share * hour_variance),
                )
            )
        expected, variance = expected + hour_expected, variance + hour_variance
    return points


def _band_cents(variance: float) -> float:
    return 2 * max(variance, 0.0) ** 0.5  # that of a single course of a game may be negative


# Sold, drop and hold


@dataclass
class HoldSums:
    """Sums of inventories. `win_cents` is what the record says that their trays won; `drop_cents` of counted boxes.

    `void_cents` of that win were moved by throws of rounds that were then voided, which no other figure counts.
    """

    inventories: int = 0
    open_inventories: int = 0
    boxes: int = 0
    boxes_counted: int = 0
    sold_cents: int = 0
    drop_cents: int = 0
    win_cents: int = 0
    void_cents: int = 0

    def add(self, addend: "HoldSums") -> None:
        """Add the sums of other inventories."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(addend, name))

    @property
    def uncounted(self) -> int:
        """Drop boxes that the count room has not counted yet, those at the tables included."""
        return self.boxes - self.boxes_counted

    @property
    def is_counted(self) -> bool:
        """Whether the drop is known: each inventory has its closer, and each box its count."""
        return bool(self.inventories) and not self.open_inventories and not self.uncounted

    @property
    def counted_drop_cents(self) -> int | None:
        """The drop; None before everything is counted."""
        return self.drop_cents if self.is_counted else None

    @property
    def hold(self) -> Fraction | None:
        """Win over drop; None before everything is counted, and without a drop."""
        return Fraction(self.win_cents, self.drop_cents) if self.is_counted and self.drop_cents else None


@dataclass
class RangeHold:
    """The sums by table (id), by the pit in which it was (code), and by the gaming days or months of the page."""

    by_table: dict[int, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))
    by_pit: dict[str, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))
    by_period: dict[dt.date, HoldSums] = field(default_factory=lambda: defaultdict(HoldSums))

    @property
    def total(self) -> HoldSums:
        total = HoldSums()
        for sums in self.by_table.values():
            total.add(sums)
        return total


def read_hold(query: FiguresQuery, tables: Sequence[Table], moves: PitMoves) -> RangeHold:
    """Read the inventories of these tables that were opened in the range of a query, in at most four statements.

    An inventory belongs to the pit in which its table was dealt, and to no shift and no dealer, so a query with such a
    filter has none.
    """
    read = RangeHold()
    if query.shift or query.dealer:
        return read
    of_range = Q(gaming_day__range=(query.first, query.last), table__in=[table.pk for table in tables])
    by_month = query.period == "month"
    pit = pit_by_moment(tables, moves, table="table", moment="closed_at")
    inventories = TableInventory.objects.filter(of_range).annotate(pit=pit).order_by()
    if query.pit:
        inventories = inventories.filter(pit=query.pit)
    period = TruncMonth("gaming_day") if by_month else F("gaming_day")
    rows = inventories.annotate(period=period).values("table", "pit", "period")
    running = {table.pk: _running_win(table) for table in tables}
    for row in rows.annotate(
        count=Count("pk"),
        open_count=Count("pk", filter=Q(closed_at=None)),
        sold=Sum("sold_cents"),
        win=Sum(F("taken_cents") - F("paid_cents") + F("corrected_cents")),
    ):
        sums = HoldSums(
            inventories=row["count"],
            open_inventories=row["open_count"],
            sold_cents=row["sold"],
            win_cents=row["win"] + (running[row["table"]] if row["open_count"] else 0),
        )
        _add(read, row["table"], row["pit"], row["period"], sums)
    void_cents = moved_in_void_rounds(inventories.values("pk"))
    if void_cents:
        of_voids = inventories.annotate(period=period).filter(pk__in=void_cents)
        for pk, table, code, day in of_voids.values_list("pk", "table", "pit", "period"):
            _add(read, table, code, day, HoldSums(void_cents=void_cents[pk]))
    boxes = DropBox.objects.filter(inventory__in=inventories.values("pk")).order_by()
    pit = pit_by_moment(tables, moves, table="table", moment="inventory__closed_at")
    period = TruncMonth("inventory__gaming_day") if by_month else F("inventory__gaming_day")
    of_boxes = boxes.annotate(pit=pit, period=period).values("table", "pit", "period")
    counts = of_boxes.annotate(count=Count("pk"), counted=Count("counted_cents"), drop=Sum("counted_cents"))
    columns = ("table", "pit", "period", "count", "counted", "drop")
    for table, code, day, count, counted, drop in counts.values_list(*columns):
        sums = HoldSums(boxes=count, boxes_counted=counted, drop_cents=drop or 0)
        _add(read, table, code, day, sums)
    return read


def sold_by_hour(query: FiguresQuery, tables: Sequence[Table], moves: PitMoves) -> dict[dt.datetime, int]:
    """Return the chips that the inventories of one gaming day sold for cash, in cents, by hour (UTC).

    A drop has no hours, so there is no hold of an hour: the win of an hour over the chips sold in it, or so far, says
    nothing, because players bring chips and take them away.
    """
    if not query.is_one_day or query.shift or query.dealer or query.facility.day_begins(query.first).minute:
        return {}
    ids = [table.pk for table in tables]
    pit = pit_by_moment(tables, moves, table="table", moment="closed_at")
    inventories = TableInventory.objects.filter(gaming_day=query.first, table__in=ids).annotate(pit=pit)
    if query.pit:
        inventories = inventories.filter(pit=query.pit)
    sales = ChipSale.objects.filter(inventory__in=inventories.order_by().values("pk")).order_by()
    hours = sales.annotate(hour=TruncHour("sold_at", tzinfo=dt.UTC)).values_list("hour")
    return dict(hours.annotate(sum=Sum("cents")))


def _add(read: RangeHold, table: int, pit: str, period: dt.date, sums: HoldSums) -> None:
    read.by_table[table].add(sums)
    read.by_pit[pit].add(sums)
    read.by_period[period].add(sums)


def _running_win(table: Table) -> int:
    """The win of the open inventory of a table so far, between rounds."""
    return table.tray_taken_cents - table.tray_paid_cents + table.tray_corrected_cents
