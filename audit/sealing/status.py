"""The sealer's status for the integrity page: a row that is not part of the record and not evidence.

A full verification takes from it whether the sealer refuses to seal this record, and why. The database cannot tell by
itself that newer entries were lost: a restored backup is whole. The sealer's folder, its witnesses and its copies can,
and the sealer writes what they say into its status.
"""

import datetime as dt
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.conf import settings

from audit import clock
from audit.findings import Finding, Tick, declare_finding, record_check, record_gap
from audit.models import SealerStatus
from audit.sealing.leader_lock import local_commit, other_folder_problem
from audit.sealing.state import RECORD_CODES, SealingProblem, say_problem

HEARTBEAT = dt.timedelta(seconds=5)
SILENT_AFTER = dt.timedelta(seconds=20)  # without a heartbeat, the sealer counts as stopped
PASSING_CODES = ("unreachable", "failed", "asked-again")
PASSING = dt.timedelta(minutes=1)
FREE_BYTES_MIN = 1024 * 1024
NO_COPY: Mapping[str, Any] = MappingProxyType({"newest_copy": "", "copied_at": None, "copy_problem": ""})


@dataclass(frozen=True, slots=True)
class LogReport:
    """What the sealer reports of a log: why it is not sealed, its witnesses by name, and its copies, as in the row.

    `copies` has `newest_copy`, `copied_at` and `copy_problem`.
    """

    problem: SealingProblem | None = None
    witnesses: Mapping[str, Any] = field(default_factory=dict)
    copies: Mapping[str, Any] = field(default_factory=lambda: NO_COPY)


class StatusWriter:
    """Writes the row when something changed, and every five seconds as a heartbeat."""

    def __init__(self) -> None:
        self.written: dict[str, Any] = {}
        self.beat_at: dt.datetime | None = None

    @property
    def facilities(self) -> list[str]:
        """The facilities of the logs, other than the first one, that were reported before."""
        return sorted(self.written.get("logs", {}))

    def update(self, first: LogReport, others: Mapping[str, LogReport] = MappingProxyType({})) -> None:
        """Write the status of the first log, and of the others by their facility."""
        now, problem = clock.now(), first.problem
        written = self.written.get("logs", {})
        values = {
            "problem": problem.code if problem else "",
            "params": problem.params if problem else {},
            "witnesses": dict(first.witnesses),
            "logs": {
                facility: _as_json(report, written.get(facility), now) for facility, report in others.items()
            },
            **first.copies,
        }
        # abs: otherwise a clock that was set back would stop the heartbeat until it has caught up.
        if values == self.written and self.beat_at is not None and abs(now - self.beat_at) < HEARTBEAT:
            return
        with local_commit():
            row = SealerStatus.objects.filter(pk=1).first() or SealerStatus(pk=1)
            if (row.problem, row.since is None) != (values["problem"], not values["problem"]):
                row.since = now if problem else None
            for name, value in values.items():
                setattr(row, name, value)
            row.beat_at = now
            row.save()
        self.written, self.beat_at = values, now


def _as_json(report: LogReport, before: dict[str, Any] | None, now: dt.datetime) -> dict[str, Any]:
    """A log's report for the row. `since` is when its problem began."""
    code = report.problem.code if report.problem else ""
    copied_at = report.copies["copied_at"]
    since = before["since"] if before and before["problem"] == code else clock.format_moment(now)
    return {
        "problem": code,
        "params": report.problem.params if report.problem else {},
        "since": since if code else None,
        "witnesses": dict(report.witnesses),
        **report.copies,
        "copied_at": clock.format_moment(copied_at) if copied_at else None,
    }


def sealer_status(facility: str = "") -> SealerStatus:
    """The sealer's status as its row has it, or an empty row before the first sealer.

    With the facility of another log than the first one, what the row says of that log instead. It is not saved.
    """
    row = SealerStatus.objects.filter(pk=1).first() or SealerStatus(pk=1)
    if not facility:
        return row
    values = dict(row.logs.get(facility, {}))
    for name in ("since", "copied_at"):
        values[name] = dt.datetime.fromisoformat(values[name]) if values.get(name) else None
    return SealerStatus(pk=1, beat_at=row.beat_at, **values)


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
    logs = {"": row, **{facility: sealer_status(facility) for facility in sorted(row.logs)}}
    if problems := [
        _log_prefix(facility) + say_problem(log.problem, log.params)
        for facility, log in logs.items()
        if log.problem
    ]:
        return "NOT SEALED: %s" % " ".join(problems)
    if settings.SEALER_DIR and (problem := other_folder_problem(Path(settings.SEALER_DIR))):
        return str(problem)
    if full := [folder for folder in (settings.SEALER_DIR, settings.CHECKPOINT_COPIES) if _is_full(folder)]:
        return f"The disk of {' and '.join(full)} is full. Free it before the record has to be sealed again."
    for facility, log in logs.items():
        if log.copy_problem:
            return f"{_log_prefix(facility)}The record is sealed, but not copied. {say_problem(log.copy_problem, {})}"
    return " ".join(
        f"{_log_prefix(facility)}The record is sealed, but not cosigned by {name}. {say_problem(report['said'], {})}"
        for facility, log in logs.items()
        for name, report in sorted(log.witnesses.items())
        if _is_refusing(report, now)
    )


def _log_prefix(facility: str) -> str:
    return f"{facility}: " if facility else ""


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


# What a full verification takes from it


SEALER_REFUSES = declare_finding("sealer-refuses", "The sealer does not seal %(log)s. %(problem)s")


@record_check
def check_sealer(tick: Tick) -> Iterator[Finding]:
    """Report each log that the sealer does not seal because of what is in the record."""
    tick()
    first = sealer_status()
    for facility in ("", *sorted(first.logs)):
        status = sealer_status(facility)
        if status.problem in RECORD_CODES:
            where = {"facility": facility} if facility else {}
            log = f"the log of {facility}" if facility else "the first log"
            yield Finding(
                SEALER_REFUSES, {**where, "log": log, "problem": say_problem(status.problem, status.params)}
            )


@record_gap
def sealer_compares_nothing() -> Iterator[str]:
    """Without a sealer that seals, nobody here compares the record with what was signed."""
    status = sealer_status()
    beat_at = status.beat_at
    if status.problem and status.problem not in RECORD_CODES:
        yield f"whether newer entries were lost, as in a restored backup. {say_problem(status.problem, status.params)}"
    elif beat_at is None or abs(clock.now() - beat_at) > SILENT_AFTER:
        since = f" since {clock.format_moment(beat_at)}" if beat_at else ""
        yield (
            f"whether newer entries were lost, as in a restored backup: no sealer has reported{since}. Start it, and "
            "ask manage.py sealer --check."
        )
