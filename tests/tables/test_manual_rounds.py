"""A round that the floor settled manually while the tablet was dead, recorded afterwards."""

import pytest

from tables.models import Wager
from tests.tables.cast import make_scene
from tests.tables.slip_scene import entry

pytestmark = pytest.mark.django_db

LAY = [
    {"seat": 1, "wager": "small", "cents": 2_500},
    {"seat": 2, "wager": "big", "cents": 5_000, "made_in": "plaques"},
    {"seat": 8, "wager": "total:12", "cents": 200_000},
]


def record(scene, **changed):
    params = {"dice": [5, 2, 5], "wagers": LAY, **changed}
    return scene.settle_by_hand(**params)


SETTLED = [
    (1, "small", "lose", 0, 0),
    (2, "big", "win", 5_000, 5_000),
    (8, "total:12", "win", 1_200_000, 200_000),
]


def test_it_records_a_round_that_the_tablet_never_saw(scene):
    record(scene)
    played, said = scene.last_round, entry(scene, "round.recorded_by_hand")[2]
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
    scene.repair()
    scene.place((1, "small", 2_500))
    assert scene.round.number == 2


@pytest.mark.parametrize("phase", ["open", "shaken", "ready"])
def test_a_round_in_play_is_never_replaced(scene, phase):
    scene.place((1, "small", 1_000), (5, "big", 700))
    if phase != "open":
        scene.act("shake", {"shakes": 3})
    if phase == "ready":
        scene.act("no_more_bets")
    with scene.refused("round-is-live"):
        played = {"dice": [5, 2, 5], "wagers": LAY, "reason": "tablet dead"}
        scene.act("record_hand_settled_round", played, witness="floorperson")
    assert Wager.objects.count() == 2


@pytest.mark.parametrize("rules", ["pa-539", "nj-19-47-9"])
def test_a_manual_round_is_recorded_in_every_edition(rules):
    scene = make_scene(rules)
    record(scene)
    assert scene.settled == SETTLED


def test_it_refuses_a_round_whose_dice_were_entered(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    with scene.refused("dice-entered-already"):
        played = {"dice": [5, 2, 5], "wagers": LAY, "reason": "tablet dead"}
        scene.act("record_hand_settled_round", played, witness="floorperson")


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
    scene.act("report_device_failure", {"what": "device"})
    with scene.refused(code):
        record(scene, **changed)
    assert (scene.round, Wager.objects.count()) == (None, 0)


@pytest.mark.parametrize(
    ("by", "witness"),
    [("floorperson", None), ("dealer", None), ("dealer", "relief"), ("pit-manager", "floorperson")],
)
def test_who_dealt_it_and_the_floor_sign(scene, by, witness):
    scene.act("report_device_failure", {"what": "device"})
    with scene.refused("hand-settled-needs-two"):
        record(scene, by=by, witness=witness)
    record(scene, by="floorperson", witness="dealer")
    assert (scene.entry["actor"], scene.entry["witness"]) == ("floorperson", "dealer")


@pytest.mark.parametrize(("rules", "wager"), [("pa-675a", "pip:6"), ("pa-577", "touchdown")])
def test_a_game_without_an_electrical_device_reports_the_system_that_failed(rules, wager):
    scene = make_scene(rules)
    throws = {"pa-675a": [[6, 6, 6, 6, 1, 2, 3, 4, 5, 1]], "pa-577": [[1, 1, 6]]}[rules]
    scene.settle_by_hand(throws=throws, wagers=[{"seat": 5, "wager": wager, "cents": 2_500}])
    assert scene.last_round.by_hand


def test_a_closed_table_has_no_such_round():
    scene = make_scene(opened=False)
    with scene.refused("table-closed"):
        played = {"dice": [5, 2, 5], "wagers": LAY, "reason": "tablet dead"}
        scene.act(
            "record_hand_settled_round", played, by="floorperson", witness="dealer", device=scene.podium
        )


def test_gaming_stays_ceased_and_one_failure_has_one_round(scene):
    record(scene, wagers=LAY[:1])
    assert scene.fresh.status == "ceased"
    with scene.refused("failure-has-its-round"):
        record(scene, wagers=LAY[:1])
    scene.repair()
    with scene.refused("no-failure-on-record"):
        scene.act(
            "record_hand_settled_round",
            {"dice": [1, 1, 2], "wagers": LAY, "reason": "x"},
            witness="floorperson",
        )
    record(scene, wagers=LAY[:1])  # after another failure
    assert scene.last_round.number == 2
