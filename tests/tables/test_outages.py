"""Redis or PostgreSQL is away or frozen: acts go on where they can, nothing waits long, and the log says it once."""

import asyncio
import contextlib
import errno
import json
import logging
import shutil
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from django.db import OperationalError, connection, connections
from django.test import AsyncClient, RequestFactory

from audit import logs
from script.services import redis_answers
from tables.screens import fragments, push
from tables.screens.push import RedisLayer
from tables.views import service
from tables.views.acts import busy_or_error
from tests.services.installation import free_port
from tests.tables.test_sockets import TABLE, Socket, browser

FROZEN, AWAY, WELL = "frozen", "away", "well"


class Layer:
    """A channel layer in one of three states."""

    def __init__(self) -> None:
        self.state = WELL
        self.tries = 0
        self.sent: list[int] = []

    async def group_send(self, group: str, event: dict[str, Any]) -> None:
        self.tries += 1
        if self.state == FROZEN:
            await asyncio.Event().wait()
        if self.state == AWAY:
            raise ConnectionError("refused")
        self.sent.append(event.get("version", 0))


@pytest.fixture
def layer(monkeypatch) -> Layer:
    layer = Layer()
    monkeypatch.setattr(push, "get_channel_layer", lambda: layer)
    monkeypatch.setattr(push, "SEND_SECONDS", 0.05)
    return layer


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def add(*numbers: int) -> None:
    push.delivery().add([("group", {"type": "screen", "version": number}) for number in numbers])


@pytest.mark.parametrize("state", [FROZEN, AWAY])
async def test_a_layer_that_fails_is_left_alone_for_five_seconds_and_logged_once(
    layer, caplog, monkeypatch, state
):
    layer.state = state
    for number in range(20):
        add(number)
        await push.delivery().flush()
    assert layer.tries == 1
    monkeypatch.setattr(push.time, "monotonic", lambda now=push.time.monotonic: now() + 6)
    layer.state = WELL
    add(20)
    await push.delivery().flush()
    assert layer.sent == [20]
    begins, ends = lines(caplog)
    assert begins.startswith("The channel layer failed: ") and "works again after" in ends
    assert "Traceback" not in caplog.text


async def test_pushes_arrive_in_the_order_in_which_they_were_added(layer):
    add(1, 2)
    add(3)
    await asyncio.sleep(0)
    add(4)
    await push.delivery().flush()
    assert layer.sent == [1, 2, 3, 4]


async def test_the_answer_to_an_act_does_not_wait_for_the_layer(committed, layer):
    layer.state = FROZEN
    answer = await database_sync_to_async(committed.place)((1, "small", 2_500))
    assert (await push.publish(answer.key)).version == answer.version
    sending = push.delivery().task
    assert sending is not None and not sending.done()
    await push.delivery().flush()
    await database_sync_to_async(connections.close_all)()


@pytest.fixture
def redis_away(settings):
    """The channel layer of an installation whose Redis has ended."""
    address = f"redis://127.0.0.1:{free_port()}/0"
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "tables.screens.push.RedisLayer", "CONFIG": {"hosts": [address]}}
    }
    assert isinstance(channel_layers["default"], RedisLayer)
    yield
    channel_layers.backends.pop("default", None)


async def test_a_socket_opens_while_redis_is_away(committed, redis_away, caplog):
    tablet = await browser(committed, "tablet", "dealer")
    for _ in range(3):
        socket = await Socket(TABLE + "dealer", tablet).connect()
        assert (await socket.heard())["table"] == "T-01"
        await socket.leave()
    await database_sync_to_async(connections.close_all)()
    assert [line.split(":")[0] for line in lines(caplog)] == ["The channel layer failed"]


