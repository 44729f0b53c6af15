"""The proof of one entry as a file (FORMAT.md, "The proof of one entry"). A verifier needs nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass

from audit import chain, export
from audit.models import Entry
from audit.sealing.proofs import Proof

MAX_LINES = 20_000  # entries up to the sealed head; a longer chain needs an evidence bundle
BATCH = 500


@dataclass(frozen=True)
class ProofFile:
    """The file's bytes, and the numbers of its first and last entry."""

    content: bytes
    first: int
    last: int


def is_short(proof: Proof) -> bool:
    """Whether the proof fits in a file of its own."""
    return proof.links < MAX_LINES


def proof_file(proof: Proof) -> ProofFile:
    """Write the proof as lines, by the cosigned checkpoint if there is one, else by the smallest with the seal."""
    checkpoint, path = (
        (proof.witnessed, proof.witnessed_path) if proof.witnessed else (proof.checkpoint, proof.path)
    )
    first = {
        "_format": 1,
        "_type": "proof",
        "checkpoint": checkpoint.cosigned,
        "path": [digest.hex() for digest in path],
        "seal": bytes(proof.seal.body).decode(),
    }
    lines = [chain.canonical(first) + b"\n", *_lines(proof)]
    return ProofFile(b"".join(lines), proof.entry.seq, proof.head_seq)


def _lines(proof: Proof) -> Iterator[bytes]:
    entry = proof.entry
    span = Entry.objects.filter(stream_id=entry.stream_id, seq__gte=entry.seq, seq__lte=proof.head_seq)
    rows = span.order_by("seq").values_list("hash", "prev", "body")
    for digest, prev, body in rows.iterator(BATCH):
        yield export.format_line(bytes(digest), bytes(prev), bytes(body))
