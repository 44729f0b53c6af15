"""Each facility has a log of its own: what leaves one casino names no other, and the trouble of one stops no other."""

import datetime as dt
import hashlib
import io
import json

import pytest
from django.core.management import CommandError, call_command

from audit import chain, clock, export, notes, verification
from audit.exporting import bundle as unsealed
from audit.exporting import output
from audit.models import (
    Checkpoint,
    Cosignature,
    Department,
    Entry,
    Incarnation,
    Job,
    Node,
    Role,
    Seal,
    SealedHead,
    Stream,
)
from audit.sealing import state, witnesses
from audit.sealing.declarations import declare_incarnation, entries_on_system
from audit.sealing.log import Log, current_incarnation, first_facility, logs_of, proof_of
from audit.sealing.process import SealerSession
from audit.sealing.sealer import STEPS, Head, Sealer
from audit.sealing.state import SealingProblem
from audit.sealing.status import sealer_status
from tests.services.examples import of_today

from .conftest import MOMENT
from .gone_back import as_superuser, forget, put_back
from .outsider import bad as bad_bundle
from .outsider import check
from .sealed import (
    DAY,
    SECOND,
    WITNESS,
    House,
    bundled,
    create_shared_key,
    files_of,
    release_before,
)
from .test_sealer import Killed, killed_at

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ASHFORD, BEXLEY = "ashford/T-1", "bexley/T-9"


@pytest.fixture
def house(tmp_path, write) -> House:
    """Two casinos play for three days, Ashford from the first second on; each act is sealed."""
    house = House(tmp_path / "sealer", write)
    house.seal(-SECOND)
    for day in range(3):
        play(house, day * DAY)
    return house


def play(house: House, after: dt.timedelta) -> None:
    for number in range(3):
        for name in (ASHFORD, BEXLEY):
            house.act(after + number * SECOND, name)
            house.seal(after + number * SECOND)


def logs() -> dict[str, Log]:
    return {log.facility: log for log in logs_of(current_incarnation())}


def listed_in(log: Log) -> list[list[str]]:
    bodies = log.seals.order_by("number").values_list("body", flat=True)
    return [[head["stream"] for head in json.loads(bytes(body))["heads"]] for body in bodies]


def errors_of(sealer: Sealer, moment: dt.datetime = MOMENT + 3 * DAY) -> dict[str, str]:
    with clock.override(moment):
        return {facility: error.code for facility, error in sealer.seal_logs().errors.items()}


def test_each_facility_has_a_log_with_its_own_name_that_lists_its_own_streams(house):
    assert {facility: log.origin for facility, log in logs().items()} == {
        "": "pitside.local/record/1", "bexley": "pitside.local/record/bexley/1",
    }  # fmt: skip
    first, second = logs().values()
    assert (first_facility(current_incarnation()), first.size, second.size) == ("ashford", 10, 9)
    assert listed_in(first)[:3] == [["installation/system"], [ASHFORD], [ASHFORD, "installation/system"]]
    assert {name for names in listed_in(first) for name in names} == {"installation/system", ASHFORD}
    assert listed_in(second)[:2] == [[BEXLEY, "installation/system"], [BEXLEY]]
    assert [log.newest().note.partition("\n")[0] for log in (first, second)] == [first.origin, second.origin]


def test_the_range_and_the_proof_of_an_entry_use_the_log_of_their_facility(house):
    for name, log in zip((ASHFORD, BEXLEY), logs().values(), strict=True):
        proof = proof_of(Entry.objects.get(stream__name=name, seq=5))
        assert (proof.seal.facility, proof.checkpoint.facility) == (log.facility, log.facility)
        key = Entry.objects.get(stream__name="installation/system", seq=1)
        assert proof_of(key, name.partition("/")[0]).seal.facility == log.facility
        assert unsealed.count_unsealed(export.select([name])) == 0
        house.act(3 * DAY, name)
        assert unsealed.count_unsealed(export.select(facility=name.partition("/")[0])) == 1


def test_a_bundle_of_the_installation_for_a_facility_uses_the_log_of_this_facility(house):
    for facility, log in zip(("ashford", "bexley"), logs().values(), strict=True):
        archive = bundled("installation/system", facility=facility)
        assert json.loads(files_of(archive)["manifest.json"])["origin"] == log.origin
        assert check(archive)[0].startswith("good")


