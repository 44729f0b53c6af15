"""A game of Three Dice Football at a table: the Quarterback, the plays, the extra point, two dealers and a stick."""

import datetime as dt
import io
import json

import pytest

from audit import export, verify
from audit.models import Entry
from audit.runner import Stale
from games.adjudication import adjudicate
from tables.models import DiceLot, Settlement, Table, Throw
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

FULL = [
    (2, "touchdown", 500), (5, "touchdown", 500), (6, "defense", 500), (5, "extra-point", 500),
    (3, "game-length:2", 500), (8, "game-changer", 500), (5, "quick-strike", 500),
]  # fmt: skip
GAIN_OF_10, GAIN_OF_11 = [6, 5, 1], [6, 6, 1]  # from the 20 to the 10, and over the line


@pytest.fixture
def table():
    return make_scene("pa-577")


def begin(table, *wagers):
    """The wagers, and the dice offered around until seat 5 takes them."""
    table.place(*wagers)
    while (seat := table.snapshot["round"]["game"]["offer"]["next"]) != 5:
        table.act("offer_dice", {"seat": seat, "accepted": False}, by="stickperson")
    table.act("offer_dice", {"seat": 5, "accepted": True}, by="stickperson")


def throw(table, dice):
    table.act("throw_dice", by="stickperson")
    table.act("call_dice", {"dice": dice}, by="stickperson")


def settle(table):
    while table.round.phase == "lit":
        table.act("settle_seats")


def touchdown(table):
    begin(table, *FULL)
    throw(table, GAIN_OF_10)
    table.place((6, "big-play", 500, 2), (6, "under-four", 500, 2))
    throw(table, GAIN_OF_11)


@clause("PA-577.4(b)-first", "PA-577.4(b)-next", "PA-577.4(c)-quarterback", "PA-577.4(c)-select")
def test_the_dice_go_clockwise_and_every_offer_is_recorded_by_seat(table):
    table.place((2, "touchdown", 500), (5, "touchdown", 500))
    with table.refused("no-quarterback", "58 Pa. Code § 577.4(c)"):
        table.act("throw_dice")
    with table.refused("offer-in-turn"):
        table.act("offer_dice", {"seat": 5, "accepted": True})
    table.act("offer_dice", {"seat": 2, "accepted": False}, by="stickperson")
    assert table.entry["data"] | {"lot": ""} == {"round": 1, "seat": 2, "accepted": False, "lot": ""}
    assert table.snapshot["next"] | {"say": ""} == {
        "act": "offer_dice",
        "label": "Offer the dice",
        "say": "",
        "params": {"seat": 5, "accepted": True},
        "dice": None,
    }
    table.act("offer_dice", {"seat": 5, "accepted": True}, by="stickperson")
    assert (table.round.quarterback, table.snapshot["round"]["game"]["quarterback"]) == (5, 5)
    assert table.entry["data"]["chosen"] == {"green": 2, "red": 1}


@clause("PA-577.4(d)-24h", "PA-577.4(a)-standard")
def test_no_throw_is_made_with_a_set_that_is_a_day_old_or_not_attested(hands):
    table = make_scene("pa-577")
    begin(table, *FULL)
    hands.now += dt.timedelta(hours=24)
    with table.refused("dice-past-their-time", "58 Pa. Code § 577.4(d)"):
        table.act("throw_dice")
    DiceLot.objects.filter(code="L-0002").update(attested=False)
    with table.refused("dice-not-attested", "58 Pa. Code § 577.4(a)"):
        table.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    table.act("change_dice_lot", {"lot": "L-0003"}, by="floorperson")
    throw(table, GAIN_OF_10)


@clause("PA-577.6(b)-first")
def test_a_game_does_not_begin_while_its_quarterback_has_no_wager(table):
    table.place((2, "touchdown", 500))
    table.act("offer_dice", {"seat": 2, "accepted": False})
    table.act("offer_dice", {"seat": 5, "accepted": True})
    with table.refused("quarterback-sits-out", "58 Pa. Code § 577.6(b)"):
        table.act("throw_dice")
    table.place((5, "no-gain", 500, 1))
    throw(table, GAIN_OF_10)


@clause("PA-577.3(c)-before", "PA-577.3(c)-locked", "PA-577.3(e)-timing", "PA-577.6(b)-later")
def test_full_game_wagers_lock_at_the_first_throw_even_a_void_one(table):
    begin(table, *FULL)
    table.act("throw_dice")
    with table.refused("closed-by-the-throw"):
        table.place((1, "penalty", 500, 1))
    table.act("call_no_roll", {"reason": "short-of-the-end"})
    for line in ((2, "touchdown", 1_000), (2, "touchdown", 0), (9, "defense", 500)):
        with table.refused("full-game-locked", "58 Pa. Code § 577.3(c)"):
            table.place(line)
    table.place((1, "penalty", 500, 1))
    assert table.round.phase == "open"


