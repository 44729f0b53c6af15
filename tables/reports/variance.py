"""The variance of what a day's wagers win for the house, by table, in cents squared: exact, in whole numbers.

The wagers of one round hang together, because one throw decides them all, and rounds do not. Of Three Dice Football the
wagers on the game hang together, those on one play, and each of both (`games/catalog/football/engine/covariance.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, groupby
from math import factorial, lcm, prod
from operator import itemgetter

from django.db import connection
from django.db.models import Sum

from games.catalog.football.engine import covariance
from games.catalog.football.engine.field import Spot
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.catalog.high_roll.engine.wagers import EXTRA_ROLL
from games.engine import Rules
from games.engine.wagers import Wager as Stake
from games.registry import game_of
from tables.models import Throw, Wager
from tables.reports.settled_rounds import RoundRange

FOOTBALL = "football"
LIKE_KIND = "like-kind:"
STAKE_CENTS = 252_000  # whatever the odds, it wins whole cents
SPLIT = 1 << 20  # products of cents are summed in two parts, so that no sum leaves 64 bits
FACES = range(1, 7)
Pair = tuple[str, str]


def variance_by_table(
    range_: RoundRange, played: Collection[tuple[int, int]], rules: Mapping[int, Rules]
) -> dict[int, Fraction | None]:
    """By table, of these rounds; None where it is not known. `played`: each table with a submission (ids)."""
    variances: dict[int, Fraction | None] = {table: Fraction(0) for table, _submission in played}
    covariances_by_submission = {key: covariances(rules_) for key, rules_ in rules.items()}
    for table, submission in played:
        if covariances_by_submission[submission] is None:
            variances[table] = None
    tables = [table for table, variance in variances.items() if variance is not None]
    for table, submission, first, second, product in _stake_products(range_.only(tables)) if tables else ():
        pair = (first, second) if first <= second else (second, first)
        variances[table] = _add_product(
            variances[table],
            product * (1 if first == second else 2),
            covariances_by_submission[submission],
            pair,
        )
    gridirons = {table for table, submission in played if game_of(rules[submission]).code == FOOTBALL}
    for (table, submission, spot), products in _products_across_plays(
        range_.only(gridirons & set(tables))
    ).items():
        play_covariances = covariance.across(rules[submission], spot) if spot else None
        for pair, product in products.items():
            variances[table] = _add_product(variances[table], 2 * product, play_covariances, pair)
    return variances


def _add_product(
    variance: Fraction | None, product: int, covariances_: Mapping[Pair, Fraction] | None, pair: Pair
) -> Fraction | None:
    return None if variance is None or covariances_ is None else variance + product * covariances_[pair]


@lru_cache(maxsize=16)
def covariances(rules: Rules) -> Mapping[Pair, Fraction] | None:
    """Of each two codes (in order) that are decided together, for what one unit on each wins for the house; None of a
    game that is not decided by its first throw and that has no arithmetic of its own here.
    """
    if game_of(rules).code == FOOTBALL:
        plays = _covariances(SINGLE_PLAY_CODES, _combine_rows(covariance.of_a_throw(rules)))
        return plays | _covariances(covariance.FULL_GAME_CODES, _combine_rows(covariance.of_a_game(rules)))
    stakes = [Stake(1, code, STAKE_CENTS) for code in game_of(rules).outcomes(rules) if code != EXTRA_ROLL]
    unlimited = replace(rules, payout_limit_cents=None)
    wins: Counter[tuple[Fraction, ...]] = Counter()
    for dice, ways in _possible_throws(rules.edition.dice):
        outcome = game_of(rules).result(unlimited, stakes, [dice])
        if not outcome.ending:
            return None
        settled = {settled_wager.wager.code: settled_wager for settled_wager in outcome.settled}
        payouts = (settled[stake.code].pays for stake in stakes)
        wins[tuple(Fraction(1) if pays is None else -pays.ratio() for pays in payouts)] += ways
    return _covariances([stake.code for stake in stakes], wins)


def _covariances(codes: Sequence[str], wins: Mapping[tuple[Fraction, ...], int]) -> dict[Pair, Fraction]:
    """Whole numbers until the last division: there may be thousands of rows."""
    per = prod({win.denominator for row in wins for win in row})
    rows = [([int(win * per) for win in row], ways) for row, ways in wins.items()]
    all_ways = sum(ways for _row, ways in rows)
    means = [sum(row[i] * ways for row, ways in rows) for i in range(len(codes))]
    covariances_ = {}
    for i, first in enumerate(codes):
        for j in range(i, len(codes)):
            both = sum(row[i] * row[j] * ways for row, ways in rows)
            pair = (first, codes[j]) if first <= codes[j] else (codes[j], first)
            covariances_[pair] = Fraction(both * all_ways - means[i] * means[j], (all_ways * per) ** 2)
    return covariances_


def _possible_throws(dice: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every throw whatever its order, and in how many orders it falls."""
    for faces in combinations_with_replacement(FACES, dice):
        yield faces, factorial(dice) // prod(factorial(count) for count in Counter(faces).values())


