"""Sockets that push state to screens, and take acts. Of what arrives on a socket three messages are read: an act
(`ACT`), which is executed as one that comes by POST; what a tablet says of its battery (`BatteryReport`); and that it
is there (`HERE`), as its answer to a heartbeat at a table with several posts.

A socket joins its groups first and then sends the state, so that no change is missed in between. A heartbeat every
five seconds checks the rights again and lists the current versions, so that a screen notices a dropped message. A
heartbeat that fails is logged and tried again, and a socket whose heartbeats have ended is closed: no screen lives on
without them. Without the channel layer a socket lives on heartbeats alone, and joins once it is back.

Sockets that are due within half a second of each other are checked in one go, in one thread: who is signed in
where with two statements, and the tables with one. Each socket's own check uses these rows, so it refuses for the same
reasons as with rows of its own. A failure at one socket does not affect the others.

The sockets of a worker hear the channel layer together, in one place (`push.Sockets`), which hands them what to show.
"""

import asyncio
import contextlib
import contextvars
import json
import logging
import re
import time
import uuid
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import transaction
from django.http import HttpRequest
from django.urls import path, re_path
from django.utils.http import http_date

from audit import clock, metrics
from audit.logs import OutageLog
from audit.models import Device, Person
from audit.record import current_incarnation_number
from config.handler import in_request_thread
from games.engine.game import PostCode
from games.snapshot_types import Snapshot
from tables.core.duty import FLOOR
from tables.core.posts import posts_of
from tables.models import Table
from tables.rotation.board import wall_reliefs_html
from tables.runner.access import (
    Denied,
    Locked,
    SharedReads,
    SignedOut,
    current_request,
    duty_of,
    enrolled_device,
    floor_tables_for,
    locked_floor_for,
    read_together,
    sign_for,
    sign_station,
    signed_in_request,
    table_for,
    tables_answered_by,
    wall_tables_for,
)
from tables.screens import fragments, push
from tables.screens.parts import Shown, Told, is_newer
from tables.screens.push import delivery
from tables.ticker import silent_posts
from tables.views.acts import act_on_socket

GATHER_SECONDS = 0.5
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
                if len(self.waiting) < MOST_TOGETHER:
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
    incarnation = current_incarnation_number()
    outcomes: list[Beat | Exception] = []
    for socket in sockets:
        try:
            outcomes.append(Beat(socket.heartbeat(shared), incarnation))
        except Exception as error:
            outcomes.append(error)
    if shared is not None and shared.heard:
        try:
            note_heard(*shared.heard)
        except Exception:  # what was decided of each socket holds all the same
            log.exception("tablets were not noted as heard; their next heartbeat notes it")
    return outcomes


def note_heard(*devices: uuid.UUID) -> None:
    """Note that these tablets show a live console, not on the record.

    One of several that another transaction holds, such as a sign-in, is left to its next heartbeat.
    """
    rows = Device.objects.filter(pk__in=devices)
    if len(devices) > 1:
        with transaction.atomic():
            free = rows.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)
            Device.objects.filter(pk__in=list(free)).update(heard_at=clock.now())
        return
    rows.update(heard_at=clock.now())


def _address(scope: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str]:
    """The scope of a socket, and the facility and table of its address; no table for a floor."""
    route = scope["url_route"]["kwargs"]
    return scope, route["facility"], route.get("table", "")


_heartbeats: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Heartbeats] = weakref.WeakKeyDictionary()


def heartbeats_of_loop() -> Heartbeats:
    """The heartbeats of the running event loop."""
    return _heartbeats.setdefault(asyncio.get_running_loop(), Heartbeats())


# The sockets


log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 5.0
JOIN_TIMEOUT_SECONDS = 2.0
HEARD_SECONDS = 20.0
LONGEST_REPORT = 200  # characters
# A number for the answer, the name of the act, and what a POST has as its body
ACT = re.compile(r"act (\d{1,15}) (\w{1,100}) (.*)", re.DOTALL | re.ASCII)
HERE = '{"here":true}'
TILE_SECONDS = 0.5
CLOSING = {SignedOut: 4401, Denied: 4403, Locked: 4423}
INTERNAL_ERROR = 1011
# One line for all sockets of the process: some may still fail while others work again.
heartbeats = OutageLog(
    log,
    "The heartbeat of a socket",
    "The next one tries again.",
    traceback=True,
    settle_seconds=2 * HEARTBEAT_SECONDS,
)
openings = OutageLog(log, "Opening a socket", "It is closed, and its page tries again.", traceback=True)


