"""The witness: it signs only what grew from what it knows, and remembers before it signs."""

import contextlib
import hashlib
import http.client
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit import merkle, notes, verify, witness

from . import test_notes as published

ORIGIN = "log.example/record/1"
SIGNER = notes.Signer("log.example/record", bytes(range(32)))
COSIGNER = notes.Signer("witness.example/w1", bytes(range(32, 64)), notes.COSIGNATURE)
LEAVES = [merkle.leaf_hash(b"%d" % number) for number in range(40)]
FORKED = [*LEAVES[:5], *(merkle.leaf_hash(b"other %d" % number) for number in range(35))]


def subtree(leaves):
    def node(level, index):
        if level == 0:
            return leaves[index]
        return merkle.node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    return node


def note_of(size, leaves=LEAVES, origin=ORIGIN, signer=SIGNER):
    return notes.sign(notes.Checkpoint(origin, size, merkle.root(size, subtree(leaves))).text, [signer])


def request(old, size, leaves=LEAVES, **how):
    proof = merkle.consistency(old, size, subtree(leaves)) if old <= size else []
    lines = [f"old {old}\n", *(f"{notes.base64_of(digest)}\n" for digest in proof), "\n"]
    return ("".join(lines) + note_of(size, leaves, **how)).encode()


class Desk:
    """A witness that serves in this process."""

    def __init__(self, folder):
        self.folder = folder
        self.server = self.thread = None
        self.open()

    def open(self):
        state = witness.State(str(self.folder / "state.json"))
        cosigner = witness.Cosigner(COSIGNER.name, COSIGNER.seed)
        keys = [witness.LogKey(SIGNER.verifier.vkey)]
        try:
            self.witness = witness.Witness(
                keys,
                [ORIGIN],
                cosigner,
                state,
                witness.Copies(str(self.folder / "copies")),
                lambda: 1_800_000_000,
            )
        except ValueError:
            state.close()
            raise
        self.server = witness.Server(("127.0.0.1", 0), self.witness)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        self.witness.state.close()

    def post(self, body, path="/add-checkpoint", method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body)
        answer = connection.getresponse()
        said = answer.status, answer.read().decode(), answer.headers["Content-Type"]
        connection.close()
        return said

    def known(self):
        return self.witness.state.known(ORIGIN)[0]


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.close()


def test_it_cosigns_what_grows_and_each_signature_is_one_of_c2sp(desk):
    for old, size in ((0, 3), (3, 4), (4, 4), (4, 40)):
        status, line, kind = desk.post(request(old, size))
        assert (status, kind) == (200, "text/plain; charset=utf-8")
        text = notes.Note.read(note_of(size)).text
        assert line == COSIGNER.signature(text, 1_800_000_000).line
        assert COSIGNER.verifier.verifies(text, notes.Signature.read(line.rstrip("\n")))
    assert desk.known() == 40


def test_a_size_that_it_does_not_know_is_answered_with_the_one_that_it_knows(desk):
    assert desk.post(request(3, 5)) == (409, "0\n", "text/x.tlog.size")
    desk.post(request(0, 7))
    for old, size in ((0, 9), (3, 9), (8, 9), (0, 5), (0, 7)):
        assert desk.post(request(old, size)) == (409, "7\n", "text/x.tlog.size")
    assert desk.known() == 7


def test_a_fork_at_the_same_size_and_one_beyond_it_are_refused(desk):
    desk.post(request(0, 20))
    status, why, kind = desk.post(request(20, 20, FORKED))
    assert (status, kind) == (422, "text/plain; charset=utf-8") and "there are two logs" in why
    assert desk.post(request(20, 30, FORKED))[0] == 422
    assert desk.post(request(20, 30).replace(b"old 20\n", b"old 20\n" + b"A" * 43 + b"=\n"))[0] == 422
    assert desk.known() == 20
    assert desk.post(request(20, 30))[0] == 200


def test_an_empty_log_with_another_root_is_refused_like_a_fork(desk):
    """C2SP tlog-witness: the root of size 0 is that of no leaf."""
    text = notes.Checkpoint(ORIGIN, 0, bytes(32)).text
    assert desk.post(b"old 0\n\n" + notes.sign(text, [SIGNER]).encode())[0] == 422
    assert desk.known() == 0


def test_anybody_may_read_the_newest_checkpoint_that_it_cosigned(desk):
    """C2SP tlog-witness: `GET <monitoring prefix>/<SHA-256 of the origin>/checkpoint`."""
    path = "/%s/checkpoint" % hashlib.sha256(ORIGIN.encode()).hexdigest()
    assert desk.post(b"", path=path, method="GET")[0] == 404
    for old, size in ((0, 3), (3, 7)):
        line = desk.post(request(old, size))[1]
        said = (200, note_of(size) + line, "text/plain; charset=utf-8")
        assert desk.post(b"", path=path, method="GET") == said
    assert desk.post(request(7, 7, FORKED))[0] == 422
    assert desk.post(b"", path=path, method="GET") == said
    desk.witness.cosigned.clear()  # as after a restart: it has signed this state, and may sign it again
    again = notes.Note.read(desk.post(b"", path=path, method="GET")[1])
    assert again.text == notes.Note.read(note_of(7)).text
    assert [COSIGNER.verifier.verifies(again.text, signed) for signed in again.signatures].count(True) == 1
    for other in (
        "/checkpoint",
        path + "/",
        path.replace("checkpoint", "size"),
        path.upper(),
        "/" + "0" * 64 + "/checkpoint",
    ):
        assert desk.post(b"", path=other, method="GET")[0] == 404


