"""What each wager of Three Dice Football comes to, in exact cents, and in which order it is settled."""

import json
import time

import pytest

from games.engine.adjudication import BadLine, adjudicate
from games.engine.gridiron import course_of
from tests.games.football_play import (
    CITE,
    DOWNS_GAME,
    FOOTBALL,
    GAIN_1,
    GAIN_3,
    GAIN_4,
    GAIN_8,
    NO_GAIN,
    NO_POINT,
    PENALTY,
    RULES,
    TOUCHDOWN_GAME,
    TRIPS_TD,
    TURNOVER,
    on_paper,
    verdict_of,
)

clause = pytest.mark.clause
A_1, TWO_1S, THREE_1S, TRIPLE = (1, 4, 5), (1, 4, 1), (1, 1, 1), (6, 6, 6)


def row(code, odds, cents, throws, ids, play=None):
    """A win of $5: its odds, its cents, and the game that wins it."""
    return pytest.param(code, odds, cents, throws, play, marks=clause(ids))


TO_PLAY_2 = [GAIN_8, GAIN_8]
TRIPS_ON_2, TRIPS_ON_3 = [NO_GAIN, TRIPS_TD], [NO_GAIN, NO_GAIN, TRIPS_TD]
TRIPS_ON_4 = [GAIN_8, GAIN_4, NO_GAIN, TRIPS_TD]
GAME_OF_5 = [GAIN_8, GAIN_4, NO_GAIN, NO_GAIN, NO_GAIN]
GAME_OF_6 = [NO_GAIN, GAIN_8, GAIN_4, NO_GAIN, NO_GAIN, NO_GAIN]


@pytest.mark.parametrize(
    ("code", "odds", "cents", "throws", "play"),
    [
        row("touchdown", "1 to 1", 500, TOUCHDOWN_GAME, "PA-577.8(a)-touchdown"),
        row("defense", "4 to 5", 400, DOWNS_GAME, "PA-577.8(a)-defense"),
        row("extra-point", "1 to 1", 500, [TRIPS_TD, A_1], "PA-577.8(a)-extra-point-one-1"),
        row("extra-point", "10 to 1", 5000, [TRIPS_TD, TWO_1S], "PA-577.8(a)-extra-point-two-1s"),
        row("extra-point", "50 to 1", 25000, [TRIPS_TD, THREE_1S], "PA-577.8(a)-extra-point-triple-1s"),
        row("extra-point", "10 to 1", 5000, [TRIPS_TD, TRIPLE], "PA-577.8(a)-extra-point-other-triple"),
        row("quick-strike", "8 to 1", 4000, [TRIPS_TD], "PA-577.8(a)-quick-strike-one"),
        row("quick-strike", "5 to 1", 2500, TRIPS_ON_2, "PA-577.8(a)-quick-strike-two"),
        row("quick-strike", "3 to 1", 1500, TOUCHDOWN_GAME, "PA-577.8(a)-quick-strike-three"),
        row("quick-strike", "1 to 1", 500, TRIPS_ON_4, "PA-577.8(a)-quick-strike-four"),
        row("game-changer", "5 to 1", 2500, [TURNOVER], "PA-577.8(a)-game-changer"),
        row("game-length:1", "22 to 1", 11000, [TURNOVER], "PA-577.8(a)-length-one"),
        row("game-length:2", "22 to 1", 11000, TRIPS_ON_2, "PA-577.8(a)-length-two"),
        row("game-length:3", "6 to 5", 600, DOWNS_GAME, "PA-577.8(a)-length-three"),
        row("game-length:4", "5 to 1", 2500, TRIPS_ON_4, "PA-577.8(a)-length-four"),
        row("game-length:5", "3 to 1", 1500, GAME_OF_5, "PA-577.8(a)-length-five"),
        row("game-length:6", "6 to 1", 3000, GAME_OF_6, "PA-577.8(a)-length-six"),
        row("trips-td", "30 to 1", 15000, [TRIPS_TD], "PA-577.8(b)-trips-td", 1),
        row("penalty", "9 to 1", 4500, [PENALTY, TRIPS_TD], "PA-577.8(b)-penalty", 1),
        row("turnover", "60 to 1", 30000, [TURNOVER], "PA-577.8(b)-turnover", 1),
        row("cover-three", "7 to 1", 3500, [TURNOVER], "PA-577.8(b)-cover-three", 1),
        row("no-gain", "5 to 1", 2500, DOWNS_GAME, "PA-577.8(b)-no-gain", 3),
        row("big-play", "4 to 1", 2000, TOUCHDOWN_GAME, "PA-577.8(b)-big-play", 1),
        row("over-four", "1 to 1", 500, TOUCHDOWN_GAME, "PA-577.8(b)-over-four", 3),
        row("over-four", "7 to 1", 3500, [TRIPS_TD], "PA-577.8(b)-over-four-trips", 1),
        row("under-four", "1 to 1", 500, DOWNS_GAME, "PA-577.8(b)-under-four", 2),
    ],
)
@clause("PA-577.6(g)")
def test_five_dollars_win_what_the_paytable_says(code, odds, cents, throws, play):
    paragraph = "8(a)" if play is None else "8(b)"
    assert verdict_of(throws, code, play=play) == ("win", odds, cents, paragraph)


