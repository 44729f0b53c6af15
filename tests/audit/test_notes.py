"""Notes, checkpoints and cosignatures are those of C2SP: published vectors come out to the byte."""

import pytest

from audit import notes
from audit.notes import Malformed

# c2sp.org/signed-note@v1.0.0, "Verifier keys", example.
SPEC_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SPEC_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
# golang.org/x/mod/sumdb/note, the package's own example.
GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
)
GO_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSN"
    "XgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
# c2sp.org/tlog-cosignature@v1.0.1, the example at its head.
SOFA_TEXT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
SOFA = (
    SOFA_TEXT + "\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe"
    "4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtP"
    "HeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)


def test_the_example_of_c2sp_verifies():
    key = notes.Verifier.read(SPEC_VKEY)
    assert (key.name, key.key_id.hex(), key.vkey) == ("example.com/foo", "530d903a", SPEC_VKEY)
    note = notes.Note.read(SPEC_NOTE)
    assert note.signed_by([key]) == [key]
    assert note.full_text == SPEC_NOTE


def test_the_example_of_go_is_signed_to_the_byte():
    signer = notes.Signer.read(GO_PRIVATE)
    assert signer.private == GO_PRIVATE
    assert signer.verifier.vkey == GO_VKEY
    assert notes.sign(GO_TEXT, [signer]) == GO_TEXT + "\n" + GO_LINE
    assert "PRIVATE" not in repr(signer) and signer.seed.hex() not in repr(signer)


def test_the_checkpoint_of_c2sp_is_read_and_written():
    note = notes.Note.read(SOFA.encode())
    checkpoint = notes.Checkpoint.read(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.root.hex()[:8] == "0ac5186a"
    assert checkpoint.text == SOFA_TEXT
    assert note.full_text == SOFA


def test_a_cosignature_has_the_layout_and_the_message_of_c2sp():
    witness = notes.Note.read(SOFA).signatures[1]
    assert (witness.name, witness.key_id.hex(), witness.time) == (
        "witness.example.com/w1", "8d66cf3f", 1679315147,
    )  # fmt: skip
    assert len(witness.signed) == 8 + 64
    assert notes.cosigned(SOFA_TEXT, 1679315147) == b"cosignature/v1\ntime 1679315147\n" + SOFA_TEXT.encode()


def test_a_cosignature_holds_for_its_text_its_time_and_its_key_alone():
    signer = notes.Signer("witness.example/w", bytes(range(32)), notes.COSIGNATURE)
    key = notes.Verifier.read(signer.verifier.vkey)
    made = signer.signature(SOFA_TEXT, 1679315147)
    assert key.kind == notes.COSIGNATURE
    assert key.verifies(SOFA_TEXT, made)
    assert not key.verifies(SOFA_TEXT.replace("3\n", "4\n"), made)
    later = notes.Signature(made.name, made.key_id, (1679315148).to_bytes(8, "big") + made.signed[8:])
    assert not key.verifies(SOFA_TEXT, later)
    plain = notes.Signer("witness.example/w", bytes(range(32)))
    assert plain.verifier.key_id != key.key_id
    assert not plain.verifier.verifies(SOFA_TEXT, made)


def test_several_keys_sign_one_note_and_an_unknown_one_is_passed_over():
    one, other = notes.Signer("log", b"1" * 32), notes.Signer("log", b"2" * 32)
    note = notes.Note.read(notes.sign(SOFA_TEXT, [one, other]))
    assert note.signed_by([other.verifier, one.verifier]) == [other.verifier, one.verifier]
    assert note.signed_by([notes.Signer("log", b"3" * 32).verifier]) == []


def test_a_known_key_whose_signature_does_not_hold_spoils_the_note():
    changed = notes.Note.read(SPEC_NOTE.replace("an example", "no example"))
    with pytest.raises(Malformed):
        changed.signed_by([notes.Verifier.read(SPEC_VKEY)])


@pytest.mark.parametrize(
    "said",
    [
        GO_TEXT,
        GO_TEXT + "\n",
        GO_TEXT + "\n" + GO_LINE.rstrip("\n"),
        "\1" + GO_TEXT + "\n" + GO_LINE,
        b"\xff" + (GO_TEXT + "\n" + GO_LINE).encode(),
        GO_TEXT + "\n" + GO_LINE.replace("PeterNeumann", "Bad Name"),
        GO_TEXT + "\n" + GO_LINE + "Unexpected line.\n",
        GO_TEXT + "\n" + GO_LINE.replace("x08go", "x08g*"),
        GO_TEXT + "\n" + GO_LINE * 101,
        "",
    ],
)
def test_what_is_no_note_is_refused(said):
    with pytest.raises(Malformed):
        notes.Note.read(said)


@pytest.mark.parametrize(
    "vkey",
    [
        # The table of golang.org/x/mod/sumdb/note: a wrong length, and an unknown type, each with its own id.
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        GO_VKEY.replace("c74f20a3", "c74f20a4"),
        "PeterNeumann+c74f20a3",
        "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "",
    ],
)
def test_what_is_no_key_is_refused(vkey):
    with pytest.raises(Malformed):
        notes.Verifier.read(vkey)


@pytest.mark.parametrize("said", [GO_VKEY, GO_PRIVATE[:-4], GO_PRIVATE.replace("c74f20a3", "00000000"), ""])
def test_what_is_no_private_key_is_refused(said):
    with pytest.raises(Malformed):
        notes.Signer.read(said)


@pytest.mark.parametrize(
    "text",
    [
        "origin\n1\n",
        "origin\n01\n" + "A" * 43 + "=\n",
        "origin\n-1\n" + "A" * 43 + "=\n",
        "origin\n1\nAAAA\n",
        "\n1\n" + "A" * 43 + "=\n",
        "origin\n1\n" + "A" * 43 + "=",
    ],
)
def test_what_is_no_checkpoint_is_refused(text):
    with pytest.raises(Malformed):
        notes.Checkpoint.read(text)
