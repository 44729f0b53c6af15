#!/usr/bin/env python3
"""Check an export of the record: python verify.py [--hashes-only] FILE      (`-` is standard input)

One file of standard-library Python (3.9 or newer) that needs nothing else of ours; FORMAT.md says what it reads.
Exit status 0: every promise below holds. 1: it does not, and the first bad line is named.

- form       every line is {"hash":"…","prev":"…","body":{…}} and a newline, to the byte
- hashes     hash = SHA-256("pitside/entry/v1\\n" + previous hash + body), for every line
- chain      an entry's prev is the hash before it on its stream, or the prior head that the first line states
- end        the last line has the counts, the heads, and the SHA-256 of every byte before it; nothing follows
- contents   (not with --hashes-only) bodies are canonical JSON, say the stream and number that they stand at, times
             never go back and lie in the range, and the money of every settlement adds up

The contents of a long file are shared out among processes, each of which reads the whole file.

What it cannot find alone: a record rewritten as a whole, hashes included. For that, compare the heads that it prints
with heads kept elsewhere.
"""

import datetime
import gc
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from binascii import hexlify
from functools import lru_cache

TAG = b"pitside/entry/v1\n"
HASH_AT, PREV_AT, BODY_AT = 9, 83, 156  # {"hash":" 64 hex ","prev":" 64 hex ","body": body }
OPENING, BETWEEN, BEFORE_BODY = b'{"hash":"', b'","prev":"', b'","body":'
CLOSING = ord("}")
NOTHING = b"0" * 64
BLOCK_BYTES = 1 << 20
LONGEST_LINE_BYTES = 1 << 26
LONG_FILE_BYTES = 1 << 24
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)
DAY = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
HEX = re.compile(r"[0-9a-f]{64}\Z")
ODDS = re.compile(r"([1-9][0-9]{0,8}) to ([1-9][0-9]{0,8})\Z")
CITED = '"cite":"58 Pa. Code §'  # nearly all that is not ASCII in a record; it cannot be part of a key
DOLLARS = re.compile(r"\$([0-9]{1,3}(?:,[0-9]{3})*)\Z")
# An entry's body on both sides of its data: every key, in order. Reading these by pattern, and by JSON only the data
# between them, takes a third less time.
PLAIN = r'[^"\\\x00-\x1f]*'
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
BEFORE_DATA = re.compile(
    r'\{"_format":1,"_type":"[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+","actor":(null|"PLAIN"),"at":"(PLAIN)",'
    r'"build":"PLAIN","command":(?:null|"UUID"),"data":(?=\{)'.replace("PLAIN", PLAIN).replace("UUID", UUID)
)
AFTER_DATA = re.compile(
    r',"device":(?:null|"UUID"),"gaming_day":"(PLAIN)","seq":([1-9][0-9]{0,15}),"stream":"(PLAIN)",'
    r'"terms":(?:null|"[0-9a-f]{64}"),"witness":(null|"PLAIN")\}\Z'.replace("PLAIN", PLAIN).replace(
        "UUID", UUID
    )
)
sha256 = hashlib.sha256


class Bad(Exception):
    """A broken promise: what it is, and the line, stream and number at which it shows."""

    def __init__(self, what, line=0, stream=None, seq=None):
        super().__init__(what)
        self.what, self.line, self.stream, self.seq = what, line, stream, seq

    def __str__(self):
        where = ["line %d" % self.line] if self.line else []
        if self.stream is not None:
            where.append("%s seq %s" % (printable(self.stream), self.seq))
        return ": ".join([*where, self.what])


class Stream:
    """What has been read of one stream: where it stood before, and where it stands now."""

    __slots__ = ("at", "entries", "head", "name", "prior_seq")

    def __init__(self, name, prior_seq, prior_head):
        self.name, self.prior_seq, self.head = name, prior_seq, prior_head
        self.entries, self.at = 0, ""

    @property
    def seq(self):
        return self.prior_seq + self.entries

    def pause(self, head, further):
        """Note where a run of entries has come."""
        self.head, self.entries = head, self.entries + further


# ---------------------------------------------------------------------------------------------------------------------
# Lines


