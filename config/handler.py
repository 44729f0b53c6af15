"""How requests and sockets enter: each HTTP request in one thread, bodies within limits, sockets from our own pages.

Django's own handler goes back and forth between the event loop and a thread: for signals, for middleware that is not
asynchronous, for the view and for closing, which together takes longer than most acts. And it cancels a view whose
client has gone, which would keep the screens of other people from being published. Here a request enters a thread
once, and what it began it ends. Middleware and views are synchronous; the few asynchronous views still run on the
server's event loop.

A body that is too large or too slow is refused: by the declared length, as soon as too much has arrived, or in time.
Otherwise a client that sends half a body, or a byte now and then, could hold a connection as long as it likes. Every
body is decoded as UTF-8. Otherwise Django would use any codec of Python that a request names.

The origin of a socket is compared whole, with its scheme and port. Channels' own validator compares the host, so a page
of another port or of plain HTTP on the same host would pass.
"""

import asyncio
import contextlib
import contextvars
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar, cast

from asgiref.sync import sync_to_async
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections
from django.http import FileResponse, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix
from prometheus_client import Gauge

from audit import metrics
from tables.api import scim
from tables.api.app import BASE, Problem, problem_response, too_large
from tables.screens.push import SERVER_LOOP

# More than the pool has connections: a request that waits for its turn to hash a PIN holds a thread, not a connection.
MOST_REQUESTS_AT_ONCE = 64
_threads = ThreadPoolExecutor(MOST_REQUESTS_AT_ONCE, thread_name_prefix="request")
Gauge(
    "pitside_requests_waiting", "Requests that wait for a thread of this worker", registry=metrics.REGISTRY
).set_function(_threads._work_queue.qsize)

Application = Callable[..., Awaitable[Any]]
Result = TypeVar("Result")
CHARSET = re.compile(rb""";\s*charset[^=;]*=\s*("[^"]*"|[^;]*)""", re.IGNORECASE)


class Unread(NamedTuple):
    """Why a body was not read: a status with the words for a screen, and for another system."""

    status: int
    code: str
    title: str
    message: str

    def body(self) -> dict[str, Any]:
        """The answer to a screen, as one to an act that was refused."""
        refusal = {"code": self.code, "title": self.title, "message": self.message, "section": ""}
        return {"refusal": refusal, "screen": None}

    def problem(self) -> Problem:
        """The refusal of a request of the API."""
        return too_large() if self.status == 413 else Problem(408, self.code, self.message, title=self.title)


TOO_SLOW = Unread(
    408,
    "body-too-slow",
    "Too slow",
    "Not all of this arrived in time, so nothing was begun. Check the network, then send it again.",
)
TOO_LARGE = Unread(
    413, "body-too-large", "Too large", "This is larger than the server takes. Files are at most 8 MB."
)

# Requests


class OneThreadHandler(ASGIHandler):
    """Django's handler of HTTP, with one trip to a thread for each request."""

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware as synchronous, whatever the server is."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request. An act whose client disconnects is finished and published."""
        metrics.ARRIVED.set(time.monotonic())
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


async def in_request_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """Run what came on a socket in a thread, as a request is: what it begins it ends, also if the socket has closed."""
    loop = asyncio.get_running_loop()

    def run(arrived: float) -> Result:
        SERVER_LOOP.set(loop)
        metrics.ARRIVED.set(arrived)
        try:
            return function(*arguments)
        finally:
            close_old_connections()  # gives the connection of this thread back

    # Not in the socket's context, in which this would stay set
    return await loop.run_in_executor(_threads, contextvars.Context().run, run, time.monotonic())


async def _read_in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read the pieces of a stream, such as a file, in threads, one at a time. Django would read all of them first."""

    def read() -> bytes | None:
        return next(pieces, None)

    read_piece = sync_to_async(read, thread_sensitive=False, executor=_threads)
    while (piece := await read_piece()) is not None:
        yield piece


# Bodies


def with_limit(application: Application, most: int, seconds: float = 20) -> Application:
    """Wrap the application so that it gets no HTTP body of more than `most` bytes, or that takes longer than `seconds`.

    The answers are 413 and 408, and the connection is closed. The application sees a client that disconnected, so it
    begins nothing. After a complete body it may take as long as it needs.
    """

    async def limited(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        if _declared_length(scope) > most:
            await _refuse(send, scope, TOO_LARGE)
            return
        received, is_complete, is_late = 0, False, False
        deadline = asyncio.get_running_loop().time() + seconds

        async def counted() -> dict[str, Any]:
            nonlocal received, is_complete, is_late
            try:
                async with asyncio.timeout_at(None if is_complete else deadline):
                    message: dict[str, Any] = await receive()
            except TimeoutError:
                is_late = True
                return {"type": "http.disconnect"}
            received += len(message.get("body", b""))
            is_complete = not message.get("more_body", False)
            # Too much: end the request for the application as if the client had disconnected.
            return {"type": "http.disconnect"} if received > most else message

        await application({**scope, "headers": _in_utf_8(scope["headers"])}, counted, send)
        if received > most:
            await _refuse(send, scope, TOO_LARGE)
        elif is_late:
            await _refuse(send, scope, TOO_SLOW)

    return limited


def _in_utf_8(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers without the declared charset, so that Django uses UTF-8."""
    return [(name, CHARSET.sub(b"", value) if name == b"content-type" else value) for name, value in headers]


def _declared_length(scope: dict[str, Any]) -> int:
    """The declared length of the body; 0 if there is none."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _refuse(send: Any, scope: Mapping[str, Any], unread: Unread) -> None:
    answer = _refusal(scope["path"], unread)
    answer["Content-Length"] = len(answer.content)
    answer["Cache-Control"], answer["Connection"] = "no-store", "close"
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.items()]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": answer.content})


def _refusal(path: str, unread: Unread) -> HttpResponse:
    """The answer in the form of the address: SCIM's, a problem of the API, or what the scripts of a page read."""
    if path.startswith(scim.BASE):
        return scim.error_response(unread.problem())
    if path.startswith(BASE):
        return problem_response(unread.problem())
    return JsonResponse(unread.body(), status=unread.status)


# Sockets


def with_same_origin(application: Application) -> Application:
    """An application that denies a socket whose Origin is not the address that it connects to."""
    deny = WebsocketDenier.as_asgi()

    async def checked(scope: Any, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        is_own = headers.get(b"origin", "").lower() == own_origin(scope, headers)
        await (application if is_own else deny)(scope, receive, send)

    return checked


def own_origin(scope: Mapping[str, Any], headers: Mapping[bytes, str]) -> str:
    """The origin of the pages that this server serves under the name by which it was called.

    Behind the proxy that ends TLS, the scheme is the one that `SECURE_PROXY_SSL_HEADER` says.
    """
    is_secure = scope.get("scheme") in ("wss", "https")
    if settings.SECURE_PROXY_SSL_HEADER:
        name, secure = settings.SECURE_PROXY_SSL_HEADER
        forwarded = headers.get(name.removeprefix("HTTP_").replace("_", "-").lower().encode(), "")
        is_secure = is_secure or forwarded.split(",")[0].strip() == secure
    return f"{'https' if is_secure else 'http'}://{headers.get(b'host', '')}".lower()
