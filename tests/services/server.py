"""One uvicorn in a thread for the whole session: it shares the test database and the in-memory channel layer.

A server for each test was flaky, because channel layers cache their connections for each event loop.
"""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.test import override_settings

from tables.screens import push

SOCKET = object()  # has no cycle of request and answer


class LiveServer:
    """A running server."""

    def __init__(self, server: Any, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.address, self.loop = server, f"http://127.0.0.1:{port}", loop

    def push(self, table_id: int) -> None:
        """Show a table's state on its screens, as the server does after an act of its own."""
        asyncio.run_coroutine_threadsafe(push.publish(table_id), self.loop).result(20)

    def wait_until_quiet(self) -> None:
        """Wait for the requests and sockets of closed pages to end, five seconds at most. Their connections stay.

        The next test may have a table of the same key, and so the same groups of the channel layer: a socket that
        still leaves one would take the next test's socket out of it.
        """
        deadline = time.monotonic() + 5
        state = self.server.server_state
        while (state.tasks or any(map(is_in_use, state.connections))) and time.monotonic() < deadline:
            time.sleep(0.01)


def is_in_use(connection: Any) -> bool:
    """Whether it is a socket, or carries a request that is not answered completely."""
    cycle = getattr(connection, "cycle", SOCKET)
    return cycle is SOCKET or (cycle is not None and not cycle.response_complete)


def without_old_pages(application: Any) -> Any:
    """The application, but a browser may keep only its files: it serves many tests, each with pages of its own."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        async def send_to_forget(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = [
                    (name, b"no-store" if name.lower() == b"cache-control" and b"max-age" in value else value)
                    for name, value in message["headers"]
                ]
                message = {**message, "headers": headers}
            await send(message)

        is_page = scope["type"] == "http" and not scope["path"].startswith(settings.STATIC_URL)
        await application(scope, receive, send_to_forget if is_page else send)

    return answer


@contextlib.contextmanager
def serving() -> Iterator[LiveServer]:
    """A server until the block ends."""
    import uvicorn

    # The files are listed once: looking for each of them at each request doubles the work of a page. Those of the
    # fictitious game are among them, which a test registers later. A browser need not ask again whether one changed.
    folders = [*settings.STATICFILES_DIRS, settings.BASE_DIR / "tests/fixtures/two_up_hazard/static"]
    with override_settings(WHITENOISE_AUTOREFRESH=False, WHITENOISE_MAX_AGE=86_400, STATICFILES_DIRS=folders):
        from config.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                without_old_pages(application),
                ws="websockets-sansio",
                lifespan="off",
                log_level="warning",
                timeout_graceful_shutdown=1,
            )
        )
        loops: list[asyncio.AbstractEventLoop] = []

        async def serve() -> None:
            loops.append(asyncio.get_running_loop())
            await server.serve(sockets=[listening])

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("The test server did not start.")
            time.sleep(0.01)
        try:
            yield LiveServer(server, port, loops[0])
        finally:
            server.should_exit = True
            thread.join(5)
