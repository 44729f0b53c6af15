"""The time of acts: one moment for each, from the database's clock if it has one, never going back on a stream."""

import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

from audit.models import Stream
from audit.refusals import ClockRefused, RefusalCode, StreamClosed

LARGEST_STEP_BACK = dt.timedelta(seconds=2)
LARGEST_STEP_AHEAD = LARGEST_STEP_BACK  # so an act that `never_before` moved is still accepted
CLOCK_AHEAD = RefusalCode(
    "clock-ahead",
    "The time of this act is ahead of the clock of the record, so it did not happen on %(stream)s. Try again.",
)
CLOCK_JUMPED = RefusalCode(
    "clock-jumped",
    "The clock of the record jumped ahead by %(jump)s, so nothing is recorded on %(stream)s. Tell the system "
    "administrator: set the clock right, or restart the server if the new time is right.",
    "The clock jumped",
)
LARGEST_JUMP = dt.timedelta(minutes=10)
GAMING_DAY_STARTS = dt.timedelta(hours=6)


class SteadyTime:
    """What the clock of the record may say by now, by a clock of this process that nobody can set.

    An entry of a wrong year would leave its stream no time for the next one. So a reading that is more than ten
    minutes later than the readings before it allow is not trusted, and no act is recorded at it. A process that starts
    trusts its first reading. The clock may go back and return: the latest reading that was trusted counts.
    """

    def __init__(self, monotonic: Callable[[], float] | None = None) -> None:
        self._monotonic = monotonic or _steady_seconds
        self._origin: dt.datetime | None = None  # the trusted time at which the steady clock was at 0
        self._newest: dt.datetime | None = None  # the same by the newest reading, trusted or not
        self._lock = threading.Lock()

    def note(self, moment: dt.datetime) -> None:
        """Take a reading of the clock of the record."""
        origin = moment - dt.timedelta(seconds=self._monotonic())
        with self._lock:
            self._newest = origin
            if self._origin is None or self._origin < origin <= self._origin + LARGEST_JUMP:
                self._origin = origin

    def estimated(self) -> dt.datetime | None:
        """What the clock says by now as the newest reading has it; None before the first. Later than it only if the
        clock went back since.
        """
        origin = self._newest
        return None if origin is None else origin + dt.timedelta(seconds=self._monotonic())

    def trusted(self) -> dt.datetime | None:
        """What the clock says by now if it has not gone back since; None before the first reading."""
        origin = self._origin
        return None if origin is None else origin + dt.timedelta(seconds=self._monotonic())

    def jump(self, moment: dt.datetime) -> dt.timedelta | None:
        """How far a moment is ahead of what can be trusted; None for one that can."""
        if self._origin is None:
            return None
        ahead = moment - self._origin - dt.timedelta(seconds=self._monotonic())
        return ahead if ahead > LARGEST_JUMP else None


def _steady_seconds() -> float:
    """Seconds of a clock that never jumps, and goes on while the machine sleeps where the system has such a clock."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class Clock:
    """The source of every act's time. There is one instance, `clock`; tests set it with `override`."""

    def __init__(self) -> None:
        self._of_every_thread: Callable[[], dt.datetime] | None = None
        self._of_this_thread = threading.local()
        self.steady = SteadyTime()

    @property
    def _source(self) -> Callable[[], dt.datetime] | None:
        """What gives the time instead of a clock; None for the clock."""
        source: Callable[[], dt.datetime] | None = getattr(self._of_this_thread, "source", None)
        return source or self._of_every_thread

    def now(self) -> dt.datetime:
        """The current time in UTC with microseconds, from PostgreSQL, or from this machine under SQLite."""
        if self._source is not None:
            return self._source()
        if connection.vendor != "postgresql":
            return self._noted(dt.datetime.now(dt.UTC))
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            moment: dt.datetime = cursor.fetchone()[0]
        return self._noted(moment)

    def read(self, moment: dt.datetime | None) -> dt.datetime:
        """Use the time that an earlier statement of the act read from PostgreSQL, which saves a query.

        `moment` is None where the database has no clock; then this is `now`.
        """
        if moment is None or self._source is not None:
            return self.now()
        return self._noted(moment)

    def _noted(self, moment: dt.datetime) -> dt.datetime:
        self.steady.note(moment)
        return moment.astimezone(dt.UTC)

    def jump(self, moment: dt.datetime) -> dt.timedelta | None:
        """By how much the clock jumped ahead to this moment; None where it did not, or where a test sets the time."""
        return self.steady.jump(moment) if self._source is None else None

    def trusted(self) -> dt.datetime | None:
        """What the clock says by now if it has not gone back; None where nothing was read, or a test sets the time."""
        return self.steady.trusted() if self._source is None else None

    def estimated(self) -> dt.datetime | None:
        """What the clock says by now, without asking it; None where nothing was read, or a test sets the time."""
        return self.steady.estimated() if self._source is None else None

    @contextmanager
    def override(self, moment: dt.datetime | Callable[[], dt.datetime]) -> Iterator[None]:
        """For tests: within the block, every thread gets this moment, or the result of this function."""
        before = self._of_every_thread
        self._of_every_thread = moment if callable(moment) else lambda: moment
        try:
            yield
        finally:
            self._of_every_thread = before

    @contextmanager
    def in_this_thread(self, moment: Callable[[], dt.datetime]) -> Iterator[None]:
        """For a demo that is dealt in the past while it is served: other threads keep the time of the clock."""
        before = getattr(self._of_this_thread, "source", None)
        self._of_this_thread.source = moment
        try:
            yield
        finally:
            self._of_this_thread.source = before


