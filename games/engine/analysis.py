"""The exact mathematics of a wager, by enumeration and in fractions."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from games.engine.odds import Pays


@dataclass(frozen=True, slots=True)
class Outcome:
    """One payout of a wager, and the probability that the wager is paid by it."""

    probability: Fraction
    pays: Pays


def house_advantage(outcomes: Iterable[Outcome]) -> Fraction:
    """Return the house advantage: what the house keeps of each unit staked. Negative if it favors the player."""
    advantage = Fraction(1)
    for outcome in outcomes:
        advantage -= outcome.probability * (outcome.pays.ratio() + 1)
    return advantage
