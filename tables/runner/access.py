"""Who may open which page of the floor: the rules that views declare (`games/access.py`), and what sockets check.

`SignedOut`, `Locked` and `Denied` become 401, 423 and 403 for a request, and 4401, 4423 and 4403 for a socket.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest

from audit import clock
from audit.identity import (
    Denied,
    IdentityRows,
    Locked,
    SessionStore,
    SignedOut,
    enrolled_device,
    note_use,
    person_of,
    read_identities,
    set_identity,
    watcher_of,
)
from audit.models import Device, Person, Station
from games.access import CheckedBy, Pages
from games.facility_runner import Forbidden
from games.guide.content import may_show_history
from games.models import Facility
from tables.core.context import TableKey, floor_versions, table_with_duty, tables_with_duty
from tables.core.duty import (
    AT_THE_TABLE,
    CAGE,
    DICE_KEEPERS,
    FLOOR,
    SEES_EVERYTHING,
    SEES_THE_FLOOR,
    STAFFERS,
    may_read_table,
    may_see_floor,
    may_see_table,
    serves,
    verify_may,
)
from tables.models import Assignment, Table
from tables.runner.facility import DICE, EQUIPMENT, PLAYERS, SETUP, SIGN_INS, STAFF
from tables.runner.table import ACTS

__all__ = ["Denied", "Locked", "SignedOut", "enrolled_device", "person_of", "watcher_of"]

STATIONS = ("dealer", "table")
# Who sets a facility up, and who opens its tables.
SETUP_READERS = frozenset(
    {"system-administrator", "games-administrator", "compliance", "pit-manager", "shift-manager"}
)
# Security has the other key of the dice storage. Each department sets the duty of its own people.
PEOPLE, DEVICES, CAGE_PAGE, FIGURES = "people", "devices", "cage", "figures"
HANDOVER, ROTATION = "handover", "rotation"
ACCESS_READERS = DICE_KEEPERS | {"system-administrator", "compliance"}
FACILITY_PAGE_ROLES = {
    DICE: SEES_THE_FLOOR | {"security"},
    EQUIPMENT: SEES_THE_FLOOR,
    STAFF: SEES_THE_FLOOR | {"security", "cage", "system-administrator"},
    ROTATION: FLOOR,
    PLAYERS: FLOOR | {"security", "surveillance", "compliance"},
    FIGURES: SEES_THE_FLOOR - {"games-administrator"},
    PEOPLE: ACCESS_READERS,
    DEVICES: ACCESS_READERS,
    SIGN_INS: frozenset({"system-administrator"}),
    SETUP: SETUP_READERS,
    CAGE_PAGE: CAGE | SEES_EVERYTHING | STAFFERS,
    HANDOVER: STAFFERS,
}
FACILITY_PAGES = {page: Pages(roles) for page, roles in FACILITY_PAGE_ROLES.items()}
FACILITY_PAGES_ROLES = frozenset().union(*FACILITY_PAGE_ROLES.values())


def table_money_for(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """Return the table whose tray and inventories the person may read: at the table, or as a reader of the figures.

    Raises as `table_for`.
    """
    table, person = table_for(request, facility, code, "table")
    if person.role not in AT_THE_TABLE | FACILITY_PAGE_ROLES[FIGURES]:
        raise Denied
    return table, person


def table_for(request: HttpRequest, facility: str, code: str, station: str) -> tuple[Table, Person]:
    """Return the table that the person may open at this station. Raises `SignedOut`, `Locked` or `Denied`."""
    person = person_of(request)
    table, on_duty = _table_with_duty(request, facility, code, person) or (None, False)
    device = enrolled_device(request)
    if table is None or not _device_serves(device, table):
        raise Denied
    is_read = station == "table" and may_read_table(person, table, device)
    if not is_read and not may_see_table(person, table, on_duty=on_duty):
        raise Denied
    if station not in STATIONS or (station == "dealer" and person.role not in AT_THE_TABLE):
        raise Denied
    return table, person


def sign_for(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person | None]:
    """The table whose signs may be shown: at a display enrolled there without sign-in, otherwise to who may see it.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    device = enrolled_device(request)
    if device is None or device.station != Station.SIGN:
        return table_for(request, facility, code, "table")
    table, _on_duty = _table_with_duty(request, facility, code, None) or (None, False)
    if table is None or device.place != table.stream.name:
        raise Denied
    return table, None


def sign_station(table: Table) -> str:
    """Return the station of a table's displays for patrons: with earlier rolls only where they may see them."""
    return "sign-with-rolls" if patrons_see_rolls(table) else "sign"


