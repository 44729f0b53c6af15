"""What the wagers of a round are expected to win for the house, and how far that win varies: exact, by enumeration.

Amounts are cents. The wagers of a round depend on each other, because the same dice decide them, and the variance
includes their covariances. A game of one throw is added up by `SingleThrow`, or settled throw by throw where a payout
limit connects the wagers of a seat. Another game adds its own from `covariances_of`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, lcm, prod
from typing import NamedTuple

from games.engine.wagers import FEE, LOSE, Settled, Wager

Settle = Callable[[Sequence[Wager], tuple[int, ...]], Sequence[Settled]]
Pair = tuple[str, str]
Wins = tuple[Fraction, ...]  # what one unit on each code wins for the house, in the order of the codes


class RoundExpectation(NamedTuple):
    """The expected win of a round for the house in cents, and its variance in cents squared.

    `by_code` has the part of each wager code in the expected win. A fee counts as a wager that the house always wins.
    """

    expected_win: Fraction
    variance: Fraction
    by_code: Mapping[str, Fraction]


NO_WAGERS = RoundExpectation(Fraction(0), Fraction(0), {})


def house_win(line: Settled) -> int:
    """Return what one settled wager wins for the house, in cents; negative if it is paid."""
    return (line.wager.cents if line.outcome in (LOSE, FEE) else 0) - line.paid_cents


def mean_and_variance(wins: Iterable[tuple[int, int]], scale: int = 1) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance of wins, each with its ways. A win is a whole number of 1/`scale` cents."""
    all_ways = total = squares = 0
    for win, ways in wins:
        all_ways += ways
        total += ways * win
        squares += ways * win * win
    mean = Fraction(total, all_ways * scale)
    return mean, Fraction(squares * all_ways - total * total, (all_ways * scale) ** 2)


def cents_by_code(wagers: Iterable[Wager]) -> dict[str, int]:
    """Return the stakes of all seats on each code."""
    cents: dict[str, int] = {}
    for wager in wagers:
        cents[wager.code] = cents.get(wager.code, 0) + wager.cents
    return cents


# A game that one throw decides


def possible_throws(faces: int, dice: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Return every throw regardless of order, and how many orders each has."""
    for throw in combinations_with_replacement(range(1, faces + 1), dice):
        yield throw, factorial(dice) // prod(factorial(count) for count in Counter(throw).values())


class SingleThrow:
    """The wins of a game that one throw decides, in which no wager changes what another one wins.

    `throws` are all throws regardless of order, each with the number of its orders. `stakes` has one wager on each
    code. They are settled once; every layout is a sum of them.
    """

    def __init__(
        self, throws: Sequence[tuple[tuple[int, ...], int]], stakes: Sequence[Wager], settle: Settle
    ) -> None:
        self._ways = [ways for _dice, ways in throws]
        self._all_ways = sum(self._ways)
        rows = [_win_by_code(settle(stakes, dice)) for dice, _ways in throws]
        cents = {stake.code: stake.cents for stake in stakes}
        ratios = [Fraction(row[code], cents[code]) for row in rows for code in cents]
        self._scale = lcm(*(ratio.denominator for ratio in ratios))
        self._wins = {
            code: [row[code] * self._scale // stake_cents for row in rows]
            for code, stake_cents in cents.items()
        }
        self._means = {
            code: Fraction(
                sum(win * ways for win, ways in zip(wins, self._ways, strict=True)),
                self._all_ways * self._scale,
            )
            for code, wins in self._wins.items()
        }

    def expectation(self, wagers: Iterable[Wager]) -> RoundExpectation:
        """Return the expectation of a layout. KeyError for a code that the game does not have."""
        cents = cents_by_code(wagers)
        sums = [0] * len(self._ways)
        for code, stake_cents in cents.items():
            sums = [total + stake_cents * win for total, win in zip(sums, self._wins[code], strict=True)]
        mean, variance = mean_and_variance(zip(sums, self._ways, strict=True), self._scale)
        return RoundExpectation(
            mean, variance, {code: stake_cents * self._means[code] for code, stake_cents in cents.items()}
        )


def settled_expectation(
    throws: Sequence[tuple[tuple[int, ...], int]], wagers: Sequence[Wager], settle: Settle
) -> RoundExpectation:
    """Return the expectation of a game that one throw decides, by settling every throw as it would fall.

    Slower than `SingleThrow`, and right too where a payout limit connects the wagers of a seat.
    """
    rows = [(_win_by_code(settle(wagers, dice)), ways) for dice, ways in throws]
    all_ways = sum(ways for _row, ways in rows)
    mean, variance = mean_and_variance((sum(row.values()), ways) for row, ways in rows)
    codes = dict.fromkeys(wager.code for wager in wagers)
    by_code = {code: Fraction(sum(row[code] * ways for row, ways in rows), all_ways) for code in codes}
    return RoundExpectation(mean, variance, by_code)


def _win_by_code(lines: Iterable[Settled]) -> dict[str, int]:
    wins: dict[str, int] = {}
    for line in lines:
        wins[line.wager.code] = wins.get(line.wager.code, 0) + house_win(line)
    return wins


# How far the wins of two wagers depend on each other


def combine_rows(rows: Iterable[tuple[Wins, Fraction | int]]) -> dict[Wins, int]:
    """Combine rows that are equal. Their probabilities become whole numbers of ways."""
    chances: dict[tuple[Fraction, ...], Fraction] = defaultdict(Fraction)
    for row, chance in rows:
        chances[row] += Fraction(chance)
    ways = lcm(*(chance.denominator for chance in chances.values()))
    return {row: int(chance * ways) for row, chance in chances.items()}


def covariances_of(codes: Sequence[str], wins: Mapping[Wins, int]) -> dict[Pair, Fraction]:
    """Return the covariances of these rows. Uses integers until the last division: there may be thousands of rows."""
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