@clause("PA-577.5(c)", "PA-577.5(c)(2)")
def test_a_no_roll_is_recorded_with_its_reason_and_decides_nothing(table):
    begin(table, *FULL)
    table.act("throw_dice")
    table.act("call_no_roll", {"reason": "short-of-the-end"}, by="stickperson")
    said = table.entry
    assert (said["_type"], said["actor"]) == ("throw.no_roll", "stickperson")
    assert (said["data"]["reason"], said["data"]["section"]) == (
        "short-of-the-end",
        "58 Pa. Code § 577.5(c)(2)",
    )
    assert (Settlement.objects.count(), table.snapshot["round"]["game"]["play"]) == (0, 1)


@clause(
    "PA-577.6(f)(1)-defense", "PA-577.6(f)(1)-others", "PA-577.6(f)(1)-extra-roll", "PA-577.6(f)(1)-finish"
)
def test_a_touchdown_settles_in_its_steps_around_the_extra_point_roll(table):
    touchdown(table)
    steps = []
    while table.round.phase == "lit":
        now = next(step for step in table.snapshot["round"]["settle"]["steps"] if step["state"] == "now")
        steps.append(
            (now["label"], [(seat["seat"], seat["take_cents"], seat["pay_cents"]) for seat in now["seats"]])
        )
        table.act("settle_seats")
    assert steps == [
        ("Collect Defense", [(6, 500, 0)]),
        ("Single play", [(6, 500, 2_000)]),
        ("Full game", [(3, 0, 11_000), (5, 0, 2_500), (8, 500, 0)]),
    ]
    assert (table.round.phase, table.snapshot["next"]["act"]) == ("point", "throw_dice")
    with table.refused("extra-point-next"):
        table.place((1, "penalty", 500, 3))
    throw(table, [1, 4, 1])
    assert table.settled == [
        (2, "touchdown", "win", 500, 500),
        (5, "touchdown", "win", 500, 500),
        (5, "extra-point", "win", 5_000, 500),
    ]
    settle(table)
    table.finish()
    ended = table.last_round
    assert (ended.ending, ended.last_throw) == ("touchdown", 3)
    assert (ended.taken_cents, ended.paid_cents) == (1_500, 2_000 + 11_000 + 2_500 + 500 + 500 + 5_000)


@clause("PA-577.5(h)-settle")
def test_two_dealers_settle_their_halves_at_once_and_the_second_opens_what_follows(table):
    begin(table, (5, "touchdown", 500), (2, "no-gain", 500, 1), (12, "over-four", 500, 1))
    throw(table, GAIN_OF_10)
    seen = table.version
    table.act("settle_seats", {"seats": [12]}, by="relief", seen=seen)
    assert (table.round.phase, table.round.paid_seats) == ("lit", [12])
    table.act("settle_seats", {"seats": [2]}, seen=seen)
    assert (table.round.phase, table.round.paid_seats) == ("open", [])


def test_a_seat_of_a_step_that_is_settled_is_not_settled_in_the_next_step(table):
    touchdown(table)
    seen = table.version
    table.act("settle_seats", {"seats": [6]}, seen=seen)
    with pytest.raises(Stale):
        table.act("settle_seats", {"seats": [6]}, by="relief", seen=seen)
    assert table.round.paid_seats == []


@clause("PA-577.7(a)-retain", "PA-577.7(a)-offer", "PA-577.1-quarterback", "PA-577.6(c)(4)-announce")
def test_the_quarterback_keeps_the_dice_after_a_score_and_loses_them_to_the_defense(table):
    touchdown(table)
    settle(table)
    throw(table, [2, 3, 4])
    settle(table)
    table.finish()
    table.place((5, "touchdown", 500))
    assert table.round.quarterback == 5
    throw(table, [1, 1, 6])
    assert table.entry["_type"] == "round.settled"
    assert (table.entry["data"]["announced"], table.entry["data"]["called"]) == (True, {"code": "turnover"})
    settle(table)
    table.finish()
    assert table.last_round.ending == "turnover"
    table.place((5, "touchdown", 500))
    assert table.snapshot["round"]["game"]["offer"] == {
        "next": 6,
        "last": 5,
    }  # who sits this game out is asked too
    assert table.round.quarterback is None


