"""The order of a round in each edition, for each kind of shaker that it allows."""

import pytest

from games.engine import Refusal
from tests.tables.cast import CHAPTER, make_scene
from tests.tables.test_readjudicate import settled_again

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

CLOSE_FIRST = [
    pytest.param("pa-539", "manual", "5(b)", marks=clause("PA-539.5(b)")),
    pytest.param("pa-539", "automated-uncovered", "5(b)", marks=clause("PA-539.5(b)", "PA-539.5(c)(2)")),
    pytest.param("pa-625a/A", "automated-uncovered", "5(g)", marks=clause("PA-625a.5(g)-activate")),
    pytest.param("pa-625a/B", "player-activated", "5(g)", marks=clause("PA-625a.5(g)-activate")),
    pytest.param("nj-19-47-9", "manual", "5(b)", marks=clause("NJ-19:47-9.5(b)")),
]
SHAKE_FIRST = [
    pytest.param("pa-625a/A", "manual", "5(b)(1)", marks=clause("PA-625a.5(b)(1)")),
    pytest.param(
        "pa-625a/B",
        "automated-covered",
        "5(b)(2)",
        marks=clause("PA-625a.5(b)(2)", "PA-625a.1(d)(2)(i)-cover"),
    ),
]
MANUAL = [
    pytest.param("pa-539", "5(c)(1)", marks=clause("PA-539.5(c)(1)")),
    pytest.param("pa-625a/A", "5(b)(1)", marks=clause("PA-625a.5(b)(1)")),
    pytest.param("nj-19-47-9", "5(c)", marks=clause("NJ-19:47-9.5(c)")),
]
EVERY = [
    ("pa-539", "manual"),
    ("pa-539", "automated-uncovered"),
    ("pa-625a/A", "manual"),
    ("pa-625a/A", "automated-covered"),
    ("pa-625a/B", "automated-uncovered"),
    ("pa-625a/B", "player-activated"),
    ("nj-19-47-9", "manual"),
]
WINNING_ON_255 = ["two-of-a-kind:5", "total:12", "two-dice:2-5", "big", "one-of-a-kind:2", "one-of-a-kind:5"]


@pytest.mark.parametrize(("rules", "shaker", "section"), CLOSE_FIRST)
def test_no_more_bets_comes_before_the_shake(rules, shaker, section):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500))
    with scene.refused("bets-still-open", CHAPTER[rules] + section):
        scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    assert (scene.entry["_type"], scene.entry["data"]) == (
        "bets.closed",
        {"round": 1, "wagered_cents": 2_500},
    )
    with scene.refused("bets-closed", CHAPTER[rules] + section):
        scene.place((2, "big", 2_500))
    with scene.refused("not-shaken"):
        scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.act("shake", {"shakes": 3})
    assert scene.round.phase == "ready"


@pytest.mark.parametrize(("rules", "shaker", "section"), SHAKE_FIRST)
def test_a_covered_shake_comes_before_no_more_bets(rules, shaker, section):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500))
    with scene.refused("not-shaken", CHAPTER[rules] + section):
        scene.act("no_more_bets")
    scene.act("shake", {"shakes": 3})
    with scene.refused("shaken-already", CHAPTER[rules] + section):
        scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    assert scene.round.phase == "ready"


@pytest.mark.clause("PA-625a.5(c)")
@pytest.mark.parametrize("shaker", ["manual", "automated-covered"])
def test_it_refuses_the_dice_while_bets_are_open_after_the_shake(shaker):
    scene = make_scene("pa-625a/A", shaker)
    scene.place((1, "small", 2_500))
    scene.act("shake", {"shakes": 3})
    with scene.refused("bets-still-open", "58 Pa. Code § 625a.5(c)"):
        scene.act("call_dice", {"dice": [2, 5, 5]})


