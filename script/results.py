"""What a run of script/test did, kept in a file so that the last pytest can print it above its own closing line."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One line of the closing table; `outcome` is passed, failed or skipped."""

    step: str
    outcome: str
    seconds: float
    note: str = ""


@dataclass
class Results:
    rows: list[Row] = field(default_factory=list)
    # pytest's category (passed, failed, error, …) → the node ids of the legs that have ended
    tests: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Results":
        document = json.loads(path.read_text())
        return cls([Row(**row) for row in document["rows"]], document["tests"])

    def joined(self, other: "Results") -> "Results":
        """These and the others, as if they had run one after the other."""
        names = {**self.tests, **other.tests}
        tests = {name: self.tests.get(name, []) + other.tests.get(name, []) for name in names}
        return Results(self.rows + other.rows, tests)

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))


def table(rows: list[Row]) -> list[str]:
    """The closing table: what ran, what did not, and why."""
    width = max(len(row.step) for row in rows)
    lines = [
        f"{row.step:<{width}}  {row.outcome:<7}  {row.seconds:6.1f} s  {row.note}".rstrip() for row in rows
    ]
    return [*lines, f"{'total':<{width}}  {'':<7}  {sum(row.seconds for row in rows):6.1f} s"]
