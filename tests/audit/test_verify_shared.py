"""Several processes share the contents of a long file. That changes no answer of `verify.py`."""

import io
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from audit import verify

from . import stored
from .mutants import FORGED_SEALS, forged_export, forged_log, of_lines
from .sealed import archived, files_of


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
