"""Devices of a facility: added, enrolled by a token, renamed, moved to another table, revoked.

A second person approves what gives rights: a new device, and another table (games/separation, row `devices`). A device
is revoked at once: one of the own department alone, any other with a second person (row `revocations`). What happens to
the row is in `audit/devices.py`, as for the commands of the server. An alert says at its table, or at every one in
play, that a device was revoked or that somebody used an old cookie of it.
"""

import datetime as dt
from typing import Annotated, Literal, TypedDict, Unpack

from django.db.models import Q

from audit import clock, devices
from audit.entry_types import entry_type
from audit.models import Department, Device, Person, Station
from audit.models.people import StationCode
from games.act_forms import found, text
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden, may_not_approve
from games.models import Facility
from games.params import Params
from games.separation import policy
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    tables_concerned,
)
from tables.models import Table
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.staffing.assignments import NO_SUCH_PLACE

NO_SUCH_DEVICE = RefusalCode(
    "no-such-device", "There is no such device here, or it was revoked. Reload the page.", "No such device"
)
DEVICE_NAME_TAKEN = RefusalCode(
    "device-name-taken", "A device is or was called %(device)s. Choose another name.", "Another name"
)
DEVICE_NEEDS_A_TABLE = RefusalCode(
    "device-needs-a-table", "A %(station)s device serves one table. Choose the table.", "Choose a table"
)
DEVICE_WITHOUT_TABLE = RefusalCode(
    "device-without-table", "A %(station)s device serves the whole facility. Choose no table.", "No table"
)
DEVICE_SERVES_IT = RefusalCode("device-serves-it", "%(device)s serves that table already.", "Nothing to move")
SOMEBODY_AT_THE_DEVICE = RefusalCode(
    "somebody-at-the-device",
    "%(person)s is signed in at %(device)s. They must sign off first.",
    "Sign off first",
)
TOKEN_IS_USED = RefusalCode(
    "token-is-used", "A browser already uses %(device)s. Revoke it and add another device.", "In use already"
)
SECOND_PERSON_FOR_DEVICE = RefusalCode(
    "second-person-for-device",
    "%(device)s is not a device of your department alone. A second person of another department signs with their own "
    "PIN: %(who)s.",
    "Second person needed",
)
TOKEN_FOR_ANOTHER = RefusalCode(
    "token-for-another",
    "You asked for %(device)s. Somebody else makes and reads its enrollment token: %(who)s.",
    "Not yours to read",
)
NOT_THIS_DEVICE = RefusalCode(
    "not-this-device", "You work at %(device)s now. Revoke it from another device.", "This device"
)


# What the record says of devices


class DeviceNamed(TypedDict):
    device: Annotated[str, "name of the device"]


@entry_type("device.added")
def DEVICE_ADDED(
    *,
    station: Annotated[StationCode, "where it is used"],
    table: Annotated[str | None, "code of the only table that it serves; null for the whole facility"],
    **data: Unpack[DeviceNamed],
) -> str:
    """A device was added. A browser becomes it by its enrollment token."""
    return f"{data['device']} added as {station} device, for {table or 'the whole facility'}"


@entry_type("device.token_made")
def TOKEN_MADE(
    *, ends_at: Annotated[str, "until when the token can be used, once"], **data: Unpack[DeviceNamed]
) -> str:
    """An enrollment token was made, and could be read for ten minutes by the person who made it."""
    return f"Enrollment token of {data['device']} made"


@entry_type("device.moved")
def DEVICE_MOVED(
    *,
    table: Annotated[str | None, "code of the table that it serves now; null for the whole facility"],
    table_before: Annotated[str | None, "code of the table that it served; null for the whole facility"],
    **data: Unpack[DeviceNamed],
) -> str:
    """A device was given another table to serve."""
    before = table_before or "the whole facility"
    return f"{data['device']} serves {table or 'the whole facility'} instead of {before}"


@entry_type("device.renamed")
def DEVICE_RENAMED(*, before: Annotated[str, "the name before"], **data: Unpack[DeviceNamed]) -> str:
    """A device was given another name."""
    return f"{before} is called {data['device']} now"


WhyEnded = Literal["revoked", "lost"]


@entry_type("device.ended")
def DEVICE_ENDED(
    *,
    person: Annotated[str | None, "code of the person who was signed off there; null without one"],
    why: Annotated[WhyEnded, "whether it was lost"],
    **data: Unpack[DeviceNamed],
) -> str:
    """A device was revoked at once, and its person signed off."""
    return f"{data['device']} was lost, and revoked" if why == "lost" else f"{data['device']} revoked"


# Acts


SUBJECT = "devices"
ENROLLERS = policy.roles_of(SUBJECT, "prepare")
APPROVERS = policy.roles_of(SUBJECT, "approve")
REVOCATIONS = "revocations"  # the row of the policy
REVOKERS = policy.roles_of(REVOCATIONS, "prepare", "alone")
STATIONS: tuple[StationCode, ...] = ("dealer", "stick", "podium", "pit", "office", "sign", "wall")
OF_A_TABLE = frozenset({Station.DEALER, Station.STICK, Station.SIGN})
MAX_NAME = 60


