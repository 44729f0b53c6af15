"""Who may see the desk's pages, and whose its buttons are."""

from django.http import HttpRequest

from audit.doors import Denied, device_at, person_of
from audit.models import Device, Person
from games.models import Facility
from tables.desk.runner import EXPORTS

SEES_THE_DESK = EXPORTS | {"surveillance", "pit-manager", "shift-manager", "casino-supervisor"}


def desk_of(request: HttpRequest, facility: str) -> tuple[Person, Facility]:
    """The person and the facility whose record they may read. Raises `SignedOut`, `Locked` or `Denied`."""
    person, device = person_of(request), device_at(request)
    if device is None or device.facility != facility or not may_see_desk(person, device):
        raise Denied
    found = Facility.objects.filter(code=facility).first()
    if found is None:
        raise Denied
    return person, found


def may_see_desk(person: Person, device: Device | None) -> bool:
    """Whether the bar of this device leads the person to the desk; none at a tablet that serves one table."""
    if device is None or device.place or person.facility not in ("", device.facility):
        return False
    return person.role in SEES_THE_DESK


def may_export(person: Person) -> bool:
    """Whether this person may take a copy of the record out of the house."""
    return person.role in EXPORTS
