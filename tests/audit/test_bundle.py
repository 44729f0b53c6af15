"""The evidence bundle as it is written: what is in it, and that every range of it can be checked."""

import hashlib
import io
import json
import re
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from audit import clock, export, rows, verify, witness
from audit.exporting import bundle
from audit.models import Checkpoint, Seal
from tests.services.examples import of_today

from .conftest import MOMENT
from .outsider import check, packed
from .sealed import DAY, SECOND, WITNESS, House, archived, bundled, files_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def house(tmp_path, write, settings):
    """Two tables over four days: six acts a day, each sealed but the last of all. T-05 has three entries in all."""
    settings.WITNESSES = f"https://witness.example {WITNESS.verifier.vkey}"
    house = House(tmp_path / "sealer", write)
    for day in range(4):
        for number in range(6):
            house.act(day * DAY + number * SECOND)
            if day == 1 and number % 2:
                house.act(day * DAY + number * SECOND, "larkfield/T-05")
            if (day, number) != (3, 5):
                house.seal(day * DAY + number * SECOND + SECOND / 2)
    return house


def stretch_in(archive):
    header = json.loads(files_of(archive)["seals.jsonl"].partition(b"\n")[0])
    return header["first"], header["last"], header["size"]


def test_it_contains_the_documented_files_and_returns_their_digests(house):
    house.cosign(Checkpoint.objects.get(size=23))
    out = io.BytesIO()
    heard: list[int] = []
    written = bundle.write(out, export.select(), heard.append)
    files = files_of(out.getvalue())
    assert set(files) == {
        "record.jsonl", "beyond.jsonl", "seals.jsonl", "checkpoint.txt", "keys.txt", "manifest.json", "README.txt",
        "FORMAT.md", "verify.py", "witness.py", "schemas.json",
    }  # fmt: skip
    manifest = json.loads(files["manifest.json"])
    digests = {file["name"]: file["sha256"] for file in manifest["files"]}
    assert (written.entries, written.unsealed, written.size_bytes) == (29, 1, len(out.getvalue()))
    assert written.record_sha256 == digests["record.jsonl"]
    assert manifest["unsealed"] == [{"entries": 1, "stream": "larkfield/T-04"}]
    assert (manifest["incarnation"], manifest["origin"], manifest["size"]) == (
        1,
        "pitside.local/record/1",
        23,
    )
    assert files["verify.py"] == Path(verify.__file__).read_bytes()
    assert files["witness.py"] == Path(witness.__file__).read_bytes()
    assert (heard[0], heard[-1]) == (0, 29)
    assert "NOT SEALED: the last 1 entries of larkfield/T-04; only the hash chain protects them" in check(
        out.getvalue()
    )


def test_the_release_notes_publish_the_sha256_of_the_checker():
    digest = hashlib.sha256(Path(verify.__file__).read_bytes()).hexdigest()
    notes = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text()
    released = notes.partition("\n## ")[2].partition("\n## ")[0]
    assert f"`{digest}`" in released, f"Write the SHA-256 of audit/verify.py into CHANGELOG.md: {digest}"


def test_a_checker_from_elsewhere_says_that_the_bundles_copy_is_another_program(house):
    files = files_of(bundled())
    assert not [line for line in check(archived(files)) if "verify.py" in line]
    manifest = json.loads(files["manifest.json"])
    (stated,) = [file["sha256"] for file in manifest["files"] if file["name"] == "verify.py"]
    assert stated == bundle.checker_sha256()
    replaced = b"print('good')\n"
    lines = check(packed(files | {"verify.py": replaced}))
    warning = "the bundle's verify.py is not this program. Look up its SHA-256 in the release notes: "
    assert warning + hashlib.sha256(replaced).hexdigest() in lines


def test_the_bundle_of_a_day_that_is_not_over_can_be_checked_although_play_goes_on(house, monkeypatch):
    """An act is sealed between the selection and the choice of the seals: its day is that of the bundle."""
    segment_for = bundle.segment_for

    def meanwhile(*arguments):
        house.act(3 * DAY + 20 * SECOND)
        house.seal(3 * DAY + 21 * SECOND)
        return segment_for(*arguments)

    monkeypatch.setattr(bundle, "segment_for", meanwhile)
    archive = bundled("larkfield/T-04", until=MOMENT + 9 * DAY, at=MOMENT + 3 * DAY + 10 * SECOND)
    assert check(archive)[0] == "good: 24 entries on 1 streams, the beginning to the newest"


EDGES = [None, -1, 0, 3, 86_400, 86_403, 2 * 86_400 + 1, 3 * 86_400 + 4, 3 * 86_400 + 6, 9 * 86_400]


def test_every_range_can_be_checked(house):
    """Whole streams, parts of them and nothing at all; before, between and behind the seals."""
    moments = [edge if edge is None else MOMENT + edge * SECOND for edge in EDGES]
    ranges = [
        (since, until) for since in moments for until in moments if not (since and until and until < since)
    ]
    assert len(ranges) == 64
    for since, until in of_today(ranges):
        for names in ((), ("larkfield/T-05",)):
            archive = bundled(*names, since=since, until=until, at=MOMENT + 10 * DAY)
            assert check(archive, "--vkey", house.vkey)[0].startswith("good: "), (since, until)