@pytest.mark.parametrize(
    ("code", "won", "lost", "paragraph", "play"),
    [
        pytest.param(*case[:5], marks=clause(case[5]))
        for case in [
            ("touchdown", TOUCHDOWN_GAME, DOWNS_GAME, "3(b)(1)", None, "PA-577.3(b)(1)"),
            ("touchdown", [TRIPS_TD], [TURNOVER], "3(b)(1)", None, "PA-577.3(b)(1)"),
            ("defense", DOWNS_GAME, TOUCHDOWN_GAME, "3(b)(2)", None, "PA-577.3(b)(2)"),
            ("defense", [TURNOVER], [TRIPS_TD], "3(b)(2)", None, "PA-577.3(b)(2)"),
            ("extra-point", [TRIPS_TD, A_1], DOWNS_GAME, "3(b)(3)", None, "PA-577.3(b)(3)"),
            ("extra-point", [TRIPS_TD, A_1], [TRIPS_TD, NO_POINT], "3(b)(3)", None, "PA-577.3(b)(3)(i)"),
            ("extra-point", [TRIPS_TD, TRIPLE], [TURNOVER], "3(b)(3)", None, "PA-577.3(b)(3)(ii)"),
            ("quick-strike", TRIPS_ON_4, [*GAME_OF_5[:4], TRIPS_TD], "3(b)(4)", None, "PA-577.3(b)(4)"),
            ("quick-strike", [TRIPS_TD], [TURNOVER], "3(b)(4)", None, "PA-577.3(b)(4)"),
            ("game-changer", [TRIPS_TD], TOUCHDOWN_GAME, "3(b)(5)", None, "PA-577.3(b)(5)"),
            ("game-changer", [TURNOVER], DOWNS_GAME, "3(b)(5)", None, "PA-577.3(b)(5)"),
            ("game-length:1", [TRIPS_TD], TRIPS_ON_2, "3(b)(6)(i)", None, "PA-577.3(b)(6)(i)"),
            ("game-length:2", TRIPS_ON_2, TRIPS_ON_3, "3(b)(6)(ii)", None, "PA-577.3(b)(6)(ii)"),
            ("game-length:3", DOWNS_GAME, TRIPS_ON_4, "3(b)(6)(iii)", None, "PA-577.3(b)(6)(iii)"),
            ("game-length:4", TRIPS_ON_4, DOWNS_GAME, "3(b)(6)(iv)", None, "PA-577.3(b)(6)(iv)"),
            ("game-length:5", GAME_OF_5, GAME_OF_6, "3(b)(6)(v)", None, "PA-577.3(b)(6)(v)"),
            ("game-length:6", GAME_OF_6, GAME_OF_5, "3(b)(6)(vi)", None, "PA-577.3(b)(6)(vi)"),
            ("turnover", [TURNOVER], DOWNS_GAME, "3(d)(3)", 1, "PA-577.3(d)(3)-downs"),
            ("over-four", TOUCHDOWN_GAME, [GAIN_4, TRIPS_TD], "3(d)(7)", 1, "PA-577.3(d)(7)"),
            ("under-four", DOWNS_GAME, [GAIN_4, TRIPS_TD], "3(d)(8)", 1, "PA-577.3(d)(8)"),
            ("under-four", [GAIN_3, TRIPS_TD], [(2, 2, 2)], "3(d)(8)", 1, "PA-577.3(d)(8)-trips"),
            ("no-gain", [PENALTY, TRIPS_TD], [GAIN_1, TRIPS_TD], "3(d)(5)", 1, "PA-577.3(d)(5)"),
        ]
    ],
)
def test_a_wager_wins_and_loses_as_it_is_defined(code, won, lost, paragraph, play):
    assert verdict_of(won, code, play=play)[0] == "win"
    assert verdict_of(lost, code, play=play) == ("lose", None, 0, paragraph)


