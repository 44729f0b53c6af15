"""When a tablet's console last had a live line: noted by its socket, seldom, and on no record."""

import datetime as dt
import json

import pytest
from channels.db import database_sync_to_async
from django.db import connections

from audit import clock
from audit.models import Device
from tables.views import sockets
from tests.tables.test_sockets import TABLE, Socket, browser

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
async def nothing_left_open(committed):
    """As in the tests of the sockets: a connection would outlive the test."""
    yield
    await database_sync_to_async(connections.close_all)()


@database_sync_to_async
def heard_at(device):
    return Device.objects.values_list("heard_at", flat=True).get(pk=device.pk)


@database_sync_to_async
def version(scene):
    return scene.version


async def test_a_console_is_heard_at_connecting_and_then_at_most_every_twenty_seconds(committed, monkeypatch):
    monkeypatch.setattr(sockets, "HEARTBEAT_SECONDS", 0.01)
    before = await version(committed)
    socket = await Socket(TABLE + "dealer", await browser(committed, "tablet", "dealer")).connect()
    await socket.heard()
    first = await heard_at(committed.tablet)
    assert abs(await database_sync_to_async(clock.now)() - first) < dt.timedelta(seconds=5)
    for _ in range(3):
        await socket.heard()
    assert await heard_at(committed.tablet) == first
    monkeypatch.setattr(sockets, "HEARD_SECONDS", 0.0)
    for _ in range(3):
        await socket.heard()
    assert await heard_at(committed.tablet) > first
    assert await version(committed) == before
    await socket.leave()


@pytest.mark.parametrize(
    ("device", "by", "path"),
    [("tablet", "floorperson", TABLE + "table"), ("podium", "floorperson", TABLE + "dealer")],
)
async def test_only_a_tablets_own_console_is_heard(committed, device, by, path):
    socket = await Socket(path, await browser(committed, device, by)).connect()
    await socket.heard()
    assert await heard_at(getattr(committed, device)) is None
    await socket.leave()


async def test_a_socket_that_is_turned_away_is_not_heard(committed):
    socket = await Socket(TABLE + "dealer", await browser(committed, "tablet")).connect()
    assert await socket.closed() == 4401
    assert await heard_at(committed.tablet) is None
    await socket.leave()


@database_sync_to_async
def battery(device):
    return Device.objects.values_list("battery_percent", "is_charging").get(pk=device.pk)


def report(percent, charging):
    return json.dumps({"battery": {"percent": percent, "charging": charging}})


async def test_a_console_says_how_full_its_battery_is_and_its_table_stays_as_it_is(committed, monkeypatch):
    monkeypatch.setattr(sockets, "HEARTBEAT_SECONDS", 0.01)
    before = await version(committed)
    socket = await Socket(TABLE + "dealer", await browser(committed, "tablet", "dealer")).connect()
    await socket.heard()
    await socket.send_input({"type": "websocket.receive", "text": report(41, True)})
    await socket.send_input({"type": "websocket.receive", "text": report(17, False)})
    for _ in range(4):
        await socket.heard()
    assert await battery(committed.tablet) == (17, False)
    assert await version(committed) == before
    await socket.leave()


@pytest.mark.parametrize(
    "text",
    [
        report(101, True),
        report(-1, True),
        report(True, True),
        report(17.5, False),
        report(17, "no"),
        '{"battery": {"percent": 17}}',
        '{"battery": {"percent": 17, "charging": false}, "act": "no_more_bets"}',
        "[" * 5_000,
        "{",
        "",
    ],
)
def test_any_other_message_is_no_report(text):
    assert sockets.BatteryReport.read(text) is None


async def test_the_podium_reports_no_battery_for_a_console(committed, monkeypatch):
    monkeypatch.setattr(sockets, "HEARTBEAT_SECONDS", 0.01)
    socket = await Socket(TABLE + "dealer", await browser(committed, "podium", "floorperson")).connect()
    await socket.heard()
    await socket.send_input({"type": "websocket.receive", "text": report(17, False)})
    for _ in range(4):
        await socket.heard()
    assert await battery(committed.podium) == (None, None)
    await socket.leave()
