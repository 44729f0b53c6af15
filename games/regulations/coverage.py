"""Which tests show which clause, as a file: where the product runs, its tests are not.

`manage.py clauses --write` makes it from the tests; a test fails when it is not what they say.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from .clauses import HERE, proofs_by_clause

FILE = HERE / "coverage.json"


def coverage_text() -> str:
    """The file as the tests would have it: by file, by test, the clauses that it shows; a line for each test."""
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
    """Makes the file anew."""
    FILE.write_text(coverage_text(), encoding="utf-8")


@lru_cache(maxsize=1)
def recorded() -> Mapping[str, tuple[str, ...]]:
    """The ids of the tests that show each clause, as the file has them: `tests/games/test_odds.py::test_…`."""
    tests_by_clause: dict[str, list[str]] = defaultdict(list)
    for file, tests in json.loads(FILE.read_text(encoding="utf-8")).items():
        for name, clauses in tests.items():
            for clause in clauses:
                tests_by_clause[clause].append(f"{file}::{name}")
    return {clause: tuple(sorted(tests)) for clause, tests in tests_by_clause.items()}
