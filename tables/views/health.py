"""Health checks: whether this process responds, and whether its database and channel layer do.

The proxy polls `/healthz`, and sends nothing to a worker that does not answer it. docker-compose.yml and a monitor poll
`/readyz`: a worker without Redis still takes acts, so the proxy must not leave it out.
"""

import asyncio

from channels.db import database_sync_to_async
from django.db import connection
from django.http import HttpRequest, JsonResponse

from tables.screens.delivery import delivery

DATABASE_SECONDS = 1.5  # the channel layer has delivery.SEND_SECONDS


def healthz(request: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"ok": True})


async def readyz(request: HttpRequest) -> JsonResponse:
    """The database and the channel layer respond, each within two seconds."""
    database, layer = await asyncio.gather(_database(), delivery().try_layer())
    checks = {"database": database, "layer": layer}
    return JsonResponse(checks, status=200 if all(checks.values()) else 503)


_running: set["asyncio.Task[bool]"] = set()


async def _database() -> bool:
    """Whether the database answers in time.

    The check has a thread of its own, because nothing can interrupt it. While it waits for the database, later requests
    wait for the same one, so that there is never more than one such thread.
    """
    loop = asyncio.get_running_loop()
    task = next((task for task in _running if task.get_loop() is loop), None)
    if task is None:
        task = asyncio.create_task(database_sync_to_async(_select, thread_sensitive=False)())
        _running.add(task)
        task.add_done_callback(_running.discard)
    finished, _waiting = await asyncio.wait([task], timeout=DATABASE_SECONDS)
    return bool(finished) and task.result()


def _select() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except Exception:
        return False
