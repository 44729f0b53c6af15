"""Bodies that never end: what a real server does with half a request, and the proxy in front of it."""

import asyncio
import contextlib
import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config.handler import with_limit
from tests.services import installation

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS = 1.0
HALF = (
    b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 1000\r\n\r\nperson=kate"
)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, int]]:
    """The installation's own application in a process of uvicorn, with a second for each body."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port)]
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "PITSIDE_MOST_BODY_SECONDS": str(LIMIT_SECONDS),
        "TEST_DATABASE_URL": "",
        "TEST_REDIS_URL": "",
    }
    with installation.process([*command, "--log-level", "error"], {**os.environ, **environment}):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield "127.0.0.1", port


def answer_to(server: tuple[str, int], sent: bytes, pause: float = 0.0, dribbled: int = 0) -> bytes:
    """Everything that the server sends until it closes the connection; fails if that takes ten times its limit."""
    with socket.create_connection(server, timeout=10 * LIMIT_SECONDS) as connection:
        connection.sendall(sent)
        for _ in range(dribbled):
            time.sleep(pause)
            with contextlib.suppress(OSError):
                connection.sendall(b"x")
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65536):
                received += part
    return received


def test_half_a_body_is_answered_in_words_and_its_connection_closed(server):
    head, _, body = answer_to(server, HALF).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408"), head
    assert json.loads(body)["refusal"]["code"] == "body-too-slow"


def test_a_byte_now_and_then_does_not_keep_a_connection(server):
    assert answer_to(server, HALF, pause=0.3, dribbled=6).startswith(b"HTTP/1.1 408")


def test_a_whole_body_is_answered_as_ever(server):
    whole = HALF.replace(b"1000", b"11").replace(b"\r\nHost", b"\r\nConnection: close\r\nHost")
    head = answer_to(server, whole).partition(b"\r\n")[0]
    assert head.split()[1] in (b"302", b"403"), head


async def test_the_time_of_a_body_does_not_begin_again_with_each_byte():
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async with asyncio.timeout(10):
        await with_limit(read, 10**6, 0.1)({"type": "http", "path": "/", "headers": []}, receive, send)
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(
    ("address", "kind", "says"),
    [
        ("/floor/larkfield/acts/open_table", "application/json", lambda body: body["refusal"]["code"]),
        ("/api/v1/heartbeat", "application/problem+json", lambda body: body["code"]),
        ("/scim/v2/Users", "application/scim+json", lambda body: body["status"]),
    ],
)
def test_a_body_that_is_too_large_is_refused_in_the_form_of_its_address(server, address, kind, says):
    head = f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000000\r\n\r\n"
    said, _, body = answer_to(server, head.encode()).partition(b"\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 413"), said
    assert f"content-type: {kind}\r\n".encode() in said + b"\r\n"
    assert says(json.loads(body)) in ("body-too-large", "413")


async def test_an_act_may_take_longer_than_its_body():
    """After the body, the application waits for the client to leave, without a limit."""
    messages = [{"type": "http.request", "body": b"", "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    async def act(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await with_limit(act, 10, 0.01)({"type": "http", "path": "/", "headers": []}, receive, send)
    assert [message["status"] for message in sent] == [200]


def test_the_proxy_waits_no_longer_than_the_server():
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    timeouts = re.search(r"timeouts \{([^}]*)\}", text)
    assert timeouts
    limits = dict(line.split() for line in timeouts[1].strip().splitlines())
    assert limits["read_body"] == f"{settings.MOST_BODY_SECONDS:.0f}s"
    assert limits["read_header"] == "10s"
