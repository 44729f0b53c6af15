"""Refuse bodies that are too large: by the declared length, or as soon as too much has arrived.

Every body is decoded as UTF-8. Otherwise Django would use any codec of Python that a request names.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

Application = Callable[..., Awaitable[None]]
CHARSET = re.compile(rb""";\s*charset[^=;]*=\s*("[^"]*"|[^;]*)""", re.IGNORECASE)
TOO_LARGE = {
    "refusal": {
        "code": "body-too-large",
        "title": "Too large",
        "message": "This is larger than the server takes. Files are at most 8 MB.",
        "section": "",
    },
    "screen": None,
}


def with_limit(application: Application, most: int) -> Application:
    """Wrap the application so that it gets no HTTP body of more than `most` bytes. The answer to one is 413."""

    async def limited(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        if _declared_length(scope) > most:
            await _refuse(send)
            return
        received = 0

        async def counted() -> dict[str, Any]:
            nonlocal received
            message: dict[str, Any] = await receive()
            received += len(message.get("body", b""))
            # Too much: end the request for the application as if the client had disconnected.
            return {"type": "http.disconnect"} if received > most else message

        await application({**scope, "headers": _in_utf_8(scope["headers"])}, counted, send)
        if received > most:
            await _refuse(send)

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


async def _refuse(send: Any) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(TOO_LARGE).encode()})
