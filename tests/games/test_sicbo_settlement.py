"""What three dice mean: every throw, every wager, every edition, against a second reckoning of its own."""

import re
from collections import Counter
from itertools import permutations, product

import pytest

from games.catalog.sic_bo.engine import BETS, settle
from games.engine import Refusal, Rules, Wager
from games.engine.wagers import settlement_order
from games.registry import game_of
from games.wording import reason_text

clause = pytest.mark.clause
THROWS = list(product(range(1, 7), repeat=3))
EDITIONS = ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B")
TOTALS_A = [None] * 4 + [50, 18, 14, 12, 8, 6, 6, 6, 6, 8, 12, 14, 18, 50]
TOTALS_B = [None] * 4 + [62, 31, 18, 12, 8, 7, 6, 6, 7, 8, 12, 18, 31, 62]


def expected_to(code, throw, b):
    """The odds "to 1" that a code should be paid, 0 for a loss: by sets and text, not by the engine's way."""
    name, _, rest = code.partition(":")
    numbers = [int(n) for n in re.findall(r"\d+", rest)]
    hits = sum(1 for die in throw if numbers and die == numbers[0])
    alike = len(set(throw)) == 1
    match name:
        case "three-of-a-kind":
            return (180 if b else 150) if set(throw) == set(numbers) else 0
        case "two-of-a-kind":
            return (11 if b else 8) if hits >= 2 else 0
        case "any-three-of-a-kind":
            return (31 if b else 24) if alike else 0
        case "one-of-a-kind":
            return (0, 1, 2, 12 if b else 3)[hits]
        case "total":
            return (TOTALS_B if b else TOTALS_A)[numbers[0]] if sum(throw) == numbers[0] else 0
        case "two-dice":
            return (6 if b else 5) if set(numbers) <= set(throw) else 0
        case "small":
            return int(not alike and 4 <= sum(throw) <= 10)
        case "big":
            return int(not alike and 11 <= sum(throw) <= 17)
    raise AssertionError(code)


def won(key, code):
    """On how many of the 216 throws a code wins."""
    rules = Rules.of(key)
    return sum(settle(rules, [Wager(1, code, 100)], throw)[0].outcome == "win" for throw in THROWS)


@clause("PA-539.4(c)", "PA-625a.4(c)", "NJ-19:47-9.3(c)")
@pytest.mark.parametrize("key", EDITIONS)
def test_every_throw_settles_every_wager_as_reckoned_elsewhere(key):
    rules = Rules.of(key)
    wagers = [Wager(1, code, 300) for code in BETS]
    for throw in THROWS:
        for one in settle(rules, wagers, throw):
            to = expected_to(one.wager.code, throw, key.endswith("B"))
            assert (one.outcome, one.paid_cents, one.returned_cents) == (
                ("win", 300 * to, 300) if to else ("lose", 0, 0)
            ), (one.wager.code, throw)
            assert (str(one.pays) if one.pays else None) == (f"{to} to 1" if to else None)
            assert reason_text(one.why)


@clause("PA-539.5(d)-illuminate", "PA-625a.5(d)-illuminate", "NJ-19:47-9.5(d)-illuminate")
@clause("PA-539.1(b)-illumination", "PA-625a.1(b)-illumination")
@pytest.mark.parametrize("key", EDITIONS)
def test_the_lit_set_is_the_winning_set_for_every_throw(key):
    rules = Rules.of(key)
    for throw in THROWS:
        expected = {code for code in BETS if expected_to(code, throw, False)}
        assert set(game_of(rules).winning_codes(rules, [throw])) == expected


# The throws, low to high, on which one wager of each family wins, by the definitions of § 625a.3. Named, not counted: a
# wager that wins on other throws as often would not be this wager.
WINS = {
    "three-of-a-kind:4": "444",
    "two-of-a-kind:4": "144 244 344 444 445 446",
    "any-three-of-a-kind": "111 222 333 444 555 666",
    "two-dice:2-5": "125 225 235 245 255 256",
    "small": (
        "112 113 114 115 116 122 123 124 125 126 133 134 135 136 144 145 223 224 225 226 233 234 235 244 334"
    ),
    "big": (
        "146 155 156 166 236 245 246 255 256 266 335 336 344 345 346 355 356 366 445 446 455 456 466 556 566"
    ),
    "one-of-a-kind:4": (
        "114 124 134 144 145 146 224 234 244 245 246 334 344 345 346 444 445 446 455 456 466"
    ),
}
FAMILIES = {code.partition(":")[0]: code for code in WINS}


