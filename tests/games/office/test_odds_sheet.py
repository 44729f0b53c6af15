"""The odds sheet: exact against the engine's list and against an enumeration of its own; the drawings; what-if."""

import json
from fractions import Fraction
from io import StringIO
from itertools import product

import pytest
from django.core.management import call_command

from games.engine import Refusal, Rules
from games.engine.editions import all_editions
from games.office.charts import Scale, curve, line_of, px
from games.office.gate import findings
from games.office.odds_sheet import sheet
from games.office.options import Options
from games.office.what_if import choices, read_pays, what_if

KEYS = sorted(all_editions())
THROWS = list(product(range(1, 7), repeat=3))
JERSEY = "nj-19-47-9"


def rows_by_code(shown):
    return {code: row for row in shown.rows for code in row.codes}


def row_at(shown, label):
    return next(row for row in shown.rows if row.label == label)


# Exact


@pytest.mark.parametrize("key", KEYS)
def test_each_wager_has_the_figures_of_the_odds_command(key):
    said = StringIO()
    call_command("odds", key, "--json", stdout=said)
    listed = json.loads(said.getvalue())
    shown = rows_by_code(sheet(Rules.of(key)))
    assert [one["wager"] for one in listed if one["wager"] not in shown] == []
    assert len(shown) == len(listed)
    for one in listed:
        row = shown[one["wager"]]
        told = [{"probability": str(level.probability), "pays": str(level.pays)} for level in row.outcomes]
        assert (told, str(row.advantage)) == (one["outcomes"], one["house_advantage"])


def wins(code, dice, pays):
    """What three dice pay on a Sic Bo wager by the words of its name alone; None for a loss."""
    family, _, rest = code.partition(":")
    triple = len(set(dice)) == 1
    if family == "one-of-a-kind":
        return pays[dice.count(int(rest)) - 1] if int(rest) in dice else None
    won = {
        "three-of-a-kind": lambda: triple and dice[0] == int(rest),
        "two-of-a-kind": lambda: dice.count(int(rest)) >= 2,
        "any-three-of-a-kind": lambda: triple,
        "total": lambda: sum(dice) == int(rest),
        "two-dice": lambda: all(int(one) in dice for one in rest.split("-")),
        "small": lambda: not triple and sum(dice) <= 10,
        "big": lambda: not triple and sum(dice) >= 11,
    }[family]()
    return pays[0] if won else None


@pytest.mark.clause("PA-521.4(1)(ii)")
@pytest.mark.parametrize("key", [key for key in KEYS if Rules.of(key).edition.game == "sic-bo"])
def test_true_odds_and_house_advantage_of_every_sic_bo_wager_are_those_of_all_216_throws(key):
    for row in sheet(Rules.of(key)).rows:
        for code in row.codes:
            paid = [wins(code, dice, [odds.ratio() for odds in row.pays]) for dice in THROWS]
            won = [one for one in paid if one is not None]
            assert row.ways == len(won), code
            assert row.true_odds == Fraction(216 - len(won), len(won)), code
            assert row.advantage == 1 - sum(one + 1 for one in won) / Fraction(216), code


@pytest.mark.clause("PA-521.4(1)(ii)")
def test_true_odds_and_house_advantage_of_six_dice_are_those_of_all_46656_throws():
    rank = {2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 1: 5}
    won = {}
    for dice in product(range(1, 7), repeat=6):
        most = max(dice.count(face) for face in set(dice))
        held = max((face for face in set(dice) if dice.count(face) == most), key=rank.get)
        codes = [f"like-kind:{most}" if most > 1 else "like-kind:none"]
        codes += [f"pip:{held}"] if most > 1 else []
        for code in codes:
            won[code] = won.get(code, 0) + 1
    shown = rows_by_code(sheet(Rules.of("pa-675a.6")))
    differ = {code: (row.ways, won[code]) for code, row in shown.items() if row.ways != won[code]}
    # a throw of six different faces holds the highest face too
    straight = 720
    assert differ in ({}, {"pip:1": (won["pip:1"] + straight, won["pip:1"])})
    for row in shown.values():
        assert row.true_odds == Fraction(46656 - row.ways, row.ways)
        assert row.advantage == 1 - Fraction(row.ways, 46656) * (row.pays[0].ratio() + 1)
