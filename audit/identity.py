"""Who sends a request: its device, its session and its person, and whether that person may act.

Every act, page and heartbeat begins with it. Django would read the session, the person and the device one by one;
`identify` reads them in one statement. `StationMiddleware` sets them on the request, locks an idle device, and gives
its browser the cookie of a new sign-in.

On PostgreSQL a worker remembers a sender who may act (`Sender`), with the version of these rows. A view that is marked
`assumes_sender` gets the remembered one: it may do nothing before a statement has compared the version (`audit_sender`)
and otherwise calls `read_again`.

`person_of` is the first access check; each app adds its own. `SignedOut`, `Locked` and `Denied` become 401, 423 and 403
for a request, and 4401, 4423 and 4403 for a socket.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    get_user,
)
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from audit import people
from audit.clock import clock, has_jumped
from audit.devices import (
    DeviceCookie,
    cookie_of,
    is_current_cookie,
    note_shown_cookie,
    report_copied_cookie,
    set_device_cookie,
)
from audit.models import Device, Person
from audit.models.people import KEEPS_WATCH
from audit.one_time import token_hash
from audit.people import SESSION_DEVICE
from audit.refusals import ClockRefused
from audit.rows import clone, in_list, read

ViewT = TypeVar("ViewT", bound=Callable[..., Any])

# The session, whose row another statement has read


class SessionStore(db.SessionStore):
    """Django's store of a session in the database. A row that another statement has read is not read again."""

    row: Session | None = None

    def load(self) -> dict[str, Any]:
        """The data of the session; empty for a session that does not exist or is over."""
        if self.row is not None and self.row.session_key == self.session_key:
            data: dict[str, Any] = _copy(_data_of(self.row.session_data))
            return data
        return super().load()


def _copy(value: Any) -> Any:
    """A value of JSON once more, so that a request may change its own: without the memory of `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=4096)
def _data_of(session_data: str) -> dict[str, Any]:
    """What is stored in a session. Each heartbeat reads the same text."""
    data: dict[str, Any] = SessionStore().decode(session_data)
    return data


# Device, session and person in one statement


NO_TOKEN = b""


@dataclass(frozen=True, slots=True)
class Sender:
    """A device, the session of the person who is signed in at it and may act, and the version of all three rows."""

    device: Device
    session: Session
    version: str


@dataclass(frozen=True, slots=True)
class Identity:
    """The enrolled device of a request or None, the person of its session, and the moment of the read.

    `cookie`: the number of its device cookie. `old_device`: that whose old cookie the request brings. `version`: that
    of the rows, if PostgreSQL told it. `sender`: what a worker remembered, if it was taken from there instead.
    """

    device: Device | None
    user: Person | AnonymousUser
    now: dt.datetime
    cookie: int = 0
    old_device: Device | None = None
    version: str | None = None
    sender: Sender | None = None


@dataclass(frozen=True, slots=True)
class IdentityRows:
    """Senders of several requests: devices by their cookies, sessions by their keys, and the database's time."""

    devices: dict[str, Device]
    sessions: dict[str, Session]
    moment: dt.datetime | None

    def device_of(self, request: HttpRequest) -> Device | None:
        """The device of one of these requests."""
        return self.devices.get(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""))


def identify(request: HttpRequest, rows: IdentityRows | None = None) -> Identity:
    """Read who sends a request, unless `rows` already has it. Its session keeps the row read. Locks nothing."""
    key, cookie, version = request.session.session_key, cookie_of(request), None
    if rows is None:
        if cookie is None and key is None:  # as the proxy's health check
            return Identity(None, AnonymousUser(), timezone.now())
        device, row, moment, version = _read(cookie, key)
    else:
        device, row, moment = rows.device_of(request), rows.sessions.get(key or ""), rows.moment
    if row is not None and isinstance(request.session, SessionStore):
        request.session.row = row
    now, number = clock.read(moment), cookie.number if cookie else 0
    if device is not None and not is_current_cookie(device, number, now):
        return Identity(None, _user(request, None), now, number, old_device=device)
    return Identity(device, _user(request, device), now, number, version=version)


# What a worker remembers


MOST_SENDERS = 4_096
_senders: dict[tuple[bytes, str], Sender] = {}  # by the hash of the device's token, and the session's key


def _remember(identity: Identity, session: SessionBase) -> None:
    """Remember who may act, as the rows were read: a request may change its own, and be rolled back."""
    device, row = identity.device, getattr(session, "row", None)
    if identity.version is None or device is None or row is None or device.person is not identity.user:
        return
    kept = clone(device)
    kept.person = clone(device.person)
    if len(_senders) >= MOST_SENDERS:
        _senders.clear()
    _senders[bytes(device.token_sha256), row.session_key] = Sender(kept, clone(row), identity.version)