clock = Clock()
now = clock.now
override = clock.override
in_this_thread = clock.in_this_thread


def has_jumped(moment: dt.datetime) -> bool:
    """Whether the clock reached this moment by a jump. Nothing is recorded or sealed at such a moment."""
    return clock.jump(moment) is not None


def trusted() -> dt.datetime | None:
    """What the clock says by now if it has not gone back since this process read it; None if it never did."""
    return clock.trusted()


def estimated() -> dt.datetime | None:
    """What the clock says by now, without asking it; None if this process never read it."""
    return clock.estimated()


def never_before(stream: Stream, moment: dt.datetime) -> dt.datetime:
    """The time to record for an act on this stream. The caller holds the lock of the stream or its table.

    If the clock went back by up to two seconds, the stream's last time is used; beyond that, or if it jumped ahead,
    raises ClockRefused. Raises StreamClosed for a closed stream.
    """
    if stream.closed_at is not None:
        raise StreamClosed(stream=stream.name)
    if (jump := clock.jump(moment)) is not None:
        raise ClockRefused(CLOCK_JUMPED, stream=stream.name, jump=_in_words(jump))
    if stream.last_at is None or moment >= stream.last_at:
        return moment
    if stream.last_at - moment > LARGEST_STEP_BACK:
        raise ClockRefused(stream=stream.name, last_at=stream.last_at.isoformat(), moment=moment.isoformat())
    return stream.last_at


def latest() -> dt.datetime:
    """The latest time that an entry may have now. PostgreSQL computes it itself (`audit_now`, migration 0010)."""
    return now() + LARGEST_STEP_AHEAD


def time_ahead(stream: Stream, moment: dt.datetime) -> ClockRefused:
    """The refusal of an entry that is ahead of the clock: nothing could be recorded on its stream until then."""
    return ClockRefused(CLOCK_AHEAD, stream=stream.name, moment=moment.isoformat())


def displayed_moment(stream: Stream, moment: dt.datetime) -> dt.datetime:
    """The time to show on a screen: the stream's last time if the clock went back. Reading refuses nothing.

    Nothing follows on a closed stream, and its last time may be why it was closed.
    """
    if stream.last_at is None or stream.closed_at is not None:
        return moment
    return max(moment, stream.last_at)


def _in_words(span: dt.timedelta) -> str:
    """A span in its largest unit: `14 minutes`, `3 hours`, `365 days`."""
    if span >= dt.timedelta(days=2):
        return f"{span.days:,} days"
    minutes = int(span.total_seconds()) // 60
    return f"{minutes // 60} hours" if minutes >= 120 else f"{minutes} minutes"


def format_moment(moment: dt.datetime) -> str:
    """Format a moment as in the record: `2026-11-21T13:05:09.123456Z`."""
    if moment.tzinfo is None:
        raise ValueError("A moment in the record must have a time zone.")
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


class GamingDays:
    """The gaming day of a moment. `games`, which knows the facilities' time zones, replaces `of`."""

    def __init__(self) -> None:
        self.of: Callable[[str, dt.datetime], dt.date] = lambda _facility, moment: gaming_day_in_utc(moment)


gaming_days = GamingDays()


def gaming_day(facility: str, moment: dt.datetime) -> dt.date:
    """The gaming day of a facility, given by code, at a moment. It begins at 06:00 local time, or UTC if unknown."""
    return gaming_days.of(facility, moment)


def gaming_day_in_utc(moment: dt.datetime) -> dt.date:
    return (moment.astimezone(dt.UTC) - GAMING_DAY_STARTS).date()
