"""Who acts: roles, sign-in with a PIN at an enrolled device, witnesses, wrong PINs, and locking a device.

- A PIN is enough for the people of the floor at a floor device. Everybody else, and everybody at an office device,
  signs in with a password and a second factor (`audit/factors.py`).
- One person is signed in at a device. The next sign-in replaces that person (relief in the middle of a round).
- Sign-ins, sign-outs, refusals, lock-outs and locks are recorded on the stream `<facility>/sign-in`. These acts commit
  on their own, before any act on the floor, because the count of wrong PINs must survive a refused act.

Wrong PINs, a witness's included, are counted for each device and each person, and lock out those that reach a limit
(`MAX_WRONG_PINS`, docs/security.md):

- A person at one device: few, so that a colleague's PIN cannot be guessed there. Other devices still accept the person.
- A device: more, of whatever people, so that nobody tries one PIN with many codes.
- A person at all devices together: most, so that this needs several devices, each of which has called the floor before.
  It never locks a person out of the device where they are signed in.

The server's terminal, where commands ask for PINs, counts like one more device (None). What counts and what is locked
ends after `WRONG_PINS_SPAN`. Who counts holds the lock of the facility's sign-in stream, so that two PINs at once
cannot both be the last one allowed.
"""

import contextlib
import datetime as dt
import itertools
import threading
from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.backends import BaseBackend
from django.contrib.sessions.backends.base import SessionBase
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from audit import clock, registration
from audit.devices import DeviceCookie, append_sign_in, cookie_of, lock_sign_in_stream
from audit.entries import (
    DEVICE_LOCKED,
    DEVICE_LOCKED_OUT,
    GUESSES_READ,
    PERSON_LOCKED_OUT,
    PERSON_REFUSED,
    PERSON_SIGNED_IN,
    PERSON_SIGNED_OUT,
    DeviceLockedOut,
    LockedOutPerson,
    LockReason,
    PersonSignedIn,
    Purpose,
    RefusedPerson,
    WhyRefused,
)
from audit.entry_types import EntryBody
from audit.models import PIN_DIGITS, Device, Lockout, Person, Role, SecondFactor, Station
from audit.models import WrongPin as WrongPinRow
from audit.models.people import SERVER_TERMINAL, SHOWS_ONLY
from audit.refusals import (
    LAST_TRY_AT_DEVICE,
    LAST_TRY_OF_PERSON,
    NEW_PIN_TOO_LATE,
    PIN_IS_THE_SAME,
    PIN_TOO_SIMPLE,
    PINS_DIFFER,
    WRONG_CODE_OR_PIN,
    DeviceRefused,
    LicenseEnded,
    LockedOut,
    NewPinNeeded,
    OnLeave,
    PasswordNeeded,
    PersonRefused,
    PinEnded,
    PinNotAccepted,
    PinNotHere,
    SamePerson,
    TooManyPins,
    WrongPin,
)
from audit.rows import read

# Roles, and the backend that verifies a PIN


RANKS = (
    Role.DEALER,
    Role.FLOORPERSON,
    Role.CASINO_SUPERVISOR,
    Role.PIT_MANAGER,
    Role.SHIFT_MANAGER,
)
# Roles whose work is on the floor.
PIN_ROLES = frozenset({*RANKS, Role.STICKPERSON, Role.SECURITY})
SESSION_DEVICE = "device"
SESSION_NEW_PIN = "new_pin"  # who gave a one-time PIN here and chooses another one
GUESSES_SHOWN_FOR = dt.timedelta(days=30)
NEW_PIN_TIME = dt.timedelta(minutes=5)
SESSION_SIGNED_ON = (
    "signed_on"  # the moment of its sign-in: an earlier session of the same person may not act
)


