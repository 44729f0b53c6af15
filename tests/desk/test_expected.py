"""What is kept of the expected win, and added to: each round is reckoned once."""

from dataclasses import replace

import pytest

from tables.reports import expected
from tables.reports.expected import Expected
from tables.reports.settled_rounds import SettledRounds
from tests.desk.test_figures import EDGE_NINE, EDGE_SMALL, TODAY, a_lost_round, day_of

pytestmark = pytest.mark.django_db


def test_the_expectation_follows_each_further_round(hands, scene):
    a_lost_round(scene)
    assert day_of(scene).total.expected.win == 2_500 * EDGE_SMALL
    assert day_of(scene).total.expected.win == 2_500 * EDGE_SMALL  # as it was kept
    scene.play((2, "total:9", 1_000), dice=[6, 6, 2])
    scene.finish()
    assert day_of(scene).total.expected.win == 2_500 * EDGE_SMALL + 1_000 * EDGE_NINE


def test_only_the_rounds_since_then_are_computed_again(hands, scene, monkeypatch):
    a_lost_round(scene)
    day_of(scene)
    reckoned = []
    of_round = expected._expected_of_round

    def counted(record, rules):
        reckoned.append(record.number)
        return of_round(record, rules)

    monkeypatch.setattr(expected, "_expected_of_round", counted)
    for _ in range(2):
        scene.play((2, "total:9", 1_000), (3, "big", 2_000), dice=[6, 6, 2])
        scene.finish()
    by_steps = day_of(scene).total.expected
    assert reckoned == [2, 3]
    day_of(scene)
    assert reckoned == [2, 3]  # nothing was settled since
    expected._cache.clear()
    assert day_of(scene).total.expected == by_steps
    key = (scene.table.uid, TODAY)
    cached = expected._cache[key]
    expected._cache[key] = replace(cached, of=SettledRounds(1, 0, 2, ""))
    assert day_of(scene).total.expected == by_steps  # what does not add up is reckoned from the first
    assert expected._cache[key] == cached


def test_a_round_without_a_wager_does_not_cause_a_new_computation(hands, scene):
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert day_of(scene).total.expected == Expected()
    a_lost_round(scene)
    assert day_of(scene).total.expected.win == 2_500 * EDGE_SMALL
