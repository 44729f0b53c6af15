"""Faults of tablets and of the way to the workers: two tabs, a long sleep, what is lost, late, slow or never read."""

import asyncio
import contextlib
import random
import socket
import time

from script.faults.ground import Fault, Ground, Injection
from script.faults.load import Dealer
from script.faults.scene import HOST
from script.tablet import Tablet, Trouble

TRICKLING = 64  # connections to each worker


async def play_in_two_tabs(ground: Ground) -> None:
    """Open the console of every table in a second tab of its tablet, and let both play."""
    load, began = ground.load, time.monotonic()
    twins = []
    for tablet in load.tablets:
        draw = random.Random(ground.draw.random())
        twin = Dealer(tablet.seat, tablet.token, load.front, load.ledger, draw)
        twin.cookies, twin.heads, twin.fills = tablet.cookies, tablet.heads, []
        await twin.resync()
        twin.open()
        twins.append(twin)
    await ground.wait(8, 10)
    for twin in twins:
        twin.turns.may_play.clear()
    await asyncio.wait([asyncio.create_task(twin.turns.is_idle.wait()) for twin in twins], timeout=20)
    for twin in twins:
        await twin.close()
    ground.needs(any(twin.last_taken > began for twin in twins), "a second tab did nothing")


async def sleep_long(ground: Ground) -> None:
    """Let a tablet sleep for five minutes of the database's clock, wake up, and tap on its old screen."""
    tablet = ground.draw.choice(ground.load.tablets)
    tablet.turns.may_play.clear()
    await asyncio.wait([asyncio.create_task(tablet.turns.is_idle.wait())], timeout=20)
    for task in tablet.tasks[:2]:
        task.cancel()
    act = tablet.choose()
    await ground.run(ground.scene.move_clock, 300.0)
    await ground.wait(4, 6)
    ground.needs(act is not None, "the old screen offered nothing to tap on")
    if act is not None:
        await tablet.act(*act)
    tablet.tasks[:2] = [asyncio.create_task(tablet.listen()), asyncio.create_task(tablet.watch())]
    tablet.turns.is_idle.clear()
    tablet.turns.may_play.set()


async def trickle_bodies(ground: Ground) -> None:
    """Send acts whose bodies arrive byte by byte, over as many connections as would hold every thread."""
    tablet = ground.load.tablets[0]
    ports = [port for port in ground.load.front.ports for _ in range(TRICKLING)]
    lines = ("Content-Type: application/json", "Content-Length: 200")
    connections = [
        await ground.run(_connect, port, _request(tablet, port, f"POST {tablet.path}acts/shake", *lines))
        for port in ports
    ]
    try:
        for _ in range(8):
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.sendall(b" ")
            await asyncio.sleep(1)
    finally:
        for connection in connections:
            connection.close()


# The way to the workers


def network(trouble: Trouble) -> Injection:
    """Lose, repeat or reorder acts on their way."""

    async def inject(ground: Ground) -> None:
        before = ground.load.front.troubled
        with ground.load.troubled(trouble):
            await ground.wait(6, 8)
        ground.needs(ground.load.front.troubled > before, "no act met trouble on its way")

    return inject


async def slow_sockets(ground: Ground) -> None:
    """Open connections that send half a request and fall silent, or that receive and never read."""
    silent: list[socket.socket] = []
    try:
        for port in ground.scene.ports.values():
            for _ in range(15):
                silent.append(
                    await ground.run(_connect, port, b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n")
                )
                head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90\r\n\r\nperson="
                silent.append(await ground.run(_connect, port, head))
            for tablet in ground.load.tablets:  # sockets of screens that then never read
                lines = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
                lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Origin: https://{HOST}:{port}"]
                handshake = _request(tablet, port, f"GET {tablet.socket_path}", *lines)
                silent.append(await ground.run(_connect, port, handshake))
        await ground.wait(6, 8)
    finally:
        for connection in silent:
            connection.close()


def _connect(port: int, text: bytes) -> socket.socket:
    connection = socket.create_connection((HOST, port), 5)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    connection.sendall(text)
    return connection


def _request(tablet: Tablet, port: int, what: str, *headers: str) -> bytes:
    """A request of a tablet without its body, as the proxy in front of a worker sends it."""
    lines = [f"{what} HTTP/1.1", f"Host: {HOST}:{port}", "X-Forwarded-Proto: https"]
    lines += [f"Cookie: {tablet.headers['Cookie']}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


TABLET_FAULTS = (
    Fault("answers-lost", "requests and answers are lost", network("lost"), is_quick=True),
    Fault("acts-repeated", "acts arrive twice at once", network("repeated")),
    Fault("acts-reordered", "copies of acts arrive late", network("reordered")),
    Fault("slow-sockets", "seventy connections send half a request, or never read", slow_sockets),
    Fault("two-tabs", "two tabs of each tablet play at once", play_in_two_tabs),
    Fault("tablet-asleep", "a tablet sleeps, and then taps on its old screen", sleep_long),
    Fault("bodies-trickle", "a hundred and twenty-eight acts arrive byte by byte", trickle_bodies),
)
