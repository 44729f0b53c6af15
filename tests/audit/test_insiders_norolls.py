"""Thieves who undo a throw that loses: no rolls, failures and voids on the word of one person.

Each story: what the thief does, what stops him, and who is told.
"""

import dataclasses
import datetime as dt
import re

import pytest

from audit import clock
from games.separation import policy
from tables.cases.exceptions import exceptions
from tables.models import Alert, Round
from tables.screens import fragments
from tables.words.sentences import act_line
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

STAKE = 50_000


def norolls_losing_round(scene: Scene) -> None:
    """The thief's partner has $500 on Big, and the shaker is uncovered over a small total."""
    scene.place((1, "big", STAKE))
    scene.to_the_dice()


def norolls_alerts(kind: str) -> list[tuple[str, str]]:
    return list(Alert.objects.filter(kind=kind).values_list("key", "table__code"))


def test_a_dealer_alone_gives_no_losing_wager_back_as_a_no_roll() -> None:
    """The dealer sees 1-1-2, calls no roll and pushes the $500 back. It takes the floor, and the third one is told."""
    scene = make_scene()
    norolls_losing_round(scene)
    with scene.refused("no-roll-must-be-signed", "58 Pa. Code § 625a.7(a)") as refusal:
        scene.act("call_no_roll", {"reason": "A die leans", "faces_read": [1, 1]})
    assert "call a floorperson" in refusal.value.sentence
    with scene.refused("no-roll-must-be-signed"):  # another dealer is no floor
        scene.act("call_no_roll", {"reason": "A die leans", "faces_read": [1, 1]}, witness="relief")
    for number in (1, 2, 3):
        assert norolls_alerts("no-rolls") == []
        scene.act("call_no_roll", {"reason": "A die leans", "faces_read": [1, 1]}, witness="floorperson")
        assert (scene.entry["witness"], scene.entry["data"]["faces_read"]) == ("floorperson", [1, 1])
        assert act_line("round.no_roll", scene.entry["data"]) == "No roll, wagers returned; read 1 1"
        if number < 3:
            norolls_losing_round(scene)
    assert norolls_alerts("no-rolls") == [("no-rolls:dealer", "T-01")]
    shown = {name: str(fragments.render(name, scene.snapshot)) for name in ("table", "dealer")}
    assert "Dealer: 3 rounds without a result" in shown["table"]  # the pit and surveillance
    assert "rounds without a result" not in shown["dealer"]  # not the thief
    counted = exceptions(scene.table.facility, scene.table.facility.gaming_day(scene.last_round.ended_at), 4)
    [row] = counted.rows("dealer")
    assert (row.label, [cell.count for cell in row.cells][:4]) == ("Dealer", [0, 0, 3, 0])


@pytest.mark.parametrize(
    ("shaker", "what"), [("manual", "device"), ("manual", "layout"), ("automated-covered", "shaker")]
)
def test_a_dealer_alone_voids_no_losing_round_as_a_failure_that_nobody_saw(shaker: str, what: str) -> None:
    """The dealer looks under the cover and reports a failure with the dice unseen. It takes the floor."""
    scene = make_scene("pa-625a/A", shaker)
    norolls_losing_round(scene)
    with scene.refused("no-roll-must-be-signed"):
        scene.act("report_device_failure", {"what": what, "dice": None})
    scene.act("report_device_failure", {"what": what, "dice": None}, witness="floorperson")
    assert (scene.entry["_type"], scene.entry["witness"]) == ("round.voided", "floorperson")
    assert scene.fresh.status == "ceased"


def test_a_failure_while_bets_are_open_is_reported_at_once() -> None:
    """Nothing is gained then: every player may take the wager off."""
    scene = make_scene()
    scene.place((1, "big", STAKE))
    scene.act("report_device_failure", {"what": "device"})
    assert scene.entry["_type"] == "round.voided"


def test_a_stickperson_alone_rethrows_only_as_often_as_dice_really_go_astray() -> None:
    """The stickperson calls every losing throw off the table. The seventh in an hour takes the floor; surveillance
    hears of the twelfth."""
    scene = make_scene("pa-675a")
    scene.place((1, "pip:5", STAKE))
    scene.to_the_dice()
    void = {"reason": "off-table", "faces_read": [1, 1, 2, 3, 4, 4, 6, 6, 2]}
    for _ in range(6):
        scene.act("call_no_roll", void)
        scene.until("call_dice")
    with scene.refused("no-rolls-above-the-rate", "58 Pa. Code § 675a.4(b)"):
        scene.act("call_no_roll", void)
    for number in range(7, 13):
        assert norolls_alerts("rethrows") == []
        scene.act("call_no_roll", void, witness="floorperson")
        if number < 12:
            scene.until("call_dice")
    assert norolls_alerts("rethrows") == [("rethrows:dealer", "T-01")]


def test_an_hour_later_a_void_throw_is_free_again() -> None:
    moment = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)
    with clock.override(lambda: moment):
        scene = make_scene("pa-675a")
        scene.place((1, "pip:5", STAKE))
        scene.to_the_dice()
        for _ in range(6):
            scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
            scene.until("call_dice")
        with scene.refused("no-rolls-above-the-rate"):
            scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
    with clock.override(lambda: moment + dt.timedelta(minutes=61)):
        scene.act("call_no_roll", {"reason": "off-table", "faces_read": []})
    assert scene.entry["data"]["faces_read"] == []
    assert act_line("throw.no_roll", scene.entry["data"]).endswith("; no face could be read")


