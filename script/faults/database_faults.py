"""Faults of a database that does not do what is asked: it stalls, takes no writes, has no session, or has gone back."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import psycopg

from script.faults.floor import COMPLIANCE
from script.faults.ground import Fault, Ground
from script.faults.scene import Scene

STALL_SECONDS = 35.0  # longer than a tablet's five tries, each of which waits for the lock
CATCH_SECONDS = 15.0
READER_SECONDS = 9.0
PAUSE_SECONDS = 20.0
HALT_SECONDS = 25.0

# The sessions of the web role that have written, and have not committed yet.
WRITING = """SELECT pid FROM pg_stat_activity
    WHERE usename = 'pitside_app' AND backend_xid IS NOT NULL AND pid <> ALL(%s)"""


async def stall_commits(ground: Ground) -> None:
    """Freeze sessions between their first write and the end of their commit, as a disk that stalls does.

    Their tables stay locked, so every further try of the acts is answered that nothing was begun. When the sessions
    go on, some acts are taken after all.
    """
    began = time.monotonic()
    caught = await ground.run(_caught_sessions, ground.scene, len(ground.load.tablets))
    try:
        if not caught:
            ground.problems.append("no session was caught between its first write and its commit")
        await asyncio.sleep(STALL_SECONDS)
    finally:
        ground.scene.signal_postgres(caught, signal.SIGCONT)
    claims = ground.load.ledger.since(began)
    is_asked_again = any(claim.tries > 5 for claim in claims)
    ground.needs(not caught or is_asked_again, "no act was asked for six times")


def _caught_sessions(scene: Scene, most: int) -> list[int]:
    """Freeze up to so many sessions while they write. Returns their process ids."""
    caught: list[int] = []
    deadline = time.monotonic() + CATCH_SECONDS
    with scene.admin() as admin:
        while len(caught) < most and time.monotonic() < deadline:
            for (pid,) in admin.execute(WRITING, [caught]).fetchall():
                os.kill(pid, signal.SIGSTOP)
                is_writing = (pid,) in admin.execute(WRITING, [caught]).fetchall()
                if is_writing:
                    caught.append(pid)
                else:
                    os.kill(pid, signal.SIGCONT)
    return caught


async def accept_no_writes(ground: Ground) -> None:
    """Let the database accept no writes for some seconds, as a standby or one whose disk is full."""
    began = time.monotonic()
    await ground.run(_set_read_only, ground.scene, True)
    try:
        await ground.wait(7, 9)
    finally:
        await ground.run(_set_read_only, ground.scene, False)
    is_refused = any(claim.code or claim.tries > 1 for claim in ground.load.ledger.since(began))
    ground.needs(is_refused, "no act was refused or asked for again")


def _set_read_only(scene: Scene, is_read_only: bool) -> None:
    name = "default_transaction_read_only"
    with scene.admin() as admin:
        admin.execute("SET default_transaction_read_only = off")
        admin.execute(f"ALTER SYSTEM SET {name} = on" if is_read_only else f"ALTER SYSTEM RESET {name}")
        admin.execute("SELECT pg_reload_conf()")


async def take_connections(ground: Ground) -> None:
    """Let others take every session of the database, after the pools have lost theirs."""
    with contextlib.ExitStack() as stack:
        await ground.run(_take_all, ground.scene, stack)
        await ground.wait(5, 7)


def _take_all(scene: Scene, stack: contextlib.ExitStack) -> None:
    """Open sessions until the database accepts no more, end those of the product, and take theirs as well."""
    first = stack.enter_context(contextlib.closing(scene.admin()))
    for _ in range(2):
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                stack.enter_context(contextlib.closing(scene.admin()))
        first.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pitside_app'")


async def wait_behind_reader(ground: Ground) -> None:
    """Let a migration wait for its lock behind a long read of the record: every act waits behind the migration."""
    with await ground.run(_reader, ground.scene):
        migration = asyncio.create_task(ground.run(_migrate, ground.scene))
        await asyncio.sleep(READER_SECONDS / 2)
        ground.needs(await ground.run(ground.scene.waits_for_a_lock), "the migration did not wait")
        await asyncio.sleep(READER_SECONDS / 2)
    await migration


@contextlib.contextmanager
def _reading(scene: Scene) -> Iterator[None]:
    with contextlib.closing(scene.admin(autocommit=False)) as admin:
        admin.execute("LOCK TABLE audit_entry IN ACCESS SHARE MODE")
        yield


def _reader(scene: Scene) -> contextlib.ExitStack:
    stack = contextlib.ExitStack()
    stack.enter_context(_reading(scene))
    return stack


def _migrate(scene: Scene) -> None:
    """Add a column, and take that back. It gives up where it waits too long, as a careful migration does."""
    with contextlib.closing(scene.admin(autocommit=False)) as admin:
        admin.execute("SET lock_timeout = '8s'")
        with contextlib.suppress(psycopg.errors.LockNotAvailable):
            admin.execute("ALTER TABLE audit_entry ADD COLUMN waiting integer")
        admin.rollback()


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


DATABASE_FAULTS = (
    Fault("sessions-terminated", "every session of the database is ended, three times", terminate_sessions),
    Fault("pool-empty", "no connection of the pool is free", empty_pool),
    Fault("row-locked", "another session holds a table's row for 5 s", lock_row),
    Fault("commits-stalled", "commits are not answered for 35 s, and then some are done", stall_commits),
    Fault("database-read-only", "the database accepts no writes for 8 s", accept_no_writes),
    Fault("connections-taken", "others have every session of the database for 6 s", take_connections),
    Fault("migration-waits", "a migration waits 9 s behind a reader of the record", wait_behind_reader),
)
RESTORED_BACKUPS = (
    Fault("backup-restored", "a backup is restored below play that went on", restore_backup),
    Fault(
        "files-restored-to-a-moment",
        "a copy of the cluster's files is restored to a moment below play that went on",
        restore_files,
        lacking=_lacks_base_backup,
    ),
)
