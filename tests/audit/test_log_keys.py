"""A key serves one log and has its name; logs that began with a key of the whole installation stay verifiable."""

import hashlib
import io
import os

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from audit import clock, notes, record, verification, witness
from audit.models import Checkpoint, Department, Entry, Role, SigningKey
from audit.sealing import keys, log, state
from audit.sealing.declarations import declare_incarnation, entries_on_system, write_on_system
from audit.sealing.log import Log, current_incarnation, logs_of
from audit.sealing.process import SealerSession
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem
from audit.sealing.status import sealer_status
from tables.replay.evidence import check_proof
from tests.services.entries import any_entry

from . import stored
from .conftest import MOMENT
from .gone_back import as_superuser
from .outsider import bad, check, packed
from .sealed import (
    DAY,
    SECOND,
    WITNESS,
    House,
    bundled,
    create_shared_key,
    files_of,
    proof_of,
    release_before,
)
from .test_second_verifier import Case, judged, not_all  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
FIRST, SECOND_LOG, BASE = "pitside.local/record/1", "pitside.local/record/bexley/1", "pitside.local/record"
ASHFORD, BEXLEY, CAMBER = "ashford/T-1", "bexley/T-9", "camber/T-5"
MINUTE = 60 * SECOND


def play(house: House, after, *names: str) -> None:
    for name in names or (ASHFORD, BEXLEY):
        house.act(after, name)
    house.seal(after)


@pytest.fixture
def house(tmp_path, write, settings) -> House:
    """Two casinos, each with a log and a key of its own."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    house = House(tmp_path / "sealer", write)
    play(house, 0 * SECOND, ASHFORD)
    play(house, SECOND)
    play(house, 2 * SECOND)
    return house


@pytest.fixture
def upgraded(tmp_path, write, settings, monkeypatch) -> House:
    """Two casinos whose logs the release before began with one key for both; then the upgrade."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    house = House(tmp_path / "sealer", write, create_key=create_shared_key)
    with release_before(monkeypatch):
        play(house, 0 * SECOND, ASHFORD)
        play(house, SECOND)
    house.sealer = Sealer(house.folder)
    return house


def origins() -> list[str]:
    return [log.origin for log in logs_of(current_incarnation())]


def signed_by() -> dict[str, list[str]]:
    """The names of the keys under the newest checkpoint of each current log."""
    return {
        log.origin: [signature.name for signature in notes.Note.read(log.newest().note).signatures]
        for log in logs_of(current_incarnation())
    }


def key_named(name: str) -> SigningKey:
    return SigningKey.objects.filter(name=name, retired_at=None).latest("pk")


def line_of(name: str) -> str:
    return keys.verifier_of(key_named(name)).vkey


