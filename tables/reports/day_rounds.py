"""A gaming day of a facility and its rounds, from the entries alone.

Nobody can change the report of a day by changing the tables of play, which the record does not protect. A day is
reported at the tables of one kind (`ReportDay`): real play, training and simulation are never mixed. Its rounds are
those that opened on it, up to their ends, each with its newest slip (`rounds_of_day`).

The figures of its settled rounds are those of the pages of figures, by table and hour (`settled_figures`). The entries
of a settled round change only by a slip, and a table settles its rounds in the order of their numbers, so sums up to
one round stay valid, and a later report adds only newer rounds.
"""

import datetime as dt
import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from audit.models import Entry
from games.engine import Rules
from games.models import Facility
from games.registry import game_of
from tables.core.entries import COLUMNS, MISSHAPEN, read
from tables.core.figure_sums import Sums
from tables.figures.round_figures import figures_of_round, in_time, round_numbers
from tables.limits import LIMITS_CHANGED, LIMITS_PLAYERS_LEFT, LIMITS_TOOK_EFFECT, Limits, limits_flag
from tables.models import Table
from tables.opening.opening import TABLE_MADE, TABLE_OPENED
from tables.replay.replayed_round import RulesFinder
from tables.replay.round_records import RoundRecord, WagerRecord, records_in

# The day

HOUR = dt.timedelta(hours=1)


