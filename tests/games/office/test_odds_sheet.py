"""The odds sheet: exact against the engine's list and against an enumeration of its own; its rows and drawings."""

import json
from collections import Counter
from fractions import Fraction
from io import StringIO
from itertools import product
from math import comb, factorial, prod
from typing import Any

import pytest
from django.core.management import call_command

from games.engine import Rules
from games.engine.editions import all_editions
from games.engine.odds import Odds
from games.kit.plots import Circle, Line, Rect, Text
from games.office.odds import advantage_line, curve, odds_sheet
from games.office.submissions.compare import choices
from tests.services.plots import marks_of

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
    shown = rows_by_code(odds_sheet(Rules.of(key)))
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
    for row in odds_sheet(Rules.of(key)).rows:
        for code in row.codes:
            paid = [wins(code, dice, [odds.ratio() for odds in row.pays]) for dice in THROWS]
            won = [one for one in paid if one is not None]
            times = Counter(won)
            levels = [(one.pays.ratio(), one.ways, one.true_odds) for one in row.levels]
            assert levels == [
                (pays, times[pays], Fraction(216, times[pays]) - 1) for pays in sorted(times)
            ], code
            assert row.advantage == 1 - sum(one + 1 for one in won) / Fraction(216), code


RANK = [2, 3, 4, 5, 6, 1]  # the faces from the lowest: the ace is the highest


def held_by(counts):
    """The face that most dice show, the highest of several, and how many show it."""
    most = max(counts)
    return max((face for face in range(1, 7) if counts[face - 1] == most), key=RANK.index), most


def throws_of(dice):
    """Every way in which so many dice can show six faces, as counts, with the number of throws that show it."""
    for counts in product(range(dice + 1), repeat=6):
        if sum(counts) == dice:
            yield counts, factorial(dice) // prod(map(factorial, counts))


@pytest.mark.clause("PA-521.4(1)(ii)")
@pytest.mark.parametrize(("key", "dice"), [("pa-675a.6", 6), ("pa-675a", 10)])
def test_true_odds_and_house_advantage_of_every_high_roll_wager_are_those_of_all_throws(key, dice):
    won: Counter[str] = Counter()
    extra: Counter[Any] = Counter()
    total = 0
    for counts, ways in throws_of(dice):
        total += ways
        face, most = held_by(counts)
        won[f"pip:{face}"] += ways
        won[
            f"millionaire:{most}" if most > 8 else "like-kind:none" if most == 1 else f"like-kind:{most}"
        ] += ways
        loose = dice - most
        for added in range(1, loose + 1):  # an extra throw of the loose dice
            extra[most + added] += Fraction(ways * comb(loose, added) * 5 ** (loose - added), 6**loose)
    assert total == 6**dice
    shown = rows_by_code(odds_sheet(Rules.of(key)))
    for code, row in shown.items():
        if code == "extra-roll":
            continue
        chance = Fraction(won[code], total)
        assert [one.true_odds for one in row.levels] == [1 / chance - 1], code
        assert row.advantage == 1 - chance * (row.pays[0].ratio() + 1), code
    if "extra-roll" in shown:
        circles = Rules.of(key).payouts
        paid = {count: circles[f"like-kind/extra:{count}"].odds.ratio() + 1 for count in range(3, 9)}
        back = sum(Fraction(extra[count], total) * paid[count] for count in paid)
        back += sum(
            Fraction(won[f"like-kind:{n}"], total) * (circles[f"like-kind:{n}"].odds.ratio() + 1)
            for n in paid
        )
        assert shown["extra-roll"].advantage == 1 - back / 7
        told: Counter[Any] = Counter()
        for count, pays in paid.items():
            told[pays - 1] += Fraction(extra[count], total)
        levels = {one.pays.ratio(): one.true_odds for one in shown["extra-roll"].levels}
        assert levels == {pays: 1 / chance - 1 for pays, chance in told.items()}


def yards(dice):
    """ "T" for a Trips TD, "X" for a turnover, "P" for another penalty, else what the offence gains, 0 for nothing."""
    one, two, red = dice
    if one == two == red:
        return "T"
    if red == 6 and one + two in (2, 3):
        return "X"
    gain = one + two - red
    return "P" if gain < 0 else gain


