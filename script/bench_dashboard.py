"""Measure the dashboard of a large floor in Chromium: how long the page is busy while its tiles change.

Tablets deal rounds over HTTP while the page of a podium is open. The browser reports every task that takes longer than
50 ms (`longtask` of PerformanceObserver), and its own processor time.
"""

import argparse
import asyncio
import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from script.bench_floor import FloorBench, FloorInstallation, Play
from script.faults.scene import HOST
from script.figures import Figure
from script.floor_tables import FACILITY
from script.service_finder import first_on_path
from script.services import BROWSERS

TITLE = "The dashboard of a large floor in Chromium while its tiles change"
WORKER_SETTINGS = "script.browser_settings"
SECONDS = 40.0
OBSERVE = """
    window.tasks = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.tasks.push([entry.startTime, entry.duration]);
    }).observe({ type: "longtask", buffered: true });
"""
VERSIONS = """() => Object.fromEntries([...document.querySelectorAll("[data-version][data-table]")]
    .map((tile) => [tile.dataset.table, Number(tile.dataset.version)]))"""


class DashboardInstallation(FloorInstallation):
    """A floor whose workers a browser can reach without TLS."""

    def environment(self, role: str, name: str) -> dict[str, str]:
        environment = super().environment(role, name)
        return (
            {**environment, "DJANGO_SETTINGS_MODULE": WORKER_SETTINGS} if role != "postgres" else environment
        )


class DashboardBench(FloorBench):
    installation_class = DashboardInstallation


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Show `options.tiles` tiles, of which `options.tiles_playing` change."""
    floor_options = argparse.Namespace(**{**vars(options), "tables": options.tiles, "dashboards": 2})
    with contextlib.ExitStack() as stack:
        bench = DashboardBench(stack, floor_options)
        asyncio.run(bench.sign_in())
        page = stack.enter_context(_open_page(bench))
        tasks_while_loading = _tasks(page)
        browser_session = page.context.new_cdp_session(page)
        browser_session.send("Performance.enable")
        before = _busy_seconds(browser_session)
        with ThreadPoolExecutor(1) as thread:  # beside Playwright's loop Django may not query
            play = thread.submit(bench.play, options.tiles_playing, SECONDS).result()
        busy = _busy_seconds(browser_session) - before
        tasks, versions = _tasks(page), page.evaluate(VERSIONS)
    yield from _lines(play, tasks_while_loading)
    yield from _figures(play, versions, tasks, busy)


@contextlib.contextmanager
def _open_page(bench: FloorBench) -> Iterator[Page]:
    """The floor page of the second podium; the first one's socket is the generator's."""
    podium = bench.podiums[1]
    origin = f"http://{HOST}:{bench.ports[0]}"
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM_PATH") or first_on_path(BROWSERS)
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        context.add_init_script(OBSERVE)
        context.add_cookies(
            [
                {"name": name, "value": value, "url": origin}
                for name, value in podium.cookies.items()
                if name[:2] != "__"
            ]
        )
        page = context.new_page()
        page.goto(f"{origin}/floor/{FACILITY}/")
        page.locator("html[data-live=live]").wait_for(state="attached")
        page.wait_for_timeout(3_000)
        try:
            yield page
        finally:
            browser.close()


def _tasks(page: Page) -> list[float]:
    """The durations of the long tasks since the last call, in milliseconds."""
    tasks: list[list[float]] = page.evaluate("() => window.tasks.splice(0)")
    return [duration for _, duration in tasks]


def _busy_seconds(browser_session: CDPSession) -> float:
    """How long all tasks of the page took, in seconds, as the browser counts them."""
    metrics: list[dict[str, Any]] = browser_session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def _lines(play: Play, tasks_while_loading: list[float]) -> Iterator[str]:
    taken = [act for act in play.acts if act.is_taken]
    yield (
        f"{len(taken) / play.seconds:.1f} acts a second; while the page loaded, its longest task took "
        f"{max(tasks_while_loading, default=0):.0f} ms"
    )
    yield from (f"PROBLEM: {problem}" for problem in play.problems[:10])


def _figures(
    play: Play, versions: dict[str, int], tasks: list[float], busy_seconds: float
) -> Iterator[Figure]:
    outcome = play.outcome
    newest: dict[str, int] = {}
    for act in outcome.taken:
        newest[act.table] = max(act.version, newest.get(act.table, 0))
    behind = [table for table, version in newest.items() if versions.get(table, 0) < version]
    scale = f"{len(versions)} tiles, {play.tables} of them playing"
    yield Figure(
        "dashboard.longest_task_ms",
        f"longest task over 50 ms in the browser, {scale}",
        max(tasks, default=0),
        "ms",
        goal=50,
    )
    yield Figure("dashboard.long_tasks", f"tasks over 50 ms, {scale}", len(tasks), goal=0)
    yield Figure(
        "dashboard.busy",
        f"share of the time in which the page is busy, {scale}",
        100 * busy_seconds / (outcome.ended - outcome.started),
        "%",
    )
    yield Figure(
        "dashboard.bytes",
        "bytes of a change on a dashboard's socket",
        outcome.bytes["floor"] / outcome.messages["floor"],
        "B",
        goal=2_000,
        is_portable=True,
    )
    yield Figure("dashboard.behind", "tiles that do not show the last act", len(behind), goal=0)