@dataclass(frozen=True)
class ReportDay:
    """One gaming day of one facility at its tables of one kind (`play`), as of `now`."""

    facility: Facility
    date: dt.date
    now: dt.datetime
    play: str = "live"

    @cached_property
    def begins(self) -> dt.datetime:
        return self.facility.day_begins(self.date)

    @cached_property
    def ends(self) -> dt.datetime:
        """The beginning of the next day: 23 or 25 hours later where the clocks change."""
        return self.facility.day_begins(self.date + dt.timedelta(days=1))

    @property
    def is_over(self) -> bool:
        return self.now >= self.ends

    @property
    def until(self) -> dt.datetime:
        """The end of what is reported: later events are not part of the day."""
        return min(self.now, self.ends)

    @cached_property
    def tables(self) -> dict[int, Table]:
        """The tables of this kind by id, in the order of their codes."""
        tables = Table.objects.filter(facility=self.facility, kind=self.play).select_related("stream")
        return {table.pk: table for table in tables.order_by("code")}

    @property
    def table_ids(self) -> list[int]:
        return list(self.tables)

    @cached_property
    def hours(self) -> list[dt.datetime]:
        """The beginnings of its hours."""
        count = -(-(self.ends - self.begins) // HOUR)
        return [self.begins + number * HOUR for number in range(count)]

    def hour_of(self, moment: dt.datetime) -> int:
        """The number of the hour that a moment is in. A moment just outside the day counts to the nearest hour."""
        return max(0, min(len(self.hours) - 1, (moment - self.begins) // HOUR))


# Its rounds

LIMITS_TYPES = tuple(
    entry_type.name
    for entry_type in (TABLE_MADE, TABLE_OPENED, LIMITS_CHANGED, LIMITS_PLAYERS_LEFT, LIMITS_TOOK_EFFECT)
)


@dataclass
class DayRounds:
    """The rounds of the day by table (id), each in the order of their numbers, with the newest slip about each."""

    day: ReportDay
    by_table: dict[int, list[RoundRecord]]
    rules_finder: RulesFinder

    def settled(self) -> dict[int, list[RoundRecord]]:
        """The rounds that ended settled and that no slip voided, at the tables that have some."""
        settled = {
            table: [record for record in rounds if record.is_settled]
            for table, rounds in self.by_table.items()
        }
        return {table: rounds for table, rounds in settled.items() if rounds}

    def rules(self, record: RoundRecord) -> Rules | None:
        """The rules that a round pinned, by the hash of their terms; None where they cannot be found."""
        return self.rules_finder.find(self.day.facility.code, record.terms)

    def unreadable(self) -> list[tuple[str, int]]:
        """The entries of these rounds that cannot be read or were changed: the table's code, and their numbers."""
        return [
            (self.day.tables[table].code, seq)
            for table, rounds in self.by_table.items()
            for record in rounds
            for seq in record.unreadable
        ]


def day_entries(day: ReportDay) -> QuerySet[Entry]:
    """The entries of the day at its tables."""
    streams = [table.stream_id for table in day.tables.values()]
    return Entry.objects.filter(in_time(day.begins, day.ends), stream__in=streams, gaming_day=day.date)


def rounds_of_day(day: ReportDay) -> DayRounds:
    """Read the rounds that opened on the day, up to their ends, with the slips filed about them since: two queries."""
    table_by_stream = {table.stream_id: key for key, table in day.tables.items()}
    ranges = round_numbers(day_entries(day))
    by_table: dict[int, list[RoundRecord]] = defaultdict(list)
    for record in records_in(ranges) if ranges else ():
        if record.gaming_day == day.date.isoformat():
            by_table[table_by_stream[record.stream_id]].append(record)
    rounds = DayRounds(
        day,
        {table: by_table[table] for table in day.tables if table in by_table},
        RulesFinder(),
    )
    _flag_wagers_recorded_by_hand(rounds)
    return rounds


def _flag_wagers_recorded_by_hand(rounds: DayRounds) -> None:
    """Flag the wagers of rounds that were played on paper, by the limits that the record states before them.

    Their entry does not state the flags.
    """
    on_paper = [record for records in rounds.by_table.values() for record in records if record.on_paper]
    if not on_paper:
        return
    limits_by_stream = _limits_by_stream({record.stream_id for record in on_paper})
    for record in on_paper:
        limits, rules = limits_by_stream.get(record.stream_id, []), rounds.rules(record)
        for (_seat, code, _play), wager in record.wagers.items():
            if wager.flag is None and rules is not None and game_of(rules).is_limited(code):
                wager.flag = _flag(wager, limits)


def _flag(wager: WagerRecord, limits: Sequence[tuple[int, Limits]]) -> str:
    place = bisect_left(limits, wager.seq, key=lambda item: item[0])
    return limits_flag(limits[place - 1][1], wager.cents) if place else ""


def _limits_by_stream(streams: set[int]) -> Mapping[int, list[tuple[int, Limits]]]:
    """The limits of tables, by stream: each with the number of the entry that states them, in order."""
    limits_by_stream: dict[int, list[tuple[int, Limits]]] = defaultdict(list)
    entries = Entry.objects.filter(stream__in=streams, type__in=LIMITS_TYPES).order_by("stream", "seq")
    for stream, *row in entries.values_list("stream", *COLUMNS):
        entry = read((row[0], row[1], row[2], row[3]))
        try:
            limits = Limits(int(entry.data["min_cents"]), int(entry.data["max_cents"]))
        except MISSHAPEN:
            continue
        limits_by_stream[stream].append((entry.seq, limits))
    return limits_by_stream


# The figures of its settled rounds

MAX_CACHED = 4_096  # cached tables and days
_cache: dict[Any, "CachedSums"] = {}  # by the table's uid and the day


@dataclass(frozen=True)
class CachedSums:
    """The sums of a table's day by hour, the newest settled round that they have, and a digest of what they cover."""

    last_number: int = 0
    digest: str = ""
    by_hour: dict[int, Sums] = field(default_factory=dict)


NOTHING = CachedSums()


def settled_figures(rounds: DayRounds) -> dict[tuple[int, int], Sums]:
    """Return the figures by table (id) and hour of the day in which a round was settled."""
    figures: dict[tuple[int, int], Sums] = {}
    for table, settled in rounds.settled().items():
        key = rounds.day.tables[table].uid, rounds.day.date
        cached = _cache.get(key, NOTHING)
        covered = [record for record in settled if record.number <= cached.last_number]
        if cached.digest != _digest(covered):
            cached = NOTHING  # a slip was filed, or an earlier round was settled late
        by_hour = _with_newer(rounds, table, cached, settled)
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        _cache[key] = CachedSums(settled[-1].number, _digest(settled), by_hour)
        figures |= {(table, hour): sums for hour, sums in by_hour.items()}
    return figures


def _with_newer(
    rounds: DayRounds, table: int, cached: CachedSums, settled: Sequence[RoundRecord]
) -> dict[int, Sums]:
    """Return the sums with those of the rounds after the newest that they have."""
    by_hour: dict[int, Sums] = defaultdict(Sums)
    by_hour |= {hour: sums.copy() for hour, sums in cached.by_hour.items()}
    row = rounds.day.tables[table]
    for record in settled:
        if record.number > cached.last_number:
            figures = figures_of_round(row, record, rounds.rules(record))
            by_hour[rounds.day.hour_of(figures.settled_at)].add_round(figures, row.seats)
    return dict(by_hour)


def _digest(records: Sequence[RoundRecord]) -> str:
    """What identifies settled rounds: their last entries, and those of their slips."""
    if not records:
        return ""
    parts = (f"{record.last_digest}:{record.slip.seq if record.slip else ''}" for record in records)
    return hashlib.sha256("".join(parts).encode()).hexdigest()
