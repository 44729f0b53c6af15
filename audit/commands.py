"""Acts by the id that their screen minted, so that a second press gets the first answer."""

import datetime as dt
import hashlib
import uuid
from typing import Any

from audit import chain
from audit.errors import CommandChanged
from audit.models import Command, Device, Person, Stream


def content_hash(**content: Any) -> bytes:
    """SHA-256 of what an act says: its stream, act and params. Version and seen head are no part of it."""
    return hashlib.sha256(chain.canonical(content)).digest()


def recall(command_id: uuid.UUID, content_sha256: bytes | None = None) -> Command | None:
    """The accepted act of this id, if there is one. The caller holds the lock of the stream it acts on.

    Given the hash of the content, raises CommandChanged when the same id said something else before.
    """
    command = Command.objects.filter(pk=command_id).first()
    if command and content_sha256 is not None and bytes(command.content_sha256) != content_sha256:
        raise CommandChanged(command=str(command_id))
    return command


def keep(
    command_id: uuid.UUID,
    *,
    content_sha256: bytes,
    stream: Stream,
    seq: int,
    answer: Any,
    at: dt.datetime,
    person: Person | None = None,
    device: Device | None = None,
) -> Command:
    """Keep the answer of an accepted act for ever, in the act's transaction. `seq` is its entry on the stream."""
    return Command.objects.create(
        id=command_id,
        content_sha256=content_sha256,
        stream=stream,
        seq=seq,
        person=person,
        device=device,
        answer=answer,
        at=at,
    )
