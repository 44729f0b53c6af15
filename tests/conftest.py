"""Fixtures that every room's tests share, and the rules of collection (docs/testing.md)."""

import gc
from collections.abc import Generator, Iterator
from typing import Any, Literal

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser
from pytest_django import DjangoDbBlocker

from tests.services import chromium as chrome
from tests.services import emptying, entries, later, server, suites

# No test is timed: an example takes as long as a busy machine needs.
settings.register_profile("pitside", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pitside")


def pytest_addoption(parser: pytest.Parser) -> None:
    said = "run as if it were so many hours later (docs/testing.md)"
    parser.addoption("--hours-later", type=float, default=0, help=said)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Nothing that is collected is ever garbage: no collection of garbage looks at it, now or in a test.

    Tests make much that lives as long as they do. Looking for garbage less often saves a twentieth of their time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 50, 100)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    suites.skip_without_service(items)
    suites.mark_database(items)
    suites.mark_slow(items)
    if misplaced := suites.marked_elsewhere(items):
        raise pytest.UsageError("\n".join(misplaced))
    if any(item.get_closest_marker("clause") for item in items):
        from games.regulations.clauses import all_clauses

        if unknown := suites.unknown_clauses(items, set(all_clauses())):
            raise pytest.UsageError("\n".join(unknown))
    yield
    if later_items := suites.of_another_day(items):
        config.hook.pytest_deselected(items=later_items)
        items[:] = [item for item in items if item not in set(later_items)]
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist
        suites.begin_with_the_longest(items)


@pytest.fixture(scope="session", autouse=True)
def at_another_hour(pytestconfig: pytest.Config) -> Iterator[None]:
    """The clock that `--hours-later` asks for."""
    hours = pytestconfig.getoption("--hours-later")
    if not hours:
        yield
        return
    with later.hours_later(hours):
        yield


@pytest.fixture(scope="session", autouse=True)
def entries_of_any_time() -> Iterator[None]:
    """Tests set the clock: no entry is too late for it, where `bounded_time` does not ask for the product's bound."""
    with later.entries_of_any_time():
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database, with the same latitude.

    PostgreSQL drops no database that somebody uses, and a thread of the server that answered its last request may
    still hold a connection then. So all others end first.
    """
    with django_db_blocker.unblock():
        later.set_clock_of_entries()
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture
def bounded_time(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries are bounded by the clock, as in the product."""
    monkeypatch.setattr("audit.clock.latest", later.LATEST)
    later.set_clock_of_entries("clock_timestamp()")


@pytest.fixture(scope="session", autouse=True)
def flush_past_the_guards() -> Iterator[None]:
    """`transactional_db` may empty the tables of the record; nothing else may."""
    with emptying.flush_past_the_guards():
        yield


@pytest.fixture(scope="session", autouse=True)
def every_entry_is_as_declared() -> Iterator[None]:
    """What the product writes on the record has the shape that its entry type declares."""
    with entries.checked_entries():
        yield


@pytest.fixture(autouse=True)
def nothing_is_shown_yet() -> None:
    """What this process shows of a table is of the test before, as long as something holds it."""
    from tables.screens import fragments

    fragments.forget_shown()


@pytest.fixture(scope="session")
def session_server(django_db_setup: None) -> Iterator[server.LiveServer]:
    with server.serving() as live_server:
        yield live_server


@pytest.fixture
def live_url(
    session_server: server.LiveServer, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of the real server, on the test database; what a test commits, the server sees.

    A machine that is busy with browsers may keep the channel layer waiting longer than a casino's does.
    """
    monkeypatch.setattr("tables.screens.push.SEND_SECONDS", 15)
    yield session_server.address
    session_server.wait_until_quiet()


def scope_of_browser(fixture_name: str, config: pytest.Config) -> Literal["session", "module"]:
    """A run of browser tests alone shares one browser: its loop would break every asynchronous test that follows."""
    return "session" if config.getoption("markexpr").split(" and ")[0] == "browser" else "module"


@pytest.fixture(scope=scope_of_browser)
def chromium() -> Iterator[Browser]:
    with chrome.running() as browser:
        yield browser


@pytest.fixture(scope=scope_of_browser)
def contexts(chromium: Browser) -> chrome.Contexts:
    return chrome.Contexts(chromium)


@pytest.fixture
def new_page(contexts: chrome.Contexts, live_url: str) -> Iterator[chrome.Pages]:
    """`new_page(1024, 768)` is one more tablet; relative addresses lead to the server of the test.

    The test fails when a page raised an error or broke the Content-Security-Policy.
    """
    pages = chrome.Pages(contexts, live_url)
    yield pages
    pages.close()
    assert pages.errors == []


@pytest.fixture
def page(new_page: chrome.Pages):
    """One tablet of 1280 × 800."""
    return new_page()
