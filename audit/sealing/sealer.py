"""The sealer's work of one second. Only the sealer signs, and it never signs two different logs of one name.

Each facility's streams are sealed in a log of its own, with those of the installation (log.py). A log that begins gets
a key of its own (keys.py). A log that must not be sealed does not stop the others. It lists the heads that changed
since its last seal (`current_heads`), after a check that the entries sealed before are still there (`LastSealed`).

The order makes this safe. A leaf is signed, then saved in the log's state file (state.py), then written to the
database. A sealer that was killed at any point finds the leaf in the file and writes it as it was signed. If the
database lacks what the file says was signed, the record was rolled back: it is not sealed until two people declare a
new incarnation (declarations.py). The caller holds the leader lock (leader_lock.py): one sealer at a time.
"""

import contextlib
import datetime as dt
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from audit import chain, clock, merkle, notes
from audit.models import Checkpoint, Incarnation, Node, Seal, SealedHead, SigningKey, Stream
from audit.rows import fetch
from audit.sealing import keys, state
from audit.sealing.declarations import is_declared, open_first
from audit.sealing.leader_lock import LeaderLock, confirmed_commit
from audit.sealing.log import (
    INSTALLATION_FACILITY,
    Log,
    MissingNode,
    current_incarnation,
    facility_of,
    first_facility,
    is_stored,
)
from audit.sealing.state import Pending, SealingProblem, State

# A leaf: its effect on the tree, and its rows in the database


@dataclass(frozen=True, slots=True)
class Leaf:
    """A seal's number, body and hash, the subtrees that it completes, and the log's root including it."""

    number: int
    body: bytes
    digest: bytes
    nodes: list[tuple[int, int, bytes]]
    root: bytes


def make_leaf(log: Log, number: int, body: bytes, root_before: bytes | None) -> Leaf:
    """Make the leaf with this body at the end of a log of `number` leaves, whose root must be `root_before`.

    Raises SealingProblem("record-went-back") if the tree in the database has another root or lacks a node.
    """
    digest = merkle.leaf_hash(body)

    def grow(node: merkle.Lookup) -> tuple[bytes, Leaf]:
        before = merkle.root(number, node)
        nodes = merkle.completed(number, digest, node)
        fresh = {(level, index): made for level, index, made in nodes}

        def look(level: int, index: int) -> bytes:
            return fresh.get((level, index)) or node(level, index)

        return before, Leaf(number, body, digest, nodes, merkle.root(number + 1, look))

    try:
        before, leaf = log.with_nodes(grow)
    except MissingNode as error:
        raise SealingProblem("record-went-back", signed=number, found=log.size) from error
    if before != (root_before or merkle.EMPTY):
        raise SealingProblem("record-went-back", signed=number, found=log.size)
    return leaf


def write_leaf(log: Log, pending: Pending, root_before: bytes | None) -> Checkpoint:
    """Write a signed leaf: seal, heads, nodes and checkpoint, in one transaction."""
    leaf = make_leaf(log, pending.number, pending.body.encode(), root_before)
    signed = notes.Checkpoint.read(notes.Note.read(pending.note).text)
    if (signed.size, signed.root) != (leaf.number + 1, leaf.root):
        raise SealingProblem("record-went-back", signed=signed.size, found=log.size)
    content = json.loads(leaf.body)
    moment = dt.datetime.fromisoformat(content["at"])
    with transaction.atomic(savepoint=False):
        seal = Seal.objects.create(
            **log.rows,
            number=leaf.number,
            at=moment,
            full=content["full"],
            body=leaf.body,
            leaf=leaf.digest,
        )
        SealedHead.objects.bulk_create(_listed(seal, content["heads"]))
        Node.objects.bulk_create(
            Node(**log.rows, level=level, index=index, hash=digest)
            for level, index, digest in leaf.nodes
            if is_stored(level)
        )
        return Checkpoint.objects.create(
            **log.rows, size=signed.size, root=signed.root, note=pending.note, at=moment
        )


