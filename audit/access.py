"""The first access check: who is signed in at a request. Each app adds its own checks.

`SignedOut`, `Locked` and `Denied` become 401, 423 and 403 for a request, and 4401, 4423 and 4403 for a socket.
"""

from django.http import HttpRequest

from . import people
from .models import Device, Person
from .models.people import KEEPS_WATCH


class SignedOut(Exception):
    """Nobody is signed in."""


class Locked(Exception):
    """The person is signed in, but the device is locked or now used by somebody else."""


class Denied(Exception):
    """The person has no access to this."""


def person_of(request: HttpRequest) -> Person:
    """The person who may act with this request. Raises `SignedOut` or `Locked`."""
    if not isinstance(request.user, Person):
        raise SignedOut
    if getattr(request, "locked", True):
        raise Locked
    return request.user


def watcher_of(request: HttpRequest) -> Person:
    """The person who is signed in at a locked podium or phone, which still shows the floor and asks for a PIN to act.

    Raises `SignedOut`, or `Locked` for a device that is not locked or is no podium or phone, and for a session that
    somebody else's sign-in ended.
    """
    if not isinstance(request.user, Person):
        raise SignedOut
    device = enrolled_device(request)
    if (
        device is None
        or device.station not in KEEPS_WATCH
        or device.place
        or device.locked_at is None
        or device.person_id != request.user.pk
        or not people.is_of_newest_sign_in(request.session, device)
    ):
        raise Locked
    return request.user


def enrolled_device(request: HttpRequest) -> Device | None:
    """The enrolled device of this request, or None."""
    device: Device | None = getattr(request, "device", None)
    return device
