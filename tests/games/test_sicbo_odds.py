"""The odds of each edition as literals, row by row, and the house advantages as exact fractions."""

from fractions import Fraction

import pytest

from games.catalog.sic_bo.engine import BETS, settle
from games.engine import Odds, Refusal, Rules, Wager, house_advantage
from games.registry import game_of

clause = pytest.mark.clause
FIVE_DOLLARS = 500
FLOORED = ("pa-539", "nj-19-47-9")


def paid(key, code, dice, payouts=None):
    """What $5 on a code wins, in dollars, and the citation."""
    (one,) = settle(Rules.of(key, payouts), [Wager(1, code, FIVE_DOLLARS)], dice)
    return one.paid_cents / 100, one.cite


@pytest.mark.parametrize(
    ("code", "dice", "to"),
    [
        pytest.param("three-of-a-kind:5", (5, 5, 5), 150, marks=clause("PA-539.6(b)-three-of-a-kind")),
        pytest.param("two-of-a-kind:2", (2, 2, 5), 8, marks=clause("PA-539.6(b)-two-of-a-kind")),
        pytest.param("any-three-of-a-kind", (4, 4, 4), 24, marks=clause("PA-539.6(b)-any-three-of-a-kind")),
        pytest.param("total:4", (1, 1, 2), 50, marks=clause("PA-539.6(b)-total-4")),
        pytest.param("total:5", (1, 2, 2), 18, marks=clause("PA-539.6(b)-total-5")),
        pytest.param("total:6", (1, 2, 3), 14, marks=clause("PA-539.6(b)-total-6")),
        pytest.param("total:7", (1, 2, 4), 12, marks=clause("PA-539.6(b)-total-7")),
        pytest.param("total:8", (1, 3, 4), 8, marks=clause("PA-539.6(b)-total-8")),
        pytest.param("total:9", (2, 3, 4), 6, marks=clause("PA-539.6(b)-total-9")),
        pytest.param("total:10", (2, 3, 5), 6, marks=clause("PA-539.6(b)-total-10")),
        pytest.param("total:11", (2, 4, 5), 6, marks=clause("PA-539.6(b)-total-11")),
        pytest.param("total:12", (3, 4, 5), 6, marks=clause("PA-539.6(b)-total-12")),
        pytest.param("total:13", (3, 4, 6), 8, marks=clause("PA-539.6(b)-total-13")),
        pytest.param("total:14", (3, 5, 6), 12, marks=clause("PA-539.6(b)-total-14")),
        pytest.param("total:15", (4, 5, 6), 14, marks=clause("PA-539.6(b)-total-15")),
        pytest.param("total:16", (4, 6, 6), 18, marks=clause("PA-539.6(b)-total-16")),
        pytest.param("total:17", (5, 6, 6), 50, marks=clause("PA-539.6(b)-total-17")),
        pytest.param("two-dice:2-5", (2, 5, 6), 5, marks=clause("PA-539.6(b)-two-dice-combination")),
        pytest.param("small", (1, 2, 4), 1, marks=clause("PA-539.6(b)-small")),
        pytest.param("big", (4, 5, 6), 1, marks=clause("PA-539.6(b)-big")),
    ],
)
def test_539_pays_its_floors(code, dice, to):
    assert paid("pa-539", code, dice) == (5 * to, "58 Pa. Code § 539.6(b)")


