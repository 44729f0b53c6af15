"""High Roll Dice in exact figures: every class of throw, every payout, every house advantage."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial
from typing import Any

import pytest

from games.catalog.high_roll.engine.wagers import Held, classes, held
from games.engine import Refusal, Rules, house_advantage
from games.registry import game_of
from games.submissions import verify_house_advantage
from tests.games.play_high_roll import HIGH_ROLL, SIX, TEN, ends, lines

clause = pytest.mark.clause
OUTCOMES = {key: HIGH_ROLL.outcomes(Rules.of(key)) for key in (TEN, SIX)}


def advantage(key, code):
    rules = Rules.of(key)
    return game_of(rules).advantage(rules, code, OUTCOMES[key][code])


def percent(fraction):
    return str(round(fraction * 1_000_000))


# The classes of a throw


def judged(dice):
    """Another computation than the engine's: sorting faces by count and then by rank."""
    rank = {1: 7}
    count, _, face = max((dice.count(face), rank.get(face, face), face) for face in set(dice))
    return Held(face, count)


def orders(dice):
    """In how many orders these faces may lie."""
    found = factorial(len(dice))
    for times in Counter(dice).values():
        found //= factorial(times)
    return found


@clause("PA-675a.6(c)", "PA-675a.6(d)-win")
def test_all_46656_throws_of_six_dice_hold_the_most_alike_and_the_higher_rank():
    found: Counter[Any] = Counter()
    for dice in product(range(1, 7), repeat=6):
        assert held(dice) == judged(dice)
        found[judged(dice)] += 1
    assert dict(classes(6)) == dict(found)


@clause("PA-675a.2(d)", "PA-675a.2(e)(1)-win", "PA-675a.2(e)(2)-win")
def test_every_class_of_ten_dice_comes_up_as_often_as_its_faces_may_lie():
    found: Counter[Any] = Counter()
    for dice in combinations_with_replacement(range(1, 7), 10):
        assert held(dice) == judged(dice)
        found[judged(dice)] += orders(dice)
    assert dict(classes(10)) == dict(found)
    assert sum(found.values()) == 6**10


def test_the_winning_faces_of_ten_dice():
    found: Counter[Any] = Counter()
    for one, ways in classes(10).items():
        found[one.face] += ways
    assert found == {2: 6960666, 3: 7868118, 4: 8825970, 5: 10061022, 6: 11913474, 1: 14836926}


def test_the_counts_of_ten_dice():
    found: Counter[Any] = Counter()
    for one, ways in classes(10).items():
        found[one.count] += ways
    assert found == {
        2: 4082400, 3: 32004000, 4: 18774000, 5: 4721220, 6: 787500, 7: 90000, 8: 6750, 9: 300, 10: 6,
    }  # fmt: skip


# House advantages

TEN_DICE = {
    "pip:2": "194183", "pip:3": "89130", "pip:4": "124208", "pip:5": "168045", "pip:6": "14865", "pip:1": "18497",
    "like-kind:2": "122299", "like-kind:3": "153140", "like-kind:4": "379025", "like-kind:5": "609598",
    "like-kind:6": "596262", "like-kind:7": "403137", "like-kind:8": "441725",
    "millionaire:9": "751922", "millionaire:10": "900771", "extra-roll": "89302",
}  # fmt: skip
SIX_DICE = {
    "pip:2": "111497", "pip:3": "143904", "pip:4": "113169", "pip:5": "123800", "pip:6": "181584",
    "pip:1": "246013", "like-kind:none": "58642", "like-kind:2": "74074", "like-kind:3": "54784",
    "like-kind:4": "228395", "like-kind:5": "224537", "like-kind:6": "228266",
}  # fmt: skip


@pytest.mark.parametrize(("key", "figures"), [(TEN, TEN_DICE), (SIX, SIX_DICE)])
def test_every_wager_favours_the_house_by_so_much_of_a_million(key, figures):
    assert {code: percent(advantage(key, code)) for code in OUTCOMES[key]} == figures
    verify_house_advantage(Rules.of(key))


