"""Who may open which page. Views and sockets check access here and nowhere else.

`SignedOut`, `Locked` and `Denied` become 401, 423 and 403 for a request, and 4401, 4423 and 4403 for a socket.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from audit.access import Denied, Locked, SignedOut, enrolled_device, person_of
from audit.middleware import set_identity
from audit.models import Device, Person, Station
from audit.sessions import SessionStore
from games.models import Facility
from tables.core.permissions import AT_THE_TABLE, SEES_THE_FLOOR, may_see_floor, may_see_table, serves
from tables.core.reads import floor_versions, table_with_duty
from tables.models import Table
from tables.runner.facility import DICE, EQUIPMENT, STAFF

__all__ = ["Denied", "Locked", "SignedOut", "enrolled_device", "person_of"]

STATIONS = ("dealer", "table")
# Security has the other key of the dice storage.
FACILITY_PAGE_ROLES = {DICE: SEES_THE_FLOOR | {"security"}, EQUIPMENT: SEES_THE_FLOOR, STAFF: SEES_THE_FLOOR}
FACILITY_PAGES_ROLES = frozenset().union(*FACILITY_PAGE_ROLES.values())


def table_for(request: HttpRequest, facility: str, code: str, station: str) -> tuple[Table, Person]:
    """Return the table that the person may open at this station. Raises `SignedOut`, `Locked` or `Denied`."""
    person = person_of(request)
    table, on_duty = table_with_duty(facility, code, person) or (None, False)
    if (
        table is None
        or not may_see_table(person, table, on_duty=on_duty)
        or not _device_serves(enrolled_device(request), table)
    ):
        raise Denied
    if station not in STATIONS or (station == "dealer" and person.role not in AT_THE_TABLE):
        raise Denied
    return table, person


def sign_for(request: HttpRequest, facility: str, code: str) -> Table:
    """The table whose signs may be shown: at a display enrolled there without sign-in, otherwise to who may see it.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    device = enrolled_device(request)
    if device is None or device.station != Station.SIGN:
        return table_for(request, facility, code, "table")[0]
    table, _on_duty = table_with_duty(facility, code, None) or (None, False)
    if table is None or device.place != table.stream.name:
        raise Denied
    return table


def floor_tables_for(request: HttpRequest, facility: str) -> tuple[Person, dict[int, tuple[str, int]]]:
    """The person, and the tables whose tiles they may see: codes and versions by id, in the order of the floor.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    person = person_of(request)
    device = enrolled_device(request)
    if not may_see_floor(person, facility) or device is None or device.facility != facility or device.place:
        raise Denied
    return person, floor_versions(facility)


def facility_page_for(request: HttpRequest, facility: str, page: str) -> tuple[Person, Facility]:
    """Return the person and the facility, one of whose pages (dice, equipment, staff) they may open.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    person, device = person_of(request), enrolled_device(request)
    if device is None or page not in facility_pages_for(person, device) or device.facility != facility:
        raise Denied
    page_facility = Facility.objects.filter(code=facility).first()
    if page_facility is None:
        raise Denied
    return person, page_facility


def facility_pages_for(person: Person, device: Device | None) -> list[str]:
    """Return the facility pages that the person may open at this device; none at a tablet that serves one table."""
    if device is None or device.place or person.facility not in ("", device.facility):
        return []
    return [page for page, roles in FACILITY_PAGE_ROLES.items() if person.role in roles]


def dice_of_table_for(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """The table whose dice the person may trace: one that they see, or any if they see the dice page.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    try:
        return table_for(request, facility, code, "table")
    except Denied:
        person, page_facility = facility_page_for(request, facility, DICE)
    table = (
        Table.objects.select_related("facility", "stream").filter(facility=page_facility, code=code).first()
    )
    if table is None:
        raise Denied
    return table, person


def signed_in_request(scope: Mapping[str, Any]) -> HttpRequest:
    """`as_it_stands`, with a person signed in. Raises `SignedOut` or `Locked`."""
    request = current_request(scope)
    person_of(request)
    return request


def current_request(scope: Mapping[str, Any]) -> HttpRequest:
    """The socket's current session and device, as a request, with or without a person.

    A socket outlives what it was opened with, so both are read again each time.
    """
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    set_identity(request)
    return request


def _device_serves(device: Device | None, table: Table) -> bool:
    return device is not None and serves(device, table)
