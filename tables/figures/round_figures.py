"""The exact figures of each settled round, from the entries of its table: docs/figures.md.

Nothing is read from the tables of play, which the record does not protect. A round counts as its newest Error
Notification Slip leaves it, on its own gaming day, whenever the slip was filed. A round that was voided counts nothing,
whether at the table or by a slip.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.db.models import Max, Min, Q

from audit.models import Entry
from games.engine import Rules
from games.engine.wagers import FEE, LOSE, WIN, Wager
from games.exposure import round_expectation
from games.models import Facility
from tables.core import posts
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.figure_sums import Sums
from tables.corrections.settlements import SettlementLine, settled_line
from tables.corrections.slips import SLIP_FILED
from tables.models import Table
from tables.replay.replayed_round import HANDLERS, RulesFinder
from tables.replay.round_records import RoundRecord
from tables.staffing.dealers import PostHolders

FILED = SLIP_FILED.name
NO_RESULT = frozenset({"void", "no-roll"})
SLACK = dt.timedelta(seconds=5)  # a stream's clock may lag by two seconds at the end of a day
BATCH_ROUNDS = 200
ANY_DAYS = dt.date.min, dt.date.max


@dataclass(frozen=True, slots=True)
class CodeFigures:
    """The wagers of a round on one code. A fee has no handle: its price is in `fees_cents`.

    `expected_win` is None where that of the round is.
    """

    wagers: int
    handle_cents: int
    fees_cents: int
    expected_win: Fraction | None


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """One settled round with its slips. Money is cents, the variance cents squared.

    `seats` are those with a wager. `dealers` are the codes of the people who held the posts of the table when the round
    ended, in the order of the posts. `settled_at` is the moment at which the round ended. `handle_cents` is the sum of
    the `wagers` that were won or lost; fees are apart. `taken_cents` are lost stakes without fees.

    `expected_win` and `variance` are None where the record does not say what stood: the terms are missing, or an entry
    of the round cannot be read or was changed. The numbers of such entries are in `unreadable`.
    """

    table_id: int
    table: str
    game: str
    round: int
    gaming_day: dt.date
    opened_at: dt.datetime
    settled_at: dt.datetime
    dealers: tuple[str, ...]
    seats: tuple[int, ...]
    wagers: int
    handle_cents: int
    taken_cents: int
    paid_cents: int
    fees_cents: int
    cut_cents: int
    expected_win: Fraction | None
    variance: Fraction | None
    by_code: Mapping[str, CodeFigures]
    has_slip: bool = False
    unreadable: tuple[int, ...] = ()

    @property
    def win_cents(self) -> int:
        return self.taken_cents + self.fees_cents - self.paid_cents


def round_figures(
    facility: Facility,
    first_day: dt.date,
    last_day: dt.date,
    table: str | None = None,
    play: str = "live",
) -> Iterator[RoundFigures]:
    """Yield the settled rounds of these gaming days, by table code and round number.

    `table` is the code of the only table to read. The memory needed does not grow with the number of rounds.
    """
    rows, days, rules_finder = _tables(facility, table, play), (first_day, last_day), RulesFinder()
    numbers = _round_numbers(facility, rows, days)
    for row in rows:
        if row.stream_id in numbers:
            yield from _figures_of_table(facility, row, numbers[row.stream_id], days, rules_finder)


def tables_that_dealt(
    facility: Facility,
    first_day: dt.date,
    last_day: dt.date,
    table: str | None = None,
    play: str = "live",
) -> Iterator[Table]:
    """Yield the tables with a round of these gaming days that has ended, with a result or without one, by code."""
    rows, days = _tables(facility, table, play), (first_day, last_day)
    numbers = _round_numbers(facility, rows, days)
    for row in rows:
        if row.stream_id in numbers and _has_dealt(row, numbers[row.stream_id], days):
            yield row


def _has_dealt(table: Table, numbers: tuple[int, int], days: tuple[dt.date, dt.date]) -> bool:
    first_day, last_day = (day.isoformat() for day in days)
    return any(
        round_.record.phase and first_day <= round_.record.gaming_day <= last_day
        for start in range(numbers[0], numbers[1] + 1, BATCH_ROUNDS)
        for round_ in _rounds(table.stream_id, start, min(start + BATCH_ROUNDS - 1, numbers[1]))
    )


def _tables(facility: Facility, table: str | None, play: str) -> list[Table]:
    tables = Table.objects.filter(facility=facility, kind=play)
    if table is not None:
        tables = tables.filter(code=table)
    return sorted(tables, key=lambda row: row.code)  # not by the collation of a database


def figures_of_rounds(table: Table, first: int, last: int) -> Iterator[RoundFigures]:
    """Yield the settled rounds of a table with these numbers, in their order."""
    yield from _figures_of_table(table.facility, table, (first, last), ANY_DAYS, RulesFinder())


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A settled round with its slips: every wager that stood when bets closed as it was settled, and the valid throws.

    `rules` are None where the record does not say what stood.
    """

    number: int
    lines: Sequence[SettlementLine]
    throws: Sequence[Sequence[int]]
    rules: Rules | None

    def counted_wagers(self, seat: int) -> list[tuple[Wager, SettlementLine]]:
        """Return the wagers of a seat that were won, lost or fees, each with its settlement."""
        return [
            (wager, line)
            for wager, line in zip(_counted_wagers(self.lines), _counted(self.lines), strict=True)
            if wager.seat == seat
        ]


