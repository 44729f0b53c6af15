"""The comparison of two fingerprints (script/fingerprint)."""

import json

import pytest

from script.fingerprint.comparison import compare, hashes
from script.fingerprint.installation import Randomness

ENTRY = {"stream": "larkfield/T-01", "type": "bets.closed", "body": '{"data":{"round":1}}'}


def written(folder, **files):
    folder.mkdir()
    for name, lines in files.items():
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


@pytest.fixture
def compared(tmp_path):
    """Compares two fingerprints of one file, each a list of lines."""

    def run(name, before, after):
        return compare(written(tmp_path / "a", **{name: before}), written(tmp_path / "b", **{name: after}))

    return run


def test_it_finds_nothing_between_equal_fingerprints(compared):
    comparison = compared("entries", [ENTRY], [ENTRY])
    assert (comparison.faults, comparison.sentences) == ([], {})


def test_it_lists_a_sentence_of_a_snapshot_once(compared):
    before = [{"snapshot": {"say": f"Closes round {number}"}} for number in (7, 8)]
    after = [{"snapshot": {"say": f"Ends bets of round {number}"}} for number in (7, 8)]
    comparison = compared("snapshots", before, after)
    assert comparison.faults == []
    assert list(comparison.sentences) == [("Closes round #", "Ends bets of round #")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"code": "stale"}, {"code": "late"}),
        ({"section": "§ 539.1(a)"}, {"section": "§ 539.1(b)"}),
        ({"cents": 500}, {"cents": 600}),
        ({"dice": [1, 2, 3]}, {"dice": [1, 2]}),
        ({"dice": None}, {"dice": "not yet thrown"}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_it_faults_whatever_is_no_sentence(compared, before, after):
    assert compared("snapshots", [before], [after]).faults


def test_it_faults_a_sentence_of_an_entry(compared):
    body = '{"data":{"reason":"a die is cocked"}}'
    other = '{"data":{"reason":"a die was cocked"}}'
    assert compared("entries", [{**ENTRY, "body": body}], [{**ENTRY, "body": other}]).faults


def test_it_faults_other_bytes_of_the_same_entry(compared):
    assert compared("entries", [ENTRY], [{**ENTRY, "body": '{"data": {"round": 1}}'}]).faults


def test_it_counts_hashes_that_follow_from_a_fault(compared):
    comparison = compared("export-live", [{"hash": "0" * 64}], [{"hash": "1" * 64}])
    assert (comparison.faults, comparison.digests, comparison.passed) == ([], 1, False)


def test_it_shows_the_words_of_a_page_that_differ(compared):
    long = "one two three four five six seven eight nine"
    comparison = compared("pages", [{"text": long}], [{"text": long.replace("five", "5 or so")}])
    assert comparison.faults == []
    assert next(iter(comparison.sentences.values()))[:2] == (
        "two three four five six seven eight",
        "two three four 5 or so six seven eight",
    )


def test_it_lets_a_bundle_have_new_schemas_alone(compared):
    old = [{"name": "record.jsonl", "sha256": "1"}, {"name": "verify.py", "sha256": "2"}]
    new = [
        *old[:1],
        {"name": "verify.py", "sha256": "3"},
        {"name": "schemas/bets.closed.json", "sha256": "4"},
    ]
    assert compared("bundle", old, new).faults == []


def test_it_faults_other_bytes_in_a_bundle(compared):
    assert compared(
        "bundle", [{"name": "keys.txt", "sha256": "1"}], [{"name": "keys.txt", "sha256": "2"}]
    ).faults


def test_it_faults_a_missing_file(tmp_path):
    assert compare(written(tmp_path / "a", entries=[]), written(tmp_path / "b")).faults


def test_it_hashes_entries_without_the_digests_of_papers(tmp_path):
    folders = []
    for number in (1, 2):
        paper = {
            **ENTRY,
            "body": json.dumps({"sha256": f"{number:064x}", "size": number}, separators=(",", ":")),
        }
        folder = written(tmp_path / str(number), entries=[paper], adjudicate=[], figures=[])
        (folder / "odds.json").write_text("[]\n")
        for name in ("tables", "training"):
            (folder / f"export-{name}.jsonl").write_text("")
        folders.append(folder)
    assert hashes(folders[0]) == hashes(folders[1])


def test_its_randomness_is_the_same_under_the_same_label():
    first, second = Randomness(), Randomness()
    second(16)
    for randomness in (first, second):
        randomness.restart("act 7")
    assert first(40) == second(40) != first(40)
