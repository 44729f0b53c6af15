#!/usr/bin/env python3
"""Check an export of the record, an evidence bundle, or the proof of one entry.

    python verify.py [--hashes-only] FILE          an export; `-` is standard input; it may be a pipe
    python verify.py [options] BUNDLE              a ZIP archive, or the folder that it was unpacked into
    python verify.py [options] PROOF               the proof of one entry

    --vkey KEY             a key of the log from another source: one of these must have signed the checkpoint
    --witness-vkey KEY     a key of a witness: it must have cosigned the checkpoint
    --checkpoint FILE      a checkpoint that you saved: one of the two logs must extend the other
    --proof FILE           a consistency proof for that, if the bundle does not go back far enough
    --require-signature    fail if the signatures cannot be checked

This is one file of standard-library Python (3.9 or newer) that needs no other code of ours. Checking signatures needs
`cryptography`; without it, everything else is checked. FORMAT.md describes the input. Exit status 0: every check below
passed. Exit status 1: a check failed, and the output names the first failure.

- form       every line is exactly {"hash":"…","prev":"…","body":{…}} and a newline
- hashes     hash = SHA-256("pitside/entry/v1\\n" + previous hash + body), for every line
- chain      an entry's prev is the hash of the entry before it on its stream, or the prior head in the first line
- end        the last line has the counts, the heads, and the SHA-256 of every byte before it, and nothing follows
- contents   (not with --hashes-only) bodies are canonical JSON with the right stream and number, times never go back
             and lie in the range, and the money of every settlement adds up
- terms      (with the contents) every round was dealt under terms that the facility's stream of rules had approved for
             the submission of that table; a line says how many the export cannot show, because it begins too late or
             lacks a stream

For a bundle also: every file matches the manifest; every sealed head is the hash of its entry, which is not dated after
the seal; no sealed entry is missing, and no sealed stream where the bundle has every stream; the seals give the root of
the checkpoint; its signatures are right; it is consistent with each checkpoint that you saved.

Several processes share a long file; each reads all of it, and the first checks the chain. What does not fit into a
little memory (the sealed heads of a long range) goes into a temporary file.

An export alone cannot show that it was not rewritten completely, hashes included. The seals show that.
"""

from __future__ import annotations

import base64
import datetime
import gc
import hashlib
import io
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

TAG = b"pitside/entry/v1\n"
HASH_AT, PREV_AT, BODY_AT = 9, 83, 156  # {"hash":" 64 hex ","prev":" 64 hex ","body": body }
OPENING, BETWEEN, BEFORE_BODY = b'{"hash":"', b'","prev":"', b'","body":'
CLOSING = ord("}")
NO_HASH = b"0" * 64
BLOCK_BYTES = 1 << 18  # fits into a processor's cache: longer blocks take a third more time
DIGEST_BYTES = 1 << 20
LONGEST_LINE_BYTES = 1 << 26
LONG_FILE_BYTES = 1 << 25  # a longer one is shared by several processes
# What an entry costs, beside each other: its hash, all of it, and what the first process alone does for it.
WORK_OF_HASHES, WORK_OF_CONTENTS, WORK_OF_CHAIN = 30, 90, 12
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)
DAY = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
HEX = re.compile(r"[0-9a-f]{64}\Z")
ODDS = re.compile(r"([1-9][0-9]{0,8}) to ([1-9][0-9]{0,8})\Z")
COMMON_CITATION = (
    '"cite":"58 Pa. Code §'  # nearly all that is not ASCII in a record; it cannot be part of a key
)
DOLLARS = re.compile(r"\$([1-9][0-9]{0,2}(?:,[0-9]{3})*)\Z")
# An entry's body before and after its data: every key, in order. Matching these with patterns, and parsing only the
# data as JSON, takes a third less time.
PLAIN = r'[^"\\\x00-\x1f]*'
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
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
sha256 = hashlib.sha256
Progress = Callable[[int, int], None]  # bytes and entries read
Keys = dict[int, "list[Key]"]  # by LOG and WITNESS
Verified = tuple[str, str, "list[Stream]"]  # since, until, and the streams


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

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        where += ["line %d" % self.line] if self.line else []
        if self.stream is not None:
            where.append("%s seq %s" % (printable(self.stream), self.seq))
        return ": ".join([*where, self.reason])


class Stream:
    """One stream while it is read: its prior number and head, and those of the last entry read."""

    __slots__ = ("at", "entries", "head", "name", "prior_head", "prior_seq", "sealed")

    def __init__(self, name: str, prior_seq: int, prior_head: bytes) -> None:
        self.name, self.prior_seq, self.prior_head, self.head = name, prior_seq, prior_head, prior_head
        self.entries, self.at = 0, ""
        self.sealed: SealedHeads | None = None

    @property
    def seq(self) -> int:
        return self.prior_seq + self.entries


# ---------------------------------------------------------------------------------------------------------------------
# Lines


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


NO_LINE, WRONG_HASH = "this is not a line of an export", "its hash does not match its bytes"


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
        raise Bad(NO_LINE, number)
    prev, body = line[PREV_AT : PREV_AT + 64], line[BODY_AT:-1]
    digest = sha256(TAG + bytes.fromhex(prev.decode()) + body).digest()
    if hexlify(digest) != line[HASH_AT : HASH_AT + 64]:
        raise Bad(WRONG_HASH, number, *claimed_position(body))
    return body, prev, digest


def is_hex(text: bytes) -> bool:
    return HEX.match(text.decode("latin-1")) is not None


def claimed_position(body: bytes) -> tuple[Any, Any]:
    """The stream and number that a body claims, for a message; (None, None) if it cannot be read."""
    try:
        content = json.loads(body)
        return content["stream"], int(content["seq"])
    except Exception:
        return None, None


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
    try:
        text = decode(body)
        content, end = read_value(text, 0)
    except Bad as bad:
        raise Bad(bad.reason, number) from None
    if end != len(text):
        raise Bad("there is text after its JSON", number)
    return content


