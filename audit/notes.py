"""Signed notes, checkpoints and cosignatures in the formats of C2SP. Pure; signatures are Ed25519.

- a note is text that ends in a newline, an empty line, and lines `— name base64(key id ‖ signature)`
- a key id is the first four bytes of SHA-256(name ‖ newline ‖ type ‖ public key); a verifier key (vkey) is
  `name+hex of the key id+base64(type ‖ public key)`, a private one `PRIVATE+KEY+name+hex+base64(type ‖ seed)`
- a checkpoint is a note of three lines: origin, size, root in base64
- a log's key has the log's origin for its name, and signs no other log (c2sp.org/tlog-policy)
- a cosignature (type 4) signs `cosignature/v1`, a line with its time, and the checkpoint's text

c2sp.org/signed-note, tlog-checkpoint and tlog-cosignature, each at v1.0.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = 1
COSIGNATURE = 4
KEY_BYTES = 32
ROOT_BYTES = 32
SIGNATURE_BYTES = 64
TIME_BYTES = 8
MOST_SIGNATURES = 100
DASH = "\N{EM DASH} "
PRIVATE = "PRIVATE+KEY+"
KEY_NAME = re.compile(r"[^\s+]+")
SIZE = re.compile(r"0|[1-9][0-9]*")
ORIGIN_OF_LOG = re.compile(r".+/[0-9]+")


class Malformed(ValueError):
    """A malformed key, note or checkpoint."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key, its name, and the type of signature that it verifies."""

    name: str
    public: bytes
    kind: int = ED25519

    def __post_init__(self) -> None:
        if not KEY_NAME.fullmatch(self.name) or len(self.public) != KEY_BYTES:
            raise Malformed("A key must have a name without spaces and plus signs, and 32 bytes.")
        if self.kind not in (ED25519, COSIGNATURE):
            raise Malformed(f"Unknown signature type {self.kind}.")

    @classmethod
    def read(cls, vkey: str) -> "Verifier":
        """Parse a vkey. Raises Malformed, also if its id does not match its key."""
        parts = vkey.strip().split("+", 2)
        if len(parts) != 3:
            raise Malformed("A verifier key must have three parts.")
        key = _unbase64(parts[2])
        if not key:
            raise Malformed("A verifier key must have a type.")
        verifier = cls(parts[0], key[1:], key[0])
        if verifier.key_id.hex() != parts[1]:
            raise Malformed("The key id does not match the key.")
        return verifier

    @property
    def key_id(self) -> bytes:
        """Four bytes."""
        material = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return hashlib.sha256(material).digest()[:4]

    @property
    def vkey(self) -> str:
        """The key in one line of text."""
        return f"{self.name}+{self.key_id.hex()}+{base64_of(bytes([self.kind]) + self.public)}"

    def is_named_by(self, signature: "Signature") -> bool:
        """Whether a signature names this key."""
        return (signature.name, signature.key_id) == (self.name, self.key_id)

    def verifies(self, text: str, signature: "Signature") -> bool:
        """Whether this key made this signature of this text."""
        if not self.is_named_by(signature):
            return False
        message, signed = text.encode(), signature.signed
        if self.kind == COSIGNATURE:
            if len(signed) != TIME_BYTES + SIGNATURE_BYTES:
                return False
            message = cosigned(text, signature.time)
            signed = signed[TIME_BYTES:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signed, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key: its name, its 32 bytes, and the type of signature that it makes."""

    name: str
    seed: bytes = field(repr=False)
    kind: int = ED25519

    @classmethod
    def read(cls, text: str) -> "Signer":
        """Parse a line `PRIVATE+KEY+…`. Raises Malformed."""
        if not text.startswith(PRIVATE):
            raise Malformed("This is not a private key.")
        parts = text.strip().removeprefix(PRIVATE).split("+", 2)
        if len(parts) != 3:
            raise Malformed("A private key must have a name, an id and a seed.")
        key = _unbase64(parts[2])
        if len(key) != 1 + KEY_BYTES:
            raise Malformed("A private key must have a type and 32 bytes.")
        signer = cls(parts[0], key[1:], key[0])
        if signer.verifier.key_id.hex() != parts[1]:
            raise Malformed("The key id does not match the key.")
        return signer

    @property
    def verifier(self) -> Verifier:
        public = Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()
        return Verifier(self.name, public, self.kind)

    @property
    def private(self) -> str:
        """The key in one line of text. Keep it secret."""
        return (
            f"{PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{base64_of(bytes([self.kind]) + self.seed)}"
        )

    def signature(self, text: str, time: int = 0) -> "Signature":
        """Sign a text. A cosignature's `time` is in seconds since 1970."""
        key = Ed25519PrivateKey.from_private_bytes(self.seed)
        if self.kind == COSIGNATURE:
            signed = time.to_bytes(TIME_BYTES, "big") + key.sign(cosigned(text, time))
        else:
            signed = key.sign(text.encode())
        return Signature(self.name, self.verifier.key_id, signed)


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line: the key that it names, and the signature."""

    name: str
    key_id: bytes
    signed: bytes

    @classmethod
    def read(cls, line: str) -> "Signature":
        """Parse a line with or without its newline. Raises Malformed."""
        name, space, encoded = line.removesuffix("\n").removeprefix(DASH).partition(" ")
        if not line.startswith(DASH) or not space or not KEY_NAME.fullmatch(name):
            raise Malformed("A signature line must have a dash, a name and a signature.")
        signed = _unbase64(encoded)
        if len(signed) <= 4:
            raise Malformed("A signature line must have more than a key id.")
        return cls(name, signed[:4], signed[4:])

    @property
    def line(self) -> str:
        """The line, with its newline."""
        return f"{DASH}{self.name} {base64_of(self.key_id + self.signed)}\n"

    @property
    def time(self) -> int:
        """When a cosignature was made, in seconds since 1970."""
        return int.from_bytes(self.signed[:TIME_BYTES], "big")


@dataclass(frozen=True, slots=True)
class Note:
    """A text that ends in a newline, and the signatures under it."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def read(cls, data: str | bytes) -> "Note":
        """Parse a note without verifying its signatures. Raises Malformed."""
        try:
            content = data.decode() if isinstance(data, bytes) else data
        except UnicodeDecodeError as error:
            raise Malformed("A note must be UTF-8.") from error
        if any(character < " " and character != "\n" for character in content):
            raise Malformed("A note must not have control characters.")
        text, gap, lines = content.rpartition("\n\n")
        if not gap or not lines.endswith("\n"):
            raise Malformed("A note must have a text, an empty line and signatures.")
        signatures = [Signature.read(line) for line in lines.removesuffix("\n").split("\n")]
        if len(signatures) > MOST_SIGNATURES:
            raise Malformed("A note has too many signatures.")
        return cls(text + "\n", tuple(signatures))

    @property
    def full_text(self) -> str:
        """The note as it is stored and sent."""
        return self.text + "\n" + "".join(signature.line for signature in self.signatures)

    def signed_by(self, verifiers: Iterable[Verifier]) -> list[Verifier]:
        """The keys, out of these, that signed. Raises Malformed for a wrong signature in the name of one of them."""
        signed = []
        for key in verifiers:
            matching = [signature for signature in self.signatures if key.is_named_by(signature)]
            if any(not key.verifies(self.text, signature) for signature in matching):
                raise Malformed(f"The signature of {key.name} is wrong.")
            if matching:
                signed.append(key)
        return signed


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state of a log: its origin, its number of leaves, and their root (32 bytes)."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def read(cls, text: str) -> "Checkpoint":
        """Parse a note's text as a checkpoint, ignoring further lines. Raises Malformed."""
        lines = text.split("\n")
        if len(lines) < 4 or not lines[0] or not SIZE.fullmatch(lines[1]) or lines[-1]:
            raise Malformed("A checkpoint must have three lines: origin, size and root.")
        root = _unbase64(lines[2])
        if len(root) != ROOT_BYTES:
            raise Malformed("A root must have 32 bytes.")
        return cls(lines[0], int(lines[1]), root)

    @property
    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64_of(self.root)}\n"


def sign(text: str, signers: Iterable[Signer]) -> str:
    """Make the note of this text, signed with each of the keys."""
    return Note(text, tuple(signer.signature(text) for signer in signers)).full_text


def may_sign(name: str, origin: str) -> bool:
    """Whether a key with this name may sign the checkpoints of a log.

    A key has the origin of its log for its name. Origins end in a slash and the number of an incarnation. The keys from
    before each log had its own did not, and signed every log of an installation, whose origins continue its name.
    """
    return name == origin or not ORIGIN_OF_LOG.fullmatch(name) or origin.startswith(f"{name}/")


def cosigned(text: str, time: int) -> bytes:
    """The bytes that a cosignature of a checkpoint's text at a time (seconds since 1970) signs."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unbase64(text: str) -> bytes:
    try:
        data = base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError) as error:
        raise Malformed("This is not base64.") from error
    if base64_of(data) != text:
        raise Malformed("This base64 is not in its canonical form.")
    return data
