"""A round of High Roll Dice at a table: the lock-out, the fees, the first roll, and the extra throw of the loose."""

import datetime as dt
import io
import json

import pytest

from audit import export, verify
from audit.models import Entry
from games.adjudication import adjudicate
from games.engine import Rules
from tables.models import DiceLot, Settlement, Table, Throw
from tables.screens import fragments
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

FOUR_FIVES = [5, 5, 5, 5, 1, 1, 6, 6, 6, 4]
BOUGHT = [
    (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500), (2, "like-kind:4", 2_500),
    (2, "like-kind:5", 2_500), (2, "extra-roll", 2_500), (2, "millionaire:9", 100),
]  # fmt: skip
PLAIN = [(5, "pip:5", 10_000), (5, "like-kind:2", 10_000), (5, "like-kind:5", 10_000)]


@pytest.fixture
def table():
    return make_scene("pa-675a", payout_limit_cents=7_500_000)


def to_the_extra_throw(table, *wagers):
    table.place(*wagers)
    table.to_the_dice()
    table.act("call_dice", {"dice": FOUR_FIVES})
    table.act("move_dice")
    table.act("settle_seats")
    table.until("call_dice")


@clause("PA-675a.4(a)-announce", "PA-675a.4(a)-lockout", "PA-675a.4(a)-collect")
def test_the_sensors_are_locked_and_the_fees_collected_before_the_shake(table):
    table.place(*BOUGHT)
    table.act("no_more_bets")
    with table.refused("not-locked-out"):
        table.act("shake", {"shakes": 3})
    table.act("lock_out_extra_rolls")
    with table.refused("fees-not-collected", "58 Pa. Code § 675a.4(a)"):
        table.act("shake", {"shakes": 3})
    with table.refused("bets-closed"):
        table.place((5, "pip:1", 500))
    table.act("collect_fees")
    assert table.entry["_type"] == "fees.collected"
    assert (table.entry["data"]["seats"], table.entry["data"]["fees_cents"]) == ([2], 2_500)
    with table.refused("too-few-shakes"):
        table.act("shake", {"shakes": 2})
    table.act("shake", {"shakes": 3})


def test_without_an_extra_roll_the_shake_follows_no_more_bets(table):
    table.place(*PLAIN)
    table.act("no_more_bets")
    assert table.snapshot["next"]["act"] == "shake"
    with table.refused("nothing-to-lock-out"):
        table.act("lock_out_extra_rolls")


@clause(
    "PA-675a.4(e)-move",
    "PA-675a.4(e)-exposed",
    "PA-675a.4(f)",
    "PA-675a.4(f)(1)",
    "PA-675a.4(f)(2)(i)",
    "PA-675a.4(f)(2)(ii)-pay",
    "PA-675a.4(f)(2)(ii)-collect",
    "PA-675a.4(f)(2)(ii)-leave",
    "PA-675a.4(f)(3)",
    "PA-675a.4(g)",
    "PA-675a.4(g)-rules",
    "PA-675a.4(h)-settle",
)
def test_the_first_roll_settles_seat_by_seat_and_the_extra_throw_the_rest(table):
    table.place(*BOUGHT, *PLAIN)
    table.to_the_dice()
    table.act("call_dice", {"dice": FOUR_FIVES})
    with table.refused("dice-not-moved", "58 Pa. Code § 675a.4(e)"):
        table.act("settle_seats")
    table.act("move_dice")
    said = table.entry["data"]
    assert (said["face"], said["count"], said["exposed"]) == (5, 4, True)
    shown = table.snapshot["round"]
    assert (shown["phase"], shown["game"]["held"], shown["game"]["loose"]) == (
        "lit",
        {"face": 5, "count": 4},
        6,
    )
    settle = shown["settle"]
    assert (settle["take_cents"], settle["pay_cents"], settle["stay_cents"]) == (25_100, 52_500, 2_500)
    seats = {seat["seat"]: seat for seat in settle["steps"][0]["seats"]}
    assert [(line["wager"], line["outcome"]) for line in seats[2]["lines"]] == [
        ("pip:1", "lose"), ("pip:5", "win"), ("like-kind:4", "win"), ("like-kind:3", "lose"),
        ("millionaire:9", "lose"), ("like-kind:5", "stay"),
    ]  # fmt: skip
    table.act("settle_seats", {"seats": [5]})
    assert table.round.phase == "lit"
    with table.refused("seat-settled-already"):
        table.act("settle_seats", {"seats": [5]})
    table.act("settle_seats", {"seats": [2]})
    assert table.round.phase == "loose"
    table.act("gather_loose_dice")
    table.act("shake", {"shakes": 3})
    with table.refused("wrong-number-of-dice"):
        table.act("call_dice", {"dice": FOUR_FIVES})
    table.act("call_dice", {"dice": [5, 1, 1, 6, 6, 4]})
    assert table.settled == [(2, "like-kind:5", "win", 5_000, 2_500)]
    assert table.entry["_type"] == "round.settled"
    table.finish()
    ended = table.last_round
    assert (ended.ending, ended.last_throw, ended.wagered_cents) == ("settled", 2, 45_100)
    assert (ended.taken_cents, ended.paid_cents) == (25_100 + 2_500, 52_500 + 5_000)


