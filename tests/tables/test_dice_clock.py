"""Dice that reach their time: 24 hours, or one calendar month locked in an automated shaker under § 625a.2(b)."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from tables.demo.seeding import make_lot
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
    pytest.param("pa-675a", None, CHAPTER["pa-675a"] + "3(b)(1)", marks=clause("PA-675a.3(b)(1)-24h")),
    pytest.param("pa-675a.6", None, CHAPTER["pa-675a.6"] + "3(b)(1)"),
    pytest.param("pa-577", None, CHAPTER["pa-577"] + "4(d)", marks=clause("PA-577.4(d)-24h")),
]
WAGERS = {"high-roll": (1, "pip:2", 1_000), "football": (5, "touchdown", 500)}


def to_the_shake(scene):
    """A round up to the shake or the throw; what throws its dice, as an act and its parameters."""
    scene.place(WAGERS.get(scene.table.game, (1, "small", 2_500)))
    while (following := scene.snapshot["next"])["act"] not in ("shake", "throw_dice"):
        params = {"seat": 5, "accepted": True} if following["act"] == "offer_dice" else following["params"]
        scene.act(following["act"], params)
    return following["act"], following["params"]


def change(scene, lot, **how):
    """Another lot into the shaker, sealed, with the floor's signature."""
    how = how or {"witness": "floorperson"}
    return scene.act("change_dice_lot", {"lot": lot, "seal": "SEAL-2"}, **how)


@pytest.mark.parametrize(("rules", "shaker", "section"), BY_THE_DAY)
def test_it_refuses_the_shake_at_24_hours(hands, rules, shaker, section):
    scene = make_scene(rules, shaker)
    placed = hands.now
    throw = to_the_shake(scene)
    for over in (dt.timedelta(), A_SECOND):
        hands.now = placed + A_DAY + over
        with scene.refused("dice-past-their-time", section) as refusal:
            scene.act(*throw)
        assert refusal.value.params == {"lot": "L-0001", "at": "10:00 on 22 Nov"}
    change(scene, "L-0002")
    scene.act(*throw)


@pytest.mark.parametrize(("rules", "shaker", "section"), BY_THE_DAY)
def test_it_takes_the_shake_a_second_before_24_hours(hands, rules, shaker, section):
    scene = make_scene(rules, shaker)
    hands.now += A_DAY - A_SECOND
    throw = to_the_shake(scene)
    scene.act(*throw)
    assert DiceLot.objects.get(code="L-0001").clock_section == section
    hands.now += 2 * A_SECOND
    assert scene.snapshot["lot"]["expired"]


@pytest.mark.parametrize(("rules", "shaker", "section"), BY_THE_DAY[:4])
def test_dice_that_were_shaken_in_time_finish_their_round(hands, rules, shaker, section):
    scene = make_scene(rules, shaker)
    hands.now += A_DAY - A_SECOND
    scene.act(*to_the_shake(scene))
    hands.now += 2 * A_SECOND
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert scene.last_round.phase == "cleared"


@pytest.mark.clause("PA-625a.2(b)-manual")
@pytest.mark.parametrize(
    ("placed", "until"),
    [
        ((2026, 10, 31), "2026-11-01 09:00 EST"),  # the clocks go back in the night
        ((2027, 3, 13), "2027-03-14 11:00 EDT"),  # and forward
        ((2028, 2, 28), "2028-02-29 10:00 EST"),
    ],
)
def test_24_hours_are_24_hours_whatever_the_clocks_on_the_wall_do(hands, placed, until):
    hands.now = dt.datetime(*placed, 10, tzinfo=NEW_YORK)
    scene = make_scene()
    lot = DiceLot.objects.get(code="L-0001")
    assert lot.expires_at - lot.placed_at == A_DAY
    assert lot.expires_at.astimezone(NEW_YORK).strftime("%Y-%m-%d %H:%M %Z") == until
    hands.now = (lot.expires_at - A_SECOND).astimezone(dt.UTC)
    scene.act(*to_the_shake(scene))


