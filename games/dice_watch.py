"""Evidence against fair dice that anybody may look at after every throw: an e-process from faces and totals.

Fair dice are one exact hypothesis: every face of every die has the chance 1/6, and every total follows from that. The
evidence is a likelihood ratio against it, averaged over many ways in which dice may be unfair (the method of
mixtures: Robbins 1970). It starts at 1, and with fair dice its expected value stays 1 after any number of throws. So
the chance that it ever reaches 1/a, however often one looks, is at most a (Ville 1939; Ramdas, Grünwald, Vovk and
Shafer 2023, "Game-theoretic statistics and safe anytime-valid inference"). Unlike the sequential probability ratio test
of Wald (1945) it needs no decision on how unfair the dice would be, and unlike a test of a fixed number of throws it
may be read daily.

The mixture of faces is a Dirichlet distribution around 1/6 for each of `CONCENTRATIONS`, that of totals the same around
their exact chances. The evidence of a lot is the weighted mean of both, and where dice have colors also of each color
alone. A weighted mean of e-processes is an e-process.

The false alarms of a whole floor and year are shared out: the k-th lot or shaker of the year that comes into use may
give a false alarm with the chance `false_alarm_chance(k)`. These chances add up to at most `FALSE_ALARMS_A_YEAR` for
any number of lots. Evidence is a statistic and not money: it is computed as a logarithm in floating point, and the
tests compare it with fractions.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

FACES = 6
ALL_DICE = ""  # the key of the faces of all dice together
FALSE_ALARMS_A_YEAR = Fraction(1, 20)
SHARING_SCALE = 1000  # lots of a year: up to about this place the alarm line rises slowly
CONCENTRATIONS = (5, 50, 500, 5000)  # faces around 1/6 with a deviation of about 6.7, 2.1, 0.7 and 0.2 points
SHARE_OF_FACES = 0.75  # of the mixture; the rest is of totals
COMPARED_FROM = 25  # expected throws of a total, so that its standard deviation says something
SMALL_SHARE = 1e-12  # of a tail: what is farther out is left out


@dataclass
class DiceTally:
    """How often each face and each total came up.

    `faces` has six counts for all dice together, and for each color where dice differ. `totals` has the counts of the
    throws of so many dice, from the lowest total to the highest.
    """

    throws: int = 0
    faces: dict[str, list[int]] = field(default_factory=dict)
    totals: dict[str, list[int]] = field(default_factory=dict)

    def add_throw(self, dice: Sequence[int], full: int, colors: Sequence[str] = ()) -> None:
        """Add the dice of one throw. Its total counts where all dice are thrown, of which there are `full`.

        `colors` are those of the dice in their order, () where they are alike.
        """
        self.throws += 1
        for face in dice:
            self._faces_of(ALL_DICE)[face - 1] += 1
        for face, color in zip(dice, colors, strict=False):
            self._faces_of(color)[face - 1] += 1
        if len(dice) == full:
            totals = self.totals.setdefault(str(full), [0] * (full * (FACES - 1) + 1))
            totals[sum(dice) - full] += 1

    def add(self, other: "DiceTally") -> None:
        """Add the counts of another tally."""
        self.throws += other.throws
        for counts, others in ((self.faces, other.faces), (self.totals, other.totals)):
            for key, row in others.items():
                counts[key] = [a + b for a, b in zip(counts.get(key, [0] * len(row)), row, strict=True)]

    def _faces_of(self, color: str) -> list[int]:
        return self.faces.setdefault(color, [0] * FACES)

    @property
    def counts(self) -> list[int]:
        """The counts of the six faces of all dice."""
        return self.faces.get(ALL_DICE, [0] * FACES)

    @property
    def dice(self) -> int:
        """The number of faces that were read."""
        return sum(self.counts)

    def as_json(self) -> dict[str, Any]:
        """Return the values for the columns of a row."""
        return {"throws": self.throws, "faces": self.faces, "totals": self.totals}


def log_evidence(tally: DiceTally) -> float:
    """Return the natural logarithm of the evidence against fair dice: 0 before the first throw."""
    colors = sorted(tally.faces.keys() - {ALL_DICE})
    all_dice = SHARE_OF_FACES if not colors else SHARE_OF_FACES / 3
    shares = [(1 - SHARE_OF_FACES, _log_evidence_of_totals(tally)), (all_dice, log_mixture(tally.counts, 1))]
    shares += [
        ((SHARE_OF_FACES - all_dice) / len(colors), log_mixture(tally.faces[color], 1)) for color in colors
    ]
    return _log_mean(shares)


def _log_evidence_of_totals(tally: DiceTally) -> float:
    """Return the evidence of the totals: the product over the numbers of dice that were thrown together."""
    return sum(log_mixture(counts, int(dice)) for dice, counts in tally.totals.items())


def log_mixture(counts: Sequence[int], dice: int) -> float:
    """Return the logarithm of the likelihood ratio of these totals of so many dice, averaged over the mixture.

    It is the mean over `CONCENTRATIONS` of a Dirichlet-multinomial distribution around the exact chances. The totals of
    one die are its faces.
    """
    number = sum(counts)
    log_chances, priors = _mixture(dice)
    fair = sum(map(operator.mul, counts, log_chances))
    logs = [
        (
            1 / len(priors),
            sum(map(math.lgamma, map(operator.add, prior, counts)))
            - lgammas
            + math.lgamma(whole)
            - math.lgamma(whole + number)
            - fair,
        )
        for whole, prior, lgammas in priors
    ]
    return _log_mean(logs)


@lru_cache(maxsize=16)
def _mixture(dice: int) -> tuple[list[float], list[tuple[int, list[float], float]]]:
    """Return the logarithms of the chances, and for each concentration its sum, its parameters and their log gammas."""
    chances = total_chances(dice)
    priors = []
    for concentration in CONCENTRATIONS:
        whole = concentration * FACES
        prior = [float(whole * chance) for chance in chances]
        priors.append((whole, prior, sum(map(math.lgamma, prior))))
    return [math.log(chance) for chance in chances], priors


def _log_mean(shares: Sequence[tuple[float, float]]) -> float:
    """Return the logarithm of the weighted mean of values, of which the logarithms are given."""
    highest = max(log for _share, log in shares)
    return highest + math.log(sum(share * math.exp(log - highest) for share, log in shares))


@lru_cache(maxsize=16)
def total_chances(dice: int) -> tuple[Fraction, ...]:
    """Return the exact chances of the totals of so many fair dice, from the lowest to the highest."""
    ways = [1]
    for _die in range(dice):
        ways = [
            sum(ways[total - face] for face in range(FACES) if 0 <= total - face < len(ways))
            for total in range(len(ways) + FACES - 1)
        ]
    return tuple(Fraction(count, FACES**dice) for count in ways)


def false_alarm_chance(place: int) -> Fraction:
    """Return the chance of a false alarm that the lot or shaker at this place of the year may have, from 1 on.

    They add up to `FALSE_ALARMS_A_YEAR`, because each is the difference of two terms of a falling sequence.
    """
    return FALSE_ALARMS_A_YEAR * SHARING_SCALE / ((SHARING_SCALE + place - 1) * (SHARING_SCALE + place))


def alarm_line(place: int) -> int:
    """Return the evidence at which the lot or shaker at this place of the year is a finding, rounded up."""
    return math.ceil(1 / false_alarm_chance(place))


def is_finding(log: float, place: int) -> bool:
    """Whether evidence with this logarithm has reached the alarm line."""
    return log >= math.log(alarm_line(place))


class Comparison(NamedTuple):
    """A count against its expectation. `color` is "" for all dice together; `total` is 0 for a face.

    `deviation` is in standard deviations; `chance` is that of fair dice to be so far off on either side.
    """

    face: int
    color: str
    total: int
    deviation: float
    chance: float


def comparisons(tally: DiceTally) -> list[Comparison]:
    """Compare every face, of all dice and of each color, and every total that is expected often enough."""
    compared = []
    for color, counts in sorted(tally.faces.items()):
        number = sum(counts)
        for face, count in enumerate(counts, 1):
            compared.append(Comparison(face, color, 0, *_compared(count, number, Fraction(1, FACES))))
    for dice, counts in sorted(tally.totals.items()):
        number = sum(counts)
        for offset, chance in enumerate(total_chances(int(dice))):
            if number * chance >= COMPARED_FROM:
                total = int(dice) + offset
                compared.append(Comparison(0, ALL_DICE, total, *_compared(counts[offset], number, chance)))
    return compared


def _compared(count: int, number: int, chance: Fraction) -> tuple[float, float]:
    """Return the deviation of a binomial count, and the chance to be so far off."""
    spread = math.sqrt(number * chance * (1 - chance))
    deviation = (count - number * float(chance)) / spread if spread else 0.0
    return deviation, min(1.0, 2 * _tail(count, number, float(chance), is_above=deviation > 0))


def _tail(count: int, number: int, chance: float, *, is_above: bool) -> float:
    """Return the chance of this binomial count or one that is farther from the expectation, on its side."""
    log = (
        math.lgamma(number + 1)
        - math.lgamma(count + 1)
        - math.lgamma(number - count + 1)
        + count * math.log(chance)
        + (number - count) * math.log1p(-chance)
    )
    term = total = math.exp(log)
    odds = chance / (1 - chance)
    while 0 < term > total * SMALL_SHARE:
        if is_above:
            term *= odds * (number - count) / (count + 1)
            count += 1
        else:
            term *= count / (number - count + 1) / odds
            count -= 1
        total += term
    return total


def deviations(counts: Sequence[int]) -> list[float]:
    """Return how many standard deviations the count of each face is from its expectation; 0 without throws."""
    spread = sigma(sum(counts))
    return [(count - sum(counts) / FACES) / spread if spread else 0.0 for count in counts]


def sigma(faces: int) -> float:
    """Return the standard deviation of the count of one face among so many."""
    return math.sqrt(faces * (FACES - 1)) / FACES
