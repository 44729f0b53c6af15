"""Scenes that the server of the test sees, and a browser whose line a test can cut."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute

from tests.tables.cast import Scene, make_scene


@pytest.fixture
def stage(live_url: str) -> Callable[..., Scene]:
    """`stage("pa-539")` is one table under these rules, open, that browsers see."""
    return make_scene


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
