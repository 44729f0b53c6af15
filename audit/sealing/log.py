"""An incarnation's log in the database: its size, roots and proofs. Reads only."""

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TypeVar

from django.db.models import Q

from audit import merkle
from audit.models import Checkpoint, Incarnation, Node, Seal

Made = TypeVar("Made")


class MissingNode(LookupError):
    """The database has lost a node of the log. The arguments are its level and index."""


def current_incarnation() -> Incarnation | None:
    """The current incarnation, or None before the first sealer."""
    return Incarnation.objects.order_by("-number").first()


class Log:
    """The log of one incarnation, as the database has it at the time of each call."""

    def __init__(self, incarnation: Incarnation) -> None:
        self.incarnation = incarnation

    @property
    def size(self) -> int:
        """The number of leaves."""
        newest = Seal.objects.filter(incarnation=self.incarnation).order_by("-number")
        number = newest.values_list("number", flat=True).first()
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
        return Checkpoint.objects.filter(incarnation=self.incarnation).order_by("-size").first()

    def with_nodes(self, make: Callable[[merkle.Lookup], Made]) -> Made:
        """Call `make` with a lookup of the log's nodes, reading all nodes that it needs in one statement.

        `make` runs twice: first to collect the positions, then with the hashes.
        """
        positions: list[tuple[int, int]] = []

        def ask(level: int, index: int) -> bytes:
            positions.append((level, index))
            return bytes(merkle.HASH_BYTES)

        make(ask)
        hashes = self._node_hashes(positions)

        def look(level: int, index: int) -> bytes:
            if (level, index) not in hashes:
                raise MissingNode(level, index)
            return hashes[level, index]

        return make(look)

    def _node_hashes(self, places: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        if not places:
            return {}
        condition = reduce(or_, (Q(level=level, index=index) for level, index in places))
        nodes = Node.objects.filter(condition, incarnation=self.incarnation)
        return {
            (level, index): bytes(digest)
            for level, index, digest in nodes.values_list("level", "index", "hash")
        }
