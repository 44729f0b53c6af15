"""Leaves of absence: nobody on leave signs in, signs, or is on duty, planned or given a PIN.

A leave is prepared and approved like a change of access (games/separation, row `leaves`; tables.staffing.access).

1. It is recorded from a gaming day on (`record_leave`), with the last day that is planned or an open end. Of a leave
   that begins today, sessions, duty and planned moves end at once.
2. Of a later one they end when its first day comes: the ticker begins it (`begin_leaves`). Until then acts refuse
   somebody on leave themselves, so nothing depends on the second at which this runs.
3. The return is recorded, or the leave is called off (`record_return`). The PIN and the second factors stayed, and are
   accepted again; duty starts anew.
"""

import datetime as dt
import logging
from typing import Annotated, cast

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit import clock, people, record, staff
from audit.columns import AT, FACILITY, NONE, Body, Rows, declare, same
from audit.days import day_in_words
from audit.entries import LeaveReasonCode
from audit.entry_types import entry_type
from audit.logs import OutageLog
from audit.models import Device, LeaveReason, Person
from games.act_forms import Day, OptionalDay
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.separation import policy
from tables.core.context import locked_table
from tables.core.duty import locked_duty
from tables.models import Assignment, PlannedMove
from tables.runner.facility import DUTY_CHANGED, STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.access import (
    ACCESS_ENDED,
    PersonToChange,
    answerable_for,
    verify_not_at_work,
    verify_not_last,
)
from tables.staffing.assignments import (
    ASSIGNMENT_ENDED,
    ASSIGNMENT_STARTED,
    DutyEnded,
    PersonNamed,
    end_all_duty,
    tables_of,
)

# Refusals

LEAVE_BEGINS_IN_THE_PAST = RefusalCode(
    "leave-begins-in-the-past",
    "A leave begins today or later. What %(person)s did until now stays done.",
    "Another first day",
)
LEAVE_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "leave-ends-before-it-begins",
    "The leave would end before it begins. Check both days.",
    "Another last day",
)
HAS_A_LEAVE = RefusalCode(
    "has-a-leave",
    "%(person)s has a leave from %(begins)s %(until)s. Change its last day, or record the return first.",
    "On leave already",
)
NOT_ON_LEAVE = RefusalCode("not-on-leave", "%(person)s has no leave from which to return.", "Not on leave")

LEAVES = "leaves"  # the row of the policy
LEAVE_PREPARERS = frozenset(policy.practice()[LEAVES].prepare)


# What the record says


class Leave(PersonNamed):
    begins_on: Annotated[str, "the first gaming day of the leave"]
    last_day: Annotated[str | None, "the last day that is planned; null for an open end"]
    reason: LeaveReasonCode


class LeaveRecorded(Leave, DutyEnded):
    """The lists of what ended are empty where the leave begins on a later day."""


def _days(data: Leave) -> str:
    """`from 1 Dec 2026 until 3 Dec 2026`, or `… until further notice`."""
    begins = day_in_words(data["begins_on"])
    ends = day_in_words(data["last_day"]) if data["last_day"] else "further notice"
    return f"from {begins} until {ends}"


def _leave_line(data: Leave) -> str:
    return f"{data['person']} on leave {_days(data)}: {LeaveReason(data['reason']).label.lower()}"


def _return_line(data: Leave) -> str:
    return f"Return of {data['person']} recorded, who had a leave {_days(data)}"


LEAVE_RECORDED = entry_type(
    "leave.recorded",
    LeaveRecorded,
    "A leave of absence of a person was recorded, or its last day changed. Nobody signs in, signs or is planned on "
    "leave.",
    _leave_line,
)
LEAVE_BEGAN = entry_type(
    "leave.began",
    DutyEnded,
    "The first day of a leave that was recorded before came, and duty and sign-ins of its person ended.",
    lambda data: "The leave of %(person)s begins" % data,
)
LEAVE_ENDED = entry_type(
    "leave.ended",
    Leave,
    "A person is back from a leave, or it was called off before it began.",
    _return_line,
)


# What the entries state of duties, which an end of access and a leave end too

DUTY = {**same("person", "pit", "table", "elsewhere"), "facility": FACILITY}


def duty_ended(rows: Rows, body: Body) -> None:
    for duty in body["data"]["assignments"]:
        rows.put(body, duty, ended_at=body["at"])


