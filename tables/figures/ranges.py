"""Reads rollups for a range of gaming days, from the coarsest rows that have what is asked for."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, Sum

from tables.core.figure_sums import COLUMNS, FamilySums, Sums
from tables.figures.query import DAY, FiguresQuery, next_month
from tables.models import DayFigures, HourFigures, MonthFigures, Round, Table
from tables.models.figures import RollupRow

SLOT = dt.timedelta(minutes=5)
SLOTS = 12
Moment = dt.datetime | dt.date


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
