"""Write a long record in minutes: real bodies of play, chained as acts chain them, loaded with COPY.

A superuser disables the guards meanwhile, because ten million acts would take days. For benchmarks and tests alone.
"""

import contextlib
import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from audit import chain, clock
from audit.models import Entry, Stream

SEQ = re.compile(rb'"seq":\d+,"stream":"[^"]*"')
AT = re.compile(rb'"at":"[^"]*"')
DAY = re.compile(rb'"gaming_day":"[^"]*"')
BEGAN, STEP = dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.timedelta(seconds=1)
ENTRY_COLUMNS = "stream_id, seq, prev, hash, body, type, at, gaming_day, actor, witness, round, lot, cents"
GUARDS = """SELECT tgrelid::regclass::text, quote_ident(tgname), tgenabled = 'A' FROM pg_trigger
    WHERE NOT tgisinternal
        AND tgrelid IN ('audit_entry'::regclass, 'audit_stream'::regclass, 'audit_command'::regclass)"""


@dataclass(frozen=True)
class Sample:
    """An entry of play that is repeated. `round` counts from 0 within the samples; None without a round."""

    type: str
    body: bytes
    actor: str
    witness: str
    round: int | None
    lot: str
    cents: int | None


def samples_of(stream: Stream, count: int | None = None) -> list[Sample]:
    """All entries of a stream, or the newest ones, in their order."""
    entries = list(Entry.objects.filter(stream=stream).order_by("-seq")[:count])[::-1]
    first = min((entry.round for entry in entries if entry.round is not None), default=0)
    return [_sample(entry, first) for entry in entries]


def first_sample(stream: Stream) -> Sample:
    """The entry with which a stream begins. A table's one says which submission it deals by."""
    return _sample(Entry.objects.get(stream=stream, seq=1), 0)


def _sample(entry: Entry, first_round: int) -> Sample:
    return Sample(
        entry.type,
        bytes(entry.body),
        entry.actor,
        entry.witness,
        None if entry.round is None else entry.round - first_round,
        entry.lot,
        entry.cents,
    )


def rounds_of(samples: Sequence[Sample]) -> int:
    """How many rounds the samples have."""
    return 1 + max((sample.round for sample in samples if sample.round is not None), default=0)


@contextlib.contextmanager
def guards_disabled(cursor: Any) -> Iterator[None]:
    """Within the block, one transaction, entries may be loaded without the functions of the record."""
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute(GUARDS)
    guards = cursor.fetchall()
    for table, name, _ in guards:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
    yield
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table, name, is_always in guards:
        cursor.execute(f"ALTER TABLE {table} ENABLE {'ALWAYS' if is_always else ''} TRIGGER {name}")


def write_stream(
    cursor: Any,
    name: str,
    entries: int,
    samples: Sequence[Sample],
    began: dt.datetime = BEGAN,
    step: dt.timedelta = STEP,
    first: Sample | None = None,
) -> int:
    """Write so many entries on a new stream, one after each `step` from `began`. Returns the stream's id.

    They repeat the samples. `first` is written once, before them.
    """
    head = chain.genesis(name)
    cursor.execute(
        "INSERT INTO audit_stream (name, seq, head, lockable, real_play) VALUES (%s, 0, %s, true, true) RETURNING id",
        [name, head],
    )
    stream_id = int(cursor.fetchone()[0])
    numbered, rounds, moment = f'"stream":"{name}"'.encode(), rounds_of(samples), began
    with cursor.copy(f"COPY audit_entry ({ENTRY_COLUMNS}) FROM STDIN") as rows:
        for seq in range(1, entries + 1):
            repeats, position = divmod(seq - 1, len(samples))
            sample = first if first and seq == 1 else samples[position]
            moment += step
            body = SEQ.sub(b'"seq":%d,%b' % (seq, numbered), sample.body)
            body = AT.sub(b'"at":"%b"' % clock.format_moment(moment).encode(), body, count=1)
            body = DAY.sub(b'"gaming_day":"%b"' % moment.date().isoformat().encode(), body)
            prev, head = head, chain.entry_hash(head, body)
            number = None if sample.round is None else repeats * rounds + sample.round + 1
            texts = (sample.actor, sample.witness, number, sample.lot, sample.cents)
            rows.write_row((stream_id, seq, prev, head, body, sample.type, moment, moment.date(), *texts))
    cursor.execute(
        "UPDATE audit_stream SET seq = %s, head = %s, last_at = %s WHERE id = %s",
        [entries, head, moment, stream_id],
    )
    return stream_id
