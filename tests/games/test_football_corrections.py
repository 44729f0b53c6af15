"""Three Dice Football: what can be corrected and what cannot, and what its screens show of a game."""

import pytest

from games.wording import reason_text
from tests.games.football_play import (
    CITE,
    FOOTBALL,
    GAIN_4,
    GAIN_8,
    NO_GAIN,
    NO_POINT,
    PENALTY,
    TOUCHDOWN_GAME,
    TRIPS_TD,
    TURNOVER,
    called,
    lay,
    opened,
    played,
    refusal,
    settled_out,
)

clause = pytest.mark.clause
SCORED = [lay(1, "touchdown"), lay(2, "extra-point"), lay(3, "defense"), lay(3, "game-length:3")]


# Voids and corrections


def test_a_void_round_keeps_what_was_settled_and_returns_the_rest():
    state, done = played(opened(lay(1, "touchdown"), lay(2, "big-play", 500, 1)), GAIN_8)
    assert [one.outcome for one in done] == ["win"]
    void, record = FOOTBALL.void_round(state, "power failure")
    assert {one.wager.code: one.outcome for one in void.settled} == {"big-play": "win", "touchdown": "return"}
    assert record.section == CITE + "5"
    assert refusal("void_round", state, " ")[0] == "reason-missing"
    assert (
        refusal("void_round", called(opened(lay(1, "penalty", 500, 1)), GAIN_8), "x")[0]
        == "dice-called-already"
    )


def test_the_dice_of_a_play_are_corrected_until_something_of_it_is_settled():
    state = called(opened(lay(1, "big-play", 500, 1), lay(2, "penalty", 500, 1)), GAIN_8)
    corrected, record = FOOTBALL.correct_dice(state, PENALTY, "misread")
    assert (record.before, FOOTBALL.view(corrected)["yard"]) == (GAIN_8, 21)
    assert refusal("correct_dice", state, (4, 6, 2))[0] == "dice-unchanged"
    FOOTBALL.verify_correct_dice(state, (2, 6, 4))  # the red die has its own place
    begun, _ = FOOTBALL.settle_seats(state, [1])
    assert refusal("correct_dice", begun, PENALTY)[0] == "payment-begun"
    over, _ = FOOTBALL.settle_seats(begun)
    assert refusal("correct_dice", over, PENALTY)[0] == "payment-begun"


def test_a_play_without_settlement_is_corrected_until_there_are_wagers_on_the_next_one():
    state = called(opened(lay(1, "touchdown")), GAIN_8)
    assert state.phase == "open"
    assert refusal("correct_dice", opened(), GAIN_8)[0] == "no-dice-yet"
    ended, _ = FOOTBALL.correct_dice(state, TRIPS_TD)
    assert (ended.phase, ended.result.ending) == ("lit", "trips-td")
    wagered, _ = FOOTBALL.place_wagers(state, [lay(1, "penalty", 500, 2)])
    assert refusal("correct_dice", wagered, TRIPS_TD) == ("next-play-wagered", "5(e)")
    assert refusal("correct_dice", FOOTBALL.throw_dice(state)[0], TRIPS_TD) == ("thrown-already", "5(a)")


def test_a_score_that_was_none_is_corrected_before_the_extra_point_roll():
    state = called(played(opened(lay(1, "extra-point")), GAIN_8, GAIN_4)[0], GAIN_8)
    assert state.phase == "point"
    corrected, _ = FOOTBALL.correct_dice(state, NO_GAIN)
    assert (corrected.phase, FOOTBALL.view(corrected)["down"]) == ("open", 2)


def test_a_missed_wager_of_the_play_is_recorded_and_one_of_another_play_is_not():
    state = called(opened(lay(1, "big-play", 500, 1)), GAIN_8)
    corrected, _ = FOOTBALL.record_missed_wager(state, lay(2, "over-four", 500, 1), "hidden chip")
    assert {line.wager.seat for line in corrected.settled} == {1, 2}
    assert refusal("record_missed_wager", state, lay(2, "over-four", 500, 2))[0] == "not-the-next-play"
    struck, _ = FOOTBALL.strike_mistaken_wager(state, 1, "big-play", 1)
    assert (struck.phase, struck.wagers) == ("open", ())
    assert refusal("record_missed_wager", opened(), lay(1, "defense")) == ("not-thrown", "5(a)")
    thrown, _ = FOOTBALL.throw_dice(opened())
    assert refusal("strike_mistaken_wager", thrown, 1, "defense") == ("thrown-already", "5(a)")


def test_a_wager_that_an_earlier_play_settled_can_no_longer_be_corrected():
    state, _ = played(opened(lay(1, "big-play", 500, 1)), GAIN_8)
    state, _ = FOOTBALL.place_wagers(state, [lay(1, "penalty", 500, 2)])
    state = called(state, PENALTY)
    assert refusal("strike_mistaken_wager", state, 1, "big-play", 1)[0] == "settled-before"


