"""What the pages of figures show: headline, plots, rows of tables, and the filters as links.

A `FiguresPage` is made of what an address asks for, the person who may see it, and the moment; without a person, for a
declared report, it has every table of the facility. Everything that is drawn of it, on the page, on paper and in files,
has its figures from here. The columns of its tables are `tables.figures.figure_tables`, its plots
`tables.figures.plots`.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.urls import reverse

from audit.days import day_in_words
from audit.models import Person
from games import submissions
from games.engine import Refusal
from games.formats import NONE, money, percent, signed, signed_about
from games.kit.plots import Plot
from games.models import Facility, RulesSubmission
from games.office.odds import family_label
from games.registry import game_by_code
from tables.core.figure_sums import HOUR, FamilySums, LargestLoss, Sums
from tables.figures.plots import (
    Annotation,
    Axis,
    LotChange,
    PeriodPlot,
    band_plots,
    cents_words,
    count_words,
    lot_changes,
    number_of,
    period_plot,
    share_words,
    whole_share_words,
)
from tables.figures.ranges import (
    BY,
    PLAYS,
    FiguresQuery,
    HoldSums,
    Moment,
    RangeFigures,
    by_dealers,
    dealers_of,
    month_of,
    not_counted,
    read_hold,
    read_range,
    selected_tables,
    share_of,
    sold_by_hour,
    visible_tables,
)
from tables.figures.rollup import DAY, pit_moves
from tables.models import Pit, Table

FAMILIES_MAX = 14  # what is left is one row
BAR_WIDTH, HOUR_BAR_WIDTH = 110, 70
SIDE_OF_BAND = 2.9  # standard deviations at which a mark stays at the edge of its drawing
NOTE_PART = 10  # a loss is noted from a tenth of the band


# Rows


def sigma_words(sigmas: float | None) -> str:
    """`+0.6`, `−2.3`, `0.0`; a dash where nothing varied."""
    if sigmas is None:
        return NONE
    return f"{'+' if sigmas > 0 else '−' if sigmas < 0 else ''}{abs(sigmas):.1f}"


def deviation_words(sums: Sums) -> str:
    """`0.6 standard deviations above expectation`."""
    tenths = sums.z_tenths
    if tenths is None:
        return "nothing varied"
    side = "above" if tenths > 0 else "below" if tenths < 0 else "from"
    return f"{abs(tenths) // 10}.{abs(tenths) % 10} standard deviations {side} expectation"


@dataclass(frozen=True)
class FiguresRow:
    """One row of a table of figures: its name, where it leads, and the sums of its rounds."""

    label: str
    sums: Sums
    url: str = ""
    game: str = ""
    game_name: str = ""
    tag: str = ""
    target_pace: int | None = None
    begins_group: bool = False
    bar: float = 0  # the width of a bar of its handle
    money: HoldSums = field(default_factory=HoldSums)

    @property
    def rounds(self) -> str:
        return f"{self.sums.rounds:,}"

    @property
    def handle(self) -> str:
        return money(self.sums.handle_cents)

    @property
    def win(self) -> str:
        return signed(self.sums.win_cents)

    @property
    def expected(self) -> str:
        return signed_about(self.sums.expected_cents) if self.sums.is_known else NONE

    @property
    def sigmas(self) -> str:
        return sigma_words(self.sums.sigmas)

    @property
    def deviation(self) -> str:
        return deviation_words(self.sums)

    @property
    def band_x(self) -> float | None:
        """Where the mark of the win is, in standard deviations; None where nothing varied."""
        sigmas = self.sums.sigmas
        return None if sigmas is None else max(-SIDE_OF_BAND, min(SIDE_OF_BAND, sigmas))

    @property
    def is_outside(self) -> bool:
        return self.sums.is_outside


@dataclass(frozen=True)
class FamilyRow:
    """A family of wagers: its share of the handle and of the expected win, its edge, and the widths of two bars."""

    label: str
    game: str
    game_name: str
    sums: FamilySums
    handle_share: Fraction | None
    expected_share: Fraction | None
    handle_bar: float = 0
    expected_bar: float = 0

    @property
    def handle(self) -> str:
        return "fee" if not self.sums.handle_cents and self.sums.fees_cents else percent(self.handle_share)

    @property
    def edge_share(self) -> Fraction | None:
        return share_of(self.sums.expected.value, self.sums.handle_cents)


@dataclass(frozen=True)
class SeatRow:
    """A seat, and in how many of the rounds it had a wager."""

    seat: int
    rounds: int
    share: Fraction | None


# Filters


@dataclass(frozen=True)
class Option:
    """A choice of a filter."""

    label: str
    url: str
    is_current: bool


@dataclass(frozen=True)
class Filter:
    """A filter with its choices as links."""

    label: str
    value: str
    options: list[Option]


# The page


class FiguresPage:
    """The figures of a query as one person may see them, with everything that is drawn of them.

    Without a person it has every table of the facility.
    """

    def __init__(self, query: FiguresQuery, person: Person | None, now: dt.datetime) -> None:
        self.query, self.person, self.now = query, person, now
        self.facility = query.facility
        self.visible = visible_tables(person, query.facility, query.play)
        self.selected = selected_tables(query, self.visible)
        self.figures: RangeFigures = read_range(query, self.selected)
        self.tables = [
            table
            for table in self.selected
            if query.pit in ("", table.pit.code) or table.pk in self.figures.by_table
        ]
        self.total = self.figures.total
        self.moves = pit_moves(self.facility)
        self.hold = read_hold(query, self.selected, self.moves)
        self.money = self.hold.total
        self.labels = FamilyLabels(self.facility, self.tables)

    # Rows

    def group_rows(self) -> list[FiguresRow]:
        """Return the rows of the main table, by what the query says."""
        by = self.query.by
        if by == "dealer":
            return self._dealer_rows()
        if by == "shift":
            shifts = self.facility.shifts_of(self.query.last)
            names = {shift.code: shift.name for shift in shifts}
            codes = [*names, *sorted(self.figures.by_shift.keys() - names.keys())]
            return [
                FiguresRow(
                    names.get(code, code),
                    self.figures.by_shift[code],
                    self.query.parameters(shift=code, by="table"),
                )
                for code in codes
                if code in self.figures.by_shift
            ]
        if by == "pit":
            return self._pit_rows()
        if by == "game":
            return self._game_rows()
        return self._table_rows()

    def _table_rows(self) -> list[FiguresRow]:
        rows: list[FiguresRow] = []
        pit = None
        for table in self.tables:
            sums = self.figures.by_table.get(table.pk)
            if sums is None:
                continue
            rows.append(
                FiguresRow(
                    table.code,
                    sums,
                    reverse("table-figures", args=[self.facility.code, table.code])
                    + self.query.parameters(table="", pit="", game="", by="table"),
                    table.game,
                    game_by_code(table.game).name,
                    _tag(table) if self.query.has_today else "",
                    self.facility.target_paces.get(table.game),
                    begins_group=pit not in (None, table.pit_id),
                    money=self.hold.by_table.get(table.pk, HoldSums()),
                )
            )
            pit = table.pit_id
        return rows

    def _pit_rows(self) -> list[FiguresRow]:
        """Return a row for each pit in which the tables were then."""
        return [
            FiguresRow(
                self.pit_names.get(code, code),
                self.figures.by_pit.get(code, Sums()),
                self.query.parameters(pit=code, by="table"),
                money=self.hold.by_pit.get(code, HoldSums()),
            )
            for code in sorted(self.figures.by_pit.keys() | self.hold.by_pit.keys())
        ]

    def _game_rows(self) -> list[FiguresRow]:
        by_game: dict[str, Sums] = defaultdict(Sums)
        money: dict[str, HoldSums] = defaultdict(HoldSums)
        for table in self.tables:
            if table.pk in self.figures.by_table:
                by_game[table.game].add(self.figures.by_table[table.pk])
                money[table.game].add(self.hold.by_table.get(table.pk, HoldSums()))
        return [
            FiguresRow(
                game_by_code(game).name,
                sums,
                self.query.parameters(game=game, by="table"),
                game,
                target_pace=self.facility.target_paces.get(game),
                money=money[game],
            )
            for game, sums in by_game.items()
        ]

    def _dealer_rows(self) -> list[FiguresRow]:
        by_codes = by_dealers(self.query, self.tables)
        names = person_names({code for codes in by_codes for code in codes.split()})
        return [
            FiguresRow(
                ", ".join(names.get(code, code) for code in codes.split()) or "No dealer recorded",
                sums,
                self.query.parameters(dealer=codes, by="table") if codes and " " not in codes else "",
            )
            for codes, sums in by_codes.items()
        ]

    def total_row(self, rows: Sequence[FiguresRow]) -> FiguresRow:
        """Return the row under the line."""
        count = len(rows)
        noun = "dealer" if self.query.by == "dealer" else BY[self.query.by].lower()
        return FiguresRow(f"{count} {noun}{'' if count == 1 else 's'}", self.total, money=self.money)

    def period_rows(self) -> list[FiguresRow]:
        """Return the hours in their order, or the days or months, the newest first."""
        by_period = self.figures.by_period
        periods = sorted(by_period, key=number_of, reverse=not self.query.is_one_day)
        most = max((sums.handle_cents for sums in by_period.values()), default=0) or 1
        return [
            FiguresRow(
                self._period_label(period),
                by_period[period],
                self._period_url(period),
                tag=self._period_tag(period),
                bar=HOUR_BAR_WIDTH * by_period[period].handle_cents / most,
                money=HoldSums()
                if isinstance(period, dt.datetime)
                else self.hold.by_period.get(period, HoldSums()),
            )
            for period in periods
        ]

    def _period_label(self, period: Moment) -> str:
        if isinstance(period, dt.datetime):
            return f"{self.facility.local(period):%H:%M}"
        return f"{period:%a} {period.day} {period:%b}" if self.query.period == "day" else f"{period:%B %Y}"

    def _period_tag(self, period: Moment) -> str:
        if isinstance(period, dt.datetime):
            is_now = self.query.has_today and period <= self.now < period + HOUR
            return f"to {self.facility.local(self.now):%H:%M}" if is_now else ""
        if self.query.period == "month":
            first, last = self._days_of(period)
            return "" if (first, last) == month_of(period) else f"{first.day} to {last.day}"
        return "so far" if period == self.query.today else ""

    def _period_url(self, period: Moment) -> str:
        if isinstance(period, dt.datetime):
            return ""
        first, last = self._days_of(period)
        return self.query.parameters(first=first, last=last)

    def _days_of(self, period: dt.date) -> tuple[dt.date, dt.date]:
        if self.query.period == "day":
            return period, period
        first, last = month_of(period)
        return max(first, self.query.first), min(last, self.query.last)

    def family_rows(self) -> list[FamilyRow]:
        """Return the families of wagers, those first of which most is expected; small ones in one row at the end."""
        families = sorted(self.figures.families.items(), key=lambda item: (-item[1].expected.value, item[0]))
        rows = [
            self._family_row(self.labels.label(game, family), game, sums)
            for (game, family), sums in families[:FAMILIES_MAX]
        ]
        if small := families[FAMILIES_MAX:]:
            sums = FamilySums()
            for _key, of_family in small:
                sums.add_family(of_family)
            rows.append(self._family_row("Other wagers", "", sums))
        most = max((max(row.handle_share or 0, row.expected_share or 0) for row in rows), default=0) or 1
        return [
            replace(row, handle_bar=_bar(row.handle_share, most), expected_bar=_bar(row.expected_share, most))
            for row in rows
        ]

    def _family_row(self, label: str, game: str, sums: FamilySums) -> FamilyRow:
        return FamilyRow(
            label,
            game,
            game_by_code(game).name if game else "",
            sums,
            share_of(sums.handle_cents, self.total.handle_cents),
            share_of(sums.expected.value, self.total.expected.value),
        )

    def seat_rows(self) -> list[SeatRow]:
        """Return how often each seat of the only table had a wager."""
        seats = max((table.seats for table in self.tables), default=0)
        by_seat = self.figures.by_seat
        return [
            SeatRow(seat, by_seat[seat], share_of(by_seat[seat], self.total.rounds))
            for seat in range(1, seats + 1)
        ]

    # The plot

    def plots(self) -> list[Plot]:
        """Draw the win of the range in its band; that of a single table has a line where its dice changed."""
        points = self.figures.points
        if len(points) < 2 or not self.total.is_known:
            return []
        axis = self._day_axis() if self.query.is_one_day else self._days_axis()
        changes: list[LotChange] = []
        if self.query.table and len(self.tables) == 1:
            begins, ends = (
                self.facility.day_begins(day) for day in (self.query.first, self.query.last + DAY)
            )
            changes = lot_changes(self.tables[0], begins, ends)
        return band_plots(points, axis, self._annotation(), changes, self.plot_title())

    def period_plots(self) -> list[PeriodPlot]:
        """Draw handle, pace, seats, and chips sold or hold by hour, day or month; nothing for a single period."""
        by_period, name = self.figures.by_period, self.query.period
        periods = self._periods_in_order()
        if len(periods) < 2:
            return []
        labels = [self._short_label(period) for period in periods]

        def points(figure_of: Callable[[Sums], Fraction | int | None]) -> list[tuple[str, Fraction | None]]:
            figures = [figure_of(by_period[period]) if period in by_period else None for period in periods]
            return [
                (label, None if figure is None else Fraction(figure))
                for label, figure in zip(labels, figures, strict=True)
            ]

        targets = {self.facility.target_paces.get(table.game) for table in self.tables}
        target = targets.pop() if len(targets) == 1 else None
        pace_note = f"target {target} an hour" if target else ""
        if len(self.tables) > 1:
            pace_note = ", ".join(filter(None, ["of the average table", pace_note]))
        plots = (
            period_plot(f"Handle by {name}", points(lambda sums: sums.handle_cents), cents_words),
            period_plot(
                f"Pace by {name}", points(lambda sums: sums.pace), count_words, note=pace_note, target=target
            ),
            period_plot(
                f"Seats by {name}",
                points(lambda sums: sums.occupancy),
                whole_share_words,
                note="with a wager",
                top=Fraction(1),
            ),
            self._hold_plot(periods, labels),
        )
        return [plot for plot in plots if plot is not None]

    def _hold_plot(self, periods: Sequence[Moment], labels: Sequence[str]) -> PeriodPlot | None:
        """Draw the hold of days or months. A drop has no hours: of a single day the chips sold in each."""
        if self.query.is_one_day:
            sold = sold_by_hour(self.query, self.selected, self.moves)
            if not sold:
                return None
            points = [
                (label, Fraction(sold.get(period, 0)) if isinstance(period, dt.datetime) else None)
                for label, period in zip(labels, periods, strict=True)
            ]
            return period_plot("Sold by hour", points, cents_words, note="chips for cash")
        holds = [
            self.hold.by_period[period].hold if period in self.hold.by_period else None for period in periods
        ]
        return period_plot(
            f"Hold by {self.query.period}",
            list(zip(labels, holds, strict=True)),
            share_words,
            note="where every drop is counted",
        )

    def _periods_in_order(self) -> list[Moment]:
        """Return every hour from the first to the last, every day of a range, or the months that have figures."""
        periods = sorted(self.figures.by_period, key=number_of)
        if not periods or self.query.period == "month":
            return periods
        step = HOUR if self.query.is_one_day else DAY
        first, last = (
            (periods[0], periods[-1]) if self.query.is_one_day else (self.query.first, self.query.last)
        )
        count = round((number_of(last) - number_of(first)) / step.total_seconds())
        return [first + number * step for number in range(count + 1)]

    def _short_label(self, period: Moment) -> str:
        if isinstance(period, dt.datetime):
            return f"{self.facility.local(period):%H:%M}"
        return f"{period.day} {period:%b}" if self.query.period == "day" else f"{period:%b %y}"

    def _day_axis(self) -> Axis:
        points = self.figures.points
        first, last = points[0].moment, points[-1].moment
        assert isinstance(first, dt.datetime) and isinstance(last, dt.datetime)
        hours = -(-(last - first) // HOUR)
        step = next(step for step in (1, 2, 3, 4, 6, 12) if hours <= 7 * step or step == 12)
        ticks = [
            (number_of(moment), f"{self.facility.local(moment):%H:%M}")
            for moment in (first + number * HOUR for number in range(0, hours + 1, step))
        ]
        return Axis(number_of(first), number_of(first + hours * HOUR), ticks)

    def _days_axis(self) -> Axis:
        first, end = self.query.first, self.query.last + DAY
        days = (end - first) // DAY
        if self.query.period == "month":
            months = [first + number * DAY for number in range(days) if (first + number * DAY).day == 1]
            step = -(-len(months) // 12) or 1
            ticks = [(number_of(month), f"{month:%b}") for month in months[::step]]
        else:
            step = -(-days // 6)
            marks = [first + number * DAY for number in range(0, days, step)]
            ticks = [(number_of(mark), f"{mark.day} {mark:%b}") for mark in marks]
        return Axis(number_of(first), number_of(end), ticks)

    def _annotation(self) -> Annotation | None:
        """Return the round that cost the most, if it can be seen in the plot."""
        loss: LargestLoss | None = self.total.largest
        if loss is None or loss.cents * NOTE_PART < self.total.band_cents:
            return None
        code = next(table.code for table in self.tables if table.pk == loss.table)
        local = self.facility.local(loss.settled_at)
        if self.query.is_one_day:
            moment: Moment = loss.settled_at
            when = f"{local:%H:%M}"
        else:
            day = self.facility.gaming_day(loss.settled_at)
            moment, when = day + DAY, f"{day.day} {day:%b}"
        return Annotation(
            moment, (f"{when} {code} loses {money(loss.cents)}", f"net, in round {loss.round:,}")
        )

    def plot_title(self) -> str:
        """Return the plot in one sentence."""
        total = self.total
        side = "more than" if total.is_outside else "within"
        return (
            f"Win of {self.range_words()}: {signed(total.win_cents)}, {side} two standard deviations "
            f"{'from' if total.is_outside else 'of'} the expected {signed_about(total.expected_cents)}"
        )

    def range_words(self) -> str:
        """`21 Nov 2026`, `15 Nov to 21 Nov 2026`."""
        first, last = self.query.first, self.query.last
        if first == last:
            return day_in_words(last)
        year = "" if first.year == last.year else f" {first.year}"
        return f"{first.day} {first:%b}{year} to {day_in_words(last)}"

    # Filters

    def filters(self, *, of_table: bool = False) -> list[Filter]:
        """Return the filters as links; a page of one table has no pits, games or other tables to choose."""
        filters = [self._day_filter(), self._shift_filter()]
        if not of_table:
            filters += [self._pit_filter(), self._table_filter(), self._game_filter()]
        filters.append(self._dealer_filter(of_table=of_table))
        kinds = [
            kind
            for kind in PLAYS
            if kind == self.query.play
            or Table.objects.filter(facility=self.facility, kind=kind, last_round__gt=0).exists()
        ]
        if len(kinds) > 1 and not of_table:
            filters.append(
                Filter(
                    "Play",
                    PLAYS[self.query.play],
                    [
                        Option(
                            PLAYS[kind],
                            self.query.parameters(play=kind, pit="", table="", game="", dealer=""),
                            kind == self.query.play,
                        )
                        for kind in kinds
                    ],
                )
            )
        return filters

    def _day_filter(self) -> Filter:
        today = self.query.today
        month = today.replace(day=1)
        last_month = (month - DAY).replace(day=1)
        presets = (
            ("Today", today, today),
            ("Yesterday", today - DAY, today - DAY),
            ("7 days", today - 6 * DAY, today),
            ("30 days", today - 29 * DAY, today),
            (f"{today:%B}", month, today),
            (f"{last_month:%B}", last_month, month - DAY),
            ("12 months", (today - 364 * DAY), today),
        )
        query = self.query
        return Filter(
            "Day" if query.is_one_day else "Days",
            self.range_words(),
            [
                Option(
                    label,
                    query.parameters(first=first, last=last),
                    (first, last) == (query.first, query.last),
                )
                for label, first, last in presets
            ],
        )

    def _shift_filter(self) -> Filter:
        names = {shift.code: shift.name for shift in self.facility.shifts_of(self.query.last)}
        return self._filter("Shift", "shift", names, names.get(self.query.shift, self.query.shift))

    def _pit_filter(self) -> Filter:
        codes = {table.pit.code for table in self.visible}
        codes |= {move.before for table in self.visible for move in self.moves.get(table.code, ())}
        names = {code: self.pit_names.get(code, code) for code in sorted(codes)}
        return self._filter("Pit", "pit", names, names.get(self.query.pit, self.query.pit))

    @cached_property
    def pit_names(self) -> dict[str, str]:
        """The names of the facility's pits by their codes."""
        return dict(Pit.objects.filter(facility=self.facility).values_list("code", "name"))

    def _table_filter(self) -> Filter:
        names = {table.code: table.code for table in self.visible}
        return self._filter("Table", "table", names, self.query.table)

    def _game_filter(self) -> Filter:
        names = {table.game: game_by_code(table.game).name for table in self.visible}
        return self._filter("Game", "game", names, names.get(self.query.game, self.query.game))

    def _dealer_filter(self, *, of_table: bool) -> Filter:
        codes = dealers_of(self.query, self.tables if of_table else self.visible)
        names = person_names({*codes, *filter(None, [self.query.dealer])})
        listed = {code: names.get(code, code) for code in codes}
        return self._filter("Dealer", "dealer", listed, names.get(self.query.dealer, self.query.dealer))

    def _filter(self, label: str, name: str, choices: Mapping[str, str], value: str) -> Filter:
        everything = f"All {len(choices)}" if len(choices) > 1 else "All"
        query = self.query
        return Filter(
            label,
            value or everything,
            [
                Option(everything, query.parameters(**{name: ""}), not getattr(query, name)),
                *(
                    Option(choice, query.parameters(**{name: code}), getattr(query, name) == code)
                    for code, choice in choices.items()
                ),
            ],
        )

    def by_options(self) -> list[Option]:
        """Return what the main table can be grouped by."""
        return [Option(label, self.query.parameters(by=by), by == self.query.by) for by, label in BY.items()]

    @property
    def uncounted(self) -> int:
        """Settled rounds of the range that are not counted yet."""
        return not_counted(self.query, self.selected)


