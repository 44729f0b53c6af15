"""The pytest plugin of script/test: which tests a leg runs, and what the whole run ends with.

Every leg is a pytest of its own. The last one prints the closing table of all steps; its own closing line, which is
the last of the run, then counts the tests of every leg, and each step that failed without pytest as an error.
"""

import time
from pathlib import Path

import pytest
from django.test import TransactionTestCase

from script.results import Results, Row, table

CATEGORIES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("script/test")
    group.addoption("--leg", help="the name of this leg")
    group.addoption("--leg-note", default="", help="where the services of this leg come from")
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


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTED] = time.monotonic()


STARTED = pytest.StashKey[float]()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode, config: pytest.Config
) -> None:
    path, leg = config.getoption("--results"), config.getoption("--leg")
    if path is None or leg is None:
        return
    results = Results.read(path)
    ended = time.monotonic() - config.stash[STARTED]
    bad = exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    mine = {name: terminalreporter.stats.get(name, []) for name in CATEGORIES}
    note = ", ".join([f"{len(mine[name])} {name}" for name in CATEGORIES if mine[name]] or ["no tests"])
    note = "; ".join(filter(None, [note, config.getoption("--leg-note")]))
    if config.getoption("--closing"):
        close(terminalreporter, results, Row(leg, "failed" if bad else "passed", ended, note))
    for name in CATEGORIES:
        ids = [f"[{leg}] {getattr(report, 'nodeid', '?')}" for report in mine[name]]
        results.tests[name] = results.tests.get(name, []) + ids
    results.rows.append(Row(leg, "failed" if bad else "passed", ended, note))
    results.write(path)


def close(reporter: pytest.TerminalReporter, results: Results, last: Row) -> None:
    reporter.section("script/test")
    for line in table([*results.rows, last]):
        reporter.write_line(line)
    mine = {name: list(reporter.stats.get(name, [])) for name in CATEGORIES}
    for name in CATEGORIES:
        earlier = [placeholder(node, name) for node in results.tests.get(name, [])]
        if name == "error":
            earlier += [
                placeholder(f"[{row.step}] {row.note}", name) for row in results.rows if is_bare_failure(row)
            ]
        if earlier or mine[name]:
            reporter.stats[name] = earlier + mine[name]


def is_bare_failure(row: Row) -> bool:
    """A step that failed outside pytest, so that no test of it is counted yet."""
    return row.outcome == "failed" and " failed" not in row.note and " error" not in row.note


def placeholder(node: str, category: str) -> pytest.TestReport:
    outcome = {"failed": "failed", "error": "failed", "skipped": "skipped", "xfailed": "skipped"}.get(
        category, "passed"
    )
    return pytest.TestReport(node, (node, None, node), {}, outcome, None, "call")  # type: ignore[arg-type]
