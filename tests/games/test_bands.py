"""Rounds lie inside their bands of expected win ± 1, 2 and 3 σ as often as the exact figures say.

Rounds have the wagers that simulated players make and drawn dice. For a round whose wagers all stand before the first
throw the exact chance of every win is known, so the number of such rounds inside a band is compared with the sum of
their exact chances. Every round counts in what was won beyond the expectation. `BAND_ROUNDS=20000` deals more.
"""

import os
from dataclasses import dataclass, field
from math import sqrt
from random import Random

import pytest

from games.engine import Rules
from games.engine.expectations import house_win
from games.exposure import exposure, round_expectation
from games.registry import game_of
from script.bench_adjudicate import deal
from tests.services.examples import examples

ROUNDS = int(os.environ.get("BAND_ROUNDS") or examples(300))


@dataclass
class Surprise:
    """How much of something there was, and should be by its exact chances."""

    seen: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, seen: float, expected: float, variance: float) -> None:
        self.seen += seen
        self.expected += expected
        self.variance += variance

    @property
    def deviation(self) -> float:
        """How many standard deviations one is from the other."""
        return (self.seen - self.expected) / sqrt(self.variance) if self.variance > 0 else 0.0


@dataclass
class Bands:
    """What was won in all rounds, and how many rounds with known chances were inside 1, 2 and 3 σ."""

    win: Surprise = field(default_factory=Surprise)
    inside: list[Surprise] = field(default_factory=lambda: [Surprise() for _ in range(3)])
    known_rounds: int = 0

    def add(self, rules: Rules, draw: Random) -> None:
        """Deal a round and compare it with its expectation."""
        wagers, throws = deal(rules, draw)
        _ending, settled = game_of(rules).adjudicate(rules, throws, wagers)
        win = sum(map(house_win, settled))
        expectation = round_expectation(rules, wagers, throws)
        assert expectation is not None
        mean, variance = float(expectation.expected_win), float(expectation.variance)
        self.win.add(win, mean, variance)
        if any(wager.play is not None for wager in wagers):
            return
        chances = exposure(rules, wagers)
        assert chances is not None
        self.known_rounds += 1
        for number, band in enumerate(self.inside, start=1):
            width = number * sqrt(max(variance, 0.0))
            ways = sum(ways for possible, ways in chances.wins if abs(possible - mean) <= width)
            chance = ways / chances.ways
            band.add(abs(win - mean) <= width, chance, chance * (1 - chance))


@pytest.mark.parametrize(
    ("key", "limit_cents"), [("pa-625a/A", None), ("pa-675a", 5_006_000), ("pa-577", None)]
)
def test_simulated_rounds_lie_inside_the_bands_as_often_as_they_should(key, limit_cents):
    """The seed is fixed: the figures do not change from run to run."""
    rules, draw, bands = Rules.of(key, payout_limit_cents=limit_cents), Random(17), Bands()
    for _ in range(ROUNDS):
        bands.add(rules, draw)
    assert 0 < bands.known_rounds <= ROUNDS
    assert all(abs(surprise.deviation) < 3.5 for surprise in (bands.win, *bands.inside)), bands
