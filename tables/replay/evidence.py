"""The evidence that a round's entries are as they were written: their chain, and the seal over them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from audit import chain
from audit.models import Entry, Stream
from audit.sealing.proofs import Proof
from tables.core.entries import COLUMNS, RecordedEntry, Row
from tables.replay.checks import BAD, Check, prove_entry

MAX_ENTRIES = 5_000  # between a round and a later entry about it; a page reads no longer chain


@dataclass(frozen=True, slots=True)
class ChainSpan:
    """The entries `first` to `last` of a stream, hashed now. `broken_at` is the first entry that fails."""

    first: int
    last: int
    broken_at: int | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The chains of a round's entries, each without a gap, and the proof of the newest entry (None while unsealed).

    One chain leads from the first entry to the newest. Where that is more than a page reads, there is one chain for
    each range. `faults` are the failed checks between the newest entry and the signed log.
    """

    chains: list[ChainSpan]
    newest: RecordedEntry
    sealed: Proof | None
    faults: list[Check]

    @property
    def holds(self) -> bool:
        """Whether every hash matches its entry and the hash before it, and no check of the log failed."""
        return not self.faults and all(chain.broken_at is None for chain in self.chains)


def evidence_of(
    stream: Stream, entries: Sequence[RecordedEntry], referenced_seqs: Iterable[int] = ()
) -> Evidence:
    """Read the evidence of a round from the record. `entries` is never empty.

    `referenced_seqs` are the entries that the round's slips refer to; one that is not among `entries` is a fault.
    """
    newest = entries[-1]
    entry = Entry.objects.filter(stream=stream, seq=newest.seq).select_related("stream").first()
    chains = [
        chain_of(stream, first, last) for first, last in _seq_ranges([entry_.seq for entry_ in entries])
    ]
    sealed, checks = prove_entry(entry, stream.facility) if entry else (None, [])
    missing = sorted(set(referenced_seqs) - {entry_.seq for entry_ in entries})
    faults = [
        Check(BAD, "Entry %s, which a slip names, is not of this round" % f"{seq:,}") for seq in missing
    ]
    return Evidence(chains, newest, sealed, faults + [check for check in checks if check.state == BAD])


def chain_of(stream: Stream, first: int, last: int) -> ChainSpan:
    """Verify the chain from one entry to another: no number missing, each hash of its body and the hash before it."""
    rows: list[Row] = list(
        Entry.objects.filter(stream=stream, seq__gte=first, seq__lte=last)
        .order_by("seq")
        .values_list(*COLUMNS)
    )
    missing = set(range(first, last + 1)) - {row[0] for row in rows}
    if missing:
        return ChainSpan(first, last, min(missing))
    broken = [seq for seq, prev, digest, body in rows if not _hash_matches(prev, digest, body)]
    broken += [
        following[0] for previous, following in pairwise(rows) if bytes(following[1]) != bytes(previous[2])
    ]
    return ChainSpan(first, last, min(broken, default=None))


def _hash_matches(prev: bytes, digest: bytes, body: bytes) -> bool:
    return chain.entry_hash(bytes(prev), bytes(body)) == bytes(digest)


def _seq_ranges(seqs: Sequence[int]) -> list[tuple[int, int]]:
    first, last = seqs[0], seqs[-1]
    if last - first < MAX_ENTRIES:
        return [(first, last)]
    ranges: list[tuple[int, int]] = []
    for seq in seqs:
        if ranges and seq - ranges[-1][1] < MAX_ENTRIES // 10:
            ranges[-1] = (ranges[-1][0], seq)
        else:
            ranges.append((seq, seq))
    return ranges
