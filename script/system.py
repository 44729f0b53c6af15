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
    """Installs Debian packages without starting a service; raises CalledProcessError."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print(f"Installing the Debian packages {', '.join(packages)} …", flush=True)
    with nothing_started():
        for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            subprocess.run(["apt-get", "-qq", *command], check=True, env=quiet, stdout=subprocess.DEVNULL)