def blocks(file):
    """Blocks of whole lines, each with False; then what stands behind the last newline but one, with True."""
    held = b""
    while True:
        block = file.read(BLOCK_BYTES)
        block += file.readline(LONGEST_LINE_BYTES)
        if len(block) >= LONGEST_LINE_BYTES and not block.endswith(b"\n"):
            raise Bad("a line is longer than %d bytes" % LONGEST_LINE_BYTES)
        if not block:
            end = held.rfind(b"\n", 0, -1) + 1
            yield held[:end], False
            yield held[end:], True
            return
        if held:
            yield held, False
        held = block


def sealed_body(line, number):
    """The body of a line without its newline, once form and hash are right; and its prev in hex, and its hash."""
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
        raise Bad("its hash is not that of its bytes", number, *claimed(body))
    return body, prev, digest


def is_hex(text):
    return HEX.match(text.decode("latin-1")) is not None


def claimed(body):
    """The stream and number that a body claims, for a message; nothing where it cannot be read."""
    try:
        said = json.loads(body)
        return said["stream"], int(said["seq"])
    except Exception:
        return None, None


def printable(text):
    return (
        str(text)[:200].encode("ascii", "backslashreplace").decode()
        if str(text).isprintable()
        else ascii(text)[:200]
    )


# ---------------------------------------------------------------------------------------------------------------------
# Canonical JSON


def _no_float(text):
    raise ValueError("a number that is not whole")


@lru_cache(maxsize=100_000)
def _whole(text):
    if len(text) > 17 or abs(int(text)) >= 1 << 53:
        raise ValueError("a number of 2^53 or more")
    return int(text)


# The scanner and encoder that json.loads and json.dumps use inside, made once: they are half of the running time.
scan = json.JSONDecoder(  # type: ignore[attr-defined]
    parse_int=_whole, parse_float=_no_float, parse_constant=_no_float
).scan_once
_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def encode(value):
    """Canonical JSON of a value: RFC 8785, for ASCII keys and whole numbers."""
    return "".join(_chunks(value, 0))


if json.encoder.c_make_encoder is None:  # type: ignore[attr-defined]
    encode = _encoder.encode
else:
    _chunks = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
        None, _encoder.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
    )


def read_value(text, at):
    """The canonical value that begins at a place in a text, and where it ends; Bad where it is not canonical."""
    try:
        value, end = scan(text, at)
        if "\\u0000" in text or not (text.isascii() or text.replace(CITED, "").isascii()):
            verify_texts(value)
        if encode(value) == text[at:end]:
            return value, end
    except (ValueError, RecursionError, StopIteration):
        raise Bad("it is not JSON as the record writes it") from None
    raise Bad("its JSON is not in canonical form")


def verify_texts(value):
    """ValueError for a NUL in a text, or a key that is not ASCII, anywhere in a value."""
    if isinstance(value, dict):
        verify_texts([*value.keys(), *value.values()])
        if not "".join(value).isascii():
            raise ValueError("a key that is not ASCII")
    elif isinstance(value, list):
        for one in value:
            verify_texts(one)
    elif isinstance(value, str) and "\0" in value:
        raise ValueError("a NUL")


def parsed(body, number):
    """The object that is a whole body."""
    try:
        text = decoded(body)
        said, end = read_value(text, 0)
    except Bad as bad:
        raise Bad(bad.what, number) from None
    if end != len(text):
        raise Bad("something follows its JSON", number)
    return said


def decoded(body):
    try:
        return body.decode("utf-8")
    except ValueError:
        raise Bad("it is not UTF-8") from None


# ---------------------------------------------------------------------------------------------------------------------
# The first line and the last


def opened(line, number=1):
    """The range and the streams that the first line states."""
    body, prev, _digest = sealed_body(line, number)
    said = parsed(body, number)
    format_ = said.get("_format")
    if prev != NOTHING or said.get("_type") != "export.opened" or type(format_) is not int or format_ != 1:
        raise Bad("an export opens with export.opened of format 1, and a prev of zeros", number)
    if not is_moment(said.get("at")) or not isinstance(said.get("build"), str):
        raise Bad("it does not say when and by which build it was written", number)
    if not isinstance(said.get("streams"), list):
        raise Bad("it states no streams", number)
    streams = [_stated(item, number) for item in said["streams"]]
    names = [stream.name for stream in streams]
    if names != sorted(set(names)):
        raise Bad("the streams that it states are not in order, each once", number)
    for edge in ("from", "to"):
        if edge not in said or (said[edge] is not None and not is_moment(said[edge])):
            raise Bad("its range is not two moments", number)
    return said["from"] or "", said["to"] or "~", streams