@clause("PA-675a.4(b)-invalid", "PA-675a.4(c)-void")
def test_an_invalid_roll_is_thrown_again_and_wagers_stand(table):
    table.place(*BOUGHT)
    table.to_the_dice()
    with table.refused("no-such-reason"):
        table.act("call_no_roll", {"reason": "too quiet"})
    table.act("call_no_roll", {"reason": "on-another"})
    assert (table.entry["_type"], table.entry["data"]["section"]) == (
        "throw.no_roll",
        "58 Pa. Code § 675a.4(b)",
    )
    assert (table.round.phase, Settlement.objects.count(), Throw.objects.count()) == ("closed", 0, 1)
    table.act("shake", {"shakes": 3})
    table.act("call_dice", {"dice": FOUR_FIVES})
    assert [throw["number"] for throw in table.snapshot["round"]["throws"]] == [1, 2]
    assert table.snapshot["round"]["throws"][0]["void"] == "A die came to rest on another"
    table.until("call_dice")
    table.act("call_dice", {"dice": [1, 1, 1, 1, 1, 1]})
    table.finish()


def test_the_dice_of_the_extra_throw_are_corrected_without_touching_the_first(table):
    to_the_extra_throw(table, *BOUGHT)
    table.act("call_dice", {"dice": [1, 1, 1, 6, 6, 4]})
    assert table.settled == [(2, "like-kind:5", "lose", 0, 0)]
    before = table.round.taken_cents
    table.act("correct_dice", {"dice": [5, 1, 1, 6, 6, 4], "reason": "misread"}, witness="floorperson")
    assert table.settled == [(2, "like-kind:5", "win", 5_000, 2_500)]
    assert (table.round.taken_cents, table.round.last_throw) == (before - 2_500, 2)
    assert table.entry["data"]["mended"]["before"] == [1, 1, 1, 6, 6, 4]


def test_nothing_is_struck_once_the_first_roll_is_paid(table):
    to_the_extra_throw(table, *BOUGHT)
    with table.refused("money-has-moved"):
        table.act(
            "strike_mistaken_wager",
            {"seat": 2, "wager": "like-kind:4", "reason": "never lay there"},
            witness="floorperson",
        )


def layout_in_the_pit(table):
    return str(fragments.render("table", table.snapshot)).partition("felt circles")[2].partition("</div>")[0]


def test_a_round_voided_between_the_throws_returns_what_is_open(table):
    to_the_extra_throw(table, *BOUGHT)
    table.act("void_round", {"reason": "dispute"}, witness="pit-manager")
    assert table.settled == [
        (2, "like-kind:5", "return", 0, 2_500),
        (2, "extra-roll", "return", 0, 2_500),
    ]
    ended = table.last_round
    assert (ended.ending, ended.taken_cents, ended.paid_cents) == ("void", 5_100, 12_500)
    assert ">$25<" in layout_in_the_pit(table)
    table.act("return_wagers", {"round": ended.number, "seats": [2]})
    assert ">$25<" not in layout_in_the_pit(table)