async def test_acts_are_taken_while_redis_is_away_and_the_log_says_so_once(committed, redis_away, caplog):
    tablet = await browser(committed, "tablet", "dealer")
    client = AsyncClient()
    client.cookies = tablet.cookies
    for seat in (1, 2, 3):
        params = {"wagers": [{"seat": seat, "wager": "small", "cents": 2_500}]}
        seen = await database_sync_to_async(lambda: committed.version)()
        body = {"command": str(uuid.uuid4()), "seen": seen, "params": params}
        path = "/floor/larkfield/T-01/acts/place_wagers"
        answer = await client.post(path, json.dumps(body), content_type="application/json")
        assert (answer.status_code, answer.json()["screen"]["version"]) == (200, answer.json()["version"])
        await push.delivery().flush()
    await database_sync_to_async(connections.close_all)()
    assert [line.split(":")[0] for line in lines(caplog)] == ["The channel layer failed"]


async def test_readyz_answers_while_the_database_and_the_layer_do_not(layer, monkeypatch):
    layer.state = FROZEN
    frozen, selected = threading.Event(), []
    monkeypatch.setattr(service, "_select", lambda: selected.append(frozen.wait(10)))
    monkeypatch.setattr(service, "DATABASE_SECONDS", 0.05)
    try:
        answer = await AsyncClient().get("/readyz")
        assert selected == []
        checks = {name: answer.json()[name] for name in ("database", "layer")}
        assert (answer.status_code, checks) == (503, {"database": False, "layer": False})
    finally:
        frozen.set()


# A real Redis


