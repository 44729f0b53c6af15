"""Set the device of each request, and whether its person may act; and give its browser the cookie of a new sign-in."""

import datetime as dt
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from audit import clock, device_cookies, people
from audit.device_cookies import DeviceCookie
from audit.identity import IdentityRows, identify
from audit.models import Device

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
USE_RECORDED_EVERY = dt.timedelta(minutes=1)


class StationMiddleware:
    """Set `request.user`, `request.device` (None if it is not enrolled) and `request.locked`.

    Locked means that the session is signed in but may not act (423): somebody else has signed in at the device, or it
    is locked or has been idle. The server holds this state, so an old session cookie grants nothing.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        now = set_identity(request)
        device: Device | None = request.device  # type: ignore[attr-defined]
        if device is not None and request.cookie_number > device.cookie:  # type: ignore[attr-defined]
            device_cookies.note_shown(device, request.cookie_number, now)  # type: ignore[attr-defined]
        elif request.old_device is not None:  # type: ignore[attr-defined]
            device_cookies.report_copy(request.old_device, request.cookie_number)  # type: ignore[attr-defined]
        if device and request.user.is_authenticated and not request.locked and is_user_action(request):  # type: ignore[attr-defined]
            record_use(device, now)
        response = self.get_response(request)
        made: DeviceCookie | None = getattr(request, "made_cookie", None)
        if made is not None:
            device_cookies.set_device_cookie(response, made.token, made.number)
        return response


def set_identity(request: HttpRequest, rows: IdentityRows | None = None) -> dt.datetime:
    """Set `request.user`, `.device` and `.locked` for its session and cookies, and return the moment of the read.

    Also `.cookie_number`, that of its device cookie, and `.old_device`, whose old cookie it brings.

    `rows`: what was read for this request together with others.
    """
    identity = identify(request, rows)
    request.user = identity.user
    request.device = identity.device  # type: ignore[attr-defined]
    request.cookie_number = identity.cookie  # type: ignore[attr-defined]
    request.old_device = identity.old_device  # type: ignore[attr-defined]
    request.locked = identity.user.is_authenticated and is_locked(request, identity.device, identity.now)  # type: ignore[attr-defined]
    return identity.now


def is_locked(request: HttpRequest, device: Device | None, now: dt.datetime) -> bool:
    """Whether a signed-in session may not act at this device. Locks an idle device, and records that."""
    if device is None or device.person_id is None or device.person_id != request.user.pk:
        return True
    if not people.is_of_newest_sign_in(request.session, device):
        return True
    if device.locked_at is None and is_idle(device, now) and not clock.has_jumped(now):
        people.lock(device, reason="idle")
    return device.locked_at is not None


def is_idle(device: Device, now: dt.datetime) -> bool:
    """Whether nobody has used the device for DEVICE_IDLE_LOCK_SECONDS, to the minute of `record_use`."""
    if device.last_seen_at is None:
        return False
    return now - device.last_seen_at > dt.timedelta(seconds=settings.DEVICE_IDLE_LOCK_SECONDS)


def is_user_action(request: HttpRequest) -> bool:
    """Whether a person caused this request (an act or a page). A polling screen does not keep its device awake."""
    return request.method not in SAFE_METHODS or request.headers.get("Sec-Fetch-Mode") == "navigate"


def record_use(device: Device, moment: dt.datetime) -> None:
    """Save that the device is in use, at most once a minute."""
    if device.last_seen_at is None or moment - device.last_seen_at >= USE_RECORDED_EVERY:
        Device.objects.filter(pk=device.pk).update(last_seen_at=moment)
        device.last_seen_at = moment
