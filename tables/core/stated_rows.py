"""Rows as the entries of one table state them, for the checks of chips and players (`audit/findings.py`)."""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import QuerySet

from audit.columns import RowFindings
from audit.findings import Finding
from audit.models import Entry

K = TypeVar("K", bound=Hashable)


@dataclass
class StatedRow:
    """A row as the entries state it, and the newest of them."""

    seq: int
    values: dict[str, Any]

    def change(self, seq: int, **values: Any) -> None:
        self.seq = seq
        self.values.update(values)


def compare_rows(
    findings: RowFindings,
    stream: str,
    stated: Mapping[K, StatedRow],
    stored: Mapping[K, Any],
    *,
    name: Callable[[K], str],
    read: Callable[[Any, str], Any] = getattr,
) -> Iterator[Finding]:
    """Compare rows with what the entries state of them. `read` returns a column of a row as entries write it."""
    for key, row in stated.items():
        where = {"stream": stream, "row": name(key)}
        if key not in stored:
            yield Finding(findings.without_row, {**where, "seq": row.seq})
            continue
        for column, value in row.values.items():
            if read(stored[key], column) != value:
                yield Finding(findings.differs, {**where, "seq": row.seq, "column": column})
    for key in stored:
        if key not in stated:
            yield Finding(findings.without_entry, {"stream": stream, "row": name(key)})


def entry_bodies(entries: QuerySet[Entry]) -> Iterator[dict[str, Any]]:
    """Yield the bodies of these entries in the order of their numbers, without those that cannot be read.

    The verification of the chain names an entry that cannot be read.
    """
    rows = entries.order_by("stream", "seq").values_list("body", flat=True)
    for body in rows.iterator(chunk_size=1000):
        try:
            content = json.loads(bytes(body))
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content
