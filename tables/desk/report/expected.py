"""What the odds say that a day's wagers should win for the house, exactly, beside what they won.

The wagers are those of settled rounds. The expected win of a stake is its house advantage under the rules that its
round pinned, as the engine counts it. An Extra Roll, and the Like Kind circles of a seat that bought one, have odds
that depend on each other; they are left out of both sides and told apart. A payout limit is not reckoned with.

The variance is exact too: wagers of one round hang together, because one throw decides them all, and rounds do not.
It is known where one throw decides a round whatever it shows; Three Dice Football has none.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Case, Count, Exists, OuterRef, Q, Sum, When
from django.db.models.functions import Coalesce

from games.engine import Rules
from games.engine.high_roll.wagers import EXTRA_ROLL
from games.engine.wagers import Wager as Stake
from games.models import RulesSubmission
from games.submissions import rules_of

from ...models import Settlement, Throw, Wager
from .day import Day

LIKE_KIND = "like-kind:"
A_STAKE = 252_000  # whatever the odds, it wins whole cents
HALVES = 1 << 20  # products of cents are summed in two parts, so that no sum leaves 64 bits
FACES = range(1, 7)
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
    variances = _variances(day, sums, rules)
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


@lru_cache(maxsize=16)
def covariances(rules: Rules) -> dict[tuple[str, str], Fraction] | None:
    """Of each two codes (in order), for what one unit on each wins for the house; None where a throw may not decide
    a round.
    """
    throws = list(_throws(rules.edition.dice))
    if any(not rules.game.standing(rules, (), [dice]).ending for dice, _ways in throws):
        return None
    stakes = [Stake(1, code, A_STAKE) for code in advantages(rules) if code != EXTRA_ROLL]
    unlimited = replace(rules, payout_limit_cents=None)
    wins: Counter[tuple[Fraction, ...]] = Counter()
    for dice, ways in throws:
        settled = {one.wager.code: one for one in rules.game.standing(unlimited, stakes, [dice]).settled}
        said = (settled[one.code].pays for one in stakes)
        wins[tuple(Fraction(1) if pays is None else -pays.ratio() for pays in said)] += ways
    return _covariances([one.code for one in stakes], wins)


def _covariances(
    codes: list[str], wins: Mapping[tuple[Fraction, ...], int]
) -> dict[tuple[str, str], Fraction]:
    """Whole numbers until the last division: there may be thousands of rows."""
    per = prod({win.denominator for row in wins for win in row})
    rows = [([int(win * per) for win in row], ways) for row, ways in wins.items()]
    all_ways = sum(ways for _row, ways in rows)
    means = [sum(row[i] * ways for row, ways in rows) for i in range(len(codes))]
    found = {}
    for i, first in enumerate(codes):
        for j in range(i, len(codes)):
            both = sum(row[i] * row[j] * ways for row, ways in rows)
            pair = (first, codes[j]) if first <= codes[j] else (codes[j], first)
            found[pair] = Fraction(both * all_ways - means[i] * means[j], (all_ways * per) ** 2)
    return found


def _throws(dice: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every throw whatever its order, and in how many orders it falls."""
    for faces in combinations_with_replacement(FACES, dice):
        yield faces, factorial(dice) // prod(factorial(count) for count in Counter(faces).values())


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


def _variances(day: Day, sums: Collection[Staked], rules: Mapping[int, Rules]) -> dict[int, Fraction | None]:
    """By table the variance of what its settled rounds win, in cents squared."""
    found: dict[int, Fraction | None] = {one.table: Fraction(0) for one in sums}
    known = {key: covariances(one) for key, one in rules.items()}
    for one in sums:
        if known[one.submission] is None:
            found[one.table] = None
    tables = [table for table, variance in found.items() if variance is not None]
    for table, submission, first, second, product in _products(day, tables) if tables else ():
        so_far, both = found[table], known[submission]
        assert so_far is not None and both is not None
        pair = (first, second) if first <= second else (second, first)
        found[table] = so_far + product * both[pair] * (1 if first == second else 2)
    return found


def _products(day: Day, tables: Collection[int]) -> Iterator[tuple[int, int, str, str, int]]:
    """For each two codes, the sum over the rounds of what lay on the one times what lay on the other."""
    sql = f"""WITH staked(round, tbl, submission, code, cents) AS (
                SELECT w.round_id, r.table_id, r.submission_id, w.code, CAST(SUM(w.cents) AS bigint)
                FROM tables_wager w JOIN tables_round r ON r.id = w.round_id
                WHERE r.table_id IN ({", ".join(["%s"] * len(tables))}) AND r.gaming_day = %s AND r.phase = 'cleared'
                  AND NOT w.struck AND w.code <> %s
                  AND NOT (w.code LIKE %s AND EXISTS (
                    SELECT 1 FROM tables_wager x
                    WHERE x.round_id = w.round_id AND x.seat = w.seat AND x.code = %s AND NOT x.struck))
                GROUP BY w.round_id, r.table_id, r.submission_id, w.code
              )
              SELECT a.tbl, a.submission, a.code, b.code,
                     SUM((a.cents * b.cents) / {HALVES}), SUM((a.cents * b.cents) %% {HALVES})
              FROM staked a JOIN staked b ON b.round = a.round AND b.code >= a.code
              GROUP BY a.tbl, a.submission, a.code, b.code"""
    on_day = connection.ops.adapt_datefield_value(day.date)
    params = [*tables, on_day, EXTRA_ROLL, f"{LIKE_KIND}%", EXTRA_ROLL]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        for table, submission, first, second, high, low in cursor.fetchall():
            yield table, submission, first, second, int(high) * HALVES + int(low)


def _rules(submissions: Collection[int]) -> dict[int, Rules]:
    found: Any = RulesSubmission.objects.in_bulk(submissions)
    return {key: rules_of(one) for key, one in found.items()}
