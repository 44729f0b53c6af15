"""The win that the odds predict for a day's wagers, exactly, beside their actual win.

The wagers are those of settled rounds, as they were settled at the table: a slip counts on its own day. Extra Rolls
and what payout limits cut are included (`Game.round_expectation`). Rounds of which an entry or the terms cannot be
read are excluded from both sides, and their stakes are reported apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from games.engine import Rules
from games.engine.expectations import RoundExpectation
from games.engine.wagers import Wager
from games.expectation import round_expectation
from tables.replay.round_records import RoundRecord
from tables.reports.day_rounds import DayRounds
from tables.reports.settled_rounds import NONE, SettledRounds, summary

MAX_CACHED = 4_096  # cached tables and days
_cache: dict[Any, "CachedExpected"] = {}  # by the table's uid and the day


@dataclass(frozen=True)
class Expected:
    """What the odds predict for a sum of rounds, in cents, and what these rounds actually won for the casino.

    `excluded_cents` were staked in rounds whose expectation is not known.
    """

    staked_cents: int = 0
    win: Fraction = Fraction(0)
    won_cents: int = 0
    variance: Fraction = Fraction(0)
    excluded_cents: int = 0

    def __add__(self, addend: "Expected") -> "Expected":
        return Expected(
            self.staked_cents + addend.staked_cents,
            self.win + addend.win,
            self.won_cents + addend.won_cents,
            self.variance + addend.variance,
            self.excluded_cents + addend.excluded_cents,
        )


@dataclass(frozen=True)
class CachedExpected:
    """The expectation of a table's day, and the settled rounds that it covers."""

    of: SettledRounds
    expected: Expected


NOTHING = CachedExpected(NONE, Expected())


def expected_by_table(rounds: DayRounds) -> dict[int, Expected]:
    """Return the expectation of each table (id), by its settled rounds.

    Cached in memory and extended by newly settled rounds, because the entries of a settled round never change.
    """
    expected = {}
    for table, settled in rounds.settled().items():
        key = rounds.day.tables[table].uid, rounds.day.date
        cached = _cache.get(key, NOTHING)
        if cached.of != summary([record for record in settled if record.number <= cached.of.last_number]):
            cached = NOTHING  # an earlier round was settled late
        newer = [record for record in settled if record.number > cached.of.last_number]
        expected[table] = cached.expected + _expected_of(rounds, newer) if newer else cached.expected
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        _cache[key] = CachedExpected(summary(settled), expected[table])
    return expected


def _expected_of(rounds: DayRounds, settled: Sequence[RoundRecord]) -> Expected:
    """The expectation of settled rounds of one table."""
    return sum((_expected_of_round(record, rounds.rules(record)) for record in settled), Expected())


def _expected_of_round(record: RoundRecord, rules: Rules | None) -> Expected:
    expectation = _expectation(record, rules)
    if expectation is None:
        return Expected(excluded_cents=record.wagered_cents)
    won_cents = record.taken_cents - record.paid_cents
    return Expected(record.wagered_cents, expectation.expected_win, won_cents, expectation.variance)


def _expectation(record: RoundRecord, rules: Rules | None) -> RoundExpectation | None:
    if rules is None or record.unreadable:
        return None
    wagers = [
        Wager(seat, code, wager.cents, play)
        for (seat, code, play), wager in record.wagers.items()
        if not wager.struck
    ]
    return round_expectation(rules, wagers, record.valid_dice())
