"""Replacing a shaker: what must become of a failed automated one first differs by edition (A20)."""

import pytest

from tables.demo.seeding import approve_shaker
from tables.models import DiceLot, Shaker
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def spare(scene, code="S-02", kind="manual"):
    shaker = Shaker.objects.create(facility=scene.table.facility, code=code, kind=kind)
    approve_shaker(scene.table, shaker)
    return shaker


def replace(scene, code="S-02", **params):
    return scene.act("replace_shaker", {"shaker": code, **params}, by="floorperson", device=scene.podium)


def stands(code):
    shaker = Shaker.objects.get(code=code)
    return shaker.table_id is not None, shaker.out_of_order


@pytest.mark.clause("PA-539.7(d)")
def test_under_539_the_automated_shaker_leaves_the_table_first():
    scene = make_scene("pa-539", "automated-uncovered")
    spare(scene)
    for params in ({}, {"covered_or_signed": True}):
        with scene.refused("automated-shaker-still-here", "58 Pa. Code § 539.7(d)"):
            replace(scene, **params)
    replace(scene, removed_from_table=True)
    assert (stands("S-01"), stands("S-02")) == ((False, False), (True, False))
    assert scene.entry["data"] == {
        "shaker": "S-02",
        "kind": "manual",
        "replaces": "S-01",
        "covered_or_signed": False,
        "tosses": 0,
        "removed_from_table": True,
    }


@pytest.mark.clause("PA-625a.7(d)-cover")
@pytest.mark.parametrize("kind", ["automated-covered", "automated-uncovered", "player-activated"])
def test_under_625a_it_is_covered_or_signed_as_out_of_order(kind):
    scene = make_scene("pa-625a/A", kind)
    spare(scene)
    with scene.refused("automated-shaker-not-covered", "58 Pa. Code § 625a.7(d)"):
        replace(scene)
    replace(scene, covered_or_signed=True)
    assert (stands("S-01"), stands("S-02")) == ((True, True), (True, False))
    assert scene.snapshot["shaker"]["code"] == "S-02"


@pytest.mark.clause("PA-625a.7(d)-dice")
def test_its_dice_are_out_before_the_manual_one_is_used(hands):
    scene = make_scene("pa-625a/A", "automated-covered")
    spare(scene)
    replace(scene, covered_or_signed=True)
    assert DiceLot.objects.get(code="L-0001").removed_at == hands.now
    with scene.refused("no-dice", "58 Pa. Code § 625a.2(a)"):
        scene.place((1, "small", 2_500))
    with scene.refused("lot-was-used"):
        scene.act("change_dice_lot", {"lot": "L-0001"}, by="floorperson")
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    assert scene.round.throws.get().shaker.code == "S-02"


@pytest.mark.clause("PA-625a.7(d)-cover", "PA-625a.7(c)")
def test_a_manual_shaker_ends_the_ceasing_that_a_failed_automated_one_began():
    scene = make_scene("pa-625a/A", "automated-covered")
    spare(scene)
    scene.place((1, "small", 2_500))
    scene.act("shake")
    scene.act("report_device_failure", {"what": "shaker"})
    assert scene.fresh.status == "ceased"
    replace(scene, covered_or_signed=True)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    scene.place((1, "small", 2_500))
    assert (scene.round.number, scene.round.shaker_kind) == (2, "manual")


def test_a_new_shaker_does_not_open_a_table_that_was_closed_since():
    scene = make_scene("pa-625a/A", "automated-covered")
    spare(scene)
    scene.act("shake")
    scene.act("report_device_failure", {"what": "shaker"})
    scene.close()
    replace(scene, covered_or_signed=True)
    assert (scene.fresh.status, scene.fresh.ceased_what) == ("closed", "")


@clause("PA-625a.5(a)(2)-minimum")
def test_an_automated_shaker_comes_to_an_open_table_only_after_three_runs():
    scene = make_scene("pa-625a/A")
    spare(scene, kind="automated-covered")
    for tosses in (0, 2):
        with scene.refused("too-few-tosses", "58 Pa. Code § 625a.5(a)(2)"):
            replace(scene, tosses=tosses)
    replace(scene, tosses=3)
    assert scene.entry["data"]["tosses"] == 3
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    scene.play((1, "small", 2_500), dice=[1, 1, 2])


