"""What each wager of Three Dice Football comes to, in exact cents, and in which order it is settled."""

import pytest

from games.adjudication import BadLine
from games.catalog.football.engine.field import course_of
from tests.games.football_play import (
    DOWNS_GAME,
    GAIN_1,
    GAIN_3,
    GAIN_4,
    GAIN_8,
    NO_GAIN,
    NO_POINT,
    PENALTY,
    TOUCHDOWN_GAME,
    TRIPS_TD,
    TURNOVER,
    on_paper,
    verdict_of,
)

clause = pytest.mark.clause
A_1, TWO_1S, THREE_1S, TRIPLE = (1, 4, 5), (1, 4, 1), (1, 1, 1), (6, 6, 6)


TRIPS_ON_2, TRIPS_ON_3 = [NO_GAIN, TRIPS_TD], [NO_GAIN, NO_GAIN, TRIPS_TD]
TRIPS_ON_4 = [GAIN_8, GAIN_4, NO_GAIN, TRIPS_TD]
GAME_OF_5 = [GAIN_8, GAIN_4, NO_GAIN, NO_GAIN, NO_GAIN]
GAME_OF_6 = [NO_GAIN, GAIN_8, GAIN_4, NO_GAIN, NO_GAIN, NO_GAIN]


@pytest.mark.parametrize(
    ("code", "odds", "cents", "throws", "play"),
    [
        pytest.param("touchdown", "1 to 1", 500, TOUCHDOWN_GAME, None, marks=clause("PA-577.8(a)-touchdown")),
        pytest.param("defense", "4 to 5", 400, DOWNS_GAME, None, marks=clause("PA-577.8(a)-defense")),
        pytest.param(
            "extra-point", "1 to 1", 500, [TRIPS_TD, A_1], None, marks=clause("PA-577.8(a)-extra-point-one-1")
        ),
        pytest.param(
            "extra-point",
            "10 to 1",
            5000,
            [TRIPS_TD, TWO_1S],
            None,
            marks=clause("PA-577.8(a)-extra-point-two-1s"),
        ),
        pytest.param(
            "extra-point",
            "50 to 1",
            25000,
            [TRIPS_TD, THREE_1S],
            None,
            marks=clause("PA-577.8(a)-extra-point-triple-1s"),
        ),
        pytest.param(
            "extra-point",
            "10 to 1",
            5000,
            [TRIPS_TD, TRIPLE],
            None,
            marks=clause("PA-577.8(a)-extra-point-other-triple"),
        ),
        pytest.param(
            "quick-strike", "8 to 1", 4000, [TRIPS_TD], None, marks=clause("PA-577.8(a)-quick-strike-one")
        ),
        pytest.param(
            "quick-strike", "5 to 1", 2500, TRIPS_ON_2, None, marks=clause("PA-577.8(a)-quick-strike-two")
        ),
        pytest.param(
            "quick-strike",
            "3 to 1",
            1500,
            TOUCHDOWN_GAME,
            None,
            marks=clause("PA-577.8(a)-quick-strike-three"),
        ),
        pytest.param(
            "quick-strike", "1 to 1", 500, TRIPS_ON_4, None, marks=clause("PA-577.8(a)-quick-strike-four")
        ),
        pytest.param(
            "game-changer", "5 to 1", 2500, [TURNOVER], None, marks=clause("PA-577.8(a)-game-changer")
        ),
        pytest.param(
            "game-length:1", "22 to 1", 11000, [TURNOVER], None, marks=clause("PA-577.8(a)-length-one")
        ),
        pytest.param(
            "game-length:2", "22 to 1", 11000, TRIPS_ON_2, None, marks=clause("PA-577.8(a)-length-two")
        ),
        pytest.param(
            "game-length:3", "6 to 5", 600, DOWNS_GAME, None, marks=clause("PA-577.8(a)-length-three")
        ),
        pytest.param(
            "game-length:4", "5 to 1", 2500, TRIPS_ON_4, None, marks=clause("PA-577.8(a)-length-four")
        ),
        pytest.param(
            "game-length:5", "3 to 1", 1500, GAME_OF_5, None, marks=clause("PA-577.8(a)-length-five")
        ),
        pytest.param(
            "game-length:6", "6 to 1", 3000, GAME_OF_6, None, marks=clause("PA-577.8(a)-length-six")
        ),
        pytest.param("trips-td", "30 to 1", 15000, [TRIPS_TD], 1, marks=clause("PA-577.8(b)-trips-td")),
        pytest.param("penalty", "9 to 1", 4500, [PENALTY, TRIPS_TD], 1, marks=clause("PA-577.8(b)-penalty")),
        pytest.param("turnover", "60 to 1", 30000, [TURNOVER], 1, marks=clause("PA-577.8(b)-turnover")),
        pytest.param("cover-three", "7 to 1", 3500, [TURNOVER], 1, marks=clause("PA-577.8(b)-cover-three")),
        pytest.param("no-gain", "5 to 1", 2500, DOWNS_GAME, 3, marks=clause("PA-577.8(b)-no-gain")),
        pytest.param("big-play", "4 to 1", 2000, TOUCHDOWN_GAME, 1, marks=clause("PA-577.8(b)-big-play")),
        pytest.param("over-four", "1 to 1", 500, TOUCHDOWN_GAME, 3, marks=clause("PA-577.8(b)-over-four")),
        pytest.param("over-four", "7 to 1", 3500, [TRIPS_TD], 1, marks=clause("PA-577.8(b)-over-four-trips")),
        pytest.param("under-four", "1 to 1", 500, DOWNS_GAME, 2, marks=clause("PA-577.8(b)-under-four")),
    ],
)
@clause("PA-577.6(g)")
def test_five_dollars_win_what_the_paytable_says(code, odds, cents, throws, play):
    paragraph = "8(a)" if play is None else "8(b)"
    assert verdict_of(throws, code, play=play) == ("win", odds, cents, paragraph)


