"""The exact figures of settled rounds, of their tables and of ratings, from the entries of the tables: docs/figures.md.

1. A round is folded from its entries with the newest Error Notification Slip about it (`RoundRecord`). Nothing is read
   from the tables of play, which the record does not protect. It counts as its newest slip leaves it, on its own gaming
   day, whenever the slip was filed. A round that was voided counts nothing, whether at the table or by a slip.
2. `figures_of_round` makes its figures, and every page, file and paper adds them up in `Sums`: the rollups, the daily
   report, the handover and `manage.py figures` (`table_lines`, `round_line`). Rounds are independent of each other, so
   variances add up. Nothing is rounded.
3. The figures of a rating (`figures_of_rating`) are those of the wagers of its seat in its rounds. The theoretical loss
   is what the odds of the round predict for these wagers, Extra Rolls and payout limits included (`games.exposure`), as
   a fraction of a cent. The handle is the sum of the wagers that were won or lost; fees are stated separately.
"""

import datetime as dt
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import TypedDict

from django.db.models import Max, Min, Q, QuerySet

from audit.models import Entry
from games.engine import Rules
from games.models import Facility
from tables.core import posts
from tables.core.entries import MISSHAPEN
from tables.core.figure_sums import RoundFigures, Sums, figures_of_stakes, per_hour
from tables.corrections.settlements import stake_of
from tables.models import Rating, Table
from tables.replay.replayed_round import HANDLERS, RulesFinder
from tables.replay.round_records import RoundRecord, records_in
from tables.staffing.dealers import PostHolders

SLACK = dt.timedelta(seconds=5)  # a stream's clock may lag by two seconds at the end of a day
BATCH_ROUNDS = 200
ANY_DAYS = dt.date.min, dt.date.max


# Rounds of days, or by their numbers


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
        record.phase and first_day <= record.gaming_day <= last_day for record in _rounds(table, *numbers)
    )


def _tables(facility: Facility, table: str | None, play: str) -> list[Table]:
    tables = Table.objects.filter(facility=facility, kind=play)
    if table is not None:
        tables = tables.filter(code=table)
    return sorted(tables, key=lambda row: row.code)  # not by the collation of a database


def figures_of_rounds(table: Table, first: int, last: int) -> Iterator[RoundFigures]:
    """Yield the settled rounds of a table with these numbers, in their order."""
    yield from _figures_of_table(table.facility, table, (first, last), ANY_DAYS, RulesFinder())


def _figures_of_table(
    facility: Facility,
    table: Table,
    numbers: tuple[int, int],
    days: tuple[dt.date, dt.date],
    rules_finder: RulesFinder,
) -> Iterator[RoundFigures]:
    holders: PostHolders | None = None
    first_day, last_day = (day.isoformat() for day in days)
    for record in _rounds(table, *numbers):
        if not first_day <= record.gaming_day <= last_day or not record.is_settled:
            continue
        if holders is None:
            holders = PostHolders(table.stream_id, posts.posts_of(table), record.seqs["opened"])
        rules = rules_finder.find(facility.code, record.terms)
        yield figures_of_round(table, record, rules, holders.advance(record.seqs["ended"]))


def _round_numbers(
    facility: Facility, tables: Sequence[Table], days: tuple[dt.date, dt.date]
) -> dict[int, tuple[int, int]]:
    """Return the first and the last round with an entry in these days, by stream, in one query."""
    begins, ends = facility.day_begins(days[0]), facility.day_begins(days[1] + dt.timedelta(days=1))
    streams = [table.stream_id for table in tables]
    return round_numbers(Entry.objects.filter(in_time(begins, ends), stream__in=streams))


def in_time(begins: dt.datetime, ends: dt.datetime) -> Q:
    """Whether an entry may be of gaming days that begin and end at these moments."""
    return Q(at__gte=begins - SLACK, at__lt=ends + SLACK)


def round_numbers(entries: QuerySet[Entry]) -> dict[int, tuple[int, int]]:
    """Return the first and the last round of which these entries tell an act, by stream, in one query."""
    acts = entries.filter(type__in=HANDLERS, round__isnull=False)
    numbers = acts.values("stream").annotate(first=Min("round"), last=Max("round")).order_by()
    return {row["stream"]: (row["first"], row["last"]) for row in numbers}


def _rounds(table: Table, first: int, last: int) -> Iterator[RoundRecord]:
    """Yield the rounds of a table with these numbers, in their order, some of them in each query."""
    for start in range(first, last + 1, BATCH_ROUNDS):
        yield from records_in({table.stream_id: (start, min(start + BATCH_ROUNDS - 1, last))})


# The figures of one


def figures_of_round(
    table: Table,
    record: RoundRecord,
    rules: Rules | None,
    dealers: tuple[str, ...] = (),
    seat: int | None = None,
) -> RoundFigures:
    """Return the figures of one settled round, or of its wagers at one seat, from its entries (docs/figures.md)."""
    unreadable = list(record.unreadable)
    try:
        lines, throws = record.settled_lines(), record.valid_dice()
    except MISSHAPEN:
        assert record.slip is not None
        lines, throws = [], []
        unreadable.append(record.slip.seq)
    assert record.ended_at is not None
    return figures_of_stakes(
        [stake_of(line) for line in lines if seat in (None, line["seat"])],
        throws,
        rules,
        table_id=table.pk,
        table=table.code,
        game=table.game,
        round_=record.number,
        gaming_day=dt.date.fromisoformat(record.gaming_day),
        settled_at=record.ended_at,
        dealers=dealers,
        has_slip=record.slip is not None,
        unreadable=tuple(unreadable),
    )


# Sums of a table, as `manage.py figures` writes them


