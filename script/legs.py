"""The pytest plugin of script/test: which tests a leg runs, and what the whole run ends with.

Every leg is a pytest of its own. The last one prints the closing table of all steps; its own closing line, which is
the last of the run, then counts the tests of every leg, and each step that failed without pytest as an error.
"""

import time
from pathlib import Path
from typing import Any

import pytest
from django.test import TransactionTestCase

from script.results import Results, Row, table

CATEGORIES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("script/test")
    group.addoption("--leg", help="the name of this leg")
    group.addoption("--leg-note", default="", help="where the services of this leg come from")
    group.addoption("--leg-started", type=float, default=0.0, help="when script/test started it")
    group.addoption("--leg-required", action="store_true", help="this leg fails when it has no tests")
    group.addoption("--results", type=Path, help="the file that the legs share")
    group.addoption("--database-only", action="store_true", help="leave out tests that touch no database")
    group.addoption("--closing", action="store_true", help="this leg is the last: print the closing table")


def touches_a_service(item: pytest.Item) -> bool:
    """Whether the result may differ on another database or channel layer."""
    names = getattr(item, "fixturenames", ())
    if any(item.get_closest_marker(name) for name in ("django_db", "postgres", "redis")):
        return True
    if {"db", "transactional_db", "django_db_setup", "live_url"} & set(names):
        return True
    cls = getattr(item, "cls", None)
    return cls is not None and issubclass(cls, TransactionTestCase)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--database-only"):
        left_out = [item for item in items if not touches_a_service(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if touches_a_service(item)]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode, config: pytest.Config
) -> None:
    path, leg = config.getoption("--results"), config.getoption("--leg")
    if path is None or leg is None:
        return
    mine = {name: terminalreporter.stats.get(name, []) for name in CATEGORIES}
    counts = ", ".join(f"{len(mine[name])} {name}" for name in CATEGORIES if mine[name])
    note = "; ".join(filter(None, [counts or "no tests", config.getoption("--leg-note")]))
    seconds = time.time() - config.getoption("--leg-started")
    row = Row(leg, outcome_of(exitstatus, required=config.getoption("--leg-required")), seconds, note)
    results = Results.read(path)
    if config.getoption("--closing"):
        close(terminalreporter, results, row)
    for name in CATEGORIES:
        ids = [f"[{leg}] {getattr(report, 'nodeid', '?')}" for report in mine[name]]
        results.tests[name] = results.tests.get(name, []) + ids
    results.rows.append(row)
    results.write(path)


def outcome_of(status: int, *, required: bool) -> str:
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        return "failed" if required else "skipped"
    return "passed" if status == pytest.ExitCode.OK else "failed"


def close(reporter: pytest.TerminalReporter, results: Results, last: Row) -> None:
    reporter.section("script/test")
    for line in table([*results.rows, last]):
        reporter.write_line(line)
    mine = {name: list(reporter.stats.get(name, [])) for name in CATEGORIES}
    for name in CATEGORIES:
        earlier = [placeholder(node, name) for node in results.tests.get(name, [])]
        if name == "error":
            earlier += [
                placeholder(f"[{row.step}] {row.note or 'see above'}", name)
                for row in results.rows
                if is_bare_failure(row)
            ]
        if earlier or mine[name]:
            reporter.stats[name] = earlier + mine[name]


def is_bare_failure(row: Row) -> bool:
    """A step that failed outside pytest, so that no test of it is counted yet."""
    return row.outcome == "failed" and " failed" not in row.note and " error" not in row.note


def placeholder(node: str, category: str) -> pytest.TestReport:
    outcome: Any = {"passed": "passed", "xpassed": "passed", "failed": "failed", "error": "failed"}.get(
        category, "skipped"
    )
    when: Any = "setup" if category == "error" else "call"  # pytest words a failed set-up as an error
    return pytest.TestReport(node, (node, None, node), {}, outcome, None, when)
