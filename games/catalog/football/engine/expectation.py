"""What the wagers of a round of Three Dice Football are expected to win, and how far that win varies: exact.

A wager on the whole game counts from before the first throw, a wager on one play from the position in which it was
made. The variance of a round is

* the variance of what its wagers on the game win, from before the first throw,
* and for each play, the variance of what the wagers on that play win,
* and twice the covariance of both, given the position before that play.

Two plays are independent. What was staked on a play may follow from the course of the game, which is known by then. The
mean of this figure over all courses is the mean square of what the round wins beyond its expectation. In one course it
may be less than the variance of the game alone: a wager on a play that covers one on the game takes its risk away.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from games.catalog.football.engine import covariance
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES, outcomes
from games.engine.analysis import house_advantage
from games.engine.covariances import Pair, combine_rows, covariances_of
from games.engine.expectations import RoundExpectation, cents_by_code
from games.engine.rules import Rules
from games.engine.wagers import Wager


def round_expectation(
    rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]
) -> RoundExpectation | None:
    """Return the expectation of these wagers; None if the position of a play does not follow from the throws."""
    on_game = cents_by_code(wager for wager in wagers if wager.play is None)
    by_play: dict[int, list[Wager]] = defaultdict(list)
    for wager in wagers:
        if wager.play is not None:
            by_play[wager.play].append(wager)
    by_code = {code: cents * _advantage(rules, code) for code, cents in cents_by_code(wagers).items()}
    variance = _variance(rules, on_game)
    try:
        spots = covariance.spots_of(throws) if on_game and by_play else []
    except ValueError:
        return None
    for play, play_wagers in by_play.items():
        on_play = cents_by_code(play_wagers)
        variance += _variance(rules, on_play)
        if not on_game:
            continue
        if play > len(spots):
            return None
        across = covariance.across(rules, spots[play - 1])
        variance += 2 * sum(
            (
                game_cents * cents * across[game_code, code]
                for game_code, game_cents in on_game.items()
                for code, cents in on_play.items()
            ),
            Fraction(0),
        )
    return RoundExpectation(sum(by_code.values(), Fraction(0)), variance, by_code)


@lru_cache(maxsize=1024)
def _advantage(rules: Rules, code: str) -> Fraction:
    return house_advantage(outcomes(rules, code))


def _variance(rules: Rules, stakes: Mapping[str, int]) -> Fraction:
    """Return the variance of stakes (cents by code) that are all on the game, or all on one play."""
    pairs, ordered = covariances(rules), sorted(stakes.items())
    total = Fraction(0)
    for place, (code, cents) in enumerate(ordered):
        total += cents * cents * pairs[code, code]
        for other_code, other_cents in ordered[place + 1 :]:
            total += 2 * cents * other_cents * pairs[code, other_code]
    return total


@lru_cache(maxsize=16)
def covariances(rules: Rules) -> Mapping[Pair, Fraction]:
    """Return the covariances of the wagers on one play, and of those on the game."""
    plays = covariances_of(SINGLE_PLAY_CODES, combine_rows(covariance.of_a_throw(rules)))
    games = covariances_of(covariance.FULL_GAME_CODES, combine_rows(covariance.of_a_game(rules)))
    return plays | games
