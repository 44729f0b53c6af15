"""Rows as the entries state them, for the checks of a full verification (`audit/record_checks.py`)."""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import QuerySet

from audit.models import Entry
from audit.verification_words import Finding, declare_finding

K = TypeVar("K", bound=Hashable)


@dataclass
class StatedRow:
    """A row as the entries state it, and the newest of them."""

    seq: int
    values: dict[str, Any]

    def change(self, seq: int, **values: Any) -> None:
        self.seq = seq
        self.values.update(values)


@dataclass(frozen=True)
class RowFindings:
    """The codes of three findings about rows: it differs, no entry states it, or it is missing."""

    differs: str
    without_entry: str
    without_row: str

    @classmethod
    def declare(cls, name: str) -> "RowFindings":
        """Declare the findings of one topic: `money-differs`, `money-without-entry` and `money-without-row`."""
        return cls(
            declare_finding(
                f"{name}-differs",
                "%(stream)s: %(row)s differs from entry %(seq)s in %(column)s. The entry counts.",
            ),
            declare_finding(
                f"{name}-without-entry",
                "%(stream)s: %(row)s is in the database, and no entry of the record states it.",
            ),
            declare_finding(
                f"{name}-without-row", "%(stream)s: %(row)s of entry %(seq)s is not in the database."
            ),
        )


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