def test_the_floor_signs_for_another_shaker(scene):
    spare(scene)
    for witness in (None, "relief", "security"):
        with scene.refused("floorperson-must-sign"):
            scene.act("replace_shaker", {"shaker": "S-02"}, witness=witness)
    scene.act("replace_shaker", {"shaker": "S-02"}, witness="floorperson")
    assert stands("S-02") == (True, False)


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_a_failed_shaker_that_left_its_table_is_used_nowhere_before_its_repair(rules):
    scene = make_scene(rules, "automated-uncovered")
    spare(scene)
    scene.act("report_device_failure", {"what": "shaker"})
    replace(scene, removed_from_table=True)
    assert stands("S-01") == (False, True)
    with scene.refused("shaker-not-free"):
        replace(scene, "S-01", covered_or_signed=True)
    scene.act("return_shaker", {"shaker": "S-01", "how": "a new belt"}, by="floorperson")
    assert stands("S-01") == (False, False)


def test_a_sound_cup_that_is_exchanged_leaves_and_is_in_order():
    scene = make_scene("pa-577")
    spare(scene, kind="dice-cup")
    replace(scene)
    assert (stands("S-01"), stands("S-02")) == ((False, False), (True, False))


def test_a_failed_device_is_not_repaired_by_a_new_shaker(scene):
    spare(scene)
    scene.act("report_device_failure")
    replace(scene)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    with scene.refused("gaming-ceased", "58 Pa. Code § 625a.7(b)"):
        scene.place((1, "small", 2_500))


def test_a_manual_shaker_is_replaced_and_leaves(scene):
    spare(scene)
    replace(scene)
    assert (stands("S-01"), stands("S-02")) == ((False, False), (True, False))


@pytest.mark.clause("PA-625a.7(d)-cover")
def test_a_second_manual_shaker_replaces_the_first_beside_the_covered_one():
    scene = make_scene("pa-625a/A", "automated-covered")
    spare(scene)
    spare(scene, "S-03")
    replace(scene, covered_or_signed=True)
    replace(scene, "S-03", covered_or_signed=True)
    assert (stands("S-01"), stands("S-02"), stands("S-03")) == ((True, True), (False, False), (True, False))
    assert scene.entry["data"]["replaces"] == "S-02"


@pytest.mark.parametrize("why", ["unknown", "here", "out of order", "elsewhere"])
def test_it_refuses_a_shaker_that_is_not_free(scene, why):
    shaker = spare(scene)
    if why == "out of order":
        shaker.out_of_order = True
    if why == "here":
        shaker.table, shaker.out_of_order = scene.table, True
    if why == "elsewhere":
        from games.models import Facility

        shaker.facility = Facility.objects.create(code="seabright", name="Seabright", jurisdiction="NJ")
    shaker.save()
    with scene.refused("shaker-not-free"):
        replace(scene, "S-99" if why == "unknown" else "S-02")


def test_it_refuses_a_kind_that_the_edition_does_not_allow():
    scene = make_scene("nj-19-47-9")
    spare(scene, kind="automated-covered")
    with scene.refused("shaker-not-allowed", "N.J.A.C. 19:47-9.1"):
        replace(scene)


def test_a_shaker_is_not_replaced_once_a_round_has_closed_its_bets_or_shaken():
    scene = make_scene("pa-625a/A", "automated-uncovered")
    spare(scene)
    scene.place((1, "small", 2_500))
    for act in ("no_more_bets", "shake"):
        scene.act(act)
        with scene.refused("round-in-play"):
            replace(scene, covered_or_signed=True)


@pytest.mark.clause("PA-625a.5(b)(1)")
def test_a_round_whose_bets_are_open_follows_the_shaker_that_replaces_another():
    scene = make_scene("pa-625a/A", "automated-uncovered")
    spare(scene)
    scene.place((1, "small", 2_500))
    replace(scene, covered_or_signed=True)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    with scene.refused("too-few-shakes", "58 Pa. Code § 625a.5(b)(1)"):
        scene.act("shake")
    scene.act("shake", {"shakes": 3})
    assert (scene.round.shaker_kind, scene.round.phase) == ("manual", "shaken")