@pytest.mark.parametrize(
    ("code", "dice", "to"),
    [
        pytest.param("three-of-a-kind:5", (5, 5, 5), 150, marks=clause("NJ-19:47-9.4(b)-three-of-a-kind")),
        pytest.param("two-of-a-kind:2", (2, 2, 5), 8, marks=clause("NJ-19:47-9.4(b)-two-of-a-kind")),
        pytest.param(
            "any-three-of-a-kind", (4, 4, 4), 24, marks=clause("NJ-19:47-9.4(b)-any-three-of-a-kind")
        ),
        pytest.param("total:4", (1, 1, 2), 50, marks=clause("NJ-19:47-9.4(b)-total-4")),
        pytest.param("total:5", (1, 2, 2), 18, marks=clause("NJ-19:47-9.4(b)-total-5")),
        pytest.param("total:6", (1, 2, 3), 14, marks=clause("NJ-19:47-9.4(b)-total-6")),
        pytest.param("total:7", (1, 2, 4), 12, marks=clause("NJ-19:47-9.4(b)-total-7")),
        pytest.param("total:8", (1, 3, 4), 8, marks=clause("NJ-19:47-9.4(b)-total-8")),
        pytest.param("total:9", (2, 3, 4), 6, marks=clause("NJ-19:47-9.4(b)-total-9")),
        pytest.param("total:10", (2, 3, 5), 6, marks=clause("NJ-19:47-9.4(b)-total-10")),
        pytest.param("total:11", (2, 4, 5), 6, marks=clause("NJ-19:47-9.4(b)-total-11")),
        pytest.param("total:12", (3, 4, 5), 6, marks=clause("NJ-19:47-9.4(b)-total-12")),
        pytest.param("total:13", (3, 4, 6), 8, marks=clause("NJ-19:47-9.4(b)-total-13")),
        pytest.param("total:14", (3, 5, 6), 12, marks=clause("NJ-19:47-9.4(b)-total-14")),
        pytest.param("total:15", (4, 5, 6), 14, marks=clause("NJ-19:47-9.4(b)-total-15")),
        pytest.param("total:16", (4, 6, 6), 18, marks=clause("NJ-19:47-9.4(b)-total-16")),
        pytest.param("total:17", (5, 6, 6), 50, marks=clause("NJ-19:47-9.4(b)-total-17")),
        pytest.param("two-dice:2-5", (2, 5, 6), 5, marks=clause("NJ-19:47-9.4(b)-two-dice-combination")),
        pytest.param("small", (1, 2, 4), 1, marks=clause("NJ-19:47-9.4(b)-small")),
        pytest.param("big", (4, 5, 6), 1, marks=clause("NJ-19:47-9.4(b)-big")),
        pytest.param("one-of-a-kind:6", (1, 2, 6), 1, marks=clause("NJ-19:47-9.4(b)-one-of-a-kind")),
    ],
)
def test_new_jersey_pays_its_floors(code, dice, to):
    assert paid("nj-19-47-9", code, dice) == (5 * to, "N.J.A.C. 19:47-9.4(b)")


