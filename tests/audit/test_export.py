"""The export, and the checker that trusts nothing but its bytes."""

import io
import itertools
import os
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from audit import chain, clock, export, rows, verify
from audit.models import Entry, Stream

from . import stored
from .conftest import MOMENT
from .test_record import SECOND

SETTLED = {
    "round": 1, "throw": 1, "dice": [2, 2, 5],
    "settled": [
        {"seat": 2, "wager": "big", "cents": 700, "outcome": "lose", "pays": None,
         "paid_cents": 0, "returned_cents": 0, "cite": "58 Pa. Code § 625a.3(7)"},
        {"seat": 1, "wager": "two-dice:2-5", "cents": 500, "outcome": "win", "pays": "6 to 1",
         "paid_cents": 3000, "returned_cents": 500, "cite": "58 Pa. Code § 625a.6(a)"},
    ],
    "paid_cents": 3000, "returned_cents": 500, "taken_cents": 700,
}  # fmt: skip


def check(data, **how):
    return verify.verify(io.BytesIO(data), **how)


def bad(data, **how):
    with pytest.raises(verify.Bad) as raised:
        check(data, **how)
    return str(raised.value)


def exported(*names, **span):
    return b"".join(export.lines(export.select(names, **span)))


@pytest.fixture
def record_of_two(write):
    """Two tables: three entries and two, a second apart, one of them a settlement."""
    for number in range(3):
        write("larkfield/T-04", data={"round": number}, moment=MOMENT + number * SECOND)
    write("larkfield/T-05", moment=MOMENT)
    write("larkfield/T-05", type="round.settled", data=SETTLED, moment=MOMENT + 5 * SECOND)


@pytest.fixture
def data():
    """The export of the two tables."""
    return stored.read("two-tables.jsonl")


@pytest.mark.both_databases
@pytest.mark.django_db
def test_the_stored_export_is_what_is_written_today(record_of_two):
    with clock.override(MOMENT + 9 * SECOND):
        stored.assert_stored("two-tables.jsonl", exported())


def test_what_is_exported_verifies(record_of_two):
    _since, _until, streams = check(exported())
    assert [(stream.name, stream.seq) for stream in streams] == [("larkfield/T-04", 3), ("larkfield/T-05", 2)]
    assert [stream.head for stream in streams] == [bytes(s.head) for s in Stream.objects.order_by("name")]


def test_an_empty_record_verifies(db):
    assert check(exported())[2] == []


@pytest.mark.parametrize("since", range(-1, 7))
@pytest.mark.parametrize("until", [None, 0, 2, 5, 6])
def test_every_range_verifies(record_of_two, since, until):
    since = MOMENT + since * SECOND
    until = until if until is None else max(MOMENT + until * SECOND, since)
    streams = check(exported(since=since, until=until))[2]
    inside = Entry.objects.filter(at__gte=since, **({"at__lt": until} if until else {}))
    assert sum(stream.entries for stream in streams) == inside.count()


def test_one_stream_verifies_and_batches_join(record_of_two, monkeypatch):
    monkeypatch.setattr(rows, "BATCH_ENTRIES", 2)
    assert [stream.name for stream in check(exported("larkfield/T-05"))[2]] == ["larkfield/T-05"]
    assert check(exported())[2][0].entries == 3


@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80])
def test_no_changed_byte_verifies(data, flip):
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= flip
        for contents in (True, False):
            bad(bytes(changed), contents=contents)


def test_no_cut_verifies(data):
    for length in range(len(data)):
        bad(data[:length], contents=False)


def test_no_line_may_be_dropped_repeated_or_moved(data):
    lines = data.splitlines(keepends=True)
    for order in itertools.permutations(range(len(lines)), 2):
        swapped = list(lines)
        swapped[order[0]], swapped[order[1]] = swapped[order[1]], swapped[order[0]]
        bad(b"".join(swapped))
    for place in range(len(lines)):
        bad(b"".join(lines[:place] + lines[place + 1 :]))
        bad(b"".join([*lines[: place + 1], *lines[place:]]))
    for more in (b"\n", b"x", b" ", lines[-1], data):
        bad(data + more)
        bad(more + data)