def test_the_first_proof_and_one_for_the_same_size_are_empty(desk):
    more = b"A" * 43 + b"=\n"
    assert desk.post(request(0, 7).replace(b"old 0\n", b"old 0\n" + more))[0] == 422
    desk.post(request(0, 7))
    assert desk.post(request(7, 7).replace(b"old 7\n", b"old 7\n" + more))[0] == 422


def test_strangers_are_turned_away(desk):
    assert desk.post(request(0, 3, origin="other.example/log"))[0] == 404
    assert desk.post(request(0, 3, signer=notes.Signer(SIGNER.name, bytes(32))))[0] == 403
    broken = note_of(3).rstrip("\n")
    broken = broken[:-6] + ("AAAAA=" if broken[-6:] != "AAAAA=" else "BBBBA=")
    assert desk.post(b"old 0\n\n" + broken.encode() + b"\n")[0] in (400, 403)
    assert desk.post(request(4, 3))[0] == 400
    assert desk.post(request(0, 3), path="/other")[0] == 404
    assert desk.post(b"", method="GET")[0] == 404
    assert desk.post(b"", method="PUT")[0] == 501
    assert desk.known() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\n", b"old\n\n", b"old 00\n\n", b"old -1\n\n", b"old 0\nx\n\n", b"old 0\n", b"\xff" * 90,
        request(0, 3)[:-1], request(0, 3).replace(b"\n3\n", b"\n03\n"), request(0, 3).replace(b"old 0", b"old  0"),
        b"old 0\n" + b"\n".join([b"A" * 43 + b"="] * 64) + b"\n\n" + note_of(3).encode(), b"old 9" + b"9" * 30,
        request(0, 3).replace(b"\n\n", b"\r\n\r\n"), b"x" * 300_000,
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_as_such(desk, body):
    assert desk.post(body)[0] == 400
    assert desk.known() == 0


def test_a_note_may_have_signatures_of_others_and_lines_for_extensions(desk):
    text = notes.Checkpoint(ORIGIN, 3, merkle.root(3, subtree(LEAVES))).text + "an extension\n"
    stranger = notes.Signer("else.example", bytes(32))
    status, line, _kind = desk.post(b"old 0\n\n" + notes.sign(text, [stranger, SIGNER]).encode())
    assert status == 200
    assert COSIGNER.verifier.verifies(text, notes.Signature.read(line.rstrip("\n")))


def test_of_two_checkpoints_in_a_race_one_wins_and_the_state_never_goes_back(desk):
    for old in range(3, 33, 3):
        desk.post(request(old - 3, old))
        sizes = [old + 1, old + 2, old + 1, old + 2]
        with ThreadPoolExecutor(4) as pool:
            found = [answer[0] for answer in pool.map(desk.post, [request(old, size) for size in sizes])]
        assert sorted(set(found)) == [200, 409]
        winner = desk.known()
        assert [status for status, size in zip(found, sizes, strict=True) if size != winner] == [409, 409]
        desk.post(request(winner, old + 3))


def test_it_remembers_before_it_signs(desk, monkeypatch):
    """Whatever breaks after the state was stored, the answer is none, and the next request goes on from the state."""
    desk.post(request(0, 3))

    def broken(*_arguments):
        raise OSError("no room left")

    with monkeypatch.context() as broke:
        broke.setattr(desk.witness.copies, "keep", broken)
        assert desk.post(request(3, 6))[0] == 500
    assert desk.post(request(3, 7)) == (409, "6\n", "text/x.tlog.size")
    assert desk.post(request(6, 6))[0] == 200
    with monkeypatch.context() as broke:
        broke.setattr(witness.os, "replace", broken)
        assert desk.post(request(6, 9))[0] == 500
    assert desk.known() == 6
    assert desk.post(request(6, 9))[0] == 200


def test_every_signed_checkpoint_is_copied_and_no_copy_is_overwritten(desk, tmp_path):
    for old, size in ((0, 3), (3, 9), (9, 9)):
        desk.post(request(old, size))
    files = sorted(path for path in (tmp_path / "copies").rglob("*") if path.is_file())
    assert [path.name for path in files] == ["3.txt", "9.txt"]
    assert files[1].read_text().startswith("old 3\n")
    before = files[1].read_bytes()
    desk.witness.copies.keep(witness.Note(note_of(9)), 0, [], "— x AAAA\n")
    assert files[1].read_bytes() == before
    held = witness.read_request(before)[2]
    assert len(held.signatures) == 2 and COSIGNER.verifier.key_id in {one[1] for one in held.signatures}