def command(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("sealer_key", *arguments, stdout=out)
    return out.getvalue().splitlines()


def problems_of(house: House, after=DAY) -> dict[str, str]:
    with clock.override(MOMENT + after):
        return {facility: error.code for facility, error in Sealer(house.folder).seal_logs().errors.items()}


def signed_with(files: dict[str, bytes], *signers: notes.Signer) -> bytes:
    """The bundle with its checkpoint signed by these keys alone."""
    text = notes.Note.read(files["checkpoint.txt"]).text
    return packed({**files, "checkpoint.txt": notes.sign(text, signers).encode()})


# New logs


def test_each_log_is_signed_by_a_key_with_its_name_and_each_key_is_another(house):
    assert signed_by() == {FIRST: [FIRST], SECOND_LOG: [SECOND_LOG]}
    assert len({bytes(key.public_key) for key in SigningKey.objects.all()}) == 2
    for key in SigningKey.objects.all():
        path = house.folder / "keys" / f"{key.key_id}.key"
        assert (path.stat().st_mode & 0o777, path.read_text().split("+")[2]) == (0o600, key.name)
    assert verification.verify().good


def test_the_next_incarnation_of_a_log_has_another_key_and_no_act_is_needed(house, make_person):
    declare(make_person)
    play(house, DAY + SECOND)
    assert signed_by() == {
        "pitside.local/record/2": ["pitside.local/record/2"],
        "pitside.local/record/bexley/2": ["pitside.local/record/bexley/2"],
    }
    assert SigningKey.objects.count() == 4
    assert verification.verify().good
    assert [line.rsplit("  ", 1)[1] for line in command("list")] == ["its log has ended"] * 2 + ["signs"] * 2
    command("retire", key_named(FIRST).key_id)


def declare(make_person) -> None:
    compliance = make_person("ruiz-c", Role.COMPLIANCE, department=Department.COMPLIANCE)
    with clock.override(MOMENT + DAY):
        declare_incarnation(compliance, make_person("lind-s"), "disk")


def test_the_key_of_a_facility_is_on_record_without_its_name(house):
    """installation/system is in every bundle: the readers of one casino learn no name of another."""
    created = [bytes(entry.body) for entry in entries_on_system("log_key.created")]
    line = line_of(SECOND_LOG)
    assert len(created) == 1 and hashlib.sha256(line.encode()).hexdigest().encode() in created[0]
    assert b"bexley" not in b"".join(files_of(bundled(facility="ashford")).values())
    assert [line.split()[1] for line in keys_in("ashford")] == [line_of(FIRST)]
    assert [line.split()[1] for line in keys_in("bexley")] == [line]
    created_before = entries_on_system("log_key.retired").count()
    with clock.override(MOMENT + DAY):
        command("rotate", "bexley")
        command("retire", line.split("+")[1])
    assert (created_before, entries_on_system("log_key.retired").count()) == (0, 1)


def keys_in(facility: str) -> list[str]:
    return files_of(bundled(facility=facility))["keys.txt"].decode().splitlines()


def test_a_reader_who_has_the_line_of_a_log_checks_its_bundles_with_it(house, judged):  # noqa: F811
    cases = [
        Case(f"{facility} with {given}", bundled(facility=facility), {"vkey": line_of(given)})
        for facility in ("ashford", "bexley")
        for given in (FIRST, SECOND_LOG)
    ]
    answers = judged(cases)
    assert [answer[1:] for answer in (answers[0], answers[3])] == [("good", "good")] * 2
    assert not_all("bad", answers[1:3]) == []
    assert answers[1][1] == f"bad: checkpoint.txt: none of the keys is a key of this log, {FIRST}"


def test_a_crash_between_the_file_and_the_record_leaves_one_key(house, write, monkeypatch):
    fail_once = keys.record_key

    def fails(_signer):
        monkeypatch.setattr(keys, "record_key", fail_once)
        raise SystemExit  # killed: nothing is cleaned up

    monkeypatch.setattr(keys.Path, "unlink", lambda *_arguments, **_fields: None)
    monkeypatch.setattr(keys, "record_key", fails)
    house.act(3 * SECOND, CAMBER)
    with pytest.raises(SystemExit):
        house.seal(3 * SECOND)
    house.sealer = Sealer(house.folder)
    play(house, 4 * SECOND, CAMBER)
    camber = "pitside.local/record/camber/1"
    assert (SigningKey.objects.filter(name=camber).count(), signed_by()[camber]) == (1, [camber])
    assert len(list((house.folder / "keys").iterdir())) == 3


def test_a_sealer_that_was_replaced_creates_no_key(house):
    class Lost:
        def verify_leads(self):
            raise SealingProblem("lease-lost")

        def confirm(self):
            pass

    house.act(3 * SECOND, CAMBER)
    errors = Sealer(house.folder, lock=Lost()).seal_logs().errors
    assert errors["camber"].code == "lease-lost"
    assert len(list((house.folder / "keys").iterdir())) == SigningKey.objects.count() == 2


def test_the_key_of_a_facility_can_be_created_before_its_log_begins(house):
    with clock.override(MOMENT + 3 * SECOND):
        told = command("create", "camber")
    camber = "pitside.local/record/camber/1"
    assert told == [
        f"Key {key_named(camber).key_id} signs {camber} from now on. Give this line to witnesses and readers:",
        line_of(camber),
    ]
    play(house, 4 * SECOND, CAMBER)
    assert signed_by()[camber] == [camber] and SigningKey.objects.count() == 3
    for again in ("camber", "bexley", "ashford"):
        with pytest.raises(CommandError, match="already has a key"):
            command("create", again)


def test_a_rotation_of_one_log_changes_no_other(house):
    old = key_named(SECOND_LOG)
    with clock.override(MOMENT + 3 * SECOND):
        told = command("rotate", "bexley")
    assert told[1:] == [
        line_of(SECOND_LOG),
        f"Key {old.key_id} still signs. To retire it, run: manage.py sealer_key retire {old.key_id}",
    ]
    play(house, 4 * SECOND)
    assert signed_by() == {FIRST: [FIRST], SECOND_LOG: [SECOND_LOG, SECOND_LOG]}
    with clock.override(MOMENT + 5 * SECOND):
        command("retire", old.key_id)
    play(house, 6 * SECOND)
    assert signed_by() == {FIRST: [FIRST], SECOND_LOG: [SECOND_LOG]}
    assert check(bundled(facility="bexley"), "--vkey", line_of(SECOND_LOG))[0].startswith("good")
    assert verification.verify().good


def test_a_policy_has_a_line_for_each_log_and_demands_every_witness(house, settings):
    assert command("policy") == [f"log {line_of(FIRST)}", f"log {line_of(SECOND_LOG)}", "quorum none"]
    others = [
        notes.Signer(f"w.example/{n}", bytes([n] * 32), notes.COSIGNATURE).verifier.vkey for n in (1, 2)
    ]
    settings.WITNESSES = f"https://one.example {others[0]}"
    assert command("policy", "bexley") == [
        f"log {line_of(SECOND_LOG)}",
        f"witness w.example/1 {others[0]} https://one.example",
        "quorum w.example/1",
    ]
    settings.WITNESSES += f"; https://two.example/x {others[1]}"
    assert command("policy", "ashford")[2:] == [
        f"witness w.example/2 {others[1]} https://two.example/x",
        "group witnesses all w.example/1 w.example/2",
        "quorum witnesses",
    ]


# Attacks


def test_no_checkpoint_of_one_log_signed_with_the_key_of_another_is_good(house, judged):  # noqa: F811
    """Neither to a reader, who may have both keys, nor to a witness, a verification or the page of an entry."""
    [thief] = keys.signers(house.folder, logs_of(current_incarnation())[1])
    files = files_of(bundled(facility="ashford"))
    stated = (
        files["keys.txt"]
        + f"log {thief.verifier.vkey} created 2030-01-01T00:00:00.000000Z retired never\n".encode()
    )
    forged = signed_with({**files, "keys.txt": stated}, thief)
    own = keys.signers(house.folder, keys.first_log())
    cases = [
        Case(f"{name} {has}", archive, has)
        for name, archive in {
            "the other key alone": forged,
            "its line left out": signed_with(files, thief),
            "beside the log's own": signed_with({**files, "keys.txt": stated}, *own, thief),
        }.items()
        for has in ({}, {"vkey": thief.verifier.vkey}, {"vkey": line_of(FIRST)})
    ]
    answers = judged(cases)
    beside = [cases[6].name, cases[8].name]  # the log's own key signed, and the other counts for nothing
    assert not_all("bad", [answer for answer in answers if answer[0] not in beside]) == []
    assert not_all("good", [answer for answer in answers if answer[0] in beside]) == []
    assert answers[0][1] == (
        f"bad: checkpoint.txt: the checkpoint is signed by {SECOND_LOG}+{thief.verifier.key_id.hex()}, "
        "which is the key of another log, and a key serves one log"
    )
    proof = proof_of(Entry.objects.get(stream__name=ASHFORD, seq=1))
    assert "none of the keys is a key of this log" in bad(proof, "--vkey", thief.verifier.vkey)

    signed_in_the_database(keys.first_log(), thief)
    entry = Entry.objects.filter(stream__name=ASHFORD).latest("seq")
    said = {checked.text for checked in check_proof(log.proof_of(entry))}
    assert "The checkpoint is not signed by any key of its log" in said


def signed_in_the_database(log: Log, thief: notes.Signer) -> None:
    """The newest checkpoint is signed by this key instead, which a verification says."""
    newest = log.newest()
    note = notes.sign(notes.Note.read(newest.note).text, [thief])
    with as_superuser():
        Checkpoint.objects.filter(pk=newest.pk).update(note=note)
    found = [(finding.code, finding.where["origin"]) for finding in verification.verify().findings]
    assert found == [("signature-bad", log.origin)]


def test_a_witness_of_both_logs_cosigns_none_with_the_key_of_the_other(house, tmp_path):
    cosigner = witness.Cosigner(WITNESS.name, WITNESS.seed)
    served = witness.Witness(
        [witness.LogKey(line_of(FIRST)), witness.LogKey(line_of(SECOND_LOG))],
        [], cosigner, witness.State(str(tmp_path / "state")), None,
    )  # fmt: skip
    assert served.origins == {FIRST, SECOND_LOG}
    first, second = logs_of(current_incarnation())
    text = notes.Note.read(first.newest().note).text
    forged = notes.sign(text, keys.signers(house.folder, second))
    with pytest.raises(witness.Refused) as refused:
        served.add(0, [], witness.Note(forged))
    assert (refused.value.status, refused.value.why) == (403, "no known key of the log signed this")
    assert served.add(0, [], witness.Note(first.newest().note)).startswith("\u2014 witness.example/w1 ")


def test_a_key_under_a_second_name_is_refused_with_a_sentence(house, tmp_path, judged):  # noqa: F811
    """By the command, by a sealer whose folder has it, by a witness, by readers and by a verification."""
    [own] = keys.signers(house.folder, keys.first_log())
    again = notes.Signer("pitside.local/record/camber/1", own.seed)
    with pytest.raises(keys.KeyRefused) as refused:
        keys.record_key(again)
    assert refused.value.sentence == (
        f"Key {again.verifier.key_id.hex()} is the key of {FIRST} under another name, and a key serves one log. Delete "
        "its file, and create another one for pitside.local/record/camber/1."
    )
    path = keys._save(house.folder, again)
    with pytest.raises(CommandError, match="a key serves one log"):
        command("found")
    house.act(3 * SECOND, CAMBER)
    assert problems_of(house) == {"camber": "key-of-other-log"}
    path.unlink()
    assert problems_of(house) == {}

    lines = [witness.LogKey(key.vkey) for key in (own.verifier, again.verifier)]
    cosigner = witness.Cosigner(WITNESS.name, WITNESS.seed)
    with pytest.raises(ValueError, match="are the same, and a key serves one log"):
        witness.Witness(lines, [], cosigner, witness.State(str(tmp_path / "state")), None)

    files = files_of(bundled(facility="ashford"))
    twice = (
        files["keys.txt"]
        + f"log {again.verifier.vkey} created 2030-01-01T00:00:00.000000Z retired never\n".encode()
    )
    assert not_all("bad", judged([Case("twice", packed({**files, "keys.txt": twice}))])) == []

    with clock.override(MOMENT + DAY), transaction.atomic():
        write_on_system(keys.created_entry(again.verifier), clock.now())
        SigningKey.objects.create(
            name=again.name, key_id=again.verifier.key_id.hex(), public_key=again.verifier.public,
            created_at=clock.now(),
        )  # fmt: skip
    assert [finding.code for finding in verification.verify().findings] == ["key-of-two-logs"]


def test_a_missing_file_stops_its_log_alone_and_the_check_says_which(house):
    key = key_named(SECOND_LOG)
    path = house.folder / "keys" / f"{key.key_id}.key"
    content = path.read_text()
    path.unlink()
    missing = (
        f"The sealer's folder does not have the key of {SECOND_LOG}: keys/{key.key_id}.key. Restore that file"
    )
    house.act(DAY, ASHFORD)
    session = SealerSession(house.folder)
    with clock.override(MOMENT + DAY):
        session.run_once()
        assert (sealer_status().problem, sealer_status("bexley").problem) == ("", "key-missing")
        with pytest.raises(CommandError) as failed:
            call_command("sealer", "--check")
    assert str(failed.value).startswith(f"NOT SEALED: bexley: {missing}")
    path.touch(0o600)
    path.write_text(content)
    assert problems_of(house) == {}


def test_swapped_files_and_swapped_folders_sign_nothing(house, tmp_path):
    paths = [house.folder / "keys" / f"{key_named(name).key_id}.key" for name in (FIRST, SECOND_LOG)]
    contents = [path.read_text() for path in paths]
    for path, content in zip(paths, reversed(contents), strict=True):
        path.write_text(content)
    house.act(DAY, BEXLEY)
    assert problems_of(house) == {"": "key-missing", "bexley": "key-missing"}
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    states = [state.log_folder(house.folder, facility) / state.NAME for facility in ("", "bexley")]
    saved = [path.read_bytes() for path in states]
    for path, content in zip(states, reversed(saved), strict=True):
        path.write_bytes(content)
    assert problems_of(house) == {"": "record-went-back", "bexley": "record-went-back"}
    for path, content in zip(states, saved, strict=True):
        path.write_bytes(content)
    (house.folder / "keys").rename(tmp_path / "aside")
    (house.folder / "keys").mkdir()
    assert problems_of(house) == {"": "key-missing", "bexley": "key-missing"}
    assert SigningKey.objects.count() == 2


def test_a_key_that_others_can_read_stops_its_log_alone(house):
    os.chmod(house.folder / "keys" / f"{key_named(SECOND_LOG).key_id}.key", 0o644)
    house.act(DAY, ASHFORD)
    assert problems_of(house) == {"bexley": "key-readable"}


# Logs from before


def test_logs_that_began_with_the_shared_key_go_on_with_it(upgraded):
    play(upgraded, 2 * SECOND)
    assert signed_by() == {FIRST: [BASE], SECOND_LOG: [BASE]}
    assert [line.rsplit("  ", 1)[1] for line in command("list")] == [
        f"from before each log had a key of its own; signs {FIRST}, {SECOND_LOG}"
    ]
    for facility in ("ashford", "bexley"):
        lines = check(bundled(facility=facility), "--vkey", upgraded.vkey)
        assert any(
            line.endswith("that may sign several logs, from before each had its own") for line in lines
        )
    assert verification.verify().good
    with pytest.raises(CommandError, match=f"the only active key of {FIRST}"):
        command("retire", upgraded.key.key_id)


def test_a_log_that_begins_after_the_upgrade_has_its_own_key(upgraded, make_person):
    play(upgraded, 2 * SECOND, CAMBER)
    camber = "pitside.local/record/camber/1"
    assert signed_by() == {FIRST: [BASE], SECOND_LOG: [BASE], camber: [camber]}
    assert [line.split("+")[0] for line in keys_in("camber")] == [f"log {camber}"]
    assert [line.split("+")[0] for line in keys_in("bexley")] == [f"log {BASE}"]
    declare(make_person)
    play(upgraded, DAY + SECOND)
    assert signed_by() == {
        origin: [origin] for origin in (f"{BASE}/2", f"{BASE}/bexley/2", f"{BASE}/camber/2")
    }
    with clock.override(MOMENT + DAY + MINUTE):
        command("retire", upgraded.key.key_id)
    assert verification.verify().good


def test_an_installation_that_had_created_its_key_and_sealed_nothing_goes_on(tmp_path, write):
    house = House(tmp_path / "sealer", write, create_key=create_shared_key)
    play(house, 0 * SECOND, ASHFORD)
    assert signed_by() == {FIRST: [FIRST]}


def test_a_rotation_gives_logs_from_before_their_own_keys_and_bundles_stay_good(upgraded, judged):  # noqa: F811
    """In each phase, to whoever has the old line, the new one, or the bundle's own."""
    before = bundled(facility="bexley")
    with clock.override(MOMENT + 2 * SECOND):
        command("rotate")
    play(upgraded, DAY)
    assert signed_by() == {FIRST: [BASE, FIRST], SECOND_LOG: [BASE, SECOND_LOG]}
    both = bundled(facility="bexley", at=MOMENT + DAY)
    recent = bundled(facility="bexley", since=MOMENT + DAY - MINUTE, at=MOMENT + DAY)
    with clock.override(MOMENT + DAY + SECOND):
        command("retire", upgraded.key.key_id)
    play(upgraded, 2 * DAY)
    assert signed_by() == {FIRST: [FIRST], SECOND_LOG: [SECOND_LOG]}
    after = bundled(facility="bexley", at=MOMENT + 2 * DAY)
    old, new = {"vkey": upgraded.vkey}, {"vkey": line_of(SECOND_LOG)}
    good = [
        *(Case(f"before {has}", before, has) for has in ({}, old)),
        *(Case(f"both {has}", archive, has) for archive in (both, recent) for has in ({}, old, new)),
        *(Case(f"after {has}", after, has) for has in ({}, new)),
    ]
    assert not_all("good", judged(good)) == []
    assert not_all("bad", judged([Case("before, new", before, new), Case("after, old", after, old)])) == []
    assert verification.verify().good


def test_a_new_log_signed_with_a_key_of_the_installation_is_bad(house, judged):  # noqa: F811
    """The thief has the key from before: it opens no log that began with its own."""
    thief = notes.Signer(BASE, bytes(range(32)))
    with clock.override(MOMENT + MINUTE):
        keys.record_key(thief)
    files = files_of(bundled(facility="ashford"))
    assert BASE.encode() + b"+" not in files["keys.txt"]
    line = f"log {thief.verifier.vkey} created 2020-01-01T00:00:00.000000Z retired never\n".encode()
    forged = signed_with({**files, "keys.txt": line + files["keys.txt"]}, thief)
    assert (
        not_all("bad", judged([Case(f"{has}", forged, has) for has in ({}, {"vkey": thief.verifier.vkey})]))
        == []
    )
    assert bad(forged) == (
        f"checkpoint.txt: the log has a key of its own, {FIRST}+{key_named(FIRST).key_id}, which has not signed the "
        "checkpoint"
    )
    signed_in_the_database(keys.first_log(), thief)


def test_a_log_from_before_is_not_signed_with_the_key_of_a_new_one(upgraded, judged):  # noqa: F811
    play(upgraded, 2 * SECOND, CAMBER)
    first, _second, camber = logs_of(current_incarnation())
    [thief] = keys.signers(upgraded.folder, camber)
    files = files_of(bundled(facility="ashford"))
    line = f"log {thief.verifier.vkey} created 2030-01-01T00:00:00.000000Z retired never\n".encode()
    forged = signed_with({**files, "keys.txt": files["keys.txt"] + line}, thief)
    cases = [Case(f"{has}", forged, has) for has in ({}, {"vkey": thief.verifier.vkey})]
    assert not_all("bad", judged(cases)) == []
    signed_in_the_database(first, thief)


def test_a_release_that_is_taken_back_and_put_on_again_leaves_good_logs(upgraded, judged, monkeypatch):  # noqa: F811
    """The release before signs every log with every key that it finds; this one then only with the log's."""
    camber = f"{BASE}/camber/1"
    play(upgraded, 2 * SECOND, CAMBER)
    upgraded.sealer = Sealer(upgraded.folder)
    with release_before(monkeypatch):
        play(upgraded, 3 * SECOND, ASHFORD, CAMBER)
        assert signed_by()[camber] == signed_by()[FIRST] == [BASE, camber]
        between = {facility: bundled(facility=facility) for facility in ("ashford", "camber")}
    upgraded.sealer = Sealer(upgraded.folder)
    play(upgraded, 4 * SECOND, ASHFORD, BEXLEY, CAMBER)
    assert signed_by() == {FIRST: [BASE], SECOND_LOG: [BASE], camber: [camber]}
    cases = [
        Case("ashford between", between["ashford"], {"vkey": upgraded.vkey}),
        Case("camber between", between["camber"], {"vkey": line_of(camber)}),
        Case("camber after", bundled(facility="camber"), {"vkey": line_of(camber)}),
    ]
    assert not_all("good", judged(cases)) == []
    assert verification.verify().good


def test_an_installation_whose_name_ends_in_a_number_goes_on(tmp_path, write, settings, monkeypatch, judged):  # noqa: F811
    """The name of its old key looks like that of a log."""
    settings.LOG_ORIGIN = "casino.example/record/2026"
    house = House(tmp_path / "sealer", write, create_key=create_shared_key)
    with release_before(monkeypatch):
        play(house, 0 * SECOND, ASHFORD)
        play(house, SECOND)
    house.sealer = Sealer(house.folder)
    play(house, 2 * SECOND, ASHFORD, BEXLEY, CAMBER)
    old = settings.LOG_ORIGIN
    assert signed_by() == {
        f"{old}/1": [old], f"{old}/bexley/1": [old], f"{old}/camber/1": [f"{old}/camber/1"],
    }  # fmt: skip
    cases = [Case(code, bundled(facility=code), {"vkey": house.vkey}) for code in ("ashford", "bexley")]
    assert not_all("good", judged(cases)) == []
    assert verification.verify().good
    assert "from before each log had a key of its own; signs" in command("list")[0]


def test_a_witness_that_knows_a_logs_own_key_wants_its_signature(upgraded, tmp_path):
    def served(name: str, *lines: str) -> witness.Witness:
        cosigner = witness.Cosigner(WITNESS.name, WITNESS.seed)
        log_keys = [witness.LogKey(line) for line in lines]
        return witness.Witness(log_keys, [FIRST], cosigner, witness.State(str(tmp_path / name)), None)

    before = witness.Note(keys.first_log().newest().note)
    served("old", upgraded.vkey).add(0, [], before)
    with clock.override(MOMENT + 2 * SECOND):
        command("rotate", "ashford")
    play(upgraded, DAY)
    both = served("both", upgraded.vkey, line_of(FIRST))
    with pytest.raises(witness.Refused, match="no known key of the log"):
        both.add(0, [], before)
    both.add(0, [], witness.Note(keys.first_log().newest().note))
    with pytest.raises(ValueError, match=f"none of the keys is a key of '{FIRST}'"):
        served("wrong", notes.Signer(SECOND_LOG, bytes(32)).verifier.vkey)


def test_a_log_with_its_own_key_is_not_signed_by_the_old_one_alone(upgraded):
    """A reader may have been given the new line already."""
    with clock.override(MOMENT + 2 * SECOND):
        command("rotate", "bexley")
    (upgraded.folder / "keys" / f"{key_named(SECOND_LOG).key_id}.key").unlink()
    upgraded.act(DAY, BEXLEY)
    assert problems_of(upgraded) == {"bexley": "key-missing"}


def test_what_the_release_before_wrote_is_still_good(judged):  # noqa: F811
    """Bundles and a proof that were stored when one key signed every log, with its line and without."""
    bundles = [stored.read(f"shared_key/{name}") for name in ("eight-entries.zip", "middle-day.zip")]
    line = files_of(bundles[0])["keys.txt"].split()[1].decode()
    assert line.startswith(f"{BASE}+")
    cases = [
        Case(f"{number} {has}", one, has)
        for number, one in enumerate(bundles)
        for has in ({}, {"vkey": line})
    ]
    cases.append(Case("the proof", stored.read("shared_key/entry-seven.proof"), {"vkey": line}))
    assert not_all("good", judged(cases)) == []


def test_an_entry_before_the_first_seal_changes_nothing(write, folder):
    """A key alone seals nothing, and the record of an installation without keys is not opened."""
    with transaction.atomic():
        stream = record.lock_stream(ASHFORD)
        fields = {"moment": MOMENT, "gaming_day": clock.gaming_day("ashford", MOMENT)}
        record.append(stream, entry=any_entry("round.opened", {"round": 1}), **fields)
    with pytest.raises(SealingProblem) as raised:
        Sealer(folder).seal()
    assert (raised.value.code, current_incarnation()) == ("no-key", None)