def decode(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except ValueError:
        raise Bad("it is not UTF-8") from None


# ---------------------------------------------------------------------------------------------------------------------
# The first line and the last


def read_opening(line: bytes, number: int = 1) -> tuple[str, str, list[Stream]]:
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
    return content["from"] or "", content["to"] or "~", streams


def _read_stream(item: Any, number: int) -> Stream:
    good = (
        isinstance(item, dict)
        and isinstance(item.get("stream"), str)
        and type(item.get("seq")) is int
        and isinstance(item.get("head"), str)
        and HEX.match(item["head"])
        and item["seq"] >= 0
    )
    if not good:
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


# ---------------------------------------------------------------------------------------------------------------------
# The entries


class Digest:
    """The SHA-256 of every byte.

    A thread computes it in parallel, because hashing releases Python's lock. Where other processes use the other
    processors, a thread gains nothing: `is_threaded` is then False, and a block is hashed while it is in the cache.
    """

    def __init__(self) -> None:
        self.sha256, self.size, self.pending = sha256(), 0, 0
        self.is_threaded = True
        self.blocks: list[bytes] = []
        self.thread: threading.Thread | None = None

    def update(self, block: bytes) -> None:
        self.size += len(block)
        if not self.is_threaded:
            self.sha256.update(block)
            return
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


class EntryReader:
    """Checks the entries in order: stream by stream, as the first line lists them."""

    def __init__(self, streams: list[Stream], contents: ContentsReader | None) -> None:
        self.streams, self.contents = streams, contents
        self.stream = Stream("", 0, b"")  # before the first entry: one that no entry follows
        self.place = -1
        self.number = 1  # the line read last
        self.line = b""  # the entry read last
        self.before = 1  # the line before the first entry of this stream
        self.stop = 0  # the line of the next sealed head, or 0

    def read(self, block: bytes, mine: bool = True) -> None:
        """Check one block of complete lines. If it is not `mine`, another process checks all but the chain."""
        number, line = self.number, self.line
        try:
            if mine:
                self.read_lines(block)
            else:
                self.read_chain(block)
        except Bad as bad:
            if mine and self.contents:  # the contents of a line before it may be bad too
                self.contents.read(block[: place_of_line(block, bad.line - number)], number, line)
            raise
        self.line = line_before(block, len(block)) or line
        if mine and self.contents:
            self.contents.read(block, number, line)

    def read_lines(self, block: bytes) -> None:
        """Check the form, hash and chain of each line.

        Without contents, it takes most of the running time. So the loop calls little, and copies each byte once.
        """
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

    def read_chain(self, block: bytes) -> None:
        """Check the chain of each line by the hashes that the lines state. Another process checks these."""
        stream, number, stop, find = self.stream, self.number, self.stop, block.find
        head_hex = hexlify(stream.head)
        begin, end, turned = 0, find(b"\n"), number
        while end >= 0:
            if block[begin + 83 : begin + 147] != head_hex:
                self.end_run(stream, from_hex(head_hex), number - turned, line_before(block, begin))
                stream, _digest = self.next_stream(block[begin:end], number + 1)
                turned, stop = number, self.stop
            number += 1
            head_hex = block[begin + 9 : begin + 73]
            if number == stop:
                stop = self.check_sealed_head(stream, from_hex(head_hex), block[begin:end], number)
            begin, end = end + 1, find(b"\n", end + 1)
        self.end_run(stream, from_hex(head_hex), number - turned, line_before(block, len(block)))
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
            if stream.head == prior_head and stream.entries == 0:
                self.place, self.before = place, number - 1
                self.stop = self.next_stop(stream)
                if self.contents:
                    self.contents.read_first(body, number, stream)
                return stream, digest
        raise Bad(
            "it does not follow the entry before it (missing, repeated or moved)",
            number,
            *claimed_position(body),
        )

    def next_stop(self, stream: Stream) -> int:
        """The line of the stream's next sealed head; 0 if there is none."""
        sealed = stream.sealed
        return self.before + sealed.seq - stream.prior_seq if sealed is not None and sealed.seq else 0

    def check_sealed_head(self, stream: Stream, digest: bytes, line: bytes, number: int) -> int:
        """Check an entry against the seal that lists it. Returns the line of the next sealed head."""
        sealed = stream.sealed
        assert sealed is not None
        try:
            sealed.reach(digest, claimed_time(line))
        except Bad as bad:
            raise Bad(bad.reason, number, stream.name, sealed.seq) from None
        return self.next_stop(stream)


class ShareReader(EntryReader):
    """Checks some blocks for another process, which checks the chain from block to block and from stream to stream."""

    def __init__(self, contents: ContentsReader | None) -> None:
        super().__init__([], contents)

    def skip(self, block: bytes) -> None:
        """Pass over a block of another process."""
        self.number += block.count(b"\n")
        self.line = line_before(block, len(block)) or self.line

    def next_stream(self, line: bytes, number: int) -> tuple[Stream, bytes]:
        """Check the form and hash of a line that does not follow the line before it, or the first of a block."""
        digest = read_line(line, number)[2]
        self.stream = Stream("", 0, digest)
        return self.stream, digest


def line_before(block: bytes, end: int) -> bytes:
    """The line that ends before a position of a block, without its newline. Empty if there is none."""
    return block[block.rfind(b"\n", 0, max(end - 1, 0)) + 1 : max(end - 1, 0)]


def place_of_line(block: bytes, number: int) -> int:
    """The position where the nth line of a block begins, from 1."""
    place = 0
    for _ in range(number - 1):
        place = block.find(b"\n", place) + 1
    return place


def from_hex(text: bytes) -> bytes:
    """The bytes of a hash in hex; empty if it is malformed."""
    return bytes.fromhex(text.decode()) if is_hex(text) else b""


class Position:
    """Where a reader is in a stream: its name, and the number and time of the last entry. No name: it is unknown."""

    __slots__ = ("at", "name", "seq")

    def __init__(self, name: str | None, seq: int, at: str = "") -> None:
        self.name, self.seq, self.at = name, seq, at

    @classmethod
    def after(cls, line: bytes) -> Position:
        """The position after an entry, as its body claims. Whatever checks that entry checks the claims."""
        name, seq = claimed_position(line[BODY_AT:-1])
        return cls(name, seq, claimed_time(line)) if isinstance(name, str) else cls(None, 0)

    def encoded(self) -> tuple[bytes | None, int, bytes]:
        name = None if self.name is None else self.name.encode("utf-8", "surrogatepass")
        return name, self.seq, self.at.encode("latin-1")


class ContentsReader:
    """Checks the contents of entries, block by block. It may read some of the blocks only.

    A pattern for each kind of body, learned from bodies that were parsed, accepts nearly all later ones. What no
    pattern accepts is parsed. Only that rejects an entry, so the patterns change no answer.
    """

    def __init__(self, since: str, until: str, terms: RoundTerms) -> None:
        self.since, self.until, self.terms = since, until, terms
        self.kinds: dict[tuple[str, tuple[str, ...]], BodyKind] = {}  # by type, and the keys of the data
        self.patterns: dict[bytes, list[BodyKind]] = {}  # by type: those that have a pattern
        self.days: set[tuple[bytes, bytes]] = set()  # gaming days, each with a date that it fits

    def read_first(self, body: bytes, number: int, stream: Stream) -> None:
        """Check the first entry of a stream."""
        self.parse(body, number, Position(stream.name, stream.prior_seq))

    def read(self, block: bytes, number: int, line: bytes) -> None:
        """Check the entries of a block. `line` is the entry before it, with its number in the file, or empty.

        An entry that does not follow the one before it begins a stream, and `read_first` checks it; or it is bad.
        """
        find, starts, ends = block.find, block.startswith, block.endswith
        since, until = self.since.encode(), self.until.encode()
        kinds_of = self.patterns.get if is_utf8(block) else NO_PATTERNS.get
        position, count = Position.after(line), TermsCount(self.terms)
        name, seq, moment = position.encoded()
        earliest = max(since, moment)
        before, begin, end = -1, 0, find(b"\n")
        self.forget_edges()
        while end >= 0:
            number += 1
            seq += 1
            type_at, body_at, body_end = begin + TYPE_AT, begin + BODY_AT, end - 1
            for kind in kinds_of(block[type_at : find(b'"', type_at)], NO_KINDS):
                tail = kind.tail % seq
                if not (starts(kind.head, body_at) and ends(tail, body_at, body_end)):
                    tail = kind.read_edges(block, body_at, body_end, name, seq, self.days)
                    if not tail:
                        continue
                time_at = body_at + kind.head_length
                match = kind.match(block, time_at, body_end - len(tail))
                if match is None:
                    continue
                at = block[time_at - 11 : time_at + 16]
                if earliest <= at < until and (
                    not kind.is_settlement or is_settled(*match.group(*SETTLEMENT))
                ):
                    moment = earliest = at
                    terms = kind.terms
                    if terms is not None:
                        if terms == count.terms:
                            count.entries += 1
                        else:
                            count.start(position.name, terms, number, seq, at)
                    break
            else:
                position.seq, position.at = seq - 1, moment.decode("latin-1")
                head_hex = (
                    block[before + HASH_AT : before + HASH_AT + 64] if begin else line[HASH_AT : HASH_AT + 64]
                )
                if block[begin + PREV_AT : begin + PREV_AT + 64] != head_hex:
                    count.end()
                    position = Position.after(block[begin:end])
                    self.forget_edges()
                elif position.name is not None:
                    self.parse(block[begin + BODY_AT : end - 1], number, position)
                name, seq, moment = position.encoded()
                earliest = max(since, moment)
            before = begin
            begin = end + 1
            end = find(b"\n", begin)
        count.end()

    def forget_edges(self) -> None:
        """Forget the ends of bodies, which name their stream: another one may come next."""
        for kind in self.kinds.values():
            kind.tail = NO_TAIL

    def parse(self, body: bytes, number: int, position: Position) -> None:
        """Check the entry that comes next, and learn from it."""
        assert position.name is not None
        name, seq = position.name, position.seq + 1
        try:
            entry = read_entry(body, name, seq)
            verify_time(entry.moment, entry.day, position, self.since, self.until)
            if "settled" in entry.data or "returned_cents" in entry.data:
                verify_settled(entry.data)
        except Bad as bad:
            raise Bad(bad.reason, number, name, seq) from None
        position.seq = seq
        if entry.type in TYPES_ABOUT_TERMS:
            self.terms.gather(entry, number, name, seq)
            return
        if entry.terms and "round" in entry.data:
            self.terms.gather(entry, number, name, seq)
        if len(body) <= LEARNED_BYTES_MOST:
            self.learn(entry)

    def learn(self, entry: Entry) -> None:
        """Learn from a good entry that no pattern accepted."""
        if len(self.days) >= DAYS_MOST:
            self.days.clear()
        self.days.add((entry.day.encode(), entry.moment[:10].encode()))
        key = (entry.type, tuple(entry.data))
        kind = self.kinds.get(key)
        if kind is None:
            if len(self.kinds) >= KINDS_MOST:
                return
            kind = self.kinds[key] = BodyKind(*key)
        if kind.learn(entry.data):
            kinds = self.patterns.setdefault(entry.type.encode(), [])
            if kind not in kinds:
                kinds.append(kind)


class TermsCount:
    """Counts the entries of a stream that follow each other under the same terms, in one block."""

    def __init__(self, collected: RoundTerms) -> None:
        self.collected, self.terms, self.entries = collected, b"", 0
        self.stream, self.first = "", (0, 0, "")

    def start(self, stream: str | None, terms: bytes, number: int, seq: int, at: bytes) -> None:
        self.end()
        self.stream, self.terms, self.entries = stream or "", terms, 1
        self.first = (number, seq, at.decode())

    def end(self) -> None:
        if self.entries:
            self.collected.add((self.stream, None, None, self.terms.decode()), (*self.first, self.entries))
        self.terms, self.entries = b"", 0


TYPE_AT = BODY_AT + len('{"_format":1,"_type":"')
TEXT, NUMBER, WORD = '"[^"\\\\\x00-\x1f]*"', "(?:0|-?[1-9][0-9]{0,14})", "(?:null|true|false)"
NO_GROUPS: Mapping[str, str] = {}
NO_KINDS: Sequence[BodyKind] = ()
NO_PATTERNS: Mapping[bytes, Sequence[BodyKind]] = {}
NO_TAIL = b"\n%d"  # no body has a newline
SETTLEMENT = {  # its wagers are checked apart, by `is_settled`
    "settled": r"\[(?:\{[^\]]*\})?\]",
    "paid_cents": NUMBER,
    "returned_cents": NUMBER,
    "taken_cents": NUMBER,
}
# A body in three parts. Its head up to the date and its tail from the device on are nearly always those of the entry of
# its kind before, with the next number; so they are compared, and matched only if they differ.
HEAD_PATTERN = r'\{"_format":1,"_type":"TYPE","actor":(null|"PLAIN"),"at":"([0-9]{4}-[0-9]{2}-[0-9]{2})T'
DATA_PATTERN = r'TIME","build":"PLAIN","command":(?:null|"UUID"),"data":DATA\Z'
TAIL_PATTERN = (
    r',"device":(?:null|"UUID"),"gaming_day":"(PLAIN)","seq":([1-9][0-9]{0,14}),"stream":"(PLAIN)",'
    r'"terms":(?:null|"([0-9a-f]{64})"),"witness":(null|"PLAIN")\}\Z'
)
TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z"
HEAD_PATTERN = HEAD_PATTERN.replace("PLAIN", PLAIN)
DATA_PATTERN = DATA_PATTERN.replace("TIME", TIME).replace("PLAIN", PLAIN).replace("UUID", UUID)
TAIL = re.compile(TAIL_PATTERN.replace("PLAIN", PLAIN).replace("UUID", UUID).encode())
# What is learned stays small, whatever a file contains.
LEARNED_BYTES_MOST = 1 << 14  # of a body
WAGER_BYTES_MOST = 500
KINDS_MOST = 200
SHAPES_MOST = 500  # of one kind
PATTERN_MOST = 20_000  # characters
DAYS_MOST = 10_000
PARSED_FIRST = 16  # bodies of a kind, before it has a pattern


class BodyKind:
    """Bodies of one type whose data have the same keys. Once enough were parsed, it has a pattern for them."""

    def __init__(self, type_: str, keys: tuple[str, ...]) -> None:
        self.type, self.keys, self.shape = type_, set(keys), Shape()
        self.parsed = self.shapes = 0
        self.is_of_round = "round" in keys
        self.is_settlement = "settled" in keys or "returned_cents" in keys
        # The newest good body's, which fit each other. The tail has `%d` for its number.
        self.head, self.head_length, self.tail = b"\n", 1, NO_TAIL
        self.terms: bytes | None = None  # of a round
        self.match_head = re.compile(HEAD_PATTERN.replace("TYPE", re.escape(type_)).encode()).match
        self.match: Callable[[bytes, int, int], re.Match[bytes] | None] = lambda body, begin, end: None

    def learn(self, data: dict[str, Any]) -> bool:
        """Learn from good data. Returns whether there is a new pattern. Compiling takes long, so at 16, 32, 64 …"""
        if self.shapes > SHAPES_MOST or (self.is_settlement and not self.keys >= SETTLEMENT.keys()):
            return False
        try:
            self.shapes += self.shape.learn(data)
            self.parsed += 1
            if self.parsed < PARSED_FIRST or self.parsed & (self.parsed - 1):
                return False
            before, after = DATA_PATTERN.split("DATA")
            text = before + self.shape.pattern(SETTLEMENT if self.is_settlement else NO_GROUPS) + after
            pattern = re.compile(text.encode()) if len(text) <= PATTERN_MOST else None
        except (RecursionError, OverflowError, re.error):
            pattern = None
        if pattern is None:
            self.shapes = SHAPES_MOST + 1
            return False
        self.match = pattern.match
        return True

    def read_edges(
        self,
        block: bytes,
        begin: int,
        end: int,
        stream: bytes | None,
        seq: int,
        days: set[tuple[bytes, bytes]],
    ) -> bytes:
        """Read the head and tail of the body between these positions. Returns the tail; empty if they are not good."""
        head = self.match_head(block, begin, end)
        tail = TAIL.match(block, max(block.rfind(b',"device":', begin, end), begin), end)
        if head is None or tail is None:
            return b""
        actor, date = head.groups()
        day, number, name, terms, witness = tail.groups()
        if (
            int(number) != seq
            or name != stream
            or (day, date) not in days
            or (witness != b"null" and witness == actor)
        ):
            return b""
        text, place = tail[0], tail.start(2) - tail.start()
        if len(head[0]) + len(text) > LEARNED_BYTES_MOST:
            return b""
        after = text[place + len(number) :]
        self.head, self.head_length = head[0], len(head[0])
        self.tail = text[:place].replace(b"%", b"%%") + b"%d" + after.replace(b"%", b"%%")
        self.terms = terms if self.is_of_round else None
        return text


class Shape:
    """The shapes that values had: texts, numbers and words; lists, with the shape of their items; objects by keys."""

    __slots__ = ("items", "objects", "scalars")

    def __init__(self) -> None:
        self.scalars: set[str] = set()  # patterns
        self.items: Shape | None = None
        self.objects: dict[tuple[str, ...], list[Shape]] = {}

    def learn(self, value: Any) -> int:
        """Add the shape of a value. Returns how many shapes within it are new."""
        if isinstance(value, list):
            is_new, self.items = self.items is None, self.items or Shape()
            return is_new + sum(map(self.items.learn, value))
        if not isinstance(value, dict):
            self.scalars.add(TEXT if isinstance(value, str) else NUMBER if type(value) is int else WORD)
            return 0
        keys, is_new = tuple(value), tuple(value) not in self.objects
        if is_new:
            self.objects[keys] = [Shape() for _ in keys]
        return len(keys) * is_new + sum(map(Shape.learn, self.objects[keys], value.values()))

    def pattern(self, groups: Mapping[str, str] = NO_GROUPS) -> str:
        """A pattern of canonical JSON of these shapes, without escapes. It accepts nothing else.

        `groups` are patterns for the values of some keys of this object, which become groups.
        """
        choices = sorted(self.scalars)
        if self.items:
            item = self.items.pattern()
            choices.append(r"\[(?:%s(?:,(?!\])|(?=\])))*\]" % item if item else r"\[\]")
        for keys, shapes in self.objects.items():
            patterns = [shape.pattern() for shape in shapes]
            for place, key in enumerate(keys):
                if key in groups:
                    patterns[place] = "(?P<%s>%s)" % (key, groups[key])
            names = (re.escape(encode(key)) for key in keys)
            choices.append(r"\{%s\}" % ",".join(map("%s:%s".__mod__, zip(names, patterns))))  # noqa: B905
        return "(?:%s)" % "|".join(choices) if len(choices) > 1 else "".join(choices)


def is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeError:
        return False


def is_settled(wagers: bytes, paid: bytes, returned: bytes, taken: bytes) -> bool:
    """Whether canonical JSON is that of settled wagers and their totals. False is no answer: it has to be parsed."""
    texts = wagers[2:-2].split(b"},{") if wagers != b"[]" else []
    if max(map(len, texts), default=0) > WAGER_BYTES_MOST:
        return False
    money = [*map(money_of_wager, texts)]
    if None in money:
        return False
    stakes, payments, returns = map(sum, zip(*money)) if money else (0, 0, 0)  # noqa: B905
    return (int(paid), int(returned), int(taken)) == (payments, returns, stakes - returns)


@lru_cache(maxsize=1 << 14)
def money_of_wager(text: bytes) -> tuple[int, int, int] | None:
    """The stake, payment and return of a wager, in cents, from its JSON without braces; None if it is not good."""
    before, seat, after = text.partition(b',"seat":')  # many wagers differ only in what follows
    money, place = members(before), members(seat[1:] + after) if seat else {}
    if money is None or place is None or (place and max(money, default="") >= "seat"):
        return None
    wager = {**money, **place}
    try:
        verify_wager(wager)
    except Bad:
        return None
    return wager["cents"], wager["paid_cents"], wager["returned_cents"]


@lru_cache(maxsize=1 << 12)
def members(text: bytes) -> dict[str, Any] | None:
    """Parse a JSON object without its braces; None if it is not canonical."""
    try:
        whole = "{%s}" % text.decode()
        value, end = read_value(whole, 0)
    except (Bad, UnicodeError):
        return None
    return value if end == len(whole) else None


class Entry(NamedTuple):
    """What an entry says. `terms` is a SHA-256 in hex, or None."""

    type: str
    moment: str
    day: str
    data: dict[str, Any]
    terms: str | None
    actor: str
    witness: str


def read_entry(body: bytes, name: str, seq: int) -> Entry:
    """Check that a body matches format 1 and has this stream and number."""
    text = decode(body)
    before = BEFORE_DATA.match(text)
    if not before:
        raise Bad("the part before its data does not match format 1")
    data, end = read_value(text, before.end())
    after = AFTER_DATA.match(text, end)
    if not after:
        raise Bad("the part after its data does not match format 1")
    type_, actor, moment = before.groups()
    day, number, stream, terms, witness = after.groups()
    if stream != name:
        raise Bad("it belongs to the stream %s" % printable(stream))
    if int(number) != seq:
        raise Bad("its number is %s" % number)
    if witness == actor and witness != "null":
        raise Bad("its witness and actor are the same person")
    return Entry(type_, moment, day, data, terms, actor, witness)


def claimed_time(body: bytes) -> str:
    """The time in a body whose contents another process checks."""
    return body.partition(b',"at":"')[2][:27].decode("latin-1")


def verify_time(moment: str, day: str, stream: Stream | Position, since: str, until: str) -> None:
    """Check that the time is in the range and not before the last one, and that the gaming day fits the time."""
    if not is_moment(moment):
        raise Bad("its time is not a valid time in UTC")
    if moment < stream.at:
        raise Bad("its time is before that of the entry before it")
    if not since <= moment < until:
        raise Bad("its time is outside the range of the export")
    if not is_near(day, moment[:10]):
        raise Bad("its gaming day does not fit its time")
    stream.at = moment


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


def verify_settled(data: dict[str, Any]) -> None:
    """Check the money of a settlement: each wager by its outcome and odds, and the totals."""
    paid = returned = staked = 0
    wagers = data.get("settled")
    if not isinstance(wagers, list):
        raise Bad("its settled wagers are not a list")
    for wager in wagers:
        if not isinstance(wager, dict):
            raise Bad("a settled wager is not an object")
        verify_wager(wager)
        staked += wager["cents"]
        paid += wager["paid_cents"]
        returned += wager["returned_cents"]
    totals = (("paid_cents", paid), ("returned_cents", returned), ("taken_cents", staked - returned))
    for key, total in totals:
        if type(data.get(key)) is not int or data[key] != total:
            raise Bad("its %s is not the total of its wagers, %d" % (key, total))


def verify_wager(wager: dict[str, Any]) -> None:
    """Check a wager: a win pays odds and returns the stake, a return returns the stake, a loss and a fee nothing."""
    outcome, cents = wager.get("outcome"), wager.get("cents")
    paid, returned, pays = wager.get("paid_cents"), wager.get("returned_cents"), wager.get("pays")
    if not (type(cents) is type(paid) is type(returned) is int) or cents < 1 or paid < 0:
        raise Bad("a wager's cents are not valid amounts")
    if outcome not in ("win", "lose", "return", "fee"):
        raise Bad("a wager's outcome is unknown")
    if returned != (cents if outcome in ("win", "return") else 0):
        raise Bad("a wager of outcome %s returned %d of %d cents" % (outcome, returned, cents))
    if outcome == "win":
        verify_odds(pays, cents, paid, wager.get("cut_cents", 0))
    elif paid or pays is not None or "pays" not in wager or "cut_cents" in wager:
        raise Bad("a wager of outcome %s was paid" % outcome)


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
# The terms of rounds, and their approvals

APPROVED, MADE, CONTINUED, CLOSED = "rules.approved", "table.made", "stream.continued", "stream.closed"
STATING = {"table.opened": "submission_version", "rules.took_effect": "version"}
TYPES_ABOUT_TERMS = {APPROVED, MADE, CONTINUED, CLOSED, *STATING}
INSTALLATION = "installation/system"  # the stream of what belongs to no facility
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
        self.approvals: set[tuple[str, str, int, str, str]] = (
            set()
        )  # stream, submission, version, SHA-256, time
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

    def as_data(self) -> list[Any]:
        """All of it as JSON, for the process that compares."""
        return [
            [[*key, *dealt] for key, dealt in self.dealt.items()],
            list(self.approvals),
            self.made,
            list(self.continuing),
            list(self.closed),
            self.omitted,
            self.is_full,
        ]

    def merge(self, data: list[Any]) -> None:
        """Add what another process collected, from its `as_data`."""
        dealt, approvals, made, continuing, closed, omitted, is_full = data
        for item in dealt:
            self.add(tuple(item[:4]), tuple(item[4:]))
        self.approvals.update(map(tuple, approvals))
        for name, (seq, code) in made.items():
            self.made[name] = min(self.made.get(name, (3, "")), (seq, code))
        self.continuing.update(continuing)
        self.closed.update(map(tuple, closed))
        self.omitted += omitted
        self.is_full = self.is_full or is_full or len(self.approvals) > TERMS_MOST

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
        self.submissions: dict[
            tuple[str, str], dict[str, str]
        ] = {}  # of facility and SHA-256: the first time by code
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
# A file


def verify(
    file: BinaryIO,
    contents: bool = True,
    progress: Progress | None = None,
    count: int = 1,
    sealed_heads: dict[str, SealedHeads] | None = None,
    digest: Digest | None = None,
    terms: RoundTerms | None = None,
) -> Verified:
    """Check an open binary file. Returns (since, until, streams). Raises Bad.

    If `count` processes share the file, checks the chain, and all else in the blocks that belong to the first of them;
    the terms of rounds are then collected, and not compared. `sealed_heads` are the sealed heads of each stream by
    name. `digest` collects the hash of the whole file, `terms` the terms of rounds.
    """
    everything, reader, size, turn = digest or Digest(), None, 0, 0
    everything.is_threaded = count == 1
    terms, share = terms or RoundTerms(), share_of_first(count, contents)
    for block, last in blocks(file):
        if reader is None:
            first, newline, remainder = block.partition(b"\n")
            if not newline:
                raise Bad("this is not an export of at least two lines", 1)
            since, until, streams = read_opening(first)
            if sealed_heads:
                for stream in streams:
                    stream.sealed = sealed_heads[stream.name]
                    stream.sealed.begin(stream)
            reader = EntryReader(streams, ContentsReader(since, until, terms) if contents else None)
            everything.update(block)
            reader.read(remainder, owner(turn, count, share) == 0)
        elif last:
            verify_closed(block, reader.number + 1, reader.streams, everything.hexdigest())
            everything.update(block)
            if count == 1:
                terms.verify(streams)
            return since, until, streams
        else:
            everything.update(block)
            reader.read(block, owner(turn, count, share) == 0)
        size, turn = size + len(block), turn + 1
        if progress:
            progress(size, reader.number - 1)
    raise Bad("this is not an export")


def verify_share(file: BinaryIO, contents: bool, process: int, count: int, terms: RoundTerms) -> None:
    """Check the blocks that belong to a process that is not the first. Raises Bad."""
    reader, share = None, share_of_first(count, contents)
    for turn, (block, last) in enumerate(blocks(file)):
        if reader is None:
            first, _newline, block = block.partition(b"\n")
            since, until, _streams = read_opening(first)
            reader = ShareReader(ContentsReader(since, until, terms) if contents else None)
        if last:
            return
        if owner(turn, count, share) == process:
            reader.read(block)
        else:
            reader.skip(block)


def share_of_first(count: int, contents: bool) -> int:
    """Of how many in a hundred blocks the first process checks all, so that all processes end together.

    It also checks the chain and hashes the file.
    """
    if count == 1:
        return 100
    work = WORK_OF_CONTENTS if contents else WORK_OF_HASHES
    return max(0, (100 * work - 100 * WORK_OF_CHAIN * (count - 1)) // (work * count))


def owner(turn: int, count: int, share: int) -> int:
    """The process, from 0, that checks a block. The first checks `share` of a hundred, evenly spread."""
    before, after = -(-turn * share // 100), -(-(turn + 1) * share // 100)
    return 0 if after > before or count == 1 else 1 + (turn - before) % (count - 1)


def verify_file(
    path: str,
    contents: bool,
    progress: Progress | None,
    sealed_heads: dict[str, SealedHeads] | None = None,
    digest: Digest | None = None,
    terms: RoundTerms | None = None,
) -> Verified:
    """Check a file or a bundle by its path. A long one is shared by one process per processor, at most eight."""
    import subprocess  # only long files need it, and it takes long to import

    terms = terms or RoundTerms()
    long_bytes = LONG_FILE_BYTES if contents else 4 * LONG_FILE_BYTES
    count = min(os.cpu_count() or 1, 8) if record_size(path) > long_bytes else 1
    words = ["--share", *([] if contents else ["--hashes-only"])]
    others = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.abspath(__file__), *words, str(process), str(count), path],
            stdout=subprocess.PIPE,
        )
        for process in range(1, count)
    ]
    result, bads, mine = None, [], []
    try:
        with open_record(path) as file:
            try:
                result = verify(file, contents, progress, count, sealed_heads, digest, terms)
            except Bad as bad:
                mine.append(bad)
    finally:
        outputs = [(process.communicate()[0], process.returncode) for process in others]
    for output, status in outputs:
        if status:
            raise OSError("a process that checked part of the file ended early")
        answer = json.loads(output)
        bads += [Bad(*fields) for fields in answer["bads"]]
        terms.merge(answer["terms"])
    if result is None or bads:
        raise first_failure(mine, bads)
    if count > 1:
        terms.verify(result[2])
    return result