def test_it_names_the_first_bad_entry(data):
    changed = data.replace(b'{"round":1},"device"', b'{"round":9},"device"')
    assert bad(changed) == "line 3: larkfield/T-04 seq 2: its hash does not match its bytes"
    lines = data.splitlines(keepends=True)
    assert bad(b"".join(lines[:2] + lines[3:])).startswith("line 3: larkfield/T-04 seq 3: it does not follow")


OPENING = {"_format": 1, "_type": "export.opened", "at": "2026-11-21T14:00:00.000000Z", "build": "dev",
           "from": None, "to": None}  # fmt: skip


def resealed(bodies, names=("larkfield/T-04",), **opened):
    """An export of these bodies whose every hash is right: what a liar with all the tools would write."""
    head = chain.genesis(names[0])
    opening = {**OPENING, "streams": [{"head": head.hex(), "seq": 0, "stream": names[0]}], **opened}
    lines = [export._line(export.NO_HASH, opening)]
    for body in bodies:
        body = body if isinstance(body, bytes) else chain.canonical(body)
        digest = chain.entry_hash(head, body)
        lines.append(export.format_line(digest, head, body))
        head = digest
    digest = verify.sha256(b"".join(lines))
    closing = {"_format": 1, "_type": "export.closed", "entries": len(bodies), "sha256": digest.hexdigest(),
               "streams": [{"entries": len(bodies), "head": head.hex(), "seq": len(bodies),
                            "stream": names[0]}]}  # fmt: skip
    return b"".join([*lines, export._line(digest.digest(), closing)])


def body(seq=1, data=None, **changes):
    return {"_format": 1, "_type": "round.settled", "actor": "tran-m", "at": "2026-11-21T13:05:09.123456Z",
            "build": "dev", "command": None, "data": {} if data is None else data,
            "device": None, "gaming_day": "2026-11-21",
            "seq": seq, "stream": "larkfield/T-04", "terms": None, "witness": None, **changes}  # fmt: skip


def test_a_resealed_export_of_truths_verifies():
    assert check(resealed([body(1), body(2, SETTLED)]))[2][0].entries == 2


@pytest.mark.parametrize(
    "lie",
    [
        {"seq": 2}, {"seq": True}, {"seq": "1"}, {"stream": "larkfield/T-05"}, {"stream": 4}, {"_format": 2},
        {"_type": "settled"}, {"_type": 1}, {"at": "2026-11-21T13:05:09Z"}, {"at": "2026-13-21T13:05:09.123456Z"},
        {"at": None}, {"gaming_day": "2026-11-24"}, {"gaming_day": "yesterday"}, {"gaming_day": 1}, {"data": []},
        {"gaming_day": "20261121"}, {"gaming_day": "2026-W47-6"}, {"_format": True},
        {"more": 1}, {"witness": "tran-m"}, {"actor": 7}, {"build": 1}, {"command": "tap"}, {"device": ""},
        {"terms": "0" * 63}, {"terms": "G" * 64}, {"actor": 'a"b'}, {"seq": 1 << 52},
    ],
)  # fmt: skip
def test_a_false_entry_with_correct_hashes_is_found(lie):
    assert "line 2: larkfield/T-04 seq 1" in bad(resealed([body(**lie)]))
    check(resealed([body(**lie)]), contents=False)


@pytest.mark.parametrize(
    "lie",
    [
        {"_format": True}, {"at": None}, {"at": "2026-11-21"}, {"build": None}, {"from": "2026"}, {"to": 1},
        {"from": "2026-11-21T13:05:09.123457Z"}, {"to": "2026-11-21T13:05:09.123456Z"},
        {"streams": [{"head": "0" * 64, "seq": False, "stream": "larkfield/T-04"}]},
        {"streams": [{"head": "0" * 64, "seq": 3, "stream": "larkfield/T-04"}]},  # and no `from` that says why
    ],
)  # fmt: skip
def test_a_false_first_line_is_found(lie):
    bad(resealed([body()], **lie))


