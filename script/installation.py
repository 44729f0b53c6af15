"""An installation to measure: the processes of docker-compose.yml with its options, and the load generator beside them.

It shares the fault suite's scene, without what faults need. PINs hash quickly and static files have no manifest
(`script/faults/settings.py`); everything else is production.
"""

import contextlib
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator

import yaml

from script import process_usage
from script.faults.floor import Seat
from script.faults.load import Browser
from script.faults.processes import Process
from script.faults.scene import CLUSTER_SETTINGS, HOST, Binaries, Scene, free_port
from script.generator.plan import Outcome, Plan, Screen
from script.service_finder import ROOT

TUTORIAL = "tutorial"
APPLICATION = "config.asgi:application"
# PostgreSQL as its packages configure it: a commit waits for the disk.
DURABLE = tuple(setting for setting in CLUSTER_SETTINGS if not setting.startswith("full_page"))
GENERATOR_SECONDS = 120.0


class Installation(Scene):
    """PostgreSQL, Redis and web workers; ticker, sealer and the tutorial's server on request."""

    has_movable_clock = False
    has_failing_disk = False

    def __init__(
        self,
        stack: contextlib.ExitStack,
        workers: int,
        *,
        has_services: bool = False,
        has_tutorial: bool = False,
        is_durable: bool = False,
        application: str = APPLICATION,
    ) -> None:
        self.application = application
        self.cluster_settings = DURABLE if is_durable else CLUSTER_SETTINGS
        self.is_synced = is_durable
        self.has_services = has_services
        allow_many_files()
        super().__init__(stack, Binaries.find(), [f"web-{number}" for number in range(1, workers + 1)])
        self.tutorial: Process | None = None
        if has_tutorial:
            self.ports[TUTORIAL] = free_port()
            command = self._uvicorn("script.tutorial:application", self.ports[TUTORIAL])
            self.tutorial = self._python(
                TUTORIAL, command, "pitside_app", lambda: self.is_listening(TUTORIAL)
            )

    @property
    def processes(self) -> list[Process]:
        services = [self.ticker, self.sealer] if self.has_services else []
        tutorial = [self.tutorial] if self.tutorial else []
        return [self.postgres, self.redis, *self.web.values(), *services, *tutorial]

    def _web(self, name: str) -> Process:
        command = self._uvicorn(self.application, self.ports[name])
        return self._python(name, command, "pitside_app", lambda: self.answers(name))

    def _uvicorn(self, application: str, port: int) -> list[str]:
        """The command of web-1 in docker-compose.yml, for another application and port."""
        compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        command: list[str] = compose["services"]["web-1"]["command"]
        program, *options = [word for word in command if not word.startswith(("--host", "--port"))]
        options[options.index(APPLICATION)] = application
        return [sys.executable, "-m", program, *options, f"--host={HOST}", f"--port={port}"]

    def is_listening(self, name: str) -> bool:
        """Whether a server answers at all; the tutorial has no page."""
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.ports[name]), 0.2):
            return True
        return False

    def processor_seconds(self) -> dict[str, float]:
        """What each process has used; PostgreSQL with all of its processes."""
        return {
            process.name: process_usage.processor_seconds(process.pid, with_children=process is self.postgres)
            for process in self.processes
        }

    def memory(self) -> dict[str, float]:
        """The resident memory of the Python processes and of Redis, in MB."""
        measured = (process for process in self.processes if process is not self.postgres)
        return {process.name: process_usage.memory_megabytes(process.pid) for process in measured}


def allow_many_files() -> None:
    """Let this process and those that it starts open as many sockets as the system permits."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Generator:
    """The load generator in its own process. Its screens are open when this is made; `run` plays the plan."""

    def __init__(self, plan: Plan) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "script.generator"],
            cwd=ROOT,
            env={
                key: value for key, value in os.environ.items() if not key.startswith(("PITSIDE", "DJANGO"))
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._write(plan.to_json())
        self._read()

    @property
    def pid(self) -> int:
        return self.process.pid

    def begin(self) -> None:
        self._write("begin")

    def end(self) -> Outcome:
        """Wait until the plan is played."""
        line = self._read()
        self.process.wait(GENERATOR_SECONDS)
        return Outcome.from_json(line)

    def run(self) -> Outcome:
        self.begin()
        return self.end()

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the load generator ended early; see its output above")
        return line


@contextlib.contextmanager
def generator(plan: Plan) -> Iterator[Generator]:
    """Start the load generator with a plan, and end it with the block."""
    running = Generator(plan)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.wait(10)


def headers_of(browser: Browser, port: int) -> str:
    """The lines that a signed-in page adds to its requests."""
    pairs = {
        "Cookie": browser.headers["Cookie"],
        "X-CSRFToken": browser.headers["X-CSRFToken"],
        "X-Forwarded-Proto": "https",
        "Referer": f"https://{HOST}:{port}/",
        "Accept": "application/json",
    }
    return "".join(f"{name}: {value}\r\n" for name, value in pairs.items())


def screen_of(browser: Browser, port: int, seat: Seat, kind: str) -> Screen:
    """A page of a signed-in browser; `kind` is a station of a table, or `floor`."""
    facility, table = seat.facility, "" if kind == "floor" else seat.table
    cookie = str(browser.headers["Cookie"])
    if kind == "floor":
        return Screen(
            port, f"/ws/floor/{facility}?changes=1", kind, cookie=cookie, fallback=f"/floor/{facility}/tiles"
        )
    return Screen(
        port,
        f"/ws/table/{facility}/{table}/{kind}?changes=1",
        kind,
        table,
        cookie,
        f"/floor/{facility}/{table}/screen/{kind}",
    )
