"""Rounds lie inside their bands as often as the exact figures say: a small run of `python -m script.bands`."""

from random import Random

import pytest

from script.bands import lines, simulate
from tests.services.examples import examples


@pytest.mark.parametrize(
    ("key", "limit_cents"), [("pa-625a/A", None), ("pa-675a", 5_006_000), ("pa-577", None)]
)
def test_simulated_rounds_lie_inside_the_bands_as_often_as_they_should(key, limit_cents):
    """The seed is fixed: the figures do not change from run to run."""
    figures = simulate(key, limit_cents, examples(300), Random(17))
    assert figures.rounds == examples(300) and 0 < figures.known_rounds <= figures.rounds
    assert all(abs(band.deviation) < 3.5 for band in figures.bands.values()), lines([figures])
    assert abs(figures.deviation) < 3.5, lines([figures])
