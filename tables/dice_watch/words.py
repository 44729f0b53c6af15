"""Sentences of the dice watch."""

import math

from games.dice_watch import FALSE_ALARMS_A_YEAR

LARGE = 10_000_000
MILLION, TRILLION = 10**6, 10**12


def evidence_words(log: float) -> str:
    """Return evidence as people read it: "0.09", "4.2", "1,240"; beyond ten millions as a power of ten."""
    if log >= math.log(LARGE):
        return f"10^{math.floor(log / math.log(10))}"
    evidence = math.exp(log)
    if evidence >= 100:
        return f"{math.floor(evidence):,}"
    if evidence >= 0.01:
        return f"{evidence:.2g}" if evidence < 1 else f"{evidence:.1f}"
    return "under 0.01"


def years_words() -> str:
    """Return how often a floor of fair dice raises an alarm: "20 years"."""
    years = 1 / FALSE_ALARMS_A_YEAR
    return f"{math.floor(years)} years"


def rarity_words(chance: float) -> str:
    """Return how often something of this chance happens: "one look of 84 million", "one look of 12"."""
    if chance <= 0 or (looks := 1 / chance) >= TRILLION:
        return "one look of more than a trillion"
    if looks >= MILLION:
        return f"one look of {looks / MILLION:,.0f} million"
    return f"one look of {max(1, round(looks)):,}"


def sigma_words(deviation: float) -> str:
    """Return a deviation in standard deviations with its sign: "−0.4"."""
    return f"{'−' if deviation < -0.05 else '+' if deviation > 0.05 else ''}{abs(deviation):.1f}"


def range_words(first: int, last: int) -> str:
    """Return the numbers of rounds: "round 7", "rounds 1 to 1,240"."""
    return f"round {first:,}" if first == last else f"rounds {first:,} to {last:,}"
