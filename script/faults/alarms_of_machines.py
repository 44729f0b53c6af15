"""Whether somebody is called: `python -m script.faults.alarms_of_machines`.

It starts the installation with its load and a Prometheus that has the rules of deploy/monitoring, injects its faults
one after the other, and says of each whether its alert called and after how long. Before them it scrapes a floor that
plays without a fault, and plays twelve hours of that to the committed rules, all of them: nobody may be called.

So that it does not take hours, every wait of the rules, and every age of ten minutes and more, is divided by one factor
(`--factor`, 1 as committed). It is said with each figure: a bound is the committed wait divided by it, and what the
metric itself needs (a ticker measures its machine once a minute, whatever the factor).
"""

import argparse
import asyncio
import contextlib
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from script.faults.evening import add_webhook
from script.faults.floor import DEALERS, PODIUM
from script.faults.load import Load
from script.faults.monitored import (
    DISK_BYTES,
    SCRAPE_SECONDS,
    MonitoredScene,
    names_of_rules,
    play_quiet_hours,
    scaled_rules,
    seconds_of,
)
from script.faults.scene import HOST, Binaries
from script.service_finder import ROOT, Unavailable
from script.tablet import Json

if TYPE_CHECKING:
    from audit.entries import DrillOutcome

NOT_HERE = 5  # the exit status where something is missing, as pytest's for "no tests"
MEASURED_SECONDS = 60.0  # a ticker measures its machine as often
CLOCK = "ClockNotKept"  # calls rightly on a machine whose clock no time server keeps
KEPT = "pitside_clock_synchronized"
DISK = {"instance": "database:9100", "mountpoint": "/", "fstype": "ext4"}
# What a machine with a standby, an archive, node_exporter and a time server has where all is well
GIVEN: dict[str, list[tuple[dict[str, str], str]]] = {
    KEPT: [({"machine": "database"}, "1")],
    "node_filesystem_avail_bytes": [(DISK, "6e10")],
    "node_filesystem_size_bytes": [(DISK, "1e11")],
    "pitside_standbys": [({}, "1")],
    "pitside_standby_lag_seconds": [({"standby": "b"}, "0.2")],
    "pitside_standby_lag_bytes": [({"standby": "b"}, "4096")],
    "pitside_wal_archive_failing": [({}, "0")],
    "pitside_wal_archive_age_seconds": [({}, "40")],
    "pitside_log_not_sealed": [({"log": "larkfield", "reason": "none"}, "0")],
    "pitside_ticker_failing": [({"check": "none"}, "0")],
    "pitside_oldest_alert_seconds": [({"kind": "floor-call", "level": "warning"}, "30")],
}
Trouble = Callable[[MonitoredScene], "contextlib.AbstractContextManager[None]"]


@dataclass(frozen=True)
class Alarm:
    """A fault, and the alert that it must raise. `needs_seconds`: from the fault until its metric can show it,
    whatever the factor; `age_seconds`: the age in the rule, which the factor divides.
    """

    fault: str
    title: str
    alert: str
    trouble: Trouble
    needs_seconds: float = 0.0
    age_seconds: float = 0.0


@contextlib.contextmanager
def frozen(scene: MonitoredScene, *names: str) -> Iterator[None]:
    with scene.frozen(*(process for process in scene.processes if process.name in names)):
        yield


def stops(*names: str) -> Trouble:
    return lambda scene: frozen(scene, *names)


def kills(*names: str) -> Trouble:
    @contextlib.contextmanager
    def trouble(scene: MonitoredScene) -> Iterator[None]:
        processes = [process for process in scene.processes if process.name in names]
        for process in processes:
            process.kill()
        yield
        for process in processes:
            process.start()
            process.wait_until_ready()

    return trouble


@contextlib.contextmanager
def rows_locked(scene: MonitoredScene) -> Iterator[None]:
    """Somebody holds the rows of all tables: every act waits for its lock, and is refused as not begun."""
    with scene.admin(autocommit=False) as admin:
        admin.execute("SELECT 1 FROM tables_table FOR UPDATE")
        yield
        admin.rollback()


