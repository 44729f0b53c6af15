"""Enrolled devices: enroll, recognize and revoke them; and the cookie by which a copy gives itself away.

A device identifies itself by a token of 256 random bits in a signed cookie that no script can read. The database holds
only the token's SHA-256, so a stolen copy of the database gives no access. Only the server signs: the token alone opens
the page that enrolls a browser, once and for half an hour, and nothing afterward.

The cookie also has a number, and each sign-in makes the next one. The one before is accepted until a request brings the
new one: an answer may have been lost on the way. For a minute more it is still accepted, because another tab of the
browser may have sent it at the same moment. A browser that brings it later has a copy, or is the device whose copy
somebody signed in with. Such a cookie opens nothing, the device locks, and the floor is called
(`tables/setup/devices.py`), once for each copy. A number that is newer than the database is accepted, too: the server
signed it, and a restored backup is older.
"""

import datetime as dt
import secrets
import uuid
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.http import HttpRequest, HttpResponseBase

from audit import clock, record
from audit.entries import (
    COOKIE_COPIED,
    DEVICE_CHANGED,
    DEVICE_ENROLLED,
    DEVICE_LOCKED,
    DEVICE_REVOKED,
    ENROLLMENT_REFUSED,
    DeviceEnrolled,
    EnrollmentRefusal,
)
from audit.entry_types import EntryBody
from audit.models import Device, Person, Station, Stream
from audit.models.people import StationCode
from audit.one_time import READABLE_FOR, derived_token, readable, token_hash
from audit.refusals import TOKEN_EXPIRED, TOKEN_USED, UNKNOWN_TOKEN, EnrollmentRefused, RefusalCode

TOKEN_SALT = "pitside.enrollment-token.v1"
TOKEN_LIFETIME = dt.timedelta(minutes=30)  # long enough to carry it to a tablet on the floor


def enroll(
    name: str, facility: str, station: str, place: str = "", by: Person | None = None,
    command: uuid.UUID | None = None, asked_by: Person | None = None, new_id: uuid.UUID | None = None,
) -> tuple[Device, str]:  # fmt: skip
    """Create a device and record it. Returns it with its token, which is shown once and stored nowhere.

    A device that no browser has become yet gets a new token, and its old one opens nothing. `place` is the stream of
    the only table that it serves (`larkfield/T-04`), or "". `command`: the token is derived from this id, so that who
    made it on a screen can read it for ten minutes (`readable_tokens`). `asked_by`: who asked for a new device, and
    never makes or reads its token. `new_id`: of a demo. Raises ValidationError for a name that the facility already
    uses, an unknown station, a place of another facility, or a wall with a place.
    """
    if place and not (record.STREAM_NAME.fullmatch(place) and place.startswith(f"{facility}/")):
        raise ValidationError({"place": f"{place} is not a place of {facility}."})
    if place and station == Station.WALL:
        raise ValidationError({"place": "A wall shows the whole floor: leave its place empty."})
    token = secrets.token_urlsafe(32) if command is None else derived_token(TOKEN_SALT, command)
    moment = clock.now()
    with transaction.atomic():
        stream = lock_sign_in_stream(facility)
        unused = Device.objects.filter(
            facility=facility, name=name, revoked_at=None, enrollment_used_at=None, signed_on_at=None
        )
        device = unused.first() or Device(facility=facility, name=name)
        device.id = new_id or device.id
        device.station, device.place = station, place
        device.token_sha256 = token_hash(token)
        device.enrolled_at, device.enrolled_by, device.enrollment_command = moment, by, command
        device.asked_by = asked_by or device.asked_by
        device.enrollment_ends_at, device.enrollment_refused_at = moment + TOKEN_LIFETIME, None
        device.full_clean(exclude=["token_sha256"])
        device.save()
        data: DeviceEnrolled = {"name": name, "station": cast(StationCode, str(station)), "place": place}
        if by is None:
            data["by_operator"] = True
        append_sign_in(stream, DEVICE_ENROLLED(data), actor=by, device=device, moment=moment)
    return device, token


def change(device: Device, by: Person | None, *, name: str, place: str) -> None:
    """Give a device another name, or another table to serve ("": none), and record it. Raises ValidationError."""
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        device.name, device.place = name, place
        device.full_clean(exclude=["token_sha256"])
        device.save(update_fields=["name", "place"])
        data: DeviceEnrolled = {
            "name": name,
            "station": cast(StationCode, str(device.station)),
            "place": place,
        }
        moment = clock.never_before(stream, clock.now())
        append_sign_in(stream, DEVICE_CHANGED(data), actor=by, device=device, moment=moment)


def readable_tokens(person: Person, facility: str, now: dt.datetime) -> list[tuple[Device, str]]:
    """The tokens that this person made on a screen a moment ago and no browser has used yet, with their devices."""
    made = Device.objects.filter(
        facility=facility, enrolled_by=person, enrolled_at__gt=now - READABLE_FOR, enrollment_used_at=None,
        revoked_at=None, enrollment_command__isnull=False,
    ).order_by("name")  # fmt: skip
    return readable(TOKEN_SALT, ((device, device.enrollment_command, device.token_sha256) for device in made))


def revoke(device: Device, by: Person | None = None) -> None:
    """Revoke a device at once, and sign off its user."""
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        moment = clock.now()
        Device.objects.filter(pk=device.pk, revoked_at=None).update(
            revoked_at=moment, person=None, signed_on_at=None
        )
        append_sign_in(stream, DEVICE_REVOKED({"name": device.name}), actor=by, device=device, moment=moment)
    device.refresh_from_db()