# The field


@clause("PA-577.6(c)(1)-gain", "PA-577.6(c)(1)-pucks", "PA-577.6(a)-down-puck")
@clause("PA-577.6(a)-yard-marker", "PA-577.6(a)-length-puck")
def test_a_round_begins_on_the_20_and_ten_against_two_gain_eight_yards():
    assert tuple(course_of(()).spot) == (20, 1, False, 1)
    course = course_of(((6, 4, 2),))
    assert tuple(course.spot) == (12, 2, False, 2)
    assert course.plays[0].meaning == ("gain", 8)


@clause("PA-577.6(c)(2)-penalty", "PA-577.6(c)(2)-pucks")
def test_a_penalty_costs_one_yard_and_the_down_as_far_back_as_the_23():
    assert tuple(course_of((PENALTY,)).spot) == (21, 2, False, 2)
    assert tuple(course_of((PENALTY, PENALTY)).spot) == (22, 3, False, 3)
    assert course_of((PENALTY,) * 3).plays[-1].to == 23


@clause("PA-577.6(c)(3)")
def test_equal_totals_move_nothing_and_use_the_down():
    assert tuple(course_of((NO_GAIN,)).spot) == (20, 2, False, 2)


@clause("PA-577.6(c)(4)-end", "PA-577.1-turnover")
@pytest.mark.parametrize("dice", [(1, 1, 6), (1, 2, 6), (2, 1, 6)])
def test_a_two_or_three_against_a_six_is_a_turnover_and_ends_the_game(dice):
    assert on_paper([dice])["ending"] == "turnover"


@clause("PA-577.6(c)(5)", "PA-577.1-trips-td")
@pytest.mark.parametrize("face", range(1, 7))
def test_three_alike_are_a_trips_td_whatever_their_difference(face):
    assert on_paper([(face,) * 3])["ending"] == "trips-td"
    assert course_of(((face,) * 3,)).plays[0].to == 0


@clause("PA-577.1-penalty")
def test_a_four_against_a_six_is_a_penalty_and_no_turnover():
    assert course_of(((2, 2, 6),)).plays[0].meaning.what == "penalty"
    assert course_of(((1, 3, 6),)).plays[0].meaning.what == "penalty"


@clause("PA-577.6(e)-goal", "PA-577.6(e)(2)")
def test_the_10_earns_a_first_and_goal_at_once_and_the_11_does_not():
    to_10, to_11 = (GAIN_8, (3, 1, 2)), (GAIN_8, (2, 1, 2))
    assert tuple(course_of(to_10).spot) == (10, 1, True, 3)
    assert tuple(course_of(to_11).spot) == (11, 3, False, 3)
    assert tuple(course_of((NO_GAIN, GAIN_8, GAIN_8)).spot) == (4, 1, True, 4)


def test_a_penalty_after_a_first_and_goal_does_not_take_it_away():
    assert tuple(course_of((GAIN_8, (3, 1, 2), PENALTY)).spot) == (11, 2, True, 4)
    assert tuple(course_of((GAIN_8, (3, 1, 2), PENALTY, GAIN_3)).spot) == (8, 3, True, 5)


@clause("PA-577.6(e)(1)", "PA-577.6(e)-downs")
def test_three_downs_without_a_first_and_goal_end_the_game_and_so_do_three_goal_downs():
    assert on_paper(DOWNS_GAME)["ending"] == "downs"
    assert on_paper(GAME_OF_6)["ending"] == "downs"
    with pytest.raises(BadLine, match="too-many-throws"):
        on_paper([*DOWNS_GAME, NO_GAIN])


@clause("PA-577.1-touchdown")
@pytest.mark.parametrize("last", [(6, 4, 2), (6, 6, 1)])
def test_the_0_yard_line_or_beyond_is_a_touchdown(last):
    assert on_paper([GAIN_8, GAIN_4, last])["ending"] == "touchdown"
    assert on_paper([GAIN_8, GAIN_4, (6, 3, 2), NO_GAIN, NO_GAIN])["ending"] == "downs"


