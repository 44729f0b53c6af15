"""Entries as Server-Sent Events: what the subscribers of a worker share, and the events of one of them.

A subscriber is a coroutine and holds no thread and no connection to the database. For all subscribers of a worker, one
task asks once a second how far the order of entries is settled, and whose secret is still accepted (`Hub`). Then each
reads on from its own position: subscribers at the same position share one read. Whoever is slow reads later, and
nothing is kept for them. A device that was revoked, or a secret that has ended, ends its streams within a second.
"""

import asyncio
import logging
import time
import weakref
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from channels.db import database_sync_to_async

from audit import clients, event_log
from audit.event_log import HORIZON, Ordered
from audit.logs import OutageLog
from audit.models import Stream

POLL_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 15.0
ENTRIES_AT_ONCE = 200
MOST_PAGES = 32  # of a worker, between two polls
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

    secret_id: int
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
        self._task: asyncio.Task[None] | None = None
        self._outage = OutageLog(log, "The stream of entries", "The next second tries again.", traceback=True)

    def join(self, secret_id: int) -> Subscriber:
        """Add a subscriber, who must leave at the end."""
        subscriber = Subscriber(secret_id)
        self._subscribers.add(subscriber)
        if self._task is None:
            self._task = asyncio.create_task(self._poll())
        return subscriber

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
                secret_ids = {subscriber.secret_id for subscriber in self._subscribers}
                try:
                    read = database_sync_to_async(_read_state, thread_sensitive=False)
                    horizon, accepted = await read(secret_ids)
                except Exception as error:
                    self._outage.failed(error)
                else:
                    self._outage.worked()
                    self._tell(horizon, secret_ids - accepted, is_time=time.monotonic() >= spoken_at)
                    if time.monotonic() >= spoken_at:
                        spoken_at = time.monotonic() + KEEP_ALIVE_SECONDS
                await asyncio.sleep(POLL_SECONDS)
        finally:
            self._task = None
            self._pages.clear()

    def _tell(self, horizon: int, ended: set[int], *, is_time: bool) -> None:
        """Wake the subscribers: all where there is more, or where it is time to show that the connection lives."""
        is_more = horizon != self.horizon
        if is_more:
            self.horizon = horizon
            self._pages.clear()
        for subscriber in self._subscribers:
            subscriber.is_ended |= subscriber.secret_id in ended
            if is_more or is_time or subscriber.is_ended:
                subscriber.woken.set()


def _read_state(secret_ids: set[int]) -> tuple[int, set[int]]:
    return HORIZON.read(), clients.accepted_ids(secret_ids)


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


async def entry_events(
    secret_id: int, scope: Scope, after: int, stream: str = "", types: Sequence[str] = ()
) -> AsyncIterator[bytes]:
    """Yield the events of one subscriber from an id on, without end.

    `stream`: the name of the only stream, or "". `types`: as in `event_log.of_types`. A comment follows where nothing
    was sent for 15 seconds, and an event `end` where its secret is no longer accepted.
    """
    hub = hub_of_loop()
    subscriber = hub.join(secret_id)
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
