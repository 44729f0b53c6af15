"""Each service of the tests comes from the first source that has it; the table at the end says why others did not.

A source is a function that gets an ExitStack. It registers there what must end with the run, and returns the address of
the service, or raises Unavailable with a short reason.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from script import environment

ROOT = Path(__file__).resolve().parents[1]


class Unavailable(Exception):
    """A source does not have the service. The message is a short reason."""


Source = Callable[[contextlib.ExitStack], str]


@dataclass(frozen=True)
class Service:
    """A service: its address and the name of its source, or no address and the reasons of all sources."""

    name: str
    address: str
    note: str


def find(name: str, sources: Mapping[str, Source], stack: contextlib.ExitStack) -> Service:
    reasons = []
    for source_name, source in sources.items():
        with contextlib.ExitStack() as attempt:
            try:
                address = source(attempt)
            except Unavailable as reason:
                reasons.append(f"{source_name}: {reason}")
            else:
                stack.push(attempt.pop_all())
                return Service(name, address, source_name)
    return Service(name, "", "; ".join(reasons))


def from_environment(
    names: Sequence[str], prefixes: tuple[str, ...], answers: Callable[[str], bool]
) -> Source:
    """Return the address in the environment, if the service answers there."""

    def source(stack: contextlib.ExitStack) -> str:
        set_names = [name for name in names if os.environ.get(name, "").startswith(prefixes)]
        for name in set_names:
            if answers(os.environ[name]):
                return os.environ[name]
        raise Unavailable(f"nothing answers at {' or '.join(set_names)}" if set_names else f"no {names[0]}")

    return source


def from_path(names: Sequence[str]) -> Source:
    """Return the first of these programs on PATH."""

    def source(stack: contextlib.ExitStack) -> str:
        if program := first_on_path(names):
            return program
        raise Unavailable("not on PATH")

    return source


def first_on_path(names: Sequence[str]) -> str | None:
    return next((program for name in names if (program := shutil.which(name))), None)


def packaged(*, required: bool) -> Path:
    """Return the site-packages of the locked packages with server binaries. Installs them the first time.

    We start the binaries ourselves, as nobody when we are root: the packages' own starters would add a system user.
    """
    if os.geteuid() == 0 and not required:
        raise Unavailable("as root only when required")
    venv = ROOT / ".script" / "services"
    try:
        environment.make(venv, ROOT / "requirements" / "services.txt")
    except (subprocess.CalledProcessError, SystemExit) as error:
        raise Unavailable("the packages could not be installed") from error
    return venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


# Throwaway processes


def unprivileged_user() -> dict[str, Any]:
    """Return the user for temporary services: nobody if we are root, because PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def throwaway_directory(stack: contextlib.ExitStack, service: str) -> Path:
    directory = Path(
        stack.enter_context(
            tempfile.TemporaryDirectory(prefix=f"pitside-{service}-", ignore_cleanup_errors=True)
        )
    )
    if os.geteuid() == 0:
        os.chown(directory, pwd.getpwnam("nobody").pw_uid, -1)
    return directory


def run_to_end(command: Sequence[str | Path]) -> None:
    """Run one short command of a service. Raises Unavailable with the last line that it printed."""
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd="/", **unprivileged_user()
        )
    except OSError as error:
        raise Unavailable(f"{Path(command[0]).name} does not run ({error.strerror})") from error
    if process.returncode:
        last = (process.stderr.strip() or process.stdout.strip() or "no output").splitlines()[-1]
        raise Unavailable(f"{Path(command[0]).name} failed ({last})")


def run_until_the_end(
    stack: contextlib.ExitStack, command: Sequence[str | Path], is_ready: Callable[[], bool]
) -> None:
    """Run a service until the stack ends. It has its own session, so Ctrl-C reaches only us; we stop it by its id."""
    name = Path(command[0]).name
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        process = subprocess.Popen(command, start_new_session=True, cwd="/", **quiet, **unprivileged_user())
    except OSError as error:
        raise Unavailable(f"{name} does not run ({error.strerror})") from error
    stack.callback(end, process)
    deadline = time.monotonic() + 30
    while not is_ready():
        if process.poll() is not None:
            raise Unavailable(f"{name} ended at once")
        if time.monotonic() > deadline:
            raise Unavailable(f"{name} did not answer within 30 s")
        time.sleep(0.05)


def end(process: subprocess.Popen[bytes]) -> None:
    # SIGINT is PostgreSQL's fast shutdown: SIGTERM would wait for clients that are still connected.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
