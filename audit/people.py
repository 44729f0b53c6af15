"""Who acts: roles, sign-in with a PIN at an enrolled device, witnesses, and locking a device.

- One person is signed in at a device. The next sign-in replaces that person (relief in the middle of a round).
- django-axes counts wrong PINs for each person at each address, a witness's included.
- Sign-ins, sign-outs, refusals, lockouts and locks are recorded on the stream `<facility>/sign-in`. These acts commit
  on their own, before any act on the floor, because the count of wrong PINs must survive a refused act.
"""

import contextlib
import datetime as dt
import threading
from collections.abc import Iterator
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.backends import BaseBackend
from django.db import connection, transaction
from django.http import HttpRequest

from audit import clock
from audit.devices import append_sign_in, lock_sign_in_stream
from audit.entries import (
    DEVICE_LOCKED,
    PERSON_LOCKED_OUT,
    PERSON_REFUSED,
    PERSON_SIGNED_IN,
    PERSON_SIGNED_OUT,
    DeviceLocked,
    LockReason,
    PersonSignedIn,
    Purpose,
)
from audit.entries import PersonRefused as RefusedPerson
from audit.errors import DeviceRefused, LockedOut, PersonRefused, SamePerson, WrongPin
from audit.models import Device, Person, Role
from audit.rows import read

RANKS = (
    Role.DEALER,
    Role.FLOORPERSON,
    Role.CASINO_SUPERVISOR,
    Role.PIT_MANAGER,
    Role.SHIFT_MANAGER,
)
SESSION_DEVICE = "device"


class PinBackend(BaseBackend):
    """Authenticate a person by code and PIN, at an enrolled device of a facility to which the person belongs."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_: Any
    ) -> Person | None:
        """The active person with this code and PIN, or None. An unknown code takes as much time as a wrong PIN."""
        device = getattr(request, "device", None)
        if username is None or password is None or device is None or device.revoked_at:
            return None
        person = person_by_code(username)
        with hashing():
            if person is None:
                Person().set_password(password)
                return None
            matches = person.check_password(password)
        return person if matches and person.is_active and person.belongs_to(device.facility) else None

    def get_user(self, user_id: int) -> Person | None:
        """The person of a session, or None if no longer active."""
        person: Person
        for (person,), _ in read(
            (("p", Person),), "FROM audit_person p WHERE p.id = %s AND p.is_active", [user_id]
        ):
            return person
        return None


_hashing = threading.Lock()


@contextlib.contextmanager
def hashing() -> Iterator[None]:
    """Hash one PIN at a time, and hold no connection of the pool meanwhile.

    A hash takes long on purpose. Thirty PINs at once must neither occupy every connection of the worker nor every
    processor, or the acts of other tables would wait. Inside a transaction the connection is kept.
    """
    if not connection.in_atomic_block:
        connection.close()
    with _hashing:
        yield


def has_rank(person: Person, role: str) -> bool:
    """Whether the person has this rank in table games, or a higher one. Other roles have no rank."""
    ranks = {str(role): rank for rank, role in enumerate(RANKS)}
    return person.role in ranks and role in ranks and ranks[person.role] >= ranks[role]


def sign_in(request: HttpRequest, code: str, pin: str) -> Person:
    """Sign a person in at the request's device, unlock the device, and start a new session.

    Records and raises WrongPin or LockedOut. Raises DeviceRefused. Must not run inside a transaction.
    """
    device = _enrolled_device(request)
    person = _authenticate(request, device, code, pin, purpose="sign-in")
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        current = Device.objects.select_for_update(of=("self",)).get(pk=device.pk)
        if current.revoked_at:
            raise DeviceRefused()
        relieved = current.person
        moment = clock.never_before(stream, clock.now())
        _update_device(device, person=person, signed_on_at=moment, locked_at=None, last_seen_at=moment)
        data: PersonSignedIn = {
            "name": device.name,
            "relieves": relieved.code if relieved and relieved != person else None,
        }
        append_sign_in(stream, PERSON_SIGNED_IN(data), actor=person, device=device, moment=moment)
    request.session.flush()
    login(request, person, backend="audit.people.PinBackend")
    request.session[SESSION_DEVICE] = str(device.pk)
    request.locked = False  # type: ignore[attr-defined]
    return person


def sign_out(request: HttpRequest) -> None:
    """Sign the person out, and leave the device without a person. The caller settles the shaker's custody first."""
    device = getattr(request, "device", None)
    person = request.user if isinstance(request.user, Person) else None
    if device is not None and person is not None and device.person_id == person.pk:
        with transaction.atomic(durable=True):
            stream = lock_sign_in_stream(device.facility)
            moment = clock.never_before(stream, clock.now())
            _update_device(device, person=None, signed_on_at=None, locked_at=None)
            append_sign_in(
                stream, PERSON_SIGNED_OUT({"name": device.name}), actor=person, device=device, moment=moment
            )
    logout(request)


