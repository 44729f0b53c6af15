"""The win that the odds predict for a table's gaming day, and its band, for screens.

From the tables of play, and extended by each round that ends. The daily report computes the same from the record.
"""

import datetime as dt
import uuid
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from operator import attrgetter
from typing import NamedTuple

from audit.compiled_reads import CompiledValues
from games import submissions
from games.engine import Rules
from games.engine.wagers import Wager as EngineWager
from games.expectation import round_expectation
from games.models import RulesSubmission
from games.registry import game_of
from tables.models import Throw, Wager

LINE_ROUNDS = 260  # more than a screen draws
MAX_CACHED = 2_000  # tables and days
DEVIATIONS = 2  # how wide the band is to each side


class ExpectedSoFar(NamedTuple):
    """The expected win, its band and the fees of a day's rounds up to one of them, in cents."""

    number: int
    expected_cents: int
    band_cents: int
    fees_cents: int


@dataclass(frozen=True)
class DayExpectation:
    """What the odds predict for the settled rounds of a day, in cents; `win` and `variance` are None if not known.

    `fees_cents`: the fees among their stakes, which are no handle. `line` has all of it after each of the last rounds;
    it is empty if it is not known after each.
    """

    rounds: int = 0
    last_round: int = 0
    win: Fraction | None = Fraction(0)
    variance: Fraction | None = Fraction(0)
    fees_cents: int = 0
    line: tuple[ExpectedSoFar, ...] = ()

    @property
    def expected_cents(self) -> int | None:
        return round(self.win) if self.win is not None and self.rounds else None

    @property
    def band_cents(self) -> int | None:
        """Two standard deviations, in cents."""
        if self.win is None or self.variance is None or not self.rounds:
            return None
        return _band(self.variance)

    def up_to(self, number: int) -> ExpectedSoFar | None:
        """Return what was expected of the rounds up to this one; None if that is not known."""
        place = bisect_right(self.line, number, key=attrgetter("number"))
        if place:
            return self.line[place - 1]
        return ExpectedSoFar(0, 0, 0, 0) if len(self.line) == self.rounds else None


def _band(variance: Fraction) -> int:
    return isqrt(DEVIATIONS**2 * max(int(variance), 0))  # that of a single course of a game may be negative


DAY_STAKES = CompiledValues(
    lambda table, day, after: (
        Wager.objects.filter(
            round__table=table,
            round__gaming_day=day,
            round__phase="cleared",
            round__number__gt=after,
            struck=False,
        )
        .order_by("round__number", "pk")
        .values_list("round__number", "round__submission", "seat", "code", "play", "cents")
    )
)
DICE_AFTER = CompiledValues(
    lambda table, after: (
        Throw.objects.filter(round__table=table, round__number__gt=after)
        .order_by("round__number", "number", "revision")
        .values_list("round__number", "number", "dice")
    )
)
_cache: dict[tuple[uuid.UUID, dt.date, int], DayExpectation] = {}


def day_expectation(
    uid: uuid.UUID, table_id: int, day: dt.date, rounds: int, after: int = 0
) -> DayExpectation:
    """Return the expectation of a table's settled rounds of a day, of which there are so many now.

    `after`: only of the rounds with a greater number.
    """
    if not rounds:
        return DayExpectation()
    nothing = DayExpectation(last_round=after)
    cached = _cache.get((uid, day, after), nothing)
    newest = _extended(table_id, day, cached)
    if newest.rounds != rounds and cached.rounds:  # the record went back, or a round ended otherwise
        newest = _extended(table_id, day, nothing)
    if len(_cache) >= MAX_CACHED:
        _cache.clear()
    _cache[uid, day, after] = newest
    return newest


def _extended(table_id: int, day: dt.date, before: DayExpectation) -> DayExpectation:
    """Return the expectation with the rounds after its last one."""
    wagers: dict[tuple[int, int], list[EngineWager]] = defaultdict(list)
    for number, submission, seat, code, play, cents in DAY_STAKES(table_id, day, before.last_round):
        wagers[number, submission].append(EngineWager(seat, code, cents, play or None))
    if not wagers:
        return before
    rules_by_id = {
        row.pk: submissions.rules_of(row)
        for row in RulesSubmission.objects.filter(pk__in={submission for _number, submission in wagers})
    }
    dice = _dice_after(table_id, before.last_round, list(rules_by_id.values()))
    line, win, variance, fees_cents = list(before.line), before.win, before.variance, before.fees_cents
    for (number, submission), round_wagers in wagers.items():
        game = game_of(rules_by_id[submission])
        fees_cents += sum(wager.cents for wager in round_wagers if game.is_fee(wager.code))
        expectation = round_expectation(rules_by_id[submission], round_wagers, dice.get(number, []))
        if win is None or variance is None or expectation is None:
            win = variance = None
            continue
        win, variance = win + expectation.expected_win, variance + expectation.variance
        line.append(ExpectedSoFar(number, round(win), _band(variance), fees_cents))
    rounds, last = before.rounds + len(wagers), max(number for number, _submission in wagers)
    is_known = win is not None and variance is not None
    newest_line = tuple(line[-LINE_ROUNDS:]) if is_known else ()
    return DayExpectation(rounds, last, win, variance, fees_cents, newest_line)


def _dice_after(table_id: int, after: int, rules: list[Rules]) -> dict[int, list[list[int]]]:
    """Return the valid throws of each later round, in a game with plays; nothing in other games."""
    if not any(game_of(of_round).has_plays for of_round in rules):
        return {}
    newest: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, throw, dice in DICE_AFTER(table_id, after):
        newest[number][throw] = dice
    return {number: [dice for dice in throws.values() if dice] for number, throws in newest.items()}
