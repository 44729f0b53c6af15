"""A round of Sic Bo, act by act, in the order of each edition."""

import pytest

from games.engine import Wager
from games.wording import reason_text
from tests.games.play import A_FEW, CLOSE_FIRST, EVERY_WAY, SIC_BO, lit, opened, ready, refusal

clause = pytest.mark.clause


# The order of steps


@clause("PA-539.5(b)")
def test_539_shakes_only_after_no_more_bets():
    assert refusal("shake", opened()) == ("bets-still-open", "58 Pa. Code § 539.5(b)")
    closed, record = SIC_BO.no_more_bets(opened())
    assert (closed.phase, record.section) == ("closed", "58 Pa. Code § 539.5(b)")
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 539.5(b)")


@clause("NJ-19:47-9.5(b)")
def test_new_jersey_shakes_only_after_no_more_bets():
    assert refusal("shake", opened("nj-19-47-9")) == ("bets-still-open", "N.J.A.C. 19:47-9.5(b)")
    closed, _ = SIC_BO.no_more_bets(opened("nj-19-47-9"))
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "N.J.A.C. 19:47-9.5(b)")


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.5(c)(1)", marks=clause("PA-539.5(c)(1)")),
        pytest.param("nj-19-47-9", "N.J.A.C. 19:47-9.5(c)", marks=clause("NJ-19:47-9.5(c)")),
    ],
)
def test_a_manual_shaker_is_shaken_three_times_at_least_after_the_call(key, section):
    closed, _ = SIC_BO.no_more_bets(opened(key))
    assert refusal("shake", closed, times=2) == ("too-few-shakes", section)
    shaken, record = SIC_BO.shake(closed, times=3)
    assert (shaken.phase, record.times, record.section) == ("ready", 3, section)


@clause("PA-625a.5(b)(1)")
def test_625a_shakes_a_manual_shaker_first_with_bets_still_open():
    assert refusal("no_more_bets", opened("pa-625a/A")) == ("not-shaken", "58 Pa. Code § 625a.5(b)(1)")
    assert refusal("shake", opened("pa-625a/A"), times=2) == ("too-few-shakes", "58 Pa. Code § 625a.5(b)(1)")
    shaken, _ = SIC_BO.shake(opened("pa-625a/A"))
    assert shaken.phase == "shaken"
    assert SIC_BO.place_wagers(shaken, [(4, "big", 100, "chips")])[0].wagers[-1] == Wager(4, "big", 100)


@clause("PA-625a.5(b)(2)")
def test_625a_activates_a_covered_automated_shaker_first():
    shaken, record = SIC_BO.shake(opened("pa-625a/B", "automated-covered"), times=1)
    assert (shaken.phase, record.section) == ("shaken", "58 Pa. Code § 625a.5(b)(2)")
    SIC_BO.verify_place_wagers(shaken, A_FEW)


@clause("PA-625a.5(c)")
@pytest.mark.parametrize("kind", ["manual", "automated-covered"])
def test_625a_reveals_no_dice_before_no_more_bets(kind):
    shaken, _ = SIC_BO.shake(opened("pa-625a/A", kind))
    assert refusal("call_dice", shaken, (1, 2, 3)) == ("bets-still-open", "58 Pa. Code § 625a.5(c)")
    closed, _ = SIC_BO.no_more_bets(shaken)
    assert closed.phase == "ready"
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 625a.5(c)")


@clause("PA-625a.5(g)-wagers", "PA-625a.5(g)-activate")
@pytest.mark.parametrize("kind", ["automated-uncovered", "player-activated"])
def test_625a_closes_bets_before_dice_in_plain_view_are_activated(kind):
    assert refusal("shake", opened("pa-625a/A", kind)) == ("bets-still-open", "58 Pa. Code § 625a.5(g)")
    closed, _ = SIC_BO.no_more_bets(opened("pa-625a/A", kind))
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 625a.5(g)")
    assert SIC_BO.shake(closed)[0].phase == "ready"


