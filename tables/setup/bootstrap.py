"""Create a facility in an empty or running installation: its two administrators, and its first podium.

Everything after that is done on screens, by these two people first.
"""

import datetime as dt
from dataclasses import dataclass

from django.db import transaction

from audit import clock, record, registration
from audit.devices import enroll
from audit.models import Department, Person, Role
from games.models import Facility
from tables.models import Assignment
from tables.setup.entry_types import FACILITY_MADE
from tables.staffing.entry_types import ASSIGNMENT_STARTED


@dataclass(frozen=True)
class Administrator:
    """One of the first two people, with their own PIN."""

    code: str
    name: str
    pin: str


# Neither of them gives anybody access alone: they belong to two departments.
FIRST_PEOPLE = (
    (Role.SYSTEM_ADMINISTRATOR, Department.INFORMATION_TECHNOLOGY),
    (Role.COMPLIANCE, Department.COMPLIANCE),
)


@transaction.atomic
def create_facility(
    *,
    code: str,
    name: str,
    jurisdiction: str,
    time_zone: str,
    gaming_day_start: dt.time,
    administrators: tuple[Administrator, Administrator],
    podium: str,
) -> tuple[Facility, str]:
    """Create a facility with a system administrator, somebody of compliance, and a podium.

    Returns it with the device's enrollment token. Each row is stated on the record; nobody acts, for the server does.
    Raises ValidationError for what may not be saved.
    """
    facility = Facility(
        code=code,
        name=name,
        jurisdiction=jurisdiction,
        time_zone=time_zone,
        gaming_day_start=gaming_day_start,
    )
    facility.full_clean()
    facility.save()
    now = clock.now()
    record.append(
        record.lock_stream(f"{code}/setup"),
        entry=FACILITY_MADE(
            {
                "code": code,
                "name": name,
                "jurisdiction": jurisdiction,
                "time_zone": time_zone,
                "gaming_day_start": f"{gaming_day_start:%H:%M}",
            }
        ),
        moment=now,
        gaming_day=facility.gaming_day(now),
    )
    for administrator, (role, department) in zip(administrators, FIRST_PEOPLE, strict=True):
        _add(facility, administrator, role, department, now)
    return facility, enroll(podium, code, "podium")[1]


def _add(
    facility: Facility, administrator: Administrator, role: Role, department: Department, now: dt.datetime
) -> None:
    """Add a person who is on duty at the whole facility."""
    person = Person.objects.create_person(
        administrator.code,
        administrator.pin,
        name=administrator.name,
        role=role,
        department=department,
        facility=facility.code,
    )
    registration.record_person(person)
    duty = Assignment.objects.create(person=person, facility=facility, started_at=now)
    stream = record.lock_stream(f"{facility.code}/staff")
    record.append(
        stream,
        entry=ASSIGNMENT_STARTED(
            {"assignment": duty.pk, "person": person.code, "pit": None, "table": None, "elsewhere": None}
        ),
        moment=clock.never_before(stream, now),
        gaming_day=facility.gaming_day(now),
    )