def _listed(seal: Seal, heads: list[dict[str, Any]]) -> list[SealedHead]:
    names = [head["stream"] for head in heads]
    streams = dict(Stream.objects.filter(name__in=names).values_list("name", "pk"))
    return [SealedHead(seal=seal, stream_id=streams[head["stream"]], seq=head["seq"]) for head in heads]


# Heads that changed since the last seal


BATCH = 200
SEALS_PER_STATEMENT = 500
BODIES = """SELECT body FROM audit_seal WHERE incarnation_id = %s AND facility = %s AND number BETWEEN %s AND %s
    ORDER BY number"""


@dataclass(frozen=True, slots=True)
class Head:
    """A stream's newest entry: its number and its hash (32 bytes)."""

    name: str
    seq: int
    head: bytes

    @property
    def facility(self) -> str:
        """The code before the slash of its stream's name."""
        return facility_of(self.name)

    @property
    def as_data(self) -> dict[str, str | int]:
        """The head as a seal lists it."""
        return {"head": self.head.hex(), "seq": self.seq, "stream": self.name}


@dataclass(frozen=True, slots=True)
class StreamHead(Head):
    """The head of a stream in the database, whose row is `stream_id`, and the time of its last entry."""

    stream_id: int
    last_at: dt.datetime | None = None


def current_heads() -> list[StreamHead]:
    """The heads of all streams with entries, in the order of their names, read in one statement."""
    streams = Stream.objects.filter(seq__gt=0).values_list("name", "seq", "head", "pk", "last_at")
    heads = (StreamHead(name, seq, bytes(head), pk, last_at) for name, seq, head, pk, last_at in streams)
    return sorted(heads, key=lambda head: head.name)


class LastSealed:
    """The newest head of each stream that a log's seals list, kept in memory from one second to the next.

    It is read from the seals themselves, from the last full one on: they name a stream even if every row about it was
    deleted. `root` is the root that these seals lead to, None before the first. `full_on` is the day, by the clock, of
    the last full seal made since this was read, or None.

    Raises SealingProblem("seals-differ") if the seals in the database are not the signed ones.
    """

    def __init__(self, log: Log, saved: State) -> None:
        self.number, self.root = log.incarnation.number, saved.root
        self.heads = _listed_heads(log, saved)
        self.full_on: dt.date | None = None

    def is_of(self, saved: State) -> bool:
        """Whether this was read from the log that ends in this state."""
        return (self.number, self.root) == (saved.incarnation, saved.root)

    def of_several_facilities(self) -> dict[str, dict[str, Head]]:
        """The heads by facility, then by stream, if they are of several facilities; else empty.

        Only a log from before each facility had its own lists several. It is not sealed any more: a full seal must list
        every stream that was listed before.
        """
        facilities = {head.facility for head in self.heads.values()} - {INSTALLATION_FACILITY}
        if len(facilities) < 2:
            return {}
        return {
            facility: {name: head for name, head in self.heads.items() if head.facility == facility}
            for facility in facilities
        }

    def take_over(self, heads: Mapping[str, Head]) -> None:
        """Guard these heads, which another log listed, from now on in this one, which has no seal yet."""
        self.heads.update(heads)

    def compare(self, heads: Sequence[StreamHead]) -> list[StreamHead]:
        """Return those of the log's current heads that changed.

        Raises SealingProblem("head-went-back") if a sealed entry is missing or has been replaced, or a sealed stream is
        missing.
        """
        changed = [head for head in heads if self._has_moved(head)]
        self._verify_no_stream_is_missing({head.name for head in heads})
        self._verify_sealed_entries_remain(changed)
        return changed

    def mark_sealed(self, heads: Iterable[Head], root: bytes, full_on: dt.date | None = None) -> None:
        """Note that the newest seal, which leads to `root`, lists these heads; `full_on` is its day if it is full."""
        self.root = root
        self.full_on = full_on or self.full_on
        self.heads.update((head.name, head) for head in heads)

    def _has_moved(self, head: Head) -> bool:
        last = self.heads.get(head.name)
        if last is None:
            return True
        if head.seq < last.seq or (head.seq == last.seq and head.head != last.head):
            raise _head_went_back(last)
        return head.seq > last.seq

    def _verify_no_stream_is_missing(self, names: set[str]) -> None:
        for name, last in self.heads.items():
            if name not in names:
                raise _head_went_back(last)

    def _verify_sealed_entries_remain(self, changed: list[StreamHead]) -> None:
        """Check that each changed stream still has the entry that was sealed last."""
        _verify_on_record([(head.stream_id, last) for head in changed if (last := self.heads.get(head.name))])


