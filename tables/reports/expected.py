"""The win that the odds predict for a day's wagers, exactly, beside their actual win.

The wagers are those of settled rounds. The expected win of a stake is its house advantage under the rules that its
round pinned, as the engine computes it. An Extra Roll, and the Like Kind circles of a seat that bought one, have odds
that depend on each other; they are excluded from both sides and reported apart. Payout limits are not taken into
account.

`games/expectation.py` computes the variance, which is exact too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from games.engine.settlement import FEE, LOSE
from games.expectation import advantages, variance_of
from tables.replay.round_records import RoundRecord
from tables.reports.day_rounds import DayRounds, stakes_of
from tables.reports.settled_rounds import NONE, SettledRounds, summary, won_cents

MAX_CACHED = 4_096  # cached tables and days
_cache: dict[Any, "CachedExpected"] = {}  # by the table's uid and the day


@dataclass(frozen=True)
class Expected:
    """What the odds predict for a sum of wagers, in cents. `variance` is None where it is not known.

    `won_cents` is what these wagers actually won for the casino. `excluded_cents` were staked on wagers whose odds
    depend on other wagers.
    """

    staked_cents: int = 0
    win: Fraction = Fraction(0)
    won_cents: int = 0
    variance: Fraction | None = Fraction(0)
    excluded_cents: int = 0

    def __add__(self, addend: "Expected") -> "Expected":
        is_known = self.variance is not None and addend.variance is not None
        return Expected(
            self.staked_cents + addend.staked_cents,
            self.win + addend.win,
            self.won_cents + addend.won_cents,
            self.variance + addend.variance if is_known else None,  # type: ignore[operator]
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
    """The expectation of settled rounds of one table. Wagers without known odds leave the variance unknown."""
    stakes: Counter[tuple[str, str]] = Counter()
    excluded_cents, excluded_win, odds_known = 0, 0, True
    rules_by_terms = {record.terms: rounds.rules(record) for record in settled}
    staked = [(record, list(stakes_of(record))) for record in settled]
    for record, round_stakes in staked:
        excluded = set()
        for stake in round_stakes:
            if stake.is_excluded:
                excluded_cents += stake.cents
                excluded.add((stake.seat, stake.code, stake.play or None))
            else:
                stakes[record.terms, stake.code] += stake.cents
        excluded_win += sum(_won_cents(record, key) for key in excluded)
    staked_cents, win = 0, Fraction(0)
    for (terms, code), cents in stakes.items():
        rules = rules_by_terms[terms]
        advantage = advantages(rules).get(code) if rules is not None else None
        if advantage is None:
            odds_known, excluded_cents = False, excluded_cents + cents
        else:
            staked_cents, win = staked_cents + cents, win + cents * advantage
    won = won_cents(settled) - excluded_win if stakes or excluded_cents else 0
    variance_ = variance_of(staked, rules_by_terms) if odds_known else None
    return Expected(staked_cents, win, won, variance_, excluded_cents)


def _won_cents(record: RoundRecord, key: Any) -> int:
    """What a wager won for the casino, by its newest settlement."""
    if key not in record.lines:
        return 0
    line = record.lines[key][1]
    return (line["cents"] if line["outcome"] in (LOSE, FEE) else 0) - line["paid_cents"]
