"""One moment for each act, taken from the database where it has a clock, and never running backwards on a stream."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

from audit.errors import ClockRefused
from audit.models import Stream

LARGEST_STEP_BACK = dt.timedelta(seconds=2)
GAMING_DAY_STARTS = dt.timedelta(hours=6)


class Clock:
    """Tells the moment of an act. There is one, `clock`; tests set it with `override`."""

    def __init__(self) -> None:
        self._told: Callable[[], dt.datetime] | None = None

    def now(self) -> dt.datetime:
        """This moment in UTC, with microseconds: the clock of PostgreSQL, or of this machine under SQLite."""
        if self._told is not None:
            return self._told()
        if connection.vendor != "postgresql":
            return dt.datetime.now(dt.UTC)
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            return cursor.fetchone()[0].astimezone(dt.UTC)

    def read(self, moment: dt.datetime | None) -> dt.datetime:
        """The moment of an act whose first statement asked PostgreSQL for the time along the way.

        None where the database has no clock. One trip to the database fewer than `now`.
        """
        if moment is None or self._told is not None:
            return self.now()
        return moment.astimezone(dt.UTC)

    @contextmanager
    def override(self, moment: dt.datetime | Callable[[], dt.datetime]) -> Iterator[None]:
        """For tests: in the block every act of every thread happens at this moment, or at what the function says."""
        before, self._told = self._told, moment if callable(moment) else lambda: moment
        try:
            yield
        finally:
            self._told = before


clock = Clock()
now = clock.now
override = clock.override


def never_before(stream: Stream, moment: dt.datetime) -> dt.datetime:
    """The moment at which an act on this stream counts. The caller holds the stream's lock, or its table's.

    A step back of up to two seconds keeps the stream's last time; a larger one raises ClockRefused.
    """
    if stream.last_at is None or moment >= stream.last_at:
        return moment
    if stream.last_at - moment > LARGEST_STEP_BACK:
        raise ClockRefused(stream=stream.name, last_at=stream.last_at.isoformat(), moment=moment.isoformat())
    return stream.last_at


def displayed_moment(stream: Stream, moment: dt.datetime) -> dt.datetime:
    """The moment that a screen shows, for reading records nothing: where the clock went back, the stream's last one."""
    return moment if stream.last_at is None else max(moment, stream.last_at)


def format_moment(moment: dt.datetime) -> str:
    """A moment as the record spells it: `2026-11-21T13:05:09.123456Z`."""
    if moment.tzinfo is None:
        raise ValueError("A moment of the record has a time zone.")
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


class GamingDays:
    """Which gaming day a moment belongs to. The room that knows the facilities' time zones replaces `of`."""

    def __init__(self) -> None:
        self.of: Callable[[str, dt.datetime], dt.date] = lambda _facility, moment: gaming_day_in_utc(moment)


gaming_days = GamingDays()


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """The gaming day of a facility (its code) at a moment; it begins at 06:00, in UTC where nobody knows better."""
    return gaming_days.of(facility, moment)


def gaming_day_in_utc(moment: dt.datetime) -> dt.date:
    return (moment.astimezone(dt.UTC) - GAMING_DAY_STARTS).date()