@clause("PA-625a.5(g)-activate")
def test_a_player_with_a_wager_may_work_a_player_activated_shaker_and_no_other():
    closed, _ = SIC_BO.no_more_bets(opened("pa-625a/A", "player-activated"))
    assert SIC_BO.shake(closed, by_seat=2)[1].by_seat == 2
    assert refusal("shake", closed, by_seat=8) == ("no-live-wager", "58 Pa. Code § 625a.5(g)")
    uncovered, _ = SIC_BO.no_more_bets(opened("pa-625a/A", "automated-uncovered"))
    assert refusal("shake", uncovered, by_seat=2) == ("not-player-activated", "58 Pa. Code § 625a.5(g)")


@clause("PA-539.5(c)(2)")
def test_539_activates_an_automated_shaker_after_the_call():
    closed, _ = SIC_BO.no_more_bets(opened("pa-539", "automated-uncovered"))
    assert SIC_BO.shake(closed, times=1)[1].section == "58 Pa. Code § 539.5(c)(2)"


@clause("PA-539.5(d)-enter", "PA-625a.5(d)-enter", "NJ-19:47-9.5(d)-enter", "PA-625a.5(g)-complete")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_a_round_does_not_settle_without_three_entered_faces(key, kind):
    state = ready(key, kind)
    section = state.rules.section("call-dice")
    assert refusal("take_losers", state) == ("not-lit", state.rules.section("settlement"))
    assert refusal("call_dice", state, (1, 2)) == ("wrong-number-of-dice", section)
    for dice in ((1, 2, 7), (0, 1, 2), (True, 1, 2), (1.0, 1, 2), ("1", 1, 2)):
        assert refusal("call_dice", state, dice) == ("no-such-face", section)
    assert SIC_BO.call_dice(state, (1, 2, 3))[0].phase == "lit"


@clause("PA-539.5(e)-order", "PA-625a.5(e)-order", "NJ-19:47-9.5(e)-order")
@clause("PA-539.5(e)-manual-uncovered", "PA-625a.5(e)-uncovered", "NJ-19:47-9.5(e)-uncovered")
@clause("PA-539.5(f)", "PA-625a.5(f)", "NJ-19:47-9.5(f)")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_losers_are_taken_then_winners_paid_then_the_layout_cleared_and_nothing_else(key, kind):
    state = lit(key=key, kind=kind)
    assert refusal("pay_seats", state, [1]) == ("losers-not-taken", state.rules.section("take"))
    assert refusal("clear_layout", state) == ("losers-not-taken", state.rules.section("take"))
    state, taken = SIC_BO.take_losers(state)
    assert [one.wager.seat for one in taken.settled] == [2]
    assert refusal("take_losers", state)[0] == "losers-taken-already"
    assert refusal("clear_layout", state) == ("winners-not-paid", state.rules.section("pay"))
    state, paid = SIC_BO.pay_seats(state, [3])
    assert (state.phase, [one.paid_cents for one in paid.settled]) == (
        "taken",
        [7000 if key[-1] == "B" else 6000],
    )
    assert refusal("pay_seats", state, [3])[0] == "seat-paid-already"
    assert refusal("pay_seats", state, [2])[0] == "nothing-to-pay"
    assert refusal("shake", state)[0] == "shaken-already"
    state, _ = SIC_BO.pay_seats(state)
    assert (state.phase, state.paid_seats) == ("paid", frozenset({1, 3}))
    state, _ = SIC_BO.clear_layout(state)
    assert (state.phase, SIC_BO.next_act(state)) == ("cleared", None)
    assert refusal("place_wagers", state, A_FEW)[0] == "round-over"


def test_without_losers_or_winners_those_steps_are_skipped():
    assert lit(placings=[(1, "small", 100, "chips")]).phase == "taken"
    assert lit(placings=[]).phase == "paid"
    assert SIC_BO.take_losers(lit(placings=[(1, "big", 100, "chips")]))[0].phase == "paid"


