"""The checker against liars who have all the tools but the key of somebody else."""

import json
import os
import subprocess
import sys

import pytest

from audit import chain, clock, export, merkle, notes, verify
from audit.models import Checkpoint, Entry
from audit.sealing import keys
from audit.sealing.log import Log, current_incarnation
from audit.sealing.witnesses import request_of

from . import stored
from .conftest import MOMENT
from .outsider import bad, check, kept, packed, recorded
from .sealed import DAY, SECOND, WITNESS, House, archived, bundled, files_of, proof_of

T04 = "larkfield/T-04"


@pytest.fixture
def house(tmp_path, write):
    """One table: eight entries a second apart, a seal behind each, the last but one checkpoint cosigned."""
    with stored.same_keys():
        house = House(tmp_path / "sealer", write)
        for number in range(8):
            house.act(number * SECOND, data={"round": number})
            house.seal(number * SECOND + SECOND / 2)
        house.cosign(Checkpoint.objects.get(size=8))
        yield house


@pytest.fixture
def files():
    """The files of its bundle."""
    return files_of(stored.read("eight-entries.zip"))


@pytest.mark.both_databases
def test_the_stored_bundle_is_what_is_written_today(house):
    stored.assert_stored("eight-entries.zip", bundled(T04))


def changed(files, **what):
    """The bundle of changed files, `_` for the dot in a name."""
    return packed({**files, **{name.replace("_", ".", 1): data for name, data in what.items()}})


def sealed_again(files, house, change):
    """The seals with changed bodies, and a checkpoint that the log's own key signed over them: the fork of a thief."""
    opening, *bodies = files["seals.jsonl"].splitlines()
    bodies = [chain.canonical(said) for said in change([json.loads(body) for body in bodies])]
    leaves = [merkle.leaf_hash(body) for body in bodies]
    root = merkle.root(len(leaves), lambda level, index: whole(leaves, level, index))
    text = notes.Checkpoint(json.loads(opening)["origin"], len(leaves), root).text
    said = {**json.loads(opening), "last": len(leaves), "size": len(leaves)}
    return {
        **files,
        "seals.jsonl": b"".join(line + b"\n" for line in [chain.canonical(said), *bodies]),
        "checkpoint.txt": notes.sign(text, keys.signers(house.folder, keys.first_log())).encode(),
    }


def whole(leaves, level, index):
    if level == 0:
        return leaves[index]
    return merkle.node_hash(whole(leaves, level - 1, 2 * index), whole(leaves, level - 1, 2 * index + 1))


def test_the_seals_show_a_changed_entry_whose_chain_was_hashed_again(files):
    def change(bodies):
        bodies[3]["data"]["round"] = 99
        return bodies

    found = bad(changed(files, record_jsonl=recorded(files["record.jsonl"], change)))
    assert found == "record.jsonl: line 5: larkfield/T-04 seq 4: its hash is not the sealed head"
    quick = bad(changed(files, record_jsonl=recorded(files["record.jsonl"], change)), "--hashes-only")
    assert quick == found


def test_a_cut_tail_is_found_by_the_seals(files):
    found = bad(changed(files, record_jsonl=recorded(files["record.jsonl"], lambda bodies: bodies[:-1])))
    assert found == (
        "beyond.jsonl: larkfield/T-04 seq 7: the tail is cut off or too long: it was sealed at 8"
    )


def test_an_entry_that_is_left_out_is_found_by_the_seals(files):
    def drop(bodies):
        return [{**body, "seq": place} for place, body in enumerate(bodies[:4] + bodies[5:], 1)]

    assert "its hash is not the sealed head" in bad(
        changed(files, record_jsonl=recorded(files["record.jsonl"], drop))
    )


