"""The drill of a restore: is the newest backup a record that can be played on?

`manage.py restore_drill` gets the address of a throwaway PostgreSQL into which `deploy/backup/restored.sh` restores a
backup, and

1. notes of each log the newest checkpoint of the live record that a configured witness has cosigned;
2. waits for the restored database, and refuses one that is the live database itself;
3. verifies the whole restored record, in a process of its own whose only database is the restored one (`examine`);
4. compares each log: it must reach the witnessed root, or be a prefix of the live log that ends not long before;
5. writes the result on the live record, whatever it is: what could not be done is `could-not-run`, never `passed`.

The live database is only read until the last step.
"""

import contextlib
import datetime as dt
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction

from audit import clock, notes, verification
from audit.entries import RESTORE_DRILLED, DrillOutcome
from audit.models import Checkpoint, Incarnation
from audit.sealing import witnesses
from audit.sealing.declarations import write_on_system
from audit.sealing.log import Log, MissingNode, current_incarnation, logs_of

COSIGNATURES_TRIED = 20  # of each log, the newest first: one of another witness may not be known here
LABEL = re.compile(r"[A-Za-z0-9._-]{0,60}")
LOCK = 0x50697473696465  # of the live database while a drill runs; the restored one does not have it
FINDINGS_SAID = 3
LONGEST_WHY = 500


class CouldNotRun(Exception):
    """The drill has no result. The message is a sentence that says why."""


@dataclass(frozen=True)
class Witnessed:
    """The newest checkpoint of a log that a witness of this installation has cosigned. `root` is hex, `at` UTC."""

    incarnation: int
    facility: str
    origin: str
    size: int
    root: str
    at: str


@dataclass(frozen=True)
class RestoredLog:
    """A log of the restored record: its size, its root at the witnessed size or its own if that is smaller (hex; None
    where a node is missing), and when its newest seal was made (UTC; None without one).
    """

    size: int
    root: str | None
    sealed_at: str | None


@dataclass(frozen=True)
class Examination:
    """What the process with the restored database found. `logs` are in the order in which they were asked for."""

    entries: int
    streams: int
    bad: int
    findings: list[str]
    logs: list[RestoredLog]


@dataclass(frozen=True)
class Backup:
    """What `restored.sh` says of the backup: its label, and when it began; None where that is not said.

    A label of pgBackRest names a local time, so it does not say when.
    """

    label: str
    began: dt.datetime | None


@dataclass
class Result:
    """The result of a drill, with the fields of its entry."""

    outcome: DrillOutcome = "could-not-run"
    why: str = ""
    backup: str = ""
    entries: int = 0
    streams: int = 0
    bad: int = 0
    compared: int = 0
    behind_seconds: int | None = None
    seconds: int = 0


@dataclass(frozen=True)
class Limits:
    """What a drill accepts: seconds until the database is restored, seconds that a restored log may end before what
    was witnessed, and days that the backup may be old.
    """

    wait_seconds: int = 1800
    most_lost_seconds: int = 300
    oldest_days: int = 8