def test_the_exact_figures_of_six_dice():
    chance = {code: one.probability for code, (one,) in OUTCOMES[SIX].items() if code.startswith("like")}
    assert chance == {
        "like-kind:none": Fraction(5, 324),
        "like-kind:2": Fraction(50, 81),
        "like-kind:3": Fraction(1225, 3888),
        "like-kind:4": Fraction(125, 2592),
        "like-kind:5": Fraction(5, 1296),
        "like-kind:6": Fraction(1, 7776),
    }


# The Extra Roll


def test_an_extra_roll_wins_a_circle_as_often_as_every_throw_of_loose_dice_says():
    by_pays = {str(one.pays): one.probability for one in OUTCOMES[TEN]["extra-roll"]}
    pays = {3: "6 to 1", 4: "1 to 1", 5: "2 to 1", 6: "4 to 1", 7: "10 to 1", 8: "50 to 1"}
    scaled = {circle: str(round(by_pays[odds] * 10**8)) for circle, odds in pays.items()}
    assert scaled == {3: "2512309", 4: "22438642", 5: "25589264", 6: "13688642", 7: "4276657", 8: "805084"}
    for circle, odds in pays.items():
        assert by_pays[odds] == sum(
            Fraction(ways, 6**10) * matching(10 - one.count, circle - one.count)
            for one, ways in classes(10).items()
            if one.count < circle
        )


@pytest.mark.parametrize("loose", range(1, 9))
def test_the_loose_dice_match_as_often_as_all_their_throws_say(loose):
    found: Counter[Any] = Counter()
    for dice in combinations_with_replacement(range(1, 7), loose):
        found[dice.count(3)] += orders(dice)
    assert {more: Fraction(ways, 6**loose) for more, ways in found.items()} == {
        more: matching(loose, more) for more in range(loose + 1)
    }


def matching(loose, wanted):
    """By Pascal's rule and no binomials: the chance that so many of the loose dice match."""
    row = [Fraction(1)]
    for _ in range(loose):
        row = [
            (row[at] * Fraction(5, 6) if at < len(row) else Fraction(0))
            + (row[at - 1] * Fraction(1, 6) if at else Fraction(0))
            for at in range(len(row) + 1)
        ]
    return row[wanted]


def test_the_extra_roll_is_judged_with_its_six_circles_by_seven_units():
    found = advantage(TEN, "extra-roll")
    assert found == Fraction(73480204633, 822823723008)
    back = Fraction(0)  # the same by settling every course of two throws
    first_odds = {
        3: Fraction(3, 5),
        4: Fraction(1),
        5: Fraction(4),
        6: Fraction(30),
        7: Fraction(400),
        8: Fraction(5000),
    }
    extra_odds = {3: 6, 4: 1, 5: 2, 6: 4, 7: 10, 8: 50}
    for one, ways in classes(10).items():
        for more in range(11 - one.count):
            chance = Fraction(ways, 6**10) * matching(10 - one.count, more)
            total = one.count + more
            back += chance * (first_odds[one.count] + 1 if one.count in first_odds else 0)
            back += chance * (extra_odds[total] + 1 if more and total in extra_odds else 0)
    assert found == 1 - back / 7


def test_the_fee_alone_is_no_house_advantage():
    assert house_advantage(OUTCOMES[TEN]["extra-roll"]) < -1


# Payouts, for five dollars

HELD = {
    2: (1, 1, 2, 2, 3, 3, 4, 4, 5, 6), 3: (1, 1, 1, 2, 2, 3, 3, 4, 5, 6), 4: (1, 1, 1, 1, 2, 2, 3, 3, 4, 5),
    5: (1,) * 5 + (2, 2, 3, 3, 4), 6: (1,) * 6 + (2, 3, 4, 5), 7: (1,) * 7 + (2, 3, 4), 8: (1,) * 8 + (2, 3),
}  # fmt: skip


def paid(dice, code, key=TEN):
    return ends([dice], lines(1, *dict.fromkeys(["pip:1", code])), key)[code]


