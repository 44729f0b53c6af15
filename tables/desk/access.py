"""Who may see the desk's pages and use its buttons."""

from django.http import HttpRequest

from audit.access import Denied, enrolled_device, person_of
from audit.models import Device, Person
from games.models import Facility
from tables.desk.runner import EXPORT_ROLES

DESK_ROLES = EXPORT_ROLES | {"surveillance", "pit-manager", "shift-manager", "casino-supervisor"}


def authorize_desk(request: HttpRequest, facility_code: str) -> tuple[Person, Facility]:
    """Return the person and the facility whose record they may read. Raises `SignedOut`, `Locked` or `Denied`."""
    person, device = person_of(request), enrolled_device(request)
    if device is None or device.facility != facility_code or not may_see_desk(person, device):
        raise Denied
    facility = Facility.objects.filter(code=facility_code).first()
    if facility is None:
        raise Denied
    return person, facility


def may_see_desk(person: Person, device: Device | None) -> bool:
    """Whether this device's bar links to the desk for this person. A tablet that serves one table never does."""
    if device is None or device.place or person.facility not in ("", device.facility):
        return False
    return person.role in DESK_ROLES


def may_export(person: Person) -> bool:
    """Whether this person may take a copy of the record out of the casino."""
    return person.role in EXPORT_ROLES
