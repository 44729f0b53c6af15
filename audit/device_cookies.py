"""The cookie of a device, which changes with each sign-in, so that a copied one gives itself away.

A cookie has the device's token and a number, and only the server signs it. A sign-in makes the next number. The one
before is accepted until a request brings the new one: an answer may have been lost on the way. For a minute more it
is still accepted, because another tab of the browser may have sent it at the same moment. A browser that brings it
later has a copy, or is the device whose copy somebody signed in with. Such a cookie opens nothing, the device locks,
and the floor is called (`tables/setup/devices.py`), once for each copy.

A number that is newer than the database is accepted, too: the server signed it, and a restored backup is older.
"""

import datetime as dt
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.http import HttpRequest, HttpResponseBase

from audit import clock
from audit.devices import append_sign_in, lock_sign_in_stream
from audit.entries import COOKIE_COPIED, DEVICE_LOCKED
from audit.models import Device

SALT = "audit.device"
MAX_AGE_SECONDS = 400 * 24 * 60 * 60  # the longest that browsers keep a cookie
STILL_ACCEPTED = dt.timedelta(minutes=1)
LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DeviceCookie:
    """What the cookie of a browser says: the token of its device, and its number."""

    token: str
    number: int


def cookie_of(request: HttpRequest) -> DeviceCookie | None:
    """The device cookie of a request; None without one that this server signed."""
    text = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default=None, salt=SALT)
    if not text:
        return None
    token, dot, number = text.rpartition(".")
    if not dot:  # of before cookies had numbers
        return DeviceCookie(text, 0)
    return DeviceCookie(token, min(int(number), LARGEST_NUMBER)) if number.isdecimal() else None


def set_device_cookie(response: HttpResponseBase, token: str, number: int = 0) -> None:
    """Store the cookie of a device in the browser. `number`: 0 for the one that its enrollment gives."""
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        f"{token}.{number}",
        salt=SALT,
        max_age=MAX_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def is_current(device: Device, number: int, now: dt.datetime) -> bool:
    """Whether a cookie with this number is accepted as that of the device's own browser."""
    if number >= device.cookie:
        return True
    if device.cookie_since is None or number < device.cookie_before:
        return False
    return now - device.cookie_since <= STILL_ACCEPTED


def note_shown(device: Device, number: int, now: dt.datetime) -> None:
    """Store that the browser of the device has a newer cookie, so that the one before ends."""
    Device.objects.filter(pk=device.pk, cookie__lt=number).update(
        cookie_before=F("cookie"),
        cookie=number,
        cookie_since=now,
        cookies_made=Greatest("cookies_made", Value(number)),
    )


def report_copy(device: Device, number: int) -> None:
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
        entry = COOKIE_COPIED({"name": current.name, "cookie": number, "newest": current.cookie})
        append_sign_in(stream, entry, device=current, moment=moment)
        if locks:
            locked = DEVICE_LOCKED({"name": current.name, "reason": "copied"})
            append_sign_in(stream, locked, actor=current.person, device=current, moment=moment)
