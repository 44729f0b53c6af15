"""The band of Three Dice Football: exact, held against every course that a game can take."""

import datetime as dt
from fractions import Fraction
from functools import cache

import pytest

from audit.models import Entry
from games.catalog.football.engine import expectation
from games.catalog.football.engine.expectation import covariances
from games.catalog.football.engine.field import THROWS, Spot, chances_of_a_game, chances_of_a_throw, play_on
from games.catalog.football.engine.wagers import BETS, End, outcomes, verdict
from games.engine import Rules
from games.registry import game_of
from tables.cases.reports import report_panel
from tests.audit.gone_back import as_superuser
from tests.desk.test_figures import day_of
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
RULES = Rules.of("pa-577")
EDGES = {
    code: game_of(RULES).advantage(RULES, code, outcomes_)
    for code, outcomes_ in game_of(RULES).outcomes(RULES).items()
}
ON_THE_GAME = {
    "touchdown": 700,
    "defense": 500,
    "extra-point": 300,
    "quick-strike": 200,
    "game-length:3": 100,
}


def laid_at(spot: Spot) -> dict[str, int]:
    """Stakes on the next play that follow the game: more of them late, other ones near the goal."""
    if spot.goal:
        return {"trips-td": 400 * spot.play, "over-four": 900}
    return {"no-gain": 500 * spot.down, "turnover": 100}


def won(code: str, outcome) -> Fraction:
    odds = verdict(RULES, code, outcome).odds
    return Fraction(1) if odds is None else -odds.ratio()


def the_whole_game(end: End) -> Fraction:
    return sum((cents * won(code, end) for code, cents in ON_THE_GAME.items()), Fraction(0))


@cache
def to_come(spot: Spot) -> tuple[Fraction, Fraction, Fraction]:
    """From a spot on: the mean and the mean square of what is won, and the mean of what the band says of it.

    Of the plays it is what they win beyond their edge: that more is laid the longer a game lasts is no luck.
    """
    stakes, mean, square, between = laid_at(spot), Fraction(0), Fraction(0), Fraction(0)
    hang, plays = expectation.covariances_across(RULES, spot), covariances(RULES)
    for code, cents in stakes.items():
        between += sum(2 * cents * game_stake * hang[game, code] for game, game_stake in ON_THE_GAME.items())
        between += sum(
            cents * other_stake * plays[min(code, two), max(code, two)] for two, other_stake in stakes.items()
        )
    for outcome, ways in chances_of_a_throw().items():
        chance = Fraction(ways, THROWS)
        now = sum((cents * (won(code, outcome) - EDGES[code]) for code, cents in stakes.items()), Fraction(0))
        played, following = play_on(spot, outcome)
        if following is not None:
            later, later_square, later_told = to_come(following)
            between += chance * later_told
        else:
            ends = [
                (the_whole_game(end), Fraction(part, THROWS))
                for end, part in ends_of(played.ending, spot.play)
            ]
            later = sum((part * win for win, part in ends), Fraction(0))
            later_square = sum((part * win * win for win, part in ends), Fraction(0))
        mean += chance * (now + later)
        square += chance * (now * now + 2 * now * later + later_square)
    return mean, square, between


def ends_of(how: str, play: int) -> list[tuple[End, int]]:
    points = {"one": 75, "two": 15, "three": 1, "triple": 5, "none": 120}  # of 216 throws
    if how not in ("touchdown", "trips-td"):
        return [(End(how, play), THROWS)]
    return [(End(how, play, point), ways) for point, ways in points.items()]


def test_the_band_is_on_the_average_what_the_win_strays_over_every_course_of_a_game():
    """With stakes on the plays that follow the game, the mean of what is told equals the whole variance."""
    mean, square, told = to_come(Spot())
    pairs = covariances(RULES)
    game = sum(
        cents * other * pairs[min(one, two), max(one, two)]
        for one, cents in ON_THE_GAME.items()
        for two, other in ON_THE_GAME.items()
    )
    assert told + game == square - mean**2


def test_the_expectation_over_a_game_matches_the_odds():
    for code in expectation.FULL_GAME_CODES:
        hoped = sum(
            (
                chance * row[expectation.FULL_GAME_CODES.index(code)]
                for row, chance in expectation.wins_of_a_game(RULES)
            )
        )
        assert hoped == EDGES[code]
    assert (
        sum(chance for _row, chance in expectation.wins_of_a_game(RULES))
        == sum(chances_of_a_game().values())
        == 1
    )


@pytest.mark.parametrize("code", sorted(BETS))
def test_the_variance_of_each_wager_follows_from_its_odds(code):
    outcomes_ = outcomes(RULES, code)
    back = sum((one.probability * (one.pays.ratio() + 1) for one in outcomes_), Fraction(0))
    square = sum((one.probability * (one.pays.ratio() + 1) ** 2 for one in outcomes_), Fraction(0))
    assert covariances(RULES)[code, code] == square - back**2


