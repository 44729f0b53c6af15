"""Sockets that only tell. Acts come by POST; nothing that arrives on a socket is read.

Each joins its groups first and sends the state then, so that nothing falls between; a heartbeat every five seconds
lists current versions, so that a silently dropped message is noticed. Layer messages go straight to their handler,
without the trip to the database thread that Channels makes for every message: nothing here asks the database in
the path of a push.
"""

import asyncio
import json
import time
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from audit import clock
from audit.models import Device
from tables.runner.access import (
    Denied,
    Locked,
    SignedOut,
    as_it_stands,
    device_at,
    floor_for,
    sign_for,
    still_in,
    table_for,
)
from tables.screens import fragments, push

HEARTBEAT_SECONDS = 5.0
REJOIN_SECONDS = 600.0
HEARD_SECONDS = 20.0
TILE_SECONDS = 0.5
CLOSING = {SignedOut: 4401, Denied: 4403, Locked: 4423}


class Told(AsyncWebsocketConsumer):
    """What every socket here shares: the door, the groups, the heartbeat and the end."""

    groups_joined: list[str]
    beat: asyncio.Task | None = None

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Channel-layer messages skip the connection clean-up that Channels does for each message."""
        if message["type"] in ("screen", "closing"):
            await getattr(self, message["type"])(message)
        else:
            await super().dispatch(message)

    async def connect(self) -> None:
        """Accept first and close after, or the browser would never see the code."""
        await self.accept()
        self.groups_joined = []
        try:
            await database_sync_to_async(self.enter, thread_sensitive=False)()
        except (SignedOut, Denied, Locked) as refused:
            await self.close(code=CLOSING[type(refused)])
            return
        await self.join()
        await self.tell_state()
        self.beat = asyncio.create_task(self.keep_beating())

    def enter(self) -> None:
        """Asks at the door; sets what this socket shows. Raises one of the door's refusals."""
        raise NotImplementedError

    def group_names(self) -> list[str]:
        """The groups of this socket, the person's own among them."""
        raise NotImplementedError

    async def tell_state(self) -> None:
        """Sends the whole state, once, on connecting."""
        raise NotImplementedError

    async def tell(self, message: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(message))

    async def join(self) -> None:
        self.groups_joined = self.group_names()
        for group in self.groups_joined:
            await self.channel_layer.group_add(group, self.channel_name)

    async def keep_beating(self) -> None:
        """Versions every five seconds, the door asked again, the groups joined again every ten minutes."""
        joined = time.monotonic()
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                found = await database_sync_to_async(self.beat_once, thread_sensitive=False)()
            except (SignedOut, Denied, Locked) as refused:
                await self.close(code=CLOSING[type(refused)])
                return
            await self.tell({"versions": found})
            if time.monotonic() - joined > REJOIN_SECONDS:
                joined = time.monotonic()
                await self.join()

    def beat_once(self) -> dict[str, int]:
        still_in(self.scope)
        return push.versions(self.table_ids())

    def table_ids(self) -> list[int]:
        raise NotImplementedError

    async def closing(self, event: dict[str, Any]) -> None:
        await self.close(code=event["code"])

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is read from a screen here."""

    async def disconnect(self, code: int) -> None:
        if self.beat:
            self.beat.cancel()
        for group in self.groups_joined:
            await self.channel_layer.group_discard(group, self.channel_name)


class TableConsumer(Told):
    """One table at one station: a dealer's tablet, or the table page of the pit."""

    def enter(self) -> None:
        route = self.scope["url_route"]["kwargs"]
        self.station = route["station"]
        request = still_in(self.scope)
        self.table, self.person = table_for(request, route["facility"], route["table"], self.station)
        self.heard_by: float | None = None
        self.hear(device_at(request))

    def beat_once(self) -> dict[str, int]:
        self.hear(device_at(still_in(self.scope)))
        return push.versions(self.table_ids())

    def hear(self, device: Device | None) -> None:
        """A tablet of this table shows a live console: noted at most every twenty seconds, and on no record."""
        here = device is not None and device.place == self.table.stream.name and self.station == "dealer"
        due = self.heard_by is None or time.monotonic() - self.heard_by >= HEARD_SECONDS
        if device is not None and here and due:
            self.heard_by = time.monotonic()
            Device.objects.filter(pk=device.pk).update(heard_at=clock.now())

    def group_names(self) -> list[str]:
        return [push.table_group(self.table.pk, self.station), push.person_group(self.person.pk)]

    def table_ids(self) -> list[int]:
        return [self.table.pk]

    async def tell_state(self) -> None:
        found = await database_sync_to_async(fragments.screen, thread_sensitive=False)(
            self.station, self.table.pk
        )
        await self.tell({"table": self.table.code, **found})

    async def screen(self, event: dict[str, Any]) -> None:
        await self.send(text_data=event["text"])


class SignConsumer(Told):
    """The signs of one table: a display that stands there, with nobody signed in, or a person who looks at them."""

    def enter(self) -> None:
        route = self.scope["url_route"]["kwargs"]
        self.table = sign_for(as_it_stands(self.scope), route["facility"], route["table"])

    def beat_once(self) -> dict[str, int]:
        self.enter()
        return push.versions(self.table_ids())

    def group_names(self) -> list[str]:
        return [push.table_group(self.table.pk, "sign")]

    def table_ids(self) -> list[int]:
        return [self.table.pk]

    async def tell_state(self) -> None:
        found = await database_sync_to_async(fragments.screen, thread_sensitive=False)("sign", self.table.pk)
        await self.tell({"table": self.table.code, **found})

    async def screen(self, event: dict[str, Any]) -> None:
        await self.send(text_data=event["text"])


class FloorConsumer(Told):
    """The tiles of a facility, at most two a second for each table: the newest one wins."""

    def enter(self) -> None:
        self.facility, self.person, self.ids = floor_for(
            self.scope, self.scope["url_route"]["kwargs"]["facility"]
        )
        self.waiting: dict[str, str] = {}
        self.told_at: dict[str, float] = {}
        self.later: dict[str, asyncio.Task] = {}

    def group_names(self) -> list[str]:
        return [push.floor_group(self.facility), push.person_group(self.person.pk)]

    def table_ids(self) -> list[int]:
        return self.ids

    async def tell_state(self) -> None:
        """The page was painted from the same state a moment ago; the versions tell what has moved since."""
        await self.tell({"versions": await database_sync_to_async(self.beat_once, thread_sensitive=False)()})

    async def screen(self, event: dict[str, Any]) -> None:
        code = event["table"]
        self.waiting[code] = event["text"]
        wait = self.told_at.get(code, 0.0) + TILE_SECONDS - time.monotonic()
        if wait <= 0:
            await self.tell_tile(code)
        elif code not in self.later:
            self.later[code] = asyncio.create_task(self.tell_later(code, wait))

    async def tell_later(self, code: str, wait: float) -> None:
        await asyncio.sleep(wait)
        self.later.pop(code, None)
        await self.tell_tile(code)

    async def tell_tile(self, code: str) -> None:
        text = self.waiting.pop(code, None)
        if text is not None:
            self.told_at[code] = time.monotonic()
            await self.send(text_data=text)

    async def disconnect(self, code: int) -> None:
        for task in getattr(self, "later", {}).values():
            task.cancel()
        await super().disconnect(code)


class NowhereConsumer(AsyncWebsocketConsumer):
    """An address that does not exist: accept and close, so that the browser does not try for ever."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=4404)