@pytest.mark.parametrize(
    ("code", "won", "lost", "paragraph", "play"),
    [
        pytest.param(
            "touchdown", TOUCHDOWN_GAME, DOWNS_GAME, "3(b)(1)", None, marks=clause("PA-577.3(b)(1)")
        ),
        pytest.param("touchdown", [TRIPS_TD], [TURNOVER], "3(b)(1)", None, marks=clause("PA-577.3(b)(1)")),
        pytest.param("defense", DOWNS_GAME, TOUCHDOWN_GAME, "3(b)(2)", None, marks=clause("PA-577.3(b)(2)")),
        pytest.param("defense", [TURNOVER], [TRIPS_TD], "3(b)(2)", None, marks=clause("PA-577.3(b)(2)")),
        pytest.param(
            "extra-point", [TRIPS_TD, A_1], DOWNS_GAME, "3(b)(3)", None, marks=clause("PA-577.3(b)(3)")
        ),
        pytest.param(
            "extra-point",
            [TRIPS_TD, A_1],
            [TRIPS_TD, NO_POINT],
            "3(b)(3)",
            None,
            marks=clause("PA-577.3(b)(3)(i)"),
        ),
        pytest.param(
            "extra-point", [TRIPS_TD, TRIPLE], [TURNOVER], "3(b)(3)", None, marks=clause("PA-577.3(b)(3)(ii)")
        ),
        pytest.param(
            "quick-strike",
            TRIPS_ON_4,
            [*GAME_OF_5[:4], TRIPS_TD],
            "3(b)(4)",
            None,
            marks=clause("PA-577.3(b)(4)"),
        ),
        pytest.param("quick-strike", [TRIPS_TD], [TURNOVER], "3(b)(4)", None, marks=clause("PA-577.3(b)(4)")),
        pytest.param(
            "game-changer", [TRIPS_TD], TOUCHDOWN_GAME, "3(b)(5)", None, marks=clause("PA-577.3(b)(5)")
        ),
        pytest.param("game-changer", [TURNOVER], DOWNS_GAME, "3(b)(5)", None, marks=clause("PA-577.3(b)(5)")),
        pytest.param(
            "game-length:1", [TRIPS_TD], TRIPS_ON_2, "3(b)(6)(i)", None, marks=clause("PA-577.3(b)(6)(i)")
        ),
        pytest.param(
            "game-length:2", TRIPS_ON_2, TRIPS_ON_3, "3(b)(6)(ii)", None, marks=clause("PA-577.3(b)(6)(ii)")
        ),
        pytest.param(
            "game-length:3", DOWNS_GAME, TRIPS_ON_4, "3(b)(6)(iii)", None, marks=clause("PA-577.3(b)(6)(iii)")
        ),
        pytest.param(
            "game-length:4", TRIPS_ON_4, DOWNS_GAME, "3(b)(6)(iv)", None, marks=clause("PA-577.3(b)(6)(iv)")
        ),
        pytest.param(
            "game-length:5", GAME_OF_5, GAME_OF_6, "3(b)(6)(v)", None, marks=clause("PA-577.3(b)(6)(v)")
        ),
        pytest.param(
            "game-length:6", GAME_OF_6, GAME_OF_5, "3(b)(6)(vi)", None, marks=clause("PA-577.3(b)(6)(vi)")
        ),
        pytest.param("turnover", [TURNOVER], DOWNS_GAME, "3(d)(3)", 1, marks=clause("PA-577.3(d)(3)-downs")),
        pytest.param(
            "over-four", TOUCHDOWN_GAME, [GAIN_4, TRIPS_TD], "3(d)(7)", 1, marks=clause("PA-577.3(d)(7)")
        ),
        pytest.param(
            "under-four", DOWNS_GAME, [GAIN_4, TRIPS_TD], "3(d)(8)", 1, marks=clause("PA-577.3(d)(8)")
        ),
        pytest.param(
            "under-four", [GAIN_3, TRIPS_TD], [(2, 2, 2)], "3(d)(8)", 1, marks=clause("PA-577.3(d)(8)-trips")
        ),
        pytest.param(
            "no-gain", [PENALTY, TRIPS_TD], [GAIN_1, TRIPS_TD], "3(d)(5)", 1, marks=clause("PA-577.3(d)(5)")
        ),
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
    assert course_of(((2, 2, 6),)).plays[0].meaning.kind == "penalty"
    assert course_of(((1, 3, 6),)).plays[0].meaning.kind == "penalty"


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