def _remember_use(request: HttpRequest, device: Device) -> None:
    sender = _senders.get((bytes(device.token_sha256), request.session.session_key or ""))
    if sender is not None:
        sender.device.last_seen_at = device.last_seen_at


def remembered(request: HttpRequest) -> Identity | None:
    """Who sends a request, if this worker remembers somebody who may act. Queries nothing.

    None also where a row has to be written first: the device shows another cookie, or its use is to be recorded.
    """
    key, cookie, now = request.session.session_key, cookie_of(request), clock.estimated()
    if key is None or cookie is None or now is None or not isinstance(request.session, SessionStore):
        return None
    sender = _senders.get((token_hash(cookie.token), key))
    if sender is None or cookie.number != sender.device.cookie or is_use_due(sender.device, now):
        return None
    device = clone(sender.device)
    assert device.person is not None
    request.session.row = sender.session
    return Identity(device, device.person, now, cookie.number, sender=sender)


def read_again(request: HttpRequest) -> None:
    """Read who sends a request, if that was only remembered."""
    if getattr(request, "sender", None) is not None:
        request.sender = None  # type: ignore[attr-defined]
        request.session = SessionStore(request.session.session_key)
        set_identity(request)


def assumes_sender(view: ViewT) -> ViewT:
    """Mark a view that may begin with the remembered sender of a request (`request.sender`)."""
    view.assumes_sender = True  # type: ignore[attr-defined]
    return view


# Several at once


def read_identities(requests: Iterable[HttpRequest]) -> IdentityRows:
    """Read who sends each of these requests, all with two statements. Locks nothing."""
    cookies: dict[bytes, list[str]] = defaultdict(list)
    keys = set()
    for request in requests:
        cookie, key = cookie_of(request), request.session.session_key
        if cookie is not None:
            cookies[token_hash(cookie.token)].append(request.COOKIES[settings.DEVICE_COOKIE_NAME])
        if key is not None:
            keys.add(key)
    devices: dict[str, Device] = {}
    moment = None
    for device, person, read_at in _read_devices(list(cookies)):
        device.person, moment = person, read_at
        devices |= dict.fromkeys(cookies[bytes(device.token_sha256)], device)
    return IdentityRows(devices, {row.session_key: row for row in _read_sessions(list(keys))}, moment)


def _read_devices(hashes: list[bytes]) -> Iterator[tuple[Device, Person | None, dt.datetime | None]]:
    """The enrolled devices with these hashes of their tokens, with the people signed in, and the database's time."""
    if not hashes:
        return
    is_among, params = in_list("v.token_sha256", hashes)
    sql = f"""FROM audit_device v LEFT JOIN audit_person p ON p.id = v.person_id
              WHERE {is_among} AND v.revoked_at IS NULL"""
    for (device, person), (moment,) in read((("v", Device), ("p", Person)), sql, params, more=_moment_sql()):
        yield device, person, moment


def _read_sessions(keys: list[str]) -> Iterator[Session]:
    """The sessions with these keys that are not over."""
    if not keys:
        return
    is_among, params = in_list("s.session_key", keys)
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    sql = f"FROM django_session s WHERE {is_among} AND s.expire_date > %s"
    for (row,), _ in read((("s", Session),), sql, [*params, now]):
        yield row


def _moment_sql() -> str:
    return "clock_timestamp()" if connection.vendor == "postgresql" else "NULL"


def _read(
    cookie: DeviceCookie | None, key: str | None
) -> tuple[Device | None, Session | None, dt.datetime | None, str | None]:
    """The device with the person signed in at it, the session's row, the database's time if it has a clock, and there
    also the version of the three.
    """
    models = (("v", Device), ("p", Person), ("s", Session))
    sql = """FROM (SELECT 1 AS is_asked) request
             LEFT JOIN audit_device v ON v.token_sha256 = %s AND v.revoked_at IS NULL
             LEFT JOIN audit_person p ON p.id = v.person_id
             LEFT JOIN django_session s ON s.session_key = %s AND s.expire_date > %s"""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    params = [token_hash(cookie.token) if cookie else NO_TOKEN, key or "", now]
    postgres = connection.vendor == "postgresql"
    version_sql = "audit_sender(v.id, v.person_id, s.session_key)" if postgres else "NULL"
    (((device, person, row), (read_at, version)),) = read(
        models, sql, params, more=f"{_moment_sql()}, {version_sql}"
    )
    if device is not None:
        device.person = person
    return device, row, read_at, version


def _user(request: HttpRequest, device: Device | None) -> Person | AnonymousUser:
    """The person of the request's session, as `django.contrib.auth.get_user` finds them.

    The person signed in at the device is not read again: if the session is theirs, its hash is compared here. In
    any other case Django decides. A session ends with its device, and is nobody's at another one.
    """
    session = request.session
    if session.get(SESSION_DEVICE) != (str(device.pk) if device is not None else None):
        return AnonymousUser()
    person = device.person if device is not None else None
    if (
        person is not None
        and person.is_active
        and session.get(SESSION_KEY) == str(person.pk)
        and session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
        and _has_hash_of(session, person)
    ):
        return person
    user = get_user(request)
    assert isinstance(user, Person | AnonymousUser)
    return user