class PinBackend(BaseBackend):
    """Find the person of a session. PINs are checked by `sign_in` and `verify_witness` alone, which count them."""

    def get_user(self, user_id: int) -> Person | None:
        """The person of a session, or None if no longer active."""
        person: Person
        for (person,), _ in read(
            (("p", Person),), "FROM audit_person p WHERE p.id = %s AND p.is_active", [user_id]
        ):
            return person
        return None


_hashing = threading.Lock()
# Half of the threads that handle requests (config/handler.py): however many PINs come at once, the rest serve acts.
MOST_PINS_AT_ONCE = 32
_pins = threading.BoundedSemaphore(MOST_PINS_AT_ONCE)


@contextlib.contextmanager
def hashing() -> Iterator[None]:
    """Hash one PIN at a time, and wait for the turn without a connection of the pool.

    A hash takes long on purpose. Thirty PINs at once must neither occupy every connection of the worker nor every
    processor, or the acts of other tables would wait. Raises TooManyPins where more wait already than may.
    """
    release_connection()
    if not _pins.acquire(blocking=False):
        raise TooManyPins()
    try:
        with _hashing:
            yield
    finally:
        _pins.release()


def release_connection() -> None:
    """Give the connection back to the pool. Inside a transaction it is kept."""
    if not connection.in_atomic_block:
        connection.close()


def has_rank(person: Person, role: str) -> bool:
    """Whether the person has this rank in table games, or a higher one. Other roles have no rank."""
    ranks = {str(role): rank for rank, role in enumerate(RANKS)}
    return person.role in ranks and role in ranks and ranks[person.role] >= ranks[role]


def takes_password(device: Device, person: Person | None) -> bool:
    """Whether a PIN is not enough for this person at this device. None: for anybody there."""
    if not settings.SECOND_FACTORS:
        return False
    return device.station == Station.OFFICE or (person is not None and needs_password(person))


def needs_password(person: Person) -> bool:
    """Whether a PIN is not enough for this person at any device."""
    return settings.SECOND_FACTORS and person.role not in PIN_ROLES


def is_on_leave(person: Person, facility: str, moment: dt.datetime) -> bool:
    """Whether a leave of this person has begun, by the gaming day of a facility, and no return is recorded."""
    return person.leave_from is not None and person.is_on_leave(clock.gaming_day(facility, moment))


def sign_in(request: HttpRequest, code: str, pin: str) -> Person:
    """Sign a person in at the request's device, unlock the device, and start a new session.

    Records and raises WrongPin or LockedOut. Raises PasswordNeeded or DeviceRefused, and NewPinNeeded after a one-time
    PIN: then the person chooses their own (`choose_pin`). Must not run inside a transaction.
    """
    device = device_for_people(request)
    if takes_password(device, person_by_code(code)):
        raise PasswordNeeded()
    person = _authenticate(request, device, code, pin, purpose="sign-in")
    if person.pin_must_change:
        request.session[SESSION_NEW_PIN] = {
            "person": person.pk,
            "device": str(device.pk),
            "digest": registration.credential_digest(person.code, person.password),
            "since": clock.format_moment(clock.now()),
        }
        raise NewPinNeeded()
    begin_session(request, person)
    return person


def person_choosing_pin(request: HttpRequest) -> Person | None:
    """Who chooses a PIN here: somebody who just gave a one-time PIN, or is signed in with a password and has no PIN.

    Raises DeviceRefused.
    """
    device = device_for_people(request)
    if is_without_pin(request):
        assert isinstance(request.user, Person)
        return request.user
    claim = request.session.get(SESSION_NEW_PIN)
    if not isinstance(claim, dict) or claim.get("device") != str(device.pk):
        return None
    now = clock.now()
    if now - dt.datetime.fromisoformat(claim["since"]) > NEW_PIN_TIME:
        return None
    person = Person.objects.filter(pk=claim["person"], is_active=True, pin_must_change=True).first()
    if person is None or registration.credential_digest(person.code, person.password) != claim["digest"]:
        return None
    if is_on_leave(person, device.facility, now):
        return None
    return person


