"""The pages of what a facility is set up with: its devices, and its first day.

*Devices* says what is enrolled, when it was last heard of, who is signed in, and which changes wait. The page of the
first day says what is done and what is missing before the first opening, of pits and of tables.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock, devices, people
from audit.models import Device, Lockout, Person, Station
from audit.models.people import SHOWS_ONLY
from games.access import opened_by
from games.kit.searches import OneOf, Search, Words
from games.models import Facility, RulesSubmission
from games.office.core import may_see_office
from games.registry import game_by_code
from games.separation import policy
from tables.models import Pit, Table
from tables.runner.access import (
    ACCESS_READERS,
    DEVICES,
    FACILITY_PAGES,
    PEOPLE,
    enrolled_device,
    facility_pages_for,
)
from tables.runner.facility import DICE, EQUIPMENT, SETUP, STAFF
from tables.setup.devices import (
    OF_A_TABLE,
    REVOCATIONS,
    STATIONS,
    SUBJECT,
    department_of,
    revokes_alone,
    why_not_make_token,
)
from tables.setup.first_day import first_day as first_day_steps
from tables.setup.floor_plan import MAX_SEATS, SETUP_ROLES
from tables.views.facility import page_context, second_people
from tables.views.people import State, waiting_changes

LIVE_FOR, SILENT_AFTER = dt.timedelta(minutes=2), dt.timedelta(minutes=10)
FILTERS = {
    "all": ("All", frozenset(STATIONS)),
    "tablets": ("Tablets", frozenset({Station.DEALER, Station.STICK})),
    "podiums": ("Podiums and phones", frozenset({Station.PODIUM, Station.PIT})),
    "offices": ("Offices", frozenset({Station.OFFICE})),
    "displays": ("Signs and walls", SHOWS_ONLY),
}


@dataclass(frozen=True)
class DeviceRow:
    """A device in the list. `table`: the only one that it serves, "" for the whole facility."""

    device: Device
    table: str
    heard_at: dt.datetime | None
    state: State
    lockout: Lockout | None

    @property
    def is_used(self) -> bool:
        """Whether a browser is this device."""
        return self.device.enrollment_used_at is not None or self.device.signed_on_at is not None

    @property
    def battery_in_words(self) -> str:
        """`18 %, not charging`; "" for a device that never said."""
        if self.device.battery_percent is None:
            return ""
        return f"{self.device.battery_percent} %, {'charging' if self.device.is_charging else 'not charging'}"

    @property
    def has_table(self) -> bool:
        """Whether a device of this station serves one table."""
        return self.device.station in OF_A_TABLE


class DeviceSearch(Search):
    """A list of devices: some words, one of the filters, and which is shown in full."""

    find = Words(max_length=40)
    show = OneOf((*FILTERS, "revoked"), otherwise="all")
    device = Words(max_length=60)


@require_GET
@opened_by(FACILITY_PAGES[DEVICES])
def device_list(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the devices of the facility, those that need somebody first; and one of them in full."""
    now = clock.now()
    rows = device_rows(facility, now)
    query = DeviceSearch(request.GET).values
    row_of_policy = policy.row_of(facility.law, SUBJECT)
    active = [row for row in rows if row.device.revoked_at is None]
    selected = next((row for row in rows if row.device.name == query["device"]), None)
    context = page_context(person, facility, PEOPLE, now) | {
        "tab": "devices",
        "rows": [row for row in rows if _is_in(row, query["show"], query["find"])],
        "figures": {
            "active": len(active),
            "live": sum(row.state.words == "live" for row in active),
        },
        "filters": [
            {"code": code, "label": label, "count": sum(_is_in(row, code, "") for row in rows)}
            for code, label in (
                *((code, label) for code, (label, _) in FILTERS.items()),
                ("revoked", "Revoked"),
            )
        ],
        "query": query,
        "selected": selected,
        "token_refusal": why_not_make_token(facility, person, selected.device) if selected else None,
        "changes": waiting_changes(facility, person, SUBJECT, now),
        "tokens": devices.readable_tokens(person, facility.code, now),
        "here": request.device,  # type: ignore[attr-defined]
        "prepares": policy.may_prepare(row_of_policy, person),
        **revocation(person, facility, selected.device if selected else None),
        "policy": {"approve": policy.in_words(row_of_policy.approve)},
        "stations": [(station, Station(station).label) for station in STATIONS],
        "tables": codes_of_tables(facility),
    }
    return render(request, "tables/people/devices.html", context)


def revocation(person: Person, facility: Facility, device: Device | None) -> dict[str, Any]:
    """What the dialogs of a revocation show: whether the person revokes, this device alone, and who signs with them."""
    row = policy.row_of(facility.law, REVOCATIONS)
    return {
        "revokes": policy.may_prepare(row, person) or policy.may_do_alone(row, person, person.department),
        "revokes_alone": device is not None and revokes_alone(facility, person, device),
        "revocation_signers": second_people(person, facility, row, department_of(device) if device else ""),
        "revocation_departments": policy.approved_in_words(row),
    }