def test_a_state_that_went_back_or_is_gone_stops_it(desk, tmp_path):
    state = tmp_path / "state.json"
    desk.post(request(0, 3))
    old = state.read_bytes()
    desk.post(request(3, 9))
    desk.close()
    for wrong, why in (
        (old, "the state was rolled back"), (None, "the state was rolled back"), (b"{}", "damaged"), (b"", "damaged"),
        (old.replace(b"record/1", b"record/2"), "the state was rolled back"),
    ):  # fmt: skip
        newest = state.read_bytes() if state.exists() else b""
        state.unlink(missing_ok=True)
        if wrong is not None:
            state.write_bytes(wrong)
        with pytest.raises(ValueError, match=why):
            desk.open()
        state.write_bytes(newest)
    state.unlink()
    for path in (tmp_path / "copies").rglob("*.txt"):
        path.unlink()
    desk.open()
    assert desk.known() == 0


def test_one_process_holds_a_state(desk, tmp_path):
    with pytest.raises(ValueError, match="another witness is using the state"):
        witness.State(str(tmp_path / "state.json"))


GARBAGE = [
    b"", b"\0" * 500, b"\xff\xfe\r\n\r\n", b"POST\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST " + b"/" * 70_000,
    b"POST /add-checkpoint HTTP/1.1\r\n\r\n", b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 999999\r\n\r\n" + b"x" * 100,
    b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 50\r\n\r\nold 0\n",
    b"POST /add-checkpoint HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n",
    b"POST /add-checkpoint HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % one for one in range(200)) + b"\r\n",
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_on_the_socket_hurts_nobody_else(desk, garbage):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", desk.port), timeout=5) as wire:
        wire.sendall(garbage)
        wire.shutdown(socket.SHUT_WR)
        answer = wire.recv(100)
        assert answer == b"" or re.match(rb"HTTP/1.1 [45]\d\d |this is not a request", answer)
    assert desk.post(request(0, 3))[0] == 200


@settings(max_examples=200)
@given(
    st.binary(max_size=60),
    st.integers(0, len(request(3, 7)) - 1),
    st.sampled_from(["put", "cut", "flip", "twice"]),
)
def test_no_changed_request_is_signed_and_none_is_an_accident(tmp_path_factory, noise, place, how):
    """What is signed is the checkpoint as the log signed it, whatever stands around it."""
    good = request(3, 7)
    changed = {
        "put": good[:place] + noise + good[place:],
        "cut": good[:place],
        "flip": good[:place] + bytes([good[place] ^ (noise[0] if noise else 1)]) + good[place + 1 :],
        "twice": good[:place] + good[max(0, place - 9) :],
    }[how]
    state = Memory()
    one = witness.Witness(
        [witness.LogKey(SIGNER.verifier.vkey)], [ORIGIN],
        witness.Cosigner(COSIGNER.name, COSIGNER.seed), state, None, lambda: 1,
    )  # fmt: skip
    try:
        line = one.add(*witness.read_request(changed))
    except witness.Refused as refused:
        assert 400 <= refused.status < 500
        assert state.kept is None
    else:
        assert state.kept.text.decode() == notes.Note.read(note_of(7)).text
        assert line.startswith("— witness.example/w1 ")


class Memory:
    """A state that knows size 3, and keeps nothing on a disk."""

    def __init__(self):
        self.kept = None

    def known(self, _origin):
        return 3, merkle.root(3, subtree(LEAVES))

    def keep(self, note):
        self.kept = note


def test_the_published_examples_of_c2sp_and_go_are_read_as_they_are():
    key = witness.LogKey(published.SPEC_VKEY)
    text, line = published.SPEC_NOTE.partition("\n\n")[0] + "\n", published.SPEC_NOTE.partition("\n\n")[2]
    name, id_, signature = witness.Note.signature(line.rstrip("\n"))
    assert (name, id_) == (key.name, key.id)
    assert key.verifies(signature, text.encode()) and not key.verifies(signature, text.encode() + b"\n")
    go = witness.LogKey(published.GO_VKEY)
    assert go.verifies(witness.Note.signature(published.GO_LINE.rstrip("\n"))[2], published.GO_TEXT.encode())
    sofa = witness.Note(published.SOFA)
    assert (sofa.origin, sofa.size, sofa.root.hex()[:8]) == (
        "example.com/behind-the-sofa",
        20852163,
        "0ac5186a",
    )
    assert verify.Note(published.SOFA).root == sofa.root
    assert verify.Key(published.SPEC_VKEY, verify.LOG).public == key.public


def test_the_example_request_of_c2sp_is_read():
    """c2sp.org/tlog-witness, "add-checkpoint"; its proof is of another log than its checkpoint shows, and refused."""
    said = (
        "old 20852014\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\njrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n"
        "5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\n"
    )
    old, proof, note = witness.read_request((said + published.SOFA).encode())
    assert (old, len(proof), note.size) == (20852014, 4, 20852163)
