"""What the odds predict for the wagers of a round, and what they may cost the house: exact, in cents.

`round_expectation` is the win that the odds predict, with its variance in cents squared. `exposure` goes over
everything that the dice may bring: a game that one throw decides is settled for each throw, and a game that continues
after it says itself what its wagers may win (`Game.wins_by_way`). A payout limit cuts as it would fall.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from games.engine import Refusal, Rules, Wager
from games.engine.expectations import RoundExpectation, cents_by_code, house_win, possible_throws
from games.engine.game import EXACT_STAKE_CENTS
from games.registry import game_of

MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)


def round_expectation(
    rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
) -> RoundExpectation | None:
    """Return what the wagers of a round are expected to win, with Extra Rolls and payout limits: exact.

    `throws` are its valid throws: the positions of single plays follow from them. None where the wagers or throws are
    not of this game.
    """
    try:
        return game_of(rules).round_expectation(rules, wagers, throws)
    except (Refusal, *MISSHAPEN):
        return None


@lru_cache(maxsize=64)
def advantages(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code."""
    return {
        code: game_of(rules).advantage(rules, code, outcomes)
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


@lru_cache(maxsize=64)
def advantages_with_fee(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code at a seat that paid the fee of its game, without a payout limit; empty for
    rules without a fee. That of the fee is 1: it never wins.
    """
    game = game_of(rules)
    codes = game.outcomes(rules).keys()
    if game.fee is None or game.fee.code not in codes:
        return {}
    unlimited, fee = replace(rules, payout_limit_cents=None), game.fee.code
    advantage_by_code: dict[str, Fraction] = {}
    for code in codes:
        wagers = [Wager(1, staked, EXACT_STAKE_CENTS) for staked in sorted({fee, code})]
        expectation = game.round_expectation(unlimited, wagers)
        if expectation is not None:
            advantage_by_code[code] = expectation.by_code[code] / EXACT_STAKE_CENTS
    return advantage_by_code


# What the wagers on a layout may cost the house


LIKELY = Fraction(95, 100)
CACHED_LAYOUTS = 64


@dataclass(frozen=True)
class Exposure:
    """What the house may lose or win with the wagers on a layout, in cents. A loss is negative.

    `ways` counts throws in order (216 with three dice), as do `worst_ways`, the throws that cost most, and
    `losing_ways`, those that cost anything. `worst_dice` is empty where more than one throw may follow.
    `likely_cents`: in 95 % of throws the house wins at least this.
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


def exposure(rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()) -> Exposure | None:
    """Return the exposure of the wagers that are not settled. None without wagers, and where it is not known.

    `throws` are the valid throws of the round so far.
    """
    if not wagers:
        return None
    return _exposure(rules, tuple(sorted(wagers, key=repr)), tuple(tuple(dice) for dice in throws))


@lru_cache(maxsize=CACHED_LAYOUTS)
def _exposure(
    rules: Rules, wagers: tuple[Wager, ...], throws: tuple[tuple[int, ...], ...]
) -> Exposure | None:
    game = game_of(rules)
    ways = game.wins_by_way(rules, wagers, throws)
    if ways is not None:
        return _of_wins(ways, lambda worst: ())
    wins = _wins_by_dice(rules, wagers) if not throws else None
    if wins is None:
        return None
    return _of_wins(
        [(win, ways_of_dice) for win, ways_of_dice, _dice in wins],
        lambda worst: next(dice for win, _ways, dice in wins if win == worst),
    )


def _of_wins(ways_of_wins: Iterable[tuple[int, int]], dice_of: Callable[[int], tuple[int, ...]]) -> Exposure:
    ways_by_win: Counter[int] = Counter()
    for win, ways_of_win in ways_of_wins:
        ways_by_win[win] += ways_of_win
    wins = tuple(sorted(ways_by_win.items()))
    ways = sum(ways_by_win.values())
    mean = Fraction(sum(win * count for win, count in wins), ways)
    squares = Fraction(sum(win * win * count for win, count in wins), ways)
    worst = wins[0][0]
    return Exposure(
        ways=ways,
        worst_cents=worst,
        worst_dice=dice_of(worst),
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


def _wins_by_dice(rules: Rules, wagers: tuple[Wager, ...]) -> list[tuple[int, int, tuple[int, ...]]] | None:
    """Return the win of each throw, with its orders and its dice; None for a game that one throw does not decide."""
    if rules.payout_limit_cents is not None:
        return _settled_by_dice(rules, wagers)
    throws = _wins_by_throw(rules)
    codes = {wager.code for wager in wagers}
    if throws is None or not codes <= throws[0].wins.keys():
        return None
    stakes = cents_by_code(wagers).items()
    return [
        (
            sum(cents * throw.wins[code] // EXACT_STAKE_CENTS for code, cents in stakes),
            throw.ways,
            throw.dice,
        )
        for throw in throws
    ]


def _settled_by_dice(rules: Rules, wagers: Sequence[Wager]) -> list[tuple[int, int, tuple[int, ...]]] | None:
    """Settle every throw as it would fall, which a payout limit needs."""
    game = game_of(rules)
    wins = []
    for dice, ways in possible_throws(game.faces, rules.edition.dice):
        result = game.result(rules, wagers, [dice])
        if not result.ending:
            return None
        wins.append((sum(map(house_win, result.settled)), ways, dice))
    return wins


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
        wins = {line.wager.code: house_win(line) for line in result.settled}
        throws.append(_Throw(dice, ways, wins))
    return throws
