#!/usr/bin/env python3
"""Check an export of the record, an evidence bundle, or the proof of one entry.

    python verify.py [--hashes-only] FILE          an export; `-` is standard input; it may be a pipe
    python verify.py [options] BUNDLE              a ZIP archive, or the folder that it was unpacked into
    python verify.py [options] PROOF               the proof of one entry

    --vkey KEY             a key of the log from another source: one of these must have signed the checkpoint. A key
                           whose name ends in a slash and a number is that of the log of this name, and of no other
    --witness-vkey KEY     a key of a witness: it must have cosigned the checkpoint
    --checkpoint FILE      a checkpoint that you saved: one of the two logs must extend the other
    --proof FILE           a consistency proof for that, if the bundle does not go back far enough
    --require-signature    fail if the signatures cannot be checked

This is one file of standard-library Python (3.9 or newer) that needs no other code of ours. Checking signatures needs
`cryptography`; without it, everything else is checked. FORMAT.md describes the input. Exit status 0: every check below
passed. Exit status 1: a check failed, and the output names the first failure:

    $ python verify.py larkfield.zip
    good: 1624 entries on 15 streams, the beginning to the newest
    larkfield/T-04  173 entries to seq 173  head 3da6ac758c076f8c518e5f837787a40add4fc646e475d2279291846dd00f9124
    …
    settled again by their terms: 154 rounds, 0 slips; 12 counts of trays agree with their sums
    it states that it has every stream of larkfield and of the installation
    sealed in larkfield.example/record/1, incarnation 1: seals 0 to 2 of 3  root 76a1ffab0466…
    signed by larkfield.example/record/1+97ae9817, a key from the bundle itself: this trusts the bundle

    $ python verify.py altered.zip
    bad: record.jsonl: line 812: larkfield/T-04 seq 96: it settles seat 3's total:8: 500 cents win 4500 at 9 to 1; its
    terms give 500 cents win 4000 at 8 to 1

How a bundle is checked, in the order of this file; `verify_bundle` calls it all. An export alone takes steps 3 and 7
to 9 (`verify`), the proof of one entry 3, 4 and 6 (`verify_proof`).

1. Findings, and canonical JSON. A failed check raises `Bad`, which says what is wrong and where. A value can be written
   in one way only: it is read, written again, and compared.
2. The files (`Bundle`): those of a bundle and no others, each once, none much longer than it is packed, no link, and no
   other byte.
3. The lines (`ChainReader`), in one pass. Every line is exactly {"hash":"…","prev":"…","body":{…}} and a newline, where
   hash = SHA-256("pitside/entry/v1\\n" + previous hash + body). An entry's prev is the hash of the entry before it on
   its stream, or the prior head in the first line. The last line has the counts, the heads, and the SHA-256 of every
   byte before it, and nothing follows. An export with `--hashes-only` is good now.
4. The seals (`SealSegment`). Their tree has the root of the checkpoint. Every head that they list is the hash of its
   entry, which is not dated after the seal, and no sealed stream is missing where the bundle has every stream.
5. The ends (`BeyondReader`): no sealed entry is cut off at either end of the range.
6. The signatures (`Key`, `Note`): the checkpoint is signed by a key of this log, cosigned by the witnesses that you ask
   for, and consistent with each checkpoint that you saved (`verify_saved`).
7. Each entry (`ContentsReader`), in a second pass: its body is canonical JSON of its format with the right stream and
   number, times never go back and lie in the range, and the money of every settlement adds up.
8. Each round (`TableReader`) is settled again by its terms, from its wagers and dice: each wager's outcome, odds and
   payment, the sums of later entries, slips, and the counts of trays. Lines say how many rounds were settled, and how
   many could not be and why: "good" says nothing about those.
9. The terms (`RoundTerms`): every round was dealt under terms that the facility's stream of rules had approved for the
   submission of that table. A line says how many the export cannot show, because it begins too late or lacks a stream.
10. The manifest (`verify_manifest`) is what the other files give.

Several processes share the contents of a long file. What does not fit into a little memory (the sealed heads of a long
range, an export from a pipe) goes into a temporary file.

An export alone cannot show that it was not rewritten completely, hashes included. The seals show that.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import gc
import hashlib
import io
import itertools
import json
import os
import re
import struct
import sys
import threading
from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import IO, Any, BinaryIO, NamedTuple

sha256 = hashlib.sha256


# ---------------------------------------------------------------------------------------------------------------------
# Findings

MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)  # of a value of another shape


class Bad(Exception):
    """A failed check: the reason, and the bundle's file, line, stream and number where it failed."""

    def __init__(
        self,
        reason: str,
        line: int = 0,
        stream: str | None = None,
        seq: int | None = None,
        file: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.line, self.stream, self.seq, self.file = reason, line, stream, seq, file

    def at(
        self, line: int = 0, stream: str | None = None, seq: int | None = None, file: str | None = None
    ) -> Bad:
        """The same failure, with what it did not know yet of its place."""
        if self.stream is not None:
            stream, seq = self.stream, self.seq
        return Bad(self.reason, self.line or line, stream, seq, self.file or file)

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        where += ["line %d" % self.line] if self.line else []
        if self.stream is not None:
            where.append("%s seq %s" % (printable(self.stream), self.seq))
        return ": ".join([*where, self.reason])


@contextlib.contextmanager
def placed(
    line: int = 0, stream: str | None = None, seq: int | None = None, file: str | None = None
) -> Iterator[None]:
    """Name this place in a failure inside the block, as far as that does not know it yet."""
    try:
        yield
    except Bad as bad:
        raise bad.at(line, stream, seq, file) from None


def printable(text: object) -> str:
    return (
        str(text)[:200].encode("ascii", "backslashreplace").decode()
        if str(text).isprintable()
        else ascii(text)[:200]
    )


# ---------------------------------------------------------------------------------------------------------------------
# Canonical JSON


def _no_float(text: str) -> float:
    raise ValueError("a number that is not an integer")


@lru_cache(maxsize=100_000)
def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) >= 1 << 53:
        raise ValueError("a number of 2^53 or more")
    return int(text)


# The scanner and encoder inside json.loads and json.dumps, made once: they take half of the running time.
scan = json.JSONDecoder(  # type: ignore[attr-defined]
    parse_int=_integer, parse_float=_no_float, parse_constant=_no_float
).scan_once
_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
# Nearly all that is not ASCII in a record. It cannot be part of a key.
COMMON_CITATION = '"cite":"58 Pa. Code §'


def encode(value: Any) -> str:
    """Encode as canonical JSON: RFC 8785, for ASCII keys and integers."""
    return "".join(_chunks(value, 0))


if json.encoder.c_make_encoder is None:  # type: ignore[attr-defined]
    encode = _encoder.encode  # type: ignore[assignment]
else:
    _chunks = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
        None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
    )


def read_value(text: str, start: int) -> tuple[Any, int]:
    """Read the canonical value at a position of a text. Returns it and its end. Raises Bad if it is not canonical."""
    try:
        value, end = scan(text, start)
        if "\\u0000" in text or not (text.isascii() or text.replace(COMMON_CITATION, "").isascii()):
            verify_texts(value)
        if encode(value) == text[start:end]:
            return value, end
    except (ValueError, RecursionError, StopIteration):
        raise Bad("it is not valid JSON for a record") from None
    raise Bad("its JSON is not in canonical form")


def verify_texts(value: Any) -> None:
    """Raise ValueError for a NUL in a text, or a key that is not ASCII, anywhere in a value."""
    if isinstance(value, dict):
        verify_texts([*value.keys(), *value.values()])
        if not "".join(value).isascii():
            raise ValueError("a key that is not ASCII")
    elif isinstance(value, list):
        for item in value:
            verify_texts(item)
    elif isinstance(value, str) and "\0" in value:
        raise ValueError("a NUL")


def parse(body: bytes, number: int) -> Any:
    """Parse a body, which must be one canonical JSON object."""
    with placed(number):
        text = decode(body)
        content, end = read_value(text, 0)
    if end != len(text):
        raise Bad("there is text after its JSON", number)
    return content


