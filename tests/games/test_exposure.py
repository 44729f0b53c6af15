"""The exposure of a layout: held against every one of the 216 throws, settled by the engine."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from games.engine import Rules
from games.engine.expectations import house_win, possible_throws
from games.engine.wagers import LOSE, Wager
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
    layout = exposure(rules, wagers)
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
    layout = exposure(
        Rules.of("pa-625a/A"), [Wager(2, "three-of-a-kind:2", 2_000), Wager(5, "small", 10_000)]
    )
    assert layout is not None
    assert (layout.worst_dice, layout.worst_ways, layout.worst_cents) == ((2, 2, 2), 1, 10_000 - 2_000 * 150)


def test_six_dice_cost_what_the_engine_settles_for_every_throw_and_the_limit_of_each_player_cuts():
    rules = replace(Rules.of("pa-675a.6"), payout_limit_cents=30_000)
    wagers = [
        Wager(1, "pip:1", 1_000),
        Wager(1, "like-kind:6", 1_000),
        Wager(1, "like-kind:5", 1_000),
        Wager(4, "pip:6", 2_500),
        Wager(4, "like-kind:none", 2_500),
    ]
    wins = Counter[int]()
    for dice, ways in possible_throws(6, 6):
        wins[sum(map(house_win, game_of(rules).result(rules, wagers, [dice]).settled))] += ways
    layout = exposure(rules, wagers)
    assert layout is not None
    scale = Fraction(layout.ways, 6**6)
    assert {win: ways / scale for win, ways in layout.wins} == wins
    assert layout.worst_cents == min(wins) < 0


@pytest.mark.parametrize(
    ("key", "wagers"),
    [
        (
            "pa-675a",
            [
                Wager(1, "pip:1", 500),
                Wager(1, "like-kind:4", 500),
                Wager(1, "extra-roll", 500),
                Wager(3, "pip:2", 500),
            ],
        ),
        ("pa-577", [Wager(2, "touchdown", 2_500), Wager(5, "extra-point", 500), Wager(6, "defense", 2_500)]),
        (
            "pa-577",
            [Wager(2, "game-length:3", 500), Wager(2, "big-play", 2_500, 1), Wager(5, "over-four", 500, 1)],
        ),
    ],
)
def test_what_a_game_of_several_throws_may_cost_has_the_mean_and_variance_of_its_round(key, wagers):
    rules = Rules.of(key)
    first_play = [(1, 2, 3)]  # from which the expectation takes the position of the first play
    layout, expected = exposure(rules, wagers), game_of(rules).round_expectation(rules, wagers, first_play)
    assert layout is not None and expected is not None
    assert (layout.mean, layout.variance) == (expected.expected_win, expected.variance)
    assert layout.worst_dice == () and layout.worst_cents < 0 < layout.best_cents


def test_a_touchdown_wager_costs_less_often_after_a_play_without_a_gain():
    rules, wagers = Rules.of("pa-577"), [Wager(2, "touchdown", 2_500)]
    before, after = exposure(rules, wagers), exposure(rules, wagers, [(1, 2, 3)])
    assert before is not None and after is not None
    loss = [Fraction(of.losing_ways, of.ways) for of in (after, before)]
    assert loss[0] < loss[1] < Fraction(1, 2)
    assert exposure(rules, wagers, [(1, 1, 1)]) is None, "the game has ended"


def test_without_wagers_nothing_is_exposed_and_a_wager_on_an_earlier_play_is_settled():
    assert exposure(Rules.of("pa-625a/A"), []) is None
    assert exposure(Rules.of("pa-577"), [Wager(2, "big-play", 500, 1)], [(1, 2, 3)]) is None
