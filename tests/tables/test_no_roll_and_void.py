"""Rounds that end without a result: every wager goes back."""

import re

import pytest

from tables.models import Settlement
from tables.screens import fragments
from tables.screens.table_data import TableData
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


@pytest.mark.parametrize(
    ("rules", "shaker", "section"),
    [
        pytest.param("pa-539", "manual", "7(a)", marks=clause("PA-539.7(a)-call", "PA-539.7(a)-return")),
        pytest.param("pa-539", "automated-uncovered", "7(a)"),
        pytest.param("pa-625a/A", "manual", "7(a)", marks=clause("PA-625a.7(a)-call", "PA-625a.7(a)-return")),
        pytest.param("pa-625a/A", "player-activated", "7(a)"),
        pytest.param("nj-19-47-9", "manual", "6(a)", marks=clause("NJ-19:47-9.6(a)")),
    ],
)
def test_one_die_that_does_not_lie_flat_returns_every_wager(rules, shaker, section):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500), (2, "big", 5_000), (2, "total:12", 1_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    assert scene.settled == [
        (1, "small", "return", 0, 2_500),
        (2, "big", "return", 0, 5_000),
        (2, "total:12", "return", 0, 1_000),
    ]
    assert set(Settlement.objects.values_list("cite", flat=True)) == {CHAPTER[rules] + section}
    ended, said = scene.last_round, scene.entry
    assert (ended.phase, ended.taken_cents, ended.paid_cents) == ("no-roll", 0, 0)
    assert (said["_type"], said["data"]["returned_cents"], said["data"]["dice"]) == (
        "round.no_roll",
        8_500,
        [],
    )
    assert (said["data"]["uncovered"], said["data"]["announced"]) == (True, False)
    assert scene.snapshot["figures"]["rounds"] == 0
    scene.place((1, "small", 2_500))
    assert scene.round.number == 2


@pytest.mark.parametrize(
    ("rules", "shaker", "before"),
    [
        pytest.param("pa-539", "manual", ("not-ready", "not-shaken"), marks=clause("PA-539.7(a)-call")),
        pytest.param(
            "pa-625a/A", "manual", ("not-ready", "bets-still-open"), marks=clause("PA-625a.7(a)-call")
        ),
        pytest.param("nj-19-47-9", "manual", ("not-ready", "not-shaken"), marks=clause("NJ-19:47-9.6(a)")),
    ],
)
def test_a_no_roll_is_called_after_the_shake_and_before_the_dice_are_entered(rules, shaker, before):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500))
    for code in before:
        with scene.refused(code):
            scene.act("call_no_roll", {"reason": "leans"})
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])
    with scene.refused("malformed"):
        scene.act("call_no_roll")
    scene.act("call_dice", {"dice": [1, 1, 2]})
    with scene.refused("dice-called-already"):
        scene.act("call_no_roll", {"reason": "leans"})


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_the_house_voids_a_round_before_its_dice_are_entered(scene, steps):
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    for _ in range(steps):
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    assert scene.settled == [(1, "small", "return", 0, 2_500), (2, "big", "return", 0, 5_000)]
    said = scene.entry
    assert (said["_type"], said["witness"], said["data"]["reason"]) == (
        "round.voided",
        "floorperson",
        "dispute",
    )
    assert (said["data"]["uncovered"], said["data"]["lit"]) == (False, [])
    assert (scene.last_round.phase, scene.round) == ("void", None)


def test_a_void_needs_the_floors_signature_and_a_reason(scene):
    scene.place((1, "small", 2_500))
    with scene.refused("floorperson-must-sign"):
        scene.act("void_round", {"reason": "dispute"})
    with scene.refused("floorperson-must-sign"):
        scene.act("void_round", {"reason": "dispute"}, witness="relief")
    for reason in ("", "   ", None, "a\nb", "x" * 201):
        with scene.refused("malformed"):
            scene.act("void_round", {"reason": reason}, by="floorperson")


def test_a_settled_round_is_never_voided(scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    with scene.refused("dice-called-already"):
        scene.act("void_round", {"reason": "dispute"}, by="floorperson")


@clause("PA-625a.7(a)-return")
def test_wagers_of_a_round_without_a_result_wait_until_each_seat_has_them_back():
    scene = make_scene()
    scene.place((1, "small", 2_500), (2, "big", 5_000), (2, "total:12", 1_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    back, following = scene.snapshot["returning"], scene.snapshot["next"]
    assert (back["ending"], back["cents"], back["section"]) == ("no-roll", 8_500, "§ 625a.7(a)")
    assert [(seat["seat"], seat["cents"], len(seat["lines"])) for seat in back["seats"]] == [
        (1, 2_500, 1),
        (2, 6_000, 2),
    ]
    assert (following["act"], scene.snapshot["round"]["bets_open"]) == ("return_wagers", False)
    scene.act("return_wagers", {"round": 1, "seats": [2]})
    assert scene.entry["data"] == {"round": 1, "seats": [2], "returned_cents": 6_000}
    assert scene.snapshot["returning"]["returned_cents"] == 6_000
    shown = {
        name: " ".join(fragments.render(name, scene.snapshot).split()) for name in ("tile", "table", "dealer")
    }
    assert [name for name, words in shown.items() if not re.search("R 1<|Round</dt><dd>1<", words)] == []
    page = TableData(scene.snapshot)  # of the pit: what no seat has back yet
    assert [(area["label"], area["owners"]) for area in page.owned_areas] == [("Small", [(1, 2_500)])]
    spots = [spot for family in page.layout.values() for spot in family if spot["cents"]]
    assert [(spot["wager"], spot["cents"], spot["lost"]) for spot in spots] == [("small", 2_500, False)]
    assert "$25</strong> in 1 wager going back to 1 seat" in " ".join(
        fragments.render("table", scene.snapshot).split()
    )
    with scene.refused("nothing-to-return"):
        scene.act("return_wagers", {"round": 1, "seats": [1, 2]})
    scene.act("return_wagers", {"round": 1})
    assert (scene.snapshot["returning"], scene.snapshot["round"]["bets_open"]) == (None, True)
    with scene.refused("nothing-to-return"):
        scene.act("return_wagers", {"round": 1})


def test_wagers_go_back_at_a_table_that_has_ceased_gaming():
    scene = make_scene()
    scene.place((1, "small", 2_500))
    scene.act("report_device_failure", {"what": "layout"})
    assert scene.snapshot["next"]["act"] == "return_wagers"
    assert [step["label"] for step in scene.snapshot["round"]["steps"]] == ["Void", "Return", "Repair"]
    tablet = str(fragments.render("dealer", scene.snapshot))
    assert "Gaming stays ceased until the repair" in tablet and "opens once" not in tablet
    scene.act("return_wagers", {"round": 1, "seats": [1]})
    assert scene.snapshot["next"]["act"] == "record_repair"


def test_the_next_round_ends_the_return_of_the_one_before():
    scene = make_scene("pa-539")
    scene.place((1, "small", 2_500))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    scene.place((3, "big", 2_500))
    assert scene.snapshot["returning"] is None
    with scene.refused("nothing-to-return"):
        scene.act("return_wagers", {"round": 1})
