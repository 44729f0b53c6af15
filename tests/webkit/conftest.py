"""A real WebKit through its own driver, and a server in a process of its own.

Playwright's WebKit is a build that only Playwright downloads. WebKitGTK is the same engine from Debian's packages, and
its driver speaks the W3C's WebDriver.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import WebKitGTK
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from script.services import WEBKIT_DRIVER, webkit_browser
from tests.e2e.server_apart import ServerApart
from tests.webkit.tablet import WebKitScreen

# Its sandbox wants namespaces, which a container does not give; the tests open no page but ours.
ENVIRONMENT = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerApart]:
    apart = ServerApart(tmp_path)
    apart.start()
    yield apart
    apart.kill()


@pytest.fixture
def new_screen(server: ServerApart) -> Iterator[Callable[[int, int], WebKitScreen]]:
    """`new_screen(1024, 768)` is one more device, with cookies of its own, on the server of the test."""
    path = os.environ.get("WEBKIT_PATH") or webkit_browser()
    display = os.environ.get("TEST_DISPLAY") or os.environ.get("DISPLAY")
    if not path or not display:
        pytest.skip("no WebKit here, or no display: script/test --all starts both")
    drivers: list[WebKitGTK] = []

    def open_screen(width: int, height: int) -> WebKitScreen:
        options = Options()
        options.binary_location = path
        options.add_argument("--automation")
        service = Service(shutil.which(WEBKIT_DRIVER), env={**os.environ, **ENVIRONMENT, "DISPLAY": display})
        driver = WebKitGTK(options=options, service=service)
        drivers.append(driver)
        return WebKitScreen(driver, server.url, width, height)

    yield open_screen
    for driver in drivers:
        driver.quit()
