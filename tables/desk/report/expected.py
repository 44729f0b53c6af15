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

from games.engine import Rules
from games.engine.high_roll.wagers import EXTRA_ROLL
from games.models import RulesSubmission
from games.submissions import rules_of

from ...models import Settlement, Throw, Wager
from . import variance
from .day import Day
from .variance import LIKE_KIND

KEPT = 4_096  # expectations of a table's day
_kept: dict[Any, "Expected"] = {}  # by the table's uid, the day, and what was settled


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
class Settled:
    """What is known of a table's settled rounds without looking at their wagers."""

    rounds: int
    won_cents: int


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

    Kept in memory for as long as no more rounds were settled there: what lay in a settled round never changes.
    """
    keys = {table: (day.tables[table].uid, day.date, said) for table, said in settled.items() if said.rounds}
    missing = {table: settled[table] for table, key in keys.items() if key not in _kept}
    if len(_kept) + len(missing) > KEPT:
        _kept.clear()
        missing = {table: settled[table] for table in keys}
    _kept.update({keys[table]: said for table, said in _of_tables(day, missing).items()})
    return {table: _kept[key] for table, key in keys.items() if key in _kept}


def _of_tables(day: Day, settled: Mapping[int, Settled]) -> dict[int, Expected]:
    if not settled:
        return {}
    sums = _staked(day, settled)
    rules = _rules({one.submission for one in sums})
    variances = variance.of_tables(day, {(one.table, one.submission) for one in sums}, rules)
    apart_won = _apart_won(day, settled) if any(one.apart for one in sums) else {}
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


def _staked(day: Day, tables: Collection[int]) -> list[Staked]:
    """The wagers of the settled rounds at these tables, summed by the database."""
    return [
        Staked(
            row["round__table"],
            row["round__submission"],
            row["code"],
            row["apart"],
            row["wagers"],
            int(row["sum"]),
        )
        for row in _settled_wagers(day, tables)
        .values("round__table", "round__submission", "code", "apart")
        .annotate(wagers=Count("pk"), sum=Sum("cents"))
        .order_by("round__table", "round__submission", "code", "apart")
    ]


@lru_cache(maxsize=64)
def advantages(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code."""
    return {
        code: rules.game.advantage(rules, code, outcomes)
        for code, outcomes in rules.game.outcomes(rules).items()
    }


def _settled_wagers(day: Day, tables: Collection[int]) -> Any:
    """Those of the settled rounds at these tables, each with whether it is `apart`."""
    bought = Wager.objects.filter(
        round=OuterRef("round"), seat=OuterRef("seat"), code=EXTRA_ROLL, struck=False
    )
    apart = Case(
        When(code=EXTRA_ROLL, then=True),
        When(Q(code__startswith=LIKE_KIND) & Exists(bought), then=True),
        default=False,
        output_field=BooleanField(),
    )
    rounds = Q(round__table__in=list(tables), round__gaming_day=day.date, round__phase="cleared")
    return Wager.objects.filter(rounds, struck=False).annotate(apart=apart)


def _apart_won(day: Day, tables: Collection[int]) -> dict[int, int]:
    """By table what the wagers that are apart won for the house, as their throws were settled last."""
    later = Throw.objects.filter(
        round=OuterRef("throw__round"),
        number=OuterRef("throw__number"),
        revision__gt=OuterRef("throw__revision"),
    )
    wagers = _settled_wagers(day, tables).filter(apart=True)
    settled = Settlement.objects.filter(wager__in=wagers.values("pk")).exclude(Exists(later))
    rows = settled.values("throw__round__table").annotate(
        taken=Coalesce(Sum("cents", filter=Q(outcome__in=("lose", "fee"))), 0), paid=Sum("paid_cents")
    )
    return {row["throw__round__table"]: int(row["taken"] - row["paid"]) for row in rows.order_by()}


def _rules(submissions: Collection[int]) -> dict[int, Rules]:
    found: Any = RulesSubmission.objects.in_bulk(submissions)
    return {key: rules_of(one) for key, one in found.items()}
