"""The exact figures of settled rounds, of their tables and of ratings, from the entries of the tables: docs/figures.md.

1. A round is read from its entries with the newest Error Notification Slip about it (`RoundWithSlip`). Nothing is read
   from the tables of play, which the record does not protect. It counts as its newest slip leaves it, on its own gaming
   day, whenever the slip was filed. A round that was voided counts nothing, whether at the table or by a slip.
2. `figures_of_round` folds it once; every page, file and paper has its figures from there, and adds them up with
   `add_round` (`tables.core.figure_sums`): the rollups, the daily report, the handover and `manage.py figures`
   (`table_lines`, `round_line`). Rounds are independent of each other, so variances add up. Nothing is rounded.
3. The figures of a rating (`figures_of_rating`) are those of the wagers of its seat in its rounds. The theoretical loss
   is what the odds of the round predict for these wagers, Extra Rolls and payout limits included (`games.exposure`), as
   a fraction of a cent. The handle is the sum of the wagers that were won or lost; fees are stated separately.
"""

import datetime as dt
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any, TypedDict

from django.db.models import Max, Min, Q, QuerySet

from audit.models import Entry
from games.engine import Rules
from games.engine.wagers import FEE, LOSE, WIN, Wager
from games.exposure import round_expectation
from games.models import Facility
from tables.core import posts
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.figure_sums import Sums, per_hour
from tables.corrections.settlements import SettlementLine, settled_line
from tables.corrections.slips import SLIP_FILED
from tables.models import Rating, Table
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
        round_.record.phase and first_day <= round_.record.gaming_day <= last_day
        for round_ in _rounds(table, *numbers)
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
    for round_ in _rounds(table, *numbers):
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


def _rounds(table: Table, first: int, last: int) -> Iterator[RoundWithSlip]:
    """Yield the rounds of a table with these numbers, in their order, each with the slips about it."""
    for start in range(first, last + 1, BATCH_ROUNDS):
        yield from _read_rounds(table.stream_id, start, min(start + BATCH_ROUNDS - 1, last))


def _read_rounds(stream_id: int, first: int, last: int) -> Iterator[RoundWithSlip]:
    """Read these rounds in one query."""
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


def add_round(sums: Sums, round_: RoundFigures, seats: int = 0) -> None:
    """Add a settled round of a table to sums; with the table's number of seats they have an occupancy."""
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
        add_round(sums, figures)
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
    handle_cents: int = 0
    fees_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
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
        return sum((figures.theoretical_cents for figures in self.by_code.values()), Fraction(0))

    @property
    def win_cents(self) -> int:
        """What the casino won of the player; below zero where the player won."""
        return self.taken_cents + self.fees_cents - self.paid_cents

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


def figures_of(ratings: Iterable[Rating], now: dt.datetime) -> RatedFigures:
    """Return the figures of these ratings together; a rating that runs counts up to now."""
    return sum_of_ratings(figures_of_rating(rating, now) for rating in ratings)


def figures_of_rating(rating: Rating, now: dt.datetime) -> RatedFigures:
    """Return the figures of one rating."""
    figures, rules_finder = RatedFigures(spans=[(rating.started_at, rating.ended_at or now)]), RulesFinder()
    table = rating.table
    last = table.last_round if rating.last_round is None else rating.last_round
    for round_ in _rounds(table, rating.first_round, last):
        if round_.is_settled:
            rules = rules_finder.find(table.facility.code, round_.record.terms)
            _add_rated_round(figures, rating, round_, rules)
    return figures


def sum_of_ratings(parts: Iterable[RatedFigures]) -> RatedFigures:
    """Return the figures of several ratings as one."""
    total = RatedFigures()
    for part in parts:
        total.played |= part.played
        total.spans += part.spans
        for name in ("handle_cents", "fees_cents", "taken_cents", "paid_cents", "unknown_cents"):
            setattr(total, name, getattr(total, name) + getattr(part, name))
        for code, figures in part.by_code.items():
            figures_of_code = total.by_code[code]
            figures_of_code.cents += figures.cents
            figures_of_code.count += figures.count
            figures_of_code.theoretical_cents += figures.theoretical_cents
    return total


def _add_rated_round(
    figures: RatedFigures, rating: Rating, round_: RoundWithSlip, rules: Rules | None
) -> None:
    """Add what the seat wagered in a round. Each seat has an expectation of its own: one never changes another's."""
    all_lines, throws, unreadable = _outcome(round_)
    lines = [line for line in _counted(all_lines) if line["seat"] == rating.seat]
    if not lines:
        return
    figures.played.add((rating.table_id, round_.record.number))
    wagers = _counted_wagers(lines)
    expectation = None if unreadable or rules is None else round_expectation(rules, wagers, throws)
    if expectation is None:
        figures.unknown_cents += sum(wager.cents for wager in wagers)
    else:
        for code, expected_win in expectation.by_code.items():
            figures.by_code[code].theoretical_cents += expected_win
    for wager, line in zip(wagers, lines, strict=True):
        figures.by_code[wager.code].cents += wager.cents
        figures.by_code[wager.code].count += 1
        if line["outcome"] == FEE:
            figures.fees_cents += wager.cents
            continue
        figures.handle_cents += wager.cents
        figures.paid_cents += line["paid_cents"]
        if line["outcome"] == LOSE:
            figures.taken_cents += wager.cents
