"""The snapshot: the keys that docs/snapshot.md promises, plain JSON, and offers that the road keeps."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from games.engine import Refusal
from tables.demo.seeding import approve_shaker
from tables.models import Shaker
from tables.runner import table
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "snapshot.md"


def documented() -> dict[str, Any]:
    block = re.search(r"```jsonc\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block
    lines = [re.sub(r"\s//.*$", "", line) for line in block[1].splitlines()]
    return json.loads("\n".join(lines).replace("[..]", "[]"))


def differing(documented: Any, found: Any, where: str = "") -> set[str]:
    """The keys that stand in one and not in the other, wherever both hold something."""
    if isinstance(documented, list) and isinstance(found, list):
        return differing(documented[0], found[0], where + "[]") if documented and found else set()
    if not (isinstance(documented, dict) and isinstance(found, dict)):
        return set()
    missing = {f"{where}.{key}" for key in set(documented) ^ set(found)}
    return missing.union(
        *(differing(documented[key], found[key], f"{where}.{key}") for key in set(documented) & set(found))
    )


@pytest.fixture
def paying(scene):
    """A table in the middle of its second round: something in every part of the snapshot."""
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    scene.play((1, "small", 500), (2, "big", 2_500), (3, "big", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    return scene


@pytest.mark.parametrize("moment", ["closed", "before the round", "paying", "ceased"])
def test_it_has_the_keys_of_its_page_and_no_others(request, moment):
    if moment == "closed":
        scene = make_scene(opened=False)
    else:
        scene = request.getfixturevalue("paying" if moment == "paying" else "scene")
    if moment == "ceased":
        scene.act("report_device_failure")
    found = scene.snapshot
    assert differing(documented(), found) - NOT_ON_THE_PAGE == set()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


# Keys that the fragments use and the page does not name yet.
# The parameters of the next step are those of its act.
NOT_ON_THE_PAGE = {
    ".next.params.shakes",
}


def test_it_says_all_of_a_round(paying):
    found = paying.snapshot
    shown = found["round"]
    assert found["version"] == paying.version
    assert (shown["number"], shown["phase"], shown["dice"], shown["wagered_cents"], shown["playing"]) == (
        2,
        "taken",
        [2, 5, 5],
        5_500,
        3,
    )
    assert shown["seats"][0] == {
        "seat": 1,
        "count": 1,
        "cents": 500,
        "flags": ["$5 is under $10"],
        "taken": True,
    }
    assert (shown["take"]["count"], shown["take"]["cents"], shown["take"]["seats"][0]["lines"][0]["why"]) == (
        1,
        500,
        "12 is over 10",
    )
    assert (shown["pay"]["count"], shown["pay"]["cents"], shown["pay"]["paid_cents"]) == (2, 5_000, 2_500)
    assert [(seat["seat"], seat["paid"], seat["chips"]) for seat in shown["pay"]["seats"]] == [
        (2, True, [[2_500, 1]]),
        (3, False, [[2_500, 1]]),
    ]
    assert [(step["key"], step["state"]) for step in shown["steps"]][-3:] == [
        ("take", "done"),
        ("pay", "now"),
        ("clear", "todo"),
    ]
    assert (found["next"]["act"], found["next"]["say"]) == ("pay_seats", "Seat 3, $25")
    assert found["history"][0] | {"at": ""} == {
        "number": 1,
        "at": "",
        "dice": [2, 5, 5],
        "total": 12,
        "throws": [[2, 5, 5]],
        "ending": "cleared",
        "result": "settled",
        "wagers": 1,
        "handle_cents": 2_500,
        "win_cents": 2_500,
        "by_hand": False,
        "slip": None,
        "slip_open": False,
    }
    assert found["last_wagers"] == [{"seat": 1, "wager": "small", "play": None, "cents": 2_500}]
    assert (found["figures"]["rounds"], found["figures"]["handle_cents"], found["figures"]["win_cents"]) == (
        1,
        2_500,
        2_500,
    )


@pytest.mark.clause("PA-539.1(b)-area", "PA-625a.1(b)-area")
@pytest.mark.parametrize(
    ("rules", "payouts", "odds"),
    [
        pytest.param("pa-539", {"total:4": "60 to 1"}, "60 to 1", marks=pytest.mark.clause("PA-539.1(c)(3)")),
        pytest.param("pa-625a/A", {}, "50 to 1", marks=pytest.mark.clause("PA-625a.1(c)(3)")),
        pytest.param("pa-625a/B", {}, "62 to 1", marks=pytest.mark.clause("PA-625a.1(c)(3)")),
        pytest.param("nj-19-47-9", {}, "50 to 1"),
    ],
)
def test_the_layout_shows_every_wager_with_the_odds_in_force(rules, payouts, odds):
    layout = make_scene(rules, **payouts).snapshot["layout"]
    assert len(layout) == 50 and len({area["family"] for area in layout}) == 8
    assert {area["wager"]: area["odds"] for area in layout}["total:4"] == [odds]
    assert not any(" for " in text for area in layout for text in area["odds"])


# Offers

PARAMS = {
    "inspect_table": {"dice": [1, 1, 1], "lit": [], "tosses": 3},
    "change_dice_lot": {"lot": "L-0005"},
    "close_table": {"secured": True},
    "unlock_shaker": {"why": "x"},
    "place_wagers": {"wagers": [{"seat": 6, "wager": "big", "cents": 1_000}]},
    "shake": {"shakes": 3},
    "call_dice": {"dice": [2, 5, 5]},
    "call_no_roll": {"reason": "x"},
    "void_round": {"reason": "x"},
    "correct_dice": {"dice": [1, 1, 6], "reason": "x"},
    "record_missed_wager": {"seat": 7, "wager": "big", "cents": 1_000, "reason": "x"},
    "strike_mistaken_wager": {"seat": 1, "wager": "small", "reason": "x"},
    "record_repair": {"what": "x"},
    "withdraw_dice": {"why": "lost"},
}
# Legal in the background, or on the floor's pages; and one that needs another shaker to be tried.
NEVER_OFFERED = {"take_over_table", "leave_table", "record_hand_settled_round", "replace_shaker"}
NEVER_OFFERED |= {"issue_dice", "return_dice", "examine_dice", "return_shaker"}
NEVER_OFFERED |= {"acknowledge_alert", "report_dispute", "take_supervision"}
# They stand where the snapshot shows the limits.
NEVER_OFFERED |= {
    "change_limits",
    "cancel_limits_change",
    "post_limits_sign",
    "announce_limits",
    "players_left",
}
# Refused although it is its moment: about what was sent.
ITS_MOMENT = {"lights-do-not-agree", "not-inspected", "inspection-line-missing", "edition-lapsed"}


def taken(scene, act) -> bool:
    """Whether the road takes the act at this moment, from the shift manager or with that signature."""
    tries = [PARAMS.get(act, {})]
    if act == "report_device_failure":
        tries = [{}, {"dice": [2, 5, 5]}, {"what": "shaker"}, {"what": "layout"}]
    for params in tries:
        with scene.tried():
            try:
                scene.act(act, params, by="shift-manager")
                return True
            except Refusal as refusal:
                if refusal.code in ITS_MOMENT:
                    return True
    return False


def compare(scene):
    offers = set(scene.snapshot["offers"]) - NEVER_OFFERED
    assert offers == {act for act in set(table.ACTS) - NEVER_OFFERED if taken(scene, act)}, scene.snapshot[
        "round"
    ]["phase"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-539", "manual"),
        ("pa-625a/A", "manual"),
        ("pa-625a/A", "automated-covered"),
        ("pa-625a/A", "player-activated"),
    ],
)
def test_the_offers_are_what_the_road_takes(rules, shaker):
    scene = make_scene(rules, shaker)
    compare(scene)
    scene.place((1, "small", 2_500), (2, "big", 2_500), (3, "big", 2_500))
    while scene.round is not None:
        compare(scene)
        following = scene.snapshot["next"]
        if following["act"] == "pay_seats":
            scene.act("pay_seats", {"seats": [2]})
            compare(scene)
        scene.act(
            following["act"], {"dice": [2, 5, 5]} if following["act"] == "call_dice" else following["params"]
        )
    compare(scene)
    scene.act("report_device_failure")
    compare(scene)
    with scene.tried():
        scene.act("record_repair", {"what": "fuse"}, by="floorperson")
        compare(scene)
    scene.act("close_table", {"secured": True}, by="floorperson")
    compare(scene)
    scene.act("record_repair", {"what": "fuse"}, by="floorperson")
    compare(scene)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    compare(scene)


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_no_round_is_offered_while_the_shaker_is_empty(rules):
    scene = make_scene(rules)
    spare = Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="manual")
    approve_shaker(scene.table, spare)
    scene.act("replace_shaker", {"shaker": "S-02"}, by="floorperson")
    compare(scene)
    assert scene.snapshot["missing"] == {
        "code": "no-dice",
        "text": "Shaker S-02 has no dice in it. Put a dice lot in first.",
        "section": scene.snapshot["missing"]["section"],
    }
    scene.act("change_dice_lot", {"lot": "L-0004"}, by="floorperson")
    compare(scene)
    assert scene.snapshot["missing"] is None


def test_the_offers_hold_while_a_round_is_settled_by_hand(scene):
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    scene.act("report_device_failure", witness="floorperson")
    while scene.round is not None:
        compare(scene)
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])


def test_the_offers_hold_in_a_round_that_nobody_won(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    compare(scene)