def _verify_on_record(heads: list[tuple[int, Head]]) -> None:
    """Check that the record has these heads, each with the row of its stream. Raises SealingProblem."""
    for start in range(0, len(heads), BATCH):
        batch = heads[start : start + BATCH]
        hashes = _entry_hashes([(stream_id, head.seq) for stream_id, head in batch])
        for stream_id, head in batch:
            if hashes.get((stream_id, head.seq)) != head.head:
                raise _head_went_back(head)


def _head_went_back(last: Head) -> SealingProblem:
    return SealingProblem("head-went-back", stream=last.name, seq=last.seq)


def _entry_hashes(numbers: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    places = ", ".join(["(%s, %s)"] * len(numbers))
    sql = f"SELECT stream_id, seq, hash FROM audit_entry WHERE (stream_id, seq) IN (VALUES {places})"
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for pair in numbers for value in pair])
        return {(stream_id, seq): bytes(digest) for stream_id, seq, digest in cursor.fetchall()}


def _listed_heads(log: Log, saved: State) -> dict[str, Head]:
    """The newest head of each stream in the seals from the last full one on, which a day's seals follow at most."""
    if not saved.size:
        return {}
    full = log.seals.filter(full=True, number__lt=saved.size)
    start = full.order_by("-number").values_list("number", flat=True).first() or 0
    heads: dict[str, Head] = {}
    leaves: list[bytes] = []
    for number in range(start, saved.size, SEALS_PER_STATEMENT):
        last = min(number + SEALS_PER_STATEMENT, saved.size) - 1
        for (body,) in fetch(BODIES, [*log.key, number, last]):
            is_full, listed = _read_seal(bytes(body), start)
            if not (is_full or leaves):  # although its column says so
                raise SealingProblem("seals-differ", number=start)
            heads.update(listed)
            leaves.append(merkle.leaf_hash(bytes(body)))
    _verify_signed(log, saved, start, leaves)
    return heads


def _read_seal(body: bytes, start: int) -> tuple[bool, dict[str, Head]]:
    """Whether a seal is full, and the heads that it lists, by stream."""
    try:
        seal = json.loads(body)
        heads = [Head(head["stream"], head["seq"], bytes.fromhex(head["head"])) for head in seal["heads"]]
        return seal["full"], {head.name: head for head in heads}
    except (ValueError, KeyError, TypeError) as error:
        raise SealingProblem("seals-differ", number=start) from error


def _verify_signed(log: Log, saved: State, start: int, leaves: list[bytes]) -> None:
    """Check that these leaves, from number `start` on, lead to the root that was signed."""

    def root(node: merkle.Lookup) -> bytes:
        def look(level: int, index: int) -> bytes:
            if (index + 1) << level <= start:
                return node(level, index)
            if level == 0:
                return leaves[index - start]
            return merkle.node_hash(look(level - 1, 2 * index), look(level - 1, 2 * index + 1))

        return merkle.root(saved.size, look)

    try:
        signed = len(leaves) == saved.size - start and log.with_nodes(root) == saved.root
    except MissingNode:
        signed = False
    if not signed:
        raise SealingProblem("seals-differ", number=start)


# The work of one second


