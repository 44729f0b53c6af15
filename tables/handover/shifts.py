"""Which shift is handed over now."""

import datetime as dt
from dataclasses import dataclass

from games.models import Facility
from tables.models import Handover

LATE = dt.timedelta(hours=2)  # so long after its end a shift that nobody signed is still handed over


@dataclass(frozen=True)
class ShiftToHandOver:
    """A shift that ends, and the name of the next. `key` names it in the record: `2026-11-20/swing`."""

    key: str
    name: str
    next_name: str
    gaming_day: dt.date
    begins: dt.datetime
    ends: dt.datetime

    @property
    def code(self) -> str:
        """The code of the shift, as the rollups of the figures have it."""
        return self.key.partition("/")[2]


def shift_to_hand_over(facility: Facility, now: dt.datetime) -> ShiftToHandOver:
    """Return the shift to hand over: the one before, if it ended just now unsigned; the present; the next if signed."""
    present = _shift(facility, now)
    before = _shift(facility, present.begins - dt.timedelta(seconds=1))
    if now < present.begins + LATE and not _is_signed(facility, before) and _is_used(facility):
        return before
    return _shift(facility, present.ends) if _is_signed(facility, present) else present


def _shift(facility: Facility, moment: dt.datetime) -> ShiftToHandOver:
    shift = facility.shift_of(moment)
    following = facility.shift_of(shift.ends)
    key = f"{shift.day.isoformat()}/{shift.code}"
    return ShiftToHandOver(key, shift.name, following.name, shift.day, shift.begins, shift.ends)


def _is_signed(facility: Facility, shift: ShiftToHandOver) -> bool:
    return Handover.objects.filter(facility=facility, shift=shift.key).exists()


def _is_used(facility: Facility) -> bool:
    """Whether the facility has handed over a shift before. The first handover is that of the present shift."""
    return Handover.objects.filter(facility=facility).exists()
