"""Push tables to their screens after the commit. A lost push loses no act: screens compare versions.

The worker that acted hands the snapshot to its own sockets as it is (`sockets_of_loop`); others get its JSON from the
channel layer, and render it, each station once (`fragments.py`), beside the answer to the act.

1. `publish_from_thread` makes the pushes of a table, and `Delivery` hands them to the channel layer beside the acts
   that cause them, in order. No act waits for a layer that is away. Whatever is waiting is sent at once, within half a
   second. If the layer does not take it in that time, it is dropped, and for five seconds nothing is sent (the circuit
   breaker). After a dropped push heartbeats make the screens resync.
2. The channel layer (`RedisLayer`) is on Redis pub/sub, which a Redis that is away or frozen does not bring down. It
   differs from that of channels_redis in six ways. A socket opens without asking Redis: its own channel is local, and
   only its groups are subscribed to. Nothing waits longer than two seconds for Redis. An outage is one line of the log.
   The pushes of an act are sent together. And Redis says who listens: to a group at which no other worker listened last
   time only the version is sent, which a worker that has begun to listen since answers by reading the table. And each
   worker listens to every one of several Redis, and sends to the first that works (`Servers`).
3. The sockets (`tables.views.sockets`) send what they render. Those of a worker hear the layer on one channel, and what
   comes back of the worker's own pushes ends there.
"""

import asyncio
import contextvars
import logging
import socket as network
import time
import types
import uuid
import weakref
from collections.abc import Coroutine, Generator, Iterable, Sequence
from typing import Any, Protocol

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.layers import BaseChannelLayer, get_channel_layer
from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection
from channels_redis.utils import _wrap_close, decode_hosts
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

from audit import metrics
from audit.logs import OutageLog
from games.snapshot_types import Snapshot
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
# Seconds until an idle connection is probed, between two probes, and how many may be lost; not on every system
KEEPALIVE = {
    getattr(network, name): value
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3))
    if hasattr(network, name)
}


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

    def others_listen(self, group: str) -> bool:
        """Whether another worker listened to a group when something was last sent there, or may have."""
        return group not in self._get_layer().left_alone


