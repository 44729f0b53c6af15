"""Which client sends a request, and what it may read: scopes, its facility, its only table, and its limit of requests.

    @router.get("/facilities/{slug:facility}/drops", auth=needs("money"), response=Page[Drop])
    def drops(request: ApiRequest, facility: str, …) -> …:
        here = request.caller.at(facility)

Any of the scopes that are named is enough. A client never learns of another facility: what is not its own is not there.
"""

import datetime as dt
import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import BaseCache, caches
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja.security import HttpBearer

from audit import clients, clock, people
from audit.clients import SCOPES
from audit.identity import SessionStore, record_use
from audit.logs import OutageLog
from audit.models import ApiClient, Device, Person
from audit.models.clients import ClientSecret
from games.models import Facility
from tables.api.app import Problem, View, not_found, problem_response
from tables.models import Table

CERTIFICATE = "X-Client-Certificate-Sha256"
WINDOW_SECONDS = 60
# Half of the connections of a worker (POSTGRES_OPTIONS), and a quarter of its threads (config/handler.py): however many
# reads come at once, the rest serve acts, readers of dice and signs.
MOST_READS = 4
MOST_READS_IN_TURN = 16  # those that run, and those that wait for their turn
_reading = threading.BoundedSemaphore(MOST_READS)
_in_turn = threading.BoundedSemaphore(MOST_READS_IN_TURN)
AWAY_SECONDS = 5.0  # until a store that failed is asked again
log = logging.getLogger(__name__)
RowT = TypeVar("RowT", bound=Model)


@dataclass(frozen=True)
class Caller:
    """The client that sends a request, with the scopes that its token was granted, and the sign-in that gave it."""

    client: ApiClient
    device: Device
    person: Person
    scopes: frozenset[str]
    facility: Facility
    secret: ClientSecret
    sign_in: str

    def at(self, facility: str) -> Facility:
        """The facility with this code. Raises Problem 404 for another one than the client's."""
        if facility != self.facility.code:
            raise not_found("facility")
        return self.facility

    def table(self, facility: str, code: str) -> Table:
        """A table of the client, with its stream and facility. Raises Problem 404 for any other."""
        self.at(facility)
        return self.table_by_code(code)

    def table_by_code(self, code: str) -> Table:
        """As `table`, at the client's own facility."""
        rows = Table.objects.select_related("facility", "pit", "stream")
        table = rows.filter(facility=self.facility, code=code).first()
        if table is None or self.device.place not in ("", table.stream.name):
            raise not_found("table")
        return table

    def tables(self) -> list[Table]:
        """The tables that the client may know of, by code: the only one that it serves, or all of its facility."""
        rows = Table.objects.filter(facility=self.facility).select_related("facility", "pit", "stream")
        if self.device.place:
            rows = rows.filter(stream__name=self.device.place)
        return list(rows.order_by("code"))

    def whole(self, facility: str) -> Facility:
        """The facility, for what belongs to no table. Raises Problem 403 for a client that serves one table."""
        if self.device.place:
            detail = "This client serves one table, and this belongs to the whole facility."
            raise Problem(403, "of-the-whole-facility", detail)
        return self.at(facility)

    def of_tables(
        self, rows: QuerySet[RowT], facility: str, code: str = "", path: str = "table"
    ) -> QuerySet[RowT]:
        """The rows of tables that the client may know of; of one of them by its code.

        `path`: how a row names its table. Raises Problem 404 for another facility or an unknown code.
        """
        here = self.at(facility)
        if code:
            return rows.filter(**{path: self.table_by_code(code).pk})
        rows = rows.filter(**{f"{path}__facility": here})
        return rows.filter(**{f"{path}__stream__name": self.device.place}) if self.device.place else rows


class ApiRequest(HttpRequest):
    """A request whose client is known."""

    caller: Caller


class Client(HttpBearer):
    """The rule of an address: the client has a token with one of these scopes.

    Raises Problem 403 for another one, and 429 for a client that sends too many requests.
    """

    openapi_type = "oauth2"
    openapi_flows = {"clientCredentials": {"tokenUrl": "/api/v1/oauth/token", "scopes": SCOPES}}

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__()
        self.scopes = frozenset(scopes)
        assert self.scopes <= SCOPES.keys()

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        caller = caller_of(token, certificate_of(request))
        if caller is None:
            return None
        count_request(request, caller)
        if not self.scopes & caller.scopes:
            raise Problem(
                403,
                "insufficient-scope",
                f"This takes a token with the scope {' or '.join(sorted(self.scopes))}.",
                headers={"WWW-Authenticate": 'Bearer realm="pitside", error="insufficient_scope"'},
            )
        request.caller = caller  # type: ignore[attr-defined]
        _set_sender(request, caller)
        return caller


