"""Who sends a request: its device, its session and its person, read in one statement.

Every act, page and heartbeat begins with it. Django would read the session, the person and the device one by one.
"""

import datetime as dt
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
from audit.devices import token_hash, token_of
from audit.models import Device, Person
from audit.rows import read
from audit.sessions import SessionStore

NO_TOKEN = b""


@dataclass(frozen=True, slots=True)
class Identity:
    """The enrolled device of a request or None, the person of its session, and the moment of the read."""

    device: Device | None
    user: Person | AnonymousUser
    now: dt.datetime


def identify(request: HttpRequest) -> Identity:
    """Read who sends a request. Its session keeps the row that was read. Locks nothing."""
    token, key = token_of(request), request.session.session_key
    if token is None and key is None:  # as the proxy's health check
        return Identity(None, AnonymousUser(), timezone.now())
    device, row, moment = _read(token, key)
    if row is not None and isinstance(request.session, SessionStore):
        request.session.row = row
    return Identity(device, _user(request, device), clock.read(moment))


def _read(token: str | None, key: str | None) -> tuple[Device | None, Session | None, dt.datetime | None]:
    """The device with the person signed in at it, the session's row, and the database's time if it has a clock."""
    models = (("v", Device), ("p", Person), ("s", Session))
    sql = """FROM (SELECT 1 AS is_asked) request
             LEFT JOIN audit_device v ON v.token_sha256 = %s AND v.revoked_at IS NULL
             LEFT JOIN audit_person p ON p.id = v.person_id
             LEFT JOIN django_session s ON s.session_key = %s AND s.expire_date > %s"""
    moment = "clock_timestamp()" if connection.vendor == "postgresql" else "NULL"
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    params = [token_hash(token) if token else NO_TOKEN, key or "", now]
    (((device, person, row), (read_at,)),) = read(models, sql, params, more=moment)
    if device is not None:
        device.person = person
    return device, row, read_at


def _user(request: HttpRequest, device: Device | None) -> Person | AnonymousUser:
    """The person of the request's session, as `django.contrib.auth.get_user` finds them.

    The person signed in at the device is not read again: if the session is theirs, its hash is compared here. In
    any other case Django decides.
    """
    session = request.session
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