def lock(device: Device, *, reason: LockReason = "asked") -> None:
    """Lock a device until somebody signs in at it. Its person stays signed in, so custody does not change."""
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        moment = clock.never_before(stream, clock.now())
        locked = Device.objects.filter(pk=device.pk, locked_at=None, person__isnull=False).update(
            locked_at=moment
        )
        if locked:
            data: DeviceLocked = {"name": device.name, "reason": reason}
            append_sign_in(stream, DEVICE_LOCKED(data), actor=device.person, device=device, moment=moment)
            device.locked_at = moment


def verify_witness(request: HttpRequest, code: str, pin: str) -> Person:
    """Authenticate a second person by their own PIN on the actor's device. No session changes.

    Raises SamePerson for the actor, DeviceRefused, WrongPin or LockedOut. Wrong PINs count as at a sign-in, so call
    this before the act's transaction: a rollback would undo the count.
    """
    device = _enrolled_device(request)
    if isinstance(request.user, Person) and request.user.code == normalized_code(code):
        raise SamePerson(person=request.user.code)
    return _authenticate(request, device, code, pin, purpose="witness")


def normalized_code(code: str) -> str:
    """Normalize a typed code: surrounding spaces and capital letters do not matter."""
    return code.replace("\0", "").strip().lower()[:40]


def person_by_code(code: str) -> Person | None:
    """The person with this code, active or not, or None."""
    return Person.objects.filter(code=normalized_code(code)).first()


def _enrolled_device(request: HttpRequest) -> Device:
    device: Device | None = getattr(request, "device", None)
    if device is None or device.revoked_at:
        raise DeviceRefused()
    return device


def _authenticate(request: HttpRequest, device: Device, code: str, pin: str, *, purpose: Purpose) -> Person:
    code = normalized_code(code)
    # axes reads the name from the model's field, `code`, and the backend from `username`. With only one of the two,
    # wrong PINs would count for nobody and a lockout would lock nobody out.
    person = authenticate(request, username=code, code=code, password=pin)
    if isinstance(person, Person):
        AxesProxyHandler.reset_attempts(username=code, ip_address=request.axes_ip_address)  # type: ignore[attr-defined]
        return person
    refusal: PersonRefused = LockedOut() if getattr(request, "axes_locked_out", False) else WrongPin()
    # axes would answer with its own page. Our refusal has a sentence, and a shape that the screens know.
    request.axes_locked_out = False  # type: ignore[attr-defined]
    _record_refusal(device, code, refusal, purpose)
    raise refusal


def _record_refusal(device: Device, code: str, refusal: PersonRefused, purpose: Purpose) -> None:
    # Record only the code of an existing person: anything else may be a PIN typed into the wrong field.
    person = person_by_code(code)
    entry_type = PERSON_LOCKED_OUT if isinstance(refusal, LockedOut) else PERSON_REFUSED
    data: RefusedPerson = {
        "code": person.code if person else None,
        "name": device.name,
        "purpose": purpose,
    }
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        append_sign_in(stream, entry_type(data), device=device, moment=clock.now())


def _update_device(device: Device, **fields: Person | dt.datetime | None) -> None:
    for name, value in fields.items():
        setattr(device, name, value)
    device.save(update_fields=list(fields))
