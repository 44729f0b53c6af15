"""The faults. Each is one declaration: a name, a sentence, and a function that does it and puts everything right again.

The function gets the `Ground`. While it runs, the tablets play. When it returns, nothing of the fault is left but what
it did; from then on the seconds count until everything is right. To add a fault, add one `Fault` here or to
its topic.
"""

import signal
from typing import Any

from script.faults.database_faults import DATABASE_FAULTS, RESTORED_BACKUPS
from script.faults.ground import Fault, Ground, Injection
from script.faults.machine_faults import MACHINE_FAULTS
from script.faults.scene import WORKERS
from script.faults.tablet_faults import TABLET_FAULTS


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
    *DATABASE_FAULTS,
    *MACHINE_FAULTS,
    *TABLET_FAULTS,
    *RESTORED_BACKUPS,
)
BY_NAME = {fault.name: fault for fault in FAULTS}
