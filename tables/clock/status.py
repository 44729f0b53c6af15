"""The ticker's report that it ticks, for `manage.py ticker --check`: a row that is not part of the record."""

import datetime as dt

from audit import clock
from tables.models import TickerStatus

HEARTBEAT = dt.timedelta(seconds=5)
SILENT_AFTER = dt.timedelta(seconds=20)  # without a report, the ticker counts as stopped


class StatusWriter:
    """Writes the row when a check begins or ceases to fail, and every five seconds."""

    def __init__(self) -> None:
        self.written: list[str] | None = None
        self.beat_at: dt.datetime | None = None

    def update(self, failing: list[str]) -> None:
        """Report a tick, with the sorted names of the checks that fail."""
        now = clock.now()
        # abs: otherwise a clock that was set back would stop the reports until it has caught up.
        if failing == self.written and self.beat_at is not None and abs(now - self.beat_at) < HEARTBEAT:
            return
        TickerStatus.objects.update_or_create(pk=1, defaults={"beat_at": now, "failing": failing})
        self.written, self.beat_at = failing, now


def is_ticking(now: dt.datetime) -> bool:
    """Whether a ticker writes on this database, though some of its checks may fail."""
    row = TickerStatus.objects.filter(pk=1).first()
    return row is not None and abs(now - row.beat_at) <= SILENT_AFTER


def health_problem(now: dt.datetime) -> str:
    """Return what is wrong with the ticker; "" if it ticks and all its checks work."""
    row = TickerStatus.objects.filter(pk=1).first()
    if row is None:
        return "No ticker has run yet. See the ticker's log."
    if abs(now - row.beat_at) > SILENT_AFTER:
        return f"No ticker has reported since {clock.format_moment(row.beat_at)}. See the ticker's log."
    if row.failing:
        return f"The ticker runs, but this fails: {', '.join(row.failing)}. See the ticker's log."
    return ""
