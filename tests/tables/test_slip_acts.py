"""Error Notification Slips at a table: two sign, the old entry is named, both figures stay."""

import datetime as dt

import pytest

from tables.models import Alert, Slip
from tables.screens import table_history
from tests.tables.cast import make_scene
from tests.tables.slip_scene import FLOOR, entry, file, found, play_on, settle, win_change_cents

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleared(scene):
    """Round 1: seat 1 lost $25 on Small, seat 2 won $50 on Big, at 2 5 5. It has ended."""
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    return scene


# What is filed


def test_corrected_dice_settle_the_round_again_and_say_both(cleared):
    named = entry(cleared, "round.settled")
    file(cleared, "dice", dice=[1, 1, 2])
    seq, _, body = entry(cleared, "slip.filed")
    assert (body["actor"], body["witness"]) == ("dealer", FLOOR)
    assert body["terms"] == cleared.last_round.submission.terms_sha256
    data = body["data"]
    assert data["corrects"] == {"seq": named[0], "hash": named[1]}
    assert data["mended"] == {"throw": 1, "before": [2, 5, 5], "after": [1, 1, 2]}
    assert data["before"] == {"taken_cents": 2_500, "paid_cents": 5_000, "returned_cents": 5_000}
    assert [data[name] for name in ("taken_cents", "paid_cents", "returned_cents")] == [5_000, 2_500, 2_500]
    assert [(one["seat"], one["outcome"], one["paid_cents"]) for one in data["settled"]] == [
        (2, "lose", 0),
        (1, "win", 2_500),
    ]
    assert data["due"] == [{"seat": 1, "cents": 5_000}, {"seat": 2, "cents": -10_000}]
    assert (data["slip"], data["played_on"]) == ("ENS-0001", cleared.last_round.gaming_day.isoformat())
    slip = Slip.objects.get()
    assert (slip.code, slip.status, slip.filed_seq) == ("ENS-0001", "filed", seq)
    assert win_change_cents(slip) == 5_000


def test_no_row_that_was_settled_changes_and_the_figures_have_the_slip(cleared):
    before = cleared.last_round
    day = table_history.ended_rounds_part(cleared.fresh, before.gaming_day, 1)["figures"]
    file(cleared, "dice", dice=[1, 1, 2])
    settle(cleared, (1, 5_000), (2, -10_000))
    after = cleared.last_round
    assert {**vars(before), "_state": None} == {**vars(after), "_state": None}
    corrected = table_history.ended_rounds_part(cleared.fresh, before.gaming_day, 1)["figures"]
    assert (day["win_cents"], corrected["win_cents"]) == (-2_500, 2_500)
    assert (day["rounds"], day["handle_cents"]) == (corrected["rounds"], corrected["handle_cents"])
    assert cleared.settled == [(1, "small", "lose", 0, 0), (2, "big", "win", 5_000, 5_000)]


def test_wagers_missed_mistaken_and_of_another_amount_stand_in_one_slip(cleared):
    wagers = [
        {
            "seat": 1,
            "wager": "small",
            "cents": 0,
            "chips": "player",
        },  # nothing lay there, so nothing was taken
        {"seat": 2, "wager": "big", "cents": 6_000},
        {"seat": 3, "wager": "total:12", "cents": 1_000},
    ]
    file(cleared, "wager", wagers=wagers)
    data = entry(cleared, "slip.filed")[2]["data"]
    assert data["mended"]["wagers"] == [
        {"seat": 1, "wager": "small", "before_cents": 2_500, "after_cents": 0, "chips": "player"},
        {"seat": 2, "wager": "big", "before_cents": 5_000, "after_cents": 6_000, "chips": "recorded"},
        {"seat": 3, "wager": "total:12", "before_cents": 0, "after_cents": 1_000, "chips": "recorded"},
    ]
    assert data["due"] == [{"seat": 2, "cents": 1_000}, {"seat": 3, "cents": 6_000}]
    assert (data["taken_cents"], data["paid_cents"]) == (0, 12_000)


def test_a_payment_slip_leaves_the_settlement_and_names_the_entry_that_paid(cleared):
    paying = entry(cleared, "winners.paid")
    file(cleared, "payment", payments=[{"seat": 2, "paid_cents": 2_000, "taken_cents": 0}])
    data = entry(cleared, "slip.filed")[2]["data"]
    assert data["corrects"] == {"seq": paying[0], "hash": paying[1]}
    assert data["due"] == [{"seat": 2, "cents": 3_000}]
    assert data["paid_cents"] == data["before"]["paid_cents"] == 5_000
    slip = Slip.objects.get()
    assert win_change_cents(slip) == 0
    settle(cleared, (2, 3_000))
    assert Slip.objects.get().handed_over == [{"seat": 2, "cents": 3_000}]


def test_a_void_returns_everything(cleared):
    file(cleared, "void", witness="pit-manager")
    data = entry(cleared, "slip.filed")[2]["data"]
    assert data["ending"] == "void"
    assert {(line["outcome"], line["paid_cents"], line["returned_cents"]) for line in data["settled"]} == {
        ("return", 0, 2_500),
        ("return", 0, 5_000),
    }
    assert data["due"] == [{"seat": 1, "cents": 2_500}, {"seat": 2, "cents": -5_000}]
    with cleared.refused("slip-nothing-to-undo"):
        file(cleared, "void", witness="pit-manager", corrects=1)


def test_a_slip_that_moves_nothing_is_settled_by_its_filing(cleared):
    file(cleared, "dice", dice=[3, 5, 5])
    slip = Slip.objects.get()
    assert (slip.status, slip.due, slip.settled_seq) == ("settled", [], slip.filed_seq)
    assert not Alert.objects.exists()
    with cleared.refused("slip-settled-already"):
        settle(cleared, (1, 100))


