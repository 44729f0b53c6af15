"""Install Debian packages, only if `--install-system` was given."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

POLICY = Path("/usr/sbin/policy-rc.d")


def is_debian_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


@contextlib.contextmanager
def nothing_started() -> Iterator[None]:
    """While packages are installed, Debian asks this file whether their services may start: 101 is no."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


def install(packages: Sequence[str]) -> None:
    """Installs Debian packages without starting a service; raises CalledProcessError.

    A package may have alternatives, "this | that": the first that Debian has is installed.
    """
    print(f"Installing the Debian packages {', '.join(packages)} …", flush=True)
    with nothing_started():
        _apt_get("update")
        _apt_get("install", "--yes", "--no-install-recommends", *map(first_available, packages))


def first_available(package: str) -> str:
    """The first of a package's alternatives that Debian has; the last if it has none."""
    *preferred, last = package.split(" | ")
    return next((name for name in preferred if is_available(name)), last)


def is_available(package: str) -> bool:
    return subprocess.run(["apt-cache", "show", package], capture_output=True, check=False).returncode == 0


def _apt_get(*command: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", *command], check=True, env=quiet, stdout=subprocess.DEVNULL)
