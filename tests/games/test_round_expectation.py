"""The expected win and variance of a round, against enumerations that share nothing with the engine but the odds."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Rules
from games.engine.game import Game
from games.engine.wagers import Wager
from games.exposure import round_expectation
from games.registry import game_of
from tests.games.test_football_odds import EVERY_THROW, SINGLE_PLAY, after, ends, point_of, value_of
from tests.games.test_high_roll_odds import judged, orders
from tests.services.examples import examples

CENTS = st.integers(1, 40).map(lambda units: units * 500)
FOOTBALL, TEN, SIX = Rules.of("pa-577"), "pa-675a", "pa-675a.6"


def mean_and_variance(wins) -> tuple[Fraction, Fraction]:
    """Of (win, weight) pairs."""
    wins = [(Fraction(win), Fraction(weight)) for win, weight in wins]
    every = sum(weight for _win, weight in wins)
    mean = sum(win * weight for win, weight in wins) / every
    return mean, sum((win - mean) ** 2 * weight for win, weight in wins) / every


def ratio(rules: Rules, row: str) -> Fraction:
    return rules.payouts[row].odds.ratio()


def agrees(rules: Rules, wagers, throws, mean: Fraction, variance: Fraction) -> None:
    expectation = round_expectation(rules, wagers, throws)
    assert expectation is not None
    assert (expectation.expected_win, expectation.variance) == (mean, variance)
    assert sum(expectation.by_code.values()) == mean
    assert set(expectation.by_code) == {wager.code for wager in wagers}


# Sic Bo: all 216 throws


def sic_bo_row(code: str, dice: tuple[int, ...]) -> str:
    """The row of the paytable by which a wager wins; "" if it loses."""
    family, _, number = code.partition(":")
    triple, total = len(set(dice)) == 1, sum(dice)
    if family in ("small", "big"):
        return family if not triple and (total <= 10) == (family == "small") else ""
    if family == "any-three-of-a-kind":
        return family if triple else ""
    if family == "total":
        return code if total == int(number) else ""
    if family == "two-dice":
        return family if {int(face) for face in number.split("-")} <= set(dice) else ""
    count = dice.count(int(number))
    if family == "one-of-a-kind":
        return f"{family}/{count}" if count else ""
    return family if count >= {"two-of-a-kind": 2, "three-of-a-kind": 3}[family] else ""


SIC_BO_CODES = sorted(
    [f"{family}:{face}" for family in ("one-of-a-kind", "two-of-a-kind", "three-of-a-kind") for face in range(1, 7)]
    + [f"total:{total}" for total in range(4, 18)]
    + [f"two-dice:{low}-{high}" for low, high in combinations_with_replacement(range(1, 7), 2) if low < high]
    + ["small", "big", "any-three-of-a-kind"]
)  # fmt: skip
SIC_BO_LAYOUTS = st.dictionaries(
    st.tuples(st.integers(1, 8), st.sampled_from(SIC_BO_CODES)), CENTS, min_size=0, max_size=20
)
EDITIONS = st.sampled_from(
    [
        Rules.of("pa-539", {"three-of-a-kind": "180 to 1", "total:4": "121 to 2"}),
        Rules.of("nj-19-47-9"),
        Rules.of("pa-625a/A"),
        Rules.of("pa-625a/B"),
    ]
)


@settings(max_examples=examples(60), deadline=None)
@given(EDITIONS, SIC_BO_LAYOUTS)
def test_a_round_of_sic_bo_is_that_of_all_216_throws(rules, layout):
    assert len(SIC_BO_CODES) == 50
    wagers = [Wager(seat, code, cents) for (seat, code), cents in layout.items()]
    wins = []
    for dice in EVERY_THROW:
        rows = [(wager.cents, sic_bo_row(wager.code, dice)) for wager in wagers]
        wins.append((sum(-cents * ratio(rules, row) if row else cents for cents, row in rows), 1))
    agrees(rules, wagers, (), *mean_and_variance(wins))


# High Roll Dice: all 46,656 throws of six dice; of ten dice every set of faces, and the extra throw die by die


@cache
def first_rolls(dice: int) -> Counter:
    """In how many ways each face wins with each count."""
    found: Counter = Counter()
    if dice == 6:
        for throw in product(range(1, 7), repeat=6):
            found[judged(throw)] += 1
    else:
        for throw in combinations_with_replacement(range(1, 7), dice):
            found[judged(throw)] += orders(throw)
    return found


@cache
def matches(loose: int) -> dict[int, Fraction]:
    """The probability of each number of matching dice among the loose ones, one die after another."""
    if not loose:
        return {0: Fraction(1)}
    found = dict.fromkeys(range(loose + 1), Fraction(0))
    for count, chance in matches(loose - 1).items():
        found[count + 1] += chance / 6
        found[count] += chance * 5 / 6
    return found


def seat_win(rules: Rules, bets: dict[str, int], face: int, count: int, added: int) -> Fraction:
    """What one player's wagers win for the house: the limit cuts Pip Street first, then circles in turn (A30)."""
    won, paid = Fraction(0), []
    for code, cents in bets.items():
        family, _, number = code.partition(":")
        is_extra = family == "like-kind" and "extra-roll" in bets and int(number) > count
        shown = {"pip": face, "like-kind": count + added if is_extra else count, "millionaire": count}.get(
            family
        )
        wins = (
            code == "like-kind:none" if code.startswith("like-kind") and count == 1 else number == str(shown)
        )
        if not wins:
            won += cents
        elif family == "millionaire":
            won -= {9: 5_000_000, 10: 100_000_000}[count]
        else:
            paid.append(cents * ratio(rules, f"like-kind/extra:{number}" if is_extra else code))
    limit = rules.payout_limit_cents
    return won - (sum(paid) if limit is None else min(sum(paid), limit))