def test_a_policy_may_leave_some_no_rolls_free_and_the_next_one_takes_the_floor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The row of a jurisdiction: two in an hour are free. The tablet then asks for no PIN beforehand."""
    rows = dict(policy.practice())
    rows["no-rolls"] = dataclasses.replace(rows["no-rolls"], free_count=2, free_minutes=60)
    monkeypatch.setattr(policy, "practice", lambda: rows)
    assert policy.control_in_words(rows["no-rolls"]).endswith("after the first 2 of a person in 60 minutes")
    scene = make_scene()
    for _ in range(2):
        norolls_losing_round(scene)
        scene.act("call_no_roll", {"reason": "A die leans", "faces_read": [1, 1]})
    norolls_losing_round(scene)
    with scene.refused("no-rolls-above-the-rate"):
        scene.act("call_no_roll", {"reason": "A die leans", "faces_read": [1, 1]})
    with scene.refused("no-rolls-above-the-rate"):
        scene.act("report_device_failure", {"what": "device", "dice": None})
    page = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    [fields] = re.findall(r'data-act="call_no_roll"[^>]*data-fields="([^"]*)"', page)
    assert fields == "read reason"


def test_what_was_seen_is_no_more_than_was_thrown() -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    for code, seen in (("more-faces-than-dice", [1, 1, 2, 2]), ("no-such-face", [7]), ("malformed", "6, 6")):
        with scene.refused(code):
            scene.act("call_no_roll", {"reason": "A die leans", "faces_read": seen}, witness="floorperson")


REASONS_OF_A_FAILURE = (
    "electrical device failed", "Device failure", "the lamps went dark", "The layout does not light", "display is dead",
)  # fmt: skip


@clause("PA-625a.7(b)-settle", "PA-625a.7(b)-cease", "PA-539.7(b)-settle", "PA-539.7(b)-cease")
@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-539"])
@pytest.mark.parametrize("reason", REASONS_OF_A_FAILURE)
@pytest.mark.parametrize("shaker", ["automated-covered", "manual"])
def test_a_failed_device_is_no_reason_to_void(rules: str, reason: str, shaker: str) -> None:
    """Dealer and floorperson void a round whose covered dice were tossed, and play on without a repair."""
    if (rules, shaker) == ("pa-539", "automated-covered"):
        shaker = "automated-uncovered"
    scene = make_scene(rules, shaker)
    norolls_losing_round(scene)
    for witness in ("floorperson", "pit-manager"):
        with scene.refused("reason-of-another-act") as refusal:
            scene.act("void_round", {"reason": reason}, witness=witness)
        assert refusal.value.sentence.endswith("Use Device failed.")
    with scene.refused("reason-of-another-act"):
        scene.act("call_no_roll", {"reason": reason}, witness="floorperson")
    params = {"what": "device", "dice": [1, 1, 2]}
    scene.act("report_device_failure", params, witness="floorperson")
    scene.finish()
    assert Round.objects.get().taken_cents == STAKE
    with scene.refused("gaming-ceased"):
        scene.place((1, "big", STAKE))
    scene.repair()
    scene.place((1, "big", STAKE))


def test_tossed_dice_count_although_they_are_covered() -> None:
    """The same with a reason that no other act owns: a manager must sign, and the entry says that they were tossed."""
    scene = make_scene("pa-625a/A", "automated-covered")
    norolls_losing_round(scene)
    with scene.refused("tossed-dice-are-settled"):
        scene.act("void_round", {"reason": "Dispute settled by the floor"}, witness="floorperson")
    scene.act("void_round", {"reason": "Dispute settled by the floor"}, witness="pit-manager")
    assert (scene.entry["witness"], scene.entry["data"]["tossed"]) == ("pit-manager", True)
    assert "tossed and covered" in act_line("round.voided", scene.entry["data"])


@pytest.mark.parametrize(
    ("reason", "instead"),
    [
        ("One die leans on the wall", "No roll"),
        ("a die was cocked", "No roll"),
        ("Seat 1: bet not entered", "Missed wager"),
        ("a wager was entered twice", "Strike a wager"),
    ],
)
def test_a_reason_of_another_act_leads_there(reason: str, instead: str) -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    with scene.refused("reason-of-another-act") as refusal:
        scene.act("void_round", {"reason": reason}, witness="floorperson")
    assert refusal.value.sentence.endswith(f"Use {instead}.")


@pytest.mark.parametrize(
    "reason",
    ["Dice seen before bets closed", "Shaker uncovered too soon", "Dispute settled by the floor", "fire alarm",
     "A player used a device", "The lights of the hall went on"],
)  # fmt: skip
def test_a_void_for_a_reason_of_its_own_is_a_void(reason: str) -> None:
    scene = make_scene()
    norolls_losing_round(scene)
    scene.act("void_round", {"reason": reason}, witness="floorperson")
    assert scene.entry["_type"] == "round.voided"


def test_a_game_without_a_device_has_no_act_to_lead_to() -> None:
    scene = make_scene("pa-675a")
    scene.place((1, "pip:5", STAKE))
    scene.act("void_round", {"reason": "the electrical supply failed"}, witness="floorperson")
    assert scene.entry["_type"] == "round.voided"
