"""`verify.py` reads wagers apart from their entry, and shares long files. Neither changes an answer."""

import io
import json
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import verify

from . import stored
from .mutants import FORGED_SEALS, forged_export, forged_log, of_lines
from .sealed import archived, files_of
from .test_export import SETTLED, body

PLACED: dict[str, Any] = {
    "placed": [
        {"cents": 700, "flag": "", "made_in": "chips", "seat": 2, "wager": "big"},
        {"cents": 500, "flag": "§ 5", "made_in": "plaques", "play": 1, "seat": 1, "wager": "penalty"},
    ],
    "round": 1,
    "wagered_cents": 1_200,
}
TYPES: dict[str, dict[str, Any]] = {"round.settled": SETTLED, "wagers.placed": PLACED}


def read(raw, monkeypatch, *, apart):
    """What a body says as the second of its stream, or why it says nothing."""
    with monkeypatch.context() as patched:
        if not apart:
            patched.setattr(verify, "WAGER_LISTS", [])
        try:
            entry = verify.read_entry(raw, "larkfield/T-04", 2)
            if verify.is_settlement(entry.type, entry.data):
                verify.verify_settled(entry.data)
        except verify.Bad as bad:
            return str(bad)
    return entry


@pytest.mark.parametrize("type_", TYPES)
def test_no_changed_body_is_read_otherwise_because_its_wagers_are_read_apart(type_, monkeypatch):
    raw = verify.encode(body(2, TYPES[type_], _type=type_)).encode()
    verify.read_wager.cache_clear()
    entry = read(raw, monkeypatch, apart=True)
    assert isinstance(entry, verify.Entry)
    assert entry == read(raw, monkeypatch, apart=False)
    assert verify.read_wager.cache_info().misses == 2  # they were read apart
    signs = [b"", b" ", b"0", b"1", b"-", b".", b",", b'"', b"\\", b"]", b"}", b"[", b"{", b"\0", b"\x1f"]
    for place in range(raw.index(b'"data"'), len(raw)):
        for sign in (*signs, b"},{", b"}]"):
            for changed in (raw[:place] + sign + raw[place + 1 :], raw[:place] + sign + raw[place:]):
                assert read(changed, monkeypatch, apart=True) == read(changed, monkeypatch, apart=False), (
                    changed
                )


WAGERS = [TYPES["round.settled"]["settled"][0], PLACED["placed"][0]]
SIGNS = ["}],[{", "},{", '"settled":[{', '"settled":[]', "]", '\\"settled":[{']
JSON = st.recursive(
    st.none() | st.integers(-5, 5) | st.text() | st.sampled_from([*SIGNS, *WAGERS]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "settled", "placed", "}]", '"', 'x"settled']), inner, max_size=3
        )
    ),
    max_leaves=10,
)


@given(
    content=st.dictionaries(st.sampled_from(["a", "settled", "placed", "z", 'x"settled']), JSON),
    spaces=st.booleans(),
)
def test_whatever_stands_in_an_entry_is_read_alike(content, spaces):
    text = json.dumps(
        content, ensure_ascii=False, sort_keys=True, separators=(", ", ": ") if spaces else (",", ":")
    )
    for type_ in TYPES:
        empty = verify.encode(body(2, {}, _type=type_))
        raw = empty.replace('"data":{}', '"data":' + text).encode("utf-8", "replace")
        with pytest.MonkeyPatch.context() as monkeypatch:
            assert read(raw, monkeypatch, apart=True) == read(raw, monkeypatch, apart=False)


@pytest.mark.parametrize(
    "other", [{"a": {"settled": []}}, {"a": {"settled": [1]}}, {'x"settled': []}, {"a": ['"settled":[]']}]
)
def test_wagers_that_stand_elsewhere_are_not_taken_for_those_of_a_settlement(other, monkeypatch):
    """The data's own list is empty here, and another one has wagers; or the other way round."""
    for own, inner in (([], SETTLED["settled"]), (SETTLED["settled"], [])):
        nested = {key: {"settled": inner} if isinstance(item, dict) else inner for key, item in other.items()}
        for content in ({**SETTLED, "settled": own, **nested}, {**SETTLED, "settled": own, **other}):
            raw = verify.encode(body(2, content, _type="round.settled")).encode()
            assert read(raw, monkeypatch, apart=True) == read(raw, monkeypatch, apart=False)


def answers_of(path, counts, monkeypatch):
    """What that many processes say of a file or a bundle, however short it is."""
    answers = []
    monkeypatch.setattr(verify, "LONG_FILE_BYTES", 0)
    for count in counts:
        monkeypatch.setattr(verify.os, "cpu_count", lambda count=count: count)
        try:
            answers.append("\n".join(verify.check_path(str(path), verify.Options([str(path)]), None)))
        except verify.Bad as error:
            answers.append("bad: %s" % error)
    return answers


@pytest.mark.parametrize("forgery", [None, "another head", "one number, two heads", "no seals"])
def test_a_bundle_that_processes_share_is_compared_with_its_seals(forgery, tmp_path, monkeypatch):
    files = files_of(stored.read("middle-day.zip" if forgery is None else "eight-entries.zip"))
    path = tmp_path / "bundle.zip"
    path.write_bytes(archived(forged_log(files, FORGED_SEALS[forgery]) if forgery else files))
    alone, shared = answers_of(path, (1, 2), monkeypatch)
    assert alone == shared
    assert alone.startswith("bad: ") == bool(forgery)


def false_at(*places):
    """An export of two streams in which these entries have another number than their place."""

    def edit(bodies):
        for place in places:
            bodies[place]["seq"] += 70

    return forged_export(stored.read("two-tables.jsonl"), edit)


def test_processes_that_share_a_file_name_the_failure_that_one_process_names(tmp_path, monkeypatch):
    """Changed contents, hashes, chains and ends, one or two at a time. Threads are quicker here than processes."""
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", ThreadPoolExecutor)
    good, path = stored.read("two-tables.jsonl"), tmp_path / "record.jsonl"
    entries = range(1, len(good.splitlines()) - 1)
    false = [false_at(place) for place in entries] + [false_at(entries[0], entries[-1])]
    said = set()
    for data in (good, *false, *(changed for of in (good, false[-1]) for _, changed in of_lines(of))):
        path.write_bytes(data)
        alone, *shared = answers_of(path, (1, 2, 3), monkeypatch)
        assert shared == [alone, alone]
        said.add(alone)
    assert sum(answer.startswith("good: ") for answer in said) == 1 and len(said) > 2 * len(entries)


def test_a_process_that_ends_early_leaves_no_export_good(tmp_path, monkeypatch):
    class Broken(ThreadPoolExecutor):
        def submit(self, *_task, **_named):
            future: Future = Future()
            future.set_exception(BrokenProcessPool())
            return future

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Broken)
    path = tmp_path / "record.jsonl"
    path.write_bytes(stored.read("two-tables.jsonl"))
    with pytest.raises(OSError, match="a process that checked part of the file ended early"):
        answers_of(path, (2,), monkeypatch)


def test_a_file_that_becomes_shorter_between_the_two_passes_is_not_good(monkeypatch):
    record = stored.read("two-tables.jsonl")
    file, checked_part = io.BytesIO(record), verify.checked_part

    def truncate(*arguments):
        file.truncate(len(b"".join(record.splitlines(keepends=True)[:-2])))
        return checked_part(*arguments)

    monkeypatch.setattr(verify, "checked_part", truncate)
    with pytest.raises(OSError, match="the file became shorter while it was read"):
        verify.verify(file)
