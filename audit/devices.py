"""Enrolled devices: how one is made, how it is recognised, and how it is taken out of use.

A device proves itself by a token of 256 random bits in a signed cookie that no script can read. The database keeps
the token's SHA-256 alone, so that a stolen copy of it opens nothing.
"""

import datetime as dt
import hashlib
import secrets
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.rows import read

COOKIE_SALT = "audit.device"
COOKIE_SECONDS = 400 * 24 * 60 * 60  # browsers keep no cookie for longer


def enroll(
    name: str, facility: str, station: str, place: str = "", by: Person | None = None
) -> tuple[Device, str]:
    """Make a device and record it. Returns it with its token, which is shown once and kept nowhere.

    `place` is the stream of the one table that it serves (`larkfield/T-04`), or "". Raises ValidationError for a
    name that the facility has already, an unknown station, or a place elsewhere.
    """
    if place and not (record.STREAM_NAME.fullmatch(place) and place.startswith(f"{facility}/")):
        raise ValidationError({"place": f"{place} is no place of {facility}."})
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
        data = {"name": name, "station": str(station), "place": place}
        append_sign_in(stream, "device.enrolled", data, actor=by, device=device, at=moment)
    return device, token


def revoke(device: Device, by: Person | None = None) -> None:
    """Take a device out of use at once, with whoever stands at it."""
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        moment = clock.now()
        Device.objects.filter(pk=device.pk, revoked_at=None).update(
            revoked_at=moment, person=None, signed_on_at=None
        )
        append_sign_in(stream, "device.revoked", {"name": device.name}, actor=by, device=device, at=moment)
    device.refresh_from_db()


def device_of(request: HttpRequest) -> Device | None:
    """The enrolled device of a request, with the person who stands at it; None for any other."""
    token = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default=None, salt=COOKIE_SALT)
    if not token:
        return None
    sql = """FROM audit_device v LEFT JOIN audit_person p ON p.id = v.person_id
             WHERE v.token_sha256 = %s AND v.revoked_at IS NULL"""
    for (device, person), _ in read((("v", Device), ("p", Person)), sql, [token_hash(token)]):
        device.person = person
        return device
    return None


def device_of_token(token: str) -> Device | None:
    """The enrolled device of a token as a person typed or followed it; None for any other."""
    return Device.objects.filter(token_sha256=token_hash(token.strip()), revoked_at=None).first()


def set_device_cookie(response: HttpResponseBase, token: str) -> None:
    """Give the browser the token as its device cookie."""
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
    """The 32 bytes by which a token is looked up."""
    return hashlib.sha256(token.encode()).digest()


def lock_sign_in_stream(facility: str) -> Stream:
    """The stream of a facility's sign-ins, locked. Call it in a transaction."""
    return record.lock_stream(f"{facility}/sign-in")


def append_sign_in(
    stream: Stream,
    type: str,
    data: dict[str, Any],
    *,
    at: dt.datetime,
    actor: Person | None = None,
    witness: Person | None = None,
    device: Device | None = None,
) -> record.Appended:
    """Append to a facility's sign-in stream, whose lock the caller holds."""
    day = clock.gaming_day(stream.facility, at)
    return record.append(
        stream, type=type, data=data, at=at, gaming_day=day, actor=actor, witness=witness, device=device
    )
