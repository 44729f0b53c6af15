"""The witness as its operator runs it: a key, a server that is killed, notes by hand, and our own sealer."""

import http.client
import os
import signal
import subprocess
import sys
import threading

import pytest

from audit import notes, witness
from audit.models import Checkpoint
from audit.sealing import witnesses
from audit.sealing.log import Log
from audit.sealing.witnesses import save_newest_copy

from .sealed import SECOND, House
from .test_witness import COSIGNER, FORKED, ORIGIN, SIGNER, note_of, request


def program(*arguments, **how):
    return [sys.executable, "-I", witness.__file__, *map(str, arguments)]


def run(*arguments):
    return subprocess.run(program(*arguments), capture_output=True, text=True, check=False)


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "witness.key"
    made = run("keygen", "witness.example/w9", path)
    assert made.returncode == 0
    return path, made.stdout.strip()


def options(tmp_path, key):
    return (
        "--log", SIGNER.verifier.vkey, "--origin", ORIGIN, "--key", key[0],
        "--state", tmp_path / "s.json", "--copies", tmp_path / "c",
    )  # fmt: skip


def test_a_key_is_made_once_and_for_its_owner_alone(key, tmp_path):
    path, vkey = key
    assert path.stat().st_mode & 0o777 == 0o600
    assert notes.Verifier.read(vkey).kind == notes.COSIGNATURE
    assert notes.Signer.read(path.read_text()).verifier.vkey == vkey
    again = run("keygen", "witness.example/w9", path)
    assert (again.returncode, again.stdout) == (1, "")
    assert run("keygen", "a b", tmp_path / "other").returncode == 1
    path.chmod(0o644)
    refused = run("check", *options(tmp_path, key), path)
    assert refused.returncode == 1 and "other users can read the key" in refused.stderr


def test_a_witness_that_is_killed_goes_on_from_what_it_signed(key, tmp_path):
    def begun():
        process = subprocess.Popen(
            program("serve", *options(tmp_path, key), "--listen", "127.0.0.1:0"),
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in process.stderr:
            if " listens on " in line:
                return process, int(line.rsplit(" ", 1)[1])
        raise AssertionError("it did not begin")

    def post(port, body):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/add-checkpoint", body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    process, port = begun()
    try:
        status, line = post(port, request(0, 12))
        assert status == 200
        text = notes.Note.read(note_of(12)).text
        assert notes.Verifier.read(key[1]).verifies(text, notes.Signature.read(line.rstrip("\n")))
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    process, port = begun()
    try:
        assert post(port, request(0, 5)) == (409, "12\n")
        assert post(port, request(12, 12, FORKED)) == (
            422,
            "a different root was signed at this size: there are two logs\n",
        )
        assert post(port, request(12, 13))[0] == 200
    finally:
        process.kill()
        process.wait()


def test_it_reports_that_cryptography_is_missing(key, tmp_path):
    bare = [
        sys.executable,
        "-I",
        "-S",
        witness.__file__,
        "check",
        *map(str, options(tmp_path, key)),
        str(key[0]),
    ]
    found = subprocess.run(bare, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (
        1,
        "witness: this Python has no `cryptography`: pip install cryptography\n",
    )


@pytest.mark.django_db
def test_the_check_command_reads_the_folder_of_copies_and_remembers(key, tmp_path, write):
    """Copies as the sealer keeps them: a note and the request that leads to it from the copy before."""
    house = House(tmp_path / "sealer", write)
    folder = tmp_path / "stick"
    for number in range(6):
        house.act(number * SECOND)
        checkpoint = house.seal(number * SECOND + SECOND / 2)
        if number % 2:
            save_newest_copy(folder, Log(checkpoint.incarnation))
    asked = ("--log", house.vkey, "--origin", "pitside.local/record/1", "--key", key[0],
             "--state", tmp_path / "s.json", "--copies", tmp_path / "c")  # fmt: skip
    found = run("check", *asked, folder)
    assert (found.returncode, found.stderr[:12]) == (0, "no state yet")
    lines = found.stdout.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["size 2", "size 4", "size 6"]
    cosigned = notes.Signature.read(lines[-1].split(": ", 2)[2])
    assert notes.Verifier.read(key[1]).verifies(notes.Note.read(checkpoint.note).text, cosigned)
    again = run("check", *asked, folder)
    assert again.returncode == 0 and again.stdout.count("identical to the one that was signed") == 2
    house.act(9 * SECOND)
    alone = tmp_path / "alone.txt"
    alone.write_text(house.seal(10 * SECOND).note)
    refused = run("check", *asked, alone)
    assert (
        refused.returncode == 1
        and "a consistency proof from size 6, the newest here, is needed" in refused.stdout
    )
    proof = tmp_path / "proof.txt"
    proof.write_text(witnesses.request_of(Checkpoint.objects.get(size=7), 6))
    assert run("check", *asked, "--proof", proof, alone).returncode == 0
    forked = notes.Checkpoint("pitside.local/record/1", 4, bytes(32)).text
    signer = notes.Signer.read(next((tmp_path / "sealer" / "keys").glob("*.key")).read_text())
    alone.write_text(notes.sign(forked, [signer]))
    assert "a different root was signed at this size" in run("check", *asked, alone).stdout


@pytest.mark.django_db
def test_our_sealer_and_our_witness_understand_each_other(tmp_path, write):
    house = House(tmp_path / "sealer", write)
    cosigner = witness.Cosigner(COSIGNER.name, COSIGNER.seed)
    state = witness.State(str(tmp_path / "state.json"))
    one = witness.Witness([witness.LogKey(house.vkey)], ["pitside.local/record/1"], cosigner, state, None)
    with witness.Server(("127.0.0.1", 0), one) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        asked = witnesses.Witness(f"http://127.0.0.1:{server.server_address[1]}", COSIGNER.verifier)
        for number in range(5):
            house.act(number * SECOND)
            house.seal(number * SECOND + SECOND / 2)
            if number != 2:
                assert witnesses.request_cosignature(asked).checkpoint.size == number + 1
        server.shutdown()
    assert state.known("pitside.local/record/1")[0] == 5
    state.close()
