"""One moment for each act, taken from the database where it has a clock, and never running backwards on a stream."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection

from audit.errors import ClockRefused
from audit.models import Stream

LARGEST_STEP_BACK = dt.timedelta(seconds=2)
GAMING_DAY_STARTS = dt.timedelta(hours=6)

_fixed: ContextVar[Callable[[], dt.datetime] | None] = ContextVar("fixed_clock", default=None)
_gaming_day: Callable[[str, dt.datetime], dt.date] | None = None


def now() -> dt.datetime:
    """The moment of an act, in UTC, with microseconds: the clock of PostgreSQL, or of this machine under SQLite."""
    fixed = _fixed.get()
    if fixed is not None:
        return fixed()
    if connection.vendor != "postgresql":
        return dt.datetime.now(dt.UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0].astimezone(dt.UTC)


@contextmanager
def at(moment: dt.datetime | Callable[[], dt.datetime]) -> Iterator[None]:
    """For tests: within the block every act happens at this moment, or at what this function says."""
    token = _fixed.set(moment if callable(moment) else lambda: moment)
    try:
        yield
    finally:
        _fixed.reset(token)


def hold(stream: Stream, moment: dt.datetime) -> dt.datetime:
    """The moment at which an act on this stream counts. The caller holds the stream's lock, or its table's.

    A step back of up to two seconds keeps the stream's last time; a larger one raises ClockRefused.
    """
    if stream.last_at is None or moment >= stream.last_at:
        return moment
    if stream.last_at - moment > LARGEST_STEP_BACK:
        raise ClockRefused(stream=stream.name, last_at=stream.last_at.isoformat(), moment=moment.isoformat())
    return stream.last_at


def written(moment: dt.datetime) -> str:
    """A moment as the record spells it: `2026-11-21T13:05:09.123456Z`."""
    if moment.tzinfo is None:
        raise ValueError("A moment of the record has a time zone.")
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """The gaming day of a facility at a moment: it begins at 06:00, in UTC until `gaming_days_are` says better."""
    if _gaming_day is not None:
        return _gaming_day(facility, moment)
    return (moment.astimezone(dt.UTC) - GAMING_DAY_STARTS).date()


def gaming_days_are(function: Callable[[str, dt.datetime], dt.date] | None) -> None:
    """Let the room that knows the facilities' time zones answer `gaming_day`; `games` calls this once it is ready."""
    global _gaming_day
    _gaming_day = function
