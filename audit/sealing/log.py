"""A facility's log in the database: its size, roots and proofs, and the proof of one entry. Reads only.

Each facility has a log of its own in each incarnation, so that what leaves the casino names no other facility. The
incarnation's **first log** has the incarnation's origin, and belongs to the facility whose stream it sealed first.
Until then it has the streams of the installation only. Every other log has its facility's code in its origin. A first
log from before, which lists several facilities, has ended: each of them has a log with its code.

`proof_of` shows that an entry was in the record when a checkpoint was signed.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any, TypeVar

from django.db.models import Q, QuerySet, Value

from audit import merkle
from audit.models import Checkpoint, Cosignature, Entry, Incarnation, Node, Seal, SealedHead
from audit.record import INSTALLATION

Made = TypeVar("Made")
INSTALLATION_FACILITY = INSTALLATION.partition("/")[0]
SEALS_AT_ONCE = 20
# A page or bundle of a log that no witness cosigns must not read a year of another log's cosignatures.
CHECKPOINTS_SEARCHED = 100_000


class MissingNode(LookupError):
    """The database has lost a node or a leaf of the log. The arguments are its level and index."""


class Log:
    """The log of a facility in one incarnation, as the database has it at the time of each call.

    `facility` is the facility's code, or "" for the first log of the incarnation.
    """

    def __init__(self, incarnation: Incarnation, facility: str = "") -> None:
        self.incarnation, self.facility = incarnation, facility
        self.rows: dict[str, Any] = {"incarnation": incarnation, "facility": facility}

    @property
    def origin(self) -> str:
        """The name of the log, which is the first line of each of its checkpoints."""
        if not self.facility:
            return self.incarnation.origin
        base, _slash, number = self.incarnation.origin.rpartition("/")
        return f"{base}/{self.facility}/{number}"

    @property
    def key(self) -> list[Any]:
        """Its columns in every table of seals, for statements: the incarnation's number, and the facility."""
        return [self.incarnation.number, self.facility]

    @property
    def seals(self) -> QuerySet[Seal]:
        """The leaves."""
        return Seal.objects.filter(**self.rows)

    @property
    def checkpoints(self) -> QuerySet[Checkpoint]:
        """The signed states."""
        return Checkpoint.objects.filter(**self.rows)

    @property
    def size(self) -> int:
        """The number of leaves."""
        number = self.seals.order_by("-number").values_list("number", flat=True).first()
        return 0 if number is None else number + 1

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves. Raises MissingNode."""
        return self.with_nodes(lambda node: merkle.root(size, node))

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The audit path of the leaf `index` in the first `size` leaves. Raises ValueError and MissingNode."""
        return self.with_nodes(lambda node: merkle.inclusion(index, size, node))

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The proof that the first `new` leaves begin with the first `old`. Raises ValueError and MissingNode."""
        return self.with_nodes(lambda node: merkle.consistency(old, new, node))

    def newest(self) -> Checkpoint | None:
        """The largest signed checkpoint, or None."""
        return self.checkpoints.order_by("-size").first()

    def cosignatures(self) -> QuerySet[Cosignature]:
        """The cosignatures of its checkpoints, newest checkpoint first.

        Beside other logs, only those of the last CHECKPOINTS_SEARCHED checkpoints of the record up to its newest one.
        """
        first, newest = self.checkpoints.order_by("size").first(), self.newest()
        if first is None or newest is None:
            return Cosignature.objects.none()
        alone = len(log_facilities(self.incarnation)) == 1
        since = first.pk if alone else max(first.pk, newest.pk - CHECKPOINTS_SEARCHED)
        cosignatures = Cosignature.objects.filter(
            checkpoint_id__gte=since,
            checkpoint_id__lte=newest.pk,
            checkpoint__incarnation=self.incarnation,
            checkpoint__facility=self.facility,
        )
        return cosignatures.order_by("-checkpoint_id", "-pk")

    def with_nodes(self, make: Callable[[merkle.Lookup], Made]) -> Made:
        """Call `make` with a lookup of the log's nodes, reading all that it needs in one statement or two.

        `make` runs twice: first to collect the positions, then with the hashes.
        """
        positions: list[tuple[int, int]] = []

        def ask(level: int, index: int) -> bytes:
            positions.append((level, index))
            return bytes(merkle.HASH_BYTES)

        make(ask)
        hashes = self._stored_hashes({below for place in positions for below in stored_below(*place)})

        def look(level: int, index: int) -> bytes:
            return merkle.subtree_hash([stored(*below) for below in stored_below(level, index)])

        def stored(level: int, index: int) -> bytes:
            if (level, index) not in hashes:
                raise MissingNode(level, index)
            return hashes[level, index]

        return make(look)

    def _stored_hashes(self, places: set[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        indices: dict[int, list[int]] = defaultdict(list)
        for level, index in places:
            indices[level].append(index)
        leaves = indices.pop(0, [])
        seals = self.seals.filter(number__in=leaves).values_list(Value(0), "number", "leaf") if leaves else []
        nodes: Iterable[tuple[int, int, Any]] = []
        if indices:
            condition = reduce(or_, (Q(level=level, index__in=listed) for level, listed in indices.items()))
            nodes = Node.objects.filter(condition, **self.rows).values_list("level", "index", "hash")
        return {(level, index): bytes(digest) for level, index, digest in chain(seals, nodes)}


def is_stored(level: int) -> bool:
    """Whether the nodes of this level have rows. Leaves, level 0, are in their seals."""
    return level > 0 and level % Node.LEVELS_APART == 0


def stored_below(level: int, index: int) -> list[tuple[int, int]]:
    """The nodes of the nearest level with rows, or the leaves, that make up a node; itself if its level has rows."""
    below = level % Node.LEVELS_APART
    return [(level - below, place) for place in range(index << below, (index + 1) << below)]


def current_incarnation() -> Incarnation | None:
    """The current incarnation, or None before the first sealer."""
    return Incarnation.objects.order_by("-number").first()


def facility_log(facility: str, incarnation: Incarnation | None = None) -> Log | None:
    """The log of a facility (a code) in the current incarnation, or in this one. None before the first sealer.

    A facility of which nothing was sealed yet has an empty log, or the first one if that names no facility. Without a
    facility, it is the first log.
    """
    incarnation = incarnation or current_incarnation()
    if incarnation is None:
        return None
    own = Log(incarnation, facility)
    if facility and not own.seals.exists() and first_facility(incarnation) in ("", facility):
        return Log(incarnation)
    return own


def first_facility(incarnation: Incarnation) -> str:
    """The facility that has the incarnation's first log: that of the first stream it sealed of any facility, or "".

    A log from before each facility had its own lists streams of several. It is the first of them until the sealer has
    begun the logs that follow.
    """
    for listed in _listed_streams(Log(incarnation)):
        for stream in listed:
            if (facility := facility_of(stream)) != INSTALLATION_FACILITY:
                return facility
    return ""


def _listed_streams(log: Log) -> Iterator[list[str]]:
    """Yield the streams that each seal lists, in their order. A seal that cannot be read lists none."""
    start = 0
    while (
        seals := log.seals.filter(number__gte=start).order_by("number").only("number", "body")[:SEALS_AT_ONCE]
    ):
        for seal in seals:
            start = seal.number + 1
            try:
                yield [str(head["stream"]) for head in json.loads(bytes(seal.body))["heads"]]
            except (ValueError, KeyError, TypeError, RecursionError):
                yield []


def facility_of(stream: str) -> str:
    """The code of the facility in the name of a stream, before the slash."""
    return stream.partition("/")[0]


def log_facilities(incarnation: Incarnation) -> list[str]:
    """The facilities of the logs that the database has in an incarnation, in order; "" is the first log.

    Looks for one after another in the index: counting the seals of a year would take too long.
    """
    facilities = {""}
    for model in (Seal, Checkpoint):
        rows = model.objects.filter(incarnation=incarnation).order_by("facility")
        facility = rows.filter(facility__gt="").values_list("facility", flat=True).first()
        while facility:
            facilities.add(facility)
            facility = rows.filter(facility__gt=facility).values_list("facility", flat=True).first()
    return sorted(facilities)


def logs_of(incarnation: Incarnation) -> list[Log]:
    """The logs that the database has in an incarnation, the first one first."""
    return [Log(incarnation, facility) for facility in log_facilities(incarnation)]


# The proof of an entry


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
    sealed = covering.select_related("seal", "stream").order_by("seq", "seal").first()
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
