"""Who may see the pages of a facility: the rules office, the desk, the inbox of cases, the pages of the floor."""

from collections.abc import Set
from dataclasses import dataclass

from django.http import HttpRequest

from audit.identity import Denied, enrolled_device, person_of
from audit.models import Device, Person
from games.models import Facility


def shows_pages(person: Person, device: Device | None) -> bool:
    """Whether a device shows this person pages of a facility. A tablet that serves one table never does."""
    return device is not None and not device.place and person.facility in ("", device.facility)


@dataclass(frozen=True)
class Pages:
    """Pages of every facility that people of these roles may see, at an enrolled device of the facility."""

    roles: Set[str]

    def may_see(self, person: Person, device: Device | None) -> bool:
        """Whether this device's bar links to them for this person."""
        return shows_pages(person, device) and person.role in self.roles

    def authorize(self, request: HttpRequest, facility_code: str) -> tuple[Person, Facility]:
        """Return the person and the facility whose pages they may see. Raises `SignedOut`, `Locked` or `Denied`."""
        person, device = person_of(request), enrolled_device(request)
        if device is None or device.facility != facility_code or not self.may_see(person, device):
            raise Denied
        facility = Facility.objects.filter(code=facility_code).first()
        if facility is None:
            raise Denied
        return person, facility