def first_failure(mine: Sequence[Bad], of_others: Sequence[Bad]) -> Bad:
    """The failure that one process alone would name: of a line its form and hash, then chain and seals, then contents.

    Those in the middle are of the first process.
    """
    lines = [bad for bad in of_others if bad.reason in (NO_LINE, WRONG_HASH)]
    contents = [bad for bad in of_others if bad not in lines]
    return min([*lines, *mine, *contents], key=lambda bad: bad.line or float("inf"))


def answer_share(words: Sequence[str]) -> int:
    """Check a share of a file for another process. Prints its failure, if any, and the terms of rounds, as JSON."""
    process, count, path = words[-3:]
    bads, terms = [], RoundTerms()
    try:
        with open_record(path) as file:
            verify_share(file, "--hashes-only" not in words, int(process), int(count), terms)
    except Bad as bad:
        bads.append((bad.reason, bad.line, bad.stream, bad.seq))
    except (OSError, *archive_errors()) as error:  # type: ignore[misc]
        bads.append(("it cannot be read: %s" % ascii(str(error)), 0, None, None))
    print(json.dumps({"bads": bads, "terms": terms.as_data()}))
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# A bundle's files

RECORD, BEYOND, SEALS, CHECKPOINT = "record.jsonl", "beyond.jsonl", "seals.jsonl", "checkpoint.txt"
KEYS, MANIFEST = "keys.txt", "manifest.json"
SCHEMAS = "schemas.json"  # optional: older bundles have none
DOCUMENTS = ("FORMAT.md", "README.txt", "verify.py", "witness.py")
REQUIRED = {RECORD, BEYOND, KEYS, MANIFEST, *DOCUMENTS}
SHORT_FILE_BYTES = 1 << 24
OTHERS_LISTED = 10


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
            if not os.path.isfile(os.path.join(self.path, name)):  # a pipe there would never end
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
# The log: its tree, and the heads that its seals list

