"""The one table of chips, and what is derived from it."""

import itertools
import re
from math import gcd
from pathlib import Path

import pytest

from games.chips import DEFAULT_CHIPS_CENTS, KNOWN_CHIPS_CENTS, are_made, breakdown, chip_class, payable_step
from games.engine import Rules
from games.engine.odds import Odds
from games.registry import game_of

CSS = Path(__file__).resolve().parents[2] / "static" / "css"


def test_every_chip_has_a_color_and_a_class():
    dollars = {str(cents // 100) for cents in DEFAULT_CHIPS_CENTS}
    assert set(re.findall(r"--chip-(\d+):", (CSS / "tokens.css").read_text())) == dollars
    assert set(re.findall(r"^ *\.c(\d+) \{", (CSS / "chips.css").read_text(), re.MULTILINE)) == dollars

    for name, file in (("--chip-half:", "tokens.css"), (".chalf {", "chips.css")):
        assert name in (CSS / file).read_text()


def test_each_chip_is_a_multiple_of_the_next_so_that_the_smallest_decides_what_can_be_made():
    assert [larger % smaller for larger, smaller in itertools.pairwise(KNOWN_CHIPS_CENTS)] == [0] * 6
    assert [are_made(DEFAULT_CHIPS_CENTS, cents) for cents in (1, 50, 99, 100, 250)] == [False] * 3 + [
        True,
        False,
    ]
    assert [are_made(KNOWN_CHIPS_CENTS, cents) for cents in (1, 50, 99, 100, 250)] == [
        False,
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-625a/B", "pa-539", "pa-675a", "pa-675a.6", "pa-577"])
@pytest.mark.parametrize("chips", [DEFAULT_CHIPS_CENTS, KNOWN_CHIPS_CENTS, DEFAULT_CHIPS_CENTS[:-1]])
def test_a_stake_can_be_paid_exactly_where_its_step_says(rules, chips):
    """Every code of every edition, at every stake of half dollars up to $60, against the payouts themselves."""
    filed, wrong = Rules.of(rules), []
    for type_ in game_of(filed).wager_types(filed):
        odds = [pays for pays in game_of(filed).possible_odds(filed, type_.code) if isinstance(pays, Odds)]
        step = payable_step(chips, odds)
        for cents in range(50, 6_050, 50):
            sums = [cents, *(cents * pays.to / pays.per for pays in odds)]
            if (cents % step == 0) != all(amount % chips[-1] == 0 for amount in sums):
                wrong.append((type_.code, cents))
    assert wrong == []


def test_defense_pays_four_for_five():
    step = payable_step(DEFAULT_CHIPS_CENTS, [Odds(4, 5)])
    assert (step, gcd(700, step)) == (500, 100)
    assert payable_step(KNOWN_CHIPS_CENTS, [Odds(4, 5)]) == 250
    assert payable_step(DEFAULT_CHIPS_CENTS, [Odds(1, 2), Odds(3, 5)]) == 1_000


def test_an_amount_looks_like_its_largest_chip():
    amounts = (25, 50, 100, 499, 500, 2_400, 9_900, 10_000, 50_000, 250_000)
    assert [chip_class(cents) for cents in amounts] == [
        "coin",
        "chalf",
        "c1",
        "c1",
        "c5",
        "c5",
        "c25",
        "c100",
        "c500",
        "c1000",
    ]


def test_an_amount_is_the_fewest_chips_and_a_rest_of_coin():
    assert breakdown(117_650) == [[100_000, 1], [10_000, 1], [2_500, 3], [100, 1], [50, 1]]