@clause("PA-577.6(d)-dice")
def test_an_eight_yard_roll_from_the_three_still_wins_big_play():
    to_3 = [GAIN_8, (6, 5, 2)]
    assert course_of(tuple(to_3)).spot.yard == 3
    assert verdict_of([*to_3, GAIN_8], "big-play", play=3)[0] == "win"
    assert course_of((*to_3, GAIN_8)).plays[-1].to == 0


# The order of settlement


def order_of(throws, *wagers):
    """The wagers in the order of settlement, as code and seat."""
    found = on_paper(throws, *wagers)
    return [(found["wagers"][at]["wager"], found["wagers"][at]["seat"]) for at in found["order"]]


EVERYTHING = [
    (2, "touchdown", 500), (1, "touchdown", 500), (2, "extra-point", 500), (1, "defense", 500),
    (3, "defense", 500), (1, "game-length:3", 500), (2, "quick-strike", 500), (3, "game-changer", 500),
    (1, "under-four", 500, 3), (3, "big-play", 500, 3), (2, "no-gain", 500, 1),
]  # fmt: skip


@clause("PA-577.6(f)(1)-defense", "PA-577.6(f)(1)-others", "PA-577.6(f)(1)-finish")
def test_a_score_takes_defense_first_and_pays_touchdown_and_extra_point_last():
    assert order_of([*TOUCHDOWN_GAME, A_1], *EVERYTHING) == [
        ("no-gain", 2),
        ("defense", 1), ("defense", 3),
        ("under-four", 1), ("big-play", 3),
        ("game-changer", 3), ("game-length:3", 1), ("quick-strike", 2),
        ("touchdown", 1), ("touchdown", 2),
        ("extra-point", 2),
    ]  # fmt: skip


@clause("PA-577.6(f)(1)-finish")
def test_touchdown_comes_last_too_where_nobody_bet_on_the_extra_point():
    wagers = [one for one in EVERYTHING if one[1] != "extra-point"]
    assert order_of(TOUCHDOWN_GAME, *wagers)[-3:] == [("quick-strike", 2), ("touchdown", 1), ("touchdown", 2)]


@clause("PA-577.6(f)(2)-offense", "PA-577.6(f)(2)-others")
def test_without_a_score_touchdown_and_extra_point_go_first_and_defense_is_paid_with_them():
    assert order_of(DOWNS_GAME, *EVERYTHING) == [
        ("no-gain", 2),
        ("touchdown", 1), ("touchdown", 2), ("extra-point", 2), ("defense", 1), ("defense", 3),
        ("big-play", 3), ("under-four", 1),
        ("quick-strike", 2), ("game-changer", 3), ("game-length:3", 1),
    ]  # fmt: skip


# Rounds on paper


def test_the_worked_line_of_a_single_play_wager():
    assert on_paper([TRIPS_TD], (1, "over-four", 500, 1)) == {
        "id": "x1",
        "rules": "pa-577",
        "ending": "trips-td",
        "order": [0],
        "wagers": [
            {
                "seat": 1,
                "wager": "over-four",
                "play": 1,
                "cents": 500,
                "outcome": "win",
                "pays": "7 to 1",
                "paid_cents": 3500,
                "returned_cents": 500,
                "cite": CITE + "8(b)",
            }
        ],
    }


@clause("PA-577.5(b)", "PA-577.5(f)-void", "PA-577.1-down")
def test_a_void_throw_is_no_play_and_every_wager_stands():
    void = {"void": "off the table"}
    wagers = [(1, "touchdown", 500), (1, "big-play", 500, 1), (1, "extra-point", 500)]
    thrown = [void, GAIN_8, void, void, GAIN_4, GAIN_8, void, A_1]
    assert on_paper(thrown, *wagers) == on_paper([GAIN_8, GAIN_4, GAIN_8, A_1], *wagers)


@clause("PA-577.6(f)(1)-extra-roll", "PA-577.1-extra-point-roll")
def test_the_extra_point_roll_is_thrown_only_when_somebody_bet_on_it_and_a_score_was_made():
    with pytest.raises(BadLine, match="too-few-throws"):
        on_paper(TOUCHDOWN_GAME, (1, "extra-point", 500))
    with pytest.raises(BadLine, match="too-many-throws"):
        on_paper([*TOUCHDOWN_GAME, A_1], (1, "touchdown", 500))
    assert on_paper(DOWNS_GAME, (1, "extra-point", 500))["ending"] == "downs"
    assert on_paper([*TOUCHDOWN_GAME, A_1], (1, "extra-point", 500))["ending"] == "touchdown"