@clause("PA-577.9(b)-stick", "PA-577.1-stickperson", "PA-577.4(a)-control")
def test_two_dealers_and_a_stickperson_stand_at_their_posts(table):
    people = table.snapshot["people"]
    assert [people[post]["code"] for post in ("dealer", "dealer_left", "stickperson")] == [
        "dealer",
        "relief",
        "stickperson",
    ]
    with table.refused("post-of-another"):
        table.act("take_over_table", {"post": "dealer"}, by="stickperson")
    for by in ("dealer", "relief", "stickperson"):
        with table.refused("post-left-empty", "58 Pa. Code § 577.9(b)"):
            table.act("leave_table", by=by)
    table.close()
    table.act("leave_table", by="relief")
    assert table.snapshot["people"]["dealer_left"] is None


def test_a_stickperson_has_no_work_at_another_game():
    scene = make_scene("pa-675a")
    with scene.refused("role-may-not"):
        scene.act("take_over_table", by="stickperson")


@clause("PA-577.4(d)-reopen", "PA-577.4(a)-set")
def test_a_reopened_table_wants_a_new_set_of_dice(table):
    table.close(dice="stay")
    assert (table.entry["data"]["removed"], table.entry["data"]["stays"]) == ("L-0001", None)
    with table.refused("no-dice", "58 Pa. Code § 577.4(a)"):
        table.inspect()
    with table.refused("lot-was-used"):
        table.act("change_dice_lot", {"lot": "L-0001"}, by="floorperson")
    table.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson", device=table.podium)
    table.inspect()
    table.open()
    assert Table.objects.get(pk=table.table.pk).status == "open"


@clause("PA-577.4(d)-lost", "PA-577.4(d)-tampered")
@pytest.mark.parametrize("why", ["lost", "marked", "chipped", "scratched", "tampered", "unsuitable"])
def test_dice_that_are_lost_or_unfit_leave_and_nothing_is_thrown_until_a_new_set_is_there(table, why):
    begin(table, *FULL)
    table.act("throw_dice")
    with table.refused("dice-in-play"):
        table.act("withdraw_dice", {"why": why})
    table.act("call_no_roll", {"reason": "off-table"})
    table.act("withdraw_dice", {"why": why}, by="stickperson")
    assert (table.entry["data"]["lot"], table.entry["data"]["why"]) == ("L-0001", why)
    with table.refused("no-dice"):
        table.act("throw_dice")
    assert table.snapshot["missing"]["text"].startswith("Shaker S-01 has no dice")
    table.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    throw(table, GAIN_OF_10)


@clause("PA-577.5(e)-call", "PA-577.5(f)-cocked", "PA-577.5(g)", "PA-577.6(d)-announce")
def test_the_record_says_how_a_throw_was_called_and_which_faces_were_ruled(table):
    begin(table, *FULL)
    table.act("throw_dice")
    table.act("call_dice", {"dice": GAIN_OF_10, "leaning": 1, "disputed": True}, by="stickperson")
    said = table.entry["data"]
    assert (said["dice"], said["leaning"], said["disputed"]) == (GAIN_OF_10, 1, True)
    assert said["called"] == {"code": "gain", "yards": 10}
    # Two green dice, then the red one: sorted, they would be another play.
    assert table.snapshot["acts"][0]["text"] == "Dice %s %s %s called" % tuple(GAIN_OF_10)
    field = table.snapshot["round"]["game"]
    assert (field["down"], field["goal"], field["yard"], field["play"]) == (1, True, 10, 2)


@clause("PA-577.5(c)(5)")
def test_a_throw_void_for_cheating_warns_the_pit(table):
    begin(table, *FULL)
    table.act("throw_dice")
    table.act("call_no_roll", {"reason": "cheating-device"})
    assert [alert["title"] for alert in table.snapshot["alerts"]] == ["Cheating suspected"]


def test_the_dice_change_in_mid_game_and_each_throw_names_its_own(table):
    begin(table, *FULL)
    throw(table, GAIN_OF_10)
    table.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    throw(table, GAIN_OF_11)
    with table.refused("dice-in-play"):
        table.act("change_dice_lot", {"lot": "L-0003"}, witness="floorperson")
    assert [one.lot.code for one in Throw.objects.order_by("number")] == ["L-0001", "L-0002"]


def test_what_the_table_settled_is_what_adjudicate_settles_and_the_export_verifies(table):
    touchdown(table)
    settle(table)
    throw(table, [1, 4, 1])
    settle(table)
    table.finish()
    data = [json.loads(bytes(one.body))["data"] for one in Entry.objects.order_by("seq")]
    live = [line for said in data for line in said.get("settled", [])]
    wagers = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in FULL]
    wagers += [{"seat": 6, "wager": code, "cents": 500, "play": 2} for code in ("big-play", "under-four")]
    throws = [GAIN_OF_10, GAIN_OF_11, [1, 4, 1]]
    paper = adjudicate(json.dumps({"rules": "pa-577", "throws": throws, "wagers": wagers}).encode())
    assert [paper["wagers"][place] for place in paper["order"]] == live
    verify.verify(io.BytesIO(b"".join(export.lines(export.select([table.table.place])))))


