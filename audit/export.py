"""The export: the record as lines that anybody can check, streamed in the memory of one batch.

`lines` yields the evidence, byte for byte as in `FORMAT.md`; `csv_lines` a reading copy for spreadsheets. Entries are
written once and numbered without gaps, so the heads that are read first fix what is exported: it needs no long
transaction and no lock.
"""

import bisect
import csv
import datetime as dt
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet

from audit import chain, clock
from audit.models import Entry, Stream
from audit.record import FORMAT, INSTALLATION, names_with_continuations
from audit.rows import entries_at, entry_batches

NO_HASH = bytes(chain.HASH_BYTES)
COLUMNS = (
    "stream seq at gaming_day _type actor witness device command terms build data hash".split()  # noqa: SIM905
)
DATA_CELL = COLUMNS.index("data")
DATA, AFTER_DATA = b',"data":', b',"device":'
RULES, RULES_APPROVED = (
    "rules",
    "rules.approved",
)  # the stream and the entries that state approved terms (FORMAT.md)
FORMULA_STARTS = tuple("=+-@\t\r\n\0")


class UnknownStream(LookupError):
    """There is no stream with this name."""


class MissingEntry(LookupError):
    """An entry is missing: the record was tampered with. The arguments are its stream and number."""


class MixedPlay(ValueError):
    """An export would mix streams of real play and of training. Names one of each (or "" for `training`)."""

    def __init__(self, real: str, training: str) -> None:
        self.real, self.training = real, training
        super().__init__(real, training)


class SeveralFacilities(ValueError):
    """An evidence bundle would name streams of several facilities. The arguments are their codes, in order."""


