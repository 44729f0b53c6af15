"""Push tables to their screens after the commit. A lost push loses no act: screens compare versions.

A push carries the state of one table as JSON. The workers whose sockets show the table render it, each station once
(`fragments.py`), beside the answer to the act. It goes three steps:

1. `publish_from_thread` makes the pushes of a table, and `Delivery` hands them to the channel layer beside the acts
   that cause them, in order. No act waits for a layer that is away. Whatever is waiting is sent at once, within half a
   second. If the layer does not take it in that time, it is dropped, and for five seconds nothing is sent (the circuit
   breaker). After a dropped push heartbeats make the screens resync.
2. The channel layer (`RedisLayer`) is on Redis pub/sub, which a Redis that is away or frozen does not bring down. It
   differs from that of channels_redis in four ways. A socket opens without asking Redis: its own channel is local, and
   only its groups are subscribed to. Nothing waits longer than two seconds for Redis. An outage is one line of the log.
   And the pushes of an act are sent together.
3. The sockets (`tables.views.sockets`) send what they render.
"""

import asyncio
import contextvars
import logging
import time
import uuid
import weakref
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.layers import BaseChannelLayer, get_channel_layer
from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection
from channels_redis.utils import _wrap_close, decode_hosts
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

from audit.logs import OutageLog
from tables.core.context import TableContext
from tables.screens import fragments
from tables.screens.fragments import TableState

# The channel layer


log = logging.getLogger(__name__)
CONNECT_SECONDS = 1.0
COMMAND_SECONDS = 2.0
READ_SECONDS = 5.0  # until the reader looks whether it is still subscribed to anything
SUBSCRIBE_SECONDS = 0.1
RECONNECT_SECONDS = 0.1
REDIS_RETRY_SECONDS = 0.5


class RedisLayer(RedisPubSubChannelLayer):  # type: ignore[misc]
    """Redis pub/sub, with one `LoopLayer` for each event loop. Takes what channels_redis takes as configuration."""

    def _get_layer(self) -> "LoopLayer":
        loop = asyncio.get_running_loop()
        if loop not in self._layers:
            self._layers[loop] = LoopLayer(*self._args, **self._kwargs, channel_layer=self)
            _wrap_close(self, loop)
        layer: LoopLayer = self._layers[loop]
        return layer

    async def publish_together(self, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Send events to groups, in their order, in one round trip to each Redis."""
        await self._get_layer().publish_together(events)


class LoopLayer(RedisPubSubLoopLayer):  # type: ignore[misc]
    """The layer of one event loop."""

    def __init__(self, hosts: Any = None, **options: Any) -> None:
        super().__init__(hosts=hosts, **options)
        self._shards = [Subscriptions(_with_limits(host), self) for host in decode_hosts(hosts)]

    async def new_channel(self, prefix: str = "specific.") -> str:
        """A channel of this process alone. Redis is not asked: nobody sends to a channel, only to groups."""
        channel = f"{self.prefix}{prefix}{uuid.uuid4().hex}"
        self.channels[channel] = asyncio.Queue()
        return channel

    async def publish_together(self, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """As `RedisLayer.publish_together`."""
        messages: defaultdict[Subscriptions, list[tuple[str, bytes]]] = defaultdict(list)
        for group, event in events:
            channel = self._get_group_channel_name(group)
            messages[self._get_shard(channel)].append((channel, self.channel_layer.serialize(event)))
        for shard, its_messages in messages.items():
            await shard.publish_all(its_messages)


class Subscriptions(RedisSingleShardConnection):  # type: ignore[misc]
    """The connections to one Redis. Its reader tries on while Redis is away, and says so once."""

    def __init__(self, host: dict[str, Any], channel_layer: LoopLayer) -> None:
        super().__init__(host, channel_layer)
        self.outage = OutageLog(log, "Reading pushes from Redis", "Screens live on their heartbeats.")

    async def publish_all(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Publish messages to channels, in one round trip."""
        async with self._lock:
            self._ensure_redis()
            async with self._redis.pipeline(transaction=False) as pipeline:
                for channel, message in messages:
                    pipeline.publish(channel, message)
                await pipeline.execute()

    async def _do_receiving(self) -> None:
        while True:
            try:
                if self._pubsub is None or not self._pubsub.subscribed:
                    await asyncio.sleep(SUBSCRIBE_SECONDS)
                    continue
                message = await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=READ_SECONDS)
                self.outage.worked()
                self._receive_message(message)
            except Exception as error:
                self.outage.failed(error)
                await asyncio.sleep(REDIS_RETRY_SECONDS)


def _with_limits(host: dict[str, Any]) -> dict[str, Any]:
    """A host's options with limits of time, unless it has its own. The caller tries again, not redis-py."""
    limits = {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": COMMAND_SECONDS,
        "retry": Retry(ConstantBackoff(RECONNECT_SECONDS), 1),
    }
    return {**limits, **host}


# Delivery


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


def is_suspended() -> bool:
    """Whether the channel layer was away a moment ago, for a thread that handles a request: no push comes then."""
    loop = SERVER_LOOP.get()
    deliveries = _deliveries.get(loop) if loop is not None else None
    return deliveries is not None and deliveries.is_suspended


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


# Pushes


def table_group(table_id: int) -> str:
    """Return the group of the screens that show this table, at any station."""
    return f"table.{table_id}"


def floor_group(facility_code: str) -> str:
    """Return the group of a facility's pit dashboards."""
    return f"floor.{facility_code}"


def device_group(device_id: uuid.UUID) -> str:
    """Return the group of a device's sockets, so that signing off there closes them all, and no others."""
    return f"device.{device_id}"


async def publish(table_id: int) -> TableState:
    """Send a table's state to its screens and to its facility's dashboards, and return it.

    Nobody waits for the channel layer: the state is sent beside this coroutine.
    """
    state = await database_sync_to_async(fragments.read_state)(table_id)
    delivery().add(_pushes(table_id, state))
    return state


def publish_from_thread(table_id: int, ctx: TableContext | None = None) -> TableState:
    """As `publish`, for the thread that handles a request; outside a server the state is sent before this returns.

    `ctx`: that of the act, if it has all that the act wrote; then the table is not read again.
    """
    state = fragments.read_state(table_id) if ctx is None else fragments.state_after(ctx)
    hand_over(_pushes(table_id, state))
    return state


def _pushes(table_id: int, state: TableState) -> list[Push]:
    event = {"type": "screen", "table": state.table, "state": state.text}
    return [(table_group(table_id), event), (floor_group(state.facility), event)]


def on_table_changed(sender: Any, table_id: int, **_extra: Any) -> None:
    """Publish a table for code that is not asynchronous (`tables.core.context.table_changed`)."""
    publish_from_thread(table_id)


async def close_device(device_id: uuid.UUID, code: int) -> None:
    """Close the sockets of a device at which somebody signed off or was relieved (4401), or which was locked (4423).

    Waits half a second at most. A socket that is not reached finds out by its next heartbeat.
    """
    delivery().add([(device_group(device_id), {"type": "closing", "code": code})])
    await delivery().flush()
