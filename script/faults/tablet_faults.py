"""Faults of tablets: two tabs, a long sleep, and bodies that trickle."""

import asyncio
import contextlib
import random
import socket
import time

from script.faults.ground import Fault, Ground
from script.faults.load import Dealer
from script.faults.scene import HOST
from script.tablet import Tablet

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
    connections = [await ground.run(_begun_act, tablet, port) for port in ports]
    try:
        for _ in range(8):
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.sendall(b" ")
            await asyncio.sleep(1)
    finally:
        for connection in connections:
            connection.close()


def _begun_act(tablet: Tablet, port: int) -> socket.socket:
    connection = socket.create_connection((HOST, port), 5)
    lines = [
        f"POST {tablet.path}acts/shake HTTP/1.1",
        f"Host: {HOST}:{port}",
        "X-Forwarded-Proto: https",
        f"Cookie: {tablet.headers['Cookie']}",
        "Content-Type: application/json",
        "Content-Length: 200",
    ]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return connection


TABLET_FAULTS = (
    Fault("two-tabs", "two tabs of each tablet play at once", play_in_two_tabs),
    Fault("tablet-asleep", "a tablet sleeps, and then taps on its old screen", sleep_long),
    Fault("bodies-trickle", "a hundred and twenty-eight acts arrive byte by byte", trickle_bodies),
)
