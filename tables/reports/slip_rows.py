"""The Error Notification Slips of a gaming day: filed on it, and filed later about its rounds."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import QuerySet

from tables.corrections.slips import moved_cents, win_change_cents
from tables.models import Slip
from tables.reports.report_day import ReportDay


@dataclass(frozen=True)
class SlipRow:
    """One slip of the report: `effect_cents` on the settled win, `moved_cents` into the table inventory.

    `moved_cents` is None where the money had not moved by the end of the day.
    """

    slip: Slip
    effect_cents: int
    moved_cents: int | None

    @property
    def table(self) -> int:
        return self.slip.table_id

    @property
    def before_cents(self) -> int:
        """What the round won before the slip."""
        return int(self.slip.before["taken_cents"] - self.slip.before["paid_cents"])

    @property
    def after_cents(self) -> int:
        return self.before_cents + self.effect_cents

    @property
    def is_of_another_day(self) -> bool:
        """Whether its round was played on another day than the slip was filed."""
        return self.slip.round.gaming_day != self.slip.gaming_day


def filed_on(day: ReportDay) -> list[SlipRow]:
    """The slips of this day, about rounds of any day, in the order of filing."""
    return [_slip_row(slip, day.ends) for slip in _slips_of(day).filter(gaming_day=day.date)]


def filed_since(day: ReportDay) -> list[SlipRow]:
    """The slips of later days about rounds of this one. They do not change this day's figures."""
    later_slips = _slips_of(day).filter(round__gaming_day=day.date, gaming_day__gt=day.date)
    return [_slip_row(slip, None) for slip in later_slips]


def _slips_of(day: ReportDay) -> QuerySet[Slip]:
    slips = Slip.objects.filter(table__in=day.table_ids).select_related(
        "table", "round", "filed_by", "filed_with"
    )
    return slips.order_by("filed_at", "pk")


def _slip_row(slip: Slip, until: dt.datetime | None) -> SlipRow:
    """`until` is the time by which money counts as moved; None means now."""
    has_moved = slip.settled_at is not None and (until is None or slip.settled_at < until)
    return SlipRow(slip, win_change_cents(slip), moved_cents(slip) if has_moved else None)