logger = logging.getLogger(__name__)
FORMAT = 1
FACILITY_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # as in record.STREAM_NAME
STEPS = ("signed", "kept", "written", "done")  # at which tests kill it


@dataclass
class SealedLogs:
    """The result of one second, by the logs' facilities ("": the first log): new checkpoints, and what failed."""

    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    errors: dict[str, Exception] = field(default_factory=dict)


class Sealer:
    """Seals one record. `folder` has its keys and its state files. `on_step` is called with each of STEPS.

    `lock` is the leader lock of a process that other sealers may replace (process.py).
    """

    def __init__(
        self,
        folder: Path,
        on_step: Callable[[str], None] = lambda step: None,
        lock: LeaderLock | None = None,
    ) -> None:
        self.folder = folder
        self.on_step = on_step
        self.lock = lock
        self.sealers: dict[tuple[int, str], LogSealer] = {}  # by incarnation and facility
        self.first: tuple[int, str] = (0, "")  # an incarnation, and the facility that has its first log

    def seal(self) -> Checkpoint | None:
        """Seal the heads that changed, in each log. Returns a new checkpoint, the first log's if it has one.

        None if nothing changed. Raises the first error once every log was tried.
        """
        sealed = self.seal_logs()
        for error in sealed.errors.values():
            raise error
        return next(iter(sealed.checkpoints.values()), None)

    def seal_logs(self) -> SealedLogs:
        """Seal the heads that changed, in each log, the first log first.

        Raises SealingProblem if no log can be sealed. After any error, the next call reads the log's file again, and
        the seals in the database if the file does not end where they were read last.
        """
        if clock.has_jumped(clock.now()):
            raise SealingProblem("clock-jumped")
        incarnation = self._current_incarnation()
        first = self._log_sealer(incarnation, "")
        heads = current_heads()
        owner = self._first_facility(first, heads)
        sealed = SealedLogs()
        self._seal(first, owner, heads, sealed)
        if first.shared:
            owner = ""
        begun = self._saved_facilities(incarnation)
        others = first.shared.keys() | {head.facility for head in heads} | begun
        for facility in sorted(others - ({owner} - begun) - {INSTALLATION_FACILITY}):
            if not FACILITY_CODE.fullmatch(facility):  # its state would be saved in another folder
                sealed.errors[facility] = SealingProblem("facility-malformed")
                continue
            # The first log may have listed what the new one must not lack.
            if "" in sealed.errors and facility not in begun:
                sealed.errors[facility] = SealingProblem("first-log-stopped")
                continue
            other = self._log_sealer(incarnation, facility)
            self._seal(other, facility, heads, sealed, first.shared.get(facility))
        return sealed

    def record_problem(self, problem: SealingProblem) -> None:
        """Stop sealing a log until a new incarnation, because a witness or a copy is ahead of this record.

        Does nothing unless the problem's `incarnation` is the current one.
        """
        folder = state.log_folder(self.folder, problem.facility)
        saved = state.read(folder)
        incarnation = problem.params.get("incarnation")
        if saved is not None and saved.problem is None and saved.incarnation == incarnation:
            state.write(folder, saved.with_problem(problem))

    def _seal(
        self,
        sealer: "LogSealer",
        facility: str,
        heads: Sequence[StreamHead],
        sealed: SealedLogs,
        taken_over: dict[str, Head] | None = None,
    ) -> None:
        """Seal the streams of a facility and of the installation in one log."""
        try:
            if sealer.create_key():  # its first seal lists the entry of the key
                heads = current_heads()
            own = [head for head in heads if head.facility in (facility, INSTALLATION_FACILITY)]
            checkpoint = sealer.seal(own, taken_over or {})
        except Exception as error:
            sealed.errors[sealer.log.facility] = error
        else:
            if checkpoint is not None:
                sealed.checkpoints[sealer.log.facility] = checkpoint

    def _log_sealer(self, incarnation: Incarnation, facility: str) -> "LogSealer":
        key = (incarnation.number, facility)
        if key not in self.sealers:
            folder = state.log_folder(self.folder, facility)
            log = Log(incarnation, facility)
            self.sealers[key] = LogSealer(log, folder, self.folder, self.on_step, self.lock)
        return self.sealers[key]

    def _first_facility(self, first: "LogSealer", heads: Sequence[StreamHead]) -> str:
        """The facility that has the first log: once it is sealed there, it has it for good; "" before any has entries.

        A new incarnation's first log belongs to the facility that had the one before.
        """
        incarnation = first.log.incarnation
        if self.first[0] != incarnation.number or not self.first[1]:
            self.first = (incarnation.number, self._chosen_facility(first, heads))
        return self.first[1]

    def _chosen_facility(self, first: "LogSealer", heads: Sequence[StreamHead]) -> str:
        with contextlib.suppress(SealingProblem):  # sealing the log raises it again
            first.write_pending()  # which may be the seal that gave the log to a facility
        incarnation = first.log.incarnation
        if facility := first_facility(incarnation):
            return facility
        present = [head.facility for head in heads if head.facility != INSTALLATION_FACILITY]
        before = Incarnation.objects.filter(number__lt=incarnation.number).order_by("-number")
        earlier = next((facility for row in before if (facility := first_facility(row))), "")
        if earlier in present:
            return earlier
        have_logs = state.saved_facilities(self.folder)
        return next((facility for facility in present if facility not in have_logs), "")

    def _saved_facilities(self, incarnation: Incarnation) -> set[str]:
        """The facilities of the other logs that began in this incarnation, or whose state cannot be read."""
        saved = set()
        for facility in state.saved_facilities(self.folder):
            try:
                log = state.read(state.log_folder(self.folder, facility))
            except SealingProblem:
                saved.add(facility)
            else:
                if log is not None and log.incarnation >= incarnation.number and (log.signed or log.problem):
                    saved.add(facility)
        return saved

    def _current_incarnation(self) -> Incarnation:
        """The incarnation to seal. Opens the first one if nothing was ever signed and somebody created a key."""
        incarnation = current_incarnation()
        if incarnation is None:
            saved = state.read(self.folder)
            if saved is not None or state.saved_facilities(self.folder):
                raise SealingProblem("record-went-back", signed=_signed_size(saved), found=0)
            if not SigningKey.objects.exists():
                raise SealingProblem("no-key")
            incarnation = open_first()
        return incarnation