def codes_of_tables(facility: Facility) -> list[str]:
    """The codes of the tables that people deal, for a choice."""
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    return list(tables.order_by("code").values_list("code", flat=True))


def device_rows(facility: Facility, now: dt.datetime) -> list[DeviceRow]:
    """Every device that is or was enrolled here: those that need somebody first, revoked ones last."""
    lockouts = {
        lockout.device_id: lockout
        for lockout in people.active_lockouts(now).filter(facility=facility.code, scope=Lockout.Scope.DEVICE)
    }
    rows = [_row(device, lockouts.get(device.pk), now) for device in _devices(facility)]
    return sorted(
        rows,
        key=lambda row: (row.device.revoked_at is not None, not row.state.needs_somebody, row.device.name),
    )


def _devices(facility: Facility) -> QuerySet[Device]:
    rows = Device.objects.filter(facility=facility.code).exclude(station=Station.MACHINE)
    return rows.select_related("person", "enrolled_by", "asked_by")


def _row(device: Device, lockout: Lockout | None, now: dt.datetime) -> DeviceRow:
    heard_at = max(filter(None, (device.heard_at, device.last_seen_at)), default=None)
    table = device.place.partition("/")[2]
    return DeviceRow(device, table, heard_at, _state(device, heard_at, lockout, now), lockout)


def _state(device: Device, heard_at: dt.datetime | None, lockout: Lockout | None, now: dt.datetime) -> State:
    """The state of a device, the most urgent first."""
    if device.revoked_at is not None:
        return State("off", "Revoked", needs_somebody=False)
    if lockout is not None:
        return State("stop", "Sign-in locked")
    if device.enrollment_used_at is None and device.signed_on_at is None:
        return State("warn", "Not enrolled yet")
    if heard_at is not None and now - heard_at <= LIVE_FOR:
        return State("ok", "live", needs_somebody=False)
    is_in_use = device.person is not None and device.locked_at is None
    if is_in_use and heard_at is not None and now - heard_at > SILENT_AFTER:
        return State("warn", "Silent")
    return State("off", "Locked" if device.locked_at else "idle", needs_somebody=False)


def _is_in(row: DeviceRow, filter_code: str, query: str) -> bool:
    is_revoked = row.device.revoked_at is not None
    is_shown = (
        is_revoked
        if filter_code == "revoked"
        else not is_revoked and row.device.station in FILTERS[filter_code][1]
    )
    person = row.device.person
    texts = (row.device.name, row.table, row.device.get_station_display(), person.name if person else "")
    return is_shown and any(query.casefold() in text.casefold() for text in texts)


# The first day


class FirstDayQuery(Search):
    """The step that is shown in full."""

    step = Words(max_length=20)


@require_GET
@opened_by(FACILITY_PAGES[SETUP])
def first_day(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """The steps of the first day, and the one that was chosen or is the first that lacks something."""
    now = clock.now()
    steps = first_day_steps(facility, now)
    missing = [(step, need) for step in steps for need in step.missing]
    code = FirstDayQuery(request.GET).values["step"]
    chosen = next((step for step in steps if step.code == code), None)
    context = page_context(person, facility, SETUP, now) | {
        "steps": list(enumerate(steps, start=1)),
        "step": chosen or (missing[0][0] if missing else steps[-1]),
        "done": sum(step.is_done for step in steps),
        "missing": missing,
        "office": person.role in SETUP_ROLES,
        "open_urls": _open_urls(person, enrolled_device(request), facility.code),
        "opens_devices": person.role in ACCESS_READERS,
        "pits": list(Pit.objects.filter(facility=facility)),
        "tables": list(
            Table.objects.filter(facility=facility)
            .exclude(kind=Table.Kind.SIMULATED)
            .select_related("pit")
            .order_by("code")
        ),
        "submissions": _submissions(facility.pk),
        "most_seats": MAX_SEATS,
    }
    return render(request, "tables/facility/first_day.html", context)


def _open_urls(person: Person, device: Device | None, facility: str) -> set[str]:
    """The addresses of the pages to which a step leads, and that this person may open at this device."""
    pages = facility_pages_for(person, device)
    names = [page for page in (PEOPLE, STAFF, EQUIPMENT, DICE) if page in pages]
    names += ["submissions", "signs", "guides"] if may_see_office(person, device) else []
    return {reverse(name, args=[facility]) for name in names}


def _submissions(facility: int) -> list[dict[str, str]]:
    """The submissions under which a table may deal, each with its game and the state of its newest version."""
    newest: dict[str, RulesSubmission] = {}
    for row in RulesSubmission.objects.filter(facility=facility).order_by("code", "version"):
        newest[row.code] = row
    return [
        {"code": code, "game": game_by_code(row.game).name, "status": row.get_status_display()}
        for code, row in newest.items()
    ]