def _any_device_by_name(ctx: FacilityContext, name: str) -> Device:
    """The device with this name, if it was not revoked. Raises `no-such-device`."""
    rows = Device.objects.filter(facility=ctx.facility.code, name=name, revoked_at=None)
    device = rows.select_related("person", "asked_by", "enrolled_by").first()
    if device is None:
        raise Refusal(NO_SUCH_DEVICE)
    return device


def _device_by_name(ctx: FacilityContext, name: str) -> Device:
    """As `_any_device_by_name`, of those that a browser is: what a machine may do is not changed here (clients.py)."""
    device = _any_device_by_name(ctx, name)
    if device.station == Station.MACHINE:
        raise Refusal(NO_SUCH_DEVICE)
    return device


_Named = Annotated[Device, found(text(MAX_NAME), _device_by_name)]
_AnyNamed = Annotated[Device, found(text(MAX_NAME), _any_device_by_name)]


@facility_act(SETUP, roles=ENROLLERS, subject=SUBJECT, step_up="office")
def add_device(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add a device. Who approves this, or somebody else who might, makes its enrollment token then (`make_token`).

    Raises `device-name-taken`, `device-needs-a-table`, `device-without-table` or `no-such-place`.
    """
    name = params.text("name", max_length=MAX_NAME)
    station = params.choice("station", STATIONS)
    table = _table(ctx, params, station)
    verify_free(ctx, name)
    # Nobody reads the token of this enrollment: `make_token` puts another one in its place.
    devices.enroll(
        name, ctx.facility.code, station, table.stream.name if table else "", ctx.actor, asked_by=ctx.asked_by
    )
    entry = DEVICE_ADDED(device=name, station=station, table=table.code if table else None)
    return ActOutcome(entry, {"device": name})


@facility_act(SETUP, roles=APPROVERS, step_up="always")
def make_token(ctx: FacilityContext, *, device: _Named) -> ActOutcome:
    """Make the enrollment token of a device that no browser is yet. The one before opens nothing then.

    Who made it reads it on the page for ten minutes. It is somebody who may approve devices here, and never who asked
    for this one. Raises `no-such-device` or `token-is-used`; as Forbidden, `may-not-approve` or `token-for-another`.
    """
    refusal = why_not_make_token(ctx.facility, ctx.actor, device)
    if refusal is not None:
        raise refusal
    if device.enrollment_used_at is not None or device.signed_on_at is not None:
        raise Refusal(TOKEN_IS_USED, device=device.name)
    devices.enroll(
        device.name, device.facility, device.station, device.place, ctx.actor, ctx.command,
        device.asked_by or device.enrolled_by,
    )  # fmt: skip
    entry = TOKEN_MADE(device=device.name, ends_at=clock.format_moment(ctx.now + devices.TOKEN_LIFETIME))
    return ActOutcome(entry, {"device": device.name}, changes="nothing")


@facility_act(SETUP, roles=ENROLLERS, subject=SUBJECT, step_up="office")
def move_device(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Let a device of a table serve another table, while nobody is signed in at it.

    Raises `no-such-device`, `device-without-table`, `no-such-place`, `device-serves-it` or `somebody-at-the-device`.
    """
    device = _device_by_name(ctx, params.text("device", max_length=MAX_NAME))
    table = _table(ctx, params, device.station)
    place = table.stream.name if table else ""
    if place == device.place:
        raise Refusal(DEVICE_SERVES_IT, device=device.name)
    if device.person is not None:
        raise Refusal(SOMEBODY_AT_THE_DEVICE, person=device.person.name, device=device.name)
    before = device.place.partition("/")[2] or None
    devices.change(device, ctx.actor, name=device.name, place=place)
    entry = DEVICE_MOVED(device=device.name, table=table.code if table else None, table_before=before)
    return ActOutcome(entry, {"device": device.name})


@facility_act(SETUP, roles=ENROLLERS)
def rename_device(
    ctx: FacilityContext, *, device: _Named, name: Annotated[str, text(MAX_NAME)]
) -> ActOutcome:
    """Give a device another name, as on its label. Raises `no-such-device` or `device-name-taken`."""
    verify_free(ctx, name)
    before = device.name
    devices.change(device, ctx.actor, name=name, place=device.place)
    return ActOutcome(DEVICE_RENAMED(device=name, before=before), {"device": name})


@facility_act(SETUP, roles=REVOKERS, witness=True)
def revoke_device(ctx: FacilityContext, *, device: _AnyNamed, why: WhyEnded) -> ActOutcome:
    """Revoke a device at once, because it is no longer needed or was lost. Its person is signed off, at no post.

    A device of another department takes a second person: nobody takes a screen alone from those who watch them.
    Raises `no-such-device`, `not-this-device` for the one at which the actor works, or `second-person-for-device`.
    """
    if ctx.device is not None and device.pk == ctx.device.pk:
        raise Refusal(NOT_THIS_DEVICE, device=device.name)
    _verify_may_revoke(ctx, device)
    person = device.person.code if device.person else None
    devices.revoke(device, ctx.actor)
    return ActOutcome(DEVICE_ENDED(device=device.name, person=person, why=why), {"device": device.name})


def revokes_alone(facility: Facility, person: Person, device: Device) -> bool:
    """Whether this person revokes the device without a second one."""
    department = department_of(device)
    return bool(department) and policy.may_do_alone(
        policy.row_of(facility.law, REVOCATIONS), person, department
    )


def department_of(device: Device) -> str:
    """The department whose device this is: of who is signed in at it; "" for an office device without anybody.

    A device of the floor without anybody belongs to table games, a machine to information technology.
    """
    if device.station == Station.MACHINE:
        return Department.INFORMATION_TECHNOLOGY.value
    if device.person is not None:
        return str(device.person.department)
    return "" if device.station == Station.OFFICE else Department.TABLE_GAMES.value


def _verify_may_revoke(ctx: FacilityContext, device: Device) -> None:
    """Raises `second-person-for-device`."""
    if revokes_alone(ctx.facility, ctx.actor, device):
        return
    row, signer = policy.row_of(ctx.facility.law, REVOCATIONS), ctx.witness
    if (
        not policy.may_prepare(row, ctx.actor)
        or signer is None
        or signer.department == ctx.actor.department
        or not policy.may_sign(row, signer, department_of(device))
    ):
        raise Refusal(
            SECOND_PERSON_FOR_DEVICE, row.section, device=device.name, who=policy.approved_in_words(row)
        )


def why_not_make_token(facility: Facility, person: Person, device: Device) -> Refusal | None:
    """Why this person may not make the enrollment token of a device and read it, or None."""
    row = policy.row_of(facility.law, SUBJECT)
    if not policy.may_approve(row, person):
        return may_not_approve(row, person)
    # A device of before approvers made tokens was enrolled by who asked for it.
    if (device.asked_by_id or device.enrolled_by_id) == person.pk:
        return Forbidden(TOKEN_FOR_ANOTHER, device=device.name, who=policy.in_words(row.approve))
    return None


def _table(ctx: FacilityContext, params: Params, station: str) -> Table | None:
    """The table that a device of this station serves. Raises as `add_device`."""
    code = params.text("table", default="", max_length=20)
    words = Station(station).label.lower()
    if not code:
        if station in OF_A_TABLE:
            raise Refusal(DEVICE_NEEDS_A_TABLE, station=words)
        return None
    if station not in OF_A_TABLE:
        raise Refusal(DEVICE_WITHOUT_TABLE, station=words)
    table = Table.objects.filter(facility=ctx.facility, code=code).select_related("stream").first()
    if table is None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


def verify_free(ctx: FacilityContext, name: str) -> None:
    """Raises `device-name-taken`."""
    if Device.objects.filter(facility=ctx.facility.code, name__iexact=name).exists():
        raise Refusal(DEVICE_NAME_TAKEN, device=name)


# Alerts about devices that were revoked or copied


DEVICE_TICKS = 5
LASTS = dt.timedelta(hours=1)
DEVICE_REVOKED = AlertKind(
    "device-revoked",
    "device-revoked:{cause}",
    Level.WARN,
    "Device revoked",
    "A device was revoked",
    "%(device)s was revoked and shows nothing more. The record says who did it. If its people did not ask for it, "
    "tell compliance.",
    at_the_pit=True,
    is_everywhere=True,
)
DEVICE_COPIED = AlertKind(
    "device-copied",
    "device-copied:{cause}",
    Level.WARN,
    "Key of a device copied",
    "A copy of a device's key",
    "Another browser used an old key of %(device)s, which is locked now. One of the two is a copy. Go to "
    "%(device)s and see who works there; if nobody can say why, have it revoked.",
    at_the_pit=True,
    is_everywhere=True,
)


def device_alerts(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the devices that were revoked, or of which somebody used an old cookie, within the hour.

    Each is at its table, or at every one in play.
    """
    since = now - LASTS
    concerned = Device.objects.filter(Q(revoked_at__gt=since) | Q(copied_at__gt=since, revoked_at=None))
    return [
        _alert_of(device, pk)
        for device in concerned.order_by("facility", "name")
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


def _alert_of(device: Device, table_id: int) -> ExpectedAlert:
    if device.revoked_at is not None:
        return DEVICE_REVOKED.expected(table_id, cause=device.pk, since=device.revoked_at, device=device.name)
    return DEVICE_COPIED.expected(
        table_id, cause=f"{device.pk}-{device.copied_cookie}", since=device.copied_at, device=device.name
    )


alert_rule(AlertRule((DEVICE_COPIED, DEVICE_REVOKED), device_alerts, DEVICE_TICKS))