@pytest.mark.parametrize(("rules", "section"), MANUAL)
@pytest.mark.parametrize("shakes", [0, 1, 2])
def test_a_manual_shaker_is_shaken_three_times_at_least(rules, section, shakes):
    scene = make_scene(rules)
    scene.place((1, "small", 2_500))
    scene.until("shake")
    with scene.refused("too-few-shakes", CHAPTER[rules] + section):
        scene.act("shake", {"shakes": shakes})
    with scene.refused("too-few-shakes"):
        scene.act("shake")
    scene.act("shake", {"shakes": 3})
    assert scene.entry["data"] == {
        "round": 1,
        "lot": "L-0001",
        "shaker": "S-01",
        "shakes": 3,
        "activated_by_seat": 0,
    }


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        pytest.param("pa-539", "automated-uncovered", marks=clause("PA-539.5(c)(2)")),
        pytest.param("pa-625a/A", "automated-covered", marks=clause("PA-625a.5(b)(2)")),
        pytest.param("pa-625a/A", "automated-uncovered", marks=clause("PA-625a.5(g)-activate")),
    ],
)
def test_the_dealer_activates_an_automated_shaker_once(rules, shaker):
    scene = make_scene(rules, shaker)
    scene.place((1, "small", 2_500))
    scene.until("shake")
    with scene.refused("not-player-activated"):
        scene.act("shake", {"activated_by_seat": 1})
    scene.act("shake")
    assert (scene.entry["_type"], scene.entry["actor"]) == ("dice.shaken", "dealer")
    with scene.refused("shaken-already"):
        scene.act("shake")


@pytest.mark.clause("PA-625a.5(g)-activate")
def test_a_seat_with_a_live_wager_activates_a_player_activated_shaker():
    scene = make_scene("pa-625a/A", "player-activated")
    scene.place((4, "small", 2_500), (5, "big", 2_500))
    scene.place((5, "big", 0))
    scene.act("no_more_bets")
    for seat in (5, 3):
        with scene.refused("no-live-wager", "58 Pa. Code § 625a.5(g)"):
            scene.act("shake", {"activated_by_seat": seat})
    scene.act("shake", {"activated_by_seat": 4})
    assert scene.entry["data"]["activated_by_seat"] == 4


@pytest.mark.parametrize(
    ("rules", "shaker", "section"),
    [
        ("pa-539", "automated-covered", "1(d)"),
        ("pa-539", "player-activated", "1(d)"),
        ("nj-19-47-9", "automated-covered", "1"),
        ("nj-19-47-9", "automated-uncovered", "1"),
        ("nj-19-47-9", "player-activated", "1"),
    ],
)
def test_it_refuses_a_shaker_that_the_edition_does_not_allow(rules, shaker, section):
    with pytest.raises(Refusal) as refused:
        make_scene(rules, shaker)
    assert (refused.value.code, refused.value.section) == ("shaker-not-allowed", CHAPTER[rules] + section)


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param(
            "pa-539", "5(d)", marks=clause("PA-539.5(d)-enter", "PA-539.5(d)-uncover", "PA-539.1(b)-entry")
        ),
        pytest.param("pa-625a/A", "5(d)", marks=clause("PA-625a.5(d)-enter", "PA-625a.5(d)-uncover")),
        pytest.param("nj-19-47-9", "5(d)", marks=clause("NJ-19:47-9.5(d)-enter", "NJ-19:47-9.5(d)-uncover")),
    ],
)
def test_it_settles_nothing_before_the_shaker_is_uncovered_and_three_values_are_entered(rules, section):
    scene = make_scene(rules)
    scene.place((1, "small", 2_500))
    with scene.refused("not-ready"):
        scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.to_the_dice()
    for act in ("take_losers", "pay_seats", "clear_layout"):
        with scene.refused("not-now" if act == "clear_layout" else "not-lit"):
            scene.act(act)
    for dice, code in (
        ([1, 1], "wrong-number-of-dice"),
        ([1, 1, 2, 2], "wrong-number-of-dice"),
        ([0, 1, 2], "no-such-face"),
        ([1, 2, 7], "no-such-face"),
    ):
        with scene.refused(code, CHAPTER[rules] + section):
            scene.act("call_dice", {"dice": dice})
    for dice in ([], None, "112", [1, 1, True], [1, 1, 2.0]):
        with scene.refused("malformed"):
            scene.act("call_dice", {"dice": dice})
    scene.act("call_dice", {"dice": [1, 1, 2]})
    assert (scene.entry["_type"], scene.entry["data"]["uncovered"]) == ("round.settled", True)
    assert scene.settled == [(1, "small", "win", 2_500, 2_500)]


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.5(d)-announce", "PA-539.5(d)-illuminate")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.5(d)-announce", "PA-625a.5(d)-illuminate")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.5(d)-announce", "NJ-19:47-9.5(d)-illuminate")),
    ],
)
def test_the_dice_are_announced_as_called_and_the_layout_lights_what_wins(rules):
    scene = make_scene(rules)
    scene.play((1, "small", 2_500), dice=[5, 2, 5])
    said = scene.entry["data"]
    assert (said["dice"], said["announced"], said["lit"]) == ([5, 2, 5], True, sorted(WINNING_ON_255))
    shown = scene.snapshot["round"]
    assert (shown["dice"], sorted(shown["lit"])) == ([2, 5, 5], sorted(WINNING_ON_255))
    assert shown["call"] == {"total": 12, "words": "Two, five, five", "summary": "Total 12, big"}


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-539", "5(e)", marks=clause("PA-539.5(e)-order")),
        pytest.param("pa-625a/A", "5(e)", marks=clause("PA-625a.5(e)-order")),
        pytest.param("nj-19-47-9", "5(e)", marks=clause("NJ-19:47-9.5(e)-order")),
    ],
)
def test_every_loser_is_taken_before_any_winner_is_paid(rules, section):
    scene = make_scene(rules)
    scene.play((1, "small", 2_500), (2, "big", 2_500), (3, "small", 1_000), dice=[2, 5, 5])
    with scene.refused("losers-not-taken", CHAPTER[rules] + section):
        scene.act("pay_seats", {"seats": [2]})
    scene.act("take_losers")
    assert scene.entry["data"] == {"round": 1, "taken_cents": 3_500}
    with scene.refused("losers-taken-already", CHAPTER[rules] + section):
        scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    assert scene.entry["data"] == {"round": 1, "seats": [2], "paid_cents": 2_500}


