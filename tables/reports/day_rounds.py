"""The rounds of a gaming day, from the entries alone: nobody can change the report by changing the tables of play."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Max, Min, Q, QuerySet

from audit.models import Entry
from games.engine import Rules
from games.registry import game_of
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.corrections.slips import SLIP_FILED
from tables.figures.round_figures import RoundWithSlip
from tables.limits import LIMITS_CHANGED, LIMITS_PLAYERS_LEFT, LIMITS_TOOK_EFFECT, Limits, limits_flag
from tables.opening.opening import TABLE_MADE, TABLE_OPENED
from tables.replay.replayed_round import HANDLERS
from tables.replay.round_records import RoundRecord, WagerRecord, records_in
from tables.replay.rules_finder import RulesFinder
from tables.reports.report_day import SLACK, ReportDay

LIMITS_TYPES = tuple(
    entry_type.name
    for entry_type in (TABLE_MADE, TABLE_OPENED, LIMITS_CHANGED, LIMITS_PLAYERS_LEFT, LIMITS_TOOK_EFFECT)
)


class Unreadable(NamedTuple):
    """An entry of the day that is not as it was written."""

    table: str
    seq: int


@dataclass
class DayRounds:
    """The rounds of the day by table (id), each in the order of their numbers, with the newest slip about each.

    `slips`: the entries that file them, by table (id) and number of the round.
    """

    day: ReportDay
    by_table: dict[int, list[RoundRecord]]
    rules_finder: RulesFinder
    slips: dict[tuple[int, int], RecordedEntry] = field(default_factory=dict)

    def with_slip(self, table: int, record: RoundRecord) -> RoundWithSlip:
        """A round with what its newest slip made of it."""
        round_ = RoundWithSlip(record)
        slip = self.slips.get((table, record.number))
        if slip is not None:
            round_.apply(slip)
        return round_

    def settled(self) -> dict[int, list[RoundWithSlip]]:
        """The rounds that ended settled and that no slip voided, at the tables that have some."""
        settled = {
            table: [round_ for record in rounds if (round_ := self.with_slip(table, record)).is_settled]
            for table, rounds in self.by_table.items()
        }
        return {table: rounds for table, rounds in settled.items() if rounds}

    def rules(self, record: RoundRecord) -> Rules | None:
        """The rules that a round pinned, by the hash of their terms; None where they cannot be found."""
        return self.rules_finder.find(self.day.facility.code, record.terms)

    def unreadable(self) -> list[Unreadable]:
        """The entries of these rounds that cannot be read or were changed, by table."""
        return [
            Unreadable(self.day.tables[table].code, seq)
            for table, rounds in self.by_table.items()
            for record in rounds
            for round_ in (self.with_slip(table, record),)
            for seq in (*record.unreadable, *round_.unreadable)
        ]


def day_entries(day: ReportDay) -> QuerySet[Entry]:
    """The entries of the day at its tables."""
    streams = [table.stream_id for table in day.tables.values()]
    in_time = Q(at__gte=day.begins - SLACK, at__lt=day.ends + SLACK)
    return Entry.objects.filter(in_time, stream__in=streams, gaming_day=day.date)


def rounds_of_day(day: ReportDay) -> DayRounds:
    """Read the rounds that opened on the day, up to their ends, in three queries."""
    table_by_stream = {table.stream_id: key for key, table in day.tables.items()}
    acts = day_entries(day).filter(type__in=HANDLERS, round__isnull=False)
    numbers = acts.values("stream").annotate(first=Min("round"), last=Max("round")).order_by()
    ranges = {row["stream"]: (row["first"], row["last"]) for row in numbers}
    by_table: dict[int, list[RoundRecord]] = defaultdict(list)
    for record in records_in(ranges) if ranges else ():
        if record.gaming_day == day.date.isoformat():
            by_table[table_by_stream[record.stream_id]].append(record)
    rounds = DayRounds(
        day,
        {table: by_table[table] for table in day.tables if table in by_table},
        RulesFinder(),
        _newest_slips(day, table_by_stream, ranges),
    )
    _flag_wagers_recorded_by_hand(rounds)
    return rounds


def _newest_slips(
    day: ReportDay, table_by_stream: Mapping[int, int], ranges: Mapping[int, tuple[int, int]]
) -> dict[tuple[int, int], RecordedEntry]:
    """The newest slip about each of these rounds, filed on the day or later."""
    newest: dict[tuple[int, int], RecordedEntry] = {}
    entries = Entry.objects.filter(
        stream__in=list(ranges), type=SLIP_FILED.name, at__gte=day.begins - SLACK
    ).order_by("stream", "seq")
    for stream, number, *row in entries.values_list("stream", "round", *COLUMNS):
        first, last = ranges[stream]
        if number is not None and first <= number <= last:
            newest[table_by_stream[stream], number] = read((row[0], row[1], row[2], row[3]))
    return newest


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