class PushConsumer(AsyncWebsocketConsumer):
    """What every socket shares: access, groups, heartbeat and closing."""

    device: Device | None = None
    station: str
    groups_joined: Sequence[str] = ()
    told: dict[str, tuple[Shown, Told]]  # of each table, what it was told last
    counted: contextlib.ExitStack  # ends what counts this socket as open
    heartbeat_task: asyncio.Task[None] | None = None
    closing_task: asyncio.Task[None] | None = None
    channel_layer_alias = ""  # none: the sockets of a worker hear the layer together (`push.Sockets`)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a socket until its page has left, also if something is sent in that moment.

        The server then raises an OSError. It is no error of the socket: the disconnect follows, and with it the socket
        leaves its groups and ends its heartbeats.
        """

        async def send_to_page(message: Any) -> None:
            with contextlib.suppress(OSError):
                await send(message)

        with contextlib.ExitStack() as self.counted:
            try:
                await super().__call__(scope, receive, send_to_page)
            finally:
                push.sockets_of_loop().leave(self.groups_joined, self)

    async def dispatch(self, message: Any) -> None:
        """Handle a message. Channels closes old connections of the database before each, in another thread: here the
        threads that have one give it back themselves, and no act waits for one more.
        """
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"no handler for {message['type']}")
        await handler(message)

    async def connect(self) -> None:
        """Accept first and close afterward; otherwise the browser never sees the close code.

        While the database is away the socket is closed, and its page tries again.
        """
        await self.accept()
        self.told = {}
        try:
            await database_sync_to_async(self.enter, thread_sensitive=False)()
            self.groups_joined = self.group_names()
            push.sockets_of_loop().join(self.groups_joined, self)
            self.counted.enter_context(metrics.heartbeats.socket(self.station))
            await self.try_to_hear()
            await self.send_state()
        except (SignedOut, Denied, Locked) as refused:
            await self.close(code=CLOSING[type(refused)])
            return
        except Exception as error:
            openings.failed(error)
            await self.close(code=INTERNAL_ERROR)
            return
        openings.worked()
        self.heartbeat_task = asyncio.create_task(self.run_heartbeat())
        self.heartbeat_task.add_done_callback(self.close_without_heartbeat)

    def enter(self, shared: SharedReads | None = None) -> None:
        """Check access and set what this socket shows. Raises `SignedOut`, `Denied` or `Locked`.

        `shared`: what was read for this socket together with others.
        """
        raise NotImplementedError

    def group_names(self) -> list[str]:
        """The groups of this socket, including the one of its device."""
        raise NotImplementedError

    def device_groups(self) -> list[str]:
        return [push.device_group(self.device.pk)] if self.device else []

    async def send_state(self) -> None:
        """Send the whole state, once, on connecting."""
        raise NotImplementedError

    def take(self, state: Snapshot) -> None:
        """Show a state soon."""
        raise NotImplementedError

    async def show(self, state: Snapshot) -> None:
        """Send what a state changes. One that cannot be rendered is left out: a heartbeat finds the page behind."""
        table = state["table"]["code"]
        try:
            shown = fragments.show(self.station, state)
            message = self.message(table, shown)
        except Exception:
            log.exception("a state of %s was not rendered; the heartbeat makes the screen ask", table)
        else:
            if message is not None:
                await self.send(text_data=message)
                push.sockets_of_loop().note_shown(self.station, state)

    def message(self, table: str, shown: Shown) -> str | None:
        """What a station shows of a table, for this socket: what changed since it was told; None if nothing has."""
        before, told = self.told.get(table, (None, None))
        message, now = shown.message(told if before is shown else None)
        self.told[table] = shown, now
        if before is shown and told == now:
            return None
        return message if self.takes_parts else json.dumps({"table": table, **shown.screen})

    @property
    def takes_parts(self) -> bool:
        """Whether the page can apply parts. One that was loaded before an update may be older than that."""
        return b"parts=2" in self.scope["query_string"].split(b"&")

    async def send_json(self, message: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(message))

    async def try_to_hear(self) -> None:
        """Hear what other workers send to the groups, or leave it to the next heartbeat; at once if the layer was away
        a moment ago.
        """
        sockets = push.sockets_of_loop()
        if sockets.hears(self.groups_joined) or delivery().is_suspended:
            return
        try:
            await asyncio.wait_for(sockets.hear(self.groups_joined), JOIN_TIMEOUT_SECONDS)
        except Exception as error:
            delivery().failed(error)
        else:
            delivery().worked()

    async def run_heartbeat(self) -> None:
        """Check access and send versions every five seconds, together with sockets that are due at the same time.

        A database that is away ends no heartbeats: the next one is tried as usual.
        """
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                versions, incarnation = await heartbeats_of_loop().beat(self)
            except (SignedOut, Denied, Locked) as refused:
                await self.close(code=CLOSING[type(refused)])
                return
            except Exception as error:
                heartbeats.failed(error)
                continue
            heartbeats.worked()
            metrics.heartbeats.worked()
            await self.send_json({"versions": versions, "incarnation": incarnation, **self.news()})
            await self.try_to_hear()

    def close_without_heartbeat(self, ended: asyncio.Task[None]) -> None:
        """Close a socket whose heartbeats ended by an error: its rights would never be checked again."""
        if not ended.cancelled() and (error := ended.exception()) is not None:
            log.error("heartbeats ended, and so does the socket", exc_info=error)
            self.close_soon(INTERNAL_ERROR)

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        """Check access as on connecting, and return the current versions. Raises what `enter` raises."""
        raise NotImplementedError

    def news(self) -> dict[str, Any]:
        """What the last heartbeat found in addition to the versions, if the screen does not know it yet."""
        return {}

    def close_soon(self, code: int) -> None:
        """Close this socket."""
        self.closing_task = asyncio.create_task(self.close(code=code))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is read from a screen here."""

    async def disconnect(self, code: int) -> None:
        sockets = push.sockets_of_loop()
        sockets.leave(self.groups_joined, self)
        if self.heartbeat_task:
            self.heartbeat_task.cancel()
        try:
            await asyncio.wait_for(sockets.hear_no_more(self.groups_joined), JOIN_TIMEOUT_SECONDS)
        except Exception as error:
            delivery().failed(error)


