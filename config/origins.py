"""Sockets are opened by our own pages alone: the origin is compared whole, with its scheme and port.

Channels' own validator compares the host, so a page of another port or of plain HTTP on the same host would pass.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings

Application = Callable[..., Awaitable[Any]]


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