def settled_rounds(table: Table, first: int, last: int) -> Iterator[SettledRound]:
    """Yield the settled rounds of a table with these numbers, in their order."""
    rules_finder = RulesFinder()
    for start in range(first, last + 1, BATCH_ROUNDS):
        for round_ in _rounds(table.stream_id, start, min(start + BATCH_ROUNDS - 1, last)):
            if round_.is_settled:
                lines, throws, unreadable = _outcome(round_)
                rules = rules_finder.find(table.facility.code, round_.record.terms)
                yield SettledRound(round_.record.number, lines, throws, None if unreadable else rules)


def _figures_of_table(
    facility: Facility,
    table: Table,
    numbers: tuple[int, int],
    days: tuple[dt.date, dt.date],
    rules_finder: RulesFinder,
) -> Iterator[RoundFigures]:
    first, last = numbers
    holders: PostHolders | None = None
    first_day, last_day = (day.isoformat() for day in days)
    for start in range(first, last + 1, BATCH_ROUNDS):
        for round_ in _rounds(table.stream_id, start, min(start + BATCH_ROUNDS - 1, last)):
            record = round_.record
            if not first_day <= record.gaming_day <= last_day or not round_.is_settled:
                continue
            if holders is None:
                holders = PostHolders(table.stream_id, posts.posts_of(table), record.seqs["opened"])
            rules = rules_finder.find(facility.code, record.terms)
            yield figures_of_round(table, round_, rules, holders.advance(record.seqs["ended"]))


def _round_numbers(
    facility: Facility, tables: Sequence[Table], days: tuple[dt.date, dt.date]
) -> dict[int, tuple[int, int]]:
    """Return the first and the last round with an entry in these days, by stream, in one query."""
    begins, ends = facility.day_begins(days[0]), facility.day_begins(days[1] + dt.timedelta(days=1))
    in_time = Q(at__gte=begins - SLACK, at__lt=ends + SLACK)
    streams = [table.stream_id for table in tables]
    entries = Entry.objects.filter(in_time, stream__in=streams, type__in=HANDLERS, round__isnull=False)
    numbers = entries.values("stream").annotate(first=Min("round"), last=Max("round")).order_by()
    return {row["stream"]: (row["first"], row["last"]) for row in numbers}


def add_round(sums: Sums, round_: RoundFigures, seats: int) -> None:
    """Add a settled round of a table with so many seats to sums."""
    sums.rounds += 1
    sums.wagers += round_.wagers
    sums.handle_cents += round_.handle_cents
    sums.taken_cents += round_.taken_cents
    sums.paid_cents += round_.paid_cents
    sums.fees_cents += round_.fees_cents
    sums.cut_cents += round_.cut_cents
    sums.seats_wagering += len(round_.seats)
    sums.seats_offered += seats
    if round_.expected_win is None or round_.variance is None:
        sums.unknown_rounds += 1
    else:
        sums.expected.add(round_.expected_win)
        sums.variance.add(round_.variance)


# A round with its slips


@dataclass(slots=True)
class RoundWithSlip:
    """A round as settled at the table, and what its newest slip made of it."""

    record: RoundRecord
    slip: RecordedEntry | None = None
    unreadable: list[int] = field(default_factory=list)

    def apply(self, entry: RecordedEntry) -> None:
        if entry.type != FILED:
            self.record.apply(entry)
            return
        self.slip = entry
        if not entry.is_intact:
            self.unreadable.append(entry.seq)

    @property
    def is_settled(self) -> bool:
        """Whether it ended settled, and no slip voided it."""
        slip_ending = self.slip.data.get("ending") if self.slip else ""
        return self.record.phase == "cleared" and slip_ending not in NO_RESULT

    def lines(self) -> list[SettlementLine]:
        """Return every wager that stood when bets closed, as it was settled."""
        if self.slip is None:
            return [line for _throw, line in self.record.lines.values()]
        return [settled_line(line) for line in self.slip.data["settled"]]

    def throws(self) -> list[list[int]]:
        """Return the valid throws in order."""
        if self.slip is None:
            return self.record.valid_dice()
        return [[int(face) for face in throw["dice"]] for throw in self.slip.data["throws"]]


