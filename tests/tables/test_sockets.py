"""Sockets: who may connect, what is pushed, and when they are closed."""

import asyncio
import itertools
import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.db import InterfaceError, OperationalError, connections

from audit import clock
from audit.logs import OutageLog
from audit.models import Device, Person
from config.asgi import application
from script.tablet import text_of, with_changes
from tables.models import Assignment
from tables.runner.access import current_request, signed_in_request
from tables.screens import fragments, push
from tables.screens.console_data import ConsoleData
from tables.screens.parts import Shown
from tables.views import sockets
from tables.views.sockets import TILE_SECONDS

pytestmark = pytest.mark.both_databases

TABLE = "/ws/table/larkfield/T-01/"
TILE_BYTES = 2_000  # what the change of a tile may take at most


class Socket(ApplicationCommunicator):
    """A socket of a browser, by its cookies."""

    def __init__(self, path: str, browser: Any = None, origin: str = "http://testserver") -> None:
        cookies = (
            "; ".join(f"{name}={cookie.value}" for name, cookie in browser.cookies.items()) if browser else ""
        )
        headers = [(b"host", b"testserver"), (b"origin", origin.encode()), (b"cookie", cookies.encode())]
        path, _, query = path.partition("?")
        scope = {"type": "websocket", "path": path, "headers": headers, "subprotocols": []}
        super().__init__(application, {**scope, "query_string": query.encode()})

    async def connect(self) -> "Socket":
        await self.send_input({"type": "websocket.connect"})
        assert (await self.receive_output(5))["type"] == "websocket.accept"
        return self

    async def heard(self) -> dict[str, Any]:
        message = await self.receive_output(5)
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def opened(self) -> dict[str, Any]:
        """Connect; the first message. Two sockets open one after the other: the connections of a SQLite database in
        memory share one cache, in which a table that another one reads is locked at once, without waiting.
        """
        await self.connect()
        return await self.heard()

    async def closed(self, after: int = 0) -> int:
        """The code with which it is closed, after this many messages at most."""
        message = await self.receive_output(5)
        for _ in range(after):
            if message["type"] == "websocket.send":
                message = await self.receive_output(5)
        assert message["type"] == "websocket.close", message
        return message["code"]

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(5)


@pytest.fixture(autouse=True)
async def nothing_left_open(committed):
    """A push reads in the thread that asynchronous code shares; its connection would outlive the test."""
    yield
    await database_sync_to_async(connections.close_all)()


async def lost(*_: Any) -> None:
    """A push that nobody hears."""


async def browser(scene, device, by=None):
    return await database_sync_to_async(scene.browser)(device, by)


@pytest.mark.parametrize("path", [TABLE + "dealer", TABLE + "table", "/ws/floor/larkfield"])
async def test_a_signed_out_socket_is_closed_with_4401(committed, path):
    for browser_or_none in (None, await browser(committed, "tablet")):
        socket = await Socket(path, browser_or_none).connect()
        assert await socket.closed() == 4401
        await socket.leave()


async def test_a_socket_that_may_not_see_this_is_closed_with_4403(committed):
    security = await browser(committed, "podium", "security")
    for path in (
        TABLE + "dealer",
        TABLE + "table",
        "/ws/floor/larkfield",
        "/ws/floor/seabright",
        "/ws/table/larkfield/T-99/table",
    ):
        socket = await Socket(path, security).connect()
        assert await socket.closed() == 4403
        await socket.leave()
    surveillance = await browser(committed, "podium", "surveillance")
    for path, station in ((TABLE + "dealer", "dealer"), (TABLE + "tile", "tile")):
        socket = await Socket(path, surveillance).connect()
        assert await socket.closed() == 4403, station
        await socket.leave()


async def test_an_unknown_address_is_closed_with_4404_and_another_origin_at_once(committed):
    socket = await Socket("/ws/elsewhere").connect()
    assert await socket.closed() == 4404
    await socket.leave()
    tablet = await browser(committed, "tablet", "dealer")
    for origin in ("http://evil.example", "https://testserver", "http://testserver:8443", "null", ""):
        foreign = Socket(TABLE + "dealer", tablet, origin)
        await foreign.send_input({"type": "websocket.connect"})
        assert (await foreign.receive_output(5))["type"] == "websocket.close", origin