def test_a_range_that_ends_too_early_or_begins_too_late_is_found(house):
    """The neighbours on both sides show it, and they must be there."""
    files = files_of(bundled(T04, since=MOMENT + 2 * SECOND, until=MOMENT + 6 * SECOND))
    check(packed(files))
    earlier = "2026-11-21T13:05:10.123456Z"
    opened = recorded(files["record.jsonl"], lambda bodies: bodies, **{"from": earlier})
    assert "beyond.jsonl: line 1: larkfield/T-04 seq 2: its time is outside the range" in bad(
        changed(files, record_jsonl=opened)
    )
    later = "2026-11-21T13:05:17.123456Z"
    opened = recorded(files["record.jsonl"], lambda bodies: bodies, to=later)
    assert "larkfield/T-04 seq 7: its time is outside the range" in bad(changed(files, record_jsonl=opened))
    lines = files["beyond.jsonl"].splitlines(keepends=True)
    assert "the entry before the range is missing" in bad(changed(files, beyond_jsonl=lines[1]))
    assert "it was sealed at 7" in bad(changed(files, beyond_jsonl=lines[0]))
    assert "does not follow" in bad(changed(files, beyond_jsonl=b"".join([*lines, lines[1]])))


@pytest.mark.parametrize("stream", [[], {}, None, 4, "no/where", "larkfield/T-04"])
@pytest.mark.parametrize("seq", [None, "9", -1, 0, 9, 10**15, [], 1.5, True])
def test_an_entry_beside_the_range_with_right_hashes_and_wrong_words_is_refused(files, stream, seq):
    head = bytes.fromhex(files["record.jsonl"].splitlines()[-2][9:73].decode())
    said = {**json.loads(files["record.jsonl"].splitlines()[-2])["body"], "stream": stream, "seq": seq}
    body = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    line = export.format_line(chain.entry_hash(head, body), head, body)
    assert bad(changed(files, beyond_jsonl=line)).startswith("beyond.jsonl: ")


def test_seals_cannot_be_dropped_swapped_or_changed(files):
    opening, *seals = files["seals.jsonl"].splitlines(keepends=True)
    for wrong in (
        [opening, *seals[:-1]], [opening, *seals[1:]], [opening, seals[1], seals[0], *seals[2:]],
        [opening, *seals, seals[-1]], seals, [opening], [],
        [opening, *seals[:3], seals[3].replace(b'"seq":4', b'"seq":3'), *seals[4:]],
        [opening.replace(b'"size":8', b'"size":9'), *seals],
        [opening.replace(b'"first":0', b'"first":1'), *seals[1:]],
    ):  # fmt: skip
        bad(changed(files, seals_jsonl=b"".join(wrong)))


def test_a_stretch_that_hides_the_seals_before_it_is_refused(house, files):
    """The hashes of the subtrees before it are right, but it begins with no full seal."""
    opening, *seals = files["seals.jsonl"].splitlines(keepends=True)
    before = [Log(current_incarnation()).root(4).hex()]
    said = {**json.loads(opening), "first": 4, "before": before}
    hidden = [chain.canonical(said) + b"\n", *seals[4:]]
    found = bad(changed(files, seals_jsonl=b"".join(hidden)))
    assert found == (
        "seals.jsonl: line 2: the seals start neither at the log's beginning nor with a full seal"
    )


def test_a_stretch_that_stops_before_the_end_is_refused(house):
    """Nothing after the range is shown by it: what it hides might be a longer tail."""
    files = files_of(bundled(T04, until=MOMENT + 3 * SECOND))
    opening, *seals = files["seals.jsonl"].splitlines(keepends=True)
    said = json.loads(opening)
    assert (said["first"], said["last"], said["size"]) == (0, 4, 8)
    leaves = [merkle.leaf_hash(seal[:-1]) for seal in seals]
    shorter = {**said, "last": 3, "after": [leaves[3].hex(), *said["after"]]}
    lines = [chain.canonical(shorter) + b"\n", *seals[:3]]
    found = bad(changed(files, seals_jsonl=b"".join(lines), beyond_jsonl=b""))
    assert found == "beyond.jsonl: larkfield/T-04 seq 3: the seals stop before the end of the range"