def test_a_bundle_of_several_facilities_is_refused_with_what_to_do_instead(house, tmp_path):
    target = tmp_path / "all.zip"
    sentence = "Write a bundle of each: --facility ashford, --facility bexley"
    for streams in ([], ["--stream", ASHFORD, "--stream", BEXLEY]):
        with pytest.raises(CommandError, match=sentence):
            call_command("audit_export", *streams, "--format", "bundle", "--output", str(target))
    assert not target.exists()
    call_command("audit_export", "--output", str(target))
    assert BEXLEY in target.read_text() and ASHFORD in target.read_text()


@pytest.mark.parametrize("point", STEPS)
def test_a_sealer_killed_while_it_begins_the_log_of_a_facility_signs_one_root_for_each_size(
    sealer, write, folder, point
):
    with clock.override(MOMENT):
        sealer.seal()
        write(BEXLEY)
        with pytest.raises(Killed):
            Sealer(folder, killed_at(point)).seal()
        signed = state.read(state.log_folder(folder, "bexley")).signed
        write(BEXLEY)
        write()
        Sealer(folder).seal()
    checkpoints = {
        log.facility: list(log.checkpoints.order_by("size").values_list("size", "note"))
        for log in logs_of(current_incarnation())
    }
    assert [size for size, _ in checkpoints["bexley"]] == ([1] if point == "signed" else [1, 2])
    assert not signed or signed in [note for _, note in checkpoints["bexley"]]
    assert len(checkpoints[""]) == 2


# The trouble of one facility


def test_a_cut_tail_is_the_trouble_of_its_facility_alone(house, settings):
    put_back(Stream.objects.get(name=BEXLEY), 8)
    house.act(3 * DAY, ASHFORD)
    session = SealerSession(house.folder)
    with clock.override(MOMENT + 3 * DAY):
        session.run_once()
    assert [log.size for log in logs().values()] == [11, 9]
    assert (sealer_status().problem, sealer_status("bexley").problem) == ("", "head-went-back")
    sentence = f"NOT SEALED: bexley: The record of {BEXLEY} was rolled back: entry 9"
    with clock.override(MOMENT + 3 * DAY), pytest.raises(CommandError, match=sentence):
        call_command("sealer", "--check")
    missing, refuses = verification.verify(facility="bexley").findings
    assert (missing.code, missing.where["stream"]) == ("sealed-entry-missing", BEXLEY)
    assert (refuses.code, refuses.where["facility"]) == ("sealer-refuses", "bexley")
    assert verification.verify().good is False
    for facility, outcome in (("ashford", "good"), ("bexley", "bad")):
        job = Job(kind=Job.Kind.VERIFICATION, facility=facility)
        figures = output.produce(job, house.folder, lambda *_progress: None).figures
        assert (figures["outcome"], figures["streams"]) == (outcome, 2)
    assert "the tail is cut off" in bad_bundle(bundled(facility="bexley"))
    assert check(bundled(facility="ashford"))[0].startswith("good")


def test_a_facility_deleted_with_its_whole_log_is_missed_by_a_sealer_that_starts_again(house):
    with as_superuser():
        for rows in (
            Cosignature.objects.filter(checkpoint__facility="bexley"), Checkpoint.objects.filter(facility="bexley"),
            SealedHead.objects.filter(stream__name=BEXLEY), SealedHead.objects.filter(seal__facility="bexley"),
            Seal.objects.filter(facility="bexley"), Node.objects.filter(facility="bexley"),
            Entry.objects.filter(stream__name=BEXLEY), Stream.objects.filter(name=BEXLEY),
        ):  # fmt: skip
            rows.delete()
    assert errors_of(Sealer(house.folder)) == {"bexley": "record-went-back"}


@pytest.mark.parametrize("facility", ["", "bexley"])
def test_the_state_of_one_log_set_back_stops_that_log_alone(house, facility):
    folder = state.log_folder(house.folder, facility)
    before = (folder / state.NAME).read_bytes()
    play(house, 3 * DAY)
    (folder / state.NAME).write_bytes(before)
    play_on = {"": BEXLEY, "bexley": ASHFORD}[facility]
    house.act(4 * DAY, play_on)
    sizes = [log.size for log in logs().values()]
    assert errors_of(Sealer(house.folder), MOMENT + 4 * DAY) == {facility: "folder-behind"}
    grown = [log.size - size for log, size in zip(logs().values(), sizes, strict=True)]
    assert grown == ([0, 1] if facility == "" else [1, 0])