async def test_behind_the_proxy_the_origin_is_that_of_the_tls_address(committed, settings):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    tablet = await browser(committed, "tablet", "dealer")
    for origin, type_ in (
        ("https://testserver", "websocket.accept"),
        ("http://testserver", "websocket.close"),
    ):
        socket = Socket(TABLE + "dealer", tablet, origin)
        socket.scope["headers"].append((b"x-forwarded-proto", b"https"))
        await socket.send_input({"type": "websocket.connect"})
        assert (await socket.receive_output(5))["type"] == type_, origin
        await socket.leave()


async def test_a_locked_socket_is_closed_with_4423(committed):
    tablet = await browser(committed, "tablet", "dealer")
    await database_sync_to_async(tablet.post)("/lock")
    socket = await Socket(TABLE + "dealer", tablet).connect()
    assert await socket.closed() == 4423
    await socket.leave()


async def test_a_socket_that_comes_back_after_a_change_of_the_secret_key_signs_nobody_out(
    committed, settings
):
    tablet = await browser(committed, "tablet", "dealer")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    for _ in range(2):
        socket = Socket(TABLE + "dealer", tablet)
        assert (await socket.opened())["table"] == "T-01"
        await socket.leave()


async def test_it_tells_the_state_on_connecting_and_again_at_each_publish(committed):
    tablet = await browser(committed, "tablet", "dealer")
    podium = await browser(committed, "podium", "floorperson")
    dealer = Socket(TABLE + "dealer", tablet)
    pit = Socket("/ws/floor/larkfield", podium)
    version = await database_sync_to_async(lambda: committed.version)()
    first = await dealer.opened()
    assert (first["table"], first["version"], set(first)) == ("T-01", version, {"table", "version", "html"})
    assert await pit.opened() == {"versions": {"T-01": version}, "answered": ["T-01"]}
    answer = await database_sync_to_async(committed.place)((1, "small", 2_500))
    await push.publish(answer.key)
    pushed, tile = await dealer.heard(), await pit.heard()
    assert (pushed["version"], tile["table"], tile["version"]) == (version + 1, "T-01", version + 1)
    assert "$25" in pushed["html"] and pushed["html"] != tile["html"]
    await dealer.send_input({"type": "websocket.receive", "text": '{"act": "shake"}'})
    assert await dealer.receive_nothing(0.05)
    await dealer.leave()
    await pit.leave()


@pytest.mark.parametrize("path", [TABLE + "dealer", TABLE + "table", TABLE + "sign", "/ws/floor/larkfield"])
async def test_a_page_that_takes_parts_is_sent_what_changed_of_them(committed, path):
    place = database_sync_to_async(committed.place)
    device, person = ("tablet", "dealer") if path.endswith("dealer") else ("podium", "floorperson")
    tablet = await browser(committed, device, person)
    await place((1, "small", 1_000))
    pages = [Socket(path + query, tablet) for query in ("?parts=2", "")]
    messages = [await page.opened() for page in pages]
    parts: dict[str, str] = {}
    for cents in (None, 2_500, 5_000, 7_500):
        if cents is not None:
            await push.publish((await place((1, "small", cents))).key)
            await asyncio.sleep(2 * TILE_SECONDS if "floor" in path else 0)
            messages = [await page.heard() for page in pages]
        message, complete = messages
        if "html" not in complete:  # a dashboard is told the versions on connecting
            continue
        is_first = not parts
        assert (message["version"], "base" in message) == (complete["version"], not is_first)
        parts = with_changes(parts, message["parts"])
        assert text_of(parts) == complete["html"] or cents is None  # on connecting, each reads its own moment
        assert is_first or len(json.dumps(message)) < len(json.dumps(complete)) / 2
        assert is_first or "floor" not in path or len(json.dumps(message)) <= TILE_BYTES
    for page in pages:
        await page.leave()


async def test_a_push_renders_each_station_that_a_screen_shows_once_and_no_other(committed, monkeypatch):
    tablet = await browser(committed, "tablet", "dealer")
    sockets = [Socket(TABLE + "dealer", tablet) for _ in range(2)]
    for socket in sockets:
        await socket.opened()
    rendered: list[type[Any]] = []
    render = Shown._render

    def counted(shown, state):
        rendered.append(shown.station.data)
        render(shown, state)

    monkeypatch.setattr(Shown, "_render", counted)
    answer = await database_sync_to_async(committed.place)((1, "small", 2_500))
    await push.publish(answer.key)
    assert rendered == []
    for socket in sockets:
        assert (await socket.heard())["version"] == answer.version
        await socket.leave()
    assert rendered == [ConsoleData]