class LogSealer:
    """Seals one log. `folder` has its state file, and `key_folder` its key.

    `shared` are the heads that the log listed by facility, if it is from before each facility had its own: such a log
    has ended.
    """

    def __init__(
        self,
        log: Log,
        folder: Path,
        key_folder: Path,
        on_step: Callable[[str], None],
        lock: LeaderLock | None = None,
    ) -> None:
        self.log, self.folder, self.key_folder = log, folder, key_folder
        self.on_step, self.lock = on_step, lock
        self.last: LastSealed | None = None
        self.shared: dict[str, dict[str, Head]] = {}
        self.has_key = False

    def create_key(self) -> bool:
        """Create the key of a log that begins and has none. Returns whether it did. Raises SealingProblem.

        The first key of a record is created by hand (`sealer_key create`), so that somebody has its line from the
        beginning; those of later logs are created here, so that none waits for it.
        """
        if self.has_key:
            return False
        saved = self.write_pending()
        _verify_matches(self.log, saved)
        if saved.signed or keys.active_keys(self.log, ""):
            self.has_key = True
            return False
        if not SigningKey.objects.exists():
            raise SealingProblem("no-key")
        with confirmed_commit():
            if self.lock is not None:
                self.lock.verify_leads()
            key = keys.begin(self.key_folder, self.log)
        logger.warning(
            "Key %s signs %s from now on. Its line: %s", key.key_id, key.name, keys.verifier_of(key).vkey
        )
        self.has_key = True
        return True

    def seal(self, heads: Sequence[StreamHead], taken_over: dict[str, Head]) -> Checkpoint | None:
        """Seal the heads that changed, of those of the log. Returns the new checkpoint, or None if nothing changed.

        `taken_over` are heads that a shared log listed before this one began. Raises SealingProblem if it must not
        seal.
        """
        saved = self.write_pending()
        newest = _verify_matches(self.log, saved)
        if self.last is None or not self.last.is_of(saved):
            self.last = LastSealed(self.log, saved)
            self.shared = self.last.of_several_facilities()
            if not saved.size:
                self.last.take_over(taken_over)
        if self.shared:
            return None
        signers = keys.signers(self.key_folder, self.log, saved.signed)
        changed = self._compare(heads, saved)
        now = clock.now()
        if _is_behind(changed):
            return None
        moment = max([_not_before_entries(now, changed), *([newest.at] if newest else [])])
        full = newest is None or self._needs_full(now, moment, newest)
        listed = list(heads) if newest is None or (full and changed) else changed
        if not listed:
            return None
        if self.lock is not None:
            self.lock.confirm()  # everything listed was committed before, so it is confirmed with this
        body = body_of(self.log.incarnation.number, saved.size, moment, full, listed)
        leaf = make_leaf(self.log, saved.size, body, saved.root)
        signed = notes.Checkpoint(self.log.origin, saved.size + 1, leaf.root)
        pending = Pending(saved.size, body.decode(), notes.sign(signed.text, signers))
        self.on_step("signed")
        checkpoint = self._write(saved, pending)
        self.last.mark_sealed(listed, leaf.root, _day(now) if full else None)
        return checkpoint

    def _compare(self, heads: Sequence[StreamHead], saved: State) -> list[StreamHead]:
        assert self.last is not None
        try:
            return self.last.compare(heads)
        except SealingProblem as problem:
            if not saved.size:  # nothing of this log says so to a sealer that starts again
                state.write(self.folder, saved.with_problem(problem))
            raise

    def _needs_full(self, now: dt.datetime, moment: dt.datetime, newest: Seal) -> bool:
        """Whether the next seal lists every head: the first of a day.

        A seal's time is never before that of the seal before it. If the newest one has a later date, from a clock that
        was ahead, its date alone would delay the next full seal.
        """
        assert self.last is not None
        is_behind = _day(now) < _day(newest.at) and self.last.full_on != _day(now)
        return _day(moment) > _day(newest.at) or is_behind

    def _write(self, saved: State, pending: Pending) -> Checkpoint:
        promised = saved.with_pending(pending)
        with confirmed_commit():
            if self.lock is not None:
                self.lock.verify_leads()
            state.write(self.folder, promised)
            self.on_step("kept")
            checkpoint = write_leaf(self.log, pending, saved.root)
        self.on_step("written")
        state.write(self.folder, promised.with_written())
        self.on_step("done")
        return checkpoint

    def read_state(self) -> State:
        """The saved state of the log, which is created for a new incarnation. Raises SealingProblem."""
        saved, number = state.read(self.folder), self.log.incarnation.number
        if saved is not None and saved.incarnation > number:
            raise SealingProblem("record-went-back", signed=_signed_size(saved), found=0)
        if saved is not None and saved.incarnation == number:
            return saved
        if number > 1 and not is_declared(self.log.incarnation):
            raise SealingProblem("undeclared", number=number)
        if self.log.newest() is not None:
            raise SealingProblem("state-missing")
        saved = State(number)
        state.write(self.folder, saved)
        return saved

    def write_pending(self) -> State:
        """Write a leaf that a crash left pending, as it was signed. Returns the saved state after that.

        Raises SealingProblem if the log must not be sealed.
        """
        saved = self.read_state()
        if saved.problem is not None:
            code, params = saved.problem
            raise SealingProblem(code, **params)
        pending = saved.pending
        if pending is None:
            return saved
        if self.log.size == pending.number:
            _verify_matches(self.log, saved)
            _verify_listed(pending)
            with confirmed_commit():
                if self.lock is not None:
                    self.lock.verify_leads()
                write_leaf(self.log, pending, saved.root)
        else:
            _verify_written(self.log, pending)
        state.write(self.folder, saved.with_written())
        return saved.with_written()


