"""The faults. Each is one declaration: a name, a sentence, and a function that does it and puts everything right again.

The function gets the `Ground`. While it runs, the tablets play. When it returns, nothing of the fault is left but what
it did; from then on the seconds count until everything is right. To add a fault, add one `Fault` to `FAULTS`.
"""

import asyncio
import contextlib
import resource
import signal
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg

from script.faults.database_faults import DATABASE_FAULTS
from script.faults.disk_faults import DISK_FAULTS
from script.faults.floor import COMPLIANCE
from script.faults.ground import Fault, Ground, Injection
from script.faults.machine_faults import MACHINE_FAULTS
from script.faults.scene import HOST, WORKERS, Scene
from script.faults.tablet_faults import TABLET_FAULTS
from script.tablet import Trouble

PAUSE_SECONDS = 20.0
HALT_SECONDS = 25.0


# Processes


def kill(*names: str) -> Injection:
    """Kill these processes at about the same time, and start them again after a moment."""

    async def inject(ground: Ground) -> None:
        for name in names:
            await ground.run(ground.scene.kill, ground.process(name))
            await ground.wait(0.0, 0.3)
        await ground.wait(1.0, 3.0)
        await _start(ground, names)

    return inject


def freeze(*names: str, seconds: float) -> Injection:
    """Stop these processes where they are for about so many seconds: they accept connections and answer nothing."""

    async def inject(ground: Ground) -> None:
        with ground.scene.frozen(*(ground.process(name) for name in names)):
            await ground.wait(seconds - 1, seconds + 1)

    return inject


def restart(*names: str) -> Injection:
    """Ask these processes to end, one after the other, and start each again, as an operator does for an update."""

    async def inject(ground: Ground) -> None:
        for name in names:
            fast_shutdown = signal.SIGINT if name == "postgres" else signal.SIGTERM
            await ground.run(ground.process(name).end, fast_shutdown)
            await _start(ground, [name])

    return inject


async def _start(ground: Ground, names: Any) -> None:
    """Start these processes, and wait until each answers: the database first, because others ask it."""
    processes = sorted(map(ground.process, names), key=lambda process: process.name != "postgres")
    for process in processes:
        process.start()
    for process in processes:
        await ground.run(process.wait_until_ready)


# The database


async def terminate_sessions(ground: Ground) -> None:
    """End every session of the database three times."""
    for _ in range(3):
        ended = await ground.run(ground.scene.terminate_sessions)
        ground.needs(ended > 0, "no session was there to end")
        await ground.wait(0.3, 1.5)


async def lock_row(ground: Ground) -> None:
    """Hold the row of one table, as a forgotten transaction of an administrator would."""
    tablet = ground.draw.choice(ground.load.tablets)
    with await ground.run(_row_lock, ground.scene, tablet.seat.place):
        await ground.wait(4, 6)
        ground.needs(await ground.run(ground.scene.waits_for_a_lock), "nobody waited for the row")


async def empty_pool(ground: Ground) -> None:
    """Hold the row of one table, and let thirty requests wait for it, so that no connection is left for others."""
    tablet = ground.draw.choice(ground.load.tablets)
    with await ground.run(_row_lock, ground.scene, tablet.seat.place):
        for _ in range(2):
            crowd = [asyncio.create_task(tablet.act("no_more_bets", {})) for _ in range(30)]
            await asyncio.sleep(2.5)
            ground.needs(await ground.run(ground.scene.waits_for_a_lock), "nobody waited for the row")
    await asyncio.wait(crowd, timeout=30)


def _row_lock(scene: Scene, place: str) -> contextlib.closing[psycopg.Connection[Any]]:
    """The lock of a table's row. Ends with the connection."""
    admin = scene.admin(autocommit=False)
    admin.execute(
        "SELECT t.id FROM tables_table t JOIN audit_stream s ON s.id = t.stream_id WHERE s.name = %s "
        "FOR UPDATE OF t, s",
        [place],
    )
    return contextlib.closing(admin)


async def restore_backup(ground: Ground) -> None:
    """Restore a dump below play that went on."""
    await _go_back(ground, ground.scene.back_up, ground.scene.restore)