def patrons_see_rolls(table: Table) -> bool:
    """Return whether displays and signs of a table may show patrons the rolls of ended rounds today (§ 521.6)."""
    return may_show_history(table.facility, table.code, table.facility.local(clock.now()).date())


class ShownFloor(NamedTuple):
    """The tables of a facility that a device shows as a station: codes and versions by id, in the order of the floor.

    `station`: `tile`, `locked` or `wall`.
    """

    facility: str
    station: str
    tables: dict[int, tuple[str, int]]


def floor_tables_for(request: HttpRequest, facility: str) -> tuple[Person, ShownFloor]:
    """The person, and the tables whose tiles they may see. Raises `SignedOut`, `Locked` or `Denied`."""
    person = person_of(request)
    device = enrolled_device(request)
    if not may_see_floor(person, facility) or device is None or device.facility != facility or device.place:
        raise Denied
    return person, ShownFloor(facility, "tile", _floor_versions(request, facility))


def locked_floor_for(request: HttpRequest, facility: str) -> tuple[Person, ShownFloor]:
    """As `floor_tables_for`, for a podium or phone that is locked. Raises `Locked` also if it is not."""
    person, device = watcher_of(request), enrolled_device(request)
    if not may_see_floor(person, facility) or device is None or device.facility != facility:
        raise Denied
    return person, ShownFloor(facility, "locked", _floor_versions(request, facility))


def tables_answered_by(
    person: Person, device: Device | None, facility: str, codes: Iterable[str]
) -> list[str]:
    """Return those of these tables (codes) whose alerts the person may answer from this device, as the act decides."""
    tables = tables_with_duty((facility, code, person.pk) for code in codes)
    answered = []
    for table, on_duty in tables.values():
        with suppress(Forbidden):
            verify_may(person, ACTS["acknowledge_alert"], table, device, assigned=on_duty)
            answered.append(table.code)
    return sorted(answered)


def duty_of(request: HttpRequest) -> tuple[Person | None, tuple[int, ...]]:
    """The person of a request whose access was checked, and the ids of their unended assignments.

    A person at a locked device counts. At a wall there is nobody.
    """
    if not isinstance(request.user, Person):
        return None, ()
    return request.user, _assignments(request, request.user)


def floor_page_for(request: HttpRequest, facility: str) -> tuple[Person, ShownFloor]:
    """As `floor_tables_for`, also at a podium or phone that is locked."""
    try:
        return floor_tables_for(request, facility)
    except Locked:
        return locked_floor_for(request, facility)


def wall_tables_for(request: HttpRequest, facility: str) -> tuple[None, ShownFloor]:
    """The tables that a wall of this facility shows, with nobody signed in. Raises `Denied`."""
    device = enrolled_device(request)
    if device is None or device.station != Station.WALL or device.place or device.facility != facility:
        raise Denied
    return None, ShownFloor(facility, "wall", _floor_versions(request, facility))


def facility_pages_for(person: Person, device: Device | None) -> list[str]:
    """Return the facility pages that the person may open at this device; none at a tablet that serves one table."""
    return [page for page, pages in FACILITY_PAGES.items() if pages.may_see(person, device)]


