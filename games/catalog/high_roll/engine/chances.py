"""How often a face is the one that shows most, and how many dice show it: exact, by multinomial classes.

A class is a winning face and its count, so the six to the tenth throws are not enumerated. A face of higher rank
shows less often than the winning one, a face of lower rank not more often (58 Pa. Code § 675a.2(d), (e)(1)).
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
    """Return the face that shows most often; among faces that show equally often, the highest in rank."""
    counts = [dice.count(face) for face in RANK]
    most = max(counts)
    return Held(RANK[counts.index(most)], most)


@lru_cache(maxsize=8)
def classes(dice: int) -> Mapping[Held, int]:
    """Return in how many of the throws of this many dice each class occurs."""
    ways_by_class = {
        Held(face, count): comb(dice, count) * _ways(dice - count, _others(place, count))
        for place, face in enumerate(RANK)
        for count in range(1, dice + 1)
    }
    return {class_: ways for class_, ways in ways_by_class.items() if ways}


def of_face(dice: int, face: int) -> Fraction:
    """Return the probability that a face is the winning one."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.face == face), 6**dice)


def of_count(dice: int, count: int) -> Fraction:
    """Return the probability that exactly this many dice of the winning face show; one is no match."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.count == count), 6**dice)


def of_extra(dice: int, total: int) -> Fraction:
    """Return the probability that an extra throw of the loose dice raises the held dice to this total."""
    return sum((of_count(dice, count) * _added(dice, count, total) for count in range(1, total)), Fraction(0))


def _added(dice: int, count: int, total: int) -> Fraction:
    """Return the probability that exactly as many of the loose dice match as are missing."""
    loose, missing = dice - count, total - count
    return Fraction(comb(loose, missing) * 5 ** (loose - missing), 6**loose)


def _others(place: int, count: int) -> tuple[int, ...]:
    """Return the maximum for each of the other faces, by rank."""
    return tuple(
        count - 1 if other_place < place else count
        for other_place in range(len(RANK))
        if other_place != place
    )


def _ways(dice: int, most: tuple[int, ...]) -> int:
    """Return in how many orders this many dice show these faces, none of them more often than its maximum."""
    if not most:
        return 1 if dice == 0 else 0
    return sum(
        comb(dice, count_shown) * _ways(dice - count_shown, most[1:])
        for count_shown in range(min(dice, most[0]) + 1)
    )
