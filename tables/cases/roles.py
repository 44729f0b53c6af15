"""Who reads cases, and who works on them."""

from django.http import HttpRequest

from audit.access import Denied, enrolled_device, person_of
from audit.models import Device, Person
from games.models import Facility

COMPLIANCE = frozenset({"compliance"})
SURVEILLANCE = frozenset({"surveillance"})
CASE_WORKERS = COMPLIANCE | SURVEILLANCE | {"shift-manager"}
CASE_READERS = CASE_WORKERS | {"gaming-agent"}


def authorize_cases(request: HttpRequest, facility_code: str) -> tuple[Person, Facility]:
    """Return the person and the facility whose cases they may read. Raises `SignedOut`, `Locked` or `Denied`."""
    person, device = person_of(request), enrolled_device(request)
    if device is None or device.facility != facility_code or not may_see_cases(person, device):
        raise Denied
    facility = Facility.objects.filter(code=facility_code).first()
    if facility is None:
        raise Denied
    return person, facility


def may_see_cases(person: Person, device: Device | None) -> bool:
    """Whether this device's bar links to the cases for this person. A tablet that serves one table never does."""
    if device is None or device.place or person.facility not in ("", device.facility):
        return False
    return person.role in CASE_READERS
