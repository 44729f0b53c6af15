"""Bytes and lines that were flipped, dropped, repeated or moved: never accepted, never a traceback."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from audit import verify
from audit.models import Entry

from . import stored
from .outsider import packed
from .sealed import DAY, SECOND, WITNESS, House, archived, bundled, files_of, proof_of
from .test_export import SETTLED

PLACES = st.integers(0, 1 << 20)
HOW = st.sampled_from(["flip", "drop", "repeat", "swap", "cut", "put"])
NONSENSE = (
    b"", b"\n", b"{}\n", b"[]\n", b"null\n", b"\0\n", b"\xff" * 50 + b"\n", b"9" * 5000 + b"\n", b"[" * 5000,
)  # fmt: skip
EVIDENCE = ("record.jsonl", "beyond.jsonl", "seals.jsonl")


@pytest.fixture
def archive():
    """A middle day of three: two tables, one of them settling; entries and subtrees on both sides; a cosignature."""
    return stored.read("middle-day.zip")


@pytest.mark.django_db
def test_the_stored_bundle_is_what_is_written_today(tmp_path, write, settings):
    settings.WITNESSES = f"https://witness.example {WITNESS.verifier.vkey}"
    with stored.same_keys():
        house = House(tmp_path / "sealer", write)
        for day in range(3):
            for number in range(4):
                house.act(day * DAY + number * SECOND, data={"round": number, "note": "§ 5"})
                if number % 2:
                    house.act(
                        day * DAY + number * SECOND, "larkfield/T-05", type="round.settled", data=SETTLED
                    )
                checkpoint = house.seal(day * DAY + number * SECOND + SECOND / 2)
        house.cosign(checkpoint)
        since = checkpoint.at - 1 * DAY - 3 * SECOND
        archive = bundled("larkfield/T-04", "larkfield/T-05", since=since, until=since + 2 * SECOND)
    stored.assert_stored("middle-day.zip", archive)
    entry = Entry.objects.get(stream__name="larkfield/T-04", seq=7)
    stored.assert_stored("entry-seven.proof", proof_of(entry))


def answer(data, *arguments):
    """The exit status for a file of these bytes; what the program says is one line or more, never a traceback."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return verify.main([*arguments, file.name])


def changed(parts, how, one, other):
    """A list of parts with one of them changed; bytes are a list of parts too."""
    one, other = one % len(parts), other % len(parts)
    if how == "drop":
        return parts[:one] + parts[one + 1 :]
    if how == "repeat":
        return parts[:one] + parts[one : one + 1] + parts[one:]
    if how == "cut":
        return parts[:one]
    if how == "put":
        return parts[:one] + parts[other : other + 1] + parts[one:]
    low, high = sorted((one, other))
    return (
        parts[:low]
        + parts[high : high + 1]
        + parts[low + 1 : high]
        + parts[low : low + 1]
        + parts[high + 1 :]
    )


def changed_bytes(data, how, one, other):
    if how == "flip":
        place = one % len(data)
        return data[:place] + bytes([data[place] ^ (1 + other % 255)]) + data[place + 1 :]
    return changed(data, how, one, other)


def changed_lines(data, how, one, other):
    return b"".join(changed(data.splitlines(keepends=True), "cut" if how == "flip" else how, one, other))


CHANGES = {"bytes": changed_bytes, "lines": changed_lines}
often = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def test_the_bundle_is_good_before_anybody_touches_it(archive):
    files = files_of(archive)
    assert answer(archive) == answer(archived(files)) == answer(packed(files)) == 0
    assert all(len(files[name].splitlines()) > 3 for name in EVIDENCE)


@pytest.mark.parametrize("of", CHANGES)
def test_no_changed_export_is_accepted(archive, of, capsys):
    good = files_of(archive)["record.jsonl"]

    @often
    @given(HOW, PLACES, PLACES)
    def holds(how, one, other):
        data = CHANGES[of](good, how, one, other)
        assume(data != good)
        assert answer(data) == 1

    holds()
    said = capsys.readouterr()
    assert said.out.startswith("bad: ") and "Traceback" not in said.out + said.err


@pytest.mark.parametrize("of", CHANGES)
def test_no_bundle_with_a_changed_file_is_accepted(archive, of, capsys):
    """Whichever file it is, the instructions and the manifest itself among them."""
    good = files_of(archive)

    @often
    @given(st.sampled_from(sorted(good)), HOW, PLACES, PLACES)
    def holds(name, how, one, other):
        data = CHANGES[of](good[name], how, one, other)
        assume(data != good[name])
        assert answer(archived({**good, name: data})) == 1

    holds()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("of", CHANGES)
