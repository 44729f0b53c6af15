"""Handle each HTTP request in one thread, from its first middleware to its answer.

Django's own handler goes back and forth between the event loop and a thread: for signals, for middleware that is not
asynchronous, for the view and for closing, which together takes longer than most acts. And it cancels a view whose
client has gone, which would keep the screens of other people from being published. Here a request enters a thread
once, and what it began it ends. Middleware and views are synchronous; the few asynchronous views still run on the
server's event loop.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections
from django.http import FileResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from tables.screens.delivery import SERVER_LOOP

# More than the pool has connections: a request that waits for its turn to hash a PIN holds a thread, not a connection.
MOST_REQUESTS_AT_ONCE = 64
_threads = ThreadPoolExecutor(MOST_REQUESTS_AT_ONCE, thread_name_prefix="request")


class OneThreadHandler(ASGIHandler):
    """Django's handler of HTTP, with one trip to a thread for each request."""

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware as synchronous, whatever the server is."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request. An act whose client disconnects is finished and published."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        SERVER_LOOP.set(asyncio.get_running_loop())
        respond = sync_to_async(self._respond, thread_sensitive=False, executor=_threads)
        response = await respond(scope, body)
        if not response.streaming:
            await self.send_response(response, send)
            return
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _read_in_threads(cast(Iterator[bytes], response.streaming_content))
        try:
            await self._send_while_connected(response, receive, send)
        finally:
            await sync_to_async(response.close, thread_sensitive=False, executor=_threads)()

    def _respond(self, scope: dict[str, Any], body: Any) -> HttpResponseBase:
        """Run the request through middleware and view, and close what it used, unless its answer is a stream."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        with contextlib.closing(body):
            request, response = self.create_request(scope, body)
            if request is not None:
                response = self.get_response(request)
        assert response is not None
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if response.streaming:  # it is closed in another thread, after its last piece
            close_old_connections()
        else:
            response.close()  # sends `request_finished`, which gives the connection of this thread back
        return response

    async def _send_while_connected(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """Send a stream until it or the connection ends."""
        sending = asyncio.create_task(self.send_response(response, send))
        listening = asyncio.create_task(self.listen_for_disconnect(receive))
        await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, listening):
            task.cancel()
        for task in (listening, sending):
            with contextlib.suppress(asyncio.CancelledError, RequestAborted):
                await task


async def _read_in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read the pieces of a stream, such as a file, in threads, one at a time. Django would read all of them first."""

    def read() -> bytes | None:
        return next(pieces, None)

    read_piece = sync_to_async(read, thread_sensitive=False, executor=_threads)
    while (piece := await read_piece()) is not None:
        yield piece