class LoopLayer(RedisPubSubLoopLayer):  # type: ignore[misc]
    """The layer of one event loop."""

    def __init__(self, hosts: Any = None, **options: Any) -> None:
        super().__init__(hosts=hosts, **options)
        self._servers = Servers([Subscriptions(_with_limits(host), self) for host in decode_hosts(hosts)])
        self._shards = [self._servers]
        self.left_alone: set[str] = set()  # groups to which no other worker listened

    async def new_channel(self, prefix: str = "specific.") -> str:
        """A channel of this process alone. Redis is not asked: nobody sends to a channel, only to groups."""
        channel = f"{self.prefix}{prefix}{uuid.uuid4().hex}"
        self.channels[channel] = asyncio.Queue()
        return channel

    async def publish_together(self, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """As `RedisLayer.publish_together`."""
        messages = [
            (group, self._get_group_channel_name(group), self.channel_layer.serialize(event))
            for group, event in events
        ]
        listeners = await self._servers.publish_all([message[1:] for message in messages])
        for (group, channel, _), count in zip(messages, listeners, strict=True):
            is_alone = count <= (channel in self.groups)
            (self.left_alone.add if is_alone else self.left_alone.discard)(group)


class Servers:
    """Several Redis that do not know of each other, to channels_redis as one.

    Every worker subscribes at each of them, and publishes to the first one that works. So nothing has to be decided or
    promoted when one is lost, and none has to be told to those who listen.
    """

    def __init__(self, servers: Sequence["Subscriptions"]) -> None:
        self.servers = servers

    async def publish(self, channel: str, message: bytes) -> None:
        await self.publish_all([(channel, message)])

    async def publish_all(self, messages: Sequence[tuple[str, bytes]]) -> list[int]:
        """Publish messages to channels at the first server that takes them. Returns how many connections got each.

        Raises what the last one raised. One that failed is asked after the others for five seconds.
        """
        in_turn = sorted(self.servers, key=lambda server: server.is_away)
        for server in in_turn:
            try:
                async with asyncio.timeout(SEND_SECONDS / len(in_turn)):
                    received = await server.publish_all(messages)
            except Exception:
                server.failed()
                if server is in_turn[-1]:
                    raise
            else:
                server.worked()
                return received
        raise AssertionError("no server")

    async def subscribe(self, channel: str) -> None:
        """Subscribe to a channel at each server; one that does not answer follows when it does.

        Raises what a server raised if none of those that can be reached did it.
        """
        reachable = [server for server in self.servers if not server.is_away] or self.servers
        results = await asyncio.gather(
            *(server.subscribe(channel) for server in reachable), return_exceptions=True
        )
        errors = [result for result in results if isinstance(result, BaseException)]
        if len(errors) == len(reachable):
            raise errors[0]
        for server in self.servers:
            server.want(channel)

    async def unsubscribe(self, channel: str) -> None:
        """Leave a channel at each server. Raises what one of them raised."""
        results = await asyncio.gather(
            *(server.leave(channel) for server in self.servers), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def flush(self) -> None:
        for server in self.servers:
            await server.flush()


class Subscriptions(RedisSingleShardConnection):  # type: ignore[misc]
    """The connections to one Redis. Its reader tries on while Redis is away, and says so once."""

    def __init__(self, host: dict[str, Any], channel_layer: LoopLayer) -> None:
        super().__init__(host, channel_layer)
        self.outage = OutageLog(log, "Reading pushes from Redis", "Screens live on their heartbeats.")
        self.wanted: set[str] = set()  # channels; one that is not subscribed to yet is tried again
        self.retry_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether this server failed within five seconds, so that others are asked first."""
        return time.monotonic() < self.retry_at

    def failed(self) -> None:
        """This server did not take a push."""
        self.retry_at = time.monotonic() + RETRY_SECONDS

    def worked(self) -> None:
        """This server took a push."""
        self.retry_at = 0.0

    def want(self, channel: str) -> None:
        """Let the reader subscribe to a channel when this server answers, if nobody does before."""
        self.wanted.add(channel)
        self._ensure_receiver()

    async def leave(self, channel: str) -> None:
        """Unsubscribe from a channel."""
        self.wanted.discard(channel)
        await self.unsubscribe(channel)

    async def flush(self) -> None:
        self.wanted.clear()
        await super().flush()

    async def publish_all(self, messages: Sequence[tuple[str, bytes]]) -> list[int]:
        """Publish messages to channels, in one round trip. Returns how many connections got each."""
        async with self._lock:
            self._ensure_redis()
            async with self._redis.pipeline(transaction=False) as pipeline:
                for channel, message in messages:
                    pipeline.publish(channel, message)
                received: list[int] = await pipeline.execute()
                return received

    async def _do_receiving(self) -> None:
        while True:
            try:
                for channel in self.wanted - self._subscribed_to:
                    await self.subscribe(channel)
                if self._pubsub is None or not self._pubsub.subscribed:
                    await asyncio.sleep(SUBSCRIBE_SECONDS)
                    continue
                message = await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=READ_SECONDS)
                await self._verify_connected()
                self.outage.worked()
                self._receive_message(message)
            except Exception as error:
                self.outage.failed(error)
                await asyncio.sleep(REDIS_RETRY_SECONDS)

    async def _verify_connected(self) -> None:
        """Raise what ended the reader's connection, and let the next read connect again.

        To redis-py, what the system says of a machine that is gone (ETIMEDOUT, a TimeoutError) is a read that got no
        message in time. It would read on at once, again and again, and the server would do nothing else.
        """
        connection = self._pubsub.connection
        error = getattr(getattr(connection, "_reader", None), "exception", lambda: None)()
        if error is not None:
            await connection.disconnect(nowait=True)
            raise error


def _with_limits(host: dict[str, Any]) -> dict[str, Any]:
    """A host's options with limits of time, unless it has its own. The caller tries again, not redis-py.

    A reader sends nothing: only keepalive tells it that the machine of its Redis is gone.
    """
    limits = {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": COMMAND_SECONDS,
        "retry": Retry(ConstantBackoff(RECONNECT_SECONDS), 1),
    }
    if not str(host.get("address", "")).startswith("unix:"):
        limits |= {"socket_keepalive": True, "socket_keepalive_options": KEEPALIVE}
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
            metrics.LOST_PUSHES.inc(len(pushes))
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
                    metrics.LOST_PUSHES.inc(len(pushes) + len(self.waiting))
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
        await channel_layer.publish_together(
            [
                (group, _as_sent(event, with_state=channel_layer.others_listen(group)))
                for group, event in pushes
            ]
        )
        return
    for group, event in pushes:
        await channel_layer.group_send(group, _as_sent(event, with_state=True))


def _as_sent(event: dict[str, Any], *, with_state: bool) -> dict[str, Any]:
    """An event as other workers get it: of the state its JSON, or None where they have to read it."""
    state = event.get("state")
    if not isinstance(state, TableState):
        return event
    return {**event, "state": state.text if with_state else None}


_deliveries: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Delivery] = weakref.WeakKeyDictionary()


def delivery() -> Delivery:
    """The deliveries of the running event loop."""
    return _deliveries.setdefault(asyncio.get_running_loop(), Delivery())


def is_suspended() -> bool:
    """Whether the channel layer was away a moment ago, for a thread that handles a request: no push comes then."""
    loop = SERVER_LOOP.get()
    deliveries = _deliveries.get(loop) if loop is not None else None
    return deliveries is not None and deliveries.is_suspended


# The sockets of this worker


REJOIN_SECONDS = 600.0


def begin(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run a coroutine at once as far as it gets without waiting. The task that then goes on with it; None at its end.

    A push ends without waiting at all sockets but those of slow pages: fifty tasks would take longer than its bytes.
    """
    try:
        waited_for = coroutine.send(None)
    except StopIteration:
        return None
    return asyncio.create_task(_go_on(coroutine, waited_for))


@types.coroutine
def _go_on(coroutine: Coroutine[Any, Any, None], waited_for: Any) -> Generator[Any, Any, None]:
    try:
        while True:
            try:
                result = yield waited_for
            except BaseException as error:
                waited_for = coroutine.throw(error)
            else:
                waited_for = coroutine.send(result)
    except StopIteration:
        return


class Socket(Protocol):
    """A socket that shows tables."""

    def take(self, state: Snapshot) -> None:
        """Show a state soon."""

    def close_soon(self, code: int) -> None:
        """Close it: the session at its device has ended."""


class Sockets:
    """The sockets of one event loop, by their groups. One channel of the layer hears for all of them what others send.

    `origin`: the name of this loop among all that send pushes.
    """

    def __init__(self) -> None:
        self.origin = uuid.uuid4().hex
        self._groups: dict[str, set[Socket]] = {}
        # By facility and table, the version of the newest act of this worker, and when it was tapped
        self._tapped: dict[tuple[str, str], tuple[int, float]] = {}
        self._heard_since: dict[str, float] = {}  # by the groups that the channel has joined
        self._channel = ""
        self._hearing: asyncio.Task[None] | None = None
        self._reads: dict[int, tuple[asyncio.Task[None], set[str]]] = {}  # by table, and who waits for it

    def join(self, groups: Iterable[str], socket: Socket) -> None:
        """Hand the socket what is sent to these groups from now on."""
        for group in groups:
            self._groups.setdefault(group, set()).add(socket)

    def leave(self, groups: Iterable[str], socket: Socket) -> None:
        """Hand the socket nothing more."""
        for group in groups:
            members = self._groups.get(group, set())
            members.discard(socket)
            if not members:
                self._groups.pop(group, None)

    def tell(self, groups: Iterable[str], state: Snapshot) -> None:
        """Hand a state to the sockets of these groups."""
        for group in groups:
            for socket in list(self._groups.get(group, ())):
                socket.take(state)

    def note_tap(self, state: TableState, tapped: float) -> None:
        """Note when the act was tapped (by `time.monotonic`) after which a table has this state."""
        self._tapped[state.facility, state.table] = (state.version, tapped)

    def note_shown(self, station: str, state: Snapshot) -> None:
        """Count the seconds from the tap of this worker's act until a socket was sent the state after it."""
        table = state["table"]
        version, tapped = self._tapped.get((table["facility"], table["code"]), (0, 0.0))
        if state["version"] == version:
            metrics.TAP_TO_SCREEN.labels(station).observe(time.monotonic() - tapped)

    def hears(self, groups: Iterable[str]) -> bool:
        """Whether this loop hears what other workers send to all of these groups, joined within ten minutes."""
        since = time.monotonic() - REJOIN_SECONDS
        return all(self._heard_since.get(group, since) > since for group in groups)

    async def hear(self, groups: Iterable[str]) -> None:
        """Hear what others send to these groups. Raises what the layer raises while it is away."""
        channel_layer = layer()
        if self._hearing is None:
            self._channel = await channel_layer.new_channel()
            hearing = self._hear(channel_layer, self._channel)
            self._hearing = asyncio.create_task(hearing, context=contextvars.Context())
        for group in groups:
            if not self.hears([group]):
                await channel_layer.group_add(group, self._channel)
                self._heard_since[group] = time.monotonic()

    async def hear_no_more(self, groups: Iterable[str]) -> None:
        """Leave those of these groups that have no socket here. Raises what the layer raises while it is away."""
        for group in groups:
            if group not in self._groups and self._heard_since.pop(group, None) is not None:
                await layer().group_discard(group, self._channel)

    async def _hear(self, channel_layer: BaseChannelLayer, channel: str) -> None:
        try:
            while True:
                try:
                    self._handle(await channel_layer.receive(channel))
                except Exception:
                    log.exception("a push was not handled; heartbeats make the screens resync")
                    await asyncio.sleep(REDIS_RETRY_SECONDS)
        finally:  # the loop ends, which its own task would keep
            self._hearing = None

    def _handle(self, event: dict[str, Any]) -> None:
        group = event["group"]
        if event["type"] == "closing":
            for socket in list(self._groups.get(group, ())):
                socket.close_soon(event["code"])
        elif event["origin"] != self.origin:  # this loop has shown its own already
            if event["state"] is not None:
                self.tell([group], fragments.parsed(event["state"]))
            elif event["id"] in self._reads:
                self._reads[event["id"]][1].add(group)
            else:
                self._reads[event["id"]] = asyncio.create_task(self._read(event["id"])), {group}

    async def _read(self, table_id: int) -> None:
        """Read a table of which the version alone was sent, once for the groups to which it was sent until now."""
        await asyncio.sleep(0)
        try:
            state = await database_sync_to_async(fragments.read_state, thread_sensitive=False)(table_id)
        except Exception:
            log.exception("table %s was not read after a push; the heartbeat makes the screens ask", table_id)
        else:
            self.tell(self._reads[table_id][1], state.snapshot)
        finally:
            del self._reads[table_id]


_sockets: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Sockets] = weakref.WeakKeyDictionary()


def sockets_of_loop() -> Sockets:
    """The sockets of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _sockets:
        _sockets[loop] = Sockets()
    return _sockets[loop]


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
    _send(state)
    return state


def publish_from_thread(table_id: int, ctx: TableContext | None = None) -> TableState:
    """As `publish`, for the thread that handles a request; outside a server the state is sent before this returns.

    `ctx`: that of the act, if it has all that the act wrote; then the table is not read again.
    """
    state = fragments.read_state(table_id) if ctx is None else fragments.state_after(ctx)
    loop = SERVER_LOOP.get()
    if loop is None:
        async_to_sync(_send_and_flush)(state)
    else:
        loop.call_soon_threadsafe(_send, state, metrics.tapped())
    return state


def _send(state: TableState, tapped: float | None = None) -> None:
    """Hand a state to the sockets of this loop, and to those of others soon. `tapped`: as `metrics.tapped`."""
    groups, own = (table_group(state.table_id), floor_group(state.facility)), sockets_of_loop()
    if tapped is not None:
        own.note_tap(state, tapped)
    own.tell(groups, state.snapshot)
    event = {
        "type": "screen",
        "table": state.table,
        "id": state.table_id,
        "version": state.version,
        "origin": own.origin,
        "state": state,
    }
    delivery().add([(group, {**event, "group": group}) for group in groups])


async def _send_and_flush(state: TableState) -> None:
    _send(state)
    await delivery().flush()


def on_table_changed(sender: Any, table_id: int, **_extra: Any) -> None:
    """Publish a table for code that is not asynchronous (`tables.core.context.table_changed`)."""
    publish_from_thread(table_id)


async def close_device(device_id: uuid.UUID, code: int) -> None:
    """Close the sockets of a device at which somebody signed off or was relieved (4401), or which was locked (4423).

    Waits half a second at most. A socket that is not reached finds out by its next heartbeat.
    """
    group = device_group(device_id)
    delivery().add([(group, {"type": "closing", "group": group, "code": code})])
    await delivery().flush()