def test_a_day_takes_the_seals_of_that_day_and_the_subtrees_beside_it(house):
    """From the full seal that opens the day up to the one that opens the day after it, of 23 seals."""
    archive = bundled("larkfield/T-04", since=MOMENT + DAY + SECOND, until=MOMENT + DAY + 20 * SECOND)
    finding = "listed by these seals, but not in this bundle: installation/system, larkfield/T-05"
    assert finding in check(archive)
    assert stretch_in(archive) == (6, 13, 23)
    header = json.loads(files_of(archive)["seals.jsonl"].partition(b"\n")[0])
    assert [len(header["before"]), len(header["after"])] == [2, 5]  # 4 + 2; 1 + 2 + 4 + 2 + 1
    beyond = [json.loads(line)["body"]["seq"] for line in files_of(archive)["beyond.jsonl"].splitlines()]
    assert beyond == [7, 13]
    check(archive)


def test_the_complete_subtrees_of_a_segment_join_without_gaps():
    for begin in range(20):
        for end in range(begin, 40):
            places = list(bundle.subtrees(begin, end))
            leaves = [leaf for level, index in places for leaf in range(index << level, (index + 1) << level)]
            assert leaves == list(range(begin, end))
            assert [level for level, _index in places] == list(verify.heights(begin, end))


def test_it_takes_the_checkpoint_that_a_witness_cosigned_where_that_one_covers_the_range(house, monkeypatch):
    house.cosign(Checkpoint.objects.get(size=20))
    day_two = {"since": MOMENT + DAY, "until": MOMENT + DAY + 20 * SECOND}
    assert stretch_in(bundled(**day_two))[2] == 20
    assert "cosigned by witness.example/w1" in " ".join(check(bundled(**day_two)))
    assert (
        stretch_in(bundled())[2] == 23
    )  # what is newer than the cosignature is shown, and signed by the log alone
    assert stretch_in(bundled(since=MOMENT + 3 * DAY, until=MOMENT + 5 * DAY))[2] == 23
    monkeypatch.setattr(bundle, "CHECKPOINTS_COMPARED", 2)  # however long ago it was
    assert stretch_in(bundled(**day_two))[2] == 20
    assert stretch_in(bundled())[2] == 23


def test_the_bundle_of_an_unsealed_record_says_that_it_is_unsealed(write):
    write()
    archive = bundled()
    assert "seals.jsonl" not in files_of(archive) and "checkpoint.txt" not in files_of(archive)
    assert json.loads(files_of(archive)["manifest.json"])["unsealed"] == [
        {"entries": 1, "stream": "larkfield/T-04"}
    ]
    assert "NOT SEALED: all entries; only the hash chain protects them" in check(archive)


def test_the_number_of_queries_does_not_grow_with_the_log(house, django_assert_max_num_queries):
    """Halving finds the seals of a day; the rest is a few statements for a stream, each on an index."""
    day = export.select([], MOMENT + DAY, MOMENT + DAY + 20 * SECOND)
    with django_assert_max_num_queries(45):
        stretch = bundle.segment_for(day)
    assert (stretch.first, stretch.last, stretch.ends) == (0, 13, (2, 13, 3))


def test_it_is_written_where_nothing_can_be_sought(house):
    class Pipe:
        data = b""

        def write(self, data):
            self.data += data

        def flush(self):
            pass

    pipe = Pipe()
    with clock.override(MOMENT):
        bundle.write(pipe, export.select())
    assert pipe.data == bundled()
    assert zipfile.ZipFile(io.BytesIO(pipe.data)).testzip() is None


def test_what_progress_raises_stops_it(house):
    class Stopped(Exception):
        pass

    def stop(written):
        raise Stopped

    with pytest.raises(Stopped):
        bundle.write(io.BytesIO(), export.select(), stop)


def test_a_seal_that_the_database_lost_leaves_a_bundle_that_is_refused(house, monkeypatch):
    """The writer does not judge; the reader does."""
    lost = Seal.objects.exclude(number=4)
    monkeypatch.setattr(Seal, "objects", type("Lossy", (), {"filter": staticmethod(lost.filter)}))
    archive = bundled()
    monkeypatch.undo()
    with pytest.raises(verify.Bad, match=r"seals\.jsonl: line 6: it is not the seal with this number"):
        check(archive)


def test_memory_does_not_grow_with_the_range(house, monkeypatch):
    """Ten times the entries, two megabytes more of them, take no more memory."""
    monkeypatch.setattr(rows, "BATCH_ENTRIES", 20)

    def peak():
        tracemalloc.start()
        with clock.override(MOMENT):
            bundle.write(Nowhere(), export.select(["larkfield/T-04"]))
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    for number in range(100):
        house.act(4 * DAY + number * SECOND, data={"round": 1, "note": "x" * 2000})
    small = peak()
    for number in range(1000):
        house.act(5 * DAY + number * SECOND, data={"round": 1, "note": "x" * 2000})
    assert peak() < small + 200_000


class Nowhere:
    def write(self, data):
        return len(data)

    def flush(self):
        pass


def test_it_is_checked_from_an_empty_folder_with_nothing_of_ours(house, tmp_path):
    """The checker out of the bundle itself, isolated, on the archive and on the folder that it was unpacked into."""
    archive = tmp_path / "evidence.zip"
    archive.write_bytes(bundled())
    folder = tmp_path / "unpacked"
    zipfile.ZipFile(archive).extractall(folder)
    for place in (archive, folder):
        checker = [sys.executable, "-I", str(folder / "verify.py")]
        checked = subprocess.run(
            [*checker, "--vkey", house.vkey, str(place)], capture_output=True, cwd=tmp_path, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, b""), checked.stdout
        assert re.search(
            rb"signed by pitside.local/record/1\+[0-9a-f]{8}, a key that you gave", checked.stdout
        )