def games(yard=20, down=1, goal=False):
    """Each end of a game with its probability: how (trips, score, turnover, downs), and on which play."""
    memo = {}

    def onward(yard, down, goal, play):
        if (yard, down, goal, play) not in memo:
            found: Counter[Any] = Counter()
            for value, ways in Counter(map(yards, THROWS)).items():
                chance = Fraction(ways, 216)
                ending = {"T": "trips", "X": "turnover"}.get(value)
                left = yard - (-1 if value == "P" else value if isinstance(value, int) else 0)
                if ending is None and left <= 0:
                    ending = "score"
                if ending is None and (goal or left > 10) and down == 3:
                    ending = "downs"
                if ending:
                    found[ending, play] += chance
                    continue
                following = (left, 1, True) if not goal and left <= 10 else (left, down + 1, goal)
                for end, further in onward(*following, play + 1).items():
                    found[end] += chance * further
            memo[yard, down, goal, play] = found
        return memo[yard, down, goal, play]

    return onward(yard, down, goal, 1)


SINGLE = {
    "trips-td": lambda value: value == "T",
    "penalty": lambda value: value in ("P", "X"),
    "turnover": lambda value: value == "X",
    "cover-three": lambda value: value in ("T", "P", "X"),
    "no-gain": lambda value: value in (0, "P", "X"),
    "big-play": lambda value: value == "T" or (isinstance(value, int) and value >= 7),
    "under-four": lambda value: value in (0, 1, 2, 3, "P", "X"),
}


@pytest.mark.clause("PA-521.4(1)(ii)")
def test_true_odds_and_house_advantage_of_football_wagers_are_those_of_all_throws_and_games():
    shown, ends, values = (
        rows_by_code(odds_sheet(Rules.of("pa-577"))),
        games(),
        [yards(dice) for dice in THROWS],
    )
    assert sum(ends.values()) == 1
    score = sum(chance for (how, _), chance in ends.items() if how in ("score", "trips"))
    scored = {play: ends["score", play] + ends["trips", play] for play in range(1, 5)}
    chances = {code: Fraction(sum(map(won, values)), 216) for code, won in SINGLE.items()}
    chances |= {"touchdown": score, "defense": 1 - score}
    chances["game-changer"] = sum(chance for (how, _), chance in ends.items() if how in ("trips", "turnover"))
    for plays in range(1, 7):
        chances[f"game-length:{plays}"] = sum(chance for (_, play), chance in ends.items() if play == plays)
    for code, chance in chances.items():
        row = shown[code]
        assert [one.true_odds for one in row.levels] == [1 / chance - 1], code
        assert row.advantage == 1 - chance * (row.pays[0].ratio() + 1), code
    # by level: what each pays, and its probability
    tiers = {
        "quick-strike": {8: scored[1], 5: scored[2], 3: scored[3], 1: scored[4]},
        "over-four": {7: Fraction(6, 216), 1: Fraction(sum(value in range(5, 12) for value in values), 216)},
        "extra-point": {1: score * 75 / 216, 10: score * (15 + 5) / 216, 50: score / 216},
    }
    for code, tier in tiers.items():
        levels = {one.pays.to: one.true_odds for one in shown[code].levels}
        assert levels == {pays: 1 / chance - 1 for pays, chance in tier.items()}, code
        assert shown[code].advantage == 1 - sum(chance * (pays + 1) for pays, chance in tier.items()), code
    assert {*chances, *tiers} == set(shown)


# Rows


def test_wagers_of_the_same_figures_share_a_row_and_others_do_not():
    rules = Rules.of(JERSEY, {"total:4": "60 to 1"})
    labels = [row.label for row in odds_sheet(rules).rows]
    assert labels[:5] == [
        "Three of a Kind",
        "Two of a Kind",
        "Any Three of a Kind",
        "Total 4",
        "Total 5, Total 16",
    ]
    assert {"Total 17", "Small, Big", "Two Dice Combination", "One of a Kind"} <= set(labels)
    assert sum(len(row.codes) for row in odds_sheet(rules).rows) == 50


def test_a_row_says_its_floor_its_odds_and_what_it_paid_before():
    before, now = (
        Rules.of(JERSEY, {"total:4": "60 to 1"}),
        Rules(Rules.of(JERSEY).edition, (("total:4", Odds(80)),)),
    )
    shown = odds_sheet(now, before, "version 4", "version 3")
    row = row_at(shown, "Total 4")
    (level,) = row.levels
    assert (level.ways, level.true_odds_text, row.floor_text, level.previous_text, str(level.pays)) == (
        3, "71 to 1", "50", "60", "80 to 1",
    )  # fmt: skip
    assert (row.advantage_text, row.advantage_exact) == ("−12.50 %", "−1/8")
    assert row.previous_advantage == Fraction(11, 72)
    assert [one.label for one in shown.favored] == [one.label for one in shown.changed] == ["Total 4"]
    assert shown.throws == 216


def test_a_wager_of_several_payouts_has_true_odds_for_each():
    row = row_at(odds_sheet(Rules.of("pa-625a/B")), "One of a Kind")
    assert [(one.ways, one.true_odds_text, str(one.pays)) for one in row.levels] == [
        (75, "1.88 to 1", "1 to 1"), (15, "13.4 to 1", "2 to 1"), (1, "215 to 1", "12 to 1"),
    ]  # fmt: skip
    assert row.advantage == Fraction(1, 27)


