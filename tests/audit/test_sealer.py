"""The sealer seals what moved, once; it never signs two stories, wherever it is killed, and refuses a record that
went back."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from audit import chain, clock, merkle, notes
from audit.models import (
    Checkpoint,
    Cosignature,
    Entry,
    Incarnation,
    Node,
    Seal,
    SealedHead,
    SigningKey,
    Stream,
)
from audit.sealing import keys, state
from audit.sealing.log import Log, MissingNode, current_incarnation, proof_of
from audit.sealing.sealer import STEPS, Sealer
from audit.sealing.state import PROBLEMS, SealingProblem, say_problem
from audit.verification import verify
from audit.verify import is_consistent

from .conftest import MOMENT
from .gone_back import as_superuser, forget, put_back, rewind

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class Killed(BaseException):
    """The sealer dies here."""


def killed_at(point: str):
    def on_step(step: str) -> None:
        if step == point:
            raise Killed

    return on_step


def second(sealer: Sealer, at: dt.datetime = MOMENT) -> Checkpoint | None:
    with clock.override(at):
        return sealer.seal()


def bodies() -> list[dict]:
    return [json.loads(bytes(seal.body)) for seal in Seal.objects.order_by("incarnation", "number")]


def trouble_of(sealer: Sealer) -> SealingProblem:
    with pytest.raises(SealingProblem) as raised:
        second(sealer)
    return raised.value


def test_the_first_seal_lists_every_head(sealer, stream):
    checkpoint = second(sealer)
    system = Stream.objects.get(name="installation/system")
    body = bytes(Seal.objects.get().body)
    assert body == chain.canonical(
        {
            "_format": 1,
            "_type": "seal",
            "at": "2026-11-21T13:05:09.123456Z",
            "full": True,
            "heads": [
                {"head": bytes(system.head).hex(), "seq": 2, "stream": "installation/system"},
                {"head": bytes(stream.head).hex(), "seq": 3, "stream": "larkfield/T-04"},
            ],
            "incarnation": 1,
            "number": 0,
        }
    )
    note = notes.Note.read(checkpoint.note)
    assert note.text == notes.Checkpoint("pitside.local/record/1", 1, merkle.leaf_hash(body)).text
    key = keys.verifier_of(SigningKey.objects.get())
    assert note.signed_by([key]) == [key]
    assert key.name == "pitside.local/record/1"


def test_a_second_in_which_nothing_moved_has_no_seal(sealer):
    assert second(sealer).size == 1
    assert second(sealer) is None
    assert Seal.objects.count() == Checkpoint.objects.count() == 1


def test_later_seals_list_what_moved_and_the_first_of_a_day_lists_all(sealer, write):
    second(sealer)
    write("larkfield/T-08")
    second(sealer)
    tomorrow = MOMENT + dt.timedelta(hours=11)
    write("larkfield/T-04", moment=tomorrow)
    second(sealer, tomorrow)
    write("larkfield/T-08", moment=tomorrow)
    second(sealer, tomorrow)
    said = [(body["full"], [head["stream"] for head in body["heads"]]) for body in bodies()]
    everything = ["installation/system", "larkfield/T-04", "larkfield/T-08"]
    assert said == [
        (True, everything[:2]),
        (False, ["larkfield/T-08"]),
        (True, everything),
        (False, ["larkfield/T-08"]),
    ]


def test_a_clock_that_once_was_far_ahead_ends_no_daily_full_seals(sealer, write):
    """Its seals stay at the latest moment that one told; each day by the clock still has one that lists all."""
    ahead = MOMENT + dt.timedelta(days=400)
    second(sealer)
    write("larkfield/T-08")
    second(sealer, ahead)
    for hours in (0, 1, 11, 12, 35):
        write("larkfield/T-08")
        second(sealer, MOMENT + dt.timedelta(hours=hours))
    assert [body["full"] for body in bodies()] == [True, True, True, False, True, False, True]
    assert [len(body["heads"]) for body in bodies()] == [2, 3, 3, 1, 3, 1, 3]
    assert {body["at"] for body in bodies()[1:]} == {clock.format_moment(ahead)}


def test_a_seal_is_never_before_the_last_one(sealer, write):
    second(sealer)
    write()
    second(sealer, MOMENT - dt.timedelta(minutes=5))
    assert [body["at"] for body in bodies()] == ["2026-11-21T13:05:09.123456Z"] * 2


def test_the_log_in_the_database_is_the_tree_of_its_seals(sealer, write):
    for _ in range(37):
        write()
        second(sealer)
    log = Log(current_incarnation())
    held: dict[tuple[int, int], bytes] = {}
    for number, body in enumerate(Seal.objects.order_by("number").values_list("body", flat=True)):
        for level, index, digest in merkle.completed(
            number, merkle.leaf_hash(bytes(body)), lambda *at: held[at]
        ):
            held[level, index] = digest
    rows = Node.objects.values_list("level", "index", "hash")
    nodes = {(level, index): bytes(digest) for level, index, digest in rows}
    assert nodes == {place: held[place] for place in ((4, 0), (4, 1))}
    for checkpoint in Checkpoint.objects.all():
        assert bytes(checkpoint.root) == merkle.root(checkpoint.size, lambda *at: held[at])
        assert log.root(checkpoint.size) == bytes(checkpoint.root)
        proof = log.consistency(checkpoint.size, 37)
        assert is_consistent(checkpoint.size, 37, proof, bytes(checkpoint.root), log.root(37))
    assert log.size == log.newest().size == 37
    with pytest.raises(MissingNode):
        log.root(38)


def test_a_proof_leads_from_an_entry_to_the_smallest_checkpoint_that_holds_it(sealer, write, monkeypatch):
    second(sealer)
    for _ in range(3):
        write()
    second(sealer)
    write("larkfield/T-08")
    second(sealer)
    entry = Entry.objects.get(stream__name="larkfield/T-04", seq=4)
    proof = proof_of(entry)
    assert (proof.seal.number, proof.head_seq, proof.links, proof.checkpoint.size) == (1, 6, 2, 2)
    assert proof.head == bytes(Stream.objects.get(name="larkfield/T-04").head)
    leaf, root = merkle.leaf_hash(bytes(proof.seal.body)), bytes(proof.checkpoint.root)
    assert merkle.verify_inclusion(1, 2, leaf, proof.path, root)
    assert (proof.cosignatures, proof.witnessed) == ([], None)
    third = Checkpoint.objects.get(size=3)
    line = Cosignature.objects.create(checkpoint=third, name="w", line="— w AAAAAAA=", at=MOMENT)
    proof = proof_of(entry)
    assert (proof.checkpoint.size, proof.witnessed, proof.cosignatures) == (2, third, [])
    assert merkle.verify_inclusion(1, 3, leaf, proof.witnessed_path, bytes(third.root))
    monkeypatch.setattr("audit.sealing.log.NEAR", 1)
    assert proof_of(entry).witnessed == third  # beyond the near ones, the newest that was cosigned
    later = Entry.objects.get(stream__name="larkfield/T-08", seq=1)
    assert proof_of(later).cosignatures == [line]


def test_an_entry_that_no_seal_covers_has_no_proof(sealer, write, stream):
    assert proof_of(Entry.objects.get(stream=stream, seq=1)) is None
    second(sealer)
    write()
    assert proof_of(Entry.objects.get(stream=stream, seq=4)) is None


def test_its_statements_do_not_grow_with_the_streams(sealer, write, django_assert_max_num_queries):
    for number in range(40):
        write(f"larkfield/T-{number}")
    second(sealer)
    for number in range(40):
        write(f"larkfield/T-{number}")
    with django_assert_max_num_queries(17):
        second(sealer)
    with django_assert_max_num_queries(6):
        assert second(sealer) is None


@pytest.mark.parametrize("size", [0, 1, 2, 3])
@pytest.mark.parametrize("point", STEPS)
def test_a_sealer_killed_anywhere_signs_one_leaf_for_each_place_and_one_root_for_each_size(
    sealer, write, folder, point, size
):
    for _ in range(size):
        write()
        second(sealer)
    write()
    dying = Sealer(folder, killed_at(point))
    with pytest.raises(Killed):
        second(dying)
    signed = state.read(folder).signed
    write("larkfield/T-08")
    for _ in range(2):
        second(Sealer(folder))
    kept = list(Checkpoint.objects.order_by("size").values_list("size", "note"))
    assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
    assert [body["number"] for body in bodies()] == list(range(len(kept)))
    # What was signed and kept is what stands there; what was signed and not kept never left the process.
    assert not signed or signed in [note for _, note in kept]
    assert state.read(folder) == state.State(1, len(kept), kept[-1][1])
    assert len(kept) == size + (1 if point == "signed" else 2)
    assert proof_of(Entry.objects.get(stream__name="larkfield/T-08", seq=1)) is not None


def test_a_database_that_refuses_a_leaf_gets_the_same_one_in_the_next_second(
    sealer, write, folder, monkeypatch
):
    second(sealer)
    write()

    def fails(*_args, **_fields):
        raise DatabaseError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint.objects, "create", fails)
        with pytest.raises(DatabaseError):
            second(sealer)
    pending = state.read(folder).pending
    assert (pending.number, Seal.objects.count()) == (1, 1)
    write("larkfield/T-08")
    second(sealer)
    assert Checkpoint.objects.get(size=2).note == pending.note
    assert Seal.objects.count() == 3


@pytest.fixture
def sealed(sealer, write) -> Sealer:
    """Four seals."""
    for _ in range(4):
        write()
        second(sealer)
    return sealer


def test_a_database_of_an_older_day_is_not_sealed(sealed, write, folder):
    before = state.read(folder)
    forget(1, 2)
    write()
    trouble = trouble_of(sealed)
    assert (trouble.code, trouble.params) == ("record-went-back", {"signed": 4, "found": 2})
    assert trouble_of(Sealer(folder)).code == "record-went-back"
    assert state.read(folder) == before
    assert Seal.objects.count() == 2


def test_a_database_without_any_log_is_not_sealed(sealed, folder):
    forget(1, 0)
    assert trouble_of(sealed).params == {"signed": 4, "found": 0}
    rewind(Incarnation.objects.all())
    assert trouble_of(sealed).code == "record-went-back"


def test_a_dropped_seal_a_dropped_checkpoint_and_a_changed_leaf_are_found(sealed, write, folder):
    with transaction.atomic():
        rewind(Checkpoint.objects.filter(size=4))
        assert trouble_of(sealed).code == "record-went-back"
        transaction.set_rollback(True)
    with transaction.atomic():
        rewind(SealedHead.objects.filter(seal__number=3), Seal.objects.filter(number=3))
        assert trouble_of(sealed).code == "record-went-back"
        transaction.set_rollback(True)
    with transaction.atomic():
        with as_superuser():
            Seal.objects.filter(number=1).update(leaf=bytes(32))
        write()
        assert trouble_of(sealed).code == "record-went-back"
        transaction.set_rollback(True)
    second(sealed)
    write()
    assert second(sealed).size == 5


@pytest.mark.parametrize("anew", [False, True])
def test_a_cut_tail_is_found_in_the_next_second(sealed, stream, folder, anew):
    put_back(stream, 5)
    trouble = trouble_of(Sealer(folder) if anew else sealed)
    assert (trouble.code, trouble.params) == ("head-went-back", {"stream": "larkfield/T-04", "seq": 7})


@pytest.mark.parametrize("point", ["kept", "written"])
def test_a_leaf_that_was_signed_is_not_written_to_a_backup_that_lacks_its_entries(
    sealed, stream, write, folder, point
):
    """The machine was lost between two steps of the sealer, and the database restored without the last entries.

    Schedule of seed 12: no fault but the sealer that crashed once it had written, and the backup of a second ago.
    """
    seals, seq = Seal.objects.count(), Stream.objects.get(pk=stream.pk).seq
    write()
    with pytest.raises(Killed):
        second(Sealer(folder, killed_at(point)))
    forget(1, seals)
    put_back(stream, seq)
    for _ in range(2):
        trouble = trouble_of(Sealer(folder))
        assert (trouble.code, trouble.params) == (
            "head-went-back",
            {"stream": "larkfield/T-04", "seq": seq + 1},
        )
        write(data={"round": 90})
    assert Seal.objects.count() == seals


@pytest.mark.parametrize("anew", [False, True])
def test_a_tail_that_was_cut_and_grown_again_is_found(sealed, stream, write, folder, anew):
    put_back(stream, 5)
    for number in range(4):
        write(data={"round": 90 + number})
    assert Stream.objects.get(pk=stream.pk).seq == 9
    assert trouble_of(Sealer(folder) if anew else sealed).code == "head-went-back"


@pytest.mark.parametrize("anew", [False, True])
def test_a_stream_deleted_with_all_rows_about_it_is_missed_by_a_sealer_that_starts_again_too(
    sealed, write, folder, anew
):
    """One that the last full seal lists, and one that only a seal after it lists."""
    write("larkfield/T-08")
    second(sealed)
    for name, seq in (("larkfield/T-04", 7), ("larkfield/T-08", 1)):
        with transaction.atomic():
            stream = Stream.objects.get(name=name)
            rewind(SealedHead.objects.filter(stream=stream), Entry.objects.filter(stream=stream))
            rewind(Stream.objects.filter(pk=stream.pk))
            trouble = trouble_of(Sealer(folder) if anew else sealed)
            assert (trouble.code, trouble.params) == ("head-went-back", {"stream": name, "seq": seq})
            transaction.set_rollback(True)


@pytest.mark.parametrize("change", ["body", "full", "deleted"])
def test_a_sealer_that_starts_again_believes_only_the_seals_that_were_signed(sealed, folder, change):
    """Of those that it reads: from the last full one on."""
    one = Seal.objects.filter(number=2)
    if change == "deleted":
        rewind(SealedHead.objects.filter(seal__number=2), one)
    else:
        with as_superuser():
            changed = bytes(one.get().body).replace(b"T-04", b"T-05")
            one.update(**({"body": changed} if change == "body" else {"full": True}))
    assert trouble_of(Sealer(folder)).code == "seals-differ"


def test_a_lost_folder_does_not_start_a_new_log(sealed, folder, write):
    (folder / state.NAME).unlink()
    write()
    assert trouble_of(Sealer(folder)).code == "state-missing"
    assert Seal.objects.count() == 4


def test_a_folder_of_an_older_day_is_not_trusted(sealed, folder, write):
    """Its sealer has signed more than the file says: what, nobody here knows."""
    held = (folder / state.NAME).read_bytes()
    write()
    second(sealed)
    (folder / state.NAME).write_bytes(held)
    trouble = trouble_of(Sealer(folder))
    assert (trouble.code, trouble.params) == ("folder-behind", {"signed": 4, "found": 5})


@pytest.mark.parametrize("said", ["", "{", "{}", '{"format":1}', "[]", "null"])
def test_a_broken_file_is_reported_and_nothing_is_signed(sealed, folder, said):
    (folder / state.NAME).write_text(said)
    assert trouble_of(sealed).code == "state-broken"
    assert Seal.objects.count() == 4


def test_an_incarnation_that_nobody_declared_is_not_sealed(sealed):
    Incarnation.objects.create(number=2, origin="pitside.local/record/2", opened_at=MOMENT)
    assert trouble_of(sealed).code == "undeclared"


def test_a_problem_from_a_witness_lasts_until_a_new_incarnation(sealed, folder, write):
    trouble = SealingProblem("witness-ahead", incarnation=1, witness="w", size=9, ours=4)
    sealed.record_problem(trouble)
    write()
    again = trouble_of(Sealer(folder))
    assert (again.code, again.params) == (trouble.code, trouble.params)
    assert "Witness w has seen 9 seals of the log, and there are 4 here" in str(again)


def test_every_problem_has_its_sentence():
    params = {
        "key": "k", "signed": 4, "found": 2, "stream": "larkfield/T-04", "seq": 7, "number": 2, "witness": "w",
        "size": 9, "ours": 4, "copy": "c.txt", "error": "disk full",
        "own": "0a1b", "log": "pitside.local/record/1", "other": "2c3d", "warning": "the wait was cut short",
    }  # fmt: skip
    said = {code: say_problem(code, params) for code in PROBLEMS}
    assert all(sentence.endswith(".") for sentence in said.values())
    raised = set()
    for path in Path("audit/sealing").glob("*.py"):
        raised |= set(re.findall(r"SealingProblem\(\s*\"([a-z-]+)\"", path.read_text()))
    assert raised <= set(PROBLEMS)
    assert "record-went-back" in raised


def test_a_seal_is_not_before_its_entries_where_the_clock_went_back_in_between(sealer, write, monkeypatch):
    second(sealer)
    written = MOMENT + dt.timedelta(seconds=0.9)
    write("larkfield/T-04", moment=written)
    an_hour_back = written - dt.timedelta(hours=1)
    monkeypatch.setattr(clock, "trusted", lambda: written + dt.timedelta(seconds=0.3))
    second(sealer, an_hour_back)
    assert bodies()[-1]["at"] == clock.format_moment(written)
    assert not [finding for finding in verify().findings if finding.code == "entry-after-seal"]


def test_a_seal_waits_for_a_clock_that_went_back_before_the_sealer_began(sealer, write, monkeypatch):
    second(sealer)
    write("larkfield/T-04", moment=MOMENT + dt.timedelta(seconds=90))
    number = len(bodies())
    monkeypatch.setattr(clock, "trusted", lambda: MOMENT)
    second(sealer, MOMENT)
    assert len(bodies()) == number
    back = MOMENT + dt.timedelta(seconds=90)
    monkeypatch.setattr(clock, "trusted", lambda: back)
    second(sealer, back)
    assert [body["at"] for body in bodies()[number:]] == [clock.format_moment(back)]
    assert not [finding for finding in verify().findings if finding.code == "entry-after-seal"]


def test_a_seal_never_reaches_what_was_dated_into_the_future(sealer, write, monkeypatch):
    second(sealer)
    write("larkfield/T-04", moment=MOMENT + dt.timedelta(hours=1))
    monkeypatch.setattr(clock, "trusted", lambda: MOMENT + dt.timedelta(seconds=1))
    second(sealer, MOMENT)
    assert bodies()[-1]["at"] == clock.format_moment(MOMENT + dt.timedelta(seconds=1))
    assert [finding.code for finding in verify().findings if finding.code == "entry-after-seal"]