@dataclass(frozen=True)
class Drill:
    """One drill. `restored` is the address of the throwaway database; "" where the restore itself failed."""

    restored: str
    limits: Limits = field(default_factory=Limits)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def run(self) -> Result:
        """Run it and write its result. Raises DatabaseError if the result cannot be written."""
        began, result = self.monotonic(), Result()
        try:
            self._fill(result)
        except CouldNotRun as reason:
            result.outcome, result.why = "could-not-run", str(reason)
        except (DatabaseError, psycopg.Error) as error:
            result.outcome, result.why = "could-not-run", f"A database did not answer: {_first_line(error)}"
        result.seconds = round(self.monotonic() - began)
        result.why = result.why[:LONGEST_WHY]
        with transaction.atomic():
            write_on_system(RESTORE_DRILLED(**asdict(result)), clock.now())
        return result

    def _fill(self, result: Result) -> None:
        if not self.restored:
            raise CouldNotRun("No backup was restored: see what deploy/backup/restored.sh printed.")
        witnessed = witnessed_checkpoints()
        with live_lock():
            backup = self._wait_until_restored()
        result.backup = backup.label
        examination = examine_apart(self.restored, witnessed)
        result.entries, result.streams = examination.entries, examination.streams
        result.bad, result.compared = examination.bad, len(witnessed)
        faults = [*_faults_of_record(examination), *self._faults_of_backup(backup)]
        behind = []
        for expected, restored in zip(witnessed, examination.logs, strict=True):
            behind.append(seconds_behind(expected, restored))
            faults += faults_of_log(expected, restored, behind[-1], self.limits.most_lost_seconds)
        result.behind_seconds = max(behind)
        result.outcome, result.why = ("failed", " ".join(faults)) if faults else ("passed", "")

    def _wait_until_restored(self) -> Backup:
        """Wait for the restored database, and return what its settings say of the backup (`restored.sh`).

        Raises CouldNotRun if it does not come, or is the live one.
        """
        deadline, error = self.monotonic() + self.limits.wait_seconds, ""
        while self.monotonic() < deadline:
            try:
                with psycopg.connect(self.restored, connect_timeout=3, autocommit=True) as line:
                    if (line.execute("SELECT pg_is_in_recovery()").fetchone() or (True,)) == (False,):
                        _refuse_live(line)
                        return _backup_of(line)
                    error = "it is still being restored"
            except psycopg.OperationalError as failure:
                error = _first_line(failure)
            self.sleep(1.0)
        raise CouldNotRun(
            f"The restored database did not answer within {self.limits.wait_seconds} s: {error}"
        )

    def _faults_of_backup(self, backup: Backup) -> list[str]:
        days = self.limits.oldest_days
        is_old = backup.began is not None and clock.now() - backup.began > dt.timedelta(days=days)
        return [f"The newest backup is older than {days} days."] if is_old else []


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


# The live record


def witnessed_checkpoints() -> list[Witnessed]:
    """The newest witnessed checkpoint of every log of the live record that has a leaf.

    Raises CouldNotRun where a log has none: then nothing outside this database says what it was.
    """
    try:
        verifiers = [witness.verifier for witness in witnesses.configured()]
    except ImproperlyConfigured as error:
        raise CouldNotRun(str(error)) from error
    if not verifiers:
        raise CouldNotRun("No witness is configured: set PITSIDE_WITNESSES.")
    incarnation = current_incarnation()
    logs = [log for log in logs_of(incarnation) if log.size] if incarnation else []
    if not logs:
        raise CouldNotRun("Nothing of the live record is sealed.")
    return [_witnessed(log, verifiers) for log in logs]


def _witnessed(log: Log, verifiers: Sequence[notes.Verifier]) -> Witnessed:
    for cosignature in log.cosignatures().select_related("checkpoint")[:COSIGNATURES_TRIED]:
        checkpoint = cosignature.checkpoint
        if _is_cosigned(checkpoint, verifiers):
            return Witnessed(
                log.incarnation.number,
                log.facility,
                log.origin,
                checkpoint.size,
                bytes(checkpoint.root).hex(),
                clock.format_moment(checkpoint.at),
            )
    raise CouldNotRun(f"No checkpoint of {log.origin} is cosigned by a witness that is configured here.")


def _is_cosigned(checkpoint: Checkpoint, verifiers: Sequence[notes.Verifier]) -> bool:
    """Whether one of these keys signed what the row says, by the bytes of its note."""
    try:
        note = notes.Note.read(checkpoint.cosigned)
        signed = notes.Checkpoint.read(note.text)
        return (signed.size, signed.root) == (checkpoint.size, bytes(checkpoint.root)) and bool(
            note.signed_by(verifiers)
        )
    except notes.Malformed:
        return False


@contextlib.contextmanager
def live_lock() -> Iterator[None]:
    """Hold a lock of the live database that the restored one does not have. Raises CouldNotRun during another drill."""
    if connection.vendor != "postgresql":
        raise CouldNotRun("Only a PostgreSQL can be restored.")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if cursor.fetchone() != (True,):
            raise CouldNotRun("Another drill runs.")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _refuse_live(line: psycopg.Connection[Any]) -> None:
    if line.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone() != (True,):
        raise CouldNotRun("The address of the restored database is that of the live one.")


