"""Two machines for application and database, and a third that votes, from the files of `deploy/ha`.

Each is a network namespace of this machine (`network.py`), with its own etcd, PostgreSQL under Patroni, Redis, web
worker, ticker, sealer, HAProxy and keepalived. The harness and its tablets are in a fourth. All of them share one
folder of the sealer, as docs/operation.md has it.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import psycopg

from deploy.ha import configure
from deploy.ha.configure import DATABASE_MACHINES, Property
from script import environment
from script.faults.network import Network
from script.faults.processes import Process
from script.faults.scene import DATABASE, Binaries, Scene, worker_command
from script.service_finder import ROOT, Unavailable, unprivileged_user

ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2", "c": "10.77.0.3", "floor": "10.77.0.40"}
FLOOR = "floor"
FRONT = "10.77.0.100"
PORT, FRONT_PORT = 8000, 8443
PROGRAMS = ("ip", "setpriv", "etcd", "haproxy", "keepalived", "redis-server")
# Debian packages, for `--install-system`.
PACKAGES = (
    "iproute2", "etcd-server", "haproxy", "keepalived", "redis-server", "postgresql", "python3-venv",
)  # fmt: skip
SYSTEM_PYTHON = Path("/usr/bin/python3")  # one that any user can execute
PATRONI = ROOT / ".script" / "patroni"
ASK_SECONDS = 1.5
BEGIN_SECONDS = 90.0
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def lacking() -> str:
    """Why two machines cannot be made here; empty if they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "namespaces need Linux, and root"
    missing = [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]
    if not SYSTEM_PYTHON.exists():
        missing.append(str(SYSTEM_PYTHON))
    if missing:
        return f"no {', '.join(missing)} (Debian: apt-get install {' '.join(PACKAGES)})"
    return "" if _has_namespaces() else "no network namespace can be made"


def _has_namespaces() -> bool:
    trial = f"pitside-{os.getpid()}-trial"
    if not environment.works("ip", "netns", "add", trial):
        return False
    subprocess.run(["ip", "netns", "del", trial], check=True)
    return True