@pytest.mark.parametrize(
    ("code", "dice", "to_a", "to_b"),
    [
        pytest.param("three-of-a-kind:5", (5, 5, 5), 150, 180, marks=clause("PA-625a.6(a)-three-of-a-kind")),
        pytest.param("two-of-a-kind:2", (2, 2, 5), 8, 11, marks=clause("PA-625a.6(a)-two-of-a-kind")),
        pytest.param(
            "any-three-of-a-kind", (4, 4, 4), 24, 31, marks=clause("PA-625a.6(a)-any-three-of-a-kind")
        ),
        pytest.param("total:4", (1, 1, 2), 50, 62, marks=clause("PA-625a.6(a)-total-4")),
        pytest.param("total:5", (1, 2, 2), 18, 31, marks=clause("PA-625a.6(a)-total-5")),
        pytest.param("total:6", (1, 2, 3), 14, 18, marks=clause("PA-625a.6(a)-total-6")),
        pytest.param("total:7", (1, 2, 4), 12, 12, marks=clause("PA-625a.6(a)-total-7")),
        pytest.param("total:8", (1, 3, 4), 8, 8, marks=clause("PA-625a.6(a)-total-8")),
        pytest.param("total:9", (2, 3, 4), 6, 7, marks=clause("PA-625a.6(a)-total-9")),
        pytest.param("total:10", (2, 3, 5), 6, 6, marks=clause("PA-625a.6(a)-total-10")),
        pytest.param("total:11", (2, 4, 5), 6, 6, marks=clause("PA-625a.6(a)-total-11")),
        pytest.param("total:12", (3, 4, 5), 6, 7, marks=clause("PA-625a.6(a)-total-12")),
        pytest.param("total:13", (3, 4, 6), 8, 8, marks=clause("PA-625a.6(a)-total-13")),
        pytest.param("total:14", (3, 5, 6), 12, 12, marks=clause("PA-625a.6(a)-total-14")),
        pytest.param("total:15", (4, 5, 6), 14, 18, marks=clause("PA-625a.6(a)-total-15")),
        pytest.param("total:16", (4, 6, 6), 18, 31, marks=clause("PA-625a.6(a)-total-16")),
        pytest.param("total:17", (5, 6, 6), 50, 62, marks=clause("PA-625a.6(a)-total-17")),
        pytest.param("two-dice:2-5", (2, 5, 6), 5, 6, marks=clause("PA-625a.6(a)-two-dice-combination")),
        pytest.param("small", (1, 2, 4), 1, 1, marks=clause("PA-625a.6(a)-small")),
        pytest.param("big", (4, 5, 6), 1, 1, marks=clause("PA-625a.6(a)-big")),
    ],
)
def test_625a_pays_paytable_a_or_b(code, dice, to_a, to_b):
    assert paid("pa-625a/A", code, dice) == (5 * to_a, "58 Pa. Code § 625a.6(a)")
    assert paid("pa-625a/B", code, dice) == (5 * to_b, "58 Pa. Code § 625a.6(a)")


@pytest.mark.parametrize(
    ("key", "dice", "to", "cite"),
    [
        pytest.param("pa-539", (5, 1, 2), 1, "58 Pa. Code § 539.6(c)(1)", marks=clause("PA-539.6(c)(1)")),
        pytest.param("pa-539", (5, 5, 2), 2, "58 Pa. Code § 539.6(c)(2)", marks=clause("PA-539.6(c)(2)")),
        pytest.param("pa-539", (5, 5, 5), 3, "58 Pa. Code § 539.6(c)(3)", marks=clause("PA-539.6(c)(3)")),
        pytest.param(
            "nj-19-47-9", (5, 5, 2), 2, "N.J.A.C. 19:47-9.4(c)", marks=clause("NJ-19:47-9.4(c)-two")
        ),
        pytest.param(
            "nj-19-47-9", (5, 5, 5), 3, "N.J.A.C. 19:47-9.4(c)", marks=clause("NJ-19:47-9.4(c)-three")
        ),
        pytest.param(
            "pa-625a/A", (5, 1, 2), 1, "58 Pa. Code § 625a.6(b)(1)", marks=clause("PA-625a.6(b)(1)")
        ),
        pytest.param(
            "pa-625a/B", (5, 1, 2), 1, "58 Pa. Code § 625a.6(b)(1)", marks=clause("PA-625a.6(b)(1)")
        ),
        pytest.param(
            "pa-625a/A", (5, 5, 2), 2, "58 Pa. Code § 625a.6(b)(2)", marks=clause("PA-625a.6(b)(2)")
        ),
        pytest.param(
            "pa-625a/A", (5, 5, 5), 3, "58 Pa. Code § 625a.6(b)(3)(i)", marks=clause("PA-625a.6(b)(3)(i)")
        ),
        pytest.param(
            "pa-625a/B", (5, 5, 5), 12, "58 Pa. Code § 625a.6(b)(3)(ii)", marks=clause("PA-625a.6(b)(3)(ii)")
        ),
    ],
)
def test_one_of_a_kind_pays_by_the_number_of_dice(key, dice, to, cite):
    assert paid(key, "one-of-a-kind:5", dice) == (5 * to, cite)


