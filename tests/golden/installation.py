"""What is the same in every play: a fresh database, time and randomness; and how the product is reached."""

import contextlib
import datetime as dt
import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
BEGIN = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)  # 10:00 on the clocks of both facilities
SECONDS_PER_ACT = 3
Json = dict[str, Any]


@contextlib.contextmanager
def installation(folder: Path) -> Iterator[None]:
    """A fresh database in `folder`, with Django set up on it. Once in a process."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="config.settings.test",
        TEST_DATABASE_URL=f"sqlite:///{folder / 'fingerprint.sqlite3'}",
        TEST_REDIS_URL="",
        PITSIDE_BUILD="fingerprint",
        PITSIDE_EXPORTS_DIR=str(folder / "exports"),
        LANGUAGE="en",
        TZ="UTC",
    )
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test.utils import setup_test_environment, teardown_test_environment

    django.setup()
    setup_test_environment()
    settings.DEMO = True
    settings.SEALER_DIR = str(folder / "sealer")
    settings.MIGRATION_MODULES = dict.fromkeys(("audit", "games", "tables"))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    call_command("migrate", verbosity=0, run_syncdb=True)
    try:
        yield
    finally:
        connection.close()
        teardown_test_environment()


def manage(*words: str, stdin: bytes = b"") -> tuple[str, int]:
    """What a command of `manage.py` writes to standard output, and its exit status."""
    from django.core.management import CommandError, call_command

    out, raw = io.StringIO(), io.BytesIO()
    streams = (io.TextIOWrapper(io.BytesIO(stdin)), io.TextIOWrapper(raw, write_through=True))
    status = 0
    with patch.object(sys, "stdin", streams[0]), patch.object(sys, "stdout", streams[1]):
        try:
            call_command(*words, stdout=out, stderr=io.StringIO(), no_color=True)
        except CommandError as error:
            out.write(f"CommandError: {error}\n")
            status = 1
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        streams[1].flush()
    return out.getvalue() + raw.getvalue().decode(), status


# Time and randomness


class Randomness:
    """Stands in for the system's random bytes: the same label gives the same bytes again.

    Keys of new rows come from a counter for each model, so that one row more of another model moves none of them.
    """

    def __init__(self) -> None:
        self.restart("start")
        self.rows: dict[str, int] = {}

    def restart(self, label: str) -> None:
        """Restart under a label, so that one draw more or less changes no later act."""
        self.label, self.draws = label, 0

    def __call__(self, size: int) -> bytes:
        """As `os.urandom`."""
        frame = sys._getframe(1)
        field_of_row = None
        if frame.f_code.co_name == "uuid4" and frame.f_back is not None:
            field_of_row = getattr(frame.f_back.f_locals.get("self"), "model", None)
        if field_of_row is not None:
            label = str(field_of_row._meta.label)
            self.rows[label] = number = self.rows.get(label, 0) + 1
        else:
            label, number = self.label, self.draws
            self.draws += 1
        return self._bytes(f"{label}/{number}", size)

    def _bytes(self, label: str, size: int) -> bytes:
        parts = [hashlib.sha256(f"{label}/{part}".encode()).digest() for part in range(size // 32 + 1)]
        return b"".join(parts)[:size]


class Clock:
    """The moment of every act. Only a play advances it."""

    def __init__(self, now: dt.datetime = BEGIN) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        return self.now

    def monotonic(self) -> float:
        """Seconds that go by with the clock."""
        return (self.now - BEGIN).total_seconds()

    def pass_(self, seconds: float = SECONDS_PER_ACT) -> None:
        self.now += dt.timedelta(seconds=seconds)
