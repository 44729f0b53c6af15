"""Serve a demo from its first second: a page says that the floor opens while the database is made, then it is dealt.

Migrations and the floor's people take some ten seconds. Until they are done every address answers with that page, and
neither the application nor its ticker begins.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.db import connections
from django.template.loader import render_to_string
from django.templatetags.static import static

from tables.demo.evening import run_evening, seed_floor

log = logging.getLogger(__name__)
Application = Callable[..., Awaitable[None]]
SHEET = "css/opening.css"
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'self'"),
]


def make_the_floor() -> None:
    """Migrate the database, and seed the floor once."""
    call_command("migrate", verbosity=0)
    seed_floor()
    connections.close_all()


class OpeningPage:
    """The page of a floor that opens, or could not be made, with its one style sheet."""

    def __init__(self, *, has_failed: bool = False) -> None:
        self.has_failed = has_failed
        self.body = render_to_string("tables/demo/opening.html", {"has_failed": has_failed}).encode()
        self.sheet = Path(str(finders.find(SHEET))).read_bytes()

    def answer(self, path: str) -> tuple[int, bytes, bytes]:
        """The status, type and content for a path. The landing is there at once, what else is asked for is not yet."""
        if path == static(SHEET):
            return 200, b"text/css; charset=utf-8", self.sheet
        return 200 if path == "/" and not self.has_failed else 503, b"text/html; charset=utf-8", self.body


class DemoServer:
    """The application of a demo floor, which begins once its floor is made, and deals it."""

    def __init__(self, application: Application, make: Callable[[], None] = make_the_floor) -> None:
        self.application, self.make = application, make
        self.is_open = False
        self.tasks: list[asyncio.Task[None]] = []
        self.page: OpeningPage | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif self.is_open:
            await self.application(scope, receive, send)
        elif scope["type"] == "http":
            self.page = self.page or OpeningPage()
            status, kind, content = self.page.answer(scope["path"])
            headers = [(b"content-type", kind), *HEADERS]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": content})
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1013})

    async def _live(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer the server's lifespan at once, and run that of the application once the floor is made."""
        inner: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        async def ignore(message: dict[str, Any]) -> None:
            """What the application answers to its lifespan was answered already."""

        async def open_floor() -> None:
            try:
                await asyncio.to_thread(self.make)
            except Exception:
                log.exception("The demo floor could not be made.")
                self.page = OpeningPage(has_failed=True)
                return
            self.tasks.append(asyncio.create_task(run_evening()))
            self.is_open = True
            await self.application(scope, inner.get, ignore)

        opening = asyncio.create_task(open_floor())
        while True:
            message = await receive()
            await inner.put(message)
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                break
        for task in self.tasks:
            task.cancel()
        if not self.is_open:
            opening.cancel()
        await asyncio.wait([opening], timeout=3)