def test_a_witness_and_a_saved_checkpoint_show_a_fork_signed_with_the_stolen_key(house, files, tmp_path):
    """The log's own key signed it, so the bundle alone is good; only an older checkpoint shows it."""

    def lie(bodies):
        bodies[3]["data"]["round"] = 99
        return bodies

    record = recorded(files["record.jsonl"], lie)
    heads = {json.loads(line)["body"]["seq"]: line[9:73].decode() for line in record.splitlines()[1:-1]}

    def forge(seals):
        for seal in seals:
            for head in seal["heads"]:
                if head["stream"] == T04:
                    head["head"] = heads[head["seq"]]
        return seals

    forged = packed({**sealed_again(files, house, forge), "record.jsonl": record})
    assert any(
        line.startswith("signed by pitside.local/record/1+") for line in check(forged, "--vkey", house.vkey)
    )
    assert "the witness witness.example/w1+e75f6532 has not cosigned" in bad(
        forged, "--witness-vkey", WITNESS.verifier.vkey
    )
    old = kept(tmp_path, "old.txt", Checkpoint.objects.get(size=4).note)
    assert "the log does not match" in bad(forged, "--checkpoint", old)
    before_the_lie = kept(tmp_path, "older.txt", Checkpoint.objects.get(size=3).note)
    assert "it includes your checkpoint of size 3" in check(forged, "--checkpoint", before_the_lie)


def test_keys_from_outside_win(house, files):
    good = packed(files)
    assert check(good, "--vkey", house.vkey, "--witness-vkey", WITNESS.verifier.vkey, "--require-signature")
    assert any("this trusts the bundle" in line for line in check(good))
    other = notes.Signer("pitside.local/record/1", bytes(32)).verifier.vkey
    assert (
        bad(good, "--vkey", other)
        == "checkpoint.txt: the checkpoint is not signed by any known key of the log"
    )
    stranger = notes.Signer("witness.example/w2", bytes(32), notes.COSIGNATURE).verifier.vkey
    assert "has not cosigned" in bad(good, "--witness-vkey", stranger)
    for wrong in (
        "x",
        house.vkey[:-4] + "AAA=",
        WITNESS.verifier.vkey,
        house.vkey.replace("pitside", "pitsidf"),
    ):
        assert "not a key of a log" in bad(good, "--vkey", wrong) or "key id" in bad(good, "--vkey", wrong)


def test_a_signature_that_is_wrong_is_refused_and_one_of_a_stranger_passed_over(house, files):
    note = files["checkpoint.txt"].decode()
    text, signed, cosigned = note.partition("\n\n")[0] + "\n", *note.partition("\n\n")[2].splitlines()
    _name, raw = signed.rsplit(" ", 1)
    broken = note.replace(raw, raw[:8] + ("A" if raw[8] != "A" else "B") + raw[9:])
    assert "the signature of pitside.local/record/1+" in bad(changed(files, checkpoint_txt=broken.encode()))
    stranger = notes.Signer("pitside.local/record/1", bytes(range(32))).signature(text, 0).line.rstrip("\n")
    check(changed(files, checkpoint_txt=(note + stranger + "\n").encode()))
    check(changed(files, checkpoint_txt=f"{text}\n{signed}\n".encode()))
    bad(changed(files, checkpoint_txt=f"{text}\n{cosigned}\n".encode()))
    bad(changed(files, checkpoint_txt=f"{text}\n".encode()))


def test_a_key_gives_way_to_another_and_both_sign(house):
    with clock.override(MOMENT + 20 * SECOND):
        keys.create(house.folder)
    house.act(20 * SECOND)
    house.seal(21 * SECOND)
    lines = check(bundled())
    assert sum(line.startswith("signed by ") for line in lines) == 2


