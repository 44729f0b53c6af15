"""The device, the lit layout or an automated shaker fails (A14, A15)."""

import re

import pytest
from django.template.loader import render_to_string

from tables.models import Settlement
from tables.screens import fragments
from tables.words.sentences import act_line
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

FAILURE = {"pa-539": "7(b)", "pa-625a/A": "7(b)", "nj-19-47-9": "6(b)"}
SIGNS = {"pa-539": "floorperson", "pa-625a/A": "floorperson", "nj-19-47-9": "casino-supervisor"}


def ready(rules, shaker="manual"):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    scene.to_the_dice()
    return scene


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.7(b)-settle")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.7(b)-settle")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.6(b)-settle")),
    ],
)
@pytest.mark.parametrize("what", ["device", "layout"])
def test_with_the_dice_seen_the_round_settles_manually_from_the_announced_dice(rules, what):
    scene = ready(rules)
    scene.act("report_device_failure", {"dice": [2, 5, 5], "what": what}, witness=SIGNS[rules])
    assert scene.settled == [(1, "small", "lose", 0, 0), (2, "big", "win", 5_000, 5_000)]
    said = scene.entry
    assert (said["_type"], said["witness"]) == ("round.settled_by_hand", SIGNS[rules])
    assert (said["data"]["dice"], said["data"]["by_hand"], said["data"]["failed"]) == ([2, 5, 5], True, what)
    assert scene.round.by_hand and scene.snapshot["ceased"]["what"] == what
    scene.finish()
    played = scene.last_round
    assert (played.phase, played.taken_cents, played.paid_cents, played.by_hand) == (
        "cleared",
        2_500,
        5_000,
        True,
    )


@pytest.mark.parametrize(
    ("rules", "signs", "does_not"),
    [
        pytest.param(
            "pa-539",
            ("floorperson", "casino-supervisor", "pit-manager", "shift-manager"),
            (None, "relief", "stickperson", "security", "gaming-agent", "surveillance"),
            marks=clause("PA-539.7(b)-presence"),
        ),
        pytest.param(
            "pa-625a/A",
            ("floorperson", "casino-supervisor", "pit-manager", "shift-manager"),
            (None, "relief", "stickperson", "security", "gaming-agent", "surveillance"),
            marks=clause("PA-625a.7(b)-presence"),
        ),
        pytest.param(
            "nj-19-47-9",
            ("casino-supervisor", "pit-manager", "shift-manager"),
            (None, "relief", "stickperson", "floorperson", "security", "gaming-agent"),
            marks=clause("NJ-19:47-9.6(b)-presence"),
        ),
    ],
)
def test_it_settles_manually_only_before_the_witness_that_the_edition_names(rules, signs, does_not):
    scene = ready(rules)
    failed = {"dice": [2, 5, 5]}
    for witness in does_not:
        with scene.refused("witness-must-sign", CHAPTER[rules] + FAILURE[rules]):
            scene.act("report_device_failure", failed, witness=witness)
    assert not Settlement.objects.exists()
    for witness in signs:
        with scene.tried():
            scene.act("report_device_failure", failed, witness=witness)
        with scene.tried():
            scene.act("report_device_failure", failed, by=witness)
    if rules == "nj-19-47-9":
        with scene.refused("witness-must-sign"):
            scene.act("report_device_failure", failed, by="floorperson")


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.7(b)-cease")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.7(b)-cease")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.6(b)-cease")),
    ],
)
def test_gaming_ceases_after_that_round_until_the_repair_is_recorded(rules):
    scene = ready(rules)
    scene.act("report_device_failure", {"dice": [2, 5, 5]}, witness=SIGNS[rules])
    with scene.refused("round-in-play"):
        scene.act("record_repair", {"what": "fuse"}, by="floorperson")
    scene.finish()
    section = CHAPTER[rules] + FAILURE[rules]
    for act, params in (("place_wagers", None), ("shake", {"shakes": 3}), ("no_more_bets", {})):
        with scene.refused("gaming-ceased", section):
            scene.place((1, "small", 2_500)) if params is None else scene.act(act, params)
    assert scene.snapshot["offers"] == [
        "record_repair",
        "close_table",
        "report_device_failure",
        "change_dice_lot",
        "withdraw_dice",
        "replace_shaker",
        "record_hand_settled_round",
    ]
    with scene.refused("floorperson-must-sign"):
        scene.act("record_repair", {"what": "fuse"})
    scene.act("record_repair", {"what": "fuse replaced"}, by="floorperson")
    assert (scene.entry["_type"], scene.entry["data"]) == (
        "repair.recorded",
        {"what": "device", "how": "fuse replaced"},
    )
    with scene.refused("gaming-ceased", section):
        scene.place((1, "small", 2_500))
    with scene.refused("lights-do-not-agree"):
        scene.inspect(lit=["big"])
    scene.inspect()
    assert scene.entry["data"]["after_repair_of"] == "device"
    assert (scene.fresh.status, scene.snapshot["ceased"]) == ("open", None)
    scene.place((1, "small", 2_500))
    assert scene.round.number == 2


