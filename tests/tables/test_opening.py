"""Inspection, opening and closing."""

import pytest

from games.engine import Rules
from tables.models import Inspection
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def lights(rules, dice):
    found = Rules.of(rules)
    return list(found.game.winning_codes(found, [dice]))


def inspect(scene, rules="pa-625a/A", **changed):
    params = {"dice": [1, 2, 5], "lit": lights(rules, [1, 2, 5]), "tosses": 3, **changed}
    return scene.act("inspect_table", params, by="floorperson", device=scene.podium)


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-539", "5(a)(1)", marks=clause("PA-539.5(a)")),
        pytest.param("pa-625a/A", "5(a)(1)", marks=clause("PA-625a.5(a)")),
        pytest.param("nj-19-47-9", "5(a)", marks=clause("NJ-19:47-9.5(a)")),
    ],
)
def test_a_table_does_not_open_without_an_inspection_since_it_closed(rules, section):
    scene = make_scene(rules, opened=False)
    opening = {"acknowledge_lapsed": True}
    with scene.refused("not-inspected", CHAPTER[rules] + section):
        scene.act("open_table", opening, by="floorperson")
    with scene.refused("table-closed"):
        scene.place((1, "small", 2_500))
    inspect(scene, rules)
    scene.act("open_table", opening, by="floorperson")
    scene.act("close_table", by="floorperson")
    with scene.refused("not-inspected", CHAPTER[rules] + section):
        scene.act("open_table", opening, by="floorperson")
    inspect(scene, rules)
    scene.act("open_table", opening, by="floorperson")
    assert scene.fresh.status == "open"


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.5(a)")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.5(a)")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.5(a)")),
    ],
)
def test_only_a_floorperson_assigned_here_inspects_and_opens(rules):
    scene = make_scene(rules, opened=False)
    params = {"dice": [1, 2, 5], "lit": lights(rules, [1, 2, 5])}
    with scene.refused("not-assigned"):
        scene.act("inspect_table", params, by="other-floorperson")
    with scene.refused("role-may-not"):
        scene.act("inspect_table", params, by="dealer")
    inspect(scene, rules)
    with scene.refused("not-assigned"):
        scene.act("open_table", {}, by="other-floorperson")


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-539", "5(a)(1)", marks=clause("PA-539.5(a)(1)-minimum", "PA-539.5(a)(1)")),
        pytest.param("pa-625a/A", "5(a)(1)", marks=clause("PA-625a.5(a)(1)-minimum", "PA-625a.5(a)(1)")),
        pytest.param("nj-19-47-9", "5(a)", marks=clause("NJ-19:47-9.5(a)-minimum")),
    ],
)
def test_three_values_light_every_winning_combination_and_no_other(rules, section):
    scene = make_scene(rules, opened=False)
    right = lights(rules, [1, 2, 5])
    for wrong, named in (
        (right[1:], "Total 8"),
        ([*right, "big"], "Big"),
        ([], "One of a Kind 1, One of a Kind 2, One of a Kind 5"),
    ):
        with scene.refused("lights-do-not-agree", CHAPTER[rules] + section) as refusal:
            inspect(scene, rules, lit=wrong)
        assert refusal.value.params["wrong"] == named
    with scene.refused("wrong-number-of-dice"):
        inspect(scene, rules, dice=[1, 2])
    assert not Inspection.objects.exists()
    inspect(scene, rules)
    assert scene.entry["_type"] == "table.inspected"
    assert scene.entry["data"] == {"dice": [1, 2, 5], "lit": sorted(right), "tosses": 3, "shaker": "S-01"}
    assert (scene.entry["actor"], Inspection.objects.get().by.code) == ("floorperson", "floorperson")


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        pytest.param(
            "pa-539", "automated-uncovered", marks=clause("PA-539.5(a)(2)-minimum", "PA-539.5(a)(2)")
        ),
        pytest.param(
            "pa-625a/A", "automated-covered", marks=clause("PA-625a.5(a)(2)-minimum", "PA-625a.5(a)(2)")
        ),
        pytest.param("pa-625a/A", "player-activated", marks=clause("PA-625a.5(a)(2)-minimum")),
    ],
)
def test_an_automated_shaker_is_run_three_times(rules, shaker):
    scene = make_scene(rules, shaker, opened=False)
    for tosses in (0, 2):
        with scene.refused("too-few-tosses", CHAPTER[rules] + "5(a)(2)"):
            inspect(scene, rules, tosses=tosses)
    inspect(scene, rules, tosses=3)
    assert scene.entry["data"]["tosses"] == 3