@pytest.mark.parametrize(
    ("rules", "payouts", "paid"),
    [
        pytest.param("pa-539", {"total:12": "7 to 1"}, 7_000, marks=clause("PA-539.5(e)-odds")),
        pytest.param("pa-539", {}, 6_000, marks=clause("PA-539.5(e)-odds")),
        pytest.param("pa-625a/A", {}, 6_000, marks=clause("PA-625a.5(e)-odds")),
        pytest.param("pa-625a/B", {}, 7_000, marks=clause("PA-625a.5(e)-odds")),
        pytest.param("nj-19-47-9", {"total:12": "6.5 to 1"}, 0, marks=clause("NJ-19:47-9.5(e)-odds")),
        pytest.param("nj-19-47-9", {"total:12": "13 to 2"}, 6_500, marks=clause("NJ-19:47-9.5(e)-odds")),
    ],
)
def test_winners_are_paid_at_the_odds_in_force(rules, payouts, paid):
    if not paid:
        with pytest.raises(Refusal):
            make_scene(rules, **payouts)
        return
    scene = make_scene(rules, **payouts)
    scene.play((1, "total:12", 1_000), dice=[2, 5, 5])
    scene.finish()
    assert scene.settled == [(1, "total:12", "win", paid, 1_000)]
    assert scene.last_round.paid_cents == paid


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.5(e)-manual-uncovered")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.5(e)-uncovered")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.5(e)-uncovered")),
    ],
)
def test_the_shaker_stays_uncovered_until_every_winner_is_paid(rules):
    scene = make_scene(rules)
    scene.play((1, "small", 2_500), (2, "big", 2_500), (3, "big", 2_500), dice=[2, 5, 5])
    for act, params in (("take_losers", {}), ("pay_seats", {"seats": [2]}), ("pay_seats", {"seats": [3]})):
        with scene.refused("shaken-already"):
            scene.act("shake", {"shakes": 3})
        with scene.refused("bets-closed"):
            scene.place((1, "small", 2_500))
        with scene.refused("round-in-play"):
            scene.close()
        scene.act(act, params)
    assert scene.round.phase == "paid"


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        pytest.param("pa-539", "manual", marks=clause("PA-539.5(f)")),
        pytest.param("pa-539", "automated-uncovered", marks=clause("PA-539.5(f)")),
        pytest.param("pa-625a/A", "manual", marks=clause("PA-625a.5(f)")),
        pytest.param("pa-625a/A", "player-activated", marks=clause("PA-625a.5(f)", "PA-625a.5(g)-complete")),
        pytest.param(
            "pa-625a/B", "automated-uncovered", marks=clause("PA-625a.5(f)", "PA-625a.5(g)-complete")
        ),
        pytest.param("nj-19-47-9", "manual", marks=clause("NJ-19:47-9.5(f)")),
    ],
)
def test_the_lights_are_cleared_before_the_next_round(rules, shaker):
    scene = make_scene(rules, shaker)
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    with scene.refused("losers-not-taken"):
        scene.act("clear_layout")
    scene.act("take_losers")
    with scene.refused("winners-not-paid"):
        scene.act("clear_layout")
    scene.act("pay_seats")
    assert sorted(scene.snapshot["round"]["lit"]) == [
        "big", "one-of-a-kind:2", "one-of-a-kind:5", "total:12", "two-dice:2-5", "two-of-a-kind:5"
    ]  # fmt: skip
    with scene.refused("bets-closed"):
        scene.place((1, "small", 2_500))
    scene.act("clear_layout")
    assert (scene.round, scene.snapshot["round"]["lit"]) == (None, [])
    scene.place((1, "small", 2_500))
    assert scene.round.number == 2


