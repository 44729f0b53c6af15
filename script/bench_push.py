"""Measure the time from the POST of an act to its fragment on the last screen, against the Channels tutorial."""

import asyncio
import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

import httpx
import websockets
from django.test import Client

from audit.devices import enroll
from tables.models import Table

TITLE = "Push: from the POST of an act to the fragment received, one uvicorn, Redis pub/sub, PostgreSQL"
SOCKETS = (1, 50)
PATIENCE_SECONDS = 3.0
SCREEN = re.compile(r'\{"table": "[^"]*", "version": (\d+), "html"')


def measure(seconds: float) -> Iterator[str]:
    """Medians and 95th percentiles for 1 and 50 sockets: ours, and the tutorial's."""
    posts = max(20, int(seconds * 10))
    cookies = _signed_in()
    with _serving("config.asgi:application") as ours, _serving("script.tutorial:application") as plain:
        for count in SOCKETS:
            mine = asyncio.run(_acts(ours, cookies, count, posts))
            theirs = asyncio.run(_chat(plain, count, posts))
            yield f"{count:3d} sockets  an act           {_told(mine)}"
            yield f"{count:3d} sockets  tutorial's chat  {_told(theirs)}"
    yield "goal: p95 under 30 ms at 50 sockets"


def _told(times: list[float]) -> str:
    ordered = sorted(times)
    p50, p95 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"p50 {p50 * 1000:6.1f} ms   p95 {p95 * 1000:6.1f} ms   ({len(times)} sent)"


def _signed_in() -> dict[str, str]:
    """Cookies of a pit manager at a podium, through the real pages."""
    _, token = enroll(f"Bench {uuid.uuid4().hex[:6]}", "larkfield", "podium")
    client = Client(headers={"host": "127.0.0.1"})
    client.post("/enrol", {"token": token})
    client.post("/sign-in", {"person": "marta", "pin": "121212"})
    client.get("/floor/larkfield/T-01/console")
    return {name: morsel.value for name, morsel in client.cookies.items()}


@contextlib.contextmanager
def _serving(application: str) -> Iterator[str]:
    """Run one uvicorn on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--ws", "websockets-sansio"]
    command += ["--log-level", "error", "--timeout-graceful-shutdown", "2"]
    process = subprocess.Popen(command, env=os.environ.copy())
    try:
        _wait_for(port)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


@contextlib.asynccontextmanager
async def _listening(
    address: str, path: str, cookies: dict[str, str], count: int, is_wanted: Callable[[str], bool]
) -> AsyncIterator[tuple[list[Any], Callable[[], Coroutine[Any, Any, float]]]]:
    """Open this many sockets. Yields them, and a function that waits until all have the next wanted message.

    Parsing a message is the tablets' work and not measured: here, fifty of them share one process.
    """
    header = "; ".join(f"{name}={value}" for name, value in cookies.items())
    sockets = [
        await websockets.connect(
            f"ws://{address}{path}",
            origin=f"http://{address}",  # type: ignore[arg-type]
            additional_headers={"Cookie": header},
            compression=None,
        )
        for _ in range(count)
    ]

    async def one(listener: Any) -> float:
        while not is_wanted(await listener.recv()):
            pass
        return time.perf_counter()

    async def everyone() -> float:
        return max(await asyncio.wait_for(asyncio.gather(*map(one, sockets)), PATIENCE_SECONDS))

    try:
        yield sockets, everyone
    finally:
        for listener in sockets:
            await listener.close()


async def _acts(address: str, cookies: dict[str, str], count: int, posts: int) -> list[float]:
    """Place wagers on one seat after another, each in its own act."""
    table = await Table.objects.select_related("stream").aget(facility__code="larkfield", code="T-01")
    version, times = table.stream.seq, []
    headers = {"X-CSRFToken": cookies["csrftoken"], "Referer": f"http://{address}/"}

    def is_next(message: str) -> bool:
        match = SCREEN.match(message)
        return match is not None and int(match[1]) > version

    path = "/ws/table/larkfield/T-01/dealer"
    async with (
        _listening(address, path, cookies, count, is_next) as (sockets, everyone),
        httpx.AsyncClient(base_url=f"http://{address}", cookies=cookies, headers=headers) as http,
    ):
        for listener in sockets:
            await listener.recv()  # the state on connecting
        for number in range(posts + 5):
            body = {
                "command": str(uuid.uuid4()),
                "seen": version,
                "params": {
                    "wagers": [{"seat": number % 8 + 1, "wager": "small", "cents": 1_000 + 100 * number}]
                },
            }
            received = asyncio.create_task(everyone())
            began = time.perf_counter()
            answer = await http.post("/floor/larkfield/T-01/acts/place_wagers", json=body)
            answer.raise_for_status()
            times.append(await received - began)
            version = answer.json()["version"]
            await asyncio.sleep(0.02)
    return times[5:]


async def _chat(address: str, count: int, posts: int) -> list[float]:
    """Do the same with the tutorial: one socket sends a text as long as our fragment, and all receive it."""
    times, text = [], "x" * 40_000
    async with _listening(address, "/", {}, count, lambda message: message.startswith('{"message"')) as (
        sockets,
        everyone,
    ):
        for _ in range(posts + 5):
            received = asyncio.create_task(everyone())
            began = time.perf_counter()
            await sockets[0].send(text)
            times.append(await received - began)
            await asyncio.sleep(0.02)
    return times[5:]