class FiguresLine(TypedDict, total=False):
    """A line of `manage.py figures`. `round` and `gaming_day` are in the lines of rounds only."""

    table: str
    round: int
    gaming_day: str
    game: str
    rounds: int
    wagers: int
    handle_cents: int
    taken_cents: int
    paid_cents: int
    win_cents: int
    fees_cents: int
    cut_cents: int
    expected_win: str | None
    variance: str | None


def table_lines(
    rounds: Iterable[RoundFigures], dealt: Iterable[tuple[str, str]] = ()
) -> Iterator[FiguresLine]:
    """Yield the line of each table, in the order of the rounds.

    `dealt`: codes and games of tables in the same order, each of which has a line, also without a settled round.
    """
    waiting = deque(dealt)
    for (table, game), of_table in groupby(rounds, key=lambda figures: (figures.table, figures.game)):
        while waiting and waiting[0][0] < table:
            yield _line(*waiting.popleft(), ())
        if waiting and waiting[0][0] == table:
            waiting.popleft()
        yield _line(table, game, of_table)
    for code, game in waiting:
        yield _line(code, game, ())


def round_line(figures: RoundFigures) -> FiguresLine:
    """Return the line of one round."""
    line = _line(figures.table, figures.game, [figures])
    return {
        "table": line.pop("table"),
        "round": figures.round,
        "gaming_day": figures.gaming_day.isoformat(),
        **line,
    }


def _line(table: str, game: str, rounds: Iterable[RoundFigures]) -> FiguresLine:
    """The sums of rounds of a table. A fraction is in lowest terms; a whole number has no denominator."""
    sums = Sums()
    for figures in rounds:
        sums.add_round(figures)
    return {
        "table": table,
        "game": game,
        "rounds": sums.rounds,
        "wagers": sums.wagers,
        "handle_cents": sums.handle_cents,
        "taken_cents": sums.taken_cents,
        "paid_cents": sums.paid_cents,
        "win_cents": sums.win_cents,
        "fees_cents": sums.fees_cents,
        "cut_cents": sums.cut_cents,
        "expected_win": str(sums.expected.value) if sums.is_known else None,
        "variance": str(sums.variance.value) if sums.is_known else None,
    }


# Figures of ratings


@dataclass
class RatedCodeFigures:
    """The rated wagers on one code, in cents, and their part of the theoretical loss."""

    cents: int = 0
    count: int = 0
    theoretical_cents: Fraction = Fraction(0)


@dataclass
class RatedFigures:
    """Figures of ratings; money in cents, from the casino's side.

    `played` are the rounds with a wager: table and number. `unknown_cents` were staked in rounds whose odds cannot be
    read: they have no theoretical loss.
    """

    played: set[tuple[int, int]] = field(default_factory=set)
    sums: Sums = field(default_factory=Sums)
    unknown_cents: int = 0
    by_code: dict[str, RatedCodeFigures] = field(default_factory=lambda: defaultdict(RatedCodeFigures))
    spans: list[tuple[dt.datetime, dt.datetime]] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """The rounds in which the player wagered. One with wagers at two seats counts once."""
        return len(self.played)

    @property
    def theoretical_cents(self) -> Fraction:
        """The casino's expected win of these wagers, which is what the player loses in theory."""
        return self.sums.expected.value

    @property
    def time(self) -> dt.timedelta:
        """How long the player was rated. Two seats at the same time count once."""
        total, until = dt.timedelta(), None
        for start, end in sorted(self.spans):
            start = start if until is None else max(start, until)
            if end > start:
                total += end - start
            until = end if until is None else max(until, end)
        return total

    @property
    def rounds_an_hour(self) -> Fraction | None:
        """The rounds in which the player wagered, an hour of rated time; None without time."""
        return per_hour(self.rounds, self.time)


def figures_of_rating(rating: Rating, now: dt.datetime) -> RatedFigures:
    """Return the figures of one rating; one that runs counts up to now."""
    figures, rules_finder = RatedFigures(spans=[(rating.started_at, rating.ended_at or now)]), RulesFinder()
    table = rating.table
    last = table.last_round if rating.last_round is None else rating.last_round
    for record in _rounds(table, rating.first_round, last):
        if record.is_settled:
            rules = rules_finder.find(table.facility.code, record.terms)
            _add_rated_round(figures, figures_of_round(table, record, rules, seat=rating.seat))
    return figures


def sum_of_ratings(parts: Iterable[RatedFigures]) -> RatedFigures:
    """Return the figures of several ratings as one."""
    total = RatedFigures()
    for part in parts:
        total.played |= part.played
        total.spans += part.spans
        total.sums.add(part.sums)
        total.unknown_cents += part.unknown_cents
        for code, figures in part.by_code.items():
            figures_of_code = total.by_code[code]
            figures_of_code.cents += figures.cents
            figures_of_code.count += figures.count
            figures_of_code.theoretical_cents += figures.theoretical_cents
    return total


def _add_rated_round(figures: RatedFigures, of_seat: RoundFigures) -> None:
    """Add what the seat wagered in a round. Each seat has an expectation of its own: one never changes another's."""
    if not of_seat.seats:
        return
    figures.played.add((of_seat.table_id, of_seat.round))
    figures.sums.add_round(of_seat)
    if of_seat.expected_win is None:
        figures.unknown_cents += of_seat.handle_cents + of_seat.fees_cents
    for code, of_code in of_seat.by_code.items():
        if of_code.wagers or of_code.fees:
            figures_of_code = figures.by_code[code]
            figures_of_code.cents += of_code.handle_cents + of_code.fees_cents
            figures_of_code.count += of_code.wagers + of_code.fees
            figures_of_code.theoretical_cents += of_code.expected_win or 0