declare(
    Assignment,
    "duty",
    may_be_seeded=True,
    key={"id": "assignment"},
    created={ASSIGNMENT_STARTED: {**DUTY, "started_at": AT, "ended_at": NONE}},
    changed={ASSIGNMENT_ENDED: {**DUTY, "ended_at": AT}},
    folded=dict.fromkeys((ACCESS_ENDED, LEAVE_RECORDED, LEAVE_BEGAN), duty_ended),
    unproven={
        "works_since": "says only when a break is due; the entries about posts say who worked when",
        "rests_since": "says only when a break is due; the entries about posts say who worked when",
    },
)


# Recording a leave, and the return


@facility_act(STAFF, roles=LEAVE_PREPARERS, subject=LEAVES, step_up="office")
def record_leave(
    ctx: FacilityContext,
    *,
    person: PersonToChange,
    begins_on: Day,
    last_day: OptionalDay = None,
    reason: LeaveReasonCode,
) -> ActOutcome:
    """Record that a person is on leave from a gaming day on, or change the last day or the reason of their leave.

    While on leave nobody signs in, signs, or is on duty, planned or given a PIN. Of a leave that begins today,
    sessions, duty and planned moves end at once, as at `end_access`; of a later one when its first day comes
    (`begin_leaves`). The PIN and the second factors stay, and are accepted again once the return is recorded.

    Raises `leave-begins-in-the-past`, `leave-ends-before-it-begins`, `has-a-leave`, or what `end_access` raises.
    """
    _verify_leave(ctx, person, begins_on, last_day, reason)
    verify_not_last(person, "")
    data: LeaveRecorded = {
        "person": person.code,
        "begins_on": begins_on.isoformat(),
        "last_day": last_day.isoformat() if last_day else None,
        "reason": reason,
        "assignments": [],
        "devices": [],
    }
    begins_now = begins_on <= ctx.gaming_day and not person.is_on_leave(ctx.gaming_day)
    if begins_now:
        duty = verify_not_at_work(ctx, person)
        ctx.affect(tables_of(person))
        data["assignments"], moves = end_all_duty(person, ctx.facility, duty, ctx.actor, ctx.now)
        if moves:
            data["planned_moves"] = moves
    staff.set_leave(person, answerable_for(ctx), begins_on=begins_on, last_day=last_day, reason=reason)
    if begins_now:
        data["devices"] = people.end_sessions(person, at_tables=True)
    return ActOutcome(LEAVE_RECORDED(data), {"person": person.code}, changes="nothing")


def _verify_leave(
    ctx: FacilityContext, person: Person, begins_on: dt.date, last_day: dt.date | None, reason: str
) -> None:
    """Refuse days that cannot be, and another first day of a leave that is recorded: it would bring somebody back.

    Raises `leave-begins-in-the-past`, `leave-ends-before-it-begins` or `has-a-leave`.
    """
    prepared_at = ctx.approving.prepared_at if ctx.approving else ctx.now
    if last_day is not None and last_day < begins_on:
        raise Refusal(LEAVE_ENDS_BEFORE_IT_BEGINS)
    if person.leave_from is None:
        if begins_on < ctx.facility.gaming_day(prepared_at):
            raise Refusal(LEAVE_BEGINS_IN_THE_PAST, person=person.name)
    elif (begins_on, last_day, reason) == (person.leave_from, person.leave_until, person.leave_reason) or (
        begins_on != person.leave_from
    ):
        begins = day_in_words(person.leave_from)
        raise Refusal(HAS_A_LEAVE, person=person.name, begins=begins, until=person.leave_end_in_words)


@facility_act(STAFF, roles=LEAVE_PREPARERS, subject=LEAVES, step_up="office")
def record_return(ctx: FacilityContext, *, person: PersonToChange) -> ActOutcome:
    """Record that a person is back from their leave, or that a leave is called off before it begins.

    They sign in with the PIN or the second factor that they had. Their duty starts anew. Raises `not-on-leave`,
    `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    if person.leave_from is None:
        raise Refusal(NOT_ON_LEAVE, person=person.name)
    data: Leave = {
        "person": person.code,
        "begins_on": person.leave_from.isoformat(),
        "last_day": person.leave_until.isoformat() if person.leave_until else None,
        "reason": cast(LeaveReasonCode, person.leave_reason),
    }
    staff.set_leave(person, answerable_for(ctx))
    return ActOutcome(LEAVE_ENDED(data), {"person": person.code}, changes="nothing")


# When the first day comes

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
