"""What is kept of the figures of a day, and added to: each round is computed once."""

from dataclasses import replace

import pytest

from tables.core.figure_sums import Sums
from tables.reports import day_rounds
from tests.desk.test_figures import EDGE_NINE, EDGE_SMALL, TODAY, a_lost_round, at, day_of, file_slip

pytestmark = pytest.mark.django_db


def expected(scene):
    return day_of(scene).total.sums.expected.value


def test_the_expectation_follows_each_further_round(hands, scene):
    a_lost_round(scene)
    assert expected(scene) == 2_500 * EDGE_SMALL
    assert expected(scene) == 2_500 * EDGE_SMALL  # as it was kept
    scene.play((2, "total:9", 1_000), dice=[6, 6, 2])
    scene.finish()
    assert expected(scene) == 2_500 * EDGE_SMALL + 1_000 * EDGE_NINE


def test_only_the_rounds_since_then_are_computed_again(hands, scene, monkeypatch):
    a_lost_round(scene)
    day_of(scene)
    computed = []
    of_round = day_rounds.figures_of_round

    def counted(table, round_, rules):
        computed.append(round_.number)
        return of_round(table, round_, rules)

    monkeypatch.setattr(day_rounds, "figures_of_round", counted)
    for _ in range(2):
        scene.play((2, "total:9", 1_000), (3, "big", 2_000), dice=[6, 6, 2])
        scene.finish()
    by_steps = expected(scene)
    assert computed == [2, 3]
    day_of(scene)
    assert computed == [2, 3]  # nothing was settled since
    day_rounds._cache.clear()
    assert expected(scene) == by_steps
    key = (scene.table.uid, TODAY)
    cached = day_rounds._cache[key]
    day_rounds._cache[key] = replace(cached, digest="", last_number=2)
    assert expected(scene) == by_steps  # what does not add up is computed from the first
    assert day_rounds._cache[key].digest == cached.digest


def test_a_slip_has_its_day_computed_again(hands, scene):
    a_lost_round(scene)
    assert day_of(scene).total.win_cents == 2_500
    file_slip(scene, hands, at(13))
    assert day_of(scene).total.win_cents == -2_500


def test_a_round_without_a_wager_is_a_round_of_which_nothing_is_expected(hands, scene):
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    total = day_of(scene).total.sums
    assert (total.rounds, total.expected.value, total.variance.value) == (1, 0, Sums().variance.value)
    a_lost_round(scene)
    assert expected(scene) == 2_500 * EDGE_SMALL
