"""Accepted acts by the id that their screen created, so that a repeated request gets the first answer.

A refused retry is stored too: it ends its command, so that no earlier try, which may still wait somewhere, is accepted
after the screen was told that the act was not taken.
"""

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Collection
from typing import Any

from django.db import connection

from audit import chain
from audit.errors import CommandChanged
from audit.models import Command, Device, Entry, Person, Stream
from audit.rows import insert, read

ENDED = {"ended": True}  # the answer of a command that a refused retry ended


def content_hash(content: dict[str, Any]) -> bytes:
    """Hash (SHA-256, 32 bytes) what an act says: person, place, act and parameters, as one canonical object.

    The version and head that the screen showed are not part of it. Raises chain.NotCanonical, as the record would.
    """
    return hashlib.sha256(chain.canonical(content)).digest()


def find(command_id: uuid.UUID) -> Command | None:
    """The accepted act with this id, or None. The caller holds the lock of the stream it acts on."""
    rows = read((("c", Command),), "FROM audit_command c WHERE c.id = %s", [key(command_id)])
    return next((command for (command,), _ in rows), None)


def key(command_id: uuid.UUID | None) -> Any:
    """The id as a statement compares it with `audit_command.id`."""
    return Command._meta.pk.get_db_prep_value(command_id, connection)


def entries_of(
    ids: Collection[uuid.UUID], device: Device | None, stream: Stream, numbers: Collection[int]
) -> set[int]:
    """Those of these entries that acts with these ids wrote at this device. An unreadable entry is of none."""
    wanted = {(str(id_), str(device.pk) if device else None) for id_ in ids}
    rows = Entry.objects.filter(stream=stream, seq__in=numbers).values_list("seq", "body")
    return {number for number, body in rows if _origin(bytes(body)) in wanted}


def _origin(body: bytes) -> tuple[Any, Any]:
    """The command and the device of an entry."""
    try:
        said = json.loads(body)
        return str(said["command"]), said["device"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None


def verify_same(command: Command, content: bytes) -> None:
    """Raise CommandChanged if the accepted act has another `content_hash`."""
    if bytes(command.content_sha256) != content:
        raise CommandChanged(command=str(command.pk))


def has_ended(command: Command) -> bool:
    """Whether a refused retry ended this command, so that it was not accepted and never will be."""
    return bool(command.answer == ENDED)


def make(
    command_id: uuid.UUID,
    *,
    content: bytes,
    stream: Stream,
    seq: int,
    answer: Any,
    moment: dt.datetime,
    actor: Person | None = None,
    device: Device | None = None,
) -> Command:
    """The answer of an accepted act, which is not saved yet.

    `seq` is the last entry that the act wrote on the stream: the version in its answer. `content` is its
    `content_hash`.
    """
    return Command(
        id=command_id,
        content_sha256=content,
        stream=stream,
        seq=seq,
        person=actor,
        device=device,
        answer=answer,
        at=moment,
    )


def save(command_id: uuid.UUID, **fields: Any) -> Command:
    """Save the answer of an accepted act, in the act's transaction, for good. `fields` are those of `make`."""
    command = make(command_id, **fields)
    insert(command)
    return command
