"""What the wagers on a layout may cost the house: exactly, over every throw of the dice.

For games that the next throw decides. A game that continues after it has no exposure here. Neither has a round under a
payout limit, which caps what a seat wins.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from games.engine import Rules
from games.engine.covariances import possible_throws
from games.engine.game import EXACT_STAKE_CENTS
from games.engine.settlement import FEE, LOSE
from games.engine.wagers import Wager
from games.registry import game_of

LIKELY = Fraction(95, 100)
CACHED_LAYOUTS = 64


@dataclass(frozen=True)
class Exposure:
    """What the house may lose or win with the wagers on a layout, in cents. A loss is negative.

    `ways` counts throws in order (216 with three dice), as do `worst_ways`, the throws that cost most, and
    `losing_ways`, those that cost anything. `likely_cents`: in 95 % of throws the house wins at least this.
    `wins` are the ways of each possible win, the lowest first. `mean` and `variance` are exact.
    """

    ways: int
    worst_cents: int
    worst_dice: tuple[int, ...]
    worst_ways: int
    losing_ways: int
    likely_cents: int
    best_cents: int
    mean: Fraction
    variance: Fraction
    wins: tuple[tuple[int, int], ...]

    def share_at_most(self, cents: int) -> Fraction:
        """Return the chance that the house wins at most this."""
        return Fraction(sum(ways for win, ways in self.wins if win <= cents), self.ways)


def exposure(rules: Rules, cents_by_code: Mapping[str, int]) -> Exposure | None:
    """Return the exposure of stakes (cents by wager code). None without stakes, and where another throw follows."""
    stakes = tuple(sorted((code, cents) for code, cents in cents_by_code.items() if cents))
    if not stakes or rules.payout_limit_cents is not None:
        return None
    return _exposure(rules, stakes)


@lru_cache(maxsize=CACHED_LAYOUTS)
def _exposure(rules: Rules, stakes: tuple[tuple[str, int], ...]) -> Exposure | None:
    throws = _wins_by_throw(rules)
    if throws is None:
        return None
    codes = {code for code, _cents in stakes}
    if not codes <= throws[0].wins.keys():
        return None
    results = [
        (sum(cents * throw.wins[code] // EXACT_STAKE_CENTS for code, cents in stakes), throw)
        for throw in throws
    ]
    ways_by_win: Counter[int] = Counter()
    for win, throw in results:
        ways_by_win[win] += throw.ways
    wins = tuple(sorted(ways_by_win.items()))
    ways = sum(ways_by_win.values())
    mean = Fraction(sum(win * count for win, count in wins), ways)
    squares = Fraction(sum(win * win * count for win, count in wins), ways)
    worst = wins[0][0]
    return Exposure(
        ways=ways,
        worst_cents=worst,
        worst_dice=next(throw.dice for win, throw in results if win == worst),
        worst_ways=wins[0][1],
        losing_ways=sum(count for win, count in wins if win < 0),
        likely_cents=_quantile(wins, (1 - LIKELY) * ways),
        best_cents=wins[-1][0],
        mean=mean,
        variance=squares - mean * mean,
        wins=wins,
    )


def _quantile(wins: tuple[tuple[int, int], ...], ways: Fraction) -> int:
    """Return the least win below which at most so many ways are."""
    below, sums = 0, []
    for _win, count in wins:
        below += count
        sums.append(below)
    return wins[bisect_left(sums, ways)][0] if ways > 0 else wins[0][0]


@dataclass(frozen=True)
class _Throw:
    """The dice in any order, in how many orders they fall, and what a stake on each code then wins for the house.

    The stake is `EXACT_STAKE_CENTS`, so that each win is whole.
    """

    dice: tuple[int, ...]
    ways: int
    wins: Mapping[str, int]


@lru_cache(maxsize=16)
def _wins_by_throw(rules: Rules) -> list[_Throw] | None:
    """Return every throw; None for a game that one throw does not decide."""
    game = game_of(rules)
    stakes = [Wager(1, code, EXACT_STAKE_CENTS) for code in game.outcomes(rules)]
    if game.has_plays or any(game.is_fee(stake.code) for stake in stakes):
        return None
    throws = []
    for dice, ways in possible_throws(game.faces, rules.edition.dice):
        result = game.result(rules, stakes, [dice])
        if not result.ending:
            return None
        wins = {
            line.wager.code: line.wager.cents if line.outcome in (LOSE, FEE) else -line.paid_cents
            for line in result.settled
        }
        throws.append(_Throw(dice, ways, wins))
    return throws
