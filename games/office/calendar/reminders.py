"""Reminders of deadlines: 30 days, 7 days and 1 day before, and on the day itself, once each.

A reminder stays on the office's pages until somebody acknowledges it or the deadline is met.
"""

import datetime as dt
import logging
from dataclasses import dataclass

from django.db import transaction

from audit import clock, record
from games.models import Facility, Reminder
from games.models.calendar import ReminderDays
from games.office.calendar.deadlines import Deadline, deadlines
from games.office.calendar.entry_types import DEADLINE_REMINDED, DeadlineReminded
from games.office.core.runner import STREAM

log = logging.getLogger(__name__)
STAGES: tuple[ReminderDays, ...] = (30, 7, 1, 0)
# The fewest days left at which each reminder is still recorded, in case the ticker was down for some days.
LATEST: dict[ReminderDays, int] = {30: 24, 7: 2, 1: 1}
TEXT = Reminder._meta.get_field("text").max_length


def stage_of(days_left: int) -> ReminderDays | None:
    """Return which reminder is due with this many days left: 30, 7, 1 or 0 (also when overdue), or None."""
    if days_left <= 0:
        return 0
    return next((stage for stage, latest in LATEST.items() if latest <= days_left <= stage), None)


def send_reminders() -> None:
    """Record every reminder that is due in every facility.

    A failure in one facility is logged and does not stop the others.
    """
    now = clock.now()
    for facility in Facility.objects.order_by("pk"):
        try:
            _remind_facility(facility, now)
        except Exception:
            log.exception("the deadlines of %s were not looked at", facility.code)


def _remind_facility(facility: Facility, now: dt.datetime) -> None:
    if any(_due_reminders(facility, now)):
        with transaction.atomic(durable=True):
            _record_reminders(facility)


def _due_reminders(facility: Facility, now: dt.datetime) -> list[tuple[Deadline, ReminderDays]]:
    """Return the reminders that are due at this moment and are not recorded yet."""
    today = facility.local(now).date()
    due = [
        (deadline, stage_of(deadline.days_left(today)))
        for deadline in deadlines(facility, now)
        if deadline.reminds
    ]
    recorded = set(Reminder.objects.filter(facility=facility).values_list("key", "due_on", "days"))
    return [
        (deadline, stage)
        for deadline, stage in due
        if stage is not None and (deadline.key, deadline.due_on, stage) not in recorded
    ]


def _record_reminders(facility: Facility) -> None:
    """Record the reminders under the lock of the office's stream.

    Reads them again under the lock, because another ticker may have recorded them first.
    """
    stream = record.lock_stream(f"{facility.code}/{STREAM}")
    now = clock.displayed_moment(stream, clock.now())
    for deadline, stage in _due_reminders(facility, now):
        Reminder.objects.create(
            facility=facility,
            key=deadline.key,
            due_on=deadline.due_on,
            days=stage,
            text=deadline.summary[:TEXT],
            said_at=now,
        )
        data: DeadlineReminded = {
            "deadline": deadline.key,
            "due_on": deadline.due_on.isoformat(),
            "days": stage,
            "what": deadline.summary,
            "section": deadline.section,
        }
        record.append(stream, entry=DEADLINE_REMINDED(data), moment=now, gaming_day=facility.gaming_day(now))


@dataclass(frozen=True)
class OpenReminder:
    """A reminder as the office's pages show it."""

    deadline: Deadline
    days_left: int

    @property
    def is_overdue(self) -> bool:
        """Return whether the due day is over."""
        return self.days_left < 0


def open_reminders(facility: Facility, listed: tuple[Deadline, ...], today: dt.date) -> list[OpenReminder]:
    """Return the pending deadlines with an unacknowledged reminder, the most urgent first.

    A reminder of a deadline that was met or moved to another day is not shown.
    """
    open_ones = set(
        Reminder.objects.filter(facility=facility, noted_at=None).values_list("key", "due_on").distinct()
    )
    return [
        OpenReminder(deadline, deadline.days_left(today))
        for deadline in listed
        if (deadline.key, deadline.due_on) in open_ones
    ]
