"""Faults of two machines (`machines.py`): of their databases, their network, and whole machines."""

import asyncio
import contextlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import psycopg

from deploy.ha.configure import DATABASE_MACHINES
from script.faults.floor import COMPLIANCE
from script.faults.ground import Ground, MachineFault
from script.faults.machines import FRONT, TwoMachines

PROMOTED_SECONDS = 60.0
WHOLE_SECONDS = 120.0
CUT_SECONDS = 30.0
NO_QUORUM_SECONDS = 30.0  # longer than a primary may lead without etcd
ENDINGS, ENDING_SECONDS = 10, 0.3


def scene_of(ground: Ground) -> TwoMachines:
    assert isinstance(ground.scene, TwoMachines)
    return ground.scene


def other(machine: str) -> str:
    return next(name for name in DATABASE_MACHINES if name != machine)


async def until(ground: Ground, holds: Callable[[], Any], seconds: float, what: str) -> bool:
    """Wait until something holds; that it does not is a problem."""
    deadline = time.monotonic() + seconds
    while not await ground.run(holds):
        if time.monotonic() > deadline:
            ground.problems.append(f"not within {seconds:.0f} s: {what}")
            return False
        await asyncio.sleep(0.2)
    return True


async def until_whole(ground: Ground) -> None:
    await until(ground, scene_of(ground).is_whole, WHOLE_SECONDS, "a primary and a synchronous standby")


async def primary_of(ground: Ground) -> str:
    machine = await ground.run(scene_of(ground).primary)
    assert machine, "no database leads"
    return str(machine)


async def promoted(ground: Ground, machine: str) -> None:
    """Wait until the database of this machine leads."""
    what = f"the database of {machine} leads"
    await until(ground, lambda: scene_of(ground).primary() == machine, PROMOTED_SECONDS, what)


async def switch_over(ground: Ground) -> None:
    """Let the other database lead, as for an upgrade of the first."""
    before = await primary_of(ground)
    await ground.run(scene_of(ground).switch_over, before, other(before))
    await promoted(ground, other(before))
    await until_whole(ground)


async def kill_primary(ground: Ground) -> None:
    """Kill the primary and its Patroni. They start again when the other database leads."""
    scene, before = scene_of(ground), await primary_of(ground)
    await ground.run(scene.kill_database, before)
    await promoted(ground, other(before))
    await ground.wait(2, 4)
    scene.process("patroni", before).start()
    await until_whole(ground)


async def partition_primary(ground: Ground) -> None:
    """Cut the primary's machine off with all that runs on it, and let it come back some time after."""
    scene, before = scene_of(ground), await primary_of(ground)
    scene.network.cut(before)
    try:
        await promoted(ground, other(before))
        is_alive = bool(await ground.run(scene.postgres_pids_on, before))
        ground.needs(
            is_alive or scene.process("patroni", before).is_running, "the old primary was not running"
        )
        await ground.wait(8, 10)
    finally:
        scene.network.join(before)
    await until_whole(ground)


async def cut_standby(ground: Ground) -> None:
    """Cut the standby's machine off: no commit can wait for it."""
    scene, before = scene_of(ground), await primary_of(ground)
    scene.network.cut(other(before))
    try:
        await until(ground, lambda: scene.standby() is None, CUT_SECONDS, "no commit waits for the standby")
        since = time.monotonic()
        await asyncio.sleep(CUT_SECONDS / 3)
        is_playing = any(tablet.last_taken > since for tablet in ground.load.tablets)
        if not is_playing:
            ground.problems.append("no act was taken without the standby")
        ground.needs(await ground.run(scene.primary) == before, "the primary changed")
    finally:
        scene.network.join(other(before))
    await until_whole(ground)


async def lose_quorum(ground: Ground) -> None:
    """Kill two of three etcd. Nobody can be elected; the primary goes on because it reaches the standby."""
    scene, before = scene_of(ground), await primary_of(ground)
    lost = [scene.process("etcd", machine) for machine in (other(before), "c")]
    for process in lost:
        await ground.run(process.kill)
    gone = lambda: not scene.answers_200(before, 2379, "/health")  # noqa: E731
    await until(ground, gone, 20, "the etcd that is left has no quorum")
    await asyncio.sleep(NO_QUORUM_SECONDS)
    ground.needs(await ground.run(gone), "etcd had a quorum")
    for process in lost:
        process.start()
    await until_whole(ground)


async def lose_machine(ground: Ground) -> None:
    """Take the power from the machine whose sealer seals. It comes back when the other one does everything."""
    scene = scene_of(ground)
    lost = await ground.run(scene.sealing_machine)
    ground.needs(lost is not None, "no sealer had the folder")
    lost = lost or await primary_of(ground)
    await ground.run(scene.power_off, lost)
    left = other(lost)
    await promoted(ground, left)
    await until(ground, lambda: scene.network.has(left, FRONT), 30, "its address moved")
    await until(ground, lambda: scene.sealing_machine() == left, 60, f"the sealer of {left} seals")
    await until(ground, lambda: not scene.sealing_problem(), 60, "the record is sealed")
    await ground.run(scene.power_on, lost)
    await until_whole(ground)


