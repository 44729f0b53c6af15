"""What the dice of High Roll Dice come to, in the examples of the text and on exact numbers."""

from collections import Counter

import pytest

from games.adjudication import BadLine
from games.catalog.high_roll.engine.wagers import Held, held
from games.engine import Rules, Wager
from games.wording import reason_text
from tests.games.play_high_roll import (
    FOUR_FIVES,
    HIGH_ROLL,
    NO_MORE_FIVES,
    SIX,
    TEN,
    ends,
    lines,
    on_paper,
    short,
)

clause = pytest.mark.clause
CIRCLES = [f"like-kind:{count}" for count in range(2, 9)]


def outcomes(throws, wagers, key=TEN):
    return {code: outcome for code, (outcome, _) in ends(throws, wagers, key).items()}


def in_order(found):
    return [(found["wagers"][at]["seat"], found["wagers"][at]["wager"]) for at in found["order"]]


# The examples of the text; those of § 675a.2(e) show fewer dice and are filled up (A24)


@clause("PA-675a.2(e)(1)(i)")
def test_three_sixes_and_four_fours_make_four_the_face():
    assert held((6, 6, 6, 4, 4, 4, 4, 1, 2, 3)).face == 4


@clause("PA-675a.2(e)(1)(ii)", "PA-675a.2(d)")
def test_three_sixes_and_three_aces_make_the_ace_the_face():
    assert held((6, 6, 6, 1, 1, 1, 2, 3, 4, 5)).face == 1


@clause("PA-675a.2(e)(2)(i)")
def test_three_sixes_and_four_aces_are_four_of_a_kind():
    assert held((6, 6, 6, 1, 1, 1, 1, 2, 3, 4)) == Held(1, 4)


@clause("PA-675a.2(e)(2)(ii)")
def test_five_twos_and_three_aces_are_five_of_a_kind():
    assert held((2, 2, 2, 2, 2, 1, 1, 1, 3, 4)) == Held(2, 5)


@clause("PA-675a.2(e)(3)-example")
def test_two_sixes_and_four_aces_and_two_more_aces_are_six_of_a_kind():
    first, extra = (6, 6, 1, 1, 1, 1, 2, 3, 4, 5), (1, 1, 2, 3, 4, 5)
    assert reason_text(HIGH_ROLL.announcement([first, extra])) == "2 more: six of a kind, aces"
    wagers = lines(1, "pip:6", "like-kind:6", "extra-roll")
    assert ends([first, extra], wagers)["like-kind:6"] == ("win", 2000)


@clause("PA-675a.4(e)-example")
def test_four_fives_three_sixes_two_aces_and_a_four_hold_the_fives():
    assert held(FOUR_FIVES) == Held(5, 4)
    assert reason_text(HIGH_ROLL.announcement([FOUR_FIVES])) == "Four of a kind, fives"


@clause("PA-675a.4(f)(1)")
def test_the_five_is_paid_and_the_two_collected():
    assert ends([FOUR_FIVES], lines(1, "pip:5", "pip:2")) == {"pip:5": ("win", 2000), "pip:2": ("lose", 0)}


@clause("PA-675a.4(f)(2)(i)")
def test_without_an_extra_roll_every_circle_is_decided():
    found = outcomes([FOUR_FIVES], lines(1, "pip:1", *CIRCLES))
    assert [code for code in CIRCLES if found[code] == "win"] == ["like-kind:4"]


@clause("PA-675a.4(f)(2)(ii)-pay", "PA-675a.4(f)(2)(ii)-collect", "PA-675a.4(f)(2)(ii)-leave")
def test_with_an_extra_roll_the_four_is_paid_the_three_collected_and_the_five_left():
    wagers = lines(1, "pip:1", "like-kind:3", "like-kind:4", "like-kind:5", "extra-roll")
    first = standing([FOUR_FIVES], wagers)
    assert {one.wager.code: one.outcome for one in first.settled} == {
        "pip:1": "lose",
        "like-kind:3": "lose",
        "like-kind:4": "win",
        "extra-roll": "fee",
    }
    assert (first.ending, first.dice) == ("", 6)
    assert str(next(one.pays for one in first.settled if one.pays)) == "1 to 1"


def standing(throws, wagers, key=TEN, **how):
    return HIGH_ROLL.result(Rules.of(key, **how), [Wager(*line) for line in wagers], throws)


