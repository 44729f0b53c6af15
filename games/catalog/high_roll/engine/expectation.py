"""What the wagers of a round of High Roll Dice are expected to win: exact, with Extra Rolls and the payout limit.

The settlement depends on the class of the throws alone: the winning face, how many dice show it, and, after an extra
throw, how many of the loose dice match. So one throw of each class is settled, by the rules themselves. The wins of a
seat are the sum of those of its wagers, unless the payout limit of each player may cut it: then the whole seat is
settled in each class.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm

from games.catalog.high_roll.engine.chances import RANK, Held, classes
from games.catalog.high_roll.engine.wagers import BETS, DOLLAR, EXTRA_ROLL, is_exempt_from_limit
from games.engine.expectations import NO_WAGERS, RoundExpectation, house_win, mean_and_variance
from games.engine.odds import Odds
from games.engine.rules import Rules
from games.engine.state import Result
from games.engine.wagers import Wager

FACES = len(RANK)
SEAT = 1  # stands for every seat: no settlement depends on the seat's number
SeatLayout = tuple[tuple[str, int], ...]  # codes and cents of one seat, in order
Results = Callable[[Rules, Sequence[Wager], Sequence[Sequence[int]]], Result]


@dataclass(frozen=True)
class SeatWins:
    """What a seat wins for the house in cents: for each first roll, by how many dice match in the extra throw.

    The wins of a seat without an Extra Roll do not depend on an extra throw: it has one win for each first roll.
    `by_code` has the part of each code in the mean.
    """

    wins: tuple[tuple[int, ...], ...]
    by_code: Mapping[str, Fraction]


def round_expectation(rules: Rules, wagers: Sequence[Wager], result: Results) -> RoundExpectation:
    """Return the expectation of these wagers before the first roll. `result` settles them (`HighRoll.result`)."""
    layouts: dict[int, list[tuple[str, int]]] = {}
    for wager in wagers:
        layouts.setdefault(wager.seat, []).append((wager.code, wager.cents))
    if not layouts:
        return NO_WAGERS
    return _of_layouts(rules, tuple(sorted(tuple(sorted(layout)) for layout in layouts.values())), result)


def wins_by_way(rules: Rules, wagers: Sequence[Wager], result: Results) -> list[tuple[int, int]]:
    """Return each win of the house in cents before the first roll, with its ways; some wins occur more than once."""
    layouts: dict[int, list[tuple[str, int]]] = {}
    for wager in wagers:
        layouts.setdefault(wager.seat, []).append((wager.code, wager.cents))
    seats = [_seat_wins(rules, tuple(sorted(layout)), result) for layout in layouts.values()]
    return _wins_of_seats(rules.edition.dice, seats)


@lru_cache(maxsize=4096)
def _of_layouts(rules: Rules, layouts: tuple[SeatLayout, ...], result: Results) -> RoundExpectation:
    seats = [_seat_wins(rules, layout, result) for layout in layouts]
    by_code: dict[str, Fraction] = {}
    for seat in seats:
        for code, mean in seat.by_code.items():
            by_code[code] = by_code.get(code, Fraction(0)) + mean
    mean, variance = mean_and_variance(_wins_of_seats(rules.edition.dice, seats))
    return RoundExpectation(mean, variance, by_code)


def _wins_of_seats(dice: int, seats: Sequence[SeatWins]) -> list[tuple[int, int]]:
    """Return the win of each class of throws with its ways."""
    wins: list[tuple[int, int]] = []
    for place, (first, ways) in enumerate(classes(dice).items()):
        without_extra = sum(seat.wins[place][0] for seat in seats if len(seat.wins[place]) == 1)
        with_extra = [seat.wins[place] for seat in seats if len(seat.wins[place]) > 1]
        ways_of_extra = _ways_of_extra(dice, first.count) if with_extra else (FACES**dice,)
        for added, ways_added in enumerate(ways_of_extra):
            win = without_extra + sum(seat_wins[added] for seat_wins in with_extra)
            wins.append((win, ways * ways_added))
    return wins


@lru_cache(maxsize=4096)
def _seat_wins(rules: Rules, layout: SeatLayout, result: Results) -> SeatWins:
    limit_cents, has_extra_roll = rules.payout_limit_cents, EXTRA_ROLL in dict(layout)
    if limit_cents is None:
        return _sum_of_wagers(rules, layout, has_extra_roll, result)
    unlimited = replace(rules, payout_limit_cents=None)
    limited = [(code, cents) for code, cents in layout if not is_exempt_from_limit(code)]
    worst_cents = min(map(min, _sum_of_wagers(unlimited, limited, has_extra_roll, result).wins))
    staked_cents = sum(cents for _code, cents in limited)
    if staked_cents - worst_cents > limit_cents:  # the most that the seat may be paid, or more
        return _settled_wins(rules, layout, result)
    return _sum_of_wagers(unlimited, layout, has_extra_roll, result)


# Wager by wager, where no limit connects them


def _sum_of_wagers(
    rules: Rules, layout: Sequence[tuple[str, int]], has_extra_roll: bool, result: Results
) -> SeatWins:
    per = _unit(rules)
    units = [(_unit_wins(rules, code, has_extra_roll, result), code, cents) for code, cents in layout]
    wins = []
    for place, (first, _ways) in enumerate(classes(rules.edition.dice).items()):
        sums = [0] * _extra_throws(rules.edition.dice, first, has_extra_roll)
        for unit, _code, cents in units:
            row = unit.wins[place]
            if len(row) == len(sums):
                sums = [total + cents * win for total, win in zip(sums, row, strict=True)]
            else:  # decided by the first roll
                sums = [total + cents * row[0] for total in sums]
        wins.append(tuple(total // per for total in sums))
    return SeatWins(tuple(wins), {code: cents * unit.mean for unit, code, cents in units})


@dataclass(frozen=True)
class UnitWins:
    """What one cent on a code wins, in parts of a cent (`_unit`): for each first roll, by the matches that follow."""

    wins: tuple[tuple[int, ...], ...]
    mean: Fraction


@lru_cache(maxsize=256)
def _unit_wins(rules: Rules, code: str, has_extra_roll: bool, result: Results) -> UnitWins:
    per = _unit(rules)
    stake_cents = DOLLAR if is_exempt_from_limit(code) else per
    layout = {EXTRA_ROLL: per, code: stake_cents} if has_extra_roll else {code: stake_cents}
    rows = [
        tuple(row[code] * per // stake_cents for row in rows)
        for rows in _settled_classes(rules, layout, result)
    ]
    wins = tuple(row[:1] if len(set(row)) == 1 else row for row in rows)
    return UnitWins(wins, _mean(rules.edition.dice, rows) / per)


@lru_cache(maxsize=64)
def _unit(rules: Rules) -> int:
    """Return the stake in cents that wins whole cents at any odds."""
    return lcm(*(payout.odds.per for payout in rules.payouts.values() if isinstance(payout.odds, Odds)))


# The whole seat, where a limit may cut its payouts


def _settled_wins(rules: Rules, layout: SeatLayout, result: Results) -> SeatWins:
    settled = _settled_classes(rules, dict(layout), result)
    wins = tuple(tuple(sum(row.values()) for row in rows) for rows in settled)
    means = {
        code: _mean(rules.edition.dice, [tuple(row[code] for row in rows) for rows in settled])
        for code, _cents in layout
    }
    return SeatWins(wins, means)


# Classes


def _settled_classes(rules: Rules, layout: Mapping[str, int], result: Results) -> list[list[dict[str, int]]]:
    """Return what each code of a seat wins for the house in each class: by first roll, and by the matches that follow.

    All faces without a Pip Street wager are settled together.
    """
    dice, bets = rules.edition.dice, BETS[rules.edition.dice]
    wagers = [Wager(SEAT, code, cents) for code, cents in layout.items()]
    faces = {bets[code].number for code in layout if bets[code].family == "pip"}
    settled: dict[tuple[int, int], list[dict[str, int]]] = {}
    rows = []
    for first in classes(dice):
        key = (first.face if first.face in faces else 0, first.count)
        if key not in settled:
            settled[key] = [
                {line.wager.code: house_win(line) for line in result(rules, wagers, throws).settled}
                for throws in _representatives(dice, first, EXTRA_ROLL in layout)
            ]
        rows.append(settled[key])
    return rows


def _mean(dice: int, rows: Sequence[tuple[int, ...]]) -> Fraction:
    total = 0
    for (first, ways), row in zip(classes(dice).items(), rows, strict=True):
        ways_of_extra = _ways_of_extra(dice, first.count) if len(row) > 1 else (FACES**dice,)
        total += ways * sum(win * ways_added for win, ways_added in zip(row, ways_of_extra, strict=True))
    return Fraction(total, FACES ** (2 * dice))


def _extra_throws(dice: int, first: Held, has_extra_roll: bool) -> int:
    """Return the number of classes of the extra throw that may follow a first roll; 1 where none follows."""
    return dice - first.count + 1 if has_extra_roll else 1


def _representatives(dice: int, first: Held, has_extra_roll: bool) -> list[list[tuple[int, ...]]]:
    """Return the throws of one round of each class that begins with this first roll."""
    roll = _representative(dice, first)
    loose = dice - first.count
    if not (has_extra_roll and loose):
        return [[roll]]
    miss = next(face for face in RANK if face != first.face)
    return [[roll, (first.face,) * added + (miss,) * (loose - added)] for added in range(loose + 1)]


def _representative(dice: int, first: Held) -> tuple[int, ...]:
    """Return a throw of a class: the other faces show as often as they may, from the highest in rank."""
    shown = [first.face] * first.count
    is_lower = False
    for face in RANK:
        if face == first.face:
            is_lower = True
            continue
        most = first.count if is_lower else first.count - 1
        shown += [face] * min(most, dice - len(shown))
    return tuple(shown)


@lru_cache(maxsize=64)
def _ways_of_extra(dice: int, count: int) -> tuple[int, ...]:
    """Return in how many ways each number of the loose dice matches, of `FACES ** dice` ways in all."""
    loose = dice - count
    return tuple(
        comb(loose, added) * (FACES - 1) ** (loose - added) * FACES**count for added in range(loose + 1)
    )