def test_prizes_and_the_extra_roll_stand_as_they_are_judged():
    shown = odds_sheet(Rules.of("pa-675a"))
    nine, extra = row_at(shown, "Millionaire Row 9"), row_at(shown, "Extra Roll")
    assert str(nine.pays[0]) == "$50,000" and nine.levels[0].chance_exact == "25/5038848"
    assert nine.levels[0].chance_text == "1 in 201,554"
    assert extra.advantage_exact == "73480204633/822823723008" and "seven units" in extra.note
    assert shown.throws is None and not extra.floors


# Drawings


def test_bars_begin_at_zero_and_reach_left_for_the_player():
    shown = odds_sheet(Rules(Rules.of(JERSEY).edition, (("total:4", Odds(80)),)), Rules.of(JERSEY))
    plots = {row.label: bar for row, bar in shown.lines}
    bars = {label: marks_of(plot, Rect)[0] for label, plot in plots.items()}
    zero = float(shown.scale.zero)
    assert bars["Total 17"].x == zero and bars["Total 17"].kind == ""
    assert not marks_of(plots["Total 17"], Line, "odds-was") and marks_of(plots["Total 4"], Line, "odds-was")
    four = bars["Total 4"]
    assert four.kind == "odds-favors" and four.x + four.width == pytest.approx(zero)
    ratio = bars["Small, Big"].width / bars["Total 5, Total 16"].width
    assert ratio == pytest.approx(1 / 17)  # 1/36 to 17/36
    assert all(bar.x >= 0 and bar.x + bar.width <= 240 for bar in bars.values())


def test_a_bar_far_beyond_the_sheet_is_cut_and_says_so():
    shown = odds_sheet(Rules(Rules.of(JERSEY).edition, (("small", Odds(5000)),)))
    bar = next(bar for row, bar in shown.lines if row.label == "Small")
    assert bar.marks[-1].kind == "odds-beyond" and marks_of(bar, Rect)[0].x >= 0


def test_the_line_of_a_wager_is_that_of_the_engine():
    line = advantage_line(Rules.of(JERSEY), "total:4")
    assert (line.even, line(Fraction(50)), line(Fraction(80))) == (
        Fraction(71),
        Fraction(7, 24),
        Fraction(-1, 8),
    )
    circles = advantage_line(Rules.of("pa-675a"), "like-kind:3")
    assert circles(Fraction(3, 5)) == Fraction(4019, 26244)


def test_the_line_marks_floor_version_even_point_and_draft_and_tells_them_in_words():
    before, now = (
        Rules.of(JERSEY, {"total:4": "60 to 1"}),
        Rules(Rules.of(JERSEY).edition, (("total:4", Odds(80)),)),
    )
    drawn = curve(now, "total:4", "Total 4", name="draft", before=before, before_name="version 3")
    marked = [mark for mark in drawn.plot.marks if "odds-point--" in mark.kind]
    assert [(mark.kind.removeprefix("odds-point--"), mark.text) for mark in marked if isinstance(mark, Text)] == [
        ("floor", "floor 29.17 %"), ("before", "version 3 15.28 %"), ("even", "even"), ("now", "draft −12.50 %"),
    ]  # fmt: skip
    assert drawn.refused_from == "refused from 72 to 1"
    assert "at 71 to 1: even" in drawn.plot.words and "From 72 to 1" in drawn.plot.words
    (even,) = [mark for mark in marked if isinstance(mark, Circle) and mark.kind.endswith("--even")]
    (zero,) = marks_of(drawn.plot, Line, "odds-zero")
    (refused,) = marks_of(drawn.plot, Rect, "odds-refused")  # nothing is below the floor
    assert (even.x, even.y) == (refused.x, zero.y1)
    under = curve(Rules(now.edition, (("total:4", Odds(40)),)), "total:4", "Total 4", before=Rules.of(JERSEY))
    below, _beyond = marks_of(under.plot, Rect, "odds-refused")
    assert below.width > 0


@pytest.mark.parametrize("key", KEYS)
def test_every_row_of_every_paytable_can_be_drawn_or_is_a_prize(key):
    rules = Rules.of(key)
    for one in choices(rules):
        drawn = curve(rules, one.row, one.label, name="now")
        assert (drawn is None) is one.pays.startswith("$")
        points = [mark for mark in drawn.plot.marks if isinstance(mark, Circle)] if drawn else []
        assert bool(points) is bool(drawn)
        assert all(0 <= point.x <= 960 and 0 <= point.y <= 200 for point in points)
