"""Verify the whole record in the database: every entry, seal and signature, in the memory of one batch.

The size of each log and stream is fixed at the start, and rows are read by number in short statements: nothing is
locked, and play continues. It uses nothing from outside, so it cannot detect a record that was rewritten with all its
hashes, seals and keys. Witnesses and copies can (docs/evidence.md).
"""

import contextlib
import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from audit import batches, chain, clock, closed_streams, notes, record
from audit.entries import DEVICE_ENROLLED, KEY_CREATED, LOG_KEY_CREATED, VerificationFigures
from audit.models import Entry, Incarnation, SigningKey, Stream
from audit.sealing import keys
from audit.sealing.log import INSTALLATION_FACILITY, Log, facility_log, facility_of, logs_of

from .log_verification import LATEST_AFTER_SEAL, LogPass
from .record_checks import RECORD_CHECKS
from .verification_words import Finding

COLUMNS = "seq, prev, hash, type, at, gaming_day, actor, witness, round, lot, cents, body"
CODE_LENGTH = 40  # of the columns for searching
FINDINGS_MAX = 20
Progress = Callable[[int, int], None]


@dataclass
class VerificationResult:
    """The result of a verification. `bad` counts all findings; `findings` has the first FINDINGS_MAX.

    `declared` is the damage for which two people closed its stream; it does not count as bad.

    `unsealed` counts the entries that no seal of the current incarnation covers, `witnessed` the verified
    cosignatures, and `unknown_witnesses` the cosignatures of witnesses whose keys this installation does not have.
    """

    entries: int = 0
    streams: int = 0
    seals: int = 0
    checkpoints: int = 0
    witnessed: int = 0
    unknown_witnesses: int = 0
    unsealed: int = 0
    bad: int = 0
    findings: list[Finding] = field(default_factory=list)
    declared: list[Finding] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.bad == 0

    def add(self, finding: Finding) -> None:
        self.bad += 1
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(finding)

    def as_data(self) -> VerificationFigures:
        """The result as the record states it."""
        return {
            "bad": self.bad,
            "checkpoints": self.checkpoints,
            "entries": self.entries,
            "first_bad": self.findings[0].as_data() if self.findings else None,
            "outcome": "good" if self.good else "bad",
            "seals": self.seals,
            "streams": self.streams,
            "unknown_witnesses": self.unknown_witnesses,
            "unsealed": self.unsealed,
            "witnessed": self.witnessed,
        }


def verify(progress: Progress = lambda completed, total: None, facility: str = "") -> VerificationResult:
    """Verify the whole record, or what concerns one facility (a code): its streams and log, and the installation's.

    `progress(completed, total)` is called often, in entries, seals and checkpoints. A bad record raises nothing. Raises
    what `progress` raises.
    """
    # Fix the logs first and the streams afterward, so that the streams include every sealed entry.
    incarnations = Incarnation.objects.order_by("number")
    passes = [LogPass.fixed(log) for incarnation in incarnations for log in _logs(incarnation, facility)]
    every_stream = Stream.objects.order_by("name").only("name", "seq", "head", "last_at")
    streams = [
        stream
        for stream in every_stream
        if not facility or stream.facility in (facility, INSTALLATION_FACILITY)
    ]
    latest = clock.format_moment(clock.latest() + LATEST_AFTER_SEAL)
    closings = closed_streams.declared_closings()

    def add(finding: Finding) -> None:
        """A declared closing explains the times of the stream that it closed, and nothing else."""
        if facility and not _concerns(finding, facility):
            return
        if finding.code in closed_streams.EXPLAINED and closed_streams.explains(closings, finding.where):
            result.declared.append(finding)
        else:
            result.add(finding)

    total = sum(stream.seq for stream in streams) + sum(log_pass.work for log_pass in passes)
    result = VerificationResult(streams=len(streams))
    devices: dict[tuple[str, str], tuple[str, int]] = {}
    completed = 0
    progress(0, total)
    for stream in streams:
        for count in _verify_stream(stream, latest, add, devices):
            completed += count
            result.entries += count
            progress(completed, total)
    for finding in _entries_beyond_heads():
        add(finding)
    for finding in _unenrolled_devices(devices):
        add(finding)
    for finding in _unrecorded_keys(facility):
        add(finding)
    for finding in closed_streams.verify(closings):
        add(finding)
    for log_pass in passes:
        for count in log_pass.run(add):
            completed += count
            progress(completed, total)
        result.seals += log_pass.leaves
        result.checkpoints += log_pass.checkpoints
        result.witnessed += log_pass.witnessed
        result.unknown_witnesses += log_pass.unknown_witnesses
    for check in RECORD_CHECKS:
        for finding in check(lambda: progress(completed, total)):
            add(finding)
    newest = [
        log_pass.sealed for log_pass in passes if log_pass.log.incarnation == passes[-1].log.incarnation
    ]
    for stream in streams:
        sealed = max((numbers.get(stream.name, 0) for numbers in newest), default=0)
        result.unsealed += max(0, stream.seq - sealed)
    return result