@pytest.mark.clause("PA-625a.7(b)-cease")
def test_closing_does_not_repair_what_failed(scene):
    scene.act("report_device_failure")
    scene.close()
    with scene.refused("gaming-ceased", "58 Pa. Code § 625a.7(b)"):
        scene.inspect()
    with scene.refused("gaming-ceased", "58 Pa. Code § 625a.7(b)"):
        scene.open()
    scene.repair()
    assert scene.fresh.status == "closed"
    scene.open()
    assert scene.fresh.status == "open"


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A", "nj-19-47-9"])
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_before_the_dice_are_seen_the_round_is_void_and_every_wager_goes_back(rules, steps):
    scene = make_scene(rules)
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    for _ in range(steps):
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])
    witness = None if scene.snapshot["round"]["bets_open"] else "floorperson"
    scene.act("report_device_failure", {"what": "device"}, witness=witness)
    assert scene.settled == [(1, "small", "return", 0, 2_500), (2, "big", "return", 0, 5_000)]
    said = scene.entry["data"]
    assert (said["failed"], said["returned_cents"], said["uncovered"]) == ("device", 7_500, False)
    assert (scene.last_round.phase, scene.fresh.status) == ("void", "ceased")
    with scene.refused("gaming-ceased"):
        scene.place((1, "small", 2_500))


@pytest.mark.parametrize("steps", [0, 1])
def test_dice_cannot_have_been_seen_before_they_were_shaken_and_bets_closed(scene, steps):
    scene.place((1, "small", 2_500))
    for _ in range(steps):
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])
    with scene.refused("dice-not-seen", "58 Pa. Code § 625a.7(b)"):
        scene.act("report_device_failure", {"dice": [2, 5, 5]}, witness="floorperson")


@pytest.mark.parametrize(
    ("rules", "shaker"), [("pa-539", "automated-uncovered"), ("pa-625a/A", "player-activated")]
)
def test_tossed_dice_in_plain_view_are_not_voided_as_unseen(rules, shaker):
    scene = ready(rules, shaker)
    with scene.refused("dice-are-in-view", CHAPTER[rules] + "7(b)"):
        scene.act("report_device_failure")
    scene.act("report_device_failure", {"dice": [2, 5, 5]}, witness="floorperson")
    assert scene.settled[1] == (2, "big", "win", 5_000, 5_000)


@pytest.mark.clause("PA-625a.7(b)-settle", "PA-625a.7(b)-presence")
@pytest.mark.parametrize("until", ["no_more_bets", "call_dice"])
def test_dice_that_a_covered_automated_shaker_has_tossed_are_settled_before_a_floorperson(until):
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    scene.until(until)
    with scene.refused("dice-were-tossed", "58 Pa. Code § 625a.7(b)"):
        scene.act("report_device_failure")
    with scene.refused("witness-must-sign", "58 Pa. Code § 625a.7(b)"):
        scene.act("report_device_failure", {"dice": [2, 5, 5]})
    scene.act("report_device_failure", {"dice": [2, 5, 5]}, witness="floorperson")
    assert scene.settled == [(1, "small", "lose", 0, 0), (2, "big", "win", 5_000, 5_000)]
    scene.finish()
    assert (scene.last_round.by_hand, scene.last_round.taken_cents, scene.last_round.paid_cents) == (
        True,
        2_500,
        5_000,
    )