async def test_a_push_of_another_worker_is_shown_and_read_once_where_it_carries_no_state(
    committed, monkeypatch
):
    """A worker sends the version alone to a group that nobody else listened to; this one has begun to listen since."""
    tablet = await browser(committed, "tablet", "dealer")
    sockets = [Socket(TABLE + "dealer", tablet) for _ in range(2)]
    for socket in sockets:
        await socket.opened()
    place = database_sync_to_async(committed.place)
    read, reads = fragments.read_state, []

    def counted(table_id: int) -> fragments.TableState:
        reads.append(table_id)
        return read(table_id)

    monkeypatch.setattr(fragments, "read_state", counted)
    for cents, has_state in ((2_500, False), (5_000, True)):
        answer = await place((1, "small", cents))
        state = await database_sync_to_async(read)(answer.key)
        event = {
            "type": "screen",
            "table": "T-01",
            "id": answer.key,
            "version": answer.version,
            "origin": "another",
            "group": push.table_group(answer.key),
        }
        event["state"] = state.text if has_state else None
        await push.layer().group_send(push.table_group(answer.key), event)
        for socket in sockets:
            assert (await socket.heard())["version"] == answer.version
    assert reads == [committed.table.pk]
    for socket in sockets:
        assert await socket.receive_nothing(0.05)
        await socket.leave()


async def test_a_slow_page_is_told_the_newest_state_and_nothing_twice(committed):
    socket = Socket(TABLE + "dealer?parts=2", await browser(committed, "tablet", "dealer"))
    first = await socket.opened()
    place, read = database_sync_to_async(committed.place), database_sync_to_async(fragments.read_state)
    states = [await read((await place((1, "small", cents))).key) for cents in (2_500, 5_000)]
    for state in (*states, states[0], states[1]):
        push.sockets_of_loop().tell([push.table_group(state.table_id)], state.snapshot)
    message = await socket.heard()
    assert (message["base"], message["version"]) == (first["version"], states[-1].version)
    parts = with_changes(first["parts"], message["parts"])
    assert "$50" in text_of(parts) and await socket.receive_nothing(0.05)
    await socket.leave()


async def test_the_heartbeat_tells_versions_and_finds_who_has_signed_off(committed, monkeypatch):
    monkeypatch.setattr("tables.views.sockets.HEARTBEAT_SECONDS", 0.05)
    podium = await browser(committed, "podium", "floorperson")
    socket = await Socket(TABLE + "table", podium).connect()
    version = (await socket.heard())["version"]
    assert await socket.heard() == {"versions": {"T-01": version}, "incarnation": 1}
    monkeypatch.setattr(push, "close_device", lost)
    await database_sync_to_async(podium.post)("/sign-off")
    assert await socket.closed(after=200) in (4401, 4423)  # between the device and the session it is locked
    await socket.leave()


async def test_a_dashboard_is_not_called_behind_with_a_tile_that_waits_for_its_turn(committed, quick):
    place = database_sync_to_async(committed.place)
    podium = await browser(committed, "podium", "floorperson")
    pit = await Socket("/ws/floor/larkfield", podium).connect()
    await pit.heard()
    for cents in (2_500, 5_000):
        answer = await place((1, "small", cents))
        await push.publish(answer.key)
    read_before = pit.output_queue.qsize() + 1  # a heartbeat may have read the act before it was published
    behind, version = 0, 0
    for number in itertools.count(1):
        message = await pit.heard()
        version = message.get("version", version)
        is_behind = "versions" in message and message["versions"].get("T-01", version) > version > 0
        behind += is_behind and number > read_before
        if version == answer.version:
            break
    assert behind == 0
    assert await heartbeat(pit) == {"T-01": answer.version}
    await pit.leave()


@pytest.fixture
def quick(monkeypatch):
    """A heartbeat every twentieth of a second."""
    monkeypatch.setattr("tables.views.sockets.HEARTBEAT_SECONDS", 0.05)


async def heartbeat(socket: Socket) -> dict[str, int]:
    """The versions of the next heartbeat."""
    while "versions" not in (message := await socket.heard()):
        pass
    return message["versions"]