def _logs(incarnation: Incarnation, facility: str) -> list[Log]:
    """The logs of an incarnation, or that of a facility."""
    own = facility_log(facility, incarnation) if facility else None
    return [own] if own else logs_of(incarnation)


def _concerns(finding: Finding, facility: str) -> bool:
    """Whether a finding is about a facility or the installation. One without a place concerns every facility."""
    stream, place = finding.where.get("stream"), finding.where.get("facility", facility)
    return facility_of(stream) in (facility, INSTALLATION_FACILITY) if stream else place == facility


def _verify_stream(
    stream: Stream,
    latest: str,
    add: Callable[[Finding], None],
    devices: dict[tuple[str, str], tuple[str, int]],
) -> Iterator[int]:
    """Verify a stream's chain up to its fixed head, which may not be after `latest`.

    Adds the devices that entries name to `devices`: the first entry of each, by facility and id. Yields the number of
    entries of each batch.
    """
    check = _StreamCheck(stream, latest, add, devices)
    for batch in batches.entry_batches(stream.pk, 1, stream.seq, COLUMNS):
        for row in batch:
            check.check_row(row)
        yield len(batch)
    check.finish()


class _StreamCheck:
    """Checks a stream entry by entry. After a finding it continues from what is stored."""

    def __init__(
        self,
        stream: Stream,
        latest: str,
        add: Callable[[Finding], None],
        devices: dict[tuple[str, str], tuple[str, int]],
    ) -> None:
        self.stream, self.latest, self.add, self.devices = stream, latest, add, devices
        self.seq, self.head, self.at = 0, chain.genesis(stream.name), ""

    def report(self, code: str, seq: int, **more: Any) -> None:
        self.add(Finding(code, {"stream": self.stream.name, "seq": seq, **more}))

    def check_row(self, row: tuple[Any, ...]) -> None:
        seq, prev, digest, *columns, body = row
        if seq != self.seq + 1:
            self.report("entry-missing", self.seq + 1)
        elif bytes(prev) != self.head:
            self.report("entry-does-not-follow", seq)
        if chain.entry_hash(bytes(prev), bytes(body)) != bytes(digest):
            self.report("entry-changed", seq)
        else:
            self._read(seq, columns, bytes(body))
        self.seq, self.head = seq, bytes(digest)

    def _read(self, seq: int, columns: list[Any], body: bytes) -> None:
        """Check that an entry is readable, belongs here, is not out of order in time, and matches its columns."""
        try:
            content = json.loads(body)
            if canonical_json(content) != body:
                raise ValueError
            stated = _body_columns(content)
            moment = content["at"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.report("entry-unreadable", seq)
            return
        if (content["stream"], content["seq"], content["_format"]) != (self.stream.name, seq, record.FORMAT):
            self.report("entry-of-elsewhere", seq)
        elif not isinstance(moment, str) or moment < self.at:
            self.report("time-goes-back", seq)
        else:
            self.at = moment
            if content["device"]:
                place = self.stream.facility, str(content["device"])
                self.devices.setdefault(place, (self.stream.name, seq))
            stored = _row_columns(columns)
            for name, value in stated.items():
                if stored[name] != value:
                    self.report("column-differs", seq, column=name)
                    break

    def finish(self) -> None:
        if self.seq < self.stream.seq:
            self.report("entry-missing", self.seq + 1)
        elif self.head != bytes(self.stream.head):
            self.report("head-differs", self.stream.seq)
        elif self.at > self.latest:
            self.report("time-ahead", self.seq)
        elif self.at and self.stream.last_at and clock.format_moment(self.stream.last_at) != self.at:
            self.report("column-differs", self.stream.seq, column="last_at")


def canonical_json(content: Any) -> bytes:
    """Encode as canonical JSON: the same bytes as RFC 8785 for ASCII keys and integers."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _body_columns(content: dict[str, Any]) -> dict[str, Any]:
    """The values that a body has for the columns."""
    round_, lot, cents = record.search_columns(content["data"])
    return {
        "type": content["_type"],
        "at": content["at"],
        "gaming_day": content["gaming_day"],
        "actor": (content["actor"] or "")[:CODE_LENGTH],
        "witness": (content["witness"] or "")[:CODE_LENGTH],
        "round": round_,
        "lot": lot,
        "cents": cents,
    }


def _row_columns(columns: list[Any]) -> dict[str, Any]:
    type_, moment, day, actor, witness, round_, lot, cents = columns
    return {
        "type": type_,
        "at": _format_moment(moment),
        "gaming_day": str(day),
        "actor": actor[:CODE_LENGTH],
        "witness": witness[:CODE_LENGTH],
        "round": round_,
        "lot": lot,
        "cents": cents,
    }


def _format_moment(moment: dt.datetime) -> str:
    """Format a moment as in the record. SQLite stores it in UTC without a time zone."""
    return clock.format_moment(moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC))


def _entries_beyond_heads() -> Iterator[Finding]:
    """Find entries after the head of their stream, in one statement so that no act comes in between.

    The subquery uses the index for each stream. With a join, PostgreSQL may read the whole table.
    """
    statement = """SELECT s.name, (SELECT min(e.seq) FROM audit_entry e WHERE e.stream_id = s.id AND e.seq > s.seq)
        FROM audit_stream s ORDER BY s.name"""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        for name, seq in cursor.fetchall():
            if seq is not None:
                yield Finding("entry-beyond-head", {"stream": name, "seq": seq})


def _unenrolled_devices(devices: dict[tuple[str, str], tuple[str, int]]) -> Iterator[Finding]:
    """Find devices that entries name and none enrolled, where the record of the facility enrolled any."""
    enrolled: dict[str, set[str]] = defaultdict(set)
    rows = Entry.objects.filter(type=DEVICE_ENROLLED.name).values_list("stream__name", "body")
    for stream, body in rows.iterator(chunk_size=1000):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):  # reported as an entry
            enrolled[facility_of(stream)].add(str(json.loads(bytes(body))["device"]))
    for (facility, device), (stream, seq) in devices.items():
        if facility in enrolled and device not in enrolled[facility]:
            yield Finding("device-not-enrolled", {"stream": stream, "seq": seq, "device": device})


def _unrecorded_keys(facility: str = "") -> Iterator[Finding]:
    """Find keys that verify seals but were created by no entry of the record, and keys of two logs.

    With a facility, of those that may sign its logs: a finding about another key would name another facility.
    """
    stated = set()
    stream = Stream.objects.filter(name=record.INSTALLATION).first()
    if stream is not None:
        created = stream.entries.filter(type__in=[KEY_CREATED.name, LOG_KEY_CREATED.name])
        for type_, body in created.values_list("type", "body"):
            with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):  # reported as an entry
                stated.add((type_, chain.canonical(json.loads(bytes(body))["data"])))
    logs = [log for incarnation in Incarnation.objects.all() for log in _logs(incarnation, facility)]
    owners: dict[bytes, str] = {}
    for key in SigningKey.objects.order_by("created_at", "pk"):
        other = owners.setdefault(bytes(key.public_key), key.name)
        if facility and not any(notes.may_sign(key.name, log.origin) for log in logs):
            continue
        entry = keys.created_entry(keys.verifier_of(key))
        if (entry.type, chain.canonical(entry.data)) not in stated:
            yield Finding("key-off-the-record", {"key": str(key)})
        if other != key.name:
            yield Finding("key-of-two-logs", {"key": str(key)})
