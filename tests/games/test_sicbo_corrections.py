"""No roll, void, failures, and mistakes corrected before the first payment."""

import pytest

from games.engine import Wager
from tests.games.play import SIC_BO, lit, opened, ready, refusal

clause = pytest.mark.clause


# No roll, void, failures


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param(
            "pa-539", "58 Pa. Code § 539.7(a)", marks=clause("PA-539.7(a)-call", "PA-539.7(a)-return")
        ),
        pytest.param(
            "pa-625a/A", "58 Pa. Code § 625a.7(a)", marks=clause("PA-625a.7(a)-call", "PA-625a.7(a)-return")
        ),
        pytest.param("nj-19-47-9", "N.J.A.C. 19:47-9.6(a)", marks=clause("NJ-19:47-9.6(a)")),
    ],
)
def test_a_no_roll_returns_every_wager(key, section):
    assert refusal("call_no_roll", opened(key))[0] == "not-ready"
    assert refusal("call_no_roll", lit(key=key))[0] == "dice-called-already"
    state, record = SIC_BO.call_no_roll(ready(key), "one die leans")
    assert state.phase == "no-roll"
    assert_all_returned(record.settled, section)
    assert state.settled == record.settled


def assert_all_returned(settled, section):
    assert [(one.outcome, one.paid_cents, one.returned_cents, one.cite) for one in settled] == [
        ("return", 0, 500, section),
        ("return", 0, 500, section),
        ("return", 0, 1000, section),
    ]


def test_the_house_may_void_a_round_until_its_dice_are_called():
    for state in (opened(), SIC_BO.no_more_bets(opened())[0], ready(), SIC_BO.shake(opened("pa-625a/A"))[0]):
        void, record = SIC_BO.void_round(state, "a spilled drink")
        assert void.phase == "void"
        assert_all_returned(record.settled, state.rules.section("void"))
    assert refusal("void_round", lit(), "too late")[0] == "dice-called-already"
    assert refusal("void_round", opened(), "  ")[0] == "reason-missing"


@pytest.mark.parametrize(
    ("key", "section", "witness"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.7(b)", "floorperson", marks=clause("PA-539.7(b)-settle")),
        pytest.param(
            "pa-625a/A", "58 Pa. Code § 625a.7(b)", "floorperson", marks=clause("PA-625a.7(b)-settle")
        ),
        pytest.param(
            "nj-19-47-9", "N.J.A.C. 19:47-9.6(b)", "casino-supervisor", marks=clause("NJ-19:47-9.6(b)-settle")
        ),
    ],
)
def test_a_device_that_fails_with_the_dice_seen_is_settled_manually(key, section, witness):
    state, record = SIC_BO.report_device_failure(ready(key), (2, 3, 4))
    assert (state.phase, state.manual_settlement, state.dice) == ("lit", True, (2, 3, 4))
    assert (record.section, record.witness, record.settled) == (section, witness, ())
    assert state.settled == lit(key=key).settled
    after, _ = SIC_BO.report_device_failure(lit(key=key))
    assert (after.phase, after.manual_settlement) == ("lit", True)


@pytest.mark.parametrize("key", ["pa-539", "nj-19-47-9", "pa-625a/A"])
def test_a_device_that_fails_before_the_dice_are_seen_voids_the_round(key):
    for state in (opened(key), ready(key)):
        void, record = SIC_BO.report_device_failure(state)
        assert (void.phase, record.witness) == ("void", None)
        assert_all_returned(record.settled, state.rules.section("void"))
    assert refusal("report_device_failure", opened(key), (1, 2, 3))[0] == "dice-not-seen"


def test_dice_in_plain_view_must_be_settled_manually():
    state = ready("pa-625a/A", "automated-uncovered")
    assert refusal("report_device_failure", state) == ("dice-are-in-view", "58 Pa. Code § 625a.7(b)")


