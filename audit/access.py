"""The outermost door: who may ask anything at all from a request. Each room has its own doors behind this one.

`SignedOut`, `Locked` and `Denied` become 401, 423 and 403 for a request, and 4401, 4423 and 4403 for a socket.
"""

from django.http import HttpRequest

from .models import Device, Person


class SignedOut(Exception):
    """Nobody is signed in here."""


class Locked(Exception):
    """The person is signed in, and this device is locked or no longer theirs."""


class Denied(Exception):
    """The person may not see this."""


def person_of(request: HttpRequest) -> Person:
    """The person who may act from this request. Raises `SignedOut` or `Locked`."""
    if not isinstance(request.user, Person):
        raise SignedOut
    if getattr(request, "locked", True):
        raise Locked
    return request.user


def enrolled_device(request: HttpRequest) -> Device | None:
    """The enrolled device of this request, if it is one."""
    found: Device | None = getattr(request, "device", None)
    return found