def test_time_that_goes_back_is_found():
    assert "before" in bad(resealed([body(1), body(2, at="2026-11-21T13:05:09.123455Z")]))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":2}', b'{ }', b'{"a":1.0}', b'{"a":NaN}', b'{"a":"\xff"}', b'{"a":"\\u0041"}', b"{}}", b'{"a":}',
        b'{"b":1,"a":1}', b'{"a":9007199254740992}', b'{"a":"\\u0000"}', '{"é":1}'.encode(), b'{"a":-0}', b'{"a":01}',
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"a":' + b"9" * 10_000 + b"}",
    ],
)  # fmt: skip
def test_what_is_not_canonical_is_found(raw):
    line = chain.canonical(body()).replace(b'"data":{}', b'"data":' + raw)
    assert "line 2" in bad(resealed([line]))
    assert "line 1" in bad(resealed([body()], more=0).replace(b'"more":0', b'"more":' + raw))


def test_only_texts_may_contain_more_than_ascii():
    good = {"cite": "58 Pa. Code § 625a.6", "note": "Zoë", "deep": [{"a": "§", "b": ["\\u0000", "né"]}]}
    check(resealed([body(data=good)]))
    for lie in ({"deep": [{"§": 1}]}, {"deep": [{"a": "\0"}]}, {"cite": "58 Pa. Code §", "é": 1}):
        raw = verify.encode(body(data={**good, **lie})).encode()
        assert "not valid JSON for a record" in bad(resealed([raw]))


@pytest.mark.parametrize(
    "change",
    [
        {"paid_cents": 2999}, {"returned_cents": 0}, {"outcome": "won"}, {"pays": "7 to 1"}, {"pays": None},
        {"cents": 0}, {"cents": True}, {"cents": "500"}, {"outcome": "lose"}, {"outcome": []}, {"pays": 6},
        {"cut_cents": 1}, {"cut_cents": "1"}, {"paid_cents": -3000},
        {"outcome": "return", "paid_cents": 0, "pays": None, "cut_cents": 0},
    ],
)  # fmt: skip
def test_money_that_does_not_add_up_is_found(change):
    lost, won = SETTLED["settled"]
    bad(resealed([body(data={**SETTLED, "settled": [lost, {**won, **change}]})]))


@pytest.mark.parametrize(
    "change", [{"paid_cents": 1}, {"taken_cents": None}, {"settled": 5}, {"settled": [5]}, {"settled": None}]
)
def test_totals_that_do_not_agree_are_found(change):
    bad(resealed([body(data={**SETTLED, **change})]))


def test_a_settlement_without_its_wagers_is_found():
    bad(resealed([body(data={key: value for key, value in SETTLED.items() if key != "settled"})]))


def test_a_cut_payout_and_a_sum_in_dollars_add_up():
    win = {"outcome": "win", "cents": 100, "returned_cents": 100}
    wagers = [
        {**win, "pays": "$50,000", "paid_cents": 5_000_000},
        {**win, "pays": "180 to 1", "paid_cents": 10_000, "cut_cents": 8_000},
    ]
    totals = {"paid_cents": 5_010_000, "returned_cents": 200, "taken_cents": 0}
    check(resealed([body(data={"settled": wagers, **totals})]))


def test_two_rounds_are_found_to_be_of_no_stated_stream():
    bad(resealed([body()]).replace(b"larkfield/T-04", b"larkfield/T-06", 1))


@given(st.binary(max_size=600))
def test_random_bytes_never_verify(noise):
    bad(noise)
    bad(b'{"hash":"' + noise)
    bad(noise + b"\n" + noise + b"\n")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
        lambda i: st.lists(i) | st.dictionaries(st.text(), i),
    )
)
def test_no_well_sealed_nonsense_leaves_a_traceback(value):
    for nonsense in (
        {"_format": 1, "_type": "export.opened", "from": value, "to": value, "streams": value},
        {"_format": 1, "_type": "export.opened", "from": None, "to": None, "streams": [value]},
        {"_format": value, "_type": value},
    ):
        line = export._line(export.NO_HASH, {}) if "\0" in str(nonsense) else _sealed(nonsense)
        try:
            check(line * 2)
        except verify.Bad as error:
            assert error.reason
    bad_or_good = resealed([body(data={"settled": []}, gaming_day="2026-11-21")])
    assert bad_or_good


def _sealed(value):
    raw = verify.encode(value).encode("utf-8", "replace")
    return export.format_line(chain.entry_hash(export.NO_HASH, raw), export.NO_HASH, raw)


