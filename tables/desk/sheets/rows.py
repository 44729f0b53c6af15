"""The rows of a readable export, one after the other: memory does not grow with the range."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Max, Min

from audit.models import Device, Entry, Person
from games.models import Facility
from tables.core.entries import of_round
from tables.desk.sheets.columns import (
    LOTS,
    ROUNDS,
    SIGN_INS,
    SLIPS,
    WAGERS,
    LotLine,
    RoundLine,
    Sheet,
    SignInLine,
    WagerLine,
)
from tables.models import DiceLot, LotStep, Slip, Table
from tables.replay.history import RoundHistory
from tables.replay.replayed_round import HANDLERS, RulesFinder
from tables.reports.day_rounds import SLACK
from tables.rules import recorded_submission
from tables.words.entries import data_of

SIGN_IN = "sign-in"
NOT_A_SIGN_IN = "person.recorded"


@dataclass(frozen=True)
class SheetQuery:
    """What a readable export is about: gaming days, one game or all (""), one table or all (""), or one round."""

    facility: Facility
    first: dt.date
    last: dt.date
    game: str = ""
    table: str = ""
    training: bool = False
    round: int | None = None

    @cached_property
    def tables(self) -> list[Table]:
        """The tables, in the order of their codes."""
        tables = Table.objects.filter(facility=self.facility).select_related("stream", "facility")
        tables = tables.exclude(kind="live") if self.training else tables.filter(kind="live")
        if self.game:
            tables = tables.filter(game=self.game)
        if self.table:
            tables = tables.filter(code=self.table)
        return list(tables.order_by("code"))

    @property
    def days(self) -> Iterator[dt.date]:
        """The gaming days."""
        for number in range((self.last - self.first).days + 1):
            yield self.first + dt.timedelta(days=number)

    @property
    def is_whole_facility(self) -> bool:
        """Whether neither a game nor a table nor a round narrows it."""
        return not (self.game or self.table or self.round)


def sheets_of(query: SheetQuery) -> tuple[Sheet, ...]:
    """The sheets that answer a query: the export of one round has no sign-ins."""
    if query.round is not None:
        return (ROUNDS, WAGERS, SLIPS, LOTS)
    return (ROUNDS, WAGERS, SLIPS, SIGN_INS, LOTS)


def rows_of(query: SheetQuery) -> Iterator[tuple[Sheet, Any]]:
    """Yield every row with its sheet. Rounds and wagers take turns; each sheet has its rows in order."""
    rounds = _Rounds(query)
    yield from rounds.rows()
    yield from ((SLIPS, row) for row in _slips(query))
    if query.round is None:
        yield from ((SIGN_INS, row) for row in _sign_ins(query))
    yield from ((LOTS, row) for row in _lots(query))


def count_rounds(query: SheetQuery) -> int:
    """How many rounds the export has at most: for its progress."""
    if query.round is not None:
        return 1
    return sum(last - first + 1 for day in query.days for _table, first, last in _numbers(query, day))


def _numbers(query: SheetQuery, day: dt.date) -> Iterator[tuple[Table, int, int]]:
    """The tables that dealt on a gaming day, each with the numbers of its first and last round."""
    by_stream = {table.stream_id: table for table in query.tables}
    begins, ends = query.facility.day_begins(day), query.facility.day_begins(day + dt.timedelta(days=1))
    acts = Entry.objects.filter(
        at__gte=begins - SLACK, at__lt=ends + SLACK, stream__in=by_stream, gaming_day=day,
        type__in=HANDLERS, round__isnull=False,
    )  # fmt: skip
    numbers = acts.values("stream").annotate(first=Min("round"), last=Max("round")).order_by()
    ranges = {row["stream"]: (row["first"], row["last"]) for row in numbers}
    for stream, table in by_stream.items():
        if stream in ranges:
            yield table, *ranges[stream]


@dataclass
class _Rounds:
    """The rows of rounds and of their wagers, read from the record and settled again by the rules."""

    query: SheetQuery
    finder: RulesFinder = field(default_factory=RulesFinder)
    submissions: dict[int, str] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[Sheet, Any]]:
        if self.query.round is not None:
            for table in self.query.tables:
                yield from self._round(table, self.query.round, None)
            return
        for day in self.query.days:
            for table, first, last in _numbers(self.query, day):
                for number in range(first, last + 1):
                    yield from self._round(table, number, day)

    def _round(self, table: Table, number: int, day: dt.date | None) -> Iterator[tuple[Sheet, Any]]:
        """The rows of a round; nothing for a round of another gaming day."""
        entries = of_round(table.stream, number)
        if not entries:
            return
        if table.stream_id not in self.submissions:
            self.submissions[table.stream_id] = recorded_submission(table.stream_id)
        history = RoundHistory(table.facility.code, entries, self.finder, self.submissions[table.stream_id])
        acts = history.acts or entries[:1]
        played = acts[0].day
        if day is not None and played != day.isoformat():
            return
        line = RoundLine(table, number, dt.date.fromisoformat(played), history)
        yield ROUNDS, line
        yield from ((WAGERS, WagerLine(line, wager)) for wager in history.wager_rows)


def _slips(query: SheetQuery) -> Iterator[Slip]:
    """Slips filed on these days, or about the round."""
    rows = Slip.objects.filter(table__in=query.tables).select_related(
        "table", "round", "filed_by", "filed_with", "settled_by", "settled_with"
    )
    if query.round is not None:
        rows = rows.filter(round__number=query.round)
    else:
        rows = rows.filter(gaming_day__gte=query.first, gaming_day__lte=query.last)
    return rows.order_by("gaming_day", "table__code", "number").iterator(chunk_size=500)


def _sign_ins(query: SheetQuery) -> Iterator[SignInLine]:
    """Sign-ins, sign-offs, wrong PINs and lockouts; with a game or a table, those at the tables' own devices."""
    entries = Entry.objects.filter(
        stream__name__startswith=f"{query.facility.code}/{SIGN_IN}",  # or the stream that continues it
        gaming_day__gte=query.first,
        gaming_day__lte=query.last,
        type__startswith="person.",
    ).exclude(type=NOT_A_SIGN_IN)
    devices = None if query.is_whole_facility else _devices_of(query)
    people: dict[str, Person] = {}
    for entry in entries.order_by("at", "pk").iterator(chunk_size=500):
        data = data_of(entry)
        device = str(data.get("name") or "")
        if devices is not None and device not in devices:
            continue
        code = entry.actor or str(data.get("code") or "")
        if code and code not in people and (person := Person.objects.filter(code=code).first()):
            people[code] = person
        yield SignInLine(entry, data, device, code, people.get(code))