@clause("PA-675a.4(f)(3)")
def test_nine_matching_dice_pay_the_nine_and_collect_the_ten():
    found = on_paper([(3,) * 9 + (1,)], lines(1, "pip:3", "millionaire:10", "millionaire:9"))
    assert in_order(found) == [(1, "pip:3"), (1, "millionaire:10"), (1, "millionaire:9")]
    assert [one["outcome"] for one in found["wagers"]] == ["win", "lose", "win"]
    assert found["wagers"][2] == {
        "seat": 1,
        "wager": "millionaire:9",
        "cents": 100,
        "outcome": "win",
        "pays": "$50,000",
        "paid_cents": 5_000_000,
        "returned_cents": 100,
        "cite": short("5(c)"),
    }


@clause("PA-675a.4(g)", "PA-675a.2(e)(3)-entitles")
def test_three_sixes_are_held_and_seven_dice_thrown_again():
    first = (6, 6, 6, 4, 4, 4, 2, 2, 1, 1)
    assert held(first) == Held(6, 3)
    assert standing([first], lines(1, "pip:6", "like-kind:2", "extra-roll")).dice == 7


@clause("PA-675a.4(h)-total", "PA-675a.4(h)-settle")
def test_three_sixes_and_two_more_make_five_of_a_kind():
    first, extra = (6, 6, 6, 4, 4, 4, 2, 2, 1, 1), (6, 6, 1, 2, 3, 4, 5)
    found = ends([first, extra], lines(1, "pip:1", "like-kind:5", "like-kind:6", "extra-roll"))
    assert (found["like-kind:5"], found["like-kind:6"]) == (("win", 1000), ("lose", 0))


@clause("PA-675a.4(h)-once")
def test_a_circle_paid_on_the_first_roll_is_not_paid_again():
    wagers = lines(1, "pip:1", "like-kind:4", "like-kind:5", "extra-roll")
    found = ends([FOUR_FIVES, NO_MORE_FIVES], wagers)
    assert (found["like-kind:4"], found["like-kind:5"]) == (("win", 500), ("lose", 0))


@clause("PA-675a.4(h)-once")
@pytest.mark.parametrize("extra", [NO_MORE_FIVES, (5, 1, 2, 3, 4, 6), (5, 5, 5, 5, 5, 5)])
def test_the_extra_roll_decides_no_circle_that_the_first_roll_paid(extra):
    """No entry for it among what the extra roll settles: neither the same payment again, nor another."""
    placed = [
        Wager(*line) for line in lines(1, "pip:1", "like-kind:4", "like-kind:5", "like-kind:6", "extra-roll")
    ]
    rules = Rules.of(TEN)
    first = HIGH_ROLL.result(rules, placed, [FOUR_FIVES]).settled
    (paid,) = (settled for settled in first if settled.wager.code == "like-kind:4")
    assert (paid.outcome, paid.paid_cents) == ("win", 500)
    both = HIGH_ROLL.result(rules, placed, [FOUR_FIVES, extra]).settled
    newly = [settled.wager.code for settled in both if settled not in first]
    assert sorted(newly) == ["like-kind:5", "like-kind:6"]
    assert Counter(settled.wager.code for settled in both)["like-kind:4"] == 1


@clause("PA-675a.6(d)(1)")
def test_two_sixes_and_four_aces_of_six_dice_are_four_of_a_kind():
    assert held((6, 6, 1, 1, 1, 1)) == Held(1, 4)


@clause("PA-675a.6(d)(2)", "PA-675a.6(c)")
def test_one_of_each_number_is_no_match_and_the_ace_wins_pip_street():
    wagers = lines(1, "pip:1", "pip:6", "like-kind:none", "like-kind:2")
    assert outcomes([(1, 2, 3, 4, 5, 6)], wagers, SIX) == {
        "pip:1": "win",
        "pip:6": "lose",
        "like-kind:none": "win",
        "like-kind:2": "lose",
    }


@clause("PA-675a.6(h)-example")
def test_three_fives_two_sixes_and_a_four_hold_the_fives():
    assert held((5, 5, 5, 6, 6, 4)) == Held(5, 3)
    assert reason_text(HIGH_ROLL.announcement([(5, 5, 5, 6, 6, 4)])) == "Three of a kind, fives"


# The Extra Roll, where the text needs a reading


def test_the_extra_throw_is_made_even_if_nothing_waits_for_it():
    wagers = lines(1, "pip:5", "like-kind:3", "extra-roll")
    assert outcomes([FOUR_FIVES, (5, 5, 5, 1, 2, 3)], wagers)["like-kind:3"] == "lose"
    with pytest.raises(BadLine) as refused:
        on_paper([FOUR_FIVES], wagers)
    assert refused.value.refusal.code == "too-few-throws"