async def lose_redis(ground: Ground) -> None:
    """Let the Redis to which all send answer nothing, as one whose machine is gone; then start it again."""
    scene = scene_of(ground)
    before = await ground.run(scene.redis_publishes, "b")
    lost = scene.process("redis", "a")
    lost.freeze()
    await ground.wait(9, 11)
    carried = (await ground.run(scene.redis_publishes, "b") or 0) - (before or 0)
    ground.needs(carried > 0, "nothing was sent by the other Redis")
    await ground.run(lost.kill)
    lost.start()
    await ground.run(lost.wait_until_ready)


async def end_waiting_commits(ground: Ground) -> None:
    """Let the standby take nothing, end the commits that wait for it, again and again, and promote it then.

    An ended wait makes a commit visible at the primary alone. A tablet that asks again must not be told that its act
    is taken, or it would be lost with the primary. A table halts if a screen had shown such an act: then two people
    declare a new incarnation, as after a restored backup.
    """
    scene, before = scene_of(ground), await primary_of(ground)
    receiver = await ground.run(scene.wal_receiver, other(before))
    ground.needs(receiver is not None, "the standby took nothing before")
    if receiver is None:
        return
    scene.signal_postgres([receiver], signal.SIGSTOP)
    began, ended = time.monotonic(), 0
    for number in range(ENDINGS):
        await asyncio.sleep(ENDING_SECONDS)
        ended += await ground.run(_end_waits, scene, before, "cancel" if number % 2 else "terminate")
    asked_again = sum(claim.tries > 1 for claim in ground.load.ledger.since(began))
    await ground.run(scene.kill_database, before)
    scene.signal_postgres([receiver], signal.SIGKILL)  # with what it was sent and had not written
    ground.needs(ended > 0, "no commit waited")
    ground.needs(asked_again > 0, "no act was asked for again")
    await promoted(ground, other(before))
    await ground.wait(6, 8)  # in which each tablet acts on what its screen shows
    scene.process("patroni", before).start()
    await until_whole(ground)
    if await ground.run(scene.halted_streams):
        await ground.run(scene.declare_incarnation, COMPLIANCE)
        await until(ground, lambda: not scene.halted_streams(), 30, "every table is resumed")


def _end_waits(scene: TwoMachines, machine: str, how: str) -> int:
    """End every commit that waits for the standby: `cancel` its wait, or `terminate` its session. Returns how many."""
    with contextlib.suppress(psycopg.Error), contextlib.closing(scene.admin_on(machine)) as admin:
        rows = admin.execute(
            f"SELECT pg_{how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'".encode()
        ).fetchall()
        return len(rows)
    return 0


async def add_sealer(ground: Ground) -> None:
    """Start a further sealer with a copy of the folder, whose address names the standby first."""
    scene, before = scene_of(ground), await primary_of(ground)
    folder = scene.home / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    await ground.run(_copy, scene, folder)
    copy, began = scene.sealer_with_copy(other(before), folder), time.monotonic()
    copy.start()
    await ground.wait(18, 20)
    waited = any(
        line.process == "copy" and line.moment > began and "is waiting" in line.text
        for line in list(scene.log)
    )
    ground.needs(copy.is_running and waited, "the further sealer did not wait")
    await ground.run(copy.end)


def _copy(scene: TwoMachines, folder: Any) -> None:
    subprocess.run(["cp", "-a", str(scene.folder), str(folder)], check=True)
    (folder / "lock").unlink(missing_ok=True)


async def lose_proxy(ground: Ground) -> None:
    """Kill the proxy of the machine that has the address of the tablets."""
    scene = scene_of(ground)
    before = await ground.run(scene.front_machine)
    assert before
    lost = scene.process("haproxy", before)
    await ground.run(lost.kill)
    moved = lambda: scene.network.has(other(before), FRONT)  # noqa: E731
    await until(ground, moved, 20, "the address moved")
    await ground.wait(3, 4)
    lost.start()
    await ground.run(lost.wait_until_ready)


TWO_MACHINE_FAULTS = (
    MachineFault("switchover", "the databases change places, as for an upgrade", switch_over),
    MachineFault("primary-killed", "the primary is killed", kill_primary),
    MachineFault("primary-cut-off", "the primary's machine is cut off, and comes back", partition_primary),
    MachineFault("standby-cut-off", "the standby's machine is cut off for 30 s", cut_standby),
    MachineFault("quorum-lost", "two of three etcd are killed for 30 s", lose_quorum),
    MachineFault("machine-lost", "the machine whose sealer seals loses its power", lose_machine),
    MachineFault("redis-lost", "the Redis that carries the pushes answers nothing", lose_redis),
    MachineFault(
        "commits-ended",
        "commits that wait for the standby are ended, and it is promoted",
        end_waiting_commits,
        who_acts="two people declare, if a screen had shown what is gone",
    ),
    MachineFault("two-sealers", "a further sealer with a copy of the folder, standby first", add_sealer),
    MachineFault("proxy-lost", "the proxy that has the address is killed", lose_proxy),
)