def is_without_pin(request: HttpRequest) -> bool:
    """Whether the person who is signed in here needed a password for that, and has no PIN for second signatures."""
    if not isinstance(request.user, Person) or getattr(request, "locked", True):
        return False
    return needs_password(request.user) and not request.user.has_usable_password()


def choose_pin(request: HttpRequest, pin: str, again: str) -> Person:
    """Save the PIN that a person chooses, record it, and sign them in if they are not. Returns the person.

    Raises PinNotAccepted, TooManyPins or DeviceRefused. Must not run inside a transaction.
    """
    person, signs_in = person_choosing_pin(request), not is_without_pin(request)
    if person is None:
        raise PinNotAccepted(NEW_PIN_TOO_LATE)
    if pin != again:
        raise PinNotAccepted(PINS_DIFFER)
    if is_simple(pin):
        raise PinNotAccepted(PIN_TOO_SIMPLE)
    before = person.password
    with hashing():
        if person.check_password(pin):
            raise PinNotAccepted(PIN_IS_THE_SAME)
        person.set_pin(pin)
    person.pin_must_change, person.pin_ends_at = False, None
    with transaction.atomic(durable=True):
        current = Person.objects.select_for_update(of=("self",)).get(pk=person.pk)
        if not current.is_active or current.password != before:
            raise PinNotAccepted(NEW_PIN_TOO_LATE)
        person.save(update_fields=["password", "pin_must_change", "pin_ends_at"])
        registration.record_person(person, person)
    if signs_in:
        begin_session(request, person)
    else:
        update_session_auth_hash(request, person)
    return person


def is_simple(pin: str) -> bool:
    """Whether these are not six digits, or six that somebody would try first: 000000, 123456, 987654."""
    if len(pin) != PIN_DIGITS or not (pin.isascii() and pin.isdigit()):
        return True
    steps = {int(after) - int(before) for before, after in itertools.pairwise(pin)}
    return steps in ({0}, {1}, {-1})


def begin_session(request: HttpRequest, person: Person, factor: SecondFactor | None = None) -> dt.datetime:
    """Record the sign-in of a person who has proven who they are, and start a new session. Returns its moment.

    The device's browser gets another cookie with the answer (`audit/devices.py`).

    `factor`: the second factor that they gave, if they signed in with a password. Raises DeviceRefused.
    """
    device = device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        current = Device.objects.select_for_update(of=("self",)).get(pk=device.pk)
        if current.revoked_at:
            raise DeviceRefused()
        relieved = current.person
        moment = clock.never_before(stream, clock.now())
        device.cookies_made = current.cookies_made + 1
        _update_device(
            device,
            person=person,
            signed_on_at=moment,
            signed_on_with=registration.credential_digest(person.code, person.password),
            locked_at=None,
            last_seen_at=moment,
            cookies_made=device.cookies_made,
        )
        data: PersonSignedIn = {
            "name": device.name,
            "relieves": relieved.code if relieved and relieved != person else None,
        }
        if factor is not None:
            data["factor"] = factor.pk
        append_sign_in(stream, PERSON_SIGNED_IN(data), actor=person, device=device, moment=moment)
    request.session.flush()
    login(request, person, backend="audit.people.PinBackend")
    request.session[SESSION_DEVICE] = str(device.pk)
    request.session[SESSION_SIGNED_ON] = clock.format_moment(moment)
    cookie = cookie_of(request)
    if cookie is not None:
        request.made_cookie = DeviceCookie(cookie.token, device.cookies_made)  # type: ignore[attr-defined]
    request.locked = False  # type: ignore[attr-defined]
    return moment


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


def guesses_of(person: Person) -> list[Lockout]:
    """The lock-outs after wrong PINs under this person's name that they have not read of, the oldest first."""
    rows = Lockout.objects.filter(person=person, read_at=None, started_at__gt=clock.now() - GUESSES_SHOWN_FOR)
    return list(rows.select_related("device").order_by("started_at"))


