"""The evidence that entries are as they were written: their bytes, their chain, and the seal over them.

`check_entry` checks one entry for its page: its hash, its neighbors, its search columns; `prove_entry` leads it to the
log of seals, the signature and the witnesses. `evidence_of` does so for all entries of a round: no number missing
between them, each hash of its body and the hash before it, and the proof of the newest.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from audit import chain, merkle, notes
from audit.clock import format_moment
from audit.models import Entry, Stream
from audit.record import search_columns
from audit.sealing import keys
from audit.sealing.log import Log, NotProven, Proof, proof_of
from tables.core.entries import COLUMNS, RecordedEntry, Row

# One entry

OK, WAITS, BAD = "ok", "waits", "bad"
MAX_LINKS = 2_000  # the longest chain to the sealed head that a page verifies itself
BATCH = 500


@dataclass(frozen=True)
class Check:
    """The result of one check: `state` (`ok`, `waits`, `bad`), the finding in words, and details."""

    state: str
    text: str
    detail: str = ""


def check_entry(entry: Entry, previous: Entry | None, next_entry: Entry | None) -> list[Check]:
    """Check the entry's hash, its place in the chain, and its search columns."""
    return [
        _check_hash(entry),
        _check_previous(entry, previous),
        _check_next(entry, next_entry),
        _check_columns(entry),
    ]


def prove_entry(entry: Entry, facility: str) -> tuple[Proof | None, list[Check]]:
    """Return the proof of an entry in the log of a facility, and its checks; without a proof, the reason."""
    try:
        proof = proof_of(entry, facility)
    except NotProven as error:
        return None, [Check(BAD, "The log lacks what proves this entry", str(error))]
    if proof is None:
        return None, [Check(WAITS, "Not sealed yet", "a running sealer writes a seal every second")]
    return proof, check_proof(proof)


def check_proof(proof: Proof) -> list[Check]:
    """Check the links to the sealed head, the seal in its log, the signature and the witnesses."""
    return [_check_chain(proof), _check_inclusion(proof), _check_signature(proof), _check_witnesses(proof)]


def _check_hash(entry: Entry) -> Check:
    digest = chain.entry_hash(bytes(entry.prev), bytes(entry.body))
    if digest == bytes(entry.hash):
        return Check(OK, "The hash matches these bytes", "SHA-256, computed now")
    return Check(BAD, "The hash does not match these bytes", "they hash to %s" % digest.hex())


def _check_previous(entry: Entry, previous: Entry | None) -> Check:
    if entry.seq == 1:
        if bytes(entry.prev) == chain.genesis(entry.stream.name):
            return Check(
                OK, "It is the first entry of its stream", "it builds on the hash of the stream's name"
            )
        return Check(BAD, "It is the first entry of its stream, but builds on another hash")
    if previous is None:
        return Check(BAD, "The previous entry, %s, is missing" % f"{entry.seq - 1:,}")
    if bytes(previous.hash) == bytes(entry.prev):
        return Check(OK, "It follows entry %s" % f"{previous.seq:,}", "and names its hash")
    return Check(BAD, "It does not follow entry %s" % f"{previous.seq:,}", "which has another hash")


def _check_next(entry: Entry, next_entry: Entry | None) -> Check:
    if next_entry is not None:
        if bytes(next_entry.prev) == bytes(entry.hash):
            return Check(OK, "Entry %s follows it" % f"{next_entry.seq:,}", "and names its hash")
        return Check(BAD, "Entry %s does not follow it" % f"{next_entry.seq:,}", "which names another hash")
    if entry.stream.seq == entry.seq and bytes(entry.stream.head) == bytes(entry.hash):
        return Check(OK, "It is the newest entry of its stream", "its hash is the head")
    return Check(
        BAD, "The entries after it are missing", "the stream is at entry %s" % f"{entry.stream.seq:,}"
    )