@pytest.mark.parametrize(
    ("key", "family", "wins"),
    [
        pytest.param("pa-539", "three-of-a-kind", 1, marks=clause("PA-539.3(1)")),
        pytest.param("pa-539", "two-of-a-kind", 16, marks=clause("PA-539.3(2)")),
        pytest.param("pa-539", "any-three-of-a-kind", 6, marks=clause("PA-539.3(3)")),
        pytest.param("pa-539", "two-dice", 30, marks=clause("PA-539.3(5)")),
        pytest.param("pa-539", "small", 105, marks=clause("PA-539.3(6)")),
        pytest.param("pa-539", "big", 105, marks=clause("PA-539.3(7)")),
        pytest.param("pa-539", "one-of-a-kind", 91, marks=clause("PA-539.3(8)")),
        pytest.param("pa-625a/A", "three-of-a-kind", 1, marks=clause("PA-625a.3(1)")),
        pytest.param("pa-625a/A", "two-of-a-kind", 16, marks=clause("PA-625a.3(2)")),
        pytest.param("pa-625a/A", "any-three-of-a-kind", 6, marks=clause("PA-625a.3(3)")),
        pytest.param("pa-625a/A", "two-dice", 30, marks=clause("PA-625a.3(5)")),
        pytest.param("pa-625a/A", "small", 105, marks=clause("PA-625a.3(6)")),
        pytest.param("pa-625a/A", "big", 105, marks=clause("PA-625a.3(7)")),
        pytest.param("pa-625a/A", "one-of-a-kind", 91, marks=clause("PA-625a.3(8)")),
        pytest.param("nj-19-47-9", "three-of-a-kind", 1, marks=clause("NJ-19:47-9.2(a)1")),
        pytest.param("nj-19-47-9", "two-of-a-kind", 16, marks=clause("NJ-19:47-9.2(a)2")),
        pytest.param("nj-19-47-9", "any-three-of-a-kind", 6, marks=clause("NJ-19:47-9.2(a)3")),
        pytest.param("nj-19-47-9", "two-dice", 30, marks=clause("NJ-19:47-9.2(a)5")),
        pytest.param("nj-19-47-9", "small", 105, marks=clause("NJ-19:47-9.2(a)6")),
        pytest.param("nj-19-47-9", "big", 105, marks=clause("NJ-19:47-9.2(a)7")),
        pytest.param("nj-19-47-9", "one-of-a-kind", 91, marks=clause("NJ-19:47-9.2(a)8")),
    ],
)
def test_a_wager_wins_on_these_of_216_throws_and_no_others(key, family, wins):
    codes, rules = [code for code, bet in BETS.items() if bet.family == family], Rules.of(key)
    assert {won(key, code) for code in codes} == {wins}
    code, named = FAMILIES[family], set(WINS[FAMILIES[family]].split())
    for throw in THROWS:
        is_named = "".join(map(str, sorted(throw))) in named
        (settled,) = settle(rules, [Wager(1, code, 100)], throw)
        assert (settled.outcome == "win") == is_named, (code, throw)


@clause("PA-539.3(4)", "PA-625a.3(4)", "NJ-19:47-9.2(a)4")
@pytest.mark.parametrize("key", EDITIONS)
def test_a_total_wins_as_often_as_it_is_thrown_triples_included(key):
    thrown = Counter(sum(throw) for throw in THROWS)
    assert {total: won(key, f"total:{total}") for total in range(4, 18)} == {
        t: thrown[t] for t in range(4, 18)
    }
    assert settle(Rules.of(key), [Wager(1, "total:6", 100)], (2, 2, 2))[0].outcome == "win"