def test_a_covered_automated_shaker_that_has_not_tossed_yet_leaves_nothing_to_settle():
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.place((1, "small", 2_500))
    scene.act("report_device_failure")
    assert scene.settled == [(1, "small", "return", 0, 2_500)]


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-539", "automated-uncovered"),
        ("pa-625a/A", "automated-uncovered"),
        ("pa-625a/A", "player-activated"),
    ],
)
def test_dice_in_view_are_not_voided_because_the_shaker_is_said_to_have_failed(rules, shaker):
    scene = ready(rules, shaker)
    with scene.refused("shaker-has-tossed", CHAPTER[rules] + "7(c)"):
        scene.act("report_device_failure", {"what": "shaker"})
    assert scene.fresh.status == "open"
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert scene.settled[0] == (1, "small", "lose", 0, 0)


@pytest.mark.parametrize(
    ("rules", "shaker", "wager"),
    [
        ("pa-675a", "manual", (1, "pip:6", 2_500)),
        ("pa-577", "dice-cup", (1, "touchdown", 2_500)),
    ],
)
def test_dice_in_view_are_voided_by_a_manager_alone_and_the_record_says_so(rules, shaker, wager):
    scene = make_scene(rules, shaker)
    scene.place(wager)
    scene.to_the_dice()
    for witness in (None, "floorperson", "casino-supervisor"):
        with scene.refused("floorperson-must-sign" if witness is None else "manager-must-sign"):
            scene.act("void_round", {"reason": "dispute"}, witness=witness)
    scene.act("void_round", {"reason": "dispute"}, witness="pit-manager")
    assert (scene.entry["_type"], scene.entry["data"]["in_view"]) == ("round.voided", True)
    assert (
        act_line(scene.entry["_type"], scene.entry["data"])
        == "Round void with the dice in view, wagers returned: Dispute settled by the floor"
    )
    assert {(outcome, returned) for _, _, outcome, _, returned in scene.settled} == {("return", 2_500)}


def test_a_void_before_the_toss_takes_a_floorperson_and_says_nothing_of_dice(scene):
    scene.place((1, "small", 2_500))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    assert "in_view" not in scene.entry["data"]


@pytest.mark.clause("PA-625a.7(b)-settle", "PA-625a.7(b)-presence")
@pytest.mark.parametrize("paid", [False, True])
def test_dice_that_were_entered_already_stand_when_the_device_fails(scene, paid):
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    if paid:
        scene.act("take_losers")
    with scene.refused("witness-must-sign"):
        scene.act("report_device_failure")
    scene.act("report_device_failure", witness="floorperson")
    assert scene.entry["data"] == {"what": "device", "round": 1, "dice": [2, 5, 5]}
    assert (scene.round.throws.count(), scene.round.by_hand) == (1, True)
    scene.finish()
    assert scene.last_round.paid_cents == 5_000


def test_a_failure_between_rounds_ceases_gaming_at_once(scene):
    scene.act("report_device_failure", {"what": "layout"})
    assert scene.entry["data"] == {"what": "layout", "section": "58 Pa. Code § 625a.7(b)", "round": None}
    with scene.refused("gaming-ceased"):
        scene.place((1, "small", 2_500))
    with scene.refused("gaming-ceased"):
        scene.act("report_device_failure", {"what": "layout"})


def test_a_repair_says_how(scene):
    scene.act("report_device_failure")
    for said in ({}, {"what": ""}, {"what": " "}):
        with scene.refused("malformed"):
            scene.act("record_repair", said, by="floorperson")