def _stated(item, number):
    good = (
        isinstance(item, dict)
        and isinstance(item.get("stream"), str)
        and type(item.get("seq")) is int
        and isinstance(item.get("head"), str)
        and HEX.match(item["head"])
        and item["seq"] >= 0
    )
    if not good:
        raise Bad("it states a stream without name, seq and head", number)
    stream = Stream(item["stream"], item["seq"], bytes.fromhex(item["head"]))
    if (
        stream.prior_seq == 0
        and stream.head != sha256(b"pitside/stream/v1\n" + stream.name.encode()).digest()
    ):
        raise Bad("a stream of no prior entries does not begin at its genesis", number, stream.name, 0)
    return stream


def verify_closed(line, number, streams, everything):
    """The last line says what was read: counts, heads and the SHA-256 of every byte before it."""
    if not line.endswith(b"\n"):
        raise Bad("the end is cut off: there is no whole last line", number)
    body, prev, _digest = sealed_body(line[:-1], number)
    said = parsed(body, number)
    if said.get("_type") != "export.closed":
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
        if said.get(key) != value:
            raise Bad("the last line and what stands before it disagree on %s" % key, number)
    if encode(expected) != body.decode() or prev != everything.encode():
        raise Bad("the last line says more than it should, or its prev is not the SHA-256", number)


# ---------------------------------------------------------------------------------------------------------------------
# The entries


class Digest:
    """The SHA-256 of every byte, taken by a thread beside the reading: hashing releases Python's lock."""

    def __init__(self):
        self.sha256, self.thread = sha256(), None

    def update(self, block):
        self.join()
        self.thread = threading.Thread(target=self.sha256.update, args=(block,))
        self.thread.start()

    def join(self):
        if self.thread:
            self.thread.join()

    def hexdigest(self):
        self.join()
        return self.sha256.hexdigest()


class Reader:
    """Walks the entries in order: stream by stream, as the first line lists them."""

    def __init__(self, since, until, streams):
        self.since, self.until, self.streams = since, until, streams
        self.place = 0
        self.number = 1  # the line read last

    def read(self, block, contents):
        """Check one block of whole lines. Most of the running time is here, so the loop copies each byte once."""
        if block and not self.streams:
            raise Bad("an entry of a stream that the first line does not state", self.number + 1)
        if not block:
            return
        stream = self.streams[self.place]
        number, find, starts = self.number, block.find, block.startswith
        head, head_hex = stream.head, hexlify(stream.head)
        at, end, turned = 0, find(b"\n"), number
        while end >= 0:
            body = block[at + 156 : end - 1]
            digest = sha256(b"pitside/entry/v1\n" + head + body).digest()
            digest_hex = hexlify(digest)
            start = b"".join((b'{"hash":"', digest_hex, b'","prev":"', head_hex, b'","body":{'))
            if not starts(start, at) or block[end - 1] != CLOSING:
                stream.pause(head, number - turned)
                turned = number
                stream, body, digest = self._turn(block[at:end], number + 1)
                digest_hex = hexlify(digest)
            number += 1
            head, head_hex = digest, digest_hex
            if contents:
                self.verify_contents(body, number, stream, number - turned)
            at, end = end + 1, find(b"\n", end + 1)
        stream.pause(head, number - turned)
        if not contents:
            stream.at = claimed_time(body)
        self.number = number

    def _turn(self, line, number):
        """The next stream, if this line begins it; else Bad with the reason."""
        body, prev, digest = sealed_body(line, number)
        if b'"_type":"export.closed"' in body[:40]:
            raise Bad("something follows the last line", number + 1)
        wanted = bytes.fromhex(prev.decode())
        for place in range(self.place + 1, len(self.streams)):
            stream = self.streams[place]
            if stream.head == wanted and stream.entries == 0:
                self.place = place
                return stream, body, digest
        raise Bad(
            "it does not follow the entry before it (missing, repeated or moved)", number, *claimed(body)
        )

    def verify_contents(self, body, number, stream, further):
        """Every promise about what an entry says: the one that comes `further` than where its stream paused."""
        seq = stream.seq + further
        try:
            at, day, data = read_entry(body, stream.name, seq)
            verify_time(at, day, stream, self.since, self.until)
            if "settled" in data or "returned_cents" in data:
                verify_settled(data)
        except Bad as bad:
            raise Bad(bad.what, number, stream.name, seq) from None