@st.composite
def high_roll(draw):
    key = draw(st.sampled_from([TEN, TEN, SIX]))
    numbers = range(2, 9) if key == TEN else ["none", *range(2, 7)]
    seats = {}
    for seat in draw(st.sets(st.integers(1, 6), min_size=1, max_size=4)):
        unit = draw(CENTS)
        codes = [f"pip:{face}" for face in draw(st.sets(st.integers(1, 6), min_size=1))]
        circles = [f"like-kind:{number}" for number in draw(st.sets(st.sampled_from(numbers)))]
        extra = ["extra-roll"] if key == TEN and circles and draw(st.booleans()) else []
        row = draw(st.sets(st.sampled_from(["millionaire:9", "millionaire:10"]))) if key == TEN else ()
        seats[seat] = {**dict.fromkeys([*codes, *circles, *extra], unit), **dict.fromkeys(sorted(row), 100)}
    limit = draw(st.sampled_from([None, None, 2_000, 30_000, 5_000_000]))
    return Rules.of(key, payout_limit_cents=limit), seats


@settings(max_examples=examples(60), deadline=None)
@given(high_roll())
def test_a_round_of_high_roll_dice_counts_extra_rolls_and_the_cuts_of_the_limit(drawn):
    rules, seats = drawn
    dice, wins = rules.edition.dice, []
    for first, ways in first_rolls(dice).items():
        bought = any("extra-roll" in bets for bets in seats.values())
        for added, chance in (matches(dice - first.count) if bought else {0: Fraction(1)}).items():
            win = sum(seat_win(rules, bets, first.face, first.count, added) for bets in seats.values())
            wins.append((win, ways * chance))
    wagers = [Wager(seat, code, cents) for seat, bets in seats.items() for code, cents in bets.items()]
    agrees(rules, wagers, (), *mean_and_variance(wins))
    if dice == 6:  # decided by one throw: what every game computes that does not say otherwise
        assert Game.round_expectation(game_of(rules), rules, wagers) == round_expectation(rules, wagers)


def test_a_limit_cuts_what_a_seat_may_win_and_only_that():
    """$500 on eight alike pays 5,000 to 1 once in 8,957.95 rolls; under a limit of $50,060 it pays that."""
    wagers = [Wager(2, "pip:2", 50_000), Wager(2, "like-kind:8", 50_000), Wager(3, "pip:2", 50_000)]
    eight = Fraction(6_750, 6**10)
    of_two = Fraction(first_rolls(10)[judged((2,) * 8 + (1, 3))], 6**10)
    free, limited = (
        round_expectation(Rules.of(TEN, payout_limit_cents=limit), wagers) for limit in (None, 5_006_000)
    )
    cut = (250_000_000 - 5_006_000) * eight + 6 * 50_000 * of_two
    assert limited.expected_win - free.expected_win == cut
    assert limited.by_code["like-kind:8"] > free.by_code["like-kind:8"]
    assert limited.variance < free.variance


# Three Dice Football: from each position by recursion

GAME_ROWS = (
    *("touchdown", "defense", "extra-point", "quick-strike", "game-changer"),
    *(f"game-length:{number}" for number in range(1, 7)),
)


def game_win(code: str, how: str, play: int, point: int) -> Fraction:
    """What one cent on the game wins for the house."""
    scored = how in ("touchdown", "trips-td")
    row = {
        "touchdown": "touchdown" if scored else "",
        "defense": "" if scored else "defense",
        "quick-strike": f"quick-strike/{play}" if scored and play <= 4 else "",
        "game-changer": "game-changer" if how in ("trips-td", "turnover") else "",
        f"game-length:{play}": f"game-length:{play}",
    }.get(code, "")
    if code == "extra-point":
        return Fraction(-point if scored and point else 1)
    return -ratio(FOOTBALL, row) if row else Fraction(1)


