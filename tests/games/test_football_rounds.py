"""A game of Three Dice Football, act by act: the offer, the wagers, the throw, the settlement in steps."""

import pytest

from games.engine import Placing
from tests.games.football_play import (
    CITE,
    DOWNS_GAME,
    FOOTBALL,
    GAIN_8,
    PENALTY,
    RULES,
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
FULL_GAME = ["touchdown", "defense", "extra-point", "quick-strike", "game-changer", "game-length:3"]
SCORED = [lay(1, "touchdown"), lay(2, "extra-point"), lay(3, "defense"), lay(3, "game-length:3")]


# The Quarterback


@clause("PA-577.4(b)-first", "PA-577.4(b)-next", "PA-577.4(c)-quarterback")
def test_the_dice_are_offered_clockwise_from_the_stickpersons_left_and_no_player_is_passed_over():
    state = opened(lay(3, "touchdown"), lay(6, "defense"), quarterback=None)
    assert FOOTBALL.next_act(state) == ("offer_dice", CITE + "4(b)")
    assert refusal("throw_dice", state) == ("no-quarterback", "4(c)")
    assert refusal("offer_dice", state, 6, True) == ("offer-in-turn", "4(b)")
    state, first = FOOTBALL.offer_dice(state, 1, False)  # a seat without a wager may be asked too
    assert (first.accepted, first.section, state.quarterback) == (False, CITE + "4(b)", None)
    state, _ = FOOTBALL.offer_dice(state, 3, False)
    state, taken = FOOTBALL.offer_dice(state, 6, True)
    assert (state.quarterback, taken.section) == (6, CITE + "4(c)")
    assert FOOTBALL.next_act(state) == ("throw_dice", CITE + "5(a)")


def test_while_nobody_takes_the_dice_the_offers_go_round_again():
    state = opened(lay(3, "touchdown"), lay(16, "defense"), quarterback=None)
    for seat in (3, 16, 3, 16):
        assert FOOTBALL.next_offer(state) == seat
        state, _ = FOOTBALL.offer_dice(state, seat, False)
    assert FOOTBALL.offer_dice(state, 3, True)[0].quarterback == 3


def test_the_only_player_may_be_asked_again_and_an_empty_table_is_asked_seat_by_seat():
    alone = FOOTBALL.offer_dice(opened(lay(4, "touchdown"), quarterback=None), 4, False)[0]
    assert FOOTBALL.offer_dice(alone, 4, True)[0].quarterback == 4
    empty = opened(quarterback=None)
    assert FOOTBALL.next_offer(empty) == 1
    assert FOOTBALL.next_offer(FOOTBALL.offer_dice(empty, 1, False)[0]) == 2


@pytest.mark.parametrize("seat", [0, 17, -1, True, 1.0, "3", None])
def test_the_table_has_sixteen_places(seat):
    assert refusal("offer_dice", opened(quarterback=None), seat, True) == ("bad-seat", "2(a)")


@clause("PA-577.7(b)-quarterback", "PA-577.4(c)-quarterback")
def test_once_somebody_holds_the_dice_nobody_else_is_offered_them():
    state = opened(lay(1, "touchdown"))
    assert refusal("offer_dice", state, 6, True) == ("quarterback-chosen", "7(a)")
    assert refusal("offer_dice", state, 5, True)[0] == "quarterback-chosen"


def test_a_quarterback_may_give_the_dice_up_and_they_go_to_his_left():
    state, record = FOOTBALL.offer_dice(opened(lay(7, "touchdown")), 5, False)
    assert (state.quarterback, state.offered, record.section) == (None, 5, CITE + "7(a)")
    assert FOOTBALL.next_offer(state) == 7


def test_a_seat_whose_wagers_are_all_settled_may_be_passed_over():
    state, _ = played(opened(lay(6, "penalty", 500, 1), lay(9, "touchdown")), GAIN_8)
    state, _ = FOOTBALL.offer_dice(state, 5, False)
    assert FOOTBALL.next_offer(state) == 9
    assert FOOTBALL.offer_dice(state, 9, True)[0].quarterback == 9


@clause("PA-577.7(a)-retain")
@pytest.mark.parametrize("throws", [TOUCHDOWN_GAME, [TRIPS_TD]])
def test_after_a_score_the_quarterback_keeps_the_dice(throws):
    state, _ = played(opened(lay(1, "touchdown")), *throws)
    assert FOOTBALL.next_quarterback(state) == (5, 5)
    held = FOOTBALL.open_round(RULES, None, *FOOTBALL.next_quarterback(state))
    FOOTBALL.verify_throw_dice(held)


@clause("PA-577.7(a)-offer", "PA-577.7(a)-next", "PA-577.7(b)-quarterback")
@pytest.mark.parametrize("throws", [DOWNS_GAME, [TURNOVER]])
def test_after_a_win_of_the_defense_the_dice_go_to_the_quarterbacks_left(throws):
    state, _ = played(opened(lay(1, "touchdown")), *throws)
    assert FOOTBALL.next_quarterback(state) == (None, 5)
    fresh = FOOTBALL.open_round(RULES, None, *FOOTBALL.next_quarterback(state))
    fresh, _ = FOOTBALL.place_wagers(fresh, [lay(5, "touchdown"), lay(8, "touchdown")])
    assert refusal("throw_dice", fresh) == ("no-quarterback", "4(c)")
    assert refusal("offer_dice", fresh, 5, True) == ("offer-in-turn", "7(a)")
    fresh, record = FOOTBALL.offer_dice(fresh, 8, False)
    assert record.section == CITE + "7(a)"
    assert FOOTBALL.offer_dice(fresh, 5, True)[0].quarterback == 5  # all the way round


def test_a_round_that_the_house_voids_leaves_the_dice_where_they_are():
    state, _ = FOOTBALL.void_round(opened(lay(1, "touchdown")), "fire alarm")
    assert FOOTBALL.next_quarterback(state) == (5, 5)


# Wagers


@clause("PA-577.3(a)-chips", "PA-577.3(a)-verbal")
def test_wagers_are_chips_and_plaques_and_never_cash():
    for made_in in ("chips", "plaques"):
        assert FOOTBALL.place_wagers(opened(), [(1, "defense", 500, made_in)])[0].wagers
    for made_in in ("cash", "call"):
        assert refusal("place_wagers", opened(), [(1, "defense", 500, made_in)]) == ("cash-wager", "3(a)")


@clause("PA-577.3(b)", "PA-577.3(d)")
@pytest.mark.parametrize("code", ["safety", "game-length:7", "field-goal", "touchdown:1", "pip:1"])
def test_no_other_wager_is_taken(code):
    assert refusal("place_wagers", opened(), [lay(1, code)]) == ("no-such-wager", "3")


@clause("PA-577.3(c)-before", "PA-577.6(b)-later")
@pytest.mark.parametrize("code", FULL_GAME)
def test_full_game_wagers_are_taken_before_the_first_throw_and_not_after(code):
    FOOTBALL.verify_place_wagers(opened(), [lay(1, code)])
    state, _ = played(opened(), GAIN_8)
    assert refusal("place_wagers", state, [lay(1, code)]) == ("full-game-locked", "3(c)")
    FOOTBALL.verify_place_wagers(state, [lay(1, "big-play", 500, 2)])


@clause("PA-577.3(c)-locked")
@pytest.mark.parametrize("cents", [0, 400, 600])
def test_full_game_wagers_are_not_raised_lowered_or_taken_back_after_the_first_throw_even_a_void_one(cents):
    state = opened(lay(1, "defense"))
    FOOTBALL.verify_place_wagers(state, [lay(1, "defense", cents)])
    after_a_void, _ = FOOTBALL.call_no_roll(FOOTBALL.throw_dice(state)[0], "off-table")
    for locked in (after_a_void, played(state, GAIN_8)[0]):
        assert refusal("place_wagers", locked, [lay(1, "defense", cents)]) == ("full-game-locked", "3(c)")


@clause("PA-577.3(e)-timing")
def test_single_play_wagers_are_open_to_the_next_play_until_it_is_thrown():
    state = opened()
    FOOTBALL.verify_place_wagers(state, [lay(1, "penalty", 500, 1)])
    assert refusal("place_wagers", state, [lay(1, "penalty", 500, 2)]) == ("not-the-next-play", "3(e)")
    thrown, _ = FOOTBALL.throw_dice(state)
    assert refusal("place_wagers", thrown, [lay(1, "penalty", 500, 1)]) == ("closed-by-the-throw", "3(e)")
    state, _ = played(state, GAIN_8)
    assert refusal("place_wagers", state, [lay(1, "penalty", 500, 1)]) == ("not-the-next-play", "3(e)")
    laid, _ = FOOTBALL.place_wagers(state, [lay(1, "penalty", 500, 2)])
    assert FOOTBALL.place_wagers(laid, [lay(1, "penalty", 0, 2)])[0].wagers == ()


@pytest.mark.parametrize(
    ("placing", "code"),
    [
        (lay(1, "penalty"), "play-missing"),
        (lay(1, "penalty", 500, 7), "no-such-play"),
        (lay(1, "penalty", 500, True), "no-such-play"),
        (lay(1, "touchdown", 500, 1), "play-not-asked"),
        (lay(1, "defense", 501), "fraction-of-a-cent"),
        (lay(1, "game-length:3", 503), "fraction-of-a-cent"),
        (lay(1, "defense", True), "bad-amount"),
        (lay(0, "defense"), "bad-seat"),
    ],
)
def test_a_wager_names_its_play_where_it_is_made_on_one_and_can_be_paid_exactly(placing, code):
    assert refusal("place_wagers", opened(), [placing])[0] == code


# The throw


@pytest.mark.parametrize(
    ("reason", "section"),
    [
        pytest.param("off-table", "5(b)", marks=clause("PA-577.5(b)")),
        pytest.param("on-another", "5(b)", marks=clause("PA-577.5(b)")),
        pytest.param(
            "not-simultaneous", "5(c)(1)", marks=clause("PA-577.5(c)(1)", "PA-577.5(a)-simultaneous")
        ),
        pytest.param("short-of-the-end", "5(c)(2)", marks=clause("PA-577.5(c)(2)", "PA-577.5(a)-far-end")),
        pytest.param("on-the-bank", "5(c)(3)", marks=clause("PA-577.5(c)(3)")),
        pytest.param("in-cup-or-rail", "5(c)(4)", marks=clause("PA-577.5(c)(4)")),
        pytest.param("cheating-device", "5(c)(5)"),
        pytest.param("improper", "5(c)(6)", marks=clause("PA-577.5(c)(6)")),
        pytest.param("cocked", "5(f)", marks=clause("PA-577.5(f)-void")),
        pytest.param("disputed", "5(g)"),
    ],
)
@clause("PA-577.1-down", "PA-577.5(c)")
def test_a_void_throw_is_thrown_again_with_every_wager_down_and_play_as_they_were(reason, section):
    state = opened(lay(1, "touchdown"), lay(1, "penalty", 500, 1))
    after, record = FOOTBALL.call_no_roll(FOOTBALL.throw_dice(state)[0], reason)
    assert (after.phase, after.wagers, after.throws, record.settled) == ("open", state.wagers, (), ())
    assert record.section == CITE + section
    assert FOOTBALL.view(after) == {**FOOTBALL.view(state), "locked": True}
    assert settled_out(called(after, PENALTY))[1][0].paid_cents == 4500


@clause("PA-577.5(d)", "PA-577.5(c)")
@pytest.mark.parametrize("reason", ["", "on-chips", "touched-chips", "table-talk"])
def test_dice_that_touch_other_chips_are_no_reason_for_a_no_roll_nor_is_anything_not_listed(reason):
    assert refusal("call_no_roll", FOOTBALL.throw_dice(opened())[0], reason) == ("no-such-reason", "5(c)")


@clause("PA-577.5(e)-one-face")
@pytest.mark.parametrize("dice", [(1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7), (True, 1, 2), (1.0, 2, 3)])
def test_each_of_three_dice_has_one_upper_face(dice):
    thrown, _ = FOOTBALL.throw_dice(opened())
    assert refusal("call_dice", thrown, dice)[1] == "5(e)"


def test_nothing_is_called_before_it_is_thrown_and_nothing_is_thrown_twice():
    assert refusal("call_dice", opened(), GAIN_8) == ("not-thrown", "5(a)")
    assert refusal("call_no_roll", opened(), "off-table") == ("not-thrown", "5(a)")
    assert refusal("throw_dice", FOOTBALL.throw_dice(opened())[0]) == ("thrown-already", "5(a)")


@clause("PA-577.5(h)-settle", "PA-577.5(h)-pass", "PA-577.3(e)-settled", "PA-577.6(d)-settle")
def test_the_next_throw_waits_until_every_wager_that_the_last_one_decided_is_settled():
    state = called(opened(lay(1, "penalty", 500, 1), lay(2, "big-play", 500, 1), lay(2, "touchdown")), GAIN_8)
    assert refusal("throw_dice", state) == ("settle-first", "5(h)")
    assert refusal("place_wagers", state, [lay(1, "penalty", 500, 2)]) == ("settle-first", "5(h)")
    assert refusal("clear_layout", state) == ("settle-first", "5(h)")
    state, record = FOOTBALL.settle_seats(state, [1])
    assert [(one.outcome, one.wager.code) for one in record.settled] == [("lose", "penalty")]
    assert refusal("settle_seats", state, [1]) == ("seat-settled-already", "5(h)")
    assert refusal("settle_seats", state, [3]) == ("nothing-to-settle", "5(h)")
    assert refusal("throw_dice", state) == ("settle-first", "5(h)")
    state, record = FOOTBALL.settle_seats(state)
    assert (state.phase, record.seats, record.settled[0].paid_cents) == ("open", (2,), 2000)
    FOOTBALL.verify_throw_dice(state)
    assert refusal("settle_seats", state)[0] == "not-lit"


# The end of a game


@clause("PA-577.6(f)(1)-defense", "PA-577.6(f)(1)-others", "PA-577.6(f)(1)-extra-roll")
@clause("PA-577.6(f)(1)-finish", "PA-577.1-extra-point-roll")
def test_a_score_is_settled_in_its_five_steps():
    state, _ = played(opened(*SCORED, lay(4, "big-play", 500, 1)), *TOUCHDOWN_GAME[:2])
    state, _ = FOOTBALL.place_wagers(state, [lay(4, "under-four", 500, 3)])
    state = called(state, TOUCHDOWN_GAME[2])
    steps = []
    while state.phase == "lit":
        state, record = FOOTBALL.settle_seats(state)
        steps.append([(one.wager.code, one.outcome) for one in record.settled])
    assert steps == [[("defense", "lose")], [("under-four", "lose")], [("game-length:3", "win")]]
    assert state.phase == "point"
    assert refusal("place_wagers", state, [lay(1, "penalty", 500, 4)]) == ("extra-point-next", "6(f)(1)")
    given_up, _ = FOOTBALL.offer_dice(state, 5, False)
    assert FOOTBALL.next_act(given_up).act == "offer_dice"
    assert FOOTBALL.offer_dice(given_up, 6, True)[0].quarterback == 6
    assert refusal("clear_layout", state)[0] == "not-now"
    void, _ = FOOTBALL.call_no_roll(FOOTBALL.throw_dice(state)[0], "improper")
    assert (void.phase, FOOTBALL.next_act(void).act) == ("point", "throw_dice")
    state = called(void, (1, 4, 1))
    assert (state.phase, FOOTBALL.lit_codes(state)) == ("lit", ("touchdown", "extra-point"))
    state, first = FOOTBALL.settle_seats(state)
    state, last = FOOTBALL.settle_seats(state)
    assert [one.paid_cents for one in (*first.settled, *last.settled)] == [500, 5000]
    assert [one.wager.code for one in (*first.settled, *last.settled)] == ["touchdown", "extra-point"]
    assert (state.phase, state.result.ending) == ("paid", "touchdown")
    assert refusal("throw_dice", state) == ("game-over", "6(a)")
    assert FOOTBALL.clear_layout(state)[0].phase == "cleared"


@clause("PA-577.6(f)(1)-extra-roll")
def test_without_an_extra_point_wager_the_touchdown_is_paid_at_once():
    state, done = played(
        opened(lay(1, "touchdown"), lay(2, "defense"), lay(3, "quick-strike")), *TOUCHDOWN_GAME
    )
    assert (state.phase, [one.wager.code for one in done]) == (
        "paid",
        ["defense", "quick-strike", "touchdown"],
    )
    assert [one.step for one in done] == [30, 32, 33]


@clause("PA-577.6(f)(2)-offense", "PA-577.6(f)(2)-others", "PA-577.3(b)(3)")
def test_a_win_of_the_defense_is_settled_in_its_three_steps():
    state, _ = played(opened(*SCORED), *DOWNS_GAME[:2])
    state, _ = FOOTBALL.place_wagers(state, [lay(1, "no-gain", 500, 3)])
    state, done = settled_out(called(state, DOWNS_GAME[2]))
    assert [(one.step, one.wager.code, one.outcome) for one in done] == [
        (30, "touchdown", "lose"),
        (30, "extra-point", "lose"),
        (30, "defense", "win"),
        (31, "no-gain", "win"),
        (32, "game-length:3", "win"),
    ]
    assert (state.phase, state.result.ending) == ("paid", "downs")


@clause("PA-577.6(c)(4)-end", "PA-577.3(d)(3)-downs")
def test_running_out_of_downs_is_no_turnover():
    state, _ = played(opened(lay(1, "game-changer")), *DOWNS_GAME[:2])
    state, _ = FOOTBALL.place_wagers(state, [lay(1, "turnover", 500, 3)])
    _, done = settled_out(called(state, DOWNS_GAME[2]))
    assert [(one.wager.code, one.outcome) for one in done] == [("turnover", "lose"), ("game-changer", "lose")]


def test_a_game_without_wagers_runs_to_its_end_by_itself():
    state, done = played(opened(), *TOUCHDOWN_GAME)
    assert (state.phase, done, state.settled) == ("paid", [], ())


def test_a_placing_without_a_play_is_a_full_game_wager():
    state, record = FOOTBALL.place_wagers(opened(), [Placing(1, "touchdown", 500)])
    assert (state.wagers[0].play, record.section) == (None, CITE + "3(a)")
