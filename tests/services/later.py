"""The suite at another hour or day: `pytest --hours-later 8` shows which tests only pass today."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from django.db import connection

from audit import clock


@contextmanager
def hours_later(hours: float) -> Iterator[None]:
    """Within it the clock of the product, and Django's, are so many hours ahead; where a test sets it, it stands so."""
    ahead = dt.timedelta(hours=hours)

    def told() -> dt.datetime:
        return dt.datetime.now(dt.UTC) + ahead

    with clock.override(told), patch("django.utils.timezone.now", told):
        yield


LATEST, JUMP = clock.latest, clock.clock.jump
AUDIT_NOW = "CREATE OR REPLACE FUNCTION audit_now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT %s $$"


@contextmanager
def entries_of_any_time() -> Iterator[None]:
    """Within it no entry is ahead of the clock for SQLite and for a verification, and none of a time that it jumped to.

    Tests choose the times of entries, also where they do not set the clock.
    """
    with (
        patch("audit.clock.latest", lambda: dt.datetime(9998, 1, 1, tzinfo=dt.UTC)),
        patch.object(clock.clock, "jump", lambda moment: None),
    ):
        yield


def set_clock_of_entries(sql: str = "timestamptz 'infinity'") -> None:
    """By which clock PostgreSQL bounds the time of entries: none, unless one is given."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(AUDIT_NOW % sql)