@clause("PA-675a.5(e)", "PA-675a.5(e)-cap")
def test_a_payout_limit_cuts_and_says_by_how_much():
    table = make_scene("pa-675a", payout_limit_cents=5_006_000)
    table.place((1, "pip:2", 1_000), (1, "like-kind:8", 1_000), (1, "like-kind:2", 1_000))
    table.place((2, "pip:2", 2_000), (2, "like-kind:8", 2_000))
    table.to_the_dice()
    table.act("call_dice", {"dice": [2] * 8 + [3, 4]})
    assert table.settled[:2] == [
        (1, "pip:2", "win", 6_000, 1_000),
        (1, "like-kind:2", "lose", 0, 0),
    ]
    assert table.snapshot["round"]["game"]["cuts"] == [
        {"seat": 2, "before_cents": 10_012_000, "after_cents": 5_006_000}
    ]
    cut = [one for one in table.entry["data"]["settled"] if "cut_cents" in one]
    assert [(one["seat"], one["paid_cents"], one["cut_cents"]) for one in cut] == [(2, 4_994_000, 5_006_000)]


@clause("PA-675a.5(e)-floor")
def test_a_payout_limit_under_its_floor_keeps_the_table_closed():
    table = make_scene("pa-675a", payout_limit_cents=5_005_000, opened=False)
    table.inspect()
    with table.refused("payout-limit-too-low", "58 Pa. Code § 675a.5(e)"):
        table.open()


@clause("PA-675a.5(e)-floor")
def test_no_round_opens_where_a_minimum_and_a_limit_passed_each_other():
    table = make_scene("pa-675a", payout_limit_cents=5_006_000)
    Table.objects.filter(pk=table.table.pk).update(min_cents=1_001)
    with table.refused("filed-limit-too-low", "58 Pa. Code § 675a.5(e)"):
        table.place((1, "pip:6", 1_001))
    Table.objects.filter(pk=table.table.pk).update(min_cents=1_000)
    table.place((1, "pip:6", 1_000))


def test_what_the_table_settled_is_what_adjudicate_settles_and_the_export_verifies(table):
    to_the_extra_throw(table, *BOUGHT, *PLAIN)
    table.act("call_dice", {"dice": [5, 5, 1, 6, 6, 4]})
    table.finish()
    data = [json.loads(bytes(one.body))["data"] for one in Entry.objects.order_by("seq")]
    live = [line for said in data for line in said.get("settled", [])]
    wagers = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in BOUGHT + PLAIN]
    paper = adjudicate(
        json.dumps(
            {
                "rules": "pa-675a",
                "throws": [FOUR_FIVES, [5, 5, 1, 6, 6, 4]],
                "wagers": wagers,
                "payout_limit_cents": 7_500_000,
            }
        ).encode()
    )
    assert [paper["wagers"][place] for place in paper["order"]] == live
    verify.verify(io.BytesIO(b"".join(export.lines(export.select([table.table.place])))))


def test_a_round_settled_manually_is_recorded_with_both_throws(table):
    wagers = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in BOUGHT]
    throws = [FOUR_FIVES, [5, 1, 1, 6, 6, 4]]
    table.settle_by_hand(throws=throws, wagers=wagers)
    ended = table.last_round
    assert (ended.phase, ended.by_hand, ended.ending, ended.last_throw) == ("cleared", True, "settled", 2)
    assert (ended.taken_cents, ended.paid_cents) == (2_500 * 3 + 100, 10_000 + 2_500 + 5_000)
    assert len(table.entry["data"]["settled"]) == len(BOUGHT)
    verify.verify(io.BytesIO(b"".join(export.lines(export.select([table.table.place])))))


@clause("PA-675a.6(d)-no-extras", "PA-675a.6(a)")
def test_six_dice_have_no_extra_roll_and_no_millionaire_row():
    table = make_scene("pa-675a.6")
    for code in ("extra-roll", "millionaire:9", "like-kind:7"):
        with table.refused("no-such-wager"):
            table.place((1, "pip:1", 1_000), (1, code, 1_000))
    table.play((1, "pip:1", 1_000), (1, "like-kind:none", 1_000), dice=[1, 2, 3, 4, 5, 6])
    assert table.settled == [
        (1, "pip:1", "win", 2_000, 1_000),
        (1, "like-kind:none", "win", 60_000, 1_000),
    ]
    table.finish()


@clause(
    "PA-675a.4(d)", "PA-675a.4(e)-announce", "PA-675a.4(h)-call", "PA-675a.4(b)-throw", "PA-675a.4(c)-cocked"
)
def test_the_record_says_what_was_called_at_each_throw(table):
    table.place(*BOUGHT)
    table.to_the_dice()
    table.act("call_dice", {"dice": FOUR_FIVES, "leaning": 2})
    said = table.entry["data"]
    assert (said["dice"], said["announced"], said["leaning"]) == (FOUR_FIVES, True, 2)
    assert (said["called"]["face"], said["called"]["count"]) == (5, 4)
    table.act("move_dice")
    table.act("settle_seats")
    table.until("call_dice")
    table.act("call_dice", {"dice": [5, 5, 1, 6, 6, 4]})
    called = table.entry["data"]["called"]
    assert (called["face"], called["added"], called["count"]) == (5, 2, 6)


