"""Corrections and voids in a round of High Roll Dice: what may be corrected, and until when."""

import pytest

from games.engine import Wager
from tests.games.play_high_roll import (
    FOUR_FIVES,
    HIGH_ROLL,
    WITHOUT,
    lit,
    lit_again,
    loose,
    on_to,
    opened,
    refusal,
    short,
)

clause = pytest.mark.clause


@clause("PA-675a.1(c)(2)")
def test_an_extra_roll_is_not_recorded_after_the_lock_out():
    missed = (1, "extra-roll", 500)
    unlocked = on_to(opened(), "unlocked")
    corrected, _ = HIGH_ROLL.record_missed_wager(unlocked, missed)
    assert (corrected.phase, HIGH_ROLL.view(corrected)["extra"]["seats"]) == ("unlocked", [1, 2])
    for phase in ("locked", "closed", "ready"):
        found = refusal("record_missed_wager", on_to(unlocked, phase), missed)
        assert found == ("extra-rolls-locked-out", short("1(c)(2)"))
    assert refusal("record_missed_wager", lit(), missed)[0] == "extra-rolls-locked-out"


def test_one_that_is_found_where_none_was_entered_is_still_locked_out():
    closed = on_to(opened(WITHOUT), "closed")
    corrected, _ = HIGH_ROLL.record_missed_wager(closed, (1, "extra-roll", 500))
    assert corrected.phase == "unlocked"
    shaken = HIGH_ROLL.shake(closed)[0]
    for state in (shaken, HIGH_ROLL.call_no_roll(shaken, "cocked")[0]):
        assert refusal("record_missed_wager", state, (1, "extra-roll", 500))[0] == "extra-rolls-locked-out"


def test_a_mistaken_extra_roll_is_struck_until_its_fee_is_collected():
    for phase in ("unlocked", "locked"):
        struck, _ = HIGH_ROLL.strike_mistaken_wager(on_to(opened(), phase), 2, "extra-roll")
        assert struck.phase == "closed"
    assert refusal("strike_mistaken_wager", on_to(opened(), "closed"), 2, "extra-roll") == (
        "extra-rolls-locked-out",
        short("1(c)(2)"),
    )


def test_other_wagers_are_corrected_until_settling_begins_and_must_fit_the_layout():
    state, _ = HIGH_ROLL.record_missed_wager(lit(), (1, "pip:1", 500))
    assert Wager(1, "pip:1", 500) in state.wagers
    assert refusal("record_missed_wager", lit(), (3, "like-kind:4", 500))[0] == "pip-street-first"
    assert refusal("record_missed_wager", lit(), (1, "pip:1", 600))[0] == "unequal-wagers"
    struck, _ = HIGH_ROLL.strike_mistaken_wager(lit(), 1, "pip:2")
    assert Wager(1, "pip:2", 500) not in struck.wagers
    for state in (loose(), on_to(loose(), "closed"), on_to(loose(), "ready")):
        assert refusal("record_missed_wager", state, (1, "pip:1", 500))[0] == "payment-begun"
        assert refusal("strike_mistaken_wager", state, 1, "pip:2")[0] == "payment-begun"
        assert refusal("correct_dice", state, (1,) * 10)[0] == "payment-begun"
    assert refusal("strike_mistaken_wager", lit_again(), 1, "pip:2")[0] == "settled-before"


def test_dice_entered_wrong_are_corrected_on_either_throw():
    _, record = HIGH_ROLL.correct_dice(lit(), (5, 5, 5, 6, 6, 6, 6, 1, 1, 4), "miscount")
    assert record.winning == ("pip:6", "like-kind:4")
    assert refusal("correct_dice", lit(), tuple(sorted(FOUR_FIVES)))[0] == "dice-unchanged"
    again, record = HIGH_ROLL.correct_dice(lit_again(), (5, 5, 1, 1, 2, 3))
    assert (again.throws, record.section) == ((FOUR_FIVES, (5, 5, 1, 1, 2, 3)), short("4(h)"))
    assert refusal("correct_dice", lit_again(), FOUR_FIVES)[0] == "wrong-number-of-dice"
    assert refusal("correct_dice", on_to(opened(), "ready"), FOUR_FIVES)[0] == "no-dice-yet"


def test_a_round_voided_before_the_first_roll_returns_everything_with_the_fee():
    for phase in ("open", "unlocked", "locked", "closed", "ready"):
        void, record = HIGH_ROLL.void_round(on_to(opened(), phase), "a fire alarm")
        assert {one.outcome for one in void.settled} == {"return"}
        assert sum(one.returned_cents for one in record.settled) == sum(wager.cents for wager in void.wagers)
    assert refusal("void_round", lit(), "late") == ("dice-called-already", short("4(d)"))


def test_between_the_throws_the_first_roll_stands_and_the_rest_and_the_fee_go_back():
    for phase in ("loose", "closed", "ready"):
        void, _ = HIGH_ROLL.void_round(on_to(loose(), phase), "a fire alarm")
        back = [one.wager.key[:2] for one in void.settled if one.outcome == "return"]
        assert sorted(back) == [(2, "extra-roll"), (2, "like-kind:5")]
        assert sum(one.outcome == "win" for one in void.settled) == 4


def test_no_device_and_no_automated_shaker_can_fail_here():
    assert refusal("report_device_failure", lit())[0] == "not-now"
    assert refusal("report_shaker_failure", opened())[0] == "shaker-not-automated"