@dataclass(frozen=True, slots=True)
class Span:
    """The entries of one stream to export, numbers `first` to `last`. Empty if `last` is `first - 1`."""

    stream_id: int
    name: str
    first: int
    last: int
    prior_head: bytes

    @property
    def entries(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class EveryStream:
    """What a selection without names has: every stream of real play, or of training, of a facility or ("") of all."""

    facility: str
    training: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """The content of an export: its streams in the order of their names, from `since` to before `until`.

    `every` is None if the streams were named. `facility` is the facility to which it was restricted, or "".
    """

    since: dt.datetime | None
    until: dt.datetime | None
    spans: tuple[Span, ...]
    every: EveryStream | None = None
    facility: str = ""

    @property
    def entries(self) -> int:
        return sum(span.entries for span in self.spans)


def select(
    names: Sequence[str] = (),
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    *,
    training: bool = False,
    facility: str = "",
) -> Selection:
    """Select the named streams, or every stream of real play, and a range of time.

    `training` selects the streams of training and simulation instead; no export holds both kinds. `facility` (a code)
    restricts the selection to that facility, and with real play includes `installation/system`. Raises UnknownStream,
    and MixedPlay if the names, or the names and `training`, select both kinds.
    """
    heads = {stream.name: stream for stream in _selected_streams(names, training, facility)}
    for name in names:
        if name not in heads:
            raise UnknownStream(name)
    _verify_one_sort(heads, training)
    every = None if names else EveryStream(facility, training)
    spans = tuple(_spans([heads[name] for name in sorted(heads)], since, until))
    return Selection(since, until, spans, every, facility)


def with_later_streams(selection: Selection) -> Selection:
    """Add the streams that began after every stream was selected, without entries. The same object if there are none.

    The seals list them, so a bundle of every stream has to have them.
    """
    if selection.every is None:
        return selection
    names = {span.name for span in selection.spans}
    streams = _selected_streams((), selection.every.training, selection.every.facility)
    later = [stream for stream in streams if stream.name not in names]
    if not later:
        return selection
    empty = (Span(stream.pk, stream.name, 1, 0, chain.genesis(stream.name)) for stream in later)
    spans = sorted((*selection.spans, *empty), key=lambda span: span.name)
    return replace(selection, spans=tuple(spans))


def every_statement(selection: Selection) -> dict[str, Any]:
    """The key `every` of the first line of a bundle's export (FORMAT.md); empty if its streams were named."""
    if selection.every is None:
        return {}
    every = selection.every
    other_play = [stream.name for stream in _selected_streams((), not every.training, every.facility)]
    return {"every": {"facility": every.facility or None, "other_play": sorted(other_play)}}


def only_facility(selection: Selection) -> str:
    """The code of the facility whose streams a bundle of this selection may name; "" if only the installation's.

    Raises SeveralFacilities: each facility has a log of its own, so that no bundle names another one.
    """
    if selection.facility:
        return selection.facility
    names = [span.name for span in selection.spans]
    if selection.every:
        names += every_statement(selection)["every"]["other_play"]
    facilities = sorted({name.partition("/")[0] for name in names} - {INSTALLATION.partition("/")[0]})
    if len(facilities) > 1:
        raise SeveralFacilities(*facilities)
    return facilities[0] if facilities else ""


def gaming_day_range(facility: str, first: dt.date, last: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """The start of a facility's first gaming day and the end of its last, in UTC."""
    return _day_start(facility, first), _day_start(facility, last + dt.timedelta(days=1))


def _day_start(facility: str, day: dt.date) -> dt.datetime:
    """The minute at which a gaming day begins, found by bisection: only the facility knows its time zone."""
    midnight = dt.datetime.combine(day, dt.time(), dt.UTC)
    earliest = midnight - dt.timedelta(days=1)
    minute = dt.timedelta(minutes=1)
    minutes = bisect.bisect_left(
        range(3 * 24 * 60), day, key=lambda number: clock.gaming_day(facility, earliest + number * minute)
    )
    return earliest + minutes * minute


def _selected_streams(names: Sequence[str], training: bool, facility: str) -> list[Stream]:
    streams: QuerySet[Stream] = Stream.objects.only("name", "seq", "head", "real_play")
    streams = streams.filter(name__in=names) if names else streams.filter(real_play=not training)
    if facility:
        streams = streams.filter(Q(name__startswith=f"{facility}/") | Q(name=INSTALLATION))
    # SQLite ignores case in startswith.
    return [
        stream
        for stream in streams
        if not facility or stream.facility == facility or stream.name == INSTALLATION
    ]


def _verify_one_sort(heads: Mapping[str, Stream], training: bool) -> None:
    real = [name for name in sorted(heads) if heads[name].real_play]
    not_real = [name for name in sorted(heads) if not heads[name].real_play]
    if real and (not_real or training):
        raise MixedPlay(real[0], not_real[0] if not_real else "")


def lines(selection: Selection, stated: Mapping[str, Any] | None = None) -> Iterator[bytes]:
    """Yield every line of the export with its newline: the first line, the entries by stream and number, the last.

    `stated` are more keys of the first line.
    """
    digest = hashlib.sha256()
    closing: list[dict[str, Any]] = []
    opening = _line(NO_HASH, {**_opening(selection), **_terms_statement(selection), **(stated or {})})
    digest.update(opening)
    yield opening
    for span in selection.spans:
        head = span.prior_head
        for _seq, prev, head, body in entries(span):
            line = format_line(head, prev, body)
            digest.update(line)
            yield line
        closing.append({"entries": span.entries, "head": head.hex(), "seq": span.last, "stream": span.name})
    yield _line(digest.digest(), _closing(selection, closing, digest.hexdigest()))


def csv_lines(selection: Selection) -> Iterator[bytes]:
    """Yield the reading copy: CSV (RFC 4180, UTF-8), a row for each entry, with its data in one cell as JSON.

    It contains no semicolon. A spreadsheet in a language that separates cells by semicolons ignores the quotes, so the
    text after a semicolon would become a cell, and could be a formula. JSON can escape it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for cells in entry_cells(selection):
        yield _take_text(text)
        cells[DATA_CELL] = cells[DATA_CELL].replace(";", r"\u003b")
        writer.writerow([escape_formula(cell) for cell in cells])
    yield _take_text(text)


def entry_cells(selection: Selection) -> Iterator[list[Any]]:
    """Yield each entry's cells for reading copies, in the order of COLUMNS; `data` is its canonical JSON."""
    for span in selection.spans:
        for _seq, _prev, digest, body in entries(span):
            fields, data = _split_body(body)
            fields["data"], fields["hash"] = data.decode(), digest.hex()
            yield [fields[column] for column in COLUMNS]


def _split_body(body: bytes) -> tuple[dict[str, Any], bytes]:
    """Split a body into its fields without the data, and the bytes of its data.

    Texts outside the data have no quotes.
    """
    begins = body.index(DATA) + len(DATA)
    ends = body.rindex(AFTER_DATA)
    return json.loads(body[:begins] + b"0" + body[ends:]), body[begins:ends]


def _take_text(text: io.StringIO) -> bytes:
    data = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return data


def escape_formula(value: Any) -> str:
    """Make a cell that no spreadsheet reads as a formula: put a quote before = + - @ and control characters.

    A semicolon becomes a comma; outside the data, no text of the record contains one.
    """
    text = "" if value is None else str(value).replace(";", ",")
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _spans(streams: Sequence[Stream], since: dt.datetime | None, until: dt.datetime | None) -> Iterator[Span]:
    firsts = _first_at(streams, since) if since else {stream.pk: 1 for stream in streams}
    nexts = _first_at(streams, until) if until else {stream.pk: stream.seq + 1 for stream in streams}
    prior_seqs = {pk: first - 1 for pk, first in firsts.items() if first > 1}
    heads = {pk: bytes(head) for pk, head in entries_at(prior_seqs, "stream_id, hash")}
    for stream in streams:
        first = firsts[stream.pk]
        if first > 1 and stream.pk not in heads:
            raise MissingEntry(stream.name, first - 1)
        prior = heads[stream.pk] if first > 1 else chain.genesis(stream.name)
        yield Span(stream.pk, stream.name, first, max(nexts[stream.pk], first) - 1, prior)


def _first_at(streams: Sequence[Stream], moment: dt.datetime) -> dict[int, int]:
    """The number of each stream's first entry at or after a moment, or one more than its last.

    Times never go back on a stream, so bisection works: about twenty statements for all streams together.
    """
    low = {stream.pk: 1 for stream in streams}
    high = {stream.pk: stream.seq + 1 for stream in streams}
    bound = connection.ops.adapt_datetimefield_value(moment)
    while middles := {pk: (low[pk] + high[pk]) // 2 for pk in low if low[pk] < high[pk]}:
        before = dict(entries_at(middles, "stream_id, at < %s", [bound]))
        for pk, middle in middles.items():
            if before.get(pk):
                low[pk] = middle + 1
            else:
                high[pk] = middle
    return low


def entries(span: Span) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Yield (seq, prev, hash, body) of a span. Reads in batches, so memory does not grow with the record."""
    for batch in entry_batches(span.stream_id, span.first, span.last, "seq, prev, hash, body"):
        yield from batch


def _opening(selection: Selection) -> dict[str, Any]:
    return {
        "_format": FORMAT,
        "_type": "export.opened",
        "at": clock.format_moment(clock.now()),
        "build": settings.BUILD,
        "from": clock.format_moment(selection.since) if selection.since else None,
        "streams": [
            {"head": span.prior_head.hex(), "seq": span.first - 1, "stream": span.name}
            for span in selection.spans
        ],
        "to": clock.format_moment(selection.until) if selection.until else None,
    }


def _terms_statement(selection: Selection) -> dict[str, Any]:
    """The key `terms` of the first line (FORMAT.md): terms that were approved before its end, and that no entry of
    the export states. Empty if there are none.

    An export of one day, or of training, has the rounds but not the approval of their terms, and could not be settled
    again without them. Nobody has to trust this list: an entry names its terms by their hash.
    """
    spans = {span.stream_id: span for span in selection.spans}
    facilities = {span.name.partition("/")[0] for span in selection.spans}
    names = [name for code in sorted(facilities) for name in names_with_continuations(f"{code}/{RULES}")]
    approvals = Entry.objects.filter(stream__name__in=names, type=RULES_APPROVED)
    if selection.until:
        approvals = approvals.filter(at__lt=selection.until)
    terms: dict[str, Any] = {}
    for stream_id, seq, body in approvals.values_list("stream_id", "seq", "body"):
        span = spans.get(stream_id)
        stated = json.loads(bytes(body))["data"].get("terms")
        if stated and not (span and span.first <= seq <= span.last):
            terms[hashlib.sha256(chain.canonical(stated)).hexdigest()] = stated
    return {"terms": [terms[digest] for digest in sorted(terms)]} if terms else {}


def _closing(selection: Selection, streams: list[dict[str, Any]], sha256: str) -> dict[str, Any]:
    return {
        "_format": FORMAT,
        "_type": "export.closed",
        "entries": selection.entries,
        "sha256": sha256,
        "streams": streams,
    }


def _line(prev: bytes, content: dict[str, Any]) -> bytes:
    body = chain.canonical(content)
    return format_line(chain.entry_hash(prev, body), prev, body)


def format_line(digest: bytes, prev: bytes, body: bytes) -> bytes:
    """Format one line of an export with its newline, byte for byte as in FORMAT.md (a JSON writer could differ)."""
    return b'{"hash":"%b","prev":"%b","body":%b}\n' % (digest.hex().encode(), prev.hex().encode(), body)
