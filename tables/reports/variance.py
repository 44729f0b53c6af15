"""The variance of a day's win by table, in cents squared: exact, in integers.

The wagers of one round depend on each other, because one throw decides them all; rounds do not. In a game with plays
the wagers on the game depend on each other, those on one play do, and both on each other (`Game.covariances_across`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from django.db import connection
from django.db.models import Sum

from games.engine import Rules
from games.engine.covariances import Pair
from games.engine.game import Game
from games.registry import game_of, registered_fees
from tables.models import Throw, Wager
from tables.reports.settled_rounds import RoundRange

WITHOUT_FEE = """AND w.code <> %s
                  AND NOT (w.code LIKE %s AND EXISTS (
                    SELECT 1 FROM tables_wager x
                    WHERE x.round_id = w.round_id AND x.seat = w.seat AND x.code = %s AND NOT x.struck))
                """
SPLIT = 1 << 20  # products of cents are summed in two parts, so that no sum exceeds 64 bits


def variance_by_table(
    range_: RoundRange, played: Collection[tuple[int, int]], rules: Mapping[int, Rules]
) -> dict[int, Fraction | None]:
    """Return the variance by table; None where it is not known. `played` has each table with a submission (ids)."""
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
    games = {submission: game_of(rules_) for submission, rules_ in rules.items()}
    with_plays = {table for table, submission in played if games[submission].has_plays}
    for (table, submission, position), products in _products_across_plays(
        range_.only(with_plays & set(tables)), games
    ).items():
        play_covariances = (
            games[submission].covariances_across(rules[submission], position) if position else None
        )
        for pair, product in products.items():
            variances[table] = _add_product(variances[table], 2 * product, play_covariances, pair)
    return variances


def _add_product(
    variance: Fraction | None, product: int, covariances_: Mapping[Pair, Fraction] | None, pair: Pair
) -> Fraction | None:
    return None if variance is None or covariances_ is None else variance + product * covariances_[pair]


@lru_cache(maxsize=16)
def covariances(rules: Rules) -> Mapping[Pair, Fraction] | None:
    """The covariance of each two codes decided together, per unit staked on each; the codes of a pair are in order.

    None for a game that has no such arithmetic.
    """
    return game_of(rules).covariances(rules)


def _stake_products(range_: RoundRange) -> Iterator[tuple[int, int, str, str, int]]:
    """For each two codes, the sum over rounds and plays of the product of their stakes."""
    rounds, params_of_rounds = range_.sql()
    fees = registered_fees()
    sql = f"""WITH staked(round, play, tbl, submission, code, cents) AS (
                SELECT w.round_id, w.play, r.table_id, r.submission_id, w.code, CAST(SUM(w.cents) AS bigint)
                FROM tables_wager w JOIN tables_round r ON r.id = w.round_id
                WHERE {rounds} AND NOT w.struck {WITHOUT_FEE * len(fees)}
                GROUP BY w.round_id, w.play, r.table_id, r.submission_id, w.code
              )
              SELECT a.tbl, a.submission, a.code, b.code,
                     SUM((a.cents * b.cents) / {SPLIT}), SUM((a.cents * b.cents) %% {SPLIT})
              FROM staked a JOIN staked b ON b.round = a.round AND b.play = a.play AND b.code >= a.code
              GROUP BY a.tbl, a.submission, a.code, b.code"""
    params_of_fees = (param for fee in fees for param in (fee.code, f"{fee.affects}%", fee.code))
    params = [*params_of_rounds, *params_of_fees]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        for table, submission, first, second, high, low in cursor.fetchall():
            yield table, submission, first, second, int(high) * SPLIT + int(low)


def _products_across_plays(
    range_: RoundRange, games: Mapping[int, Game]
) -> dict[tuple[int, int, Hashable], Counter[Pair]]:
    """The sums of products between wagers on the game and wagers on a play.

    By table, submission and the play's position, for each code on the game and each on the play. The position is None
    where the throws do not tell it.
    """
    products: dict[tuple[int, int, Hashable], Counter[Pair]] = defaultdict(Counter)
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
        positions = dict(enumerate(games[submission].positions(throws.get(round_, [])), start=1))
        for play, code, stake in cents:
            if play and game:
                play_products = products[table, submission, positions.get(play)]
                for game_code, game_stake in game:
                    play_products[game_code, code] += stake * game_stake
    return products


def _last_throws(range_: RoundRange) -> dict[int, list[list[int]]]:
    """The dice of each round's valid throws, as called last."""
    dice_by_round: dict[int, dict[int, list[int]]] = defaultdict(dict)
    throws = Throw.objects.filter(range_.rounds("round__")).order_by("round", "number", "revision")
    for round_, number, dice in throws.values_list("round", "number", "dice"):
        dice_by_round[round_][number] = dice
    return {round_: [dice for dice in numbers.values() if dice] for round_, numbers in dice_by_round.items()}
