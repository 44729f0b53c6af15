"""Verify the whole record in the database: every entry, seal and signature, in the memory of one batch.

The size of each log and stream is fixed at the start, and rows are read by number in short statements: nothing is
locked, and play continues. In this order: each log in one pass (`LogPass`: its seals, their tree, its checkpoints and
their signatures), each stream, the closed streams and their continuations against what two people declared, and what
the apps check (`audit.findings`).

It uses nothing from outside, so it cannot detect a record that was rewritten with all its hashes, seals and keys.
Witnesses and copies can (docs/evidence.md).
"""

import contextlib
import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from audit import chain, clock, merkle, notes, record
from audit.entries import (
    DEVICE_ENROLLED,
    KEY_CREATED,
    LOG_KEY_CREATED,
    STREAM_CLOSED,
    STREAM_CONTINUED,
    StreamClosing,
    VerificationFigures,
)
from audit.findings import RECORD_CHECKS, Finding
from audit.models import Checkpoint, Cosignature, Entry, Incarnation, Seal, SigningKey, Stream
from audit.record import INSTALLATION
from audit.rows import entry_batches, fetch
from audit.sealing import keys, witnesses
from audit.sealing.log import INSTALLATION_FACILITY, Log, facility_log, facility_of, is_stored, logs_of

EXPLAINED_BY_CLOSING = ("entry-after-seal", "time-ahead")
Closings = dict[str, StreamClosing]  # by the closed stream


def declared_closings() -> Closings:
    """The closings that two people declared. An entry that cannot be read is passed over: its chain is verified too."""
    closings: Closings = {}
    rows = Entry.objects.filter(stream__name=INSTALLATION, type=STREAM_CLOSED.name).order_by("seq")
    for body in rows.values_list("body", flat=True):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            content = json.loads(bytes(body))
            if content["actor"] and content["witness"]:
                closings[content["data"]["stream"]] = content["data"]
    return closings


def closing_explains(closings: Closings, where: Mapping[str, Any]) -> bool:
    """Whether the stream of a finding was closed, after the entry that the finding names."""
    closing = closings.get(where["stream"])
    return closing is not None and where["seq"] <= closing["seq"]


def verify_closings(closings: Closings) -> Iterator[Finding]:
    """Compare each closed stream with its declaration, and its continuation with it."""
    streams = {stream.name: stream for stream in Stream.objects.select_related("continued_by")}
    for name, stream in sorted(streams.items()):
        if name not in closings and (stream.closed_at is not None or stream.continued_by is not None):
            yield Finding("closing-undeclared", {"stream": name})
    for name, closing in sorted(closings.items()):
        row = streams.get(name)
        state = (row.seq, bytes(row.head).hex(), row.closed_at is None) if row else None
        later = row.continued_by.name if row and row.continued_by else ""
        if (state, later) != ((closing["seq"], closing["head"], False), closing["continued_by"]):
            yield Finding("closing-differs", {"stream": name, "seq": closing["seq"]})
        if not _begins(closing):
            where = {"stream": closing["continued_by"], "closed": name, "seq": closing["seq"]}
            yield Finding("continuation-differs", where)


def _begins(closing: StreamClosing) -> bool:
    """Whether the continuation begins with an entry that names the head of the closed stream."""
    first = Entry.objects.filter(stream__name=closing["continued_by"], seq=1, type=STREAM_CONTINUED.name)
    body = first.values_list("body", flat=True).first()
    if body is None:
        return False
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        data = json.loads(bytes(body))["data"]
        return [data[key] for key in ("stream", "seq", "head")] == [
            closing["stream"], closing["seq"], closing["head"],
        ]  # fmt: skip
    return False


# A log: its seals, their tree, its checkpoints and their signatures


LEAVES = 200  # of one batch
SLACK_SECONDS = 60  # a key may sign a checkpoint just before it is retired
Add = Callable[[Finding], None]
LATEST_AFTER_SEAL = dt.timedelta(
    seconds=60
)  # of an entry: the clock may have been set back before it was sealed
HEADS = """SELECT l.number, s.name, h.seq, e.hash, e.at FROM audit_sealedhead h
    JOIN audit_seal l ON l.id = h.seal_id JOIN audit_stream s ON s.id = h.stream_id
    LEFT JOIN audit_entry e ON e.stream_id = h.stream_id AND e.seq = h.seq
    WHERE l.incarnation_id = %s AND l.facility = %s AND l.number BETWEEN %s AND %s"""
NODES = """SELECT "index", hash FROM audit_node
    WHERE incarnation_id = %s AND facility = %s AND level = %s AND "index" BETWEEN %s AND %s"""


@dataclass(frozen=True, slots=True)
class _ListedEntry:
    """An entry that a seal lists: its number, and its hash and time, None if it is missing."""

    seq: int
    hash: bytes | None
    at: dt.datetime | None


