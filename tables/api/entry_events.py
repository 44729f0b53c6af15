"""Server-Sent Events, of entries and of what a sign shall show: what the subscribers of a worker share, and the events
of one of them.

A subscriber is a coroutine and holds no thread and no connection to the database. For all subscribers of a worker, one
task asks once a second how far the order of entries is settled, and whose secret is still accepted (`Hub`). Then each
reads on from its own position: subscribers at the same position share one read. A slow subscriber reads later, and
nothing is kept for them. A device that was revoked, or a secret that has ended, ends its streams within a second. That
a client reads is on record for each gaming day of its open streams, before it gets entries that were written on it.
"""

import asyncio
import datetime as dt
import logging
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from audit import clients, clock, event_log
from audit.event_log import HORIZON, Ordered
from audit.logs import OutageLog
from audit.models import ApiClient, ClientSecret, Stream
from tables.api.app import Problem

POLL_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 15.0
ENTRIES_AT_ONCE = 200
MOST_PAGES = 32  # of a worker, between two polls
MOST_STREAMS = 10  # of a client at one worker
RETRY_MS = 2000
KEEP_ALIVE = b": nothing new\n\n"
ENDED = b'event: end\ndata: {"code":"client-ended"}\n\n'
log = logging.getLogger(__name__)


class Scope(NamedTuple):
    """Whose streams a client reads: those of its facility, or only that of its table (the name of the stream)."""

    facility: str
    only: str = ""

    def streams(self) -> list[Stream]:
        """The streams of real play that it reads, and its only one of any kind."""
        streams = event_log.streams_of(self.facility, with_training=bool(self.only))
        return [stream for stream in streams if self.only in ("", stream.name)]


@dataclass(eq=False)
class Subscriber:
    """One open stream: the secret with which it was opened, and whether that has ended."""

    secret: ClientSecret
    reads_entries: bool = True
    is_ended: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class EventPage(NamedTuple):
    """Some entries after a position, each with its stream, type and event, and up to which id they were read."""

    events: list[tuple[str, str, bytes]]
    until: int


class Hub:
    """The subscribers of one event loop. `horizon`: the id up to which entries may be read; 0 before the first poll."""

    def __init__(self) -> None:
        self.horizon = 0
        self._subscribers: set[Subscriber] = set()
        self._pages: dict[tuple[Scope, int], asyncio.Task[EventPage]] = {}
        self._noted: dict[int, dt.date] = {}  # the gaming day for which a client's reading is on record
        self._task: asyncio.Task[None] | None = None
        self._outage = OutageLog(log, "The stream of entries", "The next second tries again.", traceback=True)

    def join(self, subscriber: Subscriber) -> None:
        """Add a subscriber, who must leave at the end."""
        self._subscribers.add(subscriber)
        if self._task is None:
            self._task = asyncio.create_task(self._poll())

    def leave(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)

    async def page(self, scope: Scope, after: int) -> EventPage:
        """The entries after an id, up to the horizon. Subscribers at the same position share the read."""
        key = scope, after
        if key not in self._pages:
            if len(self._pages) >= MOST_PAGES:
                self._pages.clear()
            read = database_sync_to_async(_read_page, thread_sensitive=False)
            self._pages[key] = asyncio.ensure_future(read(scope, after, self.horizon))
        task = self._pages[key]
        try:
            return await asyncio.shield(task)
        finally:
            failed = task.done() and (task.cancelled() or task.exception() is not None)
            if failed and self._pages.get(key) is task:
                del self._pages[key]  # who asks again reads again

    async def _poll(self) -> None:
        spoken_at = time.monotonic()
        try:
            while self._subscribers:
                secrets = {subscriber.secret for subscriber in self._subscribers}
                reading = {subscriber.secret for subscriber in self._subscribers if subscriber.reads_entries}
                try:
                    read = database_sync_to_async(_read_state, thread_sensitive=False)
                    horizon, ended, new_days = await read(secrets, reading, self._noted)
                    self._end(ended)
                    for client, day in new_days.items():
                        note = database_sync_to_async(clients.note_reading_of_entries, thread_sensitive=False)
                        await note(client)
                        self._noted[client.pk] = day
                except Exception as error:
                    self._outage.failed(error)
                else:
                    self._outage.worked()
                    self._tell(horizon, is_time=time.monotonic() >= spoken_at)
                    if time.monotonic() >= spoken_at:
                        spoken_at = time.monotonic() + KEEP_ALIVE_SECONDS
                await asyncio.sleep(POLL_SECONDS)
        finally:
            self._task = None
            self._pages.clear()

    def _end(self, ended: set[ClientSecret]) -> None:
        for subscriber in self._subscribers:
            if subscriber.secret in ended:
                subscriber.is_ended = True
                subscriber.woken.set()

    def _tell(self, horizon: int, *, is_time: bool) -> None:
        """Wake the subscribers: all where there is more, or where it is time to show that the connection lives."""
        is_more = horizon != self.horizon
        if is_more:
            self.horizon = horizon
            self._pages.clear()
        for subscriber in self._subscribers:
            if is_more or is_time:
                subscriber.woken.set()


