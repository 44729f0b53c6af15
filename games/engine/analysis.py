"""A wager's exact mathematics, by enumeration and in fractions."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from games.engine.odds import Pays


@dataclass(frozen=True, slots=True)
class Outcome:
    """One payout of a wager, and the probability of its being the one paid."""

    probability: Fraction
    pays: Pays


def house_advantage(outcomes: Iterable[Outcome]) -> Fraction:
    """The house advantage: kept of each unit staked in the long run, negative where the player is favored."""
    advantage = Fraction(1)
    for outcome in outcomes:
        advantage -= outcome.probability * (outcome.pays.ratio() + 1)
    return advantage