def note_guesses_read(request: HttpRequest, person: Person) -> None:
    """Record that the person read of the wrong PINs under their name."""
    device = device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        moment = clock.never_before(stream, clock.now())
        lockouts = guesses_of(person)
        if not lockouts:
            return
        numbers = [lockout.pk for lockout in lockouts]
        Lockout.objects.filter(pk__in=numbers).update(read_at=moment)
        entry = GUESSES_READ(lockouts=numbers)
        append_sign_in(stream, entry, actor=person, device=device, moment=moment)


def end_sessions(person: Person, *, at_tables: bool = False) -> list[str]:
    """Sign a person off at every device, those of tables only with `at_tables`: a shaker may be theirs there.

    Returns the names of the devices. Call it in a transaction, and record it. The heartbeats of the devices' sockets
    close them.
    """
    signed_in = Device.objects.select_for_update().filter(person=person).order_by("name")
    devices = list(signed_in if at_tables else signed_in.filter(place=""))
    for device in devices:
        _update_device(device, person=None, signed_on_at=None, locked_at=None)
    return [device.name for device in devices]


def is_of_newest_sign_in(session: SessionBase, device: Device) -> bool:
    """Whether a session began with the sign-in that this device shows, and not at another one or before.

    A session without a moment is from before moments were saved, at most `SESSION_COOKIE_AGE` ago.
    """
    moment = clock.format_moment(device.signed_on_at) if device.signed_on_at else None
    return session.get(SESSION_DEVICE) == str(device.pk) and session.get(SESSION_SIGNED_ON, moment) == moment


def has_sign_in_ended(device: Device, person: Person, now: dt.datetime) -> bool:
    """Whether the person signed in at a machine must sign in again: what ends a browser's session ended theirs.

    They are not active any more, have another PIN or none, or signed in longer than `SESSION_COOKIE_AGE` ago.
    """
    assert device.signed_on_at is not None
    return (
        not person.is_active
        or device.signed_on_with != registration.credential_digest(person.code, person.password)
        or now - device.signed_on_at > dt.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    )


def lock(device: Device, *, reason: LockReason = "asked") -> None:
    """Lock a device until somebody signs in at it. Its person stays signed in, so custody does not change."""
    with transaction.atomic():
        stream = lock_sign_in_stream(device.facility)
        moment = clock.never_before(stream, clock.now())
        locked = Device.objects.filter(pk=device.pk, locked_at=None, person__isnull=False).update(
            locked_at=moment
        )
        if locked:
            append_sign_in(
                stream,
                DEVICE_LOCKED(name=device.name, reason=reason),
                actor=device.person,
                device=device,
                moment=moment,
            )
            device.locked_at = moment


def claimed_witness(request: HttpRequest, code: str, *, with_factor: bool = False) -> Person | None:
    """The active person of this facility who is said to sign, before their PIN is verified; None without one.

    Raises SamePerson for the actor, DeviceRefused, and PinNotHere at an office device unless a second factor comes
    along.
    """
    device = device_for_people(request)
    if takes_password(device, None) and not with_factor:
        raise PinNotHere()
    person = person_by_code(code)
    if person is None or not person.is_active or not person.belongs_to(device.facility):
        return None
    if isinstance(request.user, Person) and request.user.pk == person.pk:
        raise SamePerson(person=person.code)
    return person


def verify_witness(request: HttpRequest, code: str, pin: str, *, with_factor: bool = False) -> Person:
    """Authenticate a second person by their own PIN on the actor's device. No session changes.

    Raises SamePerson for the actor, PinNotHere, DeviceRefused, WrongPin or LockedOut. Wrong PINs count as at a sign-in,
    so call this outside the act's transaction: a rollback would undo the count, and a hash takes long. Call it only
    for an act that is allowed. `with_factor`: a second factor is verified next, so a right PIN forgives nothing yet.
    """
    device = device_for_people(request)
    if takes_password(device, None) and not with_factor:
        raise PinNotHere()
    if isinstance(request.user, Person) and request.user.code == normalized_code(code):
        raise SamePerson(person=request.user.code)
    return _authenticate(request, device, code, pin, purpose="witness", forgives=not with_factor)


