"""The figures of `script/bench`: their table, their file, and their comparison with the committed ones."""

import dataclasses
import datetime as dt
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from script.service_finder import ROOT

FILE = ROOT / "docs" / "bench.json"
WORSE_RATIO = 1.2  # the nightly check fails beyond
Better = Literal["lower", "higher"]


def commit_of_the_tree() -> str:
    """The commit of this clone, with what says that it was changed since, or nothing outside of one."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


@dataclass(frozen=True)
class Figure:
    """One measured value.

    `is_portable`: it does not depend on how fast the machine is (a ratio within one run, a number of bytes or of
    statements), so that runs on different machines can be compared. `goal`: the value to reach, if there is one.
    """

    key: str  # part and name: `acts.processor_ms`
    label: str
    value: float
    unit: str = ""
    better: Better = "lower"
    goal: float | None = None
    is_portable: bool = False

    @property
    def part(self) -> str:
        return self.key.partition(".")[0]

    @property
    def is_met(self) -> bool:
        """Whether the goal is met; a figure without a goal has met it."""
        if self.goal is None:
            return True
        return self.value <= self.goal if self.better == "lower" else self.value >= self.goal

    @property
    def text(self) -> str:
        return with_unit(self.value, self.unit)

    @property
    def row(self) -> str:
        """A row of a Markdown table."""
        sign, met = "≤" if self.better == "lower" else "≥", "yes" if self.is_met else "**no**"
        goal = ("", "") if self.goal is None else (f"{sign} {with_unit(self.goal, self.unit)}", met)
        return f"| {self.label} | {self.text} | {goal[0]} | {goal[1]} |"

    def worsening(self, before: "Figure") -> float:
        """How many times worse this is than before: 1.0 is the same, less is better."""
        if self.value == before.value:
            return 1.0
        worse, better = (self.value, before.value) if self.better == "lower" else (before.value, self.value)
        return worse / better if better else float("inf")


def ms(key: str, label: str, value: float, goal: float | None = None) -> Figure:
    """A duration in milliseconds, which depends on the machine."""
    return Figure(key, label, value, "ms", goal=goal)


def ratio(
    key: str,
    label: str,
    value: float,
    goal: float | None = None,
    better: Better = "lower",
    *,
    portable: bool = True,
) -> Figure:
    """A multiple within one run."""
    return Figure(key, label, value, "×", better, goal, portable)


def size(key: str, label: str, value: float, goal: float | None = None, *, portable: bool = True) -> Figure:
    """A number of bytes."""
    return Figure(key, label, value, "B", "lower", goal, portable)


def with_unit(value: float, unit: str) -> str:
    """A value with as many digits as it deserves."""
    is_whole = value == int(value) and unit not in ("ms", "×")
    digits = 0 if is_whole or abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def machine() -> str:
    """What the figures are measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processor = models[0] if models else platform.processor() or platform.machine()
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return f"{cores} cores of {processor}, {memory} GB, {system}"


@dataclass(frozen=True)
class Run:
    """The figures of one run, where and when they were measured.

    `load`: how many processes ran or waited for a processor in the minute before, other work on the machine included.
    """

    day: str
    machine: str
    load: float
    commit: str = ""
    figures: tuple[Figure, ...] = ()

    @classmethod
    def begin(cls, commit: str) -> "Run":
        today = dt.datetime.now(dt.UTC).date().isoformat()
        return cls(today, machine(), round(os.getloadavg()[0], 1), commit)

    @classmethod
    def of(cls, fields: dict[str, Any]) -> "Run":
        """A run from its values in the file."""
        return cls(**{**fields, "figures": tuple(Figure(**figure) for figure in fields["figures"])})


@dataclass
class Committed:
    """The newest committed run of each part. Parts are measured together or one by one."""

    runs: dict[str, Run] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path = FILE) -> "Committed":
        runs = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return cls({part: Run.of(fields) for part, fields in runs.items()})

    def write(self, path: Path = FILE) -> None:
        runs = {part: dataclasses.asdict(run) for part, run in self.runs.items()}
        path.write_text(json.dumps(runs, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @property
    def figures(self) -> dict[str, Figure]:
        return {figure.key: figure for run in self.runs.values() for figure in run.figures}

    def replace(self, run: Run) -> None:
        """Take over a run's figures, of the parts that it measured."""
        for part in dict.fromkeys(figure.part for figure in run.figures):
            own = tuple(figure for figure in run.figures if figure.part == part)
            self.runs[part] = dataclasses.replace(run, figures=own)


@dataclass(frozen=True)
class Comparison:
    """A figure beside the committed one; `ratio` is how many times worse it is."""

    figure: Figure
    before: Figure
    ratio: float

    @property
    def is_worse(self) -> bool:
        return self.figure.is_portable and self.ratio > WORSE_RATIO

    def __str__(self) -> str:
        words = f"{self.figure.label}: {self.figure.text}, committed {self.before.text}"
        return f"{words} ({self.ratio:.2f} times worse)" if self.ratio > 1 else words


def compare(figures: Iterable[Figure], committed: Committed) -> list[Comparison]:
    """Each figure beside the committed one of the same key, if there is one."""
    before = committed.figures
    return [
        Comparison(figure, before[figure.key], figure.worsening(before[figure.key]))
        for figure in figures
        if figure.key in before
    ]


def better_of(figures: Iterable[Figure], again: Iterable[Figure]) -> list[Figure]:
    """The figures, with the better of two measurements where there are two."""
    second = {figure.key: figure for figure in again}
    return [
        second[figure.key] if figure.key in second and second[figure.key].worsening(figure) < 1 else figure
        for figure in figures
    ]


def table(figures: Sequence[Figure]) -> list[str]:
    """The rows of a Markdown table."""
    return ["| figure | value | goal | met |", "|---|---|---|---|", *(figure.row for figure in figures)]


def page_lines(committed: Committed, titles: dict[str, str]) -> Iterator[str]:
    """For each part when and where it was measured, and its table."""
    for part, run in ((part, committed.runs[part]) for part in titles if part in committed.runs):
        commit = f", commit {run.commit}" if run.commit else ""
        where = f"Measured on {run.day}{commit}, {run.machine}; load average before the run {run.load}."
        yield "\n".join([f"## `{part}`: {titles[part]}", "", where, "", *table(run.figures)])
