"""The chat consumer of the Channels tutorial, for comparison: it sends each message to the whole group.

A separate application with settings of its own, so that none of our code affects the measurement.
"""

import json
import os
from typing import Any

import django
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter
from django.conf import settings

settings.configure(
    SECRET_KEY="the key of a consumer that signs nothing",
    INSTALLED_APPS=["channels"],
    ALLOWED_HOSTS=["127.0.0.1"],
    USE_TZ=True,
    CHANNEL_LAYERS={
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [os.environ["REDIS_URL"]], "prefix": "tutorial"},
        }
    },
)
django.setup()


class ChatConsumer(AsyncWebsocketConsumer):
    """Joins the group, and forwards every message to it."""

    async def connect(self) -> None:
        await self.channel_layer.group_add("chat", self.channel_name)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.channel_layer.group_send("chat", {"type": "chat.message", "message": text_data})

    async def chat_message(self, event: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps({"message": event["message"]}))


application = ProtocolTypeRouter({"websocket": ChatConsumer.as_asgi()})