def authenticate_at_server(code: str, pin: str) -> Person:
    """The person with this code, whose PIN was typed at the server's terminal, for a command that they answer for.

    Wrong PINs count as at a device, and are recorded at the person's facility. Raises WrongPin, LockedOut,
    LicenseEnded, OnLeave or NewPinNeeded. Must not run inside a transaction.
    """
    person = person_by_code(code)
    facility = person.facility if person is not None else ""
    facility = facility or next(iter(registration.facilities_on_record()), "")
    if person is None or not facility:
        raise WrongPin(WRONG_CODE_OR_PIN)
    matches = _matches(None, person, pin, facility)
    judge(None, person, lambda now: matches, purpose="server", facility=facility)
    return person


def normalized_code(code: str) -> str:
    """Normalize a typed code: surrounding spaces and capital letters do not matter."""
    return code.replace("\0", "").strip().lower()[:40]


def person_by_code(code: str) -> Person | None:
    """The person with this code, active or not, or None. A machine is nobody."""
    return Person.objects.filter(code=normalized_code(code)).exclude(role=Role.MACHINE).first()


def device_for_people(request: HttpRequest) -> Device:
    """The device of a request at which people sign in. Raises DeviceRefused."""
    device: Device | None = getattr(request, "device", None)
    if device is None or device.revoked_at or device.station in SHOWS_ONLY:
        raise DeviceRefused()
    return device


def _authenticate(
    request: HttpRequest, device: Device, code: str, pin: str, *, purpose: Purpose, forgives: bool = True
) -> Person:
    """The person with this code and PIN, who may act here. Records and raises WrongPin or LockedOut."""
    person = person_by_code(code)
    matches = _matches(device, person, pin)
    judge(device, person, lambda now: matches, purpose=purpose, forgives=forgives)
    assert person is not None
    return person


def judge(
    device: Device | None,
    person: Person | None,
    is_right: Callable[[dt.datetime], bool],
    *,
    purpose: Purpose,
    wrong: type[WrongPin] = WrongPin,
    forgives: bool = True,
    facility: str = "",
) -> None:
    """Decide whether a PIN, password or second factor counts.

    Records and raises `wrong`, LockedOut, LicenseEnded or OnLeave.

    It counts only under the lock of the sign-in stream: PINs that were hashed at the same moment as the one that locks
    somebody out are refused, right or wrong. `is_right` is called under this lock with its moment; what takes long is
    done before. `forgives`: earlier wrong ones of the person at this device are forgotten. `device` is None, and
    `facility` says where it is recorded, for what was typed at the server's terminal.
    """
    signed_in = device.person if device is not None and purpose == "witness" else None
    name, facility = (device.name, device.facility) if device is not None else (SERVER_TERMINAL, facility)
    refusal: PersonRefused | None = None
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(facility)
        moment = clock.now()
        if is_locked_out(device, person, moment):
            refusal = LockedOut()
        elif person is not None and is_right(moment):
            if forgives:
                forgive_wrong_pins(device, person)
            why, refusal = _refusal_of_right_secret(
                facility, person, moment, purpose=purpose, is_pin=wrong is WrongPin
            )
            if why is not None:
                right: RefusedPerson = {
                    "code": person.code,
                    "name": name,
                    "purpose": purpose,
                    "why": why,
                }
                append_sign_in(stream, PERSON_REFUSED(right), device=device, moment=moment)
        else:
            lockouts = count_wrong_pin(device, person, signed_in, moment, facility)
            refusal = LockedOut() if lockouts else _refusal_of(wrong, device, person, moment)
            # Only the code of an existing person: anything else may be a PIN typed into the wrong field.
            data: RefusedPerson = {
                "code": person.code if person else None,
                "name": name,
                "purpose": purpose,
            }
            for entry in (PERSON_REFUSED(data), *(_lockout_entry(lockout, purpose) for lockout in lockouts)):
                append_sign_in(stream, entry, device=device, moment=moment)
    if refusal is not None:
        raise refusal