def test_no_log_begins_while_the_first_one_is_not_sealed(house):
    """The first log may be what lists the streams that the new one should have."""
    (house.folder / state.NAME).unlink()
    house.act(3 * DAY, "camber/T-1")
    assert errors_of(Sealer(house.folder)) == {"": "state-missing", "camber": "first-log-stopped"}
    assert sorted(logs()) == ["", "bexley"]


# A log from before each facility had its own


@pytest.fixture
def shared(tmp_path, write, monkeypatch) -> House:
    """A record of two facilities in one log, sealed for two days by the release before."""
    house = House(tmp_path / "sealer", write, create_key=create_shared_key)
    with release_before(monkeypatch), monkeypatch.context() as before:
        before.setattr(Head, "facility", "ashford")
        play(house, 0 * DAY)
        play(house, DAY)
    assert listed_in(logs()[""])[1] == [BEXLEY]
    house.sealer = Sealer(house.folder)
    return house


def test_a_shared_log_ends_and_each_facility_begins_its_own(shared):
    """Every range, also from before, can be checked in the new logs, and names no other facility."""
    old = logs()[""].newest()
    for after in (DAY + 5 * SECOND, DAY + 9 * SECOND):
        shared.act(after, ASHFORD)
        shared.seal(after)
    play(shared, 2 * DAY)
    assert {facility: log.size for facility, log in logs().items()} == {
        "": old.size,
        "ashford": 5,
        "bexley": 4,
    }
    assert [listed_in(log)[:2] for log in logs().values()][1:] == [
        [[ASHFORD, "installation/system"], [ASHFORD, "installation/system"]],
        [[BEXLEY, "installation/system"], [BEXLEY, "installation/system"]],
    ]
    edges = [0 * DAY, DAY, DAY + SECOND, DAY + 6 * SECOND, 2 * DAY, 2 * DAY + SECOND, 3 * DAY]
    moments = [None, *(MOMENT + edge for edge in edges)]
    ranges = [
        (since, until) for number, since in enumerate(moments) for until in [*moments[number + 1 :], None]
    ]
    for since, until in of_today(ranges):
        for facility, foreign in (("ashford", BEXLEY), ("bexley", ASHFORD)):
            archive = bundled(facility=facility, since=since, until=until, at=MOMENT + 9 * DAY)
            assert check(archive)[0].startswith("good"), (facility, since, until)
            assert foreign.encode() not in everything_in(archive)
    assert verification.verify().good and verification.verify(facility="ashford").good


def test_what_the_shared_log_listed_is_compared_before_the_new_log_begins(shared):
    """A tail is cut while the sealer is replaced. The new log says so, also to a sealer that starts a day later."""
    put_back(Stream.objects.get(name=BEXLEY), 4)
    shared.act(DAY + 5 * SECOND, ASHFORD)
    assert errors_of(shared.sealer) == {"bexley": "head-went-back"}
    shared.act(2 * DAY, ASHFORD)
    assert errors_of(shared.sealer) == {"bexley": "head-went-back"}
    assert errors_of(Sealer(shared.folder)) == {"bexley": "head-went-back"}
    assert {facility: log.size for facility, log in logs().items()} == {"": 12, "ashford": 2}


def test_a_shared_log_that_has_ended_is_still_compared_with_what_was_signed(shared):
    shared.seal(2 * DAY)
    forget(1, 11)
    shared.act(2 * DAY, ASHFORD)
    assert errors_of(Sealer(shared.folder)) == {"": "record-went-back"}
    assert logs()["ashford"].size == 2


def everything_in(archive: bytes) -> bytes:
    return b"\n".join(files_of(archive).values())


# Incarnations, witnesses, copies


