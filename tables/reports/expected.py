"""What the odds say that a day's wagers should win for the house, exactly, beside what they won.

The wagers are those of settled rounds. The expected win of a stake is its house advantage under the rules that its
round pinned, as the engine counts it. An Extra Roll, and the Like Kind circles of a seat that bought one, have odds
that depend on each other; they are left out of both sides and told apart. A payout limit is not reckoned with.

The variance, which is exact too, is `variance.py`'s.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.db.models import BooleanField, Case, Count, Exists, OuterRef, Q, Sum, When
from django.db.models.functions import Coalesce

from games.catalog.high_roll.engine.wagers import EXTRA_ROLL
from games.engine import Rules
from games.models import RulesSubmission
from games.registry import game_of
from games.submissions import rules_of
from tables.models import Settlement, Throw, Wager
from tables.reports import variance
from tables.reports.report_day import Day
from tables.reports.settled_rounds import NONE, Settled, Stretch, of_stretch
from tables.reports.variance import LIKE_KIND

KEPT = 4_096  # expectations of a table's day
_kept: dict[Any, "Kept"] = {}  # by the table's uid and the day


@dataclass(frozen=True)
class Expected:
    """What the odds say of a sum of wagers, in cents. `variance` is None where it is not known.

    `won_cents` is what these wagers won for the house in fact; `apart_cents` were staked on wagers that the odds say
    nothing of alone.
    """

    staked_cents: int = 0
    win: Fraction = Fraction(0)
    won_cents: int = 0
    variance: Fraction | None = Fraction(0)
    apart_cents: int = 0

    def __add__(self, other: "Expected") -> "Expected":
        known = self.variance is not None and other.variance is not None
        return Expected(
            self.staked_cents + other.staked_cents,
            self.win + other.win,
            self.won_cents + other.won_cents,
            self.variance + other.variance if known else None,  # type: ignore[operator]
            self.apart_cents + other.apart_cents,
        )


@dataclass(frozen=True)
class Kept:
    """What was reckoned of a table's day, and of which rounds."""

    of: Settled
    said: Expected


NOTHING = Kept(NONE, Expected())


@dataclass(frozen=True)
class Staked:
    """What lay on one code at one table under one version of the rules; `apart` as the module says."""

    table: int
    submission: int
    code: str
    apart: bool
    wagers: int
    cents: int


def of_tables(day: Day, settled: Mapping[int, Settled]) -> dict[int, Expected]:
    """The expectation of each table (id), by its settled rounds.

    Kept in memory, and added to by the rounds that were settled since: what lay in a settled round never changes.
    """
    known = {table: _kept.get((day.tables[table].uid, day.date), NOTHING) for table in settled}
    new = {
        table: (known[table].of.last, now.last) for table, now in settled.items() if known[table].of != now
    }
    counted = of_stretch(Stretch(day, new)) if new else {}
    for table in new:
        if counted.get(table) != settled[table] - known[table].of:  # a round before was settled after all
            known[table], new[table] = NOTHING, (0, settled[table].last)
    since = _of_stretch(Stretch(day, new), {table: settled[table] - known[table].of for table in new})
    found = {table: known[table].said + since.get(table, Expected()) for table in settled}
    if len(_kept) + len(found) > KEPT:
        _kept.clear()
    _kept.update(
        {(day.tables[table].uid, day.date): Kept(settled[table], said) for table, said in found.items()}
    )
    return {table: said for table, said in found.items() if settled[table].rounds}


def _of_stretch(stretch: Stretch, settled: Mapping[int, Settled]) -> dict[int, Expected]:
    if not settled:
        return {}
    sums = _staked(stretch)
    rules = _rules({one.submission for one in sums})
    variances = variance.of_tables(stretch, {(one.table, one.submission) for one in sums}, rules)
    apart_won = _apart_won(stretch) if any(one.apart for one in sums) else {}
    found: dict[int, Expected] = defaultdict(Expected)
    for one in sums:
        if one.apart:
            found[one.table] += Expected(apart_cents=one.cents)
            continue
        win = one.cents * advantages(rules[one.submission])[one.code]
        found[one.table] += Expected(one.cents, win)
    for table in found:
        won = settled[table].won_cents - apart_won.get(table, 0)
        found[table] += Expected(won_cents=won, variance=variances[table])
    return dict(found)


def _staked(stretch: Stretch) -> list[Staked]:
    """The wagers of these rounds, summed by the database."""
    return [
        Staked(
            row["round__table"],
            row["round__submission"],
            row["code"],
            row["apart"],
            row["wagers"],
            int(row["sum"]),
        )
        for row in _settled_wagers(stretch)
        .values("round__table", "round__submission", "code", "apart")
        .annotate(wagers=Count("pk"), sum=Sum("cents"))
        .order_by("round__table", "round__submission", "code", "apart")
    ]


@lru_cache(maxsize=64)
def advantages(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code."""
    return {
        code: game_of(rules).advantage(rules, code, outcomes)
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


def _settled_wagers(stretch: Stretch) -> Any:
    """Those of these rounds, each with whether it is `apart`."""
    bought = Wager.objects.filter(
        round=OuterRef("round"), seat=OuterRef("seat"), code=EXTRA_ROLL, struck=False
    )
    apart = Case(
        When(code=EXTRA_ROLL, then=True),
        When(Q(code__startswith=LIKE_KIND) & Exists(bought), then=True),
        default=False,
        output_field=BooleanField(),
    )
    return Wager.objects.filter(stretch.rounds("round__"), struck=False).annotate(apart=apart)


def _apart_won(stretch: Stretch) -> dict[int, int]:
    """By table what the wagers that are apart won for the house, as their throws were settled last."""
    later = Throw.objects.filter(
        round=OuterRef("throw__round"),
        number=OuterRef("throw__number"),
        revision__gt=OuterRef("throw__revision"),
    )
    wagers = _settled_wagers(stretch).filter(apart=True)
    settled = Settlement.objects.filter(wager__in=wagers.values("pk")).exclude(Exists(later))
    rows = settled.values("throw__round__table").annotate(
        taken=Coalesce(Sum("cents", filter=Q(outcome__in=("lose", "fee"))), 0), paid=Sum("paid_cents")
    )
    return {row["throw__round__table"]: int(row["taken"] - row["paid"]) for row in rows.order_by()}


def _rules(submissions: Collection[int]) -> dict[int, Rules]:
    found: Any = RulesSubmission.objects.in_bulk(submissions)
    return {key: rules_of(one) for key, one in found.items()}
