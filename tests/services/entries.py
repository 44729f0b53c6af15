"""Entries in tests: each is checked against its declaration, save those that a test makes up."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from audit import record
from audit.entry_types import ENTRY_TYPES, EntryBody, data_faults, entry_type
from audit.models import Entry


class MadeUp(EntryBody):
    """An entry of a test about the record itself: of any type and with any data."""


def any_entry(type_: str, data: dict[str, Any] | None = None) -> EntryBody:
    """An entry of this type, which is declared for the test where the product does not declare it."""
    if type_ not in ENTRY_TYPES:
        entry_type(type_, dict, "Written by a test.")
    return MadeUp(type_, data or {})


def newest_body(type_: str) -> dict[str, Any]:
    """The body of the newest entry of this type, on any stream."""
    body: dict[str, Any] = json.loads(bytes(Entry.objects.filter(type=type_).latest("id").body))
    return body


@contextmanager
def checked_entries() -> Iterator[None]:
    """Within it, an entry whose data is not what its type declares fails the test that writes it."""
    append = record.append

    def checked_append(stream: Any, *, entry: EntryBody, **fields: Any) -> record.Appended:
        if entry.type in ENTRY_TYPES and not isinstance(entry, MadeUp):
            wrong = list(data_faults(entry.data, ENTRY_TYPES[entry.type].data, entry.type))
            assert wrong == [], wrong
        return append(stream, entry=entry, **fields)

    with patch.object(record, "append", checked_append):
        yield