def _refusal_of_right_secret(
    facility: str, person: Person, moment: dt.datetime, *, purpose: Purpose, is_pin: bool
) -> tuple[WhyRefused | None, PersonRefused | None]:
    """Why a right PIN, password or second factor does not count, and the refusal; (None, None) if it does.

    The license ended before this gaming day (without a stated end it does not end); or the person is on leave; or it is
    a one-time PIN whose time is over, or one that signs for an act before its person has chosen their own.
    """
    if person.licence_ends_on is not None and not person.has_license(clock.gaming_day(facility, moment)):
        return "license-ended", LicenseEnded(person=person.name, on=person.license_end_in_words)
    if is_on_leave(person, facility, moment):
        return "on-leave", OnLeave(person=person.name, until=person.leave_end_in_words)
    if not is_pin or not person.pin_must_change:
        return None, None
    if person.pin_ends_at is not None and moment >= person.pin_ends_at:
        return "pin-ended", PinEnded()
    if purpose in ("witness", "server"):
        return "new-pin-needed", NewPinNeeded()
    return None, None


def _refusal_of(
    wrong: type[WrongPin], device: Device | None, person: Person | None, moment: dt.datetime
) -> WrongPin:
    """The refusal of a wrong PIN, password or second factor; the last one before a lock-out says so."""
    scope = last_try_scope(device, person, moment)
    if wrong is not WrongPin:
        return wrong()
    if scope is None:
        return WrongPin(WRONG_CODE_OR_PIN if device is None else None)
    return WrongPin(LAST_TRY_AT_DEVICE if scope == Lockout.Scope.DEVICE else LAST_TRY_OF_PERSON)


def _matches(device: Device | None, person: Person | None, pin: str, facility: str = "") -> bool:
    """Whether this is the PIN of an active person of this facility. An unknown code takes as much time as a wrong PIN.

    Raises LockedOut, and then hashes nothing.
    """
    with hashing():
        if is_locked_out(device, person, clock.now()):
            raise LockedOut()
        release_connection()
        if person is None:
            Person().set_password(pin)
            return False
        before = person.password
        matches = person.check_password(pin)
    if matches and person.password != before:
        registration.record_new_hash(person, before)
    return matches and person.is_active and person.belongs_to(device.facility if device else facility)


def _lockout_entry(lockout: Lockout, purpose: Purpose) -> EntryBody:
    data: DeviceLockedOut = {
        "name": lockout.where,
        "purpose": purpose,
        "ends_at": clock.format_moment(lockout.ends_at),
    }
    if lockout.signed_in is not None:
        data["signed_in"] = lockout.signed_in.code
    if lockout.person is None:
        return DEVICE_LOCKED_OUT(data)
    person = LockedOutPerson(code=lockout.person.code, **data)  # type: ignore[typeddict-item]
    if lockout.scope == Lockout.Scope.PERSON:
        person["everywhere"] = True
    return PERSON_LOCKED_OUT(person)


def _update_device(device: Device, **fields: Person | dt.datetime | int | str | None) -> None:
    for name, value in fields.items():
        setattr(device, name, value)
    device.save(update_fields=list(fields))


# Wrong PINs


WRONG_PINS_SPAN = dt.timedelta(minutes=15)
Scope = Lockout.Scope
MAX_WRONG_PINS = {Scope.PERSON_AT_DEVICE: 5, Scope.DEVICE: 10, Scope.PERSON: 20}


