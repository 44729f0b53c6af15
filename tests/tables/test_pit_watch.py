"""The pit never goes blind: a locked podium, a locked phone and a wall stay live, and none of them acts."""

import datetime as dt
import json
import re
import time
import uuid

import pytest
from channels.db import database_sync_to_async
from django.core.exceptions import ValidationError
from django.db import OperationalError, connections

from audit import clock
from audit.devices import enroll
from audit.models import Device, Entry, Person
from audit.people import verify_witness
from audit.refusals import DeviceRefused
from tables.screens import push
from tests.tables.cast import PIN
from tests.tables.conftest import Hands
from tests.tables.test_sockets import TABLE, Socket, heartbeat

pytestmark = pytest.mark.both_databases
FLOOR, LOCKED, WALL = "/ws/floor/larkfield", "/ws/floor/larkfield/locked", "/ws/floor/larkfield/wall"
PAGE = "/floor/larkfield/"
AN_HOUR = dt.timedelta(hours=1)


def in_thread(call):
    """The call in a thread. The in-memory SQLite of tests knows no waiting: beside a heartbeat it is tried again."""

    def patiently(*args, **how):
        for _ in range(50):
            try:
                return call(*args, **how)
            except OperationalError as busy:
                if "locked" not in str(busy):
                    raise
                time.sleep(0.02)
        return call(*args, **how)

    return database_sync_to_async(patiently)


@pytest.fixture(autouse=True)
async def nothing_left_open(committed):
    """A push reads in the thread that asynchronous code shares; its connection would outlive the test."""
    yield
    await in_thread(connections.close_all)()


@pytest.fixture
def quick(monkeypatch):
    """A heartbeat three times a second."""
    monkeypatch.setattr("tables.views.sockets.HEARTBEAT_SECONDS", 0.3)


@pytest.fixture
def hands():
    """The clock of the server."""
    hands = Hands(dt.datetime.now(dt.UTC))
    with clock.override(hands):
        yield hands


@pytest.fixture
def phone(committed):
    """A pit phone of the floorperson, who is at the podium too."""
    return committed.browser(enroll("Phone", "larkfield", "pit")[1], "floorperson")


@pytest.fixture
def wall(committed):
    return committed.browser(enroll("Wall", "larkfield", "wall")[1])


async def next_tile(socket):
    """The next table that is pushed, past heartbeats."""
    while "html" not in (message := await socket.heard()):
        pass
    return message


async def test_podium_phone_and_wall_stay_live_for_an_hour_untouched(committed, quick, hands, wall):
    """Their sockets go on, tables are pushed to them, and a PIN is asked for an act alone."""
    _, phone = await in_thread(enroll)("Phone", "larkfield", "pit")
    wall_socket = await Socket(WALL, wall).connect()
    for token in ("podium", phone):
        browser = await in_thread(committed.browser)(token, "floorperson")
        socket = await Socket(FLOOR, browser).connect()
        assert "T-01" in await heartbeat(socket)
        hands.now += AN_HOUR
        assert await socket.closed(after=200) == 4423
        await socket.leave()
        page = await in_thread(browser.get)(PAGE)
        assert page.status_code == 200 and b"; an act asks for a PIN" in page.content
        locked = await Socket(LOCKED, browser).connect()
        answer = await in_thread(committed.place)((1, "small", 2_500 + hands.now.hour * 500))
        await push.publish(answer.key)
        for screen in (locked, wall_socket):
            assert (await next_tile(screen))["version"] == answer.version
        refused = await in_thread(acknowledge)(browser)
        assert refused.status_code == 423
        assert (await in_thread(browser.post)("/sign-in", {"person": "floorperson", "pin": PIN})).status_code
        assert await locked.closed(after=200) == 4401  # its page goes on to the floor that acts
        assert (await in_thread(acknowledge)(browser)).status_code != 423
        await locked.leave()
    assert "T-01" in await heartbeat(wall_socket)
    await wall_socket.leave()


def acknowledge(browser):
    body = {"command": str(uuid.uuid4()), "seen": 1, "params": {"alert": 1}}
    address = "/floor/larkfield/T-01/acts/acknowledge_alert"
    return browser.post(address, json.dumps(body), content_type="application/json")


SAID = "Ms. Ortiz says that she bet on 12"


