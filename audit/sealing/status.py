"""How the sealer is, for the integrity page: a row that says nothing of the record and is no evidence."""

import datetime as dt
from typing import Any

from audit import clock
from audit.models import SealerStatus
from audit.sealing.problems import SealingProblem, say

HEARTBEAT = dt.timedelta(seconds=5)
SILENT_AFTER = dt.timedelta(seconds=20)  # one that was not heard for so long does not live


class StatusWriter:
    """Tells the row when something changed, and every five seconds that the sealer lives."""

    def __init__(self) -> None:
        self.written: dict[str, Any] = {}
        self.beat_at: dt.datetime | None = None

    def update(
        self, problem: SealingProblem | None, witnesses: dict[str, Any], copies: dict[str, Any]
    ) -> None:
        """`witnesses` by name; `copies` has `copied`, `copied_at` and `copy_said`."""
        now = clock.now()
        values = {
            "problem": problem.code if problem else "",
            "params": problem.params if problem else {},
            "witnesses": witnesses,
            **copies,
        }
        # Either way: a clock that was set back would else silence it until it has caught up.
        if values == self.written and self.beat_at is not None and abs(now - self.beat_at) < HEARTBEAT:
            return
        row = SealerStatus.objects.filter(pk=1).first() or SealerStatus(pk=1)
        if (row.problem, row.since is None) != (values["problem"], not values["problem"]):
            row.since = now if problem else None
        for name, value in values.items():
            setattr(row, name, value)
        row.beat_at = now
        row.save()
        self.written, self.beat_at = values, now


def sealer_status() -> SealerStatus:
    """The row as it stands; an empty one before the first sealer."""
    return SealerStatus.objects.filter(pk=1).first() or SealerStatus(pk=1)


def health_problem(now: dt.datetime) -> str:
    """In a sentence why the record is not sealed, whichever sealer leads; "" where all is well."""
    row = sealer_status()
    if row.beat_at is None:
        return "No sealer was heard yet. Its log says why."
    if abs(now - row.beat_at) > SILENT_AFTER:
        return "No sealer was heard since %s. Its log says why." % clock.format_moment(row.beat_at)
    return "NOT SEALED: %s" % say(row.problem, row.params) if row.problem else ""
