"""Inspection, opening and closing."""

import pytest

from games.engine import Rules
from games.registry import game_of
from tables.models import Inspection
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def lights(rules, dice):
    found = Rules.of(rules)
    return list(game_of(found).winning_codes(found, [dice]))


def staffed(rules="pa-625a/A", shaker=None):
    """A closed table with its dealer at it and dice in the shaker: what is missing is the inspection."""
    scene = make_scene(rules, shaker, opened=False)
    scene.staff()
    return scene


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-539", "5(a)(1)", marks=clause("PA-539.5(a)")),
        pytest.param("pa-625a/A", "5(a)(1)", marks=clause("PA-625a.5(a)")),
        pytest.param("nj-19-47-9", "5(a)", marks=clause("NJ-19:47-9.5(a)")),
    ],
)
def test_a_table_does_not_open_without_an_inspection_since_it_closed(rules, section):
    scene = staffed(rules)
    with scene.refused("not-inspected", CHAPTER[rules] + section):
        scene.open()
    with scene.refused("table-closed"):
        scene.place((1, "small", 2_500))
    scene.inspect()
    scene.open()
    scene.close()
    with scene.refused("not-inspected", CHAPTER[rules] + section):
        scene.open()
    scene.inspect()
    scene.open()
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
    scene = staffed(rules)
    params = scene.inspection()
    with scene.refused("not-assigned"):
        scene.act("inspect_table", params, by="other-floorperson")
    with scene.refused("witness-not-assigned"):
        scene.act("inspect_table", params, witness="other-floorperson")
    for witness in (None, "relief", "security"):
        with scene.refused("floorperson-must-sign"):
            scene.act("inspect_table", params, witness=witness)
    scene.act("inspect_table", params, witness="floorperson")
    assert (scene.entry["actor"], scene.entry["witness"]) == ("dealer", "floorperson")
    assert Inspection.objects.get().by.code == scene.entry["data"]["by"] == "floorperson"
    with scene.refused("not-assigned"):
        scene.act("open_table", {}, by="other-floorperson")
    with scene.refused("floorperson-must-sign"):
        scene.act("open_table", {"acknowledge_lapsed": True})
    scene.act("open_table", {"acknowledge_lapsed": True}, witness="floorperson")


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
            scene.inspect(lit=wrong)
        assert refusal.value.params["wrong"] == named
    with scene.refused("wrong-number-of-dice"):
        scene.inspect(dice=[1, 2])
    assert not Inspection.objects.exists()
    scene.inspect()
    assert scene.entry["_type"] == "table.inspected"
    said = scene.entry["data"]
    assert (said["dice"], said["lit"], said["tosses"], said["shaker"]) == (
        [1, 2, 5],
        sorted(right),
        0,
        "S-01",
    )
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
            scene.inspect(tosses=tosses)
    scene.inspect(tosses=3)
    assert scene.entry["data"]["tosses"] == 3


@pytest.mark.clause("PA-539.5(a)(2)", "PA-625a.5(a)(2)")
@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_a_manual_shaker_needs_no_tosses(rules):
    scene = staffed(rules)
    scene.inspect(tosses=0)
    assert (Inspection.objects.get().tosses, scene.entry["data"]["tosses"]) == (0, 0)
    scene.open()
    assert scene.fresh.status == "open"


def test_an_inspection_is_made_while_the_table_is_closed(scene):
    with scene.refused("inspect-before-opening"):
        scene.inspect()


def test_a_lapsed_edition_opens_only_when_that_is_acknowledged():
    scene = staffed("pa-539")
    scene.inspect()
    for params in ({}, {"acknowledge_lapsed": False}):
        with scene.refused("edition-lapsed", "40 Pa.B. 1740") as refusal:
            scene.act("open_table", params, by="floorperson")
    assert str(refusal.value.params["on"]) == "2012-04-03"
    assert scene.snapshot["rules"]["lapsed"] is True
    scene.act("open_table", {"acknowledge_lapsed": True}, by="floorperson")
    assert scene.entry["data"]["lapsed_acknowledged"] is True


def test_the_record_says_under_which_terms_and_limits_a_table_opened():
    scene = staffed()
    scene.inspect()
    scene.open()
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
        "floorperson": "floorperson",
        "takes_supervision": True,
        "lapsed_acknowledged": False,
        "lot": "L-0001",
        "shaker": "S-01",
    }


def test_a_table_does_not_deal_without_rules_in_force():
    scene = staffed()
    scene.inspect()
    scene.table.facility.submissions.update(status="denied")
    with scene.refused("no-rules-in-force"):
        scene.act("open_table", by="floorperson")


def test_a_round_keeps_the_rules_it_opened_under(scene):
    from audit import clock
    from games.submissions import draft
    from tables.demo.seeding import record_approval

    scene.place((1, "total:12", 500))
    newer = draft(facility=scene.table.facility, code="RS-0009", key="pa-625a/B", version=2)
    now = clock.now()
    newer.status, newer.filed_at, newer.decided_at, newer.in_force_from = "approved", now, now, now
    newer.decided_by = "the bureau"
    newer.save()
    record_approval(newer, now)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert scene.settled == [(1, "total:12", "win", 3_000, 500)]
    scene.finish()
    scene.acknowledge_rules()
    scene.play((1, "total:12", 500), dice=[2, 5, 5])
    assert scene.settled == [(1, "total:12", "win", 3_500, 500)]


def test_it_closes_only_between_rounds(scene):
    scene.place((1, "small", 2_500))
    with scene.refused("round-in-play"):
        scene.close()
    scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    scene.close()
    with scene.refused("table-closed"):
        scene.close()
    with scene.refused("table-closed"):
        scene.act("call_dice", {"dice": [2, 5, 5]})


def test_an_open_table_does_not_open_again(scene):
    with scene.refused("table-not-closed"):
        scene.act("open_table", by="floorperson")
