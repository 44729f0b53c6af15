"""How often a die face is the one that shows most, and how many show it: exact, by multinomial classes.

A class is a winning face and its count, so six to the tenth throws need no walking: a face of higher rank shows
less often than the winning one, a face of lower rank not more often (58 Pa. Code § 675a.2(d), (e)(1)).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

RANK = (1, 6, 5, 4, 3, 2)  # from the highest: § 675a.2(d)


@dataclass(frozen=True, slots=True)
class Held:
    """The dice that a first roll holds: the winning face, and how many show it."""

    face: int
    count: int


def held(dice: Sequence[int]) -> Held:
    """The face that shows most often, the higher in rank of those that show equally often."""
    counts = [dice.count(face) for face in RANK]
    most = max(counts)
    return Held(RANK[counts.index(most)], most)


@lru_cache(maxsize=8)
def classes(dice: int) -> Mapping[Held, int]:
    """In how many of the throws of so many dice each class comes up."""
    ways_by_class = {
        Held(face, count): comb(dice, count) * _ways(dice - count, _others(place, count))
        for place, face in enumerate(RANK)
        for count in range(1, dice + 1)
    }
    return {class_: ways for class_, ways in ways_by_class.items() if ways}


def of_face(dice: int, face: int) -> Fraction:
    """The probability that a face is the winning one."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.face == face), 6**dice)


def of_count(dice: int, count: int) -> Fraction:
    """The probability that exactly so many dice of the winning face show; one is no match."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.count == count), 6**dice)


def of_extra(dice: int, total: int) -> Fraction:
    """The probability that an extra throw of the loose dice brings the held ones to this total, from below it."""
    return sum((of_count(dice, count) * _added(dice, count, total) for count in range(1, total)), Fraction(0))


def _added(dice: int, count: int, total: int) -> Fraction:
    """The probability that of the loose dice exactly as many match as are missing."""
    loose, missing = dice - count, total - count
    return Fraction(comb(loose, missing) * 5 ** (loose - missing), 6**loose)


def _others(place: int, count: int) -> tuple[int, ...]:
    """The most that each of the other faces may show, by rank."""
    return tuple(
        count - 1 if other_place < place else count
        for other_place in range(len(RANK))
        if other_place != place
    )


def _ways(dice: int, most: tuple[int, ...]) -> int:
    """In how many orders so many dice show these faces, none of them more often than its most."""
    if not most:
        return 1 if dice == 0 else 0
    return sum(
        comb(dice, count_shown) * _ways(dice - count_shown, most[1:])
        for count_shown in range(min(dice, most[0]) + 1)
    )
