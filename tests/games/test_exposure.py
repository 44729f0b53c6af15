"""The exposure of a layout: held against every one of the 216 throws, settled by the engine."""

from fractions import Fraction
from itertools import product

import pytest

from games.engine import Rules
from games.engine.settlement import LOSE
from games.engine.wagers import Wager
from games.exposure import exposure
from games.registry import game_of

STAKES = {"small": 15_000, "big": 30_000, "three-of-a-kind:2": 2_000, "total:6": 7_500, "two-dice:1-2": 2_500}


@pytest.mark.parametrize("key", ["pa-625a/A", "pa-625a/B", "pa-539", "nj-19-47-9"])
def test_the_exposure_is_the_sum_over_every_throw_that_the_engine_settles(key):
    rules = Rules.of(key)
    wagers = [Wager(1, code, cents) for code, cents in STAKES.items()]
    wins = []
    for dice in product(range(1, 7), repeat=3):
        settled = game_of(rules).result(rules, wagers, [sorted(dice)]).settled
        wins.append(sum(line.wager.cents if line.outcome == LOSE else -line.paid_cents for line in settled))
    layout = exposure(rules, STAKES)
    assert layout is not None
    assert (layout.ways, layout.worst_cents, layout.best_cents) == (216, min(wins), max(wins))
    assert layout.worst_ways == wins.count(min(wins))
    assert layout.losing_ways == sum(win < 0 for win in wins)
    assert dict(layout.wins) == {win: wins.count(win) for win in wins}
    assert layout.mean == Fraction(sum(wins), 216)
    assert layout.variance == Fraction(sum(win * win for win in wins), 216) - layout.mean**2
    assert (
        sum(win < layout.likely_cents for win in wins)
        <= 216 / 20
        < sum(win <= layout.likely_cents for win in wins)
    )


def test_the_worst_throw_of_a_layout_is_named():
    layout = exposure(Rules.of("pa-625a/A"), {"three-of-a-kind:2": 2_000, "small": 10_000})
    assert layout is not None
    assert (layout.worst_dice, layout.worst_ways, layout.worst_cents) == ((2, 2, 2), 1, 10_000 - 2_000 * 150)


def test_what_one_throw_does_not_decide_has_no_exposure():
    assert exposure(Rules.of("pa-577"), {"touchdown": 500}) is None
    assert exposure(Rules.of("pa-675a"), {"pip:1": 500}) is None
    assert exposure(Rules.of("pa-625a/A"), {}) is None