def _rounds(stream_id: int, first: int, last: int) -> Iterator[RoundWithSlip]:
    """Read these rounds in one query, each with the slips about it."""
    entries = Entry.objects.filter(stream=stream_id, round__gte=first, round__lte=last)
    rows = entries.filter(type__in=(*HANDLERS, FILED)).order_by("round", "seq")
    round_: RoundWithSlip | None = None
    for number, *row in rows.values_list("round", *COLUMNS):
        if round_ is None or round_.record.number != number:
            if round_ is not None:
                yield round_
            round_ = RoundWithSlip(RoundRecord(stream_id, number))
        entry = read((row[0], row[1], row[2], row[3]))
        if entry.round == number:
            round_.apply(entry)
        else:
            round_.unreadable.append(entry.seq)
    if round_ is not None:
        yield round_


# Its figures


def figures_of_round(
    table: Table, round_: RoundWithSlip, rules: Rules | None, dealers: tuple[str, ...] = ()
) -> RoundFigures:
    """Return the figures of one settled round: every page, file and paper has them from here (docs/figures.md)."""
    record = round_.record
    lines, throws, unreadable = _outcome(round_)
    played = [line for line in lines if line["outcome"] in (WIN, LOSE)]
    wagers = _counted_wagers(lines)
    expectation = None if unreadable or rules is None else round_expectation(rules, wagers, throws)
    assert record.opened_at is not None and record.ended_at is not None
    return RoundFigures(
        table_id=table.pk,
        table=table.code,
        game=table.game,
        round=record.number,
        gaming_day=dt.date.fromisoformat(record.gaming_day),
        opened_at=record.opened_at,
        settled_at=record.ended_at,
        dealers=dealers,
        seats=tuple(sorted({wager.seat for wager in wagers})),
        wagers=len(played),
        handle_cents=_sum(played, "cents"),
        taken_cents=_sum((line for line in played if line["outcome"] == LOSE), "cents"),
        paid_cents=_sum(played, "paid_cents"),
        fees_cents=_sum((line for line in lines if line["outcome"] == FEE), "cents"),
        cut_cents=_sum(played, "cut_cents"),
        expected_win=expectation.expected_win if expectation else None,
        variance=expectation.variance if expectation else None,
        by_code=_by_code(lines, expectation.by_code if expectation else None),
        has_slip=round_.slip is not None,
        unreadable=tuple(unreadable),
    )


def _outcome(round_: RoundWithSlip) -> tuple[list[SettlementLine], list[list[int]], list[int]]:
    """Return how a round was settled, its valid throws, and the numbers of entries that cannot be relied on."""
    unreadable = [*round_.record.unreadable, *round_.unreadable]
    try:
        return round_.lines(), round_.throws(), unreadable
    except MISSHAPEN:
        assert round_.slip is not None
        return [], [], [*unreadable, round_.slip.seq]


def _counted(lines: Iterable[SettlementLine]) -> list[SettlementLine]:
    return [line for line in lines if line["outcome"] in (WIN, LOSE, FEE)]


def _counted_wagers(lines: Iterable[SettlementLine]) -> list[Wager]:
    return [Wager(line["seat"], line["wager"], line["cents"], line.get("play")) for line in _counted(lines)]


def _by_code(
    lines: Sequence[SettlementLine], expected: Mapping[str, Fraction] | None
) -> dict[str, CodeFigures]:
    codes = sorted({line["wager"] for line in lines})
    return {
        code: _code_figures(
            [line for line in lines if line["wager"] == code], expected.get(code) if expected else None
        )
        for code in codes
    }


def _code_figures(lines: Sequence[SettlementLine], expected_win: Fraction | None) -> CodeFigures:
    played = [line for line in lines if line["outcome"] in (WIN, LOSE)]
    fees = [line for line in lines if line["outcome"] == FEE]
    return CodeFigures(len(played), _sum(played, "cents"), _sum(fees, "cents"), expected_win)


def _sum(lines: Iterable[Mapping[str, Any]], name: str) -> int:
    return sum(int(line.get(name, 0)) for line in lines)
