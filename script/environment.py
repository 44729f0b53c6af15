"""Create `.venv` from the hashed locks: with uv if it is installed, otherwise with venv and pip.

Needs only the standard library. A file in `.venv` has the hashes of the installed locks, so that a second run ends at
once.
"""

import argparse
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
POLICY = Path("/usr/sbin/policy-rc.d")
MOST_PARTS = 4  # pips that install at the same time


def digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


def works(*command: str | Path) -> bool:
    try:
        return (
            subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False


def is_sound(venv: Path, *, with_pip: bool) -> bool:
    """Whether the environment runs, and the available tool can install into it."""
    question = "import sys, pip" if with_pip else "import sys"
    return works(python_of(venv), "-c", f"{question}; sys.exit(sys.version_info < (3, 11))")


def venv_is_missing() -> bool:
    """Whether `python3 -m venv` would fail, because Debian ships Python without `ensurepip`."""
    return importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None


def pip_reaches_others() -> bool:
    """Whether this Python has a pip that installs into another environment (22.3 or newer).

    An environment without a pip of its own is made in no time; one with it takes some four seconds.
    """
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return False
    return [int(number) for number in re.findall(r"\d+", version)[:2]] >= [22, 3]


def make_with_pip(venv: Path, lock: Path, *, install_system: bool) -> None:
    is_outside = pip_reaches_others()
    if not is_sound(venv, with_pip=not is_outside):
        if venv_is_missing():
            package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
            if not (install_system and is_debian_root()):
                raise SystemExit(
                    f"Python's venv module is missing. Install it:  sudo apt-get install {package}"
                )
            install_packages([package])
        without_pip = ["--without-pip"] if is_outside else []
        subprocess.run([sys.executable, "-m", "venv", "--clear", *without_pip, venv], check=True)
    python = str(python_of(venv))
    pip = [sys.executable, "-m", "pip", "--python", python] if is_outside else [python, "-m", "pip"]
    # The lock names every package, so nothing is to be resolved. Of their modules a part is used, which Python compiles
    # once as it imports them.
    pip += [
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--require-hashes",
        "--no-compile",
    ]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        installing = []
        for number, part in enumerate(parts_of(lock.read_text(), os.cpu_count() or 1)):
            file = Path(folder, f"{number}.txt")
            file.write_text(part)
            command = [*pip, "--requirement", str(file)]
            installing.append((running.enter_context(subprocess.Popen(command)), command))
        for process, command in installing:
            if status := process.wait():
                raise subprocess.CalledProcessError(status, command)


def parts_of(lock: str, count: int) -> list[str]:
    """The requirements of a lock, dealt out in turn: pip unpacks with one processor, and we have more."""
    requirements = re.findall(r"^[a-z0-9].*(?:\n +.*)*", lock, re.MULTILINE | re.IGNORECASE)
    count = min(count, MOST_PARTS, len(requirements))
    return ["\n".join(requirements[number::count]) + "\n" for number in range(count)]


def make_with_uv(venv: Path, lock: Path) -> None:
    if not is_sound(venv, with_pip=False):
        subprocess.run(["uv", "venv", "--quiet", "--clear", "--python", sys.executable, venv], check=True)
    subprocess.run(
        [
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            python_of(venv),
            "--require-hashes",
            "--requirement",
            lock,
        ],
        check=True,
    )


def make(venv: Path, lock: Path, *, includes: tuple[Path, ...] = (), install_system: bool = False) -> bool:
    """Install `lock` (which contains all of `includes`) into `venv`. Returns False if it was installed already."""
    stamp = venv / ".installed-locks"
    installed = stamp.read_text().split() if stamp.exists() else []
    if digest(lock) in installed and is_sound(venv, with_pip=False):
        return False
    print(f"Installing {lock.relative_to(ROOT)} into {venv.relative_to(ROOT)} …", flush=True)
    if shutil.which("uv") and works("uv", "--version"):
        make_with_uv(venv, lock)
    else:
        make_with_pip(venv, lock, install_system=install_system)
    stamp.write_text("\n".join(digest(file) for file in (lock, *includes)) + "\n")
    return True


# Debian packages, only if --install-system was given


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


def install_packages(packages: Sequence[str]) -> None:
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/setup", description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also install the tools of script/test")
    parser.add_argument(
        "--install-system",
        action="store_true",
        help="install python3-venv with apt-get if it is missing, as root on Debian",
    )
    options = parser.parse_args()
    base, dev = (ROOT / "requirements" / f"{name}.txt" for name in ("base", "dev"))
    os.chdir(ROOT)
    try:
        if options.dev:
            make(ROOT / ".venv", dev, includes=(base,), install_system=options.install_system)
        else:
            make(ROOT / ".venv", base, install_system=options.install_system)
    except subprocess.CalledProcessError as failure:
        print(f"This command failed: {' '.join(map(str, failure.cmd))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