def test_the_extra_point_roll_is_no_play():
    assert verdict_of([TRIPS_TD], "game-length:1")[0] == "win"
    found = on_paper([TRIPS_TD, TRIPS_TD], (1, "game-length:1", 500), (1, "extra-point", 500))
    assert [one["outcome"] for one in found["wagers"]] == ["win", "win"]
    with pytest.raises(BadLine, match="no-such-play"):
        on_paper([TRIPS_TD, TRIPS_TD], (1, "extra-point", 500), (1, "trips-td", 500, 2))


def test_a_round_that_the_house_voids_returns_every_wager():
    found = on_paper([GAIN_8], (1, "touchdown", 500), (1, "big-play", 500, 1), voided="fire alarm")
    assert found["ending"] == "void"
    assert {(one["outcome"], one["returned_cents"], one["cite"]) for one in found["wagers"]} == {
        ("return", 500, CITE + "5")
    }


@pytest.mark.parametrize(
    ("wager", "code"),
    [
        ((1, "big-play", 500), "play-missing"),
        ((1, "big-play", 500, 0), "no-such-play"),
        ((1, "big-play", 500, 7), "no-such-play"),
        ((1, "big-play", 500, True), "no-such-play"),
        ((1, "big-play", 500, 1.0), "no-such-play"),
        ((1, "big-play", 500, "1"), "no-such-play"),
        ((1, "big-play", 500, [1]), "no-such-play"),
        ((1, "big-play", 500, 4), "no-such-play"),
        ((1, "touchdown", 500, 1), "play-not-asked"),
        ((1, "game-length:7", 500), "no-such-wager"),
        ((1, "game-length", 500), "no-such-wager"),
        ((1, "safety", 500), "no-such-wager"),
        ((1, "defense", 0), "bad-amount"),
        ((1, "defense", 501), "fraction-of-a-cent"),
        ((0, "defense", 500), "bad-seat"),
    ],
)
def test_a_line_with_a_wager_that_the_rules_do_not_know_is_refused(wager, code):
    with pytest.raises(BadLine) as bad:
        on_paper(DOWNS_GAME, wager)
    assert bad.value.refusal.code == code
    assert bad.value.refusal.section


def test_the_same_wager_twice_on_one_play_is_refused_and_on_two_plays_is_two():
    with pytest.raises(BadLine, match="repeated-wager"):
        on_paper(DOWNS_GAME, (1, "no-gain", 500, 1), (1, "no-gain", 500, 1))
    assert on_paper(DOWNS_GAME, (1, "no-gain", 500, 1), (1, "no-gain", 500, 2))["order"] == [0, 1]


@pytest.mark.parametrize("throw", [[1, 2], [1, 2, 3, 4], [0, 1, 2], [1, 2, 7], [True, 1, 2], [1.0, 2, 3]])
def test_a_throw_is_three_faces(throw):
    with pytest.raises(BadLine) as bad:
        on_paper([throw])
    assert bad.value.refusal.section == CITE + "5(e)"


def test_a_fraction_of_a_cent_is_refused_only_where_it_would_be_paid():
    assert verdict_of(TOUCHDOWN_GAME, "defense", 501)[0] == "lose"


def test_paytables_of_this_chapter_are_exact():
    with pytest.raises(BadLine, match="payouts-are-exact"):
        on_paper(DOWNS_GAME, payouts={"touchdown": "2 to 1"})


def test_thousands_of_games_a_second_are_settled():
    wagers = [{"seat": seat, "wager": "touchdown", "cents": 500} for seat in range(1, 5)]
    line = {"id": 1, "rules": "pa-577", "throws": TOUCHDOWN_GAME, "wagers": wagers}
    written, begun = json.dumps(line).encode(), time.process_time()
    for _ in range(1000):
        adjudicate(written)
    assert time.process_time() - begun < 1  # five times what is promised, for a busy machine


def test_every_row_of_the_paytable_is_paid_by_some_wager():
    paid = [odds for one in FOOTBALL.wager_types(RULES) for odds in FOOTBALL.possible_odds(RULES, one.code)]
    assert sorted(map(str, paid)) == sorted(str(payout.odds) for payout in RULES.payouts.values())
