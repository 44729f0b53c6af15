"""Measure the dashboard of a large floor in Chromium: how long the page is busy while its tiles change.

Tablets deal rounds over HTTP while the page of a podium is open. The browser reports every task that takes longer than
50 ms (`longtask` of PerformanceObserver), and its own processor time.
"""

import argparse
import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from playwright.sync_api import CDPSession, Page

from script.bench_floor import FloorBench, lines
from script.faults.scene import HOST
from script.figures import Figure, ms, size
from script.floor_tables import FACILITY

TITLE = "The dashboard of a large floor in Chromium while its tiles change"
SECONDS = 40.0
OBSERVE = """
    window.tasks = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.tasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
"""
TASKS = "() => window.tasks.splice(0)"
VERSIONS = """() => Object.fromEntries([...document.querySelectorAll("[data-version][data-table]")]
    .map((tile) => [tile.dataset.table, Number(tile.dataset.version)]))"""


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Show `options.tiles` tiles, of which `options.tiles_playing` change."""
    floor = argparse.Namespace(**{**vars(options), "dashboards": 1})
    with contextlib.ExitStack() as stack:
        bench = FloorBench(stack, floor, options.tiles, has_browser=True)
        page = stack.enter_context(_open_page(bench))
        loading: list[float] = page.evaluate(TASKS)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        before = _busy_seconds(session)
        with ThreadPoolExecutor(1) as thread:  # beside Playwright's loop Django may not query
            play = thread.submit(bench.play, options.tiles_playing, SECONDS).result()
        busy = _busy_seconds(session) - before
        tasks: list[float] = page.evaluate(TASKS)
        versions: dict[str, int] = page.evaluate(VERSIONS)
    yield f"while the page loaded, its longest task took {max(loading, default=0):.0f} ms"
    yield from lines(play)
    newest: dict[str, int] = {}
    for act in play.load.acts:
        newest[act.table] = max(act.claim.version, newest.get(act.table, 0))
    behind = sum(versions.get(table, 0) < version for table, version in newest.items())
    scale = f"{len(versions)} tiles, {play.tables} of them playing"
    longest = f"longest task over 50 ms in the browser, {scale}"
    yield ms("dashboard.longest_task_ms", longest, max(tasks, default=0), 50)
    yield Figure("dashboard.long_tasks", f"tasks over 50 ms, {scale}", len(tasks), goal=0)
    label = f"share of the time in which the page is busy, {scale}"
    yield Figure("dashboard.busy", label, 100 * busy / play.load.seconds, "%")
    change = play.load.bytes["floor"] / play.load.messages["floor"]
    yield size("dashboard.bytes", "bytes of a change on a dashboard's socket", change, 2_000)
    yield Figure("dashboard.behind", "tiles that do not show the last act", behind, goal=0)


@contextlib.contextmanager
def _open_page(bench: FloorBench) -> Iterator[Page]:
    """The floor page of the last podium; the other one's socket is the load's."""
    from tests.services import chromium

    origin = f"http://{HOST}:{bench.ports[0]}"
    with chromium.running() as browser:
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        context.add_init_script(OBSERVE)
        cookies = {name: value for name, value in bench.podiums[-1].cookies.items() if name[:2] != "__"}
        context.add_cookies(
            [{"name": name, "value": value, "url": origin} for name, value in cookies.items()]
        )
        page = context.new_page()
        page.goto(f"{origin}/floor/{FACILITY}/")
        page.locator("html[data-live=live]").wait_for(state="attached")
        page.wait_for_timeout(3_000)
        yield page


def _busy_seconds(session: CDPSession) -> float:
    """How long all tasks of the page took, in seconds, as the browser counts them."""
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")
