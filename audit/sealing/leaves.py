"""A leaf of the log: its effect on the tree, and its rows in the database."""

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from audit import merkle, notes
from audit.models import Checkpoint, Node, Seal, SealedHead, Stream
from audit.sealing.log import Log, MissingNode
from audit.sealing.problems import SealingProblem
from audit.sealing.state import Pending


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


def write(log: Log, pending: Pending, root_before: bytes | None) -> Checkpoint:
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
            Node(**log.rows, level=level, index=index, hash=digest) for level, index, digest in leaf.nodes
        )
        return Checkpoint.objects.create(
            **log.rows, size=signed.size, root=signed.root, note=pending.note, at=moment
        )


def _listed(seal: Seal, heads: list[dict[str, Any]]) -> list[SealedHead]:
    names = [head["stream"] for head in heads]
    streams = dict(Stream.objects.filter(name__in=names).values_list("name", "pk"))
    return [SealedHead(seal=seal, stream_id=streams[head["stream"]], seq=head["seq"]) for head in heads]