@pytest.mark.clause("PA-625a.2(b)-automated")
@pytest.mark.parametrize("shaker", ["automated-covered", "automated-uncovered", "player-activated"])
@pytest.mark.parametrize(
    ("locked", "until"),
    [
        ((2027, 1, 31), (2027, 2, 28)),
        ((2028, 1, 31), (2028, 2, 29)),
        ((2027, 1, 29), (2027, 2, 28)),
        ((2028, 2, 29), (2028, 3, 29)),
        ((2027, 3, 31), (2027, 4, 30)),
        ((2027, 2, 28), (2027, 3, 28)),  # the clocks go forward on 14 March
        ((2026, 10, 15), (2026, 11, 15)),  # and back on 1 November
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
@pytest.mark.parametrize(
    ("locked", "until"),
    [
        # 02:30 is left out in the night of 14 March, and 01:30 comes twice in that of 1 November: the first one.
        ((2027, 2, 14, 2, 30), dt.datetime(2027, 3, 14, 7, 30, tzinfo=dt.UTC)),
        ((2026, 10, 1, 1, 30), dt.datetime(2026, 11, 1, 5, 30, tzinfo=dt.UTC)),
    ],
)
def test_a_month_that_ends_while_the_clocks_change_ends_once(hands, locked, until):
    hands.now = dt.datetime(*locked, tzinfo=NEW_YORK)
    make_scene("pa-625a/A", "automated-covered")
    assert DiceLot.objects.get(code="L-0001").expires_at == until


@pytest.mark.clause("PA-625a.2(b)-automated")
def test_an_unlocking_on_the_first_day_leaves_the_24_hours(hands):
    hands.now = dt.datetime(2027, 1, 31, 10, tzinfo=NEW_YORK)
    scene = make_scene("pa-625a/A", "automated-covered")
    hands.now += dt.timedelta(hours=3)
    with scene.refused("floorperson-must-sign"):
        scene.act("unlock_shaker", {"why": "a die stuck"})
    scene.act("unlock_shaker", {"why": "a die stuck"}, witness="floorperson")
    limit = dt.datetime(2027, 2, 1, 15, tzinfo=dt.UTC)
    assert scene.entry["data"]["expires_at"] == "2027-02-01T15:00:00.000000Z"
    hands.now = limit - A_SECOND
    throw = to_the_shake(scene)
    hands.now = limit
    with scene.refused("dice-past-their-time", "58 Pa. Code § 625a.2(b)"):
        scene.act(*throw)


@pytest.mark.clause("PA-625a.2(b)-automated")
def test_an_unlocking_later_in_the_month_ends_it_at_once(hands):
    scene = make_scene("pa-625a/A", "automated-covered")
    hands.now += dt.timedelta(days=10)
    throw = to_the_shake(scene)
    scene.act("unlock_shaker", {"why": "a die stuck"}, by="floorperson")
    with scene.refused("dice-past-their-time", "58 Pa. Code § 625a.2(b)"):
        scene.act(*throw)


@pytest.mark.clause("PA-625a.2(b)-automated")
def test_an_unlocking_never_gives_dice_more_time(hands):
    scene = make_scene("pa-625a/A", "automated-covered")
    limit = DiceLot.objects.get(code="L-0001").expires_at
    hands.now = limit - A_SECOND
    scene.act("unlock_shaker", {"why": "a die stuck"}, by="floorperson")
    assert DiceLot.objects.get(code="L-0001").expires_at < limit


@pytest.mark.parametrize(("rules", "shaker"), [("pa-625a/A", "manual"), ("pa-539", "automated-uncovered")])
def test_only_a_shaker_that_has_a_month_can_end_it(rules, shaker):
    scene = make_scene(rules, shaker)
    with scene.refused("shaker-has-no-month"):
        scene.act("unlock_shaker", {"why": "a die stuck"}, by="floorperson")


@pytest.mark.clause("PA-625a.2(b)-automated")
def test_a_lot_that_is_not_attested_has_24_hours_in_an_automated_shaker_too(hands):
    scene = make_scene("pa-625a/A", "automated-covered", opened=False)
    make_lot(scene.table, "L-0009", attested=False)
    scene.staff()
    change(scene, "L-0009")
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
    scene.close(dice="stay")
    hands.now += A_DAY
    scene.inspect()
    with scene.refused("dice-past-their-time", "58 Pa. Code § 539.2(b)"):
        scene.open()


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
        "code": "dice-past-their-time",
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
    ("rules", "section"),
    [
        pytest.param("pa-539", "2(a)", marks=clause("PA-539.2(a)-number")),
        pytest.param("pa-625a/A", "2(a)", marks=clause("PA-625a.2(a)-number")),
        pytest.param("nj-19-47-9", "1", marks=clause("NJ-19:47-9.1-number")),
    ],
)
def test_it_refuses_a_lot_of_other_than_three_dice(rules, section):
    scene = make_scene(rules)
    lot = make_lot(scene.table, "L-0010")
    lot.dice = 10
    lot.save()
    with scene.refused("lot-of-other-dice", CHAPTER[rules] + section):
        change(scene, "L-0010")
    with scene.refused("no-such-lot"):
        change(scene, "L-9999")


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
    scene.act("withdraw_dice", {"why": "marked"})
    with scene.refused("no-dice"):
        scene.place((1, "small", 2_500))
    Shaker.objects.update(out_of_order=True)
    with scene.refused("no-shaker"):
        scene.place((1, "small", 2_500))
    assert scene.snapshot["missing"]["text"] == "There is no working shaker at this table."