@clause("NJ-19:47-9.4(c)-two")
def test_a_single_hit_beside_an_unrelated_pair_pays_one_to_one_in_new_jersey():
    assert paid("nj-19-47-9", "one-of-a-kind:2", (5, 5, 2)) == (5, "N.J.A.C. 19:47-9.4(b)")


A = {
    "three-of-a-kind": "65/216", "two-of-a-kind": "1/3", "any-three-of-a-kind": "11/36",
    "total:4": "7/24", "total:5": "17/36", "total:6": "11/36", "total:7": "7/72", "total:8": "1/8",
    "total:9": "41/216", "total:10": "1/8", "two-dice": "1/6", "small": "1/36", "one-of-a-kind": "17/216",
}  # fmt: skip
B = {
    "three-of-a-kind": "35/216", "two-of-a-kind": "1/9", "any-three-of-a-kind": "1/9",
    "total:4": "1/8", "total:5": "1/9", "total:6": "13/108", "total:7": "7/72", "total:8": "1/8",
    "total:9": "2/27", "total:10": "1/8", "two-dice": "1/36", "small": "1/36", "one-of-a-kind": "1/27",
}  # fmt: skip
MIRROR = {"big": "small", **{f"total:{total}": f"total:{21 - total}" for total in range(11, 18)}}


@pytest.mark.parametrize(
    ("key", "expected"), [("pa-539", A), ("nj-19-47-9", A), ("pa-625a/A", A), ("pa-625a/B", B)]
)
def test_house_advantages_are_the_published_fractions(key, expected):
    rules = Rules.of(key)
    outcomes = game_of(rules).outcomes(rules)
    assert len(outcomes) == 50
    for code, bet in BETS.items():
        row = MIRROR.get(code, code if bet.family == "total" else bet.family)
        assert house_advantage(outcomes[code]) == Fraction(expected[row]), code


def test_one_of_a_kind_has_three_outcomes_with_exact_probabilities():
    rules = Rules.of("pa-625a/B")
    found = [
        (str(one.probability), str(one.pays)) for one in game_of(rules).outcomes(rules)["one-of-a-kind:6"]
    ]
    assert found == [("25/72", "1 to 1"), ("5/72", "2 to 1"), ("1/216", "12 to 1")]


@clause("PA-539.6(b)", "NJ-19:47-9.4(b)")
@pytest.mark.parametrize("key", FLOORED)
def test_a_submission_may_pay_more_and_never_less_than_a_floor(key):
    assert paid(key, "three-of-a-kind:5", (5, 5, 5), {"three-of-a-kind": "180 to 1"})[0] == 900
    with pytest.raises(Refusal) as refused:
        Rules.of(key, {"three-of-a-kind": "149 to 1"})
    assert (refused.value.code, refused.value.section) == ("under-the-floor", Rules.of(key).section("odds"))


@pytest.mark.parametrize(
    ("payouts", "code"),
    [
        ({"one-of-a-kind": "4 to 1"}, "odds-are-fixed"),
        ({"one-of-a-kind/3": "4 to 1"}, "odds-are-fixed"),
        ({"total": "60 to 1"}, "no-such-family"),
        ({"total:3": "200 to 1"}, "no-such-family"),
        ({"three-of-a-kind:5": "180 to 1"}, "no-such-family"),
        ({"small": "1 for 1"}, "odds-unreadable"),
        ({"small": "1,000 to 1"}, "odds-unreadable"),
        ({"small": 2}, "odds-unreadable"),
        ({"small": "0 to 1"}, "odds-unreadable"),
        ({"total:4": "99 to 2"}, "under-the-floor"),
    ],
)
@pytest.mark.parametrize("key", FLOORED)
def test_an_override_is_refused(key, payouts, code):
    with pytest.raises(Refusal) as refused:
        Rules.of(key, payouts)
    assert refused.value.code == code