def _read_state(
    secrets: Iterable[ClientSecret], reading: Iterable[ClientSecret], noted: Mapping[int, dt.date]
) -> tuple[int, set[ClientSecret], dict[ApiClient, dt.date]]:
    """How far entries are settled, which secrets have ended, and the clients that read on another day than noted.

    `reading`: the secrets by which entries are read.
    """
    accepted = clients.accepted_ids(secret.pk for secret in secrets)
    horizon, now = HORIZON.read(), clock.now()
    readers = {secret.client for secret in reading if secret.pk in accepted}
    days = {client: clock.gaming_day(client.device.facility, now) for client in readers}
    new_days = {client: day for client, day in days.items() if noted.get(client.pk) != day}
    return horizon, {secret for secret in secrets if secret.pk not in accepted}, new_days


def _read_page(scope: Scope, after: int, horizon: int) -> EventPage:
    entries = event_log.entries_between(scope.streams(), after, horizon, ENTRIES_AT_ONCE)
    until = entries[-1].id if len(entries) == ENTRIES_AT_ONCE else horizon
    return EventPage([(entry.stream.name, entry.type, _event(entry)) for entry in entries], until)


def _event(entry: Ordered) -> bytes:
    return f"id: {entry.position}\nevent: entry\ndata: {entry.as_json()}\n\n".encode()


_hubs: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = weakref.WeakKeyDictionary()


def hub_of_loop() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


_open: weakref.WeakSet[Subscriber] = weakref.WeakSet()  # also those whose first event nobody has asked for
_opening = threading.Lock()


def entry_events(
    secret: ClientSecret, scope: Scope, after: int, stream: str = "", types: Sequence[str] = ()
) -> AsyncIterator[bytes]:
    """The events of one subscriber from an id on, without end. Raises Problem 429 for too many streams of a client.

    `stream`: the name of the only stream, or "". `types`: as in `event_log.of_types`. A comment follows where nothing
    was sent for 15 seconds, and an event `end` where its secret is no longer accepted.
    """
    return _events(_opened(secret), scope, after, stream, types)


def state_events(
    secret: ClientSecret, scope: Scope, name: str, read: Callable[[], str]
) -> AsyncIterator[bytes]:
    """The events of one subscriber with what it shall show, at once and whenever it has changed, without end.

    `name` of the events, and `read` their data, in one line; read again where there are entries in the scope. Otherwise
    as `entry_events`.
    """
    return _states(_opened(secret, reads_entries=False), scope, name, read)


def event_stream(events: AsyncIterator[bytes]) -> HttpResponseBase:
    """The answer with these events, which nothing on the way keeps."""
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _opened(secret: ClientSecret, *, reads_entries: bool = True) -> Subscriber:
    """An open stream of a client, of those that it may have. Raises Problem 429."""
    subscriber = Subscriber(secret, reads_entries)
    with _opening:
        if sum(other.secret.client_id == secret.client_id for other in _open) >= MOST_STREAMS:
            detail = f"This client has {MOST_STREAMS} open streams. Close one first."
            raise Problem(429, "too-many-streams", detail, headers={"Retry-After": str(RETRY_MS // 1000)})
        _open.add(subscriber)
    return subscriber


async def _events(
    subscriber: Subscriber, scope: Scope, after: int, stream: str, types: Sequence[str]
) -> AsyncIterator[bytes]:
    hub = hub_of_loop()
    hub.join(subscriber)
    try:
        yield f"retry: {RETRY_MS}\n\n".encode()
        sent_at = time.monotonic()
        while not subscriber.is_ended:
            subscriber.woken.clear()
            while after < hub.horizon and not subscriber.is_ended:
                page = await hub.page(scope, after)
                after = page.until
                text = b"".join(
                    event
                    for name, type_, event in page.events
                    if stream in ("", name) and event_log.is_of_types(type_, types)
                )
                if text:
                    yield text
                    sent_at = time.monotonic()
            if time.monotonic() - sent_at >= KEEP_ALIVE_SECONDS:
                yield KEEP_ALIVE
                sent_at = time.monotonic()
            await subscriber.woken.wait()
        yield ENDED
    finally:
        hub.leave(subscriber)
        _open.discard(subscriber)


async def _states(
    subscriber: Subscriber, scope: Scope, name: str, read: Callable[[], str]
) -> AsyncIterator[bytes]:
    hub = hub_of_loop()
    hub.join(subscriber)
    read_now = database_sync_to_async(read, thread_sensitive=False)
    try:
        yield f"retry: {RETRY_MS}\n\n".encode()
        shown, after, sent_at = "", 0, time.monotonic()
        while not subscriber.is_ended:
            subscriber.woken.clear()
            is_time = time.monotonic() - sent_at >= KEEP_ALIVE_SECONDS
            if not shown or is_time or await _has_entries(hub, scope, after):
                after = hub.horizon  # before the read: what comes meanwhile is read again
                state = await read_now()
                if state != shown:
                    yield f"event: {name}\ndata: {state}\n\n".encode()
                    shown, sent_at = state, time.monotonic()
                elif is_time:
                    yield KEEP_ALIVE
                    sent_at = time.monotonic()
            await subscriber.woken.wait()
        yield ENDED
    finally:
        hub.leave(subscriber)
        _open.discard(subscriber)


async def _has_entries(hub: Hub, scope: Scope, after: int) -> bool:
    return after < hub.horizon and bool((await hub.page(scope, after)).events)