def test_nothing_is_repaired_that_did_not_fail(scene):
    with scene.refused("nothing-failed"):
        scene.act("record_repair", {"what": "fuse"}, by="floorperson")


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        pytest.param("pa-539", "automated-uncovered", marks=clause("PA-539.7(c)")),
        pytest.param("pa-625a/A", "automated-covered", marks=clause("PA-625a.7(c)")),
        pytest.param("pa-625a/A", "automated-uncovered", marks=clause("PA-625a.7(c)")),
        pytest.param("pa-625a/A", "player-activated", marks=clause("PA-625a.7(c)")),
    ],
)
def test_an_automated_shaker_that_fails_voids_the_round(rules, shaker):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    scene.until("shake")
    witness = None if scene.snapshot["round"]["bets_open"] else "floorperson"
    scene.act("report_device_failure", {"what": "shaker"}, witness=witness)
    assert scene.settled == [(1, "small", "return", 0, 2_500), (2, "big", "return", 0, 5_000)]
    assert set(Settlement.objects.values_list("cite", flat=True)) == {CHAPTER[rules] + "7(c)"}
    assert (scene.last_round.phase, scene.last_round.paid_cents) == ("void", 0)
    with scene.refused("gaming-ceased", CHAPTER[rules] + "7(c)"):
        scene.place((1, "small", 2_500))
    scene.act("record_repair", {"what": "belt"}, by="floorperson")
    with scene.refused("too-few-tosses"):
        scene.inspect(tosses=2)
    scene.inspect()
    scene.place((1, "small", 2_500))


@pytest.mark.clause("PA-625a.7(d)-cover")
def test_an_automated_shaker_that_fails_between_rounds_ceases_gaming_at_once():
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.act("report_device_failure", {"what": "shaker"})
    assert scene.entry["data"] == {"what": "shaker", "section": "58 Pa. Code § 625a.7(c)", "round": None}
    with scene.refused("gaming-ceased", "58 Pa. Code § 625a.7(c)"):
        scene.place((1, "small", 2_500))
    scene.repair("a new belt")
    assert scene.fresh.status == "open"


def test_a_device_that_fails_besides_the_shaker_is_not_repaired_by_another_shaker():
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.act("report_device_failure", {"what": "shaker"})
    scene.act("report_device_failure", {"what": "device"})
    assert scene.fresh.ceased_what == "device"
    from tests.tables.test_shakers import replace, spare

    spare(scene)
    replace(scene, covered_or_signed=True)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    with scene.refused("gaming-ceased", "58 Pa. Code § 625a.7(b)"):
        scene.place((1, "small", 2_500))
    scene.repair()
    scene.place((1, "small", 2_500))


def test_what_fails_again_before_its_inspection_is_repaired_again(scene):
    scene.act("report_device_failure")
    with scene.refused("shaker-not-automated"):
        scene.act("report_device_failure", {"what": "shaker"})
    scene.act("record_repair", {"what": "fuse"}, by="floorperson")
    scene.act("report_device_failure")
    with scene.refused("gaming-ceased"):
        scene.inspect()
    scene.repair()
    assert scene.fresh.status == "open"


def test_a_manual_shaker_does_not_fail_to_run(scene):
    with scene.refused("no-round"):
        scene.act("report_device_failure", {"what": "shaker"})
    scene.place((1, "small", 2_500))
    with scene.refused("shaker-not-automated"):
        scene.act("report_device_failure", {"what": "shaker"})


def test_a_shaker_that_tossed_the_dice_as_entered_did_not_fail():
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    with scene.refused("dice-called-already"):
        scene.act("report_device_failure", {"what": "shaker"})


def test_dice_that_are_not_those_entered_are_no_answer_to_a_failure(scene):
    with scene.refused("dice-not-seen"):
        scene.act("report_device_failure", {"dice": [2, 5, 5]})
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    with scene.refused("dice-entered-already"):
        scene.act("report_device_failure", {"dice": [1, 1, 2]}, witness="floorperson")
    scene.act("report_device_failure", {"dice": [5, 2, 5]}, witness="floorperson")
    assert (scene.entry["_type"], scene.round.by_hand) == ("device.failed", True)


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-675a", "pa-577"])
def test_each_part_that_may_have_failed_has_a_symbol(rules):
    scene = make_scene(rules)
    tablet = str(fragments.render("dealer", scene.snapshot))
    choices = re.findall(r'data-fill="what".*?</button>', tablet, re.DOTALL)
    symbols = [re.findall(r'href="#(i-[a-z]+)"', choice) for choice in choices]
    page = render_to_string("tables/parts/symbols.html")
    assert len(symbols) >= 2 and all(len(ids) == 1 and f'id="{ids[0]}"' in page for ids in symbols), symbols