def needs(*scopes: str) -> Client:
    """The rule of an address that takes one of these scopes."""
    return Client(scopes)


def _set_sender(request: HttpRequest, caller: Caller) -> None:
    """Set the device of the client, as `StationMiddleware` does for a browser, and nobody as its person yet.

    Nothing that a browser's cookies say counts beside a token: neither its person nor a second factor given there.
    """
    request.COOKIES = {}
    request.session = SessionStore()
    request.user = AnonymousUser()
    request.device, request.locked = caller.device, False  # type: ignore[attr-defined]


def certificate_of(request: HttpRequest) -> str:
    """The SHA-256 of the certificate that the client showed to the proxy, in hex; "" for none.

    Without a proxy that says so there is none, so that a client that is bound to one is refused.
    """
    return request.headers.get(CERTIFICATE, "") if settings.CLIENT_CERTIFICATES else ""


def caller_of(token: str, certificate: str = "") -> Caller | None:
    """Who sends a request with this token, if it is accepted now. Notes that the client is in use, once a minute."""
    granted = clients.check_token(token)
    if granted is None or not clients.has_certificate(granted.client, certificate):
        return None
    client = granted.client
    record_use(client.device, clock.now())
    facility = Facility.objects.get(code=client.device.facility)
    return Caller(
        client, client.device, client.person, granted.scopes, facility, granted.secret, granted.sign_in
    )


class RequestCounts:
    """How many requests were sent with a key, of all workers; while their store is away, of this worker alone.

    The store is Redis, the first of `REDIS_URL`. One that does not answer costs a request half a second, and is asked
    again by one request in five seconds: else the few reads at once would wait for it one after the other, and 503
    be the answer to the rest. Its numbers serve one minute, so none is carried over. Used from any thread.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._asked_again_at = 0.0
        self._outage = OutageLog(log, "The common count of requests", "Each worker counts its own meanwhile.")

    def add(self, key: str) -> int:
        """Count one more request, and return how many there were with this key."""
        began_at = self._monotonic()
        if began_at >= self._asked_again_at:
            if self._asked_again_at:  # the store was away: this request alone asks it
                self._asked_again_at = began_at + AWAY_SECONDS
            try:
                count = _counted(caches["api"], key)
            except Exception as error:
                self._asked_again_at = self._monotonic() + AWAY_SECONDS
                self._outage.failed(error)
            else:
                self._asked_again_at = 0.0
                self._outage.worked()
                return count
        return _counted(caches["default"], key)


def _counted(cache: BaseCache, key: str) -> int:
    if cache.add(key, 1, timeout=2 * WINDOW_SECONDS):
        return 1
    try:
        return cache.incr(key)
    except ValueError:  # forgotten since
        cache.set(key, 1, timeout=2 * WINDOW_SECONDS)
        return 1


request_counts = RequestCounts()


def count_request(request: HttpRequest, caller: Caller) -> None:
    """Count a request of a client in this minute, for the headers of the answer. Raises Problem 429 for too many."""
    most = settings.API_REQUESTS_PER_MINUTE
    now = clock.now()
    left_seconds = WINDOW_SECONDS - int(now.timestamp()) % WINDOW_SECONDS
    window = now + dt.timedelta(seconds=left_seconds)
    key = f"api:{caller.device.pk.hex}:{int(window.timestamp())}"
    count = request_counts.add(key)
    request.limit_headers = {  # type: ignore[attr-defined]
        "RateLimit-Policy": f'"client";q={most};w={WINDOW_SECONDS}',
        "RateLimit": f'"client";r={max(0, most - count)};t={left_seconds}',
    }
    if count > most:
        detail = f"This client sent more than {most} requests within a minute. Try again in {left_seconds} s."
        raise Problem(429, "too-many-requests", detail, headers={"Retry-After": str(left_seconds)})


def few_at_once(run: View) -> View:
    """Wrap the reads of a topic so that a worker runs a few at once, and the others wait without a connection.

    The answer is 503 where more wait already than may.
    """

    @wraps(run)
    def run_in_turn(request: HttpRequest, **address: Any) -> HttpResponseBase:
        turn = _in_turn
        if not turn.acquire(blocking=False):
            detail = "Too many reads are under way. Try again in a few seconds."
            return problem_response(Problem(503, "too-many-reads", detail))
        try:
            people.release_connection()
            with _reading:
                response: HttpResponseBase = run(request, **address)
                return response
        finally:
            turn.release()

    return run_in_turn