# Names and bars


class FamilyLabels:
    """What people call the families of wagers, by the rules of the tables that deal them."""

    def __init__(self, facility: Facility, tables: Iterable[Table]) -> None:
        self.facility = facility
        self.codes = {table.game: table.submission_code for table in tables}
        self.types: dict[str, tuple[Any, ...]] = {}

    def label(self, game: str, family: str) -> str:
        """Return the name of a family; its code where the rules cannot be read."""
        if game not in self.types:
            self.types[game] = self._types_of(game)
        label = family_label(family, self.types[game])
        return label if label != family else family.replace("-", " ").capitalize()

    def _types_of(self, game: str) -> tuple[Any, ...]:
        submission = (
            RulesSubmission.objects.filter(facility=self.facility, code=self.codes.get(game, ""))
            .order_by("-version")
            .first()
        )
        if submission is None:
            return ()
        try:
            return game_by_code(game).wager_types(submissions.rules_of(submission))
        except Refusal:
            return ()


def person_names(codes: set[str]) -> dict[str, str]:
    """Return the names of people by their codes, in the order of the names."""
    people = Person.objects.filter(code__in=codes).order_by("name")
    return dict(people.values_list("code", "name"))


def _bar(share: Fraction | None, most: Fraction | int) -> float:
    return max(0.0, float((share or 0) / most)) * BAR_WIDTH


def _tag(table: Table) -> str:
    return {"ceased": "ceased", "closed": "closed"}.get(table.status, "")
