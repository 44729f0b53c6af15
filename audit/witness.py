#!/usr/bin/env python3
"""A witness: remembers the newest state of a log that it has seen, and signs only states that extend it.

    python witness.py keygen NAME FILE
    python witness.py serve [options] --listen HOST:PORT
    python witness.py check [options] [--proof FILE] NOTE…

    --log VKEY        a key of a log: one of the log's must have signed a checkpoint (repeatable)
    --origin ORIGIN   a log whose key has another name, as in the first line of its checkpoints (repeatable)
    --key FILE        the witness's own key, from `keygen`
    --state FILE      the file in which it remembers what it signed
    --copies FOLDER   a folder for a copy of each signed checkpoint; copies are never overwritten

`serve` answers POST /add-checkpoint (c2sp.org/tlog-witness), so any log of that kind can ask it, and our log can ask
any witness of that kind. GET /<SHA-256 of an origin, in hex>/checkpoint is the newest checkpoint that it cosigned, for
anybody who compares logs. `check` does the same for notes on paper or a USB stick: files, or folders of files. A file
is a note, or a request: a consistency proof followed by the note (FORMAT.md).

A key whose name ends in a slash and a number serves the log of that name, and no other (c2sp.org/tlog-policy): the log
needs no --origin. Keys from before had another name, and may sign each log that --origin names and that has no key of
its own here.

Run it on a machine, and under an administrator, that the casino does not control. This is one file of Python (3.9 or
newer) that needs `cryptography` and no other code of ours. It saves what it is about to sign before it signs, so a
witness that is killed at any point has never signed two different logs. If its state is older than its copies, it does
not start.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

try:
    import fcntl
except ImportError:  # on Windows, only the operator can prevent a second witness
    fcntl = None  # type: ignore[assignment]

LOG, WITNESS = 1, 4
DASH = "\u2014 "
NAME = r"[^\s+]+"
VKEY = re.compile(r"(%s)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\Z" % NAME)
PRIVATE = re.compile(r"PRIVATE\+KEY\+(%s)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\s*\Z" % NAME)
SIGNATURE = re.compile(DASH + r"(%s) ([A-Za-z0-9+/]+=*)\Z" % NAME)
NUMBER = r"(0|[1-9][0-9]{0,18})\Z"
OLD = re.compile("old " + NUMBER, re.ASCII)
SIZE = re.compile(NUMBER, re.ASCII)
ORIGIN_OF_LOG = re.compile(r".+/[0-9]+\Z", re.ASCII)
NEWEST = re.compile(r"/([0-9a-f]{64})/checkpoint\Z")
PROOF_HASHES_MAX = 63
SIGNATURES_MAX = 100
REQUEST_BYTES_MAX = 1 << 18
IDLE_SECONDS = 30
COPIES_IN_FOLDER = 10_000
EMPTY_ROOT = hashlib.sha256(b"").digest()
NEW_STATE_HINT = "give the witness a new state only if you know why it is gone"


class Refused(Exception):
    """The witness refuses a request: the HTTP status, the reason, and the witness's size if the client needs it."""

    def __init__(self, status: int, why: str, size: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.size = status, why, size


# ---------------------------------------------------------------------------------------------------------------------
# Keys and notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature)


def key_id(name: str, material: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]


def from_base64(text: str) -> bytes:
    """Decode canonical base64; empty bytes if it is malformed."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return raw if base64.b64encode(raw).decode() == text else b""


def to_base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def ed25519() -> Any:
    """Import the module for Ed25519 keys. Raises Refused if it is missing."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise Refused(500, "this Python has no `cryptography`: pip install cryptography") from None
    return ed25519


class LogKey:
    """A log's key, from its vkey. Raises ValueError."""

    def __init__(self, vkey: str) -> None:
        match = VKEY.match(vkey.strip()) or {1: "", 2: "", 3: ""}
        material = from_base64(match[3])
        if len(material) != 33 or material[0] != LOG or key_id(match[1], material).hex() != match[2]:
            raise ValueError("%s is not a key of a log" % ascii(vkey))
        self.name, self.id, self.public = match[1], key_id(match[1], material), material[1:]
        self.is_of_one_log = bool(ORIGIN_OF_LOG.match(self.name))

    def verifies(self, signature: bytes, message: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature

        try:
            ed25519().Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class Cosigner:
    """The witness's own key: a name and 32 secret bytes."""

    def __init__(self, name: str, seed: bytes) -> None:
        if not re.match(NAME + r"\Z", name):
            raise ValueError("a name must not have spaces or plus signs")
        self.name, self.seed = name, seed
        self.key = ed25519().Ed25519PrivateKey.from_private_bytes(seed)
        public = self.key.public_key()
        self.material = bytes([WITNESS]) + public.public_bytes_raw()
        self.id = key_id(name, self.material)

    @classmethod
    def read(cls, path: str) -> Cosigner:
        if os.name == "posix" and os.stat(path).st_mode & 0o077:
            raise ValueError("other users can read the key %s: run chmod 600 on it" % ascii(path))
        with open(path, encoding="utf-8") as file:
            match = PRIVATE.match(file.read()) or {1: "", 2: "", 3: ""}
        material = from_base64(match[3])
        if len(material) != 33 or material[0] != WITNESS:
            raise ValueError("%s is not a key of a witness" % ascii(path))
        cosigner = cls(match[1], material[1:])
        if cosigner.id.hex() != match[2]:
            raise ValueError("the key %s is damaged: its id does not match" % ascii(path))
        return cosigner

    @property
    def vkey(self) -> str:
        return "%s+%s+%s" % (self.name, self.id.hex(), to_base64(self.material))

    @property
    def private(self) -> str:
        return "PRIVATE+KEY+%s+%s+%s" % (self.name, self.id.hex(), to_base64(bytes([WITNESS]) + self.seed))

    def cosign(self, text: bytes, seconds: int) -> str:
        """Sign a checkpoint's text (bytes) at a time. Returns the signature line with its newline."""
        signature = self.key.sign(b"cosignature/v1\ntime %d\n" % seconds + text)
        raw = self.id + seconds.to_bytes(8, "big") + signature
        return "%s%s %s\n" % (DASH, self.name, to_base64(raw))


class Note:
    """A signed checkpoint: text (bytes), origin, size, root, and signatures as (name, key id, bytes).

    Raises ValueError.
    """

    def __init__(self, text: str) -> None:
        body, blank, signed = text.rpartition("\n\n")
        lines, signatures = body.split("\n"), signed.split("\n")
        if not blank or len(lines) < 3 or not all(lines) or signatures.pop() != "":
            raise ValueError("it is not a signed note of at least three lines")
        if any(ord(character) < 32 for line in lines + signatures for character in line):
            raise ValueError("a note must not have control characters")
        if (
            not 0 < len(signatures) <= SIGNATURES_MAX
            or not SIZE.match(lines[1])
            or len(from_base64(lines[2])) != 32
        ):
            raise ValueError("it is not a checkpoint with origin, size and root")
        self.said, self.text, self.origin = text, (body + "\n").encode(), lines[0]
        self.size, self.root = int(lines[1]), from_base64(lines[2])
        self.signatures = [self.signature(line) for line in signatures]

    @staticmethod
    def signature(line: str) -> tuple[str, bytes, bytes]:
        match = SIGNATURE.match(line) or {1: "", 2: ""}
        raw = from_base64(match[2])
        if len(raw) < 5:
            raise ValueError("a signature line is malformed")
        return match[1], raw[:4], raw[4:]

    def is_signed_by(self, keys: Iterable[LogKey]) -> bool:
        """Whether one of the keys signed it, and none of them wrongly."""
        results = [
            key.verifies(raw, self.text)
            for name, id_, raw in self.signatures
            for key in keys
            if (key.name, key.id) == (name, id_)
        ]
        return bool(results) and all(results)


def read_request(data: bytes) -> tuple[int, list[bytes], Note]:
    """Parse the body of a request. Returns (old size, proof, note). Raises Refused with status 400."""
    try:
        head, blank, note = data.decode().partition("\n\n")
        lines = head.split("\n")
        old, proof = OLD.match(lines[0]), [from_base64(line) for line in lines[1:]]
        if (
            not old
            or not blank
            or len(proof) > PROOF_HASHES_MAX
            or any(len(digest) != 32 for digest in proof)
        ):
            raise ValueError("it is not a request with an old size, a proof and a checkpoint")
        return int(old[1]), proof, Note(note)
    except ValueError as error:
        raise Refused(400, str(error)) from None


def is_consistent(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Whether the log with the new root extends the log with the old root (RFC 9162, section 2.1.4.2)."""
    if old in (0, new):
        return not proof and (old_root == new_root if old == new else old_root == EMPTY_ROOT)
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


def node_hash(left_hash: bytes, right_hash: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left_hash + right_hash).digest()


# ---------------------------------------------------------------------------------------------------------------------
# The state and the copies


def write_atomically(path: str, data: bytes) -> None:
    """Replace a file atomically. It is on the disk when this returns."""
    fresh = path + ".new"
    with open(fresh, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    sync_folder(os.path.dirname(os.path.abspath(path)))


def sync_folder(path: str) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class State:
    """The newest checkpoint of each log: its size, root and note. Only one process can open it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.logs: dict[str, tuple[int, bytes, str]] = {}
        self.lock = open(path + ".lock", "a")  # noqa: SIM115
        if fcntl:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError("another witness is using the state %s" % ascii(path)) from None
        self.is_new = not os.path.exists(path)
        if not self.is_new:
            self.read()

    def read(self) -> None:
        try:
            with open(self.path, encoding="utf-8") as file:
                content = json.load(file)
            for origin, note_text in content["logs"].items():
                note = Note(note_text)
                if note.origin != origin:
                    raise ValueError("another origin")
                self.logs[origin] = (note.size, note.root, note_text)
        except (ValueError, KeyError, AttributeError, TypeError):
            raise ValueError("the state %s is damaged; %s" % (ascii(self.path), NEW_STATE_HINT)) from None

    def known(self, origin: str) -> tuple[int, bytes]:
        """The size and root that were signed last, or 0 and the empty root."""
        size, root, _note = self.logs.get(origin, (0, EMPTY_ROOT, ""))
        return size, root

    def keep(self, note: Note) -> None:
        logs = {**self.logs, note.origin: (note.size, note.root, note.said)}
        content = {
            "_format": 1,
            "logs": {origin: note_text for origin, (_size, _root, note_text) in logs.items()},
        }
        write_atomically(self.path, json.dumps(content, sort_keys=True).encode() + b"\n")
        self.logs = logs

    def close(self) -> None:
        self.lock.close()


class Copies:
    """A write-once folder with a file for each signed checkpoint: the request and the cosignature."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def path(self, origin: str, size: int) -> str:
        return os.path.join(
            self.of(origin), "%012d" % (size // COPIES_IN_FOLDER * COPIES_IN_FOLDER), "%d.txt" % size
        )

    def of(self, origin: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9.-]", "_", origin)[:60]
        return os.path.join(self.folder, "%s-%s" % (plain, hashlib.sha256(origin.encode()).hexdigest()[:8]))

    def keep(self, note: Note, old: int, proof: Iterable[bytes], line: str) -> None:
        path = self.path(note.origin, note.size)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        request = "".join("%s\n" % line_text for line_text in ["old %d" % old, *map(to_base64, proof)])
        data = (request + "\n" + note.said + line).encode()
        fresh = "%s.%d.new" % (path, threading.get_ident())
        with open(fresh, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(fresh, path)  # atomic, and never overwrites a file
        except FileExistsError:
            pass
        finally:
            os.unlink(fresh)
        sync_folder(os.path.dirname(path))

    def has(self, origin: str, size: int) -> bool:
        return os.path.exists(self.path(origin, size))

    def note(self, origin: str, size: int) -> Note | None:
        """The note that was signed at a size, or None if there is no copy of it."""
        try:
            with open(self.path(origin, size), "rb") as file:
                return read_request(file.read())[2]
        except FileNotFoundError:
            return None

    def newest(self, origin: str) -> int:
        """The greatest size of the copies, or 0."""
        try:
            folders = [name for name in os.listdir(self.of(origin)) if name.isdigit()]
        except FileNotFoundError:
            return 0
        for folder in sorted(folders, key=int, reverse=True):
            names = os.listdir(os.path.join(self.of(origin), folder))
            sizes = [int(name[:-4]) for name in names if name.endswith(".txt") and name[:-4].isdigit()]
            if sizes:
                return max(sizes)
        return 0


# ---------------------------------------------------------------------------------------------------------------------
# The witness


class Witness:
    """Handles checkpoints one at a time: saves first, then signs."""

    def __init__(
        self,
        keys: list[LogKey],
        origins: Iterable[str],
        cosigner: Cosigner,
        state: State,
        copies: Copies | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.keys, self.origins, self.cosigner, self.clock = keys, set(origins), cosigner, clock
        self.origins.update(key.name for key in keys if key.is_of_one_log)
        self.verify_keys()
        self.state, self.copies, self.turn = state, copies, threading.Lock()
        self.cosigned: dict[str, str] = {}  # the newest checkpoint of each log with its cosignature
        for origin in sorted(self.origins):
            self.verify_memory(origin)

    def verify_keys(self) -> None:
        """Check that each log has a key, and that no key is given under two names: a key serves one log."""
        names: dict[bytes, str] = {}
        for key in self.keys:
            if names.setdefault(key.public, key.name) != key.name:
                raise ValueError(
                    "the keys of %s and %s are the same, and a key serves one log"
                    % (ascii(names[key.public]), ascii(key.name))
                )
        for origin in sorted(self.origins):
            if not self.keys_of(origin):
                raise ValueError("none of the keys is a key of %s" % ascii(origin))
        if not self.origins:
            raise ValueError("name each log whose key has another name with --origin")

    def keys_of(self, origin: str) -> list[LogKey]:
        """The keys that may sign a log: its own, or those from before logs had their own if it has none here."""
        own = [key for key in self.keys if key.name == origin]
        return own or [key for key in self.keys if not key.is_of_one_log or origin.startswith(key.name + "/")]

    def verify_memory(self, origin: str) -> None:
        """Check that the state is not older than the copies and does not differ from them."""
        size, root = self.state.known(origin)
        newest = self.copies.newest(origin) if self.copies else 0
        if newest > size:
            raise ValueError(
                "the state of %s is at size %d, but there is a copy of size %d: the state was rolled back; %s"
                % (ascii(origin), size, newest, NEW_STATE_HINT)
            )
        copied = self.copies.note(origin, size) if self.copies and size else None
        if copied is not None and copied.root != root:
            raise ValueError("the state and the copy of %s differ at size %d" % (ascii(origin), size))

    def add(self, old: int, proof: Sequence[bytes], note: Note) -> str:
        """Cosign a checkpoint. Returns the signature line. Raises Refused with an HTTP status."""
        if note.origin not in self.origins:
            raise Refused(404, "this log is unknown here")
        if not note.is_signed_by(self.keys_of(note.origin)):
            raise Refused(403, "no known key of the log signed this")
        if old > note.size:
            raise Refused(400, "the old size is greater than the checkpoint's size")
        with self.turn:
            size, root = self.state.known(note.origin)
            if old != size:
                raise Refused(409, "the newest size known here is %d" % size, size)
            if note.size == size and note.root != root:
                raise Refused(422, "a different root was signed at this size: there are two logs")
            if not is_consistent(size, note.size, proof, root, note.root):
                raise Refused(422, "the proof does not lead from the newest checkpoint here to this one")
            if note.size > size:
                self.state.keep(note)
            line = self.cosigner.cosign(note.text, int(self.clock()))
            self.cosigned[note.origin] = note.said + line
            if self.copies and not self.copies.has(note.origin, note.size):
                self.copies.keep(note, old, proof, line)
            return line

    def newest(self, origin_sha256: str) -> str:
        """The newest cosigned checkpoint of the log whose origin has this SHA-256 in hex. Raises Refused(404)."""
        for origin in sorted(self.origins):
            if hashlib.sha256(origin.encode()).hexdigest() != origin_sha256:
                continue
            with self.turn:
                _size, _root, said = self.state.logs.get(origin, (0, EMPTY_ROOT, ""))
                if not said:
                    break
                if origin not in self.cosigned:  # after a restart; what is in the state may be signed again
                    self.cosigned[origin] = said + self.cosigner.cosign(Note(said).text, int(self.clock()))
                return self.cosigned[origin]
        raise Refused(404, "no checkpoint of such a log was cosigned here")


class Server(ThreadingHTTPServer):
    """Serves a witness over HTTP."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self.witness = witness
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a failed request in one line: usually the client disconnected."""
        sys.stderr.write("a request broke off: %s\n" % ascii(sys.exc_info()[1]))


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "witness", ""
    timeout = IDLE_SECONDS

    def do_POST(self) -> None:
        try:
            if self.path != "/add-checkpoint":
                raise Refused(404, "there is only /add-checkpoint")
            request = read_request(self.body())
            self.answer(200, self.added(request))
        except Refused as refused:
            if refused.size is None:
                self.answer(refused.status, refused.why + "\n")
            else:
                self.answer(refused.status, "%d\n" % refused.size, "text/x.tlog.size")

    def added(self, request: tuple[int, list[bytes], Note]) -> str:
        """Cosign a request. Raises Refused(500) if it could not be saved; then nothing was signed."""
        try:
            return self.server.witness.add(*request)
        except OSError as error:
            sys.stderr.write("cannot store: %s\n" % ascii(str(error)))
            raise Refused(500, "it could not be saved") from None

    def do_GET(self) -> None:
        match = NEWEST.match(self.path)
        try:
            if not match:
                raise Refused(404, "there is only /<SHA-256 of an origin>/checkpoint")
            self.answer(200, self.server.witness.newest(match[1]))
        except Refused as refused:
            self.answer(refused.status, refused.why + "\n")

    def body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not re.match(r"[0-9]{1,7}\Z", length, re.ASCII) or int(length) > REQUEST_BYTES_MAX:
            self.close_connection = True
            raise Refused(400, "a request must have a length of at most %d bytes" % REQUEST_BYTES_MAX)
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            self.close_connection = True
            raise Refused(400, "the request was cut off")
        return data

    def answer(self, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse malformed HTTP with a line of text, like every other request."""
        self.close_connection = True
        self.answer(int(code), "this is not a request\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Log each response in one line, with what the client sent escaped to ASCII."""
        sys.stderr.write(ascii(format % args)[1:200].rstrip("'") + "\n")


# ---------------------------------------------------------------------------------------------------------------------
# The command


def keygen(name: str, path: str) -> int:
    """Create a key in a new file that nobody else may read, and print its vkey."""
    cosigner = Cosigner(name, os.urandom(32))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(cosigner.private + "\n")
        file.flush()
        os.fsync(file.fileno())
    print(cosigner.vkey)
    return 0


def build_witness(options: argparse.Namespace) -> Witness:
    """Build the witness that the options describe."""
    keys = [LogKey(vkey) for vkey in options.log]
    cosigner, state = Cosigner.read(options.key), State(options.state)
    witness = Witness(
        keys, options.origin, cosigner, state, Copies(options.copies) if options.copies else None
    )
    if state.is_new:
        sys.stderr.write("no state yet: the first checkpoint is accepted without a proof\n")
    return witness


def serve(options: argparse.Namespace) -> int:
    host, _colon, port = options.listen.rpartition(":")
    if not re.match(r"[0-9]{1,5}\Z", port, re.ASCII) or int(port) > 65535:
        raise ValueError("--listen needs HOST:PORT")
    witness = build_witness(options)
    with Server((host.strip("[]") or "127.0.0.1", int(port)), witness) as server:
        sys.stderr.write(
            "%s listens on %s port %d\n" % (witness.cosigner.vkey, host, server.server_address[1])
        )
        sys.stderr.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def read_notes(paths: Iterable[str]) -> list[tuple[str, int | None, list[bytes], Note]]:
    """Read files, and the files in folders. Returns (path, old size or None, proof, note) of each, by size."""
    notes = []
    for path in paths:
        inside = [os.path.join(folder, name) for folder, _folders, names in os.walk(path) for name in names]
        for file_path in sorted(inside) if os.path.isdir(path) else [path]:
            with open(file_path, "rb") as file:
                data = file.read(REQUEST_BYTES_MAX + 1)
            try:
                old, proof, note = (
                    read_request(data) if data.startswith(b"old ") else (None, [], Note(data.decode()))
                )
            except (Refused, ValueError) as error:
                raise ValueError("%s: %s" % (ascii(file_path), error)) from None
            notes.append((file_path, old, proof, note))
    return sorted(notes, key=lambda item: (item[3].size, item[1] is None))  # those with a proof first


def check(options: argparse.Namespace) -> int:
    """Check notes from files, the smallest first, and print the cosignature of each new one."""
    witness, bad = build_witness(options), 0
    proofs = [read_proof(path) for path in options.proof]
    checked_texts = set()
    for path, old, proof, note in read_notes(options.note):
        if note.text in checked_texts:
            continue
        try:
            result = check_note(witness, old, proof, note, proofs)
            checked_texts.add(note.text)
        except Refused as refused:
            bad, result = 1, "REFUSED: %s" % refused.why
        print("%s: size %d: %s" % (ascii(path)[1:-1], note.size, result.rstrip("\n")))
    return bad


def read_proof(path: str) -> tuple[int, list[bytes]]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().partition("\n\n")[0].rstrip("\n").split("\n")
    old, hashes = OLD.match(lines[0]), [from_base64(line) for line in lines[1:]]
    if not old or any(len(digest) != 32 for digest in hashes):
        raise ValueError("%s is not a consistency proof" % ascii(path))
    return int(old[1]), hashes


def check_note(
    witness: Witness, old: int | None, proof: list[bytes], note: Note, proofs: list[tuple[int, list[bytes]]]
) -> str:
    """Check one note. Returns its cosignature, or how it compares with what was signed. Raises Refused."""
    size, _root = witness.state.known(note.origin)
    if note.size < size:
        return check_older_note(witness, note)
    if note.size == size or size == 0:
        return witness.add(size, [], note)
    offered = [hashes for from_, hashes in [(old, proof), *proofs] if from_ == size]
    if not offered:
        raise Refused(409, "a consistency proof from size %d, the newest here, is needed" % size)
    for hashes in offered[:-1]:
        try:
            return witness.add(size, hashes, note)
        except Refused as refused:
            if refused.status != 422:
                raise
    return witness.add(size, offered[-1], note)


def check_older_note(witness: Witness, note: Note) -> str:
    """Compare an older note with the copy of the one that was signed at its size."""
    if note.origin not in witness.origins or not note.is_signed_by(witness.keys_of(note.origin)):
        raise Refused(403, "the log is unknown here, or none of its known keys signed this")
    copied = witness.copies.note(note.origin, note.size) if witness.copies else None
    if copied is None:
        return "older than the newest checkpoint here, and there is no copy to compare it with"
    if copied.root != note.root:
        raise Refused(409, "a different root was signed at this size: there are two logs")
    return "identical to the one that was signed"


def argument_parser() -> argparse.ArgumentParser:
    usage = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0], epilog="The top of this file has more."
    )
    commands = usage.add_subparsers(dest="command", required=True)
    command = commands.add_parser("keygen", help="make the witness's key")
    command.add_argument("name")
    command.add_argument("file")
    for name, help_text in (("serve", "answer requests"), ("check", "check notes from files")):
        command = commands.add_parser(name, help=help_text)
        command.add_argument("--log", action="append", required=True)
        command.add_argument("--origin", action="append", default=[])
        for option in ("--key", "--state"):
            command.add_argument(option, required=True)
        command.add_argument("--copies", default="")
        if name == "serve":
            command.add_argument("--listen", required=True)
        else:
            command.add_argument("--proof", action="append", default=[])
            command.add_argument("note", nargs="+")
    return usage


def main(arguments: Sequence[str]) -> int:
    """Exit status 0; 1 with a line that says why; 2 for a malformed command line."""
    options = argument_parser().parse_args(arguments)
    try:
        if options.command == "keygen":
            return keygen(options.name, options.file)
        return serve(options) if options.command == "serve" else check(options)
    except (OSError, ValueError, OverflowError, Refused) as error:
        print("witness: %s" % str(error), file=sys.stderr)
        return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(1)