def _has_hash_of(session: SessionBase, person: Person) -> bool:
    """Whether a session is from after the person's newest PIN, made with the secret key or one of its fallbacks.

    After a change of the key Django would give the session another name, of which a socket cannot tell its browser.
    """
    hashes = chain([person.get_session_auth_hash()], person.get_session_auth_fallback_hash())
    return any(constant_time_compare(session.get(HASH_SESSION_KEY, ""), made) for made in hashes)


# What each request has of its sender


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
        now = set_identity(request, may_assume=request.method == "POST")
        device: Device | None = request.device  # type: ignore[attr-defined]
        if device is not None and request.cookie_number > device.cookie:  # type: ignore[attr-defined]
            note_shown_cookie(device, request.cookie_number, now)  # type: ignore[attr-defined]
        elif request.old_device is not None:  # type: ignore[attr-defined]
            # With a wrong clock nothing can be recorded: the cookie opens nothing, and is reported when it comes again.
            with suppress(ClockRefused):
                report_copied_cookie(request.old_device, request.cookie_number)  # type: ignore[attr-defined]
        if is_user_action(request):
            note_use(request, now)
        response = self.get_response(request)
        made: DeviceCookie | None = getattr(request, "made_cookie", None)
        if made is not None:
            set_device_cookie(response, made.token, made.number)
        return response

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_arguments: Any) -> None:
        """Read the sender for every view that does not compare what is remembered."""
        if not getattr(view, "assumes_sender", False):
            read_again(request)


def set_identity(
    request: HttpRequest, rows: IdentityRows | None = None, *, may_assume: bool = False
) -> dt.datetime:
    """Set `request.user`, `.device` and `.locked` for its session and cookies, and return the moment of the read.

    Also `.cookie_number`, that of its device cookie, and `.old_device`, whose old cookie it brings.

    `rows`: what was read for this request together with others. `may_assume`: take what is remembered; `.sender` says
    whether that was done.
    """
    assumed = remembered(request) if may_assume else None
    identity = assumed or identify(request, rows)
    request.user = identity.user
    request.device = identity.device  # type: ignore[attr-defined]
    request.cookie_number = identity.cookie  # type: ignore[attr-defined]
    request.old_device = identity.old_device  # type: ignore[attr-defined]
    request.sender = identity.sender  # type: ignore[attr-defined]
    request.locked = (  # type: ignore[attr-defined]
        assumed is None
        and identity.user.is_authenticated
        and is_locked(request, identity.device, identity.now)
    )
    if not request.locked:  # type: ignore[attr-defined]
        _remember(identity, request.session)
    return identity.now


def is_locked(request: HttpRequest, device: Device | None, now: dt.datetime) -> bool:
    """Whether a signed-in session may not act at this device. Locks an idle device, and records that."""
    if device is None or device.person_id is None or device.person_id != request.user.pk:
        return True
    if not people.is_of_newest_sign_in(request.session, device):
        return True
    if device.locked_at is None and is_idle(device, now) and not has_jumped(now):
        people.lock(device, reason="idle")
    return device.locked_at is not None


def note_use(request: HttpRequest, now: dt.datetime) -> None:
    """Save that the person of a request uses its device, at most once a minute."""
    device = enrolled_device(request)
    if device is not None and request.user.is_authenticated and not request.locked:  # type: ignore[attr-defined]
        record_use(device, now)
        _remember_use(request, device)


def is_idle(device: Device, now: dt.datetime) -> bool:
    """Whether nobody has used the device for DEVICE_IDLE_LOCK_SECONDS, to the minute of `record_use`."""
    if device.last_seen_at is None:
        return False
    return now - device.last_seen_at > dt.timedelta(seconds=settings.DEVICE_IDLE_LOCK_SECONDS)


def is_user_action(request: HttpRequest) -> bool:
    """Whether a person caused this request (an act or a page). A polling screen does not keep its device awake."""
    return request.method not in SAFE_METHODS or request.headers.get("Sec-Fetch-Mode") == "navigate"


def is_use_due(device: Device, moment: dt.datetime) -> bool:
    """Whether the use of a device was last saved a minute ago or more."""
    return device.last_seen_at is None or moment - device.last_seen_at >= USE_RECORDED_EVERY


def record_use(device: Device, moment: dt.datetime) -> None:
    """Save that the device is in use, at most once a minute."""
    if is_use_due(device, moment):
        Device.objects.filter(pk=device.pk).update(last_seen_at=moment)
        device.last_seen_at = moment


# The first access check


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
