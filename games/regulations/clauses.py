"""Reads the catalog of clauses, and which tests prove them.

Because the tests are not installed with the product, `manage.py clauses --write` makes a file of which tests prove
which clause; a test fails if it is out of date.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

HERE = Path(__file__).parent
TESTS = HERE.parents[1] / "tests"
DOCUMENTS = (
    ("PA-577", "58 Pa. Code Chapter 577"),
    ("PA-625a", "58 Pa. Code Chapter 625a"),
    ("PA-675a", "58 Pa. Code Chapter 675a"),
    ("PA-", "58 Pa. Code Chapters 521, 528 and 539"),
    ("NJ-19:47", "N.J.A.C. 19:47-8 and 9"),
)
SECTION = re.compile(r"58 Pa\. Code § \d+[a-z]?\.\d+[a-z]?|N\.J\.A\.C\. [\d:]+-\d+\.\d+|40 Pa\.B\. \d+")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `kind`: who must make it true; `where`: in which room; `shows`: what a test would show."""

    id: str
    cite: str
    kind: str
    where: str
    rule: str
    shows: str = ""
    note: str = ""

    @property
    def document(self) -> str:
        """Return the text that contains it."""
        return next(name for begin, name in DOCUMENTS if self.id.startswith(begin))

    @property
    def section(self) -> str:
        """Return its section: `58 Pa. Code § 521.4` for `58 Pa. Code § 521.4(1)(i)`."""
        match = SECTION.match(self.cite)
        return match[0] if match else self.cite


@lru_cache(maxsize=1)
def all_clauses() -> Mapping[str, Clause]:
    """Return every clause by its id, in the order of the documents."""
    with (HERE / "clauses.yaml").open(encoding="utf-8") as file:
        entries = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {entry["id"]: Clause(**entry) for entry in entries}


def proofs_by_clause(folder: Path = TESTS) -> dict[str, list[str]]:
    """Return the ids of the tests marked `@pytest.mark.clause("…")`, by clause, read from their source."""
    tests_by_clause: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        file = path.relative_to(folder.parent).as_posix()
        for clause, test in _marked(ast.parse(path.read_text("utf-8"), str(path)).body, file, ()):
            if test not in tests_by_clause[clause]:
                tests_by_clause[clause].append(test)
    return dict(tests_by_clause)


def _marked(body: list[ast.stmt], scope: str, inherited: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Return clause and test id for each test of a module or class, with inherited marks."""
    shared = inherited + tuple(clause for node in body for clause in _pytestmark(node))
    for node in body:
        if isinstance(node, ast.ClassDef):
            marks = shared + _clauses_in(node.decorator_list)
            yield from _marked(node.body, f"{scope}::{node.name}", marks)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            for clause in shared + _clauses_in(node.decorator_list):
                yield clause, f"{scope}::{node.name}"


def _pytestmark(node: ast.stmt) -> tuple[str, ...]:
    is_pytestmark = isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
    )
    return _clauses_in([node.value]) if is_pytestmark and isinstance(node, ast.Assign) else ()


def _clauses_in(nodes: list[ast.expr]) -> tuple[str, ...]:
    """Return the ids in `pytest.mark.clause("a", "b")` or `clause("a")`, also inside `pytest.param(…, marks=…)`."""
    calls = (call for node in nodes for call in ast.walk(node) if isinstance(call, ast.Call))
    return tuple(
        argument.value
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) == "clause"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )


# The proofs as a file


COVERAGE_FILE = HERE / "coverage.json"


def coverage_text() -> str:
    """Return the contents of the file: the clauses that each test proves, one line for each test."""
    by_test: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for clause, tests in proofs_by_clause().items():
        for test in tests:
            file, _, name = test.partition("::")
            by_test[file][name].append(clause)
    files = (
        f"{json.dumps(file)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(sorted(tests[name]))}" for name in sorted(tests))
        + "\n}"
        for file, tests in sorted(by_test.items())
    )
    return "{\n" + ",\n".join(files) + "\n}\n"


def write_coverage() -> None:
    """Write the file."""
    COVERAGE_FILE.write_text(coverage_text(), encoding="utf-8")


@lru_cache(maxsize=1)
def recorded_proofs() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the tests that prove each clause, from the file: `tests/games/test_odds.py::test_…`."""
    tests_by_clause: dict[str, list[str]] = defaultdict(list)
    for file, tests in json.loads(COVERAGE_FILE.read_text(encoding="utf-8")).items():
        for name, clauses in tests.items():
            for clause in clauses:
                tests_by_clause[clause].append(f"{file}::{name}")
    return {clause: tuple(sorted(tests)) for clause, tests in tests_by_clause.items()}
