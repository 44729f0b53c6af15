"""Find the heads that changed since the last seal, and check that the sealed entries are still there."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import OuterRef, Subquery

from audit.models import Incarnation, Seal, SealedHead, Stream
from audit.sealing.problems import SealingProblem
from audit.sealing.proofs import heads_in

BATCH = 200


@dataclass(frozen=True, slots=True)
class Head:
    """A stream's newest entry: its number and its hash (32 bytes)."""

    stream_id: int
    name: str
    seq: int
    head: bytes

    @property
    def as_data(self) -> dict[str, str | int]:
        """The head as a seal lists it."""
        return {"head": self.head.hex(), "seq": self.seq, "stream": self.name}


class LastSealed:
    """The newest head of each stream that an incarnation's seals list, kept in memory from one second to the next.

    `full_on` is the day, by the clock, of the last full seal made since this was read, or None.
    """

    def __init__(self, incarnation: Incarnation) -> None:
        self.number = incarnation.number
        self.heads = {head.stream_id: head for head in _listed_heads(incarnation)}
        self.full_on: dt.date | None = None

    def compare(self) -> tuple[list[Head], list[Head]]:
        """Return all current heads and the changed ones, both in the order of their names.

        One statement reads them all. Raises SealingProblem("head-went-back") if a sealed entry is missing or has been
        replaced.
        """
        streams = Stream.objects.filter(seq__gt=0).values_list("pk", "name", "seq", "head")
        now = sorted(
            (Head(pk, name, seq, bytes(head)) for pk, name, seq, head in streams), key=lambda head: head.name
        )
        changed = [head for head in now if self._has_moved(head)]
        self._verify_no_stream_is_missing({head.stream_id for head in now})
        self._verify_sealed_entries_remain(changed)
        return now, changed

    def mark_sealed(self, heads: Iterable[Head], full_on: dt.date | None = None) -> None:
        """Note that a seal lists these heads; `full_on` is its day if it is full."""
        self.full_on = full_on or self.full_on
        self.heads.update((head.stream_id, head) for head in heads)

    def _has_moved(self, head: Head) -> bool:
        last = self.heads.get(head.stream_id)
        if last is None:
            return True
        if head.seq < last.seq or (head.seq == last.seq and head.head != last.head):
            raise _head_went_back(last)
        return head.seq > last.seq

    def _verify_no_stream_is_missing(self, stream_ids: set[int]) -> None:
        for stream_id, last in self.heads.items():
            if stream_id not in stream_ids:
                raise _head_went_back(last)

    def _verify_sealed_entries_remain(self, changed: list[Head]) -> None:
        """Check that each changed stream still has the entry that was sealed last."""
        lasts = [last for head in changed if (last := self.heads.get(head.stream_id))]
        for start in range(0, len(lasts), BATCH):
            batch = lasts[start : start + BATCH]
            hashes = _entry_hashes(batch)
            for last in batch:
                if hashes.get((last.stream_id, last.seq)) != last.head:
                    raise _head_went_back(last)


def _head_went_back(last: Head) -> SealingProblem:
    return SealingProblem("head-went-back", stream=last.name, seq=last.seq)


def _entry_hashes(heads: list[Head]) -> dict[tuple[int, int], bytes]:
    places = ", ".join(["(%s, %s)"] * len(heads))
    sql = f"SELECT stream_id, seq, hash FROM audit_entry WHERE (stream_id, seq) IN (VALUES {places})"
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for head in heads for value in (head.stream_id, head.seq)])
        return {(stream_id, seq): bytes(digest) for stream_id, seq, digest in cursor.fetchall()}


def _listed_heads(incarnation: Incarnation) -> list[Head]:
    of_stream = SealedHead.objects.filter(stream=OuterRef("pk"), seal__incarnation=incarnation)
    newest = of_stream.order_by("-seq", "-pk").values("pk")[:1]
    listed_streams = Stream.objects.annotate(listed=Subquery(newest)).exclude(listed=None)
    rows = SealedHead.objects.filter(pk__in=list(listed_streams.values_list("listed", flat=True)))
    places = list(rows.values_list("stream_id", "stream__name", "seq", "seal_id"))
    seals = Seal.objects.filter(pk__in={seal for *_, seal in places})
    bodies = {seal.pk: heads_in(seal) for seal in seals.iterator(chunk_size=50)}
    return [Head(pk, name, seq, bodies[seal][name]) for pk, name, seq, seal in places]