async def restore_files(ground: Ground) -> None:
    """Restore the cluster's files to a moment, from a copy that was made during play and the log since."""
    scene = ground.scene
    backup = await ground.run(scene.back_up_files)
    await ground.wait(2, 4)
    await _go_back(ground, scene.moment, partial(scene.restore_files, backup))


def _lacks_base_backup(scene: Scene) -> str:
    return "" if scene.base_backup.exists() else "there is no pg_basebackup here"


async def _go_back(ground: Ground, remembered: Callable[[], Any], put_back: Callable[[Any], None]) -> None:
    """Put the database back below play that went on, while every tablet has signed in anew since.

    `remembered` returns what `put_back` needs to find this moment again. The record goes back, and so do the sessions:
    every tablet is signed out before anybody looks at its head. Each table that lost entries has to halt nevertheless,
    until two people declare a new incarnation.
    """
    scene, load = ground.scene, ground.load
    await load.pause(PAUSE_SECONDS)
    state = await ground.run(remembered)
    moment = time.monotonic()
    for tablet in load.tablets:
        await tablet.sign_in()
    load.resume()
    await ground.wait(4, 6)
    await load.pause(PAUSE_SECONDS)
    # These acts were acknowledged, and the backup has lost them: the tables that did them have to halt.
    lost = {claim.place for claim in load.ledger.since(moment) if claim.fate == "taken"}
    ground.needs(bool(lost), "no act was taken after the backup")
    load.ledger.claims = [claim for claim in load.ledger.claims if claim.started < moment]
    await ground.run(put_back, state)
    load.resume()
    halted = await ground.run(_halted, scene, lost)
    ground.problems += [f"{place} plays on after the restored backup" for place in sorted(lost - halted)]
    await ground.run(scene.declare_incarnation, COMPLIANCE)


def _halted(scene: Scene, expected: set[str]) -> set[str]:
    """The tables that are halted, once they are all that are expected or the time is over."""
    deadline = time.monotonic() + HALT_SECONDS
    while not (halted := scene.halted_streams()) >= expected and time.monotonic() < deadline:
        time.sleep(0.3)
    return halted


# The network


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
            handshakes = [_handshake(tablet, port) for tablet in ground.load.tablets]
            silent += [await ground.run(_connect, port, handshake) for handshake in handshakes]
        await ground.wait(6, 8)
    finally:
        for connection in silent:
            connection.close()


def _connect(port: int, text: bytes) -> socket.socket:
    connection = socket.create_connection((HOST, port), 5)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    connection.sendall(text)
    return connection


def _handshake(tablet: Any, port: int) -> bytes:
    """The request of a socket whose screen then never reads."""
    lines = [
        f"GET {tablet.socket_path} HTTP/1.1",
        f"Host: {HOST}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"Origin: https://{HOST}:{port}",
        "X-Forwarded-Proto: https",
        f"Cookie: {tablet.headers['Cookie']}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


# The sealer's disk and the clock


async def fill_disk(ground: Ground) -> None:
    """Let no file of the sealer grow (RLIMIT_FSIZE 0), as on a full disk: each write fails with EFBIG."""
    pid = ground.scene.sealer.pid
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
    try:
        await ground.wait(4, 6)
        if not await ground.run(ground.scene.sealing_problem):
            ground.problems.append(
                "`sealer --check` says that all is well while the sealer can write no file"
            )
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))


async def clock_ahead(ground: Ground) -> None:
    """Set the database's clock two minutes ahead, where it stays."""
    await ground.run(ground.scene.move_clock, 120.0)
    await ground.wait(4, 6)


async def clock_behind(ground: Ground) -> None:
    """Set the database's clock back by a minute, for some seconds."""
    await ground.run(ground.scene.move_clock, -60.0)
    await ground.wait(4, 6)
    await ground.run(ground.scene.move_clock, 60.0)


