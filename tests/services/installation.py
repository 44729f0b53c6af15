"""The processes of docker-compose.yml, started by hand: the same command lines, the same environment names."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import yaml
from django.db import connection
from psycopg import sql

from script.faults.scene import role_statements

ROOT = Path(__file__).resolve().parents[2]
ROLES = (
    "pitside_migrate",
    "pitside_app",
    "pitside_seal",
    "pitside_owner",
    "pitside_web",
    "pitside_auditor",
    "pitside_sealer",
)


def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def command_of(service: str, **changes: str) -> list[str]:
    """A service's command line with options changed by name, run by this Python."""
    words = [str(word) for word in compose()["services"][service]["command"]]
    for option, value in changes.items():
        words = [f"--{option}={value}" if word.startswith(f"--{option}=") else word for word in words]
    return [sys.executable, *words[1:]] if words[0] == "python" else [sys.executable, "-m", *words]


@contextlib.contextmanager
def database() -> Iterator[dict[str, str]]:
    """An empty database made as `deploy/roles.sh` makes it; the addresses of its logins.

    The test's own database role is PostgreSQL's superuser here, as it is for the container's first start.
    """
    server = connection.get_connection_params()
    given = {key: server[key] for key in ("host", "port", "user", "password") if server.get(key)}
    name = f"pitside_{secrets.token_hex(4)}"
    with psycopg.connect(**given, dbname="postgres", autocommit=True) as root:
        existing = {row[0] for row in root.execute("SELECT rolname FROM pg_roles")}
        root.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            with psycopg.connect(**given, dbname=name, autocommit=True) as inside:
                for statement in role_statements(name):
                    if not any(f"CREATE ROLE {role} " in statement for role in existing):
                        inside.execute(statement.encode())
            admin = address(given, name, str(given["user"]), str(given.get("password", "")))
            roles = ("migrate", "app", "seal")
            logins = {role: address(given, name, f"pitside_{role}", "none") for role in roles}
            yield {"roles": admin, **logins}
        finally:
            root.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
            for role in ROLES:
                # A database that another worker made meanwhile may name the role: then it stays.
                with contextlib.suppress(psycopg.errors.DependentObjectsStillExist):
                    if role not in existing:
                        root.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def address(server: Mapping[str, Any], name: str, role: str, password: str) -> str:
    host = str(server.get("host", "localhost"))
    if host.startswith("/"):
        return f"postgres://{role}:{password}@/{name}?host={host}"
    return f"postgres://{role}:{password}@{host}:{server.get('port', 5432)}/{name}"


@contextlib.contextmanager
def process(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the installation, asked to end by its pid, and given five seconds for it."""
    started = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stderr=subprocess.PIPE)
    try:
        yield started
    finally:
        if started.poll() is None:
            started.send_signal(signal.SIGTERM)
        try:
            started.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            started.kill()
            started.communicate()


def ask(url: str, host: str) -> int:
    """The status of an answer, as the proxy in front would get it; 0 when nobody answers."""
    headers = {"Host": host, "X-Forwarded-Proto": "https"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
    except OSError:
        return 0
