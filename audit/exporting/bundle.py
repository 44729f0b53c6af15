"""The evidence bundle: an archive with which an outsider can check a range of the record (FORMAT.md).

It is written in one pass in the memory of one batch, to anything that accepts bytes. The digest of `record.jsonl` is
returned, so that the record can state what was exported; the caller computes the digest of the archive.

For each selection of entries it has the segment of a log that shows them to be sealed and complete (`segment_for`).
Before, the caller waits for the seals of entries that no seal covers yet (`wait_for_seals`).
"""

import bisect
import datetime as dt
import hashlib
import json
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.db import connection
from django.db.models import QuerySet

import audit
from audit import chain, clock, export
from audit.entry_types import all_schemas
from audit.export import Selection, Span, only_facility
from audit.models import Checkpoint, Cosignature, Incarnation, Seal, SealedHead
from audit.rows import entries_at
from audit.sealing import witnesses
from audit.sealing.keys import first_log, keys_of, verifier_of
from audit.sealing.log import Log, facility_log

# Entries that no seal covers yet


SEAL_WAIT_SECONDS = 5.0
SEAL_POLL_SECONDS = 0.25


def count_unsealed(selection: Selection) -> int:
    """The number of entries of a selection after the last sealed head of their stream in their facility's log.

    Raises SeveralFacilities.
    """
    log = facility_log(only_facility(selection))
    return sum(_count_unsealed_in(span, log) for span in selection.spans if span.entries)


def wait_for_seals(selection: Selection, look: Callable[[], None] = lambda: None) -> int:
    """Wait up to `SEAL_WAIT_SECONDS` for the sealer to cover a selection. Returns the number of unsealed entries.

    Calls `look` while waiting; what it raises ends the wait. Does not wait if nothing was ever sealed. Raises
    SeveralFacilities.
    """
    if facility_log(only_facility(selection)) is None:
        return selection.entries
    until = time.monotonic() + SEAL_WAIT_SECONDS
    while remaining := count_unsealed(selection):
        if time.monotonic() >= until:
            break
        look()
        time.sleep(SEAL_POLL_SECONDS)
    return remaining


def _count_unsealed_in(span: Span, log: Log | None) -> int:
    if log is None:
        return span.entries
    heads = SealedHead.objects.filter(
        stream_id=span.stream_id, seal__incarnation=log.incarnation, seal__facility=log.facility
    )
    newest = heads.order_by("-seq").values_list("seq", flat=True).first() or 0
    return min(span.entries, max(0, span.last - newest))


# The segment of a log that shows a selection to be sealed and complete


CHECKPOINTS_COMPARED = 60  # the newest; of these, the one that most witnesses cosigned is used


@dataclass(frozen=True, slots=True)
class LogSegment:
    """The seals from `first` to before `last` of a log, and the checkpoint whose root they lead to.

    `ends` has, for each span, the number of the last entry that the bundle must include: at least the span's last.
    `unsealed` has the number of each span's entries after every sealed head.
    """

    log: Log
    checkpoint: Checkpoint
    first: int
    last: int
    ends: tuple[int, ...]
    unsealed: tuple[int, ...]


def segment_for(selection: Selection, incarnation: Incarnation | None = None) -> LogSegment | None:
    """The segment that covers a selection, of its facility's log of the newest incarnation, or of this one.

    None if nothing is sealed. Raises SeveralFacilities. Takes a few statements for each span and a few dozen for the
    range. Each reads a few rows, however long the log is.
    """
    log = facility_log(only_facility(selection), incarnation)
    newest = log.newest() if log else None
    if log is None or newest is None:
        return None
    checkpoint = _cosigned_checkpoint(log, _log_size_needed(selection, log, newest.size)) or newest
    size = checkpoint.size
    first = _first_seal(selection, log, size)
    last = _log_size_needed(selection, log, size) if selection.until else size
    last = max(last, first + 1)
    ends, unsealed = [], []
    for span in selection.spans:
        end, sealed = _span_end(selection, span, log, last)
        ends.append(end)
        unsealed.append(max(0, span.last - max(span.first - 1, sealed)))
    return LogSegment(log, checkpoint, first, last, tuple(ends), tuple(unsealed))


