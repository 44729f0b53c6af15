"""What is held against an entry while somebody reads its page: its own bytes, its neighbours, its log."""

import hashlib
import json
from dataclasses import dataclass

from audit import chain, merkle, notes
from audit.clock import written
from audit.models import Entry, SigningKey
from audit.record import found_by
from audit.sealing import keys
from audit.sealing.proofs import NotProven, Proof, proof_of

OK, WAITS, BAD = "ok", "waits", "bad"
MOST_LINKS = 2_000  # entries of which the page itself computes the chain up to the sealed head
BATCH = 500


@dataclass(frozen=True)
class Check:
    """One thing that was checked: how it came out (`ok`, `waits`, `bad`), in words, and what it was held against."""

    state: str
    says: str
    more: str = ""


def of_entry(entry: Entry, before: Entry | None, after: Entry | None) -> list[Check]:
    """The entry's own hash, its place in the chain, and the columns by which it is found."""
    return [_own_hash(entry), _before(entry, before), _after(entry, after), _columns(entry)]


def proven(entry: Entry) -> tuple[Proof | None, list[Check]]:
    """What proves an entry, and how each part of that came out; without a proof, why there is none."""
    try:
        proof = proof_of(entry)
    except NotProven as error:
        return None, [Check(BAD, "The log lacks what would prove this entry", str(error))]
    if proof is None:
        return None, [Check(WAITS, "Not sealed yet", "a sealer at work writes a seal once a second")]
    return proof, of_proof(proof)


def of_proof(proof: Proof) -> list[Check]:
    """The links to the sealed head, the seal in its log, the signature and the witnesses."""
    return [_links(proof), _in_the_log(proof), _signature(proof), _witnesses(proof)]


def _own_hash(entry: Entry) -> Check:
    digest = chain.entry_hash(bytes(entry.prev), bytes(entry.body))
    if digest == bytes(entry.hash):
        return Check(OK, "The hash is that of these bytes", "SHA-256, computed now")
    return Check(BAD, "The hash is not that of these bytes", "they give %s" % digest.hex())


def _before(entry: Entry, before: Entry | None) -> Check:
    if entry.seq == 1:
        if bytes(entry.prev) == chain.genesis(entry.stream.name):
            return Check(OK, "It is the first of its stream", "it stands on the name's own hash")
        return Check(BAD, "It is the first of its stream and stands on something else")
    if before is None:
        return Check(BAD, "Entry %s, before it, is missing" % f"{entry.seq - 1:,}")
    if bytes(before.hash) == bytes(entry.prev):
        return Check(OK, "It follows entry %s" % f"{before.seq:,}", "whose hash it names")
    return Check(BAD, "It does not follow entry %s" % f"{before.seq:,}", "whose hash is another one")


def _after(entry: Entry, after: Entry | None) -> Check:
    if after is not None:
        if bytes(after.prev) == bytes(entry.hash):
            return Check(OK, "Entry %s follows it" % f"{after.seq:,}", "and names its hash")
        return Check(BAD, "Entry %s does not follow it" % f"{after.seq:,}", "it names another hash")
    if entry.stream.seq == entry.seq and bytes(entry.stream.head) == bytes(entry.hash):
        return Check(OK, "It is the newest of its stream", "and its hash is the head")
    return Check(BAD, "What follows it is missing", "the stream stands at entry %s" % f"{entry.stream.seq:,}")


def _columns(entry: Entry) -> Check:
    """The columns by which the search found it say what the body says."""
    try:
        said = json.loads(bytes(entry.body))
        told = (
            said["stream"], said["seq"], said["_type"], said["at"], said["gaming_day"],
            said["actor"] or "", said["witness"] or "", *found_by(said["data"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Check(BAD, "The body is not an entry's", "it cannot be read")
    kept = (
        entry.stream.name, entry.seq, entry.type, written(entry.at), entry.gaming_day.isoformat(),
        entry.actor, entry.witness, entry.round, entry.lot, entry.cents,
    )  # fmt: skip
    if told == kept:
        return Check(OK, "It is found by what it says", "the search's columns agree with the body")
    return Check(BAD, "It is found by something else than it says", "a column does not agree with the body")


def _links(proof: Proof) -> Check:
    entry = proof.entry
    sealed = Entry.objects.filter(stream_id=entry.stream_id, seq=proof.head_seq).first()
    if sealed is None or bytes(sealed.hash) != proof.head:
        return Check(
            BAD,
            "Entry %s is not what was sealed" % f"{proof.head_seq:,}",
            "the seal names %s" % proof.head.hex(),
        )
    if proof.links == 0:
        return Check(OK, "Its hash stands in the seal itself")
    more = (
        "1 entry links it to the sealed head"
        if proof.links == 1
        else "%s entries link it to the sealed head" % f"{proof.links:,}"
    )
    if proof.links > MOST_LINKS:
        return Check(WAITS, "The sealed head is there", more + "; a full verification follows them")
    if _chained(proof) != proof.head:
        return Check(BAD, "The chain to the sealed head is broken", more)
    return Check(OK, "Its chain leads to the sealed head", more)


def _chained(proof: Proof) -> bytes:
    """The hash that follows from this entry's through the bodies up to the sealed one."""
    entry, head = proof.entry, bytes(proof.entry.hash)
    later = Entry.objects.filter(stream_id=entry.stream_id, seq__gt=entry.seq, seq__lte=proof.head_seq)
    for body in later.order_by("seq").values_list("body", flat=True).iterator(BATCH):
        head = chain.entry_hash(head, bytes(body))
    return head


def _in_the_log(proof: Proof) -> Check:
    seal, checkpoint = proof.seal, proof.checkpoint
    leaf = merkle.leaf_hash(bytes(seal.body))
    said = {"seal": f"{seal.number:,}", "size": f"{checkpoint.size:,}"}
    if merkle.verify_inclusion(seal.number, checkpoint.size, leaf, proof.path, bytes(checkpoint.root)):
        return Check(
            OK,
            "Seal %(seal)s is in checkpoint %(size)s" % said,
            "by a path of 1 hash" if len(proof.path) == 1 else "by a path of %s hashes" % len(proof.path),
        )
    return Check(BAD, "Seal %(seal)s is not in checkpoint %(size)s" % said, "its path leads to another root")


def _signature(proof: Proof) -> Check:
    checkpoint = proof.checkpoint
    try:
        note = notes.Note.read(checkpoint.note)
        said = notes.Checkpoint.read(note.text)
        signed = note.signed_by(keys.verifier_of(key) for key in SigningKey.objects.all())
    except notes.Malformed as error:
        return Check(BAD, "The checkpoint is not signed as it stands", str(error))
    origin = checkpoint.incarnation.origin
    if (said.origin, said.size, said.root) != (origin, checkpoint.size, bytes(checkpoint.root)):
        return Check(BAD, "The checkpoint signs something else", "size %s" % f"{said.size:,}")
    if not signed:
        return Check(BAD, "No key of the record signed the checkpoint")
    return Check(
        OK, "The checkpoint is signed", ", ".join(f"{key.name}, {key.key_id.hex()}" for key in signed)
    )


def _witnesses(proof: Proof) -> Check:
    if proof.witnessed is None:
        return Check(WAITS, "No witness has cosigned it yet", "the house's own key alone stands behind it")
    names = sorted(set(proof.witnessed.cosignatures.values_list("name", flat=True)))
    return Check(OK, "Cosigned at checkpoint %s" % f"{proof.witnessed.size:,}", ", ".join(names))


def sha256(said: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(said).hexdigest()
