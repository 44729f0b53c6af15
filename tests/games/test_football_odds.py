"""The exact mathematics of Three Dice Football, against a second computation that shares nothing with the engine."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import pytest

from games.catalog.football.engine.field import course_of
from games.engine import house_advantage
from tests.games.football_play import CITE, FOOTBALL, RULES, verdict_of

clause = pytest.mark.clause
EVERY_THROW = tuple(product(range(1, 7), repeat=3))


# A second reading of § 577.6, by plain arithmetic


def value_of(dice):
    """ "T" for a Trips TD, "X" for a turnover, else the yards on the field."""
    a, b, red = dice
    if a == b == red:
        return "T"
    if red == 6 and a + b in (2, 3):
        return "X"
    return max(a + b - red, -1)


def after(yard, down, goal, value):
    """(how it ended, None) or ("", the next yard, down and goal)."""
    if value in ("T", "X"):
        return {"T": "trips-td", "X": "turnover"}[value], None
    yard -= value
    if yard <= 0:
        return "touchdown", None
    if not goal and yard <= 10:
        return "", (yard, 1, True)
    if down == 3:
        return "downs", None
    return "", (yard, down + 1, goal)


@lru_cache
def ends(yard=20, down=1, goal=False, play=1):
    """The probability of each (ending, play) from here, by recursion instead of by layers."""
    found: Counter[Any] = Counter()
    for value, ways in Counter(map(value_of, EVERY_THROW)).items():
        how, onward = after(yard, down, goal, value)
        further = {(how, play): Fraction(1)} if how else ends(*onward, play + 1)
        for key, chance in further.items():
            found[key] += chance * Fraction(ways, 216)
    return found


@clause("PA-577.1-down", "PA-577.6(e)-downs", "PA-577.6(e)(1)", "PA-577.6(e)(2)", "PA-577.1-touchdown")
def test_every_yard_down_goal_and_play_that_a_game_can_reach_leads_where_a_second_reading_says():
    witness = {(20, 1, False, 1): ()}
    seen = set()
    while witness:
        (yard, down, goal, play), throws = witness.popitem()
        seen.add((yard, down, goal, play))
        assert tuple(course_of(throws).spot) == (yard, down, goal, play)
        for dice in EVERY_THROW:
            how, onward = after(yard, down, goal, value_of(dice))
            course = course_of((*throws, dice))
            assert course.ending == how
            if onward is None:
                assert course.spot is None
            else:
                assert tuple(course.spot) == (*onward, play + 1)
                if (*onward, play + 1) not in seen:
                    witness[(*onward, play + 1)] = (*throws, dice)
    assert {yard for yard, *_ in seen} == set(range(1, 23))
    assert max(play for *_, play in seen) == 6
    assert course_of(((2, 2, 5),) * 3).plays[-1].to == 23  # as far back as the field is labelled


@clause("PA-577.1-trips-td", "PA-577.1-turnover", "PA-577.1-penalty", "PA-577.6(c)(3)", "PA-577.6(c)(1)-gain")
@clause("PA-577.1-offensive-dice", "PA-577.1-defensive-die")
def test_the_216_throws_are_6_trips_3_turnovers_17_penalties_15_without_gain_and_175_gains():
    found: Counter[Any] = Counter()
    for dice in EVERY_THROW:
        meant = course_of((dice,)).plays[0].meaning
        found[meant.yards if meant.kind == "gain" else meant.kind] += 1
    assert found == {
        "trips-td": 6,
        "turnover": 3,
        "penalty": 17,
        "no-gain": 15,
        1: 20,
        2: 24,
        3: 26,
        4: 26,
        5: 24,
        6: 20,
        7: 15,
        8: 10,
        9: 6,
        10: 3,
        11: 1,
    }


SINGLE_PLAY = {
    "trips-td": (lambda value: value == "T", 6, "5/36"),
    "penalty": (lambda value: value in ("X", -1), 20, "2/27"),
    "turnover": (lambda value: value == "X", 3, "11/72"),
    "cover-three": (lambda value: value in ("T", "X", -1), 26, "1/27"),
    "no-gain": (lambda value: value in ("X", -1, 0), 35, "1/36"),
    "big-play": (lambda value: value == "T" or (value != "X" and value >= 7), 41, "11/216"),
    "over-four": (lambda value: value == "T" or (value != "X" and value >= 5), 85, "5/108"),
    "under-four": (lambda value: value == "X" or (value != "T" and value <= 3), 105, "1/36"),
}


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("trips-td", marks=clause("PA-577.3(d)(1)")),
        pytest.param("penalty", marks=clause("PA-577.3(d)(2)")),
        pytest.param("turnover", marks=clause("PA-577.3(d)(3)")),
        pytest.param("cover-three", marks=clause("PA-577.3(d)(4)")),
        pytest.param("no-gain", marks=clause("PA-577.3(d)(5)")),
        pytest.param("big-play", marks=clause("PA-577.3(d)(6)")),
        pytest.param("over-four", marks=clause("PA-577.3(d)(7)")),
        pytest.param("under-four", marks=clause("PA-577.3(d)(8)", "PA-577.3(d)(8)-trips")),
    ],
)
def test_each_of_the_216_throws_settles_a_single_play_wager_by_the_dice(code):
    wins, ways, edge = SINGLE_PLAY[code]
    won = {dice for dice in EVERY_THROW if code in FOOTBALL.winning_codes(RULES, [dice])}
    assert won == {dice for dice in EVERY_THROW if wins(value_of(dice))}
    assert len(won) == ways
    assert str(house_advantage(FOOTBALL.outcomes(RULES)[code])) == edge


def point_of(dice):
    """The odds of an extra point roll in units, 0 for a loss."""
    ones = sum(face == 1 for face in dice)
    if dice[0] == dice[1] == dice[2]:
        return 50 if ones else 10
    return {0: 0, 1: 1, 2: 10}[ones]


@clause("PA-577.3(b)(3)(i)", "PA-577.3(b)(3)(ii)", "PA-577.1-triple")
@clause("PA-577.8(a)-extra-point-one-1", "PA-577.8(a)-extra-point-two-1s")
@clause("PA-577.8(a)-extra-point-triple-1s", "PA-577.8(a)-extra-point-other-triple")
def test_each_of_the_216_extra_point_rolls_pays_by_its_ones_and_its_triples():
    paid: Counter[Any] = Counter()
    for dice in EVERY_THROW:
        outcome, pays, cents, cite = verdict_of([[4, 4, 4], list(dice)], "extra-point")
        units = point_of(dice)
        assert (outcome, cents) == (("win", 500 * units) if units else ("lose", 0))
        assert cite == ("8(a)" if units else "3(b)(3)")
        paid[pays] += 1
    assert paid == {"1 to 1": 75, "10 to 1": 20, "50 to 1": 1, None: 120}
    assert sum(1 in dice for dice in EVERY_THROW) == 91
    assert sum(len(set(dice)) == 1 for dice in EVERY_THROW) == 6


@clause("PA-577.3(b)(1)", "PA-577.3(b)(2)")
def test_a_score_comes_in_12235777029059_of_25389989167104_games():
    score = sum(chance for (how, _), chance in ends().items() if how in ("touchdown", "trips-td"))
    assert score == Fraction(12235777029059, 25389989167104)
    outcomes = FOOTBALL.outcomes(RULES)
    assert outcomes["touchdown"][0].probability == score
    assert outcomes["defense"][0].probability == 1 - score


@pytest.mark.parametrize(
    ("code", "chance", "edge"),
    [
        ("touchdown", "0.4819134", "3.6173"),
        ("defense", "0.5180866", "6.7444"),
        ("extra-point", "0.2141838", "6.0715"),
        ("quick-strike", "0.2586056", "5.4820"),
        ("game-changer", "0.1603331", "3.8002"),
        ("game-length:1", "0.0416667", "4.1667"),
        ("game-length:2", "0.0405307", "6.7794"),
        ("game-length:3", "0.4180309", "8.0332"),
        ("game-length:4", "0.1542667", "7.4400"),
        ("game-length:5", "0.2189241", "12.4304"),
        ("game-length:6", "0.1265810", "11.3933"),
    ],
)
def test_the_full_game_wagers_have_the_probability_and_the_edge_that_were_computed_before(code, chance, edge):
    outcomes = FOOTBALL.outcomes(RULES)[code]
    assert f"{sum(one.probability for one in outcomes).__float__():.7f}" == chance
    assert f"{float(100 * house_advantage(outcomes)):.4f}" == edge


def test_every_full_game_outcome_is_that_of_the_second_computation_to_the_last_digit():
    outcomes, found = FOOTBALL.outcomes(RULES), ends()
    on_play = {play: sum(c for (_, p), c in found.items() if p == play) for play in range(1, 7)}
    scores = {play: found[("touchdown", play)] + found[("trips-td", play)] for play in range(1, 7)}
    for play in range(1, 7):
        assert outcomes[f"game-length:{play}"][0].probability == on_play[play]
    quick = {str(one.pays): one.probability for one in outcomes["quick-strike"]}
    assert quick == {"8 to 1": scores[1], "5 to 1": scores[2], "3 to 1": scores[3], "1 to 1": scores[4]}
    changed = sum(chance for (how, _), chance in found.items() if how in ("trips-td", "turnover"))
    assert outcomes["game-changer"][0].probability == changed
    point = {str(one.pays): one.probability for one in outcomes["extra-point"]}
    score = sum(scores.values())
    assert point == {
        "1 to 1": score * Fraction(75, 216),
        "10 to 1": score * Fraction(20, 216),
        "50 to 1": score * Fraction(1, 216),
    }


def test_games_end_by_trips_touchdown_turnover_and_downs_as_often_as_was_computed_before():
    found: Counter[Any] = Counter()
    for (how, _), chance in ends().items():
        found[how] += chance
    assert {how: f"{float(chance):.7f}" for how, chance in found.items()} == {
        "trips-td": "0.1068887",
        "touchdown": "0.3750247",
        "turnover": "0.0534444",
        "downs": "0.4646422",
    }


@clause("PA-577.1-touchdown", "PA-577.6(e)(2)")
def test_every_wager_keeps_a_house_edge_under_the_readings_used():
    edges = {code: house_advantage(outcomes) for code, outcomes in FOOTBALL.outcomes(RULES).items()}
    assert len(edges) == 19
    assert all(Fraction(2, 100) < edge < Fraction(16, 100) for edge in edges.values())


def test_the_field_read_otherwise_would_favour_the_player_on_a_wager():
    beyond = ends_read_otherwise(least=1)
    length_6 = sum(chance for (_, play), chance in beyond.items() if play == 6)
    assert 1 - length_6 * 7 < 0  # six plays at 6 to 1, were the 0 yard line itself no touchdown


def ends_read_otherwise(least):
    """The same game with a touchdown only where the marker ends `least` yards beyond the 0."""
    states = {(20, 1, False, 1): Fraction(1)}
    values = Counter(map(value_of, EVERY_THROW))
    found: Counter[Any] = Counter()
    while states:
        # The earliest throw first: every way to a state is then known when its turn comes, and comes once.
        yard, down, goal, play = state = min(states, key=lambda state: (state[3], state[1]))
        chance = states.pop(state)
        for value, ways in values.items():
            here = chance * Fraction(ways, 216)
            if value in ("T", "X") or yard - value <= -least:
                found[(value in ("X",), play)] += here
            elif not goal and yard - value <= 10:
                key = (yard - value, 1, True, play + 1)
                states[key] = states.get(key, 0) + here
            elif down == 3:
                found[(True, play)] += here
            else:
                key = (yard - value, down + 1, goal, play + 1)
                states[key] = states.get(key, 0) + here
    return found


@clause("PA-577.3(b)", "PA-577.3(d)")
def test_the_wagers_are_the_listed_ones_each_with_its_own_paragraph():
    wagers = {one.code: one.section.removeprefix(CITE) for one in FOOTBALL.wager_types(RULES)}
    full = ["touchdown", "defense", "extra-point", "quick-strike", "game-changer"]
    single = list(SINGLE_PLAY)
    assert list(wagers) == [*full, *(f"game-length:{n}" for n in range(1, 7)), *single]
    assert [wagers[code] for code in full] == [f"3(b)({n})" for n in range(1, 6)]
    roman = ["i", "ii", "iii", "iv", "v", "vi"]
    assert [wagers[f"game-length:{n}"] for n in range(1, 7)] == [f"3(b)(6)({n})" for n in roman]
    assert [wagers[code] for code in single] == [f"3(d)({n})" for n in range(1, 9)]
    areas = Counter(one.place.area for one in FOOTBALL.wager_types(RULES))
    assert areas == {"full-game": 5, "game-length": 6, "single-play": 8}