def _cosigned_checkpoint(log: Log, size: int) -> Checkpoint | None:
    """The newest checkpoint of at least this size with the most cosignatures. None if none has any."""
    newest = list(log.checkpoints.filter(size__gte=size).order_by("-size")[:CHECKPOINTS_COMPARED])
    marks = Counter(Cosignature.objects.filter(checkpoint__in=newest).values_list("checkpoint_id", flat=True))
    cosigned = [checkpoint for checkpoint in newest if marks[checkpoint.pk]]
    if not cosigned:  # no witness for a minute: use the last cosigned checkpoint if it is large enough
        last = log.cosignatures().select_related("checkpoint").first()
        return last.checkpoint if last and last.checkpoint.size >= size else None
    return max(cosigned, key=lambda checkpoint: (marks[checkpoint.pk], checkpoint.size))


def _log_size_needed(selection: Selection, log: Log, size: int) -> int:
    """The size that the log must have to show all that its first `size` seals can show about a selection."""
    if selection.until is None:
        return max((_size_covering(span, log, size) for span in selection.spans), default=0)
    full = _full_seal_after(selection.until, log, size)
    there = dict(full.heads.values_list("stream_id", "seq")) if full else {}
    sizes = []
    for span in selection.spans:
        numbers = [_first_number(_listed(span, log, size).filter(seq__gt=span.last))]
        if full and there.get(span.stream_id, 0) == span.last:
            numbers.append(full.number)
        sizes.append(min((number for number in numbers if number is not None), default=size - 1) + 1)
    return max(sizes, default=0)


def _size_covering(span: Span, log: Log, size: int) -> int:
    """The log size that includes the first seal covering a span's last entry; `size` if none does."""
    if span.last < span.first:
        return 0
    number = _first_number(_listed(span, log, size).filter(seq__gte=span.last))
    return size if number is None else number + 1


def _full_seal_after(moment: dt.datetime, log: Log, size: int) -> Seal | None:
    """The first full seal at or after a moment: it lists the head of every stream at that time."""
    begin = _number_at_time(moment, log, size)
    full = log.seals.filter(number__gte=begin, number__lt=size, full=True)
    return full.order_by("number").first()


def _first_seal(selection: Selection, log: Log, size: int) -> int:
    """The newest full seal before the range that lists no stream beyond its prior entry; else the log's beginning."""
    if selection.since is None:
        return 0
    prior = {span.stream_id: span.first - 1 for span in selection.spans}
    before = _number_at_time(selection.since, log, size)
    full = log.seals.filter(number__lt=before, full=True).order_by("-number")
    for seal in full.only("number").iterator(chunk_size=10):
        listed = SealedHead.objects.filter(seal=seal, stream__in=prior).values_list("stream_id", "seq")
        if all(seq <= prior[stream] for stream, seq in listed):
            return seal.number
    return 0


def _number_at_time(moment: dt.datetime, log: Log, size: int) -> int:
    """The number of the first seal at or after a moment, or `size`. The times of seals never go back."""
    times = log.seals.values_list("at", flat=True)
    return bisect.bisect_left(range(size), moment, key=lambda number: times.get(number=number))


def _span_end(selection: Selection, span: Span, log: Log, last: int) -> tuple[int, int]:
    """The last entry that the bundle must include, and the greatest number of the stream listed before seal `last`."""
    listed = _listed(span, log, last)
    if selection.until is None:
        greatest = listed.order_by("-seq")
    else:
        after = listed.filter(seq__gt=span.last).order_by("seq").values_list("seq", flat=True).first()
        if after is not None:
            return after, after
        greatest = listed.filter(seq__lte=span.last).order_by("-seq")
    sealed = greatest.values_list("seq", flat=True).first() or 0
    return max(sealed, span.last), sealed


def _first_number(heads: "QuerySet[SealedHead]") -> int | None:
    return heads.order_by("seq", "seal__number").values_list("seal__number", flat=True).first()


