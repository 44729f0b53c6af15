"""What Undo can take back, read from the record."""

import pytest

from audit.devices import enroll
from tables.rounds.live_round import undo_steps

pytestmark = pytest.mark.both_databases


def steps(scene, device="tablet"):
    table = scene.fresh
    round_ = table.rounds.order_by("-number").first()
    return undo_steps(table, round_, getattr(scene, device))


def change(seat, wager, before, after):
    return {"seat": seat, "wager": wager, "before": before, "after": after}


def test_each_act_of_the_tablet_is_a_step_from_its_totals_before(scene):
    assert steps(scene) == []
    scene.place((1, "big", 2_500))
    scene.place((1, "big", 5_000), (2, "small", 500))
    assert steps(scene) == [
        [change(1, "big", 0, 2_500)],
        [change(1, "big", 2_500, 5_000), change(2, "small", 0, 500)],
    ]


def test_a_step_that_was_taken_back_is_gone_with_the_act_that_did(scene):
    scene.place((1, "big", 2_500))
    scene.place((1, "big", 5_000))
    scene.place((1, "big", 2_500))
    assert steps(scene) == [[change(1, "big", 0, 2_500)]]


def test_what_another_device_changed_since_is_nothing_to_take_back(scene):
    scene.place((1, "big", 2_500))
    scene.place((2, "small", 500))
    other, _ = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    scene.place((1, "big", 1_000), device=other)
    assert steps(scene) == [[change(2, "small", 0, 500)]]


def test_nothing_is_taken_back_once_bets_have_closed(scene):
    scene.place((1, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    assert len(steps(scene)) == 1
    scene.act("no_more_bets")
    assert steps(scene) == []
