"""What this run of pytest has: which tests must be skipped here, and which touch a database."""

import os
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.test import TransactionTestCase

from tests.services.examples import is_of_today

SLOW_TESTS = Path(__file__).resolve().parents[1] / "slow_tests.txt"
IN_TURN = "TEST_IN_TURN"  # set by script/test where tests of this suite take turns
# Stories of the browser that never do: the work of every role, every game, and what a lost line or tap may break.
DAILY_STORIES = {
    "test_alerts.py", "test_auditor.py", "test_day_in_the_office.py", "test_day_in_the_pit.py", "test_football.py",
    "test_high_roll.py", "test_line.py", "test_main_job.py", "test_pace.py", "test_restart.py", "test_taps.py",
}  # fmt: skip
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_url"}


def has_postgres() -> bool:
    return settings.DATABASES["default"]["ENGINE"] == "config.postgresql"


def has_redis() -> bool:
    return settings.CHANNEL_LAYERS["default"]["BACKEND"].endswith("RedisLayer")


def skip_without_service(items: list[pytest.Item]) -> None:
    """Tests marked for a service that this run does not have; script/test names the suite that has it."""
    present = {
        "postgres": has_postgres(),
        "redis": has_redis(),
        "containers": bool(os.environ.get("TEST_CONTAINERS")),
    }
    for item in items:
        for service, is_present in present.items():
            if not is_present and item.get_closest_marker(service):
                item.add_marker(pytest.mark.skip(reason=f"needs {service}: script/test runs it"))


def mark_database(items: list[pytest.Item]) -> None:
    """`database` on every test whose result may differ on another database or channel layer."""
    for item in items:
        if touches_database(item):
            item.add_marker(pytest.mark.database)


@cache
def slow_tests() -> dict[str, float]:
    """The list that `python -m script.slow_tests` writes: each test function, and the seconds of the longest."""
    lines = (line.split() for line in SLOW_TESTS.read_text().splitlines())
    return {name: float(seconds[0]) if seconds else 0 for name, *seconds in lines}


def mark_slow(items: list[pytest.Item]) -> None:
    """`slow` on every test of the list, `long` on those that have their seconds there."""
    for item in items:
        name = item.nodeid.split("[")[0]
        if name in slow_tests():
            item.add_marker(pytest.mark.slow)
        if slow_tests().get(name):
            item.add_marker(pytest.mark.long)


def begin_with_the_longest(items: list[pytest.Item]) -> None:
    """Move the longest tests to the front: begun last, they would leave the other workers idle at the end."""
    items.sort(key=lambda item: slow_tests().get(item.nodeid.split("[")[0], 0), reverse=True)


def of_another_day(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that are left to one of the next two days, because they take turns."""
    if not os.environ.get(IN_TURN):
        return []
    return [item for item in items if takes_turns(item) and not is_of_today(item.nodeid.split("[")[0])]


def takes_turns(item: pytest.Item) -> bool:
    """Whether a test runs here on one of three days: most stories of the browser, and what runs on SQLite each day."""
    if item.get_closest_marker("browser"):
        return item.path.name not in DAILY_STORIES
    is_on_sqlite = item.get_closest_marker("both_databases") and not item.get_closest_marker("long")
    return bool(is_on_sqlite) and not (
        item.get_closest_marker("postgres") or item.get_closest_marker("redis")
    )


def touches_database(item: pytest.Item) -> bool:
    if any(item.get_closest_marker(name) for name in ("django_db", "postgres", "redis")):
        return True
    if DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())):
        return True
    cls = getattr(item, "cls", None)
    return cls is not None and issubclass(cls, TransactionTestCase)


def marked_elsewhere(items: list[pytest.Item]) -> list[str]:
    """One line for each file that does not name a mark of its tests: the suite `services` collects by these words."""
    marked = {
        (item.path, name)
        for item in items
        for name in ("both_databases", "postgres", "redis")
        if item.get_closest_marker(name)
    }
    return sorted(
        f"write mark.{name} in {path}" for path, name in marked if f"mark.{name}" not in path.read_text()
    )


def unknown_clauses(items: list[pytest.Item], known: set[str]) -> list[str]:
    """One line for each clause id that stands in no catalogue."""
    return sorted(
        f"{item.nodeid} names an unknown clause: {name}"
        for item in items
        for mark in item.iter_markers("clause")
        for name in mark.args
        if name not in known
    )