def _check_columns(entry: Entry) -> Check:
    """Check that the columns a search uses say what the body says."""
    try:
        body = json.loads(bytes(entry.body))
        in_body = (
            body["stream"], body["seq"], body["_type"], body["at"], body["gaming_day"],
            body["actor"] or "", body["witness"] or "", *search_columns(body["data"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Check(BAD, "The body is not an entry", "it cannot be read")
    in_columns = (
        entry.stream.name, entry.seq, entry.type, format_moment(entry.at), entry.gaming_day.isoformat(),
        entry.actor, entry.witness, entry.round, entry.lot, entry.cents,
    )  # fmt: skip
    if in_body == in_columns:
        return Check(OK, "The search columns match the body", "a search finds it by its content")
    return Check(
        BAD, "The search columns do not match the body", "a search finds it by something it does not say"
    )


def _check_chain(proof: Proof) -> Check:
    entry = proof.entry
    sealed = Entry.objects.filter(stream_id=entry.stream_id, seq=proof.head_seq).first()
    if sealed is None or bytes(sealed.hash) != proof.head:
        return Check(
            BAD,
            "Entry %s is not the entry that was sealed" % f"{proof.head_seq:,}",
            "the seal names %s" % proof.head.hex(),
        )
    if proof.links == 0:
        return Check(OK, "Its hash is in the seal itself")
    detail = (
        "1 entry links it to the sealed head"
        if proof.links == 1
        else "%s entries link it to the sealed head" % f"{proof.links:,}"
    )
    if proof.links > MAX_LINKS:
        return Check(WAITS, "The sealed head is there", detail + "; a full verification follows them")
    if _chained_hash(proof) != proof.head:
        return Check(BAD, "The chain to the sealed head is broken", detail)
    return Check(OK, "Its chain leads to the sealed head", detail)


def _chained_hash(proof: Proof) -> bytes:
    """Compute the hash of the sealed head from this entry's hash and the bodies between them."""
    entry, head = proof.entry, bytes(proof.entry.hash)
    later = Entry.objects.filter(stream_id=entry.stream_id, seq__gt=entry.seq, seq__lte=proof.head_seq)
    for body in later.order_by("seq").values_list("body", flat=True).iterator(BATCH):
        head = chain.entry_hash(head, bytes(body))
    return head


def _check_inclusion(proof: Proof) -> Check:
    seal, checkpoint = proof.seal, proof.checkpoint
    leaf = merkle.leaf_hash(bytes(seal.body))
    params = {"seal": f"{seal.number:,}", "size": f"{checkpoint.size:,}"}
    if merkle.verify_inclusion(seal.number, checkpoint.size, leaf, proof.path, bytes(checkpoint.root)):
        return Check(
            OK,
            "Seal %(seal)s is in checkpoint %(size)s" % params,
            "by a path of 1 hash" if len(proof.path) == 1 else "by a path of %s hashes" % len(proof.path),
        )
    return Check(
        BAD, "Seal %(seal)s is not in checkpoint %(size)s" % params, "its path leads to another root"
    )


def _check_signature(proof: Proof) -> Check:
    checkpoint = proof.checkpoint
    try:
        note = notes.Note.read(checkpoint.note)
        checkpoint_note = notes.Checkpoint.read(note.text)
        log = Log(checkpoint.incarnation, checkpoint.facility)
        signed = note.signed_by(keys.verifier_of(key) for key in keys.keys_of(log))
    except notes.Malformed as error:
        return Check(BAD, "The checkpoint's signature cannot be read", str(error))
    if (checkpoint_note.origin, checkpoint_note.size, checkpoint_note.root) != (
        log.origin,
        checkpoint.size,
        bytes(checkpoint.root),
    ):
        return Check(BAD, "The signature is for another checkpoint", "size %s" % f"{checkpoint_note.size:,}")
    if not signed:
        return Check(BAD, "The checkpoint is not signed by any key of its log")
    return Check(
        OK, "The checkpoint is signed", ", ".join(f"{key.name}, {key.key_id.hex()}" for key in signed)
    )


def _check_witnesses(proof: Proof) -> Check:
    if proof.witnessed is None:
        return Check(WAITS, "No witness has cosigned it yet", "only the casino's own key vouches for it")
    names = sorted(set(proof.witnessed.cosignatures.values_list("name", flat=True)))
    return Check(OK, "Cosigned at checkpoint %s" % f"{proof.witnessed.size:,}", ", ".join(names))


def sha256(content: bytes) -> str:
    """Return SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


# The entries of a round

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
