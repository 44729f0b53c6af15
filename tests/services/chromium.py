"""A real Chromium through Playwright, and pages in it that stand for one tablet or screen each."""

import contextlib
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator

import pytest
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from script.services import BROWSERS

# Nothing of the browser's own may reach for another host during a test.
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


# An expectation fails later than a heartbeat is due, whatever else this machine does.
EXPECT_TIME = 15_000  # ms
expect.set_options(timeout=EXPECT_TIME)
COUNT_CLICKS = "window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }, true);"
# Fingers of tests press and read faster than people. tests/e2e/test_taps.py takes the times of the product. A tap of
# theirs may last long on a busy machine, and is still no press that opens an area.
HOLD_TIME, READ_TIME, OPEN_TIME = 60, 250, 2_000  # ms
QUICK_FINGERS = f"""addEventListener("DOMContentLoaded", () => {{
    document.documentElement.style.setProperty("--hold-time", {HOLD_TIME});
    document.documentElement.style.setProperty("--read-time", {READ_TIME});
    document.documentElement.style.setProperty("--open-time", {OPEN_TIME});
}});"""

# A page says on its console what it asked another host for. Playwright's own events of requests would tell, too, but
# a page of seventy files then takes a sixth more processor time.
ELSEWHERE = "asked another host for"
TELL_OF_OTHER_HOSTS = f"""new PerformanceObserver((list) => {{
    for (const {{ name }} of list.getEntries()) {{
        const address = new URL(name);
        if (address.protocol.startsWith("http") && address.host !== location.host) console.error("{ELSEWHERE}", name);
    }}
}}).observe({{ type: "resource", buffered: true }});"""


def executable() -> str | None:
    return os.environ.get("CHROMIUM_PATH") or next(
        (path for name in BROWSERS if (path := shutil.which(name))), None
    )


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """A browser. Playwright's loop runs in this thread meanwhile, so Django is told to allow queries beside it."""
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        with sync_playwright() as playwright:
            path = executable()
            if path is None and not os.path.exists(playwright.chromium.executable_path):
                pytest.skip("no Chromium here")
            as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *as_root])
            try:
                yield browser
            finally:
                connections.close_all()  # those of Playwright's greenlet, which nobody else can reach
                browser.close()
    finally:
        if before is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


# Empties the storage, and keeps a page that is closing from filling it again. A clock that a test set has to go.
EMPTY = """() => {
    Storage.prototype.setItem = () => {};
    localStorage.clear();
    return Function.prototype.toString.call(Date).includes("[native code]");
}"""


class Contexts:
    """Contexts of a browser that serve one test after another, so that the scripts and fonts come to each once.

    Between two tests a context loses its pages, cookies and storage. The cache keeps files of `/static/` only: the
    server of the tests lets a browser keep nothing else. If they `trust_all`, a server may sign its own certificate.
    """

    def __init__(self, browser: Browser, *, trust_all: bool = False) -> None:
        self.browser, self.trust_all = browser, trust_all
        self.free: defaultdict[object, list[BrowserContext]] = defaultdict(list)
        self.kinds: dict[BrowserContext, tuple[object, ...]] = {}

    def take(
        self, width: int, height: int, has_touch: bool, base_url: str | None, installed: bool = False
    ) -> BrowserContext:
        """A context without cookies. Nobody else has it until it comes back. Only an `installed` one has the service
        worker, whose requests no test can route.
        """
        kind = (width, height, has_touch, base_url, installed)
        if self.free[kind]:
            return self.free[kind].pop()
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=has_touch,
            base_url=base_url,
            ignore_https_errors=self.trust_all,
            service_workers="allow" if installed else "block",
        )
        self.kinds[context] = kind
        context.grant_permissions(["clipboard-write"])  # a browser with windows grants it to the one in front
        context.add_init_script(COUNT_CLICKS + QUICK_FINGERS + TELL_OF_OTHER_HOSTS)
        return context

    def take_back(self, context: BrowserContext) -> None:
        """Empty the context for a later test, or close it if that fails."""
        try:
            *others, page = context.pages
            for other in others:
                other.close()
            is_empty = page.locator("html").evaluate(EMPTY, timeout=5_000)
            page.close()
            context.clear_cookies()
            context.set_offline(False)
        except (Error, ValueError):  # a page that crashed, shows nothing of ours, or is just leaving; or none
            is_empty = False
        *_, is_installed = self.kinds[context]
        if is_empty and not is_installed:  # a worker and what it keeps would stay
            self.free[self.kinds[context]].append(context)
        else:
            del self.kinds[context]
            context.close()


class Pages:
    """Opens pages, each in a context of its own (its cookies, its person), and notes what went wrong in them."""

    def __init__(self, stock: Contexts, base_url: str | None) -> None:
        self.stock, self.base_url = stock, base_url
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    def __call__(
        self, width: int = 1280, height: int = 800, *, has_touch: bool = True, installed: bool = False
    ) -> Page:
        context = self.stock.take(width, height, has_touch, self.base_url, installed)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(f"error in {page.url}: {error}"))
        page.on("console", lambda message: self.note(page, message))
        return page

    def note(self, page: Page, message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.errors.append(f"refused in {page.url}: {message.text}")
        elif message.text.startswith(ELSEWHERE):
            self.errors.append(f"{page.url} {message.text}")

    def close(self) -> None:
        for context in self.contexts:
            self.stock.take_back(context)
