"""The tree of RFC 6962 agrees with pymerkle and with published vectors, and refuses what they refuse."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree
from pymerkle import verify_consistency as their_consistency
from pymerkle import verify_inclusion as their_inclusion

from audit import merkle, verify

SIZES = range(1, 301)


class Grown:
    """A log of so many leaves, grown leaf by leaf from what each one completes."""

    def __init__(self, bodies):
        self.held: dict[tuple[int, int], bytes] = {}
        self.leaves = [merkle.leaf_hash(body) for body in bodies]
        for index, leaf in enumerate(self.leaves):
            for level, place, digest in merkle.completed(index, leaf, self.node):
                assert (level, place) not in self.held
                self.held[level, place] = digest
        self.roots = [merkle.root(size, self.node) for size in range(len(self.leaves) + 1)]

    def node(self, level, index):
        return self.held[level, index]


BODIES = [b"leaf %d" % number for number in range(300)]


@pytest.fixture(scope="module")
def log():
    return Grown(BODIES)


@pytest.fixture(scope="module")
def theirs():
    tree = InmemoryTree(algorithm="sha256")
    for body in BODIES:
        tree.append_entry(body)
    return tree


def test_every_root_to_300_is_pymerkles(log, theirs):
    assert [log.roots[size] for size in SIZES] == [theirs.get_root(size) for size in SIZES]


def test_every_audit_path_to_300_is_pymerkles(log, theirs):
    # All leaves of each size to 64, and in larger trees the leaves at the edges of whole subtrees.
    for size in SIZES:
        edges = {index for power in range(9) for index in (2**power - 1, 2**power, size - 2**power)}
        for index in range(size) if size <= 64 else sorted(edges & set(range(size))):
            path = merkle.inclusion(index, size, log.node)
            assert [log.leaves[index], *path] == theirs.prove_inclusion(index + 1, size).path
            assert merkle.verify_inclusion(index, size, log.leaves[index], path, log.roots[size])


def test_every_audit_path_of_300_leads_to_its_root(log, theirs):
    for index in range(300):
        path = merkle.inclusion(index, 300, log.node)
        assert merkle.verify_inclusion(index, 300, log.leaves[index], path, theirs.get_root())
    their_inclusion(log.leaves[7], log.roots[300], theirs.prove_inclusion(8, 300))


def test_every_consistency_proof_to_64_holds_between_pymerkles_roots(log, theirs):
    roots = [merkle.EMPTY, *[theirs.get_root(size) for size in SIZES]]
    pairs = [(old, new) for new in range(1, 65) for old in range(new + 1)]
    pairs += [(old, new) for new in (127, 128, 129, 255, 256, 257, 299, 300) for old in range(new + 1)]
    for old, new in pairs:
        proof = merkle.consistency(old, new, log.node)
        assert verify.is_consistent(old, new, proof, roots[old], roots[new]), (old, new)
        if 0 < old < new:
            assert not verify.is_consistent(old, new, proof, roots[old - 1], roots[new]), (old, new)
            assert not verify.is_consistent(old, new, proof, roots[old], roots[new - 1]), (old, new)
    their_consistency(log.roots[100], log.roots[300], theirs.prove_consistency(100, 300))


# github.com/transparency-dev/merkle, proof/verify_test.go: the vectors of certificate-transparency-go and Go's tlog.
LEAVES = [
    bytes.fromhex(said)
    for said in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657",
                 "606162636465666768696a6b6c6d6e6f")
]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
A, B = (
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
)
C, D = (
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
)
E, F = (
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
)
G = "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f"
PATHS = [(0, 8, [A, B, C]), (5, 8, [D, E, ROOTS[3]]), (2, 3, [ROOTS[1]]), (1, 5, [ROOTS[0], B, D])]
PROOFS = [(1, 1, []), (1, 8, [A, B, C]), (6, 8, [F, E, ROOTS[3]]), (2, 5, [B, D]), (6, 7, [F, G, ROOTS[3]])]


@pytest.fixture(scope="module")
def published():
    return Grown(LEAVES)


def test_the_published_roots_come_out(published):
    assert [digest.hex() for digest in published.roots[1:]] == ROOTS
    assert published.roots[0] == hashlib.sha256().digest()


@pytest.mark.parametrize(("index", "size", "path"), PATHS)
def test_the_published_audit_paths_come_out(published, index, size, path):
    made = merkle.inclusion(index, size, published.node)
    assert [digest.hex() for digest in made] == path
    leaf, root = published.leaves[index], published.roots[size]
    assert merkle.verify_inclusion(index, size, leaf, made, root)
    wrong = [
        (index - 1, size, leaf, made, root),
        (index + 1, size, leaf, made, root),
        (index ^ 2, size, leaf, made, root),
        (index, size * 2, leaf, made, root),
        (index, size // 2, leaf, made, root),
        (index, size, b"wrong", made, root),
        (index, size, leaf, made, merkle.EMPTY),
        (index, size, leaf, [*made, b""], root),
        (index, size, leaf, [*made, root], root),
        (index, size, leaf, [b"", *made], root),
        (index, size, leaf, [root, *made], root),
        (index, size, leaf, made[:-1], root),
    ]
    assert not any(merkle.verify_inclusion(*case) for case in wrong)


@pytest.mark.parametrize(("old", "new", "proof"), PROOFS)
def test_the_published_consistency_proofs_come_out(published, old, new, proof):
    made = merkle.consistency(old, new, published.node)
    assert [digest.hex() for digest in made] == proof
    was, now = published.roots[old], published.roots[new]
    assert verify.is_consistent(old, new, made, was, now)
    if not made:
        return
    wrong = [
        (old - 1, new, made, was, now),
        (old + 1, new, made, was, now),
        (old ^ 2, new, made, was, now),
        (old, new * 2, made, was, now),
        (old, new // 2, made, was, now),
        (old, new, made, b"wrong", now),
        (old, new, made, was, b"wrong"),
        (old, new, made, now, was),
        (old, new, [], was, now),
        (old, new, [*made, b""], was, now),
        (old, new, [*made, was], was, now),
        (old, new, [*made, now], was, now),
        (old, new, [was, *made], was, now),
        (old, new, [made[0], *made], was, now),
        (old, new, made[:-1], was, now),
    ]
    assert not any(verify.is_consistent(*case) for case in wrong)


def test_a_log_is_consistent_with_itself_and_with_nothing():
    root, other = b"r" * 32, b"o" * 32
    assert verify.is_consistent(0, 0, [], merkle.EMPTY, merkle.EMPTY)
    assert verify.is_consistent(0, 5, [], merkle.EMPTY, root)
    assert verify.is_consistent(5, 5, [], root, root)
    assert not verify.is_consistent(5, 5, [], root, other)
    assert not verify.is_consistent(5, 5, [root], root, root)
    assert not verify.is_consistent(0, 5, [root], merkle.EMPTY, root)
    assert not verify.is_consistent(1, 2, [], root, other)


def test_a_log_has_no_proof_of_what_it_never_held(log):
    for make in (
        lambda: merkle.inclusion(3, 3, log.node),
        lambda: merkle.inclusion(-1, 3, log.node),
        lambda: merkle.consistency(4, 3, log.node),
    ):
        with pytest.raises(ValueError):
            make()
    assert not merkle.verify_inclusion(0, 0, bytes(32), [], merkle.EMPTY)


@given(st.integers(1, 300), st.data())
def test_a_changed_proof_is_never_accepted(log, size, data):
    old = data.draw(st.integers(1, size))
    proof = merkle.consistency(old, size, log.node)
    if not proof:
        return
    place, bit = data.draw(st.integers(0, len(proof) - 1)), data.draw(st.integers(0, 255))
    changed = bytearray(proof[place])
    changed[bit // 8] ^= 1 << bit % 8
    wrong = [*proof[:place], bytes(changed), *proof[place + 1 :]]
    assert not verify.is_consistent(old, size, wrong, log.roots[old], log.roots[size])
