"""Scenes that the server of the test sees, and a browser whose line a test can cut."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import OperationalError
from playwright.sync_api import Page, WebSocketRoute

from tables.runner.table import ActResponse
from tables.screens import push
from tests.e2e.floor import Screen, all_on
from tests.services.chromium import Pages
from tests.services.server import LiveServer
from tests.tables.cast import Scene, make_scene

AXE_TRIED = "Applying inline style"


@pytest.fixture
def stage(live_url: str, session_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scene]:
    """`stage("pa-539")` is one table under these rules, open, that browsers see. Its acts reach their screens."""
    act = patient(Scene.act)

    def act_and_push(scene: Scene, *args: Any, **how: Any) -> ActResponse:
        response = act(scene, *args, **how)
        session_server.push(scene.table.pk)
        return response

    monkeypatch.setattr(Scene, "act", act_and_push)
    return make_scene


@pytest.fixture
def pushes_lost() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Within `pushes_lost()`, no screen hears of an act."""

    async def lose(pushes: Any) -> None:
        pass

    @contextlib.contextmanager
    def losing() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(push, "_send_in_order", lose)
            patch.setattr(push.Sockets, "tell", lambda *_: None)
            yield

    return losing


def patient(act: Callable[..., ActResponse]) -> Callable[..., ActResponse]:
    """The in-memory SQLite of tests knows no waiting: a screen that reads meanwhile makes a write fail at once."""

    def try_again(*args: Any, **how: Any) -> ActResponse:
        for _ in range(50):
            try:
                return act(*args, **how)
            except OperationalError as busy:
                if "locked" not in str(busy):
                    raise
                time.sleep(0.02)
        return act(*args, **how)

    return try_again


@pytest.fixture
def scene(stage: Callable[..., Scene]) -> Scene:
    """A table under § 625a, Paytable A, with a manual shaker: open, a dealer at it, no round yet."""
    return stage()


class Line:
    """The socket of a page. While it is `cut`, nothing that the server says arrives."""

    def __init__(self, page: Page) -> None:
        self.cut = False
        page.route_web_socket("**/ws/**", self._carry)

    def _carry(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: None if self.cut else socket.send(message))


@pytest.fixture
def line() -> Callable[[Page], Line]:
    return Line


@pytest.fixture
def spotless(live_url: str, new_page: Pages) -> Iterator[list[Screen]]:
    """Screens that, when the test ends, have complained of nothing and asked nobody else for anything.

    Axe tries out styles of its own, which the policy refuses: that is no fault of the page.
    """
    screens: list[Screen] = []
    yield screens
    for screen in screens:
        screen.page.wait_for_timeout(100)
    new_page.errors[:] = [error for error in new_page.errors if AXE_TRIED not in error]
    complaints = [complaint for screen in screens for complaint in screen.complaints]
    assert [complaint for complaint in complaints if AXE_TRIED not in complaint] == []
    assert all_on(urlsplit(live_url).netloc, screens) == []