def body_of(incarnation: int, number: int, moment: dt.datetime, full: bool, heads: list[StreamHead]) -> bytes:
    """A seal's body (audit/FORMAT.md)."""
    content = {
        "_format": FORMAT,
        "_type": "seal",
        "at": clock.format_moment(moment),
        "full": full,
        "heads": [head.as_data for head in heads],
        "incarnation": incarnation,
        "number": number,
    }
    return chain.canonical(content)


def _verify_matches(log: Log, saved: State) -> Seal | None:
    """Check that the database has exactly what the file says was signed. Returns the newest seal.

    Raises SealingProblem.
    """
    seal, newest = log.seals.order_by("-number").first(), log.newest()
    size = seal.number + 1 if seal else 0
    root = bytes(newest.root) if newest else None
    if size > saved.size and saved.pending is None and _has_checkpoint(log, saved.size, saved.note):
        raise SealingProblem("folder-behind", signed=saved.size, found=size)
    if (size, newest.size if newest else 0, root) != (saved.size, saved.size, saved.root):
        raise SealingProblem("record-went-back", signed=_signed_size(saved), found=size)
    return seal


def _verify_listed(pending: Pending) -> None:
    """Check that the record has what a leaf lists that was signed and not written. Raises SealingProblem.

    A backup may have been restored since. The leaf would list entries for good that the record lost, which a
    declaration could not explain any more.
    """
    _, listed = _read_seal(pending.body.encode(), pending.number)
    rows = dict(Stream.objects.filter(name__in=listed).values_list("name", "pk"))
    _verify_on_record([(rows.get(head.name, 0), head) for head in listed.values()])