def played(*wagers, throws):
    """A game at a table: the wagers of each play before its throw, if there are any."""
    scene = make_scene("pa-577")
    for lines, dice in zip(wagers, throws, strict=True):
        if lines:
            scene.place(*lines)
        if scene.snapshot["round"]["game"]["quarterback"] is None:
            seat = scene.snapshot["round"]["game"]["offer"]["next"]
            scene.act("offer_dice", {"seat": seat, "accepted": True}, by="stickperson")
        scene.act("throw_dice", by="stickperson")
        scene.act("call_dice", {"dice": dice}, by="stickperson")
        while scene.round is not None and scene.snapshot["next"]["act"] in ("settle_seats", "clear_layout"):
            following = scene.snapshot["next"]
            scene.act(following["act"], following["params"])
    return scene


def test_touchdown_and_defense_of_one_game_are_one_bet_on_its_end(hands):
    scene = played([(2, "touchdown", 500), (5, "defense", 1_000)], throws=[[1, 1, 1]])
    pays = {code: verdict(RULES, code, end).odds.ratio() for code, end in BOTH.items()}
    scored = sum(
        chance for (how, _play), chance in chances_of_a_game().items() if how in ("touchdown", "trips-td")
    )
    apart = (1_000 - 500 * pays["touchdown"]) - (500 - 1_000 * pays["defense"])
    sums = day_of(scene).total.sums
    assert sums.variance.value == scored * (1 - scored) * apart**2
    assert sums.win_cents == 1_000 - 500 * pays["touchdown"]


BOTH = {"touchdown": End("touchdown", 1, "none"), "defense": End("downs", 3)}


def test_a_wager_on_a_play_depends_on_the_game_from_the_position_of_the_marker(hands):
    gain, score = [3, 4, 1], [1, 1, 1]
    scene = played(
        [(2, "touchdown", 500), (5, "defense", 1_000), (2, "no-gain", 500, 1)],
        [(5, "over-four", 1_500, 2), (2, "trips-td", 500, 2)],
        throws=[gain, score],
    )
    pairs = covariances(RULES)
    first, second = expectation.spots_of([gain, score])
    assert (first.yard, second.yard, second.goal) == (20, 14, False)
    game = {"touchdown": 500, "defense": 1_000}
    plays = [(first, {"no-gain": 500}), (second, {"over-four": 1_500, "trips-td": 500})]
    expected = sum(
        one * two * pairs[min(a, b), max(a, b)]
        for lain in (game, *(stakes for _spot, stakes in plays))
        for a, one in lain.items()
        for b, two in lain.items()
    )
    for spot, stakes in plays:
        hang = expectation.covariances_across(RULES, spot)
        expected += sum(2 * one * two * hang[a, b] for a, one in game.items() for b, two in stakes.items())
    assert day_of(scene).total.sums.variance.value == expected


def play_a_covered_game():
    """A game of four plays with $10 on that length, which $30 on the last play cover, 4 yards from the goal.

    There 114 of 216 throws end the game, 105 win Under Four, and 3 do both.
    """
    throws = [[1, 1, 2], [1, 5, 1], [6, 6, 1], [6, 6, 1]]
    return played([(1, "game-length:4", 1_000)], [], [], [(2, "under-four", 3_000, 4)], throws=throws)


LENGTH_FOUR, UNDER_FOUR = Fraction(27_983_759, 181_398_528), Fraction(105, 216)
COVERED_WIN = 1_000 * (1 - 6 * LENGTH_FOUR) + 3_000 * (1 - 2 * UNDER_FOUR)
COVERED_VARIANCE = (
    6_000**2 * LENGTH_FOUR * (1 - LENGTH_FOUR)
    + 6_000**2 * UNDER_FOUR * (1 - UNDER_FOUR)
    + 2 * 6_000 * 6_000 * (Fraction(3, 216) - Fraction(114, 216) * UNDER_FOUR)
)


def test_a_covered_game_has_less_than_no_variance_and_no_verdict(hands):
    """The play takes away more risk than the game had before its first throw."""
    scene = play_a_covered_game()
    sums = day_of(scene).total.sums
    assert (sums.expected.value, sums.win_cents) == (COVERED_WIN, 3_000 - 5_000)
    assert sums.variance.value == COVERED_VARIANCE < 0
    assert (sums.band_cents, sums.is_outside) == (0, False)
    panel = report_panel(scene.fresh.facility, hands.now + dt.timedelta(days=1))
    assert (panel.has_band, panel.sums.is_outside, panel.sums.expected_cents) == (False, False, 158)


def test_throws_of_which_no_game_is_made_leave_their_round_out_and_end_no_report(hands):
    scene = played([(2, "touchdown", 500), (2, "no-gain", 500, 1)], throws=[[1, 1, 1]])
    [entry] = Entry.objects.filter(stream=scene.table.stream, type="round.settled")
    with as_superuser():
        Entry.objects.filter(pk=entry.pk).update(
            body=bytes(entry.body).replace(b'"dice":[1,1,1]', b'"dice":[]')
        )
    assert (day_of(scene).total.sums.unknown_rounds, day_of(scene).total.sums.expected.value) == (1, 0)