async def test_what_somebody_typed_is_read_neither_at_a_locked_podium_nor_on_a_wall(committed, wall):
    podium = await in_thread(committed.browser)("podium", "floorperson")
    answer = await in_thread(committed.act)("report_dispute", {"seat": 1, "about": SAID})

    async def pages(*addresses, browser):
        answers = [await in_thread(browser.get)(address) for address in addresses]
        assert {page.status_code for page in answers} == {200}
        return " ".join(page.content.decode() for page in answers)

    assert SAID in await pages(PAGE, browser=podium)
    await in_thread(podium.post)("/lock")
    read = await pages(PAGE, f"{PAGE}locked-tiles", browser=podium)
    assert "Sign in to read" in read
    on_wall = await pages(f"{PAGE}wall", f"{PAGE}wall-tables", browser=wall)
    assert "Sign in" not in on_wall and "A podium shows what it is about." in on_wall
    read += on_wall
    for path, browser in ((LOCKED, podium), (WALL, wall)):
        socket = await Socket(path, browser).connect()
        await socket.heard()
        await push.publish(answer.key)
        read += (await next_tile(socket))["html"]
        await socket.leave()
    assert read.count("Dispute at seat 1") >= 6
    assert "Ortiz" not in read and "bet on 12" not in read


async def test_a_locked_podium_reads_only_the_floor_and_the_next_person_signs_in_alone(committed):
    podium = await in_thread(committed.browser)("podium", "floorperson")
    await in_thread(podium.post)("/lock")
    for path, code in ((FLOOR, 4423), (TABLE + "table", 4423), ("/ws/floor/seabright/locked", 4403)):
        socket = await Socket(path, podium).connect()
        assert await socket.closed() == code, path
        await socket.leave()
    other = await in_thread(committed.browser)("podium", "pit-manager")
    await in_thread(other.post)("/lock")
    socket = await Socket(LOCKED, podium).connect()  # with the cookies of the person before
    assert await socket.closed() == 4423
    await socket.leave()


async def test_a_wall_announces_planned_reliefs_and_forgets_those_that_ended(committed, quick, wall):
    """A plan is no act of its table: the wall learns of it by its heartbeats, its page and its resync."""
    relief, dealer = [await in_thread(Person.objects.get)(code=code) for code in ("relief", "dealer")]
    socket = await Socket(WALL, wall).connect()
    assert (await news(socket))["reliefs"] == ""
    params = {"person": "relief", "table": "T-01"}
    move = (await in_thread(committed.in_room)("plan_move", params, by="floorperson")).body["move"]
    announced = (await news(socket))["reliefs"]
    assert f"{relief.short_name} relieves {dealer.short_name}" in announced and "T-01" in announced
    page = (await in_thread(wall.get)(f"{PAGE}wall")).content.decode()
    resync = (await in_thread(wall.get)(f"{PAGE}wall-tables")).json()
    assert f'<template id="reliefs">{announced}' in page and resync["reliefs"] == announced
    await in_thread(committed.in_room)("cancel_planned_move", {"move": move}, by="floorperson")
    assert (await news(socket))["reliefs"] == ""
    await socket.leave()


async def news(socket):
    """The next message with the planned reliefs, past heartbeats without a change."""
    while "reliefs" not in (message := await socket.heard()):
        pass
    return message


async def test_nobody_signs_in_at_a_wall_and_its_page_has_nothing_to_tap(committed, wall):
    entries = await in_thread(Entry.objects.count)()
    answer = await in_thread(wall.post)("/sign-in", {"person": "floorperson", "pin": PIN})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    device = await in_thread(Device.objects.get)(name="Wall")
    assert device.person_id is None and await in_thread(Entry.objects.count)() == entries
    page = (await in_thread(wall.get)("/", follow=True)).content.decode()
    assert "T-01" in page
    assert re.findall(r"<(?:a|button|form|input)\b", page) == []
    with pytest.raises(DeviceRefused):
        request = type("Request", (), {"device": device, "user": None})()
        verify_witness(request, "floorperson", PIN)
    with pytest.raises(ValidationError, match="whole floor"):
        await in_thread(enroll)("Wall of T-01", "larkfield", "wall", "larkfield/T-01")


@pytest.mark.parametrize("ending", ["lock", "relief", "sign-off"])
async def test_the_end_of_a_sign_in_closes_the_sockets_of_its_device_and_no_others(committed, phone, ending):
    podium = await in_thread(committed.browser)("podium", "floorperson")
    at_podium = [await Socket(path, podium).connect() for path in (FLOOR, TABLE + "table")]
    at_phone = await Socket(FLOOR, phone).connect()
    for socket in (*at_podium, at_phone):
        await socket.heard()
    if ending == "relief":
        await in_thread(podium.post)("/sign-in", {"person": "pit-manager", "pin": PIN})
    else:
        await in_thread(podium.post)(f"/{ending}")
    code = 4423 if ending == "lock" else 4401
    assert [await socket.closed() for socket in at_podium] == [code, code]
    answer = await in_thread(committed.place)((1, "small", 2_500))
    await push.publish(answer.key)
    assert (await next_tile(at_phone))["version"] == answer.version
    for socket in (*at_podium, at_phone):
        await socket.leave()