@clause("PA-539.3", "PA-625a.3", "NJ-19:47-9.2(a)")
@pytest.mark.parametrize("key", EDITIONS)
def test_the_fifty_wagers_of_eight_families_are_all_there_are(key):
    rules = Rules.of(key)
    types = game_of(rules).wager_types(rules)
    assert sorted(one.code for one in types) == sorted(
        [
            *(f"three-of-a-kind:{face}" for face in range(1, 7)),
            *(f"two-of-a-kind:{face}" for face in range(1, 7)),
            *(f"one-of-a-kind:{face}" for face in range(1, 7)),
            *(f"total:{total}" for total in range(4, 18)),
            *(f"two-dice:{low}-{high}" for low in range(1, 6) for high in range(low + 1, 7)),
            *("any-three-of-a-kind", "small", "big"),
        ]
    )  # fmt: skip
    assert {one.family for one in types} == {*FAMILIES, "total"}
    for code in (
        "total:3",
        "total:18",
        "two-dice:2-2",
        "two-dice:5-2",
        "small:1",
        "three-of-a-kind:7",
        "hop",
        "",
    ):
        with pytest.raises(Refusal) as refused:
            game_of(rules).wager_type(rules, code)
        assert (refused.value.code, refused.value.section) == ("no-such-wager", rules.section("wagers"))


def test_every_wager_has_a_place_of_its_own():
    places = [bet.place for bet in BETS.values()]
    assert len(set(places)) == 50


@pytest.mark.parametrize(
    ("code", "dice", "words"),
    [
        ("small", (6, 5, 1), "12 is over 10"),
        ("big", (1, 2, 6), "9 is under 11"),
        ("big", (4, 5, 3), "The total is 12"),
        ("small", (5, 5, 5), "5-5-5 is a triple"),
        ("big", (5, 5, 5), "5-5-5 is a triple"),
        ("three-of-a-kind:1", (6, 5, 2), "No 1 shows"),
        ("three-of-a-kind:5", (5, 5, 2), "Two 5s, not three"),
        ("three-of-a-kind:5", (5, 5, 5), "Three dice show 5"),
        ("two-of-a-kind:5", (5, 5, 2), "Two dice show 5"),
        ("two-of-a-kind:2", (5, 5, 2), "One 2, not two"),
        ("one-of-a-kind:2", (5, 5, 2), "One die shows 2"),
        ("any-three-of-a-kind", (5, 5, 2), "No three alike"),
        ("total:9", (5, 5, 2), "The total is 12"),
        ("two-dice:2-5", (5, 5, 2), "2 and 5 show"),
        ("two-dice:2-3", (5, 5, 2), "No 3 shows"),
        ("two-dice:1-3", (5, 5, 2), "Neither shows"),
    ],
)
def test_it_says_why(code, dice, words):
    (one,) = settle(Rules.of("pa-625a/A"), [Wager(1, code, 100)], dice)
    assert reason_text(one.why) == words


@pytest.mark.parametrize(
    ("key", "cite"),
    [
        ("pa-625a/A", "58 Pa. Code § 625a.3(6)"),
        ("nj-19-47-9", "N.J.A.C. 19:47-9.2(a)6"),
        ("pa-539", "58 Pa. Code § 539.3(6)"),
    ],
)
def test_a_loss_cites_the_definition_of_the_wager(key, cite):
    assert settle(Rules.of(key), [Wager(1, "small", 100)], (6, 6, 5))[0].cite == cite


@pytest.mark.parametrize("dice", list(permutations((2, 5, 5))))
def test_the_order_of_the_dice_means_nothing(dice):
    rules, wagers = Rules.of("pa-539"), [Wager(1, code, 100) for code in BETS]
    assert settle(rules, wagers, dice) == settle(rules, wagers, (2, 5, 5))


def test_losers_are_settled_before_winners_each_by_seat_and_then_as_entered():
    wagers = [
        Wager(seat, code, 100)
        for seat, code in [(3, "big"), (2, "big"), (3, "small"), (1, "total:9"), (3, "total:4"), (1, "small")]
    ]
    assert settlement_order(settle(Rules.of("pa-539"), wagers, (2, 3, 4))) == [1, 0, 4, 3, 5, 2]