def _combine_rows(
    rows: Iterable[tuple[tuple[Fraction, ...], Fraction | int]],
) -> dict[tuple[Fraction, ...], int]:
    """Rows that are alike together, their chances as whole numbers of ways."""
    chances: dict[tuple[Fraction, ...], Fraction] = defaultdict(Fraction)
    for row, chance in rows:
        chances[row] += Fraction(chance)
    ways = lcm(*(chance.denominator for chance in chances.values()))
    return {row: int(chance * ways) for row, chance in chances.items()}


def _stake_products(range_: RoundRange) -> Iterator[tuple[int, int, str, str, int]]:
    """For each two codes, the sum over rounds and plays of what lay on the one times what lay on the other."""
    rounds, params_of_rounds = range_.sql()
    sql = f"""WITH staked(round, play, tbl, submission, code, cents) AS (
                SELECT w.round_id, w.play, r.table_id, r.submission_id, w.code, CAST(SUM(w.cents) AS bigint)
                FROM tables_wager w JOIN tables_round r ON r.id = w.round_id
                WHERE {rounds} AND NOT w.struck AND w.code <> %s
                  AND NOT (w.code LIKE %s AND EXISTS (
                    SELECT 1 FROM tables_wager x
                    WHERE x.round_id = w.round_id AND x.seat = w.seat AND x.code = %s AND NOT x.struck))
                GROUP BY w.round_id, w.play, r.table_id, r.submission_id, w.code
              )
              SELECT a.tbl, a.submission, a.code, b.code,
                     SUM((a.cents * b.cents) / {SPLIT}), SUM((a.cents * b.cents) %% {SPLIT})
              FROM staked a JOIN staked b ON b.round = a.round AND b.play = a.play AND b.code >= a.code
              GROUP BY a.tbl, a.submission, a.code, b.code"""
    params = [*params_of_rounds, EXTRA_ROLL, f"{LIKE_KIND}%", EXTRA_ROLL]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        for table, submission, first, second, high, low in cursor.fetchall():
            yield table, submission, first, second, int(high) * SPLIT + int(low)


def _products_across_plays(range_: RoundRange) -> dict[tuple[int, int, Spot | None], Counter[Pair]]:
    """By table, submission and spot, for each code on the game and each on the play from there: the sum of the products
    of what lay on both. The spot is None where the throws do not say it.
    """
    products: dict[tuple[int, int, Spot | None], Counter[Pair]] = defaultdict(Counter)
    if not range_.spans:
        return products
    throws = _last_throws(range_)
    wagers = Wager.objects.filter(range_.rounds("round__"), struck=False).values_list(
        "round", "round__table", "round__submission", "play", "code"
    )
    stakes = wagers.annotate(sum=Sum("cents")).order_by("round", "play", "code")
    for (round_, table, submission), rows in groupby(stakes.iterator(), key=itemgetter(0, 1, 2)):
        cents = [(play, code, int(sum_)) for _round, _table, _submission, play, code, sum_ in rows]
        game = [(code, stake) for play, code, stake in cents if not play]
        spots = _spots(throws.get(round_, []))
        for play, code, stake in cents:
            if play and game:
                play_products = products[table, submission, spots.get(play)]
                for game_code, game_stake in game:
                    play_products[game_code, code] += stake * game_stake
    return products


def _last_throws(range_: RoundRange) -> dict[int, list[list[int]]]:
    """The dice of each round's valid throws, as they were called last."""
    dice_by_round: dict[int, dict[int, list[int]]] = defaultdict(dict)
    throws = Throw.objects.filter(range_.rounds("round__")).order_by("round", "number", "revision")
    for round_, number, dice in throws.values_list("round", "number", "dice"):
        dice_by_round[round_][number] = dice
    return {round_: [dice for dice in numbers.values() if dice] for round_, numbers in dice_by_round.items()}


def _spots(throws: list[list[int]]) -> dict[int, Spot]:
    """Where the marker stood before each play; none where the throws make no game."""
    try:
        return dict(enumerate(covariance.spots_of(throws), start=1))
    except ValueError:
        return {}