def test_a_second_slip_builds_on_the_first_and_names_it(cleared):
    file(cleared, "dice", dice=[1, 1, 2])
    first = entry(cleared, "slip.filed")
    file(cleared, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 5_000}])
    data = entry(cleared, "slip.filed")[2]["data"]
    assert data["slip"] == "ENS-0002"
    assert data["corrects"] == {"seq": first[0], "hash": first[1]}
    assert data["throws"] == [{"throw": 1, "dice": [1, 1, 2]}]
    assert data["before"] == {"taken_cents": 5_000, "paid_cents": 2_500, "returned_cents": 2_500}
    assert data["due"] == [{"seat": 1, "cents": 2_500}]


def test_a_wrong_void_is_corrected_by_the_dice_on_the_layout(cleared):
    file(cleared, "void", witness="pit-manager")
    with cleared.refused("slip-is-void"):
        file(cleared, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 100}])
    file(cleared, "dice", dice=[2, 5, 5])
    data = entry(cleared, "slip.filed")[2]["data"]
    assert (data["ending"], data["taken_cents"], data["paid_cents"]) == ("settled", 2_500, 5_000)
    assert data["due"] == [{"seat": 1, "cents": -2_500}, {"seat": 2, "cents": 5_000}]


def test_a_slip_filed_a_week_later_says_both_days_and_needs_no_open_table(hands):
    scene = make_scene()
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    scene.close()
    hands.now += dt.timedelta(days=7)
    file(scene, "dice", dice=[1, 1, 2], by=FLOOR, witness="dealer")
    _, _, body = entry(scene, "slip.filed")
    assert (body["data"]["played_on"], body["gaming_day"]) == ("2026-11-21", "2026-11-28")
    assert Slip.objects.get().gaming_day.isoformat() == "2026-11-28"


def test_dice_corrected_before_money_moved_are_what_a_slip_builds_on(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.act("correct_dice", {"dice": [1, 1, 2], "reason": "x"}, witness=FLOOR)
    scene.finish()
    named = entry(scene, "dice.corrected")
    file(scene, "dice", dice=[6, 6, 5])
    data = entry(scene, "slip.filed")[2]["data"]
    assert data["corrects"]["seq"] == named[0]
    assert data["due"] == [{"seat": 1, "cents": -5_000}]


# Other games


def test_a_football_throw_is_corrected_if_the_game_continues_in_the_same_way():
    scene = make_scene("pa-577")
    scene.act("offer_dice", {"seat": 1, "accepted": True})
    scene.place((1, "touchdown", 1_000), (1, "penalty", 1_000, 1))
    play_on(scene, [6, 6, 1], [6, 6, 1])  # 11 yards each: a touchdown on the second throw
    assert scene.last_round.ending == "touchdown"
    file(
        scene, "dice", dice=[5, 6, 1], throw=1
    )  # 10 yards: still short of the line, and over it with the second
    data = entry(scene, "slip.filed")[2]["data"]
    assert data["throws"] == [{"throw": 1, "dice": [5, 6, 1]}, {"throw": 2, "dice": [6, 6, 1]}]
    assert data["due"] == []
    with scene.refused("slip-another-course"):
        file(scene, "dice", dice=[2, 2, 2], throw=1)  # would have ended the game at once
    with scene.refused("slip-another-course"):
        file(scene, "wager", wagers=[{"seat": 1, "wager": "extra-point", "cents": 1_000}])
    file(scene, "wager", wagers=[{"seat": 1, "wager": "penalty", "play": 2, "cents": 1_000}])
    assert entry(scene, "slip.filed")[2]["data"]["due"] == [{"seat": 1, "cents": -1_000}]


def test_all_of_high_roll_is_settled_again_under_its_own_rules():
    scene = make_scene("pa-675a")
    scene.place((1, "pip:6", 1_000), (1, "like-kind:3", 1_000), (1, "extra-roll", 1_000))
    roll = [6, 6, 6, 1, 1, 2, 2, 3, 4, 5]
    scene.until("call_dice")
    scene.act("call_dice", {"dice": roll})
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 2, 3, 4, 5, 1, 2]})
    scene.finish()
    before = (scene.last_round.taken_cents, scene.last_round.paid_cents)
    with scene.refused("slip-another-course"):
        file(scene, "dice", throw=1, dice=[6, 6, 6, 6, 1, 2, 2, 3, 4, 5])  # four held: six dice thrown again
    with scene.refused("unequal-wagers"):
        file(scene, "wager", wagers=[{"seat": 1, "wager": "pip:6", "cents": 2_000}])
    file(scene, "dice", throw=1, dice=[5, 5, 5, 1, 1, 2, 2, 3, 4, 6])
    data = entry(scene, "slip.filed")[2]["data"]
    assert (data["before"]["taken_cents"], data["before"]["paid_cents"]) == before
    assert [line["outcome"] for line in data["settled"]] == ["fee", "lose", "win"]
    pip = next(line for line in found(scene, kind="void").lines_before if line["wager"] == "pip:6")
    assert pip["outcome"] == "lose"
    assert data["due"][0]["cents"] == -(1_000 + before[1] - data["paid_cents"])


def test_a_round_settled_manually_and_recorded_later_takes_a_slip(scene):
    scene.settle_by_hand(dice=[2, 5, 5], wagers=[{"seat": 1, "wager": "small", "cents": 2_500}])
    file(scene, "dice", dice=[1, 1, 2])
    assert entry(scene, "slip.filed")[2]["data"]["due"] == [{"seat": 1, "cents": 5_000}]
