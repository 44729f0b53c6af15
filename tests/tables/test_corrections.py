"""Mistakes are corrected until the first payment: the floor signs, and both values stay."""

import pytest

from games.params import Params
from tables.core.context import locked_table
from tables.corrections.before_money import preview
from tables.models import Settlement, Wager
from tables.runner.table import system_context
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db

MENDINGS = [
    ("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}),
    ("record_missed_wager", {"seat": 3, "wager": "total:12", "cents": 1_000, "reason": "under a hand"}),
    ("strike_mistaken_wager", {"seat": 1, "wager": "small", "reason": "seat 2 meant"}),
]
ON_255 = [(1, "small", "lose", 0, 0), (2, "big", "win", 5_000, 5_000)]


@pytest.fixture
def lit(scene):
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    return scene


def rows(revision):
    settlements = Settlement.objects.filter(throw__revision=revision).order_by("place")
    return [
        (
            settlement.wager.seat,
            settlement.wager.code,
            settlement.outcome,
            settlement.cents,
            settlement.paid_cents,
        )
        for settlement in settlements
    ]


def test_corrected_dice_light_and_settle_anew_and_leave_the_old_settlement(lit):
    before = rows(1)
    lit.act("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}, witness="floorperson")
    assert rows(1) == before == [(1, "small", "lose", 2_500, 0), (2, "big", "win", 5_000, 5_000)]
    assert rows(2) == [(2, "big", "lose", 5_000, 0), (1, "small", "win", 2_500, 2_500)]
    assert [throw.dice for throw in lit.round.throws.order_by("revision")] == [[2, 5, 5], [1, 1, 2]]
    said = lit.entry
    assert (said["_type"], said["actor"], said["witness"], said["data"]["revision"]) == (
        "dice.corrected",
        "dealer",
        "floorperson",
        2,
    )
    assert said["data"]["mended"] == {"before": [2, 5, 5], "after": [1, 1, 2], "reason": "misread"}
    shown = lit.snapshot["round"]
    assert (shown["dice"], shown["take"]["cents"], shown["pay"]["cents"]) == ([1, 1, 2], 5_000, 2_500)
    assert "small" in shown["lit"] and "big" not in shown["lit"]
    lit.finish()
    assert (lit.last_round.taken_cents, lit.last_round.paid_cents) == (5_000, 2_500)


def test_a_correction_after_the_taking_asks_for_the_losers_again(lit):
    lit.act("take_losers")
    lit.act("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}, witness="floorperson")
    assert lit.round.phase == "lit"


def test_the_same_dice_are_no_correction(lit):
    with lit.refused("dice-unchanged"):
        lit.act("correct_dice", {"dice": [5, 5, 2], "reason": "order"}, witness="floorperson")


def test_a_missed_wager_settles_with_the_rest(lit):
    lit.act(
        "record_missed_wager",
        {"seat": 3, "wager": "total:12", "cents": 1_000, "reason": "under a hand"},
        witness="floorperson",
    )
    assert rows(1) == [(1, "small", "lose", 2_500, 0), (2, "big", "win", 5_000, 5_000)]
    assert rows(2) == [
        (1, "small", "lose", 2_500, 0),
        (2, "big", "win", 5_000, 5_000),
        (3, "total:12", "win", 1_000, 6_000),
    ]
    assert lit.entry["data"]["mended"] == {
        "seat": 3,
        "wager": "total:12",
        "before_cents": 0,
        "after_cents": 1_000,
        "made_in": "chips",
        "flag": "",
        "reason": "under a hand",
    }
    assert Wager.objects.get(seat=3).missed and lit.round.wagered_cents == 8_500


def test_a_wager_entered_too_low_keeps_both_values(lit):
    lit.act(
        "record_missed_wager",
        {"seat": 2, "wager": "big", "cents": 200_000, "reason": "a stack behind"},
        witness="floorperson",
    )
    assert (rows(1)[1][3], rows(2)[1][3:]) == (5_000, (200_000, 200_000))
    said = lit.entry["data"]["mended"]
    assert (said["before_cents"], said["after_cents"], said["flag"]) == (5_000, 200_000, "over-max")
    with lit.refused("wager-unchanged"):
        lit.act(
            "record_missed_wager",
            {"seat": 2, "wager": "big", "cents": 200_000, "reason": "again"},
            witness="floorperson",
        )


def test_a_struck_wager_stays_as_a_struck_row_and_is_settled_no_more(lit):
    lit.act(
        "strike_mistaken_wager",
        {"seat": 1, "wager": "small", "reason": "seat 2 meant"},
        witness="floorperson",
    )
    assert rows(2) == [(2, "big", "win", 5_000, 5_000)]
    struck = Wager.objects.get(seat=1)
    assert (struck.struck, struck.cents) == (True, 2_500)
    assert lit.entry["data"]["mended"] == {
        "seat": 1,
        "wager": "small",
        "before_cents": 2_500,
        "after_cents": 0,
        "reason": "seat 2 meant",
    }
    assert lit.snapshot["round"]["wagers"][0]["struck"] is True
    assert (lit.round.phase, lit.round.taken_cents, lit.round.wagered_cents) == ("taken", 0, 5_000)
    with lit.refused("nothing-to-strike"):
        lit.act(
            "strike_mistaken_wager", {"seat": 1, "wager": "small", "reason": "twice"}, witness="floorperson"
        )
    lit.act(
        "record_missed_wager",
        {"seat": 1, "wager": "small", "cents": 1_000, "reason": "it lay there"},
        witness="floorperson",
    )
    assert rows(3) == [(1, "small", "lose", 1_000, 0), (2, "big", "win", 5_000, 5_000)]


@pytest.mark.parametrize(("act", "params"), MENDINGS)
@pytest.mark.parametrize(
    "witness", [None, "relief", "stickperson", "surveillance", "gaming-agent", "security"]
)
def test_a_correction_needs_a_floorpersons_own_sign_in(lit, act, params, witness):
    with lit.refused("floorperson-must-sign"):
        lit.act(act, params, witness=witness)
    assert lit.round.throws.count() == 1


@pytest.mark.parametrize(("act", "params"), MENDINGS)
def test_a_floorperson_of_another_pit_does_not_sign_here(lit, act, params):
    with lit.refused("witness-not-assigned"):
        lit.act(act, params, witness="other-floorperson")


@pytest.mark.parametrize(("act", "params"), MENDINGS)
def test_a_floorperson_alone_raises_no_payout_once_the_dice_are_known(lit, act, params):
    with lit.refused("raise-needs-two"):
        lit.act(act, params, by="floorperson", device=lit.podium)
    lit.act(act, params, by="floorperson", device=lit.podium, witness="dealer")
    assert (lit.entry["actor"], lit.entry["witness"]) == ("floorperson", "dealer")


def test_a_floorperson_corrects_at_the_podium_alone_where_nothing_is_paid_for_it():
    scene = make_scene("nj-19-47-9")  # the shake follows no more bets
    scene.place((1, "small", 2_500))
    scene.to_closed_bets()
    missed = {"seat": 3, "wager": "big", "cents": 1_000, "reason": "under a hand"}
    scene.act("record_missed_wager", missed, by="floorperson", device=scene.podium)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    struck = {"seat": 3, "wager": "big", "reason": "seat 4 meant"}
    scene.act("strike_mistaken_wager", struck, by="floorperson", device=scene.podium)
    assert (scene.entry["actor"], scene.entry["witness"]) == ("floorperson", None)


@pytest.mark.parametrize(("act", "params"), MENDINGS[1:])
def test_from_the_shake_on_two_people_sign_though_no_dice_are_called(scene, act, params):
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    with scene.refused("raise-needs-two"):
        scene.act(act, params, by="floorperson", device=scene.podium)
    scene.act(act, params, by="floorperson", device=scene.podium, witness="dealer")
    assert scene.entry["data"]["mended"]["uncalled"] is True


def test_the_preview_refuses_to_free_a_large_stake_before_the_call(scene):
    scene.place((1, "small", 500_000))
    scene.to_the_dice()
    strike = Params({"seat": 1, "wager": "small", "reason": "mistake"})
    with scene.refused("correct-by-slip"):
        preview(system_context(locked_table("larkfield", "T-01")), "strike_mistaken_wager", strike)


@pytest.mark.parametrize(("act", "params"), MENDINGS)
def test_it_refuses_a_correction_after_the_first_payment(scene, act, params):
    scene.play((1, "small", 2_500), (2, "big", 5_000), (3, "big", 1_000), dice=[2, 5, 5])
    scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    with scene.refused("money-has-moved"):
        scene.act(act, params, witness="floorperson")
    scene.act("pay_seats")
    with scene.refused("money-has-moved"):
        scene.act(act, params, witness="floorperson")
    assert rows(1) == [
        (1, "small", "lose", 2_500, 0),
        (2, "big", "win", 5_000, 5_000),
        (3, "big", "win", 1_000, 1_000),
    ]


def test_dice_by_which_nobody_won_are_corrected_until_the_layout_is_cleared(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    assert scene.round.phase == "paid"
    scene.act("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}, witness="floorperson")
    assert (scene.settled, scene.round.phase) == ([(1, "small", "win", 2_500, 2_500)], "taken")
    scene.finish()
    assert scene.last_round.paid_cents == 2_500


@pytest.mark.parametrize(("act", "params"), MENDINGS)
def test_there_is_nothing_to_correct_while_bets_are_open(scene, act, params):
    scene.place((1, "small", 2_500))
    with scene.refused("no-dice-yet" if act == "correct_dice" else "bets-still-open"):
        scene.act(act, params, witness="floorperson")


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A", "nj-19-47-9"])
def test_wagers_are_corrected_between_no_more_bets_and_the_dice(rules):
    scene = make_scene(rules)
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    scene.to_closed_bets()
    scene.act(
        "record_missed_wager",
        {"seat": 3, "wager": "big", "cents": 1_000, "reason": "late entry"},
        witness="floorperson",
    )
    scene.act(
        "strike_mistaken_wager", {"seat": 1, "wager": "small", "reason": "not there"}, witness="floorperson"
    )
    assert (scene.round.wagered_cents, scene.entry["data"]["wagered_cents"]) == (6_000, 6_000)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert scene.settled == [(2, "big", "win", 5_000, 5_000), (3, "big", "win", 1_000, 1_000)]


@pytest.mark.parametrize(
    "change", [{"wager": "total:3"}, {"cents": 0}, {"seat": 9}, {"made_in": "cash"}, {"reason": ""}]
)
def test_a_missed_wager_is_a_wager_like_any_other(lit, change):
    params = {"seat": 3, "wager": "big", "cents": 1_000, "reason": "late entry", **change}
    from games.engine import Refusal

    with pytest.raises(Refusal):
        lit.act("record_missed_wager", params, witness="floorperson")
    assert lit.settled == ON_255
