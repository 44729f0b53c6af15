"""The installation that is played: a fresh database, and the commands of `manage.py`."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def installation(folder: Path, *, migrated: bool) -> Iterator[None]:
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
    if not migrated:
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
