"""Pitside's application, which says where the processor time of its process went (`script/bench --only profile`).

The time of a part is that of its thread without the parts inside it. `GET /profile` answers with the totals since the
last one, as JSON. The event loop has what no part has.
"""

import functools
import json
import threading
import time
from collections import defaultdict
from typing import Any

from django.db.backends.utils import CursorWrapper

from config.asgi import application as pitside

import audit.middleware  # isort: skip  # Django is set up by the application
import audit.runner  # isort: skip
from config.handler import OneThreadHandler  # isort: skip
from tables.screens import fragments  # isort: skip

STATEMENTS, OTHER = "statements", "event_loop"
PARTS = (
    ("request", OneThreadHandler, "_respond"),
    ("identity", audit.middleware, "identify"),
    ("act", audit.runner.ActRunner, "_perform"),
    ("record", audit.runner, "_record"),
    ("snapshot", fragments, "read_state"),
    ("snapshot", fragments, "state_after"),
    ("render", fragments, "render"),
    ("changes", fragments, "changed_lines"),
    (STATEMENTS, CursorWrapper, "execute"),
)


class Profile:
    """Processor and elapsed seconds of each part, and how often it ran."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.local = threading.local()
        self.begin()

    def begin(self) -> None:
        self.totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        self.began = time.process_time()

    def end(self) -> dict[str, list[float]]:
        """The totals, and begin again."""
        with self.lock:
            totals = {part: list(total) for part, total in self.totals.items()}
            used = time.process_time() - self.began
            totals[OTHER] = [used - sum(total[0] for total in totals.values()), 0.0, 0]
            self.begin()
        return totals

    def measured(self, part: str, function: Any) -> Any:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            inside = self.local.__dict__.setdefault("inside", [0.0, 0.0])
            self.local.inside = [0.0, 0.0]
            processor, elapsed = time.thread_time(), time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                used = (time.thread_time() - processor, time.perf_counter() - elapsed)
                own = [spent - nested for spent, nested in zip(used, self.local.inside, strict=True)]
                self.local.inside = [before + spent for before, spent in zip(inside, used, strict=True)]
                with self.lock:
                    total = self.totals[part]
                    self.totals[part] = [total[0] + own[0], total[1] + own[1], total[2] + 1]

        return run


profile = Profile()
for name, owner, attribute in PARTS:
    setattr(owner, attribute, profile.measured(name, getattr(owner, attribute)))


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer `/profile`, and leave all else to Pitside."""
    if scope["type"] != "http" or scope["path"] != "/profile":
        await pitside(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(profile.end()).encode()})
