"""From an entry to a signed checkpoint: what shows that it stood in the record when that was signed."""

import json
from dataclasses import dataclass

from audit.models import Checkpoint, Cosignature, Entry, Incarnation, Seal, SealedHead
from audit.sealing.log import Log, MissingNode, current_incarnation

NEAR = 1000


class NotProven(LookupError):
    """The database lacks what would prove an entry, though a seal covers it; the cause says what."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why an entry is in a signed log.

    The entry is linked by the hashes of `links` further entries (0: it is the sealed head itself) to the head at
    `head_seq` with hash `head` (32 bytes), which `seal` lists. The seal is leaf `seal.number` of the log, and `path`
    leads from its hash to the root of `checkpoint`, the smallest that holds it. `cosignatures` stand under that one.
    Witnesses need not see each checkpoint: `witnessed` is one with a cosignature that holds the seal, with
    `witnessed_path`: the first of the next thousand, or else the newest; None where there is none yet.
    """

    entry: Entry
    seal: Seal
    head_seq: int
    head: bytes
    links: int
    checkpoint: Checkpoint
    path: list[bytes]
    cosignatures: list[Cosignature]
    witnessed: Checkpoint | None
    witnessed_path: list[bytes]


def proof_of(entry: Entry) -> Proof | None:
    """The proof of an entry in the log of the current incarnation; None while no signed seal covers it.

    It is put together and not verified. NotProven where the log was damaged.
    """
    try:
        return _build_proof(entry)
    except (MissingNode, KeyError, TypeError, ValueError) as error:
        raise NotProven(str(error)) from error


def _build_proof(entry: Entry) -> Proof | None:
    incarnation = current_incarnation()
    if incarnation is None:
        return None
    covering = SealedHead.objects.filter(
        stream_id=entry.stream_id, seq__gte=entry.seq, seal__incarnation=incarnation
    )
    sealed = covering.select_related("seal", "stream").order_by("seq", "pk").first()
    if sealed is None:
        return None
    holding = Checkpoint.objects.filter(incarnation=incarnation, size__gt=sealed.seal.number).order_by("size")
    checkpoint = holding.first()
    if checkpoint is None:
        return None
    witnessed = _witnessed_checkpoint(incarnation, sealed.seal.number)
    log, number = Log(incarnation), sealed.seal.number
    return Proof(
        entry=entry,
        seal=sealed.seal,
        head_seq=sealed.seq,
        head=head_in(sealed.seal, sealed.stream.name),
        links=sealed.seq - entry.seq,
        checkpoint=checkpoint,
        path=log.inclusion(number, checkpoint.size),
        cosignatures=list(checkpoint.cosignatures.order_by("name")),
        witnessed=witnessed,
        witnessed_path=log.inclusion(number, witnessed.size) if witnessed else [],
    )


def _witnessed_checkpoint(incarnation: Incarnation, number: int) -> Checkpoint | None:
    """A cosigned checkpoint that holds leaf `number`. A year has millions of checkpoints: it looks at few of them."""
    near = {"size__gt": number, "size__lte": number + NEAR}
    soon = Checkpoint.objects.filter(incarnation=incarnation, cosignatures__isnull=False, **near)
    if first := soon.order_by("size").first():
        return first
    newest = Cosignature.objects.order_by("-pk").select_related("checkpoint").first()
    if newest is None or newest.checkpoint.incarnation_id != incarnation.number:
        return None
    return newest.checkpoint if newest.checkpoint.size > number else None


def head_in(seal: Seal, stream: str) -> bytes:
    """The head (32 bytes) that a seal's body names for a stream; KeyError where it names none."""
    return heads_in(seal)[stream]


def heads_in(seal: Seal) -> dict[str, bytes]:
    """The heads that a seal's body names, by stream."""
    return {head["stream"]: bytes.fromhex(head["head"]) for head in json.loads(bytes(seal.body))["heads"]}
