"""Heartbeats of several sockets together: in one thread, with a few statements for all of them.

Sockets that are due within a tenth of a second of each other are checked in one go: who is signed in where with two
statements, and the tables with one. Each socket's own check uses these rows, so it refuses for the same reasons as with
rows of its own. A failure at one socket does not affect the others.
"""

import asyncio
import contextvars
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from channels.db import database_sync_to_async

from audit.heads import current_incarnation
from tables.runner.access import SharedReads, read_together

GATHER_SECONDS = 0.1
MOST_TOGETHER = 50


class Beating(Protocol):
    """A socket that has heartbeats."""

    scope: Any

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        """Check access and return the current versions. Raises what its access check raises."""


class Beat(NamedTuple):
    """What a heartbeat tells a screen: the versions of its tables, and the incarnation of the record.

    After a restored backup a table may reach the version that its screen shows, with other entries. Its incarnation is
    then another one.
    """

    versions: dict[str, int]
    incarnation: int


class Heartbeats:
    """The heartbeats of one event loop that are due."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Beating, asyncio.Future[Beat]]] = []
        self.task: asyncio.Task[None] | None = None

    async def beat(self, socket: Beating) -> Beat:
        """Run the heartbeat of a socket together with others. Raises what it raises, or why none could be run."""
        result: asyncio.Future[Beat] = asyncio.get_running_loop().create_future()
        self.waiting.append((socket, result))
        if self.task is None:
            # Not in the context of one of the sockets
            self.task = asyncio.create_task(self._run_waiting(), context=contextvars.Context())
        return await result

    async def _run_waiting(self) -> None:
        try:
            while self.waiting:
                await asyncio.sleep(GATHER_SECONDS)
                due, self.waiting = self.waiting[:MOST_TOGETHER], self.waiting[MOST_TOGETHER:]
                await self._run([(socket, result) for socket, result in due if not result.done()])
        finally:
            self.task = None
            for _, result in self.waiting:  # this task was canceled: the server ends
                result.cancel()

    async def _run(self, due: Sequence[tuple[Beating, "asyncio.Future[Beat]"]]) -> None:
        """Run them, and hand each socket what its heartbeat returned or raised, unless it has left."""
        outcomes: Sequence[Beat | Exception]
        try:
            run = database_sync_to_async(run_heartbeats, thread_sensitive=False)
            outcomes = await run([socket for socket, _ in due])
        except asyncio.CancelledError:
            for _, result in due:
                result.cancel()
            raise
        except Exception as error:
            outcomes = [error] * len(due)
        for (_, result), outcome in zip(due, outcomes, strict=True):
            if result.done():
                continue
            if isinstance(outcome, Exception):
                result.set_exception(outcome)
            else:
                result.set_result(outcome)


def run_heartbeats(sockets: Sequence[Beating]) -> list[Beat | Exception]:
    """Run the heartbeats of these sockets. Returns what each returns or raises, in their order."""
    shared = read_together([_address(socket.scope) for socket in sockets]) if len(sockets) > 1 else None
    incarnation = current_incarnation()
    outcomes: list[Beat | Exception] = []
    for socket in sockets:
        try:
            outcomes.append(Beat(socket.heartbeat(shared), incarnation))
        except Exception as error:
            outcomes.append(error)
    return outcomes


def _address(scope: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str]:
    """The scope of a socket, and the facility and table of its address; no table for a floor."""
    route = scope["url_route"]["kwargs"]
    return scope, route["facility"], route.get("table", "")


_heartbeats: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Heartbeats] = weakref.WeakKeyDictionary()


def heartbeats() -> Heartbeats:
    """The heartbeats of the running event loop."""
    return _heartbeats.setdefault(asyncio.get_running_loop(), Heartbeats())
