"""A real Chromium through Playwright, and pages in it that stand for one tablet or screen each."""

import contextlib
import os
import shutil
from collections.abc import Iterator

import pytest
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from script.services import BROWSERS

# Nothing of the browser's own may reach for another host during a test.
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


# An expectation fails later than a heartbeat is due, whatever else this machine does.
expect.set_options(timeout=15_000)
COUNT_CLICKS = "window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }, true);"


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


class Pages:
    """Opens pages, each in a context of its own (its cookies, its person), and notes what went wrong in them."""

    def __init__(self, browser: Browser, base_url: str | None) -> None:
        self.browser, self.base_url = browser, base_url
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    def __call__(self, width: int = 1280, height: int = 800, *, has_touch: bool = True) -> Page:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, has_touch=has_touch, base_url=self.base_url
        )
        self.contexts.append(context)
        context.grant_permissions(["clipboard-write"])  # a browser with windows grants it to the one in front
        context.add_init_script(COUNT_CLICKS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(f"error in {page.url}: {error}"))
        page.on("console", lambda message: self.note(page, message))
        return page

    def note(self, page: Page, message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.errors.append(f"refused in {page.url}: {message.text}")

    def close(self) -> None:
        for context in self.contexts:
            context.close()