@clause("PA-625a.7(b)-settle")
def test_dice_that_an_automated_shaker_has_tossed_must_be_settled_manually():
    shaken, _ = SIC_BO.shake(opened("pa-625a/A", "automated-covered"))
    for state in (shaken, SIC_BO.no_more_bets(shaken)[0]):
        assert refusal("report_device_failure", state) == ("dice-were-tossed", "58 Pa. Code § 625a.7(b)")
        settled, record = SIC_BO.report_device_failure(state, (2, 3, 4))
        assert (settled.phase, settled.manual_settlement, record.settled) == ("lit", True, ())
    manual, _ = SIC_BO.shake(opened("pa-625a/A"))
    assert refusal("report_device_failure", manual, (2, 3, 4))[0] == "dice-not-seen"


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.7(c)", marks=clause("PA-539.7(c)")),
        pytest.param("pa-625a/A", "58 Pa. Code § 625a.7(c)", marks=clause("PA-625a.7(c)")),
    ],
)
def test_an_automated_shaker_that_fails_voids_the_round(key, section):
    closed, _ = SIC_BO.no_more_bets(opened(key, "automated-uncovered"))
    void, record = SIC_BO.report_shaker_failure(closed)
    assert void.phase == "void"
    assert_all_returned(record.settled, section)
    assert refusal("report_shaker_failure", opened(key, "automated-uncovered"))[0] == "shaker-not-started"
    assert refusal("report_shaker_failure", ready(key, "manual"))[0] == "shaker-not-automated"


# Corrections


def test_dice_entered_wrong_are_corrected_until_the_first_payment():
    wrong = SIC_BO.take_losers(lit())[0]
    state, record = SIC_BO.correct_dice(wrong, (6, 5, 4), "misread")
    assert (state.phase, record.before, record.dice) == ("lit", (2, 3, 4), (6, 5, 4))
    assert [one.wager.seat for one in SIC_BO.winners(state)] == [2]
    assert refusal("correct_dice", wrong, (4, 3, 2))[0] == "dice-unchanged"
    assert refusal("correct_dice", SIC_BO.pay_seats(wrong, [1])[0], (6, 5, 4))[0] == "payment-begun"
    assert refusal("correct_dice", ready(), (6, 5, 4))[0] == "no-dice-yet"


def test_dice_entered_wrong_can_be_corrected_when_they_left_nobody_to_pay():
    paid = SIC_BO.take_losers(lit((6, 6, 6), placings=[(1, "small", 100, "chips")]))[0]
    assert paid.phase == "paid"
    assert SIC_BO.correct_dice(paid, (1, 2, 3))[0].phase == "taken"


def test_a_missed_loser_is_taken_and_a_missed_winner_is_paid():
    taken = SIC_BO.take_losers(lit())[0]
    assert SIC_BO.record_missed_wager(taken, (4, "big", 100, "chips"))[0].phase == "lit"
    assert SIC_BO.record_missed_wager(taken, (4, "small", 100, "chips"))[0].phase == "taken"
    nobody = SIC_BO.take_losers(lit(placings=[(1, "big", 100, "chips")]))[0]
    assert SIC_BO.record_missed_wager(nobody, (4, "small", 100, "chips"))[0].phase == "taken"
    assert refusal("record_missed_wager", opened(), (4, "big", 100, "chips"))[0] == "bets-still-open"
    assert refusal("record_missed_wager", taken, (1, "small", 500, "chips"))[0] == "wager-unchanged"
    assert refusal("record_missed_wager", taken, (4, "small", 0, "chips"))[0] == "bad-amount"
    assert refusal("record_missed_wager", taken, (4, "small", 100, "cash"))[0] == "cash-wager"


def test_a_mistaken_wager_is_struck_until_the_first_payment():
    state, record = SIC_BO.strike_mistaken_wager(lit(), 2, "big", reason="lay on the rail")
    assert (state.phase, record.wager) == ("taken", Wager(2, "big", 500))
    assert refusal("strike_mistaken_wager", state, 2, "big")[0] == "nothing-to-strike"
    assert (
        refusal("strike_mistaken_wager", SIC_BO.pay_seats(state, [1])[0], 3, "total:9")[0] == "payment-begun"
    )


def test_a_round_is_restored_from_what_is_kept_of_it():
    state = SIC_BO.pay_seats(SIC_BO.take_losers(lit())[0], [1])[0]
    kept = SIC_BO.restore(state.rules, state.shaker, state.phase, list(state.wagers), [[2, 3, 4]], [1])
    assert kept == state
