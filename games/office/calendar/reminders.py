"""What the office is reminded of: each deadline once 30 days, 7 days, 1 day before it and on its day.

What was reminded of stands on the office's pages until somebody of the office takes note, or until it is done.
"""

import datetime as dt
import logging
from dataclasses import dataclass

from django.db import transaction

from audit import clock, record
from games.models import Facility, Reminder
from games.office.calendar.deadlines import Deadline, deadlines
from games.office.core.runner import STREAM

log = logging.getLogger(__name__)
STAGES = (30, 7, 1, 0)
# Said late where the ticker stood still for some days; what began with fewer days left is not told of the 30.
LATEST = {30: 24, 7: 2, 1: 1}
TEXT = Reminder._meta.get_field("text").max_length


def stage_of(left: int) -> int | None:
    """Which reminder is due with so many days left: 30, 7, 1 or 0; None for none. 0 also once the day is over."""
    if left <= 0:
        return 0
    return next((stage for stage, latest in LATEST.items() if latest <= left <= stage), None)


def remind() -> None:
    """Says every reminder that is due in every house and was not said yet. One house that fails hinders no other."""
    now = clock.now()
    for house in Facility.objects.order_by("pk"):
        try:
            _remind(house, now)
        except Exception:
            log.exception("the deadlines of %s were not looked at", house.code)


def _remind(house: Facility, now: dt.datetime) -> None:
    if any(_unsaid(house, now)):
        with transaction.atomic(durable=True):
            _say(house)


def _unsaid(house: Facility, now: dt.datetime) -> list[tuple[Deadline, int]]:
    """What is due to be said at this moment and is not among the rows."""
    today = house.local(now).date()
    due = [(one, stage_of(one.days_left(today))) for one in deadlines(house, now) if one.reminds]
    said = set(Reminder.objects.filter(facility=house).values_list("key", "due_on", "days"))
    return [
        (one, stage) for one, stage in due if stage is not None and (one.key, one.due_on, stage) not in said
    ]


def _say(house: Facility) -> None:
    """Says it under the lock of the office's stream, looked at again: another ticker may have been first."""
    stream = record.locked_stream(f"{house.code}/{STREAM}")
    now = clock.not_before(stream, clock.now())
    for one, stage in _unsaid(house, now):
        Reminder.objects.create(
            facility=house, key=one.key, due_on=one.due_on, days=stage, text=one.what[:TEXT], said_at=now
        )
        data = {
            "deadline": one.key,
            "due_on": one.due_on.isoformat(),
            "days": stage,
            "what": one.what,
            "section": one.section,
        }
        record.append(stream, type="deadline.reminded", data=data, at=now, gaming_day=house.gaming_day(now))


@dataclass(frozen=True)
class Standing:
    """A reminder as the office's pages show it."""

    deadline: Deadline
    left: int

    @property
    def is_overdue(self) -> bool:
        """Whether its day is over."""
        return self.left < 0


def standing(house: Facility, found: tuple[Deadline, ...], today: dt.date) -> list[Standing]:
    """Deadlines that still wait, of which the office was reminded and nobody has taken note; the most urgent first.

    A reminder of what has been done since, or has moved to another day, stands no more.
    """
    open_ones = set(
        Reminder.objects.filter(facility=house, noted_at=None).values_list("key", "due_on").distinct()
    )
    return [Standing(one, one.days_left(today)) for one in found if (one.key, one.due_on) in open_ones]
