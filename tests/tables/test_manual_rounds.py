"""A round that the floor settled manually while the tablet was dead, recorded afterwards."""

import pytest

from tables.models import Wager
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db

LAY = [
    {"seat": 1, "wager": "small", "cents": 2_500},
    {"seat": 2, "wager": "big", "cents": 5_000, "made_in": "plaques"},
    {"seat": 8, "wager": "total:12", "cents": 200_000},
]


def record(scene, by="floorperson", **changed):
    params = {"dice": [5, 2, 5], "wagers": LAY, "reason": "tablet dead", **changed}
    return scene.act("record_hand_settled_round", params, by=by, device=scene.podium)


SETTLED = [
    (1, "small", "lose", 0, 0),
    (2, "big", "win", 5_000, 5_000),
    (8, "total:12", "win", 1_200_000, 200_000),
]


def test_it_records_a_round_that_the_tablet_never_saw(scene):
    record(scene)
    played, said = scene.last_round, scene.entry
    assert (played.number, played.phase, played.by_hand, played.ended_at is not None) == (
        1,
        "cleared",
        True,
        True,
    )
    assert (played.wagered_cents, played.taken_cents, played.paid_cents) == (207_500, 2_500, 1_205_000)
    assert (scene.settled, played.paid_seats) == (SETTLED, [2, 8])
    assert (said["_type"], said["data"]["dice"], said["data"]["by_hand"]) == (
        "round.recorded_by_hand",
        [5, 2, 5],
        True,
    )
    assert said["data"]["mended"] == {"before": [], "reason": "tablet dead"}
    assert list(Wager.objects.order_by("seat").values_list("made_in", "flag")) == [
        ("chips", ""),
        ("plaques", ""),
        ("chips", "over-max"),
    ]
    scene.place((1, "small", 2_500))
    assert scene.round.number == 2


@pytest.mark.parametrize("phase", ["open", "shaken", "ready"])
def test_it_completes_the_round_that_the_dead_tablet_had_begun(scene, phase):
    scene.place((1, "small", 1_000), (5, "big", 700))
    if phase != "open":
        scene.act("shake", {"shakes": 3})
    if phase == "ready":
        scene.act("no_more_bets")
    record(scene)
    assert (scene.last_round.number, scene.round, scene.settled) == (1, None, SETTLED)
    assert scene.entry["data"]["mended"]["before"] == [
        {"seat": 1, "wager": "small", "cents": 1_000},
        {"seat": 5, "wager": "big", "cents": 700},
    ]


def test_a_wager_that_was_struck_lay_there_after_all():
    scene = make_scene("pa-539")
    scene.place((1, "small", 1_000), (5, "big", 700))
    scene.act("no_more_bets")
    for seat, code in ((1, "small"), (5, "big")):
        scene.act("strike_mistaken_wager", {"seat": seat, "wager": code, "reason": "x"}, by="floorperson")
    record(scene)
    assert scene.settled == SETTLED
    assert list(Wager.objects.order_by("seat").values_list("seat", "cents", "struck")) == [
        (1, 2_500, False),
        (2, 5_000, False),
        (5, 700, True),
        (8, 200_000, False),
    ]


@pytest.mark.parametrize("rules", ["pa-539", "nj-19-47-9"])
def test_a_manual_round_is_recorded_in_every_edition(rules):
    scene = make_scene(rules)
    record(scene)
    assert scene.settled == SETTLED


def test_it_refuses_a_round_whose_dice_were_entered(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    with scene.refused("dice-entered-already"):
        record(scene)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"dice": [5, 2]}, "wrong-number-of-dice"),
        ({"dice": None}, "malformed"),
        ({"wagers": []}, "malformed"),
        ({"reason": ""}, "malformed"),
        ({"wagers": [{"seat": 9, "wager": "big", "cents": 500}]}, "no-such-seat"),
        ({"wagers": [{"seat": 1, "wager": "total:3", "cents": 500}]}, "no-such-wager"),
        ({"wagers": [{"seat": 1, "wager": "big", "cents": 500, "made_in": "cash"}]}, "cash-wager"),
        ({"wagers": [*LAY, LAY[0]]}, "malformed"),
    ],
)
def test_it_refuses_what_the_engine_would_not_play(scene, changed, code):
    with scene.refused(code):
        record(scene, **changed)
    assert (scene.round, Wager.objects.count()) == (None, 0)


def test_the_floor_alone_records_it(scene):
    with scene.refused("role-may-not"):
        record(scene, by="dealer")


def test_a_closed_table_has_no_such_round():
    scene = make_scene(opened=False)
    with scene.refused("table-closed"):
        record(scene)


def test_a_round_is_written_down_though_gaming_has_ceased_since(scene):
    scene.act("report_device_failure", {"what": "device"})
    wagers = [{"seat": 1, "wager": "small", "cents": 2_500}]
    scene.act(
        "record_hand_settled_round",
        {"dice": [1, 1, 2], "wagers": wagers, "reason": "Tablet dead"},
        by="floorperson",
        device=scene.podium,
    )
    assert (scene.last_round.phase, scene.last_round.paid_cents) == ("cleared", 2_500)
    assert scene.fresh.status == "ceased"
