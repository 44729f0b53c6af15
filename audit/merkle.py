"""The Merkle tree of RFC 6962: roots, inclusion and consistency proofs from the hashes of complete subtrees. Pure.

The caller gives the log as a function `node(level, index)`: the hash of the 2^level leaves from index × 2^level, all
of which exist. A root or a proof needs a few dozen of them, however long the log is. Hashes have 32 bytes.
"""

import hashlib
from collections.abc import Callable, Sequence

Lookup = Callable[[int, int], bytes]
HASH_BYTES = 32
EMPTY = hashlib.sha256(b"").digest()  # the root of an empty log


def leaf_hash(body: bytes) -> bytes:
    """The hash of a leaf with this body."""
    return hashlib.sha256(b"\0" + body).digest()


def node_hash(left_hash: bytes, right_hash: bytes) -> bytes:
    """The hash of a node above two nodes."""
    return hashlib.sha256(b"\1" + left_hash + right_hash).digest()


def subtree_hash(hashes: Sequence[bytes]) -> bytes:
    """The hash of the subtree above these nodes of one level, whose number is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def root(size: int, node: Lookup) -> bytes:
    """The root of the first `size` leaves; `EMPTY` if there are none."""
    return _hash_of(0, size, node) if size > 0 else EMPTY


def inclusion(index: int, size: int, node: Lookup) -> list[bytes]:
    """The audit path of the leaf `index` (from 0) in the tree of `size` leaves, from the leaf up.

    Raises ValueError if the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"A log of {size} leaves has no leaf {index}.")
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _left_of(end - begin)
        if index < middle:
            path.append(_hash_of(middle, end, node))
            end = middle
        else:
            path.append(_hash_of(begin, middle, node))
            begin = middle
    return path[::-1]


def consistency(old: int, new: int, node: Lookup) -> list[bytes]:
    """The proof that the tree of `new` leaves begins with the tree of `old` leaves; empty if `old` is 0 or `new`.

    Raises ValueError if `old` is larger.
    """
    if not 0 <= old <= new:
        raise ValueError(f"A log of {new} leaves does not extend one of {old}.")
    if old in (0, new):
        return []
    proof: list[bytes] = []
    begin, end = 0, new
    while old != end:
        middle = begin + _left_of(end - begin)
        if old <= middle:
            proof.append(_hash_of(middle, end, node))
            end = middle
        else:
            proof.append(_hash_of(begin, middle, node))
            begin = middle
    if begin > 0:  # otherwise this is the old root, which the reader has
        proof.append(_hash_of(begin, end, node))
    return proof[::-1]


def completed(index: int, leaf: bytes, node: Lookup) -> list[tuple[int, int, bytes]]:
    """The subtrees that appending the leaf `index` completes: level, index and hash, from the leaf itself up."""
    nodes = [(0, index, leaf)]
    level, place, digest = 0, index, leaf
    while place % 2:
        digest = node_hash(node(level, place - 1), digest)
        level, place = level + 1, place // 2
        nodes.append((level, place, digest))
    return nodes


def verify_inclusion(index: int, size: int, leaf: bytes, path: Sequence[bytes], root: bytes) -> bool:
    """Whether the path leads from this leaf's hash, at `index` of `size` leaves, to this root."""
    if not 0 <= index < size or len(leaf) != HASH_BYTES or not _are_hashes(path):
        return False
    place, last, digest = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if place % 2 or place == last:
            digest = node_hash(sibling, digest)
            while place % 2 == 0 and place:
                place, last = place // 2, last // 2
        else:
            digest = node_hash(digest, sibling)
        place, last = place // 2, last // 2
    return last == 0 and digest == root


def _hash_of(begin: int, end: int, node: Lookup) -> bytes:
    """The hash of the leaves from `begin` to before `end`, which are one node of the RFC 6962 tree."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return node(level, begin >> level)
    middle = begin + _left_of(count)
    return node_hash(_hash_of(begin, middle, node), _hash_of(middle, end, node))


def _left_of(count: int) -> int:
    """The number of leaves in the left subtree of `count` leaves (2 or more): the largest power of two below it."""
    return 1 << ((count - 1).bit_length() - 1)


def _are_hashes(proof: Sequence[bytes]) -> bool:
    return all(len(digest) == HASH_BYTES for digest in proof)
