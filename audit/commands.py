"""Acts by the id that their screen minted, so that a second press gets the first answer."""

import datetime as dt
import hashlib
import uuid
from typing import Any

from django.db import connection

from audit import chain
from audit.errors import CommandChanged
from audit.models import Command, Device, Person, Stream
from audit.rows import read


def content_hash(content: dict[str, Any]) -> bytes:
    """SHA-256 (32 bytes) of what an act says: who, where, which act and its params, as one canonical object.

    The version and the head that a screen saw are no part of it. Raises chain.NotCanonical, as the record would.
    """
    return hashlib.sha256(chain.canonical(content)).digest()


def find(command_id: uuid.UUID, content: bytes | None = None) -> Command | None:
    """The accepted act of this id, if there is one. The caller holds the lock of the stream it acts on.

    Given the `content_hash`, raises CommandChanged when the same id said something else before.
    """
    key = Command._meta.pk.get_db_prep_value(command_id, connection)
    rows = read((("c", Command),), "FROM audit_command c WHERE c.id = %s", [key])
    command = next((command for (command,), _ in rows), None)
    if command and content is not None and bytes(command.content_sha256) != content:
        raise CommandChanged(command=str(command_id))
    return command


def save(
    command_id: uuid.UUID,
    *,
    content: bytes,
    stream: Stream,
    seq: int,
    answer: Any,
    at: dt.datetime,
    actor: Person | None = None,
    device: Device | None = None,
) -> Command:
    """Keep the answer of an accepted act for ever, in the act's transaction. `seq` is the last entry that it wrote on
    the stream, the version that its screen was told; `content` its `content_hash`."""
    return Command.objects.create(
        id=command_id,
        content_sha256=content,
        stream=stream,
        seq=seq,
        person=actor,
        device=device,
        answer=answer,
        at=at,
    )
