"""Faults of machines: their clocks, disks, files, folders, and the connections to Redis."""

import contextlib
import hashlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import redis

from script.faults.disk import Failure
from script.faults.ground import Fault, Ground
from script.faults.processes import Process
from script.faults.scene import WORKERS, Scene

MINUTE, HOUR, YEAR = 60.0, 3_600.0, 365 * 86_400.0
EXPORT_SECONDS = 120.0
MOST_SEGMENTS = 80  # more than PostgreSQL keeps to use again
DEAD_WORKER_SECONDS = 61.0  # after which another exporter takes the job


def clock_off(offset: float, seconds: float) -> Any:
    """Set the database's clock off by so many seconds, and right again after about `seconds`."""

    async def inject(ground: Ground) -> None:
        await ground.run(ground.scene.move_clock, offset)
        try:
            await ground.wait(seconds - 0.5, seconds + 0.5)
        finally:
            await ground.run(ground.scene.move_clock, -offset)

    return inject


async def clock_ahead(ground: Ground) -> None:
    """Set the database's clock two minutes ahead, where it stays."""
    await ground.run(ground.scene.move_clock, 120.0)
    await ground.wait(4, 6)


async def fill_sealers_disk(ground: Ground) -> None:
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


async def write_no_key_folder(ground: Ground) -> None:
    """Make the sealer's folder read-only, as a disk that the system has remounted."""
    with _read_only(ground.scene.folder):
        await ground.wait(6, 8)
        if not await ground.run(ground.scene.sealing_problem):
            ground.problems.append("`sealer --check` says that all is well on a read-only folder")


@contextlib.contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


async def end_redis_clients(ground: Ground) -> None:
    """End every connection to Redis, again and again."""
    ended = await ground.run(_end_redis_clients, ground.scene)
    ground.needs(ended > 0, "no connection was there to end")


def _end_redis_clients(scene: Scene) -> int:
    """Returns how many connections were ended."""
    server, ended = redis.Redis(unix_socket_path=str(scene.redis_socket)), 0
    for _ in range(25):
        for kind in ("pubsub", "normal"):
            ended += int(server.client_kill_filter(_type=kind, skipme=True))
        time.sleep(0.3)
    return ended


async def pause_redis(ground: Ground) -> None:
    """Let Redis answer no client for six seconds, while it accepts connections."""
    server = redis.Redis(unix_socket_path=str(ground.scene.redis_socket))
    await ground.run(server.execute_command, "CLIENT", "PAUSE", "6000", "ALL")
    await ground.wait(6.5, 7.5)


async def open_no_files(ground: Ground) -> None:
    """Let a worker open no further file or connection (RLIMIT_NOFILE)."""
    pid = ground.process(WORKERS[0]).pid
    soft, most = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    open_files = len(os.listdir(f"/proc/{pid}/fd"))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (open_files, most))
    try:
        await ground.wait(6, 8)
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, most))


async def kill_exporter(ground: Ground) -> None:
    """Kill the exporter within its job, and let another do it: the file is there once, and whole."""
    scene = ground.scene
    exporter = scene.exporter()
    job = await ground.run(_requested_export)
    try:
        for _ in range(2):
            exporter.start()
            await ground.wait(2, 4)
            await ground.run(exporter.kill)
            await ground.run(ground.scene.move_clock, DEAD_WORKER_SECONDS)
        exporter.start()
        ground.problems += await ground.run(_export_problems, job, exporter)
    finally:
        await ground.run(exporter.end)


def _requested_export() -> Any:
    from django.db import connection

    from audit import clock
    from audit.models import Job

    connection.close()
    params = {"query": ""}
    return Job.objects.create(
        facility="larkfield", kind=Job.Kind.EVIDENCE, params=params, asked_at=clock.now()
    ).pk


def _export_problems(job_id: Any, exporter: Process) -> list[str]:
    """Wait for the export. Returns what is wrong with it."""
    from django.db import connection

    from audit.models import Job

    deadline = time.monotonic() + EXPORT_SECONDS
    while time.monotonic() < deadline:
        connection.close()
        job = Job.objects.get(pk=job_id)
        if job.status not in (Job.Status.WAITING, Job.Status.RUNNING):
            break
        time.sleep(1)
    if job.status != Job.Status.DONE:
        return [
            f"an export whose exporter was killed is {job.status} ({job.failure_code}) after {EXPORT_SECONDS:.0f} s"
        ]
    folder = Path(exporter.environment["PITSIDE_EXPORTS_DIR"])
    files = [path for path in folder.rglob("*") if path.is_file() and job.sha256 in _sha256(path)]
    return [] if len(files) == 1 else [f"an export has {len(files)} files with its SHA-256"]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# The database's disk: what was written does not reach it, or it is full


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


MACHINE_FAULTS = (
    Fault("clock-ahead", "the database's clock jumps two minutes ahead", clock_ahead),
    Fault("clock-behind", "the database's clock is a minute behind for 5 s", clock_off(-MINUTE, 5)),
    Fault("clock-hour-behind", "the database's clock is an hour behind for 14 s", clock_off(-HOUR, 14)),
    Fault(
        "clock-year-ahead", "the database's clock is a year ahead for 5 s", clock_off(YEAR, 5), is_quick=True
    ),
    Fault("fsync-failing", "every fsync of the database fails for 4 s (EIO)", fail_syncs, lacking=lacks_disk),
    Fault("database-disk-full", "the database's disk is full for 10 s", fill_disk, lacking=lacks_disk),
    Fault("redis-clients-ended", "every connection to Redis is ended, twenty-five times", end_redis_clients),
    Fault("redis-paused", "Redis answers no client for 6 s", pause_redis),
    Fault("exporter-killed", "the exporter is killed within a job, twice", kill_exporter),
    # Only Linux lets a process change the limits of another one, and only root remounts a folder.
    *(
        [
            Fault("disk-full", "the sealer can write no file (RLIMIT_FSIZE 0)", fill_sealers_disk),
            Fault("worker-without-files", "a worker can open no file for 7 s", open_no_files),
        ]
        if hasattr(resource, "prlimit")
        else []
    ),
    *(
        [Fault("key-folder-read-only", "the sealer's folder is read-only for 7 s", write_no_key_folder)]
        if sys.platform == "linux" and os.geteuid() == 0
        else []
    ),
)
