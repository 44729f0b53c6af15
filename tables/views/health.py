"""Health checks: whether this process responds, and whether its database and channel layer do."""

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, JsonResponse

from tables.screens import push


def healthz(request: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"ok": True})


async def readyz(request: HttpRequest) -> JsonResponse:
    """The database and the channel layer respond."""
    checks = {"database": await sync_to_async(_database)(), "layer": await _layer()}
    return JsonResponse(checks, status=200 if all(checks.values()) else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except Exception:
        return False


async def _layer() -> bool:
    try:
        await push.layer().group_send("health", {"type": "health"})
        return True
    except Exception:
        return False
