"""Who may see the pages of the rules office."""

from django.http import HttpRequest

from audit.access import Denied, enrolled_device, person_of
from audit.models import Device, Person
from games.models import Facility
from games.office.core.runner import OFFICE_ROLES

OFFICE_VIEWERS = OFFICE_ROLES | {
    "gaming-agent",
    "pit-manager",
    "shift-manager",
    "casino-supervisor",
    "surveillance",
}


def person_and_facility(request: HttpRequest, facility_code: str) -> tuple[Person, Facility]:
    """Return the signed-in person, and the facility whose office they may see.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    person, device = person_of(request), enrolled_device(request)
    if device is None or device.facility != facility_code or not may_see_office(person, device):
        raise Denied
    facility = Facility.objects.filter(code=facility_code).first()
    if facility is None:
        raise Denied
    return person, facility


def may_see_office(person: Person, device: Device | None) -> bool:
    """Return whether a person may see the office on this device. A tablet that serves one table never shows it."""
    if device is None or device.place or person.facility not in ("", device.facility):
        return False
    return person.role in OFFICE_VIEWERS


def may_act(person: Person) -> bool:
    """Return whether this person may use the office's buttons."""
    return person.role in OFFICE_ROLES
