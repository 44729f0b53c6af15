"""Halt a table when a screen sends back a head that this server signed and that the record no longer has.

Then a backup was restored, a tail was cut, or settled rounds were rewritten. The table takes no act from anybody until
two people have declared a new incarnation of the record. The head comes with an act, or from a device where nobody is
signed in any more, because a restored backup lacks the session too. A head with a wrong MAC halts nothing, because
anybody can send one: an act that brings it is refused and the floor gets an alert.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from django.db import transaction

from audit import clock, record
from audit.entry_types import EntryBody, entry_type
from audit.models import Device, Incarnation, Stream
from audit.record import ClaimedHead, HeadStatus, current_incarnation_number
from audit.runner import ActRequest, Stale
from games.engine import Refusal, RefusalCode
from tables.core.alerts import AlertKind, Level, end_alert, raise_alert
from tables.core.context import Locked, TableContext, locked_table, table_changed
from tables.core.duty import serves
from tables.models import Alert, Table

HALTED = 423  # the HTTP status
FORGED_HEAD_ALERT_EVERY = dt.timedelta(hours=1)

RECORD_WENT_BACK = RefusalCode(
    "record-went-back",
    "This screen has shown entry %(seen)s of %(table)s, but the record no longer has it. Nothing was "
    "recorded. Leave chips and dice where they are, and call the shift manager.",
    "The record was rolled back",
)
TABLE_IS_HALTED = RefusalCode(
    "table-halted",
    "The record of %(table)s was rolled back, so nothing can be recorded here. Leave chips and dice "
    "where they are, and call the shift manager. Play continues after two people have declared the record.",
    "This table is halted",
)
HEAD_NOT_OURS = RefusalCode(
    "head-not-ours",
    "This screen sent a state of %(table)s that the server never showed. Nothing was recorded. "
    "Reload the page. If that does not help, call the shift manager.",
    "Unknown screen",
)


# Entries


class HaltData(TypedDict):
    found_head: Annotated[str, "hash of the entry with that number on the record; empty without one"]
    last: Annotated[int, "number of the newest entry on the record"]
    seen: Annotated[int, "number of the entry that the screen has shown"]
    seen_head: Annotated[str, "hash of the entry that the screen has shown"]
    seen_incarnation: Annotated[int, "the incarnation of the record that the screen has shown"]


TABLE_HALTED = entry_type(
    "table.halted",
    HaltData,
    "A screen sent back a head that the record no longer has, so the table takes no act.",
    lambda data: "Halted: the record does not have entry %(seen)s" % data,
)


class TableResumed(TypedDict):
    halted_at: Annotated[str, "since when the table was halted"]
    incarnation: Annotated[int, "number of the new incarnation of the record"]


TABLE_RESUMED = entry_type(
    "table.resumed",
    TableResumed,
    "A new incarnation was declared, so the halted table takes acts again.",
    lambda data: "Resumed: the record was declared",
)


# Alerts

ROLLED_BACK = AlertKind(
    "record-went-back",
    "record-went-back",
    Level.STOP,
    "Record rolled back",
    "The record was rolled back",
    "A screen has shown entry %(seen)s, but the record ends at %(last)s without it. Nothing can be recorded here. "
    "Leave chips and dice where they are, write down what is there, and call compliance: two people must "
    "declare the record.",
)
FORGED_HEAD = AlertKind(
    "head-not-ours",
    "head-not-ours",
    Level.WARN,
    "Unknown screen",
    "Unknown screen",
    "%(device)s sent a state of this table that the server never showed, and its act was refused. "
    "Find out who has the device, reload its page, and tell compliance.",
    ends_when_acknowledged=True,
)

# Halting and resuming


class HeadRefused(Refusal):
    """An act refused because of the head that came with it, or with an earlier one.

    `status` is the HTTP status; `affected_table_ids` are tables whose screens show what the refusal changed.
    """

    status = 422

    def __init__(self, code: RefusalCode, *affected_table_ids: int, **params: Any) -> None:
        super().__init__(code, **params)
        self.affected_table_ids = affected_table_ids


class TableHalted(HeadRefused):
    """The table takes no act until a new incarnation of the record is declared."""

    status = HALTED


class RollbackDetected(Exception):
    """The record lacks `claim`, a head that this server signed. `halt` writes this down, in its own transaction."""

    def __init__(self, claim: ClaimedHead) -> None:
        super().__init__(claim)
        self.claim = claim


class ForgedHead(Exception):
    """A head with a wrong MAC. `report_forged_head` raises the alert, in its own transaction."""


def verify_record_has_heads(request: ActRequest, locked: Locked) -> None:
    """Raise `RollbackDetected` for a head that we signed and the record lacks, no matter who sends it.

    A stored head without our MAC is ignored: it may be older than our key.
    """
    for claim in (*request.stored_heads, request.head):
        if claim is not None and _is_lost(locked.table.stream, locked.incarnation, claim):
            raise RollbackDetected(claim)


def verify_head_is_ours(request: ActRequest, locked: Locked) -> None:
    """Raise `ForgedHead` for a head with a wrong MAC. An act without a head passes: other programs may post.

    Call it once the person may act at this table from this device: nobody else writes on its stream or calls its floor.
    """
    if request.head is not None and not record.has_our_mac(locked.table.stream, request.head):
        raise ForgedHead


def verify_not_halted(request: ActRequest, locked: Locked) -> None:
    """Raises `TableHalted` at a halted table, and `Stale` for a screen of an earlier incarnation."""
    if locked.table.halted_at is not None:
        raise TableHalted(TABLE_IS_HALTED, table=locked.table.code)
    if request.head is None or request.head.incarnation >= locked.incarnation:
        return
    if record.check_head(locked.table.stream, locked.incarnation, request.head) is HeadStatus.OLD:
        raise Stale


def halt(request: ActRequest, claim: ClaimedHead) -> HeadRefused:
    """Halt the table of this request for one of its heads, in a transaction of its own, and return the refusal.

    Checks again under the lock, with the current incarnation: another screen may have been first, or an incarnation
    may have been declared while this act waited. Raises `Stale` if the record has the head after all.
    """
    with transaction.atomic(durable=True):
        locked = locked_table(request.facility, request.place, request.actor)
        table = locked.table
        if table.halted_at is not None:
            return TableHalted(TABLE_IS_HALTED, table=table.code)
        if not _is_lost(table.stream, current_incarnation_number(), claim):
            raise Stale
        return _halt(_context(request, locked), claim)


def halt_for_device(device: Device | None, claims: Mapping[str, Sequence[ClaimedHead]]) -> list[TableHalted]:
    """Halt the tables whose record lacks a head that this device brings, whether or not anybody is signed in.

    `claims` are heads by the name of their stream; those of tables that the device does not serve are ignored, and so
    are forged ones and those of an incarnation that has ended. Returns a refusal for each table that was halted now.
    Each has a transaction of its own.
    """
    if device is None or not claims:
        return []
    tables = Table.objects.select_related("facility", "stream").filter(
        stream__name__in=list(claims), halted_at=None
    )
    incarnation = current_incarnation_number()
    lost = [
        (table, claim)
        for table in tables.order_by("stream__name")
        if serves(device, table)
        for claim in claims[table.stream.name]
        if _is_lost(table.stream, incarnation, claim)
    ]
    refusals = [_halt_for_device(device, table, claim) for table, claim in lost]
    return [refusal for refusal in refusals if refusal is not None]


def _halt_for_device(device: Device, table: Table, claim: ClaimedHead) -> TableHalted | None:
    """Halt one table, unless it is halted or its record has the head after all, checked under the lock."""
    with transaction.atomic(durable=True):
        locked = locked_table(table.facility.code, table.code)
        if locked.table.halted_at is not None or not _is_lost(
            locked.table.stream, current_incarnation_number(), claim
        ):
            return None
        now = clock.displayed_moment(locked.table.stream, locked.now)
        return _halt(TableContext(locked.table, None, device, None, now), claim)


def _is_lost(stream: Stream, incarnation: int, claim: ClaimedHead) -> bool:
    """Whether this server signed the head in this incarnation, and the record lacks it."""
    return record.check_head(stream, incarnation, claim) is HeadStatus.UNKNOWN


def _halt(ctx: TableContext, claim: ClaimedHead) -> TableHalted:
    """Halt the locked table of this context, and raise its alert. Returns the refusal."""
    table = ctx.table
    data: HaltData = {
        "seen": claim.seq,
        "seen_head": claim.head,
        "seen_incarnation": claim.incarnation,
        "found_head": record.hash_on_record(table.stream, claim.seq),
        "last": table.stream.seq,
    }
    ctx.change_table(halted_at=ctx.now)
    ctx.save_changes("table", ())
    _append(ctx, TABLE_HALTED(data))
    raise_alert(ctx, ROLLED_BACK.expected(table.pk, seen=claim.seq, last=data["last"]))
    ctx.append_extra_entries()
    return TableHalted(RECORD_WENT_BACK, table.pk, table=table.code, seen=claim.seq)


def report_forged_head(request: ActRequest) -> HeadRefused:
    """Raise the alert about a forged head and return the refusal.

    No alert while one is open at the table, and one for each device of a table in `FORGED_HEAD_ALERT_EVERY`, so that
    nobody who may act here fills the record or wears the floor out.
    """
    with transaction.atomic(durable=True):
        locked = locked_table(request.facility, request.place, request.actor)
        ctx = _context(request, locked)
        device = request.device.name if request.device else ""
        before = Alert.objects.filter(table=locked.table, kind=FORGED_HEAD.code, params__device=device)
        raised = not before.filter(raised_at__gt=ctx.now - FORGED_HEAD_ALERT_EVERY).exists() and raise_alert(
            ctx, FORGED_HEAD.expected(locked.table.pk, device=device)
        )
        ctx.append_extra_entries()
        return HeadRefused(HEAD_NOT_OURS, *([locked.table.pk] if raised else []), table=locked.table.code)


def resume_halted_tables(sender: Any, incarnation: Incarnation, **_declared: Any) -> None:
    """Resume every halted table, in the transaction that declares this incarnation (`incarnation_declared`).

    Publishes their screens after the commit. Locks the tables in the order of their streams' names.
    """
    halted = Table.objects.filter(halted_at__isnull=False, stream__closed_at=None).order_by("stream__name")
    for facility, code in list(halted.values_list("facility__code", "code")):
        _resume(facility, code, incarnation)


def _resume(facility: str, code: str, incarnation: Incarnation) -> None:
    locked = locked_table(facility, code)
    table, now = locked.table, clock.displayed_moment(locked.table.stream, locked.now)
    ctx = TableContext(table, incarnation.opened_by, None, incarnation.opened_with, now)
    assert table.halted_at is not None
    data: TableResumed = {
        "incarnation": incarnation.number,
        "halted_at": clock.format_moment(table.halted_at),
    }
    ctx.change_table(halted_at=None)
    ctx.save_changes("table", ())
    _append(ctx, TABLE_RESUMED(data))
    end_alert(ctx, ROLLED_BACK.key)
    ctx.append_extra_entries()
    # A failed push must not undo the declaration; the heartbeat repairs the screens.
    transaction.on_commit(lambda: table_changed.send(Table, table_id=table.pk), robust=True)


def _append(ctx: TableContext, entry: EntryBody) -> None:
    record.append(
        ctx.stream,
        entry=entry,
        moment=ctx.now,
        gaming_day=ctx.gaming_day,
        actor=ctx.actor,
        witness=ctx.witness,
        device=ctx.device,
    )


def _context(request: ActRequest, locked: Locked) -> TableContext:
    """The context of this request's table. A clock that went back as well must not keep the halt off the record."""
    now = clock.displayed_moment(locked.table.stream, locked.now)
    return TableContext(locked.table, request.actor, request.device, None, now)
