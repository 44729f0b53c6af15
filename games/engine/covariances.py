"""How far the wins of wagers on one throw depend on each other: exact, by enumeration."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, lcm, prod

Pair = tuple[str, str]
Wins = tuple[Fraction, ...]  # what one unit on each code wins for the house, in the order of the codes


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


def possible_throws(faces: int, dice: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Return every throw regardless of order, and how many orders each has."""
    for throw in combinations_with_replacement(range(1, faces + 1), dice):
        yield throw, factorial(dice) // prod(factorial(count) for count in Counter(throw).values())


def combine_rows(rows: Iterable[tuple[Wins, Fraction | int]]) -> dict[Wins, int]:
    """Combine rows that are equal. Their probabilities become whole numbers of ways."""
    chances: dict[tuple[Fraction, ...], Fraction] = defaultdict(Fraction)
    for row, chance in rows:
        chances[row] += Fraction(chance)
    ways = lcm(*(chance.denominator for chance in chances.values()))
    return {row: int(chance * ways) for row, chance in chances.items()}