@pytest.mark.parametrize(
    ("face", "cents"),
    [
        pytest.param(2, 3000, marks=clause("PA-675a.5(a)-two")),
        pytest.param(3, 3000, marks=clause("PA-675a.5(a)-three")),
        pytest.param(4, 2500, marks=clause("PA-675a.5(a)-four")),
        pytest.param(5, 2000, marks=clause("PA-675a.5(a)-five")),
        pytest.param(6, 2000, marks=clause("PA-675a.5(a)-six")),
        pytest.param(1, 1500, marks=clause("PA-675a.5(a)-ace")),
    ],
)
def test_pip_street_pays_five_dollars_with_ten_dice(face, cents):
    other = 2 if face == 6 else 6
    assert paid((face,) * 6 + (other,) * 4, f"pip:{face}") == ("win", cents)
    assert paid((other,) * 6 + (face,) * 4, f"pip:{face}") == ("lose", 0)


@pytest.mark.parametrize(
    ("count", "cents"),
    [
        pytest.param(8, 2_500_000, marks=clause("PA-675a.5(b)-eight-of-a-kind")),
        pytest.param(7, 200_000, marks=clause("PA-675a.5(b)-seven-of-a-kind")),
        pytest.param(6, 15_000, marks=clause("PA-675a.5(b)-six-of-a-kind")),
        pytest.param(5, 2000, marks=clause("PA-675a.5(b)-five-of-a-kind")),
        pytest.param(4, 500, marks=clause("PA-675a.5(b)-four-of-a-kind")),
        pytest.param(3, 300, marks=clause("PA-675a.5(b)-three-of-a-kind")),
        pytest.param(2, 6000, marks=clause("PA-675a.5(b)-two-of-a-kind")),
    ],
)
def test_like_kind_pays_five_dollars_on_the_first_roll_for_the_exact_count(count, cents):
    for shown in range(2, 9):
        assert paid(HELD[shown], f"like-kind:{count}") == (("win", cents) if shown == count else ("lose", 0))
    assert paid((5,) * 9 + (1,), f"like-kind:{count}") == ("lose", 0)
    assert paid((5,) * 10, f"like-kind:{count}") == ("lose", 0)


@pytest.mark.parametrize(
    ("total", "cents"),
    [
        pytest.param(8, 25_000, marks=clause("PA-675a.5(d)-eight-of-a-kind")),
        pytest.param(7, 5000, marks=clause("PA-675a.5(d)-seven-of-a-kind")),
        pytest.param(6, 2000, marks=clause("PA-675a.5(d)-six-of-a-kind")),
        pytest.param(5, 1000, marks=clause("PA-675a.5(d)-five-of-a-kind")),
        pytest.param(4, 500, marks=clause("PA-675a.5(d)-four-of-a-kind")),
        pytest.param(3, 3000, marks=clause("PA-675a.5(d)-three-of-a-kind")),
    ],
)
def test_like_kind_pays_five_dollars_on_the_extra_throw_for_the_exact_total(total, cents):
    wagers = lines(1, "pip:2", *[f"like-kind:{circle}" for circle in range(2, 9)], "extra-roll")
    for first in range(2, total):
        extra = (1,) * (total - first) + (6,) * (10 - total)
        found = ends([HELD[first], extra], wagers)
        assert found[f"like-kind:{total}"] == ("win", cents)
        assert {code for code, (outcome, _) in found.items() if outcome == "win"} == {
            f"like-kind:{total}",
            f"like-kind:{first}",
        }


@clause("PA-675a.2(e)(4)-win", "PA-675a.5(c)-nine-of-a-kind", "PA-675a.5(c)-ten-of-a-kind")
def test_millionaire_row_pays_a_fixed_sum_for_the_exact_count_of_the_first_roll():
    wagers = lines(1, "pip:1", "millionaire:9", "millionaire:10")
    nine, ten = ends([(4,) * 9 + (2,)], wagers), ends([(4,) * 10], wagers)
    assert (nine["millionaire:9"], nine["millionaire:10"]) == (("win", 5_000_000), ("lose", 0))
    assert (ten["millionaire:9"], ten["millionaire:10"]) == (("lose", 0), ("win", 100_000_000))


