"""Verify a log in one pass: its seals, their tree, its checkpoints and their signatures."""

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from audit import batches, merkle, notes
from audit.models import Checkpoint, Cosignature, Seal
from audit.sealing import keys, witnesses
from audit.sealing.log import Log
from audit.verification_words import Finding

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
        ((last, largest),) = batches.fetch(statement, log.key * 2)
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
        rows = batches.fetch(HEADS, [*self.log.key, start, stop - 1])
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
        rows = batches.fetch(statement, [name, seq])
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
        for level in sorted({level for level, _ in subtrees}):
            indices = [index for node_level, index in subtrees if node_level == level]
            params = [*self.log.key, level, min(indices), max(indices)]
            stored = {index: bytes(digest) for index, digest in batches.fetch(NODES, params)}
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
