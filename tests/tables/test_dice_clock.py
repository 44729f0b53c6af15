"""Dice that reach their time: 24 hours, or one calendar month locked in an automated shaker under § 625a.2(b)."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from tables.models import DiceLot, Shaker
from tests.tables.cast import CHAPTER, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

NEW_YORK = ZoneInfo("America/New_York")
A_DAY = dt.timedelta(hours=24)
A_SECOND = dt.timedelta(seconds=1)
BY_THE_DAY = [
    pytest.param("pa-539", "manual", CHAPTER["pa-539"] + "2(b)", marks=clause("PA-539.2(b)")),
    pytest.param("pa-539", "automated-uncovered", CHAPTER["pa-539"] + "2(b)", marks=clause("PA-539.2(b)")),
    pytest.param("pa-625a/A", "manual", CHAPTER["pa-625a/A"] + "2(b)", marks=clause("PA-625a.2(b)-manual")),
    pytest.param("nj-19-47-9", "manual", "House setting"),
]


@pytest.mark.parametrize(("rules", "shaker", "section"), BY_THE_DAY)
def test_it_refuses_the_shake_at_24_hours(hands, rules, shaker, section):
    scene = make_scene(rules, shaker)
    placed = hands.now
    scene.place((1, "small", 2_500))
    scene.until("shake")
    for over in (dt.timedelta(), A_SECOND):
        hands.now = placed + A_DAY + over
        with scene.refused("dice-past-their-time", section) as refusal:
            scene.act("shake", {"shakes": 3})
        assert refusal.value.params == {"lot": "L-0001", "at": "10:00 on 22 Nov"}
    scene.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    scene.act("shake", {"shakes": 3})


@pytest.mark.parametrize(("rules", "shaker", "section"), BY_THE_DAY)
def test_it_takes_the_shake_a_second_before_24_hours_and_finishes_that_round(hands, rules, shaker, section):
    scene = make_scene(rules, shaker)
    hands.now += A_DAY - A_SECOND
    scene.place((1, "small", 2_500))
    scene.until("shake")
    scene.act("shake", {"shakes": 3})
    hands.now += 2 * A_SECOND
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert scene.last_round.phase == "cleared"


@pytest.mark.clause("PA-625a.2(b)-automated")
@pytest.mark.parametrize("shaker", ["automated-covered", "automated-uncovered", "player-activated"])
@pytest.mark.parametrize(
    ("locked", "until"),
    [
        ((2027, 1, 31), (2027, 2, 28)),
        ((2028, 1, 31), (2028, 2, 29)),
        ((2027, 2, 28), (2027, 3, 28)),  # the clocks go forward on 14 March
        ((2026, 12, 15), (2027, 1, 15)),
    ],
)
def test_an_attested_lot_locked_in_an_automated_shaker_has_one_calendar_month(hands, shaker, locked, until):
    hands.now = dt.datetime(*locked, 10, tzinfo=NEW_YORK)
    scene = make_scene("pa-625a/A", shaker)
    limit = dt.datetime(*until, 10, tzinfo=NEW_YORK)
    assert DiceLot.objects.get(code="L-0001").expires_at == limit
    scene.place((1, "small", 2_500))
    scene.until("shake")
    for moment in (limit, limit + A_SECOND):
        hands.now = moment
        with scene.refused("dice-past-their-time", "58 Pa. Code § 625a.2(b)"):
            scene.act("shake")
    # The clock of a table never runs backwards, but a refused act leaves nothing behind.
    hands.now = limit - A_SECOND
    scene.act("shake")


@pytest.mark.clause("PA-625a.2(b)-automated")
def test_a_lot_that_is_not_attested_has_24_hours_in_an_automated_shaker_too(hands):
    scene = make_scene("pa-625a/A", "automated-covered", opened=False)
    DiceLot.objects.create(facility=scene.table.facility, code="L-0009", attested=False)
    scene.act("change_dice_lot", {"lot": "L-0009"}, by="floorperson")
    assert DiceLot.objects.get(code="L-0009").expires_at == hands.now + A_DAY
    assert scene.entry["data"]["attested"] is False


@pytest.mark.clause("PA-625a.2(b)-manual")
def test_an_attested_lot_has_24_hours_in_a_manual_shaker(hands):
    make_scene()
    assert DiceLot.objects.get(code="L-0001").expires_at == hands.now + A_DAY


@pytest.mark.clause("PA-539.2(b)")
def test_a_month_is_unknown_to_chapter_539(hands):
    make_scene("pa-539", "automated-uncovered")
    assert DiceLot.objects.get(code="L-0001").expires_at == hands.now + A_DAY


@pytest.mark.clause("PA-539.2(b)")
def test_closed_hours_count(hands):
    scene = make_scene("pa-539")
    scene.act("close_table", by="floorperson")
    hands.now += A_DAY
    with scene.refused("dice-past-their-time", "58 Pa. Code § 539.2(b)"):
        scene.act("open_table", {"acknowledge_lapsed": True}, by="floorperson")


@pytest.mark.clause("PA-625a.2(b)-manual")
def test_the_clock_of_a_used_lot_does_not_begin_anew(hands, scene):
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    for lot in ("L-0001", "L-0002"):
        with scene.refused("lot-was-used", "58 Pa. Code § 625a.2(b)"):
            scene.act("change_dice_lot", {"lot": lot}, by="floorperson")
    assert DiceLot.objects.get(code="L-0001").removed_at == hands.now


def test_a_round_whose_dice_expired_is_not_stranded(hands, scene):
    scene.place((1, "small", 2_500))
    hands.now += A_DAY
    shown = scene.snapshot
    assert shown["next"]["act"] == "shake"
    assert shown["missing"] == {
        "text": "Dice lot L-0001 reached its time at 10:00 on 22 Nov. Put a new lot in the shaker.",
        "section": "§ 625a.2(b)",
    }
    assert "change_dice_lot" in shown["offers"]
    assert (shown["lot"]["expired"], shown["alerts"][0]["level"]) == (True, "stop")
    scene.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    assert scene.snapshot["missing"] is None
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert (scene.last_round.number, scene.last_round.throws.get().lot.code) == (1, "L-0002")


@pytest.mark.parametrize("phase", ["shaken", "ready", "lit"])
def test_it_leaves_the_dice_in_a_shaker_that_was_shaken(scene, phase):
    scene.place((1, "small", 2_500), (2, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    if phase != "shaken":
        scene.act("no_more_bets")
    if phase == "lit":
        scene.act("call_dice", {"dice": [1, 1, 2]})
    assert scene.round.phase == phase
    with scene.refused("dice-in-play"):
        scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.2(a)-number")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.2(a)-number")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.1-number")),
    ],
)
def test_it_refuses_a_lot_of_other_than_three_dice(rules):
    scene = make_scene(rules)
    DiceLot.objects.create(facility=scene.table.facility, code="L-0010", dice=10)
    with scene.refused("lot-of-other-dice", CHAPTER[rules] + ("1" if rules == "nj-19-47-9" else "2(a)")):
        scene.act("change_dice_lot", {"lot": "L-0010"}, by="floorperson")
    with scene.refused("no-such-lot"):
        scene.act("change_dice_lot", {"lot": "L-9999"}, by="floorperson")


@pytest.mark.clause("PA-539.2(a)-inside", "PA-625a.2(a)-inside")
def test_a_lot_is_bound_to_its_shaker_for_its_life(scene):
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    rows = DiceLot.objects.filter(code__in=("L-0001", "L-0002")).order_by("code")
    assert [(lot.shaker.code, lot.removed_at is None) for lot in rows] == [("S-01", False), ("S-01", True)]


def test_a_change_of_dice_needs_the_floors_signature(scene):
    with scene.refused("floorperson-must-sign"):
        scene.act("change_dice_lot", {"lot": "L-0002"})
    with scene.refused("floorperson-must-sign"):
        scene.act("change_dice_lot", {"lot": "L-0002"}, witness="relief")
    scene.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    assert (scene.entry["actor"], scene.entry["witness"]) == ("dealer", "floorperson")


def test_it_refuses_a_round_without_dice_or_without_a_shaker(scene):
    DiceLot.objects.filter(code="L-0001").update(removed_at=dt.datetime(2026, 11, 21, tzinfo=dt.UTC))
    with scene.refused("no-dice"):
        scene.place((1, "small", 2_500))
    Shaker.objects.update(out_of_order=True)
    with scene.refused("no-shaker"):
        scene.place((1, "small", 2_500))
    assert scene.snapshot["missing"] == {"text": "No working shaker stands at this table.", "section": ""}
