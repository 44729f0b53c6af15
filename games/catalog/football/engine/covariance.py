"""How far the wins of Three Dice Football depend on each other: exact, from the probabilities of each play.

A wager on the whole game is computed from before its first throw. A wager on one play is computed from the spot
where the marker was when it was made: by then part of the game was known, and the stakes may have depended on it.
Two plays are then independent; the wagers on one play are not, and each of them depends on those on the game.
"""

from collections import Counter
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
from games.catalog.football.engine.wagers import BETS, PLAYS_MOST, SINGLE_PLAY_CODES, End, point, verdict
from games.engine.rules import Rules

FULL_GAME_CODES = tuple(code for code in BETS if code not in SINGLE_PLAY_CODES)
Wins = tuple[Fraction, ...]  # what one unit on each code wins for the house, in the order of the codes
Whole = tuple[int, ...]  # the same by a divisor


def of_a_throw(rules: Rules) -> Iterator[tuple[Wins, int]]:
    """Return what the wagers on one play win, and in how many of the 216 throws."""
    for meaning, ways in chances_of_a_throw().items():
        yield _wins(rules, SINGLE_PLAY_CODES, meaning), ways


def of_a_game(rules: Rules) -> Iterator[tuple[Wins, Fraction]]:
    """Return what the wagers on the game win, from before its first throw, and how probable that is."""
    for (how, play), chance in chances_of_a_game().items():
        for end, part in ends_of(how, play):
            yield _wins(rules, FULL_GAME_CODES, end), chance * Fraction(part, THROWS)


@lru_cache(maxsize=1024)
def across(rules: Rules, spot: Spot) -> Mapping[tuple[str, str], Fraction]:
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


def spots_of(throws: Sequence[Sequence[int]]) -> list[Spot]:
    """Return where the marker was before each play of a game. ValueError for throws that make no game."""
    return [play.spot for play in course_of(tuple(tuple(dice) for dice in throws)).plays]


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
    wins = [win for rows in (of_a_throw(rules), of_a_game(rules)) for row, _chance in rows for win in row]
    return lcm(*(win.denominator for win in wins))


def _summed(weighted: Iterable[tuple[Whole, int]]) -> Whole:
    rows = [[win * ways for win in wins] for wins, ways in weighted]
    return tuple(map(sum, zip(*rows, strict=True)))


@lru_cache(maxsize=1024)
def _whole(rules: Rules, codes: tuple[str, ...], event: Meaning | End) -> Whole:
    return tuple(int(win * _unit(rules)) for win in _wins(rules, codes, event))


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
