"""What the wagers of a round of High Roll Dice are expected to win: exact, with Extra Rolls and the payout limit.

The settlement depends on the class of a round alone: the winning face of the first roll, how many dice show it, and,
where somebody bought an Extra Roll, how many of the loose dice match. So one round of each class is settled, by the
rules themselves. The wins of a round are the sum of those of its wagers, except at a seat whose winnings the payout
limit may cut: such a seat is settled as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm

from games.catalog.high_roll.engine.wagers import (
    BETS,
    DOLLAR,
    EXTRA_ROLL,
    RANK,
    Held,
    classes,
    is_exempt_from_limit,
)
from games.engine.expectations import NO_WAGERS, RoundExpectation, house_win, mean_and_variance
from games.engine.odds import Odds
from games.engine.rounds import Result
from games.engine.rules import Rules
from games.engine.wagers import Wager

FACES = len(RANK)
SEAT = 1  # stands for every seat: no settlement depends on the seat's number
SeatLayout = tuple[tuple[str, int], ...]  # codes and cents of one seat, in order
Results = Callable[[Rules, Sequence[Wager], Sequence[Sequence[int]]], Result]


@dataclass(frozen=True)
class RoundClass:
    """A class of rounds. `added` loose dice match in the extra throw; it is None where nobody bought one.

    `ways` are of all ways in which the dice of `classes_of_round` may fall.
    """

    first: Held
    added: int | None
    ways: int


@dataclass(frozen=True)
class Wins:
    """What a code or a seat wins for the house in each class of a round. `means` are by code."""

    by_class: tuple[int, ...]
    means: Mapping[str, Fraction]


def round_expectation(rules: Rules, wagers: Sequence[Wager], result: Results) -> RoundExpectation:
    """Return the expectation of these wagers before the first roll. `result` settles them (`HighRoll.result`)."""
    return _of_layouts(rules, _seat_layouts(wagers), result) if wagers else NO_WAGERS


def wins_by_way(rules: Rules, wagers: Sequence[Wager], result: Results) -> list[tuple[int, int]]:
    """Return each win of the house in cents before the first roll, with its ways; some wins occur more than once."""
    layouts = _seat_layouts(wagers)
    return _wins_of(rules, layouts, _parts(rules, layouts, result))


@lru_cache(maxsize=4096)
def _of_layouts(rules: Rules, layouts: tuple[SeatLayout, ...], result: Results) -> RoundExpectation:
    parts = _parts(rules, layouts, result)
    mean, variance = mean_and_variance(_wins_of(rules, layouts, parts))
    by_code: dict[str, Fraction] = {}
    for part in parts:
        for code, code_mean in part.means.items():
            by_code[code] = by_code.get(code, Fraction(0)) + code_mean
    return RoundExpectation(mean, variance, by_code)


def _parts(rules: Rules, layouts: tuple[SeatLayout, ...], result: Results) -> list[Wins]:
    """Return the wins of each seat that the limit may cut, and of all other wagers together."""
    has_extra_throw = any(map(_has_extra_roll, layouts))
    cut_seats = [layout for layout in layouts if _may_be_cut(rules, layout, result)]
    wagers: dict[tuple[str, bool], int] = {}
    for layout in layouts:
        for code, cents in layout if layout not in cut_seats else ():
            key = code, _has_extra_roll(layout)
            wagers[key] = wagers.get(key, 0) + cents
    unlimited = rules if rules.payout_limit_cents is None else replace(rules, payout_limit_cents=None)
    return [
        _sum_of_wagers(unlimited, wagers, has_extra_throw, result),
        *(_settled_seat(rules, layout, has_extra_throw, result) for layout in cut_seats),
    ]


def _wins_of(rules: Rules, layouts: tuple[SeatLayout, ...], parts: Sequence[Wins]) -> list[tuple[int, int]]:
    """Return the win of each class with its ways."""
    round_classes = classes_of_round(rules.edition.dice, any(map(_has_extra_roll, layouts)))
    wins = map(sum, zip(*(part.by_class for part in parts), strict=True))
    return [(win, class_.ways) for win, class_ in zip(wins, round_classes, strict=True)]


def _seat_layouts(wagers: Sequence[Wager]) -> tuple[SeatLayout, ...]:
    layouts: dict[int, list[tuple[str, int]]] = {}
    for wager in wagers:
        layouts.setdefault(wager.seat, []).append((wager.code, wager.cents))
    return tuple(sorted(tuple(sorted(layout)) for layout in layouts.values()))


@lru_cache(maxsize=8)
def classes_of_round(dice: int, has_extra_throw: bool) -> tuple[RoundClass, ...]:
    """Return every class of a round, with its ways."""
    if not has_extra_throw:
        return tuple(RoundClass(first, None, ways) for first, ways in classes(dice).items())
    return tuple(
        RoundClass(
            first,
            added,
            # an extra throw has FACES ** loose ways: all classes get the same number of ways in all
            ways * comb(loose, added) * (FACES - 1) ** (loose - added) * FACES**first.count,
        )
        for first, ways in classes(dice).items()
        for loose in [dice - first.count]
        for added in range(loose + 1)
    )


def _has_extra_roll(layout: SeatLayout) -> bool:
    return any(code == EXTRA_ROLL for code, _cents in layout)


# Wager by wager, where no limit connects them


def _sum_of_wagers(
    rules: Rules, wagers: Mapping[tuple[str, bool], int], has_extra_throw: bool, result: Results
) -> Wins:
    """Add up wagers: cents by code and whether their seat has an Extra Roll."""
    per = _unit(rules)
    sums = [0] * len(classes_of_round(rules.edition.dice, has_extra_throw))
    means: dict[str, Fraction] = {}
    for (code, has_extra_roll), cents in wagers.items():
        unit = _unit_wins(rules, code, (has_extra_roll, has_extra_throw), result)
        sums = [total + cents * win for total, win in zip(sums, unit.by_class, strict=True)]
        means[code] = means.get(code, Fraction(0)) + cents * unit.means[code]
    return Wins(tuple(total // per for total in sums), means)


@lru_cache(maxsize=256)
def _unit_wins(rules: Rules, code: str, extra: tuple[bool, bool], result: Results) -> Wins:
    """Return what one cent on a code wins, by class in parts of a cent (`_unit`). `extra` says whether its seat bought
    an Extra Roll, and whether any seat did.
    """
    per = _unit(rules)
    stake_cents = DOLLAR if is_exempt_from_limit(code) else per
    layout = ((EXTRA_ROLL, per), (code, stake_cents)) if extra[0] else ((code, stake_cents),)
    rows = _settled_classes(rules, tuple(dict(layout).items()), extra[1], result)
    by_class = tuple(row[code] * per // stake_cents for row in rows)
    return Wins(by_class, {code: _mean(rules, by_class, extra[1]) / per})


@lru_cache(maxsize=64)
def _unit(rules: Rules) -> int:
    """Return the stake in cents that wins whole cents at any odds."""
    return lcm(*(payout.odds.per for payout in rules.payouts.values() if isinstance(payout.odds, Odds)))


# A whole seat, where the limit may cut its winnings


@lru_cache(maxsize=4096)
def _may_be_cut(rules: Rules, layout: SeatLayout, result: Results) -> bool:
    if rules.payout_limit_cents is None:
        return False
    has_extra_roll = _has_extra_roll(layout)
    limited = {(code, has_extra_roll): cents for code, cents in layout if not is_exempt_from_limit(code)}
    wins = _sum_of_wagers(replace(rules, payout_limit_cents=None), limited, has_extra_roll, result).by_class
    most_paid_cents = sum(limited.values()) - min(wins)  # or more: the stakes that it loses are in it
    return most_paid_cents > rules.payout_limit_cents


@lru_cache(maxsize=4096)
def _settled_seat(rules: Rules, layout: SeatLayout, has_extra_throw: bool, result: Results) -> Wins:
    rows = _settled_classes(rules, layout, has_extra_throw, result)
    means = {code: _mean(rules, [row[code] for row in rows], has_extra_throw) for code, _cents in layout}
    return Wins(tuple(sum(row.values()) for row in rows), means)


# Classes


def _settled_classes(
    rules: Rules, layout: SeatLayout, has_extra_throw: bool, result: Results
) -> list[Mapping[str, int]]:
    """Return what each code of a seat wins for the house in each class of a round.

    All faces without a Pip Street wager are settled together, and all extra throws for a seat without an Extra Roll.
    """
    dice, bets = rules.edition.dice, BETS[rules.edition.dice]
    wagers = [Wager(SEAT, code, cents) for code, cents in layout]
    faces = {bets[code].number for code, _cents in layout if bets[code].family == "pip"}
    has_extra_roll = _has_extra_roll(layout)
    settled: dict[tuple[int, int, int | None], Mapping[str, int]] = {}
    rows = []
    for class_ in classes_of_round(dice, has_extra_throw):
        added = class_.added if has_extra_roll else None
        key = class_.first.face if class_.first.face in faces else 0, class_.first.count, added
        if key not in settled:
            lines = result(rules, wagers, _representative(dice, class_.first, added)).settled
            settled[key] = {line.wager.code: house_win(line) for line in lines}
        rows.append(settled[key])
    return rows


def _mean(rules: Rules, wins: Sequence[int], has_extra_throw: bool) -> Fraction:
    ways = [class_.ways for class_ in classes_of_round(rules.edition.dice, has_extra_throw)]
    return Fraction(sum(win * count for win, count in zip(wins, ways, strict=True)), sum(ways))


def _representative(dice: int, first: Held, added: int | None) -> list[tuple[int, ...]]:
    """Return the throws of a round of this class."""
    faces = [first.face] * first.count
    is_lower = False
    for face in RANK:  # the other faces show as often as they may, from the highest in rank
        if face == first.face:
            is_lower = True
            continue
        most = first.count if is_lower else first.count - 1
        faces += [face] * min(most, dice - len(faces))
    loose = dice - first.count
    if added is None or not loose:
        return [tuple(faces)]
    miss = next(face for face in RANK if face != first.face)
    return [tuple(faces), (first.face,) * added + (miss,) * (loose - added)]
