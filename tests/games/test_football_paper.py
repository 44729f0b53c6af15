"""Games of Three Dice Football on paper: lines of JSON, what they answer and what they refuse."""

import json
import time

import pytest

from games.adjudication import BadLine, adjudicate
from games.regulations.clauses import all_clauses, proofs_by_clause
from tests.games.football_play import (
    CITE,
    DOWNS_GAME,
    FOOTBALL,
    GAIN_4,
    GAIN_8,
    RULES,
    TOUCHDOWN_GAME,
    TRIPS_TD,
    on_paper,
    verdict_of,
)

clause = pytest.mark.clause
A_1 = (1, 4, 5)  # an extra point roll with one 1


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


def test_a_round_that_the_house_voids_returns_every_wager_that_no_throw_decided():
    found = on_paper([GAIN_8], (1, "touchdown", 500), (1, "big-play", 500, 1), voided="fire alarm")
    assert found["ending"] == "void"
    assert [(line["outcome"], line["returned_cents"], line["cite"]) for line in found["wagers"]] == [
        ("return", 500, CITE + "5"),
        ("win", 500, CITE + "8(b)"),
    ]


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


ENGINE_CLAUSES = ("PA-577.1-", "PA-577.3", "PA-577.5", "PA-577.6", "PA-577.7", "PA-577.8")
AT_THE_TABLE = {"PA-577.6(b)-first"}  # who takes part in a game is seen at the table (reading A38)


def test_football_has_a_test_for_every_clause_that_the_engine_computes_or_enforces():
    proven = proofs_by_clause()
    missing = {
        one.id
        for one in all_clauses().values()
        if one.id.startswith(ENGINE_CLAUSES) and one.kind in ("compute", "enforce") and one.id not in proven
    }
    assert missing <= AT_THE_TABLE
