"""Hand pushes to the channel layer beside the acts that cause them, in order. No act waits for a layer that is away.

Whatever is waiting is sent at once, within half a second. If the layer does not take it in that time, it is dropped,
and for five seconds nothing is sent (the circuit breaker). A dropped push loses no act: heartbeats make the screens
resync.
"""

import asyncio
import contextvars
import logging
import time
import weakref
from collections.abc import Sequence
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import BaseChannelLayer, get_channel_layer

from audit.logs import OutageLog
from tables.screens.redis_layer import RedisLayer

log = logging.getLogger(__name__)
SEND_SECONDS = 0.5
RETRY_SECONDS = 5.0
Push = tuple[str, dict[str, Any]]  # a group, and the event for its sockets
# The event loop of the server, in the thread that handles a request.
SERVER_LOOP: contextvars.ContextVar[asyncio.AbstractEventLoop | None] = contextvars.ContextVar(
    "server_loop", default=None
)


def layer() -> BaseChannelLayer:
    """Return the channel layer; every installation has one."""
    channel_layer = get_channel_layer()
    assert channel_layer is not None
    return channel_layer


class Delivery:
    """The pushes of one event loop."""

    def __init__(self) -> None:
        self.outage = OutageLog(
            log,
            "The channel layer",
            "Pushes are dropped until it works again; heartbeats make the screens resync.",
        )
        self.waiting: list[Push] = []
        self.task: asyncio.Task[None] | None = None
        self.retry_at: float | None = None  # None while the layer works

    @property
    def is_suspended(self) -> bool:
        """Whether the layer was away a moment ago, and is not tried yet."""
        return self.retry_at is not None and time.monotonic() < self.retry_at

    def add(self, pushes: Sequence[Push]) -> None:
        """Send pushes soon, after those that were added before."""
        if self.is_suspended:
            return
        self.waiting.extend(pushes)
        if self.task is None:
            # Not in the request's context: its log lines and its thread end with it.
            self.task = asyncio.create_task(self._send_waiting(), context=contextvars.Context())

    async def flush(self) -> None:
        """Wait until what was added is sent or dropped: half a second for each attempt."""
        if self.task is not None:
            await asyncio.wait([self.task])

    async def try_layer(self) -> bool:
        """Whether the layer takes a push now, also during the pause after a failure."""
        return await self._send([("health", {"type": "health"})])

    def failed(self, error: Exception) -> None:
        """Suspend sending for five seconds, because the layer failed."""
        self.retry_at = time.monotonic() + RETRY_SECONDS
        self.outage.failed(error)

    def worked(self) -> None:
        """Go on sending, because the layer works."""
        self.retry_at = None
        self.outage.worked()

    async def _send_waiting(self) -> None:
        try:
            while self.waiting:
                pushes, self.waiting = self.waiting, []
                if not await self._send(pushes):
                    self.waiting.clear()
        finally:
            self.task = None

    async def _send(self, pushes: Sequence[Push]) -> bool:
        try:
            await asyncio.wait_for(_send_in_order(pushes), SEND_SECONDS)
        except Exception as error:
            self.failed(error)
            return False
        self.worked()
        return True


async def _send_in_order(pushes: Sequence[Push]) -> None:
    channel_layer = layer()
    if isinstance(channel_layer, RedisLayer):
        await channel_layer.publish_together(pushes)
        return
    for group, event in pushes:
        await channel_layer.group_send(group, event)


_deliveries: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Delivery] = weakref.WeakKeyDictionary()


def delivery() -> Delivery:
    """The deliveries of the running event loop."""
    return _deliveries.setdefault(asyncio.get_running_loop(), Delivery())


def hand_over(pushes: Sequence[Push]) -> None:
    """Send pushes soon, from a thread that handles a request, and do not wait for it.

    Outside a server, where no event loop would send them later, they are sent or dropped before this returns.
    """
    loop = SERVER_LOOP.get()
    if loop is None:
        async_to_sync(_add_and_flush)(pushes)
    else:
        loop.call_soon_threadsafe(_add, pushes)


def _add(pushes: Sequence[Push]) -> None:
    delivery().add(pushes)


async def _add_and_flush(pushes: Sequence[Push]) -> None:
    delivery().add(pushes)
    await delivery().flush()
