"""Faults of the database's disk: what was written does not reach it, or it is full."""

import contextlib
import time

import psycopg

from script.faults.disk import Failure
from script.faults.ground import Fault, Ground
from script.faults.scene import Scene

MOST_SEGMENTS = 80  # more than PostgreSQL keeps to use again


async def fail_syncs(ground: Ground) -> None:
    """Let every fsync fail for some seconds. PostgreSQL does not know what is on its disk then, and starts anew."""
    scene, began = ground.scene, time.monotonic()
    await ground.run(scene.set_synced, True)
    with scene.disk.failing(Failure.SYNC):
        await ground.wait(4, 5)
    ground.needs(scene.postgres_said("PANIC", "sync", "Input/output error", since=began), "no fsync failed")
    await _start_again(ground)
    await ground.run(scene.set_synced, False)


async def fill_disk(ground: Ground) -> None:
    """Let no file of the database grow for some seconds. Without a new segment of its log PostgreSQL ends."""
    scene, began = ground.scene, time.monotonic()
    with scene.disk.failing(Failure.FULL):
        await ground.wait(1, 2)
        await ground.run(_use_up_segments, scene)
        await ground.wait(7, 9)
    found = scene.postgres_said("PANIC", "No space left on device", since=began)
    ground.needs(found, "PostgreSQL found space for its log")
    await _start_again(ground)


def _use_up_segments(scene: Scene) -> None:
    """Begin new segments of the log until one has to be made."""
    with contextlib.suppress(psycopg.Error), contextlib.closing(scene.admin()) as admin:
        for _ in range(MOST_SEGMENTS):
            admin.execute("SELECT pg_logical_emit_message(true, 'faults', 'a segment of its own')")
            admin.execute("SELECT pg_switch_wal()")


async def _start_again(ground: Ground) -> None:
    """Start PostgreSQL if it ended, as the service manager does (`restart: unless-stopped`)."""
    postgres = ground.scene.postgres
    if not postgres.is_running:
        postgres.start()
    await ground.run(postgres.wait_until_ready)


def lacks_disk(scene: Scene) -> str:
    return scene.disk.lacking


DISK_FAULTS = (
    Fault("fsync-failing", "every fsync of the database fails for 4 s (EIO)", fail_syncs, lacking=lacks_disk),
    Fault("database-disk-full", "the database's disk is full for 10 s", fill_disk, lacking=lacks_disk),
)