# The restored record


def _backup_of(line: psycopg.Connection[Any]) -> Backup:
    settings_of_backup = (
        "SELECT current_setting('cluster_name'), current_setting('pitside.backup_began', true)"
    )
    label, began = line.execute(settings_of_backup).fetchone() or ("", "")
    moment = dt.datetime.fromtimestamp(int(began), dt.UTC) if began else None
    return Backup(label if LABEL.fullmatch(label) else "", moment)


def examine_apart(restored: str, witnessed: Sequence[Witnessed]) -> Examination:
    """Examine the restored database in a process of its own. Raises CouldNotRun if that process fails."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore_drill", "--examine"]
    done = subprocess.run(
        command,
        input=json.dumps([asdict(checkpoint) for checkpoint in witnessed]),
        env={**os.environ, "DATABASE_URL": restored},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        examined = json.loads(done.stdout)
        return Examination(**{**examined, "logs": [RestoredLog(**log) for log in examined["logs"]]})
    except (ValueError, KeyError, TypeError) as error:
        last = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise CouldNotRun(f"The restored record could not be verified: {last}") from error


def examine(witnessed: Sequence[Witnessed]) -> Examination:
    """Verify the record of this process's database, and read its logs at the sizes of these checkpoints."""
    verified = verification.verify()
    sentences = [str(finding) for finding in verified.findings[:FINDINGS_SAID]]
    logs = [_examine_log(checkpoint) for checkpoint in witnessed]
    return Examination(verified.entries, verified.streams, verified.bad, sentences, logs)


def _examine_log(witnessed: Witnessed) -> RestoredLog:
    incarnation = Incarnation.objects.filter(number=witnessed.incarnation).first()
    if incarnation is None:
        return RestoredLog(0, None, None)
    log = Log(incarnation, witnessed.facility)
    size = log.size
    newest = log.seals.order_by("-number").values_list("at", flat=True).first()
    return RestoredLog(
        size, _root(log, min(size, witnessed.size)), clock.format_moment(newest) if newest else None
    )


def _root(log: Log, size: int) -> str | None:
    try:
        return log.root(size).hex() if size else None
    except MissingNode:
        return None


# The comparison


def seconds_behind(witnessed: Witnessed, restored: RestoredLog) -> int:
    """By how much a restored log ends before what was witnessed; without a seal, by all of the log's time."""
    if restored.size >= witnessed.size:
        return 0
    began = (
        Log(Incarnation(number=witnessed.incarnation), witnessed.facility).seals.order_by("number").first()
    )
    start = clock.format_moment(began.at) if began else witnessed.at
    ends = dt.datetime.fromisoformat(restored.sealed_at or start)
    return max(0, round((dt.datetime.fromisoformat(witnessed.at) - ends).total_seconds()))


def faults_of_log(witnessed: Witnessed, restored: RestoredLog, behind: int, most_lost: int) -> list[str]:
    """What is wrong with a restored log, as sentences. Reads the live log where the restored one is shorter."""
    if restored.size == 0:
        return [f"The restored record has nothing of {witnessed.origin}."]
    size = min(restored.size, witnessed.size)
    expected = witnessed.root
    if restored.size < witnessed.size:
        live = Log(Incarnation.objects.get(number=witnessed.incarnation), witnessed.facility)
        if _root(live, witnessed.size) != witnessed.root:
            return [f"The live log {witnessed.origin} is not the one that was witnessed."]
        expected = _root(live, size) or ""
    if restored.root != expected:
        return [f"The restored log {witnessed.origin} of {size} seals is not the one that was witnessed."]
    if behind > most_lost:
        return [f"The restored log {witnessed.origin} ends {behind} s before what was witnessed."]
    return []


def _faults_of_record(examination: Examination) -> list[str]:
    if not examination.bad:
        return []
    more = examination.bad - len(examination.findings)
    return [*examination.findings, *([f"{more} more faults."] if more > 0 else [])]