class BatteryReport(NamedTuple):
    """What a tablet says of its battery: `{"battery": {"percent": 0 to 100, "charging": true or false}}`."""

    percent: int
    is_charging: bool

    @classmethod
    def read(cls, text: str) -> "BatteryReport | None":
        """The report in a message; None for any other message."""
        if len(text) > LONGEST_REPORT:
            return None
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return None
        battery = message.get("battery") if isinstance(message, dict) and len(message) == 1 else None
        if not isinstance(battery, dict) or set(battery) != {"percent", "charging"}:
            return None
        percent, is_charging = battery["percent"], battery["charging"]
        is_percent = type(percent) is int and 0 <= percent <= 100
        return cls(percent, is_charging) if is_percent and type(is_charging) is bool else None


class OneTableConsumer(PushConsumer):
    """One table at the station that `enter` finds."""

    table: Table
    newest: Snapshot | None = None  # what is sent next
    is_sending = False
    sending: asyncio.Task[None] | None = None  # while a page is slow

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        self.enter(shared)
        return {self.table.code: self.table.stream.seq}

    def group_names(self) -> list[str]:
        return [push.table_group(self.table.pk), *self.device_groups()]

    async def send_state(self) -> None:
        read = database_sync_to_async(fragments.read_shown, thread_sensitive=False)
        shown = await read(self.station, self.table.pk)
        if (message := self.message(self.table.code, shown)) is not None:
            await self.send(text_data=message)

    def take(self, state: Snapshot) -> None:
        if self.newest is None or is_newer(state, self.newest):
            self.newest = state
        if not self.is_sending:
            self.is_sending = True
            asyncio.get_running_loop().call_soon(self.begin_sending)

    def begin_sending(self) -> None:
        self.sending = push.begin(self.send_newest())

    async def send_newest(self) -> None:
        """Send states until none has come meanwhile: a slow page is told the newest, and what it changed in all."""
        try:
            while self.newest is not None:
                state, self.newest = self.newest, None
                await self.show(state)
        finally:
            self.is_sending, self.sending = False, None

    async def disconnect(self, code: int) -> None:
        if self.sending is not None:
            self.sending.cancel()
        await super().disconnect(code)