@clause("PA-675a.6(h)-call", "PA-675a.6(h)-exposed")
def test_with_six_dice_the_call_and_the_move_are_recorded_too():
    table = make_scene("pa-675a.6")
    table.play((1, "pip:5", 1_000), dice=[5, 5, 5, 6, 6, 4])
    called = table.entry["data"]["called"]
    table.act("move_dice")
    moved = table.entry["data"]
    assert (called["face"], called["count"]) == (moved["face"], moved["count"]) == (5, 3)
    assert moved["exposed"] is True


@clause("PA-675a.3(a)-standard", "PA-675a.6(e)-standard")
@pytest.mark.parametrize(("rules", "section"), [("pa-675a", "3(a)"), ("pa-675a.6", "6(e)")])
def test_dice_without_their_attestation_are_not_placed(rules, section):
    table = make_scene(rules)
    DiceLot.objects.filter(code="L-0002").update(attested=False)
    with table.refused("dice-not-attested", f"58 Pa. Code § 675a.{section}"):
        table.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")


@clause(
    "PA-675a.3(b)(1)-24h", "PA-675a.3(d)", "PA-675a.6(f)", "PA-675a.3(a)-number", "PA-675a.3(c)-unattended"
)
@pytest.mark.parametrize("rules", ["pa-675a", "pa-675a.6"])
def test_no_throw_begins_with_dice_that_are_gone_or_have_been_there_for_a_day(rules, hands):
    table = make_scene(rules)
    table.place((1, "pip:5", 1_000))
    table.act("no_more_bets")
    hands.now += dt.timedelta(hours=24)
    with table.refused("dice-past-their-time", "58 Pa. Code § 675a.3(b)(1)"):
        table.act("shake", {"shakes": 3})
    DiceLot.objects.filter(code="L-0003").update(dice=3)
    with table.refused("lot-of-other-dice"):
        table.act("change_dice_lot", {"lot": "L-0003"}, by="floorperson")
    table.act("withdraw_dice", {"why": "unsuitable"})
    with table.refused("no-dice"):
        table.act("shake", {"shakes": 3})
    with table.refused("shaker-left-unattended"):
        table.act("leave_table")


@clause("PA-675a.2(c)-seated", "PA-675a.2(c)-remain", "PA-675a.6(d)-rules")
@pytest.mark.parametrize("rules", ["pa-675a", "pa-675a.6"])
def test_only_a_seated_player_wagers_and_keeps_the_seat_until_the_round_ends(rules):
    table = make_scene(rules)
    for seat in range(1, 7):
        table.act("free_seat", {"seat": seat})
    with table.refused("seat-is-open", "58 Pa. Code § 675a.2(c)"):
        table.place((4, "pip:1", 1_000))
    table.act("seat_player", {"seat": 4})
    assert [seat["taken"] for seat in table.snapshot["round"]["seats"]][:4] == [False, False, False, True]
    with table.refused("seat-is-taken", "58 Pa. Code § 675a.2(c)"):
        table.act("seat_player", {"seat": 4})
    table.place((4, "pip:1", 1_000))
    with table.refused("seat-has-a-wager", "58 Pa. Code § 675a.2(c)"):
        table.act("free_seat", {"seat": 4})
    table.to_the_dice()
    table.act("call_dice", {"dice": [1] * Rules.of(rules).edition.dice})
    table.finish()
    table.act("free_seat", {"seat": 4})
    assert (table.entry["_type"], table.entry["data"]) == ("seat.freed", {"seat": 4})
    with table.refused("seat-is-open"):
        table.act("free_seat", {"seat": 4})


@clause("PA-675a.1(a)-positions")
def test_there_is_no_seventh_seat(table):
    with table.refused("no-such-seat"):
        table.place((7, "pip:1", 1_000))


def test_other_games_seat_nobody():
    scene = make_scene()
    with scene.refused("act-of-another-game"):
        scene.act("seat_player", {"seat": 1})