def decode(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except ValueError:
        raise Bad("it is not UTF-8") from None


# ---------------------------------------------------------------------------------------------------------------------
# The lines of an export

TAG = b"pitside/entry/v1\n"
HASH_AT, PREV_AT, BODY_AT = 9, 83, 156  # {"hash":" 64 hex ","prev":" 64 hex ","body": body }
OPENING, BETWEEN, BEFORE_BODY = b'{"hash":"', b'","prev":"', b'","body":'
CLOSING = ord("}")
NO_HASH = b"0" * 64
HEX = re.compile(r"[0-9a-f]{64}\Z")
BLOCK_BYTES = 1 << 18  # fits into a processor's cache: longer blocks take a third more time
DIGEST_BYTES = 1 << 20
LONGEST_LINE_BYTES = 1 << 26
Progress = Callable[[int, int], None]  # bytes and entries read


def blocks(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks of complete lines, each with False; then the last line, with True."""
    pending = b""
    while True:
        block = file.read(BLOCK_BYTES)
        block += file.readline(LONGEST_LINE_BYTES)
        if len(block) >= LONGEST_LINE_BYTES and not block.endswith(b"\n"):
            raise Bad("a line is longer than %d bytes" % LONGEST_LINE_BYTES)
        if not block:
            end = pending.rfind(b"\n", 0, -1) + 1
            yield pending[:end], False
            yield pending[end:], True
            return
        if pending:
            yield pending, False
        pending = block


def read_line(line: bytes, number: int) -> tuple[bytes, bytes, bytes]:
    """Check the form and hash of a line without its newline. Returns its body, its prev in hex, and its hash."""
    if not (
        line[:HASH_AT] == OPENING
        and line[HASH_AT + 64 : PREV_AT] == BETWEEN
        and line[PREV_AT + 64 : BODY_AT] == BEFORE_BODY
        and line[BODY_AT : BODY_AT + 1] == b"{"
        and line[-2:] == b"}}"
        and is_hex(line[HASH_AT : HASH_AT + 64])
        and is_hex(line[PREV_AT : PREV_AT + 64])
    ):
        raise Bad("this is not a line of an export", number)
    prev, body = line[PREV_AT : PREV_AT + 64], line[BODY_AT:-1]
    digest = sha256(TAG + bytes.fromhex(prev.decode()) + body).digest()
    if hexlify(digest) != line[HASH_AT : HASH_AT + 64]:
        raise Bad("its hash does not match its bytes", number, *claimed_position(body))
    return body, prev, digest


def is_hex(text: bytes) -> bool:
    return HEX.match(text.decode("latin-1")) is not None


def is_head(item: Any, least: int) -> bool:
    """Whether it names a stream, a number of at least so much, and a hash in hex."""
    return (
        isinstance(item, dict)
        and isinstance(item.get("stream"), str)
        and type(item.get("seq")) is int
        and item["seq"] >= least
        and isinstance(item.get("head"), str)
        and HEX.match(item["head"]) is not None
    )


def claimed_position(body: bytes) -> tuple[Any, Any]:
    """The stream and number that a body claims, for a message; (None, None) if it cannot be read."""
    try:
        content = json.loads(body)
        return content["stream"], int(content["seq"])
    except Exception:
        return None, None


def claimed_time(body: bytes) -> str:
    """The time in a body whose contents are not checked here."""
    return body.partition(b',"at":"')[2][:27].decode("latin-1")


def genesis(name: str) -> bytes:
    return sha256(b"pitside/stream/v1\n" + name.encode("utf-8", "surrogatepass")).digest()


# The first line and the last


class Stream:
    """One stream while its chain is read: its number and head before the range, and those of the last entry read.

    `first_line` is the line of its first entry, 0 without one; `at` the time of the last.
    """

    __slots__ = ("at", "entries", "first_line", "head", "name", "prior_head", "prior_seq", "sealed")

    def __init__(self, name: str, prior_seq: int, prior_head: bytes) -> None:
        self.name, self.prior_seq, self.prior_head, self.head = name, prior_seq, prior_head, prior_head
        self.entries, self.first_line, self.at = 0, 0, ""
        self.sealed: SealedHeads | None = None

    @property
    def seq(self) -> int:
        return self.prior_seq + self.entries


class Export(NamedTuple):
    """What the first line states: the range, and the streams, which then follow the entries that are read."""

    since: str
    until: str
    streams: list[Stream]


def read_opening(line: bytes, number: int = 1) -> Export:
    """Read the range and the streams from the first line."""
    body, prev, _digest = read_line(line, number)
    content = parse(body, number)
    format_ = content.get("_format")
    if prev != NO_HASH or content.get("_type") != "export.opened" or type(format_) is not int or format_ != 1:
        raise Bad("the first line is not export.opened of format 1 with a prev of zeros", number)
    if not is_moment(content.get("at")) or not isinstance(content.get("build"), str):
        raise Bad("the time or the build is missing", number)
    if not isinstance(content.get("streams"), list):
        raise Bad("it does not list its streams", number)
    streams = [_read_stream(item, number) for item in content["streams"]]
    names = [stream.name for stream in streams]
    if names != sorted(set(names)):
        raise Bad("its streams are not in order, or one is repeated", number)
    for edge in ("from", "to"):
        if edge not in content or (content[edge] is not None and not is_moment(content[edge])):
            raise Bad("its range is malformed", number)
    if content["from"] is None and any(stream.prior_seq for stream in streams):
        raise Bad("a stream starts late although the range has no start", number)
    return Export(content["from"] or "", content["to"] or "~", streams)


def _read_stream(item: Any, number: int) -> Stream:
    if not is_head(item, 0):
        raise Bad("a stream has no name, seq or head", number)
    stream = Stream(item["stream"], item["seq"], bytes.fromhex(item["head"]))
    if stream.prior_seq == 0 and stream.head != genesis(stream.name):
        raise Bad("a stream without prior entries does not start at its genesis", number, stream.name, 0)
    return stream


def verify_closed(line: bytes, number: int, streams: list[Stream], everything: str) -> None:
    """Check the last line against what was read: counts, heads and the SHA-256 of every byte before it."""
    if not line.endswith(b"\n"):
        raise Bad("the end is cut off: the last line is incomplete", number)
    body, prev, _digest = read_line(line[:-1], number)
    content = parse(body, number)
    if content.get("_type") != "export.closed":
        raise Bad("the end is missing: the last line is not export.closed", number)
    expected = {
        "_format": 1,
        "_type": "export.closed",
        "entries": sum(stream.entries for stream in streams),
        "sha256": everything,
        "streams": [
            {"entries": stream.entries, "head": stream.head.hex(), "seq": stream.seq, "stream": stream.name}
            for stream in streams
        ],
    }
    for key, value in expected.items():
        if content.get(key) != value:
            raise Bad("the last line does not match the lines before it: %s" % key, number)
    if encode(expected) != body.decode() or prev != everything.encode():
        raise Bad("the last line has extra content, or its prev is not the SHA-256", number)


# The chain


class Digest:
    """The SHA-256 of every byte. A thread computes it beside the checks, because hashing releases Python's lock."""

    def __init__(self) -> None:
        self.sha256, self.size, self.pending = sha256(), 0, 0
        self.blocks: list[bytes] = []
        self.thread: threading.Thread | None = None

    def update(self, block: bytes) -> None:
        self.size += len(block)
        self.blocks.append(block)
        self.pending += len(block)
        if self.pending >= DIGEST_BYTES:
            self.join()
            self.thread = threading.Thread(target=self.hash, args=(self.blocks,))
            self.blocks, self.pending = [], 0
            self.thread.start()

    def hash(self, blocks: list[bytes]) -> None:
        for block in blocks:
            self.sha256.update(block)

    def join(self) -> None:
        if self.thread:
            self.thread.join()

    def hexdigest(self) -> str:
        self.join()
        self.hash(self.blocks)
        self.blocks, self.pending = [], 0
        return self.sha256.hexdigest()


class ChainReader:
    """Checks every line of an export: its form, its hash, and the entry that it follows, stream by stream in order.

    `export` is what the first line states, None before it was read. `sealed_heads` are those of each stream by name.
    """

    def __init__(self, sealed_heads: Mapping[str, SealedHeads], digest: Digest) -> None:
        self.sealed_heads, self.digest = sealed_heads, digest
        self.export: Export | None = None
        self.streams: list[Stream] = []
        self.stream = Stream("", 0, b"")  # before the first entry: one that no entry follows
        self.place = -1  # of the stream, in the order of the first line
        self.number = 1  # the line read last
        self.stop = 0  # the line of the next sealed head, or 0

    def read(self, block: bytes, is_last: bool) -> None:
        """Check a block of complete lines, the first of which is the export's first line; the last is its last line."""
        if self.export is None:
            first, newline, lines = block.partition(b"\n")
            if not newline:
                raise Bad("this is not an export of at least two lines", 1)
            self.export = read_opening(first)
            self.streams = self.export.streams
            for stream in self.streams if self.sealed_heads else ():
                stream.sealed = self.sealed_heads[stream.name]
                stream.sealed.begin(stream)
        elif is_last:
            verify_closed(block, self.number + 1, self.streams, self.digest.hexdigest())
            lines = b""
        else:
            lines = block
        self.digest.update(block)
        self.read_lines(lines)

    def read_lines(self, block: bytes) -> None:
        """Check the form, hash and chain of each line. The loop calls little, and copies each byte once."""
        stream, number, stop, find, starts = self.stream, self.number, self.stop, block.find, block.startswith
        head, head_hex = stream.head, hexlify(stream.head)
        begin, end, turned = 0, find(b"\n"), number
        while end >= 0:
            digest = sha256(b"pitside/entry/v1\n" + head + block[begin + 156 : end - 1]).digest()
            digest_hex = hexlify(digest)
            start = b"".join((b'{"hash":"', digest_hex, b'","prev":"', head_hex, b'","body":{'))
            if not starts(start, begin) or block[end - 1] != CLOSING:
                self.end_run(stream, head, number - turned, line_before(block, begin))
                stream, digest = self.next_stream(block[begin:end], number + 1)
                digest_hex = hexlify(digest)
                turned, stop = number, self.stop
            number += 1
            head, head_hex = digest, digest_hex
            if number == stop:
                stop = self.check_sealed_head(stream, digest, block[begin:end], number)
            begin, end = end + 1, find(b"\n", end + 1)
        self.end_run(stream, head, number - turned, line_before(block, len(block)))
        self.stream, self.number, self.stop = stream, number, stop

    @staticmethod
    def end_run(stream: Stream, head: bytes, further: int, line: bytes) -> None:
        """Save the position of a stream after some of its entries in a block. `line` is the last of them, if any."""
        if further:
            stream.head, stream.entries, stream.at = head, stream.entries + further, claimed_time(line)

    def next_stream(self, line: bytes, number: int) -> tuple[Stream, bytes]:
        """Start the stream that begins with this line, and check all of the line. Raises Bad if no stream does."""
        if not self.streams:
            raise Bad("an entry of a stream that the first line does not list", number)
        body, prev, digest = read_line(line, number)
        if b'"_type":"export.closed"' in body[:40]:
            raise Bad("there is text after the last line", number + 1)
        prior_head = bytes.fromhex(prev.decode())
        for place in range(self.place + 1, len(self.streams)):
            stream = self.streams[place]
            if stream.prior_head == prior_head:
                self.place, stream.first_line = place, number
                self.stop = self.next_stop(stream)
                return stream, digest
        raise Bad(
            "it does not follow the entry before it (missing, repeated or moved)",
            number,
            *claimed_position(body),
        )

    @staticmethod
    def next_stop(stream: Stream) -> int:
        """The line of the stream's next sealed head; 0 if there is none."""
        sealed = stream.sealed
        if sealed is None or not sealed.seq:
            return 0
        return stream.first_line - 1 + sealed.seq - stream.prior_seq

    def check_sealed_head(self, stream: Stream, digest: bytes, line: bytes, number: int) -> int:
        """Check an entry against the seal that lists it. Returns the line of the next sealed head."""
        sealed = stream.sealed
        assert sealed is not None
        try:
            sealed.reach(digest, claimed_time(line))
        except Bad as bad:
            stream.entries = number - stream.first_line  # those before it
            raise bad.at(number, stream.name, sealed.seq) from None
        return self.next_stop(stream)


def line_before(block: bytes, end: int) -> bytes:
    """The line that ends before a position of a block, without its newline. Empty if there is none."""
    return block[block.rfind(b"\n", 0, max(end - 1, 0)) + 1 : max(end - 1, 0)]


# ---------------------------------------------------------------------------------------------------------------------
# The files of a bundle

RECORD, BEYOND, SEALS, CHECKPOINT = "record.jsonl", "beyond.jsonl", "seals.jsonl", "checkpoint.txt"
KEYS, MANIFEST = "keys.txt", "manifest.json"
SCHEMAS = "schemas.json"  # optional: older bundles have none
DOCUMENTS = ("FORMAT.md", "README.txt", "verify.py", "witness.py")
REQUIRED = {RECORD, BEYOND, KEYS, MANIFEST, *DOCUMENTS}
SHORT_FILE_BYTES = 1 << 24
END_RECORD_BYTES = 22  # of an archive without a comment
# A file of an archive is at most so many times as long as it is packed: each of its lines has two hashes.
PACKED_MOST, SMALL_FILE_BYTES = 100, 1 << 20


def archive_errors() -> tuple[type[Exception], ...]:
    """The exceptions of a damaged archive. Imported here because only archives need these modules."""
    import zipfile
    import zlib

    return (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        EOFError,
        struct.error,
        OverflowError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    )


class Bundle:
    """The files of an evidence bundle: an archive, or a folder that it was unpacked into."""

    def __init__(self, path: str) -> None:
        import zipfile

        self.path = path
        self.unexpected: list[str] = []
        self.digests: dict[str, tuple[str, int]] = {}  # SHA-256 and size
        self.zip = None if os.path.isdir(path) else zipfile.ZipFile(path)
        infos = self.zip.infolist() if self.zip else []
        names = [info.filename for info in infos] if self.zip else sorted(os.listdir(path))
        if len(names) != len(set(names)):
            raise Bad("the archive has a file twice")
        for info in infos:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 0x41:
                raise Bad("its compression is not allowed in a bundle", file=printable(info.filename))
            if info.file_size > PACKED_MOST * info.compress_size + SMALL_FILE_BYTES:
                raise Bad("it is packed more tightly than a record can be", file=printable(info.filename))
        if self.zip:
            verify_edges(path, [info.header_offset for info in infos])
        self.names = set(names)
        self.verify_names()

    def verify_names(self) -> None:
        """Check that every file of a bundle is there.

        Other files are listed in a folder, and refused in an archive.
        """
        expected = REQUIRED | {SEALS, CHECKPOINT, SCHEMAS}
        for name in sorted(REQUIRED - self.names):
            raise Bad("it is missing from the bundle", file=name)
        for name in {SEALS, CHECKPOINT} - self.names if self.names & {SEALS, CHECKPOINT} else ():
            raise Bad("it is missing from the bundle", file=name)
        self.unexpected = sorted(self.names - expected)
        if self.zip and self.unexpected:
            raise Bad("it does not belong in a bundle", file=printable(self.unexpected[0]))
        for name in () if self.zip else sorted(self.names & expected):
            place = os.path.join(self.path, name)
            if os.path.islink(place) or not os.path.isfile(place):  # a link may change, and a pipe never ends
                raise Bad("it is not a regular file", file=name)

    @property
    def is_sealed(self) -> bool:
        return SEALS in self.names

    def open(self, name: str) -> BinaryIO:
        if self.zip:
            return io.BufferedReader(self.zip.open(name), BLOCK_BYTES)  # type: ignore[type-var]
        return open(os.path.join(self.path, name), "rb")

    def size(self, name: str) -> int:
        return (
            self.zip.getinfo(name).file_size if self.zip else os.path.getsize(os.path.join(self.path, name))
        )

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Yield (number from 1, line without its newline) of a file, and save its digest."""
        digest, size, number = sha256(), 0, 0
        with self.open(name) as file:
            while True:
                line = file.readline(LONGEST_LINE_BYTES)
                if not line:
                    break
                number, size = number + 1, size + len(line)
                if not line.endswith(b"\n"):
                    raise Bad("a line does not end in a newline", number, file=name)
                digest.update(line)
                yield number, line[:-1]
        self.digests[name] = (digest.hexdigest(), size)

    def short(self, name: str) -> bytes:
        """Read a short file, and save its digest."""
        with self.open(name) as file:
            data = file.read(SHORT_FILE_BYTES + 1)
        if len(data) > SHORT_FILE_BYTES:
            raise Bad("it is too long", file=name)
        self.digests[name] = (sha256(data).hexdigest(), len(data))
        return data

    def text(self, name: str) -> str:
        try:
            return self.short(name).decode()
        except UnicodeError:
            raise Bad("it is not UTF-8", file=name) from None


def verify_edges(path: str, places: Sequence[int]) -> None:
    """Check that an archive begins with its first file and ends with its end record: no other bytes, no comment."""
    with open(path, "rb") as file:
        file.seek(-END_RECORD_BYTES, os.SEEK_END)
        end = file.read()
    if min(places, default=0) or not end.startswith(b"PK\x05\x06") or not end.endswith(b"\0\0"):
        raise Bad("the archive has bytes before its first file or after its end, or a comment")


def is_bundle(path: str) -> bool:
    if os.path.isdir(path):
        return True
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def open_record(path: str) -> BinaryIO:
    return Bundle(path).open(RECORD) if is_bundle(path) else open(path, "rb")


def record_size(path: str) -> int:
    return Bundle(path).size(RECORD) if is_bundle(path) else os.path.isfile(path) and os.path.getsize(path)


# ---------------------------------------------------------------------------------------------------------------------
# Seals: the tree of the log, and the heads that it lists

INSTALLATION = "installation/system"  # the stream of what belongs to no facility
HEAD_RECORD = struct.Struct(">Q32s27s")
HEADS_BYTES = HEAD_RECORD.size * 400  # of one stream, before they go to the temporary file
SEAL_KEYS = ["_format", "_type", "at", "full", "heads", "incarnation", "number"]
SEGMENT_KEYS = ["_format", "_type", "after", "before", "first", "incarnation", "last", "origin", "size"]
OTHERS_LISTED = 10


class Tree:
    """Computes the root in one pass over complete subtrees from the log's beginning, and the roots at given sizes."""

    def __init__(self, sizes: Iterable[int] = ()) -> None:
        self.size, self.sizes = 0, set(sizes)
        self.stack: list[tuple[int, bytes]] = []
        self.roots: dict[int, bytes] = {}
        self.note()

    def push(self, height: int, digest: bytes) -> None:
        self.size += 1 << height
        while self.stack and self.stack[-1][0] == height:
            digest, height = node_hash(self.stack.pop()[1], digest), height + 1
        self.stack.append((height, digest))
        if self.size in self.sizes:
            self.note()

    def note(self) -> None:
        self.roots[self.size] = self.root()

    def root(self) -> bytes:
        if not self.stack:
            return sha256(b"").digest()
        digest = self.stack[-1][1]
        for _height, sibling in reversed(self.stack[:-1]):
            digest = node_hash(sibling, digest)
        return digest


def node_hash(left_hash: bytes, right_hash: bytes) -> bytes:
    return sha256(b"\x01" + left_hash + right_hash).digest()


def heights(begin: int, end: int) -> Iterator[int]:
    """Yield the heights of the complete subtrees that make up a segment of leaves, in order."""
    while begin < end:
        height = (end - begin).bit_length() - 1
        if begin:
            height = min(height, (begin & -begin).bit_length() - 1)
        yield height
        begin += 1 << height


class SealedHeads:
    """The heads of one stream of the export that seals list. They are collected first, then compared with the entries.

    `greatest` is the greatest listed number, or -1. `closing` is the number that a full seal at or after the end of
    the range lists, or -1. During the comparison, `seq` and `head` are the next listed ones, or 0, and `latest` is the
    latest time that this entry may have.
    """

    def __init__(self, name: str, prior_seq: int, spool: Spool) -> None:
        self.name, self.prior_seq, self.spool = name, prior_seq, spool
        self.greatest, self.greatest_head, self.closing, self.absent = -1, b"", -1, False
        self.pending = bytearray()
        self.blocks: list[tuple[int, int]] = []  # in the spool
        self.listed: Iterator[tuple[int, bytes, bytes]] = iter(())
        self.seq, self.head, self.latest = 0, b"", b""
        self.late = 0  # the first number that is dated after its seal, or 0

    def gather(self, seq: int, head: bytes, closes: bool, latest: bytes) -> None:
        if seq < self.greatest or (seq == self.greatest and head != self.greatest_head):
            raise Bad("%s goes back, or has two heads at one number" % printable(self.name))
        if seq > self.greatest and seq >= self.prior_seq:
            self.pending += HEAD_RECORD.pack(seq, head, latest)
        self.greatest, self.greatest_head = seq, head
        if closes:
            self.closing = seq
        if len(self.pending) > HEADS_BYTES:
            self.blocks.append(self.spool.put(self.pending))
            self.pending = bytearray()

    def begin(self, stream: Stream) -> None:
        """Start the comparison. If the stream's prior head is listed, check it."""
        self.listed = self.walk()
        self.next()
        if self.seq and self.seq == stream.prior_seq:
            self.reach(stream.prior_head, "", stream)

    def walk(self) -> Iterator[tuple[int, bytes, bytes]]:
        for block in self.blocks:
            yield from HEAD_RECORD.iter_unpack(self.spool.get(block))
        yield from HEAD_RECORD.iter_unpack(bytes(self.pending))

    def next(self) -> None:
        self.seq, self.head, self.latest = next(self.listed, (0, b"", b""))

    def reach(self, digest: bytes, moment: str, stream: Stream | None = None) -> None:
        """Check the hash and the time of the entry that is listed next."""
        if digest != self.head:
            name, seq = (stream.name, self.seq) if stream else (None, None)
            raise Bad("its hash is not the sealed head", 0, name, seq)
        if moment > self.latest.decode() and not self.late:
            self.late = self.seq
        self.next()


class Spool:
    """A temporary file for what does not fit into a little memory."""

    def __init__(self) -> None:
        self.made: list[IO[bytes]] = []
        self.end = 0

    @property
    def file(self) -> IO[bytes]:
        import tempfile

        if not self.made:
            self.made.append(tempfile.TemporaryFile())  # noqa: SIM115
        return self.made[0]

    def put(self, data: bytes | bytearray) -> tuple[int, int]:
        self.file.seek(self.end)
        self.file.write(data)
        place, self.end = (self.end, len(data)), self.end + len(data)
        return place

    def get(self, place: tuple[int, int]) -> bytes:
        self.file.seek(place[0])
        return self.file.read(place[1])


class SealSegment:
    """The seals of a bundle: their tree, and the sealed heads of the export's streams by name."""

    def __init__(self, streams: Iterable[Stream], until: str, sizes: Iterable[int]) -> None:
        spool = Spool()
        self.sealed_heads = {
            stream.name: SealedHeads(stream.name, stream.prior_seq, spool) for stream in streams
        }
        self.others: dict[str, UnexportedStream] = {}
        self.until, self.tree = until, Tree(sizes)
        self.first = self.last = self.size = self.incarnation = 0
        self.origin, self.at, self.number = "", "", 0
        self.begun_at = ""  # the time of the first of these seals
        self.known = 0  # the number of streams that the seals so far list

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Check seals.jsonl. Raises Bad with its line."""
        number = 0
        try:
            after = []
            for number, line in lines:
                if number == 1:
                    after = self.open(parse(line, 0))
                else:
                    self.seal(line)
            if number == 0 or self.number != self.last:
                raise Bad("seals are missing at the end")
            for height, digest in zip(heights(self.last, self.size), after):  # noqa: B905 (Python 3.9)
                self.tree.push(height, digest)
        except Bad as bad:
            raise bad.at(number, file=SEALS) from None

    def open(self, header: Any) -> list[bytes]:
        good = isinstance(header, dict) and list(header) == SEGMENT_KEYS
        if (
            not good
            or header["_format"] != 1
            or header["_type"] != "seals"
            or type(header["_format"]) is not int
        ):
            raise Bad("this is not a list of seals")
        places = [header[key] for key in ("first", "last", "size", "incarnation")]
        if not all(type(place) is int for place in places) or not isinstance(header["origin"], str):
            raise Bad("its position in the log is missing")
        self.first, self.last, self.size, self.incarnation = places
        if not 0 <= self.first < self.last <= self.size:
            raise Bad("its positions are not in order")
        self.origin, self.number = header["origin"], self.first
        before, after = (self.subtrees(header[key]) for key in ("before", "after"))
        sides = [list(heights(0, self.first)), list(heights(self.last, self.size))]
        if [len(before), len(after)] != [len(side) for side in sides]:
            raise Bad("the hashes of the subtrees around it are missing")
        for height, digest in zip(sides[0], before):  # noqa: B905
            self.tree.push(height, digest)
        return after

    @staticmethod
    def subtrees(hashes: Any) -> list[bytes]:
        if not isinstance(hashes, list) or not all(
            isinstance(digest, str) and HEX.match(digest) for digest in hashes
        ):
            raise Bad("its hashes are malformed")
        return [bytes.fromhex(digest) for digest in hashes]

    def seal(self, body: bytes) -> None:
        content = parse(body, 0)
        if not isinstance(content, dict) or list(content) != SEAL_KEYS or content["_type"] != "seal":
            raise Bad("this is not a seal")
        position = (content["_format"], content["incarnation"], content["number"])
        if position != (1, self.incarnation, self.number) or any(
            type(value) is not int for value in position
        ):
            raise Bad("it is not the seal with this number")
        if self.number >= self.last:
            raise Bad("it comes after the last seal")
        if not is_moment(content["at"]) or content["at"] < self.at:
            raise Bad("its time is malformed, or before that of the seal before it")
        if type(content["full"]) is not bool or (self.number == 0 and not content["full"]):
            raise Bad("its full flag is wrong")
        self.at = content["at"]
        self.begun_at = self.begun_at or self.at
        self.heads(content["heads"], content["full"])
        self.number += 1
        self.tree.push(0, sha256(b"\x00" + body).digest())

    def heads(self, listed: Any, full: bool) -> None:
        if not isinstance(listed, list):
            raise Bad("it does not list heads")
        closes = full and self.until != "~" and self.at >= self.until
        before, edge = None, full and self.number == self.first
        latest = a_minute_after(self.at).encode()
        if self.number == self.first and self.first and not full:
            raise Bad("the seals start neither at the log's beginning nor with a full seal")
        for head in listed:
            name = self.head(head, before, closes, latest)
            sealed = self.sealed_heads.get(name)
            if self.first and edge and sealed and head["seq"] > sealed.prior_seq:
                raise Bad("the seals start too late for %s" % printable(name))
            before = name
        if full and len(listed) != self.known:
            raise Bad("it is full but leaves out a stream that was listed before")
        if closes:
            listed_names = {head["stream"] for head in listed}
            for name, sealed in self.sealed_heads.items():
                sealed.absent = sealed.absent or name not in listed_names

    def head(self, item: Any, before: str | None, closes: bool, latest: bytes) -> str:
        good = is_head(item, 1) and list(item) == ["head", "seq", "stream"]
        if not good or (before is not None and item["stream"] <= before):
            raise Bad("its heads are malformed, or not in the order of their names")
        name: str = item["stream"]
        seq, head = item["seq"], bytes.fromhex(item["head"])
        sealed = self.sealed_heads.get(name) or self.others.get(name)
        if sealed is None:
            sealed = self.others[name] = UnexportedStream(name)
        self.known += sealed.greatest < 0
        sealed.gather(seq, head, closes, latest)
        return name


def a_minute_after(moment: str) -> str:
    """The latest time of what a moment covers, such as of an entry that a seal of this time lists.

    The minute is for a clock that was set back in between.
    """
    try:
        latest = datetime.datetime.fromisoformat(moment[:-1]) + datetime.timedelta(seconds=60)
    except OverflowError:
        return "9999-12-31T23:59:59.999999Z"
    return latest.isoformat(timespec="microseconds") + "Z"


class UnexportedStream(SealedHeads):
    """A stream that is not in the export. All that can be checked is that its numbers never go back."""

    def __init__(self, name: str) -> None:
        self.name, self.greatest, self.greatest_head, self.closing = name, -1, b"", -1
        self.prior_seq, self.pending = 1 << 64, bytearray()


class EveryStream:
    """The statement that a bundle has every stream of its kind of play, of one facility or (None) of all.

    `other_play` are the streams of the other kind.
    """

    def __init__(self, statement: Any, names: set[str]) -> None:
        good = isinstance(statement, dict) and list(statement) == ["facility", "other_play"]
        other_play = statement["other_play"] if good else None
        if (
            not isinstance(other_play, list)
            or not all(isinstance(name, str) for name in other_play)
            or other_play != sorted(set(other_play) - names)
            or not (statement["facility"] is None or isinstance(statement["facility"], str))
        ):
            raise Bad("its statement that it has every stream is malformed", 1, file=RECORD)
        self.facility: str | None = statement["facility"]
        self.other_play: list[str] = other_play

    def verify(self, others: Iterable[str]) -> None:
        """Check the streams that the seals list and the export does not have."""
        for name in sorted(set(others) - set(self.other_play)):
            if self.facility is None or name == INSTALLATION or name.startswith(self.facility + "/"):
                raise Bad(
                    "they list %s, but this bundle of every stream does not have it" % printable(name),
                    file=SEALS,
                )

    def line(self) -> str:
        of = " of %s and of the installation" % printable(self.facility) if self.facility is not None else ""
        other = ", ".join(printable(name) for name in self.other_play)
        return "it states that it has every stream%s%s" % (
            of,
            ", except of other play: " + other if other else "",
        )


def read_every(opening: bytes, streams: list[Stream]) -> EveryStream | None:
    """The bundle's statement that it has every stream, or None if it makes none."""
    content = parse(opening[BODY_AT:-1], 1)
    return EveryStream(content["every"], {stream.name for stream in streams}) if "every" in content else None


# ---------------------------------------------------------------------------------------------------------------------
# The entries beside the range, and the ends of the streams


class BeyondReader:
    """Checks beyond.jsonl: each stream's entry before the range, and those after it up to the sealed head."""

    def __init__(self, since: str, until: str, streams: list[Stream]) -> None:
        self.since, self.until, self.streams = since, until, streams
        self.places = {stream.name: place for place, stream in enumerate(streams)}
        self.place = -1
        self.seen: set[str] = set()
        self.ends = [stream.seq for stream in streams]  # the last number of each stream in both files
        self.heads = [stream.head for stream in streams]
        # The first listed number after the range.
        self.firsts = [stream.sealed.seq if stream.sealed else 0 for stream in streams]

    def read(self, lines: Iterable[tuple[int, bytes]], contents: bool) -> None:
        for number, line in lines:
            with placed(number, file=BEYOND):
                self.entry(line, contents)

    def entry(self, line: bytes, contents: bool) -> None:
        body, prev, digest = read_line(line, 0)
        name, seq = claimed_position(body)
        place = self.places.get(name) if isinstance(name, str) else None
        if place is None or place < self.place:
            raise Bad("it is of a stream that does not belong here", 0, name, seq)
        stream = self.streams[place]
        with placed(0, name, seq):
            if seq == stream.prior_seq and place > self.place and self.since:
                self.before(stream, body, digest, contents)
            else:
                self.after(place, stream, seq, body, prev, digest, contents)
        self.place = place

    def before(self, stream: Stream, body: bytes, digest: bytes, contents: bool) -> None:
        if digest != stream.prior_head:
            raise Bad("it is not the entry before the range")
        entry = read_entry(body, stream.name, stream.prior_seq)
        verify_time(entry.moment, entry.day, "", "", self.since)
        self.contents(entry, contents)
        self.seen.add(stream.name)

    def after(
        self, place: int, stream: Stream, seq: int, body: bytes, prev: bytes, digest: bytes, contents: bool
    ) -> None:
        if seq != self.ends[place] + 1 or prev != hexlify(self.heads[place]):
            raise Bad("it does not follow the entry before it (missing, repeated or moved)")
        entry = read_entry(body, stream.name, seq)
        verify_time(entry.moment, entry.day, stream.at, "" if self.until == "~" else self.until, "~")
        stream.at = entry.moment
        self.contents(entry, contents)
        self.ends[place], self.heads[place] = seq, digest
        if stream.sealed and stream.sealed.seq == seq:
            stream.sealed.reach(digest, entry.moment)

    @staticmethod
    def contents(entry: Entry, contents: bool) -> None:
        if contents and is_settlement(entry.type, entry.data):
            verify_settled(entry.data)

    def verify_ends(self, segment: SealSegment | None) -> dict[str, int]:
        """Check that no stream is cut at either end. Returns the number of unsealed entries by name."""
        unsealed = {}
        for place, stream in enumerate(self.streams):
            with placed(0, stream.name, self.ends[place], BEYOND):
                count = self.verify_end(place, stream, segment)
            if count:
                unsealed[stream.name] = count
        return unsealed

    def verify_times(self, bundle: Bundle) -> Iterator[str]:
        """Yield a line for each stream that was closed because it is dated after its seals. Raises Bad for others."""
        for place, stream in enumerate(self.streams):
            late = stream.sealed.late if stream.sealed else 0
            if not late:
                continue
            for closing in closings(bundle, stream.name):
                end, head = self.ends[place], self.heads[place].hex()
                if closing["seq"] > end or (closing["seq"], closing["head"]) == (end, head):
                    yield "DAMAGED: %s is dated after its seals from seq %d on; two people closed it: %s" % (
                        printable(stream.name),
                        late,
                        printable(closing.get("why")),
                    )
                    break
            else:
                raise Bad("its time is after that of the seal that covers it", 0, stream.name, late, RECORD)

    def verify_end(self, place: int, stream: Stream, segment: SealSegment | None) -> int:
        if self.since and stream.prior_seq and stream.name not in self.seen:
            raise Bad("the entry before the range is missing")
        end, last, sealed = self.ends[place], stream.seq, stream.sealed
        if sealed is None:
            if end != last:
                raise Bad("there are entries after the range that no seal explains")
            return stream.entries
        if sealed.greatest > last:
            expected_end = sealed.greatest if self.until == "~" else self.firsts[place]
            if end != expected_end:
                raise Bad("the tail is cut off or too long: it was sealed at %d" % expected_end)
            return 0
        if end != last:
            raise Bad("there are entries after the range that no seal explains")
        closed = self.until != "~" and (sealed.closing == last or (last == 0 and sealed.absent))
        if not closed and segment is not None and segment.last != segment.size:
            raise Bad("the seals stop before the end of the range")
        return max(0, last - max(stream.prior_seq, sealed.greatest))


STREAM_CLOSED = b'{"_format":1,"_type":"stream.closed",'


def closings(bundle: Bundle, name: str) -> Iterator[dict[str, Any]]:
    """Yield what the entries that closed a stream say. Their lines were checked before."""
    for file_name in (RECORD, BEYOND):
        with bundle.open(file_name) as file:
            for line in iter(lambda: file.readline(LONGEST_LINE_BYTES), b""):
                if line[BODY_AT : BODY_AT + len(STREAM_CLOSED)] != STREAM_CLOSED:
                    continue
                entry = parse(line[BODY_AT:-2], 0)
                closing = entry["data"]
                by_two_people = entry["actor"] is not None and entry["witness"] is not None
                if (
                    entry["stream"] == INSTALLATION
                    and by_two_people
                    and closing.get("stream") == name
                    and type(closing.get("seq")) is int
                ):
                    yield {"head": None, **closing}


# ---------------------------------------------------------------------------------------------------------------------
# Signatures: keys and checkpoints

LOG, WITNESS = 1, 4  # the kinds of keys
DASH = "\u2014 "
NOTE_LINES_MAX = 200
NAME = r"[^\s+]+"
VKEY = re.compile(r"(%s)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\Z" % NAME)
SIGNATURE = re.compile(DASH + r"(%s) ([A-Za-z0-9+/]+=*)\Z" % NAME)
KEY_LINE = re.compile(r"(log|witness) (\S+)(?: created (\S+) retired (\S+))?\Z")
ORIGIN_OF_LOG = re.compile(r".+/[0-9]+\Z", re.ASCII)
NO_CRYPTOGRAPHY = "install `cryptography` for this Python and check again"
Keys = dict[int, "list[Key]"]  # by LOG and WITNESS


class Key:
    """An Ed25519 public key in the format of C2SP: NAME+ID+BASE64.

    `created` is the time that keys.txt states, and `retired` a time or "never"; empty for a key that the reader gave.
    """

    created = retired = ""

    def __init__(self, text: str, kind: int) -> None:
        match = VKEY.match(text) or {1: "", 2: "", 3: ""}
        material = from_base64(match[3])
        if len(material) != 33 or material[0] != kind:
            raise Bad("%s is not a key of a %s" % (printable(text), "log" if kind == LOG else "witness"))
        self.name, self.kind, self.public = match[1], kind, material[1:]
        self.id = sha256(self.name.encode() + b"\n" + material).digest()[:4]
        if self.id.hex() != match[2]:
            raise Bad("the key id of %s does not match its bytes" % printable(text))

    def serves(self, origin: str) -> bool:
        """Whether it may sign a log: the log's own key, or one from before each log had its own.

        A key whose name ends in a slash and a number, as origins do, serves the log of that name alone, unless that was
        the name of an installation: then the origins of its logs continue it.
        """
        return self.name == origin or not ORIGIN_OF_LOG.match(self.name) or origin.startswith(self.name + "/")

    def __str__(self) -> str:
        return printable("%s+%s" % (self.name, self.id.hex()))


class Note:
    """A signed checkpoint: its origin, size, root and text, and its signatures as (name, key id, bytes)."""

    def __init__(self, text: str) -> None:
        body, blank, signatures = text.rpartition("\n\n")
        self.text = (body + "\n").encode()
        lines, signed = body.split("\n"), signatures.split("\n")
        if not blank or len(lines) != 3 or signed.pop() != "" or not 0 < len(signed) <= NOTE_LINES_MAX:
            raise Bad("it is not a checkpoint")
        if any(ord(character) < 32 for line in lines + signed for character in line):
            raise Bad("it is not a checkpoint: it has a control character")
        self.origin, root = lines[0], from_base64(lines[2])
        if not self.origin or not re.match(r"(0|[1-9][0-9]{0,18})\Z", lines[1], re.ASCII) or len(root) != 32:
            raise Bad("it is not a checkpoint with origin, size and root")
        self.size, self.root = int(lines[1]), root
        self.signatures = [self.signature(line) for line in signed]

    @staticmethod
    def signature(line: str) -> tuple[str, bytes, bytes]:
        match = SIGNATURE.match(line) or {1: "", 2: ""}
        raw = from_base64(match[2])
        if len(raw) < 5:
            raise Bad("it is not a checkpoint: a signature line is malformed")
        return match[1], raw[:4], raw[4:]

    def signed_by(self, key: Key) -> list[int]:
        """The times (0 for a log's key) of its signatures by a key; empty if the key has not signed.

        Raises Bad for a wrong signature, and Unchecked if signatures cannot be checked.
        """
        times = []
        for name, id_, raw in self.signatures:
            if (name, id_) != (key.name, key.id):
                continue
            time = int.from_bytes(raw[:8], "big") if key.kind == WITNESS else 0
            head = b"cosignature/v1\ntime %d\n" % time if key.kind == WITNESS else b""
            signature = raw[8:] if key.kind == WITNESS else raw
            if len(signature) != 64 or not is_signed(key.public, signature, head + self.text):
                raise Bad("the signature of %s is wrong" % key)
            times.append(time)
        return times


class Unchecked(Exception):
    """Signatures cannot be checked here."""


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise Unchecked() from None
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_base64(text: str) -> bytes:
    """Decode canonical base64; empty bytes if it is malformed."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return raw if base64.b64encode(raw).decode() == text else b""


def read_keys(text: str) -> Keys:
    """Read keys.txt: the log's keys in the order of their creation, then those of witnesses."""
    keys: Keys = {LOG: [], WITNESS: []}
    lines, created = text.split("\n"), ""
    if lines.pop():
        raise Bad("its last line is cut off", len(lines) + 1, file=KEYS)
    for number, line in enumerate(lines, 1):
        match = KEY_LINE.match(line)
        times = match.groups()[2:] if match else ()
        dated = match and is_moment(times[0]) and (times[1] == "never" or is_moment(times[1]))
        if (
            not match
            or (match[1] == "log" and not dated)
            or (match[1] == "witness" and times != (None, None))
        ):
            raise Bad("this is not a line of a key", number, file=KEYS)
        if match[1] == "log" and (keys[WITNESS] or times[0] < created):
            raise Bad("its keys are not in order", number, file=KEYS)
        created = times[0] or created
        kind = LOG if match[1] == "log" else WITNESS
        with placed(number, file=KEYS):
            key = Key(match[2], kind)
        if any(other.public == key.public and other.name != key.name for other in keys[kind]):
            raise Bad(
                "this key is also there under another name, and a key serves one log", number, file=KEYS
            )
        key.created, key.retired = times[0] or "", times[1] or ""
        keys[kind].append(key)
    return keys


def keys_from_the_beginning(keys: Iterable[Key], segment: SealSegment) -> list[Key]:
    """The log's own keys, not retired, that are older than the seals of a bundle: each signed all that followed.

    A key that was created in the second of a seal may not have signed it, unless that began the log.
    """
    return [
        key
        for key in keys
        if key.name == segment.origin
        and key.retired == "never"
        and (
            a_minute_after(key.created) < segment.begun_at
            if segment.first
            else key.created <= segment.begun_at
        )
    ]


def log_signers(note: Note, keys: Iterable[Key]) -> list[Key]:
    """The keys, out of these, that signed a checkpoint and may sign its log. Raises Bad and Unchecked."""
    signers = [key for key in keys if note.signed_by(key)]
    serving = [key for key in signers if key.serves(note.origin)]
    if signers and not serving:
        raise Bad(
            "the checkpoint is signed by %s, which is the key of another log, and a key serves one log"
            % signers[0],
            file=CHECKPOINT,
        )
    return serving


def signature_lines(
    note: Note, stated: Keys, options: Options, segment: SealSegment | None = None
) -> Iterator[str]:
    """Yield a line for each signature of a checkpoint. Raises Bad if one is wrong or a required one is missing.

    Keys from the reader take precedence: if there is one for the log, the bundle's own keys for it are ignored. But a
    log that has a key of its own is signed by it.
    """
    mine = options.keys[LOG]
    logs, witnesses = mine or stated[LOG], options.keys[WITNESS]
    whose = "a key that you gave" if mine else "a key from the bundle itself: this trusts the bundle"
    if logs and not any(key.serves(note.origin) for key in logs):
        raise Bad("none of the keys is a key of this log, %s" % printable(note.origin), file=CHECKPOINT)
    try:
        signers = log_signers(note, logs)
        if not signers:
            raise Bad("the checkpoint is not signed by any known key of the log", file=CHECKPOINT)
        stated_signers = log_signers(note, stated[LOG])
        own = keys_from_the_beginning(stated[LOG], segment) if segment else []
        if own and not any(key.name == note.origin for key in stated_signers):
            raise Bad(
                "the log has a key of its own, %s, which has not signed the checkpoint" % own[0],
                file=CHECKPOINT,
            )
        for key in signers:
            of_several = (
                "" if key.name == note.origin else " that may sign several logs, from before each had its own"
            )
            yield "signed by %s, %s%s" % (key, whose, of_several)
        given_keys = {(key.name, key.id, key.public) for key in witnesses}
        others = [key for key in stated[WITNESS] if (key.name, key.id, key.public) not in given_keys]
        for key in [*witnesses, *others]:
            times = note.signed_by(key)
            if not times and key in witnesses:
                raise Bad("the witness %s has not cosigned the checkpoint" % key, file=CHECKPOINT)
            if times:
                whose = "a key that you gave" if key in witnesses else "a key from the bundle"
                yield "cosigned by %s at %s, %s" % (key, moment_of(max(times)), whose)
    except Unchecked:
        if options.signature:
            raise Bad("the signatures were not checked: " + NO_CRYPTOGRAPHY, file=CHECKPOINT) from None
        yield "NOT CHECKED: the signatures; " + NO_CRYPTOGRAPHY


def moment_of(seconds: int) -> str:
    try:
        utc = datetime.timezone.utc  # noqa: UP017 (Python 3.9 and 3.10 have no datetime.UTC)
        return datetime.datetime.fromtimestamp(seconds, utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return "an invalid time"


# Checkpoints that the reader saved


class Consistency:
    """A consistency proof from a file: the old size, and hashes."""

    def __init__(self, text: str) -> None:
        lines = text.partition("\n\n")[0].rstrip("\n").split("\n")
        match = re.match(r"old (0|[1-9][0-9]{0,18})\Z", lines[0], re.ASCII)
        self.old, self.hashes = int(match[1]) if match else -1, [from_base64(line) for line in lines[1:]]
        if not match or len(lines) > 64 or any(len(digest) != 32 for digest in self.hashes):
            raise Bad("this is not a consistency proof")


def is_consistent(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Whether the log with the new root extends the log with the old root (RFC 9162, section 2.1.4.2)."""
    if old in (0, new):
        return not proof and (old_root == new_root if old == new else old_root == sha256(b"").digest())
    hashes = list(proof) if old & (old - 1) else [old_root, *proof]
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    if not hashes:
        return False
    old_hash = new_hash = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old_hash, new_hash = node_hash(sibling, old_hash), node_hash(sibling, new_hash)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new_hash = node_hash(new_hash, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and old_hash == old_root and new_hash == new_root


def verify_saved(
    path: str, checkpoint: Note, note: Note, roots: dict[int, bytes], proofs: list[Consistency]
) -> str:
    """Check that a checkpoint which the reader saved is consistent with the bundle's. Returns a line that says how."""
    if checkpoint.origin != note.origin:
        raise Bad(
            "%s is from another log, %s: ask for a bundle of that incarnation"
            % (ascii(path), printable(checkpoint.origin))
        )
    if checkpoint.size in roots:
        if roots[checkpoint.size] != checkpoint.root:
            raise Bad(
                "the log does not match %s: the root at size %d differs" % (ascii(path), checkpoint.size)
            )
        return "it includes your checkpoint of size %d" % checkpoint.size
    old, new = sorted((checkpoint, note), key=lambda item: item.size)
    matching = [proof for proof in proofs if proof.old == old.size]
    if not matching:
        raise Bad(
            "%s cannot be compared without a consistency proof from size %d to %d (--proof)"
            % (ascii(path), old.size, new.size)
        )
    if not any(is_consistent(old.size, new.size, proof.hashes, old.root, new.root) for proof in matching):
        raise Bad("the log does not match %s: the consistency proof is wrong" % ascii(path))
    return "it is consistent with your checkpoint of size %d, by the consistency proof" % checkpoint.size


# ---------------------------------------------------------------------------------------------------------------------
# An entry: its form, its times, and the money that it states

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)
DAY = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
ODDS = re.compile(r"([1-9][0-9]{0,8}) to ([1-9][0-9]{0,8})\Z")
DOLLARS = re.compile(r"\$([1-9][0-9]{0,2}(?:,[0-9]{3})*)\Z")
# An entry's body before and after its data: every key, in order. Matching these with patterns, and parsing only the
# data as JSON, takes a third less time.
PLAIN = r'[^"\\\x00-\x1f]*'
UUID = "[0-9a-f]{8}" + 3 * "-[0-9a-f]{4}" + "-[0-9a-f]{12}"  # written out: a repeated group takes longer
BEFORE_DATA = re.compile(
    r'\{"_format":1,"_type":"([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+)","actor":(null|"PLAIN"),"at":"(PLAIN)",'
    r'"build":"PLAIN","command":(?:null|"UUID"),"data":(?=\{)'.replace("PLAIN", PLAIN).replace("UUID", UUID)
)
AFTER_DATA = re.compile(
    r',"device":(?:null|"UUID"),"gaming_day":"(PLAIN)","seq":([1-9][0-9]{0,15}),"stream":"(PLAIN)",'
    r'"terms":(?:null|"([0-9a-f]{64})"),"witness":(null|"PLAIN")\}\Z'.replace("PLAIN", PLAIN).replace(
        "UUID", UUID
    )
)

# The name of each list of wagers, the list without wagers, and how it begins with some.
WAGER_LISTS = [(name, '"%s":[]' % name, '"%s":[{' % name) for name in ("placed", "settled")]


class Entry(NamedTuple):
    """What an entry says. `terms` is a SHA-256 in hex, or None; `actor` and `witness` are JSON, `null` for nobody."""

    type: str
    moment: str
    day: str
    data: dict[str, Any]
    terms: str | None
    actor: str
    witness: str

    @property
    def signers(self) -> list[str]:
        """The codes of those who signed it: the actor, then the witness."""
        return [code[1:-1] for code in (self.actor, self.witness) if code != "null"]


class Place(NamedTuple):
    """Which entry of a stream it is: its number, and its hash in hex."""

    seq: int
    hash_hex: bytes

    @property
    def as_data(self) -> dict[str, Any]:
        """It as other entries name it."""
        return {"seq": self.seq, "hash": self.hash_hex.decode()}


def read_entry(body: bytes, name: str, seq: int) -> Entry:
    """Check that a body matches format 1 and has this stream and number."""
    text = decode(body)
    before = BEFORE_DATA.match(text)
    if not before:
        raise Bad("the part before its data does not match format 1")
    type_, actor, moment = before.groups()
    data, rest = read_data(text[before.end() :])
    after = AFTER_DATA.match(rest)
    if not after:
        raise Bad("the part after its data does not match format 1")
    day, number, stream, terms, witness = after.groups()
    if stream != name:
        raise Bad("it belongs to the stream %s" % printable(stream))
    if int(number) != seq:
        raise Bad("its number is %s" % number)
    if witness == actor and witness != "null":
        raise Bad("its witness and actor are the same person")
    return Entry(type_, moment, day, data, terms, actor, witness)


def read_data(text: str) -> tuple[dict[str, Any], str]:
    """Read the data at the start of a text. Returns them, and the rest of the text.

    Most of a record is lists of wagers, and the same wagers come again and again: a list is cut out, and each wager is
    read by itself, once. An empty list stays in its place. It is the data's own, because there is no other.
    """
    for name, empty, begins in WAGER_LISTS:
        if begins not in text:
            continue
        before, _begins, after = text.partition(begins)
        wagers, ends, after = after.partition("}]")
        if ends and empty not in before and empty not in after:
            with contextlib.suppress(Bad):  # whatever it is, reading the whole text says so
                data, end = read_value(before + empty + after, 0)
                if data.get(name) == []:
                    data[name] = [read_wager(name, "{%s}" % wager) for wager in wagers.split("},{")]
                    return data, (before + empty + after)[end:]
    data, end = read_value(text, 0)
    return data, text[end:]


@lru_cache(maxsize=1 << 14)
def read_wager(name: str, text: str) -> Any:
    """Read a wager of the list of this name, by itself. It is shared, so nothing changes it. Raises Bad."""
    value, end = read_value(text, 0)
    if end != len(text):
        raise Bad("there is text after its JSON")
    return settled_wager_of(value) if name == "settled" else value


def verify_time(moment: str, day: str, before: str, since: str, until: str) -> None:
    """Check that a time is in the range and not before the last one, and that the gaming day fits the time."""
    if not is_moment(moment):
        raise Bad("its time is not a valid time in UTC")
    if moment < before:
        raise Bad("its time is before that of the entry before it")
    if not since <= moment < until:
        raise Bad("its time is outside the range of the export")
    if not is_near(day, moment[:10]):
        raise Bad("its gaming day does not fit its time")


def is_moment(text: object) -> bool:
    return isinstance(text, str) and MOMENT.match(text) is not None and is_time(text[:10], text[11:19])


@lru_cache(maxsize=100_000)
def is_time(day: str, time: str) -> bool:
    try:
        return bool(datetime.datetime.fromisoformat(day + " " + time))
    except ValueError:
        return False


@lru_cache(maxsize=10_000)
def is_near(day: str, date: str) -> bool:
    """Whether a gaming day fits a date in UTC, for any time zone and start: that date, the next, or the two before."""
    try:  # the pattern first: newer versions of Python accept more in fromisoformat
        return (
            DAY.match(day) is not None
            and -2 <= (datetime.date.fromisoformat(day) - datetime.date.fromisoformat(date)).days <= 1
        )
    except ValueError:
        return False


def is_settlement(type_: str, data: dict[str, Any]) -> bool:
    """Whether an entry settles wagers. Chips that were handed back afterward are stated by their sum alone."""
    return "settled" in data or ("returned_cents" in data and type_ != RETURNED)


def verify_settled(data: dict[str, Any]) -> None:
    """Check the money of a settlement: each wager by its outcome and odds, and the totals.

    The wagers in the data become `SettledWager`.
    """
    wagers = data.get("settled")
    if not isinstance(wagers, list):
        raise Bad("its settled wagers are not a list")
    data["settled"] = wagers = [settled_wager_of(wager) for wager in wagers]
    returned = sum([wager.returned for wager in wagers])
    paid, staked = sum([wager.paid for wager in wagers]), sum([wager.cents for wager in wagers])
    totals = (("paid_cents", paid), ("returned_cents", returned), ("taken_cents", staked - returned))
    for key, total in totals:
        if type(data.get(key)) is not int or data[key] != total:
            raise Bad("its %s is not the total of its wagers, %d" % (key, total))


def settled_wager_of(wager: Any) -> SettledWager:
    """Read a settled wager, unless it was read before: a win pays odds and returns the stake, a return returns the
    stake, a loss and a fee nothing. Raises Bad.
    """
    if isinstance(wager, SettledWager):
        return wager
    if not isinstance(wager, dict):
        raise Bad("a settled wager is not an object")
    outcome, cents = wager.get("outcome"), wager.get("cents")
    paid, returned, pays = wager.get("paid_cents"), wager.get("returned_cents"), wager.get("pays")
    if not (type(cents) is type(paid) is type(returned) is int) or cents < 1 or paid < 0:
        raise Bad("a wager's cents are not valid amounts")
    if outcome not in ("win", "lose", "return", "fee"):
        raise Bad("a wager's outcome is unknown")
    if returned != (cents if outcome in ("win", "return") else 0):
        raise Bad("a wager of outcome %s returned %d of %d cents" % (outcome, returned, cents))
    cut = wager.get("cut_cents", 0)
    if outcome == "win":
        verify_odds(pays, cents, paid, cut)
    elif paid or pays is not None or "pays" not in wager or "cut_cents" in wager:
        raise Bad("a wager of outcome %s was paid" % outcome)
    place = wager.get("seat"), wager.get("wager"), wager.get("play") or None
    return SettledWager(*place, cents, outcome, pays, paid, returned, cut)  # type: ignore[arg-type]


def verify_odds(pays: Any, cents: int, paid: int, cut: Any) -> None:
    """Check that cents times the odds is what was paid plus what a payout limit cut.

    A sum in dollars is paid as is.
    """
    pays = pays if isinstance(pays, str) else ""
    odds, dollars = ODDS.match(pays), DOLLARS.match(pays)
    if type(cut) is not int or cut < 0 or not (odds or dollars):
        raise Bad("a win has no odds, or its cut is not an amount")
    if odds:
        right = (paid + cut) * int(odds[2]) == cents * int(odds[1])
    elif dollars:
        right = paid + cut == int(dollars[1].replace(",", "")) * 100
    else:
        right = False
    if not right:
        raise Bad("a wager of %d cents at %s was paid %d" % (cents, pays, paid))


# ---------------------------------------------------------------------------------------------------------------------
# What a wager wins: the rules of the games, as far as the money of a round depends on them

WIN, LOSE, RETURN, FEE = "win", "lose", "return", "fee"
WagerKey = tuple[int, str, "int | None"]  # seat, code, and the play of a wager on a single play
Wagers = dict[WagerKey, int]  # cents, in the order in which they were entered
Dice = tuple[int, ...]
EXTRA_ROLL, EXTRA_POINT, TOUCHDOWN, DEFENSE = "extra-roll", "extra-point", "touchdown", "defense"
SINGLE_PLAYS = frozenset(
    "trips-td penalty turnover cover-three no-gain big-play over-four under-four".split()  # noqa: SIM905
)
RANKED_FACES = (1, 6, 5, 4, 3, 2)  # High Roll Dice: of faces that show equally often, the first one wins
THROW = 10  # steps of a throw: the first throw has 10 to 19, the second 20 to 29; fees have step 0


class SettledWager(NamedTuple):
    """A wager as a throw settles it. `pays` is None unless it wins; `cut` is what a payout limit took off."""

    seat: int
    code: str
    play: int | None
    cents: int
    outcome: str
    pays: str | None
    paid: int
    returned: int
    cut: int

    @property
    def key(self) -> WagerKey:
        return self[:3]

    @property
    def worth(self) -> int:
        """What it is worth to its player, in cents."""
        return self.paid + self.returned - self.cents

    @property
    def name(self) -> str:
        return name_of(self.key)


class Decided(NamedTuple):
    """A settled wager, and the step and rank in which it is settled."""

    step: int
    rank: tuple[int, ...]
    wager: SettledWager

    @property
    def order(self) -> tuple[Any, ...]:
        """Its place in the order of settlement: by step, rank, losses before wins, and seat."""
        return self.step, self.rank, self.wager.outcome == WIN, self.wager.seat


@lru_cache(maxsize=1 << 14)
def decided_wager(step: int, rank: tuple[int, ...], key: WagerKey, cents: int, pays: str | None) -> Decided:
    """A wager that wins at these odds, or loses where there are none. The same ones come again."""
    return Decided(step, rank, settled_wager(key, cents, pays))


class Outcome(NamedTuple):
    """What the throws of a round decide, in the order of settlement.

    `is_over`: no other throw follows; otherwise the next one has `dice` dice.
    """

    decided: list[Decided]
    is_over: bool
    dice: int


def name_of(key: WagerKey) -> str:
    return "seat %d's %s%s" % (key[0], printable(key[1]), "" if key[2] is None else " on play %d" % key[2])


class Terms:
    """The terms of rounds, as they were filed: which game, and what each row of its paytable pays.

    Raises KeyError, TypeError or ValueError for terms that this program cannot read.
    """

    def __init__(self, terms: Mapping[str, Any]) -> None:
        if terms["format"] != 1:
            raise ValueError("another format of terms")
        self.settle = GAMES[terms["game"]]
        self.payouts: dict[str, str] = {str(row): str(pays) for row, pays in terms["payouts"].items()}
        if not all(ODDS.match(pays) or DOLLARS.match(pays) for pays in self.payouts.values()):
            raise ValueError("odds that cannot be read")
        self.readings: Mapping[str, bool] = terms["readings"]
        self.limit: int | None = terms.get("payout_limit_cents")
        if not (self.limit is None or type(self.limit) is int):
            raise TypeError("a limit is in cents")
        self.first_dice = self.settle(self, {}, ()).dice  # of the first throw
        self.has_steps = terms["game"] != "sic-bo"  # winners and losers are settled together, step by step
        self.has_plays = terms["game"] == "football"

    def pays(self, row: str) -> str | None:
        """What a row of the paytable pays; None for no row, which is a loss."""
        if row and row not in self.payouts:
            raise Bad("its terms do not say what %s pays" % printable(row))
        return self.payouts[row] if row else None

    def verify_dice(self, wagers: Wagers, throws: Sequence[Dice], dice: Sequence[int]) -> Dice:
        """Check the dice of the throw that follows these throws. Returns them."""
        before = self.outcome(wagers, throws) if throws else Outcome([], False, self.first_dice)
        faces = tuple(dice)
        if before.is_over:
            raise Bad("it has dice after the throw that ended the round")
        if len(faces) != before.dice or not all(type(face) is int and 1 <= face <= 6 for face in faces):
            raise Bad("its dice are %s, not %d faces" % (shown(faces), before.dice))
        return faces

    def outcome(self, wagers: Wagers, throws: Sequence[Dice]) -> Outcome:
        """Settle the wagers by the valid throws so far."""
        decided, is_over, dice = self.settle(self, wagers, throws)
        decided.sort(key=lambda item: item.order)  # of equal places, the order of entering them stays
        return Outcome(cut_to_limit(decided, self.limit) if self.limit else decided, is_over, dice)


def settled_wager(key: WagerKey, cents: int, pays: str | None) -> SettledWager:
    if pays is None:
        return SettledWager(*key, cents, LOSE, None, 0, 0, 0)
    return SettledWager(*key, cents, WIN, pays, win_cents(cents, pays), cents, 0)


@lru_cache(maxsize=10_000)
def win_cents(cents: int, pays: str) -> int:
    """What a stake wins: its odds in whole cents, or an amount in dollars whatever the stake."""
    odds, dollars = ODDS.match(pays), DOLLARS.match(pays)
    if dollars:
        return int(dollars[1].replace(",", "")) * 100
    assert odds is not None
    paid, remainder = divmod(cents * int(odds[1]), int(odds[2]))
    if remainder:
        raise Bad("%d cents at %s would win a fraction of a cent" % (cents, pays))
    return paid


def cut_to_limit(decided: list[Decided], limit: int) -> list[Decided]:
    """Cut winnings in the order of settlement, so that no seat wins more than the limit. Fixed sums do not count."""
    remaining: dict[int, int] = {}
    cut_decided = []
    for item in decided:
        wager = item.wager
        if wager.outcome == WIN and not wager.code.startswith("millionaire"):
            paid = min(wager.paid, remaining.get(wager.seat, limit))
            remaining[wager.seat] = remaining.get(wager.seat, limit) - paid
            item = item._replace(wager=wager._replace(paid=paid, cut=wager.paid - paid))
        cut_decided.append(item)
    return cut_decided


# Sic Bo: one throw of three dice


ONE_FACE = frozenset("123456")
SIC_BO_TOTALS = frozenset(str(total) for total in range(4, 18))
SIC_BO_PAIRS = frozenset("%d-%d" % (low, high) for low in range(1, 6) for high in range(low + 1, 7))


def settle_sic_bo(terms: Terms, wagers: Wagers, throws: Sequence[Dice]) -> Outcome:
    if not throws:
        return Outcome([], False, 3)
    decided = []
    for key, cents in wagers.items():
        pays = terms.pays(sic_bo_row(terms, key[1], throws[0]))
        decided.append(decided_wager(THROW, (), key, cents, pays))
    return Outcome(decided, True, 0)


@lru_cache(maxsize=1 << 14)
def sic_bo_row(terms: Terms, code: str, dice: Dice) -> str:
    """The row of the paytable by which a wager wins; empty if it loses."""
    family, _colon, number = code.partition(":")
    total, is_triple = sum(dice), len(set(dice)) == 1
    if code == "small":
        return code if total <= 10 and not is_triple else ""
    if code == "big":
        return code if total >= 11 and not is_triple else ""
    if code == "any-three-of-a-kind":
        return code if is_triple else ""
    if family == "total" and number in SIC_BO_TOTALS:
        return code if total == int(number) else ""
    if family == "two-dice" and number in SIC_BO_PAIRS:
        return family if {int(number[0]), int(number[2])} <= set(dice) else ""
    if number not in ONE_FACE:
        raise Bad("Sic Bo has no wager %s" % printable(code))
    count = dice.count(int(number))
    if family == "three-of-a-kind":
        return family if count == 3 else ""
    if family == "two-of-a-kind":  # whether three alike are two alike too is a reading of the text
        return family if count == 2 or (count == 3 and terms.readings["triple-wins-two-of-a-kind"]) else ""
    if family == "one-of-a-kind":
        return "%s/%d" % (family, count) if count else ""
    raise Bad("Sic Bo has no wager %s" % printable(code))


# High Roll Dice: ten dice, of which those that do not match are thrown again for an Extra Roll; or six dice


def settle_high_roll(terms: Terms, wagers: Wagers, throws: Sequence[Dice]) -> Outcome:
    dice = 6 if "like-kind:none" in terms.payouts else 10
    if not throws:
        return Outcome([], False, dice)
    counts = [throws[0].count(face) for face in RANKED_FACES]
    alike = max(counts)
    face = RANKED_FACES[counts.index(alike)]
    total = alike + throws[1].count(face) if len(throws) > 1 else 0
    buyers = {seat for seat, code, _play in wagers if code == EXTRA_ROLL}
    decided = []
    for key, cents in wagers.items():
        seat, code, _play = key
        family, _colon, number = code.partition(":")
        if code == EXTRA_ROLL and dice == 10:
            decided.append(Decided(0, (), SettledWager(*key, cents, FEE, None, 0, 0, 0)))
            continue
        if not (code in terms.payouts and family in ("pip", "like-kind", "millionaire")):
            raise Bad("High Roll Dice with %d dice has no wager %s" % (dice, printable(code)))
        needed = 1 if number == "none" else int(number)
        if family == "like-kind" and seat in buyers and needed > alike:
            if total:  # the extra throw was made; before it, this wager waits
                row = "like-kind/extra:%d" % needed if total == needed else ""
                decided.append(decided_wager(2 * THROW, (seat,), key, cents, terms.pays(row)))
            continue
        is_won = needed == (face if family == "pip" else alike)
        rank: tuple[int, ...] = (seat, ("pip", "like-kind", "millionaire").index(family))
        if family == "like-kind" and seat in buyers:  # the number that is paid comes before those that lose
            rank = (*rank, int(not is_won))
        decided.append(decided_wager(THROW, rank, key, cents, terms.pays(code if is_won else "")))
    waits = bool(buyers) and alike < dice and not total
    return Outcome(decided, not waits, dice - alike if waits else 0)


# Three Dice Football: up to six plays, and a roll for the extra point after a score if anybody bet on it


class FootballGame:
    """A game of Three Dice Football after its throws.

    `meanings` has what each play's dice mean: the kind of play and the yards that it gained. `how` is how the game
    ended; empty while another play follows.
    """

    def __init__(self, throws: Sequence[Dice]) -> None:
        self.meanings: list[tuple[str, int]] = []
        self.how, self.point = "", ""
        yard, down, is_goal = 20, 1, False
        for dice in throws:
            if self.how:
                if not self.is_scored or self.point:
                    raise Bad("a throw follows the end of the game")
                self.point = point_of(dice)
                continue
            kind, gained = meaning_of(dice)
            self.meanings.append((kind, gained))
            yard = 0 if kind == "trips-td" else max(yard - gained, 0)
            reaches_goal = yard <= 10 and not is_goal
            if kind in ("trips-td", "turnover"):
                self.how = kind
            elif yard == 0:
                self.how = TOUCHDOWN
            elif down == 3 and not reaches_goal:
                self.how = "downs"
            down, is_goal = (1 if reaches_goal else down + 1), is_goal or reaches_goal

    @property
    def is_scored(self) -> bool:
        return self.how in (TOUCHDOWN, "trips-td")

    @property
    def plays(self) -> int:
        return len(self.meanings)

    def row_of_game(self, code: str) -> str:
        """The row by which a wager on the whole game wins, once it has ended; empty if it loses."""
        if code == TOUCHDOWN:
            return code if self.is_scored else ""
        if code == DEFENSE:
            return "" if self.is_scored else code
        if code == EXTRA_POINT:
            return "%s/%s" % (code, self.point) if self.is_scored and self.point != "none" else ""
        if code == "quick-strike":
            return "%s/%d" % (code, self.plays) if self.is_scored and self.plays <= 4 else ""
        if code == "game-changer":
            return code if self.how in ("trips-td", "turnover") else ""
        if code in GAME_LENGTHS:
            return code if code == GAME_LENGTHS[self.plays - 1] else ""
        raise Bad("Three Dice Football has no wager %s on the whole game" % printable(code))

    def step_of_game(self, code: str) -> int:
        """The step in which a wager on the whole game is settled.

        Without a score, Touchdown, Defense and Extra Point come first. After one, Defense comes first, and Touchdown
        and Extra Point last, after the roll for the extra point.
        """
        first = THROW * self.plays
        if not self.is_scored:
            return first if code in (TOUCHDOWN, DEFENSE, EXTRA_POINT) else first + 2
        if code == DEFENSE:
            return first
        if code not in (TOUCHDOWN, EXTRA_POINT):
            return first + 2
        return first + THROW + (code == EXTRA_POINT) if self.point else first + 3


def meaning_of(dice: Dice) -> tuple[str, int]:
    """What two green dice and the red one mean on a play, and the yards that it gains."""
    first, second, red = dice
    green = first + second
    if first == second == red:
        return "trips-td", 0
    if red == 6 and green <= 3:
        return "turnover", 0
    if green < red:
        return "penalty", -1
    return ("gain", green - red) if green > red else ("no-gain", 0)


def point_of(dice: Dice) -> str:
    """What the roll for the extra point comes to: by its aces, else by three alike."""
    aces = dice.count(1)
    if aces:
        return ("one", "two", "three")[aces - 1]
    return "triple" if len(set(dice)) == 1 else "none"


def row_of_play(code: str, kind: str, gained: int) -> str:
    """The row by which a wager on one play wins; empty if it loses."""
    is_trips, is_penalty, gains = kind == "trips-td", kind in ("penalty", "turnover"), kind == "gain"
    wins = {
        "trips-td": is_trips,
        "penalty": is_penalty,
        "turnover": kind == "turnover",
        "cover-three": is_trips or is_penalty,
        "no-gain": kind == "no-gain" or is_penalty,
        "big-play": is_trips or (gains and gained >= 7),
        "over-four": is_trips or (gains and gained >= 5),
        "under-four": not is_trips and not (gains and gained >= 4),
    }
    if code not in wins:
        raise Bad("Three Dice Football has no wager %s on one play" % printable(code))
    return ("over-four/%s" % kind if code == "over-four" else code) if wins[code] else ""


GAME_LENGTHS = ["game-length:%d" % plays for plays in range(1, 7)]


def settle_football(terms: Terms, wagers: Wagers, throws: Sequence[Dice]) -> Outcome:
    game = FootballGame(throws)
    waits = game.is_scored and not game.point and any(code == EXTRA_POINT for _seat, code, _play in wagers)
    decided = []
    for key, cents in wagers.items():
        _seat, code, play = key
        if play is not None:
            if play <= game.plays:
                row = row_of_play(code, *game.meanings[play - 1])
                step = THROW * play + (bool(game.how) and play == game.plays)
                decided.append(decided_wager(step, (), key, cents, terms.pays(row)))
        elif game.how and not (waits and code in (TOUCHDOWN, EXTRA_POINT)):
            pays = terms.pays(game.row_of_game(code))
            decided.append(decided_wager(game.step_of_game(code), (), key, cents, pays))
    is_over = bool(game.how) and not waits
    return Outcome(decided, is_over, 0 if is_over else 3)


GAMES: dict[str, Callable[[Terms, Wagers, Sequence[Dice]], Outcome]] = {
    "sic-bo": settle_sic_bo,
    "high-roll": settle_high_roll,
    "football": settle_football,
}


# ---------------------------------------------------------------------------------------------------------------------
# A round, settled again entry by entry

Data = dict[str, Any]
Handler = Callable[["Round", Data], None]
FILED, SLIP_REVIEWED, SLIP_SETTLED = "slip.filed", "slip.reviewed", "slip.settled"
RETURNED = "wagers.returned"
ROUND_ENDS = {"layout.cleared", "round.no_roll", "round.voided", "round.recorded_by_hand"}
CORRECTING = {"dice.corrected", "wager.missed", "wager.struck"}
BY_HAND = {"round.settled_by_hand", "round.recorded_by_hand"}
RAISING = {"dice.corrected", "wager.missed", "round.recorded_by_hand"}  # may raise what a known throw pays


class Round:
    """One round, settled again entry by entry. `apply` raises Bad for an entry that its terms do not give.

    `wagers` are the current ones, `struck` those that never were on the layout; a struck wager keeps its place.
    `newest` is what the newest throw decided, `decided` everything so far, both in the order of settlement. `moved` is
    what the round has added to the tray so far, in cents.
    """

    def __init__(self, number: int, terms_sha256: str | None, terms: Terms) -> None:
        self.number, self.terms_sha256, self.terms = number, terms_sha256, terms
        self.wagers: Wagers = {}
        self.struck: Wagers = {}
        self.throws: list[Dice] = []
        self.newest: list[Decided] = []
        self.decided: list[Decided] = []
        self.is_over = self.has_ended = False
        self.is_closed = self.is_locked = False  # no more wagers now; no more on the whole game
        self.are_losers_taken = self.are_fees_collected = False
        self.paid: set[WagerKey] = set()  # winners of a game that takes all losers first
        self.step = 0  # the last complete one
        self.seats_of_step: set[int] = set()  # that are settled in the next
        self.handed_back: set[int] = set()
        self.slips: Slips | None = None
        # What corrections once the dice are known pay more. By the number of valid throws: what each throw decided at
        # first, what it pays beside that, and of each wager that was recorded late its stake before, and since when.
        self.first: dict[int, list[Decided]] = {}
        self.raises: dict[int, Raise] = {}
        self.late: dict[WagerKey, tuple[int, int]] = {}
        self.has_unstated_raise = False
        self.raised_by: Data | None = None  # the newest entry of two people that may raise a payout
        self.day = ""  # the gaming day of its first entry
        # Throws are numbered with those that were void; a correction is the next revision of its throw.
        self.last_throw = self.revision = 0
        self.numbers: list[int] = []  # of the throws that count
        self.is_by_hand = False
        self.moving: dict[int, bytes] = {}  # the entries that settle or pay: their hashes, by number

    def apply(self, type_: str, data: Data) -> None:
        if self.has_ended:
            raise Bad("round %d had ended before it" % self.number)
        HANDLERS[type_](self, data)
        if type_ in SETTLING and "settled" in data:
            self.verify_throw(type_, data)
        if "wagered_cents" in data:
            verify_sum(data, "wagered_cents", sum(self.current.values()))
        self.has_ended = type_ in ROUND_ENDS

    @property
    def current(self) -> Wagers:
        """The wagers that count, in the order in which they were first entered."""
        if not self.struck:
            return self.wagers
        return {key: cents for key, cents in self.wagers.items() if key not in self.struck}

    @property
    def taken_cents(self) -> int:
        """Lost stakes and fees of the whole round."""
        return taken_cents([item.wager for item in self.decided])

    @property
    def paid_cents(self) -> int:
        return sum([item.wager.paid for item in self.decided])

    @property
    def fees(self) -> Wagers:
        return {key: cents for key, cents in self.current.items() if key[1] == EXTRA_ROLL}

    @property
    def moved_cents(self) -> int:
        """What this round has added to the tray so far."""
        if self.has_ended:
            return self.taken_cents - self.paid_cents
        moved = sum(self.fees.values()) if self.are_fees_collected else 0
        paid: set[WagerKey] = set()
        for item in self.decided:
            wager = item.wager
            if self.terms.has_steps:
                is_done = 0 < item.step <= self.step or (
                    item.step == self.next_step and wager.seat in self.seats_of_step
                )
            else:
                is_done = self.are_losers_taken if wager.outcome == LOSE else wager.key in self.paid
            if is_done:
                moved += wager.cents if wager.outcome == LOSE else -wager.paid
                paid.add(wager.key)
        return moved + (self.held_in_tray(paid) if self.raises else 0)

    # Wagers

    def place(self, data: Data) -> None:
        if self.is_closed:
            raise Bad("it places wagers after no more bets")
        for item in data["placed"]:
            key, cents = key_of(item), cents_of(item["cents"])
            if self.terms.has_plays:
                self.verify_play(key)
            if cents:
                self.wagers[key] = cents
                self.struck.pop(key, None)
            elif key not in self.struck:
                self.wagers.pop(key, None)

    def verify_play(self, key: WagerKey) -> None:
        """Check that a wager of a game with plays is on its next play, or on the whole game before the first throw."""
        _seat, code, play = key
        if (play is None) == (code in SINGLE_PLAYS):
            raise Bad("%s is not a wager of this game" % name_of(key))
        if play is None and self.is_locked:
            raise Bad("%s is placed after the first throw of the game" % name_of(key))
        if play is not None and play != len(self.throws) + 1:
            raise Bad("%s is not on the next play, %d" % (name_of(key), len(self.throws) + 1))

    def close(self, data: Data) -> None:
        self.is_closed = True

    def throw_dice(self, data: Data) -> None:
        verify_sum(data, "throw", self.last_throw + 1)
        self.is_closed = self.is_locked = True

    def record_missed_wager(self, data: Data) -> None:
        mended = data["mended"]
        key, cents = key_of(mended), cents_of(mended["after_cents"])
        verify_sum(mended, "before_cents", self.current.get(key, 0))
        losers = {item.wager.key for item in self.newest if item.wager.outcome == LOSE}
        if self.throws or mended.get("uncalled"):
            self.late.setdefault(key, (mended["before_cents"], len(self.throws)))
        place, was_struck = dict(self.wagers), key in self.struck
        self.struck.pop(key, None)
        if was_struck:  # it is settled as the newest wager now, and keeps its place later
            del self.wagers[key]
        self.wagers[key] = cents
        self.settle_again(data)
        self.wagers = {**place, key: cents}
        is_new_loser = any(item.wager.key == key and item.wager.outcome == LOSE for item in self.newest)
        if is_new_loser and (key not in losers or mended["before_cents"] != cents):
            self.are_losers_taken = False

    def strike_wager(self, data: Data) -> None:
        mended = data["mended"]
        key = key_of(mended)
        if key not in self.current:
            raise Bad("%s was not on the layout" % name_of(key))
        verify_sum(mended, "before_cents", self.wagers[key])
        verify_sum(mended, "after_cents", 0)
        if mended.get("uncalled"):
            self.late.setdefault(key, (mended["before_cents"], len(self.throws)))
        self.struck[key] = self.wagers[key]
        self.settle_again(data)

    # Dice

    def call_dice(self, data: Data) -> None:
        self.throw(data["dice"])
        self.verify_settlement(data)
        self.verify_raise(data, self.raise_of_throw())

    def settle_last_throw(self, data: Data) -> None:
        self.call_dice(data)
        self.verify_over()

    def settle_earlier_throw(self, data: Data) -> None:
        self.call_dice(data)
        if self.is_over:
            raise Bad("it says that another throw follows, but these dice end the round")
        self.is_closed = not self.terms.has_plays

    def verify_over(self) -> None:
        if not self.is_over:
            raise Bad("it says that no throw follows, but these dice do not end the round")

    def correct_dice(self, data: Data) -> None:
        if not self.throws:
            raise Bad("it corrects dice that were not called")
        mended = data["mended"]
        if self.dice_in_order(mended["before"]) != self.dice_in_order(self.throws[-1]):
            raise Bad(
                "it corrects %s, but the dice were %s" % (shown(mended["before"]), shown(self.throws[-1]))
            )
        if self.dice_in_order(mended["after"]) != self.dice_in_order(data["dice"]):
            raise Bad(
                "it settles %s, and its correction says %s" % (shown(data["dice"]), shown(mended["after"]))
            )
        self.throws.pop()
        self.call_dice(data)

    def verify_throw(self, type_: str, data: Data) -> None:
        """Check the number and revision of the throw that an entry settles, and whether it was settled by hand."""
        if type_ in CORRECTING:
            self.revision += 1
        else:
            first, self.last_throw = self.last_throw + 1, self.last_throw + len(data.get("throws") or [()])
            self.revision = 1
            if data["dice"]:
                self.numbers += range(first, self.last_throw + 1)
        number = self.numbers[-1] if type_ in CORRECTING else self.last_throw
        if (data["throw"], data["revision"]) != (number, self.revision):
            raise Bad(
                "it is throw %s, revision %s; due is throw %d, revision %d"
                % (printable(data["throw"]), printable(data["revision"]), number, self.revision)
            )
        self.is_by_hand = self.is_by_hand or type_ in BY_HAND
        if data["by_hand"] is not self.is_by_hand:
            raise Bad("it says that its round was%s settled by hand" % ("" if data["by_hand"] else " not"))

    def dice_in_order(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Dice as they are compared: at Three Dice Football the red one is last."""
        return (*sorted(dice[:2]), *dice[2:]) if self.terms.has_plays else tuple(sorted(dice))

    def record_by_hand(self, data: Data) -> None:
        """A round that was played on paper: the entry has every wager and every throw."""
        lines: list[SettledWager] = data["settled"]
        before = [{"seat": key[0], "wager": key[1], "cents": cents} for key, cents in self.current.items()]
        if data["mended"]["before"] != before:
            raise Bad("it replaces other wagers than those that were entered before it")
        self.wagers, self.struck = {wager.key: wager.cents for wager in lines}, {}
        settled = []
        for dice in data.get("throws") or [data["dice"]]:
            self.throw(dice)
            settled += [item.wager for item in self.newest]
        self.verify_last_dice(data)
        self.verify_over()
        verify_settled_wagers(lines, settled)
        self.verify_raise(data, net_payout(settled))

    def throw(self, dice: Sequence[int]) -> None:
        """Throw these dice, and settle what they decide."""
        current = self.current
        self.throws.append(self.terms.verify_dice(current, self.throws, dice))
        self.are_losers_taken = False
        self.decide(current)
        self.first.setdefault(len(self.throws), self.newest)

    def decide(self, wagers: Wagers) -> None:
        outcome = self.terms.outcome(wagers, self.throws)
        self.decided, self.is_over = outcome.decided, outcome.is_over
        self.newest = self.decided
        if len(self.throws) > 1:  # the first throw includes the fees
            self.newest = [item for item in self.decided if item.step >= THROW * len(self.throws)]

    def settle_again(self, data: Data) -> None:
        """Settle after a correction; without dice there is nothing to settle yet."""
        if self.throws:
            self.verify_last_dice(data)
            self.decide(self.current)
            self.verify_settlement(data)
            self.verify_raise(data, self.raise_of_throw())

    def verify_last_dice(self, data: Data) -> None:
        """Check that an entry after a throw states the dice of that throw."""
        if tuple(data["dice"]) != self.throws[-1]:
            raise Bad(
                "its dice are %s, and those of the throw were %s"
                % (shown(data["dice"]), shown(self.throws[-1]))
            )

    def verify_settlement(self, data: Data) -> None:
        verify_settled_wagers(data["settled"], [item.wager for item in self.newest])

    def call_no_roll(self, data: Data) -> None:
        self.last_throw += 1
        verify_sum(data, "throw", self.last_throw)
        self.is_closed = not self.terms.has_plays

    def return_wagers(self, data: Data) -> None:
        """End the round without a result: what the throws have not decided goes back, and fees too."""
        if data["dice"]:
            raise Bad("it has dice, and returns what no dice decided")
        places = {item.wager.key: place for place, item in enumerate(self.decided)}
        kept = {item.wager.key: item for item in self.decided if item.wager.outcome != FEE}
        returned = [
            Decided(THROW, (), SettledWager(*key, cents, RETURN, None, 0, cents, 0))
            for key, cents in self.current.items()
            if key not in kept
        ]
        self.newest = sorted(returned, key=lambda item: item.wager.seat)
        # Slips build on the order of the entries
        self.decided = sorted(
            [*kept.values(), *self.newest], key=lambda item: places.get(item.wager.key, len(places))
        )
        self.verify_settlement(data)

    # What corrections once the dice are known pay more, and what of it is held back

    def raise_of_throw(self) -> Raise:
        """What the newest throw pays beside its first settlement, without what was recorded late."""
        count = len(self.throws)
        first = self.first[count]
        if first is self.newest and not self.late:
            return NO_RAISE
        late = {key: cents for key, (cents, since) in self.late.items() if since < count}
        return raise_of(without_late(first, late), self.newest)

    def verify_raise(self, data: Data, raised: Raise) -> None:
        """Check what an entry says that its throw pays more. From which sum on it is held back, the casino says."""
        count = len(self.throws)
        before = self.raises.pop(count, NO_RAISE)
        if "raised" in data:
            stated = data["raised"]
            is_held = stated["held"]
            by_seat = tuple((amount["seat"], amount["cents"]) for amount in stated["by_seat"])
            if (stated["cents"], by_seat) != raised[:2] or type(is_held) is not bool:
                raise Bad(
                    "it says that it pays %s more than the throw at first, %s; its wagers give %d, %s"
                    % (printable(stated["cents"]), to_seats(by_seat), raised.cents, to_seats(raised.by_seat))
                )
            if (raised.cents, is_held) == (0, True):
                raise Bad("it holds back what it does not raise")
            raised = raised._replace(is_held=is_held)
        elif raised[:2] != before[:2]:
            self.has_unstated_raise = True
            return
        else:
            raised = before
        if raised.cents:
            self.raises[count] = raised

    def held_of_throw(self, count: int) -> dict[int, int]:
        """What is held back of a throw, by seat."""
        raised = self.raises.get(count, NO_RAISE)
        return dict(raised.by_seat) if raised.is_held else {}

    @property
    def held(self) -> dict[int, int]:
        """What is held back of the round, by seat, lowest first."""
        held: dict[int, int] = {}
        for count in self.raises:
            for seat, cents in self.held_of_throw(count).items():
                held[seat] = held.get(seat, 0) + cents
        return dict(sorted(held.items()))

    def held_winnings(self) -> dict[WagerKey, int]:
        """How much of each winning wager of the newest throw is held back: of a seat's largest first."""
        left, by_wager = self.held_of_throw(len(self.throws)), {}
        winners = [item.wager for item in self.newest if item.wager.outcome == WIN]
        for wager in sorted(winners, key=lambda winner: -winner.paid):
            cents = min(left.get(wager.seat, 0), wager.paid)
            if cents:
                left[wager.seat] -= cents
                by_wager[wager.key] = cents
        return by_wager

    def held_in_tray(self, paid: set[WagerKey]) -> int:
        """What the tray still has of what is recorded as paid: all of earlier throws, of the newest what was paid.

        A stake that is held back is put into the tray with the winnings of its seat.
        """
        newest, by_wager = self.held_of_throw(len(self.throws)), self.held_winnings()
        done = {key: cents for key, cents in by_wager.items() if key in paid}
        stakes = dict(newest)
        for key, cents in by_wager.items():
            stakes[key[0]] -= cents
        earlier = sum(self.held.values()) - sum(newest.values())
        return earlier + sum(done.values()) + sum(stakes[seat] for seat in {key[0] for key in done})

    def verify_held(self, data: Data, paid: Iterable[SettledWager]) -> None:
        """Check how much of a payment was held back. The field is absent where nothing was."""
        held = 0
        if self.raises:
            by_wager = self.held_winnings()
            held = sum(by_wager.get(wager.key, 0) for wager in paid)
        if held or "held_cents" in data:
            verify_sum({"held_cents": 0, **data}, "held_cents", held)

    # Money

    def verify_fees(self, data: Data) -> None:
        verify_sum(data, "fees_cents", sum(self.fees.values()))
        if data["seats"] != sorted(key[0] for key in self.fees):
            raise Bad("its seats are not those that bought an Extra Roll")

    def collect_fees(self, data: Data) -> None:
        self.verify_fees(data)
        if self.are_fees_collected:
            raise Bad("the fees of its round were collected before")
        self.are_fees_collected = True

    def take_losers(self, data: Data) -> None:
        if self.are_losers_taken:
            raise Bad("the losing wagers of its round were taken before")
        verify_sum(data, "taken_cents", self.taken_cents)
        self.are_losers_taken = True

    @property
    def unpaid(self) -> list[SettledWager]:
        return [
            item.wager
            for item in self.newest
            if item.wager.outcome == WIN and item.wager.key not in self.paid
        ]

    def pay_winners(self, data: Data) -> None:
        seats, code = data["seats"], data.get("wager", "")
        due = [wager for wager in self.unpaid if code in ("", wager.code)]
        verify_seats(seats, {wager.seat for wager in due})
        paid = [wager for wager in due if wager.seat in seats]
        verify_sum(data, "paid_cents", sum(wager.paid for wager in paid))
        self.verify_held(data, paid)
        self.paid.update(wager.key for wager in paid)

    @property
    def next_step(self) -> int:
        """The step of the newest throw that is to be settled next; 0 if there is none."""
        first_step = THROW * len(self.throws)
        steps = (item.step for item in self.newest if item.step >= first_step and item.step > self.step)
        return min(steps, default=0)

    def settle_seats(self, data: Data) -> None:
        step, seats = self.next_step, data["seats"]
        verify_sum(data, "throw", self.last_throw)
        wagers = [item.wager for item in self.newest if item.step == step and step]
        due = {wager.seat for wager in wagers} - self.seats_of_step
        verify_seats(seats, due)
        settled = [wager for wager in wagers if wager.seat in seats]
        verify_sum(data, "taken_cents", taken_cents(settled))
        verify_sum(data, "paid_cents", sum(wager.paid for wager in settled))
        self.verify_held(data, settled)
        self.seats_of_step.update(seats)
        if due == set(seats):
            self.step, self.seats_of_step = step, set()

    def clear(self, data: Data) -> None:
        self.verify_over()
        verify_sum(data, "taken_cents", self.taken_cents)
        verify_sum(data, "paid_cents", self.paid_cents)
        if self.terms.has_steps:
            is_left = bool(self.next_step)
        else:
            has_losers = any(item.wager.outcome == LOSE for item in self.newest)
            is_left = bool(self.unpaid) or (has_losers and not self.are_losers_taken)
        if is_left:
            raise Bad("it clears a layout on which wagers are not settled yet")

    def hand_back(self, data: Data) -> None:
        """Check chips that were handed back after a round without a result."""
        returned = [item.wager for item in self.decided if item.wager.outcome == RETURN]
        verify_seats(data["seats"], {wager.seat for wager in returned} - self.handed_back)
        cents = sum(wager.cents for wager in returned if wager.seat in data["seats"])
        verify_sum(data, "returned_cents", cents)
        self.handed_back.update(data["seats"])

    def change_nothing(self, data: Data) -> None:
        """An entry that belongs to the round and moves no money."""

    def report_failure(self, data: Data) -> None:
        if "dice" in data:
            self.verify_last_dice(data)


HANDLERS: dict[str, Handler] = {
    "wagers.placed": Round.place,
    "bets.closed": Round.close,
    "dice.thrown": Round.throw_dice,
    "wager.missed": Round.record_missed_wager,
    "wager.struck": Round.strike_wager,
    "throw.settled": Round.settle_earlier_throw,
    "round.settled": Round.settle_last_throw,
    "round.settled_by_hand": Round.call_dice,
    "round.recorded_by_hand": Round.record_by_hand,
    "dice.corrected": Round.correct_dice,
    "throw.no_roll": Round.call_no_roll,
    "round.no_roll": Round.return_wagers,
    "round.voided": Round.return_wagers,
    "extra_rolls.locked_out": Round.verify_fees,
    "fees.collected": Round.collect_fees,
    "losers.taken": Round.take_losers,
    "winners.paid": Round.pay_winners,
    "seats.settled": Round.settle_seats,
    "layout.cleared": Round.clear,
    "device.failed": Round.report_failure,
    **dict.fromkeys(
        ("dice.offered", "dice.shaken", "dice.moved", "dice.gathered", "dice.drawn"), Round.change_nothing
    ),
}
SETTLING = {
    type_ for type_ in HANDLERS if type_.startswith(("round.", "throw.settled", "wager.", "dice.corr"))
}
MOVING = {*SETTLING, "winners.paid", "seats.settled"}


# What a correction pays more


class Raise(NamedTuple):
    """What a throw pays more than at first: to all seats, and by seat what of it can be held back."""

    cents: int = 0
    by_seat: tuple[tuple[int, int], ...] = ()
    is_held: bool = False


NO_RAISE = Raise()


Lines = dict[WagerKey, SettledWager]


def raise_of(before: Lines, after: Iterable[Decided]) -> Raise:
    """What the second settlement of a throw is worth more to each seat. A stake that is gone cannot be held back."""
    worth: dict[int, int] = {}
    freed: dict[int, int] = {}
    lines = {item.wager.key: item.wager for item in after}
    for key in {**before, **lines}:
        seat, first, second = key[0], before.get(key), lines.get(key)
        worth[seat] = worth.get(seat, 0) + (second.worth if second else 0) - (first.worth if first else 0)
        if first and first.outcome in (LOSE, FEE):
            freed[seat] = freed.get(seat, 0) + max(0, first.cents - (second.cents if second else 0))
    raised = {seat: cents for seat, cents in sorted(worth.items()) if cents > 0}
    by_seat = [(seat, cents - freed.get(seat, 0)) for seat, cents in raised.items()]
    return Raise(sum(raised.values()), tuple((seat, cents) for seat, cents in by_seat if cents > 0))


def without_late(items: Iterable[Decided], late: Mapping[WagerKey, int]) -> Lines:
    """The wagers of a settlement with the stakes that they had before they were recorded late."""
    lines: Lines = {}
    for item in items:
        wager = item.wager
        cents = min(late.get(wager.key, wager.cents), wager.cents)
        if cents:
            paid, returned = wager.paid * cents // wager.cents, wager.returned * cents // wager.cents
            lines[wager.key] = wager._replace(cents=cents, paid=paid, returned=returned)
    return lines


def net_payout(lines: Iterable[SettledWager]) -> Raise:
    """A round on paper as a raise: what it pays in all, and what each seat gains by it."""
    worth: dict[int, int] = {}
    for wager in lines:
        worth[wager.seat] = worth.get(wager.seat, 0) + wager.worth
    net = sum(worth.values())
    if net <= 0:
        return NO_RAISE
    return Raise(net, tuple((seat, cents) for seat, cents in sorted(worth.items()) if cents > 0))


def to_seats(by_seat: Iterable[tuple[int, int]]) -> str:
    return amounts([{"seat": seat, "cents": cents} for seat, cents in by_seat])


# Amounts


def taken_cents(wagers: Iterable[SettledWager]) -> int:
    """What the house keeps of the stakes: lost wagers, and fees."""
    return sum([wager.cents for wager in wagers if wager.outcome in (LOSE, FEE)])


def key_of(item: Mapping[str, Any]) -> WagerKey:
    seat, code, play = item["seat"], item["wager"], item.get("play") or None
    if type(seat) is not int or not isinstance(code, str) or not (play is None or type(play) is int):
        raise TypeError("a wager has a seat and a code")
    return seat, code, play


def cents_of(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("an amount is in whole cents")
    return value


def verify_settled_wagers(stated: list[SettledWager], given: list[SettledWager]) -> None:
    """Compare the wagers that an entry settles with those that its terms give, in order."""
    if stated == given:
        return
    missing = {wager.key: wager for wager in given}
    if len({wager.key for wager in stated}) != len(stated):
        raise Bad("it settles a wager twice")
    for wager in stated:
        expected = missing.pop(wager.key, None)
        if expected is None:
            raise Bad("it settles %s, which is not to be settled here" % wager.name)
        if wager != expected:
            raise Bad(
                "it settles %s: %s; its terms give %s" % (wager.name, ending_of(wager), ending_of(expected))
            )
    for wager in missing.values():
        raise Bad("it does not settle %s: its terms give %s" % (wager.name, ending_of(wager)))
    raise Bad("its wagers are not in the order of settlement")


def ending_of(wager: SettledWager) -> str:
    """How a wager ended, in words."""
    words = "%d cents %s" % (wager.cents, wager.outcome)
    if wager.outcome == WIN:
        words += " %d at %s" % (wager.paid, wager.pays)
    return words + (", less %d by the payout limit" % wager.cut if wager.cut else "")


def verify_sum(data: Data, name: str, cents: int) -> None:
    if data[name] != cents or type(data[name]) is not int:
        raise Bad("its %s is %s, and the entries and terms give %d" % (name, printable(data[name]), cents))


def verify_seats(seats: Any, due: set[int]) -> None:
    """Check that each seat is named once, and is due something."""
    if len(set(seats)) != len(seats) or not set(seats) <= due:
        raise Bad("it names the seats %s, and due are %s" % (shown(seats), shown(sorted(due))))


def verify_totals(data: Data, wagers: Sequence[SettledWager]) -> None:
    verify_sum(data, "taken_cents", taken_cents(wagers))
    verify_sum(data, "paid_cents", sum(wager.paid for wager in wagers))
    verify_sum(data, "returned_cents", sum(wager.returned for wager in wagers))


def counted_cents(data: Data, name: str = "") -> int:
    """The value of counted chips, which their entry states too. `name` begins the names of both fields."""
    cents: int = sum(int(value) * number for value, number in data[name + "chips"].items())
    verify_sum(data, name + "cents", cents)
    return cents


def amounts(items: Any) -> str:
    """Amounts of seats, in words."""
    return ", ".join("%s to seat %s" % (item["cents"], item["seat"]) for item in items) or "nothing"


def shown(numbers: Iterable[Any]) -> str:
    return ", ".join(map(printable, numbers)) or "none"


# ---------------------------------------------------------------------------------------------------------------------
# Error Notification Slips


class FiledSlip:
    """A slip: its kind, what is due, the review that it waits for, who signed it, and what became of it."""

    def __init__(self, kind: str, due: list[Data], data: Data, signers: Sequence[str], place: Place) -> None:
        self.kind, self.due, self.place = kind, due, place
        self.review: Data | None = data.get("review")
        self.is_held = "held" in data
        self.signers = set(signers)
        self.verdict = ""
        self.reviewer = ""
        self.waits_for_money = bool(due)
        self.moved: dict[int, int] = {}

    @property
    def comes_review_first(self) -> bool:
        return self.review is not None and self.review["before_money"] is True

    def agree(self, data: Data, signers: Sequence[str]) -> None:
        """Check the review of this slip: it waits for one, and nobody who signed it reviews it."""
        if self.review is None or self.verdict:
            raise Bad("%s does not wait for a review" % printable(data["slip"]))
        if data["filed"] != self.place.as_data:
            raise Bad("it does not name the entry that filed its slip, number %d" % self.place.seq)
        if data["due_at"] != self.review["due_at"]:
            raise Bad("its review was due at %s" % printable(self.review["due_at"]))
        if not signers or self.signers & set(signers):
            raise Bad("a slip is reviewed by somebody who did not sign it")
        if data["verdict"] not in ("agrees", "differs"):
            raise Bad("a review agrees or differs")
        if data["verdict"] == "differs" and not data["reason"]:
            raise Bad("its review differs and does not say why")
        self.verdict, self.reviewer = data["verdict"], signers[0]

    def verify_may_settle(self, moved: Iterable[int], signers: Sequence[str]) -> None:
        """Check that no money moves before a review that comes first, or against one; by two, and not the reviewer."""
        has_moved = any(moved)
        if (has_moved or self.is_held) and self.comes_review_first and not self.verdict:
            raise Bad("it settles a slip before its review, which comes before any money moves")
        if has_moved and self.verdict == "differs":
            raise Bad("it moves money of a slip whose review differs")
        if self.reviewer in signers:
            raise Bad("%s reviewed the slip, and signs its money" % printable(self.reviewer))
        self.signers |= set(signers)


class Slips:
    """The Error Notification Slips of a round. Each builds on the one before it: `lines` and `throws` after it."""

    def __init__(self, round_: Round) -> None:
        self.round, self.terms = round_, round_.terms
        self.lines = [item.wager for item in round_.decided]
        self.throws = list(round_.throws)
        self.filed: dict[str, FiledSlip] = {}
        # A slip, and the chips that its review must agree are gone.
        self.withheld: tuple[str, int] | None = None

    def file(self, data: Data, signers: Sequence[str], place: Place) -> int:
        """Check a slip. Returns how much more the tray holds from now on than the record says until it, in cents."""
        before, kind, mended = self.lines, data["kind"], data["mended"]
        verify_totals(data["before"], before)
        if kind == "dice":
            nth = [throw["throw"] for throw in data["throws"]].index(mended["throw"])
            if tuple(mended["before"]) != self.throws[nth]:
                raise Bad(
                    "it corrects %s, but the dice were %s"
                    % (shown(mended["before"]), shown(self.throws[nth]))
                )
            self.throws[nth] = tuple(mended["after"])
        throws = [(throw["throw"], tuple(throw["dice"])) for throw in data["throws"]]
        if throws != [*zip(self.round.numbers, self.throws)]:  # noqa: B905 (Python 3.9)
            raise Bad("its throws are not those of the round with its correction")
        self.lines = self.settled_again(kind, mended)
        verify_settled_wagers(data["settled"], self.lines)
        due = self.due(kind, mended, before)
        if data["due"] != due:
            raise Bad("it says that %s is due, and its terms give %s" % (amounts(data["due"]), amounts(due)))
        corrected = data["corrects"]
        if self.round.moving.get(corrected["seq"], b"").decode() != corrected["hash"]:
            raise Bad("it does not name an entry that settles or pays its round")
        self.round.moving[place.seq] = place.hash_hex
        if data["played_on"] != self.round.day:
            raise Bad("its round was played on %s" % printable(self.round.day))
        slip = FiledSlip(kind, due, data, signers, place)
        if slip.is_held:
            self.verify_held(slip, data)
        cents = self.elsewhere(kind, mended, before, due) + (self.withheld[1] if self.withheld else 0)
        self.filed[data["slip"]], self.withheld = slip, None
        if slip.review is not None:
            verify_review_sum(slip.review, max(sum(abs(amount["cents"]) for amount in due), abs(cents)))
        states_elsewhere = "elsewhere_cents" in data or (cents and "sum_cents" in (slip.review or ()))
        if states_elsewhere:
            verify_sum({"elsewhere_cents": 0, **data}, "elsewhere_cents", cents)
            if cents < 0 and slip.comes_review_first:
                self.withheld = data["slip"], cents
                return 0
        return cents

    def verify_held(self, slip: FiledSlip, data: Data) -> None:
        """Check the slip that follows from a round of which something was held back."""
        held = self.round.held
        owed = [{"cents": cents, "seat": seat} for seat, cents in held.items()]
        if slip.due != owed:
            raise Bad("%s was held back of its round, and %s is due" % (amounts(owed), amounts(slip.due)))
        for item in data["mended"]["payments"]:
            paid = sum(wager.paid for wager in self.lines if wager.seat == item["seat"])
            verify_sum(item, "handed_paid_cents", paid - min(paid, held[item["seat"]]))
        if not slip.comes_review_first:
            raise Bad("what was held back of a round moves only after a review")
        if data["held"] != self.round.raised_by:
            raise Bad("it does not name the entry that raised what its round pays, and who signed that")
        slip.signers = {data["held"]["actor"], data["held"]["witness"]}

    def review(self, data: Data, signers: Sequence[str]) -> int:
        """Check a review. Returns the chips that are off the tray, as a negative sum, now that somebody agrees that
        they are gone.
        """
        if data["slip"] not in self.filed:
            raise Bad("no slip of this round is %s" % printable(data["slip"]))
        self.filed[data["slip"]].agree(data, signers)
        if data["verdict"] != "agrees" or self.withheld is None or self.withheld[0] != data["slip"]:
            return 0
        cents, self.withheld = self.withheld[1], None
        return cents

    @property
    def waiting(self) -> list[str]:
        """By when each slip is reviewed that nobody has reviewed yet."""
        slips = self.filed.values()
        return [slip.review["due_at"] for slip in slips if slip.review is not None and not slip.verdict]

    def settled_again(self, kind: str, mended: Data) -> list[SettledWager]:
        """The whole round with the correction."""
        wagers = {wager.key: wager.cents for wager in self.lines}
        if kind == "payment":
            return self.lines
        if kind == "void":
            return [SettledWager(*key, cents, RETURN, None, 0, cents, 0) for key, cents in wagers.items()]
        for item in mended["wagers"] if kind == "wager" else ():
            key = key_of(item)
            verify_sum(item, "before_cents", wagers.get(key, 0))
            if cents_of(item["after_cents"]):
                wagers[key] = item["after_cents"]
            else:
                wagers.pop(key, None)
        for place, dice in enumerate(self.throws):
            self.terms.verify_dice(wagers, self.throws[:place], dice)
        outcome = self.terms.outcome(wagers, self.throws)
        if not outcome.is_over or len(outcome.decided) != len(wagers):
            raise Bad("with its correction the round does not end with its last throw")
        return [item.wager for item in outcome.decided]

    def due(self, kind: str, mended: Data, before: list[SettledWager]) -> list[Data]:
        """What each seat is owed, lowest seat first, without seats that are owed nothing."""
        owed: dict[int, int] = {}
        if kind == "payment":
            for item in mended["payments"]:
                wagers = [wager for wager in before if wager.seat == item["seat"]]
                paid, taken = sum(wager.paid for wager in wagers), taken_cents(wagers)
                verify_sum(item, "settled_paid_cents", paid)
                verify_sum(item, "settled_taken_cents", taken)
                owed[item["seat"]] = paid - item["handed_paid_cents"] + item["handed_taken_cents"] - taken
        else:
            for sign, wagers in ((-1, before), (1, self.lines)):
                for wager in wagers:
                    owed[wager.seat] = owed.get(wager.seat, 0) + sign * wager.worth
            for item in mended["wagers"] if kind == "wager" else ():
                owed[item["seat"]] = owed.get(item["seat"], 0) + chips_elsewhere(item, before)
        return [{"cents": cents, "seat": seat} for seat, cents in sorted(owed.items()) if cents]

    def elsewhere(self, kind: str, mended: Data, before: list[SettledWager], due: list[Data]) -> int:
        """How much more the tray holds than the record says: what is due beyond the difference of the settlements."""
        wins = [taken_cents(wagers) - sum(wager.paid for wager in wagers) for wagers in (before, self.lines)]
        seats = {item["seat"] for item in mended["payments"]} if kind == "payment" else set()
        not_handed = sum(cents for seat, cents in self.not_handed().items() if seat in seats)
        due_cents: int = sum(amount["cents"] for amount in due)
        return due_cents - (wins[0] - wins[1]) - not_handed

    def not_handed(self) -> dict[int, int]:
        """What settled slips owed to each seat and nobody handed over. A slip about payments states the whole sum."""
        owed: dict[int, int] = {}
        for _code, slip in sorted(self.filed.items()):
            for amount in slip.due if slip.moved else ():
                seat = amount["seat"]
                earlier = 0 if slip.kind == "payment" else owed.get(seat, 0)
                owed[seat] = earlier + amount["cents"] - slip.moved[seat]
        return owed

    def settle(self, data: Data, signers: Sequence[str]) -> int:
        """Check what a slip moved. Returns what the tray paid out, in cents."""
        slip = self.filed.get(data["slip"])
        if slip is None or not slip.waits_for_money:
            raise Bad("no slip of this round waits as %s" % printable(data["slip"]))
        due = slip.due
        if data["due"] != due:
            raise Bad("it says that %s is due, and its filing says %s" % (amounts(data["due"]), amounts(due)))
        if data["corrects"] != slip.place.as_data:
            raise Bad("it does not name the entry that filed its slip, number %d" % slip.place.seq)
        moved = {amount["seat"]: amount["cents"] for amount in data["moved"]}
        for amount in due:
            seat, cents = amount["seat"], amount["cents"]
            if not min(0, cents) <= moved.get(seat, cents + 1) <= max(0, cents):
                raise Bad("it moved %s, and due is %s" % (amounts(data["moved"]), amounts(due)))
        if len(data["moved"]) != len(due):
            raise Bad("it moved %s, and due is %s" % (amounts(data["moved"]), amounts(due)))
        if data["moved"] != due and not data["reason"]:
            raise Bad("it moved less than is due and does not say why")
        slip.verify_may_settle(moved.values(), signers)
        slip.waits_for_money, slip.moved = False, moved
        return sum(moved.values())


def verify_review_sum(review: Data, least: int) -> None:
    """Check that the sum which decided about a review is no less than that of its slip. Older entries lack it."""
    if review.get("sum_cents", least) < least or type(review["before_money"]) is not bool:
        raise Bad("its review is of %s, and the slip itself of %d" % (printable(review["sum_cents"]), least))


def chips_elsewhere(item: Data, before: list[SettledWager]) -> int:
    """What a seat is owed because the chips of a corrected wager went elsewhere than the record says."""
    is_taken = any(wager.key == key_of(item) and wager.outcome in (LOSE, FEE) for wager in before)
    recorded: int = item["before_cents"] if is_taken else 0
    if item["chips"] == "house":
        return int(item["after_cents"] or item["before_cents"]) - recorded
    return -recorded if item["chips"] == "player" else 0


# ---------------------------------------------------------------------------------------------------------------------
# The chips of a table: its tray, fills and credits, drop boxes, and the counts that differ


class Tray:
    """The chips of a table from an opener to its closer, by the entries. `cents` is None while that is not known.

    `inventory` and `closer` are the number of the newest inventory and its closer, None while they are not known.
    """

    def __init__(self, is_from_start: bool) -> None:
        self.cents: int | None = None
        self.sums: dict[str, int] = {}
        self.rounds_before = 0
        self.inventory: int | None = 0 if is_from_start else None
        self.closer: Data | None = None

    def open(self, data: Data, last_round: int) -> None:
        cents = counted_cents(data)
        if self.inventory is not None:
            verify_sum(data, "inventory", self.inventory + 1)
            if data["closer"] != self.closer:
                raise Bad("its closer is not the one that was counted last")
        self.inventory, closer = data["inventory"], data["closer"]
        difference = cents - counted_cents(closer) if closer else 0
        verify_sum(data, "difference_cents", difference)
        self.cents, self.rounds_before = cents, last_round
        self.sums = dict.fromkeys(("fills", "credits", "sold", "taken", "paid", "corrected"), 0)
        self.sums["opener"] = cents

    def verify_inventory(self, data: Data) -> None:
        """Check that an entry is of the inventory that is open."""
        if self.inventory is not None:
            verify_sum(data, "inventory", self.inventory)

    def add(self, name: str, cents: int, sign: int = 1) -> None:
        """Add to a sum; chips of it come into the tray (1) or leave it (-1)."""
        if self.cents is not None:
            self.sums[name] += cents
            self.cents += sign * cents

    def add_round(self, taken: int, paid: int) -> None:
        self.add("taken", taken)
        self.add("paid", paid, -1)

    def count(self, data: Data, moved: int) -> None:
        """Check a count of the tray; `moved` is what the round in play has moved so far."""
        cents = counted_cents(data)
        self.verify_inventory(data)
        if self.cents is not None:
            verify_sum(data, "exact_cents", self.cents + moved)
        verify_sum(data, "difference_cents", cents - data["exact_cents"])

    def close(self, data: Data, moved: int) -> None:
        self.count(data, moved)
        if self.cents is not None:
            for name, cents in self.sums.items():
                verify_sum(data, name + "_cents", cents)
        self.cents = None
        self.inventory = data["inventory"]
        self.closer = {name: data[name] for name in ("inventory", "chips", "cents")}


class Transfers:
    """The fills and credits of a table: each step is taken once, with the chips that were requested."""

    def __init__(self, is_from_start: bool) -> None:
        self.is_from_start = is_from_start
        self.last: int | None = 0 if is_from_start else None
        self.steps: dict[int, str] = {}  # how far each one is
        self.stated: dict[int, Data] = {}  # what each entry of it repeats
        self.carriers: dict[int, str] = {}
        self.refused: dict[int, int] = {}

    def read(self, entry: Entry) -> None:
        """Check one entry of a fill or a credit."""
        data, step = entry.data, entry.type.partition(".")[2]
        counted_cents(data)
        number = data["transfer"]
        stated = {name: data[name] for name in ("kind", "slip", "chips", "cents")}
        if step == "requested":
            if self.last is not None:
                verify_sum(data, "transfer", self.last + 1)
            self.last = number
        elif number not in self.steps:
            if self.last is not None and number > self.last:
                raise Bad("no fill or credit %s was requested" % printable(number))
            self.stated[number], self.steps[number] = stated, STEP_BEFORE.get(step, data.get("was", ""))
        if step == "requested" or (step == "prepared" and data["slip"]):
            self.stated[number] = {**self.stated.get(number, stated), "slip": data["slip"]}
        if stated != self.stated[number] or (data["slip"] is None) != (step in ("requested", "canceled")):
            raise Bad("it is another slip, or has other chips, than the entry before it about %d" % number)
        before = self.steps.get(number, "")
        due = STEP_BEFORE[step] if step in STEP_BEFORE else data["was"]
        if due != before or (step in ("voided", "canceled") and due not in WAS[step]):
            raise Bad("it is %s, and the entry before it about %d was %s" % (step, number, before or "none"))
        self.read_step(step, data, entry.signers, number)

    def verify_slip(self, slip: Any, chips: Any) -> None:
        """Check the slip that an entry names, and its chips."""
        stated = [one["chips"] for one in self.stated.values() if one["slip"] == slip]
        if stated != [chips] and (stated or self.is_from_start):
            raise Bad("no slip %s has these chips" % printable(slip))

    @property
    def under_way(self) -> list[int]:
        return [number for number, step in self.steps.items() if step in UNDER_WAY]

    def read_step(self, step: str, data: Data, signers: Sequence[str], number: int) -> None:
        if step == "carrier_signed":
            self.carriers[number] = data["carrier"]
            if data["kind"] != "credit" or data["carrier"] not in signers:
                raise Bad("the carrier of a credit signs for it")
        elif step == "handed_over":
            is_signed = data["carrier"] in signers if data["kind"] == "fill" else True
            if not is_signed or self.carriers.get(number, data["carrier"]) != data["carrier"]:
                raise Bad("its carrier did not sign for it")
        elif step == "count_refused":
            self.refused[number] = self.refused.get(number, 0) + 1
            counted_cents(data, "counted_")
            verify_sum(data, "refused_counts", self.refused[number])
            if data["agrees"] is not (without_zeros(data["counted_chips"]) == without_zeros(data["chips"])):
                raise Bad("it says whether the count agrees with the slip, and is wrong")
        elif step == "voided" and data["was"] == ON_THE_WAY and len(signers) < 2:
            raise Bad("chips that were on their way go back by two signatures")
        self.steps[number] = STEP_AFTER.get(step, self.steps.get(number, ""))


ON_THE_WAY = "on-the-way"
UNDER_WAY = ("requested", "preparing", ON_THE_WAY)
STEP_BEFORE = {
    "requested": "",
    "prepared": "requested",
    "carrier_signed": "preparing",
    "handed_over": "preparing",
    "count_refused": ON_THE_WAY,
    "received": ON_THE_WAY,
}
STEP_AFTER = {
    "requested": "requested",
    "prepared": "preparing",
    "handed_over": ON_THE_WAY,
    "received": "received",
    "voided": "voided",
    "canceled": "canceled",
}
WAS = {"voided": ("preparing", ON_THE_WAY), "canceled": ("requested",)}


def without_zeros(chips: Mapping[str, int]) -> dict[str, int]:
    return {chip: number for chip, number in chips.items() if number}


class DropBoxes:
    """The drop boxes of a table, and the cash that went into each by the record; None where that is not known."""

    def __init__(self, is_from_start: bool) -> None:
        self.last: int | None = 0 if is_from_start else None
        self.on: Data | None = None
        self.is_known = is_from_start
        self.sold = 0
        self.off: dict[int, Data] = {}  # taken off and not counted

    def sell(self, data: Data) -> None:
        if data["chips"]:
            counted_cents(data)
        if self.is_known and (self.on is None or self.on["drop_box"] != data["drop_box"]):
            raise Bad("its drop box %s is not on the table" % printable(data["drop_box"]))
        self.sold += data["cents"]

    def put_on(self, data: Data) -> None:
        if self.on is not None:
            raise Bad("another drop box is on the table")
        if self.last is not None:
            verify_sum(data, "drop_box", self.last + 1)
        self.last, self.on, self.is_known, self.sold = data["drop_box"], data, True, 0

    def take_off(self, data: Data) -> None:
        if self.is_known:
            if self.on is None or any(data[name] != self.on[name] for name in self.on):
                raise Bad("this drop box is not on the table")
            verify_sum(data, "sold_cents", self.sold)
        self.on, self.is_known, self.off[data["drop_box"]] = None, True, data

    def count(self, data: Data) -> None:
        box = self.off.pop(data["drop_box"], None)
        if box is None and self.last is not None:
            raise Bad("drop box %s was not taken off, or was counted before" % printable(data["drop_box"]))
        if box is not None and any(data[name] != box[name] for name in box):
            raise Bad("it is another drop box, or its sold_cents are not those at which it was taken off")
        verify_sum(data, "difference_cents", data["cents"] - data["sold_cents"])


class Discrepancies:
    """The counts that differ from the record: each is followed by an entry that says so."""

    def __init__(self, is_from_start: bool) -> None:
        self.last: int | None = 0 if is_from_start else None
        self.due: tuple[str, int, int] | None = None  # its cause, what was expected and what was counted
        self.drop_box: int | None = None  # the newest one that was counted

    def expect(self, cause: str, expected: int, counted: int, drop_box: int | None) -> None:
        """A count was recorded; if it differs, the entry that says so follows."""
        self.drop_box = drop_box
        if expected != counted:
            self.due = cause, expected, counted

    def read(self, data: Data, tray: Tray, transfers: Transfers) -> None:
        if self.last is not None:
            verify_sum(data, "discrepancy", self.last + 1)
        self.last = data["discrepancy"]
        cause, expected, counted = data["cause"], data["expected_cents"], data["counted_cents"]
        for name in ("expected_", "counted_"):
            if data[name + "chips"]:
                counted_cents(data, name)
        verify_sum(data, "difference_cents", counted - expected)
        if cause == "transfer":
            transfers.verify_slip(data["slip"], data["expected_chips"])
        elif data["slip"] is not None or (
            (cause, expected, counted) != self.due and not self.may_be_even(cause)
        ):
            raise Bad("it does not follow from a count that differs so")
        if cause not in ("transfer", "drop"):
            tray.verify_inventory(data)
        if data["drop_box"] != (self.drop_box if cause == "drop" else None):
            raise Bad("it names a drop box that was not counted")
        self.due = None

    def may_be_even(self, cause: str) -> bool:
        """Whether chips may differ though their sums agree: an opener is compared chip by chip."""
        return cause == "opener" and self.due is None

    def verify_stated(self) -> None:
        """Check that the entry about a count that differs follows it."""
        if self.due is not None:
            raise Bad(
                "a count of %d where %d were expected is followed by no discrepancy"
                % (self.due[2], self.due[1])
            )


# ---------------------------------------------------------------------------------------------------------------------
# A table: its rounds, slips and chips in the order of its entries

BEGAN_BEFORE = "that began before this export"
NO_TERMS = "whose terms are not in this export"
UNREADABLE_TERMS = "whose terms this program cannot read"
UNNAMED = "whose entries do not name them"
UNSTATED_TERMS = "whose entries name no terms"
DISCREPANCY = "inventory.discrepancy"
COUNT_CAUSES = {
    "inventory.opener_counted": "opener",
    "inventory.counted": "count",
    "inventory.closer_counted": "closer",
    "drop_box.counted": "drop",
}
TRAY_TYPES = {
    *COUNT_CAUSES,
    DISCREPANCY,
    "par.set",
    "chips.sold",
    "drop_box.put_on",
    "drop_box.taken_off",
    *("transfer." + step for step in (*STEP_BEFORE, *WAS)),
}
SIGNED_BY_TWO = {
    "inventory.opener_counted",
    "inventory.counted",
    "inventory.closer_counted",
    "transfer.handed_over",
    "transfer.received",
    "drop_box.put_on",
    "drop_box.taken_off",
    "drop_box.counted",
    FILED,
    SLIP_SETTLED,
}
PLACED_TYPES = {*MOVING, FILED}  # later entries name these by number and hash
NOWHERE = Place(0, b"")
TABLE_TYPES = {*HANDLERS, *TRAY_TYPES, FILED, SLIP_REVIEWED, SLIP_SETTLED, RETURNED}


class Settlements:
    """What was settled again in all streams, and what was not, by the reason."""

    def __init__(self) -> None:
        self.rounds = self.slips = self.trays = 0
        self.not_settled: dict[str, int] = {}  # rounds, by the reason
        self.other_slips = self.other_trays = 0
        self.unstated_raises = self.unreviewed = self.overdue = self.unpaid = 0

    def merge(self, other: Settlements) -> None:
        """Add what another process counted."""
        for name, count in vars(other).items():
            if name != "not_settled":
                setattr(self, name, getattr(self, name) + count)
        for reason, count in other.not_settled.items():
            self.leave_out(reason, count)

    def leave_out(self, reason: str, count: int = 1) -> None:
        self.not_settled[reason] = self.not_settled.get(reason, 0) + count

    def lines(self) -> Iterator[str]:
        """Yield what was settled again by the terms in the export, and what was not."""
        if self.rounds or self.slips or self.trays:
            yield (
                "settled again by their terms: %d rounds, %d slips; %d counts of trays agree with their sums"
                % (self.rounds, self.slips, self.trays)
            )
        for reason, count in sorted(self.not_settled.items()):
            yield "NOT SETTLED: %d rounds %s" % (count, reason)
        if self.other_slips:
            yield "NOT SETTLED: %d slips about rounds that were not settled" % self.other_slips
        if self.other_trays:
            yield (
                "NOT CHECKED: %d counts of trays whose opener is not in this export, or whose rounds are not settled"
                % (self.other_trays)
            )
        if self.unstated_raises:
            yield (
                "NOT CHECKED: %d corrections that pay more than the dice at first, and do not say what of it was held"
                " back, as before that was recorded" % self.unstated_raises
            )
        if self.unreviewed:
            yield (
                "NOT REVIEWED: %d slips that wait for their review, which was due before the end of this export for %d"
                % (self.unreviewed, self.overdue)
            )
        if self.unpaid:
            yield "NOT MOVED: what %d slips say is due" % self.unpaid


class TableReader:
    """Settles the rounds of one stream again, in order. `slip_rounds` are the rounds that later slips are about."""

    def __init__(
        self,
        is_from_start: bool,
        slip_rounds: set[int],
        terms: Mapping[str, Terms | None],
        result: Settlements,
    ) -> None:
        self.is_from_start, self.slip_rounds = is_from_start, slip_rounds
        self.terms, self.result = terms, result
        self.in_force: str | None = None  # the terms of the next round, once an entry states them
        self.round: Round | None = None  # the newest one that can be settled
        self.number = 0  # of the newest round, settled or not
        self.reason = ""  # why the newest round is not settled
        self.has_settled = self.has_ended = False  # the newest round
        self.kept: dict[int, Round] = {}
        self.tray, self.transfers = Tray(is_from_start), Transfers(is_from_start)
        self.boxes, self.discrepancies = DropBoxes(is_from_start), Discrepancies(is_from_start)
        self.last_slip = 0 if is_from_start else None
        self.slips: dict[str, int] = {}  # the rounds that slips are about
        self.has_failed = False  # since the newest round on paper
        self.awaited: Round | None = None  # a round that ended, and whose slip of what was held back follows
        self.states_raises = False  # whether entries say what is paid more once the dice are known
        self.moment = ""

    def read(self, entry: Entry, place: Place) -> None:
        """Check one entry. Raises Bad."""
        type_, data = entry.type, entry.data
        self.moment = entry.moment
        try:
            if type_ in SIGNED_BY_TWO:
                self.verify_signed(entry)
            if self.awaited is not None and not (type_ == FILED and "held" in data):
                self.verify_nothing_awaited()
            if self.discrepancies.due is not None and type_ != DISCREPANCY:
                self.discrepancies.verify_stated()
            if type_ in HANDLERS:
                if data.get("round") is not None:
                    self.read_round(entry, place)
                elif type_ == "device.failed":
                    self.has_failed = True
                elif "settled" in data:
                    self.result.leave_out(UNNAMED)
            elif type_ in TRAY_TYPES:
                self.read_chips(entry)
            elif type_ == FILED:
                self.file_slip(entry, place)
            elif type_ == SLIP_REVIEWED:
                self.review_slip(data, entry.signers)
            elif type_ == SLIP_SETTLED:
                self.settle_slip(data, entry.signers)
            elif self.round is not None and self.round.has_ended and self.round.number == data["round"]:
                self.round.hand_back(data)
        except (*MISSHAPEN, OverflowError, RecursionError):
            raise Bad("its data do not have the shape of their type") from None

    def continue_another(self) -> None:
        """Its numbers go on from those of the stream that it continues."""
        self.is_from_start, self.last_slip = False, None
        self.tray, self.transfers = Tray(False), Transfers(False)
        self.boxes, self.discrepancies = DropBoxes(False), Discrepancies(False)

    @staticmethod
    def verify_signed(entry: Entry) -> None:
        """Check that two people signed what nobody does alone. The slip of what was held back names them itself."""
        if "null" in (entry.actor, entry.witness) and "held" not in entry.data:
            raise Bad("it is signed by two people, and does not name both")

    def verify_nothing_awaited(self) -> None:
        """Check that the slip about what was held back of a round follows from its end."""
        if self.awaited is not None:
            held = to_seats(self.awaited.held.items())
            raise Bad(
                "%s was held back of round %d, and no slip about it follows" % (held, self.awaited.number)
            )

    def read_round(self, entry: Entry, place: Place) -> None:
        type_, data, terms_sha256 = entry.type, entry.data, entry.terms
        if data["round"] != self.number or self.has_ended:
            self.begin_round(data["round"], entry)
        if type_ in SETTLING and "settled" in data:
            self.has_settled = True
        self.has_failed = self.has_failed or type_ == "device.failed"
        if type_ == "round.recorded_by_hand":
            self.verify_has_failed(data)
        round_ = self.round
        if round_ is not None:
            if terms_sha256 != round_.terms_sha256:
                raise Bad("its terms are not those of the entries before it in round %d" % self.number)
            round_.apply(type_, data)
            if type_ in MOVING:
                round_.moving[place.seq] = place.hash_hex
            if type_ in RAISING:
                self.note_raise(round_, entry, place)
        self.has_ended = type_ in ROUND_ENDS
        if not self.has_ended:
            return
        if round_ is not None:
            if self.tray.cents is not None:
                self.tray.add_round(round_.taken_cents, round_.paid_cents)
            if self.number in self.slip_rounds:
                self.kept[self.number] = round_
            if round_.raises and round_.held:
                self.awaited = round_
        elif type_ == "layout.cleared" and self.tray.cents is not None:
            self.tray.add_round(data["taken_cents"], data["paid_cents"])
        else:
            self.tray.cents = None

    def verify_has_failed(self, data: Data) -> None:
        """Check that a failure came before a round on paper, and has no other one. Older entries do not say raises."""
        if self.is_from_start and "raised" in data and not self.has_failed:
            raise Bad("no failure is on record since the newest round on paper")
        self.has_failed = False

    def note_raise(self, round_: Round, entry: Entry, place: Place) -> None:
        """Remember who signed what may raise the payout of a round, and whether the entry says what it raises."""
        signers = entry.signers
        if len(signers) == 2:
            round_.raised_by = {**place.as_data, "actor": signers[0], "witness": signers[1]}
        raised = round_.raises.get(len(round_.throws), NO_RAISE)
        if "raised" in entry.data:
            self.states_raises = True
            if raised.cents and len(signers) < 2:
                raise Bad("it raises what a throw pays by %d, and two people do not sign it" % raised.cents)
        if round_.has_unstated_raise:
            if self.states_raises:
                raise Bad("it changes what its throw pays more than at first, and does not say so")
            self.result.unstated_raises += 1
            round_.has_unstated_raise = False

    def begin_round(self, number: int, entry: Entry) -> None:
        """Begin the round after the newest one."""
        terms_sha256 = entry.terms
        if type(number) is not int:
            raise TypeError("a round has a number")
        expected = self.number + (self.has_ended or not self.number)
        is_known = self.round is not None or (self.is_from_start and not self.number)
        if is_known and number != expected:
            raise Bad("it is of round %d, and round %d is due" % (number, expected))
        self.end_round()
        began_before = not self.is_from_start and not self.number
        self.number, self.round, self.has_settled, self.has_ended = number, None, False, False
        terms = self.terms.get(terms_sha256) if terms_sha256 else None
        if began_before:
            self.reason = BEGAN_BEFORE
        elif terms is not None:
            if self.in_force not in (None, terms_sha256):
                raise Bad("its round begins under other terms than those in force at this table")
            self.round = Round(number, terms_sha256, terms)
            self.round.day = entry.day
        elif terms_sha256 is None:
            self.reason = UNSTATED_TERMS
        else:
            self.reason = UNREADABLE_TERMS if terms_sha256 in self.terms else NO_TERMS

    def end_round(self) -> None:
        """Count the newest round, once."""
        if self.has_settled:
            if self.round is not None:
                self.result.rounds += 1
            else:
                self.result.leave_out(self.reason)
            self.has_settled = False

    def end(self) -> None:
        """End the newest round, at the end of the stream, and count the slips that nobody has reviewed."""
        self.end_round()
        self.verify_nothing_awaited()
        self.discrepancies.verify_stated()
        for round_ in self.kept.values():
            if round_.slips is not None:
                waiting = round_.slips.waiting
                self.result.unreviewed += len(waiting)
                self.result.overdue += sum(due_at < self.moment for due_at in waiting)
                self.result.unpaid += sum(slip.waits_for_money for slip in round_.slips.filed.values())

    def read_chips(self, entry: Entry) -> None:
        """Check an entry about chips or cash."""
        type_, data, tray = entry.type, entry.data, self.tray
        if type_ == "inventory.opener_counted":
            tray.open(data, self.number)
        elif type_ == "chips.sold":
            tray.verify_inventory(data)
            self.boxes.sell(data)
            tray.add("sold", data["cents"], -1)
        elif type_.startswith("transfer."):
            self.transfers.read(entry)
            self.move_chips(type_, data)
        elif type_ == "drop_box.put_on":
            tray.verify_inventory(data)
            self.boxes.put_on(data)
        elif type_ == "drop_box.taken_off":
            self.boxes.take_off(data)
        elif type_ == "drop_box.counted":
            self.boxes.count(data)
        elif type_ == DISCREPANCY:
            self.discrepancies.read(data, tray, self.transfers)
        elif type_ == "par.set":
            counted_cents(data)
        else:
            self.count_tray(type_, data)
        if type_ in COUNT_CAUSES:
            expected, counted = data["cents"] - data["difference_cents"], data["cents"]
            self.discrepancies.expect(COUNT_CAUSES[type_], expected, counted, data.get("drop_box"))

    def count_tray(self, type_: str, data: Data) -> None:
        """Check a count of the tray, also a closer, with what the round in play has moved so far."""
        tray, moved = self.tray, 0
        if self.number and not self.has_ended:
            if self.round is None:
                tray.cents = None
            else:
                moved = self.round.moved_cents
        if tray.cents is None:
            self.result.other_trays += 1
        else:
            self.result.trays += 1
        if type_ == "inventory.closer_counted":
            if self.number:
                verify_sum(data, "last_round", self.number)
            if self.transfers.under_way or self.boxes.on is not None:
                raise Bad("it closes a tray with a drop box, or with a fill or a credit under way")
            tray.close(data, moved)
        else:
            tray.count(data, moved)

    def move_chips(self, type_: str, data: Data) -> None:
        if data["kind"] == "fill":
            if type_ == "transfer.received":
                self.tray.add("fills", data["cents"])
        elif type_ == "transfer.handed_over":
            self.tray.add("credits", data["cents"], -1)
        elif type_ == "transfer.voided" and data["was"] == "on-the-way":
            self.tray.add("credits", -data["cents"], -1)

    def file_slip(self, entry: Entry, place: Place) -> None:
        data, awaited = entry.data, self.awaited
        if awaited is not None and data["round"] != awaited.number:
            self.verify_nothing_awaited()
        self.verify_slip_number(data["slip"])
        self.slips[data["slip"]] = data["round"]
        round_, self.awaited = self.kept.get(data["round"]), None
        if round_ is None:
            self.result.other_slips += 1
            if data["round"] > self.tray.rounds_before:
                self.tray.cents = None
            return
        if entry.terms != round_.terms_sha256:
            raise Bad("its terms are not those of round %d" % round_.number)
        if "held" in data and awaited is not round_:
            raise Bad("it does not follow from the end of a round of which something was held back")
        round_.slips = round_.slips or Slips(round_)
        elsewhere = round_.slips.file(data, entry.signers, place)
        self.result.slips += 1
        if round_.number > self.tray.rounds_before:
            self.tray.add("corrected", elsewhere)

    def verify_slip_number(self, code: str) -> None:
        """Check that a slip has the number after the one before it at this table."""
        number = int(code.rpartition("-")[2])
        if self.last_slip is not None and number != self.last_slip + 1:
            raise Bad("it is slip %s, and number %d is due" % (printable(code), self.last_slip + 1))
        self.last_slip = number

    def verify_slip_round(self, data: Data) -> None:
        """Check that a slip which this export has from its filing on is of the round that it was filed for."""
        number = self.slips.get(data["slip"], None if self.last_slip is None else 0)
        if number == 0 and not self.is_from_start:
            return
        if number is not None and number != data["round"]:
            raise Bad("no slip of this round waits as %s" % printable(data["slip"]))

    def review_slip(self, data: Data, signers: Sequence[str]) -> None:
        self.verify_slip_round(data)
        round_ = self.kept.get(data["round"])
        if round_ is not None:
            round_.slips = round_.slips or Slips(round_)
            cents = round_.slips.review(data, signers)
            if round_.number > self.tray.rounds_before:
                self.tray.add("corrected", cents)

    def settle_slip(self, data: Data, signers: Sequence[str]) -> None:
        self.verify_slip_round(data)
        round_ = self.kept.get(data["round"])
        moved = sum(amount["cents"] for amount in data["moved"])
        if round_ is not None:
            round_.slips = round_.slips or Slips(round_)
            moved = round_.slips.settle(data, signers)
        self.tray.add("corrected", -moved)


# ---------------------------------------------------------------------------------------------------------------------
# The terms of rounds, and their approvals

APPROVED, MADE, CONTINUED, CLOSED = "rules.approved", "table.made", "stream.continued", "stream.closed"
STATING = {"table.opened": "submission_version", "rules.took_effect": "version"}
TYPES_ABOUT_TERMS = {APPROVED, MADE, CONTINUED, CLOSED, *STATING}
TERMS_MOST = 100_000  # of each kind that is compared; what goes beyond is not checked, and counted
LONGEST_NAME = 100
# Of terms: the stream, the submission and version that an entry states (None for a round), and their SHA-256.
DealtKey = tuple[str, "str | None", "int | None", str]
DealtTerms = tuple[int, int, str, int]  # the first line, number and time, and how many entries


class RoundTerms:
    """The terms under which an export says that rounds were dealt, and those that it says were approved.

    A table may come before its facility's stream of rules, so all are collected first and compared at the end.
    """

    def __init__(self) -> None:
        self.dealt: dict[DealtKey, DealtTerms] = {}
        # The stream, submission and version, the SHA-256 of the terms, and the time.
        self.approvals: set[tuple[str, str, int, str, str]] = set()
        self.made: dict[str, tuple[int, str]] = {}  # the number and submission of a stream's `table.made`
        self.continuing: set[str] = set()  # the streams that begin by continuing another
        self.closed: set[tuple[str, str]] = set()  # a stream that two people closed, and its continuation
        self.omitted = self.unchecked = 0  # entries: beyond the most that are compared, and all that were not
        self.is_full = False

    def gather(self, entry: Entry, number: int, name: str, seq: int) -> None:
        """Collect what an entry of a round, or of a type about terms, says. `number` is its line."""
        type_, data = entry.type, entry.data
        if type_ == APPROVED:
            self.add_approval(name, data, entry.moment)
        elif type_ == MADE:
            code = short_text(data.get("submission"))
            if seq <= 2 and code is not None:
                self.made[name] = min(self.made.get(name, (3, "")), (seq, code))
        elif type_ == CONTINUED:
            if seq == 1:
                self.continuing.add(name)
        elif type_ == CLOSED:
            if name == INSTALLATION and entry.actor != "null" != entry.witness:
                self.add_closing(short_text(data.get("stream")), short_text(data.get("continued_by")))
        elif type_ in STATING:
            code, terms = short_text(data.get("submission")), short_text(data.get("terms_sha256"))
            version = data.get(STATING[type_])
            if code is not None and type(version) is int and terms is not None:
                self.add((name, code, version, terms), (number, seq, entry.moment, 1))
        elif entry.terms:
            self.add((name, None, None, entry.terms), (number, seq, entry.moment, 1))

    def add_approval(self, name: str, data: dict[str, Any], moment: str) -> None:
        """Add the approval of whole terms, which are hashed here. One that cannot be read approves nothing."""
        code, version, terms = short_text(data.get("code")), data.get("version"), data.get("terms")
        if code is None or type(version) is not int or not isinstance(terms, dict):
            return
        if len(self.approvals) < TERMS_MOST:
            self.approvals.add((name, code, version, sha256(encode(terms).encode()).hexdigest(), moment))
        else:
            self.is_full = True

    def add_closing(self, closed: str | None, continuation: str | None) -> None:
        if closed is not None and continuation is not None:
            if len(self.closed) < TERMS_MOST:
                self.closed.add((closed, continuation))
            else:
                self.is_full = True

    def add(self, key: DealtKey, dealt: DealtTerms) -> None:
        """Add entries of the same stream and terms. The first of them counts."""
        before = self.dealt.get(key)
        if before is not None:
            self.dealt[key] = (*min(before, dealt)[:3], before[3] + dealt[3])
        elif len(self.dealt) < TERMS_MOST:
            self.dealt[key] = dealt
        else:
            self.omitted += dealt[3]

    def merge(self, other: RoundTerms) -> None:
        """Add what another process collected."""
        for key, dealt in other.dealt.items():
            self.add(key, dealt)
        for name, made in other.made.items():
            self.made[name] = min(self.made.get(name, made), made)
        self.approvals |= other.approvals
        self.continuing |= other.continuing
        self.closed |= other.closed
        self.omitted += other.omitted
        self.is_full = self.is_full or other.is_full or len(self.approvals) > TERMS_MOST

    def verify(self, streams: Iterable[Stream]) -> None:
        """Compare all terms with the approvals. Raises Bad for the first line that differs.

        `unchecked` becomes the number of entries that this export cannot show to be right or wrong.
        """
        approvals = Approvals(self, {stream.name for stream in streams if stream.prior_seq == 0})
        self.unchecked, bads = self.omitted, []
        for (name, code, version, terms), (number, seq, moment, count) in self.dealt.items():
            reason = approvals.judge(name, code, version, terms, moment)
            if reason:
                bads.append(Bad(reason, number, name, seq))
            elif reason is None:
                self.unchecked += count
        if bads:
            raise min(bads, key=lambda bad: bad.line)

    def submission_of(self, name: str) -> str | None:
        """The submission for which the table of a stream was made; None if the export does not have that entry."""
        seq, code = self.made.get(name, (3, ""))
        return code if seq == 1 or (seq == 2 and name in self.continuing) else None

    def lines(self) -> Iterator[str]:
        """Yield a line if some terms were not checked."""
        if self.unchecked:
            yield (
                "NOT CHECKED: whether the terms of %d entries were approved. That takes the streams of their tables and"
                " of the facility's rules, and %s, all from the beginning" % (self.unchecked, INSTALLATION)
            )


class Approvals:
    """The approvals of an export, by facility. `began` are the streams that it has from their first entry.

    They count only on the facility's stream of rules, and on the streams that two people declared as its continuations.
    """

    def __init__(self, terms: RoundTerms, began: set[str]) -> None:
        self.terms, self.began = terms, began
        self.continuations: dict[str, set[str]] = {}
        for closed, continuation in terms.closed:
            self.continuations.setdefault(closed, set()).add(continuation)
        self.rules: dict[str, set[str]] = {}  # the streams of rules of a facility
        self.versions: dict[tuple[str, str, int], dict[str, str]] = {}  # the first time by SHA-256
        # The first time of each submission's code, by the facility and the SHA-256.
        self.submissions: dict[tuple[str, str], dict[str, str]] = {}
        for name, code, version, digest, moment in sorted(terms.approvals, key=lambda approval: approval[-1]):
            facility = name.partition("/")[0]
            if name in self.rules_of(facility):
                self.versions.setdefault((facility, code, version), {}).setdefault(digest, moment)
                self.submissions.setdefault((facility, digest), {}).setdefault(code, moment)

    def rules_of(self, facility: str) -> set[str]:
        """The stream of rules of a facility and its continuations."""
        if facility not in self.rules:
            names: set[str] = set()
            further = {facility + "/rules"}
            while further:
                names |= further
                further = {name for closed in further for name in self.continuations.get(closed, ())} - names
            self.rules[facility] = names
        return self.rules[facility]

    def are_all_here(self, facility: str) -> bool:
        """Whether the export has every approval of a facility. `installation/system` names the continuations."""
        return not self.terms.is_full and {INSTALLATION, *self.rules_of(facility)} <= self.began

    def judge(self, name: str, code: str | None, version: int | None, terms: str, moment: str) -> str | None:
        """Why terms on a stream are wrong; empty if they are right; None if this export cannot show it.

        `code` and `version` are what an entry states, or None for those of a round.
        """
        facility, made = name.partition("/")[0], self.terms.submission_of(name)
        submission = made if code is None else code
        if submission is None:
            return None
        if made not in (None, submission):
            return "it is under %s, but its table was made for %s" % (printable(submission), printable(made))
        by_code = self.submissions.get((facility, terms), {})
        if version is None:
            approved = by_code.get(submission)
        else:
            by_digest = self.versions.get((facility, submission, version), {})
            approved = by_digest.get(terms)
            if by_digest and approved is None:
                return "its terms are not those of %s v%d, as approved" % (printable(submission), version)
        if approved is not None and approved <= a_minute_after(moment):
            return ""
        if not self.are_all_here(facility):
            return None
        others = sorted(by_code.keys() - {submission})
        return "its terms were not approved for %s by then%s" % (
            printable(submission),
            ", but for %s" % printable(others[0]) if others else "",
        )


def short_text(value: object) -> str | None:
    """A text that can be a submission's code, a stream's name or a hash; None for anything else."""
    return value if isinstance(value, str) and len(value) <= LONGEST_NAME else None


# ---------------------------------------------------------------------------------------------------------------------
# The contents of all entries


class Collected:
    """What is found while contents are read: the terms of rounds, and what was settled again."""

    def __init__(self) -> None:
        self.terms, self.settlements = RoundTerms(), Settlements()

    def merge(self, other: Collected) -> None:
        """Add what another process collected."""
        self.terms.merge(other.terms)
        self.settlements.merge(other.settlements)

    def lines(self) -> Iterator[str]:
        """Yield what was settled, and what could not be checked."""
        yield from self.terms.lines()
        yield from self.settlements.lines()


class Ahead:
    """What the settlement of a round may need from later lines, gathered while the chain is read.

    `terms` are the terms of rounds by their SHA-256, computed here; None for terms that cannot be read. `slip_rounds`
    are the rounds of each stream that slips are about. What is wrong in these lines is said later.
    """

    def __init__(self) -> None:
        self.terms: dict[str, Terms | None] = {}
        self.slip_rounds: dict[str, set[int]] = {}
        self.has_begun = False

    def read(self, block: bytes) -> None:
        """Gather from a block of lines; the first line states terms too."""
        if not self.has_begun:
            self.gather(self.gather_stated_terms, block.partition(b"\n")[0])
            self.has_begun = True
        for sign, gather in ((APPROVED_SIGN, self.gather_terms), (SLIP_SIGN, self.gather_slip)):
            begin = block.find(sign)
            while begin >= 0:
                end = block.find(b"\n", begin)
                self.gather(gather, block[block.rfind(b"\n", 0, begin) + 1 : end])
                begin = block.find(sign, end)

    @staticmethod
    def gather(gather: Callable[[Any], None], line: bytes) -> None:
        """Gather from the content of a line. One of another shape says nothing here."""
        with contextlib.suppress(*MISSHAPEN, RecursionError):
            gather(content_of(line))

    def gather_stated_terms(self, content: Any) -> None:
        for terms in content["terms"]:
            self.add_terms(terms)

    def gather_terms(self, content: Any) -> None:
        self.add_terms(content["data"]["terms"])

    def add_terms(self, terms: Any) -> None:
        """Add terms under the SHA-256 of their canonical JSON: whoever states them, they are those of that hash."""
        if len(self.terms) >= TERMS_MOST:
            return
        digest = sha256(encode(terms).encode()).hexdigest()
        try:
            self.terms[digest] = Terms(terms)
        except MISSHAPEN:
            self.terms[digest] = None

    def gather_slip(self, content: Any) -> None:
        self.slip_rounds.setdefault(content["stream"], set()).add(content["data"]["round"])


APPROVED_SIGN, SLIP_SIGN = b'{"_format":1,"_type":"rules.approved"', b'{"_format":1,"_type":"slip.'


def content_of(line: bytes) -> Any:
    """What a line claims; None if it cannot be read."""
    try:
        return scan(line[BODY_AT:-1].decode(), 0)[0]
    except (ValueError, RecursionError, StopIteration):
        return None


class ContentsReader:
    """Checks the contents of the entries of one stream, and settles its rounds again."""

    def __init__(self, run: Run, part: CheckedPart, collected: Collected) -> None:
        self.name, self.since, self.until = run.name, part.since, part.until
        self.terms = collected.terms
        self.table = TableReader(
            run.prior_seq == 0,
            part.ahead.slip_rounds.get(run.name, set()),
            part.ahead.terms,
            collected.settlements,
        )
        self.number, self.seq, self.moment = run.first_line - 1, run.prior_seq, ""  # of the entry read last
        self.dealt: DealtKey | None = None  # the terms of the entries before this one, and how many they are
        self.first, self.count = (0, 0, ""), 0

    def read(self, line: bytes, number: int) -> None:
        """Check the next entry, a line with its newline. Its form, hash and chain were checked before."""
        self.number, self.seq = number, self.seq + 1
        try:
            self.read_entry(line[BODY_AT:-2], line[HASH_AT : HASH_AT + 64])
        except Bad as bad:
            raise bad.at(number, self.name, self.seq) from None

    def read_entry(self, body: bytes, hash_hex: bytes) -> None:
        seq = self.seq
        entry = read_entry(body, self.name, seq)
        type_, data = entry.type, entry.data
        verify_time(entry.moment, entry.day, self.moment, self.since, self.until)
        self.moment = entry.moment
        if is_settlement(type_, data):
            verify_settled(data)
        if type_ in TYPES_ABOUT_TERMS:
            self.terms.gather(entry, self.number, self.name, seq)
            if type_ == CONTINUED and seq == 1:
                self.table.continue_another()
            if type_ in STATING:
                self.table.in_force = short_text(data.get("terms_sha256"))
        elif entry.terms and "round" in data:
            if self.dealt is None or self.dealt[3] != entry.terms:
                self.end_dealt()
                self.dealt, self.first = (
                    (self.name, None, None, entry.terms),
                    (self.number, seq, entry.moment),
                )
            self.count += 1
        if type_ in TABLE_TYPES:
            self.table.read(entry, Place(seq, hash_hex) if type_ in PLACED_TYPES else NOWHERE)

    def end_dealt(self) -> None:
        """Collect the terms of entries that follow each other under the same ones."""
        if self.dealt is not None:
            self.terms.add(self.dealt, (*self.first, self.count))
        self.dealt, self.count = None, 0

    def end(self) -> None:
        """Check that nothing which must follow is missing at the end of the stream."""
        self.end_dealt()
        with placed(self.number, self.name, self.seq):
            self.table.end()


class Run(NamedTuple):
    """The entries of one stream, which follow each other in a file from a line on.

    `prior_seq` is the number before the first of them. `is_whole`: other lines follow, so the stream has ended.
    """

    name: str
    prior_seq: int
    first_line: int
    entries: int
    is_whole: bool


class CheckedPart(NamedTuple):
    """The part of an export whose chain is right: its range, its entries, and what they may need from later lines."""

    since: str
    until: str
    runs: list[Run]
    ahead: Ahead


def checked_part(export: Export, ahead: Ahead, failure: Bad | None) -> CheckedPart:
    """What comes before the line where the check of the chain failed, or all: what is false there is named first."""
    runs = []
    for stream in export.streams:
        entries, is_whole = stream.entries, True
        if failure is not None and entries:
            entries = min(entries, failure.line - stream.first_line)
            is_whole = stream.first_line + entries < failure.line
        if entries:
            runs.append(Run(stream.name, stream.prior_seq, stream.first_line, entries, is_whole))
    return CheckedPart(export.since, export.until, runs, ahead)


def verify_contents(
    file: BinaryIO, part: CheckedPart, mine: set[str], collected: Collected, progress: Progress | None = None
) -> None:
    """Check the contents of the streams `mine`. Raises Bad for the first line that is wrong."""
    file.seek(0)
    file.readline()
    size = 0
    for run in part.runs:
        lines = itertools.islice(file, run.entries)
        if run.name not in mine:
            size += sum(map(len, lines))
            continue
        reader = ContentsReader(run, part, collected)
        for number, line in enumerate(lines, run.first_line):
            reader.read(line, number)
            size += len(line)
            if progress and not number % PROGRESS_LINES:
                progress(size, number - 1)
        if reader.seq != run.prior_seq + run.entries:
            raise OSError("the file became shorter while it was read")
        if run.is_whole:
            reader.end()


def verify_share(path: str, part: CheckedPart, mine: set[str]) -> tuple[Collected, Bad | None]:
    """Check the contents of some streams in another process. Returns what it found, and the first failure."""
    gc.disable()
    collected = Collected()
    try:
        with open_record(path) as file:
            verify_contents(file, part, mine, collected)
    except Bad as bad:
        return collected, bad
    return collected, None


def shares_of(runs: Sequence[Run], count: int) -> list[set[str]]:
    """The streams of each process, so that all have about as many entries."""
    shares, loads = [set[str]() for _ in range(count)], [0] * count
    for run in sorted(runs, key=lambda run: -run.entries):
        process = loads.index(min(loads))
        shares[process].add(run.name)
        loads[process] += run.entries
    return shares


def verify_shared_contents(
    path: str, file: BinaryIO, part: CheckedPart, collected: Collected, progress: Progress | None, count: int
) -> None:
    """Check the contents of all streams in `count` processes. Raises Bad for the line that one process would name."""
    from concurrent.futures import ProcessPoolExecutor  # only long files need it, and it takes long to import
    from concurrent.futures.process import BrokenProcessPool

    mine, *shares = shares_of(part.runs, count)
    bads = []
    with ProcessPoolExecutor(len(shares)) as pool:
        others = [pool.submit(verify_share, path, part, share) for share in shares]
        try:
            verify_contents(file, part, mine, collected, progress)
        except Bad as bad:
            bads.append(bad)
        try:
            answers = [other.result() for other in others]
        except BrokenProcessPool:
            raise OSError("a process that checked part of the file ended early") from None
    for found, bad_of_other in answers:
        collected.merge(found)
        bads += [bad_of_other] if bad_of_other else []
    if bads:
        raise min(bads, key=lambda bad: bad.line)


# ---------------------------------------------------------------------------------------------------------------------
# The export, the bundle, and the proof of one entry

LONG_FILE_BYTES = 1 << 25  # several processes share the contents of a longer one
PROGRESS_LINES = 5_000


def verify(
    file: BinaryIO,
    contents: bool = True,
    progress: Progress | None = None,
    sealed_heads: Mapping[str, SealedHeads] | None = None,
    digest: Digest | None = None,
    collected: Collected | None = None,
    path: str = "",
    processes: int = 1,
) -> Export:
    """Check an open binary file, which is read twice with its contents. Returns its range and streams. Raises Bad.

    `sealed_heads` are the sealed heads of each stream by name. `digest` collects the hash of the whole file, and
    `collected` the terms of rounds and what was settled again. `path` is the file's, for more than one process.
    """
    collected, ahead = collected or Collected(), Ahead()
    chain, failure, size = ChainReader(sealed_heads or {}, digest or Digest()), None, 0
    for block, is_last in blocks(file):
        if contents:
            ahead.read(block)
        try:
            if failure is None:
                chain.read(block, is_last)
        except Bad as bad:
            if not contents:
                raise
            failure = bad  # the contents of a line before it may be bad too, by the terms of a later one
        size += len(block)
        if progress and not contents:
            progress(size, chain.number - 1)
    chain.digest.join()
    if contents and chain.export is not None:
        part = checked_part(chain.export, ahead, failure)
        if processes > 1:
            verify_shared_contents(path, file, part, collected, progress, processes)
        else:
            verify_contents(file, part, {run.name for run in part.runs}, collected, progress)
    if failure is not None:
        raise failure
    assert chain.export is not None
    collected.terms.verify(chain.export.streams)
    return chain.export


def verify_file(
    path: str,
    contents: bool,
    progress: Progress | None,
    sealed_heads: Mapping[str, SealedHeads] | None = None,
    digest: Digest | None = None,
    collected: Collected | None = None,
) -> Export:
    """Check a file or a bundle by its path. Up to eight processes, one per processor, share a long one's contents."""
    is_long = contents and record_size(path) > LONG_FILE_BYTES and "__file__" in globals()
    processes = min(os.cpu_count() or 1, 8) if is_long else 1
    with open_record(path) as file:
        return verify(file, contents, progress, sealed_heads, digest, collected, path, processes)


def summary(export: Export) -> Iterator[str]:
    """Yield lines about a good export."""
    yield "good: %d entries on %d streams, %s to %s" % (
        sum(stream.entries for stream in export.streams),
        len(export.streams),
        export.since or "the beginning",
        "the newest" if export.until == "~" else export.until,
    )
    for stream in export.streams:
        yield "%s  %d entries to seq %d  head %s" % (
            printable(stream.name),
            stream.entries,
            stream.seq,
            stream.head.hex(),
        )


def verify_bundle(path: str, options: Options, progress: Progress | None) -> list[str]:
    """Check a bundle by its path. Returns lines to print. Raises Bad."""
    bundle = Bundle(path)
    with bundle.open(RECORD) as file:
        opening, newline, _rest = file.readline(LONGEST_LINE_BYTES).partition(b"\n")
    if not newline:
        raise Bad("this is not an export of at least two lines", 1, file=RECORD)
    with placed(file=RECORD):
        since, until, streams = read_opening(opening)
        every = read_every(opening, streams)
    segment = note = None
    if bundle.is_sealed:
        segment = SealSegment(streams, until, {checkpoint.size for _path, checkpoint in options.saved})
        segment.read(bundle.lines(SEALS))
        if every:
            every.verify(segment.others)
        with placed(file=CHECKPOINT):
            note = Note(bundle.text(CHECKPOINT))
            verify_root(note, segment)
    collected, digest = Collected(), Digest()
    with placed(file=RECORD):
        sealed_heads = segment.sealed_heads if segment else None
        export = verify_file(path, options.contents, progress, sealed_heads, digest, collected)
    bundle.digests[RECORD] = (digest.hexdigest(), digest.size)
    beyond = BeyondReader(since, until, export.streams)
    beyond.read(bundle.lines(BEYOND), options.contents)
    unsealed = beyond.verify_ends(segment)
    damage = list(beyond.verify_times(bundle))
    keys = read_keys(bundle.text(KEYS))
    verify_manifest(bundle, opening, export.streams, segment, unsealed)
    return [
        *summary(export),
        *collected.lines(),
        *([every.line()] if every else []),
        *other_checker(bundle),
        *damage,
        *seal_lines(segment, note, keys, unsealed, options),
        *("not part of the bundle and not checked: %s" % printable(name) for name in bundle.unexpected),
    ]


def other_checker(bundle: Bundle) -> Iterator[str]:
    """Yield a line if the bundle's copy of this program is another one: of another release, or replaced."""
    try:
        with open(__file__, "rb") as file:
            mine = sha256(file.read()).hexdigest()
    except (NameError, OSError):  # this program was piped into Python
        return
    other = bundle.digests["verify.py"][0]
    if other != mine:
        yield (
            "the bundle's verify.py is not this program. Look up its SHA-256 in the release notes: %s" % other
        )


def verify_root(note: Note, segment: SealSegment) -> None:
    """Check that the seals give the root of the checkpoint."""
    if (note.origin, note.size) != (segment.origin, segment.size):
        raise Bad("its log and size do not match the seals")
    if segment.tree.root() != note.root:
        raise Bad("its root does not match the seals")
    segment.tree.note()


def verify_manifest(
    bundle: Bundle,
    opening: bytes,
    streams: list[Stream],
    segment: SealSegment | None,
    unsealed: dict[str, int],
) -> None:
    """Check that the manifest matches the other files exactly."""
    for name in (*DOCUMENTS, *({SCHEMAS} & bundle.names)):
        bundle.short(name)
    header = parse(opening[BODY_AT:-1], 1)
    expected = {
        "_format": 1,
        "_type": "bundle",
        **{key: header[key] for key in ("at", "build", "from", "to")},
        "entries": sum(stream.entries for stream in streams),
        "files": [
            {"name": name, "sha256": digest, "size": size}
            for name, (digest, size) in sorted(bundle.digests.items())
        ],
        "incarnation": segment.incarnation if segment else None,
        "origin": segment.origin if segment else None,
        "size": segment.size if segment else None,
        "unsealed": [{"entries": unsealed[name], "stream": name} for name in sorted(unsealed)],
    }
    written = bundle.short(MANIFEST)
    if written == encode(expected).encode() + b"\n":
        return
    try:
        stated = json.loads(written)
        wrong = [key for key in expected if stated[key] != expected[key]]
        files = {file["name"]: file for file in stated["files"]}
        wrong += [file["name"] for file in expected["files"] if files.get(file["name"]) != file]
    except Exception:
        wrong = []
    raise Bad(
        "it does not match the other files%s" % (": " + ", ".join(wrong) if wrong else ""), file=MANIFEST
    )


def seal_lines(
    segment: SealSegment | None, note: Note | None, keys: Keys, unsealed: dict[str, int], options: Options
) -> Iterator[str]:
    """Yield lines about seals and signatures. Raises Bad if a check that the reader requires fails."""
    if segment is None or note is None:
        if options.demands:
            raise Bad("this record was never sealed: there is no signature to check")
        yield "NOT SEALED: all entries; only the hash chain protects them"
        return
    yield "sealed in %s, incarnation %d: seals %d to %d of %d  root %s" % (
        printable(segment.origin),
        segment.incarnation,
        segment.first,
        segment.last - 1,
        segment.size,
        note.root.hex(),
    )
    if segment.others:
        names = sorted(segment.others)
        yield "listed by these seals, but not in this bundle: %s%s" % (
            ", ".join(printable(name) for name in names[:OTHERS_LISTED]),
            " and %d more" % (len(names) - OTHERS_LISTED) if len(names) > OTHERS_LISTED else "",
        )
    yield from signature_lines(note, keys, options, segment)
    signers = {(name, id_) for name, id_, _ in note.signatures}
    if not signers & {(key.name, key.id) for key in keys[LOG] if key.serves(note.origin)}:
        raise Bad("it states no key of the log that signed the checkpoint", file=KEYS)
    for path, checkpoint in options.saved:
        yield verify_saved(path, checkpoint, note, segment.tree.roots, options.proofs)
    for name in sorted(unsealed):
        yield "NOT SEALED: the last %d entries of %s; only the hash chain protects them" % (
            unsealed[name],
            printable(name),
        )


PROOF_KEYS = ["_format", "_type", "checkpoint", "path", "seal"]


PROOF_START = b'{"_format":1,"_type":"proof",'


def is_proof(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(PROOF_START)) == PROOF_START


def verify_proof(path: str, options: Options) -> list[str]:
    """Check the proof of one entry. Returns lines to print. Raises Bad."""
    with open(path, "rb") as file:
        proof = parse(file.readline(LONGEST_LINE_BYTES)[:-1], 1)
        good = isinstance(proof, dict) and list(proof) == PROOF_KEYS
        if not good or not all(isinstance(proof[key], str) for key in ("checkpoint", "seal")):
            raise Bad("this is not a proof of an entry", 1)
        note, log = Note(proof["checkpoint"]), SealSegment((), "~", ())
        seal = read_proof_seal(proof, note, log)
        name, seq, head, entry, moment = read_proof_entries(file)
    if moment > a_minute_after(seal["at"]):
        raise Bad("its time is after that of the seal that covers it", 0, name, seq)
    if {"head": head.hex(), "seq": seq, "stream": name} not in seal["heads"]:
        raise Bad("the seal does not list %s at %d with this head" % (printable(name), seq), 1)
    roots = {0: sha256(b"").digest(), note.size: note.root}
    return [
        "good: %s seq %d is in seal %d of %s" % (printable(name), entry, seal["number"], seal["at"]),
        "sealed in %s: size %d  root %s" % (printable(note.origin), note.size, note.root.hex()),
        *proof_signature_lines(note, options),
        *(
            verify_saved(kept_path, checkpoint, note, roots, options.proofs)
            for kept_path, checkpoint in options.saved
        ),
    ]


def proof_signature_lines(note: Note, options: Options) -> list[str]:
    if options.keys[LOG]:
        return list(signature_lines(note, {LOG: [], WITNESS: []}, options))
    if options.demands:
        raise Bad("a proof has no keys: give the log's key with --vkey")
    return ["NOT CHECKED: the signatures; give the log's key with --vkey"]


def read_proof_seal(proof: dict[str, Any], note: Note, log: SealSegment) -> dict[str, Any]:
    """Check that the path leads from the proof's seal to the checkpoint's root. Returns the seal."""
    body = proof["seal"].encode()
    seal: dict[str, Any] = parse(body, 1)
    number = seal.get("number") if isinstance(seal, dict) else None
    if type(number) is not int or not 0 <= number < note.size or type(seal.get("incarnation")) is not int:
        raise Bad("its seal has no valid number in the log", 1)
    log.number, log.last, log.incarnation = number, number + 1, seal["incarnation"]
    log.seal(body)
    place, last, digest = number, note.size - 1, sha256(b"\x00" + body).digest()
    for sibling in log.subtrees(proof["path"]):
        if last == 0:
            raise Bad("its path is too long", 1)
        if place & 1 or place == last:
            digest = node_hash(sibling, digest)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            digest = node_hash(digest, sibling)
        place, last = place >> 1, last >> 1
    if last or digest != note.root:
        raise Bad("its path does not lead to the root of the checkpoint", 1)
    return seal


def read_proof_entries(file: BinaryIO) -> tuple[str, int, bytes, int, str]:
    """Check a proof's run of entries.

    Returns the stream, the last number, its hash, the first number, and the time of the last entry.
    """
    name, first, seq, head, moment = None, 0, 0, b"", ""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE_BYTES), b""), 2):
        if not line.endswith(b"\n"):
            raise Bad("a line does not end in a newline", number)
        body, prev, digest = read_line(line[:-1], number)
        if name is None:
            name, first = claimed_position(body)
            seq = (first or 0) - 1
            if not isinstance(name, str) or (first == 1 and prev != hexlify(genesis(name))):
                raise Bad("it does not start a stream", number)
        elif prev != hexlify(head):
            raise Bad("it does not follow the entry before it", number)
        seq, head = seq + 1, digest
        with placed(number, name, seq):
            moment = read_entry(body, name, seq).moment
    if name is None:
        raise Bad("it has no entry")
    return name, seq, head, first, moment


# ---------------------------------------------------------------------------------------------------------------------
# The command


class Options:
    """The options of the command line."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.contents, self.signature = True, False
        self.paths: list[str] = []
        self.keys: Keys = {LOG: [], WITNESS: []}
        self.saved: list[tuple[str, Note]] = []
        self.proofs: list[Consistency] = []
        remaining = list(arguments)
        while remaining:
            word = remaining.pop(0)
            if word == "--hashes-only":
                self.contents = False
            elif word == "--require-signature":
                self.signature = True
            elif word in ("--vkey", "--witness-vkey", "--checkpoint", "--proof") and remaining:
                self.take(word, remaining.pop(0))
            elif word.startswith("-") and word != "-":
                raise Usage()
            else:
                self.paths.append(word)
        if len(self.paths) != 1:
            raise Usage()

    def take(self, word: str, value: str) -> None:
        if word == "--vkey":
            self.keys[LOG].append(Key(value, LOG))
        elif word == "--witness-vkey":
            self.keys[WITNESS].append(Key(value, WITNESS))
        else:
            try:
                self.take_text(word, value, read_text_file(value))
            except Bad as bad:
                raise Bad("%s: %s" % (ascii(value), bad.reason)) from None

    def take_text(self, word: str, path: str, text: str) -> None:
        if word == "--proof":
            self.proofs.append(Consistency(text))
        else:  # a copy of a checkpoint may start with the consistency proof from the previous one
            self.saved.append((path, Note(text.partition("\n\n")[2] if text.startswith("old ") else text)))

    @property
    def demands(self) -> bool:
        return bool(self.signature or self.saved or self.keys[LOG] or self.keys[WITNESS])


class Usage(Exception):
    """The command line is malformed."""


USAGE = (
    "usage: verify.py [--hashes-only] [--vkey KEY] [--witness-vkey KEY] [--checkpoint FILE] [--proof FILE]"
    " [--require-signature] FILE      (an export, a bundle or a proof; `-` is an export on standard input)"
)


def read_text_file(path: str) -> str:
    """Read a short text file that the reader gave."""
    with open(path, "rb") as file:
        try:
            return file.read(SHORT_FILE_BYTES).decode()
        except UnicodeError:
            raise Bad("it is not UTF-8") from None


def check_path(path: str, options: Options, progress: Progress | None) -> list[str]:
    """Check a file, bundle or proof. Returns lines to print. Raises Bad."""
    collected = Collected()
    if is_piped(path):
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            pipe = require_export(file, options)
            export = verify(
                saved_copy(pipe) if options.contents else pipe,
                options.contents,
                progress,
                collected=collected,
            )
        return [*summary(export), *collected.lines()]
    if is_bundle(path):
        try:
            return verify_bundle(path, options, progress)
        except archive_errors() as error:
            raise Bad("the archive cannot be read: %s" % ascii(str(error))) from None
    if is_proof(path):
        return verify_proof(path, options)
    verify_no_demands(options)
    export = verify_file(path, options.contents, progress, collected=collected)
    return [*summary(export), *collected.lines()]


def is_piped(path: str) -> bool:
    """Whether the input can be read only once: standard input, or `<(zcat record.jsonl.gz)`."""
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def saved_copy(pipe: BinaryIO) -> BinaryIO:
    """Copy a pipe into a temporary file: rounds are settled by terms that may come after them."""
    import shutil
    import tempfile

    file = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(pipe, file, BLOCK_BYTES)
    file.seek(0)
    return file


def require_export(file: io.BufferedReader, options: Options) -> BinaryIO:
    """Check that a pipe has an export: bundles and proofs must be read more than once."""
    begins = file.peek(len(PROOF_START))
    if begins.startswith((b"PK", PROOF_START)):
        raise Bad("only an export can be read from a pipe: save the bundle or proof as a file first")
    verify_no_demands(options)
    return file


def verify_no_demands(options: Options) -> None:
    if options.demands:
        raise Bad("an export has no seals: to check signatures and checkpoints, use an evidence bundle")


def show_progress(size: int, entries: int) -> None:
    sys.stderr.write("\r%d MB, %d entries" % (size >> 20, entries))
    sys.stderr.flush()


def main(arguments: Sequence[str]) -> int:
    """Exit status 0 or 1; never a traceback."""
    gc.disable()  # the data has no cycles, and looking for them takes a tenth of the time
    progress = show_progress if sys.stderr and sys.stderr.isatty() else None
    path = ""
    try:
        options = Options(arguments)
        path = options.paths[0]
        lines, status = check_path(path, options, progress), 0
    except Usage:
        print(USAGE, file=sys.stderr)
        return 1
    except Bad as bad:
        lines, status = ["bad: %s" % bad], 1
    except (OSError, ValueError, MemoryError) as error:
        lines, status = ["bad: cannot read %s: %s" % (ascii(path), ascii(str(error)))], 1
    if progress:
        sys.stderr.write("\n")
    for line in lines:
        print(line)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()
        sys.exit(1)
