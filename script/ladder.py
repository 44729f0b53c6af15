"""A service for the tests is taken from the first rung that works; the rungs that do not say why.

A rung is a function that takes an ExitStack, leaves on it whatever must end with the run, and returns the address,
or raises Unavailable with a reason in a few words.
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

ROOT = Path(__file__).resolve().parents[1]


class Unavailable(Exception):
    """Why a rung does not hold, in a few words."""


Rung = Callable[[contextlib.ExitStack], str]


@dataclass(frozen=True)
class Found:
    """What a ladder led to: an address and the rung's name, or no address and every reason."""

    service: str
    address: str
    told: str


def climb(service: str, rungs: Mapping[str, Rung], stack: contextlib.ExitStack) -> Found:
    reasons = []
    for name, rung in rungs.items():
        with contextlib.ExitStack() as attempt:
            try:
                address = rung(attempt)
            except Unavailable as reason:
                reasons.append(f"{name}: {reason}")
            else:
                stack.push(attempt.pop_all())
                return Found(service, address, name)
    return Found(service, "", "; ".join(reasons))


def from_environment(names: Sequence[str], prefixes: tuple[str, ...], answers: Callable[[str], bool]) -> Rung:
    """The address that the environment gives, if the service answers there."""

    def rung(stack: contextlib.ExitStack) -> str:
        given = {name: os.environ[name] for name in names if os.environ.get(name, "").startswith(prefixes)}
        for address in given.values():
            if answers(address):
                return address
        raise Unavailable(f"nothing answers at {' or '.join(given)}" if given else f"no {names[0]}")

    return rung


# Throwaway processes


def lesser_user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root; root's throwaway services run as nobody."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def throwaway_directory(stack: contextlib.ExitStack, service: str) -> Path:
    directory = Path(tempfile.mkdtemp(prefix=f"pitside-{service}-"))
    stack.callback(shutil.rmtree, directory, ignore_errors=True)
    if os.geteuid() == 0:
        os.chown(directory, pwd.getpwnam("nobody").pw_uid, -1)
    return directory


def run_lesser(command: Sequence[str | Path]) -> None:
    """One short command of a service; Unavailable with the last line that it printed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **lesser_user())
    except OSError as error:
        raise Unavailable(f"{Path(command[0]).name} does not run ({error.strerror})") from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise Unavailable(f"{Path(command[0]).name} failed ({last})")


def keep_running(
    stack: contextlib.ExitStack, command: Sequence[str | Path], ready: Callable[[], bool]
) -> None:
    """Starts a service until the stack ends. Its own session keeps Ctrl-C for us, who then end it by its pid."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            **lesser_user(),
        )
    except OSError as error:
        raise Unavailable(f"{Path(command[0]).name} does not run ({error.strerror})") from error
    stack.callback(end, process)
    wait_until(ready, Path(command[0]).name, lambda: process.poll() is not None)


def end(process: subprocess.Popen[bytes]) -> None:
    # SIGINT is PostgreSQL's fast shutdown: SIGTERM would wait for whoever is still connected.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(ready: Callable[[], bool], name: str, ended: Callable[[], bool] = lambda: False) -> None:
    deadline = time.monotonic() + 30
    while not ready():
        if ended():
            raise Unavailable(f"{name} ended at once")
        if time.monotonic() > deadline:
            raise Unavailable(f"{name} did not answer within 30 s")
        time.sleep(0.05)


# The later rungs


def in_docker(
    image: str, port: int, options: Sequence[str], address: str, answers: Callable[[str], bool]
) -> Rung:
    """A container on a free port of 127.0.0.1. A client without a daemon is common, so the daemon is asked."""

    def docker(*arguments: str) -> str:
        try:
            done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Unavailable("not installed") from error
        if done.returncode:
            raise Unavailable(
                "its daemon does not answer" if arguments == ("info",) else f"{arguments[0]} failed"
            )
        return done.stdout.strip()

    def rung(stack: contextlib.ExitStack) -> str:
        docker("info")
        container = docker("run", "--detach", "--rm", "--publish", f"127.0.0.1::{port}", *options, image)
        stack.callback(
            subprocess.run, ["docker", "rm", "--force", container], stdout=subprocess.DEVNULL, check=False
        )
        where = docker("port", container, f"{port}/tcp").splitlines()[0]
        there = address.format(where=where)
        wait_until(lambda: answers(there), image)
        return there

    return rung


def wheels(asked_for: bool) -> Path:
    """Site-packages of the locked packages that ship server binaries, installed the first time they are needed.

    We start their binaries ourselves, as nobody when we are root: the packages' own starters would add a system user.
    """
    from script import environment

    if os.geteuid() == 0 and not asked_for:
        raise Unavailable("as root only when required")
    venv = ROOT / ".script" / "services"
    try:
        environment.make(venv, ROOT / "requirements" / "services.txt")
    except (subprocess.CalledProcessError, SystemExit) as error:
        raise Unavailable("the packages could not be installed") from error
    return venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
