"""The suite at another hour or day: `pytest --hours-later 8` shows which tests only pass today."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from audit import clock


@contextmanager
def hours_later(hours: float) -> Iterator[None]:
    """Within it the clock of the product, and Django's, are so many hours ahead; where a test sets it, it stands so."""
    ahead = dt.timedelta(hours=hours)

    def told() -> dt.datetime:
        return dt.datetime.now(dt.UTC) + ahead

    with clock.override(told), patch("django.utils.timezone.now", told):
        yield
