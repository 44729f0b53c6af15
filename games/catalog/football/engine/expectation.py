"""What the wagers of a round of Three Dice Football may win, are expected to win, and how far that win varies.

All of it is exact, from the probabilities of each play. A wager on the whole game counts from before its first throw, a
wager on one play from the spot where the marker was when it was made: by then part of the game was known, and the
stakes may have depended on it. The variance of a round is

* the variance of what its wagers on the game win, from before the first throw,
* and for each play, the variance of what the wagers on that play win,
* and twice the covariance of both, given the spot before that play.

Two plays are independent; the wagers on one play are not, and each of them depends on those on the game. The mean of
this figure over all courses is the mean square of what the round wins beyond its expectation. In one course it may be
less than the variance of the game alone: a wager on a play that covers one on the game takes its risk away.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm

from games.catalog.football.engine.field import (
    SCORES,
    THROWS,
    Meaning,
    Spot,
    chances_of_a_game,
    chances_of_a_throw,
    course_of,
    play_on,
)
from games.catalog.football.engine.wagers import (
    BETS,
    PLAYS_MOST,
    SINGLE_PLAY_CODES,
    End,
    outcomes,
    point,
    verdict,
)
from games.engine.expectations import Pair, RoundExpectation, cents_by_code, combine_rows, covariances_of
from games.engine.odds import house_advantage
from games.engine.rules import Rules
from games.engine.wagers import Wager

FULL_GAME_CODES = tuple(code for code in BETS if code not in SINGLE_PLAY_CODES)
Wins = tuple[Fraction, ...]  # what one unit on each code wins for the house, in the order of the codes
Whole = tuple[int, ...]  # the same by a divisor


# The expectation of a round


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
        spots = spots_of(throws) if on_game and by_play else []
    except ValueError:
        return None
    for play, play_wagers in by_play.items():
        on_play = cents_by_code(play_wagers)
        variance += _variance(rules, on_play)
        if not on_game:
            continue
        if play > len(spots):
            return None
        across = covariances_across(rules, spots[play - 1])
        variance += 2 * sum(
            (
                game_cents * cents * across[game_code, code]
                for game_code, game_cents in on_game.items()
                for code, cents in on_play.items()
            ),
            Fraction(0),
        )
    return RoundExpectation(sum(by_code.values(), Fraction(0)), variance, by_code)


def spots_of(throws: Sequence[Sequence[int]]) -> list[Spot]:
    """Return where the marker was before each play of a game. ValueError for throws that make no game."""
    return [play.spot for play in course_of(tuple(tuple(dice) for dice in throws)).plays]


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
    plays = covariances_of(SINGLE_PLAY_CODES, combine_rows(wins_of_a_throw(rules)))
    games = covariances_of(FULL_GAME_CODES, combine_rows(wins_of_a_game(rules)))
    return plays | games


def wins_of_a_throw(rules: Rules) -> Iterator[tuple[Wins, int]]:
    """Return what the wagers on one play win, and in how many of the 216 throws."""
    for meaning, ways in chances_of_a_throw().items():
        yield _wins(rules, SINGLE_PLAY_CODES, meaning), ways


def wins_of_a_game(rules: Rules) -> Iterator[tuple[Wins, Fraction]]:
    """Return what the wagers on the game win, from before its first throw, and how probable that is."""
    for (how, play), chance in chances_of_a_game().items():
        for end, part in ends_of(how, play):
            yield _wins(rules, FULL_GAME_CODES, end), chance * Fraction(part, THROWS)


def _wins(rules: Rules, codes: Sequence[str], event: Meaning | End) -> Wins:
    odds = (verdict(rules, code, event).odds for code in codes)
    return tuple(Fraction(1) if paid is None else -paid.ratio() for paid in odds)


@lru_cache(maxsize=64)
def ends_of(how: str, play: int) -> tuple[tuple[End, int], ...]:
    """Return the end of a game with each extra point roll that may follow, and in how many of its 216 throws."""
    if how not in SCORES:
        return ((End(how, play), THROWS),)
    rolled = Counter(point(dice) for dice in product(range(1, 7), repeat=3))
    return tuple((End(how, play, rolled_point), ways) for rolled_point, ways in rolled.items())


# A wager on the game with one on the next play


@lru_cache(maxsize=1024)
def covariances_across(rules: Rules, spot: Spot) -> Mapping[tuple[str, str], Fraction]:
    """Return, for each wager on the game with each on the next play, the covariance of one unit on both, from a
    spot.
    """
    per, throws = _unit(rules), chances_of_a_throw().items()
    outcomes = [
        (ways, _whole(rules, SINGLE_PLAY_CODES, meaning), _after(rules, spot, meaning))
        for meaning, ways in throws
    ]
    plays = [sum(ways * now[j] for ways, now, _later in outcomes) for j in range(len(SINGLE_PLAY_CODES))]
    games = _hopes(rules, spot)
    return {
        (game, play): Fraction(
            THROWS * sum(ways * now[j] * later[i] for ways, now, later in outcomes) - games[i] * plays[j],
            THROWS * per * _scale(rules, spot.play),
        )
        for i, game in enumerate(FULL_GAME_CODES)
        for j, play in enumerate(SINGLE_PLAY_CODES)
    }


# What is still to come, in whole numbers: divided by the `_scale` of the play


@lru_cache(maxsize=1024)
def _hopes(rules: Rules, spot: Spot) -> Whole:
    """Return what each wager on the game wins on average, from a spot; multiplied by the scale of its play."""
    throws = chances_of_a_throw().items()
    return _summed((_after(rules, spot, meaning), ways) for meaning, ways in throws)


def _after(rules: Rules, spot: Spot, meaning: Meaning) -> Whole:
    """Return the same after this throw; multiplied by the scale of the play that follows."""
    played, following = play_on(spot, meaning)
    if following is not None:
        return _hopes(rules, following)
    ends = ends_of(played.ending, spot.play)
    lift = THROWS ** (PLAYS_MOST - spot.play)
    return _summed((_whole(rules, FULL_GAME_CODES, end), ways * lift) for end, ways in ends)


def _scale(rules: Rules, play: int) -> int:
    """Return the scale of a spot before this play: a throw for each play that may come, and one for the extra
    point.
    """
    return _unit(rules) * int(THROWS ** (PLAYS_MOST + 2 - play))


@lru_cache(maxsize=64)
def _unit(rules: Rules) -> int:
    """Return the number that makes every win a whole number."""
    wins = [
        win
        for rows in (wins_of_a_throw(rules), wins_of_a_game(rules))
        for row, _chance in rows
        for win in row
    ]
    return lcm(*(win.denominator for win in wins))


def _summed(weighted: Iterable[tuple[Whole, int]]) -> Whole:
    rows = [[win * ways for win in wins] for wins, ways in weighted]
    return tuple(map(sum, zip(*rows, strict=True)))


@lru_cache(maxsize=1024)
def _whole(rules: Rules, codes: tuple[str, ...], event: Meaning | End) -> Whole:
    return tuple(int(win * _unit(rules)) for win in _wins(rules, codes, event))


# What the wagers may win from a spot, over every way in which the game may go on


def wins_by_way(
    rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]
) -> list[tuple[int, int]] | None:
    """Return each win of the house in cents with its ways, from the spot after these throws.

    The wagers are those that are not settled: on the game, and on the next play. None after the last play, and for a
    wager on another play.
    """
    spot = course_of(tuple(tuple(dice) for dice in throws)).spot
    if spot is None or any(wager.play not in (None, spot.play) for wager in wagers):
        return None
    on_game = cents_by_code(wager for wager in wagers if wager.play is None)
    on_play = cents_by_code(wager for wager in wagers if wager.play is not None)
    ways_by_win: Counter[int] = Counter()
    for meaning, ways in chances_of_a_throw().items():
        win = sum(_win(rules, code, meaning, cents) for code, cents in on_play.items())
        if not on_game:
            ways_by_win[win] += ways
            continue
        for end, ways_of_end in _ends_after(spot, meaning).items():
            win_of_game = sum(_win(rules, code, end, cents) for code, cents in on_game.items())
            ways_by_win[win + win_of_game] += ways * ways_of_end
    return sorted(ways_by_win.items())


def _win(rules: Rules, code: str, event: Meaning | End, cents: int) -> int:
    odds = verdict(rules, code, event).odds
    return cents if odds is None else -int(cents * odds.ratio())


@lru_cache(maxsize=1024)
def _ends_after(spot: Spot, meaning: Meaning) -> Mapping[End, int]:
    """Return every end of a game after this throw, with its ways of as many throws as may follow one on this play."""
    played, following = play_on(spot, meaning)
    if following is not None:
        return _ends_from(following)
    lift = THROWS ** (PLAYS_MOST - spot.play)
    return {end: ways * lift for end, ways in ends_of(played.ending, spot.play)}


@lru_cache(maxsize=256)
def _ends_from(spot: Spot) -> Mapping[End, int]:
    ways_by_end: Counter[End] = Counter()
    for meaning, ways in chances_of_a_throw().items():
        for end, ways_of_end in _ends_after(spot, meaning).items():
            ways_by_end[end] += ways * ways_of_end
    return ways_by_end