def install_patroni() -> Path:
    """Install Patroni from its lock into an environment of the system's Python. Returns its site-packages.

    Raises Unavailable.
    """
    lock = ROOT / "requirements" / "patroni.txt"
    stamp = PATRONI / ".installed-locks"
    if not stamp.exists() or stamp.read_text() != environment.digest(lock):
        pip: list[str | Path] = [
            PATRONI / "bin" / "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        try:
            subprocess.run(
                [SYSTEM_PYTHON, "-m", "venv", "--clear", PATRONI], check=True, stdout=subprocess.DEVNULL
            )
            subprocess.run([*pip, "--require-hashes", "--requirement", lock], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Unavailable("Patroni could not be installed (python3-venv, and PyPI)") from error
        stamp.write_text(environment.digest(lock))
    return next(PATRONI.glob("lib/python3*/site-packages"))


class TwoMachines(Scene):
    """The processes by machine. Raises Unavailable where they cannot be started."""

    has_movable_clock = False
    has_failing_disk = False

    def __init__(self, stack: contextlib.ExitStack, binaries: Binaries) -> None:
        if reason := lacking():
            raise Unavailable(reason)
        self.patroni_packages = install_patroni()
        super().__init__(stack, binaries)

    # What is started

    def _ports(self, workers: Sequence[str]) -> dict[str, int]:
        self.host = FRONT
        return {"front": FRONT_PORT}

    def _plan(self, binaries: Binaries, workers: Sequence[str]) -> None:
        self.network = Network(self.stack, ADDRESSES)
        self.network.enter(FLOOR)
        self.property = self._property()
        packages = self.home / "patroni"
        shutil.copytree(self.patroni_packages, packages)
        self.by_machine: dict[str, list[Process]] = {}
        for machine in self.property.machines:
            self._write_files(machine)
            self.by_machine[machine] = [self._etcd(machine)]
        for machine in DATABASE_MACHINES:
            self.by_machine[machine] += [
                self._patroni(machine, packages),
                self._redis_of(machine),
                self._haproxy(machine),
                self._keepalived(machine),
                *self._product(machine),
            ]
        self.postgres, self.redis = self.process("patroni", "a"), self.process("redis", "a")
        self.ticker, self.sealer = self.process("ticker", "a"), self.process("sealer", "a")
        self.web = {f"web-{machine}": self.process("web", machine) for machine in DATABASE_MACHINES}

    def _property(self) -> Property:
        example = (ROOT / "deploy" / "ha" / "property.toml.example").read_text()
        told = tomllib.loads(example)
        told["front"] |= {"name": FRONT, "address": FRONT, "bind": f":{FRONT_PORT}"}
        told["machines"] = {name: ADDRESSES[name] for name in ("a", "b", "c")}
        told["postgresql"]["programs"] = str(self.programs)
        home = f"{self.home}/${{name}}"
        told["folders"] = {
            "etcd": f"{home}/etcd",
            "postgresql": f"{home}/postgresql",
            "socket": home,
            "sealer": str(self.folder),
        }
        # deploy/roles.sh gives each login of the scene this password.
        told["passwords"] = {name: secrets.token_hex(8) for name in told["passwords"]}
        told["passwords"] |= {"application": "none", "sealer": "none", "front": secrets.token_hex(4)}
        return Property.of(told)

    def _write_files(self, machine: str) -> None:
        folder = self.home / machine
        configure.write(self.property.files(machine), folder)
        user = unprivileged_user()
        for path in (folder, *folder.iterdir()):
            os.chown(path, user["user"], user["group"])

    def _on(
        self,
        machine: str,
        name: str,
        command: Sequence[str | Path],
        is_ready: Callable[[], bool],
        **more: str,
    ) -> Process:
        """A process of others, as an unprivileged user."""
        user = unprivileged_user()
        own = ["setpriv", f"--reuid={user['user']}", f"--regid={user['group']}", "--clear-groups"]
        return self._as_root(machine, name, [*own, *command], is_ready, **more)

    def _as_root(
        self,
        machine: str,
        name: str,
        command: Sequence[str | Path],
        is_ready: Callable[[], bool],
        **more: str,
    ) -> Process:
        variables = {"PATH": PATH, "LC_ALL": "C", "HOME": str(self.home / machine), **more}
        return Process(
            f"{name}-{machine}", self.network.command(machine, command), variables, is_ready, self.log
        )

    def _etcd(self, machine: str) -> Process:
        lines = (self.home / machine / "etcd.env").read_text().splitlines()
        variables = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        is_ready = lambda: self.answers_200(machine, 2379, "/health")  # noqa: E731
        return self._on(machine, "etcd", ["etcd", "--log-level=error"], is_ready, **variables)

    def _patroni(self, machine: str, packages: Path) -> Process:
        command: list[str | Path] = [SYSTEM_PYTHON, "-m", "patroni", self.home / machine / "patroni.yml"]
        is_ready = lambda: self.answers_200(machine, 8008, "/health")  # noqa: E731
        return self._on(machine, "patroni", command, is_ready, PYTHONPATH=str(packages))

    def _redis_of(self, machine: str) -> Process:
        command: list[str | Path] = [
            "redis-server",
            self.home / machine / "redis.conf",
            "--dir",
            self.home / machine,
        ]
        return self._on(machine, "redis", command, lambda: self.redis_publishes(machine) is not None)

    def _haproxy(self, machine: str) -> Process:
        command: list[str | Path] = ["haproxy", "-db", "-f", self.home / machine / "haproxy.cfg"]
        return self._as_root(
            machine, "haproxy", command, lambda: self.answers_200(machine, FRONT_PORT, "/healthz")
        )

    def _keepalived(self, machine: str) -> Process:
        folder = self.home / machine
        command = [
            "keepalived",
            "--dont-fork",
            "--log-console",
            "--vrrp",
            f"--use-file={folder}/keepalived.conf",
        ]
        command += [f"--pid={folder}/keepalived.pid", f"--vrrp_pid={folder}/vrrp.pid"]
        return self._as_root(machine, "keepalived", command, lambda: self.front_machine() is not None)

    def _product(self, machine: str) -> list[Process]:
        manage = [sys.executable, "manage.py"]
        sealing = {"PITSIDE_SEALER_DIR": str(self.folder)}
        return [
            self._of_product(machine, "web", worker_command(ADDRESSES[machine], PORT), "pitside_app"),
            self._of_product(machine, "ticker", [*manage, "ticker"], "pitside_app"),
            self._of_product(machine, "sealer", [*manage, "sealer"], "pitside_seal", **sealing),
        ]

    def _of_product(self, machine: str, kind: str, command: list[str], role: str, **more: str) -> Process:
        name = f"{kind}-{machine}"
        asked: dict[str, Callable[[], bool]] = {
            "web": lambda: self.answers(name),
            "ticker": lambda: self._asked_within(name, 2.5),
            "sealer": self._seals,  # the one that waits asks nothing
        }
        variables = {**self.environment(role, name), **more}
        return Process(name, self.network.command(machine, command), variables, asked[kind], self.log)

    def sealer_with_copy(self, machine: str, folder: Path) -> Process:
        """A further sealer on a machine, with another folder. Its address names the database of that machine first."""
        command = [sys.executable, "manage.py", "sealer"]
        variables = {**self.environment("pitside_seal", f"copy-{machine}"), "PITSIDE_SEALER_DIR": str(folder)}
        return Process("copy", self.network.command(machine, command), variables, lambda: True, self.log)

    def process(self, kind: str, machine: str) -> Process:
        return next(process for process in self.by_machine[machine] if process.name == f"{kind}-{machine}")

    @property
    def processes(self) -> list[Process]:
        return [process for processes in self.by_machine.values() for process in processes]

    # Starting and ending

    def start(self) -> dict[str, str]:
        for machine in self.property.machines:
            self.process("etcd", machine).start()
        for machine in self.property.machines:
            self.process("etcd", machine).wait_until_ready()
        for machine, is_there in (("a", self.primary), ("b", self.standby)):
            self.process("patroni", machine).start()
            self.wait_until(lambda is_there=is_there: is_there() is not None, BEGIN_SECONDS)  # type: ignore[misc]
        rest = [process for process in self.processes if not process.is_running]
        for process in rest:
            if process.name.startswith("redis"):
                process.start()
        tokens = self._prepare()
        self._start(rest)
        return tokens

    def _start(self, processes: Iterable[Process]) -> None:
        """Start what does not run, and wait until each answers."""
        for process in processes:
            if not process.is_running:
                process.start()
        for process in processes:
            process.wait_until_ready()

    def power_off(self, machine: str) -> None:
        """Take the power from a machine."""
        self.network.power_off(machine)
        for process in self.by_machine[machine]:
            process.kill()

    def power_on(self, machine: str) -> None:
        """Give it power again: its system starts everything, in no order."""
        self.network.power_on(machine)
        for process in self.by_machine[machine]:
            process.start()

    def kill_database(self, machine: str) -> None:
        """Kill Patroni and every process of PostgreSQL on a machine."""
        self.process("patroni", machine).kill()
        self.signal_postgres(self.postgres_pids_on(machine), signal.SIGKILL)

    def postgres_pids_on(self, machine: str) -> list[int]:
        """Every process of PostgreSQL on a machine, without asking it."""
        return [pid for pid in self.network.pids(machine) if _program(pid).startswith("postgres")]

    def wal_receiver(self, machine: str) -> int | None:
        """The process of a standby that takes the log of the primary."""
        pids = (pid for pid in self.postgres_pids_on(machine) if "walreceiver" in _program(pid))
        return next(pids, None)

    def wait_until(self, holds: Callable[[], Any], seconds: float) -> None:
        """Raises TimeoutError with the newest lines of the log."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds:.0f} s: {[line.text for line in self.log[-8:]]}")
            time.sleep(0.2)

    # Addresses

    def address(self, role: str, name: str) -> str:
        passwords = {"postgres": self.property.passwords["superuser"]}
        machine = name.rpartition("-")[2]
        url = self.property.database_url(machine, role, passwords.get(role, "none"), DATABASE)
        return f"{url}&application_name={name}"

    def admin(self, database: str = DATABASE, *, autocommit: bool = True) -> psycopg.Connection[Any]:
        hosts = ",".join(ADDRESSES[machine] for machine in DATABASE_MACHINES)
        return self._connect(f"host={hosts} target_session_attrs=read-write", database, autocommit=autocommit)

    def admin_on(self, machine: str, database: str = "postgres") -> psycopg.Connection[Any]:
        """A connection to the database of one machine, whatever it is."""
        return self._connect(f"host={ADDRESSES[machine]}", database)

    def _connect(self, hosts: str, database: str, *, autocommit: bool = True) -> psycopg.Connection[Any]:
        return psycopg.connect(
            f"{hosts} user=postgres password={self.property.passwords['superuser']} dbname={database} "
            "application_name=harness connect_timeout=2 tcp_user_timeout=3000",
            autocommit=autocommit,
        )

    def environment(self, role: str, name: str) -> dict[str, str]:
        return {**super().environment(role, name), "REDIS_URL": self.property.redis_url("a")}

    def worker_address(self, name: str) -> str:
        return f"{ADDRESSES[name.rpartition('-')[2]]}:{PORT}"

    # What is so

    def answers_200(self, machine: str, port: int, path: str) -> bool:
        """Whether something on a machine answers 200."""
        request = urllib.request.Request(f"http://{ADDRESSES[machine]}:{port}{path}", headers={"Host": FRONT})
        try:
            with urllib.request.urlopen(request, timeout=ASK_SECONDS) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.HTTPError):
            return False

    def primary(self) -> str | None:
        """The machine whose database leads, as Patroni says."""
        return next((name for name in DATABASE_MACHINES if self.answers_200(name, 8008, "/primary")), None)

    def standby(self) -> str | None:
        """The machine whose database every commit waits for."""
        return next(
            (name for name in DATABASE_MACHINES if self.answers_200(name, 8008, "/synchronous")), None
        )

    def front_machine(self) -> str | None:
        """The machine that has the address of the tablets."""
        return next((name for name in DATABASE_MACHINES if self.network.has(name, FRONT)), None)

    def sealing_machine(self) -> str | None:
        """The machine whose sealer has the folder."""
        inode = os.stat(self.folder / "lock").st_ino
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                pid = int(words[4])
                return next((name for name in DATABASE_MACHINES if pid in self.network.pids(name)), None)
        return None

    def redis_publishes(self, machine: str) -> int | None:
        """How many messages were published at a machine's Redis since it began; None if it does not answer."""
        import redis

        password = self.property.passwords["redis"]
        try:
            with contextlib.closing(
                redis.Redis(
                    ADDRESSES[machine],
                    password=password,
                    socket_timeout=ASK_SECONDS,
                    socket_connect_timeout=1,
                )
            ) as client:
                calls: dict[str, Any] = client.info("commandstats")
                return int(calls.get("cmdstat_publish", {}).get("calls", 0))
        except redis.RedisError:
            return None

    def set_synchronous(self, is_synchronous: bool) -> None:
        """Let each commit wait for the standby, or none, and wait until it is so."""
        primary = self.primary()
        assert primary
        request = urllib.request.Request(
            f"http://{ADDRESSES[primary]}:8008/config",
            json.dumps({"synchronous_mode": is_synchronous}).encode(),
            method="PATCH",
        )
        urllib.request.urlopen(request, timeout=5).close()

        def is_so() -> bool:
            with self.admin() as admin:
                row = admin.execute("SHOW synchronous_standby_names").fetchone()
            return bool(row and row[0]) is is_synchronous

        self.wait_until(is_so, 30)

    def switch_over(self, leader: str, candidate: str) -> None:
        """Ask Patroni to let the other database lead."""
        request = urllib.request.Request(
            f"http://{ADDRESSES[leader]}:8008/switchover",
            json.dumps({"leader": leader, "candidate": candidate}).encode(),
            method="POST",
        )
        urllib.request.urlopen(request, timeout=40).close()

    def _seals(self) -> bool:
        return any(self._asked_within(f"sealer-{machine}", 2.5) for machine in DATABASE_MACHINES)

    def is_whole(self) -> bool:
        """Whether nothing is missing: two databases, of which every commit waits for the second."""
        return self.primary() is not None and self.standby() is not None and self.front_machine() is not None

    def is_serving(self) -> bool:
        return (
            all(process.is_running and process.is_ready() for process in self.processes) and self.is_whole()
        )

    def move_clock(self, seconds: float) -> None:
        """The clocks of the machines stay as they are."""

    def end(self) -> None:
        for process in reversed(self.processes):
            process.end(signal.SIGTERM)


def _program(pid: int) -> str:
    """How a process calls itself; empty for one that ended."""
    with contextlib.suppress(OSError):
        first = Path("/proc", str(pid), "cmdline").read_bytes().partition(b"\0")[0].decode(errors="replace")
        return Path(first).name if first.startswith("/") else first
    return ""