POINTS = Counter(map(point_of, EVERY_THROW))
VALUES = Counter(map(value_of, EVERY_THROW))


def play_win(code: str, value) -> Fraction:
    if not SINGLE_PLAY[code][0](value):
        return Fraction(1)
    row = f"over-four/{'trips-td' if value == 'T' else 'gain'}" if code == "over-four" else code
    return -ratio(FOOTBALL, row)


def wins_from(stakes: dict[str, int], position) -> list[tuple[Fraction, Fraction]]:
    """What the wagers on the game win from a position, each with its probability."""
    return [
        (sum(cents * game_win(code, how, play, point) for code, cents in stakes.items()), chance * ways)
        for (how, play), chance in ends(*position).items()
        for point, ways in POINTS.items()
    ]


def hope(stakes: dict[str, int], position, how: str, play: int) -> Fraction:
    """The mean from a position, or of a game that has just ended."""
    if position is not None:
        return mean_and_variance(wins_from(stakes, position))[0]
    every = [
        (sum(cents * game_win(code, how, play, point) for code, cents in stakes.items()), ways)
        for point, ways in POINTS.items()
    ]
    return mean_and_variance(every)[0]


GAME_STAKES = st.dictionaries(st.sampled_from(GAME_ROWS), CENTS, max_size=6)
PLAY_STAKES = st.dictionaries(st.sampled_from(sorted(SINGLE_PLAY)), CENTS, max_size=3)


@settings(max_examples=examples(40), deadline=None)
@given(GAME_STAKES, st.lists(st.tuples(st.sampled_from(EVERY_THROW), PLAY_STAKES), min_size=1, max_size=6))
def test_a_round_of_football_counts_each_play_from_its_position(on_game, course):
    wagers = [Wager(1 + place % 8, code, cents) for place, (code, cents) in enumerate(on_game.items())]
    mean, variance = (
        mean_and_variance(wins_from(on_game, (20, 1, False, 1))) if on_game else (Fraction(0),) * 2
    )
    yard, down, goal, throws = 20, 1, False, []
    for play, (dice, on_play) in enumerate(course, start=1):
        throws.append(dice)
        wagers += [Wager(3, code, cents, play) for code, cents in on_play.items()]
        both = Fraction(0)
        play_wins = {}
        for value in VALUES:
            play_wins[value] = sum(
                (cents * play_win(code, value) for code, cents in on_play.items()), Fraction(0)
            )
            how, onward = after(yard, down, goal, value)
            later = (
                hope(on_game, onward and (*onward, play + 1), how, play)
                if on_game and on_play
                else Fraction(0)
            )
            both += Fraction(VALUES[value], 216) * play_wins[value] * later
        play_mean, play_variance = mean_and_variance(
            (play_wins[value], ways) for value, ways in VALUES.items()
        )
        game_mean = hope(on_game, (yard, down, goal, play), "", play) if on_game else Fraction(0)
        mean, variance = mean + play_mean, variance + play_variance
        if on_game and on_play:
            variance += 2 * (both - game_mean * play_mean)
        how, onward = after(yard, down, goal, value_of(dice))
        if onward is None:
            break
        yard, down, goal = onward
    agrees(FOOTBALL, wagers, throws, mean, variance)


def test_a_play_that_covers_the_game_may_take_more_risk_away_than_the_game_began_with():
    """A game of six plays pays 6 to 1, and was improbable; at the 5 on the fifth play it loses where Over Four wins.

    So the figure of a single course may be negative. Its mean over all courses is a variance
    (`tests/desk/test_football_band.py`).
    """
    on_game, course = Wager(1, "game-length:6", 500), [(3, 3, 2)] * 3 + [(3, 2, 2)] * 2  # 20, 16, 12, 8, 5
    alone, hedged, bet_on_both = (
        round_expectation(FOOTBALL, wagers, course).variance
        for wagers in (
            [on_game],
            [on_game, Wager(1, "over-four", 1_000, 5)],
            [on_game, Wager(1, "under-four", 1_000, 5)],
        )
    )
    assert hedged < 0 < alone < bet_on_both


def test_wagers_that_are_not_of_the_game_have_no_expectation():
    assert round_expectation(FOOTBALL, [Wager(1, "small", 500)]) is None
    assert round_expectation(Rules.of("pa-625a/A"), [Wager(1, "touchdown", 500)]) is None
    on_both = [Wager(1, "touchdown", 500), Wager(1, "no-gain", 500, 2)]
    assert round_expectation(FOOTBALL, on_both, [(3, 3, 3)]) is None  # the game ended on its first play
    assert round_expectation(FOOTBALL, on_both, [(3, 3, 3)] * 3) is None  # no game has these throws
