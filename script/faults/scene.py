"""One casino of real processes: PostgreSQL, Redis, two web workers, the ticker and the sealer.

The harness starts them in a folder of its own, on sockets and on 127.0.0.1, and ends each by its process id. Its own
process is set up for Django as the database's superuser.
"""

import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from script.faults.disk import Disk
from script.faults.floor import Seat
from script.faults.processes import LogLine, Process
from script.service_finder import (
    ROOT,
    Unavailable,
    first_on_path,
    packaged,
    run_to_end,
    throwaway_directory,
    unprivileged_user,
)
from script.services import (
    PACKAGED_POSTGRES,
    PACKAGED_REDIS,
    REDIS_SERVERS,
    make_cluster,
    postgres_answers,
    postgres_binaries,
    postgres_command,
    redis_answers,
    redis_command,
)

DATABASE = "pitside"
HOST = "127.0.0.1"
WORKERS = ("web-1", "web-2")
# A crash of PostgreSQL's processes loses no page that the system has, so it need not wait for the disk. It must not
# answer before the log is written, though: a commit that is lost would be the harness's own fault.
CLUSTER_SETTINGS = ("full_page_writes=off", "max_connections=100", "listen_addresses=")
CLOCK = """
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT pg_catalog.clock_timestamp()
        + make_interval(secs => current_setting('pitside.clock_offset')::double precision)
$$;
GRANT EXECUTE ON FUNCTION public.clock_timestamp() TO PUBLIC;
"""
# The product reads its time from the database alone (audit/clock.py). These roles find the function above first: one
# that does not would read another clock than the entries before it have.
CLOCK_ROLES = ("pitside_app", "pitside_seal", "pitside_migrate", "postgres")


@dataclass(frozen=True)
class Binaries:
    """Where the programs of PostgreSQL and Redis are. Raises Unavailable if one is not on this machine."""

    postgres: Path
    redis: Path

    @classmethod
    def find(cls, *, required: bool = False) -> "Binaries":
        postgres, redis_server = postgres_binaries(), first_on_path(REDIS_SERVERS)
        if postgres is None:
            postgres = packaged(required=required) / PACKAGED_POSTGRES
        if redis_server is None:
            redis_server = str(packaged(required=required) / PACKAGED_REDIS)
        if not (postgres / "initdb").exists() or not Path(redis_server).exists():
            raise Unavailable("no PostgreSQL or Redis that can be started here")
        return cls(postgres, Path(redis_server))