class TableConsumer(OneTableConsumer):
    """One table at one station: a dealer's tablet, or the table page of the pit."""

    heard_at: float | None = None
    silent: list[PostCode] | None = None  # posts whose tablet is silent; None at a table with one post
    is_here = True  # whether the tablet has answered since it was last noted as heard
    report: BatteryReport | None = None  # the newest one that is not stored yet
    acting: asyncio.Task[None] | None = None  # the newest act of this socket

    def enter(self, shared: SharedReads | None = None) -> None:
        route = self.scope["url_route"]["kwargs"]
        self.station = route["station"]
        request = signed_in_request(self.scope, shared)
        self.table, _person = table_for(request, route["facility"], route["table"], self.station)
        self.device = enrolled_device(request)
        self.hear(self.device, shared)

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        versions = super().heartbeat(shared)
        self.store_report()
        if self.station == "dealer" and self.has_several_posts:
            self.silent = silent_posts(self.table, clock.now())
        return versions

    def news(self) -> dict[str, Any]:
        """Which other posts' tablets are silent, at a table with several posts."""
        return {} if self.silent is None else {"silent": self.silent}

    @property
    def has_several_posts(self) -> bool:
        return len(posts_of(self.table)) > 1

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Execute an act; or note that the tablet is there, or what it says of its battery, which the next heartbeat
        stores. Any other message is ignored.
        """
        if text_data == HERE:
            self.is_here = True
        elif (match := ACT.fullmatch(text_data or "")) is not None:
            # A page waits for the answer. Nothing is read of one that does not.
            if self.acting is not None:
                await asyncio.wait([self.acting])
            self.acting = asyncio.create_task(self.act(int(match[1]), match[2], match[3]))
        else:
            self.report = BatteryReport.read(text_data or "") or self.report

    async def act(self, number: int, name: str, body: str) -> None:
        """Execute an act, and answer it."""
        place = self.scope["url_route"]["kwargs"]
        reply = await in_request_thread(
            act_on_socket, self.scope, place["facility"], place["table"], name, body.encode()
        )
        date = http_date()  # as every answer of HTTP has it
        await self.send_json({"answer": number, "status": reply.status, "date": date, "content": reply.body})

    async def disconnect(self, code: int) -> None:
        if self.acting is not None:  # what a thread has begun it ends
            self.acting.cancel()
        await super().disconnect(code)

    def store_report(self) -> None:
        """Store the newest report of a tablet of this table, not on the record."""
        report, self.report = self.report, None
        if report is not None and self.device is not None and self.is_console(self.device):
            Device.objects.filter(pk=self.device.pk).update(
                battery_percent=report.percent, is_charging=report.is_charging
            )

    def is_console(self, device: Device) -> bool:
        """Whether this is the console at a tablet of its table."""
        return device.place == self.table.stream.name and self.station == "dealer"

    def hear(self, device: Device | None, shared: SharedReads | None) -> None:
        """Note that a tablet of this table shows a live console, once for all sockets that are checked together.

        At most every twenty seconds, as long as its socket is open. Where other posts rely on what it shows, with each
        heartbeat that it has answered: a socket whose cable was pulled stays open for most of a minute.
        """
        if device is None or not self.is_console(device):
            return
        now = time.monotonic()
        if self.has_several_posts:
            is_due, self.is_here = self.is_here, False
        else:
            is_due = self.heard_at is None or now - self.heard_at >= HEARD_SECONDS
        if is_due:
            self.heard_at = now
            if shared is not None:
                shared.heard.append(device.pk)
            else:
                note_heard(device.pk)


class SignConsumer(OneTableConsumer):
    """The signs of one table: a display at the table with nobody signed in, or a person who views them.

    Each heartbeat checks again whether it may show earlier rolls. If that has changed, the socket is closed as after a
    sign-off, and the display opens its page again.
    """

    station = ""

    def enter(self, shared: SharedReads | None = None) -> None:
        route = self.scope["url_route"]["kwargs"]
        request = current_request(self.scope, shared)
        self.table, _person = sign_for(request, route["facility"], route["table"])
        self.device = enrolled_device(request)
        station = sign_station(self.table)
        if self.station not in ("", station):
            raise SignedOut
        self.station = station


class FloorConsumer(PushConsumer):
    """The tiles of a facility, at most two a second for each table: the newest one wins."""

    station = "tile"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: dict[str, Snapshot] = {}
        self.sent_at: dict[str, float] = {}
        self.later: dict[str, asyncio.Task[None]] = {}
        self.duty: tuple[int, ...] | None = None
        self.answered: list[str] | None = None

    def enter(self, shared: SharedReads | None = None) -> None:
        self.facility = self.scope["url_route"]["kwargs"]["facility"]
        request = current_request(self.scope, shared)
        self.tables, self.device = self.tables_for(request), enrolled_device(request)
        self.note_duty(*duty_of(request))

    def note_duty(self, person: Person | None, duty: tuple[int, ...]) -> None:
        """Note the tables where a floorperson may answer alerts, whenever their duty has changed."""
        if person is not None and person.role in FLOOR and duty != self.duty:
            codes = [code for code, _ in self.tables.values()]
            self.answered = tables_answered_by(person, self.device, self.facility, codes)
        self.duty = duty

    def tables_for(self, request: HttpRequest) -> dict[int, tuple[str, int]]:
        """Codes and versions of the tables by id. Raises `SignedOut`, `Denied` or `Locked`."""
        return floor_tables_for(request, self.facility)[1].tables

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        self.enter(shared)
        # A page would fetch every tile because of a table whose push is only waiting for its turn.
        return {code: version for code, version in self.tables.values() if code not in self.waiting}

    def group_names(self) -> list[str]:
        return [push.floor_group(self.facility), *self.device_groups()]

    async def send_state(self) -> None:
        """Send versions only: the page was rendered from the same state a moment ago."""
        versions = await database_sync_to_async(self.heartbeat, thread_sensitive=False)()
        await self.send_json({"versions": versions, **self.news()})

    def news(self) -> dict[str, Any]:
        """The tables where this person may answer alerts, once after each change of duty."""
        answered, self.answered = self.answered, None
        return {} if answered is None else {"answered": answered}

    def take(self, state: Snapshot) -> None:
        code = state["table"]["code"]
        if code not in self.waiting or is_newer(state, self.waiting[code]):
            self.waiting[code] = state
        if code not in self.later:
            wait = self.sent_at.get(code, 0.0) + TILE_SECONDS - time.monotonic()
            self.later[code] = asyncio.create_task(self.send_tile(code, wait))

    async def send_tile(self, code: str, wait: float) -> None:
        """Send the newest tile of a table, when it may be, until none has come meanwhile: one after the other."""
        try:
            while code in self.waiting:
                await asyncio.sleep(max(0.0, wait))
                self.sent_at[code], wait = time.monotonic(), TILE_SECONDS
                await self.show(self.waiting.pop(code))
        finally:
            self.later.pop(code, None)

    async def disconnect(self, code: int) -> None:
        for task in self.later.values():
            task.cancel()
        await super().disconnect(code)


class LockedFloorConsumer(FloorConsumer):
    """The floor at a podium or phone that is locked: closed with 4423 as soon as somebody unlocks it."""

    station = "locked"

    def tables_for(self, request: HttpRequest) -> dict[int, tuple[str, int]]:
        return locked_floor_for(request, self.facility)[1].tables


class WallConsumer(FloorConsumer):
    """The floor on a wall, with nobody signed in, and the planned reliefs, which are not in the states of tables."""

    station = "wall"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reliefs = ""  # as read by the newest heartbeat
        self.sent_reliefs: str | None = None

    def tables_for(self, request: HttpRequest) -> dict[int, tuple[str, int]]:
        return wall_tables_for(request, self.facility)[1].tables

    def heartbeat(self, shared: SharedReads | None = None) -> dict[str, int]:
        versions = super().heartbeat(shared)
        self.reliefs = wall_reliefs_html(self.facility)
        return versions

    def news(self) -> dict[str, Any]:
        """The planned reliefs, once after each change."""
        news = super().news()
        if self.reliefs != self.sent_reliefs:
            news["reliefs"] = self.sent_reliefs = self.reliefs
        return news


class NowhereConsumer(AsyncWebsocketConsumer):
    """An address that does not exist: accept and close, so that the browser stops retrying."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=4404)


# Their addresses


# Channels routes its consumers with Django's URL patterns, whose types only allow views.
_table: Any = TableConsumer.as_asgi()
_sign: Any = SignConsumer.as_asgi()
_floor: Any = FloorConsumer.as_asgi()
_locked: Any = LockedFloorConsumer.as_asgi()
_wall: Any = WallConsumer.as_asgi()
_nowhere: Any = NowhereConsumer.as_asgi()

websocket_urlpatterns: list[Any] = [
    path("ws/table/<slug:facility>/<code:table>/sign", _sign),
    path("ws/table/<slug:facility>/<code:table>/<slug:station>", _table),
    path("ws/floor/<slug:facility>", _floor),
    path("ws/floor/<slug:facility>/locked", _locked),
    path("ws/floor/<slug:facility>/wall", _wall),
    re_path(r"^.*$", _nowhere),
]