def test_the_wager_that_an_extra_point_roll_was_made_on_is_not_struck_and_one_of_two_is():
    state, _ = played(opened(lay(1, "touchdown"), lay(1, "extra-point")), TRIPS_TD)
    rolled = called(state, NO_POINT)
    assert refusal("strike_mistaken_wager", rolled, 1, "extra-point") == ("extra-point-rolled", "6(f)(1)")
    state, _ = played(opened(lay(1, "touchdown"), lay(1, "extra-point"), lay(2, "extra-point")), TRIPS_TD)
    struck, _ = FOOTBALL.strike_mistaken_wager(called(state, NO_POINT), 1, "extra-point")
    after, done = settled_out(struck)
    assert (after.phase, [one.wager.code for one in done]) == ("paid", ["touchdown", "extra-point"])


@pytest.mark.parametrize(
    "act", ["no_more_bets", "shake", "take_losers", "pay_seats", "report_device_failure"]
)
def test_acts_of_other_games_are_not_for_this_one(act):
    assert refusal(act, opened())[0] == "not-now"
    assert refusal("report_shaker_failure", opened())[0] == "shaker-not-automated"


# What screens show


@pytest.mark.parametrize(
    ("throws", "said"),
    [
        ([GAIN_8], "Gain of 8"),
        ([NO_GAIN], "No gain"),
        ([PENALTY], "Penalty"),
        ([TURNOVER], "Turnover"),
        ([TRIPS_TD], "Trips TD"),
        (TOUCHDOWN_GAME, "Touchdown"),
        ([TRIPS_TD, (1, 2, 3)], "One 1"),
        ([TRIPS_TD, (1, 2, 1)], "Two 1s"),
        ([TRIPS_TD, (1, 1, 1)], "Three 1s"),
        ([TRIPS_TD, (4, 4, 4)], "Triple"),
        ([TRIPS_TD, NO_POINT], "No point"),
    ],
)
def test_a_throw_is_called_as_people_say_it(throws, said):
    assert reason_text(FOOTBALL.announcement(throws)) == said
    assert FOOTBALL.arranged((6, 4, 2)) == (4, 6, 2)


@clause("PA-577.6(a)-down-puck", "PA-577.6(a)-yard-marker", "PA-577.6(a)-length-puck")
def test_the_field_is_shown_as_it_stands():
    state = opened(lay(2, "touchdown"))
    assert FOOTBALL.view(state) == {
        "yard": 20, "down": 1, "goal": False, "play": 1, "track": [], "score": None, "locked": False,
        "extra_point": False, "quarterback": 5, "offer": {"next": 2, "last": 5},
    }  # fmt: skip
    state, _ = played(state, GAIN_8, GAIN_4)
    assert FOOTBALL.view(state) == {
        "yard": 8, "down": 1, "goal": True, "play": 3, "score": None, "locked": True, "extra_point": False,
        "track": [
            {"play": 1, "from": 20, "to": 12, "what": "gain", "yards": 8},
            {"play": 2, "from": 12, "to": 8, "what": "gain", "yards": 4},
        ],
        "quarterback": 5, "offer": {"next": 2, "last": 5},
    }  # fmt: skip
    state, _ = played(state, GAIN_8)
    view = FOOTBALL.view(state)
    assert (view["yard"], view["play"], view["score"], view["extra_point"]) == (0, 3, "touchdown", False)


def ribbon(state):
    return [f"{step.code} {step.status}" for step in FOOTBALL.steps(state)]


def test_the_ribbon_grows_with_the_plays():
    waiting = opened(quarterback=None)
    assert ribbon(waiting) == [
        "offer-dice now", "placement:1 next", "throw:1 next", "settlement:1 next", "placement:2 next",
        "throw:2 next", "clear next",
    ]  # fmt: skip
    lit = called(opened(lay(1, "penalty", 500, 1)), GAIN_8)
    assert ribbon(lit)[:4] == ["offer-dice done", "placement:1 done", "throw:1 done", "settlement:1 now"]
    second, _ = settled_out(lit)
    assert ribbon(FOOTBALL.throw_dice(second)[0]) == [
        "offer-dice done", "placement:1 done", "play:1 done", "placement:2 done", "throw:2 now",
        "settlement:2 next", "clear next",
    ]  # fmt: skip
    assert {step.status for step in FOOTBALL.steps(FOOTBALL.void_round(waiting, "spill")[0])} == {"off"}


def test_the_ribbon_of_a_score_ends_with_its_extra_point_roll():
    first, _ = played(opened(*SCORED), *TOUCHDOWN_GAME[:2])
    score = called(first, TOUCHDOWN_GAME[2])
    awaiting, _ = settled_out(score)
    rolled = called(awaiting, NO_POINT)
    paid, _ = settled_out(rolled)
    plays = ["offer-dice done", "placement:1 done", "play:1 done", "play:2 done", "play:3 done"]
    final = ["settle-score", "extra-point-roll", "finish-score", "clear"]
    for at, state in enumerate((score, awaiting, rolled, paid)):
        told = [
            f"{code} {'done' if n < at else 'now' if n == at else 'next'}" for n, code in enumerate(final)
        ]
        assert ribbon(state) == plays + told
    assert {step.status for step in FOOTBALL.steps(FOOTBALL.clear_layout(paid)[0])} == {"done"}
    assert all(step.section for step in FOOTBALL.steps(paid))