class Scene:
    """The processes, and what the faults do to them."""

    has_movable_clock = True
    has_failing_disk = True
    is_synced = False  # whether a commit waits for the disk
    cluster_settings: tuple[str, ...] = CLUSTER_SETTINGS

    def __init__(
        self, stack: contextlib.ExitStack, binaries: Binaries, workers: Sequence[str] = WORKERS
    ) -> None:
        self.stack = stack
        self.log: list[LogLine] = []
        self.home = throwaway_directory(stack, "faults")
        self.folder = throwaway_directory(stack, "sealer")
        self.cluster = self.home / "cluster"
        self.programs = binaries.postgres
        self.pace_file = self.folder / "pace"
        self.clock_offset = 0.0
        self.disk = Disk(self.home)
        self.host = HOST  # of what the tablets ask
        self.ports = self._ports(workers)
        self.secret = secrets.token_urlsafe(60)
        self._plan(binaries, workers)
        stack.callback(self.end)

    def _ports(self, workers: Sequence[str]) -> dict[str, int]:
        """The ports that the tablets ask, by the name of what listens there."""
        return {name: free_port() for name in workers}

    def _plan(self, binaries: Binaries, workers: Sequence[str]) -> None:
        """Make the processes, of which none is started yet."""
        self.postgres = self._postgres(binaries)
        self.redis = self._redis(binaries)
        self.web = {name: self._web(name) for name in workers}
        manage = [sys.executable, "manage.py"]
        self.ticker = self._python("ticker", [*manage, "ticker"], "pitside_app", self._ticks)
        sealing = {"PITSIDE_SEALER_DIR": str(self.folder)}
        self.sealer = self._python("sealer", [*manage, "sealer"], "pitside_seal", self._seals, sealing)

    @property
    def processes(self) -> list[Process]:
        return [self.postgres, self.redis, *self.web.values(), self.ticker, self.sealer]

    # Starting

    def start(self) -> dict[str, str]:
        """Start everything on the demo floor. Returns the enrollment token of each of its devices, by place."""
        self.postgres.start()
        self.postgres.wait_until_ready()
        self.redis.start()
        self.redis.wait_until_ready()
        tokens = self._prepare()
        product = [process for process in self.processes if process not in (self.postgres, self.redis)]
        for process in product:
            process.start()
        for process in product:
            process.wait_until_ready()
        return tokens

    def end(self) -> None:
        """End every process, the database last."""
        for process in reversed(self.processes):
            process.end(signal.SIGINT if process is self.postgres else signal.SIGTERM)

    def address(self, role: str, name: str) -> str:
        return f"postgres://{role}:none@/{DATABASE}?host={self.home}&application_name={name}"

    def admin(self, database: str = DATABASE, *, autocommit: bool = True) -> psycopg.Connection[Any]:
        """A connection of the superuser, for what a fault does to the database and for reading."""
        return psycopg.connect(
            f"host={self.home} user=postgres dbname={database} application_name=harness connect_timeout=5",
            autocommit=autocommit,
        )

    def environment(self, role: str, name: str) -> dict[str, str]:
        """What docker-compose.yml gives a process."""
        inherited = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LANG", "TZ")}
        return {
            **inherited,
            "DJANGO_SETTINGS_MODULE": "script.faults.settings",
            "DATABASE_URL": self.address(role, name),
            "REDIS_URL": f"unix://{self.home}/redis.sock",
            "SECRET_KEY": self.secret,
            "ALLOWED_HOSTS": self.host,
            "DEVICE_IDLE_LOCK_SECONDS": "86400",
            "PITSIDE_BUILD": "faults",
            "PITSIDE_LOG_ORIGIN": "faults.example/record",
            "PITSIDE_EXPORTS_DIR": str(self.folder / "exports"),
            "PITSIDE_FAULTS_PACE": str(self.pace_file),
            "PYTHONDONTWRITEBYTECODE": "",
        }

    def _postgres(self, binaries: Binaries) -> Process:
        make_cluster(binaries.postgres, self.cluster)
        with (self.cluster / "postgresql.conf").open("a") as settings:
            settings.write("include 'faults.conf'\n")
        self._write_settings()
        address = f"postgres://postgres@/postgres?host={self.home}"
        failing = self.disk.environment if self.has_failing_disk else {}
        return Process(
            "postgres",
            postgres_command(binaries.postgres, self.cluster, self.cluster_settings),
            {"LC_ALL": "C", **failing},
            lambda: postgres_answers(address),
            self.log,
            unprivileged_user(),
        )

    def _redis(self, binaries: Binaries) -> Process:
        command = redis_command(binaries.redis, self.redis_socket)
        address = f"unix://{self.redis_socket}"
        return Process("redis", command, {}, lambda: redis_answers(address), self.log, unprivileged_user())

    @property
    def redis_socket(self) -> Path:
        return self.home / "redis.sock"

    def exporter(self) -> Process:
        """An exporter, which nothing starts. It is ready at once, because it answers nobody."""
        command = [sys.executable, "manage.py", "exporter"]
        return self._python("exporter", command, "pitside_app", lambda: True)

    def _web(self, name: str) -> Process:
        command = worker_command(HOST, self.ports[name])
        return self._python(name, command, "pitside_app", lambda: self.answers(name))

    def _python(
        self, name: str, command: list[str], role: str, is_ready: Any, extra: dict[str, str] | None = None
    ) -> Process:
        environment = {**self.environment(role, name), **(extra or {})}
        return Process(name, command, environment, is_ready, self.log)

    def _prepare(self) -> dict[str, str]:
        """Create the database as docker-compose.yml does, seed the demo floor and enroll its devices."""
        with self.admin("postgres") as admin:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        with self.admin() as admin:
            for statement in role_statements():
                admin.execute(statement.encode())
        os.environ.update(
            self.environment("postgres", "harness"),
            PITSIDE_FAULTS="harness",
            PITSIDE_SEALER_DIR=str(self.folder),
        )
        from script.faults import floor

        floor.migrate()
        tokens = self._fill()
        if self.has_movable_clock:
            self._make_clock_movable()
        return tokens

    def _fill(self) -> dict[str, str]:
        """Seed the floor in the migrated database. Returns the enrollment token of each device by its place."""
        from script.faults import floor

        return floor.prepare()

    def _make_clock_movable(self) -> None:
        with self.admin() as admin:
            admin.execute(CLOCK)
            for role in CLOCK_ROLES:
                admin.execute(
                    sql.SQL("ALTER ROLE {} SET search_path = public, pg_catalog").format(sql.Identifier(role))
                )

    # Health

    def answers(self, name: str, path: str = "/readyz", timeout: float = 2.0) -> bool:
        """Whether a worker answers 200, as the proxy in front of it asks."""
        headers = {"X-Forwarded-Proto": "https", "Host": self.host}
        request = urllib.request.Request(f"http://{self.worker_address(name)}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.HTTPError):
            return False

    def worker_address(self, name: str) -> str:
        """Host and port of a worker."""
        return f"{HOST}:{self.ports[name]}"

    def _ticks(self) -> bool:
        """Whether the ticker has asked the database something within its last two ticks."""
        return self._asked_within("ticker", 2.5)

    def _seals(self) -> bool:
        return self._asked_within("sealer", 2.5)

    def _asked_within(self, name: str, seconds: float) -> bool:
        try:
            with self.admin() as admin:
                row = admin.execute(
                    "SELECT min(pg_catalog.clock_timestamp() - query_start) < make_interval(secs => %s) "
                    "FROM pg_stat_activity WHERE application_name = %s",
                    [seconds, name],
                ).fetchone()
        except psycopg.Error:
            return False
        return bool(row and row[0])

    def sealing_problem(self) -> str:
        """What `manage.py sealer --check` says; empty if all is well."""
        from django.db import connection

        from audit import clock
        from audit.sealing.status import health_problem

        connection.close()  # the database may have been killed since this thread asked it
        return str(health_problem(clock.now()))

    def is_serving(self) -> bool:
        """Whether everything works."""
        return not self.not_working()

    def not_working(self) -> list[str]:
        """What does not work: a worker that is not ready, a ticker that does not tick, a sealer that asks nothing."""
        works = {name: self.answers(name) for name in WORKERS}
        return [
            name
            for name, does in {**works, "ticker": self._ticks(), "sealer": self._seals()}.items()
            if not does
        ]

    # What faults do

    def postgres_pids(self) -> list[int]:
        """Every process of PostgreSQL, its first one first."""
        with self.admin() as admin:
            rows = admin.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()").fetchall()
        return [self.postgres.pid, *(row[0] for row in rows)]

    def signal_postgres(self, pids: list[int], number: int) -> None:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self, process: Process) -> None:
        """Kill a process; of PostgreSQL every one, as a machine that loses its power would."""
        pids = self.postgres_pids() if process is self.postgres else []
        process.kill()
        self.signal_postgres(pids[1:], signal.SIGKILL)

    @contextlib.contextmanager
    def frozen(self, *processes: Process) -> Iterator[None]:
        """Freeze these processes within the block."""
        pids = self.postgres_pids() if self.postgres in processes else []
        for process in processes:
            process.freeze()
        self.signal_postgres(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal_postgres(pids, signal.SIGCONT)
            for process in processes:
                process.thaw()

    def waits_for_a_lock(self) -> bool:
        """Whether a session waits for a lock that another one holds."""
        with self.admin() as admin:
            return bool(admin.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone())

    def terminate_sessions(self, database: str = DATABASE) -> int:
        """End every session of the product at the database. Returns how many."""
        with self.admin("postgres") as admin:
            rows = admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = %s AND pid <> pg_backend_pid()",
                [database],
            ).fetchall()
        return len(rows)

    def back_up(self) -> Path:
        """Back the database up as an administrator would. Returns the file."""
        path = self.folder / "backup"
        self._run_postgres("pg_dump", "--format=custom", f"--file={path}", DATABASE)
        return path

    def restore(self, backup: Path) -> None:
        """Put the database back to a backup, while every process goes on."""
        restored, lost = sql.Identifier("restored"), sql.Identifier("lost")
        database = sql.Identifier(DATABASE)
        with self.admin("postgres") as admin:
            admin.execute(sql.SQL("CREATE DATABASE {} OWNER pitside_owner").format(restored))
        self._run_postgres("pg_restore", "--dbname=restored", str(backup))
        with self.admin("postgres") as admin:
            admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(database))
            while self.terminate_sessions():
                time.sleep(0.1)
            admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(database, lost))
            admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(restored, database))
            admin.execute(sql.SQL("DROP DATABASE {}").format(lost))

    def moment(self) -> str:
        """The time of the machine's clock, as `recovery_target_time` has it."""
        with self.admin() as admin:
            row = admin.execute("SELECT pg_catalog.clock_timestamp()::text").fetchone()
        assert row
        return str(row[0])

    @property
    def base_backup(self) -> Path:
        return self.programs / "pg_basebackup"

    def back_up_files(self) -> Path:
        """Copy the files of the cluster while everybody works, as docs/deployment.md says. Returns the folder."""
        folder = self.home / "base"
        command: list[str | Path] = [self.base_backup, f"--host={self.home}", "--username=postgres"]
        run_to_end([*command, f"--pgdata={folder}", "--checkpoint=fast", "--wal-method=fetch", "--no-sync"])
        return folder

    def restore_files(self, backup: Path, moment: str) -> None:
        """Put the cluster back to what it was at a moment: the copied files, and the log that was written since."""
        ended = self.home / "ended"
        self.postgres.end(signal.SIGINT)
        self.cluster.rename(ended)
        backup.rename(self.cluster)
        self._write_settings()
        with (self.cluster / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"restore_command = 'cp {ended}/pg_wal/%f %p'\n")
            settings.write(f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n")
        (self.cluster / "recovery.signal").touch(0o644)
        self.postgres.start()
        self.postgres.wait_until_ready()
        while self._is_in_recovery():
            time.sleep(0.1)
        shutil.rmtree(ended)

    def _is_in_recovery(self) -> bool:
        with self.admin() as admin:
            return admin.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)

    def declare_incarnation(self, people: Sequence[Seat]) -> None:
        """Declare a new incarnation with the PINs of these two people, as docs/deployment.md says."""
        command = [sys.executable, "manage.py", "declare_incarnation", *(seat.person for seat in people)]
        command += ["--why", "The backup was restored", "--pins-from-stdin"]
        environment = self.environment("pitside_migrate", "declare")
        pins = "".join(f"{seat.pin}\n" for seat in people)
        declared = subprocess.run(
            command,
            cwd=ROOT,
            env={**environment, "PITSIDE_SEALER_DIR": str(self.folder)},
            input=pins,
            capture_output=True,
            text=True,
        )
        if declared.returncode:
            raise RuntimeError(f"declare_incarnation: {declared.stderr.strip().splitlines()[-1:]}")

    def halted_streams(self) -> set[str]:
        """The tables that are halted because the record went back."""
        with self.admin() as admin:
            rows = admin.execute(
                "SELECT s.name FROM audit_stream s, LATERAL (SELECT type FROM audit_entry e WHERE e.stream_id = s.id "
                "AND e.type IN ('table.halted', 'table.resumed') ORDER BY seq DESC LIMIT 1) newest "
                "WHERE newest.type = 'table.halted'"
            ).fetchall()
        return {row[0] for row in rows}

    def _run_postgres(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), f"--host={self.home}", "--username=postgres", *arguments]
        subprocess.run(command, capture_output=True, check=True)

    def move_clock(self, seconds: float) -> None:
        """Set the database's clock forward, or back, by so many seconds more."""
        self.clock_offset += seconds
        self._reload()

    def set_synced(self, is_synced: bool) -> None:
        """Let each commit wait for the disk, or not."""
        self.is_synced = is_synced
        self._reload()

    def _reload(self) -> None:
        self._write_settings()
        with self.admin() as admin:
            admin.execute("SELECT pg_reload_conf()")
        time.sleep(0.3)  # each session reads the settings before its next statement

    def _write_settings(self) -> None:
        path = self.cluster / "faults.conf"
        fsync = "on" if self.is_synced else "off"
        path.write_text(f"pitside.clock_offset = '{self.clock_offset}'\nfsync = {fsync}\n")
        path.chmod(0o644)

    def postgres_said(self, *words: str, since: float) -> bool:
        """Whether a line of PostgreSQL's log since a moment has all of these words."""
        return any(
            line.process == "postgres" and line.moment >= since and all(word in line.text for word in words)
            for line in list(self.log)
        )

    def set_pace(self, factor: float) -> None:
        """Let the sockets live so many times faster."""
        self.pace_file.write_text(str(factor))


def worker_command(host: str, port: int) -> list[str]:
    """One web worker with the options of docker-compose.yml."""
    command = [sys.executable, "-m", "uvicorn", "script.faults.worker:application", f"--host={host}"]
    command += [f"--port={port}", "--proxy-headers", "--forwarded-allow-ips=*"]
    command += ["--ws=websockets-sansio", "--ws-per-message-deflate=false", "--ws-max-size=65536"]
    return [*command, "--timeout-graceful-shutdown=5", "--no-server-header", "--no-access-log"]


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return int(trial.getsockname()[1])


def role_statements(database: str = DATABASE) -> list[str]:
    """The statements of `deploy/roles.sh` for a database of this name. The password of each login is `none`."""
    written = (ROOT / "deploy" / "roles.sh").read_text()
    text = re.search(r"<<'SQL'\n(.*?)\nSQL\n", written, re.DOTALL)
    assert text
    statements = re.sub(r":'\w+_password'", "'none'", text[1])
    statements = statements.replace("ALTER DATABASE pitside ", f"ALTER DATABASE {database} ")
    return [statement.strip() for statement in statements.split(";") if statement.strip()]
