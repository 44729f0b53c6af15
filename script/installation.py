"""An installation to measure: the processes of docker-compose.yml with its options, and what each of them uses.

It shares the fault suite's scene, without what faults need. PINs hash quickly and static files have no manifest
(`script/faults/settings.py`); everything else is production. Processor time and memory are read from /proc (Linux).
"""

import contextlib
import os
import resource
import socket
import sys
from functools import partial
from pathlib import Path

import yaml

from script.faults.processes import Process
from script.faults.scene import CLUSTER_SETTINGS, HOST, Binaries, Scene, free_port
from script.floor_tables import Floor, make_floor
from script.service_finder import ROOT

TUTORIAL = "tutorial"
BARE = "bare"  # the least that an act can take (script/bare_act.py)
APPLICATION = "config.asgi:application"
PROC = Path("/proc")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
# PostgreSQL as its packages configure it: a commit waits for the disk.
DURABLE = tuple(setting for setting in CLUSTER_SETTINGS if not setting.startswith("full_page"))


class Installation(Scene):
    """PostgreSQL, Redis and web workers; further tables, ticker, sealer, the tutorial's server and that of bare acts on
    request.

    `floor` says who signs in at the further tables. With `has_browser` pages can be opened without TLS.
    """

    has_movable_clock = False
    has_failing_disk = False

    def __init__(
        self,
        stack: contextlib.ExitStack,
        workers: int,
        *,
        tables: int = 0,
        dashboards: int = 0,
        has_tutorial: bool = False,
        bare_table: str = "",
        is_durable: bool = False,
        has_browser: bool = False,
    ) -> None:
        self.cluster_settings = DURABLE if is_durable else CLUSTER_SETTINGS
        self.is_synced, self.has_browser = is_durable, has_browser
        self.tables, self.dashboards, self.floor = tables, dashboards, Floor()
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (most, most)
        )  # each socket is one, here and in the workers
        super().__init__(stack, Binaries.find(), [f"web-{number}" for number in range(1, workers + 1)])
        self.compared: list[Process] = []
        if has_tutorial:
            self._compare(TUTORIAL, "script.tutorial:application")
        if bare_table:
            self._compare(BARE, "script.bare_act:application", {"BARE_TABLE": bare_table})

    @property
    def processes(self) -> list[Process]:
        services = [self.ticker, self.sealer] if self.tables else []
        return [self.postgres, self.redis, *self.web.values(), *services, *self.compared]

    def environment(self, role: str, name: str) -> dict[str, str]:
        browser = {"PITSIDE_FAULTS": "browser"} if self.has_browser else {}
        return {**super().environment(role, name), **browser}

    def _fill(self) -> dict[str, str]:
        from django.db import connection

        tokens = super()._fill()
        if self.tables:
            self.floor = make_floor(self.tables, self.dashboards)
        connection.close()
        return {**tokens, **self.floor.tokens}

    def _web(self, name: str) -> Process:
        command = self._uvicorn(APPLICATION, self.ports[name])
        return self._python(name, command, "pitside_app", lambda: self.answers(name))

    def _uvicorn(self, application: str, port: int) -> list[str]:
        """The command of web-1 in docker-compose.yml, for another application and port."""
        compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        command: list[str] = compose["services"]["web-1"]["command"]
        program, *options = [word for word in command if not word.startswith(("--host", "--port"))]
        options[options.index(APPLICATION)] = application
        return [sys.executable, "-m", program, *options, f"--host={HOST}", f"--port={port}"]

    def _compare(self, name: str, application: str, extra: dict[str, str] | None = None) -> None:
        """Serve an application beside the product, to compare with."""
        self.ports[name] = free_port()
        command = self._uvicorn(application, self.ports[name])
        self.compared.append(self._python(name, command, "pitside_app", partial(self._listens, name), extra))

    def _listens(self, name: str) -> bool:
        """Whether a server without a page answers at all."""
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.ports[name]), 0.2):
            return True
        return False

    def processor_seconds(self) -> dict[str, float]:
        """What each process has used; PostgreSQL with all of its processes, one for each connection."""
        return {
            process.name: processor_seconds(process.pid, with_children=process is self.postgres)
            for process in self.processes
        }

    def memory(self) -> dict[str, float]:
        """The resident memory of the Python processes and of Redis, in MB."""
        measured = (process for process in self.processes if process is not self.postgres)
        return {process.name: memory_megabytes(process.pid) for process in measured}


def processor_seconds(pid: int, *, with_children: bool = False) -> float:
    """User and system time that a process has used, in seconds (in steps of 10 ms).

    `with_children`: also of its children, running and ended. Raises OSError if the process is gone.
    """
    fields = _stat(pid)
    ticks = sum(map(int, fields[11:13]))
    if with_children:
        ticks += sum(map(int, fields[13:15]))
        for folder in PROC.glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                child = _stat(int(folder.name))
                ticks += sum(map(int, child[11:13])) if int(child[1]) == pid else 0
    return ticks / TICKS_A_SECOND


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on: the name before it may contain blanks."""
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def memory_megabytes(pid: int) -> float:
    """The resident memory of a process, in MB."""
    lines = (PROC / str(pid) / "status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