def _listed(span: Span, log: Log, size: int) -> "QuerySet[SealedHead]":
    return SealedHead.objects.filter(
        stream=span.stream_id,
        seal__incarnation=log.incarnation,
        seal__facility=log.facility,
        seal__number__lt=size,
    )


def subtrees(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the complete subtrees (level, index) that make up the leaves from `begin` to before `end`, in order."""
    while begin < end:
        level = (end - begin).bit_length() - 1
        if begin:
            level = min(level, (begin & -begin).bit_length() - 1)
        yield level, begin >> level
        begin += 1 << level


# The bundle


README = """\
EVIDENCE BUNDLE: how to check it

What it is
  record.jsonl    the entries of the record in a range of time, one per line, each chained to the entry before it
  beyond.jsonl    entries just outside the range, up to the next sealed entry; they show that nothing is missing
  seals.jsonl     the seals of that time: which head each stream had, second by second
  checkpoint.txt  the signed state of the log of seals, with the signatures of witnesses
  keys.txt        the keys as the casino states them
  manifest.json   every file with its size and SHA-256, the range, and the entries not sealed yet
  schemas.json    a JSON Schema of each type of entry, for your own tools; the checker does not need it
  FORMAT.md       the exact format of these files, enough to write your own checker
  verify.py       a checker; witness.py is the program that a witness runs
  If the record was never sealed, there is no seals.jsonl and no checkpoint.txt.

How to check it
  1. Get verify.py from a source that you trust. Whoever made this bundle could have changed the copy in it. The
     release notes (CHANGELOG.md) and the integrity page of the casino's desk publish the SHA-256 of verify.py; so
     does manifest.json for the copy in this bundle. Run the copy only if its SHA-256 is the one in the release
     notes:   sha256sum verify.py
  2. You need Python 3.9 or newer. To check signatures:   pip install cryptography
  3. Run   python verify.py BUNDLE.zip      (or the folder that you unpacked it into)
     Exit status 0: every check passed. Exit status 1: a check failed, and the output names the first failure.
     It settles every round again by its terms, and names the first entry that pays otherwise. Lines that begin with
     NOT SETTLED or NOT CHECKED say what it could not judge, and why: "good" says nothing about these.

What to trust
  The checker uses the keys in keys.txt unless you give it others. A key from another source (the license file, the
  regulator, the witness itself) is stronger evidence:
     python verify.py --vkey KEY --witness-vkey KEY --require-signature BUNDLE.zip
  A key serves one log and has its name: ask for the line of this log's key when the log begins, and keep it. A key
  whose name does not end in a slash and a number is from before, and may have signed every log of the casino.
  A checkpoint that you saved earlier is the strongest. Nobody can make a different log that is consistent with it:
     python verify.py --checkpoint SAVED.txt BUNDLE.zip
  If the seals of this bundle do not go back as far as yours, ask the casino for a consistency proof and add
     --proof FILE
  Save the checkpoint.txt of this bundle for the next check.
  If you asked for every stream, the checker says: it states that it has every stream. A stream that was sealed and
  is not there, because it was deleted or left out, then fails the check. The checker names those of other play
  (training): ask for a bundle of these too.

What it cannot show
  Whether the dice and wagers of an entry are those that were there: cameras, and the two people who sign it, show that.
  Whether entries that are not sealed yet will stay: the checker counts them.
  Whether rounds were dealt under approved terms, if the approvals are not in this bundle: the checker counts their
  entries. Ask for every stream from the beginning of the record.
"""


# The archive


FORMAT = 1
BODY_START = 156  # in every line of an export
PROGRESS_ENTRIES = 500  # between two calls of `progress`
SEALS_PER_STATEMENT = 500
COMPRESS_LEVEL = 1  # keeps up with reading the entries; a higher level takes four times as long for little
DOCUMENTS = ("FORMAT.md", "verify.py", "witness.py")
AUDIT_FOLDER = Path(audit.__file__).parent

Progress = Callable[[int], None]


@cache
def checker_sha256() -> str:
    """The SHA-256 in hex of the `verify.py` of this program, which the integrity page and the release notes publish."""
    return hashlib.sha256((AUDIT_FOLDER / "verify.py").read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class BundleSummary:
    """A written bundle: its entries, archive size in bytes, SHA-256 of its record in hex, and unsealed entries."""

    entries: int
    size_bytes: int
    record_sha256: str
    unsealed: int


def write(
    out: BinaryIO,
    selection: Selection,
    progress: Progress | None = None,
    incarnation: Incarnation | None = None,
) -> BundleSummary:
    """Write the bundle of a selection. `out` need not be seekable.

    `progress` is called with the number of entries written. The log is the facility's in the newest incarnation, or in
    the one that is given. Raises what `progress` and `out` raise, SeveralFacilities, MissingEntry if the database lost
    an entry, and MissingNode if it lost a part of the log.
    """
    selection, stretch = _with_segment(selection, incarnation)
    counted = _CountingWriter(out)
    archive = _Archive(counted)
    opening = archive.record(selection, progress)
    archive.add("beyond.jsonl", _entries_beyond(selection, stretch))
    if stretch:
        archive.add("seals.jsonl", _seals(stretch))
        archive.add("checkpoint.txt", [stretch.checkpoint.cosigned.encode()])
    log = stretch.log if stretch else facility_log(only_facility(selection), incarnation)
    archive.add("keys.txt", _keys(log))
    archive.add("schemas.json", [json.dumps(all_schemas(), indent=1, ensure_ascii=False).encode() + b"\n"])
    archive.add("README.txt", [README.encode()])
    for name in DOCUMENTS:
        archive.add(name, [(AUDIT_FOLDER / name).read_bytes()])
    archive.close(_manifest(opening, selection, stretch))
    unsealed = sum(stretch.unsealed) if stretch else selection.entries
    return BundleSummary(selection.entries, counted.size, archive.files["record.jsonl"]["sha256"], unsealed)


def _with_segment(
    selection: Selection, incarnation: Incarnation | None
) -> tuple[Selection, LogSegment | None]:
    """The segment of the log that covers a selection, with the streams that began meanwhile and that it may list.

    A range that is not over while entries are still written has no end: those after the selected ones are in it too,
    and the seals list them.
    """
    while True:
        stretch = segment_for(selection, incarnation)
        complete = export.with_later_streams(selection)
        if stretch and _continues_in_range(selection, stretch):
            complete = replace(complete, until=None)
        if complete is selection:
            return selection, stretch
        selection = complete


def _continues_in_range(selection: Selection, stretch: LogSegment) -> bool:
    """Whether an entry that the segment lists after the selected ones is before the end of the range."""
    if selection.until is None:
        return False
    ends = zip(selection.spans, stretch.ends, strict=True)
    nexts = {span.stream_id: span.last + 1 for span, end in ends if end > span.last}
    bound = connection.ops.adapt_datetimefield_value(selection.until)
    return any(is_before for (is_before,) in entries_at(nexts, "at < %s", [bound]))


class _CountingWriter:
    """Counts the bytes written. It has no seek and no tell, so zipfile writes the archive as a stream."""

    def __init__(self, out: BinaryIO) -> None:
        self.out, self.size = out, 0

    def write(self, data: bytes) -> int:
        self.out.write(data)
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        self.out.flush()


class _Archive:
    """A ZIP archive being written, with the digest of each file in it."""

    def __init__(self, out: _CountingWriter) -> None:
        sink = cast(BinaryIO, out)
        self.zip = zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESS_LEVEL)
        self.files: dict[str, dict[str, Any]] = {}  # as the manifest lists them, by name

    @contextmanager
    def file(self, name: str) -> Iterator[Callable[[bytes], None]]:
        digest, size = hashlib.sha256(), 0
        with self.zip.open(name, "w", force_zip64=True) as file:

            def put(data: bytes) -> None:
                nonlocal size
                file.write(data)
                digest.update(data)
                size += len(data)

            yield put
        self.files[name] = {"name": name, "sha256": digest.hexdigest(), "size": size}

    def add(self, name: str, parts: Iterable[bytes]) -> None:
        with self.file(name) as put:
            for part in parts:
                put(part)

    def record(self, selection: Selection, progress: Progress | None) -> dict[str, Any]:
        """Write the export. Returns the body of its first line."""
        with self.file("record.jsonl") as put:
            lines = export.lines(selection, export.every_statement(selection))
            opening = next(lines)
            put(opening)
            for count, line in enumerate(lines):  # the last line closes the export and is not an entry
                put(line)
                if progress and count % PROGRESS_ENTRIES == 0:
                    progress(count)
        if progress:
            progress(selection.entries)
        first_line: dict[str, Any] = json.loads(opening[BODY_START:-2])
        return first_line

    def close(self, manifest: dict[str, Any]) -> None:
        listing = [self.files[name] for name in sorted(self.files)]
        self.add("manifest.json", [chain.canonical({**manifest, "files": listing}) + b"\n"])
        self.zip.close()


def _manifest(opening: dict[str, Any], selection: Selection, stretch: LogSegment | None) -> dict[str, Any]:
    counts = stretch.unsealed if stretch else tuple(span.entries for span in selection.spans)
    unsealed = zip(selection.spans, counts, strict=True)
    return {
        "_format": FORMAT,
        "_type": "bundle",
        **{key: opening[key] for key in ("at", "build", "from", "to")},
        "entries": selection.entries,
        "incarnation": stretch.log.incarnation.number if stretch else None,
        "origin": stretch.log.origin if stretch else None,
        "size": stretch.checkpoint.size if stretch else None,
        "unsealed": [{"entries": count, "stream": span.name} for span, count in unsealed if count],
    }


def _entries_beyond(selection: Selection, stretch: LogSegment | None) -> Iterator[bytes]:
    """Yield each stream's entry before the range, and those after it up to the sealed head."""
    ends = stretch.ends if stretch else tuple(span.last for span in selection.spans)
    for span, end in zip(selection.spans, ends, strict=True):
        if selection.since is not None and span.first > 1:
            yield from _lines(span, span.first - 1, span.first - 1)
        yield from _lines(span, span.last + 1, end)


def _lines(span: Span, first: int, last: int) -> Iterator[bytes]:
    beside = Span(span.stream_id, span.name, first, last, b"")
    for _seq, prev, digest, body in export.entries(beside):
        yield export.format_line(digest, prev, body)


def _seals(stretch: LogSegment) -> Iterator[bytes]:
    log, size = stretch.log, stretch.checkpoint.size
    before, after = list(subtrees(0, stretch.first)), list(subtrees(stretch.last, size))
    hashes = log.with_nodes(lambda node: [node(*place).hex() for place in [*before, *after]])
    header = {
        "_format": FORMAT,
        "_type": "seals",
        "after": hashes[len(before) :],
        "before": hashes[: len(before)],
        "first": stretch.first,
        "incarnation": log.incarnation.number,
        "last": stretch.last,
        "origin": log.origin,
        "size": size,
    }
    yield chain.canonical(header) + b"\n"
    seals = log.seals.order_by("number")
    for start in range(stretch.first, stretch.last, SEALS_PER_STATEMENT):
        part = seals.filter(number__gte=start, number__lt=min(start + SEALS_PER_STATEMENT, stretch.last))
        for body in part.values_list("body", flat=True):
            yield bytes(body) + b"\n"


def _keys(log: Log | None) -> Iterator[bytes]:
    """Yield the lines of the keys of a log, and of the witnesses. Keys of other logs would name other facilities."""
    for key in keys_of(log or first_log()):
        retired = clock.format_moment(key.retired_at) if key.retired_at else "never"
        line = (
            f"log {verifier_of(key).vkey} created {clock.format_moment(key.created_at)} retired {retired}\n"
        )
        yield line.encode()
    for witness in witnesses.configured():
        yield f"witness {witness.verifier.vkey}\n".encode()