HEAD_RECORD = struct.Struct(">Q32s27s")
HEADS_BYTES = HEAD_RECORD.size * 400  # of one stream, before they go to the temporary file
SEAL_KEYS = ["_format", "_type", "at", "full", "heads", "incarnation", "number"]
SEGMENT_KEYS = ["_format", "_type", "after", "before", "first", "incarnation", "last", "origin", "size"]


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
            raise Bad(bad.reason, bad.line or number, file=SEALS) from None

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
        good = (
            isinstance(item, dict)
            and list(item) == ["head", "seq", "stream"]
            and isinstance(item["stream"], str)
            and type(item["seq"]) is int
            and isinstance(item["head"], str)
            and HEX.match(item["head"])
            and item["seq"] > 0
        )
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


# ---------------------------------------------------------------------------------------------------------------------
# Entries outside the range


class BeyondReader:
    """Checks beyond.jsonl: each stream's entry before the range, and those after it up to the sealed head."""

    def __init__(self, since: str, until: str, streams: list[Stream]) -> None:
        self.since, self.until, self.streams = since, until, streams
        self.places = {stream.name: place for place, stream in enumerate(streams)}
        self.place = -1
        self.seen: set[str] = set()
        self.ends = [stream.seq for stream in streams]  # the last number of each stream in both files
        self.heads = [stream.head for stream in streams]
        self.firsts = [
            stream.sealed.seq if stream.sealed else 0 for stream in streams
        ]  # the first listed number after the range

    def read(self, lines: Iterable[tuple[int, bytes]], contents: bool) -> None:
        for number, line in lines:
            try:
                self.entry(line, contents)
            except Bad as bad:
                raise Bad(bad.reason, number, bad.stream, bad.seq, BEYOND) from None

    def entry(self, line: bytes, contents: bool) -> None:
        body, prev, digest = read_line(line, 0)
        name, seq = claimed_position(body)
        place = self.places.get(name) if isinstance(name, str) else None
        if place is None or place < self.place:
            raise Bad("it is of a stream that does not belong here", 0, name, seq)
        stream = self.streams[place]
        try:
            if seq == stream.prior_seq and place > self.place and self.since:
                self.before(stream, body, digest, contents)
            else:
                self.after(place, stream, seq, body, prev, digest, contents)
        except Bad as bad:
            raise Bad(bad.reason, 0, name, seq) from None
        self.place = place

    def before(self, stream: Stream, body: bytes, digest: bytes, contents: bool) -> None:
        if digest != stream.prior_head:
            raise Bad("it is not the entry before the range")
        entry = read_entry(body, stream.name, stream.prior_seq)
        verify_time(entry.moment, entry.day, Stream(stream.name, 0, b""), "", self.since)
        self.contents(entry.data, contents)
        self.seen.add(stream.name)

    def after(
        self, place: int, stream: Stream, seq: int, body: bytes, prev: bytes, digest: bytes, contents: bool
    ) -> None:
        if seq != self.ends[place] + 1 or prev != hexlify(self.heads[place]):
            raise Bad("it does not follow the entry before it (missing, repeated or moved)")
        entry = read_entry(body, stream.name, seq)
        verify_time(entry.moment, entry.day, stream, "" if self.until == "~" else self.until, "~")
        self.contents(entry.data, contents)
        self.ends[place], self.heads[place] = seq, digest
        if stream.sealed and stream.sealed.seq == seq:
            stream.sealed.reach(digest, entry.moment)

    @staticmethod
    def contents(data: dict[str, Any], contents: bool) -> None:
        if contents and ("settled" in data or "returned_cents" in data):
            verify_settled(data)

    def verify_ends(self, segment: SealSegment | None) -> dict[str, int]:
        """Check that no stream is cut at either end. Returns the number of unsealed entries by name."""
        unsealed = {}
        for place, stream in enumerate(self.streams):
            try:
                count = self.verify_end(place, stream, segment)
            except Bad as bad:
                raise Bad(bad.reason, 0, stream.name, self.ends[place], BEYOND) from None
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
# Signed notes