def test_a_declaration_opens_the_next_incarnation_of_every_log_and_names_no_other_facility(
    house, make_person, monkeypatch, settings, capsys
):
    settings.SEALER_DIR = str(house.folder)
    make_person("ruiz-c", Role.COMPLIANCE, "222222", department=Department.COMPLIANCE)
    make_person("lind-s", Role.SYSTEM_ADMINISTRATOR, "333333", department=Department.INFORMATION_TECHNOLOGY)
    monkeypatch.setattr("sys.stdin", io.StringIO("222222\n333333\n"))
    with clock.override(MOMENT + 3 * DAY):
        call_command("declare_incarnation", "ruiz-c", "lind-s", "--why", "disk", "--pins-from-stdin")
    ended = {log.facility: log.newest().note for log in logs_of(Incarnation.objects.get(number=1))}
    body = bytes(entries_on_system("incarnation.declared").get().body)
    data = json.loads(body)["data"]
    ends = {code: {"found": note, "signed": note} for code, note in ended.items()}
    assert {"found": data["found"], "signed": data["signed"]} == ends[""]
    assert data["other_logs"] == [hashlib.sha256(chain.canonical(ends["bexley"])).hexdigest()]
    assert current_incarnation().after["logs"] == {"bexley": ends["bexley"]}
    assert b"bexley" not in body
    play(house, 4 * DAY)
    assert {code: (log.origin, log.size) for code, log in logs().items()} == {
        "": ("pitside.local/record/2", 4), "bexley": ("pitside.local/record/bexley/2", 4),
    }  # fmt: skip
    assert check(bundled(facility="bexley"))[0].startswith("good")
    assert verification.verify().good


def test_a_number_in_the_state_of_any_log_is_used_up(house, make_person):
    compliance = make_person("ruiz-c", Role.COMPLIANCE, department=Department.COMPLIANCE)
    later = logs()["bexley"].newest().note.replace("bexley/1\n", "bexley/6\n")
    with clock.override(MOMENT + 3 * DAY):
        declared = declare_incarnation(compliance, make_person("lind-s"), "disk", signed=[later])
    assert (declared.number, declared.after["logs"]["bexley"]["signed"]) == (7, later)


def test_a_witness_is_asked_about_each_log_and_stops_only_the_one_that_it_disputes(house, monkeypatch):
    origins = []

    def answer(witness, log):
        origins.append(log.origin)
        if log.facility:
            raise SealingProblem("witness-ahead", log.facility, incarnation=1, witness="w", size=99, ours=9)

    monkeypatch.setattr(witnesses, "request_cosignature", answer)
    client = witnesses.WitnessClient(witnesses.Witness("http://127.0.0.1:1", WITNESS.verifier))
    client.stop()
    client._stopped.clear()  # it is asked here, in no thread of its own
    assert client._request_each() == {"": "", "bexley": "asked-again"}
    assert client._request_each() == {"": "", "bexley": "witness-ahead"}
    assert origins == ["pitside.local/record/1", "pitside.local/record/bexley/1"] * 2
    house.sealer.record_problem(client.problem)
    play_on = [house.act(3 * DAY, name) for name in (ASHFORD, BEXLEY)]
    assert play_on and errors_of(Sealer(house.folder)) == {"bexley": "witness-ahead"}
    assert logs()[""].size == 11


def test_the_cosignatures_of_a_log_are_its_own_also_where_another_log_was_cosigned_later(house, monkeypatch):
    first, second = (log.newest() for log in logs().values())
    for checkpoint in (second, first):
        house.cosign(checkpoint)
    for log, checkpoint in zip(logs().values(), (first, second), strict=True):
        assert [line.checkpoint for line in log.cosignatures()] == [checkpoint]
    for name, checkpoint in ((ASHFORD, first), (BEXLEY, second)):
        assert proof_of(Entry.objects.get(stream__name=name, seq=1)).witnessed == checkpoint
        assert notes.Note.read(files_of(bundled(name))["checkpoint.txt"].decode()).text in checkpoint.note


def test_each_log_is_copied(house, settings, tmp_path):
    settings.CHECKPOINT_COPIES = str(tmp_path / "copies")
    session = SealerSession(house.folder)
    with clock.override(MOMENT + 3 * DAY):
        session.run_once()
        session.run_once()
    names = ["pitside.local_record_1-000000000010.txt", "pitside.local_record_bexley_1-000000000009.txt"]
    assert sorted(path.name for path in (tmp_path / "copies").glob("*.txt")) == names
    assert [sealer_status().newest_copy, sealer_status("bexley").newest_copy] == names