def active_lockouts(now: dt.datetime) -> QuerySet[Lockout]:
    """The lock-outs that have neither passed nor been ended by a supervisor."""
    return Lockout.objects.filter(ends_at__gt=now, unlocked_at=None)


def is_locked_out(device: Device | None, person: Person | None, now: dt.datetime) -> bool:
    """Whether no PIN is accepted at this device from this person (None: from an unknown code)."""
    locked = Q(scope=Scope.DEVICE, device=device)
    if person is not None:
        locked |= Q(scope=Scope.PERSON_AT_DEVICE, device=device, person=person)
        if device is None or device.person_id != person.pk:
            locked |= Q(scope=Scope.PERSON, person=person)
    return active_lockouts(now).filter(locked).exists()


def count_wrong_pin(
    device: Device | None,
    person: Person | None,
    signed_in: Person | None,
    now: dt.datetime,
    facility: str = "",
) -> list[Lockout]:
    """Count one wrong PIN. Return the lock-outs that it starts. `facility`: of one typed at the server's terminal."""
    WrongPinRow.objects.filter(typed_at__lte=now - WRONG_PINS_SPAN).delete()
    WrongPinRow.objects.create(device=device, person=person, typed_at=now)
    scopes = [scope for scope in MAX_WRONG_PINS if scope == Scope.DEVICE or person is not None]
    lockouts = []
    for scope in scopes:
        locked_person = None if scope == Scope.DEVICE else person
        if _wrong_pins(scope, device, locked_person, now) < MAX_WRONG_PINS[scope]:
            continue
        if _lockouts(scope, device, locked_person).filter(ends_at__gt=now, unlocked_at=None).exists():
            continue
        lockouts.append(
            Lockout.objects.create(
                scope=scope,
                facility=device.facility if device is not None else facility,
                device=device,
                person=locked_person,
                signed_in=signed_in,
                started_at=now,
                ends_at=now + WRONG_PINS_SPAN,
            )
        )
    return lockouts


def last_try_scope(device: Device | None, person: Person | None, now: dt.datetime) -> Lockout.Scope | None:
    """What the next wrong PIN of this person at this device locks: the device, the person there, or None: nothing."""
    if _wrong_pins(Scope.DEVICE, device, None, now) == MAX_WRONG_PINS[Scope.DEVICE] - 1:
        return Scope.DEVICE
    if (
        person is not None
        and _wrong_pins(Scope.PERSON_AT_DEVICE, device, person, now)
        == MAX_WRONG_PINS[Scope.PERSON_AT_DEVICE] - 1
    ):
        return Scope.PERSON_AT_DEVICE
    return None


def forgive_wrong_pins(device: Device | None, person: Person) -> None:
    """Forget a person's wrong PINs at this device: the right one shows that they were slips."""
    WrongPinRow.objects.filter(device=device, person=person).delete()


def _wrong_pins(scope: Lockout.Scope, device: Device | None, person: Person | None, now: dt.datetime) -> int:
    """How many wrong PINs count, from the newest that a supervisor has forgiven by unlocking."""
    unlocked = _lockouts(scope, device, person).filter(unlocked_at__isnull=False)
    since = unlocked.order_by("unlocked_at").values_list("unlocked_at", flat=True).last()
    typed = WrongPinRow.objects.filter(
        typed_at__gt=max(now - WRONG_PINS_SPAN, since) if since else now - WRONG_PINS_SPAN
    )
    if scope != Scope.PERSON:
        typed = typed.filter(device=device)
    return (typed if person is None else typed.filter(person=person)).count()


def _lockouts(scope: Lockout.Scope, device: Device | None, person: Person | None) -> QuerySet[Lockout]:
    lockouts = Lockout.objects.filter(scope=scope, person=person)
    return lockouts if scope == Scope.PERSON else lockouts.filter(device=device)
