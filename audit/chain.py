"""The record's arithmetic: canonical bytes, the hash of an entry, and the start of a stream. Pure.

- canonical bytes are RFC 8785 of objects, arrays, strings, integers below 2^53, true, false and null; keys are ASCII
- `hash = SHA-256("pitside/entry/v1\\n" + previous hash (32 raw bytes) + body)`
- a stream's first previous hash is `SHA-256("pitside/stream/v1\\n" + its name in UTF-8)`

The exact bytes, with a worked example, are in `FORMAT.md`.
"""

import hashlib
import json
from typing import Any

ENTRY_TAG = b"pitside/entry/v1\n"
STREAM_TAG = b"pitside/stream/v1\n"
HASH_BYTES = 32
LARGEST_INTEGER = 2**53 - 1
DEEPEST = 128  # levels of nested lists and objects that every JSON reader can handle
# For what `canonical` accepts these are the bytes of RFC 8785, in a tenth of the time that a library for it needs: keys
# are ASCII, so both sort them alike, and there are no floats. The tests compare the two.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class NotCanonical(ValueError):
    """A value that the record does not accept, because not every language writes it the same way."""


def canonical(value: Any) -> bytes:
    """Encode a JSON value as RFC 8785 bytes.

    Raises NotCanonical for floats, NUL, non-ASCII keys, integers beyond 2^53-1, and nesting deeper than 128.
    """
    _verify(value)
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeError as error:  # half of a surrogate pair
        raise NotCanonical(str(error)) from error


def entry_hash(prev: bytes, body: bytes) -> bytes:
    """Hash a body (canonical bytes) together with the previous hash (32 bytes). Returns 32 bytes."""
    if len(prev) != HASH_BYTES:
        raise ValueError("A previous hash has 32 bytes.")
    return hashlib.sha256(ENTRY_TAG + prev + body).digest()


def genesis(stream_name: str) -> bytes:
    """The 32 bytes that stand for the previous hash of a stream's first entry."""
    return hashlib.sha256(STREAM_TAG + stream_name.encode()).digest()


def _verify(value: Any, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise NotCanonical("nested too deeply")
    match value:
        case None | bool():
            return
        case str():
            if "\0" in value:
                raise NotCanonical("The record accepts no NUL character: PostgreSQL could not read it back.")
        case int():
            if abs(value) > LARGEST_INTEGER:
                raise NotCanonical(f"{value} is beyond 2^53-1.")
        case dict():
            for key, item in value.items():
                if not (isinstance(key, str) and key.isascii()):
                    raise NotCanonical(f"The key {key!r} is not ASCII text.")
                _verify(item, depth + 1)
        case list() | tuple():
            for item in value:
                _verify(item, depth + 1)
        case _:
            raise NotCanonical(f"{value!r} is a {type(value).__name__}, which the record does not accept.")