def test_a_saved_checkpoint_of_any_size_is_compared(house, tmp_path):
    """In the stretch; before it and behind it by a proof; of another log; without a proof."""
    for number in range(2):
        house.act(DAY + number * SECOND, data={"round": 8 + number})
        house.seal(DAY + number * SECOND + SECOND / 2)
    archive = bundled(T04, since=MOMENT + DAY + SECOND)
    assert json.loads(files_of(archive)["seals.jsonl"].partition(b"\n")[0])["first"] == 8
    saved = {
        size: kept(tmp_path, f"{size}.txt", Checkpoint.objects.get(size=size).note) for size in (5, 8, 9, 10)
    }
    for size in (8, 9, 10):
        assert f"it includes your checkpoint of size {size}" in check(archive, "--checkpoint", saved[size])
    assert "cannot be compared without a consistency proof from size 5 to 10" in bad(
        archive, "--checkpoint", saved[5]
    )
    proof = kept(tmp_path, "proof.txt", request_of(Checkpoint.objects.get(size=10), 5))
    found = check(archive, "--checkpoint", saved[5], "--proof", proof)
    assert "it is consistent with your checkpoint of size 5, by the consistency proof" in found
    assert "it includes your checkpoint of size 10" in check(
        archive, "--checkpoint", proof
    )  # a copy with its proof
    wrong = kept(tmp_path, "wrong.txt", request_of(Checkpoint.objects.get(size=9), 5))
    assert "the consistency proof is wrong" in bad(archive, "--checkpoint", saved[5], "--proof", wrong)
    house.act(DAY + 9 * SECOND)
    newer = house.seal(DAY + 10 * SECOND)
    ahead = kept(tmp_path, "ahead.txt", newer.note)
    assert "it is consistent with your checkpoint of size 11" in " ".join(
        check(archive, "--checkpoint", ahead, "--proof", kept(tmp_path, "on.txt", request_of(newer, 10)))
    )
    assert "from another log" in bad(
        archive, "--checkpoint", kept(tmp_path, "a.txt", newer.note.replace("record/1\n", "record/2\n", 1))
    )
    assert "not a checkpoint" in bad(archive, "--checkpoint", kept(tmp_path, "b.txt", "hello"))


def test_a_manifest_with_a_wrong_value_is_refused(files):
    said = json.loads(files["manifest.json"])
    for lie in (
        {"entries": 7}, {"origin": "x"}, {"incarnation": 2}, {"size": 7}, {"build": "x"}, {"to": said["at"]},
        {"unsealed": [{"entries": 1, "stream": T04}]}, {"more": 1}, {"files": said["files"][1:]}, {"_format": True},
    ):  # fmt: skip
        manifest = chain.canonical({**said, **lie}) + b"\n"
        assert bad(archived({**files, "manifest.json": manifest})).startswith(
            "manifest.json: it does not match the other"
        )
    for raw in (
        b"",
        b"{}",
        files["manifest.json"][:-1],
        b" " + files["manifest.json"],
        b"\xff\n",
        b"[" * 9000,
    ):
        assert bad(archived({**files, "manifest.json": raw})).startswith(
            "manifest.json: it does not match the other"
        )


def test_a_bundle_has_its_files_and_no_other(files, tmp_path):
    for name in files.keys() - {verify.SCHEMAS}:
        missing = {other: data for other, data in files.items() if other != name}
        assert bad(archived(missing)).startswith(f"{name}: it is missing")
    assert bad(archived({**files, "more.txt": b""})) == "more.txt: it does not belong in a bundle"
    folder = tmp_path / "unpacked"
    folder.mkdir()
    for name, data in {**files, "notes.txt": b"mine"}.items():
        (folder / name).write_bytes(data)
    found = verify.check_path(str(folder), verify.Options([str(folder)]), None)
    assert "not part of the bundle and not checked: notes.txt" in found


@pytest.mark.parametrize(("name", "make"), [("seals.jsonl", os.mkfifo), ("README.txt", os.mkdir)])
def test_only_regular_files_of_a_folder_are_read(files, tmp_path, name, make):
    for file, data in files.items():
        if file != name:
            (tmp_path / file).write_bytes(data)
    make(tmp_path / name)
    with pytest.raises(verify.Bad, match=f"{name}: it is not a regular file"):
        verify.check_path(str(tmp_path), verify.Options([str(tmp_path)]), None)


@pytest.mark.parametrize("paper", verify.DOCUMENTS)
def test_a_file_that_is_too_long_is_refused_before_it_is_read_completely(files, paper, monkeypatch):
    monkeypatch.setattr(verify, "SHORT_FILE_BYTES", 200_000)
    endless = packed({**files, paper: bytes(200_001)})
    assert bad(endless) == f"{paper}: it is too long"