def _listed_entry(seq: int, digest: Any, moment: dt.datetime | None) -> _ListedEntry:
    """Make it from columns. SQLite stores a time in UTC without a time zone."""
    in_utc = moment.replace(tzinfo=dt.UTC) if moment and not moment.tzinfo else moment
    return _ListedEntry(seq, None if digest is None else bytes(digest), in_utc)


@dataclass
class LogPass:
    """A pass over a log, whose `leaves` and `newest` checkpoint size were `fixed` at the start.

    While it runs, `sealed` collects the last sealed number of each stream by name, `checkpoints` counts the
    checkpoints, and `witnessed` and `unknown_witnesses` their cosignatures. Findings go to `add`.
    """

    log: Log
    leaves: int
    newest: int
    checkpoints: int = 0
    sealed: dict[str, int] = field(default_factory=dict)
    witnessed: int = 0
    unknown_witnesses: int = 0
    frontier: list[tuple[int, bytes]] = field(default_factory=list)

    @classmethod
    def fixed(cls, log: Log) -> "LogPass":
        """Make a pass over the log as it is now, read in one statement so that its figures agree.

        Counts nothing: a year has thirty million checkpoints, and a statement may take five seconds.
        """
        statement = """SELECT (SELECT max(number) FROM audit_seal WHERE incarnation_id = %s AND facility = %s),
            (SELECT max(size) FROM audit_checkpoint WHERE incarnation_id = %s AND facility = %s)"""
        ((last, largest),) = fetch(statement, log.key * 2)
        sealed = 0 if last is None else last + 1
        return cls(log, max(sealed, largest or 0), largest or 0)

    @property
    def work(self) -> int:
        """The amount of work, in seals and checkpoints: one seal for each leaf, and one checkpoint if it was signed."""
        return self.leaves + self.newest

    def run(self, add: Add) -> Iterator[int]:
        """Verify the log. Yields how much of its `work` each batch was."""
        self.add = add
        self.keys = [(key, keys.verifier_of(key)) for key in keys.keys_of(self.log)]
        self.witnesses = [witness.verifier for witness in witnesses.configured()]
        for start in range(0, self.leaves, LEAVES):
            stop = min(start + LEAVES, self.leaves)
            yield self._batch(start, stop)
        if self.leaves > self.newest:
            self._bad("seals-unsigned", number=self.leaves - 1)

    def _bad(self, code: str, **where: Any) -> None:
        self.add(Finding(code, {"origin": self.log.origin, **where}))

    def _batch(self, start: int, stop: int) -> int:
        seals = self.log.seals.filter(number__gte=start, number__lt=stop).order_by("number")
        seals_by_number = {seal.number: seal for seal in seals}
        listed = self._listed(start, stop)
        signed = {
            checkpoint.size: checkpoint
            for checkpoint in self.log.checkpoints.filter(size__gt=start, size__lte=stop)
        }
        self.cosigned: dict[int, list[Cosignature]] = {}
        for line in Cosignature.objects.filter(
            checkpoint__in=[checkpoint.pk for checkpoint in signed.values()]
        ):
            self.cosigned.setdefault(line.checkpoint_id, []).append(line)
        subtrees: dict[tuple[int, int], bytes] = {}
        for index in range(start, stop):
            seal = seals_by_number.get(index)
            if seal is None:
                self._bad("seal-missing", number=index)
            else:
                self._seal(seal, listed.get(index, {}))
            subtrees |= self._grow(index, bytes(seal.leaf) if seal else bytes(merkle.HASH_BYTES))
            if index + 1 in signed:
                self._checkpoint(signed[index + 1])
        self._nodes(subtrees)
        self.checkpoints += len(signed)
        return stop - start + max(0, min(stop, self.newest) - start)

    def _listed(self, start: int, stop: int) -> dict[int, dict[str, "_ListedEntry"]]:
        """The index rows of each seal, by its number: the entry that it lists of each stream."""
        listed: dict[int, dict[str, _ListedEntry]] = {}
        rows = fetch(HEADS, [*self.log.key, start, stop - 1])
        for number, name, seq, digest, moment in rows:
            listed.setdefault(number, {})[name] = _listed_entry(seq, digest, moment)
        return listed

    def _seal(self, seal: Seal, listed: dict[str, "_ListedEntry"]) -> None:
        body, number = bytes(seal.body), seal.number
        if merkle.leaf_hash(body) != bytes(seal.leaf):
            self._bad("seal-changed", number=number)
            return
        try:
            heads = self._heads(body, number)
        except (ValueError, KeyError, TypeError, RecursionError):
            self._bad("seal-unreadable", number=number)
            return
        if {name: seq for name, (seq, _) in heads.items()} != {
            name: entry.seq for name, entry in listed.items()
        }:
            self._bad("seal-index-differs", number=number)
        for name, (seq, head) in heads.items():
            self.sealed[name] = max(seq, self.sealed.get(name, 0))
            entry = listed[name] if name in listed and listed[name].seq == seq else self._entry_at(name, seq)
            if entry is None or entry.hash is None:
                self._bad("sealed-entry-missing", number=number, stream=name, seq=seq)
            elif entry.hash != head:
                self._bad("sealed-head-differs", number=number, stream=name, seq=seq)
            elif entry.at is not None and entry.at > seal.at + LATEST_AFTER_SEAL:
                self._bad("entry-after-seal", number=number, stream=name, seq=seq)

    def _heads(self, body: bytes, number: int) -> dict[str, tuple[int, bytes]]:
        """The heads that a seal lists, by stream.

        Raises ValueError, KeyError or TypeError if it does not belong here.
        """
        content = json.loads(body)
        place = (content["_format"], content["_type"], content["incarnation"], content["number"])
        if place != (1, "seal", self.log.incarnation.number, number):
            raise ValueError
        return {head["stream"]: (head["seq"], bytes.fromhex(head["head"])) for head in content["heads"]}

    def _entry_at(self, name: str, seq: int) -> "_ListedEntry | None":
        statement = """SELECT e.hash, e.at FROM audit_entry e JOIN audit_stream s ON s.id = e.stream_id
            WHERE s.name = %s AND e.seq = %s"""
        rows = fetch(statement, [name, seq])
        return _listed_entry(seq, *rows[0]) if rows else None

    def _grow(self, index: int, leaf: bytes) -> dict[tuple[int, int], bytes]:
        """Add a leaf. Returns the subtrees that it completes, by level and index."""
        subtrees = {(0, index): leaf}
        level, digest = 0, leaf
        while self.frontier and self.frontier[-1][0] == level:
            digest = merkle.node_hash(self.frontier.pop()[1], digest)
            level += 1
            subtrees[level, index >> level] = digest
        self.frontier.append((level, digest))
        return subtrees

    def _root(self) -> bytes:
        digest = self.frontier[-1][1]
        for _, sibling in reversed(self.frontier[:-1]):
            digest = merkle.node_hash(sibling, digest)
        return digest

    def _nodes(self, subtrees: dict[tuple[int, int], bytes]) -> None:
        """Compare the stored nodes, from which proofs are made, with the hashes of the seals."""
        for level in sorted({level for level, _ in subtrees if is_stored(level)}):
            indices = [index for node_level, index in subtrees if node_level == level]
            params = [*self.log.key, level, min(indices), max(indices)]
            stored = {index: bytes(digest) for index, digest in fetch(NODES, params)}
            for index in sorted(indices):
                if stored.get(index) != subtrees[level, index]:
                    self._bad("node-differs", level=level, index=index)

    def _checkpoint(self, signed: Checkpoint) -> None:
        size = signed.size
        try:
            note = notes.Note.read(signed.note)
            stated = notes.Checkpoint.read(note.text)
        except notes.Malformed:
            self._bad("checkpoint-unreadable", size=size)
            return
        if (stated.origin, stated.size, stated.root) != (self.log.origin, size, bytes(signed.root)):
            self._bad("checkpoint-unreadable", size=size)
        elif stated.root != self._root():
            self._bad("root-differs", size=size)
        if not self._is_signed(note, signed):
            self._bad("signature-bad", size=size)
        for line in self.cosigned.get(signed.pk, []):
            self._cosignature(note, line, size)

    def _is_signed(self, note: notes.Note, signed: Checkpoint) -> bool:
        """Whether a key that was active at the time signed, and no signature of such a key is wrong."""
        in_use = [
            verifier
            for key, verifier in self.keys
            if (key.created_at - signed.at).total_seconds() <= SLACK_SECONDS
            and (key.retired_at is None or (signed.at - key.retired_at).total_seconds() <= SLACK_SECONDS)
        ]
        try:
            return bool(note.signed_by(in_use))
        except notes.Malformed:
            return False

    def _cosignature(self, note: notes.Note, line: Cosignature, size: int) -> None:
        verifiers = [key for key in self.witnesses if key.name == line.name]
        try:
            signature = notes.Signature.read(line.line)
        except notes.Malformed:
            self._bad("cosignature-bad", size=size, name=line.name)
            return
        if not any(key.is_named_by(signature) for key in verifiers):
            self.unknown_witnesses += 1
        elif any(key.verifies(note.text, signature) for key in verifiers):
            self.witnessed += 1
        else:
            self._bad("cosignature-bad", size=size, name=line.name)


# The whole record


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
    closings = declared_closings()

    def add(finding: Finding) -> None:
        """A declared closing explains the times of the stream that it closed, and nothing else."""
        if facility and not _concerns(finding, facility):
            return
        if finding.code in EXPLAINED_BY_CLOSING and closing_explains(closings, finding.where):
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
    for finding in verify_closings(closings):
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
    for batch in entry_batches(stream.pk, 1, stream.seq, COLUMNS):
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
