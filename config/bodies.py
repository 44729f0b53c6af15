"""Refuse bodies that are too large or too slow: by the declared length, as soon as too much has arrived, or in time.

Otherwise a client that sends half a body, or a byte now and then, could hold a connection as long as it likes.

Every body is decoded as UTF-8. Otherwise Django would use any codec of Python that a request names.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

Application = Callable[..., Awaitable[None]]
CHARSET = re.compile(rb""";\s*charset[^=;]*=\s*("[^"]*"|[^;]*)""", re.IGNORECASE)
TOO_SLOW = {
    "refusal": {
        "code": "body-too-slow",
        "title": "Too slow",
        "message": "Not all of this arrived in time, so nothing was begun. Check the network, then send it again.",
        "section": "",
    },
    "screen": None,
}
TOO_LARGE = {
    "refusal": {
        "code": "body-too-large",
        "title": "Too large",
        "message": "This is larger than the server takes. Files are at most 8 MB.",
        "section": "",
    },
    "screen": None,
}


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
            await _refuse(send, 413, TOO_LARGE)
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
            await _refuse(send, 413, TOO_LARGE)
        elif is_late:
            await _refuse(send, 408, TOO_SLOW)

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


async def _refuse(send: Any, status: int, body: dict[str, Any]) -> None:
    content = json.dumps(body).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
