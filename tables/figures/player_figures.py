"""Exact figures of ratings, from the wagers of their seats in their rounds. Nothing is estimated or rounded.

Rounds and wagers count as in the figures of the table (`round_figures.py`): from the entries, once the round has ended
settled, as its newest Error Notification Slip leaves it. The theoretical loss is what the odds of the round predict
for the wagers of the seat, Extra Rolls and payout limits included (`games.exposure`), as a fraction of a cent. The
handle is the sum of the wagers that were won or lost; fees are stated separately.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from games.engine.wagers import FEE, LOSE
from games.exposure import round_expectation
from tables.core.pace import per_hour
from tables.figures.round_figures import SettledRound, settled_rounds
from tables.models import Rating


@dataclass
class RatedCodeFigures:
    """The rated wagers on one code, in cents, and their part of the theoretical loss."""

    cents: int = 0
    count: int = 0
    theoretical_cents: Fraction = Fraction(0)


@dataclass
class RatedFigures:
    """Figures of ratings; money in cents, from the casino's side.

    `played` are the rounds with a wager: table and number. `unknown_cents` were staked in rounds whose odds cannot be
    read: they have no theoretical loss.
    """

    played: set[tuple[int, int]] = field(default_factory=set)
    handle_cents: int = 0
    fees_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    unknown_cents: int = 0
    by_code: dict[str, RatedCodeFigures] = field(default_factory=lambda: defaultdict(RatedCodeFigures))
    spans: list[tuple[dt.datetime, dt.datetime]] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """The rounds in which the player wagered. One with wagers at two seats counts once."""
        return len(self.played)

    @property
    def theoretical_cents(self) -> Fraction:
        """The casino's expected win of these wagers, which is what the player loses in theory."""
        return sum((figures.theoretical_cents for figures in self.by_code.values()), Fraction(0))

    @property
    def win_cents(self) -> int:
        """What the casino won of the player; below zero where the player won."""
        return self.taken_cents + self.fees_cents - self.paid_cents

    @property
    def time(self) -> dt.timedelta:
        """How long the player was rated. Two seats at the same time count once."""
        total, until = dt.timedelta(), None
        for start, end in sorted(self.spans):
            start = start if until is None else max(start, until)
            if end > start:
                total += end - start
            until = end if until is None else max(until, end)
        return total

    @property
    def rounds_an_hour(self) -> Fraction | None:
        """The rounds in which the player wagered, an hour of rated time; None without time."""
        return per_hour(self.rounds, self.time)


def figures_of(ratings: Iterable[Rating], now: dt.datetime) -> RatedFigures:
    """Return the figures of these ratings together; a rating that runs counts up to now."""
    return sum_of_ratings(figures_of_rating(rating, now) for rating in ratings)


def figures_of_rating(rating: Rating, now: dt.datetime) -> RatedFigures:
    """Return the figures of one rating."""
    figures = RatedFigures(spans=[(rating.started_at, rating.ended_at or now)])
    last = rating.table.last_round if rating.last_round is None else rating.last_round
    for settled in settled_rounds(rating.table, rating.first_round, last):
        _add_round(figures, rating, settled)
    return figures


def sum_of_ratings(parts: Iterable[RatedFigures]) -> RatedFigures:
    """Return the figures of several ratings as one."""
    total = RatedFigures()
    for part in parts:
        total.played |= part.played
        total.spans += part.spans
        for name in ("handle_cents", "fees_cents", "taken_cents", "paid_cents", "unknown_cents"):
            setattr(total, name, getattr(total, name) + getattr(part, name))
        for code, figures in part.by_code.items():
            figures_of_code = total.by_code[code]
            figures_of_code.cents += figures.cents
            figures_of_code.count += figures.count
            figures_of_code.theoretical_cents += figures.theoretical_cents
    return total


def _add_round(figures: RatedFigures, rating: Rating, settled: SettledRound) -> None:
    """Add what the seat wagered in a round. Each seat has an expectation of its own: one never changes another's."""
    wagers = settled.counted_wagers(rating.seat)
    if not wagers:
        return
    figures.played.add((rating.table_id, settled.number))
    expectation = None
    if settled.rules is not None:
        expectation = round_expectation(settled.rules, [wager for wager, _line in wagers], settled.throws)
    if expectation is None:
        figures.unknown_cents += sum(wager.cents for wager, _line in wagers)
    else:
        for code, expected_win in expectation.by_code.items():
            figures.by_code[code].theoretical_cents += expected_win
    for wager, line in wagers:
        figures.by_code[wager.code].cents += wager.cents
        figures.by_code[wager.code].count += 1
        if line["outcome"] == FEE:
            figures.fees_cents += wager.cents
            continue
        figures.handle_cents += wager.cents
        figures.paid_cents += line["paid_cents"]
        if line["outcome"] == LOSE:
            figures.taken_cents += wager.cents