def test_changed_evidence_is_refused_even_with_a_matching_manifest(archive, of, capsys):
    good = files_of(archive)

    @often
    @given(st.sampled_from(EVIDENCE), HOW, PLACES, PLACES)
    def holds(name, how, one, other):
        data = CHANGES[of](good[name], how, one, other)
        assume(data != good[name])
        assert answer(packed({**good, name: data})) == 1

    holds()
    assert "Traceback" not in capsys.readouterr().err


def test_no_changed_checkpoint_is_accepted_by_who_has_the_keys(archive, capsys):
    """A manifest made anew; a line of somebody unknown may stand there, and one may stand there twice."""
    good = files_of(archive)
    note = good["checkpoint.txt"]
    log = good["keys.txt"].split()[1].decode()
    keys = ("--vkey", log, "--witness-vkey", WITNESS.verifier.vkey, "--require-signature")
    assert answer(archive, *keys) == 0

    @often
    @given(HOW, PLACES, PLACES)
    def holds(how, one, other):
        data = changed_bytes(note, how, one, other)
        assume(data != note)
        assert answer(packed({**good, "checkpoint.txt": data}), *keys) == 1

    holds()
    assert "Traceback" not in capsys.readouterr().err


def test_an_archive_whose_bytes_were_changed_is_refused_or_holds_the_same_files(archive, capsys):
    """Flags and times in the archive's own structure say nothing; what is in the files does."""
    good = files_of(archive)

    @often
    @given(HOW, PLACES, PLACES)
    def holds(how, one, other):
        data = changed_bytes(archive, how, one, other)
        if answer(data) == 0:
            assert files_of(data) == good

    holds()
    assert "Traceback" not in capsys.readouterr().err


def test_nonsense_of_every_kind_is_refused(archive, tmp_path, capsys):
    good = files_of(archive)
    for name in good:
        for nonsense in NONSENSE:
            assert answer(archived({**good, name: nonsense})) == 1, (name, nonsense)
            if name in EVIDENCE[1:] or name == "checkpoint.txt":
                assert answer(packed({**good, name: nonsense})) == 1, (name, nonsense)
    for nonsense in (b"PK", b"PK\3\4" + b"\0" * 100, b"PK\5\6" + b"\0" * 18, archive[:-1], archive[:5000]):
        assert answer(nonsense) == 1
    folder = tmp_path / "folder"
    folder.mkdir()
    assert verify.main([str(folder)]) == 1
    (folder / "record.jsonl").mkdir()
    for name in set(good) - {"record.jsonl"}:
        (Path(folder) / name).write_bytes(good[name])
    assert verify.main([str(folder)]) == 1
    assert "Traceback" not in capsys.readouterr().err


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 1 << 60)
    | st.text(max_size=8)
    | st.sampled_from(["0" * 64, "full"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


def places_in(value, here=()):
    """Every place in a JSON value, as a path."""
    yield here
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places_in(inner, (*here, key))


def put(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def test_well_formed_nonsense_leaves_no_traceback(archive, capsys):
    """Any value at any place of the seals and of the manifest, and a manifest that goes with it."""
    good = files_of(archive)

    @often
    @given(st.sampled_from(["seals.jsonl", "manifest.json"]), PLACES, PLACES, ANYTHING)
    def holds(name, line, place, value):
        lines = good[name].splitlines()
        line %= len(lines)
        said = json.loads(lines[line])
        paths = list(places_in(said))
        lines[line] = verify.encode(put(said, paths[place % len(paths)], value)).encode()
        files = {**good, name: b"".join(one + b"\n" for one in lines)}
        assume(files != good)
        assert answer(packed(files) if name == "seals.jsonl" else archived(files)) == 1

    holds()
    assert "Traceback" not in capsys.readouterr().err


def test_no_changed_proof_of_an_entry_is_accepted(archive, capsys):
    good = stored.read("entry-seven.proof")
    vkey = files_of(archive)["keys.txt"].split()[1].decode()
    keys = ("--vkey", vkey, "--witness-vkey", WITNESS.verifier.vkey)
    assert answer(good, *keys) == 0
    first, rest = good.split(b"\n", 1)
    said = json.loads(first)

    @often
    @given(HOW, PLACES, PLACES)
    def holds(how, one, other):
        data = changed_bytes(good, how, one, other)
        assume(data != good)
        assert answer(data, *keys) == 1

    @often
    @given(PLACES, ANYTHING)
    def nonsense(place, value):
        paths = list(places_in(said))
        line = verify.encode(put(said, paths[place % len(paths)], value)).encode()
        assume(line != first)
        assert answer(line + b"\n" + rest, *keys) == 1

    holds()
    nonsense()
    assert "Traceback" not in capsys.readouterr().err