# Corrections, and who holds the dice


def test_striking_the_only_wager_that_a_throw_decides_opens_the_next_play(table):
    begin(table, (5, "touchdown", 500), (2, "no-gain", 500, 1))
    throw(table, GAIN_OF_10)
    struck = {"seat": 2, "wager": "no-gain", "play": 1, "reason": "never lay there"}
    table.act("strike_mistaken_wager", struck, witness="floorperson")
    assert (table.round.phase, table.round.taken_cents) == ("open", 0)


def test_a_missed_wager_is_recorded_where_its_throw_had_left_nothing_to_settle(table):
    begin(table, (5, "touchdown", 500))
    missed = {"seat": 2, "wager": "big-play", "cents": 500, "play": 1, "reason": "overlooked"}
    with table.refused("not-thrown"):
        table.act("record_missed_wager", missed, witness="floorperson")
    throw(table, GAIN_OF_10)
    assert table.round.phase == "open"
    table.act("record_missed_wager", missed, witness="floorperson")
    assert (table.round.phase, table.settled) == ("lit", [(2, "big-play", "win", 2_000, 500)])
    settle(table)
    table.place((6, "big-play", 500, 2))
    assert "record_missed_wager" not in table.snapshot["offers"]


def test_dice_corrected_after_a_void_throw_leave_the_round_going_and_name_their_own_lot(table):
    begin(table, (5, "touchdown", 500))
    throw(table, GAIN_OF_10)
    table.act("throw_dice")
    table.act("call_no_roll", {"reason": "off-table"})
    table.act("change_dice_lot", {"lot": "L-0002"}, witness="floorperson")
    table.act("correct_dice", {"dice": [6, 4, 1], "reason": "misread"}, witness="floorperson")
    assert (table.entry["data"]["throw"], table.entry["data"]["lot"]) == (1, "L-0001")
    throw(table, [1, 2, 6])
    settle(table)
    table.finish()
    assert table.last_round.ending == "turnover"


def test_a_quarterback_who_leaves_before_the_extra_point_is_followed_by_another(table):
    begin(table, (5, "extra-point", 500), (6, "defense", 500))
    throw(table, [1, 1, 1])
    settle(table)
    table.act("offer_dice", {"seat": 5, "accepted": False}, by="stickperson")
    assert table.snapshot["next"]["act"] == "offer_dice"
    assert "throw_dice" not in table.snapshot["offers"]
    with table.refused("no-quarterback"):
        table.act("throw_dice")
    following = table.snapshot["round"]["game"]["offer"]["next"]
    table.act("offer_dice", {"seat": following, "accepted": True}, by="stickperson")
    throw(table, [1, 4, 1])
    settle(table)
    table.finish()


def test_a_game_settled_manually_passes_its_dice_on_like_any_other(table):
    lying = [{"seat": 5, "wager": "touchdown", "cents": 500}]
    table.settle_by_hand(throws=[[1, 1, 6]], wagers=lying)
    assert (table.last_round.quarterback, table.last_round.ending) == (None, "turnover")
    table.repair()
    assert table.snapshot["round"]["game"]["offer"]["next"] == 5  # who plays alone is asked


@clause("PA-577.9(b)-dealers")
def test_two_at_a_table_in_play_change_places_and_no_post_is_empty(table):
    table.act("take_over_table", {"post": "dealer-left"})
    said = table.entry["data"]
    assert (said["post"], said["leaves_post"], said["relieves"], said["follows"]) == (
        "dealer-left",
        "dealer",
        "relief",
        "relief",
    )
    people = table.snapshot["people"]
    assert (people["dealer"]["code"], people["dealer_left"]["code"]) == ("relief", "dealer")
    with table.refused("post-of-another"):  # the stickperson could not follow
        table.act("take_over_table", {"post": "stick"}, by="relief")
    with table.refused("already-dealing"):
        table.act("take_over_table")


def test_a_table_of_eight_places_offers_the_dice_to_its_own(table):
    Table.objects.filter(pk=table.table.pk).update(seats=8, offered=8)
    table.place((1, "touchdown", 500))
    assert table.snapshot["next"]["params"] == {"seat": 1, "accepted": True}


def test_no_more_dice_lean_than_were_thrown(table):
    begin(table, (5, "touchdown", 500))
    table.act("throw_dice")
    with table.refused("malformed"):
        table.act("call_dice", {"dice": GAIN_OF_10, "leaning": 4})
