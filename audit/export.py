"""The export: the record as lines that anybody can check, streamed in the memory of one batch.

`lines` yields the evidence, to the byte as `FORMAT.md` says; `rows` a reading copy for spreadsheets. Entries are
written once and numbered without gaps, so what is exported is settled by the heads that are read first: no long
transaction, and no lock.
"""

import bisect
import csv
import datetime as dt
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from audit import chain, clock
from audit.models import Entry, Stream
from audit.record import FORMAT

BATCH = 1000
NOTHING = bytes(chain.HASH_BYTES)
COLUMNS = (
    "stream seq at gaming_day _type actor witness device command terms build data hash".split()  # noqa: SIM905
)
FORMULA_STARTS = tuple("=+-@\t\r\n\0")


class UnknownStream(LookupError):
    """There is no stream of this name."""


class MixedPlay(ValueError):
    """Streams of real play and others were asked for in one export. Names one of each sort."""

    def __init__(self, real: str, other: str) -> None:
        self.real, self.other = real, other
        super().__init__(real, other)


@dataclass(frozen=True, slots=True)
class Span:
    """The entries of one stream to export: `first` to `last` in number, none when `last` is `first - 1`."""

    stream_id: int
    name: str
    first: int
    last: int
    prior_head: bytes

    @property
    def entries(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Selection:
    """What an export holds: its streams in the order of their names, from `since` up to but not at `until`."""

    since: dt.datetime | None
    until: dt.datetime | None
    spans: tuple[Span, ...]

    @property
    def entries(self) -> int:
        return sum(span.entries for span in self.spans)


def select(
    names: Sequence[str] = (),
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    *,
    training: bool = False,
) -> Selection:
    """Choose streams and a range of time: those named, or else every stream of real play.

    With `training` it is every other stream: those of training and of simulation. No export holds both sorts. Raises
    UnknownStream, and MixedPlay where the names, or the names and `training`, ask for both.
    """
    asked = Stream.objects.filter(name__in=names) if names else Stream.objects.filter(real_play=not training)
    heads = {stream.name: stream for stream in asked.only("name", "seq", "head", "real_play")}
    for name in names:
        if name not in heads:
            raise UnknownStream(name)
    _verify_one_sort(heads, training)
    return Selection(since, until, tuple(_span(heads[name], since, until) for name in sorted(heads)))


def _verify_one_sort(heads: Mapping[str, Stream], training: bool) -> None:
    real = [name for name in sorted(heads) if heads[name].real_play]
    other = [name for name in sorted(heads) if not heads[name].real_play]
    if real and (other or training):
        raise MixedPlay(real[0], other[0] if other else "")


def lines(selection: Selection) -> Iterator[bytes]:
    """Every line of the export with its newline: first line, entries by stream and number, last line."""
    digest = hashlib.sha256()
    closing: list[dict[str, Any]] = []
    opening = _line(NOTHING, _opening(selection))
    digest.update(opening)
    yield opening
    for span in selection.spans:
        head = span.prior_head
        for _seq, prev, head, body in _entries(span):
            line = _shaped(head, prev, body)
            digest.update(line)
            yield line
        closing.append({"entries": span.entries, "head": head.hex(), "seq": span.last, "stream": span.name})
    yield _line(digest.digest(), _closing(selection, closing, digest.hexdigest()))


def rows(selection: Selection) -> Iterator[bytes]:
    """The reading copy: CSV by RFC 4180 in UTF-8, a row for each entry, its data as one cell of JSON."""
    yield _csv_row(COLUMNS)
    for span in selection.spans:
        for _seq, _prev, digest, body in _entries(span):
            said = json.loads(body)
            said["data"] = chain.canonical(said["data"]).decode()
            said["hash"] = digest.hex()
            yield _csv_row([harmless(said.get(column)) for column in COLUMNS])


def harmless(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula: a quote goes before = + - @ and control characters."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _span(stream: Stream, since: dt.datetime | None, until: dt.datetime | None) -> Span:
    first = 1 if since is None else _first_at(stream, since)
    last = stream.seq if until is None else _first_at(stream, until) - 1
    last = max(last, first - 1)
    return Span(stream.pk, stream.name, first, last, _head_after(stream, first - 1))


def _first_at(stream: Stream, moment: dt.datetime) -> int:
    """The number of the first entry at or after a moment. Times never go back on a stream, so halving finds it."""
    entries = Entry.objects.filter(stream=stream)
    numbers = range(1, stream.seq + 1)
    return 1 + bisect.bisect_left(
        numbers, moment, key=lambda seq: entries.values_list("at", flat=True).get(seq=seq)
    )


def _head_after(stream: Stream, seq: int) -> bytes:
    if seq == 0:
        return chain.genesis(stream.name)
    return bytes(Entry.objects.values_list("hash", flat=True).get(stream=stream, seq=seq))


def _entries(span: Span) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """(seq, prev, hash, body) of a span, a batch of numbers at a time: memory does not grow with the record."""
    entries = Entry.objects.filter(stream_id=span.stream_id).order_by("seq")
    for start in range(span.first, span.last + 1, BATCH):
        batch = entries.filter(seq__gte=start, seq__lte=min(start + BATCH - 1, span.last))
        for seq, prev, digest, body in batch.values_list("seq", "prev", "hash", "body"):
            yield seq, bytes(prev), bytes(digest), bytes(body)


def _opening(selection: Selection) -> dict[str, Any]:
    return {
        "_format": FORMAT,
        "_type": "export.opened",
        "at": clock.written(clock.now()),
        "build": settings.BUILD,
        "from": clock.written(selection.since) if selection.since else None,
        "streams": [
            {"head": span.prior_head.hex(), "seq": span.first - 1, "stream": span.name}
            for span in selection.spans
        ],
        "to": clock.written(selection.until) if selection.until else None,
    }


def _closing(selection: Selection, streams: list[dict[str, Any]], sha256: str) -> dict[str, Any]:
    return {
        "_format": FORMAT,
        "_type": "export.closed",
        "entries": selection.entries,
        "sha256": sha256,
        "streams": streams,
    }


def _line(prev: bytes, said: dict[str, Any]) -> bytes:
    body = chain.canonical(said)
    return _shaped(chain.entry_hash(prev, body), prev, body)


def _shaped(digest: bytes, prev: bytes, body: bytes) -> bytes:
    return b'{"hash":"%b","prev":"%b","body":%b}\n' % (digest.hex().encode(), prev.hex().encode(), body)


def _csv_row(cells: Sequence[str]) -> bytes:
    row = io.StringIO()
    csv.writer(row).writerow(cells)
    return row.getvalue().encode()