@pytest.mark.parametrize(("rules", "shaker"), EVERY)
def test_the_next_steps_alone_play_a_round_to_its_end(rules, shaker):
    scene = make_scene(rules, shaker)
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    played = scene.last_round
    assert (played.phase, played.wagered_cents, played.taken_cents, played.paid_cents) == (
        "cleared",
        7_500,
        2_500,
        5_000,
    )


def test_it_pays_nobody_twice_and_nobody_who_lost(scene):
    scene.play((1, "small", 2_500), (2, "big", 2_500), (3, "big", 1_000), dice=[2, 5, 5])
    scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    with scene.refused("seat-paid-already"):
        scene.act("pay_seats", {"seats": [2]})
    for seats in ([1], [7], [3, 7]):
        with scene.refused("nothing-to-pay"):
            scene.act("pay_seats", {"seats": seats})
    assert scene.round.paid_seats == [2]


def test_winners_are_paid_area_by_area_and_a_seat_is_paid_with_its_last_area(scene):
    wagers = (1, "big", 2_500), (1, "total:12", 500), (2, "big", 1_000), (3, "big", 300), (3, "total:12", 100)
    scene.play(*wagers, dice=[2, 5, 5])
    scene.act("pay_seats", {"seats": [1], "wager": "big"})
    assert scene.entry["data"] == {"round": 1, "seats": [1], "paid_cents": 2_500, "wager": "big"}
    assert (scene.round.paid_seats, scene.round.paid_areas) == ([], [[1, "big"]])
    assert scene.snapshot["round"]["pay"]["paid_cents"] == 2_500
    with scene.refused("seat-paid-already"):
        scene.act("pay_seats", {"seats": [1], "wager": "big"})
    with scene.refused("nothing-to-pay"):
        scene.act("pay_seats", {"seats": [2], "wager": "total:12"})
    with scene.refused("money-has-moved"):
        scene.act("strike_mistaken_wager", {"seat": 2, "wager": "big", "reason": "x"}, witness="floorperson")
    scene.act("pay_seats", {"seats": [1], "wager": "total:12"})
    assert (scene.round.paid_seats, scene.round.paid_areas) == ([1], [])
    scene.act("pay_seats", {"seats": [3], "wager": "big"})
    scene.act("pay_seats")  # what was paid with its area is not paid again
    assert (scene.round.phase, scene.entry["data"]["paid_cents"]) == ("paid", 1_000 + 600)
    scene.finish()
    assert settled_again()[0] == []


def test_no_losers_skip_the_taking_and_no_winners_the_paying(scene):
    scene.play((1, "big", 2_500), dice=[2, 5, 5])
    assert scene.round.phase == "taken"
    scene.finish()
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    assert scene.round.phase == "paid"


def test_it_refuses_the_middle_of_a_round_that_has_not_begun(scene):
    for act, params in (
        ("call_dice", {"dice": [2, 5, 5]}),
        ("take_losers", {}),
        ("pay_seats", {}),
        ("clear_layout", {}),
        ("call_no_roll", {"reason": "leans"}),
    ):
        with scene.refused("no-round"):
            scene.act(act, params)


def test_a_shake_without_wagers_begins_a_round(scene):
    scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert (scene.round.number, scene.round.phase) == (1, "paid")
    scene.act("clear_layout")
