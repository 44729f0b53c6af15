"""The channel layer on Redis pub/sub, which a Redis that is away or frozen does not bring down.

It differs from that of channels_redis in four ways. A socket opens without asking Redis: its own channel is local, and
only its groups are subscribed to. Nothing waits longer than two seconds for Redis. An outage is one line of the log.
And the pushes of an act are sent together.
"""

import asyncio
import logging
import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection
from channels_redis.utils import _wrap_close, decode_hosts
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

from audit.logs import OutageLog

log = logging.getLogger(__name__)
CONNECT_SECONDS = 1.0
COMMAND_SECONDS = 2.0
READ_SECONDS = 5.0  # until the reader looks whether it is still subscribed to anything
SUBSCRIBE_SECONDS = 0.1
RECONNECT_SECONDS = 0.1
RETRY_SECONDS = 0.5


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
                await asyncio.sleep(RETRY_SECONDS)


def _with_limits(host: dict[str, Any]) -> dict[str, Any]:
    """A host's options with limits of time, unless it has its own. The caller tries again, not redis-py."""
    limits = {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": COMMAND_SECONDS,
        "retry": Retry(ConstantBackoff(RECONNECT_SECONDS), 1),
    }
    return {**limits, **host}