@pytest.mark.clause("PA-539.5(a)(2)", "PA-625a.5(a)(2)")
@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_a_manual_shaker_needs_no_tosses(rules):
    scene = make_scene(rules, opened=False)
    inspect(scene, rules, tosses=0)


def test_an_inspection_is_made_while_the_table_is_closed(scene):
    with scene.refused("inspect-before-opening"):
        inspect(scene)


def test_a_lapsed_edition_opens_only_when_that_is_acknowledged():
    scene = make_scene("pa-539", opened=False)
    inspect(scene, "pa-539")
    for params in ({}, {"acknowledge_lapsed": False}):
        with scene.refused("edition-lapsed", "40 Pa.B. 1740") as refusal:
            scene.act("open_table", params, by="floorperson")
    assert str(refusal.value.params["on"]) == "2012-04-03"
    assert scene.snapshot["rules"]["lapsed"] is True
    scene.act("open_table", {"acknowledge_lapsed": True}, by="floorperson")
    assert scene.entry["data"]["lapsed_acknowledged"] is True


def test_the_record_says_under_which_terms_and_limits_a_table_opened():
    scene = make_scene(opened=False)
    inspect(scene)
    scene.act("open_table", by="floorperson")
    said, submission = scene.entry, scene.table.facility.submissions.get()
    assert said["terms"] == submission.terms_sha256
    assert said["data"] == {
        "submission": "RS-0009",
        "submission_version": 1,
        "edition": "pa-625a@2019-08-31/A",
        "terms_sha256": submission.terms_sha256,
        "min_cents": 1_000,
        "max_cents": 100_000,
        "inspected_by": "floorperson",
        "lapsed_acknowledged": False,
        "lot": "L-0001",
        "shaker": "S-01",
    }


def test_a_table_does_not_deal_without_rules_in_force():
    scene = make_scene(opened=False)
    inspect(scene)
    scene.table.facility.submissions.update(status="denied")
    with scene.refused("no-rules-in-force"):
        scene.act("open_table", by="floorperson")


def test_a_round_keeps_the_rules_it_opened_under(scene):
    from audit import clock
    from games.submissions import draft

    scene.place((1, "total:12", 500))
    newer = draft(facility=scene.table.facility, code="RS-0009", key="pa-625a/B", version=2)
    now = clock.now()
    newer.status, newer.filed_at, newer.decided_at, newer.in_force_from = "approved", now, now, now
    newer.decided_by = "the bureau"
    newer.save()
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert scene.settled == [(1, "total:12", "win", 3_000, 500)]
    scene.finish()
    scene.play((1, "total:12", 500), dice=[2, 5, 5])
    assert scene.settled == [(1, "total:12", "win", 3_500, 500)]


def test_it_closes_only_between_rounds(scene):
    scene.place((1, "small", 2_500))
    with scene.refused("round-in-play"):
        scene.act("close_table", by="floorperson")
    scene.act("void_round", {"reason": "evacuation"}, by="floorperson")
    scene.act("close_table", by="floorperson")
    with scene.refused("table-closed"):
        scene.act("close_table", by="floorperson")
    with scene.refused("table-closed"):
        scene.act("call_dice", {"dice": [2, 5, 5]})


def test_an_open_table_does_not_open_again(scene):
    with scene.refused("table-not-closed"):
        scene.act("open_table", by="floorperson")
