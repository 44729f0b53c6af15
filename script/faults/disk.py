"""A disk of PostgreSQL that a fault lets fail: a small library in C, which is compiled for each run (disk.c)."""

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).with_name("disk.c")
COMPILERS = ("cc", "gcc", "clang")


class Failure(Enum):
    """What the disk does. The values are what disk.c reads."""

    NONE = b"-"
    SYNC = b"s"  # every sync fails with EIO
    FULL = b"f"  # no file grows: ENOSPC


class Disk:
    """The disk under PostgreSQL. The library is made when somebody first asks for it."""

    def __init__(self, folder: Path) -> None:
        self.library, self.state = folder / "disk.so", folder / "disk"
        self._set(Failure.NONE)

    @cached_property
    def lacking(self) -> str:
        """Why this disk cannot fail; empty if it can."""
        if not sys.platform.startswith("linux"):
            return "only Linux preloads a library that lets the disk fail"
        compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
        if compiler is None:
            return f"there is no C compiler here ({', '.join(COMPILERS)})"
        command: list[str | Path] = [compiler, "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE, "-ldl"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            return f"{Path(compiler).name} does not compile disk.c ({made.stderr.strip().splitlines()[-1]})"
        self.library.chmod(0o755)
        return ""

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs that writes to this disk."""
        return {} if self.lacking else {"LD_PRELOAD": str(self.library), "PITSIDE_DISK": str(self.state)}

    @contextlib.contextmanager
    def failing(self, failure: Failure) -> Iterator[None]:
        """Within the block the disk fails."""
        self._set(failure)
        try:
            yield
        finally:
            self._set(Failure.NONE)

    def _set(self, failure: Failure) -> None:
        """Write over the byte that the processes have mapped: a new file would be another one."""
        with self.state.open("r+b" if self.state.exists() else "wb") as state:
            state.write(failure.value)
        self.state.chmod(0o644)
