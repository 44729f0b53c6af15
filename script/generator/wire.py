"""HTTP and WebSocket clients that do no more than a measurement needs, so that the generator itself costs little.

They assume what uvicorn sends: answers with a Content-Length, and one unmasked frame for each message.
"""

import asyncio
import base64
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

HOST = "127.0.0.1"
PEEK = 256  # bytes of a message that its receiver reads; a heartbeat is read in full
HEARTBEAT = b'{"versions"'
LENGTH = re.compile(rb"content-length:\s*(\d+)")
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
NO_MASK = bytes(4)  # a client has to mask what it sends; this mask changes nothing


class NoAnswer(Exception):
    """A request got no answer that can be read."""


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    status: int
    body: bytes


class HttpConnection(asyncio.Protocol):
    """One connection that is kept open, with one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.received = bytearray()
        self.answer: asyncio.Future[Answer] | None = None
        self.body_start = self.end = 0
        self.is_used = False

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.end:
            head_end = self.received.find(b"\r\n\r\n")
            if head_end < 0:
                return
            length = LENGTH.search(bytes(self.received[:head_end]).lower())
            if length is None:
                self.fail("an answer without a length")
                return
            self.body_start = head_end + 4
            self.end = self.body_start + int(length[1])
        if len(self.received) >= self.end and self.answer and not self.answer.done():
            status = int(self.received[9:12])
            self.answer.set_result(Answer(status, bytes(self.received[self.body_start : self.end])))

    def connection_lost(self, exc: Exception | None) -> None:
        self.fail("the connection ended")

    def fail(self, reason: str) -> None:
        if self.answer and not self.answer.done():
            self.answer.set_exception(NoAnswer(reason))

    async def send(self, request: bytes) -> Answer:
        """Send a request and wait for its answer. Raises NoAnswer."""
        assert self.transport is not None
        self.received.clear()
        self.body_start = self.end = 0
        self.is_used = True
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer


class HttpPool:
    """The connections to one worker. As a proxy does, it uses the newest idle one first, so that few are open."""

    def __init__(self, port: int, seconds: float) -> None:
        self.port, self.seconds = port, seconds
        self.idle: list[HttpConnection] = []

    async def send(self, request: bytes) -> Answer:
        """Send a request on an idle connection, or a new one. Raises NoAnswer.

        A connection that the worker closed as idle is replaced once; the act's id makes this safe.
        """
        while True:
            connection = await self._connection()
            is_reused = connection.is_used
            try:
                async with asyncio.timeout(self.seconds):
                    answer = await connection.send(request)
            except NoAnswer:
                if is_reused and not connection.received:
                    continue
                raise
            except TimeoutError:
                if connection.transport:
                    connection.transport.abort()
                raise NoAnswer("no answer in time") from None
            if connection.is_open:
                self.idle.append(connection)
            return answer

    async def _connection(self) -> HttpConnection:
        while self.idle:
            if (connection := self.idle.pop()).is_open:
                return connection
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                HttpConnection, HOST, self.port
            )
        except OSError as error:
            raise NoAnswer(str(error)) from error
        return connection

    def close(self) -> None:
        for connection in self.idle:
            if connection.transport:
                connection.transport.abort()


Receiver = Callable[
    [bytes, int, float], None
]  # the message's first bytes, its length, and when it was complete


class SocketConnection(asyncio.Protocol):
    """One WebSocket. Calls its receiver for each message; answers pings."""

    def __init__(self, request: bytes, receive: Receiver) -> None:
        self.request, self.receive = request, receive
        self.transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_upgraded = False
        self.buffer = b""
        self.missing = 0  # bytes of the current message that have not arrived
        self.opening = b""
        self.length = 0
        self.close_code = 0
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.request)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if not self.opened.done():
            self.opened.set_exception(NoAnswer("the socket was not opened"))

    def data_received(self, data: bytes) -> None:
        if self.missing:
            if len(data) < self.missing:
                self.missing -= len(data)
                return
            data = data[self.missing :]
            self.missing = 0
            self.receive(self.opening, self.length, time.monotonic())
        if self.buffer:
            data = self.buffer + data
            self.buffer = b""
        if not self.is_upgraded:
            head, separator, data = data.partition(b"\r\n\r\n")
            if not separator:
                self.buffer = head
                return
            if b" 101 " not in head[:20]:
                self.opened.set_exception(NoAnswer(head[:60].decode(errors="replace")))
                return
            self.is_upgraded = True
            self.opened.set_result(None)
        self.buffer = self._read_frames(data)

    def _read_frames(self, data: bytes) -> bytes:
        """Read the complete frames. Returns the bytes of an incomplete one, of which too little has arrived."""
        position, size = 0, len(data)
        while size - position >= 2:
            start, length = position + 2, data[position + 1] & 127
            if length == 126:
                start, length = start + 2, int.from_bytes(data[start : start + 2], "big")
            elif length == 127:
                start, length = start + 8, int.from_bytes(data[start : start + 8], "big")
            if start > size:
                break
            end, kind = start + length, data[position] & 15
            if end > size:
                if kind == TEXT and size - start >= PEEK and not data.startswith(HEARTBEAT, start):
                    self.opening, self.length = data[start : start + PEEK], length
                    self.missing = end - size
                    return b""
                break
            if kind == TEXT:
                peek = length if data.startswith(HEARTBEAT, start) else PEEK
                self.receive(data[start : min(end, start + peek)], length, time.monotonic())
            elif kind == PING:
                self.send(PONG, data[start:end])
            elif kind == CLOSE:
                self.close_code = int.from_bytes(data[start : start + 2], "big")
            position = end
        return data[position:]

    def send(self, kind: int, content: bytes) -> None:
        assert self.transport is not None
        self.transport.write(frame(kind, content))

    def abort(self) -> None:
        if self.transport:
            self.transport.abort()


def frame(kind: int, content: bytes) -> bytes:
    """One frame of a client."""
    length = len(content)
    if length < 126:
        head = bytes([128 | kind, 128 | length])
    elif length < 1 << 16:
        head = bytes([128 | kind, 128 | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([128 | kind, 128 | 127]) + length.to_bytes(8, "big")
    return head + NO_MASK + content


async def open_socket(port: int, path: str, cookie: str, receive: Receiver) -> SocketConnection:
    """Open a WebSocket as a page does. Raises NoAnswer."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HOST}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        f"Origin: https://{HOST}:{port}",
        "X-Forwarded-Proto: https",
        *([f"Cookie: {cookie}"] if cookie else []),
    ]
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    try:
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: SocketConnection(request, receive), HOST, port
        )
    except OSError as error:
        raise NoAnswer(str(error)) from error
    await connection.opened
    return connection


def request_bytes(method: str, port: int, path: str, headers: str, body: bytes = b"") -> bytes:
    """One request. `headers` are complete lines, each with its line end."""
    content = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n{headers}{content}\r\n"
    return head.encode() + body