@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_the_ribbon_tells_where_the_round_is(key, kind):
    state, first = opened(key, kind), "no-more-bets" if (key, kind) in CLOSE_FIRST else "shake"
    assert [step.code for step in SIC_BO.steps(state)][:2] == ["placement", first]
    assert [step.status for step in SIC_BO.steps(state)] == ["now"] + ["next"] * 6
    assert [step.status for step in SIC_BO.steps(lit(key=key, kind=kind))] == ["done"] * 4 + [
        "now",
        "next",
        "next",
    ]
    assert {step.status for step in SIC_BO.steps(SIC_BO.void_round(state, "spill")[0])} == {"off"}
    assert all(step.section for step in SIC_BO.steps(state))


# Wagers


@clause("PA-539.4(a)-chips", "PA-539.4(a)-verbal")
def test_539_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("pa-539", "58 Pa. Code § 539.4(a)")


@clause("PA-625a.4(a)-chips", "PA-625a.4(a)-verbal")
def test_625a_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("pa-625a/A", "58 Pa. Code § 625a.4(a)")


@clause("NJ-19:47-9.3(a)-chips", "NJ-19:47-9.3(a)-verbal")
def test_new_jersey_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("nj-19-47-9", "N.J.A.C. 19:47-9.3(a)")


def assert_only_chips(key, section):
    state = opened(key, placings=[])
    for made_in in ("chips", "plaques"):
        assert SIC_BO.place_wagers(state, [(1, "big", 100, made_in)])[0].wagers == (Wager(1, "big", 100),)
    for made_in in ("cash", "call", ""):
        assert refusal("place_wagers", state, [(1, "big", 100, made_in)]) == ("cash-wager", section)
    assert refusal("place_wagers", state, [(1, "the corner", 100, "chips")])[0] == "no-such-wager"


@clause("PA-539.4(b)-position", "PA-625a.4(b)-position", "NJ-19:47-9.3(b)-position")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_a_wager_cannot_be_moved_once_bets_are_closed(key, kind):
    for state in (ready(key, kind), lit(key=key, kind=kind)):
        assert (
            refusal("place_wagers", state, [(1, "small", 0, "chips"), (1, "big", 500, "chips")])[0]
            == "bets-closed"
        )


def test_a_wager_is_the_new_total_and_zero_removes_it():
    state, record = SIC_BO.place_wagers(opened(), [(1, "small", 700, "chips"), (2, "big", 0, "chips")])
    assert state.wagers == (Wager(1, "small", 700), Wager(3, "total:9", 1000))
    assert record.before_cents == (500, 500)


@pytest.mark.parametrize(
    ("placing", "code"),
    [
        ((1, "big", -1, "chips"), "bad-amount"),
        ((1, "big", 1.5, "chips"), "bad-amount"),
        ((1, "big", True, "chips"), "bad-amount"),
        ((1, "big", False, "chips"), "bad-amount"),
        ((0, "big", 100, "chips"), "bad-seat"),
        ((True, "big", 100, "chips"), "bad-seat"),
        ((1, "total:3", 0, "chips"), "no-such-wager"),
    ],
)
def test_one_refused_wager_refuses_them_all(placing, code):
    assert refusal("place_wagers", opened(), [(5, "big", 100, "chips"), placing])[0] == code


def test_an_empty_entry_is_refused():
    assert refusal("place_wagers", opened(), [])[0] == "nothing-placed"


@pytest.mark.parametrize(
    ("dice", "said"),
    [
        ((2, 5, 5), "Total 12, big"),
        ((1, 4, 5), "Total 10, small"),
        ((5, 5, 1), "Total 11, big"),
        ((2, 2, 2), "Total 6, triple"),
    ],
)
def test_the_dice_are_summed_up_as_people_call_them(dice, said):
    assert reason_text(SIC_BO.announcement([dice])) == said
