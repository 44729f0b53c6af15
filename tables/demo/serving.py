"""Serve a demo from its first second: a page says that the floor opens while the database is made, then it is dealt.

Migrations and the floor's people take some ten seconds. Until they are done every address answers with that page, and
neither the application nor its ticker begins.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.core.management import call_command
from django.db import connections
from django.template.loader import render_to_string

from tables.demo.evening import run_evening, seed_floor

log = logging.getLogger(__name__)
Application = Callable[..., Awaitable[None]]
HEADERS = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'"),
]


def make_the_floor() -> None:
    """Migrate the database, and seed the floor once."""
    call_command("migrate", verbosity=0)
    seed_floor()
    connections.close_all()


class DemoServer:
    """The application of a demo floor, which begins once its floor is made, and deals it."""

    def __init__(self, application: Application, make: Callable[[], None] = make_the_floor) -> None:
        self.application, self.make = application, make
        self.is_open = False
        self.tasks: list[asyncio.Task[None]] = []
        self.page = b""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif self.is_open:
            await self.application(scope, receive, send)
        elif scope["type"] == "http":
            # The landing is there at once; whatever else is asked for is not there yet.
            status = 200 if scope["path"] == "/" else 503
            await send({"type": "http.response.start", "status": status, "headers": HEADERS})
            await send({"type": "http.response.body", "body": self.page})
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1013})

    async def _live(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer the server's lifespan at once, and run that of the application once the floor is made."""
        self.page = render_to_string("tables/demo/opening.html").encode()
        inner: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        async def ignore(message: dict[str, Any]) -> None:
            """What the application answers to its lifespan was answered already."""

        async def open_floor() -> None:
            try:
                await asyncio.to_thread(self.make)
            except Exception:
                log.exception("The demo floor could not be made.")
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