def read_entry(body, name, seq):
    """The time, gaming day and data of a body that is as format 1 has it and says where it stands."""
    text = decoded(body)
    before = BEFORE_DATA.match(text)
    if not before:
        raise Bad("what stands before its data is not as format 1 has it")
    data, end = read_value(text, before.end())
    after = AFTER_DATA.match(text, end)
    if not after:
        raise Bad("what stands after its data is not as format 1 has it")
    actor, at = before.groups()
    day, number, stream, witness = after.groups()
    if stream != name:
        raise Bad("it says that it stands on %s" % printable(stream))
    if int(number) != seq:
        raise Bad("it says that its number is %s" % number)
    if witness == actor and witness != "null":
        raise Bad("its witness is its actor")
    return at, day, data


def claimed_time(body):
    """The time that a body states, whose contents are another process's to check."""
    return body.partition(b',"at":"')[2][:27].decode("latin-1")


def verify_time(at, day, stream, since, until):
    """Times never go back on a stream and lie in the range; the gaming day is near the time."""
    if not is_moment(at):
        raise Bad("its time is no moment in UTC")
    if at < stream.at:
        raise Bad("its time is before that of the entry before it")
    if not since <= at < until:
        raise Bad("its time is outside the range of the export")
    if not is_near(day, at[:10]):
        raise Bad("its gaming day is no day near its time")
    stream.at = at


def is_moment(text):
    return isinstance(text, str) and MOMENT.match(text) is not None and is_time(text[:10], text[11:19])


@lru_cache(maxsize=100_000)
def is_time(day, time):
    try:
        return bool(datetime.datetime.fromisoformat(day + " " + time))
    except ValueError:
        return False


@lru_cache(maxsize=10_000)
def is_near(day, date):
    try:  # the pattern first: what fromisoformat takes has grown with Python
        return (
            DAY.match(day) is not None
            and abs((datetime.date.fromisoformat(day) - datetime.date.fromisoformat(date)).days) <= 1
        )
    except ValueError:
        return False


def verify_settled(data):
    """The money of a settlement: each wager by its outcome and odds, and the totals by the wagers."""
    paid = returned = staked = 0
    wagers = data.get("settled")
    if not isinstance(wagers, list):
        raise Bad("what it settled is no list")
    for wager in wagers:
        if not isinstance(wager, dict):
            raise Bad("a wager that it settled is no object")
        verify_wager(wager)
        staked += wager["cents"]
        paid += wager["paid_cents"]
        returned += wager["returned_cents"]
    totals = (("paid_cents", paid), ("returned_cents", returned), ("taken_cents", staked - returned))
    for key, total in totals:
        if type(data.get(key)) is not int or data[key] != total:
            raise Bad("its %s is not the total of its wagers, %d" % (key, total))


def verify_wager(wager):
    """A win pays its odds and returns the stake; a return returns the stake; a loss and a fee give nothing."""
    outcome, cents = wager.get("outcome"), wager.get("cents")
    paid, returned, pays = wager.get("paid_cents"), wager.get("returned_cents"), wager.get("pays")
    if not (type(cents) is type(paid) is type(returned) is int) or cents < 1 or paid < 0:
        raise Bad("a wager's cents are not whole amounts")
    if outcome not in ("win", "lose", "return", "fee"):
        raise Bad("a wager's outcome is unknown")
    if returned != (cents if outcome in ("win", "return") else 0):
        raise Bad("a wager of outcome %s returned %d of %d cents" % (outcome, returned, cents))
    if outcome == "win":
        verify_odds(pays, cents, paid, wager.get("cut_cents", 0))
    elif paid or pays is not None or "cut_cents" in wager:
        raise Bad("a wager of outcome %s was paid" % outcome)


