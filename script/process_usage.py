"""Processor time and memory of processes, from /proc (Linux)."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


def processor_seconds(pid: int, *, with_children: bool = False) -> float:
    """User and system time that a process has used, in seconds (in steps of 10 ms).

    `with_children`: also of its children, running and ended, as PostgreSQL has one for each connection. Raises OSError
    if the process is gone.
    """
    fields = _stat(pid)
    ticks = sum(map(int, fields[11:13]))
    if with_children:
        ticks += sum(map(int, fields[13:15]))
        ticks += sum(sum(map(int, _stat(child)[11:13])) for child in children(pid))
    return ticks / TICKS_A_SECOND


def children(pid: int) -> list[int]:
    """The running children of a process."""
    found_pids = []
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                if int(_stat(int(folder.name))[1]) == pid:
                    found_pids.append(int(folder.name))
            except OSError:
                continue  # it ended meanwhile
    return found_pids


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on: the name before it may contain blanks."""
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def memory_megabytes(pid: int) -> float:
    """The resident memory of a process, in MB."""
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


@dataclass(frozen=True)
class Machine:
    """What the figures were measured on."""

    processor: str
    cores: int
    memory_gigabytes: int
    system: str
    python: str

    @classmethod
    def of_this_process(cls) -> "Machine":
        lines = (PROC / "cpuinfo").read_text().splitlines() if (PROC / "cpuinfo").exists() else []
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return cls(
            models[0] if models else platform.processor() or platform.machine(),
            cores,
            round(pages / 2**30),
            f"{platform.system()} {platform.release()}",
            platform.python_version(),
        )

    def __str__(self) -> str:
        return (
            f"{self.cores} cores of {self.processor}, {self.memory_gigabytes} GB, {self.system}, "
            f"Python {self.python}"
        )


def load_average() -> float:
    """How many processes ran or waited for a processor during the last minute."""
    return os.getloadavg()[0]
