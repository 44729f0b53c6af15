"""The figures of a shift by pit: rounds, handle, win, and the win that the odds predict with its band."""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from django.db.models import Count, Max, Min, Q, Sum

from games.models import Facility
from tables.figures.pit_history import pit_by_moment, pit_moves
from tables.figures.round_figures import figures_of_rounds
from tables.handover.shifts import ShiftToHandOver
from tables.models import Pit, Round, Table
from tables.screens.day_expectation import DEVIATIONS, day_expectation
from tables.screens.selectors import PLAYED

FLOOR = ""


@dataclass(frozen=True)
class ShiftFigures:
    """The figures of a pit, or of the whole floor. `expected` and `variance` (cents squared) are None if not known.

    Fees are in the win and not in the handle.
    """

    code: str
    name: str
    rounds: int = 0
    handle_cents: int = 0
    win_cents: int = 0
    expected: Fraction | None = Fraction(0)
    variance: Fraction | None = Fraction(0)

    @property
    def expected_cents(self) -> int | None:
        return round(self.expected) if self.expected is not None else None

    @property
    def band_cents(self) -> int | None:
        """Two standard deviations, in cents."""
        if self.variance is None:
            return None
        variance = max(self.variance, Fraction(0))  # that of a single course of a game may be negative
        return isqrt(DEVIATIONS**2 * int(variance))

    @property
    def deviations(self) -> float | None:
        """How many standard deviations the win is from its expectation."""
        if self.expected is None or self.variance is None or self.variance <= 0:
            return None
        return float(self.win_cents - self.expected) / float(self.variance) ** 0.5


def shift_figures(facility: Facility, shift: ShiftToHandOver) -> tuple[list[ShiftFigures], ShiftFigures]:
    """Return the figures of each pit with live tables, and of the floor: of the rounds that ended in the shift."""
    live = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).select_related("pit")
    tables = {table.pk: table for table in live.order_by("pit__code", "code")}
    names = dict(Pit.objects.filter(facility=facility).values_list("code", "name"))
    pits: dict[str, list[ShiftFigures]] = {table.pit.code: [] for table in tables.values()}
    for row in _sums(facility, shift, tables.values()):
        pits.setdefault(row["pit"], []).append(_of_table(tables[row["table"]], shift, row))
    by_pit = [_total(code, names.get(code, code), pits[code]) for code in sorted(pits)]
    return by_pit, _total(FLOOR, "Floor", by_pit)


def _sums(facility: Facility, shift: ShiftToHandOver, tables: Collection[Table]) -> Iterable[dict[str, Any]]:
    """The sums of each table over the rounds that ended in the shift, by the pit in which it was then.

    A shift lies within one gaming day. The first and the last shift of a day have its rounds that ended on the other
    side of its limit, so that the shifts of a day add up to it.
    """
    day, next_day = shift.gaming_day, shift.gaming_day + dt.timedelta(days=1)
    rounds = Round.objects.filter(
        table__facility=facility, table__kind=Table.Kind.LIVE, gaming_day=day, ended_at__isnull=False
    )
    if shift.begins > facility.day_begins(day):
        rounds = rounds.filter(ended_at__gte=shift.begins)
    if shift.ends < facility.day_begins(next_day):
        rounds = rounds.filter(ended_at__lt=shift.ends)
    pit = pit_by_moment(tables, pit_moves(facility), table="table", moment="ended_at")
    sums = rounds.order_by().annotate(pit=pit).values("table", "pit")
    sums = sums.annotate(rounds=Count("pk", filter=PLAYED), handle=Sum("wagered_cents", filter=PLAYED))
    sums = sums.annotate(taken=Sum("taken_cents"), paid=Sum("paid_cents"))
    sums = sums.annotate(first=Min("number", filter=PLAYED), last=Max("number", filter=PLAYED))
    return [dict(row) for row in sums]


def _of_table(table: Table, shift: ShiftToHandOver, sums: dict[str, Any]) -> ShiftFigures:
    win, handle = (sums["taken"] or 0) - (sums["paid"] or 0), sums["handle"] or 0
    if not sums["rounds"]:
        return ShiftFigures(table.code, table.code, 0, handle, win)
    after = sums["first"] - 1
    since = Round.objects.filter(PLAYED, Q(number__gt=after), table=table, gaming_day=shift.gaming_day)
    expectation = day_expectation(table.uid, table.pk, shift.gaming_day, since.count(), after)
    expected, variance, fees_cents = expectation.win, expectation.variance, expectation.fees_cents
    if expectation.last_round != sums["last"]:  # rounds of the next shift have ended, or those of another pit
        settled = list(figures_of_rounds(table, sums["first"], sums["last"]))
        expected = _sum(round_.expected_win for round_ in settled)
        variance = _sum(round_.variance for round_ in settled)
        fees_cents = sum(round_.fees_cents for round_ in settled)
    return ShiftFigures(table.code, table.code, sums["rounds"], handle - fees_cents, win, expected, variance)


def _total(code: str, name: str, parts: list[ShiftFigures]) -> ShiftFigures:
    return ShiftFigures(
        code,
        name,
        sum(part.rounds for part in parts),
        sum(part.handle_cents for part in parts),
        sum(part.win_cents for part in parts),
        _sum(part.expected for part in parts),
        _sum(part.variance for part in parts),
    )


def _sum(values: Iterable[Fraction | None]) -> Fraction | None:
    """The sum; None if one of the values is not known."""
    total = Fraction(0)
    for value in values:
        if value is None:
            return None
        total += value
    return total