@contextlib.contextmanager
def disk_filled(scene: MonitoredScene) -> Iterator[None]:
    file = scene.small_disk / "full"
    file.write_bytes(bytes(DISK_BYTES * 95 // 100))
    yield
    file.unlink()


@contextlib.contextmanager
def clock_off(scene: MonitoredScene) -> Iterator[None]:
    scene.move_clock(-4.0)
    yield
    scene.move_clock(4.0)


@contextlib.contextmanager
def certificate_ending(scene: MonitoredScene) -> Iterator[None]:
    scene.certificates.renew(days_left=3)
    yield
    scene.certificates.renew(days_left=60)


@contextlib.contextmanager
def drill_without_backup(_scene: MonitoredScene) -> Iterator[None]:
    subprocess.run([sys.executable, "manage.py", "restore_drill"], cwd=ROOT, capture_output=True, check=False)
    yield
    write_drills("passed")


@contextlib.contextmanager
def drills_without_result(_scene: MonitoredScene) -> Iterator[None]:
    """So many drills could not run that the one that passed is no longer among those that are read."""
    from tables.monitoring import DRILLS_READ

    write_drills("could-not-run", DRILLS_READ)
    yield
    write_drills("passed")


@contextlib.contextmanager
def receiver_gone(_scene: MonitoredScene) -> Iterator[None]:
    """A webhook's receiver answers that it is gone (410), so that its first message is given up."""

    class Gone(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_error(410)

        def log_message(self, *_: object) -> None:
            pass

    receiver = ThreadingHTTPServer((HOST, 0), Gone)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    add_webhook(f"http://{HOST}:{receiver.server_port}/", "The receiver that goes")
    yield
    receiver.shutdown()
    receiver.server_close()


ALARMS = (
    Alarm("worker-killed", "a worker is killed", "ProcessDown", kills("web-1")),
    Alarm("workers-killed", "both workers are killed", "NoWorker", kills("web-1", "web-2")),
    Alarm("ticker-stopped", "the ticker stops", "TickerSilent", stops("ticker"), 30),
    Alarm("sealer-stopped", "the sealer stops", "RecordNotSealed", stops("sealer"), 60),
    Alarm("witness-silent", "the witness answers nothing", "WitnessBehind", stops("witness"), 30, 900),
    Alarm("redis-away", "Redis is killed", "PushesLost", kills("redis"), 15),
    Alarm("database-away", "PostgreSQL answers nothing", "DatabaseAway", stops("postgres"), 20),
    Alarm("database-locked", "every act waits for a lock", "ActsFail", rows_locked, 60),
    Alarm("disk-nearly-full", "a disk is filled", "DiskNearlyFull", disk_filled, MEASURED_SECONDS),
    Alarm("clock-off", "the database's clock is four seconds behind", "ClocksDiffer", clock_off, 5),
    Alarm("certificate-ends", "a certificate ends in three days", "CertificateEnds", certificate_ending, 60),
    Alarm("drill-could-not-run", "a drill finds no backup", "DrillFailed", drill_without_backup, 10),
    Alarm("restore-due", "no drill has lately passed", "RestoreDue", drills_without_result, 10),
    # The last one: a message that was given up stays given up, and its alert goes on.
    Alarm("receiver-gone", "a webhook's receiver is gone", "DeliveriesFail", receiver_gone, 30),
)


def write_drills(outcome: "DrillOutcome", count: int = 1) -> None:
    """Results of drills, as those of real backups would be: quiet hours have one that passed."""
    from django.db import connection, transaction

    from audit import clock
    from audit.entries import RESTORE_DRILLED
    from audit.sealing.declarations import write_on_system

    connection.close()
    drilled = RESTORE_DRILLED(
        outcome=outcome,
        why="",
        backup="",
        entries=0,
        streams=0,
        bad=0,
        compared=0,
        behind_seconds=0,
        seconds=0,
    )
    for _ in range(count):
        with transaction.atomic():
            write_on_system(drilled, clock.now())


@dataclass(frozen=True)
class Called:
    """What became of an alarm: after how many seconds its alert called (None: not), and its bound."""

    alarm: Alarm
    seconds: float | None
    bound: float
    others: tuple[str, ...]

    @property
    def is_in_time(self) -> bool:
        return self.seconds is not None and self.seconds <= self.bound

    def __str__(self) -> str:
        alarm, also = self.alarm, f"; also {', '.join(self.others)}" if self.others else ""
        outcome = "NOT CALLED" if self.seconds is None else f"called after {self.seconds:5.1f} s"
        return f"{alarm.fault:<20} {alarm.alert:<16} {outcome}, bound {self.bound:5.1f} s{also}"


class Watch:
    """Injects faults in a scene, and waits for their alerts."""

    def __init__(self, scene: MonitoredScene, load: Load, slack: float) -> None:
        self.scene, self.load, self.slack = scene, load, slack

    def bound(self, alarm: Alarm) -> float:
        """The seconds within which an alert must call."""
        rules = (rule for group in scaled_rules(1)["groups"] for rule in group["rules"])
        rule = next(rule for rule in rules if rule.get("alert") == alarm.alert)
        waits = seconds_of(rule["for"].replace("000ms", "s")) if "for" in rule else 0.0
        scaled = (alarm.age_seconds + waits + 3 * SCRAPE_SECONDS) / self.scene.factor
        return alarm.needs_seconds + scaled + self.slack

    async def inject(self, alarm: Alarm) -> Called:
        """Inject one fault, wait for its alert, and put everything right."""
        before, bound = await self.quiet(), self.bound(alarm)
        trouble = alarm.trouble(self.scene)
        await asyncio.to_thread(trouble.__enter__)
        began, seconds, firing = time.monotonic(), None, set[str]()
        while seconds is None and time.monotonic() - began < 2 * bound:
            await asyncio.sleep(0.5)
            firing = await asyncio.to_thread(self.scene.firing)
            if alarm.alert in firing:
                seconds = time.monotonic() - began
        await asyncio.to_thread(trouble.__exit__, None, None, None)
        return Called(alarm, seconds, bound, tuple(sorted(firing - {alarm.alert} - before)))

    async def quiet(self, patience: float = 180.0) -> set[str]:
        """Wait until nobody is called any more. Returns what still calls."""
        firing = set[str]()
        for _ in range(int(patience)):
            if not (firing := await asyncio.to_thread(self.scene.firing)):
                break
            await asyncio.sleep(1.0)
        return firing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m script.faults.alarms_of_machines", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--factor", type=float, default=6.0, help="what the rules wait is divided by it (6)")
    parser.add_argument("--slack", type=float, default=15.0, help="seconds that a busy machine may add (15)")
    parser.add_argument("--quiet-minutes", type=float, default=2.0, help="of play that are scraped (2)")
    parser.add_argument("--hours", type=int, default=12, help="quiet hours that are played to the rules (12)")
    parser.add_argument("--only", nargs="+", choices=[alarm.fault for alarm in ALARMS], metavar="FAULT")
    options = parser.parse_args(arguments)
    missing = [program for program in ("prometheus", "promtool") if shutil.which(program) is None]
    if missing:
        print(f"Nobody can be called: there is no {' and no '.join(missing)} here.", file=sys.stderr)
        return NOT_HERE
    logging.disable(logging.CRITICAL)
    alarms = [alarm for alarm in ALARMS if not options.only or alarm.fault in options.only]
    try:
        with contextlib.ExitStack() as stack:
            scene = MonitoredScene(stack, Binaries.find(), options.factor)
            tokens = scene.start()
            write_drills("passed")
            scene.watch()
            return asyncio.run(watch(scene, tokens, alarms, options))
    except (Unavailable, LookupError, OSError) as reason:
        print(f"Nobody can be called: {reason}.", file=sys.stderr)
        return NOT_HERE


async def watch(
    scene: MonitoredScene, tokens: dict[str, str], alarms: Sequence[Alarm], options: argparse.Namespace
) -> int:
    """Scrape quiet minutes, inject the faults, and print what called. Returns the exit status."""
    load = Load(list(scene.ports.values()), tokens, random.Random(7), DEALERS[:2], PODIUM)
    await load.open()
    try:
        print(f"Waits and long ages of the rules are divided by {options.factor:g}.", flush=True)
        begun = await Watch(scene, load, options.slack).quiet()
        began = time.time()
        await asyncio.sleep(60 * options.quiet_minutes)
        loud = (await asyncio.to_thread(scene.firing) | begun) - {CLOCK}
        series = await asyncio.to_thread(scraped, scene, began, time.time())
        series, given = every_series(series)
        print(
            f"Given as where all is well, for this machine has none: {', '.join(given) or 'nothing'}",
            flush=True,
        )
        with tempfile.TemporaryDirectory() as folder:
            hours = await asyncio.to_thread(play_quiet_hours, series, Path(folder), options.hours)
        print(
            f"{options.hours} quiet hours of {len(series)} scraped series: {hours or '0 alerts'}", flush=True
        )
        watching = Watch(scene, load, options.slack)
        called = []
        for alarm in alarms:
            called.append(await watching.inject(alarm))
            print(called[-1], flush=True)
    finally:
        await load.close()
    in_time = sum(outcome.is_in_time for outcome in called)
    print(f"{in_time} of {len(called)} faults called in time, at a factor of {options.factor:g}.")
    return int(in_time < len(called) or bool(hours) or bool(loud))


def scraped(scene: MonitoredScene, began: float, ended: float) -> list[Json]:
    """What Prometheus scraped of the metrics that the rules read."""
    names = "|".join(sorted(names_of_rules()))
    step = max(1.0, SCRAPE_SECONDS / scene.factor)
    answer = scene.query("query_range", query=f'{{__name__=~"{names}"}}', start=began, end=ended, step=step)
    return list(answer["result"])


def every_series(series: list[Json]) -> tuple[list[Json], list[str]]:
    """The series, and those of every metric of the rules that this machine cannot have, with the names of the latter.

    A clock that no time server keeps is one of them: its series says that it is kept. Raises LookupError for a metric
    that neither was scraped nor is given, whose rule no hour would try.
    """
    usable = [row for row in series if row["metric"]["__name__"] != KEPT or float(row["values"][-1][1])]
    lacking = names_of_rules() - {row["metric"]["__name__"] for row in usable}
    if unknown := lacking - GIVEN.keys():
        raise LookupError(f"nothing was scraped of {', '.join(sorted(unknown))}")
    times = [moment for moment, _ in usable[0]["values"]]
    given: list[Json] = [
        {"metric": dict(labels, __name__=name), "values": [[moment, value] for moment in times]}
        for name in sorted(lacking)
        for labels, value in GIVEN[name]
    ]
    return usable + given, sorted(lacking)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