def dice_of_table_for(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """The table whose dice the person may trace: one that they see, or any if they see the dice page.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    try:
        return table_for(request, facility, code, "table")
    except Denied:
        person, page_facility = FACILITY_PAGES[DICE].authorize(request, facility)
    return table_of(page_facility, code), person


def table_of(facility: Facility, code: str) -> Table:
    """Return a table of the facility with its stream. Raises `Denied` for an unknown one."""
    table = Table.objects.select_related("facility", "stream").filter(facility=facility, code=code).first()
    if table is None:
        raise Denied
    return table


def screen_for(request: HttpRequest, facility: str, code: str, station: str) -> tuple[Table, str]:
    """Return the table and the station whose screen the person may open. Raises as `table_for`."""
    return table_for(request, facility, code, station)[0], station


# The rules of addresses, beside `FACILITY_PAGES`
TABLE = ("facility", "table")
CONSOLE = CheckedBy(partial(table_for, station="dealer"), TABLE)
TABLE_PAGE = CheckedBy(partial(table_for, station="table"), TABLE)
TABLE_MONEY = CheckedBy(table_money_for, TABLE)
SCREEN = CheckedBy(screen_for, (*TABLE, "station"))
SIGN = CheckedBy(sign_for, TABLE)
DICE_OF_TABLE = CheckedBy(dice_of_table_for, TABLE)
FLOOR_TABLES = CheckedBy(floor_tables_for, ("facility",))
FLOOR_PAGE = CheckedBy(floor_page_for, ("facility",))
LOCKED_FLOOR = CheckedBy(locked_floor_for, ("facility",))
WALL = CheckedBy(wall_tables_for, ("facility",))


@dataclass
class SharedReads:
    """What the access checks of several sockets read together: who is signed in where, and their tables.

    `heard`: the tablets that were heard meanwhile, to be noted at the end, together too.
    """

    identities: IdentityRows
    tables: dict[TableKey, tuple[Table, bool] | None]
    requests: dict[int, HttpRequest]  # by the id of the scope
    versions: dict[str, dict[int, tuple[str, int]]] = field(default_factory=dict)
    assignments: dict[int, tuple[int, ...]] = field(default_factory=dict)  # unended, by person
    heard: list[uuid.UUID] = field(default_factory=list)


def read_together(addresses: Sequence[tuple[Mapping[str, Any], str, str]]) -> SharedReads:
    """Read what the access checks of these sockets need: their scopes, each with the codes of facility and table.

    A table is read for the person who is signed in at the socket's device, because nobody else may see it there.
    """
    requests = [(_request(scope), facility, code) for scope, facility, code in addresses]
    identities = read_identities(request for request, _, _ in requests)
    keys: dict[TableKey, None] = {}
    for request, facility, code in requests:
        device = identities.device_of(request)
        if device is not None and code:
            keys[facility, code, device.person_id] = None
    tables = tables_with_duty(keys) if keys else {}
    by_scope = {
        id(scope): request for (scope, _, _), (request, _, _) in zip(addresses, requests, strict=True)
    }
    return SharedReads(identities, {key: tables.get(key) for key in keys}, by_scope)


def signed_in_request(scope: Mapping[str, Any], shared: SharedReads | None = None) -> HttpRequest:
    """As `current_request`, with a person signed in. Raises `SignedOut` or `Locked`."""
    request = current_request(scope, shared)
    person_of(request)
    return request


def current_request(scope: Mapping[str, Any], shared: SharedReads | None = None) -> HttpRequest:
    """The socket's current session and device, as a request, with or without a person.

    A socket outlives what it was opened with, so both are read again each time; `shared`: together with other sockets.
    """
    request = (shared.requests.pop(id(scope), None) if shared else None) or _request(scope)
    request.shared_reads = shared  # type: ignore[attr-defined]
    set_identity(request, shared.identities if shared else None)
    return request


def request_of_act(scope: Mapping[str, Any], body: bytes) -> HttpRequest | None:
    """An act that came on a socket, as the POST that it would be; None where nobody may act with the socket's cookies.

    The browser may have other cookies by now. So who may not act is told by the answer to a POST alone.
    """
    request = _request(scope)
    request.method, request._body = "POST", body
    now = set_identity(request, may_assume=True)
    try:
        person_of(request)
    except (SignedOut, Locked):
        return None
    note_use(request, now)
    return request


def _request(scope: Mapping[str, Any]) -> HttpRequest:
    """The cookies and the session of a socket, as a request. Nothing is read."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return request


def _table_with_duty(
    request: HttpRequest, facility: str, code: str, person: Person | None
) -> tuple[Table, bool] | None:
    """As `reads.table_with_duty`, unless the table was read for this request together with others."""
    shared: SharedReads | None = getattr(request, "shared_reads", None)
    key = facility, code, person.pk if person else None
    if shared is None or key not in shared.tables:
        return table_with_duty(facility, code, person)
    return shared.tables[key]


def _floor_versions(request: HttpRequest, facility: str) -> dict[int, tuple[str, int]]:
    """As `reads.floor_versions`, once for requests that are checked together."""
    shared: SharedReads | None = getattr(request, "shared_reads", None)
    if shared is None:
        return floor_versions(facility)
    if facility not in shared.versions:
        shared.versions[facility] = floor_versions(facility)
    return shared.versions[facility]


def _assignments(request: HttpRequest, person: Person) -> tuple[int, ...]:
    """The ids of a person's unended assignments, once for requests that are checked together."""
    shared: SharedReads | None = getattr(request, "shared_reads", None)
    assignments = shared.assignments if shared else {}
    if person.pk not in assignments:
        rows = Assignment.objects.unended().filter(person=person).order_by("pk")
        assignments[person.pk] = tuple(rows.values_list("pk", flat=True))
    return assignments[person.pk]


def _device_serves(device: Device | None, table: Table) -> bool:
    return device is not None and serves(device, table)
