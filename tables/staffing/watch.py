"""What the clock does about people: it ends duty and sign-ins when the first day of a leave comes.

Until then acts refuse somebody on leave themselves, so nothing depends on the second at which this runs.
"""

import datetime as dt
import logging

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit import clock, people, record
from audit.logs import OutageLog
from audit.models import Device, Person
from games.models import Facility
from tables.core.duty import locked_duty
from tables.core.reads import locked_table
from tables.models import Assignment, PlannedMove
from tables.runner.entry_types import DUTY_CHANGED
from tables.runner.facility import STAFF
from tables.staffing.entry_types import LEAVE_BEGAN, DutyEnded
from tables.staffing.staff_acts import end_all_duty, tables_of

log = logging.getLogger(__name__)
_outages: dict[str, OutageLog] = {}


def begin_leaves() -> list[int]:
    """End duty, sign-ins and planned moves of people whose leave has begun. Returns the ids of the tables that changed.

    Also of those who work at an open table: its alerts say that a relief is needed. A failure in one facility is
    logged, once until it works again, and does not stop the others.
    """
    away = Person.objects.filter(leave_from__isnull=False).exclude(facility="")
    changed: list[int] = []
    for facility in Facility.objects.filter(code__in=away.values("facility")).order_by("pk"):
        message = f"The leaves of {facility.code}"
        outage = _outages.setdefault(
            facility.code, OutageLog(log, message, "It is tried again.", traceback=True)
        )
        try:
            for person in _leaves_to_begin(facility, facility.gaming_day(clock.now())).order_by("code"):
                changed += _begin(facility, person)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return changed


def _begin(facility: Facility, person: Person) -> list[int]:
    """End what one person has open, unless another ticker was first or the return was recorded."""
    with transaction.atomic(durable=True):
        stream = record.lock_stream(f"{facility.code}/{STAFF}")
        moment = clock.never_before(stream, clock.now())
        gaming_day = facility.gaming_day(moment)
        if not _leaves_to_begin(facility, gaming_day).filter(pk=person.pk).exists():
            return []
        tables = tables_of(person).filter(facility=facility)
        tables.select_for_update(of=("self",)).in_bulk()
        duty = [row for row in locked_duty(person) if row.facility_id == facility.pk]
        affected = list(tables.all())
        assignments, moves = end_all_duty(person, facility, duty, None, moment)
        data: DutyEnded = {
            "person": person.code,
            "assignments": assignments,
            "devices": people.end_sessions(person, at_tables=True),
        }
        if moves:
            data["planned_moves"] = moves
        entry = record.append(stream, entry=LEAVE_BEGAN(data), moment=moment, gaming_day=gaming_day)
        for table in affected:
            table_stream = locked_table(facility.code, table.code).table.stream
            if table_stream.closed_at is None:
                changed = DUTY_CHANGED({"stream": stream.name, "entry": entry.seq})
                record.append(table_stream, entry=changed, moment=moment, gaming_day=gaming_day)
        return [table.pk for table in affected]


def _leaves_to_begin(facility: Facility, gaming_day: dt.date) -> QuerySet[Person]:
    """The people of a facility whose leave has begun by this gaming day, and who are on duty, signed in or planned."""
    duty = Assignment.objects.unended().filter(person=OuterRef("pk"), facility=facility)
    moves = PlannedMove.objects.open_moves(facility).filter(person=OuterRef("pk"))
    devices = Device.objects.filter(person=OuterRef("pk"))
    away = Person.objects.filter(facility=facility.code, leave_from__lte=gaming_day)
    return away.filter(Exists(duty) | Exists(moves) | Exists(devices))
