"""What a correction would change is computed by the engine, before anybody signs, and the act then does just that."""

import json
import re

import pytest

from tables.screens.fragments import render
from tests.markup import one_line
from tests.tables.cast import Scene, make_scene
from tests.tables.test_high_roll_table import FOUR_FIVES

pytestmark = pytest.mark.django_db


ONES = ("one-of-a-kind:2", "one-of-a-kind:4")
CORRECTED = re.compile("corrected-mark|wins--corrected")
DRAWN_AREA = re.compile(r'<(?:div|button) class="area [^>]*data-wager="([^"]+)"[^>]*>(.*?)</(?:div|button)>')
AREA = re.compile(r'<template data-area="([^"]+)" data-mark="(\w+)"[^>]*>(.*?)</template>')


def areas(shown: str) -> dict[str, tuple[str, str]]:
    """The mark of each area of the felt that changes, and the word and the chips on it."""
    return {
        code: (mark, " ".join(re.sub("<[^>]+>", " ", inside).split()))
        for code, mark, inside in AREA.findall(shown)
    }


def preview(scene: Scene, act: str, status: int = 200, **params) -> str:
    query = {"act": act, "params": json.dumps(params)}
    answer = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/correction", query)
    assert answer.status_code == status
    return one_line(answer.content.decode())


@pytest.fixture
def lit(scene: Scene) -> Scene:
    scene.play((1, "small", 2_500), (3, "big", 500), (6, "total:12", 1_000), dice=[2, 5, 5])
    return scene


def test_corrected_dice_say_who_wins_and_who_no_longer_does_and_change_nothing(lit):
    before = lit.version
    shown = preview(lit, "correct_dice", dice=[2, 4, 4])
    assert "Wins $25, won nothing before" in shown and "$25 wins $25" in shown
    assert "No longer wins" in shown and "Big: $5 now loses: take it" in shown
    assert "<s>$65</s> $25" in shown  # what is paid: $5 and $60 before, $25 after
    assert (lit.version, lit.round.phase) == (before, "lit")
    lit.act("correct_dice", {"dice": [2, 4, 4], "reason": "misread"}, witness="floorperson")
    assert lit.snapshot["round"]["pay"]["cents"] == 2_500
    assert lit.snapshot["round"]["throws"][0]["corrected"] is True


def test_the_table_page_lists_a_correction_with_both_values_and_who_signed_it(lit):
    lit.act("correct_dice", {"dice": [2, 4, 4], "reason": "misread"}, witness="floorperson")
    lit.act("strike_mistaken_wager", {"seat": 3, "wager": "big", "reason": "twice"}, witness="floorperson")
    missed = {"seat": 2, "wager": "small", "cents": 2_500, "reason": "On the layout, not entered"}
    lit.act("record_missed_wager", missed, witness="floorperson")
    signed = {act["text"]: act["signer"] for act in lit.snapshot["acts"] if "Alert" not in act["text"]}
    assert signed["Dice corrected to 2 4 4, not 2 5 5"] == "Floorperson"
    assert signed["Wager struck, seat 3: $0, not $5"] == "Floorperson"
    assert signed["Missed wager, seat 2: $25, not $0"] == "Floorperson"
    assert len([signer for signer in signed.values() if signer]) == 3
    table = one_line(render("table", lit.snapshot))
    assert 'not 2 5 5<span class="dim signer">signed by Floorperson</span>' in table


def test_the_felt_marks_every_area_whose_result_changes_with_the_chips_on_it(lit):
    lit.act("take_losers")
    marked = areas(preview(lit, "correct_dice", dice=[2, 4, 4]))
    assert marked["small"] == ("wins", "WINS 1 25")  # its chips are in the rack, and would be put back
    assert marked["big"] == ("loses", "LOSES 3 5")
    assert marked["total:10"] == ("wins", "")  # nobody's chips are there
    assert marked["one-of-a-kind:5"] == ("loses", "")
    assert "one-of-a-kind:2" not in marked and "total:4" not in marked  # wins either way, loses either way
    missed = areas(preview(lit, "record_missed_wager", seat=2, wager="big", cents=2_500))
    assert missed == {"big": ("wins", "MISSED 2 25 3 5")}
    corrected = areas(preview(lit, "record_missed_wager", seat=3, wager="big", cents=2_500))
    assert corrected == {"big": ("changes", "AMOUNT 3 25")}
    struck = areas(preview(lit, "strike_mistaken_wager", seat=3, wager="big"))
    assert struck == {"big": ("changes", "STRUCK 3 5")}


def test_a_wager_that_wins_either_way_says_at_which_odds(scene):
    scene.play((4, "one-of-a-kind:5", 2_500), dice=[2, 5, 5])
    assert areas(preview(scene, "correct_dice", dice=[2, 4, 5]))["one-of-a-kind:5"] == (
        "changes",
        "1 TO 1 4 25",
    )


def test_a_wager_that_is_settled_and_would_stay_is_previewed_too():
    table = make_scene("pa-675a")
    table.place((1, "pip:5", 1_000), (1, "like-kind:4", 1_000), (1, "extra-roll", 1_000))
    table.to_the_dice()
    table.act("call_dice", {"dice": FOUR_FIVES})
    table.until("settle_seats")
    three_fives = [5, 5, 5, 1, 1, 6, 6, 4, 3, 2]
    shown = preview(table, "correct_dice", dice=three_fives)
    assert "Like Kind 4: $10 stays" in shown
    assert areas(shown)["like-kind:4"] == ("changes", "STAYS 1 10")


@pytest.mark.parametrize("act", ["take_losers", "clear_layout"])
def test_what_was_corrected_carries_a_mark_on_the_felt_until_the_round_ends(lit, act):
    lit.act("correct_dice", {"dice": [2, 4, 4], "reason": "misread"}, witness="floorperson")
    lit.act("strike_mistaken_wager", {"seat": 3, "wager": "big", "reason": "twice"}, witness="floorperson")
    missed = {"seat": 2, "wager": "total:17", "cents": 2_500, "reason": "On the layout, not entered"}
    lit.act("record_missed_wager", missed, witness="floorperson")
    lit.until(act)
    console = one_line(render("dealer", lit.snapshot))
    marked = {code for code, inside in DRAWN_AREA.findall(console) if CORRECTED.search(inside)}
    assert marked == {"small", "total:10", "two-of-a-kind:4", "two-dice:2-4", *ONES, "big", "total:17"}
    assert "Dice corrected to 2, 4, 4" in console
    lit.finish()
    assert not CORRECTED.search(render("dealer", lit.snapshot))


def test_losing_chips_that_were_taken_are_put_back(lit):
    lit.act("take_losers")
    assert "$25 put back, wins $25" in preview(lit, "correct_dice", dice=[2, 4, 4])


def test_a_missed_and_a_mistaken_wager_say_their_end(lit):
    missed = preview(lit, "record_missed_wager", seat=2, wager="big", cents=2_500)
    assert "$25 recorded, wins $25" in missed and "<s>$40</s> $65" in missed
    struck = preview(lit, "strike_mistaken_wager", seat=3, wager="big")
    assert "$5 struck: it was not on the layout" in struck and "No longer wins" in struck


def test_it_refuses_what_the_act_refuses(lit):
    assert 'role="alert"' in preview(lit, "correct_dice", 422, dice=[5, 5, 2])
    lit.act("take_losers")
    lit.act("pay_seats", {"seats": [3]})
    refused = preview(lit, "correct_dice", 422, dice=[2, 4, 4])
    assert 'role="alert"' in refused
    assert 'role="alert"' in preview(lit, "shake", 422)