def test_ten_of_a_kind_leave_no_loose_die_and_the_fee_is_kept():
    found = on_paper([(4,) * 10], lines(1, "pip:4", "like-kind:8", "extra-roll"))
    assert [one["outcome"] for one in found["wagers"]] == ["win", "lose", "fee"]


@pytest.mark.parametrize(
    ("first", "extra"),
    [
        (HELD_TWO := (1, 1, 2, 2, 3, 3, 4, 4, 5, 6), (2,) * 8),
        (HELD_TWO, (1,) * 7 + (2,)),
        (HELD_TWO, (1,) * 8),
    ],
)
def test_totals_of_two_nine_and_ten_pay_nothing(first, extra):
    found = outcomes([first, extra], lines(1, "pip:2", *CIRCLES, "extra-roll"))
    assert [code for code in CIRCLES if found[code] == "win"] == ["like-kind:2"]  # on the first roll


def test_a_better_match_among_the_loose_dice_counts_for_nothing():
    found = outcomes([FOUR_FIVES, (6,) * 6], lines(1, "pip:6", "like-kind:6", "extra-roll"))
    assert found == {"pip:6": "lose", "like-kind:6": "lose", "extra-roll": "fee"}


@clause("PA-675a.2(e)(1)-win")
def test_the_extra_throw_changes_nothing_of_pip_street_millionaire_row_or_another_seat():
    wagers = [
        *lines(1, "pip:5", "like-kind:4", "millionaire:9", "extra-roll"),
        *lines(2, "pip:5", "like-kind:5"),
    ]
    with_more = on_paper([FOUR_FIVES, (5,) * 5 + (6,)], wagers)["wagers"]
    assert [one["outcome"] for one in with_more] == ["win", "win", "lose", "fee", "win", "lose"]


# Order of settlement


@clause("PA-675a.4(f)")
def test_the_fees_then_seat_by_seat_then_the_extra_throw_seat_by_seat():
    wagers = [
        *lines(3, "extra-roll", "like-kind:8", "like-kind:5", "like-kind:2", "like-kind:4", "pip:5", "pip:1"),
        *lines(1, "millionaire:9", "like-kind:4", "like-kind:5", "pip:5", "pip:2"),
        *lines(2, "pip:5", "like-kind:5", "extra-roll"),
    ]
    found = on_paper([FOUR_FIVES, (5, 1, 2, 3, 4, 6)], wagers)
    assert in_order(found) == [
        (2, "extra-roll"),
        (3, "extra-roll"),
        (1, "pip:2"),
        (1, "pip:5"),
        (1, "like-kind:5"),
        (1, "like-kind:4"),
        (1, "millionaire:9"),
        (2, "pip:5"),
        (3, "pip:1"),
        (3, "pip:5"),
        (3, "like-kind:4"),  # the number that is paid comes first where an Extra Roll was bought
        (3, "like-kind:2"),
        (2, "like-kind:5"),
        (3, "like-kind:8"),
        (3, "like-kind:5"),
    ]


@clause("PA-675a.6(i)")
def test_with_six_dice_losers_are_collected_before_winners_are_paid():
    wagers = [*lines(2, "pip:5", "pip:1"), *lines(1, "like-kind:3", "like-kind:2", "pip:5")]
    found = on_paper([(5, 5, 5, 6, 6, 4)], wagers, SIX)
    assert in_order(found) == [
        (1, "pip:5"),
        (1, "like-kind:2"),
        (1, "like-kind:3"),
        (2, "pip:1"),
        (2, "pip:5"),
    ]
    assert [one["cite"] for one in found["wagers"]] == [
        short("6(j)"),
        short("6(d)"),
        short("6(k)"),
        short("6(d)"),
        short("6(j)"),
    ]


def test_each_settlement_names_its_paragraph():
    wagers = lines(
        1, "pip:5", "pip:1", "like-kind:3", "like-kind:4", "like-kind:5", "like-kind:6", "extra-roll"
    )
    found = on_paper([FOUR_FIVES, (5, 1, 2, 3, 4, 6)], [*wagers, (1, "millionaire:10", 100)])["wagers"]
    assert [(one["wager"], one["pays"], one["cite"]) for one in found] == [
        ("pip:5", "4 to 1", short("5(a)")),
        ("pip:1", None, short("2(e)(1)")),
        ("like-kind:3", None, short("2(e)(2)")),
        ("like-kind:4", "1 to 1", short("5(b)")),
        ("like-kind:5", "2 to 1", short("5(d)")),
        ("like-kind:6", None, short("2(e)(2)")),
        ("extra-roll", None, short("2(e)(3)")),
        ("millionaire:10", None, short("2(e)(4)")),
    ]


