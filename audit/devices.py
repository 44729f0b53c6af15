"""Enrolled devices: enroll, recognize and revoke them.

A device identifies itself by a token of 256 random bits in a signed cookie that no script can read. The database holds
only the token's SHA-256, so a stolen copy of the database gives no access.
"""

import datetime as dt
import hashlib
import secrets
from typing import cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from audit import clock, record
from audit.entries import DEVICE_ENROLLED, DEVICE_REVOKED, DeviceEnrolled
from audit.entry_types import EntryBody
from audit.models import Device, Person, Stream
from audit.models.people import StationCode
from audit.rows import read

COOKIE_SALT = "audit.device"
COOKIE_SECONDS = 400 * 24 * 60 * 60  # the longest that browsers keep a cookie


def enroll(
    name: str, facility: str, station: str, place: str = "", by: Person | None = None
) -> tuple[Device, str]:
    """Create a device and record it. Returns it with its token, which is shown once and stored nowhere.

    `place` is the stream of the only table that it serves (`larkfield/T-04`), or "". Raises ValidationError for a
    name that the facility already uses, an unknown station, or a place of another facility.
    """
    if place and not (record.STREAM_NAME.fullmatch(place) and place.startswith(f"{facility}/")):
        raise ValidationError({"place": f"{place} is not a place of {facility}."})
    token = secrets.token_urlsafe(32)
    moment = clock.now()
    device = Device(
        name=name,
        facility=facility,
        station=station,
        place=place,
        token_sha256=token_hash(token),
        enrolled_at=moment,
        enrolled_by=by,
    )
    with transaction.atomic():
        stream = lock_sign_in_stream(facility)
        device.full_clean(exclude=["token_sha256"])
        device.save(force_insert=True)
        data: DeviceEnrolled = {"name": name, "station": cast(StationCode, str(station)), "place": place}
        append_sign_in(stream, DEVICE_ENROLLED(data), actor=by, device=device, moment=moment)
    return device, token


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


def device_of(request: HttpRequest) -> Device | None:
    """The enrolled device of a request, with the person signed in at it; None if it is not enrolled."""
    token = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default=None, salt=COOKIE_SALT)
    if not token:
        return None
    sql = """FROM audit_device v LEFT JOIN audit_person p ON p.id = v.person_id
             WHERE v.token_sha256 = %s AND v.revoked_at IS NULL"""
    device: Device
    for (device, person), _ in read((("v", Device), ("p", Person)), sql, [token_hash(token)]):
        device.person = person
        return device
    return None


def device_of_token(token: str) -> Device | None:
    """The enrolled device with this token, as a person typed it or followed its link; None if there is none."""
    return Device.objects.filter(token_sha256=token_hash(token.strip()), revoked_at=None).first()


def set_device_cookie(response: HttpResponseBase, token: str) -> None:
    """Store the token in the browser as its device cookie."""
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        token,
        salt=COOKIE_SALT,
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def token_hash(token: str) -> bytes:
    """The SHA-256 (32 bytes) by which a token is found."""
    return hashlib.sha256(token.encode()).digest()


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
