"""The record in the database, verified whole: what is good, and what a superuser did to it."""

import contextlib
import re
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from audit import chain, clock, notes, rows, verification
from audit.findings import FINDINGS, FORMER, say
from audit.models import Checkpoint, Cosignature, Entry, Node, Seal, SealedHead, SigningKey
from audit.sealing import keys
from audit.sealing.process import SealerSession
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem
from audit.sealing.status import LogReport, StatusWriter
from tests.services import later
from tests.services.emptying import guards_aside

from .conftest import MOMENT
from .sealed import DAY, SECOND

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def sealed(write, tmp_path, settings):
    """Two tables with three entries and two, sealed twice; then one entry more."""
    settings.SEALER_DIR = str(tmp_path)
    keys.create(keys.folder())
    sealer = Sealer(tmp_path)
    for number in (1, 2, 3):
        write(
            data={"round": number, "lot": "L-1", "paid_cents": 500 * number}, moment=MOMENT + number * SECOND
        )
    sealer.seal()
    write("larkfield/T-05", moment=MOMENT)
    write("larkfield/T-05", moment=MOMENT + SECOND)
    sealer.seal()
    write("larkfield/T-05", moment=MOMENT + 2 * SECOND)
    return sealer


@contextlib.contextmanager
def superuser():
    """The guards are put aside. PostgreSQL alters no table of which a deferred check still waits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with guards_aside(connection):
        yield


def aside(*statements):
    """What a superuser does with the guards put aside."""
    with superuser(), connection.cursor() as cursor:
        for statement, params in statements:
            cursor.execute(statement, params)


def found():
    """The codes of what a verification finds, with where."""
    return [
        (one.code, {name: one.where[name] for name in one.where}) for one in verification.verify().findings
    ]


def at(seq, stream="larkfield/T-04"):
    return Entry.objects.get(stream__name=stream, seq=seq)


def test_a_good_record_is_counted_with_its_unsealed_entries(sealed):
    told = []
    good = verification.verify(lambda done, total: told.append((done, total)))
    assert (good.good, good.findings) == (True, [])
    # 3 + 3 at the tables, and on installation/system the key and the incarnation.
    assert (good.entries, good.streams, good.seals, good.checkpoints, good.unsealed) == (8, 3, 2, 2, 1)
    assert (told[0], told[-1]) == ((0, 12), (12, 12))
    assert good.as_data()["first_bad"] is None and good.as_data()["outcome"] == "good"


def test_batches_join(sealed, monkeypatch):
    monkeypatch.setattr(rows, "BATCH_ENTRIES", 2)
    monkeypatch.setattr("audit.verification.LEAVES", 1)
    assert verification.verify().good


def test_a_record_that_was_never_sealed_is_verified_too(stream):
    good = verification.verify()
    assert (good.good, good.entries, good.seals, good.unsealed) == (True, 3, 0, 3)


def test_a_changed_body_is_named(sealed):
    body = bytes(at(2).body).replace(b'"paid_cents":1000', b'"paid_cents":1001')
    aside(("UPDATE audit_entry SET body = %s WHERE id = %s", [body, at(2).pk]))
    assert found() == [("entry-changed", {"stream": "larkfield/T-04", "seq": 2})]
    assert verification.verify().as_data()["first_bad"]["what"] == "entry-changed"


def test_a_stream_rewritten_with_all_its_hashes_is_not_what_was_sealed(sealed):
    one = at(3)
    body = bytes(one.body).replace(b'"paid_cents":1500', b'"paid_cents":1400')
    digest = chain.entry_hash(bytes(one.prev), body)
    aside(
        ("UPDATE audit_entry SET body = %s, hash = %s, cents = 1400 WHERE id = %s", [body, digest, one.pk]),
        ("UPDATE audit_stream SET head = %s WHERE id = %s", [digest, one.stream_id]),
    )
    where = {"origin": "pitside.local/record/1", "number": 0, "stream": "larkfield/T-04", "seq": 3}
    assert found() == [("sealed-head-differs", where)]


def test_an_entry_dated_after_its_seal_is_named(write, sealer):
    """One of the year 9999, as a superuser can write it: the seal that covers it is of today."""
    write(moment=MOMENT + 60 * SECOND)
    write("larkfield/T-05", moment=MOMENT + 61 * SECOND)
    with clock.override(MOMENT):
        sealer.seal()
    where = {"origin": "pitside.local/record/1", "number": 0, "stream": "larkfield/T-05", "seq": 1}
    assert found() == [("entry-after-seal", where)]


@pytest.mark.usefixtures("bounded_time")
def test_an_entry_of_the_future_that_no_seal_covers_is_named(write, monkeypatch):
    with monkeypatch.context() as unbounded:
        unbounded.setattr("audit.clock.latest", lambda: MOMENT + 10 * DAY)
        later.set_clock_of_entries()
        write("larkfield/T-05", moment=MOMENT + 9 * DAY)
    with clock.override(MOMENT + 9 * DAY):
        assert found() == []
    with clock.override(MOMENT + 8 * DAY):
        assert found() == [("time-ahead", {"stream": "larkfield/T-05", "seq": 1})]


def test_a_cut_tail_is_named_by_the_seal(sealed):
    one, before = at(3), at(2)
    aside(
        ("DELETE FROM audit_entry WHERE id = %s", [one.pk]),
        (
            "UPDATE audit_stream SET head = %s, seq = 2, last_at = %s WHERE id = %s",
            [before.hash, before.at, one.stream_id],
        ),
    )
    assert [code for code, _ in found()] == ["sealed-entry-missing"]


def test_a_removed_entry_is_named(sealed):
    aside(("DELETE FROM audit_entry WHERE id = %s", [at(2).pk]))
    assert found() == [("entry-missing", {"stream": "larkfield/T-04", "seq": 2})]


def test_an_entry_behind_its_head_is_named(sealed):
    aside(("UPDATE audit_stream SET seq = 2 WHERE name = %s", ["larkfield/T-04"]))
    codes = [code for code, _ in found()]
    assert codes == ["head-differs", "entry-beyond-head"]


def test_a_verification_of_one_casino_names_nothing_of_another(sealed, write):
    write("seabright/T-01", moment=MOMENT)
    write("seabright/T-01", moment=MOMENT)
    aside(("UPDATE audit_stream SET seq = 1 WHERE name = %s", ["seabright/T-01"]))
    assert verification.verify(facility="larkfield").findings == []
    codes = [finding.code for finding in verification.verify(facility="seabright").findings]
    assert "entry-beyond-head" in codes


@pytest.mark.parametrize(
    ("column", "value"),
    [("type", "round.voided"), ("at", None), ("gaming_day", "2026-11-20"), ("actor", "tran-m"),
     ("witness", "tran-m"), ("round", 9), ("lot", "L-9"), ("cents", 9)],
)  # fmt: skip
def test_a_column_that_differs_from_its_entry_is_named(sealed, column, value):
    value = MOMENT - SECOND if column == "at" else value
    aside((f"UPDATE audit_entry SET {column} = %s WHERE id = %s", [value, at(1).pk]))
    assert found() == [("column-differs", {"stream": "larkfield/T-04", "seq": 1, "column": column})]


def test_swapped_entries_are_named(sealed):
    first, second = at(1), at(2)
    aside(
        ("UPDATE audit_entry SET seq = 9 WHERE id = %s", [first.pk]),
        ("UPDATE audit_entry SET seq = 1 WHERE id = %s", [second.pk]),
        ("UPDATE audit_entry SET seq = 2 WHERE id = %s", [first.pk]),
    )
    assert found()[0] == ("entry-does-not-follow", {"stream": "larkfield/T-04", "seq": 1})


ORIGIN = {"origin": "pitside.local/record/1"}


def test_what_was_done_to_the_log_is_named(sealed):
    first = Seal.objects.get(number=0)
    with superuser():
        body = bytes(first.body).replace(b'"full":true', b'"full":false')
        Seal.objects.filter(pk=first.pk).update(body=body)
        assert found() == [("seal-changed", {**ORIGIN, "number": 0})]
        Seal.objects.filter(pk=first.pk).update(body=first.body)


def test_a_changed_node_and_a_missing_one_are_named(sealed, write):
    for number in range(16):
        write("larkfield/T-05", moment=MOMENT + (3 + number) * SECOND)
        sealed.seal()
    assert found() == []
    with superuser():
        Node.objects.filter(level=4, index=0).update(hash=b"x" * 32)
        assert found() == [("node-differs", {**ORIGIN, "level": 4, "index": 0})]
        Node.objects.all().delete()
        assert found() == [("node-differs", {**ORIGIN, "level": 4, "index": 0})]


def test_dropped_seals_and_checkpoints_are_named(sealed):
    with superuser():
        SealedHead.objects.filter(seal__number=1).delete()
        assert found() == [("seal-index-differs", {**ORIGIN, "number": 1})]
        Checkpoint.objects.filter(size=2).delete()
        assert found()[-1] == ("seals-unsigned", {**ORIGIN, "number": 1})
        Seal.objects.filter(number=0).update(number=7)
        assert ("seal-missing", {**ORIGIN, "number": 0}) in found()


def test_a_checkpoint_of_another_root_or_key_is_named(sealed, tmp_path):
    newest = Checkpoint.objects.get(size=2)
    with superuser():
        Checkpoint.objects.filter(pk=newest.pk).update(note=Checkpoint.objects.get(size=1).note)
        assert found() == [("checkpoint-unreadable", {**ORIGIN, "size": 2})]
        forged = newest.note.replace(newest.note.split("\n")[4], "— pitside.local/record " + "A" * 92)
        Checkpoint.objects.filter(pk=newest.pk).update(note=forged)
        assert found() == [("signature-bad", {**ORIGIN, "size": 2})]
        Checkpoint.objects.filter(pk=newest.pk).update(note="nothing")
        assert found() == [("checkpoint-unreadable", {**ORIGIN, "size": 2})]


def test_a_key_that_the_record_did_not_create_is_named(sealed):
    SigningKey.objects.create(
        name="pitside.local/record", key_id="00000000", public_key=b"k" * 32, created_at=MOMENT
    )
    assert found() == [("key-off-the-record", {"key": "pitside.local/record+00000000"})]


def test_at_most_twenty_findings_are_stored_and_all_are_counted(write):
    for number in range(30):
        write(data={"round": number}, moment=MOMENT + number * SECOND)
    aside(("UPDATE audit_entry SET round = 99", []))
    bad = verification.verify()
    assert (bad.bad, len(bad.findings), bad.as_data()["outcome"]) == (30, 20, "bad")


SOURCES = ("verification",)


def test_every_finding_has_its_sentence(sealed):
    where = {"stream": "larkfield/T-04", "seq": 2, "origin": "o", "number": 1, "size": 2, "level": 1, "index": 0,
             "column": "at", "name": "w", "key": "k", "row": "r", "closed": "c",
             "person": "p", "device": "d", "facility": "f", "document": "D-1", "submission": "RS-1", "case": "C-1",
             "factor": "app", "change": "CH-1", "letter": "L-1", "inventory": 1, "slip": "F-0001",
             "expected_cents": 1, "stored_cents": 2, "round": 7, "player": "P-1", "move": 3, "signer": "s",
             "last": 1, "by": "b", "log": "the first log", "problem": "It was rolled back."}  # fmt: skip
    for code in FINDINGS | FORMER:
        assert "%(" not in say({"what": code, **where}) and code not in say({"what": code, **where})
    folder = Path(verification.__file__).parent
    source = "".join((folder / f"{name}.py").read_text() for name in SOURCES)
    raised = set(re.findall(r'(?:Finding|report|_bad)\(\s*"([a-z-]+)"', source))
    modules = {
        name
        for name, module in sys.modules.items()
        if name.startswith(("audit.", "games.", "tables.")) and getattr(module, "__file__", None)
    }
    checks = "".join(Path(str(sys.modules[name].__file__)).read_text() for name in sorted(modules))
    declared = set(re.findall(r'declare_finding\(\s*"([a-z-]+)"', checks))
    for topic in re.findall(r'RowFindings\.declare\("([a-z-]+)"', checks):
        declared |= {f"{topic}-{end}" for end in ("differs", "without-entry", "without-row")}
    assert raised | declared == set(FINDINGS) and not raised & declared


def test_the_command_prints_its_findings_and_records_them(sealed, capsys):
    call_command("verify_record")
    assert capsys.readouterr().out.splitlines() == [
        "good: 8 entries on 3 streams, 1 not sealed",
        "2 seals, 2 signed checkpoints, 0 cosignatures",
        (
            "not covered: whether newer entries were lost, as in a restored backup: no sealer has reported. "
            "Start it, and ask manage.py sealer --check."
        ),
    ]
    told = Entry.objects.get(type="record.verified")
    assert (told.stream.name, b'"outcome":"good"' in bytes(told.body)) == ("installation/system", True)
    aside(("DELETE FROM audit_entry WHERE id = %s", [at(2).pk]))
    with pytest.raises(SystemExit) as ended:
        call_command("verify_record", "--read-only")
    assert ended.value.code == 1
    assert capsys.readouterr().out.startswith("bad: larkfield/T-04 has no entry 2: it was removed.\nBAD: ")
    assert Entry.objects.filter(type="record.verified").count() == 1


def test_after_a_restored_backup_it_says_what_the_sealer_says(sealed, capsys):
    """The restored record is whole: each entry, seal and signature of it is as it was."""
    last_seal = Seal.objects.get(number=1).pk
    aside(
        ("DELETE FROM audit_checkpoint WHERE size = 2", []),
        ("DELETE FROM audit_sealedhead WHERE seal_id = %s", [last_seal]),
        ("DELETE FROM audit_seal WHERE id = %s", [last_seal]),
    )
    assert verification.verify().good
    SealerSession(sealed.folder).run_once()
    problem = "The sealer does not seal the first log. The record was rolled back: 2 seals were signed"
    with pytest.raises(SystemExit) as ended:
        call_command("verify_record", "--read-only")
    assert ended.value.code == 1 and f"bad: {problem}" in capsys.readouterr().out
    assert not verification.verify(facility="larkfield").good, (
        "a verification that the desk asks for says so too"
    )
    with pytest.raises(CommandError, match="The record was rolled back: 2 seals were signed"):
        call_command("sealer", "--check")


@pytest.mark.parametrize(
    ("code", "says"), [("no-key", "The sealer has no key"), ("state-missing", "The record was sealed before")]
)
def test_while_the_sealer_cannot_compare_it_says_what_it_does_not_know(sealed, capsys, code, says):
    StatusWriter().update(LogReport(SealingProblem(code)))
    call_command("verify_record", "--read-only")
    assert (
        f"not covered: whether newer entries were lost, as in a restored backup. {says}"
        in capsys.readouterr().out
    )
    StatusWriter().update(LogReport())
    call_command("verify_record", "--read-only")
    assert "not covered: whether" not in capsys.readouterr().out


def test_the_problem_of_another_facilitys_log_is_no_fault_of_this_one(sealed):
    problem = LogReport(SealingProblem("record-went-back", signed=2, found=1))
    StatusWriter().update(LogReport(), {"camber": problem})
    assert verification.verify(facility="larkfield").good
    (finding,) = verification.verify(facility="camber").findings
    assert str(finding).startswith("The sealer does not seal the log of camber. The record was rolled back")


def test_cosignatures_are_verified_by_the_keys_of_the_witnesses_that_are_known(sealed, settings):
    witness = notes.Signer("witness.example", b"w" * 32, notes.COSIGNATURE)
    newest = Checkpoint.objects.get(size=2)
    line = witness.signature(notes.Note.read(newest.note).text, 1_700_000_000).line
    Cosignature.objects.create(checkpoint=newest, name=witness.name, line=line, at=MOMENT)
    unknown = verification.verify()
    assert (unknown.good, unknown.witnessed, unknown.unknown_witnesses) == (True, 0, 1)
    settings.WITNESSES = f"http://127.0.0.1:1 {witness.verifier.vkey}"
    known = verification.verify()
    assert (known.good, known.witnessed, known.unknown_witnesses) == (True, 1, 0)
    other = witness.signature("another\n2\nnote\n", 1_700_000_000).line
    with superuser():
        Cosignature.objects.update(line=other)
        assert found() == [("cosignature-bad", {**ORIGIN, "size": 2, "name": "witness.example"})]
        Cosignature.objects.update(line="nothing")
        assert found() == [("cosignature-bad", {**ORIGIN, "size": 2, "name": "witness.example"})]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"data":{"name":[]}}', b"[" * 100_000])
def test_an_entry_of_a_key_that_cannot_be_read_is_found_and_ends_nothing(sealed, body):
    entry = Entry.objects.get(type="key.created")
    key = SigningKey.objects.get()
    aside(("UPDATE audit_entry SET body = %s WHERE id = %s", [body, entry.pk]))
    assert found() == [
        ("entry-changed", {"stream": "installation/system", "seq": entry.seq}),
        ("key-off-the-record", {"key": str(key)}),
    ]
