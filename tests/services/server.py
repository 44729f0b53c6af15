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


class LiveServer:
    """A running server."""

    def __init__(self, server: Any, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.address, self.loop = server, f"http://127.0.0.1:{port}", loop

    def push(self, table_id: int) -> None:
        """Show a table's state on its screens, as the server does after an act of its own."""
        asyncio.run_coroutine_threadsafe(push.publish(table_id), self.loop).result(20)

    def wait_until_quiet(self) -> None:
        """Wait for the requests and sockets of closed pages to end, five seconds at most.

        The next test may have a table of the same key, and so the same groups of the channel layer: a socket that
        still leaves one would take the next test's socket out of it.
        """
        deadline = time.monotonic() + 5
        state = self.server.server_state
        while (state.connections or state.tasks) and time.monotonic() < deadline:
            time.sleep(0.01)


@contextlib.contextmanager
def serving() -> Iterator[LiveServer]:
    """A server until the block ends."""
    import uvicorn

    # The files are listed once: looking for each of them at each request doubles the work of a page. Those of the
    # fictitious game are among them, which a test registers later.
    folders = [*settings.STATICFILES_DIRS, settings.BASE_DIR / "tests/fixtures/two_up_hazard/static"]
    with override_settings(WHITENOISE_AUTOREFRESH=False, STATICFILES_DIRS=folders):
        from config.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                application,
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