def use_token(token: str) -> Device:
    """The device whose enrollment token a person typed. The token is used up; the caller gives the browser its cookie.

    Raises EnrollmentRefused for an unknown token, one that was used before, and one whose time is over. The first
    refusal of a device's token is recorded, and `tables` alerts the floor to a second use.
    """
    digest = token_hash(token.strip())
    device = Device.objects.filter(token_sha256=digest, revoked_at=None).first()
    if device is None:
        raise EnrollmentRefused(UNKNOWN_TOKEN)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        device = Device.objects.select_for_update(of=("self",)).get(pk=device.pk)
        moment = clock.now()
        refusal = _token_refusal(device, digest, moment)
        if refusal is None:
            device.enrollment_used_at = moment
            device.save(update_fields=["enrollment_used_at"])
        elif refusal != UNKNOWN_TOKEN and device.enrollment_refused_at is None:
            device.enrollment_refused_at = moment
            device.save(update_fields=["enrollment_refused_at"])
            data: EnrollmentRefusal = {
                "name": device.name,
                "why": "used" if refusal == TOKEN_USED else "expired",
            }
            append_sign_in(stream, ENROLLMENT_REFUSED(data), device=device, moment=moment)
    if refusal is not None:
        raise EnrollmentRefused(refusal, device=device.name)
    return device


def _token_refusal(device: Device, digest: bytes, now: dt.datetime) -> RefusalCode | None:
    if device.revoked_at is not None or bytes(device.token_sha256) != digest:
        return UNKNOWN_TOKEN
    if device.enrollment_used_at is not None:
        return TOKEN_USED
    if device.enrollment_ends_at is None or now >= device.enrollment_ends_at:
        return TOKEN_EXPIRED
    return None


def lock_sign_in_stream(facility: str) -> Stream:
    """Lock the stream of a facility's sign-ins. Call it in a transaction."""
    return record.lock_stream(f"{facility}/sign-in")


def append_sign_in(
    stream: Stream,
    entry: EntryBody,
    *,
    moment: dt.datetime,
    actor: Person | None = None,
    witness: Person | None = None,
    device: Device | None = None,
) -> record.Appended:
    """Append to a facility's sign-in stream. The caller holds its lock."""
    day = clock.gaming_day(stream.facility, moment)
    return record.append(
        stream,
        entry=entry,
        moment=moment,
        gaming_day=day,
        actor=actor,
        witness=witness,
        device=device,
    )


# The cookie of a device


COOKIE_SALT = "audit.device"
COOKIE_AGE_SECONDS = 400 * 24 * 60 * 60  # the longest that browsers keep a cookie
OLD_COOKIE_ACCEPTED = dt.timedelta(minutes=1)
LARGEST_COOKIE_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DeviceCookie:
    """What the cookie of a browser says: the token of its device, and its number."""

    token: str
    number: int


@lru_cache(maxsize=4096)
def _unsigned(signed: str) -> str | None:
    """What this server signed as a device's cookie; None for any other text. Each heartbeat brings the same one."""
    request = HttpRequest()
    request.COOKIES = {settings.DEVICE_COOKIE_NAME: signed}
    text: str | None = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default=None, salt=COOKIE_SALT)
    return text


def cookie_of(request: HttpRequest) -> DeviceCookie | None:
    """The device cookie of a request; None without one that this server signed."""
    text = _unsigned(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""))
    if not text:
        return None
    token, dot, number = text.rpartition(".")
    if not dot:  # of before cookies had numbers
        return DeviceCookie(text, 0)
    return DeviceCookie(token, min(int(number), LARGEST_COOKIE_NUMBER)) if number.isdecimal() else None


def set_device_cookie(response: HttpResponseBase, token: str, number: int = 0) -> None:
    """Store the cookie of a device in the browser. `number`: 0 for the one that its enrollment gives."""
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        f"{token}.{number}",
        salt=COOKIE_SALT,
        max_age=COOKIE_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def is_current_cookie(device: Device, number: int, now: dt.datetime) -> bool:
    """Whether a cookie with this number is accepted as that of the device's own browser."""
    if number >= device.cookie:
        return True
    if device.cookie_since is None or number < device.cookie_before:
        return False
    return now - device.cookie_since <= OLD_COOKIE_ACCEPTED


def note_shown_cookie(device: Device, number: int, now: dt.datetime) -> None:
    """Store that the browser of the device has a newer cookie, so that the one before ends."""
    Device.objects.filter(pk=device.pk, cookie__lt=number).update(
        cookie_before=F("cookie"),
        cookie=number,
        cookie_since=now,
        cookies_made=Greatest("cookies_made", Value(number)),
    )


def report_copied_cookie(device: Device, number: int) -> None:
    """Record that a cookie was shown which had been replaced, and lock the device. Once for each number."""
    if number <= device.copied_cookie:
        return
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        current = Device.objects.select_for_update(of=("self",)).select_related("person").get(pk=device.pk)
        if number <= current.copied_cookie or current.revoked_at is not None:
            return
        moment = clock.never_before(stream, clock.now())
        current.copied_cookie, current.copied_at = number, moment
        locks = current.person is not None and current.locked_at is None
        if locks:
            current.locked_at = moment
        current.save(update_fields=["copied_cookie", "copied_at", "locked_at"])
        entry = COOKIE_COPIED(name=current.name, cookie=number, newest=current.cookie)
        append_sign_in(stream, entry, device=current, moment=moment)
        if locks:
            locked = DEVICE_LOCKED(name=current.name, reason="copied")
            append_sign_in(stream, locked, actor=current.person, device=current, moment=moment)
