"""The web worker under faults: the product's application, whose sockets can be made to live faster.

The heartbeats of five minutes would take five minutes at each fault. The number in the file PITSIDE_FAULTS_PACE is how
many times faster time passes in `tables.views.sockets`; nothing else of the worker notices.
"""

import asyncio
import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from config.asgi import application
from tables.views import sockets

__all__ = ["application"]

STEP_SECONDS = 0.05


class Pace:
    """A clock for sockets that runs at the pace of a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.seconds, self.factor = path, 0.0, 1.0

    def run(self) -> None:
        """Move the clock on, forever."""
        before = time.monotonic()
        while True:
            time.sleep(STEP_SECONDS)
            now = time.monotonic()
            self.seconds += (now - before) * self.factor
            before = now
            with contextlib.suppress(OSError):  # a fault lets this process open no file
                self.factor = float(self.path.read_text() or 1) if self.path.exists() else 1.0

    def monotonic(self) -> float:
        """What `time.monotonic` is to the sockets."""
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        """What `asyncio.sleep` is to the sockets."""
        until = self.seconds + seconds
        while self.seconds < until:  # noqa: ASYNC110
            await asyncio.sleep(STEP_SECONDS)


class Substitute:
    """A module of which some functions are others."""

    def __init__(self, module: Any, **functions: Any) -> None:
        self.module, self.functions = module, functions

    def __getattr__(self, name: str) -> Any:
        return self.functions.get(name) or getattr(self.module, name)


pace = Pace(Path(os.environ["PITSIDE_FAULTS_PACE"]))
threading.Thread(target=pace.run, name="pace", daemon=True).start()
setattr(sockets, "asyncio", Substitute(asyncio, sleep=pace.sleep))  # noqa: B010
setattr(sockets, "time", Substitute(time, monotonic=pace.monotonic))  # noqa: B010