DASH = "\u2014 "
NOTE_LINES_MAX = 200
NAME = r"[^\s+]+"
VKEY = re.compile(r"(%s)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\Z" % NAME)
SIGNATURE = re.compile(DASH + r"(%s) ([A-Za-z0-9+/]+=*)\Z" % NAME)
KEY_LINE = re.compile(r"(log|witness) (\S+)(?: created (\S+) retired (\S+))?\Z")
LOG, WITNESS = 1, 4
NO_CRYPTOGRAPHY = "install `cryptography` for this Python and check again"


class Key:
    """An Ed25519 public key in the format of C2SP: NAME+ID+BASE64."""

    def __init__(self, text: str, kind: int) -> None:
        match = VKEY.match(text) or {1: "", 2: "", 3: ""}
        material = from_base64(match[3])
        if len(material) != 33 or material[0] != kind:
            raise Bad("%s is not a key of a %s" % (printable(text), "log" if kind == LOG else "witness"))
        self.name, self.kind, self.public = match[1], kind, material[1:]
        self.id = sha256(self.name.encode() + b"\n" + material).digest()[:4]
        if self.id.hex() != match[2]:
            raise Bad("the key id of %s does not match its bytes" % printable(text))

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
        try:
            keys[kind].append(Key(match[2], kind))
        except Bad as bad:
            raise Bad(bad.reason, number, file=KEYS) from None
    return keys


