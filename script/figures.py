"""The figures of `script/bench`: their table, their file, and their comparison with the committed ones."""

import dataclasses
import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from script.process_usage import Machine

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "bench.json"
PAGE = ROOT / "docs" / "bench.md"
BEGIN, END = "<!-- begin figures -->", "<!-- end figures -->"
WORSE_RATIO = 1.2  # the nightly check fails beyond
Better = Literal["lower", "higher"]


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
    def goal_text(self) -> str:
        if self.goal is None:
            return ""
        return f"{'≤' if self.better == 'lower' else '≥'} {with_unit(self.goal, self.unit)}"

    def worsening(self, before: "Figure") -> float:
        """How many times worse this is than before: 1.0 is the same, less is better."""
        if self.value == before.value:
            return 1.0
        worse, better = (self.value, before.value) if self.better == "lower" else (before.value, self.value)
        return worse / better if better else float("inf")


def with_unit(value: float, unit: str) -> str:
    """A value with as many digits as it deserves."""
    if value == int(value) and unit not in ("ms", "×"):
        number = f"{value:,.0f}"
    else:
        number = (
            f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
        )
    return f"{number} {unit}".strip()


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
    def begin(cls, load: float, commit: str) -> "Run":
        today = dt.datetime.now(dt.UTC).date().isoformat()
        return cls(today, str(Machine.of_this_process()), round(load, 1), commit)

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Run":
        fields: dict[str, Any] = json.loads(text)
        return cls(**{**fields, "figures": tuple(Figure(**figure) for figure in fields["figures"])})


@dataclass
class Committed:
    """The newest committed run of each part. Parts are measured together or one by one."""

    runs: dict[str, Run] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path = FILE) -> "Committed":
        if not path.exists():
            return cls()
        runs = json.loads(path.read_text("utf-8"))
        return cls({part: Run.from_json(json.dumps(fields)) for part, fields in runs.items()})

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


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """The rows of a Markdown table."""
    yield "| figure | value | goal | met |"
    yield "|---|---|---|---|"
    for figure in figures:
        met = "" if figure.goal is None else "yes" if figure.is_met else "**no**"
        yield f"| {figure.label} | {figure.text} | {figure.goal_text} | {met} |"


def page_lines(committed: Committed, titles: dict[str, str]) -> Iterator[str]:
    """The generated part of docs/bench.md: for each part when and where it was measured, and its table."""
    for part, title in titles.items():
        run = committed.runs.get(part)
        if run is None:
            continue
        commit = f", commit {run.commit}" if run.commit else ""
        yield f"### `{part}`: {title}"
        yield ""
        yield f"Measured on {run.day}{commit}, {run.machine}; load average before the run {run.load}."
        yield ""
        yield from table(run.figures)
        yield ""


def write_page(committed: Committed, titles: dict[str, str], path: Path = PAGE) -> None:
    """Replace the generated part of docs/bench.md."""
    head, _, remainder = path.read_text("utf-8").partition(BEGIN)
    _, _, tail = remainder.partition(END)
    generated = "\n".join(page_lines(committed, titles))
    path.write_text(f"{head}{BEGIN}\n\n{generated}\n{END}{tail}", "utf-8")