def test_sealed_heads_that_do_not_fit_into_memory_go_through_a_file(files, monkeypatch):
    monkeypatch.setattr(verify, "HEADS_BYTES", 1)
    check(packed(files))
    record = recorded(files["record.jsonl"], lambda bodies: [{**bodies[0], "build": "x"}, *bodies[1:]])
    assert "line 2: larkfield/T-04 seq 1: its hash is not the sealed head" in bad(
        changed(files, record_jsonl=record)
    )


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_without_cryptography_it_names_what_was_not_checked(house, tmp_path):
    path = tmp_path / "evidence.zip"
    path.write_bytes(bundled())
    bare = ("-I", "-S", verify.__file__, "--vkey", house.vkey)  # -S: nothing that was installed is found
    found = run(*bare, str(path))
    assert (found.returncode, found.stderr) == (0, "")
    assert "NOT CHECKED: the signatures; install `cryptography`" in found.stdout
    demanded = run(*bare, "--require-signature", str(path))
    assert demanded.returncode == 1
    assert demanded.stdout.startswith("bad: checkpoint.txt: the signatures were not checked")


def test_a_python_before_3_11_prints_when_a_witness_cosigned(monkeypatch):
    monkeypatch.delattr(verify.datetime, "UTC")
    assert verify.moment_of(1_800_000_000) == "2027-01-15T08:00:00Z"


def test_what_needs_a_bundle_is_not_taken_for_granted_of_an_export(house, files, tmp_path):
    path = tmp_path / "record.jsonl"
    path.write_bytes(files["record.jsonl"])
    assert run("-I", verify.__file__, str(path)).returncode == 0
    for demand in (
        ["--require-signature"],
        ["--vkey", house.vkey],
        ["--witness-vkey", WITNESS.verifier.vkey],
    ):
        found = run("-I", verify.__file__, *demand, str(path))
        assert (found.returncode, found.stdout.partition(":")[0]) == (1, "bad")


def test_a_long_record_in_an_archive_is_shared_out_among_processes(files, monkeypatch):
    monkeypatch.setattr(verify, "LONG_FILE_BYTES", 100)
    monkeypatch.setattr(verify.os, "cpu_count", lambda: 2)
    check(packed(files))

    def change(bodies):
        return [*bodies[:5], {**bodies[5], "actor": "okafor-a", "witness": "okafor-a"}, *bodies[6:]]

    lie = changed(files, record_jsonl=recorded(files["record.jsonl"], change))
    assert " seq 6: its hash is not the sealed head" in bad(lie)
    unsealed = {name: data for name, data in files.items() if name not in ("seals.jsonl", "checkpoint.txt")}
    record = recorded(files["record.jsonl"], change)
    assert " seq 6: its witness and actor are the same person" in bad(changed(unsealed, record_jsonl=record))


def test_the_proof_of_one_entry_leads_to_a_checkpoint(house, tmp_path):
    house.act(20 * SECOND, data={"round": 20})
    house.act(21 * SECOND, data={"round": 21})
    house.seal(22 * SECOND)
    entry = Entry.objects.get(stream__name=T04, seq=9)
    proof = proof_of(entry)
    assert len(proof.splitlines()) == 3
    assert check(proof, "--vkey", house.vkey)[0].startswith("good: larkfield/T-04 seq 9 is in seal 8 of")
    assert "NOT CHECKED: the signatures; give the log's key with --vkey" in check(proof)
    newest = kept(tmp_path, "k.txt", Checkpoint.objects.get(size=9).note)
    assert "it includes your checkpoint of size 9" in check(
        proof, "--checkpoint", newest, "--vkey", house.vkey
    )
    first, second, third = proof.splitlines(keepends=True)
    for wrong in (
        first, first + second, first + third + second, first + second + third + third, second + third,
        proof.replace(b'"number\\":8', b'"number\\":7'), first + second.replace(b"20", b"21") + third,
        first.replace(b'"path":["', b'"path":["' + b"0" * 64 + b'","') + second + third, proof[:-1],
        first.replace(b"record/1", b"record/2") + second + third,
    ):  # fmt: skip
        bad(wrong, "--vkey", house.vkey)
