"""The win that the odds predict for a day's wagers, exactly, beside their actual win.

The wagers are those of settled rounds. The expected win of a stake is its house advantage under the rules that its
round pinned, as the engine computes it. An Extra Roll, and the Like Kind circles of a seat that bought one, have odds
that depend on each other; they are excluded from both sides and reported apart. Payout limits are not taken into
account.

`variance.py` computes the variance, which is exact too.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.db.models import BooleanField, Case, Count, Exists, OuterRef, Q, Sum, When
from django.db.models.functions import Coalesce

from games.engine import Rules
from games.models import RulesSubmission
from games.registry import game_of, registered_fees
from games.submissions import rules_of
from tables.models import Settlement, Throw, Wager
from tables.reports import variance
from tables.reports.report_day import ReportDay
from tables.reports.settled_rounds import NONE, RoundRange, SettledRounds, settled_in_range

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


@dataclass(frozen=True)
class StakeSum:
    """The stakes on one code at one table under one version of the rules. `excluded`: see the module."""

    table: int
    submission: int
    code: str
    excluded: bool
    wagers: int
    cents: int


def expected_by_table(day: ReportDay, settled: Mapping[int, SettledRounds]) -> dict[int, Expected]:
    """Return the expectation of each table (id), by its settled rounds.

    Cached in memory and extended by newly settled rounds, because the wagers of a settled round never change.
    """
    cached = {table: _cache.get((day.tables[table].uid, day.date), NOTHING) for table in settled}
    new_spans = {
        table: (cached[table].of.last_number, current.last_number)
        for table, current in settled.items()
        if cached[table].of != current
    }
    counted_now = settled_in_range(RoundRange(day, new_spans)) if new_spans else {}
    for table in new_spans:
        if counted_now.get(table) != settled[table] - cached[table].of:  # an earlier round was settled late
            cached[table], new_spans[table] = NOTHING, (0, settled[table].last_number)
    added = _expected_in_range(
        RoundRange(day, new_spans), {table: settled[table] - cached[table].of for table in new_spans}
    )
    expected = {table: cached[table].expected + added.get(table, Expected()) for table in settled}
    if len(_cache) + len(expected) > MAX_CACHED:
        _cache.clear()
    _cache.update(
        {
            (day.tables[table].uid, day.date): CachedExpected(settled[table], expected_)
            for table, expected_ in expected.items()
        }
    )
    return {table: expected_ for table, expected_ in expected.items() if settled[table].rounds}


def _expected_in_range(range_: RoundRange, settled: Mapping[int, SettledRounds]) -> dict[int, Expected]:
    if not settled:
        return {}
    sums = _stake_sums(range_)
    rules = _rules({stake.submission for stake in sums})
    variances = variance.variance_by_table(range_, {(stake.table, stake.submission) for stake in sums}, rules)
    excluded_wins = _excluded_wins(range_) if any(stake.excluded for stake in sums) else {}
    expected: dict[int, Expected] = defaultdict(Expected)
    for stake in sums:
        if stake.excluded:
            expected[stake.table] += Expected(excluded_cents=stake.cents)
            continue
        win = stake.cents * advantages(rules[stake.submission])[stake.code]
        expected[stake.table] += Expected(stake.cents, win)
    for table in expected:
        won = settled[table].won_cents - excluded_wins.get(table, 0)
        expected[table] += Expected(won_cents=won, variance=variances[table])
    return dict(expected)


def _stake_sums(range_: RoundRange) -> list[StakeSum]:
    """The wagers of these rounds, summed by the database."""
    return [
        StakeSum(
            row["round__table"],
            row["round__submission"],
            row["code"],
            row["excluded"],
            row["wagers"],
            int(row["sum"]),
        )
        for row in _settled_wagers(range_)
        .values("round__table", "round__submission", "code", "excluded")
        .annotate(wagers=Count("pk"), sum=Sum("cents"))
        .order_by("round__table", "round__submission", "code", "excluded")
    ]


@lru_cache(maxsize=64)
def advantages(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code."""
    return {
        code: game_of(rules).advantage(rules, code, outcomes)
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


def _settled_wagers(range_: RoundRange) -> Any:
    """The wagers of these rounds, each with whether it is `excluded`."""
    cases = []
    for fee in registered_fees():
        bought = Wager.objects.filter(
            round=OuterRef("round"), seat=OuterRef("seat"), code=fee.code, struck=False
        )
        cases.append(When(code=fee.code, then=True))
        cases.append(When(Q(code__startswith=fee.affects) & Exists(bought), then=True))
    excluded = Case(*cases, default=False, output_field=BooleanField())
    return Wager.objects.filter(range_.rounds("round__"), struck=False).annotate(excluded=excluded)


def _excluded_wins(range_: RoundRange) -> dict[int, int]:
    """What the excluded wagers won for the casino, by table, by the newest settlement of their throws."""
    later = Throw.objects.filter(
        round=OuterRef("throw__round"),
        number=OuterRef("throw__number"),
        revision__gt=OuterRef("throw__revision"),
    )
    wagers = _settled_wagers(range_).filter(excluded=True)
    settlements = Settlement.objects.filter(wager__in=wagers.values("pk")).exclude(Exists(later))
    rows = settlements.values("throw__round__table").annotate(
        taken=Coalesce(Sum("cents", filter=Q(outcome__in=("lose", "fee"))), 0), paid=Sum("paid_cents")
    )
    return {row["throw__round__table"]: int(row["taken"] - row["paid"]) for row in rows.order_by()}


def _rules(submissions: Collection[int]) -> dict[int, Rules]:
    submissions_by_id: Any = RulesSubmission.objects.in_bulk(submissions)
    return {key: rules_of(submission) for key, submission in submissions_by_id.items()}