WEB_1, WEB_2 = WORKERS
FAULTS = (
    Fault("worker-killed", "a worker is killed", kill(WEB_1)),
    Fault("worker-frozen", "a worker answers nothing for 10 s", freeze(WEB_1, seconds=10)),
    Fault("workers-restarted", "the workers are replaced, one after the other", restart(*WORKERS)),
    Fault("workers-killed", "both workers are killed", kill(*WORKERS)),
    Fault("ticker-killed", "the ticker is killed", kill("ticker")),
    Fault("ticker-frozen", "the ticker stops for 6 s", freeze("ticker", seconds=6)),
    Fault("ticker-restarted", "the ticker is restarted", restart("ticker")),
    Fault("sealer-killed", "the sealer is killed", kill("sealer")),
    Fault("sealer-frozen", "the sealer stops for 6 s", freeze("sealer", seconds=6)),
    Fault("sealer-restarted", "the sealer is restarted", restart("sealer")),
    Fault("redis-killed", "Redis is killed", kill("redis")),
    Fault("redis-frozen", "Redis answers nothing for 8 s", freeze("redis", seconds=8)),
    Fault("redis-restarted", "Redis is restarted", restart("redis")),
    Fault("postgres-killed", "PostgreSQL is killed", kill("postgres"), is_quick=True),
    Fault("postgres-frozen", "PostgreSQL answers nothing for 8 s", freeze("postgres", seconds=8)),
    Fault("postgres-restarted", "PostgreSQL is restarted", restart("postgres")),
    Fault("worker-and-redis-killed", "a worker and Redis are killed", kill(WEB_2, "redis"), is_quick=True),
    Fault("worker-and-postgres-killed", "a worker and PostgreSQL are killed", kill(WEB_1, "postgres")),
    Fault("worker-and-ticker-killed", "a worker and the ticker are killed", kill(WEB_2, "ticker")),
    Fault("worker-and-sealer-killed", "a worker and the sealer are killed", kill(WEB_1, "sealer")),
    Fault("ticker-and-redis-killed", "the ticker and Redis are killed", kill("ticker", "redis")),
    Fault("ticker-and-postgres-killed", "the ticker and PostgreSQL are killed", kill("ticker", "postgres")),
    Fault("sealer-and-redis-killed", "the sealer and Redis are killed", kill("sealer", "redis")),
    Fault("redis-and-postgres-killed", "Redis and PostgreSQL are killed", kill("redis", "postgres")),
    Fault(
        "redis-and-postgres-frozen",
        "Redis and PostgreSQL answer nothing for 6 s",
        freeze("redis", "postgres", seconds=6),
    ),
    Fault(
        "worker-and-redis-frozen",
        "a worker and Redis answer nothing for 6 s",
        freeze(WEB_1, "redis", seconds=6),
    ),
    Fault("redis-and-postgres-restarted", "Redis and PostgreSQL are restarted", restart("redis", "postgres")),
    Fault("postgres-and-sealer-killed", "PostgreSQL and the sealer are killed", kill("postgres", "sealer")),
    Fault("ticker-and-sealer-killed", "the ticker and the sealer are killed", kill("ticker", "sealer")),
    Fault("sessions-terminated", "every session of the database is ended, three times", terminate_sessions),
    Fault("pool-empty", "no connection of the pool is free", empty_pool),
    Fault("row-locked", "another session holds a table's row for 5 s", lock_row),
    Fault("answers-lost", "requests and answers are lost", network("lost"), is_quick=True),
    Fault("acts-repeated", "acts arrive twice at once", network("repeated")),
    Fault("acts-reordered", "copies of acts arrive late", network("reordered")),
    Fault("slow-sockets", "seventy connections send half a request, or never read", slow_sockets),
    # Only Linux lets a process change the limits of another one.
    *(
        [Fault("disk-full", "the sealer can write no file (RLIMIT_FSIZE 0)", fill_disk)]
        if hasattr(resource, "prlimit")
        else []
    ),
    Fault("clock-ahead", "the database's clock jumps two minutes ahead", clock_ahead),
    Fault("clock-behind", "the database's clock is a minute behind for 5 s", clock_behind),
    *DATABASE_FAULTS,
    *DISK_FAULTS,
    *MACHINE_FAULTS,
    *TABLET_FAULTS,
    Fault("backup-restored", "a backup is restored below play that went on", restore_backup),
    Fault(
        "files-restored-to-a-moment",
        "a copy of the cluster's files is restored to a moment below play that went on",
        restore_files,
        lacking=_lacks_base_backup,
    ),
)
BY_NAME = {fault.name: fault for fault in FAULTS}