def signature_lines(note: Note, stated: Keys, options: Options) -> Iterator[str]:
    """Yield a line for each signature of a checkpoint. Raises Bad if one is wrong or a required one is missing.

    Keys from the reader take precedence: if there is one for the log, the bundle's own keys for it are ignored.
    """
    mine = options.keys[LOG]
    logs, witnesses = mine or stated[LOG], options.keys[WITNESS]
    whose = "a key that you gave" if mine else "a key from the bundle itself: this trusts the bundle"
    try:
        signers = [key for key in logs if note.signed_by(key)]
        if not signers:
            raise Bad("the checkpoint is not signed by any known key of the log", file=CHECKPOINT)
        for key in signers:
            yield "signed by %s, %s" % (key, whose)
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


# ---------------------------------------------------------------------------------------------------------------------
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
# A bundle, and the proof of one entry


def verify_bundle(path: str, options: Options, progress: Progress | None) -> list[str]:
    """Check a bundle by its path. Returns lines to print. Raises Bad."""
    bundle = Bundle(path)
    with bundle.open(RECORD) as file:
        opening, newline, _rest = file.readline(LONGEST_LINE_BYTES).partition(b"\n")
    if not newline:
        raise Bad("this is not an export of at least two lines", 1, file=RECORD)
    since, until, streams = read_bundle_opening(opening)
    every = read_every(opening, streams)
    segment = note = None
    if bundle.is_sealed:
        segment = SealSegment(streams, until, {checkpoint.size for _path, checkpoint in options.saved})
        segment.read(bundle.lines(SEALS))
        if every:
            every.verify(segment.others)
        note = read_note(bundle.text(CHECKPOINT), CHECKPOINT)
        verify_root(note, segment)
    terms = RoundTerms()
    result, digest = verify_record(path, options, progress, segment, terms)
    bundle.digests[RECORD] = (digest.hexdigest(), digest.size)
    beyond = BeyondReader(since, until, result[2])
    beyond.read(bundle.lines(BEYOND), options.contents)
    unsealed = beyond.verify_ends(segment)
    damage = list(beyond.verify_times(bundle))
    keys = read_keys(bundle.text(KEYS))
    verify_manifest(bundle, opening, result[2], segment, unsealed)
    return [
        *summary(*result),
        *terms.lines(),
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


def read_bundle_opening(opening: bytes) -> tuple[str, str, list[Stream]]:
    try:
        return read_opening(opening)
    except Bad as bad:
        raise Bad(bad.reason, bad.line, bad.stream, bad.seq, RECORD) from None


def verify_record(
    path: str, options: Options, progress: Progress | None, segment: SealSegment | None, terms: RoundTerms
) -> tuple[Verified, Digest]:
    digest, sealed_heads = Digest(), segment.sealed_heads if segment else None
    try:
        return verify_file(path, options.contents, progress, sealed_heads, digest, terms), digest
    except Bad as bad:
        raise Bad(bad.reason, bad.line, bad.stream, bad.seq, RECORD) from None


def read_note(text: str, file: str | None = None) -> Note:
    try:
        return Note(text)
    except Bad as bad:
        raise Bad(bad.reason, file=file) from None


def verify_root(note: Note, segment: SealSegment) -> None:
    if (note.origin, note.size) != (segment.origin, segment.size):
        raise Bad("its log and size do not match the seals", file=CHECKPOINT)
    if segment.tree.root() != note.root:
        raise Bad("its root does not match the seals", file=CHECKPOINT)
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
    yield from signature_lines(note, keys, options)
    signers = {(name, id_) for name, id_, _ in note.signatures}
    if not signers & {(key.name, key.id) for key in keys[LOG]}:
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
        try:
            moment = read_entry(body, name, seq).moment
        except Bad as bad:
            raise Bad(bad.reason, number, name, seq) from None
    if name is None:
        raise Bad("it has no entry")
    return name, seq, head, first, moment


def genesis(name: str) -> bytes:
    return sha256(b"pitside/stream/v1\n" + name.encode("utf-8", "surrogatepass")).digest()


# ---------------------------------------------------------------------------------------------------------------------
# The command


def summary(since: str, until: str, streams: list[Stream]) -> Iterator[str]:
    """Yield lines about a good export."""
    entries = sum(stream.entries for stream in streams)
    yield "good: %d entries on %d streams, %s to %s" % (
        entries,
        len(streams),
        since or "the beginning",
        "the newest" if until == "~" else until,
    )
    for stream in streams:
        yield "%s  %d entries to seq %d  head %s" % (
            printable(stream.name),
            stream.entries,
            stream.seq,
            stream.head.hex(),
        )


def show_progress(size: int, entries: int) -> None:
    sys.stderr.write("\r%d MB, %d entries" % (size >> 20, entries))
    sys.stderr.flush()


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
    terms = RoundTerms()
    if is_piped(path):
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            export = require_export(file, options)
            return [*summary(*verify(export, options.contents, progress, terms=terms)), *terms.lines()]
    if is_bundle(path):
        try:
            return verify_bundle(path, options, progress)
        except archive_errors() as error:
            raise Bad("the archive cannot be read: %s" % ascii(str(error))) from None
    if is_proof(path):
        return verify_proof(path, options)
    verify_no_demands(options)
    return [*summary(*verify_file(path, options.contents, progress, terms=terms)), *terms.lines()]


def is_piped(path: str) -> bool:
    """Whether the input can be read only once: standard input, or `<(zcat record.jsonl.gz)`."""
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


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


def main(arguments: Sequence[str]) -> int:
    """Exit status 0 or 1; never a traceback."""
    gc.disable()  # the data has no cycles, and looking for them takes a tenth of the time
    if len(arguments) >= 4 and arguments[0] == "--share":
        return answer_share(arguments[1:])
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