def _devices_of(query: SheetQuery) -> set[str]:
    places = [table.stream.name for table in query.tables]
    return set(
        Device.objects.filter(facility=query.facility.code, place__in=places).values_list("name", flat=True)
    )


def _lots(query: SheetQuery) -> Iterator[LotLine]:
    """The dice lots that entries of these days, or of this round, name."""
    entries = Entry.objects.exclude(lot="")
    if query.round is not None or not query.is_whole_facility:
        entries = entries.filter(stream__in=[table.stream_id for table in query.tables])
    else:
        entries = entries.filter(stream__name__startswith=f"{query.facility.code}/")
    if query.round is not None:
        entries = entries.filter(round=query.round)
    else:
        begins = query.facility.day_begins(query.first)
        ends = query.facility.day_begins(query.last + dt.timedelta(days=1))
        entries = entries.filter(at__gte=begins - SLACK, at__lt=ends + SLACK)
    codes = sorted(set(entries.values_list("lot", flat=True).order_by().distinct()))
    lots = DiceLot.objects.filter(facility=query.facility, code__in=codes, training=query.training)
    for lot in lots.select_related("table", "shaker").order_by("code").iterator(chunk_size=500):
        rounds = (
            entries.filter(lot=lot.code, round__isnull=False).values("stream", "round").distinct().order_by()
        )
        yield LotLine(lot, rounds.count(), LotStep.objects.filter(lot=lot).count())
