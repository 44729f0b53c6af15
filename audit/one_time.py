"""Secrets that somebody makes on a screen and reads there for ten minutes: of devices, clients and people who sign in.

Each is derived from the id of the act that made it, with a key of the server: no request, answer, log or row has it.
"""

import base64
import datetime as dt
import hashlib
import uuid
from collections.abc import Iterable
from typing import TypeVar

from django.utils.crypto import constant_time_compare, salted_hmac

READABLE_FOR = dt.timedelta(minutes=10)
Row = TypeVar("Row")


def derived(salt: str, value: bytes, key: str | None = None) -> bytes:
    """The 256 bits of a secret. `value`: the bytes of the act's id. `key`: of the server, the current one if None."""
    return salted_hmac(salt, value, secret=key, algorithm="sha256").digest()


def derived_token(salt: str, command: uuid.UUID) -> str:
    """All 256 bits in base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(derived(salt, command.bytes)).decode().rstrip("=")


def token_hash(token: str) -> bytes:
    """The SHA-256 (32 bytes) by which a token is found."""
    return hashlib.sha256(token.encode()).digest()


def readable(
    salt: str, made: Iterable[tuple[Row, uuid.UUID | None, bytes | memoryview]], prefix: str = ""
) -> list[tuple[Row, str]]:
    """Those of these rows whose token is still the one that their act made, with its text.

    Each comes with the id of that act, and with the hash that is stored.
    """
    texts = ((row, prefix + derived_token(salt, command), stored) for row, command, stored in made if command)
    return [
        (row, text) for row, text, stored in texts if constant_time_compare(token_hash(text), bytes(stored))
    ]