def _verify_written(log: Log, pending: Pending) -> None:
    """Check that a signed leaf is at the end of the log, unchanged. Raises SealingProblem."""
    seal = log.seals.filter(number=pending.number).first()
    leaf = merkle.leaf_hash(pending.body.encode())
    size = pending.number + 1
    if not _has_checkpoint(log, size, pending.note) or seal is None or bytes(seal.leaf) != leaf:
        raise SealingProblem("record-went-back", signed=size, found=log.size)
    if log.size > size:
        raise SealingProblem("folder-behind", signed=size, found=log.size)


def _has_checkpoint(log: Log, size: int, note: str) -> bool:
    """Whether the database has this checkpoint, so that what follows was sealed from a newer copy of the folder."""
    return not size or log.checkpoints.filter(size=size, note=note).exists()


def _signed_size(saved: State | None) -> int:
    if saved is None:
        return 0
    return saved.pending.number + 1 if saved.pending else saved.size


def _is_behind(changed: Sequence[StreamHead]) -> bool:
    """Whether the clock went back before this process began, by so little that the entries are right: a seal waits.

    Dated now it would say for good that they were dated into the future. Of entries that are further ahead than a clock
    may jump (`audit.clock`) it says so.
    """
    trusted = clock.trusted()
    times = [head.last_at for head in changed if head.last_at is not None]
    if trusted is None or not times:
        return False
    return dt.timedelta(0) < max(times) - trusted <= clock.LARGEST_JUMP


def _not_before_entries(now: dt.datetime, changed: Sequence[StreamHead]) -> dt.datetime:
    """The time of a seal, where the clock went back after the entries that it covers were written.

    A seal before its entries would say that they were dated into the future. Only the time that this process knows to
    have passed is made up: entries beyond it are dated into the future.
    """
    trusted = clock.trusted()
    times = [head.last_at for head in changed if head.last_at is not None]
    return max(now, min(trusted, max(times))) if trusted and times else now


def _day(moment: dt.datetime) -> dt.date:
    return moment.astimezone(dt.UTC).date()
