"""A restored backup begins a new life of the record, which two people declare, and a lost log is never gone on with."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from audit import clock, merkle
from audit.models import Department, Incarnation, Role, Seal, Stream
from audit.record import current_incarnation_number
from audit.refusals import AuditRefusal
from audit.sealing import keys, state
from audit.sealing.declarations import (
    declare_incarnation,
    entries_on_system,
    incarnation_declared,
)
from audit.sealing.log import Log, current_incarnation
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem

from .conftest import MOMENT
from .gone_back import forget, rewind

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
WHY = "The disk of the database failed; the backup of last night was put back."


@pytest.fixture
def officer(make_person):
    return make_person("ruiz-c", Role.COMPLIANCE, "222222", department=Department.COMPLIANCE)


@pytest.fixture
def administrator(make_person):
    return make_person(
        "lind-s", Role.SYSTEM_ADMINISTRATOR, "333333", department=Department.INFORMATION_TECHNOLOGY
    )


@pytest.fixture
def sealed(folder, stream, write) -> Sealer:
    """Four seals, at MOMENT."""
    sealer = Sealer(folder)
    with clock.override(MOMENT):
        keys.create(folder)
        for _ in range(4):
            write()
            sealer.seal()
    return sealer


@pytest.fixture
def heard():
    """What the floor would hear."""
    got = []

    def hear(sender, **said):
        got.append(said)

    incarnation_declared.connect(hear)
    yield got
    incarnation_declared.disconnect(hear)


def declared(*arguments, pins=("222222", "333333"), monkeypatch) -> str:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{pin}\n" for pin in pins)))
    call_command("declare_incarnation", *arguments, "--pins-from-stdin", stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_the_record_is_in_its_first_life_before_any_sealer():
    assert (current_incarnation_number(), current_incarnation()) == (1, None)


def test_the_first_incarnation_opens_by_itself_and_is_recorded(sealed):
    assert current_incarnation_number() == 1
    said = [json.loads(bytes(entry.body)) for entry in entries_on_system("incarnation.opened")]
    assert [one["data"] for one in said] == [{"number": 1, "origin": "pitside.local/record/1"}]
    assert (said[0]["gaming_day"], said[0]["stream"]) == ("2026-11-21", "installation/system")


def test_two_people_declare_what_is_found_and_what_was_signed_and_the_next_log_begins(
    sealed, folder, officer, administrator, heard, write, monkeypatch
):
    signed = state.read(folder).note
    forget(1, 2)
    with clock.override(MOMENT), pytest.raises(SealingProblem):
        sealed.seal()
    answer = declared("ruiz-c", "lind-s", "--why", WHY, monkeypatch=monkeypatch)
    assert answer == "Incarnation 2 is declared. Its log is pitside.local/record/2."
    found = Log(Incarnation.objects.get(number=1)).newest().note
    second_life = Incarnation.objects.get(number=2)
    assert (second_life.opened_by, second_life.opened_with, second_life.why) == (officer, administrator, WHY)
    assert second_life.after == {"found": found, "signed": signed}
    entry = json.loads(bytes(entries_on_system("incarnation.declared").get().body))
    assert (entry["actor"], entry["witness"]) == ("ruiz-c", "lind-s")
    assert entry["data"] == {
        "number": 2, "origin": "pitside.local/record/2", "why": WHY, "found": found, "signed": signed,
    }  # fmt: skip
    assert [said["incarnation"] for said in heard] == [second_life]
    assert (heard[0]["actor"], heard[0]["witness"]) == (officer, administrator)
    checkpoint = sealed.seal()
    assert (checkpoint.incarnation_id, checkpoint.size) == (2, 1)
    body = json.loads(bytes(Seal.objects.get(incarnation=2).body))
    streams = Stream.objects.filter(seq__gt=0).values_list("name", flat=True)
    assert (body["full"], body["number"], body["incarnation"]) == (True, 0, 2)
    assert [head["stream"] for head in body["heads"]] == sorted(streams)
    assert Log(second_life).root(1) == merkle.leaf_hash(bytes(Seal.objects.get(incarnation=2).body))
    assert state.read(folder).incarnation == current_incarnation_number() == 2


def test_a_record_that_forgot_its_life_does_not_get_its_number_again(
    sealed, folder, officer, administrator, monkeypatch
):
    """The backup is from before the first sealer: the folder knows of life 1, the database of none."""
    forget(1, 0)
    rewind(Incarnation.objects.all())
    declared("ruiz-c", "lind-s", "--why", WHY, monkeypatch=monkeypatch)
    assert current_incarnation().number == 2
    assert current_incarnation().after["found"] is None
    assert sealed.seal().size == 1


def test_a_lost_folder_is_replaced_by_the_checkpoint_of_a_witness(
    sealed, folder, officer, administrator, tmp_path, monkeypatch
):
    kept = state.read(folder).note
    (folder / state.NAME).unlink()
    (tmp_path / "kept.txt").write_text(kept.replace("record/1\n", "record/6\n"))
    declared(
        "ruiz-c", "lind-s", "--why", WHY, "--signed", str(tmp_path / "kept.txt"), monkeypatch=monkeypatch
    )
    assert current_incarnation().number == 7
    assert sealed.seal().size == 1


def test_a_leaf_that_was_signed_and_never_written_counts_as_signed(
    sealed, folder, officer, administrator, monkeypatch, write
):
    held = state.read(folder)
    state.write(folder, held.with_pending(state.Pending(4, "{}", held.note.replace("\n4\n", "\n5\n"))))
    declared("ruiz-c", "lind-s", "--why", WHY, monkeypatch=monkeypatch)
    assert "\n5\n" in current_incarnation().after["signed"]


@pytest.mark.parametrize(
    ("who", "pins", "why", "sentence"),
    [
        (("ruiz-c", "ruiz-c"), ("222222", "222222"), WHY, "The witness must be a different person."),
        (("ruiz-c", "lind-s"), ("222222", "333334"), WHY, "Code or PIN is wrong."),
        (("ruiz-c", "nobody"), ("222222", "333333"), WHY, "Code or PIN is wrong."),
        (("ruiz-c", "gone-g"), ("222222", "444444"), WHY, "Code or PIN is wrong."),
        (("ruiz-c", "ruiz-d"), ("222222", "555555"), WHY, "must be from different departments"),
        (("okafor-a", "lind-s"), ("654321", "333333"), WHY, "one of the two people who declare must be"),
        (("ruiz-c", "lind-s"), ("222222", "333333"), "  ", "Give a reason of at most 500 characters."),
        (("ruiz-c", "lind-s"), ("222222", "333333"), "w" * 501, "Give a reason of at most 500 characters."),
    ],
)  # fmt: skip
def test_nobody_else_declares(
    sealed, officer, administrator, floorperson, make_person, heard, monkeypatch, who, pins, why, sentence
):
    make_person("gone-g", pin="444444", is_active=False)
    make_person("ruiz-d", Role.COMPLIANCE, "555555", department=Department.COMPLIANCE)
    with pytest.raises(CommandError) as raised:
        declared(*who, "--why", why, pins=pins, monkeypatch=monkeypatch)
    assert sentence.lower() in str(raised.value).lower()
    assert (current_incarnation_number(), heard) == (1, [])


def test_a_note_that_is_none_is_refused(sealed, officer, administrator, tmp_path, monkeypatch):
    (tmp_path / "no.txt").write_text("no note")
    with pytest.raises(CommandError, match="not a signed checkpoint"):
        declared(
            "ruiz-c", "lind-s", "--why", WHY, "--signed", str(tmp_path / "no.txt"), monkeypatch=monkeypatch
        )
    with pytest.raises(CommandError, match="cannot be read"):
        declared("ruiz-c", "lind-s", "--why", WHY, "--signed", str(tmp_path / "x"), monkeypatch=monkeypatch)


def test_a_lasting_problem_ends_with_the_declaration(sealed, folder, officer, administrator, monkeypatch):
    sealed.record_problem(SealingProblem("witness-ahead", incarnation=1, witness="w", size=9, ours=4))
    declared("ruiz-c", "lind-s", "--why", WHY, monkeypatch=monkeypatch)
    assert sealed.seal().size == 1
    sealed.record_problem(SealingProblem("witness-ahead", incarnation=1, witness="w", size=9, ours=4))
    assert state.read(folder).problem is None


def test_a_declaration_that_the_floor_cannot_take_does_not_happen(sealed, officer, administrator):
    def refuses(sender, **said):
        raise AuditRefusal

    incarnation_declared.connect(refuses)
    try:
        with pytest.raises(AuditRefusal) as raised:
            declare_incarnation(officer, administrator, WHY)
    finally:
        incarnation_declared.disconnect(refuses)
    assert raised.value.sentence == "This cannot be done."
    assert not entries_on_system("incarnation.declared").exists()
    assert current_incarnation_number() == 1
