"""A worker's copy of a table, on which the next act there runs without reading (docs/acts.md).

After an act whose context has everything that it wrote, the worker keeps the table as the act left it. The next act
takes the copy out and runs on it. Its writes are sent with a guard before them, which locks the table and raises unless
all that the copy assumes is still so (`tables_guard`): the head of the stream, the moment, the incarnation, who is on
duty and at work, the epoch of the rows that acts read beside those of their table, and the device, the session and the
person, unless they were read for this request.

Whatever else happens than success, be it a refusal, a statement that reads, a repeated command, an old copy or a
connection that broke, the act is executed once more from the rows, under their lock, and that decides. Only success
keeps a copy again. SQLite has none.
"""

import threading
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import connection

from audit import clock, runner
from audit.rows import KeptReads, clone, write
from audit.runner import Act, ActRequest
from tables.core.context import Locked, Play, TableContext
from tables.models import Table, Throw, Wager

GUARD = f"SELECT tables_guard({', '.join(['%s'] * 12)})"


@dataclass(frozen=True)
class Copy:
    """A table as an act left it, and what was so when its rows were read.

    `wagers` and `throws` are those of the live round, or None where no act has read them. `ids`: for new rows, by
    table; they are higher than all that the table has, because only an act that used this copy was there since.
    `reads`: what was read in this epoch of rows that are not the table's: rules, approvals, limits, services.
    """

    table: Table
    play: Play
    wagers: list[Wager] | None
    throws: list[Throw] | None
    epoch: uuid.UUID
    ids: dict[str, list[int]]
    reads: KeptReads


# How many acts of this worker ran on a copy since it began, and from the rows: without one, or by act and error.
# `/readyz` says it.
acts_run: Counter[str] = Counter()
_copies: dict[tuple[str, str], Copy] = {}  # by the codes of facility and table
_lock = threading.Lock()


def take(request: ActRequest, act: Act[TableContext, Any]) -> Copy | None:
    """Take out the copy for this act; None where there is none, or where the act needs more than a copy has.

    An act that needs more will leave the table as no copy shows it, so the copy is dropped in any case.
    """
    with _lock:
        copy = _copies.pop((request.facility, request.place), None)
    if copy is None or not are_kept() or not act.is_all_in_context or request.witness is not None:
        return None
    if request.stored_heads or request.lookup.retry or request.after:
        return None
    return copy if request.seen_version <= copy.table.stream.seq else None


def lock(copy: Copy, request: ActRequest) -> Locked:
    """The table of a copy, as a lock would return it. What makes that true is written first: the guard."""
    estimated = clock.estimated()  # None where a test sets the time
    now = estimated or clock.now()
    table, stream, sender = copy.table, copy.table.stream, request.sender
    write(
        GUARD,
        [
            table.pk,
            stream.pk,
            stream.seq,
            bytes(stream.head),
            estimated,
            copy.play.incarnation,
            copy.epoch,
            request.actor.pk,
            sorted(copy.play.at_work),
            sender.device.pk if sender else None,
            sender.session.session_key if sender else None,
            sender.version if sender else None,
        ],
    )
    return Locked(
        table, now, True, copy.play.incarnation, replace(copy.play, now=now), copy.epoch, copy.ids, copy.reads
    )


def keep(ctx: TableContext) -> None:
    """Keep the table of an act that was committed, as it left it, for the next one at this worker.

    Its rows are other instances: this act is still shown to screens while the next one runs.
    """
    locked = ctx.locked
    if locked is None or locked.epoch is None or len(ctx.appended) != 1:
        return
    table = clone(ctx.table)
    table.stream = clone(ctx.table.stream)
    play = ctx.play_left
    if play.round is not None:
        play = replace(play, round=clone(play.round))
    copy = Copy(table, play, ctx.wagers_left, ctx.throws_left, locked.epoch, locked.ids, locked.reads)
    with _lock:
        _copies[table.facility.code, table.code] = copy


def drop_all() -> None:
    """Drop every copy of this process."""
    with _lock:
        _copies.clear()


def are_kept() -> bool:
    """Whether acts leave copies: on PostgreSQL, unless a block of acts may still be rolled back."""
    return settings.KEEPS_COPIES and connection.vendor == "postgresql" and not runner.is_one_transaction()