def run(*arguments, stdin=b""):
    return subprocess.run(
        [sys.executable, "-I", verify.__file__, *arguments], input=stdin, capture_output=True, timeout=60
    )


def test_the_file_runs_alone(data, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_bytes(data)
    for completed in (run(str(path)), run("--hashes-only", str(path)), run("-", stdin=data)):
        assert (completed.returncode, completed.stderr) == (0, b"")
        assert b"good: 5 entries on 2 streams" in completed.stdout
    path.write_bytes(data[:-1])
    assert run(str(path)).returncode == 1


def test_an_export_may_come_through_a_pipe_that_can_be_read_once(data):
    assert b"good: 5 entries on 2 streams" in run("/dev/stdin", stdin=data).stdout
    for bundle_or_proof in (b"PK\3\4", b'{"_format":1,"_type":"proof",'):
        for path in ("-", "/dev/stdin"):
            completed = run(path, stdin=bundle_or_proof)
            assert (completed.returncode, completed.stderr) == (1, b"")
            assert b"save the bundle or proof as a file first" in completed.stdout


@pytest.mark.parametrize(("closed", "status"), [(0, 1), (1, 0), (2, 0)])
def test_a_closed_stream_of_the_shell_is_no_traceback(data, tmp_path, closed, status):
    path = tmp_path / "export.jsonl"
    path.write_bytes(data)
    command = [sys.executable, "-I", verify.__file__, str(path) if closed else "-"]
    completed = subprocess.run(command, capture_output=True, preexec_fn=lambda: os.close(closed), timeout=60)
    assert completed.returncode == status
    assert b"Traceback" not in completed.stderr


@pytest.mark.parametrize("stdin", [b"", b"\n", b"\n\n\n", b"\0" * 100, b"{}" * 5000, "ünï\n".encode() * 9])
def test_it_survives_any_input(stdin):
    is_refused_in_words(run("-", stdin=stdin))


def test_it_survives_any_arguments(tmp_path):
    for arguments in ([str(tmp_path)], ["/no/such/file"], [], ["a", "b"], ["--x"]):
        is_refused_in_words(run(*arguments))


def is_refused_in_words(completed):
    assert completed.returncode == 1
    assert b"Traceback" not in completed.stderr


@pytest.mark.parametrize("since", ["2026-11-21", "0999-01-01", "0001-01-01T00:00:00Z"])
def test_the_command_writes_what_verifies(record_of_two, capsysbinary, since):
    call_command("audit_export", "--from", since, "--stream", "larkfield/T-05")
    assert check(capsysbinary.readouterr().out)[2][0].entries == 2


@pytest.mark.parametrize(
    "arguments",
    [["--stream", "no/where"], ["--from", "2026-11-22", "--to", "2026-11-21"], ["--from", "soon"],
     ["--from", "2026-11-21T06:00"], ["--from", "0001-01-01T00:00:00+05:00"], ["--format", "xml"]],
)  # fmt: skip
def test_bad_arguments_are_one_clear_line(record_of_two, arguments):
    with pytest.raises(CommandError) as refused:
        call_command("audit_export", *arguments)
    assert len(str(refused.value).splitlines()) == 1


def test_a_long_export_is_shared_out_and_the_first_bad_line_is_named(tmp_path, monkeypatch):
    """The contents of every second block are another process's, and the whole is as good as by one alone."""
    monkeypatch.setattr(verify, "LONG_FILE_BYTES", 1 << 20)
    monkeypatch.setattr(verify.os, "cpu_count", lambda: 2)
    path = tmp_path / "export.jsonl"
    bodies = [body(seq, {"more": "x" * 99_000}) for seq in range(1, 41)]
    for lies in ([], [4], [18], [18, 30], [12, 30], [24, 9]):
        written = resealed(
            [{**entry, "actor": 7} if place in lies else entry for place, entry in enumerate(bodies)]
        )
        path.write_bytes(written)
        if lies:
            with pytest.raises(verify.Bad) as raised:
                verify.verify_file(str(path), True, None)
            assert str(raised.value) == bad(written)
            assert raised.value.line == min(lies) + 2
        else:
            assert verify.verify_file(str(path), True, None)[2][0].entries == 40
