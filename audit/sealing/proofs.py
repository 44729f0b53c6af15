"""The proof that an entry was in the record when a checkpoint was signed."""

import json
from dataclasses import dataclass

from audit.models import Checkpoint, Cosignature, Entry, Seal, SealedHead
from audit.sealing.log import INSTALLATION_FACILITY, Log, MissingNode, facility_log

NEAR = 1000


class NotProven(LookupError):
    """A seal covers the entry, but the database lacks part of its proof. The cause says which."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that an entry is in a signed log.

    The hashes of `links` further entries (0: it is the sealed head itself) connect the entry with the head at
    `head_seq` with hash `head` (32 bytes), which `seal` lists. The seal is leaf `seal.number` of the log, and `path`
    leads from its hash to the root of `checkpoint`, the smallest that includes it, with its `cosignatures`.
    Witnesses need not see each checkpoint. `witnessed` is a cosigned checkpoint that includes the seal, with its
    `witnessed_path`: the first of the next thousand, else the newest, else None.
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


def proof_of(entry: Entry, facility: str = "") -> Proof | None:
    """Build the proof of an entry in its facility's log of the current incarnation. None while no seal covers it.

    An entry of the installation is in every log: it is proven in that of this facility, or in the first log. Does not
    verify it. Raises NotProven if the log is damaged.
    """
    if entry.stream.facility != INSTALLATION_FACILITY:
        facility = entry.stream.facility
    log = facility_log(facility)
    try:
        return _build_proof(entry, log) if log else None
    except (MissingNode, KeyError, TypeError, ValueError) as error:
        raise NotProven(str(error)) from error


def _build_proof(entry: Entry, log: Log) -> Proof | None:
    covering = SealedHead.objects.filter(
        stream_id=entry.stream_id,
        seq__gte=entry.seq,
        seal__incarnation=log.incarnation,
        seal__facility=log.facility,
    )
    sealed = covering.select_related("seal", "stream").order_by("seq", "pk").first()
    if sealed is None:
        return None
    number = sealed.seal.number
    checkpoint = log.checkpoints.filter(size__gt=number).order_by("size").first()
    if checkpoint is None:
        return None
    witnessed = _witnessed_checkpoint(log, number)
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


def _witnessed_checkpoint(log: Log, number: int) -> Checkpoint | None:
    """A cosigned checkpoint that includes leaf `number`. Reads few rows: a year has millions of checkpoints."""
    near = {"size__gt": number, "size__lte": number + NEAR}
    soon = log.checkpoints.filter(cosignatures__isnull=False, **near)
    if first := soon.order_by("size").first():
        return first
    newest = log.cosignatures().select_related("checkpoint").first()
    return newest.checkpoint if newest and newest.checkpoint.size > number else None


def head_in(seal: Seal, stream: str) -> bytes:
    """The head (32 bytes) of a stream in a seal's body. Raises KeyError."""
    return heads_in(seal)[stream]


def heads_in(seal: Seal) -> dict[str, bytes]:
    """The heads in a seal's body, by stream."""
    return {head["stream"]: bytes.fromhex(head["head"]) for head in json.loads(bytes(seal.body))["heads"]}
