"""What the wagers of a game of Three Dice Football may win from a spot: exact, over every way in which it may go on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from games.catalog.football.engine.covariance import ends_of
from games.catalog.football.engine.field import THROWS, Meaning, Spot, chances_of_a_throw, course_of, play_on
from games.catalog.football.engine.wagers import PLAYS_MOST, End, verdict
from games.engine.expectations import cents_by_code
from games.engine.rules import Rules
from games.engine.wagers import Wager


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
