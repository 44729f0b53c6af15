"""Exceptions over weeks: corrections, voids, no rolls, device failures, wagers out of limits, win outside its band.

Counted from the entries of the record at tables of real play, with rates per 100 rounds that ended. A wager out of
limits counts if it was settled; its person is who placed it last. A win outside its band is a case of its rule.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from audit.models import Entry, Person
from games.access import opened_by
from games.kit.searches import OneOf, Search
from games.models import Facility
from games.registry import game_by_code
from tables.cases.case import CASE_PAGES
from tables.cases.inbox import inbox_context
from tables.cases.kinds import BAND, SIDES, tables_by_stream
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.slips import SLIP_FILED
from tables.failures import DEVICE_FAILED, ROUND_RECORDED_BY_HAND
from tables.models import Case, Table, Wager
from tables.money.transfers import TRANSFER_COUNT_REFUSED
from tables.replay.round_records import END_PHASES
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.entries import data_of, names_of

DAY, WEEK = dt.timedelta(days=1), 7
WEEKS = (4, 8, 13)
BY = {"dealer": "By person", "table": "By table", "game": "By game"}
KINDS = {
    "corrections": "Corrections",
    "voids": "Voids",
    "no-rolls": "No rolls",
    "failures": "Device failures",
    "by_hand": "Settled by hand",
    "limits": "Out of limits",
    "counts": "Refused counts",
    "band": "Outside the band",
}
KIND_OF_TYPE = {
    DICE_CORRECTED.name: "corrections",
    WAGER_MISSED.name: "corrections",
    WAGER_STRUCK.name: "corrections",
    SLIP_FILED.name: "corrections",
    ROUND_VOIDED.name: "voids",
    ROUND_NO_ROLL.name: "no-rolls",
    THROW_NO_ROLL.name: "no-rolls",
    DEVICE_FAILED.name: "failures",
    ROUND_SETTLED_BY_HAND.name: "failures",
    TRANSFER_COUNT_REFUSED.name: "counts",
    ROUND_RECORDED_BY_HAND.name: "by_hand",
}
OF_BOTH_WHO_SIGN = ("by_hand", "no-rolls", "failures")  # and voids


@dataclass(frozen=True)
class Occurrence:
    """One exception: its kind, its gaming day, its table, and the code of the person who entered it ("": nobody).

    `signed_with`: the second person, where the exception is theirs as well.
    """

    kind: str
    day: dt.date
    table: Table
    person: str = ""
    signed_with: str = ""


@dataclass(frozen=True)
class EndedRounds:
    """How many rounds ended at a table by the act of a person ("": of nobody)."""

    table: Table
    person: str
    count: int


@dataclass(frozen=True)
class WeekBar:
    """A week in a drawing of 100 units: its bar, its count and its label."""

    x: int
    height: int
    count: int
    label: str

    @property
    def y(self) -> int:
        return 100 - self.height


@dataclass(frozen=True)
class WeekChart:
    """The weeks of one kind of exception."""

    label: str
    total: int
    bars: list[WeekBar]
    width: int

    @property
    def words(self) -> str:
        """The counts for people who do not see the drawing."""
        return ", ".join(f"{bar.label}: {bar.count}" for bar in self.bars)


@dataclass
class ExceptionCell:
    """A count with its rate per 100 rounds; `share` is of the largest rate of its kind, in 100.

    `rate` is None where no round ended, and for a win outside its band, which is of a day.
    """

    count: int
    rate: float | None
    share: int = 0

    @property
    def rate_words(self) -> str:
        """`2.5`, `0.04`; "" for no rate."""
        if self.rate is None:
            return ""
        return f"{self.rate:.1f}" if self.rate >= 0.1 or not self.rate else f"{self.rate:.2f}"


@dataclass
class ExceptionRow:
    """A person, a table or a game: its rounds that ended, and its cells in the order of KINDS."""

    label: str
    url: str
    rounds: int
    cells: list[ExceptionCell] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(cell.count for cell in self.cells)


@dataclass(frozen=True)
class Exceptions:
    """The exceptions of a facility in some weeks that end today."""

    facility: Facility
    first: dt.date
    weeks: int
    occurrences: list[Occurrence]
    rounds: list[EndedRounds]

    @property
    def charts(self) -> list[WeekChart]:
        """A drawing for each kind."""
        return [self._chart(kind, label) for kind, label in KINDS.items()]

    def rows(self, by: str) -> list[ExceptionRow]:
        """The counts and rates by person, table or game, the most exceptions first."""
        counts: dict[str, Counter[str]] = {}
        for occurrence in self.occurrences:
            for group in _groups(occurrence, by):
                counts.setdefault(group, Counter())[occurrence.kind] += 1
        rounds: Counter[str] = Counter()
        for ended in self.rounds:
            rounds[_group(ended.table, ended.person, by)] += ended.count
        names = names_of(set(counts)) if by == "dealer" else {}
        rows = [
            ExceptionRow(
                self._label(code, by, names),
                self._url(code, by),
                rounds[code],
                [_cell(kind, counts[code][kind], rounds[code]) for kind in KINDS],
            )
            for code in sorted(counts)
        ]
        for place in range(len(KINDS)):
            cells = [row.cells[place] for row in rows]
            most = max((cell.rate or 0 for cell in cells), default=0)
            for cell in cells:
                cell.share = round(100 * (cell.rate or 0) / most) if most else 0
        return sorted(rows, key=lambda row: -row.total)

    @property
    def round_count(self) -> int:
        """How many rounds ended in these weeks."""
        return sum(ended.count for ended in self.rounds)

    def _chart(self, kind: str, label: str) -> WeekChart:
        days = [occurrence.day for occurrence in self.occurrences if occurrence.kind == kind]
        counts = Counter((day - self.first).days // WEEK for day in days)
        top = max([1, *counts.values()])
        bars = []
        for week in range(self.weeks):
            begins = self.first + week * WEEK * DAY
            height = max(4, 100 * counts[week] // top) if counts[week] else 0
            bars.append(WeekBar(week * 20, height, counts[week], f"{begins.day} {begins:%b}"))
        return WeekChart(label, len(days), bars, self.weeks * 20)

    def _label(self, code: str, by: str, names: dict[str, str]) -> str:
        if by == "game":
            return game_by_code(code).name
        return names.get(code, code) if code else "Nobody: by a rule or the clock"

    def _url(self, code: str, by: str) -> str:
        """The entries of that person or table in these weeks."""
        if by == "game" or not code:
            return ""
        begins = self.facility.local(self.facility.day_begins(self.first))
        query = {"from": f"{begins:%Y-%m-%dT%H:%M}", "who" if by == "dealer" else "place": code}
        return f"{reverse('record', args=[self.facility.code])}?{urlencode(query)}"


def exceptions(facility: Facility, today: dt.date, weeks: int) -> Exceptions:
    """Read the exceptions of so many weeks, today included."""
    first = today - (weeks * WEEK - 1) * DAY
    tables = tables_by_stream(facility)
    occurrences = [
        *_recorded(tables, first, today),
        *_out_of_limits(tables, first, today),
        *_outside(facility, first, today),
    ]
    return Exceptions(facility, first, weeks, occurrences, _ended_rounds(tables, first, today))


def _entries_of(
    tables: dict[int, Table], first: dt.date, last: dt.date, types: Iterable[str]
) -> QuerySet[Entry]:
    begins = dt.datetime.combine(first - DAY, dt.time(), dt.UTC)  # for the index, which is by type and moment
    entries = Entry.objects.filter(stream__in=tables, gaming_day__gte=first, gaming_day__lte=last)
    return entries.filter(at__gte=begins, type__in=types)


def _recorded(tables: dict[int, Table], first: dt.date, last: dt.date) -> Iterator[Occurrence]:
    """Count what people entered. The slip that follows from what was held back is no correction of its own."""
    types = KIND_OF_TYPE.keys() - {ROUND_VOIDED.name}
    entries = _entries_of(tables, first, last, types).exclude(pk__in=_held_slips(tables, first, last))
    for type_, day, stream, actor, witness in entries.values_list(
        "type", "gaming_day", "stream_id", "actor", "witness"
    ):
        kind = KIND_OF_TYPE[type_]
        signed_with = witness if kind in OF_BOTH_WHO_SIGN else ""
        yield Occurrence(kind, day, tables[stream], actor, signed_with)
    for entry in _entries_of(tables, first, last, (ROUND_VOIDED.name,)):
        kind = "failures" if data_of(entry).get("failed") else KIND_OF_TYPE[entry.type]
        yield Occurrence(kind, entry.gaming_day, tables[entry.stream_id], entry.actor, entry.witness or "")


def _held_slips(tables: dict[int, Table], first: dt.date, last: dt.date) -> list[int]:
    filed = _entries_of(tables, first, last, (SLIP_FILED.name,))
    return [entry.pk for entry in filed if "held" in data_of(entry)]


def _ended_rounds(tables: dict[int, Table], first: dt.date, last: dt.date) -> list[EndedRounds]:
    ends = (
        _entries_of(tables, first, last, END_PHASES).values("stream_id", "actor").annotate(count=Count("pk"))
    )
    return [EndedRounds(tables[row["stream_id"]], row["actor"], row["count"]) for row in ends.order_by()]


def _out_of_limits(tables: dict[int, Table], first: dt.date, last: dt.date) -> Iterator[Occurrence]:
    wagers = Wager.objects.filter(flag__in=SIDES, struck=False, round__ended_at__isnull=False)
    wagers = wagers.filter(
        round__table__in=tables.values(), round__gaming_day__gte=first, round__gaming_day__lte=last
    )
    for wager in wagers.select_related("round"):
        table = next(table for table in tables.values() if table.pk == wager.round.table_id)
        yield Occurrence("limits", wager.round.gaming_day, table, _placed_by(wager, table))


def _placed_by(wager: Wager, table: Table) -> str:
    """The code of the person who placed this wager last, or recorded it after bets closed."""
    entries = Entry.objects.filter(
        stream=table.stream_id, round=wager.round.number, type__in=(WAGERS_PLACED.name, WAGER_MISSED.name)
    )
    for entry in entries.order_by("-seq"):
        data = data_of(entry)
        placed = data.get("placed", [data])
        if any((line.get("seat"), line.get("wager")) == (wager.seat, wager.code) for line in placed):
            return entry.actor
    return ""


def _outside(facility: Facility, first: dt.date, last: dt.date) -> Iterator[Occurrence]:
    cases = Case.objects.filter(facility=facility, kind=BAND.code, table__isnull=False).select_related(
        "table"
    )
    for case in cases:
        day = dt.date.fromisoformat(case.params["day"])
        if first <= day <= last and case.table is not None:
            yield Occurrence("band", day, case.table)


def _cell(kind: str, count: int, rounds: int) -> ExceptionCell:
    return ExceptionCell(count, 100 * count / rounds if rounds and kind != "band" else None)


def _groups(occurrence: Occurrence, by: str) -> set[str]:
    """The codes of the rows in which an exception is counted: of people, of both who signed."""
    people = {occurrence.person, occurrence.signed_with or occurrence.person} if by == "dealer" else {""}
    return {_group(occurrence.table, person, by) for person in people}


def _group(table: Table, person: str, by: str) -> str:
    if by == "table":
        return table.code
    return table.game if by == "game" else person


# The page


class ExceptionsFilter(Search):
    """Over how many weeks exceptions are counted, and by what."""

    weeks = OneOf([str(weeks) for weeks in WEEKS], otherwise=str(WEEKS[1]))
    by = OneOf(BY, otherwise="dealer")


@require_GET
@opened_by(CASE_PAGES)
def exceptions_page(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the exceptions of `?weeks=` by person, table or game (`?by=`), drawn and listed."""
    context = inbox_context(person, facility, "exceptions")
    query = ExceptionsFilter(request.GET).values
    weeks, by = int(query["weeks"]), query["by"]
    counted = exceptions(facility, facility.gaming_day(context["now"]), weeks)
    context |= {
        "exceptions": counted,
        "kinds": list(KINDS.values()),
        "rows": counted.rows(by),
        "by": by,
        "weeks": weeks,
        "views": [
            {"code": code, "label": label, "url": f"?by={code}&weeks={weeks}"} for code, label in BY.items()
        ],
        "spans": [{"weeks": count, "url": f"?by={by}&weeks={count}"} for count in WEEKS],
    }
    return render(request, "cases/exceptions.html", context)


urlpatterns = [path("inbox/<slug:facility>/exceptions/", exceptions_page, name="inbox-exceptions")]
