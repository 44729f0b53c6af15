"""The sealer's status for the integrity page: a row that is not part of the record and not evidence."""

import datetime as dt
import shutil
from typing import Any

from django.conf import settings

from audit import clock
from audit.models import SealerStatus
from audit.sealing.problems import SealingProblem, say

HEARTBEAT = dt.timedelta(seconds=5)
SILENT_AFTER = dt.timedelta(seconds=20)  # without a heartbeat, the sealer counts as stopped
PASSING_CODES = ("unreachable", "failed", "asked-again")
PASSING = dt.timedelta(minutes=1)
FREE_BYTES_MIN = 1024 * 1024


class StatusWriter:
    """Writes the row when something changed, and every five seconds as a heartbeat."""

    def __init__(self) -> None:
        self.written: dict[str, Any] = {}
        self.beat_at: dt.datetime | None = None

    def update(
        self, problem: SealingProblem | None, witnesses: dict[str, Any], copies: dict[str, Any]
    ) -> None:
        """Write the status. `witnesses` are by name; `copies` has `newest_copy`, `copied_at` and `copy_problem`."""
        now = clock.now()
        values = {
            "problem": problem.code if problem else "",
            "params": problem.params if problem else {},
            "witnesses": witnesses,
            **copies,
        }
        # abs: otherwise a clock that was set back would stop the heartbeat until it has caught up.
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
    """The current row, or an empty one before the first sealer."""
    return SealerStatus.objects.filter(pk=1).first() or SealerStatus(pk=1)


def health_problem(now: dt.datetime) -> str:
    """Return why the record is not being sealed, witnessed and copied, whichever sealer is the leader; "" if it is.

    Also looks at the disks of the sealer's folder and of the copies, if this process has them: a record at rest needs
    nothing from a full disk.
    """
    row = sealer_status()
    if row.beat_at is None:
        return "No sealer has run yet. See the sealer's log."
    if abs(now - row.beat_at) > SILENT_AFTER:
        return f"No sealer has reported since {clock.format_moment(row.beat_at)}. See the sealer's log."
    if row.problem:
        return "NOT SEALED: %s" % say(row.problem, row.params)
    if full := [folder for folder in (settings.SEALER_DIR, settings.CHECKPOINT_COPIES) if _is_full(folder)]:
        return f"The disk of {' and '.join(full)} is full. Free it before the record has to be sealed again."
    if row.copy_problem:
        return f"The record is sealed, but not copied. {say(row.copy_problem, {})}"
    refusing = [name for name, report in sorted(row.witnesses.items()) if _is_refusing(report, now)]
    return " ".join(
        f"The record is sealed, but not cosigned by {name}. {say(row.witnesses[name]['said'], {})}"
        for name in refusing
    )


def _is_full(folder: str) -> bool:
    try:
        return bool(folder) and shutil.disk_usage(folder).free < FREE_BYTES_MIN
    except OSError:
        return False  # not a folder of this machine


def _is_refusing(report: dict[str, Any], now: dt.datetime) -> bool:
    """Whether a witness does not cosign. One that does not answer has a minute: it may be restarting."""
    code = report.get("said", "")
    if code in PASSING_CODES and report.get("since"):
        return abs(now - dt.datetime.fromisoformat(report["since"])) > PASSING
    return bool(code)
