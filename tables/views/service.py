"""What proxies, monitors and browsers ask of the service itself: whether it works, and Pitside as an installed app.

The proxy polls `/healthz`, and sends nothing to a worker that does not answer it. docker-compose.yml and a monitor poll
`/readyz`: a worker without Redis still takes acts, so the proxy must not leave it out.

The service worker keeps files of `/static/` and the page without a line, and nothing else: no act, no page of a table,
no snapshot. So what a tablet shows of a table always comes from the server (docs/tablets.md).
"""

import asyncio
import hashlib
import json
from functools import cache
from pathlib import Path

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_GET

from games.access import open_to_all
from tables.runner import copies
from tables.screens.push import delivery

DATABASE_SECONDS = 1.5  # the channel layer has delivery.SEND_SECONDS


@open_to_all("the proxy asks whether the process responds")
def healthz(request: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"ok": True})


@open_to_all("the proxy asks whether the services respond")
async def readyz(request: HttpRequest) -> JsonResponse:
    """The database and the channel layer respond, each within two seconds. Also how this worker ran its acts so far."""
    database, layer = await asyncio.gather(_database(), delivery().try_layer())
    checks = {"database": database, "layer": layer}
    return JsonResponse({**checks, "acts": copies.acts_run}, status=200 if all(checks.values()) else 503)


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


# The installed app: its manifest, its service worker, and the page without a line


PART_OF_THE_APP = open_to_all("a browser asks before anybody signs in")
GROUND = "#071611"  # --felt-0 of tokens.css
WORKER = "js/service-worker.js"
SHELL = (
    "css/type.css",
    "css/tokens.css",
    "css/no-line.css",
    "fonts/inter.woff2",
    "img/icon.svg",
    "js/no-line.js",
    "js/offline.js",
    "js/waiting-acts.js",
    "js/facility-time.js",
)


@require_GET
@PART_OF_THE_APP
def manifest(request: HttpRequest) -> JsonResponse:
    """What a browser asks before it installs the app: name, icons, and that it fills the screen."""
    icons = [
        {"src": static(f"img/icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    masked = [
        {**icon, "src": static(f"img/icon-maskable-{size}.png"), "purpose": "maskable"}
        for icon, size in zip(icons, (192, 512), strict=True)
    ]
    answer = {
        "id": "/",
        "name": "Pitside",
        "short_name": "Pitside",
        "description": "The dealer’s console of a dice table.",
        "start_url": reverse("home"),
        "scope": "/",
        "display": "standalone",
        "display_override": ["fullscreen", "standalone"],
        "orientation": "any",
        "background_color": GROUND,
        "theme_color": GROUND,
        "icons": [*icons, *masked],
    }
    return JsonResponse(answer, content_type="application/manifest+json")


@require_GET
@PART_OF_THE_APP
def service_worker(request: HttpRequest) -> HttpResponse:
    """The worker, from the root, because a script under `/static/` could serve no page outside it."""
    app = {
        "version": version(),
        "shell": [static(path) for path in SHELL],
        "page": reverse("no-line"),
        "files": settings.STATIC_URL if settings.STATIC_URL.startswith("/") else f"/{settings.STATIC_URL}",
    }
    script = f"const APP = {json.dumps(app)};\n{_read(WORKER).decode()}"
    return HttpResponse(script, content_type="text/javascript", headers={"Cache-Control": "no-cache"})


@require_GET
@PART_OF_THE_APP
def no_line(request: HttpRequest) -> HttpResponse:
    """The page that a tablet shows when it is loaded without a line. The same for everybody, and without a secret."""
    return render(request, "tables/app/no_line.html")


@cache
def version() -> str:
    """The build, and the shell's bytes: another one of either is another worker."""
    digest = hashlib.sha256(settings.BUILD.encode())
    for path in (WORKER, *SHELL):
        digest.update(_read(path))
    return f"{settings.BUILD}-{digest.hexdigest()[:12]}"


def _read(path: str) -> bytes:
    file = finders.find(path)
    assert file, f"{path} is a file of this app"
    return Path(file).read_bytes()