@clause("PA-625a.6(a)")
@pytest.mark.parametrize("key", ["pa-625a/A", "pa-625a/B"])
def test_625a_takes_no_odds_but_those_of_one_paytable(key):
    with pytest.raises(Refusal) as refused:
        Rules.of(key, {"three-of-a-kind": "180 to 1"})
    assert (refused.value.code, refused.value.section) == ("payouts-are-exact", "58 Pa. Code § 625a.6(a)")
    with pytest.raises(Refusal) as refused:
        Rules.of("pa-625a")
    assert refused.value.code == "which-paytable"


@pytest.mark.parametrize(
    "key", ["pa-625a/C", "pa-539/A", "pa-625a@2012-05-19/A", "pa-1", "", "PA-539", "pa-539\n", "x" * 5000]
)
def test_unknown_rules_are_refused(key):
    with pytest.raises(Refusal) as refused:
        Rules.of(key)
    assert refused.value.code == "no-such-rules"


def test_a_short_key_is_the_newest_dated_one():
    assert (
        Rules.of("pa-625a/A") is Rules.of("pa-625a@2019-08-31/A")
        or Rules.of("pa-625a/A").key == "pa-625a@2019-08-31/A"
    )
    assert [Rules.of(key).key for key in FLOORED] == ["pa-539@2010-04-03", "nj-19-47-9@1993-12-06"]


@pytest.mark.parametrize("payouts", [None, {"total:4": "60 to 1", "small": "101 to 100"}])
@pytest.mark.parametrize("key", FLOORED)
def test_terms_give_the_rules_back(key, payouts):
    rules = Rules.of(key, payouts)
    assert Rules.from_terms(rules.terms()) == rules


def test_altered_terms_are_refused():
    terms = Rules.of("pa-625a/A").terms()
    with pytest.raises(Refusal) as refused:
        Rules.from_terms({**terms, "readings": {}})
    assert refused.value.code == "terms-changed"


@clause("PA-539.6(a)-to", "PA-539.6(a)-for")
def test_539_states_odds_with_to_alone():
    assert_words("pa-539", to="150 to 1", refused=("win", "wins", "for"))


@clause("PA-625a.6(c)")
def test_625a_states_odds_as_to_1_or_1_wins():
    assert_words("pa-625a/A", to="150 to 1", wins="1 wins 150", refused=("win", "for"))


@clause("NJ-19:47-9.4(a)-to", "NJ-19:47-9.4(a)-for")
def test_new_jersey_states_odds_with_to_or_win():
    assert_words("nj-19-47-9", to="150 to 1", win="1 win 150", refused=("wins", "for"))


def assert_words(key, refused, **stated):
    rules, odds = Rules.of(key), Odds(150)
    for word, text in stated.items():
        assert rules.state_odds(odds, word) == text
    for word in refused:
        with pytest.raises(Refusal, match="odds-word-not-allowed"):
            rules.state_odds(odds, word)
    rules.verify_odds_text("Small pays 1 to 1, for all totals from 4 to 10")
    with pytest.raises(Refusal, match="odds-said-for"):
        rules.verify_odds_text("Three of a Kind pays 150 for 1")