def verify_odds(pays, cents, paid, cut):
    """pays x cents = paid, where a payout limit cut nothing off; a sum in dollars is paid as it stands."""
    pays = pays if isinstance(pays, str) else ""
    odds, dollars = ODDS.match(pays), DOLLARS.match(pays)
    if type(cut) is not int or cut < 0 or not (odds or dollars):
        raise Bad("a win has no odds, or its cut is no amount")
    if odds:
        right = (paid + cut) * int(odds[2]) == cents * int(odds[1])
    elif dollars:
        right = paid + cut == int(dollars[1].replace(",", "")) * 100
    else:
        right = False
    if not right:
        raise Bad("a wager of %d cents at %s was paid %d" % (cents, pays, paid))


# ---------------------------------------------------------------------------------------------------------------------
# The whole


def verify(file, contents=True, progress=None, share=(0, 1)):
    """Check an open binary file. Returns (since, until, streams) when every promise holds; raises Bad.

    Of `share` (k, n), hashes are checked in every block, and contents in each nth block from the kth.
    """
    everything, reader, size, turn = Digest(), None, 0, 0
    for block, last in blocks(file):
        mine = contents and turn % share[1] == share[0]
        if reader is None:
            first, newline, rest = block.partition(b"\n")
            if not newline:
                raise Bad("this is no export of two lines or more", 1)
            since, until, streams = opened(first)
            reader = Reader(since, until, streams)
            everything.update(block)
            reader.read(rest, mine)
        elif last:
            verify_closed(block, reader.number + 1, reader.streams, everything.hexdigest())
            return since, until, streams
        else:
            everything.update(block)
            reader.read(block, mine)
        size, turn = size + len(block), turn + 1
        if progress:
            progress(size, reader.number - 1)
    raise Bad("this is no export")


def verify_file(path, contents, progress):
    """The same of a file by its path: of a long one, with as many processes as there are processors, up to eight."""
    count = min(os.cpu_count() or 1, 8) if contents and is_long(path) else 1
    others = [
        subprocess.Popen(
            [sys.executable, "-I", os.path.abspath(__file__), "--share", str(k), str(count), path],
            stdout=subprocess.PIPE,
        )
        for k in range(1, count)
    ]
    found, bads = None, []
    with open(path, "rb") as file:
        try:
            found = verify(file, contents, progress, (0, count))
        except Bad as bad:
            bads.append(bad)
    for other in others:
        said = other.communicate()[0]
        if other.returncode:
            raise OSError("a process that checked a share of it ended early")
        bads += [Bad(*one) for one in json.loads(said)]
    if bads:
        raise min(bads, key=lambda bad: bad.line or float("inf"))
    return found


def is_long(path):
    return os.path.isfile(path) and os.path.getsize(path) > LONG_FILE_BYTES


def answer_share(k, count, path):
    """Check a share of the contents for another process, and tell it of the bad line, if any, in a line of JSON."""
    bads = []
    with open(path, "rb") as file:
        try:
            verify(file, share=(int(k), int(count)))
        except Bad as bad:
            bads.append((bad.what, bad.line, bad.stream, bad.seq))
    print(json.dumps(bads))
    return 0


def summary(since, until, streams):
    """What a good export holds, as lines to print."""
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


def show_progress(size, entries):
    sys.stderr.write("\r%d MB, %d entries" % (size >> 20, entries))
    sys.stderr.flush()


def main(arguments):
    """Exit status 0 or 1; never a traceback."""
    gc.disable()  # what is read has no cycles; looking for them costs a tenth of the time
    if len(arguments) == 4 and arguments[0] == "--share":
        return answer_share(*arguments[1:])
    paths = [argument for argument in arguments if argument != "--hashes-only"]
    if len(paths) != 1 or (paths[0].startswith("-") and paths[0] != "-"):
        print("usage: verify.py [--hashes-only] FILE      (`-` is standard input)", file=sys.stderr)
        return 1
    progress = show_progress if sys.stderr.isatty() else None
    contents = "--hashes-only" not in arguments
    try:
        if paths[0] == "-":
            found = verify(sys.stdin.buffer, contents, progress)
        else:
            found = verify_file(paths[0], contents, progress)
        lines, status = list(summary(*found)), 0
    except Bad as bad:
        lines, status = ["bad: %s" % bad], 1
    except (OSError, ValueError, MemoryError) as error:
        lines, status = ["bad: cannot read %s: %s" % (ascii(paths[0]), ascii(str(error)))], 1
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
