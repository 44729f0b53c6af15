"""Exceptions over weeks: corrections, voids, device failures, wagers over the maximum, win outside its band.

Counted from the entries of the record at tables of real play. A win outside its band is a case that its rule opened.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.urls import reverse

from audit.models import Entry
from games.models import Facility
from games.registry import game_by_code
from tables.cases.case_rules.bands import BAND
from tables.cases.recent import tables_by_stream
from tables.core.entry_types import ALERT_RAISED
from tables.corrections.entry_types import DICE_CORRECTED, SLIP_FILED, WAGER_MISSED, WAGER_STRUCK
from tables.failures.entry_types import DEVICE_FAILED
from tables.models import Case, Table
from tables.rounds.alert_rules import OVER_MAX
from tables.rounds.entry_types import ROUND_VOIDED
from tables.words.entries import names_of, said_by

DAY, WEEK = dt.timedelta(days=1), 7
WEEKS = (4, 8, 13)
BY = {"dealer": "By person", "table": "By table", "game": "By game"}
KINDS = {
    "corrections": "Corrections",
    "voids": "Voids",
    "failures": "Device failures",
    "limits": "Over the maximum",
    "band": "Outside the band",
}
KIND_OF_TYPE = {
    DICE_CORRECTED.name: "corrections",
    WAGER_MISSED.name: "corrections",
    WAGER_STRUCK.name: "corrections",
    SLIP_FILED.name: "corrections",
    ROUND_VOIDED.name: "voids",
    DEVICE_FAILED.name: "failures",
}


@dataclass(frozen=True)
class Occurrence:
    """One exception: its kind, its gaming day, its table, and the code of the person who entered it ("": nobody)."""

    kind: str
    day: dt.date
    table: Table
    person: str = ""


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
class ExceptionRow:
    """A person, a table or a game with its counts in the order of KINDS; `share` is of the largest total, in 100."""

    label: str
    url: str
    counts: list[int] = field(default_factory=list)
    share: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class Exceptions:
    """The exceptions of a facility in some weeks that end today."""

    facility: Facility
    first: dt.date
    weeks: int
    occurrences: list[Occurrence]

    @property
    def charts(self) -> list[WeekChart]:
        """A drawing for each kind."""
        return [self._chart(kind, label) for kind, label in KINDS.items()]

    def rows(self, by: str) -> list[ExceptionRow]:
        """The counts by person, table or game, the most first."""
        counts: dict[str, Counter[str]] = {}
        for occurrence in self.occurrences:
            counts.setdefault(_group(occurrence, by), Counter())[occurrence.kind] += 1
        names = names_of(set(counts)) if by == "dealer" else {}
        rows = [
            ExceptionRow(
                self._label(code, by, names), self._url(code, by), [counts[code][kind] for kind in KINDS]
            )
            for code in sorted(counts)
        ]
        most = max((row.total for row in rows), default=0)
        for row in rows:
            row.share = 100 * row.total // most
        return sorted(rows, key=lambda row: -row.total)

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
    return Exceptions(
        facility, first, weeks, [*_recorded(tables, first, today), *_outside(facility, first, today)]
    )


def _recorded(tables: dict[int, Table], first: dt.date, last: dt.date) -> Iterator[Occurrence]:
    entries = Entry.objects.filter(stream__in=tables, gaming_day__gte=first, gaming_day__lte=last)
    columns = ("type", "gaming_day", "stream_id", "actor")
    begins = dt.datetime.combine(first - DAY, dt.time(), dt.UTC)  # for the index, which is by type and moment
    dated = entries.filter(at__gte=begins)
    for type_, day, stream, actor in dated.filter(type__in=KIND_OF_TYPE).values_list(*columns):
        yield Occurrence(KIND_OF_TYPE[type_], day, tables[stream], actor)
    alerts: Iterable[Entry] = dated.filter(type=ALERT_RAISED.name, round__isnull=False)
    for entry in alerts:
        if said_by(entry).get("kind") == OVER_MAX.code:
            yield Occurrence("limits", entry.gaming_day, tables[entry.stream_id], entry.actor)


def _outside(facility: Facility, first: dt.date, last: dt.date) -> Iterator[Occurrence]:
    cases = Case.objects.filter(facility=facility, kind=BAND.code, table__isnull=False).select_related(
        "table"
    )
    for case in cases:
        day = dt.date.fromisoformat(case.params["day"])
        if first <= day <= last and case.table is not None:
            yield Occurrence("band", day, case.table)


def _group(occurrence: Occurrence, by: str) -> str:
    if by == "table":
        return occurrence.table.code
    return occurrence.table.game if by == "game" else occurrence.person
