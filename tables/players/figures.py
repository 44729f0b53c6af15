"""Exact figures of ratings, from the wagers of their seats in their rounds. Nothing is estimated or rounded.

A round counts once it has ended settled, as it was settled at the table; Error Notification Slips are apart. The
theoretical loss is what the odds of the round predict for the wagers of the seat, Extra Rolls and payout limits
included (`games.expectation`), as a fraction of a cent. The handle is the sum
of the wagers that were won or lost; fees are stated apart.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Q

from games.engine.settlement import FEE, LOSE, WIN
from games.engine.wagers import Wager as Staked
from games.expectation import round_expectation
from games.submissions import rules_of
from tables.core.context import newest_revisions
from tables.core.pace import per_hour
from tables.models import Rating, Round, Settlement, Throw, Wager


@dataclass
class CodeFigures:
    """The wagers on one code, and their part of the theoretical loss."""

    cents: int = 0
    count: int = 0
    theoretical_cents: Fraction = Fraction(0)


@dataclass
class RatedFigures:
    """Figures of ratings; money in cents, from the casino's side.

    `unknown_cents` were staked in rounds whose odds cannot be read: they have no theoretical loss.
    """

    rounds: int = 0
    handle_cents: int = 0
    fees_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    unknown_cents: int = 0
    by_code: dict[str, CodeFigures] = field(default_factory=lambda: defaultdict(CodeFigures))
    spans: list[tuple[dt.datetime, dt.datetime]] = field(default_factory=list)

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


def figures_of(ratings: Collection[Rating], now: dt.datetime) -> RatedFigures:
    """The figures of these ratings together; a rating that runs counts up to now."""
    figures = RatedFigures(spans=[(rating.started_at, rating.ended_at or now) for rating in ratings])
    by_round: dict[int, set[int]] = defaultdict(set)
    for rating in ratings:
        last = Q() if rating.last_round is None else Q(number__lte=rating.last_round)
        numbers = Round.objects.filter(last, table=rating.table_id, number__gte=rating.first_round)
        for pk in numbers.filter(phase="cleared").values_list("pk", flat=True):
            by_round[pk].add(rating.seat)
    rounds = Round.objects.filter(pk__in=by_round).select_related("submission")
    wagers: dict[int, list[Wager]] = defaultdict(list)
    for wager in Wager.objects.filter(round__in=by_round, struck=False).order_by("pk"):
        if wager.seat in by_round[wager.round_id]:
            wagers[wager.round_id].append(wager)
    for round_ in rounds:
        _add_round(figures, round_, wagers[round_.pk])
    _add_settlements(figures, [wager.pk for rows in wagers.values() for wager in rows])
    return figures


def _add_round(figures: RatedFigures, round_: Round, wagers: Collection[Wager]) -> None:
    """Add a round in which the player wagered. Each seat has an expectation of its own: one never changes another's."""
    if not wagers:
        return
    figures.rounds += 1
    rules = rules_of(round_.submission)
    throws = [throw.dice for throw in newest_revisions(Throw.objects.of_round(round_.pk)) if throw.dice]
    for seat in sorted({wager.seat for wager in wagers}):
        at_seat = [wager for wager in wagers if wager.seat == seat]
        staked = [Staked(seat, wager.code, wager.cents, wager.play or None) for wager in at_seat]
        expectation = round_expectation(rules, staked, throws)
        if expectation is None:
            figures.unknown_cents += sum(wager.cents for wager in at_seat)
        else:
            for code, cents in expectation.by_code.items():
                figures.by_code[code].theoretical_cents += cents
        for wager in at_seat:
            figures.by_code[wager.code].cents += wager.cents
            figures.by_code[wager.code].count += 1


def _add_settlements(figures: RatedFigures, wager_ids: Collection[int]) -> None:
    """Add what was wagered, taken and paid. A wager that a correction settled again counts as it was settled last."""
    newest: dict[int, Settlement] = {}
    for settlement in Settlement.objects.filter(wager__in=wager_ids).order_by("throw_id"):
        newest[settlement.wager_id] = settlement
    for settlement in newest.values():
        figures.paid_cents += settlement.paid_cents
        if settlement.outcome == FEE:
            figures.fees_cents += settlement.cents
        if settlement.outcome in (WIN, LOSE):
            figures.handle_cents += settlement.cents
        if settlement.outcome == LOSE:
            figures.taken_cents += settlement.cents
