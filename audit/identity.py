"""Who sends a request: its device, its session and its person, read in one statement.

Every act, page and heartbeat begins with it. Django would read the session, the person and the device one by one.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    get_user,
)
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from audit.clock import clock
from audit.device_cookies import DeviceCookie, cookie_of, is_current
from audit.devices import token_hash
from audit.models import Device, Person
from audit.people import SESSION_DEVICE
from audit.rows import in_list, read
from audit.sessions import SessionStore

NO_TOKEN = b""


@dataclass(frozen=True, slots=True)
class Identity:
    """The enrolled device of a request or None, the person of its session, and the moment of the read.

    `cookie`: the number of its device cookie. `old_device`: that whose old cookie the request brings.
    """

    device: Device | None
    user: Person | AnonymousUser
    now: dt.datetime
    cookie: int = 0
    old_device: Device | None = None


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
    key, cookie = request.session.session_key, cookie_of(request)
    if rows is None:
        if cookie is None and key is None:  # as the proxy's health check
            return Identity(None, AnonymousUser(), timezone.now())
        device, row, moment = _read(cookie, key)
    else:
        device, row, moment = rows.device_of(request), rows.sessions.get(key or ""), rows.moment
    if row is not None and isinstance(request.session, SessionStore):
        request.session.row = row
    now, number = clock.read(moment), cookie.number if cookie else 0
    if device is not None and not is_current(device, number, now):
        return Identity(None, _user(request, None), now, number, old_device=device)
    return Identity(device, _user(request, device), now, number)


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
) -> tuple[Device | None, Session | None, dt.datetime | None]:
    """The device with the person signed in at it, the session's row, and the database's time if it has a clock."""
    models = (("v", Device), ("p", Person), ("s", Session))
    sql = """FROM (SELECT 1 AS is_asked) request
             LEFT JOIN audit_device v ON v.token_sha256 = %s AND v.revoked_at IS NULL
             LEFT JOIN audit_person p ON p.id = v.person_id
             LEFT JOIN django_session s ON s.session_key = %s AND s.expire_date > %s"""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    params = [token_hash(cookie.token) if cookie else NO_TOKEN, key or "", now]
    (((device, person, row), (read_at,)),) = read(models, sql, params, more=_moment_sql())
    if device is not None:
        device.person = person
    return device, row, read_at


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
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())
    ):
        return person
    user = get_user(request)
    assert isinstance(user, Person | AnonymousUser)
    return user