# What $7 wins, in dollars, by §§ 625a.6(a), (b) and 539.6: code, dice, paytable A, paytable B, the floors of 539
PAID_ON_SEVEN_DOLLARS = [
    ("three-of-a-kind:2", (2, 2, 2), 1_050, 1_260, 1_050),
    ("two-of-a-kind:5", (5, 2, 5), 56, 77, 56),
    ("any-three-of-a-kind", (6, 6, 6), 168, 217, 168),
    ("total:4", (1, 2, 1), 350, 434, 350),
    ("total:5", (1, 2, 2), 126, 217, 126),
    ("total:6", (1, 2, 3), 98, 126, 98),
    ("total:7", (1, 2, 4), 84, 84, 84),
    ("total:8", (1, 2, 5), 56, 56, 56),
    ("total:9", (1, 2, 6), 42, 49, 42),
    ("total:10", (1, 3, 6), 42, 42, 42),
    ("total:11", (1, 4, 6), 42, 42, 42),
    ("total:12", (2, 5, 5), 42, 49, 42),
    ("total:13", (1, 6, 6), 56, 56, 56),
    ("total:14", (2, 6, 6), 84, 84, 84),
    ("total:15", (3, 6, 6), 98, 126, 98),
    ("total:16", (4, 6, 6), 126, 217, 126),
    ("total:17", (5, 6, 6), 350, 434, 350),
    ("two-dice:1-6", (6, 3, 1), 35, 42, 35),
    ("small", (1, 2, 6), 7, 7, 7),
    ("big", (1, 6, 6), 7, 7, 7),
    ("one-of-a-kind:4", (4, 2, 1), 7, 7, 7),
    ("one-of-a-kind:4", (4, 4, 1), 14, 14, 14),
    ("one-of-a-kind:4", (4, 4, 4), 21, 84, 21),
]


@pytest.mark.parametrize(
    ("key", "column"),
    [
        pytest.param("pa-625a/A", 2, marks=clause("PA-625a.5(e)-odds")),
        pytest.param("pa-625a/B", 3, marks=clause("PA-625a.5(e)-odds")),
        pytest.param("pa-539", 4, marks=clause("PA-539.5(e)-odds")),
    ],
)
def test_winners_are_paid_their_stake_times_the_odds_in_force(key, column):
    rules = Rules.of(key)
    for row in PAID_ON_SEVEN_DOLLARS:
        code, dice, paid = row[0], row[1], row[column]
        (settled,) = game_of(rules).result(rules, [Wager(1, code, 700)], [dice]).settled
        assert (settled.outcome, settled.paid_cents, settled.returned_cents) == ("win", 100 * paid, 700), code
    assert {row[0].partition(":")[0] for row in PAID_ON_SEVEN_DOLLARS} == {
        bet.family for bet in BETS.values()
    }
    assert {row[0] for row in PAID_ON_SEVEN_DOLLARS if row[0].startswith("total")} == {
        f"total:{n}" for n in range(4, 18)
    }


FILED_IN_NEW_JERSEY = {
    "three-of-a-kind": "180 to 1",
    "two-of-a-kind": "10 to 1",
    "any-three-of-a-kind": "30 to 1",
    "total:4": "60 to 1",
    "total:12": "13 to 2",
    "two-dice": "6 to 1",
}


@clause("NJ-19:47-9.5(e)-odds")
@pytest.mark.parametrize(
    ("code", "dice", "paid"),
    [
        ("three-of-a-kind:2", (2, 2, 2), 126_000),
        ("two-of-a-kind:5", (5, 2, 5), 7_000),
        ("any-three-of-a-kind", (6, 6, 6), 21_000),
        ("total:4", (1, 2, 1), 42_000),
        ("total:12", (2, 5, 5), 4_550),
        ("two-dice:1-6", (6, 3, 1), 4_200),
        ("total:9", (1, 2, 6), 4_200),  # at the floor: nothing else is filed
        ("small", (1, 2, 6), 700),
        ("one-of-a-kind:4", (4, 4, 1), 1_400),
    ],
)
def test_new_jerseys_winners_are_paid_what_is_filed_and_not_the_floor(code, dice, paid):
    rules = Rules.of("nj-19-47-9", FILED_IN_NEW_JERSEY)
    (settled,) = game_of(rules).result(rules, [Wager(1, code, 700)], [dice]).settled
    assert (settled.outcome, settled.paid_cents) == ("win", paid)


def test_a_payout_that_would_be_a_fraction_of_a_cent_is_refused_not_rounded():
    rules = Rules.of("pa-539", {"small": "101 to 100"})
    game_of(rules).verify_stake(rules, "small", 500)
    with pytest.raises(Refusal, match="fraction-of-a-cent"):
        game_of(rules).verify_stake(rules, "small", 550)
