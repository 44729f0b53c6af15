"""One uvicorn in a thread for the whole session: it shares the test database and the in-memory channel layer.

A server for each test was flaky, because channel layers cache their connections for each event loop.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

from django.test import override_settings


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The address of a running server."""
    import uvicorn

    # The files are listed once: looking for each of them at each request doubles the work of a page.
    with override_settings(WHITENOISE_AUTOREFRESH=False):
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
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("The test server did not start.")
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(5)