# The aggregate payout limit


@clause("PA-675a.5(e)", "PA-675a.5(e)-cap")
def test_winnings_of_a_seat_stop_at_the_limit_in_the_order_of_settlement():
    dice = (2,) * 8 + (1, 1)
    wagers = [*lines(1, "like-kind:8", "pip:2", cents=1200), *lines(2, "pip:2", "like-kind:8", cents=1000)]
    found = on_paper([dice], wagers, payout_limit_cents=5_006_000)["wagers"]
    assert [(one["paid_cents"], one["returned_cents"], one.get("cut_cents")) for one in found] == [
        (4_998_800, 1200, 1_001_200),
        (7200, 1200, None),
        (6000, 1000, None),
        (5_000_000, 1000, None),
    ]
    uncut = on_paper([dice], wagers)["wagers"]
    assert [one["paid_cents"] for one in uncut] == [6_000_000, 7200, 6000, 5_000_000]


def test_what_the_first_roll_paid_counts_against_the_extra_throw():
    wagers = lines(1, "pip:5", "like-kind:4", "like-kind:5", "like-kind:8", "extra-roll", cents=1_000_000)
    found = on_paper([FOUR_FIVES, (5, 1, 2, 3, 4, 6)], wagers, payout_limit_cents=5_500_000)["wagers"]
    assert [(one["paid_cents"], one.get("cut_cents")) for one in found[:3]] == [
        (4_000_000, None),
        (1_000_000, None),
        (500_000, 1_500_000),
    ]


@clause("PA-675a.5(e)-millionaire")
def test_millionaire_row_is_paid_in_full_and_counts_for_nothing():
    wagers = lines(1, "pip:2", "millionaire:10", cents=1_000_000)
    found = on_paper([(2,) * 10], wagers, payout_limit_cents=5_000_000)["wagers"]
    assert [(one["paid_cents"], one.get("cut_cents")) for one in found] == [
        (5_000_000, 1_000_000),
        (100_000_000, None),
    ]


@clause("PA-675a.6(l)")
def test_with_six_dice_a_limit_holds_where_it_is_given():
    wagers = lines(1, "pip:2", "like-kind:6", cents=1000)
    found = on_paper([(2,) * 6], wagers, SIX, payout_limit_cents=5_000_000)["wagers"]
    assert [one["paid_cents"] for one in found] == [8000, 4_992_000]
    assert [one["paid_cents"] for one in on_paper([(2,) * 6], wagers, SIX)["wagers"]] == [8000, 6_000_000]


# Why, in words


@pytest.mark.parametrize(
    ("dice", "code", "said"),
    [
        ((6, 6, 6, 1, 1, 1, 2, 3, 4, 5), "pip:6", "As many, but the aces rank higher"),
        ((6, 6, 6, 1, 1, 1, 2, 3, 4, 5), "pip:2", "Most dice alike: the aces"),
        (FOUR_FIVES, "pip:5", "Most dice alike: the fives"),
        (FOUR_FIVES, "like-kind:3", "Four of a kind, fives"),
        ((3,) * 9 + (1,), "millionaire:10", "Nine of a kind, threes"),
        (FOUR_FIVES, "extra-roll", "The price of an Extra Roll"),
    ],
)
def test_every_settlement_has_its_reason(dice, code, said):
    wagers = lines(1, *dict.fromkeys(["pip:5", "like-kind:3", "extra-roll", code]))
    (found,) = [one for one in standing([dice], wagers).settled if one.wager.code == code]
    assert reason_text(found.why) == said


def test_no_match_is_called_so():
    assert reason_text(HIGH_ROLL.announcement([(1, 2, 3, 4, 5, 6)])) == "No match, ace highest"


@pytest.mark.parametrize(
    ("throws", "codes"),
    [
        ([FOUR_FIVES], ("pip:5", "like-kind:4")),
        ([(2,) * 9 + (1,)], ("pip:2", "millionaire:9")),
        ([FOUR_FIVES, (5, 5, 1, 2, 3, 4)], ("like-kind:6",)),
        ([FOUR_FIVES, NO_MORE_FIVES], ()),
        ([FOUR_FIVES, (5,) * 5 + (1,)], ()),
    ],
)
def test_the_layout_lights_what_the_newest_throw_wins_for(throws, codes):
    assert HIGH_ROLL.winning_codes(Rules.of(TEN), throws) == codes
    assert HIGH_ROLL.winning_codes(Rules.of(SIX), [(1, 2, 3, 4, 5, 6)]) == ("pip:1", "like-kind:none")