@pytest.mark.parametrize("path", [TABLE + "table", "/ws/floor/larkfield"])
async def test_heartbeats_go_on_after_an_outage_of_the_database_and_check_the_rights_again(
    committed, monkeypatch, caplog, quick, path
):
    outage = OutageLog(sockets.log, "The heartbeat of a socket", traceback=True)
    monkeypatch.setattr(sockets, "heartbeats", outage)
    failures = [OperationalError("gone"), InterfaceError("closed"), TimeoutError()]

    read = current_request if "floor" in path else signed_in_request

    def failing(scope, shared=None):
        if failures:
            raise failures.pop()
        return read(scope, shared)

    podium = await browser(committed, "podium", "floorperson")
    socket = await Socket(path, podium).connect()
    await socket.heard()
    monkeypatch.setattr(sockets, read.__name__, failing)
    assert "T-01" in await heartbeat(socket)
    assert failures == []
    assert caplog.text.count("The heartbeat of a socket failed: ") == caplog.text.count("Traceback") == 3
    await database_sync_to_async(lambda: Device.objects.update(revoked_at=clock.now()))()
    assert await socket.closed(after=200) in (4401, 4423)
    await socket.leave()


@pytest.mark.parametrize("path", [TABLE + "table", TABLE + "dealer"])
async def test_a_socket_does_not_outlive_the_right_to_watch(committed, quick, path):
    device, person = ("tablet", "dealer") if path.endswith("dealer") else ("podium", "floorperson")
    socket = await Socket(path, await browser(committed, device, person)).connect()
    await heartbeat(socket)
    if device == "tablet":
        ended = Assignment.objects.filter(person__code=person)
        await database_sync_to_async(lambda: ended.update(ended_at=clock.now()))()
    else:  # who sees the floor reads its tables, on duty there or not
        person_row = Person.objects.filter(code=person)
        await database_sync_to_async(lambda: person_row.update(role="cage"))()
    assert await socket.closed(after=200) == 4403
    await socket.leave()