@pytest.fixture
def redis_servers(tmp_path):
    """Two Redis that a test may freeze, kill and start again: `server.send(signal.SIGSTOP)`."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        pytest.skip("no redis-server on PATH")
    servers = [RedisServer(binary, str(tmp_path / f"{name}.sock")) for name in ("one", "two")]
    for server in servers:
        server.start()
    yield servers
    for server in servers:
        server.end()


@pytest.fixture
def redis_server(redis_servers):
    return redis_servers[0]


class RedisServer:
    """One process, without a file."""

    def __init__(self, binary: str, path: str) -> None:
        self.command = [binary, "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"]
        self.address = f"unix://{path}"
        self.path = Path(path)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, cwd=self.path.parent, stdout=subprocess.DEVNULL)
        for _ in range(200):
            if redis_answers(self.address):
                return
            time.sleep(0.05)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        self.send(signal.SIGCONT)
        self.process.kill()
        self.process.wait(10)


@pytest.mark.redis
async def test_pushes_arrive_again_after_redis_was_frozen_and_after_it_was_killed(
    redis_server, caplog, monkeypatch
):
    redis_layer = RedisLayer(hosts=[redis_server.address], prefix="outage")
    monkeypatch.setattr(push, "get_channel_layer", lambda: redis_layer)
    monkeypatch.setattr(push, "RETRY_SECONDS", 0.2)
    channel = await redis_layer.new_channel()
    await redis_layer.group_add("group", channel)
    received: list[int] = []

    async def receive() -> None:
        while True:
            received.append((await redis_layer.receive(channel))["version"])

    async def arrives(number: int) -> None:
        async with asyncio.timeout(10):
            while number not in received:
                add(number)
                await asyncio.sleep(0.1)

    receiving = asyncio.create_task(receive())
    await arrives(1)
    redis_server.send(signal.SIGSTOP)
    add(2)
    await push.delivery().flush()
    redis_server.send(signal.SIGCONT)
    await arrives(3)
    redis_server.end()
    add(4)
    await push.delivery().flush()
    redis_server.start()
    await arrives(5)
    receiving.cancel()
    await redis_layer.flush()
    outages = [line.split(":")[0] for line in lines(caplog) if " works again after " not in line]
    assert outages.count("The channel layer failed") == 2
    assert outages.count("Reading pushes from Redis failed") == len(outages) - 2 <= 1


@pytest.mark.redis
async def test_the_state_is_sent_only_where_another_worker_listens(redis_server, committed, monkeypatch):
    here, there = (RedisLayer(hosts=[redis_server.address], prefix="two") for _ in range(2))
    monkeypatch.setattr(push, "get_channel_layer", lambda: here)
    state = await database_sync_to_async(fragments.read_state)(committed.table.pk)
    group = push.table_group(state.table_id)
    own = await here.new_channel()
    await here.group_add(group, own)

    async def has_state(channel_layer: RedisLayer, channel: str) -> bool:
        push._send(state)
        await push.delivery().flush()
        async with asyncio.timeout(10):
            return (await channel_layer.receive(channel))["state"] is not None

    assert [await has_state(here, own) for _ in range(2)] == [True, False]
    other = await there.new_channel()
    await there.group_add(group, other)
    assert [await has_state(there, other) for _ in range(2)] == [False, True]
    for channel_layer in (here, there):
        await channel_layer.flush()
    await database_sync_to_async(connections.close_all)()


@pytest.mark.redis
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
async def test_of_two_redis_either_carries_the_pushes_while_the_other_is_away(
    redis_servers, monkeypatch, number
):
    hosts = [server.address for server in redis_servers]
    here, there = (RedisLayer(hosts=hosts, prefix="both") for _ in range(2))
    monkeypatch.setattr(push, "get_channel_layer", lambda: here)
    monkeypatch.setattr(push, "RETRY_SECONDS", 0.2)
    channel = await there.new_channel()
    await there.group_add("group", channel)
    versions = iter(range(1, 1_000))

    async def arrives() -> int:
        """How many pushes are sent until one arrives."""
        first = version = next(versions)
        add(version)
        async with asyncio.timeout(10):
            while True:
                with contextlib.suppress(TimeoutError):
                    heard = await asyncio.wait_for(asyncio.shield(receiving), 0.6)
                    break
                version = next(versions)
                add(version)
        assert heard["version"] <= version
        return version - first + 1

    for away, other in (redis_servers, reversed(redis_servers)):
        for _ in range(2):
            receiving = asyncio.create_task(there.receive(channel))
            assert await arrives() == 1
        away.send(number)
        if number == signal.SIGKILL:
            away.process.wait(10)
        for group in ("group", "another"):  # with one away, too, what is joined is heard
            await asyncio.wait_for(there.group_add(group, channel), 5)
        for _ in range(2):
            receiving = asyncio.create_task(there.receive(channel))
            assert await arrives() == 1
        away.send(signal.SIGCONT) if number == signal.SIGSTOP else away.start()
        await asyncio.sleep(2 * push.REDIS_RETRY_SECONDS)
        servers = there._get_layer()._servers.servers
        async with asyncio.timeout(10):
            while any(server.wanted - server._subscribed_to for server in servers):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert other.process.poll() is None
    for layer_ in (here, there):
        await layer_.flush()


@pytest.mark.redis
async def test_a_reader_whose_machine_is_gone_connects_again_and_stops_nothing_else(redis_server, caplog):
    """redis-py takes what the system says then for a read without a message, and would read on without a pause."""
    redis_layer = RedisLayer(hosts=[redis_server.address], prefix="gone")
    channel = await redis_layer.new_channel()
    await redis_layer.group_add("group", channel)
    (server,) = redis_layer._get_layer()._servers.servers
    broken = server._pubsub.connection._reader
    broken.set_exception(TimeoutError(errno.ETIMEDOUT, "Connection timed out"))
    async with asyncio.timeout(10):
        while server._pubsub.connection._reader in (None, broken):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        receiving = asyncio.create_task(redis_layer.receive(channel))
        while not receiving.done():
            await redis_layer.publish_together([("group", {"type": "screen", "version": 7})])
            await asyncio.sleep(0.1)
    assert receiving.result()["version"] == 7
    assert lines(caplog)[0].startswith("Reading pushes from Redis failed: TimeoutError")
    await redis_layer.flush()


@pytest.mark.redis
async def test_without_any_redis_it_is_said_that_nothing_is_heard(redis_servers):
    redis_layer = RedisLayer(hosts=[server.address for server in redis_servers], prefix="none")
    for server in redis_servers:
        server.end()
    channel = await redis_layer.new_channel()
    with pytest.raises(redis.ConnectionError):
        await redis_layer.group_add("group", channel)
    with pytest.raises(redis.ConnectionError):
        await redis_layer.publish_together([("group", {"type": "screen"})])
    await redis_layer.flush()


def test_a_reader_notices_that_the_machine_of_its_redis_is_gone():
    limits = push._with_limits({"address": "redis://10.0.0.1:6379/0"})
    assert limits["socket_keepalive"] and set(limits["socket_keepalive_options"].values()) == {5, 2, 3}
    assert "socket_keepalive" not in push._with_limits({"address": "unix:///run/redis.sock"})


# PostgreSQL


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_died_in_the_pool_costs_no_request():
    """As after a restart of PostgreSQL, or a failover: every connection of the pool is dead."""

    def borrow(count: int) -> list[int]:
        lent = [pool.getconn() for _ in range(count)]
        for connection_ in lent:
            pool.putconn(connection_)
        return [connection_.info.backend_pid for connection_ in lent]

    connection.ensure_connection()
    pool, given = connection.pool, connection.get_connection_params()
    connection.close()
    dead = borrow(4)
    server = {key: given[key] for key in ("host", "port", "user", "password", "dbname") if given.get(key)}
    with psycopg.connect(**server, autocommit=True) as root:
        for pid in dead:
            root.execute("SELECT pg_terminate_backend(%s)", [pid])
    for _ in range(8):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.close()


@pytest.mark.parametrize(
    ("cause", "lines_logged"),
    [
        (psycopg.OperationalError("the connection is closed"), 1),
        (psycopg.errors.AdminShutdown("terminating connection"), 1),
        (psycopg.errors.DeadlockDetected("deadlock detected"), 0),
    ],
)
def test_a_connection_that_was_lost_is_one_line_and_no_traceback(caplog, cause, lines_logged):
    try:
        raise OperationalError("lost") from cause
    except OperationalError:
        answer = busy_or_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    said = [line for line in lines(caplog) if line.startswith("The database did not say what became")]
    assert len(said) == lines_logged == getattr(answer, "_has_been_logged", 0)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_database_machine_that_vanished_is_noticed_within_seconds():
    connection.ensure_connection()
    given = connection.connection.info.get_parameters()
    assert (given["connect_timeout"], given["tcp_user_timeout"], given["keepalives_idle"]) == (
        "3",
        "5000",
        "5",
    )


# The log


def test_an_outage_is_a_line_when_it_begins_and_a_line_when_it_ends(caplog):
    hands = [0.0]
    outage = logs.OutageLog(
        logging.getLogger("a"), "The lamp", "It is dark.", settle_seconds=10, monotonic=lambda: hands[0]
    )
    outage.worked()
    for hands[0] in (1.0, 2.0, 3.0):
        outage.failed(ConnectionError("no current."))
        outage.worked()  # another lamp
    outage.failed(TimeoutError())
    hands[0] = 13.0
    outage.worked()
    outage.worked()
    assert lines(caplog) == [
        "The lamp failed: ConnectionError: no current. It is dark.",
        "The lamp failed: TimeoutError. It is dark.",
        "The lamp works again after 12 s; it failed 4 times.",
    ]


def test_a_message_of_the_pool_passes_once_a_minute():
    hands = [0.0]
    once = logs.OnceAMinute(lambda: hands[0])
    passed = []
    for hands[0] in (0.0, 1.0, 59.0, 61.0):
        record = logging.makeLogRecord({"msg": "error connecting in %r: %s", "args": ("pool-1", hands[0])})
        passed.append(once.filter(record))
    assert passed == [True, False, False, True]