@pytest.mark.parametrize(
    ("face", "cents"),
    [
        pytest.param(2, 4000, marks=clause("PA-675a.6(j)-two")),
        pytest.param(3, 3000, marks=clause("PA-675a.6(j)-three")),
        pytest.param(4, 2500, marks=clause("PA-675a.6(j)-four")),
        pytest.param(5, 2000, marks=clause("PA-675a.6(j)-five")),
        pytest.param(6, 1500, marks=clause("PA-675a.6(j)-six")),
        pytest.param(1, 1000, marks=clause("PA-675a.6(j)-ace")),
    ],
)
def test_pip_street_pays_five_dollars_with_six_dice(face, cents):
    other = 2 if face == 6 else 6
    assert paid((face,) * 4 + (other,) * 2, f"pip:{face}", SIX) == ("win", cents)
    assert paid((other,) * 4 + (face,) * 2, f"pip:{face}", SIX) == ("lose", 0)


@pytest.mark.parametrize(
    ("code", "dice", "cents"),
    [
        pytest.param("6", (3,) * 6, 3_000_000, marks=clause("PA-675a.6(k)-six-of-a-kind")),
        pytest.param("5", (3,) * 5 + (1,), 100_000, marks=clause("PA-675a.6(k)-five-of-a-kind")),
        pytest.param("4", (3,) * 4 + (1, 2), 7500, marks=clause("PA-675a.6(k)-four-of-a-kind")),
        pytest.param("3", (3, 3, 3, 1, 1, 2), 1000, marks=clause("PA-675a.6(k)-three-of-a-kind")),
        pytest.param("2", (3, 3, 1, 1, 2, 4), 250, marks=clause("PA-675a.6(k)-two-of-a-kind")),
        pytest.param("none", (1, 2, 3, 4, 5, 6), 30_000, marks=clause("PA-675a.6(k)-no-match")),
    ],
)
def test_like_kind_pays_five_dollars_with_six_dice(code, dice, cents):
    for circle in ("none", "2", "3", "4", "5", "6"):
        expected = ("win", cents) if circle == code else ("lose", 0)
        assert paid(dice, f"like-kind:{circle}", SIX) == expected


# The rules themselves


def test_the_odds_are_exact_and_terms_give_the_rules_back():
    for key in (TEN, SIX):
        with pytest.raises(Refusal) as refused:
            Rules.of(key, {"pip:1": "4 to 1"})
        assert refused.value.code == "payouts-are-exact"
        for limit in (None, 5_006_000):
            rules = Rules.of(key, payout_limit_cents=limit)
            assert Rules.from_terms(rules.terms()) == rules


def test_a_payout_limit_and_an_increment_are_at_least_one_cent():
    terms = Rules.of(TEN, payout_limit_cents=1, increments={"pip": 1}).terms()
    assert (terms["payout_limit_cents"], terms["increments"]) == (1, {"pip": 1})
    for cents in (0, -1, True):
        with pytest.raises(Refusal, match="bad-amount"):
            Rules.of(TEN, payout_limit_cents=cents)
        with pytest.raises(Refusal, match="bad-amount"):
            Rules.of(TEN, increments={"pip": cents})


@clause("PA-675a.5(e)-floor")
@pytest.mark.parametrize(("minimum", "least"), [(500, 5_000_000), (1000, 5_006_000), (2500, 12_515_000)])
def test_a_payout_limit_of_ten_dice_is_at_least_the_most_that_one_patron_may_win(minimum, least):
    assert Rules.of(TEN).least_payout_limit_cents(minimum) == least


@clause("PA-675a.6(l)-floor")
@pytest.mark.parametrize(("minimum", "least"), [(500, 5_000_000), (1000, 6_008_000)])
def test_a_payout_limit_of_six_dice_is_at_least_the_most_that_one_patron_may_win(minimum, least):
    assert Rules.of(SIX).least_payout_limit_cents(minimum) == least


@pytest.mark.parametrize(("key", "times"), [(TEN, 5006), (SIX, 6008)])
def test_no_first_roll_wins_more_units_than_the_floor_of_the_limit_says(key, times):
    rules = Rules.of(key)
    most = max(
        rules.payouts[f"pip:{one.face}"].odds.ratio()
        + (
            rules.payouts[f"like-kind:{one.count}"].odds.ratio()
            if f"like-kind:{one.count}" in rules.payouts
            else 0
        )
        for one in classes(rules.edition.dice)
    )
    assert most == times
