"""Read entries in batches with the driver's own cursor, so that a million of them need the memory of one batch.

Each batch is one short statement over entry numbers: no lock is held for long and no transaction stays open. Entries
are written once and numbered without gaps, so a range that is fixed at the start reads the same while the record
grows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

BATCH_ENTRIES = 2000  # fewer when bodies are long
BATCH_BYTES = 16_000_000  # approximate limit
PAIRS_PER_STATEMENT = 400  # of stream and number


def entry_batches(stream_id: int, first: int, last: int, columns: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the entries `first` to `last` of a stream in batches, in order. `columns` must end in `body` (bytes).

    A missing number is skipped. Batches are smaller where bodies are long.
    """
    size, start = BATCH_ENTRIES, first
    while start <= last:
        stop = min(start + size - 1, last)
        rows = _read(stream_id, start, stop, columns)
        yield rows
        start = stop + 1
        size = _batch_size(rows)


def fetch(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Fetch all rows of a statement. On PostgreSQL in binary, which saves both sides the hex encoding of bytes."""
    connection.ensure_connection()
    if connection.vendor == "postgresql":
        with connection.wrap_database_errors, connection.connection.cursor(binary=True) as binary:
            binary.execute(statement, params)
            rows: list[tuple[Any, ...]] = binary.fetchall()
            return rows
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())


def _read(stream_id: int, start: int, stop: int, columns: str) -> list[tuple[Any, ...]]:
    statement = (
        f"SELECT {columns} FROM audit_entry WHERE stream_id = %s AND seq BETWEEN %s AND %s ORDER BY seq"
    )
    return fetch(statement, [stream_id, start, stop])


def _batch_size(rows: Sequence[tuple[Any, ...]]) -> int:
    """The number of entries that fit into a batch, if they are as long as these."""
    longest = max((len(row[-1]) for row in rows), default=0)
    return max(1, min(BATCH_ENTRIES, BATCH_BYTES // max(longest, 1)))


def entries_at(
    numbers: Mapping[int, int], columns: str, params: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield `columns` of one entry of each stream, given as `{stream_id: seq}`, in few statements."""
    pairs = list(numbers.items())
    for start in range(0, len(pairs), PAIRS_PER_STATEMENT):
        part = pairs[start : start + PAIRS_PER_STATEMENT]
        values = ", ".join(["(%s, %s)"] * len(part))
        statement = f"SELECT {columns} FROM audit_entry WHERE (stream_id, seq) IN (VALUES {values})"
        yield from fetch(statement, [*params, *(number for pair in part for number in pair)])
