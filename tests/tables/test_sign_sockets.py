"""The socket of a display: nobody signs in, and it gets the pushes of its table."""

import pytest
from channels.db import database_sync_to_async
from django.db import connections

from audit.devices import enroll, revoke
from audit.models import Device
from tables.screens import push
from tests.tables.test_sockets import Socket

pytestmark = pytest.mark.both_databases

SIGN = "/ws/table/larkfield/T-01/sign"


@pytest.fixture(autouse=True)
async def nothing_left_open(committed):
    """A push reads in the thread that asynchronous code shares; its connection would outlive the test."""
    yield
    await database_sync_to_async(connections.close_all)()


@pytest.fixture
def display(committed):
    """A display at T-01."""
    _, token = enroll("Sign of T-01", "larkfield", "sign", "larkfield/T-01")
    return committed.browser(token)


async def test_a_display_hears_of_new_limits_at_once(committed, display):
    socket = await Socket(SIGN, display).connect()
    assert "Minimum wager $10" in (await socket.heard())["html"]
    params = {"min_cents": 2_500, "max_cents": 200_000, "nobody_plays": True}
    how = {"by": "floorperson", "device": committed.podium}
    answer = await database_sync_to_async(committed.act)("change_limits", params, **how)
    await push.publish(answer.key)
    message = await socket.heard()
    assert message["version"] == answer.version and "Minimum wager $25" in message["html"]
    await socket.leave()


async def test_what_is_no_display_of_this_table_hears_nothing(committed):
    _, token = await database_sync_to_async(enroll)("Elsewhere", "larkfield", "sign", "larkfield/T-02")
    for browser, code in (
        (await database_sync_to_async(committed.browser)(token), 4403),
        (await database_sync_to_async(committed.browser)("podium"), 4401),
        (None, 4401),
    ):
        socket = await Socket(SIGN, browser).connect()
        assert await socket.closed() == code
        await socket.leave()


async def test_a_display_that_is_taken_out_of_use_is_closed(committed, display, monkeypatch):
    monkeypatch.setattr("tables.views.sockets.HEARTBEAT_SECONDS", 0.05)
    socket = await Socket(SIGN, display).connect()
    await socket.heard()
    await database_sync_to_async(lambda: revoke(Device.objects.get(name="Sign of T-01")))()
    assert await socket.closed(after=200) == 4401
    await socket.leave()


async def test_earlier_rolls_are_shown_to_patrons_only_while_the_board_permits_it(
    committed, display, monkeypatch
):
    """§ 521.6: the display opens its page again within a heartbeat of the permission, and of its end."""
    monkeypatch.setattr("tables.views.sockets.HEARTBEAT_SECONDS", 0.2)
    office = database_sync_to_async(committed.in_office)
    page = database_sync_to_async(display.get)
    await database_sync_to_async(committed.play)((1, "small", 2_500), dice=[2, 5, 5])
    await database_sync_to_async(committed.finish)()
    letter = await database_sync_to_async(committed.on_file)()
    socket = await Socket(SIGN, display).connect()
    assert "2 5 5" not in (await socket.heard())["html"]
    await office(
        "record_board_permission", {"reference": "BD-9", "granted_on": "2020-01-01", "letter": letter}
    )
    assert await socket.closed(after=200) == 4401
    await socket.leave()
    assert "<li>2 5 5</li>" in (await page("/", follow=True)).content.decode()
    socket = await Socket(SIGN, display).connect()
    assert "<li>2 5 5</li>" in (await socket.heard())["html"]
    await office("withdraw_board_permission", {"reference": "BD-9", "why": "the Board took it back"})
    assert await socket.closed(after=200) == 4401
    await socket.leave()
    assert "2 5 5" not in (await page("/", follow=True)).content.decode()
