"""Which tests prove which clause, as a file, because the tests are not installed with the product.

`manage.py clauses --write` makes the file; a test fails if it is out of date.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from .clauses import HERE, proofs_by_clause

FILE = HERE / "coverage.json"


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


def write() -> None:
    """Write the file."""
    FILE.write_text(coverage_text(), encoding="utf-8")


@lru_cache(maxsize=1)
def recorded() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the tests that prove each clause, from the file: `tests/games/test_odds.py::test_…`."""
    tests_by_clause: dict[str, list[str]] = defaultdict(list)
    for file, tests in json.loads(FILE.read_text(encoding="utf-8")).items():
        for name, clauses in tests.items():
            for clause in clauses:
                tests_by_clause[clause].append(f"{file}::{name}")
    return {clause: tuple(sorted(tests)) for clause, tests in tests_by_clause.items()}
