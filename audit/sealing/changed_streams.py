"""Find the heads that changed since the last seal, and check that the sealed entries are still there."""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from audit import merkle
from audit.models import Stream
from audit.rows import fetch
from audit.sealing.log import INSTALLATION_FACILITY, Log, MissingNode, facility_of
from audit.sealing.problems import SealingProblem
from audit.sealing.state import State

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
        lasts = [(head.stream_id, last) for head in changed if (last := self.heads.get(head.name))]
        for start in range(0, len(lasts), BATCH):
            batch = lasts[start : start + BATCH]
            hashes = _entry_hashes([(stream_id, last.seq) for stream_id, last in batch])
            for stream_id, last in batch:
                if hashes.get((stream_id, last.seq)) != last.head:
                    raise _head_went_back(last)


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