async def test_a_socket_that_opens_while_the_database_is_away_is_closed_and_opens_later(
    committed, monkeypatch, caplog
):
    def failing(*_: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(sockets, "openings", OutageLog(sockets.log, "Opening a socket", traceback=True))
    podium = await browser(committed, "podium", "floorperson")
    with monkeypatch.context() as outage:
        outage.setattr("tables.views.sockets.signed_in_request", failing)
        for _ in range(2):
            socket = await Socket(TABLE + "table", podium).connect()
            assert await socket.closed() == 1011
            await socket.leave()
    socket = await Socket(TABLE + "table", podium).connect()
    assert "html" in await socket.heard()
    await socket.leave()
    words = [record.getMessage() for record in caplog.records if "Opening a socket" in record.getMessage()]
    assert ["works again" in sentence for sentence in words] == [
        False,
        True,
    ]  # one line for each change of state


async def test_a_socket_whose_heartbeats_end_by_an_error_is_closed(committed, monkeypatch, quick):
    async def broken(*_: Any) -> None:
        raise RuntimeError("a fault of ours")

    podium = await browser(committed, "podium", "floorperson")
    socket = await Socket(TABLE + "table", podium).connect()
    await socket.heard()
    monkeypatch.setattr("tables.views.sockets.PushConsumer.send_json", broken)
    assert await socket.closed() == 1011
    await socket.leave()


async def test_a_page_that_leaves_while_something_is_sent_leaves_its_groups_and_is_no_error(
    committed, monkeypatch, quick, caplog
):
    left: list[str] = []
    layer = push.layer()
    discard = layer.group_discard

    async def counted(group: str, channel: str) -> None:
        left.append(group)
        await discard(group, channel)

    def gone(_message: Any) -> None:
        raise ConnectionError("the page has left")

    monkeypatch.setattr(layer, "group_discard", counted, raising=False)
    socket = await Socket(TABLE + "dealer", await browser(committed, "tablet", "dealer")).connect()
    await socket.heard()
    monkeypatch.setattr(socket.output_queue, "put_nowait", gone)
    await push.publish(committed.table.pk)
    await push.delivery().flush()
    await asyncio.sleep(0.2)  # the push, and some heartbeats
    await socket.leave()
    table, tablet = committed.table.pk, committed.tablet.pk
    assert left == [push.table_group(table), push.device_group(tablet)]
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def test_without_the_channel_layer_a_socket_opens_beats_and_joins_later(committed, monkeypatch, quick):
    layer = push.layer()
    add, is_away = layer.group_add, [True]

    async def away_at_first(*args: Any) -> None:
        if is_away:
            raise ConnectionError("no layer")
        await add(*args)

    monkeypatch.setattr(layer, "group_add", away_at_first, raising=False)
    monkeypatch.setattr(push, "RETRY_SECONDS", 0.01)
    tablet = await browser(committed, "tablet", "dealer")
    socket = await Socket(TABLE + "dealer", tablet).connect()
    version = (await socket.heard())["version"]
    assert await heartbeat(socket) == {"T-01": version}
    is_away.clear()
    await heartbeat(socket)
    await heartbeat(socket)  # by now the one before has joined
    answer = await database_sync_to_async(committed.place)((1, "small", 2_500))
    await push.publish(answer.key)
    async with asyncio.timeout(10):
        while "html" not in (message := await socket.heard()):
            pass
    assert message["version"] == version + 1
    await socket.leave()


async def test_a_layer_that_does_not_answer_loses_no_act(committed, monkeypatch):
    class Silent:
        async def group_send(self, *_):
            raise ConnectionError("no layer")

    monkeypatch.setattr(push, "get_channel_layer", lambda: Silent())
    answer = await database_sync_to_async(committed.place)((1, "small", 2_500))
    assert (await push.publish(answer.key)).version == answer.version


async def test_an_older_state_that_comes_later_takes_no_newer_ones_place(committed):
    """Two threads of a worker may hand over the states of one table in another order than they committed them."""

    @database_sync_to_async
    def states():
        committed.place((1, "small", 2_500))
        older = fragments.read_state(committed.table.pk).snapshot
        committed.place((2, "big", 2_500))
        return older, fragments.read_state(committed.table.pk).snapshot

    older, newer = await states()
    shown = []

    async def note(state):
        shown.append(state["version"])

    for consumer in (sockets.SignConsumer(), sockets.FloorConsumer()):
        consumer.show = note
        consumer.take(newer)
        consumer.take(older)
        await asyncio.sleep(0.05)
    assert shown == [newer["version"]] * 2


async def test_a_page_that_takes_nothing_delays_no_other_and_is_told_the_newest_state_later(committed):
    @database_sync_to_async
    def states():
        return [
            fragments.read_state(committed.place((1, "small", cents)).key).snapshot
            for cents in (2_500, 5_000, 7_500)
        ]

    first, second, third = await states()
    is_taken, sent = asyncio.Event(), []
    pages = sockets.SignConsumer(), sockets.SignConsumer()
    for name, page in zip(("slow", "quick"), pages, strict=True):

        async def send(message: dict[str, Any], name: str = name) -> None:
            if name == "slow":
                await is_taken.wait()
            sent.append((name, json.loads(message["text"])["version"]))

        page.station, page.told, page.base_send = "sign", {}, send
        page.scope = {"query_string": b"parts=2"}
    for state in (first, second, third):
        for page in pages:
            page.take(state)
        await asyncio.sleep(0)
    assert [version for name, version in sent if name == "quick"] == [
        state["version"] for state in (first, second, third)
    ]
    assert "slow" not in dict(sent)
    is_taken.set()
    await asyncio.sleep(0.05)
    assert [version for name, version in sent if name == "slow"] == [first["version"], third["version"]]


async def test_the_sockets_of_a_worker_join_each_group_of_the_layer_once(committed, monkeypatch):
    layer, joined, left = push.layer(), [], []
    add, discard = layer.group_add, layer.group_discard

    async def counted_add(group: str, channel: str) -> None:
        joined.append(group)
        await add(group, channel)

    async def counted_discard(group: str, channel: str) -> None:
        left.append(group)
        await discard(group, channel)

    monkeypatch.setattr(layer, "group_add", counted_add, raising=False)
    monkeypatch.setattr(layer, "group_discard", counted_discard, raising=False)
    tablet = await browser(committed, "tablet", "dealer")
    first, second = [Socket(TABLE + "dealer", tablet) for _ in range(2)]
    await first.opened()
    await second.opened()
    groups = [push.table_group(committed.table.pk), push.device_group(committed.tablet.pk)]
    assert joined == groups
    await first.leave()
    assert left == []
    await push.close_device(committed.tablet.pk, 4423)
    assert await second.closed() == 4423
    await second.leave()
    assert left == groups
