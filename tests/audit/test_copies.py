"""Copies of checkpoints in a plain folder: never overwritten, enough for a witness, and a witness themselves."""

from pathlib import Path

import pytest

from audit import clock, notes, witness
from audit.models import Checkpoint, Cosignature, SigningKey
from audit.sealing import keys, witnesses
from audit.sealing.log import Log, current_incarnation
from audit.sealing.process import SealerSession
from audit.sealing.state import SealingProblem
from audit.sealing.status import sealer_status
from audit.sealing.witnesses import save_newest_copy

from .conftest import MOMENT
from .gone_back import forget

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ORIGIN = "pitside.local/record/1"


@pytest.fixture
def plain(tmp_path) -> Path:
    return tmp_path / "copies"


def test_copies_are_notes_and_the_requests_that_lead_from_one_to_the_next(seal, plain):
    seal(2)
    assert save_newest_copy(plain, Log(current_incarnation())) == "pitside.local_record_1-000000000002.txt"
    seal(3)
    assert save_newest_copy(plain, Log(current_incarnation())) == save_newest_copy(
        plain, Log(current_incarnation())
    )
    assert sorted(path.name for path in plain.iterdir()) == [
        "pitside.local_record_1-000000000002.proof",
        "pitside.local_record_1-000000000002.txt",
        "pitside.local_record_1-000000000005.proof",
        "pitside.local_record_1-000000000005.txt",
    ]
    fifth = Checkpoint.objects.get(size=5)
    assert (plain / "pitside.local_record_1-000000000005.txt").read_text() == fifth.note
    assert (plain / "pitside.local_record_1-000000000005.proof").read_text() == witnesses.request_of(fifth, 2)


def test_a_witness_checks_the_copies_from_the_command_line(seal, plain, signer, tmp_path, capsys):
    for _ in range(3):
        seal(2)
        save_newest_copy(plain, Log(current_incarnation()))
    key = tmp_path / "w.key"
    key.touch(0o600)
    key.write_text(signer.private + "\n")
    vkey = keys.verifier_of(SigningKey.objects.get()).vkey
    arguments = ["check", "--log", vkey, "--origin", ORIGIN, "--key", str(key)]
    assert witness.main([*arguments, "--state", str(tmp_path / "w.state"), str(plain)]) == 0
    said = capsys.readouterr().out
    assert said.count("— witness.example/w1") == 3


def test_a_copy_is_of_the_newest_cosigned_checkpoint_with_its_cosignature(seal, plain, signer):
    second = seal(2)
    line = signer.signature(notes.Note.read(second.note).text, 1_800_000_000).line
    Cosignature.objects.create(checkpoint=second, name=signer.name, line=line, at=MOMENT)
    seal()
    assert save_newest_copy(plain, Log(current_incarnation())) == "pitside.local_record_1-000000000002.txt"
    assert (plain / "pitside.local_record_1-000000000002.txt").read_text() == second.note + line


def test_a_copy_is_never_overwritten(seal, plain):
    seal()
    name = save_newest_copy(plain, Log(current_incarnation()))
    before = (plain / name).read_bytes()
    (plain / "pitside.local_record_1-000000000002.txt").write_text("somebody else's")
    seal()
    with pytest.raises(SealingProblem):
        save_newest_copy(plain, Log(current_incarnation()))
    assert (plain / name).read_bytes() == before
    assert (plain / "pitside.local_record_1-000000000002.txt").read_text() == "somebody else's"


def test_a_folder_that_knows_more_or_another_story_stops_the_sealer(seal, plain, folder):
    seal(3)
    name = save_newest_copy(plain, Log(current_incarnation()))
    forget(1, 2)
    with pytest.raises(SealingProblem) as raised:
        save_newest_copy(plain, Log(current_incarnation()))
    assert (raised.value.code, raised.value.params) == ("copy-ahead", {"incarnation": 1, "copy": name})


def test_a_copy_is_made_once_a_minute_and_at_the_end(sealer, write, settings, plain, folder, monkeypatch):
    settings.CHECKPOINT_COPIES = str(plain)
    passed = [100.0]
    monkeypatch.setattr("audit.sealing.process.time.monotonic", lambda: passed[0])
    shift = SealerSession(folder)
    for moment in (100.0, 130.0, 159.9, 160.0, 161.0):
        passed[0] = moment
        write(moment=clock.now())
        shift.run_once()
    sizes = [int(path.stem.rpartition("-")[2]) for path in sorted(plain.glob("*.txt"))]
    assert sizes == [1, 4]
    shift.end()
    sizes = [int(path.stem.rpartition("-")[2]) for path in sorted(plain.glob("*.txt"))]
    assert sizes == [1, 4, 5]
    assert sealer_status().newest_copy == "pitside.local_record_1-000000000004.txt"


def test_a_folder_that_cannot_be_written_is_reported_and_sealing_continues(
    sealer, settings, tmp_path, folder
):
    (tmp_path / "file").write_text("no folder")
    settings.CHECKPOINT_COPIES = str(tmp_path / "file")
    SealerSession(folder).run_once()
    assert Checkpoint.objects.count() == 1
    assert (sealer_status().copy_problem, sealer_status().problem) == ("copy-failed", "")
